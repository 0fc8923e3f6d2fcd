//! Picture draped over the ground of a scene, resampled to the simulation box with the help of its
//! georeference.

use std::path::Path;

use super::{BuiltScene, Scene, SceneError};
use lavoxel_automaton::view::{Drape, Pixels, linear_to_srgb};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::parallel::*;
use lavoxel_geo::map::{Crs, Site, ToDegrees};
use lavoxel_geo::terrain::TerrainError;
use lavoxel_geo::terrain::photo::{self, Photo, Place};

/// Upper bound on the longer side of the resampled picture, in pixels.
const LONGEST: f64 = 4096.0;
/// Lower bound on the longer side of the resampled picture, in pixels, for a picture with its own
/// georeference, whose edges may cross the simulation box anywhere.
const SHORTEST: f64 = 512.0;

/// Number of lattice points along each side of the simulation box at which exact picture
/// coordinates are computed; between lattice points they are interpolated linearly.
const POINTS: usize = 33;

/// Upper bound on the area of an output pixel's bounding box in the picture, as a multiple of the
/// pixel's own area. Above the bound, a square of equal area is averaged instead of the bounding
/// box.
const MOST_AROUND: f64 = 8.0;

impl Scene {
    /// Reads the picture on the ground and resamples it to the simulation box of `stage`; `None` if
    /// the scene names no picture. Memory is checked for picture and world together.
    ///
    /// # Errors
    /// [`SceneError::Terrain`] if the file is not a picture, shows another area, or exceeds the
    /// memory limit.
    pub fn drape(&self, stage: &BuiltScene) -> Result<Option<Drape>, SceneError> {
        let Some(file) = &self.spec.terrain.drape else {
            return Ok(None);
        };
        let path = self.folder.join(file);
        let _held = stage.simulation.world().taken().held();
        let drape = photo::read(&path).and_then(|photo| on_the_box(photo, &path, &stage.site));
        drape.map(Some).map_err(|cause| self.wrong_terrain(cause))
    }
}

/// Resamples `photo` to the simulation box of `site`: by georeference if picture and terrain have
/// one, otherwise stretched over the whole box. `path`: path of the picture for messages.
fn on_the_box(photo: Photo, path: &Path, site: &Site) -> Result<Drape, TerrainError> {
    let Photo { size, rgba, place } = photo;
    let pixels = Pixels { size, rgba };
    let Some(place) = place.filter(|_| site.georeference.is_some()) else {
        let way = PixelGrid::new(|shares| [0, 1].map(|axis| shares[axis] * size[axis] as f64));
        let fits = size.iter().all(|side| *side as f64 <= LONGEST);
        return Ok(Drape::new(if fits {
            pixels
        } else {
            laid(&pixels, &way, way.size(1.0), path)?
        }));
    };
    let to_picture = to_picture(&place, size, (site, path))?;
    let sides = [site.grid.nx as f64, site.grid.nz as f64];
    let way = PixelGrid::new(|[x, z]| {
        let point = to_picture(site.on_the_map([x * sides[0], z * sides[1]]));
        point
            .and_then(|point| place.pixel_of(point))
            .unwrap_or([f64::NAN; 2])
    });
    let draped = laid(&pixels, &way, way.size(SHORTEST), path)?;
    match draped.rgba.chunks_exact(4).any(|pixel| pixel[3] > 0) {
        true => Ok(Drape::new(draped)),
        false => Err(elsewhere(&place, size, (path, site))),
    }
}

