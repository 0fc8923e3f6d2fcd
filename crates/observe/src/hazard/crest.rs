//! Heights of dams: the crest along barriers that no more than a given share of the runs overtops.
//!
//! The runs are made with a wall along the line, higher than lava comes. Of each section of the
//! wall a run needs the height above the ground to which its lava stands beside that section. The
//! crest of a section is the largest need of all runs that the dam must hold, and the freeboard.
//! Runs that it need not hold are given up one after the other: each time the run whose loss saves
//! most earth.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::plan::Ground;
use super::record::{RecordError, RunRecord};
use super::reduce::RunFiles;
use super::write::NOTE;
use crate::exposure::edge_neighbours;
use lavoxel_base::grid::line::Line;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::words;
use lavoxel_files::output::{Existing, OutputError, whole};
use lavoxel_files::table::quoted;
use lavoxel_geo::map::Site;
use lavoxel_io::export::document_of_lines;
use lavoxel_scene::scene::{Barrier, Scene};

/// Largest length of a section in cells.
const SECTION: f64 = 4.0;

/// Horizontal metres per metre of height of the slopes of an earth dam.
const SLOPE: f64 = 1.5;

/// Thickness in metres above which lava needs a dam.
const COUNTS_M: f64 = 0.01;

/// Largest share of runs, and largest freeboard in metres, that may be asked for.
const MOST: [f64; 2] = [0.5, 100.0];

/// Names of the files of the heights.
pub(super) const FILES: [&str; 2] = ["crest.csv", "crest.geojson"];

/// Walls of a study, whose crests are sought.
#[derive(Clone, Debug)]
pub(super) struct Walls {
    sections: Vec<Section>,
    /// Columns beside the walls: column, number of the section, elevation in metres above the
    /// bottom of the box of the natural ground of the section there; sorted by column.
    beside: Vec<(u32, u32, f64)>,
    /// Columns of the walls, ascending.
    walls: Vec<u32>,
    /// Share of the runs (0 to 1) that may overtop the dam.
    share: f64,
    freeboard_m: f64,
}

/// Section of a wall: a straight piece of its line.
#[derive(Clone, Debug)]
struct Section {
    wall: String,
    /// Distance of its beginning from that of the line, and its length, in metres.
    at_m: [f64; 2],
    /// Ends (column, row) in cells.
    ends: [[f64; 2]; 2],
    width_m: f64,
    /// Mean elevation of the natural ground in metres.
    ground_m: f64,
}

/// Heights of a dam.
#[derive(Clone, Debug)]
pub(super) struct Crest {
    /// Needed height of each section without freeboard, in metres.
    need_m: Vec<f64>,
    /// Numbers of the runs that overtop the dam.
    over: Vec<u64>,
    /// Number of runs whose lava came onto the wall itself.
    over_wall: usize,
    runs: usize,
}

/// Summary of the heights for a report.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CrestSummary {
    sections: usize,
    /// Number of sections that need a dam.
    raised: usize,
    /// Length of those sections in metres.
    length_m: f64,
    /// Largest height above the ground in metres, freeboard included.
    height_max_m: f64,
    earth_m3: f64,
    freeboard_m: f64,
    /// Share of the runs that may overtop the dam.
    share: f64,
    /// Numbers of the runs that overtop the dam.
    over: Vec<u64>,
    /// Number of runs whose lava came onto the wall itself.
    over_wall: usize,
    runs: usize,
}

