//! Output files of a hazard map: rasters with styles, probability contours, and the table of runs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ndarray::Array2;

use super::crest::FILES as CREST;
use super::plan::{Ground, Plan};
use super::record::Ending;
use super::reduce::{Reduction, RunRow, Summary};
use lavoxel_base::measure::{Ramp, Span};
use lavoxel_files::output::{Existing, OutputError, whole};
use lavoxel_geo::map::{Site, ToDegrees};
use lavoxel_io::export::maps::{Raster, Values};
use lavoxel_io::export::{Caption, ExportError, Provenance, netcdf};
use lavoxel_scene::scene::Seconds;

/// Caution that is written into every map file.
pub(super) const NOTE: &str = "probabilities and quantiles are those of the sampled vents, rates and volumes, by a model that is not checked \
                    for this place; they are no forecast";

/// Default contour levels of probability.
const LEVELS: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9];

/// File extensions in which the contours of probability are written.
const LINES: [&str; 2] = ["geojson", "gpkg"];
/// File extension of the Google Earth picture; written only if the coordinate system converts to
/// longitude and latitude.
const GLOBE: &str = "kmz";

/// File with all maps.
const ALL: &str = "maps.nc";

/// Length of an hour in seconds.
const HOUR: f32 = 3600.0;

/// Inputs for the map files of a hazard study.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    /// Statistics over all runs, which the maps show.
    pub summary: &'a Summary,
    /// Threshold, quantiles and times with which the statistics were computed.
    pub reduction: &'a Reduction,
    /// State before the first step that all runs of the study share.
    pub ground: &'a Ground,
    /// Name of the scene, which the metadata of the maps state.
    pub scene: &'a str,
    /// Plan from which the runs were sampled.
    pub plan: &'a Plan,
    /// Set to write a picture of every map over the hill-shaded ground, in addition to the data
    /// file.
    pub pictures: bool,
    /// Contour levels of probability, 0 to 1; `None`: the levels in `LEVELS`.
    pub levels: Option<&'a [f64]>,
    /// Set to write all maps into one netCDF file, too.
    pub netcdf: bool,
}

/// Raster map of a hazard study: its values, row-major, and its caption.
struct Map {
    caption: Caption,
    values: Vec<f32>,
}

/// Returns the part of a file name that states a quantile: `q10` for 0.1, `q2_5` for 0.025.
fn short_name(quantile: f64) -> String {
    let percent = lavoxel_base::words::short(100.0 * quantile, 6);
    let text = if percent.fract() == 0.0 {
        format!("{percent:02}")
    } else {
        percent.to_string()
    };
    format!("q{}", text.replace('.', "_"))
}

/// Returns the part of a file name that states a time in seconds: `6h`, `2d`, `90min`, `45s`.
pub(super) fn time_name(time_s: f64) -> String {
    let units = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| time_s % unit == 0.0 && time_s > 0.0);
    let (unit, name) = whole.unwrap_or((1.0, "s"));
    format!("{}{name}", time_s / unit).replace('.', "_")
}

/// Returns the names of all map files that a study writes, including style files and, if `pictures`
/// is true, pictures of the maps.
pub fn names(reduction: &Reduction, pictures: bool) -> Vec<String> {
    let quantiles = reduction
        .quantiles
        .iter()
        .flat_map(|q| [HazardMap::Arrival(*q), HazardMap::Thickness(*q)]);
    let before = reduction
        .before_s
        .iter()
        .map(|time_s| HazardMap::Before(*time_s));
    let annual = reduction.annual.map(HazardMap::Annual);
    let maps = [HazardMap::Probability, HazardMap::Thickest]
        .into_iter()
        .chain(annual)
        .chain(before)
        .chain(quantiles);
    let endings: &[&str] = if pictures {
        &["tif", "qml", "png"]
    } else {
        &["tif", "qml"]
    };
    let files = maps.flat_map(|kind| {
        endings
            .iter()
            .map(move |ending| format!("{}.{ending}", kind.name()))
    });
    let drawn = LINES
        .iter()
        .chain(pictures.then_some(&GLOBE))
        .map(|ending| format!("{}.{ending}", HazardMap::Probability.name()));
    let whole = ["runs.csv", ALL].into_iter().chain(CREST);
    let whole = whole.map(str::to_owned);
    files.chain(drawn).chain(whole).collect()
}

/// Subject of a hazard map: annual probability, or probability of arrival before a time, among
/// others.
#[derive(Clone, Copy)]
enum HazardMap {
    Probability,
    /// Annual probability of inundation; the number is the mean number of eruptions per year.
    Annual(f64),
    /// Probability that lava arrives before a time; the number is the time in seconds from the
    /// start of the eruption.
    Before(f64),
    Thickest,
    Arrival(f64),
    Thickness(f64),
}

