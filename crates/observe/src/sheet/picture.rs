//! Raster picture of the map: class colours over the hill shade of the ground.

use std::path::Path;

use ndarray::Array2;

use super::SheetError;
use super::classes::{Classes, MapKind};
use super::source::Source;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::parallel::*;
use lavoxel_geo::map::features::told;
use lavoxel_geo::map::{Crs, Placement};
use lavoxel_geo::terrain::hillshade::{LEAST_SIDE, MOST_SIDE};
use lavoxel_geo::terrain::resample::{Kernel, Window, resample_with};
use lavoxel_geo::terrain::{Heightmap, Hillshade, Picture, load};
use lavoxel_render::Image;

/// Resolution of the map picture in pixels per millimetre of paper (about 230 per inch).
const PIXELS_A_MM: f64 = 9.0;

/// Opacity with which class colours cover the ground, 0 to 1. Chosen by eye.
const OPACITY: f32 = 0.8;
/// Factor on the brightness of a class colour where the hill shade is black. Chosen by eye.
const SHADOW: f32 = 0.58;
/// Difference between the factors on the brightness of a class colour where the hill shade is white
/// and where it is black. Chosen by eye.
const SUN: f32 = 0.62;

/// Colour (sRGB) of the ground where its height is unknown.
const PLAIN: [u8; 3] = [244, 244, 242];

/// Memory in bytes per pixel while the ground is resampled and shaded.
const BYTES_A_PIXEL: f64 = 24.0;

/// Returns the number of pixels (columns, rows) of the picture for a map frame of `[width, height]`
/// millimetres.
pub(super) fn size([width, height]: [f64; 2]) -> (usize, usize) {
    let longest = (width.max(height) * PIXELS_A_MM).clamp(LEAST_SIDE as f64, MOST_SIDE as f64);
    let scale = longest / width.max(height);
    (
        (width * scale).round().max(1.0) as usize,
        (height * scale).round().max(1.0) as usize,
    )
}

/// Heightmap from which the hill shade is drawn, in the coordinate system of the map.
pub(super) struct HillShade(Heightmap);

impl HillShade {
    /// Reads the heightmap at `path`. Returns an error if its coordinate system or its extent does
    /// not match the map.
    pub(super) fn read(path: &Path, source: &Source) -> Result<Self, SheetError> {
        let ground = load(path, &lavoxel_geo::terrain::LoadOptions::default())?;
        let crs = ground
            .origin
            .as_ref()
            .map(|origin| origin.crs.clone())
            .unwrap_or_default();
        // A grid without a coordinate system is assumed to use the system of the map.
        if crs != Crs::default() && !crs.is_same(&source.crs()) {
            let (of, here) = (told(&crs), told(&source.crs()));
            let mend = "bring it into the system of the map (gdalwarp -t_srs)";
            return Err(SheetError::wrong(format!(
                "{}: is in {of}, the map in {here}: {mend}",
                path.display()
            )));
        }
        let ground = Self(ground);
        let (place, map) = (ground.placement(), source.placement());
        let apart = |a: f64, b: f64, from: f64, to: f64| a >= to || b <= from;
        let (here, there) = (place.bounds(), map.bounds());
        if apart(here.west, here.east, there.west, there.east)
            || apart(here.south, here.north, there.south, there.north)
        {
            return Err(SheetError::wrong(format!(
                "{}: lies beside the map: is it the ground of it?",
                path.display()
            )));
        }
        Ok(ground)
    }

    fn placement(&self) -> Placement {
        Placement::new(
            self.0.origin.as_ref(),
            self.0.cell_size_m,
            self.0.heights.dim(),
        )
    }