impl Walls {
    /// Returns the walls of `scene`, whose crests no more than `share` of the runs may overtop.
    /// Returns a message that names the flag at fault.
    pub(super) fn new(
        scene: &Scene,
        ground: &Ground,
        (share, freeboard_m): (f64, f64),
    ) -> Result<Self, String> {
        for (flag, value, most) in [
            ("--crest", share, MOST[0]),
            ("--freeboard", freeboard_m, MOST[1]),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(format!("{flag} {value}: must be a number from 0 to {most}"));
            }
        }
        if scene.spec.terrain.error_m.is_some() {
            return Err(
                "--crest: the ground differs from run to run; leave --dem-error out".to_owned(),
            );
        }
        let site = &ground.site;
        let barriers = scene
            .barriers(site)
            .map_err(|error| error.to_string())?
            .into_iter()
            .filter(|barrier| barrier.height_m > 0.0 && !barrier.columns.is_empty());
        let barriers: Vec<Barrier> = barriers.collect();
        if barriers.is_empty() {
            return Err("--crest: draw a wall that lava does not overtop, with --barrier LINES.geojson and a large height_m".to_owned());
        }
        if barriers.iter().any(|barrier| barrier.fails.is_some()) {
            return Err("--crest: a barrier of the scene fails; leave `fails` out".to_owned());
        }
        Ok(Self::on(&barriers, ground, (share, freeboard_m)))
    }

    fn on(barriers: &[Barrier], ground: &Ground, (share, freeboard_m): (f64, f64)) -> Self {
        let site = &ground.site;
        // The highest wall counts where some meet.
        let mut raised_m: BTreeMap<u32, f64> = BTreeMap::new();
        for barrier in barriers {
            for column in &barrier.columns {
                let height = raised_m.entry(*column).or_default();
                *height = height.max(barrier.height_m);
            }
        }
        let natural_m =
            |column: u32| ground.flow().column(column as usize).ground_m - raised_m[&column];
        let walls: Vec<u32> = raised_m.keys().copied().collect();
        let (mut sections, mut beside) = (Vec::new(), Vec::new());
        for (barrier, piece, at_m) in pieces(barriers, site) {
            let [a, b] = piece;
            let line = Line::new(a, &[[b[0] - a[0], b[1] - a[1]]]);
            let columns = line.columns(0.5 * barrier.width_m / site.cell_size_m, site.grid);
            // A piece of its own may round to a column that the whole line misses.
            let columns: Vec<u32> = columns
                .into_iter()
                .map(|(x, z)| site.grid.column(x, z) as u32)
                .filter(|column| raised_m.contains_key(column))
                .collect();
            if columns.is_empty() {
                continue;
            }
            let number = sections.len() as u32;
            for column in &columns {
                let others = edge_neighbours(*column, site.grid);
                let others = others.filter(|other| walls.binary_search(other).is_err());
                beside.extend(others.map(|other| (other, number, natural_m(*column))));
            }
            let sum: f64 = columns.iter().map(|column| natural_m(*column)).sum();
            sections.push(Section {
                wall: barrier.name.clone(),
                at_m,
                ends: piece,
                width_m: barrier.width_m,
                ground_m: site.floor_m + sum / columns.len() as f64,
            });
        }
        beside.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        // The lowest ground of a section beside a column needs the highest dam.
        beside.dedup_by_key(|(column, section, _)| (*column, *section));
        Self {
            sections,
            beside,
            walls,
            share,
            freeboard_m,
        }
    }

    /// Estimates the memory of the needs of `runs` runs.
    pub(super) fn need(&self, runs: u64) -> MemoryEstimate {
        let needs = self.sections.len().saturating_mul(runs as usize);
        MemoryEstimate::new("the heights of the dam", needs, 4.0)
    }

    /// Reads all run files and returns the heights.
    pub(super) fn crest(&self, files: &RunFiles, ground: &Ground) -> Result<Crest, RecordError> {
        let (mut needs, mut weights, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        let mut over_wall = 0;
        files.for_each_weighted(|record, weight| {
            over_wall += usize::from(self.is_overtopped(record));
            needs.push(self.needs_of(record, ground));
            weights.push(weight);
            runs.push(record.sample.run);
        })?;
        let over = self.given_up(&needs, &weights);
        let held = needs
            .iter()
            .enumerate()
            .filter(|(run, _)| !over.contains(run));
        let mut need_m = vec![0.0; self.sections.len()];
        for (_, needs) in held {
            for (need, of_run) in need_m.iter_mut().zip(needs) {
                *need = f64::max(*need, f64::from(*of_run));
            }
        }
        let mut over: Vec<u64> = over.into_iter().map(|run| runs[run]).collect();
        over.sort_unstable();
        Ok(Crest {
            need_m,
            over,
            over_wall,
            runs: runs.len(),
        })
    }

    fn is_overtopped(&self, record: &RunRecord) -> bool {
        let on_it = |column: usize| self.walls.binary_search(&(column as u32)).is_ok();
        record
            .reached()
            .any(|reached| f64::from(reached.thickness_m) > COUNTS_M && on_it(reached.column))
    }

    /// Returns the height in metres above the natural ground that the lava of a run needs of each
    /// section.
    fn needs_of(&self, record: &RunRecord, ground: &Ground) -> Vec<f32> {
        let mut needs = vec![0.0_f32; self.sections.len()];
        for reached in record
            .reached()
            .filter(|reached| f64::from(reached.thickness_m) > COUNTS_M)
        {
            let column = reached.column as u32;
            let from = self.beside.partition_point(|(other, ..)| *other < column);
            let here = self.beside[from..].iter();
            let level =
                ground.flow().column(reached.column).ground_m + f64::from(reached.thickness_m);
            for (_, section, natural_m) in here.take_while(|(other, ..)| *other == column) {
                let need = &mut needs[*section as usize];
                *need = need.max((level - natural_m) as f32);
            }
        }
        needs
    }

    /// Returns the indices of the runs that the dam need not hold: together at most the share of
    /// all weight.
    fn given_up(&self, needs: &[Vec<f32>], weights: &[f64]) -> Vec<usize> {
        let mut left = self.share * weights.iter().sum::<f64>() + 1e-9;
        let earth_m3 = |needs: &Vec<f32>| -> f64 {
            let of = needs.iter().zip(&self.sections);
            of.map(|(need, section)| section.earth_m3(f64::from(*need)))
                .sum()
        };
        let all: Vec<f64> = needs.iter().map(earth_m3).collect();
        let (mut over, mut is_over) = (Vec::new(), vec![false; needs.len()]);
        loop {
            let saved = self.saved(needs, &is_over);
            let best = (0..needs.len())
                .filter(|run| !is_over[*run] && weights[*run] <= left && all[*run] > 0.0)
                .max_by(|a, b| {
                    let saves = saved[*a].total_cmp(&saved[*b]);
                    saves.then(all[*a].total_cmp(&all[*b]))
                });
            let Some(best) = best else { return over };
            left -= weights[best];
            is_over[best] = true;
            over.push(best);
        }
    }

    /// Returns the earth in m³ that the loss of each run saves, after that of the runs in
    /// `is_over`.
    fn saved(&self, needs: &[Vec<f32>], is_over: &[bool]) -> Vec<f64> {
        let mut saved = vec![0.0; needs.len()];
        for (at, section) in self.sections.iter().enumerate() {
            let (mut first, mut second) = ((0.0_f32, None), 0.0_f32);
            for (run, needs) in needs.iter().enumerate() {
                if is_over[run] {
                    continue;
                }
                if needs[at] > first.0 {
                    (second, first) = (first.0, (needs[at], Some(run)));
                } else {
                    second = second.max(needs[at]);
                }
            }
            if let (high, Some(run)) = first {
                saved[run] +=
                    section.earth_m3(f64::from(high)) - section.earth_m3(f64::from(second));
            }
        }
        saved
    }

    /// Writes the heights to `folder`, as a table and as lines that `--barrier` takes; returns the
    /// paths of both files.
    pub(super) fn write(
        &self,
        crest: &Crest,
        folder: &Path,
        site: &Site,
    ) -> Result<Vec<PathBuf>, OutputError> {
        let paths = FILES.map(|name| folder.join(name));
        whole(&paths[0], Existing::Replace, |out| {
            writeln!(
                out,
                "wall,from_m,length_m,ground_m,need_m,height_m,crest_m,earth_m3"
            )?;
            self.sections
                .iter()
                .zip(&crest.need_m)
                .try_for_each(|(section, need)| {
                    let height = self.height_m(*need);
                    let [from, length] = section.at_m;
                    writeln!(
                        out,
                        "{},{from:.1},{length:.1},{:.2},{need:.2},{height:.2},{:.2},{:.1}",
                        quoted(&section.wall),
                        section.ground_m,
                        section.ground_m + height,
                        section.earth_m3(height)
                    )
                })
        })?;
        let raised = self
            .sections
            .iter()
            .zip(&crest.need_m)
            .filter(|(_, need)| **need > 0.0);
        let lines: Vec<_> = raised
            .map(|(section, need)| (self.properties(section, *need), section.ends.to_vec()))
            .collect();
        let text = document_of_lines(site, ("crest", NOTE), &lines).to_string();
        whole(&paths[1], Existing::Replace, |out| writeln!(out, "{text}"))?;
        Ok(paths.into())
    }

    fn properties(&self, section: &Section, need: f64) -> Map<String, Value> {
        let height = self.height_m(need);
        let fine = |number: f64| json!((number * 1e3).ceil() / 1e3);
        [
            ("name", json!(section.wall)),
            ("height_m", fine(height)),
            ("width_m", json!(section.width_m)),
            ("from_m", fine(section.at_m[0])),
            ("crest_m", fine(section.ground_m + height)),
            ("earth_m3", fine(section.earth_m3(height))),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
    }

    /// Returns the height of a section above the ground in metres: its need and the freeboard; 0
    /// where no lava comes.
    fn height_m(&self, need: f64) -> f64 {
        if need > 0.0 {
            need + self.freeboard_m
        } else {
            0.0
        }
    }

    /// Returns the summary of `crest` for the report.
    pub(super) fn summary(&self, crest: &Crest) -> CrestSummary {
        let heights = || crest.need_m.iter().map(|need| self.height_m(*need));
        let raised = || {
            self.sections
                .iter()
                .zip(heights())
                .filter(|(_, height)| *height > 0.0)
        };
        CrestSummary {
            sections: self.sections.len(),
            raised: raised().count(),
            length_m: raised().map(|(section, _)| section.at_m[1]).sum(),
            height_max_m: heights().fold(0.0, f64::max),
            earth_m3: raised()
                .map(|(section, height)| section.earth_m3(height))
                .sum(),
            freeboard_m: self.freeboard_m,
            share: self.share,
            over: crest.over.clone(),
            over_wall: crest.over_wall,
            runs: crest.runs,
        }
    }
}

impl Section {
    /// Volume in m³ of an earth dam of the height `height_m`, with a crest of the wall's width and
    /// slopes of 1 : 1.5.
    fn earth_m3(&self, height_m: f64) -> f64 {
        self.at_m[1] * (self.width_m * height_m + SLOPE * height_m * height_m)
    }
}

impl CrestSummary {
    /// Returns the line of the report.
    pub(super) fn line(&self) -> String {
        format!(
            "{} of {} sections, {:.0} m, need a dam, {:.2} m high at most with {} m of freeboard, of {} of earth; {} of {} runs overtop it \
             ({} % may)",
            self.raised,
            self.sections,
            self.length_m,
            self.height_max_m,
            self.freeboard_m,
            words::volume(self.earth_m3),
            self.over.len(),
            self.runs,
            words::short(100.0 * self.share, 4)
        )
    }

    /// Returns a warning if the wall of the runs was too low.
    pub(super) fn warning(&self) -> Option<String> {
        (self.over_wall > 0).then(|| {
            format!(
                "{} of {} runs came onto the wall itself, and their need is larger than it seems; draw a higher wall (height_m)",
                self.over_wall, self.runs
            )
        })
    }
}

/// Iterates over the straight pieces of all walls, of at most `SECTION` cells: the wall, the ends of
/// the piece in cells, and its beginning and length along the line in metres.
fn pieces<'a>(
    barriers: &'a [Barrier],
    site: &'a Site,
) -> impl Iterator<Item = (&'a Barrier, [[f64; 2]; 2], [f64; 2])> {
    let mut all = Vec::new();
    for barrier in barriers {
        let mut from_m = 0.0;
        for line in &barrier.lines {
            let points: Vec<[f64; 2]> = line.iter().map(|point| site.cells_of(*point)).collect();
            for pair in points.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                let length = (b[0] - a[0]).hypot(b[1] - a[1]);
                let count = (length / SECTION).ceil().max(1.0);
                let place = |i: f64| [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * i / count);
                let length_m = length * site.cell_size_m / count;
                for i in 0..count as usize {
                    let ends = [place(i as f64), place(i as f64 + 1.0)];
                    all.push((barrier, ends, [from_m, length_m]));
                    from_m += length_m;
                }
            }
        }
    }
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walls(share: f64) -> Walls {
        let section = |k: usize| Section {
            wall: "dam".into(),
            at_m: [10.0 * k as f64, 10.0],
            ends: [[0.0; 2]; 2],
            width_m: 2.0,
            ground_m: 100.0,
        };
        Walls {
            sections: (0..3).map(section).collect(),
            beside: Vec::new(),
            walls: Vec::new(),
            share,
            freeboard_m: 0.5,
        }
    }

    #[test]
    fn the_run_that_costs_most_earth_is_given_up_first() {
        let needs = vec![
            vec![1.0, 0.0, 0.0],
            vec![0.0, 6.0, 0.0],
            vec![2.0, 2.0, 2.0],
            vec![0.0, 0.0, 9.0],
            vec![0.0; 3],
        ];
        let given_up = |share: f64| walls(share).given_up(&needs, &[1.0; 5]);
        assert_eq!(given_up(0.1), Vec::<usize>::new());
        assert_eq!(given_up(0.2), [3]);
        assert_eq!(given_up(0.4), [3, 1]);
        // Runs that need nothing are never given up.
        assert_eq!(walls(1.0).given_up(&needs, &[1.0; 5]).len(), 4);
        // A heavy run is not given up if the light ones are as many as may be.
        let heavy = walls(0.2).given_up(&needs, &[0.1, 0.2, 0.1, 3.0, 0.1]);
        assert_eq!(heavy, [1, 2, 0]);
        assert_eq!(walls(0.0).sections[0].earth_m3(4.0), 10.0 * (8.0 + 24.0));
    }
}
