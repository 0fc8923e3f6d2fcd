//! Lava that lies on the ground before the first step: placed at the temperature of its vent or
//! another temperature, then cooled in place for its age by the laws of crust and bed, like a flow
//! at rest.

use smallvec::SmallVec;

use super::cooling::heat::{BATCH, Cool, Losses};
use super::{Flow, FlowSetup, UNITS};

/// Length in seconds of the first step in which lava is cooled for its age.
const FIRST_S: f64 = 1.0;
/// Length of each further cooling step as a share of the age reached: a crust grows with the square
/// root of its age, so each such step thickens the crust by the same factor.
const PART: f64 = 0.1;

/// Lava that lies on one column before the first step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Number of the column, `z · nx + x`.
    pub column: u32,
    /// Thickness of the lava above the ground in metres.
    pub thickness_m: f64,
    /// Age of the lava in seconds: time between its arrival and the start of the simulation.
    pub age_s: f64,
}

impl Flow {
    /// Places each entry of `lava` at the temperature `temperature_k` (K) on its column, each
    /// column listed once, and cools the lava for its age. Call before the first step, and only for
    /// a lava that never melts again.
    pub fn stand(&mut self, lava: &[Standing], temperature_k: f64) {
        debug_assert!(
            self.solids.is_none() && self.steps == 0,
            "fresh lava that sets for good"
        );
        self.reach(lava.iter().map(|standing| standing.column));
        for standing in lava {
            let amount = standing.thickness_m / self.space.dz_m * f64::from(UNITS);
            self.heap(standing.column as usize, amount as i64, temperature_k);
            let mark = &mut self.marks[standing.column as usize];
            (mark.arrival_s, mark.warmed_s) = (-standing.age_s, -standing.age_s);
        }
        let mut columns: Vec<u32> = lava.iter().map(|standing| standing.column).collect();
        columns.sort_unstable();
        self.take_in(&columns);
        self.age(lava);
        self.take_in(&columns);
    }

    /// Adds `amount` units of liquid at `temperature_k` (K) to column `c`, filling its cells from
    /// the ground upwards; the excess above the top of the box is dropped.
    fn heap(&mut self, c: usize, amount: i64, temperature_k: f64) {
        let (mut left, mut level) = (amount, self.columns[c].base);
        while left > 0 && level < self.space.ny as i32 {
            let cell = self.columns[c].cell(level);
            let most = (UNITS - cell.rock)
                .max(0)
                .min(left.min(i64::from(UNITS)) as i32);
            self.top_up(c, level, cell.amount + most, temperature_k);
            left -= i64::from(self.columns[c].cell(level).amount - cell.amount);
            level += 1;
        }
    }

