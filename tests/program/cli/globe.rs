//! Tests of maps for Google Earth and as GeoPackages: GDAL places them where the heightmap lies.

use super::place::{Place, text};
use crate::needs;

/// Returns a heightmap that falls to the south, on the New Zealand Map Grid, as an ASCII grid.
fn slope() -> String {
    let row = |z: usize| format!("{}\n", vec![(200 - z).to_string(); 40].join(" "));
    let rows: String = (0..40).map(row).collect();
    format!("ncols 40\nnrows 40\nxllcorner 2667400\nyllcorner 6478700\ncellsize 10\n{rows}")
}

const RUN: &str = "run dem.asc --grid 40x60x40 --voxel-size 10 --vent 18,12@2 --steps 60 --quiet";

/// Coordinate system without datum shift grids, which the program does not have.
const SYSTEM: &str = "+proj=nzmg +lat_0=-41 +lon_0=173 +x_0=2510000 +y_0=6023150 +ellps=intl \
                      +towgs84=59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993";

/// Runs a Python program in the folder of `place` and returns its output.
fn python(place: &Place, python: &str, program: &str) -> String {
    let run = std::process::Command::new(python)
        .current_dir(place.0.path())
        .args(["-c", program, SYSTEM])
        .output();
    let run = run.unwrap();
    assert!(
        run.status.success(),
        "{}{}",
        text(&run.stdout),
        text(&run.stderr)
    );
    text(&run.stdout)
}

