//! Report of a flow of the physical model: volumes, extent and heat in physical units.

use lavoxel_base::words::{area, grouped, heat, length, rough, short, volume};
use lavoxel_flow::{Flow, HEAT_UNITS, UNITS, covered_above_m};
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::Seconds;
use lavoxel_sim::simulation::Simulation;
use serde::Serialize;

use super::account::Account;
use lavoxel_base::account::Side;

/// Fraction of all fluxes, reduced by the overshoot limiter, above which the report warns.
const MOST_CAPPED: f64 = 1e-3;

/// Mean width of a flow, in cells, below which the report warns, because its run-out depends on the
/// cell size (by 8 % in a valley with a flow of four to five cells).
const LEAST_ACROSS: f64 = 5.0;

/// Report of a flow of the physical model.
#[derive(Debug, Serialize)]
pub struct FlowReport {
    /// Simulated time of the flow from the start, in seconds.
    time_s: f64,
    step_s: f64,
    /// Duration of the last step in seconds; shorter than `step_s` if the run ended within the
    /// step.
    last_step_s: f64,
    cell_height_m: f64,
    /// Account of the volume of lava in m³: initial content, inflow, and where the lava is now.
    #[serde(flatten)]
    volume: Account,
    area_m2: f64,
    /// Thickness in metres above which a column counts as covered by lava: the default of
    /// `--footprint-above`.
    area_above_m: f64,
    /// Greatest straight-line distance in metres from the nearest vent to a column covered by lava.
    reach_m: f64,
    mean_thickness_m: f64,
    max_thickness_m: f64,
    /// Elevation in metres of the lowest ground covered by lava; `None` if no column is covered.
    lowest_m: Option<f64>,
    max_speed_m_s: f64,
    roofed_columns: usize,
    /// Account of the heat of the lava in joules.
    heat_j: Account,
    reynolds: Reynolds,
    /// Mean width of the area covered by lava, in cells; `None` if no column, or every column, is
    /// covered.
    cells_across: Option<f64>,
    #[serde(skip)]
    cell_size_m: f64,
    /// Fraction of all fluxes that the overshoot limiter reduced, 0 to 1.
    capped_share: f64,
    /// Largest difference in metres between the lava levels of two adjacent columns whose exchange
    /// of lava was deferred by a sub-step.
    put_off_m: f64,
    face_updates: u64,
    sub_steps: u64,
    exact: bool,
    #[serde(skip)]
    fault: Option<String>,
}

/// Largest Reynolds number ρ q/η that occurred in the run, with place and time.
#[derive(Debug, Serialize)]
struct Reynolds {
    max: f64,
    /// Distance in metres from the west side of the simulation box to the place of the largest
    /// Reynolds number.
    x_m: f64,
    /// Distance in metres from the north side of the simulation box to the place of the largest
    /// Reynolds number.
    z_m: f64,
    /// Simulated time in seconds at which the Reynolds number was largest.
    at_s: f64,
    /// Simulated time in seconds at which the Reynolds number first exceeded 1; `None` if it never
    /// did.
    above_1_since_s: Option<f64>,
}

impl Reynolds {
    fn from_flow(flow: &Flow) -> Self {
        let (watch, space) = (flow.watch(), flow.space());
        let column = watch.reynolds_column as usize;
        let middle = |number: usize| (number as f64 + 0.5) * space.dx_m;
        Self {
            max: watch.reynolds,
            x_m: middle(column % space.nx),
            z_m: middle(column / space.nx),
            at_s: watch.reynolds_at_s,
            above_1_since_s: watch.inertial_since_s,
        }
    }

    fn warning(&self) -> Option<String> {
        let since = self.above_1_since_s?;
        Some(format!(
            "Reynolds number up to {} at x = {} m, z = {} m after {}, above 1 since {}: inertia, which the model \
             leaves out, slows such a flow",
            short(self.max, 2),
            short(self.x_m, 2),
            short(self.z_m, 2),
            Seconds(self.at_s),
            Seconds(since)
        ))
    }
}

/// Returns the account of the flow's heat in joules, relative to 0 K.
fn heat_of(flow: &Flow) -> Account {
    // One heat unit is a kelvin in one amount unit of a cell.
    let kelvin_m3 = flow.space().cell_m3() / f64::from(UNITS) / HEAT_UNITS as f64;
    Account::of_flow(
        "",
        flow.account().heat(),
        kelvin_m3 * flow.setup().lava.heat_per_m3(),
    )
}