    /// Cools the lava on each column of `lava` for its `age_s`, and books the heat losses in the
    /// account.
    fn age(&mut self, lava: &[Standing]) {
        if !self.setup.lava.loses_heat() {
            return;
        }
        let wetted: Vec<f64> = lava
            .iter()
            .map(|standing| self.ground().wetted(standing.column as usize))
            .collect();
        let mut order: Vec<usize> = (0..lava.len()).filter(|i| lava[*i].age_s > 0.0).collect();
        order.sort_by(|a, b| lava[*a].age_s.total_cmp(&lava[*b].age_s));
        // Columns of one age share their steps, so they can be cooled in batches.
        let same_age = order.chunk_by(|a, b| lava[*a].age_s == lava[*b].age_s);
        let batches: Vec<&[usize]> = same_age.flat_map(|chunk| chunk.chunks(BATCH)).collect();
        let mut losses = Losses::default();
        for batch in batches {
            let age_s = lava[batch[0]].age_s;
            let mut time_s = 0.0;
            while time_s < age_s {
                let step_s = (PART * time_s).max(FIRST_S).min(age_s - time_s);
                time_s = if age_s - time_s <= step_s {
                    age_s
                } else {
                    time_s + step_s
                };
                let setup = FlowSetup {
                    step_s,
                    ..self.setup.clone()
                };
                let cool = Cool::new(self.space, &setup, &self.tables.crust, time_s - age_s);
                let of = |i: &usize| {
                    (
                        lava[*i].column as usize,
                        self.marks[lava[*i].column as usize],
                        wetted[*i],
                    )
                };
                let wet: SmallVec<[_; BATCH]> = batch.iter().map(of).collect();
                losses = losses.plus(cool.columns(&mut self.columns.view_mut(), wet.into_iter()));
            }
        }
        self.account.heat_sky += i128::from(losses.sky);
        self.account.heat_roof += i128::from(losses.roof);
        self.account.heat_bed += i128::from(losses.bed);
        self.account.heat_set += i128::from(losses.set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FlowBox, Lava};

    fn lava() -> Lava {
        Lava::preset("etna-basalt").expect("a preset")
    }

    fn plain(age_s: f64, thickness_m: f64, dz_m: f64) -> Flow {
        let space = FlowBox {
            nx: 7,
            ny: (40.0 / dz_m) as usize,
            nz: 7,
            dx_m: 10.0,
            dz_m,
        };
        let setup = FlowSetup {
            lava: lava(),
            step_s: 60.0,
            open_sides: false,
            seed: 1,
            heaters: Vec::new(),
        };
        let mut flow = Flow::new(space, setup, &[2.5; 49]).expect("numbers in range");
        let there: Vec<Standing> = (0..49)
            .map(|column| Standing {
                column,
                thickness_m,
                age_s,
            })
            .collect();
        flow.stand(&there, lava().vent_k);
        flow.check().expect("exact");
        flow
    }

    #[test]
    fn lava_that_has_just_come_is_as_hot_as_its_vent_and_as_thick_as_was_said() {
        let flow = plain(0.0, 7.3, 2.0);
        let column = flow.column(24);
        assert!(
            (column.liquid_m - 7.3).abs() < 1e-5 && (column.surface_m - 9.8).abs() < 1e-5,
            "{column:?}"
        );
        assert!(
            (column.core_k.unwrap_or(0.0) - lava().vent_k).abs() < 0.5,
            "{column:?}"
        );
    }

    #[test]
    fn lava_ages_as_lava_that_was_watched() {
        let hours = 48.0;
        let mut watched = plain(0.0, 6.0, 2.0);
        (0..(hours * 60.0) as usize).for_each(|_| watched.step(&[]));
        let aged = plain(hours * 3600.0, 6.0, 2.0);
        let heat = |flow: &Flow| {
            let account = &flow.account;
            (account.heat_sky + account.heat_bed) as f64 / account.heat_placed as f64
        };
        let (all, found) = (heat(&watched), heat(&aged));
        assert!(
            (found / all - 1.0).abs() < 0.03,
            "{found} of the heat, {all} where it was watched"
        );
        let lids = [&watched, &aged].map(|flow| flow.column(24).lid_m + flow.column(24).set_m);
        assert!((lids[1] / lids[0] - 1.0).abs() < 0.1, "{lids:?} m of crust");
        // The height of cells must not matter.
        let fine = heat(&plain(hours * 3600.0, 6.0, 1.0));
        assert!((fine / found - 1.0).abs() < 0.01, "{fine} and {found}");
    }

    #[test]
    fn old_thin_lava_is_rock_after_a_step_and_arrived_before_the_start() {
        let mut flow = plain(30.0 * 86_400.0, 1.0, 2.0);
        (0..5).for_each(|_| flow.step(&[]));
        let column = flow.column(24);
        assert!(
            column.liquid_m < 0.01 && (column.set_m - 1.0).abs() < 0.02,
            "{column:?}"
        );
        assert_eq!(column.arrival_s, Some(0.0));
        flow.check().expect("exact");
    }
}
