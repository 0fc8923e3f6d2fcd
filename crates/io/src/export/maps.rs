//! Maps for geographic information systems: one value per column of the simulation box, in the
//! coordinates of the heightmap. Each format has its own file of code, chosen by the file
//! extension.
//!
//! | map | unit | description |
//! |---|---|---|
//! | `thickness` | m | lava of the column without the air between: sum of amounts times cell height |
//! | `arrival` | steps | number of steps after which lava first stood there; 0: before the first step |
//! | `max-thickness` | m | largest thickness after any step |
//! | `peak-energy` | vent units | largest energy in any one cell of the column after any step |
//! | `surface` | m | elevation of ground and lava together: `ground` + `thickness` |
//! | `ground` | m | elevation of the ground, with what was built and dug |
//! | `ash` | kg/m² | ash that fell from the air, where the scene has one |
//! | `footprint` | | 1 where the thickness is above a threshold ([`MapQuantity::footprint`]) |
//! | `water.thickness`, … | | the same quantity of another material of the scene; its `surface` includes ground, water and all heavier materials |
//!
//! Resting grains count in `thickness` and `surface`; falling streams do not.
//!
//! In a world of the physical model ([`lavoxel_flow`]) the maps are:
//!
//! | map | unit | description |
//! |---|---|---|
//! | `thickness` | m | lava of the column, liquid and set |
//! | `set-thickness` | m | lava of the column that turned to rock |
//! | `max-thickness` | m | largest thickness of lava, liquid and set, after any step |
//! | `arrival` | h | hours from the start after which lava first stood there |
//! | `temperature` | K | temperature of the uppermost liquid |
//! | `viscosity` | Pa s | viscosity of the uppermost liquid |
//! | `max-speed` | m/s | largest surface speed so far |
//! | `surface` | m | present elevation of ground and lava |
//! | `ground` | m | elevation of the ground before the flow |
//!
//! Metres are physical: a vertical exaggeration of the simulation box is divided out. Steps are not
//! seconds; the automaton has no clock. A full cell of fresh lava carries 1 vent unit of energy if
//! its vent says `energy = 1`, and lava spreads from a cell with an energy above `rules.threshold`.
//! `thickness` has no data where the material is absent now; `arrival`, `max-thickness` and
//! `peak-energy` have no data where the material never stood.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Zip};

use super::format::{Format, Formats};
pub use super::map_quantity::MapQuantity;
use super::shapes::Drawing;
pub use super::style::MapStyle;
pub use super::values::Values;
use super::{
    Caption, ExportError, MEND, Provenance, asc, exr, geojson, geotiff, gpkg, mask, netcdf, qml,
};
use super::{kmz, picture};
use lavoxel_automaton::world::{ColumnMeasure, ColumnQuantity};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::units::{cells, energy};
use lavoxel_files::output::{Existing, check_free};
use lavoxel_flow::{Flow, FlowColumn};
use lavoxel_geo::map::{Site, ToDegrees};
use lavoxel_geo::terrain::Hillshade;
use lavoxel_render::Image;
use lavoxel_sim::records::{NEVER, Records};
use lavoxel_sim::state::State;

/// Input of map exports: state of the world, records over past steps, and site of the simulation
/// box.
#[derive(Clone, Copy, Debug)]
pub struct Maps<'a> {
    /// State of the world whose values are exported.
    pub world: &'a State,
    /// Records over past steps, one per material. Only maps of largest values and of arrival need
    /// records; may be empty for all other maps.
    pub records: &'a [Records],
    /// Position of the simulation box on the map.
    pub site: &'a Site,
}

