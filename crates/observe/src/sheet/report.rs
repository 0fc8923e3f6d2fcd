//! Report of a map or hazard folder as Markdown or HTML: parameters, cautions, accounts, runs,
//! exposure and figures.

use std::io::Write as _;
use std::path::Path;

use super::page::Layout;
use super::runs::{Runs, Spread};
use super::table::Table;
use super::{Date, Settings, Sheet, SheetError, notes, source, table};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words;
use lavoxel_files::input::ending;
use lavoxel_files::output::{Existing, check_free, safe_name, whole};
use lavoxel_io::export::{Provenance, escaped, png_at, write_png_at};

/// Resolution of the figures in a report, in pixels per inch.
const DPI: f64 = 120.0;

/// Maps of a hazard folder that a report shows as figures, if their files exist.
const FIGURES: [&str; 3] = ["probability", "arrival_q50", "thickness_q50"];

/// Upper bound on the number of plan entries that a report prints.
const MOST_KEYS: usize = 200;

/// Names of plan entries that a report omits, because they are hashes of longer data and the
/// fingerprint of the plan includes them.
const HASHES: [&str; 7] = [
    "box",
    "course",
    "form of the vent",
    "ground",
    "lava",
    "rules",
    "vents",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Html,
}

impl Format {
    fn from_path(path: &Path) -> Result<Self, SheetError> {
        match ending(path).as_str() {
            "md" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            _ => Err(SheetError::wrong(format!(
                "{}: reports end in .md or .html",
                path.display()
            ))),
        }
    }
}

/// Checks that a report can be written to `path`; called before any input is read.
///
/// # Errors
/// When the file extension is unknown, or the file cannot be written.
pub fn check(path: &Path, existing: Existing) -> Result<(), SheetError> {
    Format::from_path(path)?;
    Ok(check_free(path, existing)?)
}

/// Block of a report, before it is written as Markdown or HTML.
enum Block {
    Heading(String),
    Text(String),
    Cautions(Vec<String>),
    /// Table as rows of fields; the first row is the header.
    Table(Vec<Vec<String>>),
    Figure {
        layer: String,
        caption: String,
    },
}

impl Block {
    /// Returns the number of table rows without the header; 0 for other blocks.
    fn rows(&self) -> usize {
        if let Self::Table(rows) = self {
            rows.len() - 1
        } else {
            0
        }
    }
}

/// Writes the report of a sheet to `path`.
pub(super) fn write(sheet: &Sheet<'_>, path: &Path, existing: Existing) -> Result<(), SheetError> {
    let format = Format::from_path(path)?;
    let blocks = blocks(sheet)?;
    let title = sheet
        .settings
        .title
        .clone()
        .unwrap_or_else(|| notes::title(&sheet.source));
    let mut figures = Vec::new();
    for block in &blocks {
        if let Block::Figure { layer, .. } = block {
            figures.push((layer.clone(), figure(sheet, layer)?));
        }
    }
    let beside = |layer: &str| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{stem}_{}.png", safe_name(layer)))
    };
    // All picture files are checked before the first is written, so that a refusal leaves nothing
    // behind.
    if format == Format::Markdown {
        figures
            .iter()
            .try_for_each(|(layer, _)| check_free(&beside(layer), existing))?;
    }
    let mut address = Vec::new();
    for (layer, image) in &figures {
        let size = (image.width as u32, image.height as u32);
        let labels = [
            ("Title", notes::layer_words(layer)),
            ("Software", Provenance::SOFTWARE.to_owned()),
        ];
        address.push(match format {
            Format::Markdown => {
                let file = beside(layer);
                write_png_at(&file, (size, DPI), &image.rgb, &labels, existing)?;
                file.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            }
            Format::Html => {
                let bytes = png_at(path, (size, DPI), &image.rgb, &labels)?;
                format!("data:image/png;base64,{}", base64(&bytes))
            }
        });
    }
    let text = match format {
        Format::Markdown => markdown(&title, &blocks, &address),
        Format::Html => html(&title, &blocks, &address),
    };
    Ok(whole(path, existing, |out| out.write_all(text.as_bytes()))?)
}

/// Draws the map named `layer` as a figure: the map of the sheet itself, or the map with this name
/// in its folder.
fn figure(sheet: &Sheet<'_>, layer: &str) -> Result<lavoxel_render::Image, SheetError> {
    let draw = |sheet: &Sheet<'_>| {
        let layout = Layout::figure();
        let contents = sheet.contents(layout)?;
        let size = [layout.size[0], contents.figure_height(layout)];
        contents.image(Layout { size, ..layout }, DPI)
    };
    if layer == sheet.source.quantity() {
        return draw(sheet);
    }
    let settings = Settings {
        layer: Some(layer.to_owned()),
        ..sheet.settings.clone()
    };
    let study = sheet
        .source
        .study
        .as_ref()
        .expect("only a folder has other layers");
    draw(&Sheet::read(&study.folder, &settings)?)
}

