//! Velocity arrows over the cells of a slice. An arrow shows the velocity's component in the plane
//! of the slice, with a length proportional to the square root of the component's speed: a jet and
//! the wind around differ in speed by a factor of ten, and both must be visible.

use crate::chart::legend::Frame;
use crate::chart::text::Ink;
use crate::image::Image;
use lavoxel_base::grid::Place;

use super::{Axis, SliceSpec};

/// Distance between neighbouring arrows, in ems.
const APART: f32 = 1.9;
/// Length of the longest arrow, as a multiple of `APART`, the distance between arrows.
const LONGEST: f32 = 1.15;
/// Length below which arrows are not drawn, in ems.
const SHORTEST: f32 = 0.25;
/// Width of the lines of an arrow, in ems.
const LINE: f32 = 0.085;
/// Width of the dark outline around an arrow, in ems; the outline separates the arrow from light
/// cells.
const RIM: f32 = 0.075;
/// Length of the two lines of an arrow's head, in ems.
const HEAD: f32 = 0.42;
/// Maximum length of the two lines of an arrow's head, as a fraction of the arrow's length.
const HEAD_SHARE: f32 = 0.6;
/// Tangent of half the opening angle of an arrow's head.
const SPREAD: f32 = 0.55;
/// Colour of an arrow's lines (sRGB, 0 to 255).
const BRIGHT: [f32; 3] = [246.0, 246.0, 240.0];
/// Colour of an arrow's outline (sRGB, 0 to 255).
const DARK: [f32; 3] = [14.0, 16.0, 20.0];
/// Opacity of an arrow's outline (0 to 1).
const RIM_SHARE: f32 = 0.75;

/// Velocity arrows over the cells of a slice.
pub(super) struct Arrows<'a, F> {
    pub(super) spec: &'a SliceSpec,
    pub(super) ink: Ink,
    /// Function that returns the velocity of a cell along x, y and z; `None` for cells without an
    /// arrow.
    pub(super) motion: F,
    /// Speed from which on arrows have the greatest length, in the unit of `motion`.
    pub(super) fastest: f32,
}

/// Position or offset in a picture: to the right and down, in pixels.
type Pixels = [f32; 2];

impl<F: Fn(Place) -> Option<[f32; 3]>> Arrows<'_, F> {
    /// Draws the arrows into `image` over the cells, which are drawn in the rectangle `frame`.
    pub(super) fn draw(&self, image: &mut Image, frame: Frame) {
        let apart = APART * self.ink.size;
        let count = |pixels: usize| ((pixels as f32 / apart) as usize).max(1);
        let (columns, rows) = (count(frame.width), count(frame.height));
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)))
        {
            let middle = |k: usize, count: usize, pixels: usize| {
                (k as f32 + 0.5) * pixels as f32 / count as f32
            };
            let place = [
                middle(column, columns, frame.width),
                middle(row, rows, frame.height),
            ];
            let Some(velocity) = (self.motion)(self.cell(place, frame)) else {
                continue;
            };
            let way = self
                .seen(velocity)
                .map(|speed| speed / self.fastest.max(f32::MIN_POSITIVE));
            let speed = way[0].hypot(way[1]);
            let length = speed.min(1.0).sqrt() * LONGEST * apart;
            if length >= SHORTEST * self.ink.size {
                let way = way.map(|part| part / speed * length);
                self.arrow(
                    image,
                    frame,
                    ([frame.x as f32 + place[0], frame.y as f32 + place[1]], way),
                );
            }
        }
    }

    /// Returns the cell that is drawn at the picture position (`x`, `y`), given in pixels from the
    /// upper left corner of `frame`.
    fn cell(&self, [x, y]: Pixels, frame: Frame) -> Place {
        let SliceSpec {
            axis, cell, shown, ..
        } = *self.spec;
        let along = |[first, end]: [usize; 2], share: f32| {
            let cells = (end - first) as f32;
            first + ((share * cells) as usize).min(end - first - 1)
        };
        let down = y / frame.height as f32;
        // On a map z grows downwards.
        let up = if axis == Axis::Y { down } else { 1.0 - down };
        axis.cell(
            cell,
            (
                along(shown.across, x / frame.width as f32),
                along(shown.up, up),
            ),
        )
    }

    /// Returns the component of the velocity (`east`, `up`, `south`) in the plane of the slice, as
    /// (right, down) in the picture.
    fn seen(&self, [east, up, south]: [f32; 3]) -> Pixels {
        match self.spec.axis {
            Axis::X => [south, -up],
            Axis::Y => [east, south],
            Axis::Z => [east, -up],
        }
    }

    /// Draws an arrow with the length and direction `way` and its centre at `middle`, clipped to
    /// `frame`; all in pixels.
    fn arrow(&self, image: &mut Image, frame: Frame, (middle, way): (Pixels, Pixels)) {
        let em = self.ink.size;
        let length = way[0].hypot(way[1]);
        let toward = way.map(|part| part / length);
        let aside = [-toward[1], toward[0]];
        let at = |along: f32, across: f32| {
            [0, 1].map(|k| middle[k] + toward[k] * along + aside[k] * across)
        };
        let (tip, tail) = (at(0.5 * length, 0.0), at(-0.5 * length, 0.0));
        let head = (HEAD * em).min(HEAD_SHARE * length);
        let sides = [-1.0, 1.0].map(|side| at(0.5 * length - head, side * SPREAD * head));
        let lines = [(tail, tip), (sides[0], tip), (sides[1], tip)];
        // Lower bounds in pixels: in a small picture, thinner lines would vanish.
        let half = (0.5 * LINE * em).max(0.5);
        let rim = (RIM * em).max(0.8);
        let reach = 0.5 * length + half + rim + 1.0;
        let pixels = |k: usize, first: usize, count: usize| {
            let (from, to) = (
                (middle[k] - reach).max(0.0) as usize,
                (middle[k] + reach).ceil().max(0.0) as usize,
            );
            from.max(first)..to.min(first + count)
        };
        for y in pixels(1, frame.y, frame.height) {
            for x in pixels(0, frame.x, frame.width) {
                let p = [x as f32 + 0.5, y as f32 + 0.5];
                let away = lines
                    .iter()
                    .map(|line| distance(p, *line))
                    .fold(f32::MAX, f32::min);
                let share = |wide: f32| (wide + 0.5 - away).clamp(0.0, 1.0);
                let (line, rim) = (share(half), RIM_SHARE * share(half + rim));
                if rim > 0.0 {
                    let below = image.pixel(x, y).map(f32::from);
                    let color = |k: usize| {
                        let rimmed = below[k] + (DARK[k] - below[k]) * rim;
                        rimmed + (BRIGHT[k] - rimmed) * line
                    };
                    image.set_pixel(x, y, [0, 1, 2].map(|k| (color(k) + 0.5) as u8));
                }
            }
        }
    }
}

/// Returns the distance of `p` from the line segment between `a` and `b`, in pixels.
fn distance(p: Pixels, (a, b): (Pixels, Pixels)) -> f32 {
    let (way, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let squared = way[0] * way[0] + way[1] * way[1];
    let share = if squared > 0.0 {
        ((to[0] * way[0] + to[1] * way[1]) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (to[0] - share * way[0]).hypot(to[1] - share * way[1])
}