#[test]
fn a_map_lies_on_the_globe() {
    let place = Place::new();
    place.write_file("dem.asc", slope());
    place.done(&format!(
        "{RUN} --crs EPSG:27200 --map footprint=f.kmz --map thickness=t.kmz --map footprint=f.asc --no-style"
    ));
    let Some(with) = needs::python("osgeo.ogr", "python3-gdal") else {
        return;
    };
    let program = "\
import re, sys, zipfile
from osgeo import gdal, ogr, osr
gdal.UseExceptions(); ogr.UseExceptions(); osr.UseExceptions()
rows = [line.split() for line in open('f.asc').read().splitlines()[6:]]
cells = [(r, c) for r, row in enumerate(rows) for c, value in enumerate(row) if value == '1']
assert len(cells) > 20
to, of = osr.SpatialReference(), osr.SpatialReference()
to.ImportFromProj4(sys.argv[1]); of.ImportFromEPSG(4326)
of.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
down, up = osr.CoordinateTransformation(of, to), osr.CoordinateTransformation(to, of)
total = 0
source = ogr.Open('f.kmz')
for feature in source.GetLayerByName('outlines'):
    shape = feature.geometry().Clone()
    assert shape.IsValid()
    shape.Transform(down)
    assert abs(shape.GetArea() - float(feature.GetField('area_m2'))) < 0.5
    total += shape.GetArea()
assert abs(total - 100 * len(cells)) < 1, (total, len(cells))
for name in ('f.kmz', 't.kmz'):
    files = zipfile.ZipFile(name)
    assert files.testzip() is None and files.namelist() == ['doc.kml', 'files/map.png', 'files/legend.png']
    text = files.read('doc.kml').decode()
    side = {key: float(re.search(f'<{key}>(.*?)</{key}>', text)[1]) for key in ('west', 'east', 'south', 'north')}
    corners = [up.TransformPoint(x, y)[:2] for x in (2667400, 2667800) for y in (6478700, 6479100)]
    found = [side['west'], side['south'], side['east'], side['north']]
    wanted = [f(p[k] for p in corners) for f in (min, max) for k in (0, 1)]
    assert all(abs(a - b) < 1e-8 for a, b in zip(found, wanted)), (found, wanted)
    picture = gdal.Open(f'/vsizip/{name}/files/map.png')
    assert picture.RasterCount == 4
    wide, high = picture.RasterXSize, picture.RasterYSize
    alpha = picture.GetRasterBand(4).ReadRaster()
    seen = [(i % wide, i // wide) for i, opacity in enumerate(alpha) if opacity > 100]
    middle = [sum(p[k] for p in seen) / len(seen) + 0.5 for k in (0, 1)]
    place = (side['west'] + middle[0] / wide * (side['east'] - side['west']),
             side['north'] - middle[1] / high * (side['north'] - side['south']))
    x, y, _ = down.TransformPoint(*place)
    wanted = [2667405 + 10 * sum(c for r, c in cells) / len(cells), 6479095 - 10 * sum(r for r, c in cells) / len(cells)]
    assert abs(x - wanted[0]) < 2 and abs(y - wanted[1]) < 2, (x, y, wanted)
    share = len(seen) / (wide * high) * 160000 / (100 * len(cells))
    assert 0.9 < share < 1.1, share
print('fine')
";
    assert_eq!(python(&place, with, program), "fine\n");
}

#[test]
fn a_map_without_a_system_does_not_lie_on_the_globe() {
    let place = Place::new();
    place.write_file("dem.asc", slope());
    let line = place.refused(&format!("{RUN} --map footprint=f.kmz"));
    assert!(
        line.contains("f.kmz: ") && line.contains("say it with --crs EPSG:NUMBER"),
        "{line}"
    );
    assert_eq!(place.files(), ["dem.asc", "small.toml"]);
    // The datum shift of this system needs a grid.
    let line = place.refused(&format!("{RUN} --crs EPSG:26710 --map footprint=f.kmz"));
    assert!(line.contains("--crs EPSG:NUMBER"), "{line}");
}

#[test]
fn a_geopackage_has_the_system_of_the_map() {
    let place = Place::new();
    place.write_file("dem.asc", slope());
    place.done(&format!(
        "{RUN} --crs EPSG:27200 --map max-thickness.footprint=f.gpkg --map thickness=t.gpkg --levels 0.5,1 --map \
         max-thickness.footprint=f.asc --no-style"
    ));
    place.done(&format!("{RUN} --map footprint=own.gpkg"));
    place.done(&format!(
        "{RUN} --crs EPSG:27200 --map footprint=s.gpkg --smooth"
    ));
    let again = place.read("t.gpkg");
    place.done(&format!(
        "{RUN} --crs EPSG:27200 --map thickness=t.gpkg --levels 0.5,1 --force"
    ));
    assert!(
        place.read("t.gpkg") == again,
        "the same map gives the same bytes"
    );
    assert!(
        !place.files().iter().any(|name| name.contains("journal")),
        "{:?}",
        place.files()
    );
    let Some(with) = needs::python("osgeo.ogr", "python3-gdal") else {
        return;
    };
    let program = "\
import sqlite3
from osgeo import ogr
ogr.UseExceptions()
cells = sum(line.split().count('1') for line in open('f.asc').read().splitlines()[6:])
source = ogr.Open('f.gpkg')
assert source.GetDriver().GetName() == 'GPKG' and source.GetLayerCount() == 1
layer = source.GetLayerByName('max_thickness_footprint')
assert layer.GetSpatialRef().GetAuthorityCode(None) == '27200'
total = 0
for feature in layer:
    shape = feature.geometry()
    assert shape.IsValid() and shape.GetGeometryName() == 'POLYGON'
    assert abs(shape.GetArea() - feature.GetField('area_m2')) < 1e-6 and feature.GetField('above') == 0.05
    total += shape.GetArea()
assert cells > 20 and abs(total - 100 * cells) < 1e-6, (total, cells)
west, east, south, north = layer.GetExtent()
assert 2667400 <= west < east <= 2667800 and 6478700 <= south < north <= 6479100
other = ogr.Open('t.gpkg')
lines = other.GetLayer()
assert [feature.GetField('level') for feature in lines] == [0.5, 1.0]
lines.ResetReading()
assert all(feature.geometry().GetGeometryName() == 'MULTILINESTRING' for feature in lines)
smooth = ogr.Open('s.gpkg')
for feature in smooth.GetLayer():
    assert feature.geometry().IsValid()
own = ogr.Open('own.gpkg')
system = own.GetLayer().GetSpatialRef()
assert system is None or 'ndefined' in system.GetName()
for name in ('f.gpkg', 't.gpkg', 'own.gpkg'):
    base = sqlite3.connect(name)
    assert base.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
    assert base.execute('PRAGMA foreign_key_check').fetchall() == []
    assert base.execute('PRAGMA application_id').fetchone() == (0x47504B47,)
    assert {row[0] for row in base.execute('SELECT srs_id FROM gpkg_spatial_ref_sys')} >= {-1, 0, 4326}
    wkt, = base.execute('SELECT definition FROM gpkg_spatial_ref_sys WHERE srs_id IN (27200, -1) ORDER BY srs_id DESC').fetchone()
    assert ('New_Zealand_Map_Grid' in wkt) == (name != 'own.gpkg'), wkt
print('fine')
";
    assert_eq!(python(&place, with, program), "fine\n");
}
