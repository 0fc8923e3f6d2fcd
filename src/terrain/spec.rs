//! The terrain of a scene: what the `[terrain]` table says, and the ground that comes of it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Encoding, Epsg, Fill, Heightmap, LoadOptions, TerrainError, load};
use crate::generate::Cone;
use crate::validate::{Invalid, one_line, within};

/// Edge of a cell in metres where nothing says how large it is.
pub const DEFAULT_CELL_SIZE_M: f64 = 10.0;

/// Where the ground comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The built-in stratovolcano.
    #[default]
    Volcano,
    /// Rounded hills.
    Hills,
    /// A flat floor.
    Plane,
    /// A slope that falls to the south.
    Slope,
    /// A round bowl.
    Bowl,
    /// A heightmap file.
    Heightmap,
}

impl Kind {
    /// All kinds that are made from noise.
    pub const GENERATED: [Self; 5] = [Self::Volcano, Self::Hills, Self::Plane, Self::Slope, Self::Bowl];

    /// The name in a scene file.
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

/// The `[terrain]` table of a scene. Keys left out take the default of the kind; keys of another kind are refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TerrainSpec {
    /// Where the ground comes from; `"volcano"` when left out.
    pub kind: Kind,
    /// Seed of the noise; 1 when left out. Not for heightmaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Strength of the noise, 0 to 4: 1 for volcano and hills when left out, 0 for plane, slope and bowl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<f64>,
    /// Height of the plain, or of the lowest ground, in cells; 8 % of the box's height when left out, 4 for heightmaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_cells: Option<f64>,
    /// Highest ground as a share of the box's height: volcano 0.74, hills 0.3, bowl 0.4 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Volcano: radius of the crater as a share of the box's shorter side; 0.075 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crater_radius: Option<f64>,
    /// Volcano: depth of the crater as a share of the box's height; 0.13 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crater_depth: Option<f64>,
    /// Slope: its angle in degrees; 10 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_deg: Option<f64>,
    /// Heightmap: the file, relative to the folder of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Heightmap: edge of a cell of the file in metres, for formats that carry none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_size_m: Option<f64>,
    /// Heightmap: height of black in a picture, in metres; 0 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_m: Option<f64>,
    /// Heightmap: height of white in a picture, in metres; one gray level is one metre when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_m: Option<f64>,
    /// Heightmap: a number that means no data, besides those that the file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_data: Option<f64>,
    /// Heightmap: the system of its coordinates, such as `"EPSG:27200"`; what the file says when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crs: Option<Epsg>,
    /// Heightmap: whether [heights are smoothed](Heightmap::smooth) within their rounding; `false` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smooth: Option<bool>,
    /// Heightmap: columns and rows of a file of bare numbers (`.raw`, `.r16`, `.r32`); a square when left out.
    #[serde(deserialize_with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub raw_size: Option<[usize; 2]>,
    /// Heightmap: how a file of bare numbers keeps them, such as `"i16"`, or `"u16be"` with the highest byte first;
    /// when left out `"f32"` for `.r32` and `"u16"` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_type: Option<Encoding>,
    /// Heightmap: the part to use, `[west, north, columns, rows]` in cells of the file; all of it when left out.
    #[serde(deserialize_with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub crop: Option<[usize; 4]>,
    /// Heightmap: the same as `[west, north, width, depth]` in metres, to the nearest edges of cells.
    #[serde(deserialize_with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub crop_m: Option<[f64; 4]>,
    /// Heightmap: the same as `[west, south, east, north]` in the file's coordinates, to the nearest edges of cells.
    #[serde(deserialize_with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f64; 4]>,
    /// Heightmap: factor on height differences; 1 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical_exaggeration: Option<f64>,
    /// Heightmap: what to put where the file has no data: `"nearest"`, `"lowest"`, `"cut"` (only the largest rectangle
    /// without holes is used), or `"error"` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_no_data: Option<Fill>,
    /// Heightmap: the height in metres that lies `base_cells` above the floor of the box; the lowest height used when
    /// left out. Lower ground is cut off at the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_m: Option<f64>,
}

