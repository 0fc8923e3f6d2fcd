//! Comparison of the volumes of two thickness rasters, or of one raster with a footprint.

use ndarray::Array2;
use serde::Serialize;

/// Volumes of the lava A inside and outside of the footprint B. If B is a thickness raster: volume
/// of B, and differences of both thicknesses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thickness {
    /// Volume of lava in the thickness raster A, in m³.
    pub a_m3: f64,
    /// Volume of lava in the thickness raster A inside the footprint of B, in m³.
    pub a_inside_m3: f64,
    /// Volume of lava in the thickness raster A outside of the footprint of B, in m³.
    pub a_outside_m3: f64,
    /// Volume of lava in B, in m³; `None` if B has no thicknesses.
    pub b_m3: Option<f64>,
    /// Volume of lava in B outside of the footprint of A, in m³; `None` if B has no thicknesses.
    pub b_missed_m3: Option<f64>,
    /// Mean of the thickness of A minus that of B, in metres, over the union of both footprints;
    /// `None` if B has no thicknesses.
    pub bias_m: Option<f64>,
    /// Root mean square of the thickness of A minus that of B, in metres, over the union of both
    /// footprints; `None` if B has no thicknesses.
    pub rms_m: Option<f64>,
}

impl Thickness {
    /// Compares the thickness raster `a` (metres, footprint `a_inside`) with the thickness raster
    /// `b` (metres, footprint `b_inside`); `b` is `None` if only its footprint is known. Cells
    /// below 0 or without data count as 0. `cell_area_m2`: area of a cell in m².
    ///
    /// # Panics
    /// When the rasters have different shapes.
    pub fn new(
        (a, a_inside): (&Array2<f32>, &Array2<bool>),
        (b, b_inside): (Option<&Array2<f32>>, &Array2<bool>),
        cell_area_m2: f64,
    ) -> Self {
        assert_eq!(
            (a.dim(), a_inside.dim()),
            (b_inside.dim(), b_inside.dim()),
            "both are on one raster"
        );
        let metres = |value: f32| if value > 0.0 { f64::from(value) } else { 0.0 };
        let sum = |values: &Array2<f32>, counts: &dyn Fn(usize) -> bool| {
            let counted = values.iter().enumerate().filter(|(i, _)| counts(*i));
            cell_area_m2 * counted.map(|(_, value)| metres(*value)).sum::<f64>()
        };
        let (in_a, in_b): (Vec<bool>, Vec<bool>) = (
            a_inside.iter().copied().collect(),
            b_inside.iter().copied().collect(),
        );
        // Means are taken over either footprint: empty cells outside of both would only dilute the
        // difference.
        let either: Vec<usize> = (0..in_a.len()).filter(|i| in_a[*i] || in_b[*i]).collect();
        let (a_m3, a_inside_m3) = (sum(a, &|_| true), sum(a, &|i| in_b[i]));
        let mean = |b: &Array2<f32>, power: i32| {
            let (a, b): (Vec<f32>, Vec<f32>) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let differences = either
                .iter()
                .map(|i| (metres(a[*i]) - metres(b[*i])).powi(power));
            differences.sum::<f64>() / either.len() as f64
        };
        Self {
            a_m3,
            a_inside_m3,
            a_outside_m3: a_m3 - a_inside_m3,
            b_m3: b.map(|b| sum(b, &|_| true)),
            b_missed_m3: b.map(|b| sum(b, &|i| !in_a[i])),
            bias_m: b.map(|b| mean(b, 1)),
            rms_m: b.map(|b| mean(b, 2).sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_bias_and_rms_are_those_of_their_definitions() {
        let a =
            Array2::from_shape_vec((1, 5), vec![1.0, 2.0, 3.0, f32::NAN, -9999.0]).expect("five");
        let b = Array2::from_shape_vec((1, 5), vec![0.0, 1.0, 5.0, 2.0, 0.0]).expect("five");
        let above = |values: &Array2<f32>| values.mapv(|value| value > 0.05);
        let found = Thickness::new((&a, &above(&a)), (Some(&b), &above(&b)), 10.0);
        assert_eq!(
            (found.a_m3, found.a_inside_m3, found.a_outside_m3),
            (60.0, 50.0, 10.0)
        );
        assert_eq!((found.b_m3, found.b_missed_m3), (Some(80.0), Some(20.0)));
        // Differences 1, 1, −2 and −2 over the four cells of either footprint.
        assert_eq!(
            (found.bias_m, found.rms_m),
            (Some(-0.5), Some(2.5_f64.sqrt()))
        );
        let alone = Thickness::new((&a, &above(&a)), (None, &above(&b)), 10.0);
        assert_eq!(
            (alone.a_inside_m3, alone.b_m3, alone.rms_m),
            (50.0, None, None)
        );
    }
}
