//! Slices: one plane of cells of the simulation as a two-dimensional picture with axes, colour bar
//! and title.

mod arrows;
mod cells;
mod cut;
mod layout;
mod plane;
mod sample;
mod slices;
mod survey;

use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::validate::Invalid;

use super::image::Image;
use crate::chart::axes::Ruler;
use crate::chart::key::Plain;
use crate::chart::legend::{Frame, Scale, stroke};
use crate::chart::text::{Align, Ink};
use arrows::Arrows;
use cells::Cells;
use lavoxel_automaton::view::Palette;
use layout::Layout;
pub use plane::Plane;
pub use sample::Sample;
pub use slices::{Section, Slices};
pub use survey::{Crop, Survey};

/// Background colour of a slice's picture (sRGB).
const PAPER: [u8; 3] = [24, 26, 30];
/// Colour of text and axes in a slice's picture (sRGB).
const INK: [u8; 3] = [226, 226, 220];
/// Colour of empty cells in a slice (sRGB); by a test, different from the colours of rock,
/// materials and palettes.
const AIR: [u8; 3] = [50, 62, 80];
/// Colour of rock cells in a slice (sRGB).
const ROCK: [u8; 3] = [128, 120, 110];
/// Colour in a slice of rock cells next to a cell that is not rock (sRGB).
const ROCK_EDGE: [u8; 3] = [172, 164, 152];
/// Colour of the line around the cells of a slice (sRGB).
const BORDER: [u8; 3] = [96, 98, 102];

/// Axis of the simulation box to which a slice is perpendicular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Slice perpendicular to x, seen from the west: z to the right, y up.
    X,
    /// Slice perpendicular to y, seen from above as on a map: x to the right (east), z down
    /// (south).
    Y,
    /// Slice perpendicular to z, seen from the south: x to the right, y up.
    Z,
}

/// Slice to draw: its plane of cells, the cells that are shown, and the size of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSpec {
    /// Axis to which the slice is perpendicular.
    pub axis: Axis,
    /// Index of the shown plane of cells along `axis`.
    pub cell: usize,
    /// Rectangle of cells of the plane that the picture shows.
    pub shown: CellRect,
    /// Width and height of the whole picture in pixels.
    pub size: (usize, usize),
}

/// Rectangle of cells in a slice: half-open ranges of cell indices along the width and the height
/// of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRect {
    /// Range [first, end) of cells along the picture's width: z for a slice perpendicular to x,
    /// otherwise x.
    pub across: [usize; 2],
    /// Range [first, end) of cells along the picture's height: z for a slice perpendicular to y,
    /// otherwise y.
    pub up: [usize; 2],
}

/// Content of a cell in a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// No matter: air, or the value 0 of the shown quantity.
    Empty,
    /// Rock, drawn grey.
    Solid,
    /// Material shown in a single colour without a value; the number is its index in
    /// `SliceStyle::materials`.
    Material(u8),
    /// Value of the shown quantity in the cell, in the unit of the slice's scale.
    Value(f32),
}

/// Colours, scale, title and rulers of a slice's picture.
#[derive(Clone, Debug)]
pub struct SliceStyle {
    /// Palette in which the values of cells are drawn.
    pub palette: Palette,
    /// Name, range and unit of the values; `None` if the slice shows only materials without values.
    pub scale: Option<Scale>,
    /// Set if empty cells are drawn as the value 0, as in slices of the air; otherwise empty cells
    /// are drawn in a separate colour.
    pub empty_is_zero: bool,
    /// Materials shown in a single colour without values; `Content::Material` is an index into this
    /// list.
    pub materials: Vec<Plain>,
    /// Title above the cells.
    pub title: String,
    /// Additional rulers along x, y and z, such as metres; rulers in cells are always drawn.
    pub rulers: [Vec<Ruler>; 3],
}

impl Axis {
    fn name(self) -> char {
        ['x', 'y', 'z'][self.number()]
    }

    /// Returns the index of the axis: 0 for x, 1 for y, 2 for z.
    pub fn number(self) -> usize {
        self as usize
    }

