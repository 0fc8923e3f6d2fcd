//! Search for floating pieces, and for obstacles in their path.

use super::{Buoyancy, FloatRole, Floating};
use crate::rules::DIRECTIONS;
use crate::world::{Layer, World};
use lavoxel_base::grid::{Grid, Place};

/// Vertical direction in which a piece moves by one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Down,
    Up,
}

/// Run of cells of a piece: cells of one column that follow each other without a gap, from height
/// `low` to height `high` (inclusive).
#[derive(Clone, Copy, Debug)]
pub(super) struct CellRun {
    pub(super) x: usize,
    pub(super) z: usize,
    pub(super) low: usize,
    pub(super) high: usize,
}

impl CellRun {
    /// Returns the cell that this run of cells would enter by a move in the direction `way`; `None`
    /// below the floor. Above the roof the returned cell lies outside of the grid.
    pub(super) fn front(&self, way: Way) -> Option<Place> {
        let y = match way {
            Way::Down => self.low.checked_sub(1)?,
            Way::Up => self.high + 1,
        };
        Some([self.x, y, self.z])
    }

    /// Returns the cell that this run of cells would leave free by a move in the direction `way`.
    pub(super) fn rear(&self, way: Way) -> Place {
        match way {
            Way::Down => [self.x, self.high, self.z],
            Way::Up => [self.x, self.low, self.z],
        }
    }
}

/// Piece of still matter or grains that can float: its cells as vertical runs of cells, sorted by
/// their lowest cell from the bottom up.
#[derive(Clone, Debug)]
pub(super) struct FloatingPiece {
    pub(super) runs: Vec<CellRun>,
}

impl FloatingPiece {
    fn new(mut cells: Vec<Place>) -> Self {
        cells.sort_unstable_by_key(|&[x, y, z]| (z, x, y));
        let mut runs: Vec<CellRun> = Vec::new();
        for [x, y, z] in cells {
            match runs
                .last_mut()
                .filter(|run| (run.x, run.z, run.high + 1) == (x, z, y))
            {
                Some(run) => run.high = y,
                None => runs.push(CellRun {
                    x,
                    z,
                    low: y,
                    high: y,
                }),
            }
        }
        runs.sort_unstable_by_key(|run| (run.low, run.z, run.x));
        Self { runs }
    }

    /// Returns true if an obstacle prevents the piece from moving in the direction `way`.
    pub(super) fn is_barred(&self, world: &World, rule: &Floating, way: Way) -> bool {
        self.runs.iter().any(|run| {
            let front = run.front(way).filter(|&[_, y, _]| y < world.grid().ny);
            front.is_none_or(|place| {
                let bars = |(number, layer): (usize, &Layer)| {
                    !rule.makes_way(world, number) && layer.at(place).amount > 0
                };
                world.ground().is_solid(place) || world.layers().iter().enumerate().any(bars)
            })
        })
    }

    /// Returns the cells at the sides of the piece and at the sides of the cells directly below the
    /// piece, sorted from the bottom up.
    pub(super) fn sides(&self, grid: Grid) -> Vec<Place> {
        let mut sides = Vec::new();
        for run in &self.runs {
            let beside =
                DIRECTIONS.map(|(dx, dz)| grid.neighbour([run.x, run.low, run.z], [dx, 0, dz]));
            for [x, _, z] in beside.into_iter().flatten() {
                sides.extend((run.low.saturating_sub(1)..=run.high).map(|y| [x, y, z]));
            }
        }
        sides.sort_unstable_by_key(|&[x, y, z]| (y, z, x));
        sides.dedup();
        sides
    }
}

impl Floating {
    /// Returns true if floating pieces can move into matter of the layer with index `layer`.
    fn makes_way(&self, world: &World, layer: usize) -> bool {
        matches!(self.layers[layer].part, FloatRole::Liquid | FloatRole::Gas)
            && !world.is_mirror(layer)
    }

    /// Returns true if matter of the layer with index `layer` can form floating pieces.
    fn makes_pieces(&self, world: &World, layer: usize) -> bool {
        let own = self.layers[layer];
        // Matter counts, not memory of tiles: a tile keeps its memory after its last matter left.
        let carries = |liquid: usize, layer: &Layer| {
            let Buoyancy { density, part } = self.layers[liquid];
            part == FloatRole::Liquid
                && density > own.density
                && !world.is_mirror(liquid)
                && layer.held().next().is_some()
        };
        let is_borne = || {
            let mut layers = world.layers().iter().enumerate();
            layers.any(|(number, layer)| carries(number, layer))
        };
        own.part == FloatRole::Piece
            && !world.is_mirror(layer)
            && (!world.layers()[layer].is_grains() || is_borne())
    }
}

/// Returns all pieces of the world that can float, sorted by their lowest cell from the bottom up.
pub(super) fn pieces(world: &World, rule: &Floating) -> Vec<FloatingPiece> {
    let layers: Vec<_> = (0..world.layers().len())
        .filter(|&layer| rule.makes_pieces(world, layer))
        .collect();
    let grid = world.grid();
    let mut cells: Vec<usize> = Vec::new();
    for &layer in &layers {
        cells.extend(
            world.layers()[layer]
                .held()
                .map(|(place, _)| grid.index(place)),
        );
    }
    cells.sort_unstable();
    cells.dedup();
    // Flood fill over the sorted list of cells with matter, so that the cost depends on the matter,
    // not on the size of the simulation box.
    let place = |index: usize| {
        [
            index % grid.nx,
            index / grid.nx % grid.ny,
            index / grid.nx / grid.ny,
        ]
    };
    let mut seen = vec![false; cells.len()];
    let mut found = Vec::new();
    for first in 0..cells.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let (mut piece, mut next) = (vec![place(cells[first])], 0);
        while let Some(&place) = piece.get(next) {
            for near in grid.face_neighbours(place) {
                if let Ok(number) = cells.binary_search(&grid.index(near))
                    && !std::mem::replace(&mut seen[number], true)
                {
                    piece.push(near);
                }
            }
            next += 1;
        }
        found.push(FloatingPiece::new(piece));
    }
    found.sort_unstable_by_key(|piece| piece.runs.first().map(|run| (run.low, run.z, run.x)));
    found
}