impl HazardMap {
    fn name(self) -> String {
        match self {
            Self::Probability => "probability".to_owned(),
            Self::Annual(_) => "probability_annual".to_owned(),
            Self::Before(time_s) => format!("probability_{}", time_name(time_s)),
            Self::Thickest => "thickness_max".to_owned(),
            Self::Arrival(quantile) => format!("arrival_{}", short_name(quantile)),
            Self::Thickness(quantile) => format!("thickness_{}", short_name(quantile)),
        }
    }

    fn ramp(self) -> Ramp {
        let ramp = |palette, reversed, none_at_zero| Ramp {
            palette,
            reversed,
            span: Span::FromZero,
            none_at_zero,
        };
        match self {
            Self::Probability | Self::Annual(_) | Self::Before(_) => ramp("inferno", true, true),
            Self::Arrival(_) => ramp("viridis", true, false),
            Self::Thickest | Self::Thickness(_) => ramp("lava", false, true),
        }
    }

    /// Returns three texts for the map: display name, caption above its picture, and description in
    /// one line. `above_m`: inundation threshold in metres.
    fn words(self, above_m: f64) -> (String, String, String) {
        // Quantiles are conditional on inundation, which every description must say.
        let given = format!("of the runs that inundate this place (more than {above_m} m)");
        match self {
            Self::Probability => (
                "probability".to_owned(),
                "probability of inundation".to_owned(),
                format!(
                    "share of the runs whose lava stands more than {above_m} m thick here at some time"
                ),
            ),
            Self::Annual(rate) => (
                "probability in a year".to_owned(),
                "probability of inundation in a year".to_owned(),
                format!(
                    "1 − exp(−λ p): probability of one inundation or more (p of the runs) in a year, of eruptions that come at \
                     random (Poisson) with λ = {rate} in a year"
                ),
            ),
            Self::Before(time_s) => (
                "probability".to_owned(),
                format!("probability of lava before {}", Seconds(time_s)),
                format!(
                    "share of the runs whose lava comes here before {} and stands more than {above_m} m thick at some time",
                    Seconds(time_s)
                ),
            ),
            Self::Thickest => (
                "thickness".to_owned(),
                "largest thickness of all runs".to_owned(),
                "largest thickness of liquid and set lava in any run".to_owned(),
            ),
            Self::Arrival(quantile) => (
                "arrival".to_owned(),
                format!("arrival, quantile {quantile} of the runs that come here"),
                format!(
                    "hours from the start of the eruption until lava comes: quantile {quantile} {given}"
                ),
            ),
            Self::Thickness(quantile) => (
                "thickness".to_owned(),
                format!("largest thickness, quantile {quantile} of the runs that come here"),
                format!("largest thickness of liquid and set lava: quantile {quantile} {given}"),
            ),
        }
    }
}

