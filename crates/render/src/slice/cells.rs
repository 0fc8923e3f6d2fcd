//! Drawing of the cells of a slice as pixels. If an edge between cells crosses a pixel, the pixel
//! mixes the colours of the cells by area.

use crate::chart::legend::Frame;
use crate::image::{Image, SRGB};
use lavoxel_automaton::view::srgb_to_linear;
use lavoxel_base::grid::{Grid, Place};

use super::{Axis, Content, ROCK, ROCK_EDGE, SliceSpec, SliceStyle};

/// Cells of a slice to draw, and their colours.
pub(super) struct Cells<'a, F> {
    pub(super) grid: Grid,
    pub(super) spec: &'a SliceSpec,
    pub(super) style: &'a SliceStyle,
    pub(super) content: F,
}

type Light = [f32; 3];

impl<F: Fn(Place) -> Content> Cells<'_, F> {
    /// Draws the cells into the rectangle `frame` of `image`.
    pub(super) fn draw(&self, image: &mut Image, frame: Frame) {
        let (_, rows) = self.spec.shown.cells();
        // Cache of the last row of cells: a pixel at an edge between cells needs two rows.
        let mut kept: Option<(usize, Vec<Light>)> = None;
        for y in 0..frame.height {
            let mut line = vec![[0.0; 3]; frame.width];
            for (row, share) in shares(y, frame.height, rows) {
                let (_, pixels) = match kept.take() {
                    Some(last) if last.0 == row => kept.insert(last),
                    _ => kept.insert((row, self.pixels(row, frame.width))),
                };
                line.iter_mut()
                    .zip(pixels)
                    .for_each(|(sum, light)| add(sum, light, share));
            }
            for (x, light) in line.iter().enumerate() {
                image.set_pixel(
                    frame.x + x,
                    frame.y + y,
                    light.map(|c| (SRGB.encode(c) * 255.0 + 0.5) as u8),
                );
            }
        }
    }

    /// Returns the row of cells with the index `row` (from the top of the picture) resampled to
    /// `width` pixels, as linear RGB light.
    fn pixels(&self, row: usize, width: usize) -> Vec<Light> {
        let [low, high] = self.spec.shown.up;
        let level = if self.spec.axis == Axis::Y {
            low + row
        } else {
            high - 1 - row
        };
        let colors = self.colors(level);
        let pixel = |x: usize| {
            let mut sum = [0.0; 3];
            shares(x, width, colors.len()).for_each(|(i, share)| add(&mut sum, &colors[i], share));
            sum
        };
        (0..width).map(pixel).collect()
    }

    /// Returns the linear RGB colours of the cells in a row; `level`: index of the row along the
    /// slice's axis that is vertical in the picture.
    fn colors(&self, level: usize) -> Vec<Light> {
        let [first, end] = self.spec.shown.across;
        let color = |i: usize| match self.at(i, level) {
            Content::Empty => self.style.empty(),
            Content::Solid if self.is_edge(i, level) => ROCK_EDGE,
            Content::Solid => ROCK,
            Content::Material(place) => self
                .style
                .materials
                .get(usize::from(place))
                .map_or(self.style.empty(), |plain| plain.color),
            Content::Value(value) => self.style.color(value),
        };
        (first..end)
            .map(|i| color(i).map(|c| srgb_to_linear(f32::from(c) / 255.0)))
            .collect()
    }

    /// Returns true if a cell next to the rock cell (`i`, `level`: indices along the width and
    /// height of the picture) is not rock.
    fn is_edge(&self, i: usize, level: usize) -> bool {
        let (across, up) = self.spec.axis.across();
        let (wide, tall) = (across.cells(self.grid), up.cells(self.grid));
        let open = |i: usize, j: usize| i < wide && j < tall && self.at(i, j) != Content::Solid;
        open(i, level + 1)
            || open(i + 1, level)
            || (level > 0 && open(i, level - 1))
            || (i > 0 && open(i - 1, level))
    }

    fn at(&self, i: usize, level: usize) -> Content {
        (self.content)(self.spec.axis.cell(self.spec.cell, (i, level)))
    }
}

fn add(sum: &mut Light, light: &Light, share: f32) {
    (0..3).for_each(|k| sum[k] += light[k] * share);
}

/// Returns an iterator over the cells of a row that overlap the pixel with the index `pixel`, each
/// with its fraction of the pixel; `count` cells are drawn on `pixels` pixels.
fn shares(pixel: usize, pixels: usize, count: usize) -> impl Iterator<Item = (usize, f32)> {
    // In units of 1/`count` of a pixel all edges are integers, so that no rounding leaves a seam.
    let (from, to) = (pixel * count, (pixel + 1) * count);
    (from / pixels..to.div_ceil(pixels)).map(move |cell| {
        let covered = to.min((cell + 1) * pixels) - from.max(cell * pixels);
        (cell, covered as f32 / count as f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_have_a_share_of_every_cell_they_cover() {
        let of = |pixel, pixels, count| shares(pixel, pixels, count).collect::<Vec<_>>();
        assert_eq!(of(5, 8, 4), [(2, 1.0)], "two pixels to a cell");
        assert_eq!(of(1, 2, 4), [(2, 0.5), (3, 0.5)], "two cells to a pixel");
        assert_eq!(of(1, 3, 2), [(0, 0.5), (1, 0.5)], "an edge through a pixel");
        for (pixels, count) in [(7, 3), (3, 7), (100, 128), (1000, 31), (1, 1)] {
            let mut areas = vec![0.0; count];
            for pixel in 0..pixels {
                let sum: f32 = shares(pixel, pixels, count).map(|(_, share)| share).sum();
                assert!((sum - 1.0).abs() < 1e-5, "pixel {pixel} of {pixels}");
                shares(pixel, pixels, count).for_each(|(cell, share)| areas[cell] += share);
            }
            assert!(
                areas
                    .iter()
                    .all(|area| (area * count as f32 / pixels as f32 - 1.0).abs() < 1e-4),
                "{areas:?}"
            );
        }
    }
}
