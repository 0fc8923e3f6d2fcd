//! Distribution of vent positions over weighted points, lines and polygons, in metres east and
//! south of the north-west corner of the simulation box.

use super::draw::{Numbers, Use, Weights};
use lavoxel_geo::map::features::{Feature, Geometry};
use lavoxel_geo::map::geojson::Rings;

/// Position as distances [east, south] in metres from the north-west corner of the simulation box.
pub type Metres = [f64; 2];

/// Smallest accepted ratio of the area of a polygon to the area of its bounding box.
const LEAST_SHARE: f64 = 1e-4;

/// Upper bound on the attempts to draw a point inside a polygon from its bounding box (rejection
/// sampling); at the ratio `LEAST_SHARE` all attempts fail with a probability of e⁻¹⁰⁰.
const TRIES: usize = 1_000_000;

/// Upper bound on the total number of points of all vent features.
pub const MOST_POINTS: usize = 1 << 22;

/// Distribution of the vent position in a hazard study.
#[derive(Clone, Debug)]
pub struct Places {
    features: Vec<VentShape>,
    weights: Weights,
}

/// Geometry of a vent feature, prepared for drawing random points inside it.
#[derive(Clone, Debug)]
enum VentShape {
    Points(Vec<Metres>),
    /// Line segments, and their probabilities in proportion to their lengths.
    Lines(Vec<[Metres; 2]>, Weights),
    /// Polygons, and their probabilities in proportion to their areas.
    Polygons(Vec<Rings>, Weights),
}

impl Places {
    /// Creates the distribution from features whose points are metres east and south of the
    /// north-west corner of the simulation box. The weight of a feature is the relative probability
    /// that a vent opens in that feature; the density inside a feature is uniform.
    ///
    /// # Errors
    /// Fault of the features, as text to be appended to the name of their file.
    pub fn new(features: Vec<Feature>) -> Result<Self, String> {
        let weights = Weights::new(features.iter().map(|feature| feature.weight));
        let weights =
            weights.map_err(|wrong| wrong.words("has no feature with a weight above 0"))?;
        let features = features
            .into_iter()
            .map(|feature| VentShape::from_geometry(feature.geometry))
            .collect::<Result<_, _>>()?;
        Ok(Self { features, weights })
    }

    /// Returns the sampled vent of run `run`: index of the feature, and position. `seed`: seed of
    /// the plan.
    pub fn draw(&self, seed: u64, run: u64) -> (usize, Metres) {
        let feature = self
            .weights
            .pick(Numbers::new(seed, run, Use::Feature).uniform(0, 0));
        (
            feature,
            self.features[feature].draw(Numbers::new(seed, run, Use::Place)),
        )
    }

    /// Returns the number of vent features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns true if the distribution has no feature. Never the case, because a distribution
    /// needs one.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }
}

impl VentShape {
    fn from_geometry(geometry: Geometry) -> Result<Self, String> {
        match geometry {
            // Degenerate shapes are refused with a remedy: sampling by length or area needs a
            // positive measure.
            Geometry::Points(points) if points.is_empty() => {
                Err("has a feature without a point".to_owned())
            }
            Geometry::Points(points) => Ok(Self::Points(points)),
            Geometry::Lines(lines) => {
                let pieces: Vec<[Metres; 2]> = lines
                    .iter()
                    .flat_map(|line| line.windows(2).map(|pair| [pair[0], pair[1]]))
                    .collect();
                let weights =
                    Weights::new(pieces.iter().map(|[a, b]| (b[0] - a[0]).hypot(b[1] - a[1])));
                Ok(Self::Lines(
                    pieces,
                    weights.map_err(|wrong| {
                        wrong.words("has a line without a length; make it a point")
                    })?,
                ))
            }
            Geometry::Polygons(polygons) => {
                let areas: Vec<f64> = polygons.iter().map(area).collect();
                let is_thin = |(rings, area): (&Rings, &f64)| {
                    let [[west, north], [east, south]] = bounds(rings);
                    *area < LEAST_SHARE * (east - west) * (south - north)
                };
                if polygons.iter().zip(&areas).any(is_thin) {
                    return Err(
                        "has a polygon that is thinner than a hair; make it a line".to_owned()
                    );
                }
                let nothing = "has a polygon without an area; make it a point or a line";
                let weights = Weights::new(areas).map_err(|wrong| wrong.words(nothing))?;
                Ok(Self::Polygons(polygons, weights))
            }
        }
    }

