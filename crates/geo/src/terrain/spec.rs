//! Terrain of a scene: the `[terrain]` table, and the conversion to the ground.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::noise::HeightError;
use super::{Encoding, Epsg, Fill, HeightUnit, Heightmap, TerrainError};
use super::{LoadOptions, load};
use crate::generate::Cone;
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::param::{Form, Param, Table, Value, table, words};
use lavoxel_base::validate::{Invalid, one_line, within};

/// Default width of a cell of the simulation box in metres.
pub const DEFAULT_CELL_SIZE_M: f64 = 10.0;

/// Default correlation length in metres of the error of heights: a few cells of the usual surveys
/// from space.
const DEFAULT_ERROR_LENGTH_M: f64 = 100.0;

/// Kind of ground: a generator or a heightmap file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TerrainKind {
    /// Ground of the built-in stratovolcano.
    #[default]
    Volcano,
    /// Ground of rounded hills.
    Hills,
    /// Flat ground.
    Plane,
    /// Slope that falls to the south.
    Slope,
    /// Ground in the shape of a round bowl.
    Bowl,
    /// Ground from a heightmap file.
    Heightmap,
}

impl TerrainKind {
    /// All kinds of ground that are generated from noise.
    pub const GENERATED: [Self; 5] = [
        Self::Volcano,
        Self::Hills,
        Self::Plane,
        Self::Slope,
        Self::Bowl,
    ];

    /// Returns the name that the kind of ground has in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Volcano => "volcano",
            Self::Hills => "hills",
            Self::Plane => "plane",
            Self::Slope => "slope",
            Self::Bowl => "bowl",
            Self::Heightmap => "heightmap",
        }
    }
}

words!(TerrainKind, Fill);

