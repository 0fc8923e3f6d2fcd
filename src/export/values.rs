//! The numbers of a map.

use ndarray::Array2;

/// The numbers of a map, shape (`nz`, `nx`), row 0 north, column 0 west.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real numbers; NaN where there is no data.
    Real(Array2<f32>),
    /// Whole numbers; [`Values::NO_WHOLE`] where there is no data.
    Whole(Array2<i32>),
}

impl Values {
    /// Stands for no data among whole numbers.
    pub const NO_WHOLE: i32 = crate::terrain::write::NO_DATA;
}
