//! Slices of a simulation as pictures, all those of a film on one scale.

use lavoxel::map::Site;
use lavoxel::render::{
    Axis, Content, Crop, Field, Image, Palette, Ruler, Scale, SliceSpec, SliceStyle, Survey, round_up, slice,
};
use lavoxel::simulation::Simulation;
use lavoxel::units;
use lavoxel::validate::Invalid;

use super::painter::Section;

/// A slice from frame to frame.
pub(super) struct Slices {
    axis: Axis,
    cell: usize,
    field: Field,
    palette: Palette,
    rulers: [Vec<Ruler>; 3],
    /// None to show the whole box.
    crop: Option<Crop>,
    /// Largest value so far.
    largest: f32,
}

impl Slices {
    /// Slices through a box at `site`.
    ///
    /// # Errors
    /// When they are outside the box.
    pub(super) fn new(section: Section, site: &Site, palette: Palette) -> Result<Self, Invalid> {
        Ok(Self {
            axis: section.cut.axis,
            cell: section.cut.cell(site)?,
            field: section.field,
            palette,
            rulers: site.rulers(),
            crop: (!section.whole).then(Crop::default),
            largest: 0.0,
        })
    }

    /// Draws the simulation as it is now, in `size` pixels.
    pub(super) fn draw(
        &mut self,
        simulation: &Simulation,
        size: (usize, usize),
        title: String,
    ) -> Result<Image, Invalid> {
        let world = simulation.world();
        let grid = world.grid();
        let field = self.field;
        let content = |x: usize, y: usize, z: usize| {
            if world.ground().is_solid(x, y, z) {
                return Content::Solid;
            }
            let cell = world.lava().cell(grid.index(x, y, z));
            match (cell.amount, field) {
                (0, _) => Content::Empty,
                (_, Field::Energy) => Content::Value(units::energy(cell.energy)),
                (amount, Field::Amount | Field::Solid) => Content::Value(units::amount(amount)),
            }
        };
        let mut spec = SliceSpec::whole(grid, self.axis, self.cell, size);
        let survey = Survey::of(grid, self.axis, self.cell, content);
        self.largest = self.largest.max(survey.largest);
        if let Some(crop) = &mut self.crop {
            spec.shown = crop.show(survey.extent, spec.shown);
        }
        let (palette, scale, rulers) = (self.palette.clone(), self.scale(), self.rulers.clone());
        slice(grid, &spec, &SliceStyle { palette, scale, title, rulers }, content)
    }

    /// What the colours mean. Energy goes from 0 to 1, which a full cell of fresh lava has, so that pictures compare;
    /// where there is more, to the largest value.
    fn scale(&self) -> Option<Scale> {
        match self.field {
            Field::Amount => Some(Scale::amount()),
            Field::Energy => Some(Scale::energy().up_to(round_up(self.largest.max(1.0).into()) as f32)),
            Field::Solid => None,
        }
    }
}
