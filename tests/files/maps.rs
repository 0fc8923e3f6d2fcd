//! Tests that maps and fields in files equal those of the world, bit for bit, and lie where the
//! heightmap lies. Where GDAL and NumPy are installed, they read the files too.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs;
use geotiff_reader::GeoTiffFile;
use lavoxel::air::Field;
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::maps::{MapFile, MapQuantity, Maps, Values, write_map};
use lavoxel::export::{ExportError, Provenance, npz};
use lavoxel::grid::Grid;
use lavoxel::map::{Crs, Site};
use lavoxel::output::Existing;
use lavoxel::records::Records;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::state::State;
use lavoxel::terrain::{LoadOptions, load};
use lavoxel::units::{amount, energy};
use lavoxel::world::ColumnMeasure::{
    Arrival, Ground as Elevation, MaxThickness, PeakEnergy, Surface, Thickness,
};
use lavoxel::world::{ColumnMeasure, ColumnQuantity, Ground, World};
use ndarray::{Array1, Array2, Array3, Ix1, Ix2, Ix3, OwnedRepr};
use ndarray_npy::NpzReader;
use tempfile::TempDir;

/// Text of the coordinate system UTM zone 10 north, as GDAL writes it into a `.prj` file.
const UTM: &str = r#"PROJCS["WGS 84 / UTM zone 10N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-123],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AXIS["Northing",NORTH],AUTHORITY["EPSG","32610"]]"#;

/// Text of a coordinate system without an EPSG number.
const NUMBERLESS: &str = r#"PROJCS["A plane of our own",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Azimuthal_Equal_Area"],PARAMETER["False_Easting",100000.0],PARAMETER["False_Northing",200000.0],PARAMETER["Central_Meridian",-121.5],PARAMETER["Latitude_Of_Origin",46.25],UNIT["Meter",1.0]]"#;

/// Text of a plane coordinate system centred near the maps of [`Run`], where its metres are metres
/// on the ground.
const NEAR: &str = r#"PROJCS["A plane of our own",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Azimuthal_Equal_Area"],PARAMETER["False_Easting",560000.0],PARAMETER["False_Northing",5110000.0],PARAMETER["Central_Meridian",-121.5],PARAMETER["Latitude_Of_Origin",46.25],UNIT["Meter",1.0]]"#;

/// Simulation on a heightmap of 40 × 30 cells; the box shows a part in the middle.
struct Run {
    folder: TempDir,
    simulation: Simulation,
    records: Vec<Records>,
    site: Site,
}

impl Run {
    fn new(prj: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut dem =
            "ncols 40\nnrows 30\nxllcorner 562005.25\nyllcorner 5112003.5\ncellsize 12.5\n"
                .to_owned();
        for row in 0..30 {
            for col in 0..40 {
                dem += &format!(
                    "{} ",
                    1000.0 + 0.37 * f64::from((col - 20) * (col - 20) + (row - 15) * (row - 12))
                );
            }
        }
        fs::write(folder.path().join("dem.asc"), dem).unwrap();
        if let Some(prj) = prj {
            fs::write(folder.path().join("dem.prj"), prj).unwrap();
        }
        Self::on_terrain(
            "file = 'dem.asc'\nvertical_exaggeration = 1.7\n",
            [26, 40, 24],
            folder,
            90,
        )
    }

    /// Creates a run with a lake, and a spring above the lake that starts later.
    fn with_water() -> Self {
        let terrain = "kind = 'plane'\nbase_cells = 4\n";
        let water = "[[material]]\nname = 'water'\n[[body]]\nshape = { kind = 'box', from = [0, 4, 0], to = [20, 7, 9] }\n\
                     matter = { kind = 'material', name = 'water', amount = 1.0 }\n\
                     [[source]]\nmaterial = 'water'\nx = 10\nz = 18\nradius = 1.5\nrate = 0.7\nstart = 30\nend = 40\n";
        Self::on(
            terrain,
            [20, 24, 20],
            tempfile::tempdir().unwrap(),
            (90, water),
        )
    }

    /// Creates a run after `steps` steps on a heightmap, with a vent in the middle and a ball of a
    /// material that vanishes.
    fn on_terrain(terrain: &str, size: [usize; 3], folder: TempDir, steps: u64) -> Self {
        Self::on(
            &format!("kind = 'heightmap'\n{terrain}"),
            size,
            folder,
            (steps, ""),
        )
    }

