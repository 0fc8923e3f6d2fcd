//! Slices of a simulation as the frames of a film, whose colour scale keeps or widens its range
//! from frame to frame.

use super::{Axis, Crop, Plane, Sample, SliceSpec, SliceStyle, Survey, slice_of_motion};
use crate::chart::key::{Plain, palette_of_quantity};
use crate::{Image, Palette, Ruler, Scale, round_up};
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::validate::Invalid;
use lavoxel_geo::map::Site;
use lavoxel_sim::simulation::Simulation;

/// Slice that a user asks for: plane, quantity and extent.
#[derive(Clone, Debug)]
pub struct Section {
    /// Plane of the slice.
    pub plane: Plane,
    /// Quantity that the slice shows.
    pub quantity: Quantity,
    /// Set to show the whole plane of cells; clear to show only the rectangle with content.
    pub whole: bool,
}

/// Painter of one slice of a simulation for all frames of a film.
#[derive(Debug)]
pub struct Slices {
    axis: Axis,
    cell: usize,
    quantity: Quantity,
    /// Palette for slices of the lava's values.
    palette: Palette,
    /// Temperatures in kelvin of lava with the energy per amount 0 and 1; `None` if unknown.
    kelvin: Option<[f32; 2]>,
    rulers: [Vec<Ruler>; 3],
    /// Crop of the frames to their content; `None` shows the whole plane of cells.
    crop: Option<Crop>,
    /// Largest value of the quantity in all frames drawn so far, from which the range of the colour
    /// scale is derived; keeps the range from shrinking in a film.
    largest: f32,
}

impl Slices {
    /// Prepares the slice `section` through the simulation box at `site`. `palette` and `kelvin`
    /// (temperatures at energy per amount 0 and 1) are used for the lava.
    ///
    /// # Errors
    ///
    /// If the plane lies outside the simulation box.
    pub fn new(
        section: Section,
        site: &Site,
        (palette, kelvin): (Palette, Option<[f32; 2]>),
    ) -> Result<Self, Invalid> {
        Ok(Self {
            axis: section.plane.axis,
            cell: section.plane.cell(site)?,
            quantity: section.quantity,
            palette,
            kelvin,
            rulers: Ruler::all(site),
            crop: (!section.whole).then(Crop::default),
            largest: 0.0,
        })
    }

    /// Draws the slice in the present state of `simulation` with the title `title`, in a picture of
    /// `size` (width, height) pixels.
    ///
    /// # Errors
    /// If the slice lies outside the simulation box of the simulation.
    pub fn draw(
        &mut self,
        simulation: &Simulation,
        size: (usize, usize),
        title: String,
    ) -> Result<Image, Invalid> {
        let world = simulation.world();
        let grid = world.grid();
        let sample = Sample::new(world, &self.quantity);
        let content = |place| sample.at(place);
        let mut spec = SliceSpec::whole(grid, self.axis, self.cell, size);
        let survey = Survey::new(grid, self.axis, self.cell, content);
        self.largest = self.largest.max(survey.largest);
        let materials = sample.plain();
        if let Some(crop) = &mut self.crop {
            spec.shown = crop.show(survey.extent, spec.shown);
        }
        let own = palette_of_quantity(&self.quantity, world.materials());
        let style = SliceStyle {
            palette: own.unwrap_or_else(|| self.palette.clone()),
            scale: self.scale(&materials),
            empty_is_zero: self.quantity.is_of_air(),
            materials,
            title,
            rulers: self.rulers.clone(),
        };
        slice_of_motion(grid, &spec, &style, content, |place| sample.motion(place))
    }

    /// Returns the colour scale of the slice; `None` if cells have no value of the quantity.
    /// Energies have the range 0 to 1 (energy of a full cell of fresh lava) in all pictures, which
    /// makes pictures comparable; larger values extend the range. `others`: materials shown without
    /// values.
    fn scale(&self, others: &[Plain]) -> Option<Scale> {
        let scale = Scale::among(&self.quantity, !others.is_empty())?
            .in_celsius(&self.quantity, self.kelvin);
        Some(match self.quantity.measure() {
            CellMeasure::Energy | CellMeasure::SpecificEnergy => {
                scale.up_to(round_up(self.largest.max(1.0).into()) as f32)
            }
            CellMeasure::Heat
            | CellMeasure::Ash
            | CellMeasure::Steam
            | CellMeasure::Ink
            | CellMeasure::Speed
            | CellMeasure::Viscosity
                if self.largest > 0.0 =>
            {
                scale.up_to(round_up(self.largest.into()) as f32)
            }
            CellMeasure::VelocityEast | CellMeasure::VelocityNorth if self.largest > 0.0 => {
                let most = round_up(self.largest.into()) as f32;
                Scale {
                    range: (-most, most),
                    ..scale
                }
            }
            _ => scale,
        })
    }
}
