//! Per-column history of the physical model's lava.

use serde::{Deserialize, Serialize};

use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::Flow;

/// Thickness in metres above which a column counts as reached by the flow front.
pub const REACHED_M: f64 = 0.01;

/// History of each column and of the flow front. Arrival times are stored in the flow itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRecords {
    thickness_m: Vec<f32>,
    /// Maximum surface temperature in kelvin, by column; `None` if not recorded.
    kelvin: Option<Vec<f32>>,
    last_reached_s: f64,
}

impl FlowRecords {
    /// Memory of the records including temperatures, doubled for the copy while a checkpoint is
    /// written.
    pub fn need(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::of("the records of a flow", grid.columns(), 2.0 * 8.0)
    }

    /// Creates empty records; call before the first step.
    pub fn new(grid: Grid) -> Self {
        Self {
            thickness_m: vec![0.0; grid.columns()],
            kelvin: None,
            last_reached_s: 0.0,
        }
    }

    /// Enables the record of surface temperatures.
    #[must_use]
    pub fn with_kelvin(self) -> Self {
        Self {
            kelvin: Some(vec![0.0; self.thickness_m.len()]),
            ..self
        }
    }

    /// Returns true if these records, possibly read from a file, match a box of shape `grid`.
    pub fn fits(&self, grid: Grid) -> bool {
        let are_right = |numbers: &Vec<f32>| {
            numbers.len() == grid.columns() && numbers.iter().all(|n| *n >= 0.0)
        };
        are_right(&self.thickness_m)
            && self.kelvin.as_ref().is_none_or(are_right)
            && self.last_reached_s >= 0.0
    }

    /// Maximum temperature in kelvin of the uppermost liquid after any step, by column at index `z
    /// · nx + x`; 0 for columns without lava. `None` if temperatures are not recorded.
    pub fn kelvin(&self) -> Option<&[f32]> {
        self.kelvin.as_deref()
    }

    /// Maximum thickness after any step of liquid and solidified lava, in metres, by column at
    /// index `z · nx + x`.
    pub fn thickness_m(&self) -> &[f32] {
        &self.thickness_m
    }

    /// Latest time, in seconds, at which any column first reached the thickness [`REACHED_M`].
    pub fn last_reached_s(&self) -> f64 {
        self.last_reached_s
    }

    /// Updates the records of `columns`: pass [`Flow::changed`] after each step, or [`Flow::wet`]
    /// after several steps.
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