impl TerrainSpec {
    /// Checks all keys.
    ///
    /// # Errors
    /// Names the first key (`terrain.…`) that is out of range, missing, or of another kind.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check_kind()?;
        self.file.as_ref().map_or(Ok(()), |file| one_line("terrain.file", &file.to_string_lossy()))?;
        let check = |key: &str, value: Option<f64>, low: f64, high: f64| {
            value.map_or(Ok(()), |value| within(&format!("terrain.{key}"), value, low, high))
        };
        check("roughness", self.roughness, 0.0, 4.0)?;
        check("base_cells", self.base_cells, 0.0, crate::grid::MAX_SIDE as f64)?;
        check("height", self.height, 0.01, 1.0)?;
        check("crater_radius", self.crater_radius, 0.01, 0.3)?;
        check("crater_depth", self.crater_depth, 0.0, self.height.unwrap_or(self.default_height()))?;
        check("angle_deg", self.angle_deg, 0.0, 80.0)?;
        check("cell_size_m", self.cell_size_m, 1e-3, 1e6)?;
        check("black_m", self.black_m, -1e5, 1e5)?;
        check("white_m", self.white_m, -1e5, 1e5)?;
        check("vertical_exaggeration", self.vertical_exaggeration, 0.01, 100.0)?;
        check("base_m", self.base_m, -1e5, 1e5)?;
        self.check_crop()?;
        if let Some(white) = self.white_m.filter(|&white| white <= self.black_m.unwrap_or(0.0)) {
            return Err(Invalid::new("terrain.white_m", white, "more than terrain.black_m"));
        }
        Ok(())
    }

    /// At most one way to say which part, in numbers.
    fn check_crop(&self) -> Result<(), Invalid> {
        for (key, numbers) in [("crop_m", self.crop_m), ("bounds", self.bounds)] {
            for number in numbers.into_iter().flatten() {
                within(&format!("terrain.{key}"), number, -1e12, 1e12)?;
            }
        }
        let given = [("crop", shown(&self.crop)), ("crop_m", shown(&self.crop_m)), ("bounds", shown(&self.bounds))];
        let mut given = given.into_iter().filter_map(|(key, value)| Some((key, value?)));
        match (given.next(), given.next()) {
            (Some((first, _)), Some((key, value))) => {
                Err(Invalid::new(&format!("terrain.{key}"), value, format!("left out beside terrain.{first}")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses keys that the kind would silently ignore, and asks for those that it needs.
    fn check_kind(&self) -> Result<(), Invalid> {
        let made = self.kind != Kind::Heightmap;
        let cone = self.kind == Kind::Volcano;
        let tall = matches!(self.kind, Kind::Volcano | Kind::Hills | Kind::Bowl);
        let keys = [
            ("seed", shown(&self.seed), made),
            ("roughness", shown(&self.roughness), made),
            ("height", shown(&self.height), tall),
            ("crater_radius", shown(&self.crater_radius), cone),
            ("crater_depth", shown(&self.crater_depth), cone),
            ("angle_deg", shown(&self.angle_deg), self.kind == Kind::Slope),
            ("file", shown(&self.file), !made),
            ("cell_size_m", shown(&self.cell_size_m), !made),
            ("black_m", shown(&self.black_m), !made),
            ("white_m", shown(&self.white_m), !made),
            ("no_data", shown(&self.no_data), !made),
            ("crs", self.crs.map(|crs| crs.to_string()), !made),
            ("smooth", shown(&self.smooth), !made),
            ("raw_size", shown(&self.raw_size), !made),
            ("raw_type", self.raw_type.map(|name| name.to_string()), !made),
            ("crop", shown(&self.crop), !made),
            ("crop_m", shown(&self.crop_m), !made),
            ("bounds", shown(&self.bounds), !made),
            ("vertical_exaggeration", shown(&self.vertical_exaggeration), !made),
            ("fill_no_data", shown(&self.fill_no_data), !made),
            ("base_m", shown(&self.base_m), !made),
        ];
        for (key, given, fits) in keys {
            if let (Some(value), false) = (given, fits) {
                let expected = format!("left out with terrain.kind = \"{}\"", self.kind.name());
                return Err(Invalid::new(&format!("terrain.{key}"), value, expected));
            }
        }
        if !made && self.file.is_none() {
            return Err(Invalid::new("terrain.file", "(nothing)", "the name of a heightmap file"));
        }
        Ok(())
    }

    /// What these keys say about the heightmap file.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            cell_size_m: self.cell_size_m,
            black_m: self.black_m,
            white_m: self.white_m,
            no_data: self.no_data,
            crs: self.crs,
            raw_size: self.raw_size,
            raw_type: self.raw_type,
            any_unit: false,
        }
    }

    /// The heightmap file, checked and cropped; holes stay holes. `dir` is the folder that a relative file name starts
    /// from.
    ///
    /// # Errors
    /// [`TerrainError::Invalid`] for a wrong key, and all that [`load()`] and [`TerrainSpec::cropped`] say.
    pub fn read(&self, dir: &Path) -> Result<Heightmap, TerrainError> {
        self.validate()?;
        self.cropped(self.load(dir)?)
    }

    /// All of the heightmap file. `dir` is the folder that a relative file name starts from.
    ///
    /// # Errors
    /// What [`load()`] says.
    pub(crate) fn load(&self, dir: &Path) -> Result<Heightmap, TerrainError> {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        let mut map = load(&dir.join(file), &self.load_options())?;
        if self.smooth == Some(true) {
            map.smooth();
        }
        Ok(map)
    }

    /// The part of the heightmap that is asked for; holes stay holes.
    ///
    /// # Errors
    /// [`TerrainError::Crop`] and its kin when the heightmap does not reach so far.
    pub fn cropped(&self, map: Heightmap) -> Result<Heightmap, TerrainError> {
        match (self.crop, self.crop_m, self.bounds) {
            (Some(crop), ..) => map.crop(crop.into()),
            (_, Some(crop_m), _) => map.crop_metres(crop_m),
            (.., Some(bounds)) => map.crop_to(bounds.into()),
            (None, None, None) => Ok(map),
        }
    }

    /// These keys, but those that `other` gives as it gives them; kind and file stay, and a part that `other` asks for
    /// replaces the one asked for here, whichever way each is said.
    #[must_use]
    pub fn overridden(self, other: &Self) -> Self {
        let part = if other.crop.is_some() || other.crop_m.is_some() || other.bounds.is_some() { other } else { &self };
        Self {
            kind: self.kind,
            seed: other.seed.or(self.seed),
            roughness: other.roughness.or(self.roughness),
            base_cells: other.base_cells.or(self.base_cells),
            height: other.height.or(self.height),
            crater_radius: other.crater_radius.or(self.crater_radius),
            crater_depth: other.crater_depth.or(self.crater_depth),
            angle_deg: other.angle_deg.or(self.angle_deg),
            cell_size_m: other.cell_size_m.or(self.cell_size_m),
            black_m: other.black_m.or(self.black_m),
            white_m: other.white_m.or(self.white_m),
            no_data: other.no_data.or(self.no_data),
            crs: other.crs.or(self.crs),
            smooth: other.smooth.or(self.smooth),
            raw_size: other.raw_size.or(self.raw_size),
            raw_type: other.raw_type.or(self.raw_type),
            crop: part.crop,
            crop_m: part.crop_m,
            bounds: part.bounds,
            vertical_exaggeration: other.vertical_exaggeration.or(self.vertical_exaggeration),
            fill_no_data: other.fill_no_data.or(self.fill_no_data),
            base_m: other.base_m.or(self.base_m),
            file: self.file,
        }
    }

    pub(super) fn default_height(&self) -> f64 {
        match self.kind {
            Kind::Volcano => Cone::default().height,
            Kind::Hills => 0.3,
            _ => 0.4,
        }
    }
}

/// A value for a message, if there is one.
fn shown<T: std::fmt::Debug>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(|value| format!("{value:?}"))
}
