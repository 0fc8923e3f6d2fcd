//! What is kept of a volume from frame to frame, and brought up to date where the volume changed.

use std::borrow::Cow;
use std::sync::Arc;

use crate::parallel::*;

use crate::grid::Grid;
use crate::lowpass::{Change, Volume};
use crate::world::Span;

use super::bricks::{Bricks, Skipping};
use super::ember::{EmberLight, Glow};
use super::field::LavaField;

/// What a frame is told about its volume.
#[derive(Clone, Copy, Debug)]
pub(crate) struct News<'a> {
    /// For each row, numbered `z · ny + y`, the cells outside of which it is empty.
    pub(crate) rows: &'a [Span],
    /// The cells that may be others than in the last frame; `None` where that is not known.
    pub(crate) changed: Option<&'a [Change]>,
}

/// What a style wants to see of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interest {
    /// Densities up to this, 0..255, are of no interest.
    pub(crate) empty: u8,
    /// Gaussian radius in cells.
    pub(crate) smoothing: f32,
    /// Every sample is shaded: slopes of the density are worked out beforehand.
    pub(crate) shaded: bool,
}

/// The bricks of a volume, the light around it, and a copy where rays cannot meet the volume itself.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    bricks: Bricks,
    /// What rays meet instead of the volume.
    copy: Option<Volume>,
    ember: Option<(Glow, Arc<EmberLight>)>,
}

impl Prepared {
    /// Knows of an empty volume.
    pub(crate) fn new(grid: Grid) -> Self {
        let interest = Interest { empty: u8::MAX, smoothing: 0.0, shaded: false };
        Self { bricks: Bricks::new(thick(grid), interest), copy: None, ember: None }
    }

    /// Brings all but the light up to date.
    pub(crate) fn follow(&mut self, volume: &Volume, news: &News, interest: Interest) {
        let still = news.changed.is_some_and(<[Change]>::is_empty);
        if !still {
            self.ember = None;
        }
        let known = self.bricks.interest() == interest;
        match news.changed {
            Some(_) if known && still => {}
            Some(changed) if known && self.copy.is_none() => self.bricks.refresh(volume, changed.iter().copied()),
            _ => self.begin(volume, news, interest),
        }
    }

    /// Works everything out from the volume alone.
    fn begin(&mut self, volume: &Volume, news: &News, interest: Interest) {
        self.bricks = Bricks::new(thick(volume.grid), interest);
        self.copy = interest.copies(volume.grid).then(|| copied(volume, interest.smoothing));
        match &self.copy {
            Some(copy) => self.bricks.refresh(copy, Change::of_rows(&rows(copy))),
            None => self.bricks.refresh(volume, Change::of_rows(news.rows)),
        }
    }

    /// The light around the lava, worked out when it is not known.
    pub(crate) fn light(&mut self, volume: &Volume, news: &News, glow: Glow) -> Arc<EmberLight> {
        let known = self.ember.take().filter(|(known, _)| *known == glow);
        let (_, light) = self
            .ember
            .insert(known.unwrap_or_else(|| (glow, Arc::new(EmberLight::new(volume, Some(news.rows), glow)))));
        Arc::clone(light)
    }

    /// The bricks with something to draw.
    pub(crate) fn bricks(&self) -> &Bricks {
        &self.bricks
    }

    /// The volume as rays see it.
    pub(crate) fn field<'a>(&'a self, volume: &'a Volume, interest: Interest, skipping: Skipping) -> LavaField<'a> {
        let met = self.copy.as_ref().unwrap_or(volume);
        LavaField::new(met, volume.grid, &self.bricks, interest.empty, skipping)
    }
}

impl Interest {
    /// Whether rays meet a copy of a volume of this shape: a smooth one, or one with two cells along each axis.
    fn copies(self, grid: Grid) -> bool {
        self.smoothing > 0.0 || thick(grid) != grid
    }
}

/// For each row of a volume, numbered `z · ny + y`, the cells outside of which it has no density and no energy.
pub(crate) fn rows(volume: &Volume) -> Vec<Span> {
    let nx = volume.grid.nx;
    let full = |(density, energy): (&[u8], &[u8])| {
        // Most rows are empty, and the largest of a row is found many cells at a time.
        let held = |cells: &[u8]| cells.iter().copied().max() > Some(0);
        if !held(density) && !held(energy) {
            return Span::EMPTY;
        }
        let lava = |x: &usize| density[*x] > 0 || energy[*x] > 0;
        let from = (0..nx).find(lava).map_or(u16::MAX, |x| x as u16);
        Span { from, to: (0..nx).rfind(lava).map_or(0, |x| x as u16 + 1) }
    };
    volume.density.par_chunks(nx).zip(volume.energy.par_chunks(nx)).with_min_len(64).map(full).collect()
}

/// The shape with at least two cells along each axis.
fn thick(grid: Grid) -> Grid {
    Grid::new(grid.nx.max(2), grid.ny.max(2), grid.nz.max(2))
}

/// A volume at least two cells thick, where a single cell is repeated, and smooth.
fn copied(volume: &Volume, smoothing: f32) -> Volume {
    let (from, grid) = (volume.grid, thick(volume.grid));
    let repeated = |values: &'_ [u8]| -> Vec<u8> {
        let place = |i: usize| (i % grid.nx, i / grid.nx % grid.ny, i / (grid.nx * grid.ny));
        let held = |(x, y, z): (usize, usize, usize)| {
            values[from.index(x.min(from.nx - 1), y.min(from.ny - 1), z.min(from.nz - 1))]
        };
        (0..grid.cells()).map(|i| held(place(i))).collect()
    };
    let field = |values: &[u8]| {
        let values = if from == grid { Cow::Borrowed(values) } else { Cow::Owned(repeated(values)) };
        if smoothing > 0.0 {
            smoothed(values.into_owned(), [grid.nx, grid.ny, grid.nz], smoothing)
        } else {
            values.into_owned()
        }
    };
    Volume { grid, density: field(&volume.density), energy: field(&volume.energy) }
}

/// Gaussian smoothing of a field, one axis after another, with five taps; edges are held.
fn smoothed(values: Vec<u8>, side: [usize; 3], radius: f32) -> Vec<u8> {
    let taps: [f32; 5] = std::array::from_fn(|i| (-0.5 * ((i as f32 - 2.0) / radius).powi(2)).exp());
    let total: f32 = taps.iter().sum();
    let strides = [1, side[0], side[0] * side[1]];
    (0..3).fold(values, |from, axis| {
        let at = |index: usize| {
            let place = (index / strides[axis] % side[axis]) as isize;
            let tap = |i: usize| {
                let moved = (place + i as isize - 2).clamp(0, side[axis] as isize - 1) - place;
                taps[i] * f32::from(from[(index as isize + moved * strides[axis] as isize) as usize])
            };
            ((0..5).map(tap).sum::<f32>() / total + 0.5) as u8
        };
        (0..from.len()).into_par_iter().map(at).collect()
    })
}

/// Calls `see` with a whole volume as rays see it, every density above 0 of interest.
#[cfg(test)]
pub(crate) fn with_field(volume: &Volume, see: impl FnOnce(&LavaField)) {
    let interest = Interest { empty: 0, smoothing: 0.0, shaded: true };
    let mut prepared = Prepared::new(volume.grid);
    prepared.follow(volume, &News { rows: &rows(volume), changed: None }, interest);
    see(&prepared.field(volume, interest, Skipping::Bricks));
}
