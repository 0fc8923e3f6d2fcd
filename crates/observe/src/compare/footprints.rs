//! Reads two footprints from files and resamples them to a common raster.

use std::borrow::Cow;
use std::path::Path;

use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_files::input::ending;
use lavoxel_geo::map::compare::{Footprint, covering, fill};
use lavoxel_geo::map::features::{check_format, read_layer, told, told_polygons};
use lavoxel_geo::map::geojson::{Polygons, System, turn_rings};
use lavoxel_geo::map::{Crs, Placement, ToDegrees};
use lavoxel_geo::terrain::error::MAX_SAMPLES;
use lavoxel_geo::terrain::{Heightmap, load_values};
use lavoxel_scene::scene::Seconds;
use ndarray::Array2;

/// Memory in bytes per cell of the common raster that a comparison needs, in addition to both input
/// footprints.
const BYTES_A_CELL: f64 = 4.0;

/// Memory in bytes per cell of the common raster for the thickness values, which are kept only if
/// thicknesses are compared.
pub(super) const BYTES_OF_NUMBERS: f64 = 12.0;

/// EPSG code of longitude and latitude on WGS 84, the system of GeoJSON.
const WGS_84: u16 = 4326;

/// Number of cells along the longer side of the common raster if no file states a cell size.
const CELLS: f64 = 1000.0;

/// Criterion by which cells of a raster belong to a footprint: threshold, latest time and no-data
/// value.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// Threshold in the unit of the raster: cells with greater values belong to the footprint.
    /// Ignored for a raster of times.
    pub(crate) above: f64,
    /// Latest time that belongs to the footprint of a raster of times; `None`: all cells with a
    /// time.
    pub(crate) until: Option<Seconds>,
    /// Set to keep the values of the raster in addition to the footprint.
    pub(crate) keeps: bool,
    /// Value that marks cells without data if the raster's file declares none; `None`: all cells
    /// have data.
    pub(crate) no_data: Option<f64>,
}

impl Limit {
    /// Returns true if a cell with the value `value` belongs to the footprint. `unit_s`: length of
    /// the raster's time unit in seconds; `None` for a raster of another quantity.
    fn includes(self, value: f64, unit_s: Option<f64>) -> bool {
        let last_s = self.until.map_or(f64::INFINITY, |Seconds(last_s)| last_s);
        match unit_s {
            // The tolerance covers hours stored as 32-bit floats.
            Some(unit_s) => value >= 0.0 && value * unit_s <= last_s * (1.0 + 1e-6),
            None => value > self.above,
        }
    }
}

/// Returns the length in seconds of the time unit named `unit`; `None` if `unit` is no time unit.
fn seconds(unit: &str) -> Option<f64> {
    match unit.to_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => Some(1.0),
        "min" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hour" | "hours" => Some(3600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    }
}

/// Footprint file as read, before resampling: a raster or polygons.
pub(crate) enum Source {
    Raster {
        footprint: Footprint,
        crs: Option<Crs>,
        is_time: bool,
        values: Option<Array2<f32>>,
        /// Reservation of the raster's memory; keeps the raster in the count while the other
        /// footprint file is checked.
        _held: Held,
    },
    Polygons(Polygons),
}

impl Source {
    /// Reads the footprint file at `path`: polygons, or a raster whose cells belong to the
    /// footprint by `limit`. Returns a message for an invalid file.
    pub(crate) fn read(path: &Path, limit: Limit) -> Result<Self, String> {
        match ending(path).as_str() {
            "tif" | "tiff" | "asc" => {
                let (map, unit) =
                    load_values(path, limit.no_data).map_err(|error| error.to_string())?;
                Ok(Self::raster(map, unit.as_deref().and_then(seconds), limit))
            }
            "geojson" | "json" | "gpkg" => {
                let layer = read_layer(path)?;
                let polygons = Polygons::from_geojson(&layer);
                Ok(Self::Polygons(
                    polygons.map_err(|e| format!("{} {e}", path.display()))?,
                ))
            }
            _ => {
                check_format(path)?;
                Err(format!(
                    "{}: footprints end in .tif, .asc, .geojson or .gpkg",
                    path.display()
                ))
            }
        }
    }

