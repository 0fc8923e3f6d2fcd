//! Axes around a frame of cells: numbers in cells on one side, in metres or coordinates of a map on the other.

use crate::chart::legend::{Frame, stroke};
use crate::chart::text::{Align, Ink};
use crate::chart::ticks::{Ticks, number};
use crate::image::Image;

/// Ruler of the cells along an axis of the box.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    /// Name of the measure, such as `elevation`.
    pub name: String,
    /// Its unit, such as `m`.
    pub unit: String,
    /// Note, such as `drawn × 2`; empty for none.
    pub note: String,
    /// The value where cell 0 begins.
    pub start: f64,
    /// Growth by a cell; below 0 where values fall.
    pub per_cell: f64,
}

/// Sizes of the parts of an axis, in ems: a tick, gaps, and what a line of text takes across.
const TICK: f32 = 0.3;
const GAP: f32 = 0.25;
const LINE: f32 = 1.05;

/// Which side of the frame an axis is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Bottom,
    Left,
    Top,
    Right,
}

/// An axis of a frame.
pub(crate) struct Axis<'a> {
    pub(crate) side: Side,
    pub(crate) ruler: &'a Ruler,
    /// Cells at the left and right end, or at the lower and upper one.
    pub(crate) cells: (f64, f64),
    /// Least that two numbers may be apart, in units of the ruler.
    pub(crate) least: f64,
    pub(crate) ink: Ink,
    /// Whether its title is written.
    pub(crate) titled: bool,
}

impl Ruler {
    /// A ruler that starts at `start` and rises by `per_cell` with each cell.
    pub fn new(name: &str, unit: &str, start: f64, per_cell: f64) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned(), note: String::new(), start, per_cell }
    }

    /// Cells themselves, along the axis `x`, `y` or `z`.
    pub fn of_cells(axis: char) -> Self {
        Self::new(&axis.to_string(), "cells", 0.0, 1.0)
    }

    /// The value at a distance in cells from where cell 0 begins.
    pub fn at(&self, cells: f64) -> f64 {
        self.start + cells * self.per_cell
    }

    /// The middle of a cell in words, such as `elevation 735 m`.
    pub fn middle_of(&self, cell: usize) -> String {
        let value = number(self.at(cell as f64 + 0.5), 0.05 * self.per_cell);
        let gap = if self.unit == "°" { "" } else { " " };
        format!("{} {value}{gap}{}", self.name, self.unit)
    }

    /// Name, unit and note, as next to an axis.
    pub fn title(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!(", {}", self.note) };
        format!("{} [{}]{note}", self.name, self.unit)
    }
}

impl Side {
    pub(crate) fn is_upright(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }
}

