//! `lavoxel verify`: the benchmark suite of the physical model.

use std::path::PathBuf;

use clap::Args;
use lavoxel::flow::verify::{self, CASES, Case, Outcome as Found};
use lavoxel::output::{Existing, check_free};
use lavoxel::plot::{Axis, Page, Plot};

use super::{Outcome, classic, memory, say, stop};

const EXAMPLES: &str = "\
Examples:
  The cases that take a few seconds each:
      lavoxel verify --quick
  All cases, and a page of plots beside theory:
      lavoxel verify --picture verification.svg";

/// Compare the physical model with theory
///
/// Runs set-ups with a known answer, prints each number beside its reference and its tolerance, and fails where one is outside.
/// Volume and heat must be accounted for to the last unit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// Cases to run; all without it
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Run only the quick cases
    #[arg(long, conflicts_with = "names")]
    quick: bool,

    /// Print one JSON array
    #[arg(long)]
    json: bool,

    /// Draw a page of plots beside theory, with the classic rules in their own plot
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,

    /// Replace the picture if it is there
    #[arg(long, requires = "picture")]
    force: bool,

    /// In place of the flag of all commands: this one makes boxes of its own, of a few megabytes
    #[arg(long, hide = true)]
    max_memory: Option<memory::Size>,
}

impl VerifyArgs {
    fn cases(&self) -> anyhow::Result<Vec<&'static Case>> {
        if self.names.is_empty() {
            return Ok(CASES.iter().filter(|case| case.is_quick || !self.quick).collect());
        }
        let known = || CASES.iter().map(|case| case.name).collect::<Vec<_>>().join(", ");
        let case = |name: &String| {
            verify::case(name).ok_or_else(|| anyhow::anyhow!("{name}: no such case; there are {}", known()))
        };
        self.names.iter().map(case).collect()
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Runs `lavoxel verify`.
pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let limited = args.max_memory.is_some();
    anyhow::ensure!(!limited, "--max-memory: the boxes of lavoxel verify are small and have one size; leave it out");
    let cases = args.cases()?;
    if let Some(path) = &args.picture {
        let is_svg = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
        anyhow::ensure!(is_svg, "{}: the picture is written as .svg", path.display());
        check_free(path, args.existing())?;
    }
    let mut found = Vec::new();
    for case in cases {
        if stop::asked() {
            return Ok(Outcome::Stopped);
        }
        let outcome = case.run();
        if !args.json {
            say::data(&text(&outcome))?;
        }
        found.push(outcome);
    }
    if args.json {
        say::data(&serde_json::to_string_pretty(&found)?)?;
    }
    if let Some(path) = &args.picture {
        page(&found).write(path, args.existing())?;
    }
    let failed: Vec<&str> = found.iter().filter(|outcome| !outcome.holds()).map(|outcome| outcome.name).collect();
    if !args.json {
        say::data(&format!("{} of {} cases hold", found.len() - failed.len(), found.len()))?;
    }
    Ok(if failed.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// Least width of the labels.
const LABEL: usize = 42;

fn text(outcome: &Found) -> String {
    let verdict = if outcome.holds() { "holds" } else { "FAILS" };
    let mut lines = vec![format!("{}: {verdict}\n  {}", outcome.name, outcome.about)];
    // Columns of numbers stay below each other under the longest of the labels.
    let wide = outcome.rows.iter().map(|row| row.what.chars().count()).fold(LABEL, usize::max);
    for row in &outcome.rows {
        let mark = if row.holds() { ' ' } else { '!' };
        let (what, value, reference) = (&row.what, number(row.value), number(row.reference));
        lines.push(if row.is_least {
            format!("  {mark} {what:<wide$} {value:>13}  at least  {reference:>13}")
        } else {
            format!(
                "  {mark} {what:<wide$} {value:>13}  reference {reference:>13}  tolerance {:>11}",
                number(row.tolerance)
            )
        });
    }
    let exact = if outcome.is_exact { "exact" } else { "NOT exact" };
    lines.push(format!("    ledgers {exact}, held back {:.1e} of the fluxes", outcome.capped_share));
    lines.join("\n")
}

/// Five digits that count.
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

/// A plot for each case, and one of the classic rules.
fn page(found: &[Found]) -> Page {
    let mut page = Page::new("The physical model beside theory").columns(3);
    for outcome in found {
        let axis = || if outcome.curve.is_logarithmic { Axis::Log } else { Axis::Linear };
        let [x, y] = outcome.curve.axes.clone();
        page = page.plot(
            Plot::new(outcome.name)
                .axis_x(x, axis())
                .axis_y(y, axis())
                .points("model", outcome.curve.model.iter().copied())
                .points_of_theory(outcome.curve.reference, outcome.curve.theory.iter().copied()),
        );
    }
    let radii = classic::radii();
    let (first_step, first) = radii[0];
    page.plot(
        Plot::new("classic rules: radius of a fixed volume")
            .axis_x("steps", Axis::Log)
            .axis_y("radius in cells", Axis::Log)
            .points("classic rules", radii)
            .line_of_theory("t^⅛ of a viscous layer", move |step| first * (step / first_step).powf(0.125)),
    )
}