    fn raster(map: Heightmap, unit_s: Option<f64>, limit: Limit) -> Self {
        let place = Placement::new(map.origin.as_ref(), map.cell_size_m, map.heights.dim());
        let inside = map
            .heights
            .mapv(|value| limit.includes(f64::from(value), unit_s));
        let crs = map.origin.map(|origin| origin.crs);
        let values = limit.keeps.then_some(map.heights);
        let each = if limit.keeps { 1 + size_of::<f32>() } else { 1 };
        let held = Held::bytes((place.cols * place.rows * each) as u64);
        Self::Raster {
            footprint: Footprint { place, inside },
            crs,
            is_time: unit_s.is_some(),
            values,
            _held: held,
        }
    }

    /// Returns the raster's values, resampled to the raster `onto` by nearest neighbour; NaN
    /// without data. `None` for polygons, and for a raster that was read without `Limit::keeps`.
    pub(crate) fn numbers_onto(&self, onto: &Placement) -> Option<Array2<f32>> {
        let Self::Raster {
            footprint: Footprint { place, .. },
            values: Some(values),
            crs,
            ..
        } = self
        else {
            return None;
        };
        let here = |x: f64| crs.as_ref().map_or(x, |crs| crs.near(x, place.middle_x()));
        let (xs, ys): (Vec<f64>, Vec<f64>) = (onto.xs().map(here).collect(), onto.ys().collect());
        let number = |(row, col): (usize, usize)| {
            let there = place.cell_of([xs[col], ys[row]]);
            let value = there.and_then(|cell| values.get(cell));
            value.copied().unwrap_or(f32::NAN)
        };
        Some(Array2::from_shape_fn((onto.rows, onto.cols), number))
    }

    /// Returns the coordinate system of the raster; `None` if the file states none, and for
    /// polygons.
    pub(crate) fn crs(&self) -> Option<&Crs> {
        if let Self::Raster { crs, .. } = self {
            crs.as_ref()
        } else {
            None
        }
    }

    /// Returns true if the file is a raster of times, such as an arrival map.
    pub(crate) fn is_time(&self) -> bool {
        matches!(self, Self::Raster { is_time: true, .. })
    }
}

/// Two footprints A and B, resampled to a common raster.
pub(crate) struct Pair {
    pub(crate) a: Footprint,
    pub(crate) b: Footprint,
    /// Length on the ground in metres of one map unit of the raster, along x and y.
    pub(crate) metres: (f64, f64),
    /// Projection by which polygons of footprint A were converted from degrees to the plane of the
    /// raster; `None` if footprint A is a raster or not in degrees.
    pub(crate) plane: Option<ToDegrees>,
}

impl Pair {
    /// Resamples the footprints `a` and `b` (files `path_a`, `path_b`) to a common raster, extended
    /// to cover both: the cells of the raster file (of `a`, if both are rasters) or, for two
    /// polygon files, new cells with the edge `cell_size` in map units (`None`: a default). Returns
    /// a message if the coordinate systems do not match.
    pub(crate) fn new(
        (a, path_a): (&Source, &Path),
        (b, path_b): (&Source, &Path),
        cell_size: Option<f64>,
    ) -> Result<Self, String> {
        let names = Names {
            a: path_a,
            b: path_b,
        };
        match (a, b) {
            (
                Source::Raster { footprint, crs, .. },
                Source::Raster {
                    footprint: other,
                    crs: other_crs,
                    ..
                },
            ) => {
                // The cells of the first raster stay as they are: each side is resampled at most
                // once.
                names.check_same(crs.as_ref(), other_crs.as_ref())?;
                let crs = crs
                    .as_ref()
                    .filter(|crs| **crs != Crs::default())
                    .or(other_crs.as_ref());
                let other = turned(other, crs, &footprint.place);
                let place = extended(&footprint.place, other.bounds(), path_a)?;
                let (a, b) = (footprint.onto(place), other.onto(place));
                Ok(Self {
                    metres: metres(crs, &place)?,
                    a,
                    b,
                    plane: None,
                })
            }
            (Source::Raster { footprint, crs, .. }, Source::Polygons(polygons)) => {
                let (a, b) = names.drawn(footprint, crs.as_ref(), (polygons, path_b))?;
                Ok(Self {
                    metres: metres(crs.as_ref(), &a.place)?,
                    a,
                    b,
                    plane: None,
                })
            }
            (Source::Polygons(polygons), Source::Raster { footprint, crs, .. }) => {
                let (b, a) = names.drawn(footprint, crs.as_ref(), (polygons, path_a))?;
                let plane = (polygons.system == System::Degrees)
                    .then(|| crs.as_ref().and_then(ToDegrees::from_crs));
                Ok(Self {
                    metres: metres(crs.as_ref(), &a.place)?,
                    a,
                    b,
                    plane: plane.flatten(),
                })
            }
            (Source::Polygons(a), Source::Polygons(b)) => names.both_drawn(a, b, cell_size),
        }
    }
}

