//! Slices: one layer of cells as a flat picture with axes, a colour bar and a title.

use crate::grid::Grid;
use crate::validate::Invalid;

use super::image::Image;
use super::legend::{Frame, Scale, color_bar, number, ticks};
use super::palette::Palette;
use super::text::{ADVANCE, HEIGHT, Ink, LINE};

const PAPER: [u8; 3] = [24, 26, 30];
const INK: [u8; 3] = [222, 222, 216];
const EMPTY: [u8; 3] = [10, 11, 14];
const ROCK: [u8; 3] = [96, 94, 92];
const ROCK_EDGE: [u8; 3] = [128, 125, 121];

/// The axis that a slice is perpendicular to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Seen from the west: z to the right, y up.
    X,
    /// Seen from above as on a map: x to the right (east), z down (south).
    Y,
    /// Seen from the south: x to the right, y up.
    Z,
}

/// Which cells to show, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSpec {
    /// Perpendicular axis.
    pub axis: Axis,
    /// Cell along that axis.
    pub cell: usize,
    /// Pixels per cell edge, 1 to 64.
    pub zoom: usize,
}

/// What is in one cell, as a slice shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// Nothing.
    Empty,
    /// Ground, drawn grey.
    Solid,
    /// A value on the slice's scale.
    Value(f32),
}

/// How values become colours and numbers.
#[derive(Clone, Debug)]
pub struct SliceStyle {
    /// Colours of the values.
    pub palette: Palette,
    /// What the values are.
    pub scale: Scale,
    /// Text above the picture.
    pub title: String,
}

impl Axis {
    fn name(self) -> char {
        match self {
            Self::X => 'x',
            Self::Y => 'y',
            Self::Z => 'z',
        }
    }

    /// Names of the picture's horizontal and vertical axes.
    fn across(self) -> (&'static str, &'static str) {
        match self {
            Self::X => ("z [cells]", "y"),
            Self::Y => ("x [cells]", "z"),
            Self::Z => ("x [cells]", "y"),
        }
    }

    /// Cells perpendicular to the slice, across the picture and down the picture.
    fn extents(self, grid: Grid) -> (usize, usize, usize) {
        match self {
            Self::X => (grid.nx, grid.nz, grid.ny),
            Self::Y => (grid.ny, grid.nx, grid.nz),
            Self::Z => (grid.nz, grid.nx, grid.ny),
        }
    }

    /// The cell (x, y, z) at column `i` and row `j` (from the top) of the picture.
    fn cell(self, grid: Grid, at: usize, (i, j): (usize, usize)) -> (usize, usize, usize) {
        match self {
            Self::X => (at, grid.ny - 1 - j, i),
            Self::Y => (i, at, j),
            Self::Z => (i, grid.ny - 1 - j, at),
        }
    }
}

impl SliceSpec {
    /// Checks that the slice lies in the box; errors carry the keys `slice.cell` and `slice.zoom`.
    pub fn validate(&self, grid: Grid) -> Result<(), Invalid> {
        let (depth, ..) = self.axis.extents(grid);
        if self.cell >= depth {
            return Err(Invalid::new("slice.cell", self.cell, format!("0 to {}", depth - 1)));
        }
        if !(1..=64).contains(&self.zoom) {
            return Err(Invalid::new("slice.zoom", self.zoom, "1 to 64"));
        }
        Ok(())
    }
}

/// Margins around the cells, in pixels.
struct Layout {
    ink: Ink,
    /// Where the cells are drawn.
    cells: Frame,
    width: usize,
    height: usize,
}

impl Layout {
    fn new(spec: &SliceSpec, grid: Grid, style: &SliceStyle) -> Self {
        let (_, across, down) = spec.axis.extents(grid);
        let (width, height) = (across * spec.zoom, down * spec.zoom);
        let ink = Ink { color: INK, scale: if width.max(height) > 900 { 2 } else { 1 } };
        let unit = ink.scale;
        let (left, top, bottom) = (6 * ADVANCE * unit, (LINE + 10) * unit, (2 * LINE + 12) * unit);
        let bar = (12 + 20 + 6 * ADVANCE) * unit;
        let heading = ink.width(&heading(spec, style)) + left + 8 * unit;
        let cells = Frame { x: left, y: top, width, height };
        Self { ink, cells, width: (left + width + bar).max(heading), height: top + height + bottom }
    }
}

fn heading(spec: &SliceSpec, style: &SliceStyle) -> String {
    format!("{}   {} = {}   {}", style.title, spec.axis.name(), spec.cell, style.scale.title())
}

