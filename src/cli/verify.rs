//! `lavoxel verify`: runs the verification cases of the physical model, which have known answers.

use std::path::PathBuf;

use clap::Args;
use lavoxel::flow::verify::{CASES, Case, Outcome as Found, field};
use lavoxel::input::ending;
use lavoxel::output::{Existing, check_free};
use lavoxel::plot::{Axis, Page, Plot};
use lavoxel::words::short;

use crate::cli::flags::memory;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::{Outcome, classic};

const EXAMPLES: &str = "\
Examples:
  Run the cases that take a few seconds each:
      lavoxel verify --quick
  Run all cases, and draw a page of plots with theory:
      lavoxel verify --picture verification.svg
  Run only the cases of field data, from a folder that holds mauna_ulu_1974/ and marcath/:
      lavoxel verify --field FOLDER field-mauna-ulu field-marcath";

/// Compare the physical model with theory
///
/// Runs cases with a known answer, prints each number with its reference and its tolerance, and
/// fails if a number is outside its tolerance or if volume or heat is not accounted for to the last
/// unit. Numbers of field data are compared, too: a number outside its tolerance is marked, and
/// does not make the command fail.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// Names of the cases to run [default: all cases]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Run only the quick cases
    #[arg(long, conflicts_with = "names")]
    quick: bool,

    /// Add the cases of field data, field-mauna-ulu and field-marcath, from FOLDER
    ///
    /// The licences of the field data forbid their distribution with the program. FOLDER holds
    /// mauna_ulu_1974/ (from github.com/pyflowgo/pyflowgo, MaunaUlu74) and marcath/ (from
    /// github.com/Jacksaville1/lava-lubrication), or only one of these folders, or is itself one of
    /// these folders.
    #[arg(long, value_name = "FOLDER")]
    field: Option<PathBuf>,

    /// Print the results as one JSON array
    #[arg(long)]
    json: bool,

    /// Draw a page of plots with theory to FILE.svg; the classic rules have a separate plot
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,

    /// Replace an existing picture
    #[arg(long, requires = "picture")]
    force: bool,

    /// Shadows the flag of all commands, because the boxes of this command have one size, of a few
    /// megabytes
    #[arg(long, hide = true)]
    max_memory: Option<memory::Size>,
}

impl VerifyArgs {
    /// Returns the requested cases among those of the program and `of_field`, the cases with field
    /// data. Fails for an unknown name.
    fn cases<'a>(&self, of_field: &'a [Case]) -> anyhow::Result<Vec<&'a Case>> {
        let all = || CASES.iter().chain(of_field);
        if self.names.is_empty() {
            return Ok(all()
                .filter(|case| case.is_quick || case.is_field() || !self.quick)
                .collect());
        }
        let case = |name: &String| {
            let known = || all().map(|case| case.name).collect::<Vec<_>>().join(", ");
            let found = all().find(|case| case.name == name);
            found.ok_or_else(|| match field::names().find(|of_field| of_field == name) {
                Some(_) if self.field.is_none() => {
                    anyhow::anyhow!("{name}: needs the folder of its files, with --field FOLDER")
                }
                Some(_) => anyhow::anyhow!(
                    "{name}: the folder of --field has no files of it; there are {}",
                    known()
                ),
                None => anyhow::anyhow!("{name}: no such case; there are {}", known()),
            })
        };
        self.names.iter().map(case).collect()
    }

    /// Reads the cases with field data from the folder of `--field`; empty without this flag.
    fn of_field(&self) -> anyhow::Result<Vec<Case>> {
        let read = |folder: &PathBuf| {
            field::cases(folder).map_err(|fault| anyhow::anyhow!("--field {fault}"))
        };
        self.field.as_ref().map_or_else(|| Ok(Vec::new()), read)
    }
}

