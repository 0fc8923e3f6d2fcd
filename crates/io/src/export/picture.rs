//! Export of maps as pictures: values as colours over the hill-shaded ground, with title and
//! legend.

use std::path::Path;

use ndarray::Array2;

use super::png::write_png;
use super::style::MapStyle;
use super::{Caption, ExportError, Provenance};
use lavoxel_files::output::Existing;
use lavoxel_geo::map::Site;
use lavoxel_geo::terrain::{Hillshade, Picture};
use lavoxel_render::{Image, Legend, Sheet};

/// Partition of a map into square blocks of columns within which the map's values are constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    /// Edge length of a block of columns, in cells.
    pub(super) edge: usize,
    /// Indices [column, row] of the cell at which the first whole block begins, counted from the
    /// map's north-west cell; each is less than the edge length.
    pub(super) first: [usize; 2],
}

impl Blocks {
    /// Partition in which each block is a single cell.
    pub(super) const CELLS: Self = Self {
        edge: 1,
        first: [0, 0],
    };

    /// Converts the position `cells`, in cells along an axis, to a position in blocks, where 0 is
    /// the centre of the first whole block. `along`: 0 for the axis across columns, 1 for the axis
    /// across rows.
    fn place(self, along: usize, cells: f64) -> f64 {
        (cells - self.first[along] as f64) / self.edge as f64 - 0.5
    }

    /// Returns the index of the cell in the middle of the block `block` along an axis of `cells`
    /// cells, limited to 0 … `cells` − 1. `along`: 0 for columns, 1 for rows.
    fn cell(self, along: usize, block: f64, cells: usize) -> usize {
        let middle = self.first[along] as f64 + block * self.edge as f64 + (self.edge / 2) as f64;
        middle.clamp(0.0, cells as f64 - 1.0) as usize
    }
}

/// Opacity (0 to 1) of a map's colours over the ground. Chosen by eye.
const OPACITY: f32 = 0.86;
/// Opacity (0 to 1) of a footprint's colour over the ground. Chosen by eye.
const OPACITY_OF_FOOTPRINT: f32 = 0.62;
/// Factor on the brightness of a map's colours where the hillshade is black. Chosen by eye.
const SHADOW: f32 = 0.45;
/// Difference between the factors on the brightness of a map's colours where the hillshade is white
/// and where it is black. Chosen by eye.
const SUN: f32 = 0.84;

/// Approximate sRGB colour of horizontal ground in the hillshade; used as background of the colours
/// in the legend.
const LEVEL: [u8; 3] = [172, 170, 166];

/// Values, style, labels and site of a map: input for drawing a picture.
pub(super) struct Sight<'a> {
    pub(super) caption: &'a Caption,
    /// Values of the map, axes (row, column); NaN where there is no data.
    pub(super) values: Array2<f64>,
    pub(super) blocks: Blocks,
    pub(super) style: &'a MapStyle,
    pub(super) about: &'a Provenance,
    pub(super) site: &'a Site,
}

/// Writes the picture of the map `sight` as PNG to `path`. `ground`: elevations in metres, axes
/// (row, column).
pub(super) fn write(
    path: &Path,
    sight: &Sight<'_>,
    ground: Array2<f32>,
    existing: Existing,
) -> Result<(), ExportError> {
    let image = sight.sheet(ground);
    let labels = [
        (
            "Title",
            format!(
                "{}, {} of {}",
                sight.caption.description,
                sight.caption.when(sight.about),
                sight.about.scene
            ),
        ),
        ("Software", Provenance::SOFTWARE.to_owned()),
    ];
    write_png(
        path,
        (image.width as u32, image.height as u32),
        &image.rgb,
        &labels,
        existing,
    )
}

