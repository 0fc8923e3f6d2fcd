//! How hot the surface of lava that grows a crust is, as pictures need it.

use crate::flow::Flow;
use crate::world::World;

/// Temperature of the surface of the lava of the physical model, over the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct CrustMap {
    /// For each column, `z · nx + x`, in kelvin. A column beside lava has the mean of what is around it: values between columns
    /// do not fall towards the edge of the lava. Elsewhere it is the temperature of the air.
    pub kelvin: Vec<f32>,
}

impl CrustMap {
    /// What a world shows; `None` without lava that grows a crust.
    pub fn of(world: &World) -> Option<Self> {
        let flow = world.flow().filter(|flow| flow.grows_crust())?;
        let grid = world.grid();
        let mut kelvin = vec![flow.setup().lava.ambient_k as f32; grid.columns()];
        let known: Vec<(usize, f32)> = surfaces(flow).collect();
        let mut is_lava = vec![false; kelvin.len()];
        known.iter().for_each(|(column, _)| is_lava[*column] = true);
        for &(column, surface) in &known {
            kelvin[column] = surface;
        }
        let [nx, nz] = [grid.nx, grid.nz];
        let mut beside: Vec<usize> =
            known.iter().flat_map(|(column, _)| around(*column, [nx, nz])).filter(|column| !is_lava[*column]).collect();
        beside.sort_unstable();
        beside.dedup();
        for column in beside {
            let (sum, count) = around(column, [nx, nz])
                .filter(|near| is_lava[*near])
                .fold((0.0, 0.0), |(sum, count), near| (sum + kelvin[near], count + 1.0_f32));
            kelvin[column] = sum / count;
        }
        Some(Self { kelvin })
    }
}

/// Columns with lava under the sky, and the temperatures of its surface.
fn surfaces(flow: &Flow) -> impl Iterator<Item = (usize, f32)> {
    let surface = |&column: &u32| Some((column as usize, flow.crust_k(column as usize)? as f32));
    flow.wet().iter().filter_map(surface)
}

/// The eight columns around one.
fn around(column: usize, [nx, nz]: [usize; 2]) -> impl Iterator<Item = usize> {
    let (x, z) = (column % nx, column / nx);
    let near = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
    near(z, nz).flat_map(move |z| near(x, nx).map(move |x| z * nx + x)).filter(move |near| *near != column)
}