impl Drawing<'_> {
    /// Writes all map files to `folder`. Returns their paths, without the style files and pictures
    /// that accompany rasters.
    ///
    /// # Errors
    /// [`ExportError`] for a file that cannot be written; files written before stay.
    pub fn write(&self, folder: &Path, existing: Existing) -> Result<Vec<PathBuf>, ExportError> {
        let mut files = Vec::new();
        let about = Provenance {
            scene: self.scene.to_owned(),
            seed: self.plan.seed,
            ..Provenance::default()
        };
        let ground = || self.elevations();
        for map in self.maps() {
            let values = Values::Real(self.on_the_box(map.values));
            let raster = Raster::new(&map.caption, values, &ground, &self.ground.site, &about);
            let path = |ending: &str| folder.join(format!("{}.{ending}", map.caption.name));
            let mut endings = vec!["tif"];
            endings.extend(self.pictures.then_some("png"));
            if map.caption.name == HazardMap::Probability.name() {
                endings.extend(LINES);
                endings.extend(
                    (self.pictures && ToDegrees::of_site(&self.ground.site).is_some())
                        .then_some(GLOBE),
                );
            }
            for ending in endings {
                raster.write(
                    &path(ending),
                    Some(self.levels.unwrap_or(&LEVELS)),
                    existing,
                )?;
                files.push(path(ending));
            }
        }
        if self.netcdf {
            let path = folder.join(ALL);
            self.write_all(&path, &about, existing)?;
            files.push(path);
        }
        let path = folder.join("runs.csv");
        table(
            &path,
            &self.summary.rows,
            (self.plan, self.ground),
            existing,
        )?;
        files.push(path);
        Ok(files)
    }

    /// Writes all maps into the netCDF file `path`.
    fn write_all(
        &self,
        path: &Path,
        about: &Provenance,
        existing: Existing,
    ) -> Result<(), ExportError> {
        let maps: Vec<(Caption, Values)> = self
            .maps()
            .map(|map| (map.caption, Values::Real(self.on_the_box(map.values))))
            .collect();
        let layers: Vec<_> = maps
            .iter()
            .map(|(caption, values)| (caption, values))
            .collect();
        netcdf::write(path, &layers, (&self.ground.site, about), existing)
    }

    fn maps(&self) -> impl Iterator<Item = Map> + '_ {
        let Summary {
            arrival_s,
            thickness_m,
            thickest_m,
            ..
        } = self.summary;
        let quantiles = || self.reduction.quantiles.iter().enumerate();
        let map = |kind: HazardMap, values| Map {
            caption: self.caption(kind),
            values,
        };
        let hours = |map: &Vec<f32>| map.iter().map(|seconds| seconds / HOUR).collect();
        let first = [
            map(HazardMap::Probability, self.summary.probability()),
            map(HazardMap::Thickest, thickest_m.clone()),
        ];
        let arrivals =
            quantiles().map(move |(i, q)| map(HazardMap::Arrival(*q), hours(&arrival_s.maps[i])));
        let thicknesses = quantiles()
            .map(move |(i, q)| map(HazardMap::Thickness(*q), thickness_m.maps[i].clone()));
        let times = self.reduction.before_s.iter().zip(&self.summary.before);
        let before = times.map(move |(time_s, counts)| {
            map(HazardMap::Before(*time_s), self.summary.shares(counts))
        });
        let in_a_year = |rate: f64| {
            let shares = self.summary.probability().into_iter();
            shares
                .map(|share| -libm::expm1(-rate * f64::from(share)) as f32)
                .collect()
        };
        let annual = self
            .reduction
            .annual
            .map(|rate| map(HazardMap::Annual(rate), in_a_year(rate)));
        first
            .into_iter()
            .chain(annual)
            .chain(before)
            .chain(arrivals)
            .chain(thicknesses)
    }

    fn caption(&self, kind: HazardMap) -> Caption {
        let (words, mut title, mut description) = kind.words(self.reduction.above_m);
        if self.outlines() > 0 {
            title.push_str(", weighted");
            write!(
                description,
                "; runs are weighted by their fit to what was observed (outlines: {}), as many as {:.1} equal runs",
                self.outlines(),
                self.summary.effective_runs()
            )
            .expect("a string takes everything");
        }
        let unit = match kind {
            HazardMap::Probability | HazardMap::Annual(_) | HazardMap::Before(_) => "",
            HazardMap::Arrival(_) => "h",
            HazardMap::Thickest | HazardMap::Thickness(_) => "m",
        };
        let runs = Some(self.summary.rows.len() as u64);
        Caption {
            name: kind.name(),
            words,
            title,
            description,
            unit,
            ramp: kind.ramp(),
            above: None,
            note: Some(NOTE),
            runs,
            classes: &[],
        }
    }

    /// Returns the number of observed outlines that weight the runs.
    fn outlines(&self) -> usize {
        self.summary.rows.first().map_or(0, |row| row.fits.len())
    }

    fn on_the_box(&self, values: Vec<f32>) -> Array2<f32> {
        let grid = self.ground.site.grid;
        Array2::from_shape_vec((grid.nz, grid.nx), values).expect("a value for each column")
    }

    fn elevations(&self) -> Array2<f32> {
        let (flow, site) = (self.ground.flow(), &self.ground.site);
        let of_column = |column| (site.floor_m + flow.column(column).ground_m) as f32;
        self.on_the_box((0..site.grid.columns()).map(of_column).collect())
    }
}

/// Header line of the table of runs (`runs.csv`).
const HEADING: &str = "run,feature,vent_x,vent_y,rate_m3_s,volume_m3,duration_s,seed,area_m2,reach_m,thickness_max_m,lowest_m,\
                       poured_m3,set_m3,out_m3,blocked_m3,time_s,ended,exact";

