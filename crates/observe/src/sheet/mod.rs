//! Printed map sheets as PDF and PNG, projects for QGIS, and reports as text.
//!
//! A sheet shows a title, the map over hill-shaded ground with a coordinate grid, scale bar, north
//! arrow, classes with their areas, a table of exposure, parameters and cautions, and a stamp.
//!
//! - Invariant: a sheet is drawn once, in millimetres, through one interface with two back ends
//!   (PDF and raster).
//! - Invariant: equal inputs give equal bytes.

mod canvas;
mod classes;
mod lines;
mod notes;
mod overlay;
mod page;
mod panel;
mod pdf;
mod picture;
mod qgis;
mod raster;
mod report;
mod runs;
mod source;
mod table;
mod view;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use self::classes::{Classes, MapKind};
use self::lines::Reach;
use self::overlay::Overlay;
use self::page::{Contents, Layout};
use self::picture::HillShade;
use self::raster::Raster;
use self::source::Source;
use self::table::Table;
use self::view::View;
use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_files::input::ending;
use lavoxel_files::output::{Existing, OutputError, check_free, whole};
use lavoxel_geo::terrain::{TerrainError, load_values};
use lavoxel_io::export::{ExportError, Provenance, write_png_at};
use lavoxel_scene::scene::Seconds;

/// Resolution of map sheets in PNG format, in pixels per inch.
pub const DPI: f64 = 300.0;

/// Upper bound in characters on texts of the user, such as the title; longer texts do not fit on
/// the paper.
const LONGEST_TEXT: usize = 200;

/// Upper bound on the number of overlay files: each takes a line of the legend.
const MOST_OVERLAYS: usize = 100;

/// Memory of a PNG sheet in bytes per pixel: image being drawn, copy for the file, and clip mask.
const BYTES_A_PIXEL: f64 = 9.0;

/// Error while a map sheet, a QGIS project or a report is made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// Invalid file or setting; the text is the complete error message.
    #[error("{0}")]
    Wrong(String),
    /// Map or heightmap that cannot be read.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// Sheet that needs more than the available memory.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// Sheet, project or report that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Picture that cannot be encoded or written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl SheetError {
    fn wrong(words: impl Into<String>) -> Self {
        Self::Wrong(words.into())
    }
}

/// Size of the paper of a sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// A4, 210 × 297 mm.
    #[default]
    A4,
    /// A3, 297 × 420 mm.
    A3,
}

impl Paper {
    /// Returns the lengths of the shorter and the longer side of the paper, in millimetres.
    pub fn sides_mm(self) -> [f64; 2] {
        match self {
            Self::A4 => [210.0, 297.0],
            Self::A3 => [297.0, 420.0],
        }
    }
}

/// Choice of the date that the footer of a sheet prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Date {
    /// Day (UTC) on which the map file was last modified.
    #[default]
    OfMap,
    /// Date given as text, which is printed unchanged.
    Text(String),
    /// No date: the footer states none.
    None,
}

/// Settings of a map sheet; each field is a flag of `lavoxel sheet`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Name of the map that is drawn if the input is a hazard folder; `None`: `probability`.
    pub layer: Option<String>,
    /// Path of the heightmap from which the hill shade is computed, in the map's coordinate system;
    /// `None`: no hill shade.
    pub ground: Option<PathBuf>,
    /// Paths of feature files that are drawn over the map, in addition to the exposure files of the
    /// map's folder.
    pub overlays: Vec<PathBuf>,
    /// Paths of exposure tables (CSV) to be printed; empty: the exposure tables of the map's
    /// folder.
    pub tables: Vec<PathBuf>,
    /// Times since the start of the eruption for which isochrones are drawn, one for each arrival
    /// quantile in the folder.
    pub hours: Vec<Seconds>,
    /// Title of the sheet; `None`: composed of the quantity of the map and the name of the scene.
    pub title: Option<String>,
    /// Name of the author that the footer states; `None`: no author.
    pub author: Option<String>,
    /// Choice of the date that the footer states.
    pub date: Date,
    /// Size of the paper of the sheet.
    pub paper: Paper,
    /// True for landscape, false for portrait; `None`: the orientation with the larger map scale.
    pub landscape: Option<bool>,
    /// Text of the watermark across the map, such as `UNVERIFIED`; `None`: no watermark.
    pub stamp: Option<String>,
}

