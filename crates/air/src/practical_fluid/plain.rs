//! Reference implementation of the article's solver, cell by cell; the fast solver must give the
//! same bits.

use super::PracticalFluidParams;
use super::neighbours::{Around, At, Spot, step};
use super::numbers::{Quantity, WHOLE, mul, signed};
use super::rates::{FASTEST, Rates, SPONGE, press};
use super::velocity::{Velocity, near};
use crate::{AirGrid, Amounts, BEYOND, Field, Flows, Forces, Openness, Side, Solver};
use lavoxel_base::grid::Place;

/// Reference implementation of the article's solver, written cell by cell: slow, but easy to
/// compare with the article's rules.
#[derive(Clone, Debug)]
pub struct Plain {
    params: PracticalFluidParams,
    velocity: Velocity,
    openness: Openness,
}

impl Plain {
    /// Returns a solver with air at rest and no solid cells.
    pub fn new(grid: AirGrid, params: PracticalFluidParams) -> Self {
        Self {
            params,
            velocity: Velocity::zero(grid),
            openness: Openness::free(grid),
        }
    }
}

impl Solver for Plain {
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]) {
        self.openness = openness.clone();
        let grid = openness.grid();
        for (x, z) in near(grid, columns) {
            (0..grid.cells.ny).for_each(|y| self.push([x, y, z], [0.0; 3]));
        }
    }

    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows {
        let rates = Rates::new(&self.params, forces);
        advance(&mut self.velocity, amounts, openness, &rates)
    }

    fn velocity(&self, place: Place) -> [f32; 3] {
        self.velocity.get(place)
    }

    fn push(&mut self, place: Place, velocity: [f32; 3]) {
        let v = Around(&self.openness)
            .shut(place.map(|n| n as i32), self.velocity.with(place, velocity));
        self.velocity.set(place, v);
    }

    fn blow(&mut self, wind: &[[f32; 2]]) {
        for place in self.velocity.grid.cells.places() {
            let ([east, south], now) = (wind[place[1]], self.velocity(place));
            self.push(place, [east - now[0], 0.0, south - now[2]]);
        }
    }

    fn change_wind(&mut self, change: &[[f32; 2]]) {
        for place in self.velocity.grid.cells.places() {
            let [east, south] = change[place[1]];
            self.push(place, [east, 0.0, south]);
        }
    }

    fn planes(&self) -> Vec<Vec<u32>> {
        self.velocity.planes()
    }

    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String> {
        self.velocity.restore(planes)
    }

    fn bytes(&self) -> usize {
        self.velocity.bytes()
    }

    fn boxed_clone(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

/// Advances velocity and amounts by one step; returns outflow and decay of each field for the
/// accounts.
fn advance(
    velocity: &mut Velocity,
    amounts: &mut Amounts,
    openness: &Openness,
    rates: &Rates,
) -> Flows {
    let air = StepInputs::new(openness, rates);
    let mut density = amounts.field(Field::Density).to_vec();
    let (mut pushed, mut out) = (velocity.clone(), 0);
    for &at in &air.inside {
        out += air.push(at, velocity, amounts, (&mut pushed, &mut density));
    }
    amounts.field_mut(Field::Density).copy_from_slice(&density);
    air.carry_velocity(&mut pushed);
    *velocity = pushed;
    let mut flows = carry(velocity, amounts, openness, rates);
    flows.out[Field::Density as usize] += out;
    flows
}

/// Second part of a step: advects density and all other fields by the new velocity, then applies
/// the decay of heat; returns outflow and decay of each field.
pub(super) fn carry(
    velocity: &Velocity,
    amounts: &mut Amounts,
    openness: &Openness,
    rates: &Rates,
) -> Flows {
    let (mut flows, air) = (Flows::default(), StepInputs::new(openness, rates));
    let weights = |away: bool| {
        air.cells()
            .map(|at| (at, air.weights(velocity, at, away)))
            .collect::<Vec<_>>()
    };
    let (gives, asks) = (weights(true), weights(false));
    let factors = air.factors(&asks);
    for field in amounts.present() {
        let values = amounts.field_mut(field);
        flows.out[field as usize] =
            air.give(values, field, &gives) + air.ask(values, field, (&asks, &factors));
    }
    for &at in &air.inside {
        let heat = &mut amounts.field_mut(Field::Heat)[air.index(at)];
        let lost = rates.decayed(*heat, rates.background(at[1] as usize));
        *heat -= lost;
        flows.decayed[Field::Heat as usize] += u64::from(lost);
    }
    flows
}

/// Shares (2¹⁵ = 1) of a cell in an advection pass: for seven other cells, each with its place, and
/// the share `home` that stays in the cell.
pub(super) struct Weights {
    pub(super) corners: [(At, u32); 7],
    pub(super) home: u32,
}

/// Inputs of a step: solid cells, constants, and the lists of the open cells inside the air's box
/// and beyond its open sides.
pub(super) struct StepInputs<'a> {
    around: Around<'a>,
    rates: &'a Rates,
    pub(super) inside: Vec<At>,
    outside: Vec<At>,
}

