//! State of the incompressible solver between steps, as arrays of 32-bit words for snapshots and
//! checkpoints.

use crate::{AXES, AirGrid};

use super::Incompressible;

/// Largest magnitude of a velocity (cells per step) or pressure that a saved state may contain.
const ABSURD: f32 = 1e6;

/// Iterates over the indices, in the arrays of a field, of all faces along `axis`: the lower faces
/// of all cells, and the upper faces of the last cells.
fn faces(grid: AirGrid, axis: usize) -> impl Iterator<Item = usize> {
    let mut n = grid.size();
    n[axis] += 1;
    let places =
        (0..n[2]).flat_map(move |z| (0..n[1]).flat_map(move |y| (0..n[0]).map(move |x| [x, y, z])));
    places.map(move |place| grid.at(place))
}

impl Incompressible {
    /// Returns the state as arrays of bits: velocities on the faces along x, y and z, the pressure,
    /// and two flags (order of the sweeps in the next substep, and true after the first step).
    pub(super) fn to_planes(&self) -> Vec<Vec<u32>> {
        let bits = |axis: usize| {
            faces(self.grid, axis)
                .map(|at| self.u[axis][at].to_bits())
                .collect()
        };
        let mut planes: Vec<Vec<u32>> = AXES.into_iter().map(bits).collect();
        planes.push(
            self.grid
                .cells
                .places()
                .map(|place| self.pressure.pressure(place).to_bits())
                .collect(),
        );
        planes.push(vec![u32::from(self.is_odd), u32::from(self.has_begun)]);
        planes
    }

    /// Checks that the arrays `planes` of a saved state have the right lengths and that their
    /// values are in range.
    fn check(&self, planes: &[Vec<u32>]) -> Result<(), String> {
        let [x, y, z, pressure, numbers] = planes else {
            return Err(format!(
                "{} planes of the air's motion, not 5",
                planes.len()
            ));
        };
        let names = [
            "velocity along x",
            "velocity along y",
            "velocity along z",
            "pressure",
        ];
        for (k, (plane, name)) in [x, y, z, pressure].into_iter().zip(names).enumerate() {
            let length = if k < 3 {
                faces(self.grid, k).count()
            } else {
                self.grid.cells.cells()
            };
            if plane.len() != length {
                return Err(format!(
                    "{} values of the air's {name}, not {length}",
                    plane.len()
                ));
            }
            let value = plane
                .iter()
                .map(|&bits| f32::from_bits(bits))
                .find(|v| v.is_nan() || v.abs() > ABSURD);
            if let Some(value) = value {
                return Err(format!("{value} in the air's {name}"));
            }
        }
        match numbers[..] {
            [odd, begun] if odd < 2 && begun < 2 => Ok(()),
            _ => Err(format!(
                "{} numbers of the air's steps, not two of 0 or 1",
                numbers.len()
            )),
        }
    }

    /// Restores the state from arrays that [`Incompressible::to_planes`] returned. Returns an
    /// error, and changes nothing, if lengths or values are out of range.
    pub(super) fn take_planes(&mut self, planes: &[Vec<u32>]) -> Result<(), String> {
        self.check(planes)?;
        for axis in AXES {
            self.u[axis].fill(0.0);
            for (at, &bits) in faces(self.grid, axis).zip(&planes[axis]) {
                // The ground may have changed since the save: the next call of `set_ground` sets
                // velocities through closed faces to 0.
                self.u[axis][at] = f32::from_bits(bits);
            }
        }
        self.pressure
            .pressure_mut()
            .iter_mut()
            .for_each(|p| p.fill(0.0));
        for (place, &bits) in self.grid.cells.places().zip(&planes[3]) {
            self.pressure.set_pressure(place, f32::from_bits(bits));
        }
        (self.is_odd, self.has_begun) = (planes[4][0] == 1, planes[4][1] == 1);
        (self.is_limited, self.rest) = (false, None);
        Ok(())
    }
}
