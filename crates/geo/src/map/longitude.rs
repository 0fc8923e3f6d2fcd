//! Conversion of longitudes between the ranges of maps and files. Longitudes are equal modulo 360°,
//! and every map has its own range, such as −180 to 180, 0 to 360, or 170 to 190 across the date
//! line. No other module converts between these ranges.

use super::{Crs, crs::MapUnit};

/// Full circle in degrees.
const TURN: f64 = 360.0;

/// Returns the longitude in degrees that equals `longitude` modulo 360 and lies within 180° of
/// `middle`.
pub fn near(longitude: f64, middle: f64) -> f64 {
    turned(longitude, middle, TURN)
}

/// Returns the longitude in degrees that equals `longitude` modulo 360 and lies in −180 to 180, the
/// range of exchange files.
pub fn usual(longitude: f64) -> f64 {
    // Both ends stay: the date line has two numbers in that range.
    if longitude.abs() <= 0.5 * TURN {
        longitude
    } else {
        near(longitude, 0.0)
    }
}

/// Returns `x` shifted by a multiple of `turn` (above 0, same unit) to within `turn / 2` of
/// `middle`.
fn turned(x: f64, middle: f64, turn: f64) -> f64 {
    let turns = ((middle - x) / turn).round();
    // Without a turn the bits stay unchanged.
    if turns == 0.0 { x } else { x + turns * turn }
}

/// Removes jumps at the date line from a line or ring: an edge longer than half of `turn` (360° in
/// map units) is taken as the shorter way around the earth. Then shifts all points by one multiple
/// of `turn`, so that they lie near `middle`.
fn unrolled(points: &mut [[f64; 2]], middle: f64, turn: f64) {
    let Some([mut before, _]) = points.first().copied() else {
        return;
    };
    let (mut least, mut most) = (before, before);
    for point in points.iter_mut() {
        point[0] = turned(point[0], before, turn);
        before = point[0];
        (least, most) = (least.min(before), most.max(before));
    }
    let centre = 0.5 * (least + most);
    let by = turned(centre, middle, turn) - centre;
    if by != 0.0 {
        points.iter_mut().for_each(|point| point[0] += by);
    }
}

/// Splits the line `points`, each [longitude, latitude] in degrees, at the date line. Returns
/// pieces with longitudes in −180 to 180.
pub fn cut_line(points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    for turn in turns(points) {
        let mut piece: Vec<[f64; 2]> = Vec::new();
        for pair in points.windows(2) {
            let Some([from, to]) = clipped([pair[0], pair[1]], turn) else {
                continue;
            };
            if piece.last() != Some(&from) {
                pieces.extend((piece.len() > 1).then(|| std::mem::take(&mut piece)));
                piece = vec![from];
            }
            piece.push(to);
        }
        pieces.extend((piece.len() > 1).then_some(piece));
    }
    pieces
}

/// Splits the polygon `rings`, whose points are [longitude, latitude] in degrees, at the date line.
/// Returns polygons with longitudes in −180 to 180; in each ring the last point repeats the first.
pub fn cut_polygon(rings: &[Vec<[f64; 2]>]) -> Vec<super::geojson::Rings> {
    let outline = rings.first().map_or(&[][..], Vec::as_slice);
    let part = |turn: i32| {
        let rings = rings.iter().map(|ring| within_turn(ring, turn));
        let mut rings: super::geojson::Rings = rings.filter(|ring| ring.len() > 3).collect();
        rings
            .iter_mut()
            .flatten()
            .for_each(|point| point[0] -= TURN * f64::from(turn));
        rings
    };
    let turns = turns(outline);
    if turns.clone().count() == 1 && turns.start() == &0 {
        return vec![rings.to_vec()];
    }
    turns.map(part).filter(|part| !part.is_empty()).collect()
}

/// Returns the range of indices of the 360° intervals of longitude that contain `points`; the
/// interval with index 0 is −180 to 180, that with index 1 is 180 to 540.
fn turns(points: &[[f64; 2]]) -> std::ops::RangeInclusive<i32> {
    let ends = points
        .iter()
        .fold([f64::MAX, f64::MIN], |[west, east], [x, _]| {
            [west.min(*x), east.max(*x)]
        });
    let first = ((ends[0] + 0.5 * TURN) / TURN).floor() as i32;
    let last = (((ends[1] + 0.5 * TURN) / TURN).ceil() - 1.0) as i32;
    first..=last.max(first)
}

/// Returns the part of the edge from `a` to `b` inside the 360° interval with index `turn`, shifted
/// to −180 to 180; `None` if there is none.
fn clipped([a, b]: [[f64; 2]; 2], turn: i32) -> Option<[[f64; 2]; 2]> {
    let middle = TURN * f64::from(turn);
    let at = |x: f64| [x, a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1])];
    let inside = |point: [f64; 2]| {
        let x = point[0].clamp(middle - 0.5 * TURN, middle + 0.5 * TURN);
        let [x, y] = if x == point[0] { point } else { at(x) };
        [x - middle, y]
    };
    let span = [a[0].min(b[0]), a[0].max(b[0])];
    let meets = span[1] > middle - 0.5 * TURN && span[0] < middle + 0.5 * TURN
        || span[0] == span[1]
            && (span[0] - middle).abs() == 0.5 * TURN
            && turn == (span[0] / TURN).floor() as i32;
    meets.then(|| [inside(a), inside(b)])
}

