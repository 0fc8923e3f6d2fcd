//! Verification of steady flow in a channel of constant width, by field samples along the channel.

use super::super::{Curve, Measured, MeasuredRow, curve, flow, flow_box, steady};
use lavoxel_flow::{Flow, Lava};

/// Simulated time in seconds, after which the channel flow is steady, except for the slow heating
/// of the bed.
const END_S: f64 = 3600.0;
/// Time step of the simulated channel flow, in seconds.
const STEP_S: f64 = 5.0;

/// Height of a cell of the simulated channel, in metres.
const CELL_M: f64 = 5.0;
/// Thickness of the rock between the floor of the simulation box and the lowest point of the
/// channel, in metres.
const BELOW_M: f64 = 2.0;
/// Height of the channel's side walls above the bed (m).
const WALL_M: f64 = 40.0;

/// Upper bound on the length of the bed profile in a file (m).
const LONGEST_M: f64 = 50_000.0;
/// Upper bound on the height difference along the bed profile in a file (m).
const HIGHEST_M: f64 = 900.0;

/// Half-width of the moving average over the bed heights (m): PyFLOWGO smooths slopes over ten
/// points of 10 m.
const SMOOTH_M: f64 = 50.0;

/// Tolerance of a temperature in K: the accuracy of temperatures from the composition of glass
/// (Helz and Thornber 1987, Bull. Volcanol. 49).
const GLASS_K: f64 = 10.0;

/// Tolerance of a crystal fraction (0 to 1): twice the standard error of 0.02 that the file states.
const SHARE: f64 = 0.04;

/// Value measured in the field at a distance in metres from the vent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChannelSample {
    pub(super) at_m: f64,
    pub(super) value: f64,
}

/// Crystallisation law: increase of the crystal fraction with cooling, with two rates along the
/// channel.
pub(super) struct Crystals {
    /// Crystal fraction of the lava at the vent, 0 to 1.
    pub(super) first: f64,
    /// Increase of the crystal fraction per kelvin of cooling: [upstream, downstream] of
    /// `change_m`.
    pub(super) growth: [f64; 2],
    /// Distance from the vent in metres at which the increase per kelvin changes.
    pub(super) change_m: f64,
}

/// Lava channel of a verification case: bed profile, lava, and field samples for comparison.
pub(super) struct Channel {
    pub(super) lava: Lava,
    pub(super) rate_m3_s: f64,
    /// Profile of the channel bed: pairs (distance from the vent, height) in metres, in ascending
    /// order of distance.
    pub(super) bed: Vec<[f64; 2]>,
    pub(super) width_m: f64,
    /// Samples of the glass temperature in K, in ascending order of distance from the vent.
    pub(super) glass: Vec<ChannelSample>,
    /// Samples of the crystal fraction (0 to 1), in ascending order of distance from the vent.
    pub(super) crystals: Vec<ChannelSample>,
    pub(super) law: Crystals,
}

impl Channel {
    /// Checks the bed profile. Returns a message if its distances do not ascend, if its length or
    /// its height range exceeds the upper bound, or if it ends before the last sample.
    pub(super) fn check(&self) -> Result<(), String> {
        if !self.bed.windows(2).all(|two| two[0][0] < two[1][0]) {
            return Err("its distances must grow from row to row".to_owned());
        }
        let heights = || self.bed.iter().map(|[_, height]| *height);
        let range =
            heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
        if self.length_m() > LONGEST_M || range > HIGHEST_M {
            return Err(format!(
                "must be at most {LONGEST_M} m long and {HIGHEST_M} m high"
            ));
        }
        let reach = self
            .glass
            .iter()
            .chain(&self.crystals)
            .map(|sample| sample.at_m);
        let (first, last) = (self.bed[0][0], self.bed[self.bed.len() - 1][0]);
        match reach.clone().find(|at_m| !(first..=last).contains(at_m)) {
            Some(at_m) => Err(format!(
                "reaches from {first} to {last} m, but a sample is from {at_m} m"
            )),
            None => Ok(()),
        }
    }

    fn length_m(&self) -> f64 {
        self.bed[self.bed.len() - 1][0] - self.bed[0][0]
    }

    /// Returns the smoothed height of the bed in metres at the distance `at_m` (m) from the vent.
    fn height_m(&self, at_m: f64) -> f64 {
        let near = self
            .bed
            .iter()
            .filter(|[place, _]| (place - at_m).abs() <= SMOOTH_M);
        let (sum, count) = near.fold((0.0, 0.0), |(sum, count), [_, height]| {
            (sum + height, count + 1.0)
        });
        if count > 0.0 {
            return sum / count;
        }
        let next = self
            .bed
            .partition_point(|[place, _]| *place < at_m)
            .clamp(1, self.bed.len() - 1);
        let ([x0, y0], [x1, y1]) = (self.bed[next - 1], self.bed[next]);
        y0 + (y1 - y0) * (at_m - x0) / (x1 - x0)
    }

    /// Returns the index of the column of the simulation box at the distance `at_m` (m) from the
    /// vent; column 0 is the wall at the upper end.
    fn column(&self, flow: &Flow, at_m: f64) -> usize {
        let nx = flow.space().nx;
        nx + (1 + ((at_m - self.bed[0][0]) / self.width_m) as usize).min(nx - 1)
    }