/// Returns a function that converts terrain coordinates (map units) to picture coordinates
/// (pixels); the function returns `None` outside of the projection's domain.
fn to_picture(
    place: &Place,
    size: [usize; 2],
    (site, path): (&Site, &Path),
) -> Result<impl Fn([f64; 2]) -> Option<[f64; 2]> + use<>, TerrainError> {
    let (unknown, terrain) = (Crs::default(), site.crs());
    let terrain =
        terrain.filter(|crs| **crs != unknown && place.crs != unknown && !crs.is_same(&place.crs));
    // Unless both coordinate systems are known and differ, coordinates are used unchanged.
    let ways = match terrain {
        None => None,
        Some(terrain) => Some(
            ToDegrees::from_crs(terrain)
                .zip(ToDegrees::from_crs(&place.crs))
                .ok_or_else(|| {
                    TerrainError::content(
                        path,
                        format!("a picture in the system of the terrain, {}", name(terrain)),
                        other(&place.crs),
                    )
                })?,
        ),
    };
    let (crs, middle) = (
        place.crs.clone(),
        place.point_of([0.5 * size[0] as f64, 0.5 * size[1] as f64])[0],
    );
    Ok(move |[x, y]: [f64; 2]| {
        let [x, y] = match &ways {
            None => [x, y],
            Some((degrees, picture)) => picture.back(degrees.at(x, y))?,
        };
        Some([crs.near(x, middle), y])
    })
}

/// Returns the name or, without a name, the EPSG code of the coordinate reference system `crs`, for
/// messages.
fn name(crs: &Crs) -> String {
    let number = || crs.epsg().map(|code| format!("EPSG:{code}"));
    crs.name()
        .or_else(number)
        .unwrap_or_else(|| "one without a name".to_owned())
}

fn other(crs: &Crs) -> String {
    format!(
        "{}; bring it there, for example with gdalwarp -t_srs",
        name(crs)
    )
}

/// Creates the error that the picture with the georeference `place` does not overlap the simulation
/// box of `site`.
fn elsewhere(
    place: &Place,
    [wide, high]: [usize; 2],
    (path, site): (&Path, &Site),
) -> TerrainError {
    let span = |[a, b]: [f64; 2], [c, d]: [f64; 2]| {
        format!(
            "x {} to {}, y {} to {}",
            a.min(c),
            a.max(c),
            b.min(d),
            b.max(d)
        )
    };
    let box_ = span(
        site.on_the_map([0.0; 2]),
        site.on_the_map([site.grid.nx as f64, site.grid.nz as f64]),
    );
    let picture = span(
        place.point_of([0.0; 2]),
        place.point_of([wide as f64, high as f64]),
    );
    let words = |crs: &Crs| {
        if *crs == Crs::default() {
            String::new()
        } else {
            format!(" ({})", name(crs))
        }
    };
    let terrain = site.crs().map_or(String::new(), words);
    let found = format!(
        "{picture}{}; name a picture of this place as terrain.drape (--drape), or leave it out",
        words(&place.crs)
    );
    TerrainError::content(
        path,
        format!("a picture that shows some of the terrain at {box_}{terrain}"),
        found,
    )
}

/// Lattice of points over the simulation box with the picture coordinates of each point, for linear
/// interpolation.
struct PixelGrid {
    points: Vec<[f64; 2]>,
}

impl PixelGrid {
    fn new(place: impl Fn([f64; 2]) -> [f64; 2]) -> Self {
        let share = |i: usize| i as f64 / (POINTS - 1) as f64;
        Self {
            points: (0..POINTS * POINTS)
                .map(|i| place([share(i % POINTS), share(i / POINTS)]))
                .collect(),
        }
    }

    /// Returns the position in the picture, in pixels, of a point in the simulation box. `shares`:
    /// position of the point as fractions (0 to 1) from the west and from the north side. NaN
    /// outside of the projection's domain.
    fn at(&self, shares: [f64; 2]) -> [f64; 2] {
        let part = shares.map(|share| share * (POINTS - 1) as f64);
        let first = part.map(|part| (part as usize).min(POINTS - 2));
        let [right, below] = [0, 1].map(|axis| part[axis] - first[axis] as f64);
        let point = |x: usize, z: usize| self.points[(first[1] + z) * POINTS + first[0] + x];
        let [nw, ne, sw, se] = [point(0, 0), point(1, 0), point(0, 1), point(1, 1)];
        [0, 1].map(|axis| {
            let along =
                |west: [f64; 2], east: [f64; 2]| west[axis] + right * (east[axis] - west[axis]);
            along(nw, ne) + below * (along(sw, se) - along(nw, ne))
        })
    }

