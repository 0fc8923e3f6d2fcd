//! Effect of barriers on a lava flow: arrival and overtopping at each barrier, retained volume, and
//! the benefit of all barriers relative to the same run without barriers.

use lavoxel_base::grid::Grid;
use lavoxel_flow::Flow;
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::Barrier;

/// Thickness in metres above which a column counts as reached by lava.
const COUNTS_M: f64 = 0.01;

/// Effect of one dam or ditch on the lava flow in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BarrierOutcome {
    /// Time in seconds from the start of the run at which lava first arrived in a column next to
    /// the dam, or in the ditch; `None` if lava never arrived.
    pub reached_s: Option<f64>,
    /// Time in seconds from the start of the run at which lava first stood on the dam; `None` if
    /// the dam was not overtopped, and for a ditch.
    pub overflow_s: Option<f64>,
    /// Smallest freeboard of the dam in metres: top of the dam minus lava surface in a neighbour
    /// column at the end of the run; negative if the lava stands higher. `None` for a ditch, and
    /// without lava next to the dam.
    pub freeboard_m: Option<f64>,
    /// Retained volume in m³: lava in excess of the same run without barriers, in the connected
    /// columns on and next to the barrier. `None` if no such run was made.
    pub held_m3: Option<f64>,
}

/// Benefit of all barriers together, relative to the same run without barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BarrierGain {
    /// Diverted volume in m³: lava that lies in other columns than in the run without barriers.
    pub turned_m3: f64,
    /// Saved area in m²: ground that lava reached only in the run without barriers.
    pub saved_m2: f64,
    /// Additional area in m²: ground that lava reached only in the run with barriers.
    pub added_m2: f64,
    /// Area in m² that lava reached later than in the run without barriers, and the median delay in
    /// this area in seconds; the delay is `None` if the area is 0.
    pub later: (f64, Option<f64>),
}

/// Final states of two runs in the same simulation box, with and without barriers.
struct RunPair<'a> {
    with: &'a Flow,
    without: Option<&'a Flow>,
    grid: Grid,
    area_m2: f64,
}

/// Returns the effect of each of the `barriers` in the run `with`, and the benefit of all barriers
/// relative to the run `without`, which had no barriers. The benefit is `None` if `without` is
/// `None`.
pub fn after(
    barriers: &[Barrier],
    site: &Site,
    with: &Flow,
    without: Option<&Flow>,
) -> (Vec<BarrierOutcome>, Option<BarrierGain>) {
    let pair = RunPair {
        with,
        without,
        grid: site.grid,
        area_m2: site.cell_size_m * site.cell_size_m,
    };
    (
        barriers
            .iter()
            .map(|barrier| pair.outcome(barrier))
            .collect(),
        pair.gain(),
    )
}

/// Returns the thickness of liquid and solidified lava in the column with the index `column`, in
/// metres.
fn thickness(flow: &Flow, column: usize) -> f64 {
    let column = flow.column(column);
    column.liquid_m + column.set_m
}

/// Iterates over the indices of the two to four columns of `grid` that share an edge with the column
/// `column`.
pub(crate) fn edge_neighbours(column: u32, grid: Grid) -> impl Iterator<Item = u32> {
    let (nx, nz) = (grid.nx, grid.nz);
    let (x, z) = (column as usize % nx, column as usize / nx);
    let places = [
        (x > 0).then(|| (x - 1, z)),
        (x + 1 < nx).then_some((x + 1, z)),
        (z > 0).then(|| (x, z - 1)),
        (z + 1 < nz).then_some((x, z + 1)),
    ];
    places
        .into_iter()
        .flatten()
        .map(move |(x, z)| (z * nx + x) as u32)
}

impl RunPair<'_> {
    /// Iterates over pairs (column of the barrier, edge neighbour outside of the barrier), as
    /// column indices.
    fn sides<'a>(&'a self, barrier: &'a Barrier) -> impl Iterator<Item = (u32, u32)> + 'a {
        let is_own = |column: &u32| barrier.columns.binary_search(column).is_ok();
        let of = move |&own: &u32| {
            edge_neighbours(own, self.grid)
                .filter(move |other| !is_own(other))
                .map(move |other| (own, other))
        };
        barrier.columns.iter().flat_map(of)
    }

    fn outcome(&self, barrier: &Barrier) -> BarrierOutcome {
        let first = |columns: &mut dyn Iterator<Item = u32>| {
            let times = columns.filter_map(|column| self.with.column(column as usize).arrival_s);
            times.reduce(f64::min)
        };
        let on_it = first(&mut barrier.columns.iter().copied());
        let held_m3 = self.without.map(|without| self.held_m3(barrier, without));
        if barrier.height_m < 0.0 {
            return BarrierOutcome {
                reached_s: on_it,
                held_m3,
                ..BarrierOutcome::default()
            };
        }
        let above = |(own, other): (u32, u32)| {
            let (own, other) = (self.with.column(own as usize), other as usize);
            (thickness(self.with, other) > COUNTS_M)
                .then(|| own.ground_m - self.with.column(other).surface_m)
        };
        BarrierOutcome {
            reached_s: first(&mut self.sides(barrier).map(|(_, other)| other)),
            overflow_s: on_it,
            freeboard_m: self.sides(barrier).filter_map(above).reduce(f64::min),
            held_m3,
        }
    }

    /// Returns the volume in m³ by which lava on and next to a barrier exceeds that of the run
    /// `without` barriers; includes all columns with an excess that are connected to the barrier.
    fn held_m3(&self, barrier: &Barrier, without: &Flow) -> f64 {
        let more = |column: u32| {
            thickness(self.with, column as usize) - thickness(without, column as usize)
        };
        let mut seen = vec![false; self.grid.columns()];
        let mut queue: Vec<u32> = barrier.columns.clone();
        queue.extend(self.sides(barrier).map(|(_, other)| other));
        let mut held_m = 0.0;
        while let Some(column) = queue.pop() {
            let more_m = more(column);
            if std::mem::replace(&mut seen[column as usize], true) || more_m < COUNTS_M {
                continue;
            }
            held_m += more_m;
            queue.extend(edge_neighbours(column, self.grid));
        }
        held_m * self.area_m2
    }

    fn gain(&self) -> Option<BarrierGain> {
        let without = self.without?;
        let (mut gain, mut delays) = (BarrierGain::default(), Vec::new());
        for column in 0..self.grid.columns() {
            gain.turned_m3 += 0.5
                * (thickness(self.with, column) - thickness(without, column)).abs()
                * self.area_m2;
            match (
                self.with.column(column).arrival_s,
                without.column(column).arrival_s,
            ) {
                (Some(_), None) => gain.added_m2 += self.area_m2,
                (None, Some(_)) => gain.saved_m2 += self.area_m2,
                (Some(now), Some(then)) if now > then => delays.push(now - then),
                _ => {}
            }
        }
        delays.sort_by(f64::total_cmp);
        gain.later = (
            delays.len() as f64 * self.area_m2,
            delays.get(delays.len() / 2).copied(),
        );
        Some(gain)
    }
}
