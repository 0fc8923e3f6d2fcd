//! Data derived from a volume (bricks, gases, smoke, haze, lava light), cached between frames and
//! updated where the volume changed.

use std::borrow::Cow;
use std::sync::Arc;

use lavoxel_base::parallel::*;

use lavoxel_automaton::view::MaterialLook;
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_sim::lowpass::{AirVolume, Change, CrustMap, Fields, Medium, Volume};

use crate::ground::lava_glow::{EmberLight, Glow};
use crate::math::V3;
use crate::media::clear::LEAST;
use crate::media::fog::{Fog, Wanted};
use crate::media::haze::Haze;
use crate::media::smoke::{self, Smoke};
use crate::volume::bricks::Bricks;
use crate::volume::field::MediumField;
use crate::volume::places::{Interest, Skipping};

/// Non-empty cells of a volume, and its cells that changed since the previous frame, for each
/// medium.
#[derive(Clone, Debug)]
pub struct VolumeChanges<'a> {
    /// Non-empty and changed cells of the lava.
    pub lava: FieldChanges<'a>,
    /// Non-empty and changed cells of each medium other than lava, in the order of `Volume::media`.
    pub media: Vec<FieldChanges<'a>>,
}

/// Non-empty cells of one medium, and its cells that changed since the previous frame.
#[derive(Clone, Copy, Debug)]
pub struct FieldChanges<'a> {
    /// Range along x of the non-empty cells of each row (row index `z · ny + y`); all cells outside
    /// of the ranges are empty.
    pub rows: &'a [Span],
    /// Cells that may differ from the previous frame; `None` if unknown, which makes all cells
    /// count as changed.
    pub changed: Option<&'a [Change]>,
}

impl FieldChanges<'_> {
    /// Returns true if certainly no cell changed; false if the changed cells are unknown.
    fn is_empty(&self) -> bool {
        self.changed.is_some_and(<[Change]>::is_empty)
    }
}

/// Data derived from a volume and cached between frames: bricks and smoothed copies of the media,
/// gases, smoke, haze, and the lava's light on its surroundings.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Bricks of the lava, with a smoothed or extended copy of its densities if needed.
    lava: PreparedField,
    /// Bricks of each medium other than lava, with a copy of its densities if needed, in the order
    /// of `Volume::media`; `None` for a medium that is not present.
    media: Vec<Option<PreparedField>>,
    /// Light of the lava on its surroundings, with the inputs from which the light was computed;
    /// `None` if outdated.
    ember: Option<(Lit, Arc<EmberLight>)>,
    /// Gases with the inputs from which the gases were computed; the outer `None` if outdated, the
    /// inner `None` if there are no gases.
    fog: Option<(Wanted, Option<Arc<Fog>>)>,
    /// Smoke with the inputs from which the smoke was computed; the outer `None` if outdated, the
    /// inner `None` if there is no smoke.
    smoke: Option<(SmokeSource, Option<Arc<Smoke>>)>,
    /// Haze of the plain styles with the air from which the haze was computed; the outer `None` if
    /// outdated, the inner `None` if there is no haze.
    haze: Option<(Arc<AirVolume>, Option<Arc<Haze>>)>,
}

/// Inputs on which the light of the lava depends, in addition to the lava's densities and energies.
#[derive(Clone, Debug)]
struct Lit {
    glow: Glow,
    crust: Option<Arc<CrustMap>>,
}

impl Lit {
    /// Returns true if the inputs `self` and `other` give equal light; crusts are compared by
    /// address.
    fn is(&self, other: &Self) -> bool {
        self.glow == other.glow
            && self.crust.as_ref().map(Arc::as_ptr) == other.crust.as_ref().map(Arc::as_ptr)
    }
}

/// Inputs from which smoke was computed: air, look and sun, and light of the lava.
#[derive(Clone, Debug)]
struct SmokeSource {
    air: Arc<AirVolume>,
    wanted: smoke::Wanted,
    ember: Arc<EmberLight>,
}

impl SmokeSource {
    /// Returns true if the inputs `self` and `other` give equal smoke; the air is compared by
    /// address.
    fn is(&self, other: &Self) -> bool {
        let lit_alike =
            Arc::ptr_eq(&self.ember, &other.ember) || self.ember.patches == other.ember.patches;
        Arc::ptr_eq(&self.air, &other.air) && self.wanted == other.wanted && lit_alike
    }
}

/// Bricks of one medium, with a smoothed or extended copy of its densities and energies if needed.
#[derive(Clone, Debug)]
struct PreparedField {
    bricks: Bricks,
    /// Smoothed or extended copy that rays sample; `None` if rays sample the volume itself.
    copy: Option<FieldCopy>,
}

