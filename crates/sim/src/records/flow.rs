//! History of the lava of the physical model in each column: maximum thickness and temperature, and
//! the last advance of the front.

use serde::{Deserialize, Serialize};

use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::Flow;

/// Thickness of lava in metres above which the flow counts as having reached a column.
pub const REACHED_M: f64 = 0.01;

/// History of the physical model's lava: maxima of each column, and the last advance of the flow
/// front. Arrival times are stored in the flow itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRecords {
    thickness_m: Vec<f32>,
    /// Maximum surface temperature of each column after any step, in kelvin; `None` if temperatures
    /// are not recorded.
    kelvin: Option<Vec<f32>>,
    last_reached_s: f64,
}

impl FlowRecords {
    /// Estimates the memory of the records with temperatures; includes the copy that exists while a
    /// checkpoint is written.
    pub fn need(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::new("the records of a flow", grid.columns(), 2.0 * 8.0)
    }

    /// Creates empty records for a box of shape `grid`, without temperatures. The records must be
    /// created before the first step.
    pub fn new(grid: Grid) -> Self {
        Self {
            thickness_m: vec![0.0; grid.columns()],
            kelvin: None,
            last_reached_s: 0.0,
        }
    }

    /// Enables the recording of temperatures in these records; must be called before the first
    /// step.
    #[must_use]
    pub fn with_kelvin(self) -> Self {
        Self {
            kelvin: Some(vec![0.0; self.thickness_m.len()]),
            ..self
        }
    }

    /// Returns true if these records, possibly from a file, belong to a box of shape `grid` and
    /// contain only valid numbers.
    pub fn fits(&self, grid: Grid) -> bool {
        let are_right = |numbers: &Vec<f32>| {
            numbers.len() == grid.columns() && numbers.iter().all(|n| *n >= 0.0)
        };
        are_right(&self.thickness_m)
            && self.kelvin.as_ref().is_none_or(are_right)
            && self.last_reached_s >= 0.0
    }

    /// Returns for each column, at index `z · nx + x`, the maximum temperature of the uppermost
    /// liquid after any step, in kelvin; 0 for columns without lava. `None` if temperatures are not
    /// recorded.
    pub fn kelvin(&self) -> Option<&[f32]> {
        self.kelvin.as_deref()
    }

    /// Returns for each column, at index `z · nx + x`, the maximum thickness of liquid and
    /// solidified lava together after any step, in metres.
    pub fn thickness_m(&self) -> &[f32] {
        &self.thickness_m
    }

    /// Returns the simulated time in seconds at which the flow last reached a new column (thickness
    /// [`REACHED_M`]).
    pub fn last_reached_s(&self) -> f64 {
        self.last_reached_s
    }

    /// Updates the records of the columns with the indices `columns` after a step. Pass
    /// [`Flow::changed`] after each step, or [`Flow::wet`] after several steps.
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