fn blocks(sheet: &Sheet<'_>) -> Result<Vec<Block>, SheetError> {
    let source = &sheet.source;
    let mut blocks = Vec::new();
    let date = match &sheet.settings.date {
        Date::OfMap => source.day(),
        Date::Text(text) => Some(text.clone()),
        Date::None => None,
    };
    let by: Vec<String> = [
        sheet.settings.stamp.clone(),
        sheet.settings.author.clone(),
        date,
    ]
    .into_iter()
    .flatten()
    .collect();
    if !by.is_empty() {
        blocks.push(Block::Text(by.join(" · ")));
    }
    blocks.push(Block::Text(format!("{}.", notes::subtitle(source))));
    let cautions: Vec<String> = notes::warnings(source)
        .into_iter()
        .map(|note| note.text)
        .collect();
    if !cautions.is_empty() {
        blocks.push(Block::Cautions(cautions));
    }
    let layout = Layout::figure();
    let contents = sheet.contents(layout)?;
    let mut layers = vec![source.quantity()];
    if let Some(study) = &source.study {
        let there = source::layers(&study.folder);
        layers.extend(
            FIGURES
                .iter()
                .map(|name| (*name).to_owned())
                .filter(|name| there.contains(name)),
        );
        layers.dedup();
    }
    // The map of the sheet may be one of the further figures; each is shown once.
    let mut seen = std::collections::BTreeSet::new();
    layers.retain(|layer| seen.insert(layer.clone()));
    blocks.push(Block::Heading("Maps".to_owned()));
    for layer in layers {
        blocks.push(Block::Figure {
            caption: notes::layer_words(&layer),
            layer,
        });
    }
    blocks.push(Block::Heading("Areas".to_owned()));
    let (wide, deep) = source.map.cell_size_m;
    let mut rows = vec![vec![
        notes::layer_words(&source.quantity()),
        "area".to_owned(),
    ]];
    let area = |cells: usize| words::area(cells as f64 * wide * deep);
    rows.extend(
        contents
            .classes
            .list
            .iter()
            .map(|class| vec![class.label.clone(), area(class.cells)]),
    );
    rows.push(vec![
        "all".to_owned(),
        area(contents.classes.list.iter().map(|class| class.cells).sum()),
    ]);
    blocks.push(Block::Table(rows));
    if let Some(table) = &sheet.table {
        blocks.push(Block::Heading("Exposure".to_owned()));
        blocks.extend(exposure(table));
    }
    if let Some(study) = &source.study {
        blocks.push(Block::Heading("Parameters".to_owned()));
        let mut rows = vec![vec!["key".to_owned(), "value".to_owned()]];
        let plan = &study.plan;
        rows.push(vec!["scene".to_owned(), escape_for_terminal(&plan.scene)]);
        rows.push(vec!["vents".to_owned(), escape_for_terminal(&plan.vents)]);
        rows.push(vec!["runs".to_owned(), plan.runs.to_string()]);
        let told = plan
            .decides
            .iter()
            .filter(|(key, _)| !HASHES.contains(&key.as_str()));
        rows.extend(
            told.take(MOST_KEYS)
                .map(|(key, value)| vec![escape_for_terminal(key), escape_for_terminal(value)]),
        );
        rows.push(vec![
            "plan".to_owned(),
            format!("{:032x}", plan.fingerprint()),
        ]);
        blocks.push(Block::Table(rows));
        if let Some(runs) = &study.runs {
            blocks.push(Block::Heading("Runs".to_owned()));
            blocks.push(Block::Table(summary(runs)));
            blocks.push(Block::Heading("Accounts".to_owned()));
            blocks.push(Block::Text(accounts(runs)));
        }
    } else {
        let mut rows = vec![vec!["key".to_owned(), "value".to_owned()]];
        rows.extend(
            source
                .labels
                .iter()
                .map(|(key, value)| vec![key.to_lowercase(), value.clone()]),
        );
        if rows.len() > 1 {
            blocks.push(Block::Heading("Parameters".to_owned()));
            blocks.push(Block::Table(rows));
        }
    }
    blocks.push(Block::Heading("Notes".to_owned()));
    let plain = contents.notes.iter().filter(|note| !note.is_warning);
    blocks.extend(plain.map(|note| Block::Text(format!("{}: {}", note.heading, note.text))));
    Ok(blocks)
}

fn exposure(table: &Table) -> Vec<Block> {
    let (heading, rows) = table::words(table);
    let mut all = vec![heading.into_iter().map(str::to_owned).collect()];
    all.extend(rows);
    let mut blocks = vec![Block::Table(all)];
    let more = table
        .reached
        .len()
        .saturating_sub(blocks.iter().map(Block::rows).sum());
    if more > 0 {
        blocks.push(Block::Text(format!("Reached besides: {more}.")));
    }
    if table.others > 0 {
        blocks.push(Block::Text(format!("Not reached: {}.", table.others)));
    }
    blocks
}

