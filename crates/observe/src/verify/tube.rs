//! Verification of levees, crust and lava tubes: lava that cools in a valley.

use super::{Measured, MeasuredRow, curve, flow, flow_box, steady};
use lavoxel_base::parallel::*;
use lavoxel_flow::{Cooling, Flow, FlowCell, Lava, UNITS, Viscosity};

const DAY_S: f64 = 86_400.0;

/// Distance from the axis of the valley to its rim, in cells.
const HALF_WIDTH: f64 = 5.0;
/// Depth of the valley below its rim (m).
const DEPTH_M: f64 = 6.0;

/// Index of the vent's column along the valley, counted from the upper end.
const VENT: usize = 3;

/// Flow in a valley with a slope of 6° along its axis and a parabolic cross section.
struct Valley {
    flow: Flow,
    middle: usize,
}

impl Valley {
    fn new(nx: usize) -> Self {
        let space = flow_box([nx, 60 + 2 * nx, 31], [5.0, 0.5]);
        let lava = Lava {
            viscosity: Viscosity::Etna {
                water: 0.02,
                crystals: 60.0,
            },
            yield_pa: 0.0,
            yield_factor: 1.0,
            cooling: Cooling::Skin {
                tear_m: 1e5,
                exposed: 0.05,
            },
            conduction: 2.0,
            bed_conduction: 1.0,
            ..Lava::default()
        };
        let middle = space.nz / 2;
        let fall = libm::tan(6.0_f64.to_radians()) * space.dx_m;
        let ground = |x: usize, z: usize| {
            let away = z.abs_diff(middle) as f64 / HALF_WIDTH;
            1.0 + (nx - 1 - x) as f64 * fall + DEPTH_M * (away * away).min(1.0)
        };
        Self {
            flow: flow(space, lava, 30.0, true, ground),
            middle,
        }
    }

    /// Advances the flow until the simulated time `until_s` (s), with an effusion rate of `rate`
    /// m³/s.
    fn run(&mut self, until_s: f64, rate: f64) {
        let column = self.middle * self.flow.space().nx + VENT;
        while self.flow.time_s() < until_s {
            let pour = steady(&self.flow, column, rate, 1360.0);
            self.flow.step(if rate > 0.0 {
                std::slice::from_ref(&pour)
            } else {
                &[]
            });
        }
    }

    /// Returns the number of cross sections with lava, and the number of cross sections with
    /// levees: solidified lava at least one cell thick on both sides that rises above the liquid of
    /// the channel.
    fn levees(&self) -> (usize, usize) {
        let nx = self.flow.space().nx;
        let (mut sections, mut with_levees) = (0, 0);
        for x in VENT + 1..nx {
            let at = |z: usize| z * nx + x;
            let depth = |z: usize| self.flow.column(at(z)).liquid_m;
            let all = 0..self.flow.space().nz;
            let Some(channel) = all
                .clone()
                .filter(|&z| depth(z) > 0.0)
                .max_by(|a, b| depth(*a).total_cmp(&depth(*b)))
            else {
                continue;
            };
            let liquid = self.liquid_top(at(channel));
            let is_levee = |z: usize| {
                let column = self.flow.column(at(z));
                column.set_m >= self.flow.space().dz_m && column.surface_m > liquid
            };
            sections += 1;
            with_levees +=
                usize::from((0..channel).any(is_levee) && (channel + 1..all.end).any(is_levee));
        }
        (sections, with_levees)
    }

    /// Returns the height of the uppermost liquid in the column with the index `column`, in metres;
    /// 0 without liquid.
    fn liquid_top(&self, column: usize) -> f64 {
        let highest = self
            .cells(column)
            .filter(|(_, cell)| cell.amount > 0)
            .last();
        highest.map_or(0.0, |(y, cell)| {
            (y as f64 + f64::from(cell.rock + cell.amount) / f64::from(UNITS))
                * self.flow.space().dz_m
        })
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = (usize, FlowCell)> + '_ {
        let nx = self.flow.space().nx;
        self.flow
            .levels(column)
            .map(move |y| (y, self.flow.cell([column % nx, y, column / nx])))
    }

    /// Returns the number of columns with liquid under a roof of solidified lava.
    fn roofed(&self) -> usize {
        (0..self.flow.space().columns())
            .filter(|&c| self.flow.column(c).roofed)
            .count()
    }

    /// Returns the number of columns with a cavity, at least half a cell high, under a roof of
    /// rock.
    fn voids(&self) -> usize {
        let is_empty = |cell: &FlowCell| cell.amount == 0 && cell.rock <= UNITS / 2;
        let has_void = |&c: &usize| {
            let cells: Vec<_> = self.cells(c).map(|(_, cell)| cell).collect();
            cells
                .windows(2)
                .any(|pair| is_empty(&pair[0]) && pair[1].rock > 0)
        };
        (0..self.flow.space().columns()).filter(has_void).count()
    }
}

