//! Export of maps for Google Earth and other readers of KML 2.2: a zipped document with the map as
//! a ground overlay, its legend, and the outlines of the shown area.
//!
//! The overlay is resampled to longitude and latitude, north up, which every reader supports;
//! overlays with free corners are an extension that few support.

use std::io::{self, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::picture::Sight;
use super::png::{PLAIN, encode};
use super::qml::escaped;
use super::shapes::{Component, Drawing};
use super::{ExportError, MEND, Provenance};
use lavoxel_base::words::area;
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_geo::map::{Site, ToDegrees};
use lavoxel_geo::terrain::Hillshade;

/// Name of the KML document inside the KMZ archive.
const DOCUMENT: &str = "doc.kml";
/// Path of the picture of the map inside the KMZ archive.
const PICTURE: &str = "files/map.png";
/// Path of the picture of the map's legend inside the KMZ archive.
const LEGEND: &str = "files/legend.png";

/// Estimated memory in bytes per point of an outline, while it is traced and written.
const BYTES_A_POINT: f64 = 160.0;

/// Number of intervals along each side of the overlay; the projection is evaluated at the ends of
/// the intervals, and interpolated linearly in between.
const LATTICE: usize = 32;

/// Writes the map as a KMZ file to `path`. `sight`: input of the picture; `drawing`: input of the
/// outlines.
pub(super) fn write(
    path: &Path,
    (sight, drawing): (&Sight<'_>, &Drawing<'_>),
    existing: Existing,
) -> Result<(), ExportError> {
    let way = ToDegrees::of_site(drawing.site).ok_or_else(|| ExportError::NoDegrees {
        path: path.to_owned(),
    })?;
    let points = drawing.weigh(drawing.points_of_pieces(), BYTES_A_POINT);
    points.check(MEND).map_err(ExportError::memory(path))?;
    let mut file = WholeFile::create(path, existing)?;
    let around = Degrees::bounds(drawing.site, &way);
    fill(&mut file, sight, drawing, (&way, around))
        .map_err(|cause| ExportError::writing(path, cause))?;
    Ok(file.commit()?)
}

fn fill(
    file: impl Write + Seek,
    sight: &Sight<'_>,
    drawing: &Drawing<'_>,
    (way, around): (&ToDegrees, Degrees),
) -> io::Result<()> {
    // A fixed timestamp: the same map gives the same bytes at any time.
    let packed = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let picture = |zip: &mut _, [width, height]: [usize; 2], pixels: &[u8]| {
        let size = (width as u32, height as u32);
        encode(PLAIN, zip, size, pixels, &[]).map_err(io::Error::other)
    };
    let as_it_is = packed.compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(file);
    zip.start_file(DOCUMENT, packed)?;
    document(&mut zip, drawing, (way, around))?;
    zip.start_file(PICTURE, as_it_is)?;
    let size = Hillshade::size_of([drawing.site.grid.nx, drawing.site.grid.nz]);
    let pixels = around.picture(sight, drawing.site, way, size);
    picture(&mut zip, size, &pixels)?;
    drop(pixels);
    zip.start_file(LEGEND, as_it_is)?;
    let legend = sight.legend().alone();
    picture(&mut zip, [legend.width, legend.height], &legend.rgb)?;
    zip.finish()?;
    Ok(())
}

/// Rectangle in longitude and latitude, in degrees, that the overlay of the map covers.
#[derive(Clone, Copy, Debug)]
struct Degrees {
    west: f64,
    east: f64,
    south: f64,
    north: f64,
}

impl Degrees {
    /// Returns the bounding rectangle of the map in longitude and latitude; `way` converts map
    /// coordinates to degrees.
    fn bounds(site: &Site, way: &ToDegrees) -> Self {
        let (nx, nz) = (site.grid.nx as f64, site.grid.nz as f64);
        let mut around = Self {
            west: f64::MAX,
            east: f64::MIN,
            south: f64::MAX,
            north: f64::MIN,
        };
        for k in 0..=LATTICE {
            let share = k as f64 / LATTICE as f64;
            for corner in [
                [share * nx, 0.0],
                [share * nx, nz],
                [0.0, share * nz],
                [nx, share * nz],
            ] {
                let [x, y] = site.on_the_map(corner);
                let [longitude, latitude] = way.at(x, y);
                around.west = around.west.min(longitude);
                around.east = around.east.max(longitude);
                around.south = around.south.min(latitude);
                around.north = around.north.max(latitude);
            }
        }
        around
    }

    /// Returns [longitude, latitude] in degrees of a point in the rectangle. `east`: fraction of
    /// the way from the west to the east side; `south`: fraction of the way from the north to the
    /// south side; both 0 to 1.
    fn at(self, east: f64, south: f64) -> [f64; 2] {
        [
            self.west + east * (self.east - self.west),
            self.north - south * (self.north - self.south),
        ]
    }

    /// Draws the map resampled to this rectangle with `width` × `height` pixels. Returns RGBA
    /// bytes, row by row from the north. `sight`: input of the picture; `way`: conversion between
    /// degrees and map coordinates.
    fn picture(
        self,
        sight: &Sight<'_>,
        site: &Site,
        way: &ToDegrees,
        [width, height]: [usize; 2],
    ) -> Vec<u8> {
        let step = |k: usize| k as f64 / LATTICE as f64;
        let node = |k: usize| {
            let place = self.at(step(k % (LATTICE + 1)), step(k / (LATTICE + 1)));
            way.back(place)
                .map_or([f64::NAN; 2], |point| site.cells_of(point))
        };
        let nodes: Vec<[f64; 2]> = (0..(LATTICE + 1) * (LATTICE + 1)).map(node).collect();
        sight.overlay((width, height), |x, y| {
            let along = |pixel: usize, pixels: usize| {
                let place = (pixel as f64 + 0.5) / pixels as f64 * LATTICE as f64;
                let first = (place.floor() as usize).min(LATTICE - 1);
                (first, place - first as f64)
            };
            let ((i, u), (j, v)) = (along(x, width), along(y, height));
            let corner = |i: usize, j: usize, k: usize| nodes[j * (LATTICE + 1) + i][k];
            let mixed = |k| {
                let row = |j| corner(i, j, k) + u * (corner(i + 1, j, k) - corner(i, j, k));
                row(j) + v * (row(j + 1) - row(j))
            };
            (mixed(0), mixed(1))
        })
    }
}

fn document(
    out: &mut impl Write,
    drawing: &Drawing<'_>,
    (way, around): (&ToDegrees, Degrees),
) -> io::Result<()> {
    let (caption, about) = (drawing.caption, drawing.about);
    let when = caption.when(about);
    let name = if about.scene.is_empty() {
        when
    } else {
        format!("{}, {when}", about.scene)
    };
    let note = caption
        .note
        .map(|note| format!(". {note}"))
        .unwrap_or_default();
    let cautions: String = about
        .cautions
        .iter()
        .map(|text| format!(" Caution: {text}."))
        .collect();
    let description = format!(
        "{}{note}.{cautions} {}",
        caption.description,
        Provenance::SOFTWARE
    );
    // Shifts by whole turns: longitudes of a map at the date line run beyond ±180°.
    let turn = 360.0 * (0.5 * (around.west + around.east) / 360.0).round();
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document>\n\
         <name>{}</name>\n<description>{}</description>\n\
         <Style id=\"outline\"><LineStyle><color>ff20304a</color><width>1.5</width></LineStyle>\
         <PolyStyle><fill>0</fill></PolyStyle></Style>\n\
         <GroundOverlay><name>{}</name><Icon><href>{PICTURE}</href></Icon><LatLonBox><north>{:.9}</north>\
         <south>{:.9}</south><east>{:.9}</east><west>{:.9}</west></LatLonBox></GroundOverlay>\n\
         <ScreenOverlay><name>legend</name><Icon><href>{LEGEND}</href></Icon>\
         <overlayXY x=\"0\" y=\"1\" xunits=\"fraction\" yunits=\"fraction\"/>\
         <screenXY x=\"0.02\" y=\"0.96\" xunits=\"fraction\" yunits=\"fraction\"/></ScreenOverlay>\n\
         <Folder><name>outlines</name>",
        escaped(&name),
        escaped(&description),
        escaped(&caption.title),
        around.north,
        around.south,
        around.east - turn,
        around.west - turn,
    )?;
    for piece in drawing.pieces() {
        placemark(out, drawing, &piece, |point| {
            let [x, y] = drawing.site.on_the_map(point);
            let [longitude, latitude] = way.at(x, y);
            [longitude - turn, latitude]
        })?;
    }
    writeln!(out, "</Folder>\n</Document>\n</kml>")
}