impl Settings {
    /// Text of the default watermark: a sheet is unverified until its author removes the mark.
    pub const STAMP: &str = "UNVERIFIED";
}

impl Settings {
    /// Returns an error if a text in these settings has more than `LONGEST_TEXT` characters.
    fn check(&self) -> Result<(), SheetError> {
        let date = if let Date::Text(text) = &self.date {
            Some(text)
        } else {
            None
        };
        let texts = [
            ("--title", self.title.as_ref()),
            ("--author", self.author.as_ref()),
            ("--date", date),
            ("--stamp", self.stamp.as_ref()),
        ];
        for (flag, text) in texts {
            let letters = text.map_or(0, |text| text.chars().count());
            if letters > LONGEST_TEXT {
                return Err(SheetError::wrong(format!(
                    "{flag}: has {letters} letters and not at most {LONGEST_TEXT}"
                )));
            }
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            layer: None,
            ground: None,
            overlays: Vec::new(),
            tables: Vec::new(),
            hours: Vec::new(),
            title: None,
            author: None,
            date: Date::default(),
            paper: Paper::default(),
            landscape: None,
            stamp: Some(Self::STAMP.to_owned()),
        }
    }
}

/// File format of a map sheet: PDF or PNG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pdf,
    Png,
}

pub use self::qgis::check as check_project;
pub use self::report::check as check_report;

impl Format {
    fn from_path(path: &Path) -> Result<Self, SheetError> {
        match ending(path).as_str() {
            "pdf" => Ok(Self::Pdf),
            "png" => Ok(Self::Png),
            _ => Err(SheetError::wrong(format!(
                "{}: sheets end in .pdf or .png",
                path.display()
            ))),
        }
    }
}

/// Checks that a sheet can be written to `path`; called before any input is read.
///
/// # Errors
/// When the file extension is unknown, or the file cannot be written.
pub fn check(path: &Path, existing: Existing) -> Result<(), SheetError> {
    Format::from_path(path)?;
    Ok(check_free(path, existing)?)
}

/// Map with all input data of its sheet, QGIS project and report.
pub struct Sheet<'a> {
    settings: &'a Settings,
    source: Source,
    ground: Option<HillShade>,
    overlays: Vec<Overlay>,
    table: Option<Table>,
    reaches: Vec<Reach>,
}

impl<'a> Sheet<'a> {
    /// Reads the map at `path` (`.tif`, `.asc`, or a folder of `lavoxel hazard`) with its ground,
    /// overlays, tables and arrival maps.
    ///
    /// # Errors
    /// When a file is missing, is no map, or has another coordinate system.
    pub fn read(path: &Path, settings: &'a Settings) -> Result<Self, SheetError> {
        settings.check()?;
        let source = Source::read(path, settings.layer.as_deref())?;
        let ground = settings
            .ground
            .as_deref()
            .map(|path| HillShade::read(path, &source))
            .transpose()?;
        let of_folder = |ending: &str| {
            let folder = source.study.as_ref().map(|study| study.folder.as_path());
            folder
                .map(|folder| source::files(folder, "exposure_", ending))
                .unwrap_or_default()
        };
        let mut overlay_paths = of_folder(".geojson");
        overlay_paths.extend(settings.overlays.iter().cloned());
        if overlay_paths.len() > MOST_OVERLAYS {
            let count = overlay_paths.len();
            let mend = "join some of them (ogrmerge.py -single)";
            return Err(SheetError::wrong(format!(
                "--overlay: {count} files and not at most {MOST_OVERLAYS}: {mend}"
            )));
        }
        let tables = if settings.tables.is_empty() {
            of_folder(".csv")
        } else {
            settings.tables.clone()
        };
        let table = Table::read(&tables)?;
        let reaches = reaches(&source, settings)?;
        let overlays = overlay_paths
            .iter()
            .enumerate()
            .map(|(i, path)| Overlay::read(path, i, &source));
        let overlays = overlays.collect::<Result<_, _>>()?;
        Ok(Self {
            settings,
            source,
            ground,
            overlays,
            table,
            reaches,
        })
    }

