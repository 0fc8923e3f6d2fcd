//! State of a session for a print: what the simulation thread hands to the thread that traces.

use lavoxel_base::memory::Held;
use lavoxel_render::{Cut, Mouth};
use lavoxel_sim::lowpass::Volume;

/// Copy of what a print shows of the simulation's state, except the ground.
#[derive(Debug)]
pub struct PrintSubject {
    /// Densities of lava, other materials and air.
    pub volume: Volume,
    /// Slices across x, y and z; `None` for a slice that is not shown.
    pub cuts: [Option<Cut>; 3],
    /// Number of simulation steps made so far.
    pub steps: u64,
    /// Mouths of the vents that throw sparks.
    pub mouths: Vec<Mouth>,
    /// Entry of the print in the memory accounting of the program, kept until the print ends.
    pub held: Held,
}
