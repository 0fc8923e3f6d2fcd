//! Report of a hazard map, as text and as serialisable data.

use std::time::Duration;

use super::crest::CrestSummary;
use super::weights::FEW;
use super::{Drawing, Ending, Plan, RunRow, Size};
use crate::study::PlanFile;
use lavoxel_base::words;
use lavoxel_scene::scene::Seconds;
use serde::Serialize;

/// Probabilities of inundation; for each, the report prints the area that is inundated with at
/// least this probability.
const SHARES: [f64; 3] = [0.1, 0.5, 0.9];

/// Results of a hazard map; serialisable, and printable as [text](Report::text).
#[derive(Debug, Serialize)]
pub struct Report {
    scene: String,
    seed: u64,
    /// Number of runs that the hazard maps summarise.
    runs: usize,
    /// Number of planned runs that have no file yet.
    missing: u64,
    /// Number of runs that were simulated by the command that wrote this report.
    made: usize,
    vents: String,
    rates_m3_s: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    volumes_m3: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    durations_s: Option<String>,
    above_m: f64,
    /// Area in m² that at least one run inundates.
    area_m2: f64,
    area_of_probability: Vec<AreaOf>,
    /// Effective number of runs; `None` without observed outlines.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_runs: Option<f64>,
    /// Number of the run that fits the observed outlines best, and its mean fit (0 to 1); `None`
    /// without observed outlines.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_run: Option<BestRun>,
    mean_area_m2: f64,
    mean_volume_m3: f64,
    longest_reach_m: f64,
    /// Number of runs that ended at their time limit while the flow still advanced.
    cut_short: usize,
    /// Number of runs that lost lava through the sides of the simulation box.
    left_the_box: usize,
    /// Number of runs whose vent could not erupt its whole volume for lack of room below the top of
    /// the simulation box.
    blocked: usize,
    /// Numbers of the runs whose volume or heat account has an imbalance.
    inexact: Vec<u64>,
    /// Sum of the wall-clock times of all runs, in seconds.
    computing_s: f64,
    /// Wall-clock time of the command that wrote this report, in seconds.
    elapsed_s: f64,
    /// Summary lines about exposed assets, one per exposure file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exposure: Vec<String>,
    /// Heights of a dam along the barriers; `None` if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crest: Option<CrestSummary>,
    /// Assumptions made while the files of the scene were read, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip)]
    size: String,
}

#[derive(Debug, Serialize)]
struct AreaOf {
    probability: f64,
    area_m2: f64,
}

/// Run that fits the observed outlines best.
#[derive(Debug, Serialize)]
struct BestRun {
    run: u64,
    outlines: usize,
    /// Mean of the fits to all outlines, 0 to 1.
    fit: f64,
}

