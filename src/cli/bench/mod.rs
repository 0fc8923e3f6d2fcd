//! `lavoxel bench`: prints a table of the times that each stage takes on this machine, with those
//! of the paper, and compares tables of two commits.

mod compare;
mod measure;
mod saved;
mod table;
mod timed;
mod worlds;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use lavoxel::output::{Existing, check_free, protect};

use self::compare::Comparison;
use self::measure::{Easel, hash, lowpass, rules};
use self::table::{BenchRow, BenchTable, FORMAT, Paper};
use self::timed::Timed;
use self::worlds::{Case, PAPER_BOX, cases};
use crate::cli::flags::count;
use crate::cli::process::machine;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::{Outcome, start_threads};

/// Time every stage: simulation as in the paper, low-pass, pictures, opening a map
///
/// Times worlds of 128 × 100 × 128 cells: the volcano after 500 and 2,000 steps, a box whose lower
/// part is filled with random amounts, where every cell can move, lava that has come to rest, and
/// the volcano in a sea. Gravity and spreading are listed with the means of the paper. --save keeps
/// the table. --compare shows the same rows of a saved table, of another commit or machine: a
/// change is marked if each of the two medians lies outside of the range from p10 to p90 of the
/// other row.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Time N steps for each row
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: u64,

    /// Time N pictures and N other slow operations for each row
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pictures: u64,

    /// Time only STAGES
    #[arg(long, value_name = "STAGES", value_enum, value_delimiter = ',')]
    only: Vec<Timed>,

    /// Use N threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count::threads, allow_negative_numbers = true)]
    threads: Option<u64>,

    /// Write the table to FILE.json
    #[arg(long, value_name = "FILE.json")]
    save: Option<PathBuf>,

    /// Keep the note TEXT with the table, such as the commit
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    /// Compare each row with the row of a saved table
    #[arg(long, value_name = "FILE.json")]
    compare: Option<PathBuf>,

    /// Replace an existing file of --save
    #[arg(long, requires = "save")]
    force: bool,

    /// Print the table as one JSON object
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    fn asks_for(&self, work: Timed) -> bool {
        self.only.is_empty() || self.only.contains(&work)
    }
}

/// Runs `lavoxel bench`.
pub(super) fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    let old = args.compare.as_deref().map(saved::read).transpose()?;
    args.compare.iter().for_each(|path| protect(path));
    if let Some(path) = &args.save {
        check_free(path, Existing::by_force(args.force))?;
    }
    start_threads(args.threads.unwrap_or(0) as usize)?;
    stop::after_the_step();
    let Some(rows) = measured(args)? else {
        return Ok(Outcome::Stopped);
    };
    let table = BenchTable::new(args, rows);
    if let Some(path) = &args.save {
        saved::write(&table, path, Existing::by_force(args.force))?;
    }
    let comparison = old
        .zip(args.compare.as_deref())
        .map(|(old, path)| Comparison::new(&old, &table, path));
    messages::data(&match (args.json, &comparison) {
        (true, _) => compare::json(&table, comparison.as_ref())?,
        (false, Some(comparison)) => format!("{}\n\n{}", table.text(), comparison.text()),
        (false, None) => table.text(),
    })?;
    Ok(Outcome::Done)
}

/// Measures all rows of the timing table that the flags in `args` request; `None` if stopped by
/// Ctrl-C.
fn measured(args: &BenchArgs) -> anyhow::Result<Option<Vec<BenchRow>>> {
    let mut rows = Vec::new();
    let mut easel = Easel::default();
    // Worlds are built only if needed: opening a map uses none.
    let cases = if Timed::all().any(|work| work.is_of_worlds() && args.asks_for(work)) {
        cases()?
    } else {
        Vec::new()
    };
    for case in &cases {
        // Runs inside the thread pool: entering the pool for every step would take longer than some
        // steps.
        rows.push(rayon::scope(|_| row(case, args, &mut easel))?);
    }
    if args.asks_for(Timed::Open) {
        rows.extend(measure::open(args.pictures)?);
    }
    Ok(Some(rows).filter(|_| !stop::asked()))
}

/// Times the requested stages in the world of `case` and returns their times as a row of the table.
/// `easel`: renderer for the stages that draw pictures.
fn row(case: &Case, args: &BenchArgs, easel: &mut Easel) -> anyhow::Result<BenchRow> {
    let asks = |work| args.asks_for(work) && !stop::asked();
    let mut times = BTreeMap::new();
    if Timed::all().any(|work| matches!(work, Timed::Rule(_)) && asks(work)) {
        times.extend(rules(case, args.steps).filter(|&(work, _)| asks(work)));
    }
    if asks(Timed::Lowpass) {
        times.insert(Timed::Lowpass, lowpass(case, args.steps));
    }
    for work in [Timed::Cinematic, Timed::Scientific] {
        if let Some(style) = work.style().filter(|_| asks(work)) {
            times.insert(work, easel.pictures(case, style, args.pictures)?);
        }
    }
    if asks(Timed::Hash) {
        times.insert(Timed::Hash, hash(case, args.pictures));
    }
    let cells = case
        .world
        .layers()
        .iter()
        .map(|layer| layer.tally().cells)
        .sum();
    Ok(BenchRow::new(&case.name, times).with_liquid(cells))
}

impl BenchTable {
    fn new(args: &BenchArgs, rows: Vec<BenchRow>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            label: args.label.clone(),
            machine: machine::name(),
            threads: rayon::current_num_threads(),
            dims: [PAPER_BOX.nx, PAPER_BOX.ny, PAPER_BOX.nz],
            steps: args.steps,
            pictures: args.pictures,
            paper: Paper::default(),
            rows,
        }
    }
}
