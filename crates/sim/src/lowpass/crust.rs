//! Surface temperature of lava that grows a crust, for pictures.

use std::sync::Arc;

use lavoxel_base::parallel::*;
use lavoxel_flow::Flow;

/// Number of wet columns whose crusts one task computes.
const PART: usize = 512;

/// Surface temperature of the physical model's lava, by column.
#[derive(Clone, Debug, PartialEq)]
pub struct CrustMap {
    /// Temperature in kelvin for each column, at index `z · nx + x`. A column next to lava holds
    /// the mean of its lava neighbours, so that interpolated values do not fall towards the edge of
    /// the lava. All other columns hold the temperature of the air.
    pub kelvin: Vec<f32>,
}

/// Incremental writer that keeps a [`CrustMap`] up to date. A refresh costs time in proportion to
/// the columns with lava in the new and in the previous map.
#[derive(Clone, Debug, Default)]
pub(super) struct Crusts {
    shown: Option<Written>,
    /// Previous map. The next map is written into its memory once no reader holds it.
    spare: Option<Written>,
    /// Kind of entry that is written for each column; all `Nothing` between two refreshes.
    marks: Vec<Mark>,
}

/// Kind of a column in a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    Nothing,
    Lava,
    Beside,
}

/// Map together with the columns in which it differs from the air.
#[derive(Clone, Debug)]
struct Written {
    map: Arc<CrustMap>,
    air: f32,
    /// Columns with lava, then columns next to lava.
    columns: Vec<usize>,
}

impl Crusts {
    /// Returns the crust map of a flow; `None` without lava that grows a crust. An unchanged map
    /// stays the same object.
    pub(super) fn refresh(&mut self, flow: Option<&Flow>) -> Option<Arc<CrustMap>> {
        let Some(flow) = flow.filter(|flow| flow.grows_crust()) else {
            *self = Self::default();
            return None;
        };
        let (space, air) = (flow.space(), flow.setup().lava.ambient_k as f32);
        self.marks.resize(space.columns(), Mark::Nothing);
        let mut next = Written::cleared(self.spare.take(), space.columns(), air);
        next.write(flow, [space.nx, space.nz], &mut self.marks);
        match &self.shown {
            Some(shown) if shown.is(&next) => self.spare = Some(next),
            _ => self.spare = self.shown.replace(next),
        }
        self.shown.as_ref().map(|shown| Arc::clone(&shown.map))
    }
}

impl Written {
    /// Creates a map of the air alone, in the memory of an `earlier` map that has no reader any
    /// more.
    fn cleared(earlier: Option<Self>, columns: usize, air: f32) -> Self {
        let fits = |earlier: &Self| earlier.air == air && earlier.map.kelvin.len() == columns;
        if let Some(mut earlier) = earlier.filter(fits)
            && let Some(map) = Arc::get_mut(&mut earlier.map)
        {
            earlier.columns.drain(..).for_each(|column| map.kelvin[column] = air);
            return earlier;
        }
        Self { map: Arc::new(CrustMap { kelvin: vec![air; columns] }), air, columns: Vec::new() }
    }

    /// Writes the surface of the lava into a map of the air.
    fn write(&mut self, flow: &Flow, size: [usize; 2], marks: &mut [Mark]) {
        let Some(CrustMap { kelvin }) = Arc::get_mut(&mut self.map) else { unreachable!("no reader has it yet") };
        for (column, surface) in surfaces(flow).into_iter().flatten() {
            (kelvin[column], marks[column]) = (surface, Mark::Lava);
            self.columns.push(column);
        }
        for lava in 0..self.columns.len() {
            for column in around(self.columns[lava], size) {
                if marks[column] != Mark::Nothing {
                    continue;
                }
                marks[column] = Mark::Beside;
                self.columns.push(column);
                let (sum, count) = around(column, size)
                    .filter(|near| marks[*near] == Mark::Lava)
                    .fold((0.0, 0.0), |(sum, count), near| (sum + kelvin[near], count + 1.0_f32));
                kelvin[column] = sum / count;
            }
        }
        self.columns.iter().for_each(|column| marks[*column] = Mark::Nothing);
    }

    /// Returns true if both maps hold equal temperatures.
    fn is(&self, other: &Self) -> bool {
        let [here, there] = [self, other].map(|written| &written.map.kelvin);
        self.air == other.air
            && here.len() == there.len()
            && self.columns == other.columns
            && self.columns.iter().all(|column| here[*column] == there[*column])
    }
}

/// Columns with lava under the sky, ascending, with the surface temperature in kelvin, in parts.
fn surfaces(flow: &Flow) -> Vec<Vec<(usize, f32)>> {
    let surface = |&column: &u32| Some((column as usize, flow.crust_k(column as usize)? as f32));
    flow.wet().par_chunks(PART).map(|part| part.iter().filter_map(surface).collect()).collect()
}

/// Iterates over the up to eight columns around `column`.
fn around(column: usize, [nx, nz]: [usize; 2]) -> impl Iterator<Item = usize> {
    let (x, z) = (column % nx, column / nx);
    let near = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
    near(z, nz).flat_map(move |z| near(x, nx).map(move |x| z * nx + x)).filter(move |near| *near != column)
}