/// Writes the outline of the connected component `piece` of a footprint as a KML placemark to
/// `out`; `place` converts raster positions to longitude and latitude.
fn placemark(
    out: &mut impl Write,
    drawing: &Drawing<'_>,
    piece: &Component,
    place: impl Fn([f64; 2]) -> [f64; 2],
) -> io::Result<()> {
    let area_m2 = piece.cells as f64 * drawing.cell_area_m2();
    let data =
        |name: &str, value: &str| format!("<Data name=\"{name}\"><value>{value}</value></Data>");
    let words = [
        data("quantity", &escaped(&drawing.caption.name)),
        data("cells", &piece.cells.to_string()),
    ]
    .concat();
    write!(
        out,
        "<Placemark><name>{}</name><styleUrl>#outline</styleUrl><ExtendedData>{words}{}</ExtendedData>\
         <Polygon><tessellate>1</tessellate>",
        area(area_m2),
        data("area_m2", &area_m2.to_string())
    )?;
    for (i, ring) in piece.rings.iter().enumerate() {
        let side = if i == 0 { "outer" } else { "inner" };
        write!(out, "<{side}BoundaryIs><LinearRing><coordinates>")?;
        // KML rings are closed by repeating the first point.
        for point in ring.iter().chain(ring.first()) {
            let [longitude, latitude] = place(*point);
            write!(out, "{longitude:.8},{latitude:.8} ")?;
        }
        write!(out, "</coordinates></LinearRing></{side}BoundaryIs>")?;
    }
    writeln!(out, "</Polygon></Placemark>")
}