/// Copy of a medium's densities and energies, smoothed or extended to at least two cells along each
/// axis.
#[derive(Clone, Debug)]
struct FieldCopy {
    grid: Grid,
    density: Vec<u8>,
    energy: Vec<u8>,
}

impl Prepared {
    /// Returns the data derived from an empty volume of shape `grid`.
    pub(crate) fn new(grid: Grid) -> Self {
        let lava = PreparedField::new(grid);
        Self {
            lava,
            media: Vec::new(),
            ember: None,
            fog: None,
            smoke: None,
            haze: None,
        }
    }

    /// Updates bricks and copies of densities to the state of `volume`, and drops cached light and
    /// gases whose inputs changed. `changes`: changed cells; `interest`: properties of the style.
    pub(crate) fn follow(&mut self, volume: &Volume, changes: &VolumeChanges, interest: Interest) {
        // Light, gases and fields are dropped or updated only where their inputs changed.
        if !changes.lava.is_empty() {
            self.ember = None;
        }
        let gas = |k: &usize| {
            changes
                .media
                .get(*k)
                .is_none_or(|changes| !changes.is_empty())
        };
        if self
            .fog
            .as_ref()
            .is_some_and(|(wanted, _)| wanted.media().any(|k| gas(&k)))
        {
            self.fog = None;
        }
        self.lava.follow(volume.lava(), &changes.lava, interest);
        self.media.resize_with(volume.media.len(), || None);
        for ((prepared, medium), changes) in
            self.media.iter_mut().zip(&volume.media).zip(&changes.media)
        {
            if let Some(fields) = medium.fields(volume.grid) {
                let prepared = prepared.get_or_insert_with(|| PreparedField::new(volume.grid));
                prepared.follow(fields, changes, interest.of_clear_medium());
            } else {
                *prepared = None;
            }
        }
    }

    /// Returns the light of the lava of `volume` on its surroundings, computed again only if
    /// `glow`, the crust or the lava changed.
    pub(crate) fn light(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        glow: Glow,
    ) -> Arc<EmberLight> {
        let lit = Lit {
            glow,
            crust: volume.crust.clone(),
        };
        let known = self.ember.take().filter(|(known, _)| known.is(&lit));
        let rows = changes.lava.rows;
        let (_, light) = self.ember.insert(
            known.unwrap_or_else(|| (lit, Arc::new(EmberLight::new(volume, Some(rows), glow)))),
        );
        Arc::clone(light)
    }

    /// Returns the gases of `volume`, computed again only if an input changed; `None` if there are
    /// none. `sun`: direction to the sun; `tall`: height of a cell in cell widths; `risen`: height
    /// in cells by which the eddies have risen.
    pub(crate) fn fog(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        (sun, tall, risen): (V3, f32, f32),
    ) -> Option<Arc<Fog>> {
        let wanted = Wanted::new(volume, (sun, tall), risen);
        let known = self
            .fog
            .take()
            .filter(|(known, _)| Some(known) == wanted.as_ref());
        self.fog = known.or_else(|| {
            let fog = Fog::new(volume, wanted.as_ref()?, |k| changes.media[k].rows);
            Some((wanted?, (!fog.is_empty()).then(|| Arc::new(fog))))
        });
        self.known_fog()
    }

    /// Returns the smoke of `volume`, computed again only if the air, `wanted` or the lava's light
    /// `ember` changed; `None` if there is none. Drops the cached haze.
    pub(crate) fn smoke(
        &mut self,
        volume: &Volume,
        wanted: smoke::Wanted,
        ember: &Arc<EmberLight>,
    ) -> Option<Arc<Smoke>> {
        self.haze = None;
        let source = volume.air.clone().map(|air| SmokeSource {
            air,
            wanted,
            ember: Arc::clone(ember),
        });
        let last = self.smoke.take();
        if last
            .as_ref()
            .is_some_and(|(known, _)| source.as_ref().is_some_and(|source| known.is(source)))
        {
            self.smoke = last;
        } else if let Some(source) = source {
            let earlier = last.and_then(|(_, smoke)| Arc::into_inner(smoke?));
            let smoke = Smoke::new(&source.air, &source.wanted, &source.ember.patches, earlier);
            self.smoke = Some((source, (!smoke.is_empty()).then(|| Arc::new(smoke))));
        }
        self.known_smoke()
    }

    /// Returns the haze of `volume` in the plain styles, computed again only if the air changed;
    /// `None` if there is none. Drops the cached smoke.
    pub(crate) fn haze(&mut self, volume: &Volume) -> Option<Arc<Haze>> {
        // One style at a time is drawn: data that only another style needs is not kept.
        self.smoke = None;
        let known = self.haze.take();
        let air = volume.air.as_ref()?;
        self.haze = known
            .filter(|(known, _)| Arc::ptr_eq(known, air))
            .or_else(|| {
                let haze = Haze::new(air);
                Some((Arc::clone(air), (!haze.is_empty()).then(|| Arc::new(haze))))
            });
        self.known_haze()
    }