fn heat_line(account: &Account) -> String {
    let all = account.came();
    let share = |part: f64| if all > 0.0 { 100.0 * part / all } else { 0.0 };
    let came = account.parts(Side::Came, &[], |joules| {
        (joules > 0.0).then(|| heat(joules))
    });
    let came = if came.is_empty() {
        heat(0.0)
    } else {
        came.join(", ")
    };
    let mut went = vec![
        format!("{:.1} % liquid", share(account.now())),
        format!("{:.1} % solid", share(account.get("set"))),
    ];
    // Shares below 0.05 % would print as 0.0 %.
    let seldom = |joules| {
        Some(share(joules))
            .filter(|share| *share >= 0.05)
            .map(|share| format!("{share:.1} %"))
    };
    went.extend(account.parts(Side::Gone, &["set"], seldom));
    format!("heat        {came}; {}", went.join(", "))
}

/// Extent of the columns that a flow covers.
#[derive(Default)]
struct Extent {
    columns: usize,
    volume_m: f64,
    thickest_m: f64,
    reach_m: f64,
    lowest_m: Option<f64>,
    max_speed: f64,
    roofed: usize,
    /// Number of edges between a column that the flow covers and one that it does not cover.
    edges: usize,
}

impl Extent {
    /// Returns the mean width of the covered area in cells: 2 · area / perimeter, which is the
    /// width of a long band; `None` if the perimeter is 0.
    fn cells_across(&self) -> Option<f64> {
        (self.edges > 0).then(|| 2.0 * self.columns as f64 / self.edges as f64)
    }

    fn new(simulation: &Simulation, flow: &Flow, site: &Site) -> Self {
        let vents: Vec<_> = simulation.vents().map(|vent| (vent.x, vent.z)).collect();
        let mut extent = Self::default();
        let above_m = covered_above_m(flow.space().dz_m);
        let thickness = |number: usize| {
            let column = flow.column(number);
            column.liquid_m + column.set_m
        };
        let covered: Vec<bool> = (0..flow.space().columns())
            .map(|number| thickness(number) > above_m)
            .collect();
        let nx = flow.space().nx;
        let edges = |number: usize| {
            // Only the neighbours to the east and south are tested: each edge counts once.
            let beside = (number % nx + 1 < nx).then(|| covered[number + 1]);
            let below = covered.get(number + nx).copied();
            [beside, below]
                .into_iter()
                .flatten()
                .filter(|other| *other != covered[number])
                .count()
        };
        extent.edges = (0..covered.len()).map(edges).sum();
        for (number, &is_covered) in covered.iter().enumerate() {
            let column = flow.column(number);
            let thickness = column.liquid_m + column.set_m;
            extent.max_speed = extent.max_speed.max(column.max_speed_m_s);
            extent.roofed += usize::from(column.roofed);
            if !is_covered {
                continue;
            }
            let (x, z) = (
                (number % site.grid.nx) as f64 + 0.5,
                (number / site.grid.nx) as f64 + 0.5,
            );
            let way = vents
                .iter()
                .map(|(vx, vz)| (x - vx).hypot(z - vz))
                .fold(f64::INFINITY, f64::min);
            extent.columns += 1;
            extent.volume_m += thickness;
            extent.thickest_m = extent.thickest_m.max(thickness);
            extent.reach_m = if way.is_finite() {
                extent.reach_m.max(way * site.cell_size_m)
            } else {
                extent.reach_m
            };
            let ground = site.floor_m + column.ground_m;
            extent.lowest_m = Some(extent.lowest_m.map_or(ground, |lowest| ground.min(lowest)));
        }
        extent
    }
}

impl FlowReport {
    /// Returns the report of the flow in `simulation`; `None` if the simulation does not use the
    /// physical model.
    pub fn new(simulation: &Simulation, site: &Site) -> Option<Self> {
        let flow = simulation.world().flow()?;
        let account = flow.account();
        let extent = Extent::new(simulation, flow, site);
        // The check covers the whole flow, so it runs once for both fields.
        let fault = flow.check().err();
        Some(Self {
            time_s: flow.time_s(),
            step_s: flow.setup().step_s,
            last_step_s: flow.last_step_s(),
            cell_height_m: site.cell_height_m(),
            volume: Account::of_flow("_m3", account.amount(), flow.space().unit_m3()),
            area_m2: extent.columns as f64 * site.cell_size_m * site.cell_size_m,
            area_above_m: covered_above_m(flow.space().dz_m),
            reach_m: extent.reach_m,
            mean_thickness_m: extent.volume_m / extent.columns.max(1) as f64,
            max_thickness_m: extent.thickest_m,
            lowest_m: extent.lowest_m,
            max_speed_m_s: extent.max_speed,
            roofed_columns: extent.roofed,
            heat_j: heat_of(flow),
            reynolds: Reynolds::from_flow(flow),
            cells_across: extent.cells_across(),
            cell_size_m: site.cell_size_m,
            capped_share: account.capped_share(),
            put_off_m: flow.watch().put_off as f64 * site.cell_height_m() / f64::from(UNITS),
            face_updates: account.faces,
            sub_steps: account.sub_steps,
            exact: fault.is_none(),
            fault,
        })
    }