impl Value for Epsg {
    fn form() -> Form {
        Form::Text
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Value for HeightUnit {
    fn form() -> Form {
        Form::Text
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Value for Encoding {
    fn form() -> Form {
        Form::Text
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

/// Upper bound on absolute heights and depths in scene files, in metres.
const FAR_M: f64 = 1e5;

/// Upper bound on absolute map coordinates and on crops in metres in scene files.
const FAR: f64 = 1e12;

table! {
    /// The `[terrain]` table of a scene. Keys left out have the default of the kind; keys of
    /// another kind are refused.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct TerrainSpec {
        /// Kind of ground: a built-in shape, or a heightmap file; `"volcano"` when left out.
        pub kind: TerrainKind = TerrainKind::Volcano;
        /// Seed of the terrain's noise; 1 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seed: Option<u32> = None, for "volcano" | "hills" | "plane" | "slope" | "bowl";
        /// Strength of the terrain's noise; when left out, 1 for volcano and hills, 0 for plane,
        /// slope and bowl.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub roughness: Option<f64> = None, [0.0, 4.0] "", for "volcano" | "hills" | "plane" | "slope" | "bowl";
        /// Height of the plain, or of the lowest ground, above the floor of the box; when left out,
        /// 8 % of the box's height, and 4 cells for heightmaps.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub base_cells: Option<f64> = None, [0.0, MAX_SIDE as f64] "cells";
        /// Height of the highest ground as a share of the box's height; when left out, 0.74 for
        /// volcano, 0.3 for hills, 0.4 for bowl.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub height: Option<f64> = None, [0.01, 1.0] "share", for "volcano" | "hills" | "bowl";
        /// Radius of the crater as a share of the box's shorter side; 0.075 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub crater_radius: Option<f64> = None, [0.01, 0.3] "share", for "volcano";
        /// Depth of the crater as a share of the box's height, at most `height`; 0.13 when left
        /// out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub crater_depth: Option<f64> = None, [0.0, 1.0] "share", for "volcano";
        /// Angle by which the volcano is turned clockwise about its crater, seen from above; 0 when
        /// left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub turn_deg: Option<f64> = None, [-360.0, 360.0] "°", for "volcano";
        /// Angle of the slope, which descends to the south; 10 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub angle_deg: Option<f64> = None, [0.0, 80.0] "°", for "slope";
        /// Heightmap file, relative to the folder of the scene.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub file: Option<PathBuf> = None, for "heightmap";
        /// Edge length of a cell of the file, for formats that contain none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cell_size_m: Option<f64> = None, [1e-3, 1e6] "m", for "heightmap";
        /// Height that black means in a gray picture; 0 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub black_m: Option<f64> = None, [-FAR_M, FAR_M] "m", for "heightmap";
        /// Height that white means in a gray picture, more than `black_m`; when left out, one gray
        /// level is one metre.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub white_m: Option<f64> = None, [-FAR_M, FAR_M] "m", for "heightmap";
        /// Number that means missing data, in addition to those that the file names.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub no_data: Option<f64> = None, for "heightmap";
        /// Unit of the file's heights, where the file names none or a wrong one: `"m"`, `"ft"`,
        /// `"us-ft"`, `"km"`, `"dm"`, `"cm"`, `"mm"`, `"yd"`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub height_unit: Option<HeightUnit> = None, for "heightmap";
        /// Coordinate reference system of the file, such as `"EPSG:27200"`, where the file names
        /// none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub crs: Option<Epsg> = None, for "heightmap";
        /// Smoothing of heights within their rounding: removes the steps that a map in whole metres
        /// has and the ground has not.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub smooth: Option<bool> = None, for "heightmap";
        /// Columns and rows of a file of bare numbers (`.raw`, `.r16`, `.r32`); when left out, the
        /// file is a square.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub raw_size: Option<[usize; 2]> = None, for "heightmap";
        /// Type of the numbers in a file of bare numbers: u8, i16, u16, i32, f32, f64 …, followed
        /// by `be` if the highest byte comes first (`"u16be"`); when left out, `"f32"` for `.r32`
        /// and `"u16"` otherwise.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub raw_type: Option<Encoding> = None, for "heightmap";
        /// Part of the file to use, `[west, north, columns, rows]` in cells of the file; the whole
        /// file when left out.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub crop: Option<[usize; 4]> = None, for "heightmap";
        /// Part of the file to use, `[west, north, width, depth]` in metres from its north-west
        /// corner, rounded to edges of cells.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub crop_m: Option<[f64; 4]> = None, [-FAR, FAR] "m", for "heightmap";
        /// Part of the file to use, `[west, south, east, north]` in the file's coordinates, rounded
        /// to edges of cells.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub bounds: Option<[f64; 4]> = None, [-FAR, FAR] "map units", for "heightmap";
        /// Factor by which heights are multiplied; 1 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub vertical_exaggeration: Option<f64> = None, [0.01, 100.0] "", for "heightmap";
        /// Treatment of places where the file has no data: `"nearest"` or `"lowest"` height,
        /// `"cut"` (only the largest rectangle without holes is used), or `"error"`, as when left
        /// out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fill_no_data: Option<Fill> = None, for "heightmap";
        /// Height on the map that lies `base_cells` above the floor of the box, instead of the
        /// lowest height; lower ground is cut off.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub base_m: Option<f64> = None, [-FAR_M, FAR_M] "m", for "heightmap";
        /// Image over the ground (`.png`, `.jpg`, `.webp`, `.tif`), relative to the folder of the
        /// scene. A GeoTIFF lies by its coordinates, any other image over the whole box with north
        /// up. Cinematic style only.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub drape: Option<PathBuf> = None;
        /// Standard deviation of a random error that is added to the heights, as a survey may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error_m: Option<f64> = None, [0.0, 1000.0] "m";
        /// Distance at which the correlation of the random error has fallen to 1/e; 100 when left
        /// out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error_length_m: Option<f64> = None, [0.1, 1e6] "m";
        /// Seed of the random error; 1 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error_seed: Option<u32> = None;
    }
}

impl TerrainSpec {
    /// Checks all keys of the `[terrain]` table.
    ///
    /// # Errors
    /// Names the first key (`terrain.…`) that is out of range, missing, or of another kind.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check_kind("terrain", ("kind", self.kind.name()))?;
        match &self.file {
            Some(file) => one_line("terrain.file", &file.to_string_lossy())?,
            None if self.kind == TerrainKind::Heightmap => {
                return Err(Invalid::new(
                    "terrain.file",
                    "(nothing)",
                    "the name of a heightmap file",
                ));
            }
            None => {}
        }
        if let Some(drape) = &self.drape {
            one_line("terrain.drape", &drape.to_string_lossy())?;
        }
        self.check("terrain")?;
        if let Some(depth) = self.crater_depth {
            within(
                "terrain.crater_depth",
                depth,
                0.0,
                self.height.unwrap_or(self.default_height()),
            )?;
        }
        self.check_part()?;
        if let Some(white) = self
            .white_m
            .filter(|&white| white <= self.black_m.unwrap_or(0.0))
        {
            return Err(Invalid::new(
                "terrain.white_m",
                white,
                "more than terrain.black_m",
            ));
        }
        Ok(())
    }

    /// Checks that the table has at most one of the keys that select a part of the heightmap.
    fn check_part(&self) -> Result<(), Invalid> {
        let mut given = Self::parts().filter_map(|part| Some((part.key, part.given(self)?)));
        match (given.next(), given.next()) {
            (Some((first, _)), Some((key, value))) => Err(Invalid::new(
                &format!("terrain.{key}"),
                value,
                format!("left out beside terrain.{first}"),
            )),
            _ => Ok(()),
        }
    }

    /// Iterates over the parameters of the keys that select a part of the heightmap.
    fn parts() -> impl Iterator<Item = &'static Param<Self>> {
        Self::PARAMS
            .iter()
            .filter(|param| ["crop", "crop_m", "bounds"].contains(&param.key))
    }

    /// Returns the random error that the table adds to the heights; `None` if the table asks for
    /// none.
    pub(super) fn error(&self) -> Option<HeightError> {
        let deviation_m = self.error_m.filter(|deviation| *deviation > 0.0)?;
        let length_m = self.error_length_m.unwrap_or(DEFAULT_ERROR_LENGTH_M);
        Some(HeightError {
            deviation_m,
            length_m,
            seed: u64::from(self.error_seed.unwrap_or(1)),
        })
    }

    /// Returns the options for reading the heightmap file, from the keys of the table.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            cell_size_m: self.cell_size_m,
            black_m: self.black_m,
            white_m: self.white_m,
            no_data: self.no_data,
            height_unit: self.height_unit,
            crs: self.crs,
            raw_size: self.raw_size,
            raw_type: self.raw_type,
            any_unit: false,
        }
    }

    /// Reads the heightmap file of the table and crops it to the selected part. Cells without data
    /// are not filled. `dir`: folder to which a relative file name refers.
    ///
    /// # Errors
    /// [`TerrainError::Invalid`] for a wrong key, and all errors of [`load`](super::load()) and
    /// [`TerrainSpec::cropped`].
    pub fn read(&self, dir: &Path) -> Result<Heightmap, TerrainError> {
        self.validate()?;
        self.cropped(self.load(dir)?)
    }

    /// Reads the whole heightmap file of the table. `dir`: folder to which a relative file name
    /// refers.
    ///
    /// # Errors
    /// Errors of [`load()`].
    pub fn load(&self, dir: &Path) -> Result<Heightmap, TerrainError> {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        let mut map = load(&dir.join(file), &self.load_options())?;
        if self.smooth == Some(true) {
            map.smooth();
        }
        Ok(map)
    }

    /// Crops the heightmap `map` to the part that the table selects. Cells without data are not
    /// filled.
    ///
    /// # Errors
    /// [`TerrainError::Crop`], [`TerrainError::CropMetres`] or [`TerrainError::Bounds`] if the part
    /// extends beyond the heightmap.
    pub fn cropped(&self, map: Heightmap) -> Result<Heightmap, TerrainError> {
        match (self.crop, self.crop_m, self.bounds) {
            (Some(crop), ..) => map.crop(crop.into()),
            (_, Some(crop_m), _) => map.crop_metres(crop_m),
            (.., Some(bounds)) => map.crop_to(bounds.into()),
            (None, None, None) => Ok(map),
        }
    }

    /// Returns a copy of this table in which each key that `other` has takes its value from
    /// `other`, except kind and file. If `other` selects a part of the heightmap by any key, that
    /// part replaces the one selected here.
    #[must_use]
    pub fn overridden(mut self, other: &Self) -> Self {
        if Self::parts().any(|part| part.given(other).is_some()) {
            (self.crop, self.crop_m, self.bounds) = (None, None, None);
        }
        let file = self.file.take();
        Self {
            file,
            ..Table::overridden(self, other)
        }
    }

    pub(super) fn default_height(&self) -> f64 {
        match self.kind {
            TerrainKind::Volcano => Cone::default().height,
            TerrainKind::Hills => 0.3,
            _ => 0.4,
        }
    }
}