    fn on(
        terrain: &str,
        [nx, ny, nz]: [usize; 3],
        folder: TempDir,
        (steps, more): (u64, &str),
    ) -> Self {
        let text = format!(
            "name = 'hollow & <co>'\nseed = 6\ndefault_reactions = false\n[grid]\nsize = [{nx}, {ny}, {nz}]\n[terrain]\n{terrain}\
             [rules]\nthreshold = 0.2\n[[vent]]\nx = {}\nz = {}\nradius = 2\nrate = 1.5\n[[event]]\nat = 20\n\
             put = {{ shape = {{ kind = 'sphere', center = [4, {}, 4], radius = 2 }},\
             matter = {{ kind = 'lava', amount = 0.4, energy = 1.2 }} }}\n[[event]]\nat = 40\n\
             put = {{ shape = {{ kind = 'cylinder', base = [4, 0, 4], radius = 4, height = {ny} }}, matter = {{ kind = 'drain' }} }}\n{more}",
            nx / 2,
            nz / 2,
            ny - 6,
        );
        let scene = Scene::parse(&text, &folder.path().join("scene.toml")).unwrap();
        let stage = scene.build(Box::new(Tiled::default())).unwrap();
        let site = stage.site.clone();
        let mut simulation = stage.simulation;
        let materials = scene.materials();
        let mut records: Vec<_> = materials
            .iter()
            .map(|m| Records::new(site.grid).for_material(&m.name))
            .collect();
        let mut observe = |simulation: &Simulation| {
            let state = simulation.world();
            records
                .iter_mut()
                .for_each(|records| records.observe(state, state.flow(), simulation.steps()));
        };
        observe(&simulation);
        while simulation.steps() < steps {
            simulation.step();
            observe(&simulation);
        }
        Self {
            folder,
            simulation,
            records,
            site,
        }
    }

    fn maps(&self) -> Maps<'_> {
        Maps {
            world: self.simulation.world(),
            records: &self.records,
            site: &self.site,
        }
    }

    fn about(&self) -> Provenance {
        Provenance {
            scene: "hollow & <co>".to_owned(),
            seed: 6,
            step: self.simulation.steps(),
            ..Provenance::default()
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, measure: ColumnMeasure, ending: &str) -> PathBuf {
        self.write_of(&lava(measure), ending)
    }

    fn write_of(&self, quantity: &ColumnQuantity, ending: &str) -> PathBuf {
        let path = self.path(&format!("out-{}.{ending}", quantity.name()));
        write_map(&path, quantity, &self.maps(), &self.about(), Existing::Keep).unwrap();
        path
    }
}

/// Returns the column quantity `measure` of the lava.
fn lava(measure: ColumnMeasure) -> ColumnQuantity {
    ColumnQuantity::new(measure, "lava")
}

/// Returns the values of a map as `f64`, with NaN for no data.
fn real(values: Values) -> Array2<f64> {
    match values {
        Values::Real(values) => values.mapv(f64::from),
        Values::Whole(values) => values.mapv(|v| {
            if v == Values::NO_WHOLE {
                f64::NAN
            } else {
                f64::from(v)
            }
        }),
    }
}

fn assert_same(a: &Array2<f64>, b: &Array2<f64>, what: &str) {
    assert_eq!(a.dim(), b.dim(), "{what}");
    for (at, a) in a.indexed_iter() {
        assert!(
            a.to_bits() == b[at].to_bits() || (a.is_nan() && b[at].is_nan()),
            "{what} at {at:?}: {a} and {}",
            b[at]
        );
    }
}

fn read_tif(path: &Path) -> Array2<f64> {
    let file = GeoTiffFile::open(path).unwrap();
    assert_eq!(file.nodata(), Some("-9999"));
    let flat = match file.read_raster::<f32>() {
        Ok(values) => values.mapv(f64::from),
        Err(_) => file.read_raster::<i32>().unwrap().mapv(f64::from),
    };
    let values = flat.into_dimensionality::<Ix2>().unwrap();
    values.mapv(|v| if v == -9999.0 { f64::NAN } else { v })
}

#[test]
fn maps_say_what_their_definition_says() {
    let run = Run::new(None);
    let (world, site, maps) = (run.simulation.world(), &run.site, run.maps());
    let metres = |amount: f64| (amount * site.cell_size_m / site.vertical_exaggeration) as f32;
    let [thickness, most, arrival, peak, surface, ground] = [
        Thickness,
        MaxThickness,
        Arrival,
        PeakEnergy,
        Surface,
        Elevation,
    ]
    .map(|measure| real(maps.values(&lava(measure))));
    let mut kinds = BTreeSet::new();
    for z in 0..site.grid.nz {
        for x in 0..site.grid.nx {
            let at = [z, x];
            let lava: f64 = (0..site.grid.ny)
                .map(|y| f64::from(amount(world.lava().at([x, y, z]).amount)))
                .sum();
            let land =
                site.floor_m + f64::from(world.ground().surface()[at]) * site.cell_height_m();
            assert_eq!(ground[at], f64::from(land as f32));
            assert_eq!(surface[at], f64::from(land as f32 + metres(lava)));
            let came = run.records[0].arrival()[at] != u32::MAX;
            kinds.insert((lava > 0.0, came));
            if lava > 0.0 {
                assert_eq!(thickness[at], f64::from(metres(lava)));
                assert!(most[at] >= thickness[at]);
            } else {
                assert!(thickness[at].is_nan());
            }
            assert!(
                [most[at], arrival[at], peak[at]]
                    .iter()
                    .all(|v| v.is_nan() != came),
                "{at:?}"
            );
            if came {
                assert!((0.0..=90.0).contains(&arrival[at]) && most[at] > 0.0 && peak[at] >= 0.0);
                assert_eq!(
                    peak[at],
                    f64::from(energy(run.records[0].peak_energy()[at]))
                );
            }
        }
    }
    // All three cases occur: lava stands, stood and is gone, or never came.
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    // Lava of the vent arrives in the first step, and elsewhere later.
    assert!(arrival.iter().any(|&step| step == 1.0) && arrival.iter().any(|&step| step > 20.0));
}

