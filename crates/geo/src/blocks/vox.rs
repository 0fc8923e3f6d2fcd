//! Files of MagicaVoxel (`.vox`): models of at most 256 blocks a side, placed by a graph.

use dot_vox::{DotVoxData, Model, SceneNode};

use super::Build;
use super::error::Fault;
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_files::input::{self, Loaded};

const FORMAT: &str = "vox";
/// Upper bound on the number of nodes of the graph that are visited: nodes may share others.
const MOST_VISITS: usize = 100_000;
/// Upper bound on the depth of the graph.
const DEEPEST: usize = 256;

/// Rotation and mirroring as rows of a matrix, and shift; axes of the file: x east, y north, z up.
#[derive(Clone, Copy)]
struct Motion {
    rows: [[i64; 3]; 3],
    shift: [i64; 3],
}

impl Motion {
    const NONE: Self = Self {
        rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        shift: [0; 3],
    };

    fn turned(&self, p: [i64; 3]) -> [i64; 3] {
        self.rows
            .map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2])
    }

    /// Returns the motion that carries out `inner` first.
    fn after(&self, inner: &Self) -> Self {
        let column = |k: usize| self.turned(inner.rows.map(|row| row[k]));
        let columns = [0, 1, 2].map(column);
        let turned = self.turned(inner.shift);
        Self {
            rows: [0, 1, 2].map(|row| columns.map(|column| column[row])),
            shift: [0, 1, 2].map(|k| self.shift[k].saturating_add(turned[k])),
        }
    }

    /// Returns the place of the block `block` of a model of `size` blocks.
    fn place(&self, block: [i64; 3], size: [i64; 3]) -> [i64; 3] {
        // Models turn about the middle, which lies between blocks where a side is even: twice the
        // distance is whole.
        let aside = [0, 1, 2].map(|k| 2 * (block[k] - size[k] / 2) + 1);
        let turned = self.turned(aside);
        [0, 1, 2].map(|k| (turned[k] - 1).div_euclid(2) + self.shift[k])
    }
}

/// Returns the models of `data` with their motions.
fn models(data: &DotVoxData) -> Result<Vec<(&Model, Motion)>, Fault> {
    let wrong = |found: &str| Fault::content(FORMAT, found);
    if data.scenes.is_empty() {
        return Ok(data
            .models
            .iter()
            .map(|model| (model, Motion::NONE))
            .collect());
    }
    let (mut found, mut visits) = (Vec::new(), 0);
    let mut waiting = vec![(0_u32, Motion::NONE, 0)];
    while let Some((node, motion, depth)) = waiting.pop() {
        visits += 1;
        if visits > MOST_VISITS || depth > DEEPEST {
            return Err(wrong("its nodes have no end"));
        }
        let node = data.scenes.get(node as usize);
        match node.ok_or_else(|| wrong("it names a node that it does not have"))? {
            SceneNode::Transform { frames, child, .. } => {
                let mut inner = Motion::NONE;
                if let Some(frame) = frames.first() {
                    let position = frame.position().map(|p| [p.x, p.y, p.z].map(i64::from));
                    inner.shift = position.unwrap_or_default();
                    if let Some(rotation) = frame.orientation() {
                        let columns = rotation.to_cols_array_2d();
                        inner.rows =
                            [0, 1, 2].map(|row| [0, 1, 2].map(|k: usize| columns[k][row] as i64));
                    }
                }
                waiting.push((*child, motion.after(&inner), depth + 1));
            }
            SceneNode::Group { children, .. } => {
                waiting.extend(children.iter().map(|child| (*child, motion, depth + 1)));
            }
            SceneNode::Shape { models, .. } => {
                // The models of a shape are the frames of a film.
                let number = models.first().map(|model| model.model_id as usize);
                let model = number.and_then(|number| data.models.get(number));
                found.push((
                    model.ok_or_else(|| wrong("it names a model that it does not have"))?,
                    motion,
                ));
            }
        }
    }
    Ok(found)
}

pub(super) fn read(bytes: Loaded<Vec<u8>>) -> Result<Build, Fault> {
    // The library of the format panics at turns that are none.
    input::guard(|| read_models(bytes))
        .unwrap_or_else(|_| Err(Fault::content(FORMAT, "a damaged file")))
}

fn read_models(bytes: Loaded<Vec<u8>>) -> Result<Build, Fault> {
    let (bytes, _held) = bytes.into_parts();
    let data = dot_vox::load_bytes(&bytes).map_err(|found| Fault::content(FORMAT, found))?;
    let models = models(&data)?;
    let blocks = |(model, motion): &(&Model, Motion)| {
        let size = [model.size.x, model.size.y, model.size.z].map(i64::from);
        let motion = *motion;
        model.voxels.clone().into_iter().map(move |voxel| {
            let block = [voxel.x, voxel.y, voxel.z].map(i64::from);
            // North is up in the file's plane, south in the box.
            let [x, north, up] = motion.place(block, size);
            ([x, up, north.saturating_neg()], voxel.i)
        })
    };
    let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
    for (place, _) in models.iter().flat_map(blocks) {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(place[k]), high[k].max(place[k]));
        }
    }
    let side = |k: usize| high[k].saturating_sub(low[k]).saturating_add(1);
    let size = [0, 1, 2].map(|k| side(k).clamp(0, MAX_SIDE as i64 + 1) as usize);
    let mut build = Build::of_air(if low[0] > high[0] { [0; 3] } else { size })?;
    let mut kinds = [0_u16; 256];
    for (place, color) in models.iter().flat_map(blocks) {
        let kind = &mut kinds[usize::from(color)];
        if *kind == 0 {
            let color = data.palette.get(usize::from(color));
            let color = color.ok_or_else(|| Fault::content(FORMAT, "a block has no colour"))?;
            *kind = build.kind(&format!("#{:02x}{:02x}{:02x}", color.r, color.g, color.b))?;
        }
        build.put([0, 1, 2].map(|k| (place[k] - low[k]) as usize), *kind);
    }
    Ok(build)
}
