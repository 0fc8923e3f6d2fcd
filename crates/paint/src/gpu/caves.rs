//! Caves (open cells below the ground's surface) on the graphics card: an array of 32-bit words,
//! column by column, of which only changed blocks are uploaded.

use crate::device::Gpu;
use lavoxel_render::ground::heightfield::{Caves, Top};

/// Number of header words before the offsets of the columns; the layout is documented in
/// `caves.wgsl`.
pub(super) const HEAD: usize = 8;
/// Number of words per block of an upload: if one word changes, its whole block is uploaded.
const BLOCK: usize = 64;

/// Content of the cave buffer as the shaders read it, and the free places in the buffer.
///
/// Invariant: a column keeps its offset as long as the column has caves.
#[derive(Debug, PartialEq)]
struct Words {
    words: Vec<u32>,
    /// Offsets (word indices) of the places left free by columns whose caves have vanished.
    free: Vec<u32>,
    /// Caves that are encoded in `words`.
    of: Caves,
}

impl Words {
    fn none() -> Self {
        Self {
            words: vec![0; HEAD],
            free: Vec::new(),
            of: Caves::default(),
        }
    }

    /// Encodes `caves` in place of the previous caves. Returns the indices of the changed blocks of
    /// [`BLOCK`] words, in ascending order; some may repeat.
    fn follow(&mut self, caves: &Caves) -> Vec<usize> {
        if *caves == self.of {
            return Vec::new();
        }
        if caves.is_empty() || self.of.is_empty() {
            *self = Self::none();
        }
        let mut changed = vec![0];
        if !caves.is_empty() {
            let ([nx, nz], _, _) = caves.extent();
            self.words.resize(self.words.len().max(HEAD + nx * nz), 0);
            for (x, z) in caves.differing(&self.of) {
                self.encode_column(HEAD + z * nx + x, caves.cells_at(x, z), &mut changed);
            }
        }
        self.write_head(caves);
        self.of = caves.clone();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Encodes the caves of one column. `entry`: index of the word that stores the column's offset;
    /// `cells`: upper surface and cave cells of the column, `None` for a column without caves.
    /// Appends the indices of the changed blocks to `changed`.
    fn encode_column(
        &mut self,
        entry: usize,
        cells: Option<(Top, &[u64])>,
        changed: &mut Vec<usize>,
    ) {
        changed.push(entry / BLOCK);
        let old = self.words[entry];
        let Some((top, cells)) = cells else {
            self.words[entry] = 0;
            self.free.extend((old != 0).then_some(old));
            return;
        };
        let halves = || {
            cells
                .iter()
                .flat_map(|word| [*word as u32, (word >> 32) as u32])
        };
        let place = if old != 0 {
            old
        } else {
            self.free.pop().unwrap_or(self.words.len() as u32)
        };
        self.words[entry] = place;
        let (from, end) = (place as usize, place as usize + 1 + 2 * cells.len());
        self.words.resize(self.words.len().max(end), 0);
        self.words[from] =
            top.cell as u32 | u32::from(top.flat) << 31 | u32::from(top.rounded) << 30;
        self.words[from + 1..end]
            .iter_mut()
            .zip(halves())
            .for_each(|(to, word)| *to = word);
        changed.extend(from / BLOCK..=(end - 1) / BLOCK);
    }

    fn write_head(&mut self, caves: &Caves) {
        let (_, [low, high], top) = caves.extent();
        let numbers = [
            usize::from(!caves.is_empty()),
            low[0],
            low[1],
            high[0],
            high[1],
            top,
        ];
        self.words
            .iter_mut()
            .zip(numbers)
            .for_each(|(to, number)| *to = number as u32);
    }
}

/// Buffer of the caves on the graphics card, with a copy of its words in main memory.
pub(super) struct CaveBuffer {
    pub(super) buffer: wgpu::Buffer,
    words: Words,
}

impl CaveBuffer {
    /// Creates the buffer for a ground without caves.
    pub(super) fn none(gpu: &Gpu) -> Self {
        let words = Words::none();
        let buffer = make(gpu, HEAD);
        gpu.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(&words.words));
        Self { buffer, words }
    }

    /// Returns true if the ground has no caves.
    pub(super) fn is_empty(&self) -> bool {
        self.words.of.is_empty()
    }

