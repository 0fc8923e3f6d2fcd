//! Rubble: lava that solidifies at the edge of a drop breaks off and comes to rest at the angle of
//! repose.
//!
//! Thin lava freezes in the column to which it flows. Without a limit, all thin lava that runs over
//! a margin solidifies in that same column, and margins grow to walls and pillars one column wide,
//! as high as the lava that they dam. Margins of real flows are heaps of their own rubble.
//!
//! So of the rock that solidifies on a floor under the sky, the part that is steeper than
//! [`REPOSE`] above a neighbour falls to the lowest neighbour, and further down from there. Where
//! the ground itself is steeper, rock up to the thickness of the neighbour's stays. Rock from
//! earlier steps never falls: the inner wall of a levee stands when its channel drains.

use std::collections::BTreeMap;

use crate::motion::plan::neighbours;
use crate::store::column::{Column, UNIT, heat_of};
use crate::{Flow, UNITS};

/// Steepest stable slope of rubble, tan 45°: margins of aa lava have slopes of 35° to 45°.
pub(crate) const REPOSE: f64 = 1.0;

/// Smallest excess height, in units of height (about a thousandth of a cell), from which rubble
/// falls.
const LEAST: i64 = UNIT >> 10;
/// Largest number of columns that rubble falls through in a step.
const FARTHEST: usize = 64;

/// Amounts, in units and by column number, of rock that solidified in this step on floors under the
/// sky and can still fall.
pub(crate) type Loose = BTreeMap<u32, i64>;

/// Move of `units` units of rock from column `from` to the neighbouring column `to` (numbers).
struct Fall {
    from: u32,
    to: u32,
    units: i64,
}

impl Flow {
    /// Moves the rock `loose` (amounts by column), which solidified in this step, downhill until
    /// its slope is stable. The runs of the columns with loose rock must be up to date.
    pub(crate) fn crumble(&mut self, mut loose: Loose) {
        for _ in 0..FARTHEST {
            self.reach(loose.keys().copied());
            let falls: Vec<Fall> = loose
                .iter()
                .flat_map(|(&c, &units)| self.talus_outflow(c, units))
                .collect();
            if falls.is_empty() {
                return;
            }
            self.reach(falls.iter().map(|fall| fall.to));
            let mut gains = Loose::new();
            for &Fall { from, to, units } in &falls {
                *gains.entry(from).or_default() -= units;
                *gains.entry(to).or_default() += units;
            }
            for (&c, &units) in &gains {
                self.gain_rock(c, units);
                *loose.entry(c).or_default() += units;
            }
            loose.retain(|_, units| *units > 0);
            self.changed_area.extend(gains.keys().copied());
            self.reshape(gains.keys().copied());
        }
    }

    /// Adds `units` units of rock to the floor of the uppermost gap of column `c`, or removes rock
    /// if `units` is negative; updates the column's solidified amount.
    fn gain_rock(&mut self, c: u32, units: i64) {
        let now_s = self.time_s();
        let (column, mark) = (&mut self.columns[c as usize], &mut self.marks[c as usize]);
        mark.set += units;
        if units > 0 {
            mark.note_arrival(now_s);
            column.heap(units);
        } else {
            column.shed(-units);
        }
    }

    /// Iterator over the moves of rock away from column `c`, of which at most `loose` units may
    /// move: half of the excess height above the neighbour with the largest excess; neighbours with
    /// equal excess get equal shares.
    fn talus_outflow(&self, c: u32, loose: i64) -> impl Iterator<Item = Fall> {
        let (from, here) = (c as usize, self.leans[c as usize].floor);
        let beyond = |n: usize| {
            let slope = self.ground.at(from) - self.ground.at(n);
            here - self.leans[n].head - slope.max(self.tables.repose)
        };
        let near = neighbours(self.space, from).map(|near| near.map(|n| (n, beyond(n))));
        let most = near
            .iter()
            .flatten()
            .map(|&(_, beyond)| beyond)
            .max()
            .unwrap_or(0);
        let lowest = move |&(_, beyond): &(usize, i64)| beyond == most && most > LEAST;
        let count = near.iter().flatten().filter(|n| lowest(n)).count() as i64;
        let falls = near.into_iter().flatten().filter(lowest);
        falls.map(move |(to, _)| Fall {
            from: c,
            to: to as u32,
            units: (loose / count).min((most + count) / (count + 1)),
        })
    }
}