impl Maps<'_> {
    /// Computes the values of `quantity`, one per column of the simulation box.
    ///
    /// # Panics
    /// If the measure [needs records](ColumnMeasure::needs_records) and there are none for its
    /// material.
    pub fn values(&self, quantity: &ColumnQuantity) -> Values {
        let past = || {
            let records = self
                .records
                .iter()
                .find(|records| Some(records.material()) == quantity.material());
            records.expect("the caller keeps records for maps that need them")
        };
        if let Some(flow) = self
            .world
            .flow()
            .filter(|_| !quantity.measure().needs_records())
        {
            return Values::Real(self.of_flow(flow, quantity.measure()));
        }
        match quantity.measure() {
            ColumnMeasure::Thickness => {
                Values::Real(self.metres(&self.amounts(quantity)).mapv(none_at_zero))
            }
            ColumnMeasure::Arrival => Values::Whole(past().arrival().mapv(steps)),
            ColumnMeasure::MaxThickness => Values::Real(
                self.metres(&past().thickest().mapv(u64::from))
                    .mapv(none_at_zero),
            ),
            ColumnMeasure::PeakEnergy => {
                let mut peaks = past().peak_energy().mapv(energy);
                Zip::from(&mut peaks)
                    .and(past().arrival())
                    // A peak of 0 is a value; only columns that the material never reached have no
                    // data.
                    .for_each(|peak, &at| *peak = if at == NEVER { f32::NAN } else { *peak });
                Values::Real(peaks)
            }
            ColumnMeasure::Surface => {
                Values::Real(self.ground() + self.metres(&self.amounts_up_to(quantity)))
            }
            ColumnMeasure::Ground => Values::Real(self.ground()),
            ColumnMeasure::Ash => Values::Real(self.ash().mapv(none_at_zero)),
            ColumnMeasure::ArrivalTime
            | ColumnMeasure::SetThickness
            | ColumnMeasure::Temperature
            | ColumnMeasure::Viscosity
            | ColumnMeasure::MaxSpeed => panic!("only a world of the physical model has this map"),
        }
    }

    /// Computes the values of `measure` in its unit, one per column, from `flow`, the flow of the
    /// physical model; NaN where there is no data.
    fn of_flow(&self, flow: &Flow, measure: ColumnMeasure) -> Array2<f32> {
        let grid = self.site.grid;
        let value = |column: FlowColumn| match measure {
            ColumnMeasure::Thickness => positive(column.liquid_m + column.set_m),
            ColumnMeasure::SetThickness => positive(column.set_m),
            ColumnMeasure::ArrivalTime => column.arrival_s.map(|seconds| seconds / 3600.0),
            ColumnMeasure::Temperature => column.surface_k,
            ColumnMeasure::Viscosity => column.viscosity_pa_s,
            ColumnMeasure::MaxSpeed => column.arrival_s.map(|_| column.max_speed_m_s),
            ColumnMeasure::Surface => Some(self.site.floor_m + column.surface_m),
            ColumnMeasure::Ground => Some(self.site.floor_m + column.ground_m),
            _ => None,
        };
        let of_column =
            |(z, x)| value(flow.column(grid.column(x, z))).map_or(f32::NAN, |value| value as f32);
        Array2::from_shape_fn((grid.nz, grid.nx), of_column)
    }

    /// Computes the values of the map `subject`, one per column: those of its quantity or, for a
    /// footprint, 1 inside and no data elsewhere.
    ///
    /// # Panics
    /// In the cases of [`Maps::values`].
    pub fn values_of(&self, subject: &MapQuantity) -> Values {
        let values = self.values(subject.quantity());
        match subject.above() {
            None => values,
            Some(limit) => {
                let inside = |value: f64| if value > limit { 1 } else { Values::NO_WHOLE };
                Values::Whole(values.to_reals().mapv(inside))
            }
        }
    }

    /// Returns the size of the blocks of columns within which the map of `quantity` is constant:
    /// that of air cells for ash from the air, single columns otherwise.
    fn blocks(&self, quantity: &ColumnQuantity) -> picture::Blocks {
        let air = self
            .world
            .air()
            .filter(|_| quantity.measure() == ColumnMeasure::Ash);
        air.map_or(picture::Blocks::CELLS, |air| {
            let grid = air.grid();
            picture::Blocks {
                edge: grid.ratio,
                first: grid
                    .corner
                    .map(|corner| corner.rem_euclid(grid.ratio as i32) as usize),
            }
        })
    }

    /// Returns the ash on the ground in kg/m² per column, axes (row, column); 0 in a scene without
    /// air.
    fn ash(&self) -> Array2<f32> {
        let of_column = |(z, x)| self.world.air().map_or(0.0, |air| air.ash_on(x, z) as f32);
        Array2::from_shape_fn((self.site.grid.nz, self.site.grid.nx), of_column)
    }

    /// Returns the amount of the quantity's material that is at rest (not falling) in each column,
    /// in units, axes (row, column).
    fn amounts(&self, quantity: &ColumnQuantity) -> Array2<u64> {
        let number = quantity
            .material()
            .and_then(|material| self.world.number_of(material));
        let none = || Array2::zeros((self.site.grid.nz, self.site.grid.nx));
        number.map_or_else(none, |number| self.world.lying_amounts(number))
    }

    /// Returns the amount, at rest (not falling), of the quantity's material and of all heavier
    /// materials together in each column, in units, axes (row, column).
    fn amounts_up_to(&self, quantity: &ColumnQuantity) -> Array2<u64> {
        let last = quantity
            .material()
            .and_then(|material| self.world.number_of(material));
        let none = Array2::zeros((self.site.grid.nz, self.site.grid.nx));
        (0..last.map_or(0, |last| last + 1))
            .fold(none, |sum, number| sum + self.world.lying_amounts(number))
    }

    /// Converts amounts per column, in units, to thicknesses in metres.
    fn metres(&self, units: &Array2<u64>) -> Array2<f32> {
        units.mapv(|units| (cells(units) * self.site.cell_height_m()) as f32)
    }

    /// Renders the map of `subject` over the hill-shaded ground, with title and legend. The colour
    /// scale extends at least to `upper`, in the unit of the map, so that several pictures can
    /// share one scale.
    ///
    /// # Panics
    /// In the cases of [`Maps::values`].
    pub fn picture(&self, subject: &MapQuantity, about: &Provenance, upper: f64) -> Image {
        let (caption, values) = (
            subject.caption(self.world.flow().is_some()),
            self.values_of(subject),
        );
        let style = MapStyle::up_to(&caption, &values, upper);
        let (blocks, site, ground) = (self.blocks(subject.quantity()), self.site, self.ground());
        let values = values.to_reals();
        picture::Sight {
            caption: &caption,
            values,
            blocks,
            style: &style,
            about,
            site,
        }
        .sheet(ground)
    }

    /// Returns the elevation of the ground in metres per column, axes (row, column).
    fn ground(&self) -> Array2<f32> {
        self.world
            .ground()
            .surface()
            .mapv(|height| self.site.elevation_m(f64::from(height)) as f32)
    }
}

