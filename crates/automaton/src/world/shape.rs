//! Shapes: regions of the simulation box into which an edit puts matter.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use lavoxel_base::body::{BlocksSpec, Cells, MeshSpec, ReliefSpec};
use lavoxel_base::grid::line::Line;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::param::kinds;
use lavoxel_base::validate::{Invalid, within};

/// Largest number of points that the polyline of a shape may have.
const MOST_POINTS: usize = 10_000;

/// Largest allowed coordinate and size, in cells: the upper limit of the simulation box's number of
/// cells along an axis.
pub(super) const FAR: f64 = lavoxel_base::grid::MAX_SIDE as f64;

kinds! {
    /// Region of the box; lengths are in cells. A cell belongs to the region if its centre lies
    /// inside.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Shape by "kind" {
        /// All cells between two corners, from `from` (inclusive) to `to` (exclusive).
        Box = "box" {
            /// Lowest corner (x, y, z).
            must from: [f64; 3], [-FAR, FAR] "cells";
            /// Highest corner (x, y, z).
            must to: [f64; 3], [-FAR, FAR] "cells";
        },
        /// A ball.
        Sphere = "sphere" {
            /// Centre (x, y, z).
            must center: [f64; 3], [-FAR, FAR] "cells";
            /// Radius of the ball.
            must radius: f64, [0.01, FAR] "cells";
        },
        /// An upright cylinder.
        Cylinder = "cylinder" {
            /// Centre of the base (x, y, z).
            must base: [f64; 3], [-FAR, FAR] "cells";
            /// Radius of the cylinder.
            must radius: f64, [0.01, FAR] "cells";
            /// Height of the cylinder above its base.
            must height: f64, [0.01, FAR] "cells";
        },
        /// All cells below a height, such as a sea.
        Below = "below" {
            /// Height of the top of the region above the floor of the box.
            must level: f64, [0.01, FAR] "cells";
        },
        /// An upright wall along a line, from the floor of the box to its roof.
        Line = "line" {
            /// Points (x, z) of the line.
            #[serde(deserialize_with = "lavoxel_base::fixed_len::many")]
            must points: Vec<[f64; 2]>, [-FAR, FAR] "cells";
            /// Width across the line; the wall always has at least the columns that the line
            /// crosses, each adjacent to the next one.
            #[serde(default)]
            may width: f64, [0.0, FAR] "cells";
        },
        /// The inside of a closed mesh in a file. The shape is empty until the scene is built,
        /// which reads the file.
        Mesh = "mesh"(Box<MeshSpec>),
        /// All cells below the heights of a heightmap in a file. The shape is empty until the scene
        /// is built, which reads the file.
        Heightmap = "heightmap"(Box<ReliefSpec>),
        /// Blocks of a file of MagicaVoxel or Minecraft. The shape is empty until the scene is
        /// built, which reads the file.
        Blocks = "blocks"(Box<BlocksSpec>),
    }
}

/// Returns the polyline through the `points` (x, z), in cells.
fn line(points: &[[f64; 2]]) -> Line {
    let first = points.first().copied().unwrap_or_default();
    let further: Vec<_> = points
        .iter()
        .skip(1)
        .map(|point| [point[0] - first[0], point[1] - first[1]])
        .collect();
    Line::new(first, &further)
}