impl Column {
    /// Amount of rock, in units, that the floor of the uppermost gap gains when the cells with the
    /// indices `levels` (ascending) solidify; 0 if any of these cells becomes a roof.
    pub(crate) fn loose(&self, levels: impl Iterator<Item = i32>) -> i64 {
        let Some(run) = self.runs.last() else {
            return 0;
        };
        let mut units = 0;
        for (floor, level) in (run.first..).zip(levels.filter(|&level| level >= run.first)) {
            if level > floor {
                // A gap below the cell: the cell solidifies as a roof.
                return 0;
            }
            let cell = self.cell(level);
            units += i64::from(cell.amount.min(UNITS - cell.rock));
        }
        units
    }

    /// Removes `units` units of rock from the floor of the uppermost gap, from the top down.
    fn shed(&mut self, mut units: i64) {
        let Some(first) = self.runs.last().map(|run| run.first) else {
            return;
        };
        for level in (self.base..=first).rev() {
            let cell = self.cell_mut(level);
            let part = units.min(i64::from(cell.rock));
            cell.rock -= part as i32;
            units -= part;
            if units == 0 {
                return;
            }
        }
    }

    /// Adds `units` units of rock to the floor of the uppermost gap; liquid in the cells is
    /// displaced upwards.
    fn heap(&mut self, mut units: i64) {
        let Some(first) = self.runs.last().map(|run| run.first) else {
            return;
        };
        for level in first.. {
            let mut cell = *self.cell_mut(level);
            let part = units.min(i64::from(UNITS - cell.rock));
            cell.rock += part as i32;
            units -= part;
            let excess = cell.amount - (UNITS - cell.rock);
            if excess > 0 {
                let heat = if excess == cell.amount {
                    cell.heat
                } else {
                    heat_of(excess, cell)
                };
                (cell.amount, cell.heat) = (cell.amount - excess, cell.heat - heat);
                let above = self.cell_mut(level + 1);
                (above.amount, above.heat) = (above.amount + excess, above.heat + heat);
            }
            *self.cell_mut(level) = cell;
            if units == 0 && excess <= 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cooling, FlowBox, FlowCell, FlowPour, FlowSetup, HEAT_UNITS, Lava, Viscosity,
        covered_above_m,
    };

    /// Flow after 20 hours of a vent of 20 litres a second, hardly warmer than the solidus, on
    /// ground of height `ground(x, z)` in metres.
    fn lukewarm_spring(ground: impl Fn(usize, usize) -> f64) -> Flow {
        let (nx, vent) = (17, 8 * 17 + 8);
        let space = FlowBox {
            nx,
            ny: 60,
            nz: 17,
            dx_m: 5.0,
            dz_m: 0.5,
        };
        let lava = Lava {
            viscosity: Viscosity::Etna {
                water: 0.02,
                crystals: 60.0,
            },
            yield_pa: 0.0,
            yield_factor: 1.0,
            cooling: Cooling::Skin {
                tear_m: 2200.0,
                exposed: 0.6,
            },
            ..Lava::default()
        };
        let setup = FlowSetup {
            lava,
            step_s: 60.0,
            open_sides: false,
            seed: 1,
            heaters: Vec::new(),
        };
        let ground: Vec<f64> = (0..space.columns())
            .map(|c| ground(c % nx, c / nx))
            .collect();
        let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
        for minute in 0..1200 {
            let [before_m3, after_m3] = [minute, minute + 1].map(|n| f64::from(n) * 1.2);
            flow.step(&[FlowPour {
                column: vent,
                level: None,
                before_m3,
                after_m3,
                temperature_k: 1160.0,
            }]);
        }
        flow.check().expect("exact");
        flow
    }

    /// Largest drop in metres of the surface from a column of solidified lava to a neighbour, minus
    /// the drop that rubble at rest or the slope of the ground allows.
    fn steepest_m(flow: &Flow) -> f64 {
        let space = flow.space();
        let columns =
            (0..space.columns()).filter(|&c| flow.has_set(c) && !flow.columns[c].is_wet());
        let steps = columns.flat_map(|c| {
            let near = neighbours(space, c).into_iter().flatten();
            near.map(move |n| {
                let [here, there] = [c, n].map(|c| flow.column(c));
                let slope = (here.ground_m - there.ground_m).max(REPOSE * space.dx_m);
                here.surface_m - there.surface_m - slope
            })
        });
        steps.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn what_sets_stands_no_steeper_than_rubble() {
        let grounds: [fn(usize, usize) -> f64; 3] = [
            // A ledge above a cliff.
            |x, _| if x > 9 { 2.3 } else { 12.4 },
            // A trench.
            |_, z| if z == 8 { 2.3 } else { 7.1 },
            // A table.
            |x, z| {
                if x.abs_diff(8) < 2 && z.abs_diff(8) < 2 {
                    8.3
                } else {
                    2.3
                }
            },
        ];
        for (i, ground) in grounds.into_iter().enumerate() {
            let flow = lukewarm_spring(ground);
            let steepest_m = steepest_m(&flow);
            // Lower bound: rubble piles up to the repose. Upper bound: pieces below `LEAST` do not
            // fall.
            assert!(
                (-0.5..0.01).contains(&steepest_m),
                "ground {i}: {steepest_m} m too steep"
            );
            let set: i64 = flow.marks.iter().map(|(_, mark)| mark.set).sum();
            assert_eq!(set, flow.account.set, "what falls is counted where it lies");
        }
    }

    #[test]
    fn thickness_and_arrival_cover_the_same_columns() {
        for ground in [
            |x: usize, _: usize| if x > 9 { 2.3 } else { 12.4 },
            |x: usize, z: usize| 12.4 - 0.4 * (x.abs_diff(8) + z.abs_diff(8)) as f64,
        ] {
            let flow = lukewarm_spring(ground);
            let least_m = covered_above_m(flow.space().dz_m);
            let (mut covered, mut dry) = (0, 0);
            for c in 0..flow.space().columns() {
                let (thick_m, column) = (flow.thickness_m(c), flow.column(c));
                assert_eq!(thick_m, column.liquid_m + column.set_m, "column {c}");
                let has_come = column.arrival_s.is_some();
                assert!(
                    has_come || thick_m < least_m,
                    "column {c}: {thick_m} m without a time of arrival"
                );
                assert!(
                    !has_come || thick_m > 0.0,
                    "column {c}: an arrival without lava"
                );
                covered += usize::from(thick_m >= least_m);
                dry += usize::from(column.max_speed_m_s == 0.0 && thick_m >= least_m);
            }
            assert!(
                covered > 10 && dry > 0,
                "{covered} covered, {dry} of them by rubble alone"
            );
        }
    }

    #[test]
    fn a_pillar_falls_to_all_sides_alike() {
        let space = FlowBox {
            nx: 9,
            ny: 40,
            nz: 9,
            dx_m: 5.0,
            dz_m: 0.5,
        };
        let setup = FlowSetup {
            lava: Lava::default(),
            step_s: 60.0,
            open_sides: false,
            seed: 1,
            heaters: Vec::new(),
        };
        let mut flow = Flow::new(space, setup, &[2.3; 81]).expect("numbers in range");
        let (c, units) = (40_u32, 30 * UNIT + 1);
        flow.step(&[]);
        flow.reach([c]);
        flow.columns[c as usize].heap(units);
        flow.reshape(std::iter::once(c));
        flow.crumble(Loose::from([(c, units)]));
        let set = |x: usize, z: usize| flow.column(z * 9 + x).surface_m;
        for (x, z) in (0..9).flat_map(|z| (0..9).map(move |x| (x, z))) {
            assert_eq!(set(x, z).to_bits(), set(8 - x, z).to_bits(), "{x} {z}");
            assert_eq!(set(x, z).to_bits(), set(z, x).to_bits(), "{x} {z}");
        }
        assert!(
            set(4, 4) < 2.3 + 15.0 && set(4, 3) > 2.3,
            "{} {}",
            set(4, 4),
            set(4, 3)
        );
    }

    #[test]
    fn rubble_lifts_the_liquid_on_which_it_falls() {
        let cell = |rock: f64, amount: f64| {
            let [rock, amount] = [rock, amount].map(|share| (share * f64::from(UNITS)) as i32);
            FlowCell {
                rock,
                amount,
                heat: i64::from(amount) * 1200 * HEAT_UNITS,
            }
        };
        for liquid in [0.0, 0.3, 0.7] {
            let mut column = Column::of_ground(3 * UNIT + UNIT / 4);
            column.cells = [cell(0.25, 0.75), cell(0.0, liquid)].into_iter().collect();
            column.find_gaps();
            let (amount, heat) = (column.amount(), column.heat());
            for units in [UNIT / 3, 5 * UNIT / 2, 17] {
                column.heap(units);
                column.find_gaps();
                column.settle();
                assert_eq!(
                    (column.amount(), column.heat(), column.fault()),
                    (amount, heat, None),
                    "{liquid} {units}"
                );
            }
            let floor = column.runs.last().expect("open").floor;
            assert_eq!(floor, 3 * UNIT + UNIT / 4 + UNIT / 3 + 5 * UNIT / 2 + 17);
            column.shed(2 * UNIT);
            column.find_gaps();
            column.settle();
            assert_eq!(
                column.runs.last().map(|run| run.floor),
                Some(floor - 2 * UNIT)
            );
            assert_eq!(
                (column.amount(), column.heat(), column.fault()),
                (amount, heat, None),
                "{liquid}"
            );
        }
    }
}