/// Returns `metres` if it is above 0, otherwise `None`.
fn positive(metres: f64) -> Option<f64> {
    (metres > 0.0).then_some(metres)
}

/// Returns the thickness `metres`, or NaN (the no-data value) if it is 0.
fn none_at_zero(metres: f32) -> f32 {
    if metres > 0.0 { metres } else { f32::NAN }
}

/// Converts the arrival step of a column to the value of an integer map; `NEVER` becomes the
/// no-data value.
fn steps(arrival: u32) -> i32 {
    if arrival == NEVER {
        Values::NO_WHOLE
    } else {
        i32::try_from(arrival).unwrap_or(i32::MAX)
    }
}

/// Functions and properties of one file format for maps.
#[derive(Debug)]
struct Writer {
    need: fn(Grid) -> MemoryEstimate,
    put: fn(&Raster<'_>, &Path, &Lines<'_>, Existing) -> Result<(), ExportError>,
    /// File extension of a companion file that the format writes, such as `prj`; `None` if the
    /// format writes none.
    beside: Option<&'static str>,
    kind: FormatKind,
}

/// Kind of content of a map format: values, lines or pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormatKind {
    /// Raster of values, with an optional QGIS style file.
    Raster,
    /// Raster of values for programs that draw terrain, without a place on the map.
    Mask,
    /// Lines or polygons: contour lines of a quantity, or outlines of a footprint.
    Vector,
    /// Picture in colours, in the coordinate system of the map.
    Picture,
    /// Picture in colours, resampled to longitude and latitude.
    Globe,
}