    /// Creates the flow, still without lava, of a channel that is one column wide, between walls
    /// and open at its lower end.
    fn flow(&self) -> Flow {
        let (nx, start) = (
            (self.length_m() / self.width_m) as usize + 2,
            self.bed[0][0],
        );
        let beds: Vec<f64> = (0..nx)
            .map(|x| self.height_m(start + (x as f64 - 0.5).max(0.0) * self.width_m))
            .collect();
        let [low, high] =
            [f64::min, f64::max].map(|of| beds.iter().copied().reduce(of).unwrap_or(0.0));
        let ny = ((high - low + BELOW_M + 2.0 * WALL_M) / CELL_M) as usize;
        let space = flow_box([nx, ny, 3], [self.width_m, CELL_M]);
        flow(space, self.lava.clone(), STEP_S, true, |x, z| {
            let wall = if z == 1 && x > 0 { 0.0 } else { WALL_M };
            beds[x] - low + BELOW_M + wall
        })
    }

    /// Returns the temperature in K of the core of the flow at the distance `at_m` (m) from the
    /// vent; the solidus if there is no liquid.
    fn kelvin(&self, flow: &Flow, at_m: f64) -> f64 {
        flow.column(self.column(flow, at_m))
            .core_k
            .unwrap_or(self.lava.solidus_k)
    }

    /// Returns the crystal fraction (0 to 1) at the distance `at_m` (m) from the vent, which the
    /// crystallisation law gives for the simulated temperatures.
    fn share(&self, flow: &Flow, at_m: f64) -> f64 {
        let Crystals {
            first,
            growth: [near, far],
            change_m,
        } = self.law;
        let (here, change) = (
            self.kelvin(flow, at_m),
            self.kelvin(flow, change_m.min(at_m)),
        );
        first + near * (self.lava.vent_k - change) + far * (change - here)
    }

    pub(super) fn run(&self) -> Measured {
        let mut flow = self.flow();
        let vent = self.column(&flow, self.bed[0][0]);
        while flow.time_s() < END_S {
            let pour = steady(&flow, vent, self.rate_m3_s, self.lava.vent_k);
            flow.step(&[pour]);
        }
        Measured::new(self.rows(&flow), self.curve(&flow), flow)
    }

    fn rows(&self, flow: &Flow) -> Vec<MeasuredRow> {
        let modelled: Vec<ChannelSample> = self
            .glass
            .iter()
            .map(|each| ChannelSample {
                value: self.kelvin(flow, each.at_m),
                ..*each
            })
            .collect();
        let ((cooled, error), (by_model, _)) = (cooling(&self.glass), cooling(&modelled));
        let mut rows = vec![MeasuredRow::absolute(
            "cooling along the samples, K/km",
            cooled,
            by_model,
            2.0 * error,
        )];
        let kelvin = self.glass.iter().zip(&modelled);
        rows.extend(kelvin.map(|(sample, model)| {
            let what = format!("temperature at {} m, °C", sample.at_m);
            MeasuredRow::absolute(&what, sample.value - 273.15, model.value - 273.15, GLASS_K)
        }));
        rows.extend(self.crystals.iter().map(|sample| {
            let what = format!("crystals by the input's law at {} m", sample.at_m);
            MeasuredRow::absolute(&what, sample.value, self.share(flow, sample.at_m), SHARE)
        }));
        rows
    }

    /// Returns the curve for the plot: cooling since the vent in K over distance in km, for the
    /// simulation and for the samples.
    fn curve(&self, flow: &Flow) -> Curve {
        let lost = |kelvin: f64| self.lava.vent_k - kelvin;
        let (start, step) = (self.bed[0][0], self.length_m() / 60.0);
        let places = (0..60).map(|i| start + (f64::from(i) + 0.5) * step);
        Curve {
            model: places
                .map(|at_m| (at_m / 1000.0, lost(self.kelvin(flow, at_m))))
                .collect(),
            theory: self
                .glass
                .iter()
                .map(|sample| (sample.at_m / 1000.0, lost(sample.value)))
                .collect(),
            ..curve(
                "glass of samples",
                ["distance in km", "kelvin below the vent"],
                false,
            )
        }
    }
}

/// Returns the cooling rate along the channel in K/km by linear regression over `samples`, and its
/// standard error in K/km.
fn cooling(samples: &[ChannelSample]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = |of: fn(&ChannelSample) -> f64| samples.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|sample| sample.at_m), mean(|sample| sample.value));
    let wide: f64 = samples
        .iter()
        .map(|sample| (sample.at_m - x) * (sample.at_m - x))
        .sum();
    let slope = samples
        .iter()
        .map(|sample| (sample.at_m - x) * (sample.value - y))
        .sum::<f64>()
        / wide;
    let off = |sample: &ChannelSample| sample.value - y - slope * (sample.at_m - x);
    let error = (samples
        .iter()
        .map(|sample| off(sample) * off(sample))
        .sum::<f64>()
        / (count - 2.0)
        / wide)
        .sqrt();
    (-1000.0 * slope, 1000.0 * error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cooling_is_the_line_of_least_squares() {
        let sample = |(at_m, value): (f64, f64)| ChannelSample { at_m, value };
        let line = [(0.0, 1400.0), (1000.0, 1394.0), (2000.0, 1388.0)].map(sample);
        let (slope, error) = cooling(&line);
        assert!(
            (slope - 6.0).abs() < 1e-9 && error < 1e-9,
            "{slope} {error}"
        );
        let off = [(0.0, 1400.0), (1000.0, 1395.0), (2000.0, 1388.0)].map(sample);
        let (slope, error) = cooling(&off);
        // Residuals −⅓, ⅔, −⅓: the sum of squares is ⅔ with one degree of freedom.
        assert!(
            (slope - 6.0).abs() < 1e-9 && (error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-9,
            "{slope} {error}"
        );
    }
}