impl Sight<'_> {
    /// Returns the picture of the map with title and legend. `ground`: elevations in metres, axes
    /// (row, column).
    pub(super) fn sheet(&self, ground: Array2<f32>) -> Image {
        let map = self.map(ground);
        let pixel_m = self.site.grid.nx as f64 * self.site.cell_size_m / map.width as f64;
        let (scene, when) = (&self.about.scene, self.caption.when(self.about));
        let subtitle = if scene.is_empty() {
            when
        } else {
            format!("{scene}, {when}")
        };
        let title = self.caption.title.clone();
        Sheet {
            title,
            subtitle,
            pixel_m,
            legend: self.legend(),
        }
        .framed(&map)
    }

    pub(super) fn legend(&self) -> Legend {
        let style = self.style;
        if style.single {
            return Legend::Key {
                color: self.over(LEVEL, 1.0, 9.0),
                text: style.title.clone(),
            };
        }
        let ticks = style
            .ticks()
            .into_iter()
            .map(|(value, label)| (style.place(value), label))
            .collect();
        let title = if style.unit.is_empty() {
            style.title.clone()
        } else {
            format!("{} [{}]", style.title, style.unit)
        };
        Legend::Bar {
            title,
            palette: style.palette.clone(),
            ticks,
        }
    }

    /// Returns the picture of the map without title and legend. `ground`: elevations in metres,
    /// axes (row, column).
    fn map(&self, ground: Array2<f32>) -> Image {
        let Picture { width, height, rgb } = Hillshade::muted(ground, self.site.cell_size_m);
        let mut image = Image { width, height, rgb };
        let (rows, cols) = self.values.dim();
        let scale = (cols as f64 / width as f64, rows as f64 / height as f64);
        let place = |x: usize, y: usize| ((x as f64 + 0.5) * scale.0, (y as f64 + 0.5) * scale.1);
        for y in 0..height {
            for x in 0..width {
                let Some((value, inside)) = self.number(&place, (x, y)) else {
                    continue;
                };
                image.set_pixel(x, y, self.over(image.pixel(x, y), value, inside));
            }
        }
        image
    }

    /// Returns the map's colours without ground as RGBA bytes, `width` × `height` pixels. `place`
    /// converts a pixel (x, y) to a position (column, row) in cells.
    pub(super) fn overlay(
        &self,
        (width, height): (usize, usize),
        place: impl Fn(usize, usize) -> (f64, f64),
    ) -> Vec<u8> {
        let (rows, cols) = self.values.dim();
        let is_on_the_map = |(x, y): (f64, f64)| {
            (0.0..=cols as f64).contains(&x) && (0.0..=rows as f64).contains(&y)
        };
        let mut pixels = vec![0; 4 * width * height];
        for (i, pixel) in pixels.chunks_exact_mut(4).enumerate() {
            let at = (i % width, i / width);
            let found = is_on_the_map(place(at.0, at.1))
                .then(|| self.number(&place, at))
                .flatten();
            if let Some((value, inside)) = found {
                pixel.copy_from_slice(&self.alone(value, inside));
            }
        }
        pixels
    }

    /// Returns the map value at the pixel (`x`, `y`), and the pixel's distance from the border of
    /// the coloured area in pixels, positive inside. `None` if there is no data around the pixel.
    /// `place`: position (column, row) in cells of a pixel.
    fn number(
        &self,
        place: &impl Fn(usize, usize) -> (f64, f64),
        (x, y): (usize, usize),
    ) -> Option<(f64, f32)> {
        let (value, here) = self.interpolated(place(x, y))?;
        let share = |x, y| {
            self.interpolated(place(x, y))
                .map_or(0.0, |(_, share)| share)
        };
        // Divided by the slope, so that the border has a constant width.
        let slope = (share(x + 1, y) - here).hypot(share(x, y + 1) - here);
        Some((
            value,
            ((here - 0.5) / slope.max(1e-6)).clamp(-9.0, 9.0) as f32,
        ))
    }

    /// Interpolates the map values bilinearly between the four blocks around the position (`x`:
    /// column, `y`: row) in cells. Returns the value, and the coverage by colour from 0 to 1 (0.5
    /// on the border of the coloured area); `None` without data.
    fn interpolated(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (rows, cols) = self.values.dim();
        let (x, y) = (self.blocks.place(0, x), self.blocks.place(1, y));
        let (mut sum, mut share) = (0.0, 0.0);
        for (dy, wy) in [(0.0, 1.0 - (y - y.floor())), (1.0, y - y.floor())] {
            for (dx, wx) in [(0.0, 1.0 - (x - x.floor())), (1.0, x - x.floor())] {
                let (row, col) = (
                    self.blocks.cell(1, y.floor() + dy, rows),
                    self.blocks.cell(0, x.floor() + dx, cols),
                );
                let value = self.values[[row, col]];
                if self.style.log {
                    sum += wx * wy * self.decades(value);
                } else if self.style.shows(value) {
                    sum += wx * wy * value;
                    share += wx * wy;
                }
            }
        }
        if self.style.log {
            return (sum > -1.0).then(|| {
                (
                    self.style.range.0 * 10_f64.powf(sum),
                    0.5 + 0.5 * sum.clamp(-1.0, 1.0),
                )
            });
        }
        (share > 0.0).then(|| (sum / share, share))
    }

    /// Returns log₁₀ of the ratio of `value` to the value at the lower end of a logarithmic colour
    /// scale, at least −1.
    fn decades(&self, value: f64) -> f64 {
        let decades = (value / self.style.range.0).log10();
        if decades > -1.0 { decades } else { -1.0 }
    }

    /// Returns the sRGB colour of a map pixel: the colour of `value`, blended over the hillshade
    /// colour `ground`. `inside`: distance from the border of the coloured area in pixels, positive
    /// inside.
    fn over(&self, ground: [u8; 3], value: f64, inside: f32) -> [u8; 3] {
        let covered = self.covered(inside);
        let light = SHADOW + SUN * f32::from(ground[0]) / 255.0;
        let color = self.style.color(value);
        let border = border(inside);
        std::array::from_fn(|k| {
            let tinted = (f32::from(color[k]) * light).min(255.0);
            let mixed = f32::from(ground[k]) + (tinted - f32::from(ground[k])) * covered;
            (mixed * (1.0 - border) + 0.5) as u8
        })
    }

    /// Returns the opacity, 0 to 1, of the map's colour at a pixel. `inside`: distance from the
    /// border of the coloured area in pixels, positive inside.
    fn covered(&self, inside: f32) -> f32 {
        (inside + 0.5).clamp(0.0, 1.0)
            * if self.style.single {
                OPACITY_OF_FOOTPRINT
            } else {
                OPACITY
            }
    }

    /// Returns the RGBA colour of `value` for an overlay without ground. `inside`: distance from
    /// the border of the coloured area in pixels, positive inside.
    fn alone(&self, value: f64, inside: f32) -> [u8; 4] {
        let (covered, border) = (self.covered(inside), border(inside));
        let opacity = covered + border * (1.0 - covered);
        let [r, g, b] = self.style.color(value);
        let dark = |color: u8| {
            (f32::from(color) * covered * (1.0 - border) / opacity.max(1e-6) + 0.5) as u8
        };
        [dark(r), dark(g), dark(b), (255.0 * opacity + 0.5) as u8]
    }
}

/// Returns the opacity, 0 to 0.55, of the black line along the border of the coloured area.
/// `inside`: distance from the border in pixels.
fn border(inside: f32) -> f32 {
    0.55 * (1.0 - (inside / 1.5).abs()).clamp(0.0, 1.0)
}
