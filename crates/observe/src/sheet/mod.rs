//! Finished sheets of maps, for print: title, the map over lit ground with grid and coordinates, scale, north, classes with their
//! areas, a table of what lava reaches, parameters and cautions, a stamp; as PDF and PNG. Beside them a project for QGIS, and a
//! report as text.
//!
//! A sheet is drawn once, in millimetres, on a surface with two back ends. The same inputs give the same bytes.

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

use self::classes::{Classes, Kind};
use self::lines::Reach;
use self::overlay::Overlay;
use self::page::{Contents, Layout};
use self::picture::Ground;
use self::raster::Raster;
use self::source::Source;
use self::table::Table;
use self::view::View;
use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_files::output::{Existing, OutputError, check_free};
use lavoxel_geo::terrain::write::whole;
use lavoxel_geo::terrain::{TerrainError, load_values};
use lavoxel_io::export::{About, ExportError, write_png_at};
use lavoxel_scene::scene::Seconds;

/// Pixels in an inch of a sheet as PNG.
pub const DPI: f64 = 300.0;

/// Most letters of a text that the user gives.
const LONGEST_TEXT: usize = 200;

/// Most files of features on a sheet, each with a line of the legend.
const MOST_OVERLAYS: usize = 100;

/// Bytes of a pixel of a sheet as PNG: its colour while it is drawn, a copy of it, and what hides parts of it.
const BYTES_A_PIXEL: f64 = 9.0;

/// Why a sheet cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// A file or a setting that is wrong, in words.
    #[error("{0}")]
    Wrong(String),
    /// A map or its ground that cannot be read.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// Memory.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A picture that cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl SheetError {
    fn wrong(words: impl Into<String>) -> Self {
        Self::Wrong(words.into())
    }
}

/// Size of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// 210 × 297 mm.
    #[default]
    A4,
    /// 297 × 420 mm.
    A3,
}

impl Paper {
    /// The shorter and the longer side, in millimetres.
    pub fn sides_mm(self) -> [f64; 2] {
        match self {
            Self::A4 => [210.0, 297.0],
            Self::A3 => [297.0, 420.0],
        }
    }
}

/// Date on a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Date {
    /// The day on which the file of the map was last written, in UTC.
    #[default]
    OfMap,
    /// This text.
    Text(String),
    /// None.
    None,
}

/// Settings of a sheet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Map of a folder; `probability` without it.
    pub layer: Option<String>,
    /// Heightmap for the hill shade, in the system of the map.
    pub ground: Option<PathBuf>,
    /// Files of features to be drawn over the map, besides the exposure of its folder.
    pub overlays: Vec<PathBuf>,
    /// Tables of exposure in place of those of the folder.
    pub tables: Vec<PathBuf>,
    /// Hours after which the reach of the lava is drawn, by the quantiles of arrival of the folder.
    pub hours: Vec<Seconds>,
    /// Title in place of the usual one.
    pub title: Option<String>,
    /// Author.
    pub author: Option<String>,
    /// Date.
    pub date: Date,
    /// Paper.
    pub paper: Paper,
    /// Whether the longer side of the paper is the lower one; without it, whichever gives the map more room.
    pub landscape: Option<bool>,
    /// Stamp, such as `UNVERIFIED`.
    pub stamp: Option<String>,
}

impl Settings {
    /// Usual stamp: a sheet is unverified until someone says that it is not.
    pub const STAMP: &str = "UNVERIFIED";
}

impl Settings {
    /// Checks that texts fit on a sheet.
    fn check(&self) -> Result<(), SheetError> {
        let date = if let Date::Text(text) = &self.date { Some(text) } else { None };
        let texts = [
            ("--title", self.title.as_ref()),
            ("--author", self.author.as_ref()),
            ("--date", date),
            ("--stamp", self.stamp.as_ref()),
        ];
        for (flag, text) in texts {
            let letters = text.map_or(0, |text| text.chars().count());
            if letters > LONGEST_TEXT {
                return Err(SheetError::wrong(format!("{flag}: has {letters} letters and not at most {LONGEST_TEXT}")));
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

/// A format of sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pdf,
    Png,
}

pub use self::qgis::check as check_project;
pub use self::report::check as check_report;

impl Format {
    fn of(path: &Path) -> Result<Self, SheetError> {
        match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "pdf" => Ok(Self::Pdf),
            "png" => Ok(Self::Png),
            _ => Err(SheetError::wrong(format!("{}: sheets end in .pdf or .png", path.display()))),
        }
    }
}

/// Checks, before anything is read, that a sheet can be written at `path`.
///
/// # Errors
/// When its ending is not known, or the file cannot be written.
pub fn check(path: &Path, existing: Existing) -> Result<(), SheetError> {
    Format::of(path)?;
    Ok(check_free(path, existing)?)
}

/// A map with all that its sheet, its project and its report show.
pub struct Sheet<'a> {
    settings: &'a Settings,
    source: Source,
    ground: Option<Ground>,
    overlays: Vec<Overlay>,
    table: Option<Table>,
    reaches: Vec<Reach>,
}

impl<'a> Sheet<'a> {
    /// Reads a map, `.tif` or `.asc`, or one of a folder that `lavoxel hazard` wrote, and all that goes with it.
    ///
    /// # Errors
    /// When a file is missing, is no map, or is in another coordinate system.
    pub fn read(path: &Path, settings: &'a Settings) -> Result<Self, SheetError> {
        settings.check()?;
        let source = Source::read(path, settings.layer.as_deref())?;
        let ground = settings.ground.as_deref().map(|path| Ground::read(path, &source)).transpose()?;
        let of_folder = |ending: &str| {
            let folder = source.study.as_ref().map(|study| study.folder.as_path());
            folder.map(|folder| source::files(folder, "exposure_", ending)).unwrap_or_default()
        };
        let mut overlay_paths = of_folder(".geojson");
        overlay_paths.extend(settings.overlays.iter().cloned());
        if overlay_paths.len() > MOST_OVERLAYS {
            let count = overlay_paths.len();
            let mend = "join some of them (ogrmerge.py -single)";
            return Err(SheetError::wrong(format!("--overlay: {count} files and not at most {MOST_OVERLAYS}: {mend}")));
        }
        let tables = if settings.tables.is_empty() { of_folder(".csv") } else { settings.tables.clone() };
        let table = Table::read(&tables)?;
        let reaches = reaches(&source, settings)?;
        let overlays = overlay_paths.iter().enumerate().map(|(i, path)| Overlay::read(path, i, &source));
        let overlays = overlays.collect::<Result<_, _>>()?;
        Ok(Self { settings, source, ground, overlays, table, reaches })
    }