impl BestRun {
    fn of(rows: &[RunRow]) -> Option<Self> {
        let best = rows
            .iter()
            .filter(|row| !row.fits.is_empty())
            .max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        Some(Self {
            run: best.sample.run,
            outlines: best.fits.len(),
            fit: best.fits.iter().sum::<f64>() / best.fits.len() as f64,
        })
    }
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        file: &PlanFile,
        drawing: &Drawing<'_>,
        made: usize,
        elapsed: Duration,
    ) -> Self {
        let (summary, site) = (drawing.summary, &drawing.ground.site);
        let rows = &summary.rows;
        let best_run = BestRun::of(rows);
        let count = |is_so: &dyn Fn(&RunRow) -> bool| rows.iter().filter(|row| is_so(row)).count();
        let area = |columns: usize| columns as f64 * site.cell_size_m * site.cell_size_m;
        let drawn: String = plan
            .draws
            .iter()
            .map(|(key, law)| format!(", {key} {law}"))
            .collect();
        let error = drawing
            .ground
            .height_error_m()
            .map_or(String::new(), |metres| {
                format!(", heights within ±{metres} m")
            });
        // Only the quantity with a law is reported; the other follows from the rate of each run.
        let (volumes_m3, durations_s, size) = match &plan.size {
            Size::Volume(law) => (Some(law.to_string()), None, format!("volume {law} m³")),
            Size::Duration(law) => (None, Some(law.to_string()), format!("duration {law} s")),
        };
        Self {
            scene: drawing.scene.to_owned(),
            seed: plan.seed,
            runs: rows.len(),
            missing: plan.runs - rows.len() as u64,
            made,
            vents: file.vents.clone(),
            rates_m3_s: plan.rates.to_string(),
            volumes_m3,
            durations_s,
            above_m: drawing.reduction.above_m,
            area_m2: area(summary.columns_from(0.0)),
            area_of_probability: SHARES
                .map(|probability| AreaOf {
                    probability,
                    area_m2: area(summary.columns_from(probability)),
                })
                .into(),
            effective_runs: best_run.is_some().then(|| summary.effective_runs()),
            best_run,
            mean_area_m2: summary.mean(|row| row.area_m2),
            mean_volume_m3: summary.mean(|row| row.outcome.poured_m3),
            longest_reach_m: rows.iter().map(|row| row.reach_m).fold(0.0, f64::max),
            cut_short: count(&|row| row.outcome.ending == Ending::Limit),
            left_the_box: count(&|row| row.outcome.out_m3 > 0.0),
            blocked: count(&|row| row.outcome.blocked_m3 > 0.0),
            inexact: rows
                .iter()
                .filter(|row| row.outcome.fault.is_some())
                .map(|row| row.sample.run)
                .collect(),
            computing_s: rows.iter().map(|row| row.outcome.seconds).sum(),
            elapsed_s: elapsed.as_secs_f64(),
            exposure: Vec::new(),
            crest: None,
            notes: drawing.ground.notes.clone(),
            size: size + &drawn + &error,
        }
    }

    /// Returns this report with the lines `exposure` added, one summary line per exposure file.
    pub(super) fn with_exposure(self, exposure: Vec<String>) -> Self {
        Self { exposure, ..self }
    }

    /// Formats the report of the hazard study as text with aligned columns.
    pub fn text(&self) -> String {
        let shares = self.area_of_probability.iter();
        let shares = shares.map(|of| {
            format!(
                "{} with {} % or more",
                words::area(of.area_m2),
                100.0 * of.probability
            )
        });
        let mut lines = vec![
            format!("scene       {}, seed {}", self.scene, self.seed),
            format!("vents       {}", self.vents),
            format!("laws        rate {} m³/s, {}", self.rates_m3_s, self.size),
            format!(
                "runs        {}{}, {} of them now; {} at rest, {} cut short, {} left the box",
                self.runs,
                if self.missing > 0 {
                    format!(" of {} planned", self.planned())
                } else {
                    String::new()
                },
                self.made,
                self.runs - self.cut_short,
                self.cut_short,
                self.left_the_box
            ),
            format!(
                "each        {} poured and {} inundated on average, {:.0} m from the vent at most",
                words::volume(self.mean_volume_m3),
                words::area(self.mean_area_m2),
                self.longest_reach_m
            ),
            format!(
                "inundated   {} by any run (more than {} m); {}",
                words::area(self.area_m2),
                self.above_m,
                shares.collect::<Vec<_>>().join(", ")
            ),
            format!(
                "time        {} of computing, {} for this command",
                spent(self.computing_s),
                spent(self.elapsed_s)
            ),
        ];
        // The line with the times stays the last.
        let before_time = lines.len() - 1;
        let observed = self.best_run.iter().zip(self.effective_runs).map(|(best, effective)| {
            format!(
                "observed    runs weighted by their fit (outlines: {}), as many as {effective:.1} equal ones; run {} fits best: {:.2}",
                best.outlines, best.run, best.fit
            )
        });
        let exposed = self
            .exposure
            .iter()
            .map(|line| format!("exposure    {line}"));
        let crest = self
            .crest
            .iter()
            .map(|crest| format!("crest       {}", crest.line()));
        lines.splice(
            before_time..before_time,
            observed.chain(exposed).chain(crest),
        );
        lines.join("\n")
    }

    /// Returns the total number of runs of the plan, including runs without a file.
    fn planned(&self) -> u64 {
        self.runs as u64 + self.missing
    }

    /// Returns all warnings about the maps of the hazard study, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let missing = (self.missing > 0).then(|| {
            format!(
                "{} of {} runs of the plan are missing, and the maps are of the other {}: merge the folders of all parts, or \
                 make the missing runs by the same command without --merge and --reduce-only",
                words::grouped(self.missing),
                words::grouped(self.planned()),
                words::grouped(self.runs as u64)
            )
        });
        let of = |count: usize, what: &str| {
            (count > 0).then(|| format!("{count} of {} runs {what}", self.runs))
        };
        let few = self.effective_runs.filter(|effective| *effective < FEW);
        let few = few.map(|effective| {
            format!(
                "the maps rest on {effective:.1} of {} runs, by their fit to what was observed; make more runs, with laws nearer to \
                 this eruption, or pass a wider --kernel",
                self.runs
            )
        });
        let wall = self.crest.as_ref().and_then(CrestSummary::warning);
        let cut = of(
            self.cut_short,
            "still advanced when their time was up; allow more with --duration",
        );
        let blocked = of(
            self.blocked,
            "could not pour all under the top of the box; make the box higher (--grid)",
        );
        let left = of(
            self.left_the_box,
            "lost lava at the sides of the box; a larger part of the map would show where to",
        );
        let inexact = of(
            self.inexact.len(),
            "have accounts that are not exact; see runs.csv",
        );
        self.notes
            .iter()
            .cloned()
            .chain(
                [missing, few, wall, cut, blocked, left, inexact]
                    .into_iter()
                    .flatten(),
            )
            .collect()
    }
}

fn spent(seconds: f64) -> String {
    Seconds(words::rough(seconds)).to_string()
}