    /// Uploads the words that differ from the previous caves. If the buffer exceeded the limits of
    /// the graphics card, the ground is shown without caves.
    pub(super) fn follow(&mut self, gpu: &Gpu, caves: &Caves) {
        let changed = self.words.follow(caves);
        let bytes = 4 * self.words.words.len() as u64;
        let limits = gpu.device.limits();
        if bytes > limits.max_storage_buffer_binding_size || bytes > limits.max_buffer_size {
            *self = Self::none(gpu);
        } else if bytes > self.buffer.size() {
            // A reserve of a quarter, since caves grow cell by cell.
            let most = (limits.max_buffer_size / 4).min(limits.max_storage_buffer_binding_size / 4)
                as usize;
            self.buffer = make(gpu, (self.words.words.len() * 5 / 4).min(most));
            gpu.queue
                .write_buffer(&self.buffer, 0, bytemuck::cast_slice(&self.words.words));
        } else {
            self.send(gpu, &changed);
        }
    }

    /// Uploads the blocks with the indices `blocks` (ascending); adjacent blocks share one write.
    fn send(&self, gpu: &Gpu, blocks: &[usize]) {
        for row in blocks.chunk_by(|a, b| a + 1 == *b) {
            let (from, end) = (row[0] * BLOCK, (row[row.len() - 1] + 1) * BLOCK);
            let words = &self.words.words[from..end.min(self.words.words.len())];
            gpu.queue
                .write_buffer(&self.buffer, 4 * from as u64, bytemuck::cast_slice(words));
        }
    }
}

fn make(gpu: &Gpu, words: usize) -> wgpu::Buffer {
    gpu.numbers("caves", 4 * words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
    use lavoxel_base::grid::Grid;

    fn solid(words: &[u32], nx: usize, [x, y, z]: [usize; 3]) -> Option<bool> {
        let column = words[HEAD + z * nx + x] as usize;
        (column != 0).then(|| words[column + 1 + y / 32] >> (y % 32) & 1 == 1)
    }

    #[test]
    fn words_follow_the_caves_and_few_of_them_are_sent() {
        let grid = Grid::new(40, 70, 30);
        let mut world = World::new(Ground::from_surface(
            grid.ny,
            ndarray::Array2::from_elem((30, 40), 50.0),
        ));
        let mut words = Words::none();
        let mut sent = words.words.clone();
        let put = |world: &mut World, [x, y, z]: [usize; 3], matter: Matter| {
            let from = [x, y, z].map(|v| v as f64);
            world.edit(&Edit {
                shape: Shape::Box {
                    from,
                    to: from.map(|v| v + 1.0),
                },
                matter,
            });
        };
        let holes = [
            [20, 40, 10],
            [20, 41, 10],
            [5, 3, 25],
            [39, 30, 29],
            [6, 60, 6],
        ];
        let turns = holes
            .iter()
            .map(|hole| (*hole, hole[1] < 50))
            .chain([([5, 3, 25], false), ([39, 30, 29], false)]);
        for (turn, (hole, open)) in turns.enumerate() {
            put(
                &mut world,
                hole,
                if open { Matter::Nothing } else { Matter::Rock },
            );
            let caves = Caves::from_ground(world.ground(), 1.0);
            let blocks = words.follow(&caves);
            assert!(
                turn == 0 || blocks.len() < 20,
                "turn {turn}: {} blocks",
                blocks.len()
            );
            assert!(words.follow(&caves).is_empty(), "nothing more");
            sent.resize(words.words.len(), 0);
            for block in blocks {
                let range = block * BLOCK..((block + 1) * BLOCK).min(sent.len());
                sent[range.clone()].copy_from_slice(&words.words[range]);
            }
            for (x, z) in (0..30).flat_map(|z| (0..40).map(move |x| (x, z))) {
                let expected = caves
                    .cells_at(x, z)
                    .map(|_| [0, 3, 40, 41, 49, 60].map(|y| world.ground().is_solid([x, y, z])));
                let found = [0, 3, 40, 41, 49, 60].map(|y| solid(&sent, 40, [x, y, z]));
                assert_eq!(
                    found.map(|cell| cell.unwrap_or(false)),
                    expected.unwrap_or([false; 6]),
                    "{x}, {z}"
                );
            }
        }
        assert_eq!(words.follow(&Caves::default()), [0_usize]);
        assert_eq!(words, Words::none());
    }
}