#[test]
fn every_raster_gives_back_every_number_at_its_place() {
    let run = Run::new(Some(UTM));
    let place = run.site.placement();
    for quantity in run.simulation.world().column_quantities() {
        let name = quantity.name();
        let values = real(run.maps().values(&quantity));
        assert_same(
            &read_tif(&run.write(quantity.measure(), "tif")),
            &values,
            &name,
        );
        let map = load(
            &run.write(quantity.measure(), "asc"),
            &LoadOptions::default(),
        )
        .unwrap();
        assert_same(&map.heights.mapv(f64::from), &values, &name);
        let cube = load(
            &run.write(quantity.measure(), "nc"),
            &LoadOptions::default(),
        )
        .unwrap();
        assert_same(&cube.heights.mapv(f64::from), &values, &name);
        assert_eq!(cube.origin.as_ref().unwrap().x_west, place.west);
        let sides = LoadOptions {
            cell_size_m: Some(run.site.cell_size_m),
            ..LoadOptions::default()
        };
        let mask = load(&run.write(quantity.measure(), "exr"), &sides).unwrap();
        let known = values.mapv(|value| if value.is_nan() { 0.0 } else { value });
        assert_same(&mask.heights.mapv(f64::from), &known, &name);
        // Masks of 16 bits, between the ends of the legend.
        let bare = run.write(quantity.measure(), "r16");
        let about = fs::read(bare.with_extension("r16.json")).unwrap();
        let about: serde_json::Value = serde_json::from_slice(&about).unwrap();
        let [black, white] = ["black", "white"].map(|end| about[end].as_f64().unwrap());
        let sides = LoadOptions {
            black_m: Some(black),
            white_m: Some(white),
            raw_size: Some([map.cols(), map.rows()]),
            ..sides
        };
        let step = (white - black) / 65_535.0;
        for ending in ["r16", "mask.png"] {
            let path = match ending {
                "r16" => bare.clone(),
                _ => run.write(quantity.measure(), ending),
            };
            let mask = load(&path, &sides).unwrap();
            for (value, known) in mask.heights.iter().zip(&values) {
                let known = if known.is_nan() { black } else { *known };
                let apart = (f64::from(*value) - known).abs();
                assert!(
                    apart <= 0.51 * step + 1e-6 * known.abs(),
                    "{name} {ending}: {value} {known}"
                );
            }
        }
        assert_eq!(
            map.cell_size_m,
            (run.site.cell_size_m, run.site.cell_size_m)
        );
        let origin = map.origin.unwrap();
        assert_eq!(origin.x_west, place.west);
        assert!((origin.y_north - place.north).abs() < 1e-6);
        assert_eq!(origin.crs.wkt.as_deref(), Some(UTM));
    }
    let file = GeoTiffFile::open(run.path("out-arrival.tif")).unwrap();
    assert_eq!(file.epsg(), Some(32610));
    let [west, south, east, north] = file.geo_bounds().unwrap();
    assert_eq!((west, north), (place.west, place.north));
    assert!((south - place.south()).abs() < 1e-6);
    assert!((east - west - 26.0 * run.site.cell_size_m).abs() < 1e-6);
    // The box is cut from the middle of a map of 500 m × 375 m.
    assert!(
        west > 562_005.25 && north < 5_112_003.5 + 375.0 + 1e-6,
        "{west} {north}"
    );
}