/// Returns `footprint` shifted by a multiple of 360°, so that its longitudes match those of the
/// raster `onto`; unchanged if the coordinate system `crs` is not in degrees.
fn turned<'a>(footprint: &'a Footprint, crs: Option<&Crs>, onto: &Placement) -> Cow<'a, Footprint> {
    let middle = footprint.place.middle_x();
    let by = crs.map_or(0.0, |crs| crs.near(middle, onto.middle_x()) - middle);
    if by == 0.0 {
        return Cow::Borrowed(footprint);
    }
    let place = Placement {
        west: footprint.place.west + by,
        ..footprint.place
    };
    Cow::Owned(Footprint {
        place,
        inside: footprint.inside.clone(),
    })
}

/// Returns the length on the ground in metres of one map unit along x and y; 1 if `crs` is `None`.
/// Returns a message if the map scale varies too much over the raster `place`.
fn metres(crs: Option<&Crs>, place: &Placement) -> Result<(f64, f64), String> {
    let Some(crs) = crs else {
        return Ok((1.0, 1.0));
    };
    let bounds = place.bounds();
    let scale = crs
        .scale(bounds)
        .ok_or_else(|| "the middle of the map lies at or beyond a pole".to_owned())?;
    scale
        .fault(crs, bounds)
        .map_or(Ok(scale.metres_per_unit), |fault| {
            Err(format!("both footprints lie on {fault}"))
        })
}

/// Extends the raster `place` by whole cells until it covers `bounds` (west, south, east, north).
/// `of`: path of the raster's file, for messages. Returns a message if the raster would become too
/// large.
fn extended(place: &Placement, bounds: Option<[f64; 4]>, of: &Path) -> Result<Placement, String> {
    let Some(bounds) = bounds else {
        return Ok(*place);
    };
    let place = covering(place, bounds, MAX_SAMPLES).ok_or_else(|| {
        format!(
            "the footprints lie too far apart for the cells of {}: are both in one system?",
            of.display()
        )
    })?;
    let need = MemoryEstimate::new("both footprints", place.cols * place.rows, BYTES_A_CELL);
    need.check("make the cells larger, or cut the rasters")
        .map_err(|error| error.to_string())?;
    Ok(place)
}

/// Paths of both footprint files, for messages.
struct Names<'a> {
    a: &'a Path,
    b: &'a Path,
}