impl<'a> StepInputs<'a> {
    pub(super) fn new(openness: &'a Openness, rates: &'a Rates) -> Self {
        let (around, grid) = (Around(openness), openness.grid());
        let inside = grid.cells.places().map(|place| place.map(|n| n as i32));
        let inside = inside
            .filter(|&at| matches!(around.spot(at), Spot::Inside(_)))
            .collect();
        // Layer of cells around the air's box; none beyond sides that wrap, which are the cells of
        // the opposite side.
        let reach = [0, 1, 2].map(|axis| {
            let beyond = i32::from(grid.sides[axis] != Side::Wrap);
            -beyond..grid.size()[axis] as i32 + beyond
        });
        let [xs, ys, zs] = reach;
        let all = zs.flat_map(|z| ys.clone().map(move |y| (y, z)));
        let all = all.flat_map(|(y, z)| xs.clone().map(move |x| [x, y, z]));
        let outside = all
            .filter(|&at| matches!(around.spot(at), Spot::Outside(_)))
            .collect();
        Self {
            around,
            rates,
            inside,
            outside,
        }
    }

    /// Iterates over all open cells between which the passes move values, inside and outside the
    /// air's box.
    fn cells(&self) -> impl Iterator<Item = At> {
        self.inside.iter().chain(&self.outside).copied()
    }

    /// Index in the fields of the cell `at`; for a place beyond a periodic side the index of the
    /// cell at the opposite side.
    fn index(&self, at: At) -> usize {
        let grid = self.around.0.grid();
        let [_, row, slab] = grid.strides();
        let meant = |axis: usize| match grid.sides[axis] {
            Side::Wrap if axis != 1 => at[axis].rem_euclid(grid.size()[axis] as i32),
            _ => at[axis],
        };
        let [x, y, z] = [0, 1, 2].map(|axis| (meant(axis) + BEYOND as i32) as usize);
        z * slab + y * row + x
    }

    fn is_outside(&self, at: At) -> bool {
        matches!(self.around.spot(at), Spot::Outside(_))
    }

    /// Velocity of the cell `at` in units of 2⁻²⁰ cells per step. A cell outside the air's box has
    /// the velocity of the nearest cell of the box.
    fn motion(&self, velocity: &Velocity, at: At) -> [i32; 3] {
        match self.around.spot(at) {
            Spot::Inside(place) | Spot::Outside(place) => velocity.at(place),
            Spot::Solid => [0; 3],
        }
    }

    /// Applies diffusion, pressure, lift, wind and friction to the cell `at`, computed from the
    /// velocities `old` and the densities in `amounts`. `pushed`, `spread`: new velocity and
    /// density, updated. Returns the density that left the air's box, in units of 2⁻²⁰.
    fn push(
        &self,
        at: At,
        old: &Velocity,
        amounts: &Amounts,
        (pushed, spread): (&mut Velocity, &mut [u32]),
    ) -> i64 {
        let (rates, [x, y, z]) = (self.rates, at.map(|n| n as usize));
        let density = |at: At| match self.is_outside(at) {
            true => rates.ambient(y)[Field::Density as usize],
            false => amounts.field(Field::Density)[self.index(at)],
        };
        let (own, here, mut out) = (old.at([x, y, z]), density(at), 0);
        let (mut v, mut r) = (own, here);
        for axis in 0..3 {
            for (side, open) in [
                (-1, self.around.low(axis, at)),
                (1, self.around.high(axis, at)),
            ] {
                let (open, beside) = (u32::from(open), step(at, axis, side));
                let (motion, there) = (
                    self.motion(old, beside),
                    if open > 0 { density(beside) } else { here },
                );
                for (v, (there, own)) in v.iter_mut().zip(motion.into_iter().zip(own)) {
                    *v += signed(there - own, (rates.filter_velocity * open) >> 15);
                }
                let moved = mul(there.abs_diff(here), (rates.filter_density * open) >> 15);
                r = if there > here {
                    r.wrapping_add(moved)
                } else {
                    r.wrapping_sub(moved)
                };
                if self.is_outside(beside) {
                    out += if there > here {
                        -i64::from(moved)
                    } else {
                        i64::from(moved)
                    };
                }
                // Both cells of a pair are pushed by their difference, as in the article: 4,4,5,4,4
                // gives 0,−1,0,1,0.
                v[axis] += signed(
                    side * (press(here) - press(there)),
                    (rates.pressure * open) >> 15,
                );
            }
        }
        v[1] += rates.rise(
            Field::CARRIED.map(|field| amounts.field(field)[self.index(at)]),
            rates.background(y),
        );
        if self.is_windward(at) {
            let wind = rates.wind(y);
            v = [0, 1, 2].map(|axis| {
                v[axis] + signed(wind[axis] - v[axis].clamp(-FASTEST, FASTEST), rates.relaxed)
            });
        }
        v = v.map(|v| v.clamp(-FASTEST, FASTEST));
        if let Some(friction) = rates.friction() {
            let lost = friction.loss(v);
            v = v.map(|v| v - signed(v, lost));
        }
        pushed.set([x, y, z], self.around.shut(at, v));
        spread[self.index(at)] = r;
        out
    }