impl Shape {
    /// Returns the lowest and the highest corner (x, y, z) of the shape's axis-aligned bounding
    /// box, in cells.
    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        match *self {
            Self::Box { from, to } => (from, to),
            Self::Sphere { center, radius } => {
                (center.map(|c| c - radius), center.map(|c| c + radius))
            }
            Self::Cylinder {
                base: [x, y, z],
                radius,
                height,
            } => (
                [x - radius, y, z - radius],
                [x + radius, y + height, z + radius],
            ),
            Self::Line { ref points, width } => {
                let reach = 0.5 * width + 1.0;
                let side = |k: usize| points.iter().map(move |point| point[k]);
                let low = |k| side(k).fold(FAR, f64::min) - reach;
                let high = |k| side(k).fold(0.0, f64::max) + reach;
                ([low(0), 0.0, low(1)], [high(0), FAR, high(1)])
            }
            Self::Below { level } => (
                [0.0; 3],
                [
                    lavoxel_base::grid::MAX_SIDE as f64,
                    level,
                    lavoxel_base::grid::MAX_SIDE as f64,
                ],
            ),
            // The extent of a file that was not read yet is unknown, so that the whole box is
            // assumed.
            Self::Mesh(_) | Self::Heightmap(_) | Self::Blocks(_) => self.cells_of_file().map_or(
                ([0.0; 3], [lavoxel_base::grid::MAX_SIDE as f64; 3]),
                Cells::bounds,
            ),
        }
    }

    /// Returns true if the point `p` (x, y, z in cells) lies inside the shape.
    pub fn contains(&self, p: [f64; 3]) -> bool {
        match *self {
            Self::Box { from, to } => (0..3).all(|k| p[k] >= from[k] && p[k] < to[k]),
            Self::Sphere { center, radius } => {
                (0..3).map(|k| (p[k] - center[k]).powi(2)).sum::<f64>() <= radius * radius
            }
            Self::Cylinder {
                base,
                radius,
                height,
            } => {
                let across = (p[0] - base[0]).powi(2) + (p[2] - base[2]).powi(2);
                p[1] >= base[1] && p[1] < base[1] + height && across <= radius * radius
            }
            Self::Line { ref points, width } => line(points).contains(0.5 * width, [p[0], p[2]]),
            Self::Below { level } => p[1] < level,
            Self::Mesh(_) | Self::Heightmap(_) | Self::Blocks(_) => {
                self.cells_of_file().is_some_and(|cells| cells.contains(p))
            }
        }
    }

    /// Size of the shape's bounding box inside of `grid` along x, y and z, in cells.
    pub fn extent(&self, grid: Grid) -> [f64; 3] {
        self.sides(grid).map(|side| side.len() as f64)
    }

    /// Returns the lowest and the highest corner (x, y, z) of the part of the shape's bounding box
    /// inside of `grid`, in cells; `None` if no part of the shape lies in the grid, or if its file
    /// has not been read.
    pub fn corners(&self, grid: Grid) -> Option<[[f64; 3]; 2]> {
        if self.kind_of_file().is_some() && self.cells_of_file().is_none() {
            return None;
        }
        let (low, high) = self.bounds();
        let sides = [grid.nx, grid.ny, grid.nz].map(|n| n as f64);
        let [low, high] =
            [low, high].map(|corner| [0, 1, 2].map(|k: usize| corner[k].clamp(0.0, sides[k])));
        (0..3).all(|k| low[k] < high[k]).then_some([low, high])
    }

    /// Returns the columns (x, z) of `grid` that contain cells of the shape, row by row from north
    /// to south.
    pub fn columns(&self, grid: Grid) -> Vec<(usize, usize)> {
        if let Self::Line { points, width } = self {
            return line(points).columns(0.5 * width, grid);
        }
        let [xs, ys, zs] = self.sides(grid);
        let holds = |x: usize, z: usize| {
            ys.clone()
                .any(|y| self.contains([x, y, z].map(|v| v as f64 + 0.5)))
        };
        zs.flat_map(|z| xs.clone().map(move |x| (x, z)))
            .filter(|&(x, z)| holds(x, z))
            .collect()
    }

    /// Height of the shape's top above the floor, in cells, limited to the height of `grid`.
    pub fn top(&self, grid: Grid) -> f64 {
        self.bounds().1[1].ceil().clamp(0.0, grid.ny as f64)
    }

    /// Returns the cells that were read from the shape's file; `None` for shapes without a file and
    /// before the file has been read.
    fn cells_of_file(&self) -> Option<&Cells> {
        match self {
            Self::Mesh(mesh) => mesh.cells.as_deref(),
            Self::Heightmap(relief) => relief.cells.as_deref(),
            Self::Blocks(blocks) => blocks.cells.as_deref(),
            _ => None,
        }
    }

    /// Name of the kind of file that contains the shape, `"mesh"`, `"heightmap"` or `"blocks"`; `None` for a
    /// shape without a file.
    pub fn kind_of_file(&self) -> Option<&'static str> {
        match self {
            Self::Mesh(_) => Some("mesh"),
            Self::Heightmap(_) => Some("heightmap"),
            Self::Blocks(_) => Some("blocks"),
            _ => None,
        }
    }

    /// Checks that the file of the shape has been read, if the shape has one; `key` is the name of
    /// the table in messages.
    ///
    /// # Errors
    /// If the shape comes from a file that has not been read.
    pub fn check_cells(&self, key: &str) -> Result<(), Invalid> {
        match self
            .kind_of_file()
            .filter(|_| self.cells_of_file().is_none())
        {
            Some(kind) => {
                let expected = "another shape, or one with its cells (mesh::ShapeCache)";
                Err(Invalid::new(&format!("{key}.kind"), kind, expected))
            }
            None => Ok(()),
        }
    }

    /// Returns the shape's bounding box as ranges of cells along x, y and z, limited to `grid`.
    fn sides(&self, grid: Grid) -> [Range<usize>; 3] {
        let ((low, high), sides) = (self.bounds(), [grid.nx, grid.ny, grid.nz]);
        std::array::from_fn(|k| {
            let clip = |v: f64| v.clamp(0.0, sides[k] as f64);
            clip(low[k].floor()) as usize..clip(high[k].ceil()) as usize
        })
    }

    /// Iterates over the cells of `grid` whose centres lie inside the shape, in the order of
    /// [`Grid::places`].
    pub fn cells(&self, grid: Grid) -> impl Iterator<Item = Place> + '_ {
        let [xs, ys, zs] = self.sides(grid);
        // Computed once, because a test of one cell against the line takes time proportional to the
        // line's length.
        let wall = matches!(self, Self::Line { .. }).then(|| self.columns(grid));
        let holds = move |place: &Place| match &wall {
            Some(columns) => columns
                .binary_search_by_key(&(place[2], place[0]), |&(x, z)| (z, x))
                .is_ok(),
            None => self.contains(place.map(|v| v as f64 + 0.5)),
        };
        zs.flat_map(move |z| ys.clone().map(move |y| (y, z)))
            .flat_map(move |(y, z)| xs.clone().map(move |x| [x, y, z]))
            .filter(holds)
    }

    /// Checks that every number of the shape is finite and every size positive; `key` is the name
    /// of the table in messages.
    ///
    /// # Errors
    /// Returns an error that names the first key with a wrong value.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        match self {
            Self::Box { from, to } => match (0..3).find(|&k| to[k] <= from[k]) {
                Some(k) => Err(Invalid::new(
                    &format!("{key}.to"),
                    format!("{to:?}"),
                    format!("above from = {from:?} on every axis (axis {k} is not)"),
                )),
                None => Ok(()),
            },
            Self::Mesh(mesh) => mesh.validate(key),
            Self::Heightmap(relief) => relief.validate(key),
            Self::Blocks(blocks) => blocks.validate(key),
            Self::Line { points, .. } => within(
                &format!("number of points of {key}.points"),
                points.len() as f64,
                2.0,
                MOST_POINTS as f64,
            ),
            Self::Sphere { .. } | Self::Cylinder { .. } | Self::Below { .. } => Ok(()),
        }
    }
}