fn summary(runs: &Runs) -> Vec<Vec<String>> {
    let row = |name: &str, spread: Spread, digits: usize| {
        let number = |value: f64| format!("{value:.digits$}");
        vec![
            name.to_owned(),
            number(spread.least),
            number(spread.mean),
            number(spread.most),
        ]
    };
    vec![
        ["of all runs", "least", "mean", "largest"]
            .map(str::to_owned)
            .into(),
        row("rate [m³/s]", runs.rate_m3_s, 2),
        row("volume [m³]", runs.volume_m3, 0),
        row(
            "duration [h]",
            Spread {
                // Hours, as in the maps of arrival.
                least: runs.duration_s.least / 3600.0,
                mean: runs.duration_s.mean / 3600.0,
                most: runs.duration_s.most / 3600.0,
                sum: 0.0,
            },
            2,
        ),
        row("area [m²]", runs.area_m2, 0),
        row("reach [m]", runs.reach_m, 0),
        row("poured [m³]", runs.poured_m3, 1),
        row("set [m³]", runs.set_m3, 1),
        row("left the box [m³]", runs.out_m3, 1),
    ]
}

fn accounts(runs: &Runs) -> String {
    let exact = match runs.inexact {
        0 => format!(
            "Volume and heat are accounted for exactly, to the last unit, in all {} runs.",
            runs.count
        ),
        count => format!(
            "{count} of {} runs have accounts that are not exact.",
            runs.count
        ),
    };
    format!(
        "{exact} Poured {} in all; {} of it set, {} left the box, {} found no room.",
        words::volume(runs.poured_m3.sum),
        words::volume(runs.set_m3.sum),
        words::volume(runs.out_m3.sum),
        words::volume(runs.blocked_m3.sum)
    )
}

fn markdown(title: &str, blocks: &[Block], address: &[String]) -> String {
    // A `|` would end a table field, and a line break a table row.
    let plain = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let mut address = address.iter();
    let mut text = format!("# {}\n", plain(title));
    for block in blocks {
        text += "\n";
        match block {
            Block::Heading(heading) => text += &format!("## {heading}\n"),
            Block::Text(words) => text += &format!("{}\n", plain(words)),
            Block::Cautions(all) => all
                .iter()
                .for_each(|caution| text += &format!("- **Caution:** {}\n", plain(caution))),
            Block::Table(rows) => {
                for (i, row) in rows.iter().enumerate() {
                    let fields: Vec<String> = row.iter().map(|field| plain(field)).collect();
                    text += &format!("| {} |\n", fields.join(" | "));
                    if i == 0 {
                        let lines: Vec<&str> = (0..row.len())
                            .map(|column| if column == 0 { "---" } else { "---:" })
                            .collect();
                        text += &format!("| {} |\n", lines.join(" | "));
                    }
                }
            }
            Block::Figure { caption, .. } => {
                let file = address
                    .next()
                    .map(|file| file.replace(' ', "%20"))
                    .unwrap_or_default();
                text += &format!("![{caption}]({file})\n\n*{caption}*\n");
            }
        }
    }
    text
}

/// CSS style sheet of an HTML report, for screen and print.
const STYLE: &str = "body{font:16px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1c1c20}\
                     table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .8em;border-bottom:1px solid #ccc;text-align:right}\
                     td:first-child,th:first-child{text-align:left}figure{margin:1em 0;break-inside:avoid}img{max-width:100%}\
                     .caution{border-left:4px solid #be1414;padding:.3em 1em;color:#8c1010;margin:.5em 0}";

fn html(title: &str, blocks: &[Block], address: &[String]) -> String {
    let mut address = address.iter();
    // Every text is escaped: titles and names come from files of the user.
    let title = escaped(title);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body>\n<h1>{title}</h1>\n"
    );
    for block in blocks {
        match block {
            Block::Heading(heading) => text += &format!("<h2>{}</h2>\n", escaped(heading)),
            Block::Text(words) => text += &format!("<p>{}</p>\n", escaped(words)),
            Block::Cautions(all) => {
                all.iter().for_each(|caution| {
                    text += &format!("<p class=\"caution\">{}</p>\n", escaped(caution))
                });
            }
            Block::Table(rows) => {
                text += "<table>\n";
                for (i, row) in rows.iter().enumerate() {
                    let tag = if i == 0 { "th" } else { "td" };
                    let fields: String = row
                        .iter()
                        .map(|field| format!("<{tag}>{}</{tag}>", escaped(field)))
                        .collect();
                    text += &format!("<tr>{fields}</tr>\n");
                }
                text += "</table>\n";
            }
            Block::Figure { caption, .. } => {
                let (caption, file) = (
                    escaped(caption),
                    address.next().map(String::as_str).unwrap_or_default(),
                );
                text += &format!(
                    "<figure><img alt=\"{caption}\" src=\"{file}\"><figcaption>{caption}</figcaption></figure>\n"
                );
            }
        }
    }
    text + &format!(
        "<p><small>{}</small></p>\n</body>\n</html>\n",
        Provenance::SOFTWARE
    )
}

/// Encodes `bytes` as Base64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_text_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn text_from_outside_stays_text() {
        let blocks = [Block::Table(vec![vec![
            "a|b".to_owned(),
            "<b>\"x\"".to_owned(),
        ]])];
        assert!(markdown("t", &blocks, &[]).contains("| a\\|b | <b>\"x\" |"));
        assert!(html("<t>", &blocks, &[]).contains("<th>&lt;b&gt;&quot;x&quot;</th>"));
    }
}
