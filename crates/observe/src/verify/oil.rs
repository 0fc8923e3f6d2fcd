//! Benchmark BM3: hot silicone oil spreads and cools in a room, as in experiment C14 of Garel et
//! al. (2012).

use super::{Measured, MeasuredRow, curve, exponent, flow, flow_box, steady};
use lavoxel_flow::cooling::heat::RADIATION;
use lavoxel_flow::motion::tables::GRAVITY;
use lavoxel_flow::{Flow, HEAT_UNITS, Lava, UNITS};

/// Volume flux of oil in the experiment (m³/s).
const RATE: f64 = 2.2e-8;
/// Simulated time at which radius and heat are compared (s).
const END_S: f64 = 380.0;
/// Edge of a simulated cell in plan, in metres.
const CELL_M: f64 = 1e-3;

/// Kinematic viscosity of the oil, in m²/s.
const NU: f64 = 3.56e-3;

fn oil() -> Lava {
    Lava::preset("silicone-oil").expect("a preset")
}

/// Creates the flow of the liquid `lava`, still without liquid, on a horizontal plate; `dz_m`:
/// height of a cell in metres.
fn plate(lava: Lava, dz_m: f64) -> Flow {
    let space = flow_box([101, 30, 101], [CELL_M, dz_m]);
    flow(space, lava, 0.5, false, |_, _| 1.85e-4)
}

/// Advances the flow until the simulated time `until_s` (s), with oil poured at the rate of the
/// experiment.
fn pour(flow: &mut Flow, until_s: f64) {
    let middle = flow.space().columns() / 2;
    while flow.time_s() < until_s {
        let pour = steady(flow, middle, RATE, 315.0);
        flow.step(&[pour]);
    }
}

pub(super) fn spreading() -> Measured {
    let law =
        |t: f64| 0.7150 * libm::pow(GRAVITY * RATE * RATE * RATE / (3.0 * NU), 0.125) * t.sqrt();
    let mut flow = plate(oil(), 5e-4);
    let mut found = curve("theory", ["time in s", "radius in m"], true);
    for until in [95.0, 190.0, END_S] {
        pour(&mut flow, until);
        found.push(until, radius(&flow), law(until));
    }
    let (first, end) = (found.model[0], found.model[2]);
    let rows = vec![
        MeasuredRow::relative("radius after 380 s, m", law(END_S), end.1, 0.03),
        MeasuredRow::absolute("exponent of the radius", 0.5, exponent(first, end), 0.015),
    ];
    Measured::new(rows, found, flow)
}

/// Returns the distance in metres from the source, along a grid axis, at which the depth falls
/// below 2 % of the largest depth.
fn radius(flow: &Flow) -> f64 {
    let limit = 0.02 * super::depths(flow).into_iter().fold(0.0, f64::max);
    let row: Vec<f64> = (50..101)
        .map(|x| flow.column(50 * 101 + x).liquid_m)
        .collect();
    let last = row.iter().rposition(|&h| h > limit).unwrap_or(0);
    let next = row.get(last + 1).copied().unwrap_or(0.0);
    (last as f64 + (row[last] - limit) / (row[last] - next).max(1e-12)) * CELL_M
}

/// Compares the heat of the oil with theory: films of oil one cell deep (no vertical gradient) that
/// lose no heat to the plate have an exact solution; for oil with its real conductivity, the values
/// are only recorded.
pub(super) fn heat() -> Measured {
    let lava = Lava {
        bed_conduction: 0.0,
        ..oil()
    };
    let theory = Film::new(&lava);
    let mut film = plate(lava.clone(), 5e-3);
    pour(&mut film, END_S - 10.0);
    let before = lost_to_air(&film);
    pour(&mut film, END_S);
    let power = (lost_to_air(&film) - before) / 10.0;
    let mut layered = plate(lava.clone(), 5e-4);
    pour(&mut layered, END_S);

    let axes = ["distance in m", "kelvin over the air"];
    let mut found = curve("film of one temperature", axes, false);
    let over_air = |x: usize| {
        film.column(50 * 101 + 50 + x)
            .surface_k
            .map(|kelvin| kelvin - lava.ambient_k)
    };
    found.model = (0..45)
        .filter_map(|x| Some((x as f64 * CELL_M, over_air(x)?)))
        .collect();
    found.theory = theory
        .profile(END_S)
        .into_iter()
        .map(|(r, kelvin)| (r, kelvin - lava.ambient_k))
        .collect();
    let half = 0.5 * theory.radius(END_S);
    let rows = vec![
        MeasuredRow::relative(
            "heat lost to the air, J",
            theory.lost_j(END_S),
            lost_to_air(&film),
            0.03,
        ),
        MeasuredRow::relative(
            "power of the surface after 380 s, W",
            theory.power_w(END_S - 5.0),
            power,
            0.03,
        ),
        MeasuredRow::relative(
            "kelvin over the air at half the radius",
            at(&found.theory, half),
            at(&found.model, half),
            0.05,
        ),
        MeasuredRow::relative(
            "heat lost with the oil's conductivity, J",
            theory.lost_j(END_S),
            lost_to_air(&layered),
            0.1,
        ),
    ];
    Measured {
        rows,
        curve: found,
        flow: layered,
    }
}

