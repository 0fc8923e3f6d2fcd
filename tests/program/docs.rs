//! Tests of the commands in README and docs: check the paths to which the commands write, and
//! compare the printed text with the blocks below the commands. `LAVOXEL_DOCS=write` writes the
//! current output into the page.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::cli::place::lavoxel;

/// Flags that name an output file.
const OUTPUTS: [&str; 11] = [
    "--animation",
    "--checkpoint",
    "--exr",
    "--frames",
    "--map",
    "--mesh",
    "--npz",
    "--out",
    "--picture",
    "--save",
    "--volume",
];

/// Returns the root folder of the project.
fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn files_that_pages_name_are_there() {
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let quoted = text.split('`').skip(1).step_by(2);
        let inside = |name: &&str| {
            ["crates/", "src/", "tests/", "examples/"]
                .iter()
                .any(|room| name.starts_with(room))
        };
        for name in quoted
            .filter(inside)
            .filter(|name| !name.contains(char::is_whitespace))
        {
            assert!(
                project().join(name).exists(),
                "{} names {name}",
                page.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen} names");
}

/// Targets of the links of a page, without those in code.
fn links(text: &str) -> Vec<String> {
    let code = text.split("```").step_by(2).collect::<String>();
    let plain = code.split('`').step_by(2).collect::<String>();
    let targets = plain.split("](").skip(1);
    targets
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .collect()
}

/// Names by which links lead to the headings of a page, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let code = text.split("```").step_by(2).collect::<String>();
    let headings = code.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_of_pages_lead_to_files_and_headings() {
    let history = project().join("docs/history");
    let history = fs::read_dir(history)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let papers = [
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "BENCHMARKS.md",
        "SECURITY.md",
    ];
    let papers = papers.map(|name| project().join(name));
    let mut seen = 0;
    for page in pages().into_iter().chain(history).chain(papers) {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text).iter().filter(|link| !link.starts_with("http")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let says = format!("{}: {link}", page.display());
            assert!(target.exists(), "{says}");
            if !heading.is_empty() {
                let found = anchors(&fs::read_to_string(&target).unwrap());
                assert!(found.contains(heading), "{says}");
            }
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} links");
}

#[test]
fn a_long_page_lists_its_sections_at_its_head() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let lines = text.lines().count();
        let is_listed = page.parent() == Some(&project().join("docs")) && lines > 150;
        // The list of small scenes is a table of links to whole scenes.
        let most = if page.ends_with("small-scenes.md") {
            600
        } else {
            250
        };
        assert!(lines <= most, "{} has {lines} lines", page.display());
        let code = text.split("```").step_by(2).collect::<String>();
        let (head, _) = code.split_once("\n## ").unwrap_or((&code, ""));
        let head = links(head);
        let sections = code.lines().filter(|line| line.starts_with("## "));
        for section in sections.filter(|_| is_listed) {
            let anchor = anchors(section).pop_first().unwrap();
            let says = format!("{} does not list {section}", page.display());
            assert!(head.contains(&format!("#{anchor}")), "{says}");
        }
    }
}

/// Compares the layers of the workspace's crates with docs/architecture.md; `UPDATE_DOCS=1` writes
/// them there.
#[test]
fn architecture_draws_the_crates_of_the_workspace() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    let metadata = cargo.current_dir(project()).output().unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let mut needs = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let of = |package: &Value| package["name"].as_str().unwrap().to_owned();
        let own = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|need| need["kind"].is_null())
            .map(of);
        let own: BTreeSet<_> = own.filter(|name| name.starts_with("lavoxel")).collect();
        needs.insert(
            of(package),
            (
                own,
                package["description"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            ),
        );
    }
    needs.remove("lavoxel-python");
    let drawn = drawing(&needs);
    let page = project().join("docs/architecture.md");
    let text = fs::read_to_string(&page).unwrap();
    let (start, rest) = text.split_once("<!-- crates -->\n").unwrap();
    let (old, end) = rest.split_once("<!-- /crates -->").unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(
            &page,
            format!("{start}<!-- crates -->\n{drawn}<!-- /crates -->{end}"),
        )
        .unwrap();
    } else {
        assert_eq!(
            old, drawn,
            "UPDATE_DOCS=1 cargo test --test program architecture"
        );
    }
}

type Needs = BTreeMap<String, (BTreeSet<String>, String)>;

