//! List of all output formats.

/// Output format: name, description, file extensions and the source file that writes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Writer {
    /// Short name of the format in documentation, such as `geotiff`.
    pub name: &'static str,
    /// Description of a file of this format, such as `a map as GeoTIFF`.
    pub what: &'static str,
    /// File extensions without the dot; empty if the program chooses the file name.
    pub endings: &'static [&'static str],
    /// Commands and flags that write a file of this format, for documentation.
    pub named_by: &'static str,
    /// Path of the only source file that may create files of this format.
    pub written_in: &'static str,
}

/// All output formats. A test compares the list with the source files that create a
/// [`WholeFile`](super::WholeFile).
pub static WRITERS: &[Writer] = &[
    Writer {
        name: "geotiff",
        what: "a map as GeoTIFF",
        endings: &["tif", "tiff"],
        named_by: "`--map`, `hazard`, `compare --classes`",
        written_in: "crates/io/src/export/geotiff.rs",
    },
    Writer {
        name: "asc",
        what: "a map as ESRI grid",
        endings: &["asc"],
        named_by: "`--map`",
        written_in: "crates/io/src/export/asc.rs",
    },
    Writer {
        name: "netcdf",
        what: "maps as netCDF",
        endings: &["nc"],
        named_by: "`--map`, `hazard --netcdf`",
        written_in: "crates/io/src/export/netcdf.rs",
    },
    Writer {
        name: "contours",
        what: "lines of a map in GeoJSON",
        endings: &["geojson", "json"],
        named_by: "`--map`, `hazard`",
        written_in: "crates/io/src/export/geojson.rs",
    },
    Writer {
        name: "geopackage",
        what: "lines of a map as GeoPackage",
        endings: &["gpkg"],
        named_by: "`--map`, `hazard`",
        written_in: "crates/io/src/export/gpkg.rs",
    },
    Writer {
        name: "globe",
        what: "a map for globes",
        endings: &["kmz"],
        named_by: "`--map`, `hazard --pictures`",
        written_in: "crates/io/src/export/kmz.rs",
    },
    Writer {
        name: "style",
        what: "a style of QGIS beside a map",
        endings: &["qml"],
        named_by: "`--map`, `hazard`",
        written_in: "crates/io/src/export/qml.rs",
    },
    Writer {
        name: "picture",
        what: "a picture",
        endings: &["png"],
        named_by: "`--picture`, `--map`, `sheet`, `terrain --picture`",
        written_in: "crates/io/src/export/png.rs",
    },
    Writer {
        name: "film",
        what: "a film",
        endings: &["png", "apng", "webp", "gif", "mp4"],
        named_by: "`--animation`",
        written_in: "crates/io/src/export/film.rs",
    },
    Writer {
        name: "layers",
        what: "layers of a traced picture, or a map, as OpenEXR",
        endings: &["exr"],
        named_by: "`--exr`, `--map`",
        written_in: "crates/io/src/export/exr.rs",
    },
    Writer {
        name: "frames",
        what: "finished frames of a film",
        endings: &["png"],
        named_by: "`--animation`, beside the film",
        written_in: "crates/io/src/export/parts.rs",
    },
    Writer {
        name: "vti",
        what: "fields for ParaView",
        endings: &["vti", "pvd"],
        named_by: "`--volume`",
        written_in: "crates/io/src/export/vti.rs",
    },
    Writer {
        name: "vdb",
        what: "fields as OpenVDB",
        endings: &["vdb"],
        named_by: "`--volume`",
        written_in: "crates/io/src/export/vdb.rs",
    },
    Writer {
        name: "glb",
        what: "surfaces in glTF",
        endings: &["glb"],
        named_by: "`--mesh`",
        written_in: "crates/io/src/export/mesh/glb.rs",
    },
    Writer {
        name: "ply",
        what: "surfaces in PLY",
        endings: &["ply"],
        named_by: "`--mesh`",
        written_in: "crates/io/src/export/mesh/ply.rs",
    },
    Writer {
        name: "npz",
        what: "arrays of NumPy",
        endings: &["npz"],
        named_by: "`--npz`",
        written_in: "crates/io/src/export/npz.rs",
    },
    Writer {
        name: "heightmap",
        what: "a heightmap",
        endings: &["asc", "png", "tif", "tiff", "prj"],
        named_by: "`terrain --out`, `run --ground`",
        written_in: "crates/geo/src/terrain/write.rs",
    },
    Writer {
        name: "checkpoint",
        what: "a checkpoint",
        endings: &["lvx"],
        named_by: "`--checkpoint`",
        written_in: "crates/io/src/checkpoint/keeper.rs",
    },
    Writer {
        name: "session",
        what: "a session file",
        endings: &["lavoxel"],
        named_by: "`scene --pack`, the window",
        written_in: "crates/scene/src/scene/pack.rs",
    },
    Writer {
        name: "scene",
        what: "a scene",
        endings: &["toml"],
        named_by: "the window",
        written_in: "crates/scene/src/scene/save.rs",
    },
    Writer {
        name: "sheet",
        what: "a sheet as PDF",
        endings: &["pdf"],
        named_by: "`sheet --out`",
        written_in: "crates/observe/src/sheet/mod.rs",
    },
    Writer {
        name: "project",
        what: "a project for QGIS",
        endings: &["qgs", "qgz"],
        named_by: "`sheet --qgis`",
        written_in: "crates/observe/src/sheet/qgis.rs",
    },
    Writer {
        name: "report",
        what: "a report",
        endings: &["md", "html", "htm"],
        named_by: "`sheet --report`",
        written_in: "crates/observe/src/sheet/report.rs",
    },
    Writer {
        name: "record",
        what: "runs and plan of a hazard map",
        endings: &[],
        named_by: "`hazard`",
        written_in: "crates/observe/src/study/folder.rs",
    },
    Writer {
        name: "crest",
        what: "heights of a dam",
        endings: &["csv", "geojson"],
        named_by: "`hazard --crest`",
        written_in: "crates/observe/src/hazard/crest.rs",
    },
    Writer {
        name: "tables",
        what: "tables of a hazard map",
        endings: &["csv"],
        named_by: "`hazard`",
        written_in: "crates/observe/src/hazard/write.rs",
    },
    Writer {
        name: "trial",
        what: "runs and results of a fit",
        endings: &["json", "md", "toml", "csv", "svg"],
        named_by: "`calibrate`",
        written_in: "crates/observe/src/study/folder.rs",
    },
    Writer {
        name: "exposure",
        what: "what lava reaches",
        endings: &["csv", "geojson"],
        named_by: "`--exposure`, `--barrier-table`",
        written_in: "crates/observe/src/exposure/write.rs",
    },
    Writer {
        name: "plot",
        what: "numbers beside theory",
        endings: &["svg"],
        named_by: "`verify --picture`",
        written_in: "crates/observe/src/plot/mod.rs",
    },
    Writer {
        name: "bench",
        what: "times of a machine",
        endings: &["json"],
        named_by: "`bench --save`",
        written_in: "src/cli/bench/saved.rs",
    },
    Writer {
        name: "manual",
        what: "pages of the manual",
        endings: &["1"],
        named_by: "`man`",
        written_in: "src/cli/man.rs",
    },
    Writer {
        name: "recent",
        what: "the list of files opened before",
        endings: &[],
        named_by: "the window",
        written_in: "crates/window/src/shell/recent.rs",
    },
];
