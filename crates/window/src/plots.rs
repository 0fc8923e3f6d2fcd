//! Time series of measured quantities, for the live plots in the panel.
//!
//! Invariants: a series has at most `MOST` samples, however long the session runs; after a jump
//! back in time, no sample is later than the present moment.

use crate::messages::{Report, Watch};
use lavoxel_automaton::matter::Material;

/// Upper bound of the number of samples per series; when a series exceeds this number, every second
/// sample is dropped.
const MOST: usize = 400;

/// Time series of one quantity; its sampling interval grows with its length, so that the number of
/// samples stays within `MOST`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    /// Samples `[time, value]` in order of time; times are in minutes or steps (see the function
    /// `time`).
    samples: Vec<[f64; 2]>,
    /// Smallest time between neighbouring samples, in the unit of their times; only the last sample
    /// may follow sooner.
    gap: f64,
}

impl Series {
    /// Adds the sample `value` at the time `time`, and drops samples added before that are not
    /// earlier than `time`.
    pub(crate) fn note(&mut self, time: f64, value: f64) {
        while self.samples.last().is_some_and(|last| last[0] >= time) {
            self.samples.pop();
        }
        // The last sample is replaced until it is at least `gap` after the sample before.
        if let [.., before, last] = &mut self.samples[..]
            && last[0] - before[0] < self.gap
        {
            *last = [time, value];
        } else {
            self.samples.push([time, value]);
        }
        if self.samples.len() > MOST {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut number = 0;
        self.samples.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        let span = self.samples.last().map_or(0.0, |last| last[0]) - self.samples[0][0];
        self.gap = 2.0 * span / MOST as f64;
    }

    /// Returns the samples `[time, value]` in order of time.
    pub(crate) fn samples(&self) -> &[[f64; 2]] {
        &self.samples
    }

    /// Returns the value of the last sample; `None` without samples.
    pub(crate) fn last(&self) -> Option<f64> {
        self.samples.last().map(|last| last[1])
    }
}

/// Column that the user has picked for the live plots, with its time series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Indices `[x, z]` of the picked column.
    pub(crate) at: [usize; 2],
    /// Point that the user clicked, as x, y, z in cells.
    pub(crate) place: [f32; 3],
    /// Name of each material that the column has ever contained, and its thickness in metres over
    /// time.
    pub(crate) thickness: Vec<(String, Series)>,
    /// Surface temperature of the column's lava in °C over time.
    pub(crate) celsius: Series,
}

/// Time series of the live plots, and the user's choices of material and column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plots {
    /// Set while the plots are unfolded in the panel. While folded, only the values contained in
    /// every report are recorded, and no measurements are requested.
    pub(crate) is_open: bool,
    /// Name of the material that the user has chosen; `None` for the default of [`Plots::name`].
    pub(crate) material: Option<String>,
    /// Volume of the plotted material over time, in m³.
    pub(crate) volume: Series,
    /// Area covered by the plotted material over time, in m².
    pub(crate) area: Series,
    /// Runout of the plotted material over time: largest distance in metres between a covered
    /// column and the vent nearest to that column.
    pub(crate) front: Series,
    /// Column that the user has picked; `None` if there is none.
    pub(crate) point: Option<Point>,
    /// Scene to which the series belong: its name, and its number of cells along x, y and z; `None`
    /// before the first report.
    of: Option<(String, [usize; 3])>,
}

impl Plots {
    /// Discards all series and the picked column; called when another scene is shown.
    pub(crate) fn restart(&mut self) {
        *self = Self {
            is_open: self.is_open,
            ..Self::default()
        };
    }

    /// Adds the values of `report` to the series. If `report` belongs to another scene, the series
    /// are discarded first.
    pub(crate) fn note(&mut self, report: &Report) {
        let grid = report.grid;
        let of = (report.name.clone(), [grid.nx, grid.ny, grid.nz]);
        if self.of.as_ref() != Some(&of) {
            self.restart();
            self.of = Some(of);
        }
        if self
            .material
            .as_ref()
            .is_some_and(|name| report.materials.iter().all(|m| m.material.name != *name))
        {
            self.choose(None);
        }
        let now = time(report);
        if let Some(m3) = volume(report, self.name(report)) {
            self.volume.note(now, m3);
        }
        let Some(watched) = &report.watched else {
            return;
        };
        if let Some(spread) = watched.spread.filter(|spread| spread.step == report.step) {
            self.area.note(now, spread.area_m2);
            spread
                .front_m
                .into_iter()
                .for_each(|metres| self.front.note(now, metres));
        }
        if let (Some(point), Some(column)) = (&mut self.point, &watched.column)
            && point.at == column.at
        {
            point.note(now, &column.thickness_m, column.celsius);
        }
    }