/// Returns a Markdown table of the crates, highest layer first: crate, description, and direct
/// dependencies except those that another dependency implies.
fn drawing(needs: &Needs) -> String {
    fn floor(needs: &Needs, name: &str) -> usize {
        needs[name]
            .0
            .iter()
            .map(|need| floor(needs, need) + 1)
            .max()
            .unwrap_or(0)
    }
    fn reaches(needs: &Needs, from: &str, to: &str) -> bool {
        needs[from]
            .0
            .iter()
            .any(|need| need == to || reaches(needs, need, to))
    }
    let mut rows: Vec<_> = needs
        .keys()
        .map(|name| (std::cmp::Reverse(floor(needs, name)), name))
        .collect();
    rows.sort();
    let mut drawn = "\n| floor | crate | what it is | stands on |\n|---|---|---|---|\n".to_owned();
    for (std::cmp::Reverse(floor), name) in rows {
        let (own, what) = &needs[name];
        let near = own
            .iter()
            .filter(|need| !own.iter().any(|other| reaches(needs, other, need)));
        let short = |name: &String| name.trim_start_matches("lavoxel-").to_owned();
        let near: Vec<_> = near.map(short).collect();
        writeln!(
            drawn,
            "| {floor} | `{}` | {what} | {} |",
            short(name),
            near.join(", ")
        )
        .unwrap();
    }
    drawn + "\n"
}

/// Returns the paths of README and of the pages of docs.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(project().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut pages: Vec<_> = docs.chain([project().join("README.md")]).collect();
    pages.sort();
    pages
}

/// Returns the fenced blocks of a page, in order: the info string of the fence, and the lines.
fn blocks(page: &Path) -> Vec<(String, Vec<String>)> {
    let (mut blocks, mut open) = (Vec::new(), None);
    for line in fs::read_to_string(page).unwrap().lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(word), None) => open = Some((word.to_owned(), Vec::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    blocks
}

/// Returns the commands of a page that a reader would paste into a shell.
fn commands(page: &Path) -> Vec<String> {
    let pasted = blocks(page)
        .into_iter()
        .filter(|(word, _)| word == "sh")
        .flat_map(|(_, lines)| lines);
    pasted.filter(|line| line.starts_with("lavoxel ")).collect()
}

#[test]
fn commands_write_into_one_folder_and_run_a_second_time() {
    let mut seen = 0;
    for page in pages() {
        for command in commands(&page) {
            let words: Vec<_> = command.split(' ').collect();
            for pair in words.windows(2).filter(|pair| OUTPUTS.contains(&pair[0])) {
                let file = pair[1].rsplit('=').next().unwrap();
                assert!(
                    file.starts_with("lavoxel-out/"),
                    "{}: {command}",
                    page.display()
                );
                // A second run of `lavoxel hazard` or `calibrate` keeps existing runs.
                let keeps = ["hazard", "calibrate"].contains(&words[1]);
                assert!(
                    words.contains(&"--force") || keeps,
                    "{}: {command}",
                    page.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} outputs");
}

#[test]
fn the_tutorial_prints_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("terrains")).unwrap();
    for name in ["maunga_whau.asc", "maunga_whau.prj", "hazard_vents.geojson"] {
        fs::copy(
            project().join("terrains").join(name),
            folder.path().join("terrains").join(name),
        )
        .unwrap();
    }
    let page = project().join("docs/tutorial.md");
    let mut text = fs::read_to_string(&page).unwrap();
    let renew = std::env::var("LAVOXEL_DOCS").is_ok_and(|what| what == "write");
    let (mut printed, mut compared) = (String::new(), 0);
    for (word, lines) in blocks(&page) {
        match word.as_str() {
            "sh" => {
                for line in lines.iter().filter(|line| line.starts_with("lavoxel ")) {
                    let run = lavoxel()
                        .current_dir(folder.path())
                        .args(line.split(' ').skip(1))
                        .output()
                        .unwrap();
                    let said = String::from_utf8_lossy(&run.stderr);
                    assert!(run.status.success(), "{line}\n{said}");
                    printed = String::from_utf8(run.stdout).unwrap();
                }
            }
            "text" if renew => {
                let passing = |line: &str| {
                    ["per step ", "state "]
                        .iter()
                        .any(|start| line.starts_with(start))
                        || line.contains(" of computing")
                };
                let printed: Vec<_> = printed.lines().filter(|line| !passing(line)).collect();
                text = text.replace(&lines.join("\n"), &printed.join("\n"));
                compared += 1;
            }
            "text" => {
                let wanted: Vec<_> = lines.iter().map(|line| machine_free(line)).collect();
                let found: Vec<_> = printed
                    .lines()
                    .map(machine_free)
                    .filter(|line| wanted.contains(line))
                    .collect();
                assert_eq!(found, wanted, "the program printed\n{printed}");
                compared += 1;
            }
            _ => {}
        }
    }
    assert_eq!(compared, 5, "blocks of output");
    if renew {
        fs::write(&page, text).unwrap();
    }
}

/// Returns a line without the number of threads, which differs from machine to machine.
fn machine_free(line: &str) -> String {
    let Some(start) = line
        .find(" threads")
        .filter(|_| line.contains(" steps on "))
    else {
        return line.to_owned();
    };
    let digits = line[..start].rfind(' ').unwrap_or(0);
    format!("{}{}", &line[..digits], &line[start..])
}