/// Effusion rates in m³/s of the simulations whose results are averaged. Single columns that
/// solidify a step earlier or later change where the roof closes, so that the result of one
/// simulation scatters too much.
const RATES: [f64; 3] = [1.0, 0.999, 1.001];

/// Number of points on a curve over time in the plot.
const TIMES: usize = 20;

/// Runs the full case: a valley of 450 m into which lava is poured at 1 m³/s for 2.3 days and which
/// then drains for 2.3 days.
pub(super) fn tube() -> Measured {
    let bounds = Bounds {
        levees: [0.5, 1.0],
        roofed: [15.0, 75.0],
        roofed_after: [75.0, 125.0],
        voids: [0.5, 27.0],
    };
    measured(90, 2.3 * DAY_S, 4.6 * DAY_S, &bounds)
}

/// Accepted range [lowest, highest] of each value in `Counts`.
struct Bounds {
    levees: [f64; 2],
    roofed: [f64; 2],
    roofed_after: [f64; 2],
    voids: [f64; 2],
}

/// Numbers of levees, roofs and empty tubes in one simulated valley.
struct Counts {
    valley: Valley,
    /// Fraction of the cross sections that have levees while the valley drains.
    levees: f64,
    /// Largest number of columns with liquid under a roof at any time of the curve while lava is
    /// poured.
    while_poured: f64,
    /// Number of columns with liquid under a roof at each time of the curve.
    roofed: [f64; TIMES],
    /// Number of columns with a cavity under a roof (an empty tube) at each time of the curve.
    voids: [f64; TIMES],
}

fn counted(nx: usize, rate: f64, poured_s: f64, end_s: f64) -> Counts {
    let mut valley = Valley::new(nx);
    let (mut levees, mut while_poured, mut roofed, mut voids) =
        (0.0, 0.0, [0.0; TIMES], [0.0; TIMES]);
    for i in 0..TIMES {
        let until = end_s * (i + 1) as f64 / TIMES as f64;
        valley.run(until.min(poured_s), rate);
        if until <= poured_s * (1.0 + 1e-9) {
            while_poured = (valley.roofed() as f64).max(while_poured);
        }
        valley.run(until, 0.0);
        if i == TIMES * 3 / 4 - 1 {
            // The sinking channel leaves the levees standing.
            let (sections, with_levees) = valley.levees();
            levees = with_levees as f64 / sections.max(1) as f64;
        }
        (roofed[i], voids[i]) = (valley.roofed() as f64, valley.voids() as f64);
    }
    Counts {
        valley,
        levees,
        while_poured,
        roofed,
        voids,
    }
}

fn measured(nx: usize, poured_s: f64, end_s: f64, bounds: &Bounds) -> Measured {
    let each = (0..RATES.len()).into_par_iter();
    let found: Vec<Counts> = each
        .map(|i| counted(nx, RATES[i], poured_s, end_s))
        .collect();
    let mean = |of: &dyn Fn(&Counts) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
    let most = |counts: &Counts| counts.roofed.into_iter().fold(0.0, f64::max);
    let rows = vec![
        MeasuredRow::between(
            "share of sections with levees while it drains",
            bounds.levees,
            mean(&|c| c.levees),
        ),
        MeasuredRow::between(
            "columns with liquid under a roof while it pours",
            bounds.roofed,
            mean(&|c| c.while_poured),
        ),
        MeasuredRow::between("the same after it stops", bounds.roofed_after, mean(&most)),
        MeasuredRow::between(
            "columns with an empty tube at the end",
            bounds.voids,
            mean(&|c| c.voids[TIMES - 1]),
        ),
    ];
    let axes = ["time in days", "columns with liquid under a roof"];
    let mut shown = curve("columns with an empty tube", axes, false);
    for i in 0..TIMES {
        let days = end_s * (i + 1) as f64 / TIMES as f64 / DAY_S;
        shown.push(days, mean(&|c| c.roofed[i]), mean(&|c| c.voids[i]));
    }
    let is_exact = |counts: &Counts| counts.valley.flow.check().is_ok();
    // The returned flow represents all valleys: one whose ledgers do not close, if any.
    let shown_by = found
        .iter()
        .position(|counts| !is_exact(counts))
        .unwrap_or(0);
    let flow = found
        .into_iter()
        .nth(shown_by)
        .expect("a valley")
        .valley
        .flow;
    Measured::new(rows, shown, flow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a small version of the case: a third of the valley and half of the time, too short for
    /// an empty tube.
    #[test]
    fn a_short_valley_has_levees_and_roofs_too() {
        let bounds = Bounds {
            levees: [0.3, 1.0],
            roofed: [4.0, 32.0],
            roofed_after: [3.0, 60.0],
            voids: [0.0, 6.0],
        };
        let found = measured(30, 1.15 * DAY_S, 2.3 * DAY_S, &bounds);
        assert_eq!(found.flow.check(), Ok(()));
        assert!(
            found.flow.account().set > 0
                && found.flow.account().heat_roof > 0
                && found.flow.account().heat_bed > 0
        );
        for row in &found.rows {
            assert!(row.is_within_tolerance(), "{row:?}");
        }
    }
}