    /// Files that were read.
    pub fn files(&self) -> Vec<PathBuf> {
        let overlays = self.overlays.iter().map(|overlay| &overlay.path);
        let named = self.settings.ground.iter().chain(overlays).chain(&self.settings.tables);
        std::iter::once(&self.source.path).chain(named).cloned().collect()
    }

    /// Draws the sheet into files, each in the format that its ending names.
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

    /// Writes a project for QGIS, `.qgs` or `.qgz`, of the map, or of all maps of its folder, with what is drawn over it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_project(&self, path: &Path, existing: Existing) -> Result<(), SheetError> {
        qgis::write(self, path, existing)
    }

    /// Writes a report, `.md` with its pictures beside it or `.html` with them inside.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_report(&self, path: &Path, existing: Existing) -> Result<(), SheetError> {
        report::write(self, path, existing)
    }

    /// Layout on the paper that was asked for.
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

    /// Layout that leaves the map what the blocks below it do not need.
    fn settled(&self, is_landscape: bool) -> Result<Layout, SheetError> {
        let layout = Layout::new(self.settings.paper.sides_mm(), is_landscape);
        if is_landscape {
            return Ok(layout);
        }
        let view = View::fitting(&self.source, layout.room());
        let needed = self.described(view, lavoxel_render::Image::filled(0, 0, [0; 3])).height_below(layout);
        Ok(Layout { panel: Some(needed), ..layout })
    }

    fn contents(&self, layout: Layout) -> Result<Contents<'_>, SheetError> {
        let view = View::fitting(&self.source, layout.room());
        let picture = picture::draw(&self.source, &self.classes(), self.ground.as_ref(), [view.frame.w, view.frame.h])?;
        Ok(self.described(view, picture))
    }

    fn classes(&self) -> Classes {
        Classes::of(Kind::of(&self.source.quantity()), &self.source.map.heights, &self.source.unit())
    }

    /// All that is on the sheet of a view and its picture.
    fn described(&self, view: View, picture: lavoxel_render::Image) -> Contents<'_> {
        let (source, settings) = (&self.source, self.settings);
        Contents {
            title: settings.title.clone().unwrap_or_else(|| notes::title(source)),
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
    fn write(&self, (path, layout): (&Path, Layout), dpi: f64, existing: Existing) -> Result<(), SheetError> {
        match Format::of(path)? {
            Format::Pdf => {
                let mut page = pdf::Page::new(layout.size);
                self.draw(&mut page, layout);
                let labels = pdf::Labels { title: &self.title, author: self.author, subject: &self.subtitle };
                let bytes = page.finish(&labels).map_err(|e| ExportError::encoder(path, e))?;
                Ok(whole(path, existing, |out| out.write_all(&bytes))?)
            }
            Format::Png => {
                let image = self.image(layout, dpi)?;
                let labels = [("Title", self.title.clone()), ("Software", About::SOFTWARE.to_owned())];
                let size = (image.width as u32, image.height as u32);
                Ok(write_png_at(path, (size, dpi), &image.rgb, &labels, existing)?)
            }
        }
    }

    /// The sheet as pixels.
    fn image(&self, layout: Layout, dpi: f64) -> Result<lavoxel_render::Image, SheetError> {
        let [width, height] = layout.size.map(|mm| raster::pixels(mm, dpi) as usize);
        MemoryEstimate::of("the sheet", width * height, BYTES_A_PIXEL)
            .check("take smaller paper (--paper a4), or write a .pdf")?;
        let mut sheet = Raster::new(layout.size, dpi).ok_or_else(|| SheetError::wrong("the sheet has no pixel"))?;
        self.draw(&mut sheet, layout);
        Ok(sheet.image())
    }
}

/// Reach of the lava at the hours that were asked for, by each quantile of arrival in the folder; of a map of arrival by itself, that
/// of the map.
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
    let mut maps = BTreeMap::new();
    for path in source::files(&study.folder, "arrival_q", ".tif") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(quantile) = notes::quantile(&name) else { continue };
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
        return Err(SheetError::wrong(format!("--hours: {} holds no map arrival_q….tif", study.folder.display())));
    }
    let of = |hours: &Seconds| {
        let hours = hours.0 / 3600.0;
        maps.values()
            .map(move |(quantile, arrival)| Reach { quantile: *quantile, hours, arrival: Rc::clone(arrival) })
            .collect::<Vec<_>>()
    };
    Ok(settings.hours.iter().flat_map(of).collect())
}