    /// Returns the cached haze; `None` if there is no haze or the cached haze is outdated.
    pub(crate) fn known_haze(&self) -> Option<Arc<Haze>> {
        self.haze.as_ref()?.1.clone()
    }

    /// Returns the cached smoke; `None` if there is no smoke or the cached smoke is outdated.
    pub(crate) fn known_smoke(&self) -> Option<Arc<Smoke>> {
        self.smoke.as_ref()?.1.clone()
    }

    /// Returns the cached gases; `None` if there are no gases or the cached gases are outdated.
    pub(crate) fn known_fog(&self) -> Option<Arc<Fog>> {
        self.fog.as_ref()?.1.clone()
    }

    /// Returns the bricks of the lava.
    pub(crate) fn bricks(&self) -> &Bricks {
        &self.lava.bricks
    }

    /// Returns the bricks of each medium other than lava that is present in `volume` and for whose
    /// look `wanted` returns true.
    pub(crate) fn bricks_of_media(
        &self,
        volume: &Volume,
        wanted: impl Fn(&MaterialLook) -> bool,
    ) -> impl Iterator<Item = &Bricks> {
        let media = self
            .media
            .iter()
            .zip(&volume.media)
            .filter(move |(_, medium)| wanted(&medium.look));
        media.filter_map(|(prepared, _)| prepared.as_ref().map(|prepared| &prepared.bricks))
    }

    /// Returns the lava of `volume` with its bricks, ready for ray marching.
    pub(crate) fn field<'a>(
        &'a self,
        volume: &'a Volume,
        interest: Interest,
        skipping: Skipping,
    ) -> MediumField<'a> {
        self.lava.field(volume.lava(), interest, skipping)
    }

    /// Returns each medium other than lava that is present in `volume`, with its bricks ready for
    /// ray marching.
    pub(crate) fn media<'a>(
        &'a self,
        volume: &'a Volume,
        interest: Interest,
        skipping: Skipping,
    ) -> impl Iterator<Item = (&'a Medium, MediumField<'a>)> {
        self.media
            .iter()
            .zip(&volume.media)
            .filter_map(move |(prepared, medium)| {
                let fields = medium.fields(volume.grid)?;
                Some((
                    medium,
                    prepared
                        .as_ref()?
                        .field(fields, interest.of_clear_medium(), skipping),
                ))
            })
    }
}

impl PreparedField {
    /// Returns the bricks of an empty medium of shape `grid`.
    fn new(grid: Grid) -> Self {
        let interest = Interest {
            tall: 1.0,
            empty: u8::MAX,
            smoothing: 0.0,
            shaded: false,
        };
        Self {
            bricks: Bricks::new(thick(grid), interest),
            copy: None,
        }
    }

    /// Updates bricks and copy to the data `fields`. Computes only changed bricks if `changes`
    /// lists the changed cells and no copy is needed.
    fn follow(&mut self, fields: Fields<'_>, changes: &FieldChanges, interest: Interest) {
        // Bricks follow single changes only without a copy: smoothing spreads a change over
        // neighbours.
        let known = self.bricks.interest() == interest;
        match changes.changed {
            Some([]) if known => {}
            Some(changed) if known && self.copy.is_none() => {
                self.bricks.refresh(fields, changed.iter().copied())
            }
            _ => self.begin(fields, changes, interest),
        }
    }

    /// Computes bricks and copy from `fields`, without reuse of the previous bricks and copy.
    fn begin(&mut self, fields: Fields<'_>, changes: &FieldChanges, interest: Interest) {
        self.bricks = Bricks::new(thick(fields.grid), interest);
        self.copy = interest
            .copies(fields.grid)
            .then(|| FieldCopy::new(fields, interest.smoothing));
        match &self.copy {
            Some(copy) => self
                .bricks
                .refresh(copy.fields(), Change::of_rows(&rows(copy.fields()))),
            None => self.bricks.refresh(fields, Change::of_rows(changes.rows)),
        }
    }

    /// Returns the medium with the data `fields` and these bricks, ready for ray marching.
    fn field<'a>(
        &'a self,
        fields: Fields<'a>,
        interest: Interest,
        skipping: Skipping,
    ) -> MediumField<'a> {
        let met = self.copy.as_ref().map_or(fields, FieldCopy::fields);
        MediumField::new(met, fields.grid, &self.bricks, interest, skipping)
    }
}

impl Interest {
    /// Returns these properties with the smallest density to draw of media other than lava.
    fn of_clear_medium(self) -> Self {
        Self {
            empty: (LEAST * 255.0) as u8,
            ..self
        }
    }

    /// Returns true if a medium of shape `grid` needs a `FieldCopy`: for smoothing, or because the
    /// medium has fewer than two cells along an axis.
    fn copies(self, grid: Grid) -> bool {
        self.smoothing > 0.0 || thick(grid) != grid
    }
}

