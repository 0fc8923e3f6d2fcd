//! History of the physical model's lava in each column.

use serde::{Deserialize, Serialize};

use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::Flow;

/// Thickness in metres from which a column counts as reached by a flow that still advances.
pub const REACHED_M: f64 = 0.01;

/// History of each column, and of the front. The flow itself keeps the arrival times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRecords {
    thickness_m: Vec<f32>,
    /// Highest surface temperature in kelvin by column; `None` where not recorded.
    kelvin: Option<Vec<f32>>,
    last_reached_s: f64,
}

impl FlowRecords {
    /// Memory of the records with temperatures, and the same amount for a checkpoint while it is
    /// written.
    pub fn need(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::of("the records of a flow", grid.columns(), 2.0 * 8.0)
    }

    /// Empty records before the first step.
    pub fn new(grid: Grid) -> Self {
        Self { thickness_m: vec![0.0; grid.columns()], kelvin: None, last_reached_s: 0.0 }
    }

    /// Adds a record of surface temperatures.
    #[must_use]
    pub fn with_kelvin(self) -> Self {
        Self { kelvin: Some(vec![0.0; self.thickness_m.len()]), ..self }
    }

    /// Returns true if these records, which may come from a file, match a box of this shape.
    pub fn fits(&self, grid: Grid) -> bool {
        let are_right = |numbers: &Vec<f32>| numbers.len() == grid.columns() && numbers.iter().all(|n| *n >= 0.0);
        are_right(&self.thickness_m) && self.kelvin.as_ref().is_none_or(are_right) && self.last_reached_s >= 0.0
    }

    /// Highest temperature of the uppermost liquid of each column after any step, in kelvin; 0
    /// where there was none. `None` for records without temperatures.
    pub fn kelvin(&self) -> Option<&[f32]> {
        self.kelvin.as_deref()
    }

    /// Largest thickness of each column after any step, liquid and set, in metres; row by row from
    /// the north.
    pub fn thickness_m(&self) -> &[f32] {
        &self.thickness_m
    }

    /// Latest time in seconds at which a column's thickness first reached [`REACHED_M`].
    pub fn last_reached_s(&self) -> f64 {
        self.last_reached_s
    }

    /// Updates the records of some columns: [`Flow::changed`] after a step, [`Flow::wet`] where
    /// more than a step changed them.
    pub fn observe(&mut self, flow: &Flow, columns: &[u32]) {
        for &number in columns {
            let thickness = flow.thickness_m(number as usize);
            let most = &mut self.thickness_m[number as usize];
            if f64::from(*most) < REACHED_M && thickness >= REACHED_M {
                self.last_reached_s = flow.time_s();
            }
            *most = most.max(thickness as f32);
            if let Some(all) = &mut self.kelvin {
                let now = flow.column(number as usize).surface_k;
                let most = &mut all[number as usize];
                *most = now.map_or(*most, |now| most.max(now as f32));
            }
        }
    }
}