    /// Returns true if the cell `at` lies in the sponge layer at an inflow side, where the velocity
    /// is relaxed towards the wind.
    fn is_windward(&self, at: At) -> bool {
        let grid = self.around.0.grid();
        self.rates.blows()
            && [0, 2].into_iter().any(|axis| {
                let (n, end) = (at[axis] as usize, grid.size()[axis]);
                let wind = self.rates.wind(at[1] as usize)[axis];
                grid.sides[axis] == Side::Open
                    && (wind > 0 && n < SPONGE || wind < 0 && n + SPONGE >= end)
            })
    }

    /// Shares of the cell `at` in an advection pass: if `away` is true, the shares that the cell
    /// gives to the cells downstream, else the shares that it takes from the cells upstream.
    pub(super) fn weights(&self, velocity: &Velocity, at: At, away: bool) -> Weights {
        let v = self.motion(velocity, at);
        let side = v.map(|v| if (v > 0) == away { 1 } else { -1 });
        // Half a step in each of the two passes, scaled by the openness of the face.
        let f = [0, 1, 2].map(|axis| {
            let open = if side[axis] < 0 {
                self.around.low(axis, at)
            } else {
                self.around.high(axis, at)
            };
            ((v[axis].unsigned_abs() >> 6).min(WHOLE) * u32::from(open)) >> 15
        });
        let [fx, fy, fz] = f;
        let xz = (fx * fz) >> 15;
        // Products of x and z first: a flow with x and z exchanged then has the same bits.
        let (x, z, stays) = (fx - xz, fz - xz, WHOLE + xz - fx - fz);
        let to = |dx, dy, dz| {
            [
                at[0] + dx * side[0],
                at[1] + dy * side[1],
                at[2] + dz * side[2],
            ]
        };
        let level = WHOLE - fy;
        let mut corners = [
            (to(1, 0, 0), (x * level) >> 15),
            (to(0, 0, 1), (z * level) >> 15),
            (to(1, 0, 1), (xz * level) >> 15),
            (to(0, 1, 0), (stays * fy) >> 15),
            (to(1, 1, 0), (x * fy) >> 15),
            (to(0, 1, 1), (z * fy) >> 15),
            (to(1, 1, 1), (xz * fy) >> 15),
        ];
        for (corner, weight) in &mut corners {
            if self.around.spot(*corner) == Spot::Solid {
                *weight = 0;
            }
        }
        let home = WHOLE - corners.iter().map(|(_, weight)| weight).sum::<u32>();
        let rests = v.iter().all(|v| v.unsigned_abs() >> 6 == 0);
        Weights {
            corners,
            home: if rests && !away && !self.rates.still_asks {
                0
            } else {
                home
            },
        }
    }

    /// Advects the velocity by itself with a forward and a reverse pass. Velocities may have any
    /// sign, so no factors limit the shares.
    fn carry_velocity(&self, velocity: &mut Velocity) {
        let weights = |away: bool| {
            self.cells()
                .map(|at| (at, self.weights(velocity, at, away)))
                .collect::<Vec<_>>()
        };
        let (gives, asks) = (weights(true), weights(false));
        for axis in 0..3 {
            let plane = velocity.plane_mut(axis);
            let outside = |plane: &mut [i32]| {
                self.outside
                    .iter()
                    .for_each(|&at| plane[self.index(at)] = self.rates.wind(at[1] as usize)[axis]);
            };
            let limit = |plane: &mut [i32]| {
                let inside = self.inside.iter().map(|&at| self.index(at));
                inside.for_each(|cell| plane[cell] = plane[cell].clamp(-FASTEST, FASTEST));
            };
            outside(plane);
            self.forward(plane, &gives);
            limit(plane);
            outside(plane);
            // No factors here: a velocity may be negative, so there is no stock that could be
            // overdrawn.
            let from = plane.to_vec();
            for (at, weights) in &asks {
                for (corner, weight) in &weights.corners {
                    let part = from[self.index(*corner)].share(*weight);
                    plane[self.index(*corner)] -= part;
                    plane[self.index(*at)] += part;
                }
            }
            limit(plane);
        }
        for &at in &self.inside {
            let place = at.map(|n| n as usize);
            velocity.set(place, self.around.shut(at, velocity.at(place)));
        }
    }