/// Returns the range along x of the cells with density or energy, for each row of cells (row index
/// `z · ny + y`).
pub fn rows(fields: Fields<'_>) -> Vec<Span> {
    let nx = fields.grid.nx;
    // Most rows are empty, and the maximum of a row takes many cells in one instruction.
    let held = |cells: &[u8]| cells.iter().copied().max() > Some(0);
    let span = |matter: &dyn Fn(usize) -> bool| {
        let from = (0..nx).find(|&x| matter(x)).map_or(u16::MAX, |x| x as u16);
        Span {
            from,
            to: (0..nx).rfind(|&x| matter(x)).map_or(0, |x| x as u16 + 1),
        }
    };
    let densities = fields.density.par_chunks(nx);
    if fields.energy.is_empty() {
        let full = |cells: &[u8]| {
            if held(cells) {
                span(&|x| cells[x] > 0)
            } else {
                Span::EMPTY
            }
        };
        return densities.with_min_len(64).map(full).collect();
    }
    let full = |(density, energy): (&[u8], &[u8])| {
        if !held(density) && !held(energy) {
            return Span::EMPTY;
        }
        span(&|x| density[x] > 0 || energy[x] > 0)
    };
    densities
        .zip(fields.energy.par_chunks(nx))
        .with_min_len(64)
        .map(full)
        .collect()
}

/// Returns the shape `grid` extended to at least two cells along each axis.
fn thick(grid: Grid) -> Grid {
    Grid::new(grid.nx.max(2), grid.ny.max(2), grid.nz.max(2))
}

impl FieldCopy {
    /// Returns a copy of `fields`, smoothed with a Gaussian of the standard deviation `smoothing`
    /// (cells; 0 for none). Along an axis with a single cell, the cell is repeated.
    fn new(fields: Fields<'_>, smoothing: f32) -> Self {
        let (from, grid) = (fields.grid, thick(fields.grid));
        let repeated = |values: &'_ [u8]| -> Vec<u8> {
            let held = |[x, y, z]: Place| {
                from.index([x.min(from.nx - 1), y.min(from.ny - 1), z.min(from.nz - 1)])
            };
            grid.places().map(|place| values[held(place)]).collect()
        };
        let field = |values: &[u8]| {
            if values.is_empty() {
                return Vec::new();
            }
            let values = if from == grid {
                Cow::Borrowed(values)
            } else {
                Cow::Owned(repeated(values))
            };
            if smoothing > 0.0 {
                smoothed(values.into_owned(), [grid.nx, grid.ny, grid.nz], smoothing)
            } else {
                values.into_owned()
            }
        };
        Self {
            grid,
            density: field(fields.density),
            energy: field(fields.energy),
        }
    }

    /// Returns the copied density and energy by reference.
    fn fields(&self) -> Fields<'_> {
        Fields {
            grid: self.grid,
            density: &self.density,
            energy: &self.energy,
        }
    }
}

/// Returns `values` smoothed by a separable Gaussian with five taps per axis; border values are
/// repeated outside. `side`: shape (x, y, z), x fastest; `radius`: standard deviation in cells.
fn smoothed(values: Vec<u8>, side: [usize; 3], radius: f32) -> Vec<u8> {
    let taps: [f32; 5] =
        std::array::from_fn(|i| (-0.5 * ((i as f32 - 2.0) / radius).powi(2)).exp());
    let total: f32 = taps.iter().sum();
    let strides = [1, side[0], side[0] * side[1]];
    (0..3).fold(values, |from, axis| {
        let at = |index: usize| {
            let place = (index / strides[axis] % side[axis]) as isize;
            let tap = |i: usize| {
                let moved = (place + i as isize - 2).clamp(0, side[axis] as isize - 1) - place;
                taps[i]
                    * f32::from(from[(index as isize + moved * strides[axis] as isize) as usize])
            };
            ((0..5).map(tap).sum::<f32>() / total + 0.5) as u8
        };
        (0..from.len()).into_par_iter().map(at).collect()
    })
}

/// Calls `see` with the lava of `volume`, in which every density above 0 is drawn.
#[cfg(test)]
pub(crate) fn with_field(volume: &Volume, see: impl FnOnce(&MediumField)) {
    let interest = Interest {
        tall: 1.0,
        empty: 0,
        smoothing: 0.0,
        shaded: true,
    };
    let mut prepared = Prepared::new(volume.grid);
    let lava = FieldChanges {
        rows: &rows(volume.lava()),
        changed: None,
    };
    prepared.follow(
        volume,
        &VolumeChanges {
            lava,
            media: Vec::new(),
        },
        interest,
    );
    see(&prepared.field(volume, interest, Skipping::Bricks));
}
