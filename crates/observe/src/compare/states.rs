//! Cell-by-cell differences of two simulation states.

use serde::Serialize;

use lavoxel_base::measure::Measure;
use lavoxel_base::words;
use lavoxel_sim::state::StateRef;

/// Difference of one quantity between two states of a simulation on equal grids, over all cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the compared quantity, such as `water.amount`.
    pub name: String,
    /// Unit of the quantity's means and differences, as text.
    pub unit: &'static str,
    /// Mean of the quantity over all cells in the first and in the second state, in `unit`.
    pub means: [f64; 2],
    /// Mean absolute difference of the quantity over all cells, in `unit`.
    pub mean: f64,
    /// Largest absolute difference of the quantity in any cell, in `unit`.
    pub largest: f64,
}

/// Returns the differences of all quantities that both states have, except quantities that are 0
/// everywhere; in the order of the first state. `None` if the grids differ.
pub fn differences(states: [StateRef<'_>; 2]) -> Option<Vec<Difference>> {
    let [grid, other] = states.map(|state| state.world.grid());
    if grid != other {
        return None;
    }
    let others = states[1].quantities();
    let shared = states[0]
        .quantities()
        .into_iter()
        .filter(|quantity| others.contains(quantity));
    let difference = |quantity| {
        let values = states.map(|state| state.values(&quantity));
        // Row by row: no quantity is unpacked for the whole box at once.
        let (mut rows, mut sums) = ([vec![0.0_f32; grid.nx], vec![0.0; grid.nx]], [0.0_f64; 3]);
        let mut largest = 0.0_f64;
        for (z, y) in (0..grid.nz).flat_map(|z| (0..grid.ny).map(move |y| (z, y))) {
            for (values, row) in values.iter().zip(&mut rows) {
                values.row(y, z, row);
            }
            for (&a, &b) in rows[0].iter().zip(&rows[1]) {
                let [a, b] = [a, b].map(f64::from);
                let apart = (a - b).abs();
                sums.iter_mut()
                    .zip([a, b, apart])
                    .for_each(|(sum, value)| *sum += value);
                largest = largest.max(apart);
            }
        }
        let [first, second, mean] = sums.map(|sum| sum / grid.cells() as f64);
        let unit = quantity.measure().facts().unit;
        Difference {
            name: quantity.name(),
            unit,
            means: [first, second],
            mean,
            largest,
        }
    };
    let is_there =
        |difference: &Difference| difference.largest > 0.0 || difference.means != [0.0; 2];
    Some(shared.map(difference).filter(is_there).collect())
}

impl Difference {
    /// Formats the difference in one line: name of the quantity, mean in each state, mean and
    /// largest absolute difference.
    pub fn line(&self) -> String {
        let Self {
            name,
            unit,
            means: [first, second],
            ..
        } = self;
        let [first, second, mean, largest] =
            [*first, *second, self.mean, self.largest].map(words::rough);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        };
        format!(
            "{name}: mean {first} and {second}{unit}, apart by {mean} in the mean, {largest} at most"
        )
    }
}