/// Runs `lavoxel verify`.
pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let limited = args.max_memory.is_some();
    anyhow::ensure!(
        !limited,
        "--max-memory: the boxes of lavoxel verify are small and have one size; leave it out"
    );
    let of_field = args.of_field()?;
    let cases = args.cases(&of_field)?;
    if let Some(path) = &args.picture {
        let is_svg = ending(path) == "svg";
        anyhow::ensure!(is_svg, "{}: the picture is written as .svg", path.display());
        check_free(path, Existing::by_force(args.force))?;
    }
    let mut found = Vec::new();
    for case in cases {
        if stop::asked() {
            return Ok(Outcome::Stopped);
        }
        let outcome = case.run();
        if !args.json {
            messages::data(&text(&outcome))?;
        }
        found.push(outcome);
    }
    // The picture comes before the JSON report, which may go to a full disk.
    if let Some(path) = &args.picture {
        page(&found).write(path, Existing::by_force(args.force))?;
    }
    if args.json {
        messages::data(&serde_json::to_string_pretty(&found)?)?;
    }
    if !args.json {
        messages::data(&summary(&found))?;
    }
    Ok(if found.iter().any(Found::fails) {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

/// Returns a summary line: how many cases are within and how many outside of their tolerances.
fn summary(found: &[Found]) -> String {
    let count = |of: fn(&&Found) -> bool| found.iter().filter(of).count();
    let outside = count(|outcome| !outcome.is_within_tolerance() && !outcome.fails());
    let summary = format!(
        "{} of {} cases hold",
        count(|outcome| outcome.is_within_tolerance()),
        found.len()
    );
    match outside {
        0 => summary,
        _ => format!("{summary}; {outside} outside of field data, which is no failure"),
    }
}

/// Returns the verdict on a case as a word, in capitals unless the case holds.
fn shout(outcome: &Found) -> &'static str {
    match outcome.verdict {
        "fails" => "FAILS",
        "outside" => "OUTSIDE",
        holds => holds,
    }
}

/// Lower bound of the width of the column with the names of values, in characters.
const LABEL: usize = 42;

fn text(outcome: &Found) -> String {
    let mut lines = vec![format!(
        "{}: {}\n  {}",
        outcome.name,
        shout(outcome),
        outcome.about
    )];
    // Numbers stay aligned behind the longest label.
    let wide = outcome
        .rows
        .iter()
        .map(|row| row.what.chars().count())
        .fold(LABEL, usize::max);
    for row in &outcome.rows {
        let mark = if row.is_within_tolerance() { ' ' } else { '!' };
        let (what, value, reference) = (&row.what, number(row.value), number(row.reference));
        lines.push(if row.is_bounded {
            let [least, most] = [row.reference - row.tolerance, row.reference + row.tolerance].map(number);
            format!("  {mark} {what:<wide$} {value:>13}  between   {least:>13}  and       {most:>11}")
        } else {
            let tolerance = number(row.tolerance);
            format!("  {mark} {what:<wide$} {value:>13}  reference {reference:>13}  tolerance {tolerance:>11}")
        });
    }
    let exact = if outcome.is_exact {
        "exact"
    } else {
        "NOT exact"
    };
    lines.push(format!(
        "    ledgers {exact}, held back {:.1e} of the fluxes",
        outcome.capped_share
    ));
    lines.join("\n")
}

/// Formats the number `value` with five significant digits.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&size) {
        let places = (4.0 - size.log10().floor()).clamp(0.0, 8.0) as usize;
        format!("{value:.places$}")
    } else {
        format!("{value:.4e}")
    }
}

/// Returns the page of plots: one plot for each case in `found`, and one for the classic model.
fn page(found: &[Found]) -> Page {
    let has_field = found.iter().any(|outcome| outcome.is_field);
    let beside = if has_field {
        "theory and field data"
    } else {
        "theory"
    };
    let page = Page::new(format!("The physical model beside {beside}")).columns(3);
    let page = found.iter().map(plot).fold(page, Page::plot);
    let radii = classic::radii();
    let (first_step, first) = radii[0];
    page.plot(
        Plot::new("Fixed volume by the classic rules")
            .verdict("no viscous layer: not meant to follow t^⅛", false)
            .axis_x("steps", Axis::Log)
            .axis_y("radius in cells", Axis::Log)
            .points("classic rules", radii)
            .line_of_theory("t^⅛ of a viscous layer", move |step| {
                first * (step / first_step).powf(0.125)
            }),
    )
}

/// Smallest range of a curve's values, as a fraction of its largest value, that fills the vertical
/// axis of a plot. For flatter curves the axis begins at 0, so that small deviations look small.
const LEAST_SPAN: f64 = 0.1;

fn plot(outcome: &Found) -> Plot {
    let curve = &outcome.curve;
    let axis = || {
        if curve.is_logarithmic {
            Axis::Log
        } else {
            Axis::Linear
        }
    };
    let [x, y] = curve.axes.clone();
    let plot = Plot::new(format!("{} ({})", outcome.title, outcome.name))
        .verdict(judgement(outcome), outcome.is_within_tolerance())
        .axis_x(x, axis())
        .axis_y(y, axis())
        .points("model", curve.model.iter().copied())
        .points_of_theory(curve.reference, curve.theory.iter().copied());
    let heights = || curve.model.iter().chain(&curve.theory).map(|point| point.1);
    let (low, high) = (
        heights().fold(f64::INFINITY, f64::min),
        heights().fold(0.0, f64::max),
    );
    let is_flat = !curve.is_logarithmic && low >= (1.0 - LEAST_SPAN) * high && high > 0.0;
    if is_flat {
        plot.range_y(0.0, 1.3 * high)
    } else {
        plot
    }
}

/// Returns the verdict on a case as text, with the largest relative deviation of its values from
/// their references.
fn judgement(outcome: &Found) -> String {
    let verdict = shout(outcome);
    match outcome.deviation() {
        Some(share) => format!(
            "{verdict}, numbers off by {} % at most",
            short(100.0 * share, 1)
        ),
        None => verdict.to_owned(),
    }
}