/// Returns the heat that the flow has lost to the air since the start, in joules.
fn lost_to_air(flow: &Flow) -> f64 {
    let joules = flow.space().cell_m3() / f64::from(UNITS) / HEAT_UNITS as f64
        * flow.setup().lava.heat_per_m3();
    flow.account().heat_sky as f64 * joules
}

/// Returns the linear interpolation at `x` between `points` (x, y), which are in ascending order of
/// x; outside of their range, the line through the two nearest points is continued.
fn at(points: &[(f64, f64)], x: f64) -> f64 {
    let right = points
        .iter()
        .position(|point| point.0 >= x)
        .unwrap_or(points.len() - 1)
        .max(1);
    let [(x0, y0), (x1, y1)] = [points[right - 1], points[right]];
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Exact solution of a film without vertical temperature gradient, which spreads by Huppert's
/// solution for constant flux and cools at its surface. Liquid poured at the time t₀ forms a ring
/// that encloses the fraction 1 − t₀/t of the volume and cools by dT/dt = −(ε σ (T⁴ − T_a⁴) + h_c
/// (T − T_a))/(ρ c h).
struct Film<'a> {
    lava: &'a Lava,
    /// Similarity profile from the centre outwards, as triples: distance divided by the film's
    /// radius, depth divided by `depth_m`, and fraction of the volume within this distance.
    shape: Vec<[f64; 3]>,
    /// Depth in metres by which the dimensionless depths of the similarity profile are multiplied.
    depth_m: f64,
    /// Spreading coefficient in m/√s: radius of the film divided by the square root of the time
    /// since the start.
    spread: f64,
}

/// Number of rings into which the exact solution divides the film of oil.
const RINGS: usize = 800;
/// Number of time steps of the integration of a ring's cooling, from the time of its pouring to the
/// time at which the temperature is computed.
const STEPS: usize = 200;

impl<'a> Film<'a> {
    fn new(lava: &'a Lava) -> Self {
        let mut shape = shape();
        let whole = shape[0][2];
        shape
            .iter_mut()
            .for_each(|point| point[2] = 1.0 - point[2] / whole);
        let tau = 2.0 * core::f64::consts::PI;
        let depth_m = (3.0 * NU * RATE / (tau * whole * GRAVITY)).sqrt().sqrt();
        let spread = (GRAVITY * depth_m * depth_m * depth_m / (3.0 * NU)).sqrt();
        Self {
            lava,
            shape,
            depth_m,
            spread,
        }
    }

    fn radius(&self, time_s: f64) -> f64 {
        self.spread * time_s.sqrt()
    }

    /// Returns the position of the ring that encloses the fraction `share` (0 to 1) of the volume:
    /// its distance from the centre divided by the film's radius, and its depth in metres.
    fn ring(&self, share: f64) -> (f64, f64) {
        let right = self
            .shape
            .partition_point(|point| point[2] < share)
            .clamp(1, self.shape.len() - 1);
        let [a, b] = [self.shape[right - 1], self.shape[right]];
        let part = ((share - a[2]) / (b[2] - a[2])).clamp(0.0, 1.0);
        (
            a[0] + (b[0] - a[0]) * part,
            (a[1] + (b[1] - a[1]) * part) * self.depth_m,
        )
    }

    /// Returns the heat flux from a surface of the temperature `kelvin` (K) to the air, in W/m².
    fn flux(&self, kelvin: f64) -> f64 {
        let fourth = |t: f64| t * t * t * t;
        let radiated =
            self.lava.emissivity * RADIATION * (fourth(kelvin) - fourth(self.lava.ambient_k));
        radiated + self.lava.convection * (kelvin - self.lava.ambient_k)
    }