/// Clips a ring to the 360° interval with index `turn` and shifts the result to −180 to 180. By the
/// method of Sutherland and Hodgman: separate parts of a concave ring may remain joined along the
/// date line.
fn within_turn(ring: &[[f64; 2]], turn: i32) -> Vec<[f64; 2]> {
    let mut points = ring.to_vec();
    for side in [-1.0, 1.0] {
        let limit = TURN * f64::from(turn) + side * 0.5 * TURN;
        let is_inside = |point: &[f64; 2]| side * point[0] <= side * limit;
        let mut kept = Vec::with_capacity(points.len());
        for pair in points.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            kept.extend(is_inside(&a).then_some(a));
            if is_inside(&a) != is_inside(&b) {
                kept.push([limit, a[1] + (limit - a[0]) / (b[0] - a[0]) * (b[1] - a[1])]);
            }
        }
        kept.extend(kept.first().copied());
        points = kept;
    }
    points
}

impl Crs {
    /// Returns the number of map units in 360° of longitude; `None` for a map that is not in
    /// degrees.
    fn turn(&self) -> Option<f64> {
        match self.unit() {
            MapUnit::Angle(degrees) => Some(TURN / degrees),
            MapUnit::Length(_) => None,
        }
    }

    /// Returns the x coordinate `x` shifted by a multiple of 360° to within 180° of `middle`;
    /// unchanged on maps that are not in degrees.
    pub fn near(&self, x: f64, middle: f64) -> f64 {
        self.turn().map_or(x, |turn| turned(x, middle, turn))
    }

    /// Removes jumps at the date line from the line or ring `points` and shifts all its points by
    /// one multiple of 360°, so that they lie near the longitude `middle`. No effect on maps that
    /// are not in degrees.
    pub fn unroll(&self, points: &mut [[f64; 2]], middle: f64) {
        if let Some(turn) = self.turn() {
            unrolled(points, middle, turn);
        }
    }

    /// Shifts the range of longitudes [`west`, `east`] to within 180° of the longitude `middle`,
    /// the centre of the map to which the range is compared. `west` > `east` means a range across
    /// the date line. Unchanged on maps that are not in degrees.
    pub fn span_near(&self, [west, east]: [f64; 2], middle: f64) -> [f64; 2] {
        let Some(turn) = self.turn() else {
            return [west, east];
        };
        let east = if east < west { east + turn } else { east };
        let centre = 0.5 * (west + east);
        let by = turned(centre, middle, turn) - centre;
        if by == 0.0 {
            [west, east]
        } else {
            [west + by, east + by]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meridian_has_a_number_for_each_range() {
        for (longitude, middle, expected) in [
            (-155.0, 205.0, 205.0),
            (205.0, -155.0, -155.0),
            (179.0, -179.5, -181.0),
            (-179.0, 180.0, 181.0),
            (15.0, 14.0, 15.0),
        ] {
            assert_eq!(
                near(longitude, middle),
                expected,
                "{longitude} near {middle}"
            );
        }
        assert_eq!(
            [180.0, -180.0, 180.25, 205.0, -190.0, 725.0].map(usual),
            [180.0, -180.0, -179.75, -155.0, 170.0, 5.0]
        );
        assert!(usual(f64::NAN).is_nan() && near(f64::INFINITY, 0.0).is_nan());
    }

    #[test]
    fn lines_are_turned_as_a_whole() {
        let degrees = Crs::from_epsg(4326).expect("known");
        let mut line = [[179.0, 1.0], [-179.0, 2.0], [-178.0, 3.0]];
        degrees.unroll(&mut line, 180.0);
        assert_eq!(line.map(|[x, _]| x), [179.0, 181.0, 182.0]);
        degrees.unroll(&mut line, -180.0);
        assert_eq!(line.map(|[x, _]| x), [-181.0, -179.0, -178.0]);
        // A line on the far side of the earth is not torn across the map.
        let mut far = [[170.0, 1.0], [175.0, 1.0], [-175.0, 1.0]];
        degrees.unroll(&mut far, 0.0);
        assert_eq!(far.map(|[x, _]| x), [170.0, 175.0, 185.0]);
        let mut metres = [[500_000.0, 1.0]];
        Crs::default().unroll(&mut metres, 0.0);
        assert_eq!(
            (metres[0][0], Crs::default().near(500_000.0, 0.0)),
            (500_000.0, 500_000.0)
        );
    }

    #[test]
    fn pieces_may_cross_the_date_line() {
        let degrees = Crs::from_epsg(4326).expect("known");
        assert_eq!(degrees.span_near([179.0, -179.0], 180.5), [179.0, 181.0]);
        assert_eq!(degrees.span_near([-179.5, -179.0], 180.5), [180.5, 181.0]);
        assert_eq!(degrees.span_near([14.0, 15.0], 14.5), [14.0, 15.0]);
        assert_eq!(Crs::default().span_near([9.0, 3.0], 0.0), [9.0, 3.0]);
    }
}