impl Axis<'_> {
    /// The numbers, for an axis of so many pixels.
    fn ticks(&self, pixels: f32) -> Ticks {
        let (a, b) = (self.ruler.at(self.cells.0), self.ruler.at(self.cells.1));
        let em = self.ink.size;
        let room = |label: &str| if self.side.is_upright() { 1.6 * em } else { self.ink.width(label) + 0.9 * em };
        Ticks::fitting((a.min(b), a.max(b)), self.least, pixels, room)
    }

    /// Pixels that ticks, numbers and title take next to the frame, for an axis of so many pixels.
    pub(crate) fn depth(&self, pixels: f32) -> f32 {
        let across = match self.side.is_upright() {
            true => self.ticks(pixels).labels().map(|label| self.ink.width(&label)).fold(0.0, f32::max),
            false => LINE * self.ink.size,
        };
        let title = if self.titled { GAP + LINE } else { 0.0 };
        across + (TICK + GAP + title) * self.ink.size
    }

    /// Draws it next to `frame`, `out` pixels further out than at its edge.
    pub(crate) fn draw(&self, image: &mut Image, frame: Frame, out: f32) {
        let pixels = if self.side.is_upright() { frame.height } else { frame.width } as f32;
        let ticks = self.ticks(pixels);
        let em = self.ink.size;
        for (value, label) in ticks.values.iter().zip(ticks.labels()) {
            let along = self.place(*value) as f32 * pixels;
            self.tick(image, frame, (along, out));
            let text = self.spot(frame, along, out + (TICK + GAP) * em);
            match self.side {
                Side::Bottom | Side::Top => {
                    let (x, y) = (self.inside(image, text.0, &label), text.1 + self.away() * 0.5 * em);
                    self.ink.draw(image, (x, y), Align::Middle, &label);
                }
                Side::Left => self.ink.draw(image, text, Align::End, &label),
                Side::Right => self.ink.draw(image, text, Align::Start, &label),
            }
        }
        if self.titled {
            let middle = self.spot(frame, 0.5 * pixels, out + self.depth(pixels) - 0.5 * LINE * em);
            if self.side.is_upright() {
                // Next to a flat frame it is the longer one, and grows downwards: the heading is above.
                let (upper, lower) = (frame.y as f32 - 2.0 * em, image.height as f32 - 0.3 * em);
                let title = self.ink.shortened(&self.ruler.title(), lower - upper);
                let reach = 0.5 * self.ink.width(&title);
                let y = middle.1.max(upper + reach).min(lower - reach);
                self.ink.draw_upward(image, (middle.0, y), Align::Middle, &title);
            } else {
                let title = self.ink.shortened(&self.ruler.title(), image.width as f32);
                let x = self.inside(image, middle.0, &title);
                self.ink.draw(image, (x, middle.1), Align::Middle, &title);
            }
        }
    }

    /// Place of a value along the axis, 0 at its left or lower end, 1 at the other.
    fn place(&self, value: f64) -> f64 {
        let (a, b) = (self.ruler.at(self.cells.0), self.ruler.at(self.cells.1));
        (value - a) / (b - a)
    }

    /// The middle of a text so near to `x` that the text stays in the picture.
    fn inside(&self, image: &Image, x: f32, text: &str) -> f32 {
        let reach = 0.5 * self.ink.width(text) + 0.15 * self.ink.size;
        x.min(image.width as f32 - reach).max(reach)
    }

    /// 1 where further out is further down or right, else −1.
    fn away(&self) -> f32 {
        if matches!(self.side, Side::Bottom | Side::Right) { 1.0 } else { -1.0 }
    }

    /// The pixel `along` the axis and `out` of the frame.
    fn spot(&self, frame: Frame, along: f32, out: f32) -> (f32, f32) {
        let (left, top) = (frame.x as f32, frame.y as f32);
        let (right, foot) = (left + frame.width as f32, top + frame.height as f32);
        match self.side {
            Side::Bottom => (left + along, foot + out),
            Side::Top => (left + along, top - out),
            Side::Left => (left - out, foot - along),
            Side::Right => (right + out, foot - along),
        }
    }

    fn tick(&self, image: &mut Image, frame: Frame, (along, out): (f32, f32)) {
        let thick = stroke(self.ink);
        let long = (TICK * self.ink.size).round().max(2.0);
        let pixels = if self.side.is_upright() { frame.height } else { frame.width } as f32;
        let along = along.clamp(0.5 * thick as f32, pixels - 0.5 * thick as f32);
        let (near, far) = (self.spot(frame, along, out), self.spot(frame, along, out + long));
        let (x, y) = (near.0.min(far.0), near.1.min(far.1));
        let (corner, size) = match self.side.is_upright() {
            true => ((x, y - 0.5 * thick as f32), (long as usize, thick)),
            false => ((x - 0.5 * thick as f32, y), (thick, long as usize)),
        };
        // Halves go the same way whatever the rounding before.
        let pixel = |at: f32| (at + 0.25).floor().max(0.0) as usize;
        image.fill((pixel(corner.0), pixel(corner.1)), size, self.ink.color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_cell_has_as_many_digits_as_it_needs() {
        let elevation = Ruler::new("elevation", "m", 94.0, 3.0);
        assert_eq!(elevation.middle_of(4), "elevation 107.5 m");
        assert_eq!(Ruler::new("easting", "m", 2_667_400.0, 10.0).middle_of(62), "easting 2668025 m");
        assert_eq!(Ruler::new("latitude", "°", 46.25, -0.001).middle_of(10), "latitude 46.2395°");
    }

    #[test]
    fn titles_name_the_unit() {
        let elevation = Ruler { note: "drawn × 2".into(), ..Ruler::new("elevation", "m", 0.0, 5.0) };
        assert_eq!([elevation.title(), Ruler::of_cells('x').title()], ["elevation [m], drawn × 2", "x [cells]"]);
    }

    /// Rows of an axis at the left whose ticks reach to the frame.
    fn ticked(ruler: &Ruler, cells: (f64, f64)) -> Vec<usize> {
        let mut image = Image::filled(200, 240, [0; 3]);
        let ink = Ink { color: [255; 3], size: 12.0 };
        let frame = Frame { x: 100, y: 20, width: 60, height: 200 };
        let axis = Axis { side: Side::Left, ruler, cells, least: 0.0, ink, titled: true };
        axis.draw(&mut image, frame, 0.0);
        (0..240).filter(|y| image.pixel(99, *y) == [255; 3]).collect()
    }

    #[test]
    fn ticks_are_where_their_values_are() {
        // Elevations 100 to 200 m on 200 pixels: one every 10 m.
        let rising = ticked(&Ruler::new("elevation", "m", 80.0, 10.0), (2.0, 12.0));
        assert_eq!((rising.len(), rising[0], rising[rising.len() - 1]), (11, 20, 219), "{rising:?}");
        assert!(rising.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(20) <= 1), "{rising:?}");
        // Cells counted downwards, as z on a map: 0 at the top.
        let falling = ticked(&Ruler::of_cells('z'), (10.0, 0.0));
        assert_eq!(falling, rising);
    }
}