    /// Returns the extent of the flow as reports of the cellular automaton (classic model) state
    /// it.
    pub(super) fn extent(&self) -> super::Extent {
        let cells = |metres: f64| metres / self.cell_height_m;
        super::Extent {
            covered_columns: (self.area_m2 / (self.cell_size_m * self.cell_size_m)).round()
                as usize,
            covered_area_m2: self.area_m2,
            max_depth_cells: cells(self.max_thickness_m),
            max_depth_m: self.max_thickness_m,
            volume_m3: self.volume.now() + self.volume.get("set"),
        }
    }

    /// Returns the simulated time of the flow in seconds.
    pub(super) fn time_s(&self) -> f64 {
        self.time_s
    }

    /// Formats the volume of lava that the vents poured in total, with its unit.
    pub(super) fn poured(&self) -> String {
        volume(self.volume.get("poured"))
    }

    /// Formats the report of the physical lava flow as lines of text.
    pub fn lines(&self) -> Vec<String> {
        // Wax that melts where it stands has no vent and descends no mountain.
        let lowest = self
            .lowest_m
            .map(|lowest| format!(", down to {lowest:.0} m"))
            .unwrap_or_default();
        let reach = (self.reach_m > 0.0)
            .then(|| format!(", {} m from the vent{lowest}", short(self.reach_m, 2)));
        let reach = reach.unwrap_or_default();
        let roofed = (self.roofed_columns > 0)
            .then(|| format!("; {} columns roofed", grouped(self.roofed_columns as u64)));
        let capped = match self.capped_share {
            0.0 => "none of them capped".to_owned(),
            share => format!("{} % of them capped", rough(100.0 * share)),
        };
        let verdict = match &self.fault {
            None => "volume and heat exact".to_owned(),
            Some(fault) => format!("NOT EXACT: {fault}"),
        };
        let is_cut = self.last_step_s != self.step_s;
        let last = if is_cut {
            format!(", the last one of {} s", short(self.last_step_s, 4))
        } else {
            String::new()
        };
        let poured = volume(self.volume.get("poured"));
        let mut parts = vec![
            format!("{} liquid", volume(self.volume.now())),
            format!("{} set", volume(self.volume.get("set"))),
        ];
        let seldom = |m3: f64| (m3 > 0.0).then(|| volume(m3));
        parts.extend(self.volume.parts(Side::Gone, &["set"], seldom));
        parts.extend(self.volume.parts(Side::Came, &["poured"], seldom));
        vec![
            format!(
                "time        {} in steps of {} s{last}",
                Seconds(self.time_s),
                short(self.step_s, 4)
            ),
            format!("volume      {poured} poured: {}", parts.join(", ")),
            format!("extent      {}{reach}", area(self.area_m2)),
            format!(
                "thickness   {} on average, {} at most; up to {}/s{}",
                length(self.mean_thickness_m),
                length(self.max_thickness_m),
                length(self.max_speed_m_s),
                roofed.unwrap_or_default()
            ),
            heat_line(&self.heat_j),
            format!(
                "accounts    {verdict}; {} fluxes in {} sub-steps, {capped}",
                grouped(self.face_updates),
                grouped(self.sub_steps)
            ),
        ]
    }

    /// Returns warnings, one sentence each: about liquid that could not be poured or left the
    /// simulation box, and about places where an assumption of the model or of its sub-steps is
    /// violated.
    pub fn warnings(&self) -> Vec<String> {
        let all = self.volume.came();
        let blocked = || {
            let blocked = volume(self.volume.get("blocked"));
            format!("{blocked} found no room under the top of the box; make the box higher")
        };
        let out = || {
            let (out, share) = (
                volume(self.volume.get("out")),
                rough(100.0 * self.volume.get("out") / all),
            );
            format!(
                "{out}, {share} % of all, left by the sides of the box; take in more of the terrain"
            )
        };
        let capped = || {
            format!(
                "{:.1e} of the fluxes were held back: more flows than sub-steps can follow; make flow.step_s smaller or \
                 the cells larger",
                self.capped_share
            )
        };
        let narrow = |across: &f64| {
            format!(
                "unconverged: the flow is {} cells wide on average, and with fewer than {LEAST_ACROSS} run-out and area \
                 follow the cells; make cells {} m or smaller",
                short(*across, 1),
                rough(self.cell_size_m * across / LEAST_ACROSS)
            )
        };
        let lines = [
            // The texts are closures: only the texts of warnings that apply are formatted.
            (self.volume.get("blocked") > 0.0).then(blocked),
            (self.volume.get("out") > 0.0).then(out),
            self.reynolds.warning(),
            (self.capped_share > MOST_CAPPED).then(capped),
            self.cells_across
                .filter(|across| *across < LEAST_ACROSS)
                .as_ref()
                .map(narrow),
        ];
        lines.into_iter().flatten().collect()
    }
}