    /// Returns the paths of all files that were read, the map first.
    pub fn files(&self) -> Vec<PathBuf> {
        let overlays = self.overlays.iter().map(|overlay| &overlay.path);
        let named = self
            .settings
            .ground
            .iter()
            .chain(overlays)
            .chain(&self.settings.tables);
        std::iter::once(&self.source.path)
            .chain(named)
            .cloned()
            .collect()
    }

    /// Draws the sheet to each of `paths`, in the format of its file extension.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, paths: &[PathBuf], existing: Existing) -> Result<(), SheetError> {
        let layout = self.layout()?;
        let contents = self.contents(layout)?;
        for path in paths {
            contents.write((path, layout), DPI, existing)?;
        }
        Ok(())
    }

    /// Writes a QGIS project (`.qgs` or `.qgz`) that contains the map, or all maps of its hazard
    /// folder, and the overlays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_project(&self, path: &Path, existing: Existing) -> Result<(), SheetError> {
        qgis::write(self, path, existing)
    }

    /// Writes a report to `path`: `.md` with separate picture files, or `.html` with embedded
    /// pictures.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_report(&self, path: &Path, existing: Existing) -> Result<(), SheetError> {
        report::write(self, path, existing)
    }

    /// Returns the page layout in the orientation that the settings state. Without such a setting:
    /// the orientation with the larger map scale or, if both scales are equal, landscape for a wide
    /// map and portrait for a high one.
    fn layout(&self) -> Result<Layout, SheetError> {
        let upright = || self.settled(false);
        match self.settings.landscape {
            Some(true) => self.settled(true),
            Some(false) => upright(),
            None => {
                let (upright, lying) = (upright()?, self.settled(true)?);
                let scale = |layout: &Layout| View::fitting(&self.source, layout.room()).scale;
                let (wide, deep) = self.source.map.extent_m();
                let lies = match scale(&lying).total_cmp(&scale(&upright)) {
                    std::cmp::Ordering::Less => true,
                    std::cmp::Ordering::Equal => wide > deep,
                    std::cmp::Ordering::Greater => false,
                };
                Ok(if lies { lying } else { upright })
            }
        }
    }

    /// Returns the page layout in landscape or portrait orientation. In portrait, the panel below
    /// the map is as high as its content, and the map gets the height that is left.
    fn settled(&self, is_landscape: bool) -> Result<Layout, SheetError> {
        let layout = Layout::new(self.settings.paper.sides_mm(), is_landscape);
        if is_landscape {
            return Ok(layout);
        }
        let view = View::fitting(&self.source, layout.room());
        let needed = self
            .described(view, lavoxel_render::Image::filled(0, 0, [0; 3]))
            .height_below(layout);
        Ok(Layout {
            panel: Some(needed),
            ..layout
        })
    }

    fn contents(&self, layout: Layout) -> Result<Contents<'_>, SheetError> {
        let view = View::fitting(&self.source, layout.room());
        let picture = picture::draw(
            &self.source,
            &self.classes(),
            self.ground.as_ref(),
            [view.frame.w, view.frame.h],
        )?;
        Ok(self.described(view, picture))
    }

    fn classes(&self) -> Classes {
        Classes::new(
            MapKind::from_quantity(&self.source.quantity()),
            &self.source.map.heights,
            &self.source.unit(),
        )
    }

    /// Collects all content of a sheet; `view`: position and scale of the map on the paper,
    /// `picture`: coloured map.
    fn described(&self, view: View, picture: lavoxel_render::Image) -> Contents<'_> {
        let (source, settings) = (&self.source, self.settings);
        Contents {
            title: settings
                .title
                .clone()
                .unwrap_or_else(|| notes::title(source)),
            subtitle: notes::subtitle(source),
            author: settings.author.as_deref(),
            date: match &settings.date {
                Date::OfMap => source.day(),
                Date::Text(text) => Some(text.clone()),
                Date::None => None,
            },
            stamp: settings.stamp.as_deref(),
            notes: notes::all(source, &view, self.ground.is_some()),
            source,
            classes: self.classes(),
            picture,
            view,
            reaches: &self.reaches,
            overlays: &self.overlays,
            table: self.table.as_ref(),
        }
    }
}