    fn draw(&self, numbers: Numbers) -> Metres {
        let which = numbers.uniform(0, 0);
        match self {
            Self::Points(points) => {
                points[((which * points.len() as f64) as usize).min(points.len() - 1)]
            }
            Self::Lines(pieces, weights) => {
                let ([a, b], share) = (pieces[weights.pick(which)], numbers.uniform(1, 0));
                [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
            }
            Self::Polygons(polygons, weights) => {
                let rings = &polygons[weights.pick(which)];
                let [low, high] = bounds(rings);
                let at =
                    |i: usize| [0, 1].map(|k| low[k] + (high[k] - low[k]) * numbers.uniform(i, k));
                // Some try always hits: thinner polygons were refused when the feature was read.
                (1..=TRIES)
                    .map(at)
                    .find(|place| contains_point(rings, *place))
                    .unwrap_or(rings[0][0])
            }
        }
    }
}

/// Returns the area in m² of a polygon minus its holes; approximate for rings that intersect
/// themselves.
fn area(rings: &Rings) -> f64 {
    let of_ring = |ring: &Vec<Metres>| {
        let Some([x0, y0]) = ring.first() else {
            return 0.0;
        };
        let corners = ring.iter().zip(ring.iter().cycle().skip(1));
        let twice =
            |(a, b): (&Metres, &Metres)| (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
        (0.5 * corners.map(twice).sum::<f64>()).abs()
    };
    let (outer, holes) = (rings.iter().take(1), rings.iter().skip(1));
    (outer.map(of_ring).sum::<f64>() - holes.map(of_ring).sum::<f64>()).max(0.0)
}

/// Returns the bounding box of a polygon as its corners [minimum, maximum].
fn bounds(rings: &Rings) -> [Metres; 2] {
    let none = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    rings.iter().flatten().fold(none, |[low, high], point| {
        [
            [low[0].min(point[0]), low[1].min(point[1])],
            [high[0].max(point[0]), high[1].max(point[1])],
        ]
    })
}

/// Returns true if the point `[x, y]` lies inside the polygon, by the even-odd rule along a ray to
/// the east.
fn contains_point(rings: &Rings, [x, y]: Metres) -> bool {
    let crosses = |(a, b): (&Metres, &Metres)| {
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    let edges = rings
        .iter()
        .flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)));
    edges.filter(|edge| crosses(*edge)).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u64 = 8000;

    fn places(features: &[(Geometry, f64)]) -> Places {
        let feature =
            |(geometry, weight): &(Geometry, f64)| Feature::new(geometry.clone(), *weight);
        Places::new(features.iter().map(feature).collect()).expect("right")
    }

    fn rectangle([x0, y0, x1, y1]: [f64; 4]) -> Vec<Metres> {
        vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
    }

    /// Returns the fraction of the tested runs for which `is_so(feature index, position)` is true.
    fn share(places: &Places, is_so: impl Fn(usize, Metres) -> bool) -> f64 {
        let runs = (0..N)
            .map(|run| places.draw(11, run))
            .filter(|(feature, place)| is_so(*feature, *place));
        runs.count() as f64 / N as f64
    }

    #[test]
    fn features_have_vents_in_proportion_to_their_weights() {
        let square = Geometry::Polygons(vec![vec![rectangle([0.0, 0.0, 10.0, 10.0])]]);
        let line = Geometry::Lines(vec![vec![[20.0, 0.0], [20.0, 30.0], [60.0, 30.0]]]);
        let points = Geometry::Points(vec![[100.0, 1.0], [200.0, 2.0]]);
        let all = places(&[
            (square, 2.0),
            (line, 1.0),
            (points, 1.0),
            (Geometry::Points(vec![[7.0, 7.0]]), 0.0),
        ]);
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 0.02, "{found} for {expected}")
        };
        near(share(&all, |feature, _| feature == 0), 0.5);
        near(share(&all, |feature, _| feature == 1), 0.25);
        assert_eq!(share(&all, |feature, _| feature == 3), 0.0);
        // Uniform density within a feature.
        near(
            share(&all, |feature, [x, y]| feature == 0 && x < 5.0 && y < 2.0),
            0.05,
        );
        near(
            share(&all, |feature, [x, y]| {
                feature == 1 && x == 20.0 && y <= 30.0
            }),
            0.25 * 3.0 / 7.0,
        );
        near(share(&all, |_, place| place == [100.0, 1.0]), 0.125);
        near(share(&all, |_, place| place == [200.0, 2.0]), 0.125);
    }

    #[test]
    fn holes_have_no_vents_and_larger_parts_have_more() {
        let with_hole = vec![
            rectangle([0.0, 0.0, 10.0, 10.0]),
            rectangle([2.0, 2.0, 8.0, 8.0]),
        ];
        let other = vec![rectangle([100.0, 0.0, 116.0, 12.0])];
        let both = places(&[(Geometry::Polygons(vec![with_hole, other]), 1.0)]);
        let in_hole = |_, [x, y]: Metres| x > 2.0 && x < 8.0 && y > 2.0 && y < 8.0;
        assert_eq!(share(&both, in_hole), 0.0);
        // Expected share: 64 of 256 m².
        assert!((share(&both, |_, [x, _]| x < 10.0) - 0.25).abs() < 0.02);
        assert!((share(&both, |_, [x, y]| x < 10.0 && y < 2.0) - 0.25 * 20.0 / 64.0).abs() < 0.02);
    }

    #[test]
    fn what_no_vent_can_open_in_is_refused() {
        let refused = |geometry, weight| {
            Places::new(vec![Feature::new(geometry, weight)]).expect_err("refused")
        };
        let point = Geometry::Points(vec![[1.0, 1.0]]);
        assert!(refused(point.clone(), 0.0).contains("no feature with a weight above 0"));
        let large = Feature::new(point, 1e308);
        assert!(
            Places::new(vec![large.clone(), large])
                .expect_err("refused")
                .contains("sum is too large")
        );
        assert!(refused(Geometry::Points(vec![]), 1.0).contains("without a point"));
        assert!(
            refused(Geometry::Lines(vec![vec![[1.0, 1.0]; 2]]), 1.0).contains("without a length")
        );
        let flat = |high| Geometry::Polygons(vec![vec![rectangle([0.0, 0.0, 100.0, high])]]);
        assert!(refused(flat(0.0), 1.0).contains("without an area"));
        let hair = vec![
            [0.0, 0.0],
            [100.0, 100.0],
            [100.0, 100.001],
            [0.0, 0.001],
            [0.0, 0.0],
        ];
        assert!(refused(Geometry::Polygons(vec![vec![hair]]), 1.0).contains("thinner than a hair"));
    }
}
