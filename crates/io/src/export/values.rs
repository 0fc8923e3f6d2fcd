//! Values of a map, as floats or integers.

use ndarray::Array2;

/// Values of a map, one per column of the simulation box: axes (row, column), shape (`nz`, `nx`);
/// row 0 is in the north, column 0 in the west.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Floats; NaN means no data.
    Real(Array2<f32>),
    /// Integers; [`Values::NO_WHOLE`] means no data.
    Whole(Array2<i32>),
}

impl Values {
    /// Integer that means no data in a map of integers.
    pub const NO_WHOLE: i32 = lavoxel_geo::terrain::write::NO_DATA;

    /// Returns the smallest and the largest value; `None` if no column has data.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.reals().fold(None, |range, value| {
            let (least, most) = range.unwrap_or((value, value));
            if value.is_nan() {
                range
            } else {
                Some((value.min(least), value.max(most)))
            }
        })
    }

    /// Iterates over all values row by row, NaN where there is no data.
    pub fn reals(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Real(values) => Box::new(values.iter().map(|value| f64::from(*value))),
            Self::Whole(values) => Box::new(values.iter().map(|value| real(*value))),
        }
    }

    /// Returns the values as floats, NaN where there is no data.
    pub fn to_reals(&self) -> Array2<f64> {
        match self {
            Self::Real(values) => values.mapv(f64::from),
            Self::Whole(values) => values.mapv(real),
        }
    }
}

fn real(value: i32) -> f64 {
    if value == Values::NO_WHOLE {
        f64::NAN
    } else {
        f64::from(value)
    }
}