impl Contents<'_> {
    fn write(
        &self,
        (path, layout): (&Path, Layout),
        dpi: f64,
        existing: Existing,
    ) -> Result<(), SheetError> {
        match Format::from_path(path)? {
            Format::Pdf => {
                let mut page = pdf::Page::new(layout.size);
                self.draw(&mut page, layout);
                let labels = pdf::Labels {
                    title: &self.title,
                    author: self.author,
                    subject: &self.subtitle,
                };
                let bytes = page
                    .finish(&labels)
                    .map_err(|e| ExportError::encoder(path, e))?;
                Ok(whole(path, existing, |out| out.write_all(&bytes))?)
            }
            Format::Png => {
                let image = self.image(layout, dpi)?;
                let labels = [
                    ("Title", self.title.clone()),
                    ("Software", Provenance::SOFTWARE.to_owned()),
                ];
                let size = (image.width as u32, image.height as u32);
                Ok(write_png_at(
                    path,
                    (size, dpi),
                    &image.rgb,
                    &labels,
                    existing,
                )?)
            }
        }
    }

    /// Draws the sheet as an image at `dpi` pixels per inch.
    fn image(&self, layout: Layout, dpi: f64) -> Result<lavoxel_render::Image, SheetError> {
        let [width, height] = layout.size.map(|mm| raster::pixels(mm, dpi) as usize);
        MemoryEstimate::new("the sheet", width * height, BYTES_A_PIXEL)
            .check("take smaller paper (--paper a4), or write a .pdf")?;
        let mut sheet = Raster::new(layout.size, dpi)
            .ok_or_else(|| SheetError::wrong("the sheet has no pixel"))?;
        self.draw(&mut sheet, layout);
        Ok(sheet.image())
    }
}

/// Reads the maps of arrival quantiles in the hazard folder, and returns one isochrone for each
/// time in the settings and each quantile.
fn reaches(source: &Source, settings: &Settings) -> Result<Vec<Reach>, SheetError> {
    if settings.hours.is_empty() {
        return Ok(Vec::new());
    }
    let Some(study) = &source.study else {
        let mend = "name the folder of a hazard map, or leave --hours out";
        return Err(SheetError::wrong(format!(
            "--hours: {} has no quantiles of arrival: {mend}",
            source.path.display()
        )));
    };
    // Keyed by the quantile in millionths: integers give the sorted order that floats lack in a
    // `BTreeMap`.
    let mut maps = BTreeMap::new();
    for path in source::files(&study.folder, "arrival_q", ".tif") {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some(quantile) = notes::quantile(&name) else {
            continue;
        };
        let (map, _) = load_values(&path, None)?;
        if map.heights.dim() != source.map.heights.dim() {
            return Err(SheetError::wrong(format!(
                "{}: has other cells than {}",
                path.display(),
                source.path.display()
            )));
        }
        maps.insert((quantile * 1e6) as u64, (quantile, Rc::new(map.heights)));
    }
    if maps.is_empty() {
        return Err(SheetError::wrong(format!(
            "--hours: {} holds no map arrival_q….tif",
            study.folder.display()
        )));
    }
    let of = |hours: &Seconds| {
        let hours = hours.0 / 3600.0;
        maps.values()
            .map(move |(quantile, arrival)| Reach {
                quantile: *quantile,
                hours,
                arrival: Rc::clone(arrival),
            })
            .collect::<Vec<_>>()
    };
    Ok(settings.hours.iter().flat_map(of).collect())
}