    /// Returns the hill shade of the area of the raster `map` as `width` × `height` pixels, each
    /// `pixel_m` metres wide on the ground; pixels of unknown height have the colour `PLAIN`.
    fn shade(&self, map: &Placement, (width, height): (usize, usize), pixel_m: f64) -> Image {
        let place = self.placement();
        let window = Window {
            west: (map.west - place.west) / place.cell.0,
            north: (place.north - map.north) / place.cell.1,
            cols: map.cols as f64 * map.cell.0 / place.cell.0,
            rows: map.rows as f64 * map.cell.1 / place.cell.1,
        };
        let mut heights = resample_with(&self.0.heights, window, (width, height), Kernel::Soft);
        // Resampling extends the edge cells; pixels outside the heightmap are set to unknown
        // instead.
        let inside = |at: f64, count: usize| (0.0..count as f64).contains(&at);
        for ((row, col), value) in heights.indexed_iter_mut() {
            let x = window.west + (col as f64 + 0.5) * window.cols / width as f64;
            let y = window.north + (row as f64 + 0.5) * window.rows / height as f64;
            if !(inside(x, place.cols) && inside(y, place.rows)) {
                *value = f32::NAN;
            }
        }
        let known = heights.mapv(|height| !height.is_nan());
        let Picture {
            width,
            height,
            mut rgb,
        } = Hillshade::muted(heights, pixel_m);
        for (pixel, known) in rgb.chunks_exact_mut(3).zip(&known) {
            // Lightened compared with the screen: class colours must stay distinct in print.
            let light = |tone: u8| (255.0 - 0.62 * (255.0 - f32::from(tone))) as u8;
            let seen = if *known {
                [light(pixel[0]), light(pixel[1]), light(pixel[2])]
            } else {
                PLAIN
            };
            pixel.copy_from_slice(&seen);
        }
        Image { width, height, rgb }
    }
}

/// Draws the map picture for a frame of `[width, height]` millimetres: class colours over the hill
/// shade `ground`, or over the colour `PLAIN` if `ground` is `None`.
pub(super) fn draw(
    source: &Source,
    classes: &Classes,
    ground: Option<&HillShade>,
    frame: [f64; 2],
) -> Result<Image, SheetError> {
    let (width, height) = size(frame);
    MemoryEstimate::new("the picture of the map", width * height, BYTES_A_PIXEL)
        .check("take smaller paper (--paper a4)")?;
    let pixel_m = source.map.extent_m().0 / width as f64;
    let mut image = match ground {
        Some(ground) => ground.shade(&source.placement(), (width, height), pixel_m),
        None => Image::filled(width, height, PLAIN),
    };
    let values = &source.map.heights;
    let (rows, cols) = values.dim();
    image
        .rgb
        .par_chunks_mut(3 * width)
        .enumerate()
        .for_each(|(row, line)| {
            // Interpolation before classification gives class borders that agree with the contour
            // lines.
            for (col, pixel) in line.chunks_exact_mut(3).enumerate() {
                let x = (col as f64 + 0.5) * cols as f64 / width as f64;
                let y = (row as f64 + 0.5) * rows as f64 / height as f64;
                let Some(class) =
                    interpolated(values, classes, (x, y)).and_then(|value| classes.number(value))
                else {
                    continue;
                };
                pixel.copy_from_slice(&over(
                    [pixel[0], pixel[1], pixel[2]],
                    classes.list[class].rgb,
                ));
            }
        });
    Ok(image)
}

/// Returns the map value at the position (`x`, `y`) in cells from the north-west corner,
/// interpolated bilinearly over the coloured cells, where 0 replaces all other cells of a
/// probability map. `None` if coloured cells have less than half of the weight.
fn interpolated(values: &Array2<f32>, classes: &Classes, (x, y): (f64, f64)) -> Option<f64> {
    let (rows, cols) = values.dim();
    let (x, y) = (x - 0.5, y - 0.5);
    let cell = |at: f64, count: usize| at.clamp(0.0, count as f64 - 1.0) as usize;
    let (mut sum, mut share) = (0.0, 0.0);
    for (dy, wy) in [(0.0, 1.0 - (y - y.floor())), (1.0, y - y.floor())] {
        for (dx, wx) in [(0.0, 1.0 - (x - x.floor())), (1.0, x - x.floor())] {
            let value = f64::from(values[[cell(y.floor() + dy, rows), cell(x.floor() + dx, cols)]]);
            // Cells that no run reached count as probability 0, as the contour lines do.
            if classes.kind.shows(value) {
                sum += wx * wy * value;
                share += wx * wy;
            }
        }
    }
    let known = if classes.kind == MapKind::Probability {
        1.0
    } else {
        share
    };
    (share >= 0.5).then(|| sum / known)
}

/// Returns the sRGB colour of a pixel: the class colour `color`, multiplied by the brightness of
/// the hill shade `ground` and drawn over `ground` with the opacity `OPACITY`.
fn over(ground: [u8; 3], color: [u8; 3]) -> [u8; 3] {
    let light = SHADOW + SUN * f32::from(ground[0]) / 255.0;
    std::array::from_fn(|k| {
        let tinted = (f32::from(color[k]) * light).min(255.0);
        (f32::from(ground[k]) + (tinted - f32::from(ground[k])) * OPACITY + 0.5) as u8
    })
}