    /// Returns the axes that are horizontal and vertical in the picture of a slice perpendicular to
    /// this axis.
    fn across(self) -> (Self, Self) {
        match self {
            Self::X => (Self::Z, Self::Y),
            Self::Y => (Self::X, Self::Z),
            Self::Z => (Self::X, Self::Y),
        }
    }

    /// Returns the number of cells of `grid` along this axis.
    pub fn cells(self, grid: Grid) -> usize {
        [grid.nx, grid.ny, grid.nz][self.number()]
    }

    /// Returns the indices (x, y, z) of the cell in column `i` along the picture's width and row
    /// `j` along its height axis, for a slice perpendicular to this axis in the plane of cells with
    /// the index `at`.
    fn cell(self, at: usize, (i, j): (usize, usize)) -> Place {
        match self {
            Self::X => [at, j, i],
            Self::Y => [i, at, j],
            Self::Z => [i, j, at],
        }
    }
}

impl SliceSpec {
    /// Returns a slice that shows the whole plane of cells with the index `cell`, perpendicular to
    /// `axis`, in a picture of `size` (width, height) pixels.
    pub fn whole(grid: Grid, axis: Axis, cell: usize, size: (usize, usize)) -> Self {
        Self {
            axis,
            cell,
            shown: CellRect::whole(grid, axis),
            size,
        }
    }

    /// Checks that the plane of cells and the shown rectangle lie in a simulation box of shape
    /// `grid`. Errors carry the key `slice.cell` or `slice.shown`.
    pub fn validate(&self, grid: Grid) -> Result<(), Invalid> {
        let depth = self.axis.cells(grid);
        if self.cell >= depth {
            return Err(Invalid::new(
                "slice.cell",
                self.cell,
                format!("0 to {}", depth - 1),
            ));
        }
        let all = CellRect::whole(grid, self.axis);
        for ([low, high], [_, most]) in [(self.shown.across, all.across), (self.shown.up, all.up)] {
            if low >= high || high > most {
                return Err(Invalid::new(
                    "slice.shown",
                    format!("{low}..{high}"),
                    format!("a part of 0..{most}"),
                ));
            }
        }
        Ok(())
    }
}

impl CellRect {
    /// Returns the rectangle of all cells of a slice perpendicular to `axis`.
    pub fn whole(grid: Grid, axis: Axis) -> Self {
        let (across, up) = axis.across();
        Self {
            across: [0, across.cells(grid)],
            up: [0, up.cells(grid)],
        }
    }

    /// Returns the number of cells of the rectangle along the picture's width and height.
    fn cells(self) -> (usize, usize) {
        (self.across[1] - self.across[0], self.up[1] - self.up[0])
    }
}

impl SliceStyle {
    /// Returns the sRGB colour in which a cell with the value `value` is drawn.
    fn color(&self, value: f32) -> [u8; 3] {
        self.palette
            .srgb(self.scale.as_ref().map_or(1.0, |scale| scale.place(value)))
    }

    /// Returns the sRGB colour in which empty cells are drawn.
    fn empty(&self) -> [u8; 3] {
        if self.empty_is_zero {
            self.color(0.0)
        } else {
            AIR
        }
    }

    /// Returns the position of the slice `spec` as text: axis and index of the plane of cells, and
    /// the plane's value on each ruler.
    fn place(&self, spec: &SliceSpec) -> String {
        let measured = self.rulers[spec.axis.number()]
            .iter()
            .map(|ruler| format!(", {}", ruler.middle_of(spec.cell)));
        format!(
            "{} = {}{}",
            spec.axis.name(),
            spec.cell,
            measured.collect::<String>()
        )
    }
}

/// Draws the slice `spec` of a simulation box of shape `grid`; `content` returns the content of a
/// cell.
///
/// # Errors
/// When the slice lies outside the simulation box.
pub fn slice(
    grid: Grid,
    spec: &SliceSpec,
    style: &SliceStyle,
    content: impl Fn(Place) -> Content,
) -> Result<Image, Invalid> {
    slice_of_motion(grid, spec, style, content, |_| None)
}