/// Checks that a GeoTIFF keeps the heightmap's coordinate system: with and without an EPSG number,
/// in metres, feet and degrees.
#[test]
fn a_geotiff_keeps_the_coordinate_system() {
    let feet = NUMBERLESS.replace(
        "UNIT[\"Meter\",1.0]",
        "UNIT[\"Foot_US\",0.3048006096012192]",
    );
    let numbered = feet.replace("12192]]", "12192],AUTHORITY[\"EPSG\",\"2276\"]]");
    let degrees = NUMBERLESS
        .split_once(',')
        .unwrap()
        .1
        .split_once(",PROJECTION")
        .unwrap()
        .0
        .replace("6378137.0", "3396190.0");
    let degrees = degrees.replace("WGS_1984", "Mars");
    for (prj, text) in [
        (NUMBERLESS, true),
        (&feet, true),
        (&numbered, false),
        (&degrees, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let dem = format!(
            "ncols 9\nnrows 9\nxllcorner 10\nyllcorner 40\ncellsize 0.5\n{}",
            "7 8 9 8 7 6 5 4 3\n".repeat(9)
        );
        fs::write(folder.path().join("dem.asc"), dem).unwrap();
        fs::write(folder.path().join("dem.prj"), prj).unwrap();
        let run = Run::on_terrain("file = 'dem.asc'\n", [9, 100, 9], folder, 1);
        let before = load(&run.path("dem.asc"), &LoadOptions::default())
            .unwrap()
            .origin
            .unwrap()
            .crs;
        let after = load(&run.write(Elevation, "tif"), &LoadOptions::default())
            .unwrap()
            .origin
            .unwrap()
            .crs;
        assert_eq!(
            (after.unit(), after.epsg()),
            (before.unit(), before.epsg()),
            "{prj}"
        );
        assert!(
            !text || after.to_wkt().as_deref() == Some(prj),
            "{prj}: {:?}",
            after.to_wkt()
        );
    }
}

/// Checks a map of several strips with a short last strip.
#[test]
fn a_large_map_comes_back_whole() {
    let heights =
        Array2::from_shape_fn((700, 300), |(z, x)| (z * 7919 + x * 104_729) as f32 % 61.7);
    let world = State::from(World::new(Ground::from_surface(64, heights)));
    let site = Site {
        grid: world.grid(),
        cell_size_m: 2.5,
        floor_m: -12.0,
        vertical_exaggeration: 1.0,
        georeference: None,
    };
    let maps = Maps {
        world: &world,
        records: &[],
        site: &site,
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.tiff");
    let about = Provenance::default();
    write_map(&path, &lava(Elevation), &maps, &about, Existing::Keep).unwrap();
    assert_same(
        &read_tif(&path),
        &real(maps.values(&lava(Elevation))),
        "ground",
    );
    if let Some(info) = output("gdalinfo", &["-checksum", path.to_str().unwrap()]) {
        assert!(
            info.contains("Size is 300, 700") && info.contains("Block=300x218"),
            "{info}"
        );
    }
}

#[test]
fn a_map_in_degrees_stays_in_degrees() {
    let mut run = Run::new(None);
    let mut place = run.site.georeference.take().unwrap();
    place.metres_per_unit = (77_000.0, 111_000.0);
    (place.x_west, place.y_north) = (-122.25, 46.25);
    place.crs = Crs::from_epsg(4326).unwrap();
    run.site.georeference = Some(place);
    assert_eq!(run.site.map_unit(), "degree");
    let file = GeoTiffFile::open(run.write(Surface, "tif")).unwrap();
    let transform = file.transform().unwrap();
    let cell = run.site.cell_size_m;
    assert_eq!((transform.origin_x, transform.origin_y), (-122.25, 46.25));
    assert_eq!(
        (transform.pixel_width, transform.pixel_height),
        (cell / 77_000.0, -cell / 111_000.0)
    );
    let text = fs::read_to_string(run.write(Surface, "asc")).unwrap();
    assert!(text.contains("\nxllcorner -122.25\n"), "{text:.200}");
    assert!(
        text.contains(&format!(
            "\ndx {}\ndy {}\n",
            cell / 77_000.0,
            cell / 111_000.0
        )),
        "{text:.200}"
    );
}

#[test]
fn without_a_map_the_south_west_corner_is_the_origin() {
    let mut run = Run::new(None);
    run.site.georeference = None;
    let file = GeoTiffFile::open(run.write(Elevation, "tif")).unwrap();
    let cell = run.site.cell_size_m;
    assert_eq!(
        file.geo_bounds().unwrap().map(|v| (v / cell).round()),
        [0.0, 0.0, 26.0, 24.0]
    );
    assert_eq!(file.epsg(), None);
}

#[test]
fn an_archive_gives_back_every_field() {
    let run = Run::new(Some(UTM));
    let path = run.path("all.npz");
    npz::write(&path, &run.maps(), &run.about(), Existing::Keep).unwrap();
    let mut file = NpzReader::new(File::open(&path).unwrap()).unwrap();
    let (world, grid) = (run.simulation.world(), run.site.grid);

    let amounts: Array3<f32> = file.by_name::<OwnedRepr<f32>, Ix3>("amount.npy").unwrap();
    let energies: Array3<f32> = file.by_name::<OwnedRepr<f32>, Ix3>("energy.npy").unwrap();
    let solid: Array3<bool> = file.by_name::<OwnedRepr<bool>, Ix3>("solid.npy").unwrap();
    assert_eq!(amounts.dim(), (grid.ny, grid.nz, grid.nx));
    for ((y, z, x), &found) in amounts.indexed_iter() {
        let cell = world.lava().at([x, y, z]);
        assert_eq!(
            (found, energies[[y, z, x]]),
            (amount(cell.amount), energy(cell.energy))
        );
        assert_eq!(solid[[y, z, x]], world.ground().is_solid([x, y, z]));
    }
    for quantity in world.column_quantities() {
        let name = format!("{}.npy", quantity.name().replace('-', "_"));
        let found = match quantity.measure() {
            Arrival => file.by_name::<OwnedRepr<f64>, Ix2>(&name).unwrap(),
            _ => file
                .by_name::<OwnedRepr<f32>, Ix2>(&name)
                .unwrap()
                .mapv(f64::from),
        };
        assert_same(&found, &real(run.maps().values(&quantity)), &name);
    }
    let mut axis =
        |name: &str| -> Array1<f64> { file.by_name::<OwnedRepr<f64>, Ix1>(name).unwrap() };
    let (x, y, z) = (axis("x.npy"), axis("y.npy"), axis("z.npy"));
    assert_eq!((x.len(), y.len(), z.len()), (grid.nx, grid.nz, grid.ny));
    let (place, half) = (run.site.placement(), 0.5 * run.site.cell_size_m);
    assert!((x[0] - half - place.west).abs() < 1e-6 && (y[0] + half - place.north).abs() < 1e-6);
    assert!(x[1] > x[0] && y[1] < y[0] && z[1] > z[0]);
    assert!((z[0] - run.site.floor_m - 0.5 * run.site.cell_height_m()).abs() < 1e-9);
}

#[test]
fn every_material_has_its_maps_and_fields() {
    let run = Run::with_water();
    let (world, site, maps) = (run.simulation.world(), &run.site, run.maps());
    let of = |measure| real(maps.values(&ColumnQuantity::new(measure, "water")));
    let [thickness, most, arrival, surface] = [Thickness, MaxThickness, Arrival, Surface].map(of);
    let (water, lavas) = (world.layer("water").unwrap(), world.lava().column_amounts());
    let (mut wet, mut both) = (0, 0);
    for (at, &held) in water.column_amounts().indexed_iter() {
        let metres = |units: u64| (units as f64 / 32768.0 * site.cell_height_m()) as f32;
        let land = site.floor_m + f64::from(world.ground().surface()[at]) * site.cell_height_m();
        assert_eq!(
            surface[at],
            f64::from(land as f32 + metres(held + lavas[at])),
            "ground, lava and water"
        );
        assert!(thickness[at] == f64::from(metres(held)) || thickness[at].is_nan() && held == 0);
        assert_eq!(most[at].is_nan(), arrival[at].is_nan());
        assert!(most[at] >= thickness[at] || thickness[at].is_nan());
        wet += usize::from(held > 0);
        both += usize::from(held > 0 && lavas[at] > 0);
    }
    assert!(
        wet > 100 && both > 0,
        "{wet} columns with water, {both} of them with lava"
    );
    // The lake was there before the first step, and has spread.
    assert_eq!(arrival.iter().copied().fold(f64::INFINITY, f64::min), 0.0);
    assert!(arrival.iter().any(|&step| step > 0.0));

    for quantity in world.column_quantities() {
        let values = real(maps.values(&quantity));
        assert_same(
            &read_tif(&run.write_of(&quantity, "tif")),
            &values,
            &quantity.name(),
        );
    }
    let path = run.path("all.npz");
    npz::write(&path, &maps, &run.about(), Existing::Keep).unwrap();
    let mut file = NpzReader::new(File::open(&path).unwrap()).unwrap();
    let names: BTreeSet<String> = file
        .names()
        .unwrap()
        .into_iter()
        .filter(|name| name.starts_with("water"))
        .collect();
    let expected = [
        "water_amount",
        "water_arrival",
        "water_max_thickness",
        "water_surface",
        "water_thickness",
    ];
    assert_eq!(
        names
            .iter()
            .map(|name| name.trim_end_matches(".npy"))
            .collect::<Vec<_>>(),
        expected
    );
    let amounts: Array3<f32> = file
        .by_name::<OwnedRepr<f32>, Ix3>("water_amount.npy")
        .unwrap();
    for ((y, z, x), &found) in amounts.indexed_iter() {
        assert_eq!(found, amount(water.at([x, y, z]).amount));
    }
    for (name, values) in [("water_thickness", &thickness), ("water_surface", &surface)] {
        let found = file
            .by_name::<OwnedRepr<f32>, Ix2>(&format!("{name}.npy"))
            .unwrap();
        assert_same(&found.mapv(f64::from), values, name);
    }
}

/// Checks that the sums of what the air carries equal its account, including the air outside the
/// box of the lava.
#[test]
fn an_archive_holds_the_whole_air() {
    let air = "[air]\nratio = 2\nheight_m = 900\nmargin_m = 60\nwind = [[0, 8, 270]]\n\
               [[fume]]\nx = 20\nz = 10\nrate = 40\nair = { gas = 0.3, ash = 0.2, steam = 0.1, jet_m_s = 20 }\n";
    let run = Run::on(
        "kind = 'plane'\nbase_cells = 4\n",
        [24, 20, 20],
        tempfile::tempdir().unwrap(),
        (40, air),
    );
    let (world, site) = (run.simulation.world(), &run.site);
    let path = run.path("all.npz");
    npz::write(&path, &run.maps(), &run.about(), Existing::Keep).unwrap();
    let mut file = NpzReader::new(File::open(&path).unwrap()).unwrap();
    let air = world.air().unwrap();
    let cells = air.grid().cells;
    assert!(
        cells.nx * air.grid().ratio > site.grid.nx && cells.ny * air.grid().ratio > site.grid.ny
    );
    let solid: Array3<bool> = file
        .by_name::<OwnedRepr<bool>, Ix3>("air_box_solid.npy")
        .unwrap();
    for field in Field::CARRIED {
        let units: Array3<u32> = file
            .by_name(&format!("air_box_{}.npy", field.name()))
            .unwrap();
        assert_eq!(units.dim(), (cells.ny, cells.nz, cells.nx));
        let sum: u64 = units.iter().map(|&units| u64::from(units)).sum();
        assert!(sum > 0, "{field:?}");
        air.account(field).check(field, sum).unwrap();
        for ((y, z, x), &found) in units.indexed_iter() {
            assert_eq!(found, air.amounts().get(field, [x, y, z]));
            assert_eq!(solid[[y, z, x]], air.openness().is_solid([x, y, z]));
        }
        // Some heat and ash lie beyond the box.
        let [high, margin] = [site.grid.ny / 2, 3];
        let beyond = units
            .indexed_iter()
            .filter(|((y, _, x), _)| *y >= high || *x < margin || *x >= cells.nx - margin);
        assert!(
            beyond.map(|(_, &units)| u64::from(units)).sum::<u64>() > 0,
            "{field:?}"
        );
    }
    let axis = |file: &mut NpzReader<File>, name: &str| -> Array1<f64> {
        file.by_name::<OwnedRepr<f64>, Ix1>(&format!("{name}.npy"))
            .unwrap()
    };
    // One air cell spans two cells of the lava, and the air begins this far west and north of the
    // box.
    let [west, north] = air
        .grid()
        .corner
        .map(|corner| -f64::from(corner) * site.cell_size_m);
    for (name, margin) in [("x", west), ("y", -north), ("z", 0.0)] {
        let (box_of, air_of) = (
            axis(&mut file, name),
            axis(&mut file, &format!("air_box_{name}")),
        );
        let middle = 0.5 * (box_of[0] + box_of[1]);
        assert!(
            (air_of[0] + margin - middle).abs() < 1e-6,
            "{name}: {} beside {middle}",
            air_of[0]
        );
        assert!(
            (air_of[1] - air_of[0] - 2.0 * (box_of[1] - box_of[0])).abs() < 1e-6,
            "{name}"
        );
    }
}

#[test]
fn gdal_reads_of_which_material_a_map_is() {
    let run = Run::with_water();
    let path = run.write_of(&ColumnQuantity::new(Thickness, "water"), "tif");
    let Some(info) = output("gdalinfo", &[path.to_str().unwrap()]) else {
        return;
    };
    for part in [
        "quantity=water.thickness",
        "Description = water thickness",
        "Unit Type: m",
        "note=",
    ] {
        assert!(info.contains(part), "no {part} in\n{info}");
    }
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let run = Run::new(None);
    let (maps, about) = (run.maps(), run.about());
    let write = |name: &str| {
        write_map(
            &run.path(name),
            &lava(Surface),
            &maps,
            &about,
            Existing::Keep,
        )
    };
    let wrong = write("surface.bmp").unwrap_err();
    assert!(
        matches!(wrong, ExportError::UnknownFormat { purpose: "map", .. }),
        "{wrong}"
    );
    write("surface.tif").unwrap();
    assert!(matches!(write("surface.tif"), Err(ExportError::Output(_))));
    fs::write(run.path("other.prj"), "mine").unwrap();
    assert!(matches!(write("other.asc"), Err(ExportError::Output(_))));
    assert!(!run.path("other.asc").exists());

    let error = npz::check_size(Grid::new(8192, 8192, 9)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("grid.size = [8192, 8192, 9]: must be at most"),
        "{error}"
    );
    npz::check_size(Grid::new(8192, 8192, 8)).unwrap();
}

// Checks by other programs.

/// Runs a program and returns its output; `None` if the program is not installed.
fn output(program: &str, args: &[&str]) -> Option<String> {
    if !needs::program(program, "gdal-bin") {
        return None;
    }
    let output = Command::new(program).args(args).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{program} {args:?}: {out}{err}");
    Some(out.into_owned())
}

/// Returns those lines of the output of `gdalinfo` that give the corners of a raster.
fn corners(info: &str) -> Vec<&str> {
    let names = [
        "Upper Left",
        "Lower Left",
        "Upper Right",
        "Lower Right",
        "Center",
    ];
    let lines: Vec<_> = info
        .lines()
        .filter(|line| names.iter().any(|name| line.starts_with(name)))
        .collect();
    assert_eq!(lines.len(), 5, "{info}");
    lines
}

/// Checks that GDAL places the maps of a run where `dem` lies, the raster of the box, in the same
/// coordinate system.
fn lies_on(run: &Run, dem: &Path) {
    let dem = dem.to_str().unwrap();
    let Some(info) = output("gdalinfo", &[dem]) else {
        return;
    };
    let system = |path: &str| output("gdalsrsinfo", &["-o", "proj4", path]).unwrap();
    for ending in ["tif", "asc", "nc"] {
        let path = run.write(Surface, ending);
        let path = path.to_str().unwrap();
        assert_eq!(
            corners(&output("gdalinfo", &[path]).unwrap()),
            corners(&info),
            "{ending}"
        );
        assert_eq!(system(path), system(dem), "{ending}");
    }
}

#[test]
fn gdal_finds_the_maps_where_the_heightmap_lies() {
    for prj in [UTM, NEAR] {
        let run = Run::new(Some(prj));
        // The box shows all 30 rows, and of the columns the middle 32.5, which GDAL can cut out.
        let dem = run.path("dem.tif");
        let (from, to) = (run.path("dem.asc"), dem.to_str().unwrap());
        let args = [
            "-q",
            "-srcwin",
            "3.75",
            "0",
            "32.5",
            "30",
            "-outsize",
            "26",
            "24",
            from.to_str().unwrap(),
            to,
        ];
        if output("gdal_translate", &args).is_some() {
            lies_on(&run, &dem);
        }
    }
}

#[test]
fn gdal_finds_lava_on_mount_st_helens() {
    let Some(path) = needs::terrain("st_helens/st_helens_30m_utm10n.asc") else {
        return;
    };
    let path = path.canonicalize().unwrap().to_str().unwrap().to_owned();
    let terrain = format!("file = '{path}'\ncrop = [20, 60, 300, 300]\nfill_no_data = 'nearest'\n");
    let run = Run::on_terrain(&terrain, [100, 100, 100], tempfile::tempdir().unwrap(), 60);
    let dem = run.path("crop.tif");
    let args = [
        "-q",
        "-srcwin",
        "20",
        "60",
        "300",
        "300",
        &path,
        dem.to_str().unwrap(),
    ];
    if output("gdal_translate", &args).is_some() {
        lies_on(&run, &dem);
    }
}

#[test]
fn gdal_reads_what_the_map_is() {
    let run = Run::new(Some(UTM));
    let path = run.write(Arrival, "tif");
    let Some(info) = output("gdalinfo", &[path.to_str().unwrap()]) else {
        return;
    };
    for part in [
        "AREA_OR_POINT=Area",
        "quantity=arrival",
        "scene=hollow & <co>\n",
        "seed=6",
        "step=90",
        "unit=steps",
        concat!("software=lavoxel ", env!("CARGO_PKG_VERSION")),
        "COMPRESSION=DEFLATE",
        "Type=Int32",
        "Description = number of steps after which lava first stood here",
        "NoData Value=-9999",
        "Unit Type: steps",
    ] {
        assert!(info.contains(part), "no {part} in\n{info}");
    }
}

#[test]
fn gdal_reads_what_a_netcdf_map_is() {
    let run = Run::new(Some(UTM));
    let path = run.write(Thickness, "nc");
    let Some(info) = output("gdalinfo", &[path.to_str().unwrap()]) else {
        return;
    };
    for part in [
        "Driver: netCDF",
        "Conventions=CF-1.11",
        "grid_mapping=crs",
        "crs#grid_mapping_name=transverse_mercator",
        "crs#longitude_of_central_meridian=-123",
        "thickness#units=m",
        "x#standard_name=projection_x_coordinate",
        "Type=Float32",
        "NoData Value=nan",
    ] {
        assert!(info.contains(part), "no {part} in\n{info}");
    }
}

#[test]
fn gdal_adds_ground_and_thickness_to_the_surface() {
    let run = Run::new(Some(UTM));
    let [thickness, ground, surface] =
        [Thickness, Elevation, Surface].map(|measure| run.write(measure, "tif"));
    let sum = run.path("sum.tif");
    let [a, b, to] = [&thickness, &ground, &sum].map(|path| path.to_str().unwrap());
    if output(
        "gdal_calc.py",
        &[
            "--quiet",
            "-A",
            a,
            "-B",
            b,
            "--calc",
            "A+B",
            "--NoDataValue=-9999",
            "--outfile",
            to,
        ],
    )
    .is_none()
    {
        return;
    }
    let (sum, surface, thickness) = (read_tif(&sum), read_tif(&surface), read_tif(&thickness));
    let mut covered = 0;
    for (at, sum) in sum.indexed_iter() {
        assert_eq!(sum.is_nan(), thickness[at].is_nan(), "{at:?}");
        if !sum.is_nan() {
            covered += 1;
            assert_eq!(*sum, surface[at], "{at:?}");
        }
    }
    assert!(covered > 20, "{covered} columns");
}

#[test]
fn numpy_reads_the_archive() {
    let Some(python) = needs::python("numpy", "python3-numpy") else {
        return;
    };
    let run = Run::new(Some(UTM));
    let path = run.path("all.npz");
    npz::write(&path, &run.maps(), &run.about(), Existing::Keep).unwrap();
    let program = "\
import sys, numpy as np
d = np.load(sys.argv[1])
units = dict(d['units'])
assert set(units) <= set(d.files) and units['thickness'] == 'm' and units['x'] == 'm', units
assert all(units[name] for name in units)
assert str(d['scene']) == 'hollow & <co>' and str(d['software']).startswith('lavoxel ')
assert str(d['crs']).startswith('PROJCS[\"WGS 84 / UTM zone 10N\"'), d['crs']
assert int(d['seed']) == 6 and int(d['step']) == 90
a = d['amount']
assert a.shape == (40, 24, 26) == (len(d['z']), len(d['y']), len(d['x']))
height = float(d['cell_size_m'] / d['vertical_exaggeration'])
depth = a.sum(axis=0, dtype=np.float64) * height
assert np.array_equal(depth > 0, ~np.isnan(d['thickness']))
assert np.allclose(depth, np.nan_to_num(d['thickness']), rtol=1e-6)
assert np.allclose(d['ground'] + depth, d['surface'])
assert not (a[d['solid']] > 0).any() and d['solid'][0].all() and not d['solid'][-1].any()
assert (d['max_thickness'] >= np.nan_to_num(d['thickness']) - 1e-6)[~np.isnan(d['arrival'])].all()
assert (d['peak_energy'] >= d['energy'].max(axis=0))[~np.isnan(d['arrival'])].all()
print('fine')
";
    assert_eq!(
        output(python, &["-c", program, path.to_str().unwrap()]).unwrap(),
        "fine\n"
    );
}

/// Checks that the style next to a map is well formed, and that its scale covers the map's numbers.
#[test]
fn styles_for_qgis_cover_their_maps() {
    let Some(python) = needs::python("osgeo.gdal", "python3-gdal") else {
        return;
    };
    let run = Run::new(Some(UTM));
    let thickness = lava(Thickness);
    let subjects = [Thickness, Arrival, Elevation].map(|measure| MapQuantity::new(lava(measure)));
    for subject in subjects
        .into_iter()
        .chain([MapQuantity::footprint(thickness, 0.05)])
    {
        for ending in ["tif", "asc"] {
            let map = MapFile::new(
                subject.clone(),
                run.path(&format!("{}-{ending}.{ending}", subject.name())),
            );
            map.write(&run.maps(), &run.about(), Existing::Keep)
                .unwrap();
            let style = map.style_path().unwrap();
            let program = "\
import sys, xml.etree.ElementTree as tree
from osgeo import gdal
gdal.UseExceptions()
source = gdal.Open(sys.argv[1])
low, high = source.GetRasterBand(1).ComputeRasterMinMax(False)
root = tree.parse(sys.argv[2]).getroot()
renderer = root.find('pipe/rasterrenderer')
shader = renderer.find('rastershader/colorrampshader')
items = shader.findall('item')
values = [float(item.get('value')) for item in items]
assert renderer.get('type') == 'singlebandpseudocolor' and renderer.get('band') == '1'
assert values == sorted(values), values
if shader.get('colorRampType') == 'DISCRETE':
    assert len(items) == 2 and items[0].get('alpha') == '0' and values[1] == float('inf'), values
else:
    assert len(items) > 3 and values[0] <= low and high <= values[-1] * (1 + 1e-6), (values, low, high)
    assert all(item.get('label').endswith(sys.argv[3]) for item in items)
    assert [float(shader.get(key)) for key in ('minimumValue', 'maximumValue')] == [values[0], values[-1]]
assert all(len(item.get('color')) == 7 for item in items)
print('fine')
";
            let args = [
                "-c",
                program,
                map.path.to_str().unwrap(),
                style.to_str().unwrap(),
                subject.unit(),
            ];
            assert_eq!(
                output(python, &args).unwrap(),
                "fine\n",
                "{}",
                subject.name()
            );
        }
    }
}

/// Checks that footprint polygons are valid for GEOS, wound as RFC 7946 demands, and equal to the
/// cells in area.
#[test]
fn polygons_of_footprints_are_simple_and_exact() {
    let Some(python) = needs::python("osgeo.ogr", "python3-gdal") else {
        return;
    };
    for prj in [Some(UTM), Some(NEAR), None] {
        let run = Run::new(prj);
        let map = MapFile::new(
            MapQuantity::footprint(lava(MaxThickness), 0.2),
            run.path("footprint.geojson"),
        );
        map.write(&run.maps(), &run.about(), Existing::Keep)
            .unwrap();
        let lines = MapFile::new(MapQuantity::new(lava(Thickness)), run.path("lines.geojson"));
        lines
            .write(&run.maps(), &run.about(), Existing::Keep)
            .unwrap();
        let values = real(run.maps().values(&lava(MaxThickness)));
        let cells = values.iter().filter(|value| **value > 0.2).count();
        assert!(cells > 20);
        let area = cells as f64 * run.site.cell_size_m.powi(2);
        let program = "\
import json, sys
from osgeo import gdal, ogr, osr
gdal.UseExceptions(); ogr.UseExceptions(); osr.UseExceptions()
path, area, prj = sys.argv[1], float(sys.argv[2]), sys.argv[4]
source = ogr.Open(path)
layer = source.GetLayer()
total = 0
for feature in layer:
    shape = feature.geometry().Clone()
    assert shape.IsValid() and shape.GetGeometryName() == 'POLYGON'
    if prj:
        to = osr.SpatialReference(); to.ImportFromESRI([prj])
        of = osr.SpatialReference(); of.ImportFromEPSG(4326)
        for system in (to, of): system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        shape.Transform(osr.CoordinateTransformation(of, to))
    assert abs(shape.GetArea() - feature.GetField('area_m2')) < 0.2, (shape.GetArea(), feature.GetField('area_m2'))
    total += shape.GetArea()
assert abs(total - area) < 1, (total, area)
for feature in json.load(open(path))['features']:
    for i, ring in enumerate(feature['geometry']['coordinates']):
        assert ring[0] == ring[-1] and len(ring) > 4
        wound = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(
            [[x - ring[0][0], y - ring[0][1]] for x, y in ring], [[x - ring[0][0], y - ring[0][1]] for x, y in ring[1:]]))
        assert (wound > 0) == (i == 0), (i, wound)
other = ogr.Open(sys.argv[3])
lines = other.GetLayer()
assert lines.GetFeatureCount() > 1
levels = [feature.GetField('level') for feature in lines]
assert levels == sorted(levels) and levels[0] > 0
print('fine')
";
        let paths = [&map.path, &lines.path].map(|path| path.to_str().unwrap().to_owned());
        let args = [
            "-c",
            program,
            &paths[0],
            &area.to_string(),
            &paths[1],
            prj.unwrap_or_default(),
        ];
        assert_eq!(output(python, &args).unwrap(), "fine\n", "{prj:?}");
    }
}