impl Names<'_> {
    /// Returns a message unless the coordinate systems `a` and `b` of both rasters are equal or
    /// both missing.
    fn check_same(&self, a: Option<&Crs>, b: Option<&Crs>) -> Result<(), String> {
        let (a, b) = (
            a.cloned().unwrap_or_default(),
            b.cloned().unwrap_or_default(),
        );
        if a.is_same(&b) {
            return Ok(());
        }
        let (a, b) = (told(&a), told(&b));
        Err(format!(
            "{} is in {a}, {} in {b}: bring both into one coordinate system (gdalwarp -t_srs)",
            self.a.display(),
            self.b.display()
        ))
    }

    /// Draws `polygons`, read from the file `path`, as a footprint on the cells of `raster`, whose
    /// coordinate system is `crs`. Returns (footprint of the raster, footprint of the polygons),
    /// both extended to cells that cover both. Returns a message if the coordinate systems do not
    /// match.
    fn drawn(
        &self,
        raster: &Footprint,
        crs: Option<&Crs>,
        (polygons, path): (&Polygons, &Path),
    ) -> Result<(Footprint, Footprint), String> {
        let crs = crs.cloned().unwrap_or_default();
        let way = polygons.system.onto(&crs);
        let other = if path == self.a { self.b } else { self.a };
        let way = way.ok_or_else(|| {
            let (system, of) = (told_polygons(&polygons.system), told(&crs));
            let (path, other) = (path.display(), other.display());
            format!("{path} is in {system}, {other} in {of}: bring both into one coordinate system (ogr2ogr -t_srs)")
        })?;
        let mut polygons = on_the_plane(polygons, &way, path)?;
        let middle = raster.place.middle_x();
        polygons
            .polygons
            .iter_mut()
            .for_each(|rings| turn_rings(rings, &crs, middle));
        let place = extended(&raster.place, Some(polygons.bounds()), other)?;
        Ok((raster.onto(place), filled(place, &polygons)))
    }

    /// Draws the polygons `a` and `b` of two files as footprints on new cells; `cell_size`: edge of
    /// a cell in map units, `None` for the default.
    fn both_drawn(
        &self,
        a: &Polygons,
        b: &Polygons,
        cell_size: Option<f64>,
    ) -> Result<Pair, String> {
        if a.system != b.system {
            let (of_a, of_b) = (told_polygons(&a.system), told_polygons(&b.system));
            let (a, b) = (self.a.display(), self.b.display());
            return Err(format!(
                "{a} is in {of_a}, {b} in {of_b}: bring both into one coordinate system (ogr2ogr -t_srs)"
            ));
        }
        let (mut a, mut b) = (a.clone(), b.clone());
        let degrees = (a.system == System::Degrees)
            .then(|| Crs::from_epsg(WGS_84))
            .flatten();
        if let (Some(degrees), Some([first, _])) = (&degrees, a.first()) {
            // Moves both to one side of the date line, whichever way each file writes its
            // longitudes.
            a.polygons
                .iter_mut()
                .for_each(|rings| turn_rings(rings, degrees, first));
            let [west, _, east, _] = a.bounds();
            b.polygons
                .iter_mut()
                .for_each(|rings| turn_rings(rings, degrees, 0.5 * (west + east)));
        }
        let [w, s, e, n] = a.bounds();
        let way = match a.system {
            System::Degrees => {
                ToDegrees::utm_at([0.5 * (w + e), 0.5 * (s + n)]).ok_or_else(|| {
                    format!(
                        "{}: its middle is no longitude and latitude",
                        self.a.display()
                    )
                })?
            }
            _ => ToDegrees::SAME,
        };
        let (plane_a, plane_b) = (
            on_the_plane(&a, &way, self.a)?,
            on_the_plane(&b, &way, self.b)?,
        );
        let [w, s, e, n] = plane_a.bounds();
        let size = cell_size.unwrap_or((e - w).max(n - s) / CELLS);
        if !(size > 0.0 && size.is_finite()) {
            return Err(format!("{}: its polygons have no extent", self.a.display()));
        }
        let seed = Placement {
            cols: 1,
            rows: 1,
            west: w,
            north: n,
            cell: (size, size),
        };
        let place = extended(
            &extended(&seed, Some([w, s, e, n]), self.a)?,
            Some(plane_b.bounds()),
            self.a,
        )?;
        let plane = (a.system == System::Degrees).then_some(way);
        Ok(Pair {
            a: filled(place, &plane_a),
            b: filled(place, &plane_b),
            metres: (1.0, 1.0),
            plane,
        })
    }
}

/// Projects polygons from degrees to the plane of the projection `way`. `path`: file of the
/// polygons, for messages. Returns a message if a point lies where the projection is not valid.
fn on_the_plane(polygons: &Polygons, way: &ToDegrees, path: &Path) -> Result<Polygons, String> {
    let ring = |ring: &Vec<[f64; 2]>| {
        ring.iter()
            .map(|point| way.back(*point))
            .collect::<Option<Vec<_>>>()
    };
    let all = polygons
        .polygons
        .iter()
        .map(|rings| rings.iter().map(ring).collect());
    let polygons_there = all.collect::<Option<Vec<_>>>().ok_or_else(|| {
        format!(
            "{}: a point lies far from the map: is it in longitude and latitude?",
            path.display()
        )
    })?;
    Ok(Polygons {
        polygons: polygons_there,
        system: polygons.system.clone(),
    })
}

fn filled(place: Placement, polygons: &Polygons) -> Footprint {
    let mut footprint = Footprint {
        place,
        inside: Array2::from_elem((place.rows, place.cols), false),
    };
    polygons
        .polygons
        .iter()
        .for_each(|rings| fill(&mut footprint, rings));
    footprint
}