/// Options for drawing a map's contour lines and outlines.
struct Lines<'a> {
    style: &'a MapStyle,
    levels: Option<&'a [f64]>,
    smooth: bool,
}

const FORMATS: Formats<Writer> = Formats {
    purpose: "map",
    list: &[
        Format {
            endings: &["tif", "tiff"],
            about: "GeoTIFF",
            how: Writer {
                need: |grid| columns(grid, BYTES_A_VALUE),
                put: |map, path, _, existing| {
                    let labels = geotiff::Labels {
                        caption: map.caption,
                        about: map.about,
                    };
                    geotiff::write(path, &map.values, &labels, map.site, existing)
                },
                beside: None,
                kind: FormatKind::Raster,
            },
        },
        Format {
            endings: &["asc"],
            about: "ESRI ASCII grid",
            how: Writer {
                need: |grid| columns(grid, BYTES_A_VALUE),
                put: |map, path, _, existing| asc::write(path, &map.values, map.site, existing),
                beside: Some("prj"),
                kind: FormatKind::Raster,
            },
        },
        Format {
            endings: &["nc"],
            about: "netCDF",
            how: Writer {
                need: |grid| columns(grid, BYTES_A_VALUE).and(netcdf::need(grid.columns(), 1)),
                put: |map, path, _, existing| {
                    let layers = [(map.caption, &map.values)];
                    netcdf::write(path, &layers, (map.site, map.about), existing)
                },
                beside: None,
                kind: FormatKind::Raster,
            },
        },
        Format {
            endings: &["exr"],
            about: "OpenEXR",
            how: Writer {
                need: |grid| columns(grid, BYTES_A_VALUE + exr::BYTES_A_VALUE),
                put: |map, path, _, existing| {
                    exr::write_mask(path, &map.values, &map.labels(), existing)
                },
                beside: None,
                kind: FormatKind::Mask,
            },
        },
        Format {
            endings: &["r16"],
            about: "16-bit mask",
            how: Writer {
                need: |grid| columns(grid, BYTES_A_VALUE + mask::BYTES_A_VALUE),
                put: |map, path, lines, existing| {
                    mask::write_r16(path, (&map.values, lines.style), existing)
                },
                beside: Some("r16.json"),
                kind: FormatKind::Mask,
            },
        },
        Format {
            endings: &["geojson", "json"],
            about: "lines, polygons",
            how: Writer {
                need: |grid| columns(grid, BYTES_OF_LINES),
                put: |map, path, lines, existing| {
                    geojson::write(path, &map.drawing(lines), existing)
                },
                beside: None,
                kind: FormatKind::Vector,
            },
        },
        Format {
            endings: &["gpkg"],
            about: "GeoPackage",
            how: Writer {
                need: |grid| columns(grid, BYTES_OF_LINES).and(gpkg::need()),
                put: |map, path, lines, existing| gpkg::write(path, &map.drawing(lines), existing),
                beside: None,
                kind: FormatKind::Vector,
            },
        },
        Format {
            endings: &["png"],
            about: "picture, .mask.png: 16-bit mask",
            how: Writer {
                need: |grid| columns(grid, BYTES_OF_PICTURE).and(pixels(grid)),
                put: |map, path, lines, existing| {
                    if mask::is_mask(path) {
                        let values = (&map.values, lines.style);
                        return mask::write_png(path, values, &map.labels(), existing);
                    }
                    picture::write(path, &map.sight(lines), (map.ground)(), existing)
                },
                beside: None,
                kind: FormatKind::Picture,
            },
        },
        Format {
            endings: &["kmz"],
            about: "for Google Earth",
            how: Writer {
                need: |grid| columns(grid, BYTES_OF_LINES + BYTES_OF_PICTURE).and(pixels(grid)),
                put: |map, path, lines, existing| {
                    kmz::write(path, (&map.sight(lines), &map.drawing(lines)), existing)
                },
                beside: None,
                kind: FormatKind::Globe,
            },
        },
    ],
};

