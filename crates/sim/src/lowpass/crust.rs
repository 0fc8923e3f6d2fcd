//! Map of the lava's surface temperature, for rendering.

use std::sync::Arc;

use lavoxel_base::parallel::*;
use lavoxel_flow::Flow;

/// Number of columns with lava that one parallel task reads.
const PART: usize = 512;

/// Surface temperature of the physical model's lava, one value per column.
#[derive(Clone, Debug, PartialEq)]
pub struct CrustMap {
    /// Temperature in kelvin, at index `z · nx + x`. A column next to lava has the mean of its
    /// neighbours with lava, so that interpolation does not fade towards the edge of the lava; a
    /// column farther away has the temperature of the air.
    pub kelvin: Vec<f32>,
}

/// Writer of the [`CrustMap`]. Each update takes time proportional to the number of columns with
/// lava in the new and the previous map.
#[derive(Clone, Debug, Default)]
pub(super) struct Crusts {
    shown: Option<Written>,
    /// Previous or discarded map, whose memory is reused once nothing else refers to it.
    spare: Option<Written>,
    /// Kind of each column while a map is being written; all `Nothing` between two calls.
    marks: Vec<Mark>,
}

/// Kind of a column while a map is being written: lava, next to lava, or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    Nothing,
    Lava,
    Beside,
}

/// Surface temperature map, with the list of columns that differ from the temperature of the air.
#[derive(Clone, Debug)]
struct Written {
    map: Arc<CrustMap>,
    air: f32,
    /// Indices of the columns with lava, followed by those next to lava.
    columns: Vec<usize>,
}

impl Crusts {
    /// Returns the surface temperature map of `flow`; `None` if `flow` has no lava with a crust. If
    /// no temperature changed since the last call, the same `Arc` is returned.
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
    /// Returns a map of `columns` columns that all have the temperature `air` (kelvin). Reuses the
    /// memory of `earlier` if no other holder refers to its map.
    fn cleared(earlier: Option<Self>, columns: usize, air: f32) -> Self {
        let fits = |earlier: &Self| earlier.air == air && earlier.map.kelvin.len() == columns;
        if let Some(mut earlier) = earlier.filter(fits)
            && let Some(map) = Arc::get_mut(&mut earlier.map)
        {
            earlier
                .columns
                .drain(..)
                .for_each(|column| map.kelvin[column] = air);
            return earlier;
        }
        Self {
            map: Arc::new(CrustMap {
                kelvin: vec![air; columns],
            }),
            air,
            columns: Vec::new(),
        }
    }

    /// Writes the surface temperatures of `flow` into this map, which must contain the temperature
    /// of the air everywhere. `size`: number of columns along x and z; `marks`: buffer with one
    /// element per column.
    fn write(&mut self, flow: &Flow, size: [usize; 2], marks: &mut [Mark]) {
        let Some(CrustMap { kelvin }) = Arc::get_mut(&mut self.map) else {
            unreachable!("no reader has it yet")
        };
        for (column, surface) in surfaces(flow).into_iter().flatten() {
            (kelvin[column], marks[column]) = (surface, Mark::Lava);
            self.columns.push(column);
        }
        for lava in 0..self.columns.len() {
            for column in neighbour_columns(self.columns[lava], size) {
                if marks[column] != Mark::Nothing {
                    continue;
                }
                marks[column] = Mark::Beside;
                self.columns.push(column);
                let (sum, count) = neighbour_columns(column, size)
                    .filter(|near| marks[*near] == Mark::Lava)
                    .fold((0.0, 0.0), |(sum, count), near| {
                        (sum + kelvin[near], count + 1.0_f32)
                    });
                kelvin[column] = sum / count;
            }
        }
        self.columns
            .iter()
            .for_each(|column| marks[*column] = Mark::Nothing);
    }

    /// Returns true if this map and `other` have equal temperatures in all columns.
    fn is(&self, other: &Self) -> bool {
        let [here, there] = [self, other].map(|written| &written.map.kelvin);
        self.air == other.air
            && here.len() == there.len()
            && self.columns == other.columns
            && self
                .columns
                .iter()
                .all(|column| here[*column] == there[*column])
    }
}

/// Returns the columns with lava under the open sky as pairs (column index, surface temperature in
/// kelvin), ascending by index, in one list per parallel task.
fn surfaces(flow: &Flow) -> Vec<Vec<(usize, f32)>> {
    let surface = |&column: &u32| Some((column as usize, flow.crust_k(column as usize)? as f32));
    flow.wet()
        .par_chunks(PART)
        .map(|part| part.iter().filter_map(surface).collect())
        .collect()
}

/// Iterates over the indices of the up to eight neighbours of the column `column` in a map of `nx`
/// × `nz` columns.
fn neighbour_columns(column: usize, [nx, nz]: [usize; 2]) -> impl Iterator<Item = usize> {
    let (x, z) = (column % nx, column / nx);
    let near = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
    near(z, nz)
        .flat_map(move |z| near(x, nx).map(move |x| z * nx + x))
        .filter(move |near| *near != column)
}
