//! Motion of grains in the plain engine: fall, then sideways moves in one direction after the
//! other.

use crate::rules::{Around, Turn, Turns, Walls};
use crate::world::{Content, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;

/// Content of a cell with a grain: a full amount and no energy.
const GRAIN: Content = Content {
    amount: AMOUNT_ONE,
    energy: 0,
};

/// State of the grains of one layer while they move in one step.
struct Grains<'a, R> {
    world: &'a mut World,
    layer: usize,
    rule: &'a R,
    draw: Draw,
    /// Flag per cell, at `Grid::index`: true if the grain in the cell has already moved in this
    /// step.
    moved: Vec<bool>,
}

/// Moves the grains of the layer with index `layer` for one step.
pub(super) fn run<R: Turns>((world, layer): (&mut World, usize), rule: &R, draw: Draw) {
    let moved = vec![false; world.grid().cells()];
    let mut grains = Grains {
        world,
        layer,
        rule,
        draw,
        moved,
    };
    rule.scatters(draw).for_each(|turn| grains.turn(turn));
    grains.fall();
    rule.turns(draw)
        .into_iter()
        .for_each(|turn| grains.turn(turn));
}

impl<R: Turns> Grains<'_, R> {
    fn grid(&self) -> Grid {
        self.world.grid()
    }

    fn is_filled(&self, place: Place) -> bool {
        self.world.layers[self.layer].at(place).amount > 0
    }

    /// Moves every falling grain one cell down, each column from the bottom up. Grains that already
    /// moved in this step (diagonally, by scattering) do not fall.
    fn fall(&mut self) {
        let (grid, (key, share)) = (self.grid(), self.rule.hangs(self.draw));
        for (x, z) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (x, z))) {
            for y in 1..grid.ny {
                let (place, below) = ([x, y, z], [x, y - 1, z]);
                let can_fall = self.is_filled(place) && !self.moved[grid.index(place)];
                let hangs = || key.chooses(place, share) || self.stays(place, below);
                if can_fall && self.world.is_free_for(self.layer, below) && !hangs() {
                    self.move_grain(place, Some(below));
                }
            }
        }
    }

    /// Makes the sideways move `turn` with all grains that can make it, based on the state before
    /// the move.
    fn turn(&mut self, turn: Turn) {
        let grid = self.grid();
        let goes = |&place: &Place| {
            let around = self.here(place);
            let to = around.cell(turn.way());
            self.is_filled(place)
                && !self.moved[grid.index(place)]
                && self.rule.goes(turn, place, self.draw, &around)
                && !to.is_some_and(|to| self.stays(place, to))
        };
        let going: Vec<_> = grid.places().filter(goes).collect();
        for place in going {
            self.move_grain(place, self.here(place).cell(turn.way()));
        }
    }

    fn here(&self, place: Place) -> Here<'_> {
        Here {
            world: self.world,
            layer: self.layer,
            place,
            walls: self.rule.walls(),
        }
    }

    /// Returns true if the drag of lighter matter in the target cell `to` holds up the grain at
    /// `place` in this step.
    fn stays(&self, place: Place, to: Place) -> bool {
        let (key, share) = self.rule.held_up(self.draw);
        key.chooses(place, share) && self.world.is_thick_for(self.layer, to)
    }

    /// Moves the grain at `from` to the cell `to`, or out of the simulation box if `to` is `None`;
    /// a lighter grain at `to` moves to `from` in exchange.
    fn move_grain(&mut self, from: Place, to: Option<Place>) {
        let grid = self.grid();
        let lighter = self.layer + 1..self.layer + 1 + self.world.lighter_grains(self.layer).len();
        self.world.layers[self.layer].set(from, Content::default());
        let Some(to) = to else {
            self.world.layers[self.layer].ledger.outflow += u64::from(AMOUNT_ONE);
            return;
        };
        for layer in &mut self.world.layers[lighter] {
            if layer.at(to) == GRAIN {
                layer.set(to, Content::default());
                layer.set(from, GRAIN);
            }
        }
        self.world.layers[self.layer].set(to, GRAIN);
        self.moved[grid.index(to)] = true;
    }
}

/// Grain and the cells around it: the state that a rule of grains reads.
struct Here<'a> {
    world: &'a World,
    layer: usize,
    place: Place,
    walls: Walls,
}

impl Here<'_> {
    /// Returns the cell at the offset `by` (in cells) from the grain; `None` outside of the
    /// simulation box.
    fn cell(&self, by: [isize; 3]) -> Option<Place> {
        self.world.grid().neighbour(self.place, by)
    }
}

impl Around for Here<'_> {
    fn is_free(&self, [dx, dy, dz]: [isize; 3]) -> bool {
        match self.cell([dx, dy, dz]) {
            Some(cell) => self.world.is_free_for(self.layer, cell),
            // The floor under a cell inside of the simulation box counts as rock.
            None if self.cell([dx, 0, dz]).is_some() => false,
            None => self.walls == Walls::Open,
        }
    }

    fn is_laden(&self) -> bool {
        let grains = |above: Place| {
            let mut layers = self.world.layers[..=self.layer]
                .iter()
                .filter(|layer| layer.is_grains());
            layers.any(|layer| layer.at(above).amount > 0)
        };
        self.cell([0, 1, 0]).is_some_and(grains)
    }
}