fn kind_of(path: &Path) -> Option<FormatKind> {
    FORMATS.for_path(path).ok().map(|writer| writer.kind)
}

fn columns(grid: Grid, bytes: f64) -> MemoryEstimate {
    MemoryEstimate::new("the map", grid.columns(), bytes)
}

/// Returns the file extensions of all map formats as a list for messages.
pub fn formats() -> String {
    FORMATS.words()
}

/// Memory per column in bytes while map values are computed: the amounts, and two copies of the
/// values in metres.
const BYTES_A_VALUE: f64 = 16.0;

/// Memory per column in bytes while contour lines or outlines are traced.
pub(super) const BYTES_OF_LINES: f64 = 24.0;
/// Memory per column in bytes while a map picture is drawn, including two copies of the ground
/// heights.
const BYTES_OF_PICTURE: f64 = 20.0;

/// Memory in bytes per pixel of a map picture: height, colour of the map, colour of the picture
/// with title and legend, and encoder buffers.
const BYTES_A_PIXEL: f64 = 14.0;

/// Estimates the memory of writing a map of a box of shape `grid`. The extension of `path` selects
/// the format. Points of lines and polygons are not included, because their number depends on the
/// values.
pub fn need_of(path: &Path, grid: Grid) -> MemoryEstimate {
    FORMATS.for_path(path).map_or_else(
        |_| columns(grid, BYTES_A_VALUE),
        |writer| (writer.need)(grid),
    )
}

/// Estimates the memory of the pixels of a map picture with legend and title, for a box of shape
/// `grid`.
fn pixels(grid: Grid) -> MemoryEstimate {
    let [width, height] = Hillshade::size_of([grid.nx, grid.nz]);
    MemoryEstimate::new(
        "the picture of the map",
        width * height * 5 / 4,
        BYTES_A_PIXEL,
    )
}

/// Export of one map: its subject, output path and options.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFile {
    /// Quantity or footprint that the map shows.
    pub subject: MapQuantity,
    /// Output path, whose extension selects the format: GeoTIFF (`.tif`, `.tiff`), ESRI ASCII grid
    /// (`.asc`, with a `.prj` if the coordinate system is known), netCDF (`.nc`), OpenEXR (`.exr`),
    /// bare numbers of 16 bits (`.r16`), lines and polygons (`.geojson`, `.json`, `.gpkg`), a picture
    /// (`.png`), a gray mask (`.mask.png`) or an overlay for Google Earth (`.kmz`).
    pub path: PathBuf,
    /// Set if a QGIS style file (`.qml`) is written next to a raster.
    pub style: bool,
    /// Values of the contour lines in a `.geojson` or `.gpkg`, in the unit of the map; `None` takes
    /// the values that the legend labels.
    pub levels: Option<Vec<f64>>,
    /// Set if the corners of contour lines and outlines are rounded.
    pub smooth: bool,
}

impl MapFile {
    /// Creates the export of `subject` to `path` with a QGIS style file and with contour lines at
    /// the values that the legend labels.
    pub fn new(subject: MapQuantity, path: PathBuf) -> Self {
        Self {
            subject,
            path,
            style: true,
            levels: None,
            smooth: false,
        }
    }