    /// Returns two vectors in picture pixels: the extent of the simulation box from west to east,
    /// and from north to south.
    fn steps(&self) -> [[f64; 2]; 2] {
        let step = |from: [f64; 2], to: [f64; 2]| {
            [0, 1].map(|axis| self.at(to)[axis] - self.at(from)[axis])
        };
        [
            step([0.25, 0.5], [0.75, 0.5]),
            step([0.5, 0.25], [0.5, 0.75]),
        ]
        .map(|step| step.map(|half| 2.0 * half))
    }

    /// Returns width and height, in picture pixels, of one pixel of an output of `size` pixels over
    /// the simulation box.
    fn span(&self, size: [usize; 2]) -> [f32; 2] {
        let [across, down] = self.steps();
        let span = [0, 1]
            .map(|axis| across[axis].abs() / size[0] as f64 + down[axis].abs() / size[1] as f64);
        let area = (across[0] * down[1] - across[1] * down[0]).abs() / (size[0] * size[1]) as f64;
        // For a sheared picture the bounding box of a pixel is far larger than the pixel.
        if span[0] * span[1] > MOST_AROUND * area.max(1.0) {
            [area.sqrt() as f32; 2]
        } else {
            span.map(|side| side as f32)
        }
    }

    /// Returns the size in pixels of the resampled picture: that at which the picture keeps its
    /// resolution, with the longer side limited to `shortest` … `LONGEST` pixels.
    fn size(&self, shortest: f64) -> [usize; 2] {
        let sides = self.steps().map(|[x, y]| x.hypot(y).max(1e-9));
        let longer = sides[0].max(sides[1]);
        let factor = longer.clamp(shortest, LONGEST) / longer;
        sides.map(|side| ((side * factor).round() as usize).max(1))
    }
}

/// Resamples the picture `picture` to an output of `size` pixels over the simulation box; `way`:
/// picture coordinates of the box. Output pixels outside of the picture are transparent.
fn laid(
    picture: &Pixels,
    way: &PixelGrid,
    size: [usize; 2],
    path: &Path,
) -> Result<Pixels, TerrainError> {
    let bytes = picture.rgba.len() + 4 * size[0] * size[1];
    MemoryEstimate::new("the picture over the ground", bytes, 1.0)
        .check("make it smaller, for example with gdal_translate -outsize 25% 0")
        .map_err(TerrainError::memory(path))?;
    let span = way.span(size);
    let is_inside = |place: [f64; 2]| {
        (0..2).all(|axis| (0.0..=picture.size[axis] as f64).contains(&place[axis]))
    };
    let mut rgba = vec![0; 4 * size[0] * size[1]];
    rgba.par_chunks_mut(4 * size[0])
        .enumerate()
        .for_each(|(row, pixels)| {
            for (column, pixel) in pixels.chunks_exact_mut(4).enumerate() {
                let place = way.at([
                    (column as f64 + 0.5) / size[0] as f64,
                    (row as f64 + 0.5) / size[1] as f64,
                ]);
                if is_inside(place) {
                    pixel.copy_from_slice(&encoded(picture.mean(place.map(|at| at as f32), span)));
                }
            }
        });
    Ok(Pixels { size, rgba })
}

/// Encodes a linear colour and its opacity (both 0 to 1) as four bytes: sRGB, and alpha that is not
/// premultiplied.
fn encoded((linear, opaque): ([f32; 3], f32)) -> [u8; 4] {
    let [red, green, blue] =
        linear.map(|light| (linear_to_srgb(light.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8);
    [red, green, blue, (opaque * 255.0 + 0.5) as u8]
}