/// Draws the slice `spec` of a box; `content` is asked for each of its cells (x, y, z).
///
/// # Errors
/// When the slice lies outside the box or the zoom is out of range.
pub fn slice(
    grid: Grid,
    spec: &SliceSpec,
    style: &SliceStyle,
    content: impl Fn(usize, usize, usize) -> Content,
) -> Result<Image, Invalid> {
    spec.validate(grid)?;
    let layout = Layout::new(spec, grid, style);
    let mut image = Image::filled(layout.width, layout.height, PAPER);
    let Frame { x: left, y: top, .. } = layout.cells;
    let (_, across, down) = spec.axis.extents(grid);
    let at = |i: usize, j: usize| {
        let (x, y, z) = spec.axis.cell(grid, spec.cell, (i, j));
        content(x, y, z)
    };
    for j in 0..down {
        for i in 0..across {
            let color = match at(i, j) {
                Content::Empty => EMPTY,
                Content::Solid if j > 0 && at(i, j - 1) != Content::Solid => ROCK_EDGE,
                Content::Solid => ROCK,
                Content::Value(value) => style.palette.srgb(style.scale.place(value)),
            };
            image.fill((left + i * spec.zoom, top + j * spec.zoom), (spec.zoom, spec.zoom), color);
        }
    }
    annotate(&mut image, &layout, (spec, style), grid);
    Ok(image)
}

fn annotate(image: &mut Image, layout: &Layout, (spec, style): (&SliceSpec, &SliceStyle), grid: Grid) {
    let (ink, cells) = (layout.ink, layout.cells);
    let unit = ink.scale;
    ink.draw(image, (cells.x, 5 * unit), &heading(spec, style));
    let (_, across, down) = spec.axis.extents(grid);
    let (horizontal, vertical) = spec.axis.across();
    let foot = cells.y + cells.height;
    let ticks_for = |count: usize, pixels: usize| ticks(0.0, count as f32, (pixels / (40 * unit)).clamp(2, 10));
    for tick in ticks_for(across, cells.width) {
        let x = cells.x + (tick * spec.zoom as f32) as usize;
        image.fill((x.min(cells.x + cells.width - 1), foot), (unit, 3 * unit), INK);
        ink.draw_centred(image, (x, foot + 5 * unit), &number(tick, across as f32));
    }
    ink.draw_centred(image, (cells.x + cells.width / 2, foot + (LINE + 7) * unit), horizontal);
    for tick in ticks_for(down, cells.height) {
        // On a map z grows downward; in a section y grows upward.
        let from_top = if spec.axis == Axis::Y { tick } else { down as f32 - tick };
        let y = cells.y + (from_top * spec.zoom as f32) as usize;
        image.fill((cells.x - 3 * unit, y.min(foot - 1)), (3 * unit, unit), INK);
        let label = (cells.x - 5 * unit, y.saturating_sub(unit * HEIGHT / 2));
        ink.draw_right(image, label, &number(tick, down as f32));
    }
    ink.draw(image, (3 * unit, cells.y + cells.height / 2 + LINE * unit), vertical);
    let bar = Frame { x: cells.x + cells.width + 12 * unit, y: cells.y, width: 12 * unit, height: cells.height };
    color_bar(image, bar, &style.palette, &style.scale, ink);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style() -> SliceStyle {
        let palette = Palette::named("gray").expect("a known name");
        SliceStyle { palette, scale: Scale::new("amount", "", (0.0, 1.0)), title: "test".into() }
    }

    #[test]
    fn cells_land_where_the_axes_say() {
        let grid = Grid::new(4, 3, 5);
        // One full cell in a corner that all three slices pass through.
        let content = |x: usize, y: usize, z: usize| match (x, y, z) {
            (3, 0, 1) => Content::Value(1.0),
            _ => Content::Empty,
        };
        for (axis, cell, (i, j)) in [(Axis::X, 3, (1, 2)), (Axis::Y, 0, (3, 1)), (Axis::Z, 1, (3, 2))] {
            let spec = SliceSpec { axis, cell, zoom: 4 };
            let image = slice(grid, &spec, &style(), content).expect("inside the box");
            let layout = Layout::new(&spec, grid, &style());
            let (x, y) = (layout.cells.x + 4 * i, layout.cells.y + 4 * j);
            assert_eq!((image.pixel(x, y), image.pixel(x + 3, y + 3)), ([255; 3], [255; 3]), "{axis:?}");
        }
    }

    #[test]
    fn a_slice_outside_the_box_is_refused() {
        let spec = SliceSpec { axis: Axis::Y, cell: 3, zoom: 1 };
        let refused = slice(Grid::new(4, 3, 5), &spec, &style(), |_, _, _| Content::Empty);
        assert_eq!(refused.map_err(|e| e.to_string()), Err("slice.cell = 3: must be 0 to 2".to_owned()));
    }

    #[test]
    fn the_smallest_box_fits() {
        let spec = SliceSpec { axis: Axis::Z, cell: 0, zoom: 1 };
        assert!(slice(Grid::new(1, 1, 1), &spec, &style(), |_, _, _| Content::Solid).is_ok());
    }
}