    /// Returns true if the file will contain contour lines: a vector format and a subject other
    /// than a footprint.
    pub fn has_levels(&self) -> bool {
        kind_of(&self.path) == Some(FormatKind::Vector) && self.subject.above().is_none()
    }

    /// Returns the path of the QGIS style file; `None` if no style is written.
    pub fn style_path(&self) -> Option<PathBuf> {
        (self.style && kind_of(&self.path) == Some(FormatKind::Raster))
            .then(|| qml::path_of(&self.path))
    }

    /// Estimates the memory of writing the map for a box of shape `grid`, without the points of
    /// lines and polygons.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        need_of(&self.path, grid)
    }

    /// Checks that the map and its companion `.prj` can be written; called before long
    /// computations. An existing style file is no error and is kept, because the user may have
    /// edited it.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`] for an unknown extension; [`ExportError::Output`] if the file
    /// exists and `existing` does not allow to replace it, or if the folder is not writable. A
    /// companion `.prj` is checked too; an existing style file is no error and is kept, since the
    /// user may have edited it.
    pub fn check(&self, existing: Existing) -> Result<(), ExportError> {
        if let Some(ending) = FORMATS.for_path(&self.path)?.beside {
            check_free(&self.path.with_extension(ending), existing)?;
        }
        if let Some(style) = self
            .style_path()
            .filter(|style| !keeps_style(style, existing))
        {
            check_free(&style, existing)?;
        }
        Ok(check_free(&self.path, existing)?)
    }

    /// Checks that the map format can represent the position of `site`; called before long
    /// computations.
    ///
    /// # Errors
    /// [`ExportError::NoDegrees`] for a `.kmz` if the coordinate system of the map cannot be
    /// converted to longitude and latitude.
    pub fn check_site(&self, site: &Site) -> Result<(), ExportError> {
        let lost = FORMATS.for_path(&self.path)?.kind == FormatKind::Globe
            && ToDegrees::of_site(site).is_none();
        if lost {
            Err(ExportError::NoDegrees {
                path: self.path.clone(),
            })
        } else {
            Ok(())
        }
    }

    /// Writes the map to its path, and its companion files next to it.
    ///
    /// # Errors
    /// The errors of [`MapFile::check`], and [`ExportError::Memory`]; no partial file is left.
    ///
    /// # Panics
    /// In the cases of [`Maps::values`].
    pub fn write(
        &self,
        maps: &Maps<'_>,
        about: &Provenance,
        existing: Existing,
    ) -> Result<(), ExportError> {
        self.need(maps.site.grid)
            .check(MEND)
            .map_err(ExportError::memory(&self.path))?;
        let raster = Raster {
            caption: &self.subject.caption(maps.world.flow().is_some()),
            values: maps.values_of(&self.subject),
            ground: &|| maps.ground(),
            blocks: maps.blocks(self.subject.quantity()),
            site: maps.site,
            about,
        };
        self.check(existing)?;
        raster.write_raster(&self.path, (self.levels.as_deref(), self.smooth), existing)?;
        self.style_path()
            .map_or(Ok(()), |path| raster.put_style(&path, existing))
    }
}

/// Map values, one per column of the simulation box, with labels and position on the map; can be
/// written in every map format.
pub struct Raster<'a> {
    caption: &'a Caption,
    values: Values,
    /// Function that returns the ground elevations in metres, axes (row, column), for the hillshade
    /// of a picture.
    ground: &'a dyn Fn() -> Array2<f32>,
    blocks: picture::Blocks,
    site: &'a Site,
    about: &'a Provenance,
}

impl<'a> Raster<'a> {
    /// Creates a raster from `values`, one per column of the simulation box of `site`. `ground`
    /// returns the ground elevations in metres and is called only for pictures.
    pub fn new(
        caption: &'a Caption,
        values: Values,
        ground: &'a dyn Fn() -> Array2<f32>,
        site: &'a Site,
        about: &'a Provenance,
    ) -> Self {
        let blocks = picture::Blocks::CELLS;
        Self {
            caption,
            values,
            ground,
            blocks,
            site,
            about,
        }
    }