    /// Forward pass of one velocity component: each cell in `gives` gives shares of its value to
    /// other cells.
    fn forward<Q: Quantity>(&self, values: &mut [Q], gives: &[(At, Weights)]) {
        let from = values.to_vec();
        for (at, weights) in gives {
            let (here, own) = (self.index(*at), from[self.index(*at)]);
            for (corner, weight) in &weights.corners {
                let (there, part) = (self.index(*corner), own.share(*weight));
                values[there] = values[there].plus(part);
                values[here] = values[here].minus(part);
            }
        }
    }

    /// Returns for each cell the factor (2¹⁵ = 1) by which all shares that the cells in `asks`
    /// request from the cell are scaled, so that the cell gives at most its amount.
    pub(super) fn factors(&self, asks: &[(At, Weights)]) -> Vec<u32> {
        let mut asked = vec![0; self.around.0.grid().len()];
        for (at, weights) in asks {
            asked[self.index(*at)] += weights.home;
            weights
                .corners
                .iter()
                .for_each(|(corner, weight)| asked[self.index(*corner)] += weight);
        }
        asked
            .iter()
            .map(|&asked| {
                if asked <= WHOLE {
                    WHOLE
                } else {
                    (1 << 30) / asked
                }
            })
            .collect()
    }

    fn ambient(&self, values: &mut [u32], field: Field) {
        for &at in &self.outside {
            values[self.index(at)] = self
                .rates
                .ambient(at[1] as usize)
                .get(field as usize)
                .copied()
                .unwrap_or(0);
        }
    }

    /// Net outflow from the air's box, in units of 2⁻²⁰, if `part` units move from the cell `from`
    /// to the cell `to`: `part` for a move out of the box, −`part` for a move into the box, else 0.
    fn crossing(&self, from: At, to: At, part: u32) -> i64 {
        i64::from(part) * (i64::from(self.is_outside(to)) - i64::from(self.is_outside(from)))
    }

    /// Forward pass of one field: each cell in `gives` gives shares of its amount to other cells; a
    /// cell that would overflow receives no share. Returns the net outflow from the air's box, in
    /// units of 2⁻²⁰.
    pub(super) fn give(&self, values: &mut [u32], field: Field, gives: &[(At, Weights)]) -> i64 {
        self.ambient(values, field);
        let from = values.to_vec();
        let parts = gives.iter().flat_map(|(at, weights)| {
            let own = from[self.index(*at)];
            weights
                .corners
                .iter()
                .map(move |(corner, weight)| (*at, *corner, mul(own, *weight)))
        });
        let mut full: Vec<u64> = from.iter().map(|&own| u64::from(own)).collect();
        parts
            .clone()
            .for_each(|(_, corner, part)| full[self.index(corner)] += u64::from(part));
        let mut out = 0;
        for (at, corner, part) in parts {
            let there = self.index(corner);
            if self.is_outside(corner) || full[there] <= u64::from(u32::MAX) {
                values[self.index(at)] = values[self.index(at)].wrapping_sub(part);
                values[there] = values[there].wrapping_add(part);
                out += self.crossing(at, corner, part);
            }
        }
        out
    }

    /// Reverse pass of one field: each cell in `asks` takes shares of the amounts of other cells,
    /// scaled by `factors`; a cell that would overflow receives no share. Returns the net outflow
    /// from the air's box, in units of 2⁻²⁰.
    pub(super) fn ask(
        &self,
        values: &mut [u32],
        field: Field,
        (asks, factors): (&[(At, Weights)], &[u32]),
    ) -> i64 {
        self.ambient(values, field);
        let from = values.to_vec();
        let mut out = 0;
        for (at, weights) in asks {
            let part = |(corner, weight): (At, u32)| {
                let cell = self.index(corner);
                (corner, mul(from[cell], (weight * factors[cell]) >> 15))
            };
            let parts = weights.corners.map(part);
            let full: u64 = parts.iter().map(|(_, part)| u64::from(*part)).sum();
            if !self.is_outside(*at)
                && u64::from(from[self.index(*at)]) + full > u64::from(u32::MAX)
            {
                continue;
            }
            for (corner, part) in parts {
                let (here, there) = (self.index(*at), self.index(corner));
                values[there] = values[there].wrapping_sub(part);
                values[here] = values[here].wrapping_add(part);
                out += self.crossing(corner, *at, part);
            }
        }
        out
    }
}