    /// Returns the name of the plotted material: the user's choice, or by default lava if the world
    /// contains lava or vents, else the first material.
    pub(crate) fn name<'a>(&'a self, report: &'a Report) -> &'a str {
        let first = || {
            report
                .materials
                .first()
                .map_or(Material::LAVA, |m| &m.material.name)
        };
        let lava = report
            .materials
            .iter()
            .any(|m| m.material.carries_energy() && (m.cells > 0 || !report.vents.is_empty()));
        self.material
            .as_deref()
            .unwrap_or_else(|| if lava { Material::LAVA } else { first() })
    }

    /// Sets the plotted material to `material` (`None`: the default) and restarts its series.
    pub(crate) fn choose(&mut self, material: Option<String>) {
        self.material = material;
        (self.volume, self.area, self.front) =
            (Series::default(), Series::default(), Series::default());
    }

    /// Picks the column `at` (`[x, z]`) and restarts its series. `place`: clicked point as x, y, z
    /// in cells.
    pub(crate) fn pick(&mut self, at: [usize; 2], place: [f32; 3]) {
        self.point = Some(Point {
            at,
            place,
            thickness: Vec::new(),
            celsius: Series::default(),
        });
    }

    /// Returns the measurements that the live plots need from the simulation at present.
    pub(crate) fn wanted(&self, report: Option<&Report>) -> Watch {
        let material = report
            .filter(|_| self.is_open)
            .map(|report| self.name(report).to_owned());
        Watch {
            material,
            column: self.point.as_ref().map(|point| point.at),
            stand: None,
        }
    }
}

impl Point {
    fn note(&mut self, time: f64, thickness_m: &[(String, f64)], celsius: Option<f64>) {
        for (name, metres) in thickness_m {
            let known = self.thickness.iter().position(|(known, _)| known == name);
            match known {
                Some(known) => self.thickness[known].1.note(time, *metres),
                None if *metres > 0.0 => {
                    let mut series = Series::default();
                    series.note(time, *metres);
                    self.thickness.push((name.clone(), series));
                }
                None => {}
            }
        }
        celsius
            .into_iter()
            .for_each(|celsius| self.celsius.note(time, celsius));
    }
}

/// Returns the time of `report` on the axis of the plots: in minutes in the physical model, else in
/// simulation steps.
pub(crate) fn time(report: &Report) -> f64 {
    report
        .flow
        .as_ref()
        .map_or(report.step as f64, |flow| flow.time_s / 60.0)
}

/// Returns the unit of the times that `time` returns: "min" in the physical model, else "steps".
pub(crate) fn unit(report: &Report) -> &'static str {
    if report.flow.is_some() {
        "min"
    } else {
        "steps"
    }
}

/// Returns the volume of the material `name` in m³; for lava in the physical model, the volume of
/// liquid lava. `None` if there is no such material.
fn volume(report: &Report, name: &str) -> Option<f64> {
    if let Some(flow) = report.flow.as_ref().filter(|_| name == Material::LAVA) {
        return Some(flow.liquid);
    }
    let of = report
        .materials
        .iter()
        .find(|of| of.material.name == name)?;
    Some(of.mass.present * report.cell_volume_m3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    #[test]
    fn a_long_series_stays_short_and_keeps_its_ends() {
        let mut series = Series::default();
        for step in 0..100_000 {
            series.note(f64::from(step), f64::from(step) * 2.0);
            assert!(series.samples.len() <= MOST);
        }
        assert!(series.samples.len() > MOST / 4, "{}", series.samples.len());
        assert_eq!(
            (series.samples[0], series.last()),
            ([0.0, 0.0], Some(199_998.0))
        );
        assert!(
            series
                .samples
                .windows(2)
                .all(|pair| pair[0][0] < pair[1][0] && pair[1][1] == 2.0 * pair[1][0])
        );
    }

    #[test]
    fn a_way_back_in_time_drops_what_was_later() {
        let mut series = Series::default();
        (0..50).for_each(|step| series.note(f64::from(step), 1.0));
        series.note(20.0, 7.0);
        assert_eq!((series.samples.len(), series.last()), (21, Some(7.0)));
        series.note(20.0, 8.0);
        assert_eq!(
            (series.samples.len(), series.last()),
            (21, Some(8.0)),
            "one number for one time"
        );
    }

    #[test]
    fn plots_begin_again_with_another_scene_and_ask_for_nothing_while_folded() {
        let mut report = Report::quiet(Grid::new(8, 8, 8));
        let mut plots = Plots::default();
        for step in 0..5 {
            report.step = step;
            plots.note(&report);
        }
        assert_eq!(plots.volume.samples.len(), 5, "a sum that is there anyway");
        assert_eq!(plots.wanted(Some(&report)), Watch::default());
        plots.is_open = true;
        assert_eq!(
            plots.wanted(Some(&report)).material.as_deref(),
            Some("lava")
        );
        report.name = "other".to_owned();
        plots.note(&report);
        assert_eq!((plots.volume.samples.len(), plots.is_open), (1, true));
    }
}