    /// Returns the temperature in K at the time `time_s` (s) of liquid that was poured at the time
    /// `came_s` (s).
    fn kelvin(&self, came_s: f64, time_s: f64) -> f64 {
        let ratio = libm::pow(time_s / came_s, 1.0 / STEPS as f64);
        let cooled = |kelvin: f64, time: f64| {
            let (_, depth) = self.ring(1.0 - came_s / time);
            self.flux(kelvin) / (self.lava.heat_per_m3() * depth)
        };
        let mut kelvin = self.lava.vent_k;
        let mut now = came_s;
        for _ in 0..STEPS {
            let step = now * (ratio - 1.0);
            let middle = kelvin - 0.5 * step * cooled(kelvin, now);
            kelvin -= step * cooled(middle, now + 0.5 * step);
            now += step;
        }
        kelvin
    }

    /// Iterates over the rings of the film at the time `time_s` (s) from the outermost inwards, as
    /// pairs: fraction of the volume within the ring's middle, and temperature in K.
    fn rings(&self, time_s: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let share = |i: usize| (i as f64 + 0.5) / RINGS as f64;
        (0..RINGS).map(move |i| (1.0 - share(i), self.kelvin(share(i) * time_s, time_s)))
    }

    /// Returns the heat lost from the start until the time `time_s` (s), in joules.
    fn lost_j(&self, time_s: f64) -> f64 {
        let cooled: f64 = self
            .rings(time_s)
            .map(|(_, kelvin)| self.lava.vent_k - kelvin)
            .sum();
        cooled / RINGS as f64 * self.lava.heat_per_m3() * RATE * time_s
    }

    /// Returns the rate of heat loss from the film's whole surface at the time `time_s` (s), in
    /// watts.
    fn power_w(&self, time_s: f64) -> f64 {
        let volume = RATE * time_s / RINGS as f64;
        self.rings(time_s)
            .map(|(inside, kelvin)| self.flux(kelvin) * volume / self.ring(inside).1)
            .sum()
    }

    /// Returns the radial temperature profile at the time `time_s` (s), as pairs (distance from the
    /// centre in metres, temperature in K).
    fn profile(&self, time_s: f64) -> Vec<(f64, f64)> {
        let radius = self.radius(time_s);
        let mut points: Vec<_> = self
            .rings(time_s)
            .map(|(inside, kelvin)| (self.ring(inside).0 * radius, kelvin))
            .collect();
        points.reverse();
        points
    }
}

/// Integrates Huppert's similarity profile for constant flux, (s ψ³ ψ′)′ = −s² ψ′/2 with ψ = (3 (1
/// − s)/2)^⅓ at the front. Returns triples from the centre outwards: distance s, depth ψ, and
/// volume between s and the front, divided by 2π.
fn shape() -> Vec<[f64; 3]> {
    let begin = 1e-6;
    let (mut s, mut volume) = (1.0 - begin, 0.0);
    let mut psi = libm::cbrt(1.5 * begin);
    let mut flux = 0.5 * s * s * psi;
    let slopes = |s: f64, psi: f64, flux: f64| {
        let slope = -flux / (s * psi * psi * psi);
        (slope, 0.5 * s * s * slope)
    };
    let mut points = vec![[1.0, 0.0, 0.0], [s, psi, volume]];
    while s > 1e-4 {
        let step = (0.01 * (1.0 - s)).min(0.001).min(0.01 * s);
        let (a, b) = slopes(s, psi, flux);
        let (c, d) = slopes(s - 0.5 * step, psi - 0.5 * step * a, flux - 0.5 * step * b);
        let next = psi - step * c;
        volume += 0.5 * step * (s * psi + (s - step) * next);
        (s, psi, flux) = (s - step, next, flux - step * d);
        points.push([s, psi, volume]);
    }
    points.reverse();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the radius of the film, R = 0.715 (gQ³/3ν)^⅛ t^½, and the heat that is lost by a film
    /// that cools and by one that stays hot.
    #[test]
    fn the_film_is_hupperts() {
        let still = Lava {
            emissivity: 0.0,
            convection: 0.0,
            ..oil()
        };
        let film = Film::new(&still);
        let law = 0.7150 * libm::pow(GRAVITY * RATE * RATE * RATE / (3.0 * NU), 0.125);
        assert!(
            (film.spread / law - 1.0).abs() < 1e-3,
            "{} and {law}",
            film.spread
        );
        assert!(film.lost_j(END_S).abs() < 1e-9);
        // The lost heat equals the integral of the power, and is less than the total heat.
        let oil = oil();
        let film = Film::new(&oil);
        let sum: f64 = (0..38)
            .map(|i| 10.0 * film.power_w(10.0 * f64::from(i) + 5.0))
            .sum();
        let lost = film.lost_j(END_S);
        assert!((sum / lost - 1.0).abs() < 0.01, "{sum} and {lost} J");
        let most = oil.heat_per_m3() * RATE * END_S * (oil.vent_k - oil.ambient_k);
        assert!(lost > 0.2 * most && lost < most, "{lost} of {most} J");
    }
}
