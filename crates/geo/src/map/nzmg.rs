//! New Zealand Map Grid, a projection that the library for all other projections does not support:
//! a conformal polynomial in the complex plane (W. I. Reilly, *A conformal mapping projection with
//! minimum scale error*, Survey Review 22, 1973).

/// Longitude of the origin of the New Zealand Map Grid, in degrees.
const LONGITUDE: f64 = 173.0;
/// Latitude of the origin of the New Zealand Map Grid, in degrees.
const LATITUDE: f64 = -41.0;
/// False easting of the New Zealand Map Grid, in metres.
const EAST: f64 = 2_510_000.0;
/// False northing of the New Zealand Map Grid, in metres.
const NORTH: f64 = 6_023_150.0;

/// Semi-major axis of the International ellipsoid of 1924, in metres.
const A: f64 = 6_378_388.0;

/// Factor from degrees of latitude to the unit of the power series, 10⁵ arcseconds.
const SERIES: f64 = 3600.0 / 1e5;

/// Coefficients of the power series from differences of geodetic latitude to differences of
/// isometric latitude.
const ISOMETRIC: [f64; 10] = [
    0.639_917_507_3,
    -0.135_879_761_3,
    0.063_294_409,
    -0.025_268_53,
    0.011_787_9,
    -0.005_516_1,
    0.002_690_6,
    -0.001_333,
    0.000_67,
    -0.000_34,
];
/// Coefficients of the inverse power series, from differences of isometric latitude to differences
/// of geodetic latitude.
const GEODETIC: [f64; 9] = [
    1.562_701_424_3,
    0.518_540_639_8,
    -0.033_330_98,
    -0.105_290_6,
    -0.036_859_4,
    0.007_317,
    0.012_20,
    0.003_94,
    -0.001_3,
];

/// Coefficients of the complex polynomial that maps (isometric latitude, longitude), both relative
/// to the origin, to map coordinates.
const MAP: [Complex; 6] = [
    [0.755_785_322_8, 0.0],
    [0.249_204_646, 0.003_371_507],
    [-0.001_541_739, 0.041_058_560],
    [-0.101_629_07, 0.017_276_09],
    [-0.266_234_89, -0.362_492_18],
    [-0.687_098_3, -1.165_196_7],
];

/// Complex number `[re, im]`: the real part points north, the imaginary part east.
type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Returns Σ `factors[k]` · `at`^(k + 1): the power series with the coefficients `factors`, without
/// a constant term, at `at`.
fn series(factors: &[f64], at: f64) -> f64 {
    at * factors
        .iter()
        .rev()
        .fold(0.0, |sum, factor| sum * at + factor)
}

/// Returns the value and the derivative of the complex map polynomial at `at`.
fn map(at: Complex) -> (Complex, Complex) {
    let (mut sum, mut slope) = ([0.0; 2], [0.0; 2]);
    for factor in MAP.iter().rev().chain([&[0.0; 2]]) {
        slope = times(slope, at);
        slope = [slope[0] + sum[0], slope[1] + sum[1]];
        sum = times(sum, at);
        sum = [sum[0] + factor[0], sum[1] + factor[1]];
    }
    (sum, slope)
}

/// Returns the map point [easting, northing] in metres at [`longitude`, `latitude`] in degrees on
/// the datum NZGD49.
pub(super) fn to_map([longitude, latitude]: [f64; 2]) -> [f64; 2] {
    let isometric = series(&ISOMETRIC, (latitude - LATITUDE) * SERIES);
    let ([north, east], _) = map([isometric, (longitude - LONGITUDE).to_radians()]);
    [EAST + A * east, NORTH + A * north]
}

/// Returns [longitude, latitude] in degrees on the datum NZGD49 of a map point [`x`, `y`] in
/// metres; `None` outside of the map's range.
pub(super) fn from_map([x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let wanted = [(y - NORTH) / A, (x - EAST) / A];
    let mut at = wanted;
    // Newton's method: five steps are enough on the islands.
    for _ in 0..20 {
        let (here, slope) = map(at);
        let off = [here[0] - wanted[0], here[1] - wanted[1]];
        let size = slope[0] * slope[0] + slope[1] * slope[1];
        let step = times(off, [slope[0] / size, -slope[1] / size]);
        at = [at[0] - step[0], at[1] - step[1]];
        if step[0].abs() + step[1].abs() < 1e-12 {
            return Some([
                LONGITUDE + at[1].to_degrees(),
                LATITUDE + series(&GEODETIC, at[0]) / SERIES,
            ]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks conversions of the New Zealand Map Grid against results of PROJ 9.
    #[test]
    fn it_is_that_of_proj() {
        for (place, [longitude, latitude]) in [
            (
                [2_667_675.0, 6_478_995.0],
                [174.764_179_328_816, -36.878_996_951_467],
            ),
            ([2_510_000.0, 6_023_150.0], [173.0, -41.0]),
            (
                [2_100_000.0, 5_400_000.0],
                [167.659_914_171_967, -46.489_547_962_234_5],
            ),
        ] {
            let found = from_map(place).expect("a place of the map");
            assert!(
                (found[0] - longitude).abs() < 1e-9 && (found[1] - latitude).abs() < 1e-9,
                "{place:?}: {found:?}"
            );
            let [x, y] = to_map(found);
            assert!(
                (x - place[0]).hypot(y - place[1]) < 0.01,
                "{place:?}: {x} {y}"
            );
        }
        assert_eq!(from_map([1e12, 1e12]), None);
    }
}