/// Draws the slice `spec` with velocity arrows, which show the velocity's component in the plane of
/// the slice. `content` returns the content of a cell; `motion` returns the velocity of a cell
/// along x, y and z in the unit of the scale, `None` for no arrow. A speed at the upper end of the
/// scale has the longest arrow.
///
/// # Errors
///
/// When the slice lies outside the simulation box.
pub fn slice_of_motion(
    grid: Grid,
    spec: &SliceSpec,
    style: &SliceStyle,
    content: impl Fn(Place) -> Content,
    motion: impl Fn(Place) -> Option<[f32; 3]>,
) -> Result<Image, Invalid> {
    spec.validate(grid)?;
    let (width, height) = spec.size;
    let mut image = Image::filled(width, height, PAPER);
    let layout = Layout::new(spec, style);
    frame(&mut image, layout.cells, layout.ink);
    // Cells first, arrows and axes later: each covers the parts drawn before.
    Cells {
        grid,
        spec,
        style,
        content,
    }
    .draw(&mut image, layout.cells);
    let fastest = style.scale.as_ref().map_or(1.0, |scale| scale.range.1);
    Arrows {
        spec,
        ink: layout.ink,
        motion,
        fastest,
    }
    .draw(&mut image, layout.cells);
    for (axis, out) in &layout.axes {
        axis.draw(&mut image, layout.cells, *out);
    }
    if let Some((bar, place)) = &layout.bar {
        bar.draw(&mut image, *place);
    }
    if let Some((left, right, middle)) = layout.heading {
        heading(
            &mut image,
            (left, right, middle),
            layout.ink,
            [&style.title, &style.place(spec)],
        );
    }
    if let Some((x, y)) = layout.key {
        key(&mut image, (x, y), layout.ink, style);
    }
    Ok(image)
}

/// Draws a thin line around `cells`, the rectangle of the picture that shows the cells.
fn frame(image: &mut Image, cells: Frame, ink: Ink) {
    let thick = stroke(ink);
    let corner = (cells.x.saturating_sub(thick), cells.y.saturating_sub(thick));
    image.fill(
        corner,
        (cells.width + 2 * thick, cells.height + 2 * thick),
        BORDER,
    );
}

/// Writes the heading of a slice: the title from `left` on, the position of the slice up to
/// `right`, centred at the height `middle` (pixels). With this order, the text of a film's frames
/// does not shift when numbers gain digits.
fn heading(
    image: &mut Image,
    (left, right, middle): (f32, f32, f32),
    ink: Ink,
    [title, place]: [&str; 2],
) {
    let gap = 1.5 * ink.size;
    let place = ink.shortened(place, right - left);
    let title = ink.shortened(title, right - left - ink.width(&place) - gap);
    ink.draw(image, (left, middle), Align::Start, &title);
    ink.draw(image, (right, middle), Align::End, &place);
}

/// Draws the key of air, rock and materials without values, line by line downwards; (`x`, `y`):
/// upper left corner of the key in pixels.
fn key(image: &mut Image, (x, y): (f32, f32), ink: Ink, style: &SliceStyle) {
    let em = ink.size;
    for (row, (name, color)) in entries(style).enumerate() {
        let top = y + layout::KEY_LINE * em * row as f32;
        let corner = (x.round() as usize, top.round() as usize);
        image.fill(corner, (em.round() as usize, em.round() as usize), color);
        ink.draw(
            image,
            (x + layout::KEY_TEXT * em, top + 0.5 * em),
            Align::Start,
            name,
        );
    }
}

fn entries(style: &SliceStyle) -> impl Iterator<Item = (&str, [u8; 3])> {
    let materials = style
        .materials
        .iter()
        .map(|material| (&material.name[..], material.color));
    // No entry for air where empty cells have the value 0: the colour bar shows the colour of 0.
    let air = (!style.empty_is_zero).then_some(("air", AIR));
    air.into_iter().chain(materials).chain([("rock", ROCK)])
}

#[cfg(test)]
mod tests;