/// Writes the table of runs to `path`, one row per run; vent positions are in map coordinates.
fn table(
    path: &Path,
    rows: &[RunRow],
    (plan, ground): (&Plan, &Ground),
    existing: Existing,
) -> Result<(), OutputError> {
    let keys: String = plan
        .draws
        .iter()
        .map(|(key, _)| format!(",{key}"))
        .collect();
    let drawn = |row: &RunRow| {
        let run = row.sample.run;
        let seed = ground.height_error_m().map(|_| plan.survey_seed(run));
        let numbers = plan
            .numbers(run)
            .into_iter()
            .map(|number| format!(",{number}"));
        numbers
            .chain(seed.map(|seed| format!(",{seed}")))
            .collect::<String>()
    };
    let seed = ground.height_error_m().map_or("", |_| ",error_seed");
    let all: f64 = rows.iter().map(|row| row.weight).sum();
    let outlines = rows.first().map_or(0, |row| row.fits.len());
    let fits: String = (1..=outlines).map(|k| format!(",fit_{k}")).collect();
    let weight = if outlines > 0 { ",weight" } else { "" };
    let weighted = |row: &RunRow| {
        let fits = row.fits.iter().map(|fit| format!(",{fit:.4}"));
        let weight = (outlines > 0).then(|| format!(",{:.3e}", row.weight / all));
        fits.chain(weight).collect::<String>()
    };
    whole(path, existing, |out| {
        writeln!(out, "{HEADING}{keys}{seed}{fits}{weight},seconds")?;
        let mut all = rows.iter();
        all.try_for_each(|row| {
            writeln!(
                out,
                "{}{}{},{:.3}",
                line(row, &ground.site),
                drawn(row),
                weighted(row),
                row.outcome.seconds
            )
        })
    })
}

fn line(row: &RunRow, site: &Site) -> String {
    let RunRow {
        sample,
        outcome,
        area_m2,
        reach_m,
        thickest_m,
        lowest_m,
        ..
    } = row;
    let [x, y] = on_the_map(sample.vent_m, site);
    let ended = match outcome.ending {
        Ending::Rest => "rest",
        Ending::Limit => "limit",
    };
    let mut line = format!("{},{},{x},{y}", sample.run, sample.feature + 1);
    for number in [sample.rate_m3_s, sample.volume_m3, sample.duration_s] {
        // All digits, so that a single run can be repeated exactly.
        write!(line, ",{number}").expect("a string takes everything");
    }
    write!(
        line,
        ",{},{area_m2:.1},{reach_m:.1},{thickest_m:.3},",
        sample.seed
    )
    .expect("a string takes everything");
    lowest_m
        .iter()
        .for_each(|lowest| write!(line, "{lowest:.1}").expect("a string takes everything"));
    for volume in [
        outcome.poured_m3,
        outcome.set_m3,
        outcome.out_m3,
        outcome.blocked_m3,
    ] {
        write!(line, ",{volume:.2}").expect("a string takes everything");
    }
    let exact = if outcome.fault.is_none() { "yes" } else { "no" };
    write!(line, ",{},{ended},{exact}", outcome.time_s).expect("a string takes everything");
    line
}

/// Converts metres [east, south] from the north-west corner of the simulation box to map
/// coordinates [x, y]; for a box without map, to metres [east, north] from the south-west corner.
pub fn on_the_map([east_m, south_m]: [f64; 2], site: &Site) -> [f64; 2] {
    let place = site.placement();
    let scale = (
        place.cell.0 / site.cell_size_m,
        place.cell.1 / site.cell_size_m,
    );
    [
        place.west + east_m * scale.0,
        place.north - south_m * scale.1,
    ]
}

/// Converts map coordinates [x, y] to metres [east, south] from the north-west corner of the
/// simulation box: inverse of `on_the_map`.
pub fn from_the_map([x, y]: [f64; 2], site: &Site) -> [f64; 2] {
    let place = site.placement();
    let scale = (
        place.cell.0 / site.cell_size_m,
        place.cell.1 / site.cell_size_m,
    );
    let x = site.crs().map_or(x, |crs| crs.near(x, site.middle_x()));
    [(x - place.west) / scale.0, (place.north - y) / scale.1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_have_names_for_files() {
        assert_eq!(
            [0.1, 0.5, 0.9, 0.05, 0.025, 1.0].map(short_name),
            ["q10", "q50", "q90", "q05", "q2_5", "q100"]
        );
        assert_eq!(
            [86_400.0, 21_600.0, 5400.0, 45.5].map(time_name),
            ["1d", "6h", "90min", "45_5s"]
        );
        let names = names(
            &Reduction {
                above_m: 0.05,
                quantiles: vec![0.5],
                before_s: vec![],
                annual: None,
            },
            true,
        );
        assert_eq!(
            names[..3],
            ["probability.tif", "probability.qml", "probability.png"]
        );
        assert!(names.contains(&"arrival_q50.tif".to_owned()) && names.len() == 4 * 3 + 7);
        let without = super::names(
            &Reduction {
                above_m: 0.05,
                quantiles: vec![0.5],
                before_s: vec![],
                annual: None,
            },
            false,
        );
        assert!(
            names.contains(&"probability.kmz".to_owned())
                && !without.iter().any(|name| name.ends_with(".kmz"))
        );
        assert!(without.contains(&"probability.gpkg".to_owned()) && without.len() == 4 * 2 + 6);
    }
}