    /// Writes the raster to `path`; the extension selects the format. For a raster format, a QGIS
    /// style file (`.qml`) is written next to the file. `levels`: values of contour lines in the
    /// unit of the map; `None` takes the values that the legend labels.
    ///
    /// # Errors
    /// The errors of [`MapFile::check`]; no partial file is left.
    pub fn write(
        &self,
        path: &Path,
        levels: Option<&[f64]>,
        existing: Existing,
    ) -> Result<(), ExportError> {
        self.write_raster(path, (levels, false), existing)?;
        if kind_of(path) == Some(FormatKind::Raster) {
            self.put_style(&qml::path_of(path), existing)
        } else {
            Ok(())
        }
    }

    fn write_raster(
        &self,
        path: &Path,
        (levels, smooth): (Option<&[f64]>, bool),
        existing: Existing,
    ) -> Result<(), ExportError> {
        let writer = FORMATS.for_path(path)?;
        (writer.need)(self.site.grid)
            .check(MEND)
            .map_err(ExportError::memory(path))?;
        let style = MapStyle::new(self.caption, &self.values);
        (writer.put)(
            self,
            path,
            &Lines {
                style: &style,
                levels,
                smooth,
            },
            existing,
        )
    }

    /// Returns this raster in the form that the writers of vector formats (lines and polygons) take
    /// as input.
    fn drawing<'b>(&'b self, lines: &'b Lines<'b>) -> Drawing<'b> {
        let Self {
            caption,
            values,
            site,
            about,
            ..
        } = self;
        let Lines {
            style,
            levels,
            smooth,
        } = *lines;
        Drawing {
            caption,
            values: values.to_reals(),
            style,
            levels,
            smooth,
            about,
            site,
        }
    }

    /// Returns this raster in the form that the writers of picture formats take as input.
    fn sight<'b>(&'b self, lines: &'b Lines<'b>) -> picture::Sight<'b> {
        let Self {
            caption,
            values,
            site,
            about,
            blocks,
            ..
        } = self;
        picture::Sight {
            caption,
            values: values.to_reals(),
            blocks: *blocks,
            style: lines.style,
            about,
            site,
        }
    }

    /// Returns the labels of a file without a place on the map.
    fn labels(&self) -> Vec<super::Label<'static>> {
        let place = self.site.placement();
        let corner = format!("{} {}", place.west, place.north);
        let cell = format!("{} {}", place.cell.0, place.cell.1);
        vec![
            (
                "Title",
                format!("{}, {}", self.about.scene, self.caption.when(self.about)),
            ),
            ("Description", self.caption.description.clone()),
            ("Unit", self.caption.unit.to_owned()),
            ("North-west corner", corner),
            ("Cell", cell),
            ("Software", Provenance::SOFTWARE.to_owned()),
        ]
    }

    fn put_style(&self, path: &Path, existing: Existing) -> Result<(), ExportError> {
        if keeps_style(path, existing) {
            return Ok(());
        }
        qml::write(path, &MapStyle::new(self.caption, &self.values), existing)
    }
}

/// Returns true if a style file exists at `path` and `existing` does not allow to replace it.
fn keeps_style(path: &Path, existing: Existing) -> bool {
    existing == Existing::Keep && path.is_file()
}

/// Writes the map of `quantity` to `path` without a style file; the extension selects the format.
///
/// # Errors
/// The errors of [`MapFile::write`].
///
/// # Panics
/// In the cases of [`Maps::values`].
pub fn write_map(
    path: &Path,
    quantity: &ColumnQuantity,
    maps: &Maps<'_>,
    about: &Provenance,
    existing: Existing,
) -> Result<(), ExportError> {
    let subject = MapQuantity::new(quantity.clone());
    MapFile {
        style: false,
        ..MapFile::new(subject, path.to_owned())
    }
    .write(maps, about, existing)
}
