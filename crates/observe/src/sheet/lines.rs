//! Lines of a map sheet: contours between classes, and isochrones of the arrival of lava.

use ndarray::Array2;

use super::canvas::{Align, Canvas, Paint, Pen, Point, Rect, Type};
use super::classes::{Classes, MapKind, level_label};
use super::overlay::Taken;
use super::view::View;
use lavoxel_geo::map::contour;
use lavoxel_geo::map::rounded;

/// Colour of the contour lines between classes. Chosen by eye.
const BETWEEN: Paint = Paint {
    rgb: [30, 20, 20],
    opacity: 75,
};
/// Colour of the isochrones. Chosen by eye.
pub(super) const REACH: Paint = Paint::full([0, 84, 180]);

/// Isochrone: line that lava reaches at one time after the start, for one quantile of the arrival
/// time.
pub(super) struct Reach {
    /// Quantile of the arrival time over the runs that reach a cell: 0.5 is the median, 0 and 1 are
    /// the earliest and the latest run.
    pub(super) quantile: f64,
    /// Time of the isochrone since the start of the eruption, in hours.
    pub(super) hours: f64,
    /// Quantile `quantile` of the arrival time in each cell, in hours, axes (row, column); NaN
    /// where lava never arrives.
    pub(super) arrival: std::rc::Rc<Array2<f32>>,
}

impl Reach {
    /// Returns the line style of the isochrone: solid for the median, dashed for lower quantiles,
    /// dotted for higher quantiles. `em`: font size in millimetres.
    pub(super) fn pen(&self, em: f64) -> Pen {
        let dash = match self.quantile {
            q if q < 0.5 => Some([0.9 * em, 0.45 * em]),
            q if q > 0.5 => Some([0.22 * em, 0.3 * em]),
            _ => None,
        };
        Pen {
            dash,
            ..Pen::new(REACH, 0.15 * em)
        }
    }

    /// Returns the legend entry of the isochrone.
    pub(super) fn words(&self) -> String {
        let time = level_label(MapKind::Arrival, self.hours, "h");
        format!("reached within {time}, quantile {}", self.quantile)
    }

    /// Draws the isochrone. Returns its label, to be drawn after all lines; `None` for quantiles
    /// other than the median, which have no label. `em`: font size in millimetres.
    pub(super) fn draw(&self, canvas: &mut dyn Canvas, view: &View, em: f64) -> Option<Label> {
        // NaN would leave gaps in the contour. Cells that lava never reaches get twice the hours,
        // so that the interpolated line lies halfway between such cells and cells that lava has
        // just reached at time 0.
        let late = 2.0 * self.hours;
        let times = self.arrival.mapv(|hours| {
            if hours.is_nan() {
                late
            } else {
                f64::from(hours)
            }
        });
        let lines = found(&times, self.hours, view);
        canvas.stroke(&lines, &self.pen(em));
        let look = Type {
            halo: 0.16 * em,
            ..Type::new(0.9 * em).in_color(REACH)
        };
        (self.quantile == 0.5).then(|| Label {
            lines,
            text: level_label(MapKind::Arrival, self.hours, "h"),
            look,
        })
    }
}

/// Draws the outline of all coloured cells and, for probabilities and arrival times, the contour
/// lines between classes. Returns the labels of the contour lines, to be drawn after all lines.
/// `values`: values of the map, in the unit `unit`; `em`: font size in millimetres.
pub(super) fn between(
    canvas: &mut dyn Canvas,
    (values, classes, unit): (&Array2<f32>, &Classes, &str),
    view: &View,
    em: f64,
) -> Vec<Label> {
    let kind = classes.kind;
    let shown = values.mapv(|value| f64::from(u8::from(kind.shows(f64::from(value)))));
    canvas.stroke(&found(&shown, 0.5, view), &Pen::new(BETWEEN, 0.09 * em));
    // Thickness gets no contours: its colours end at steep fronts.
    if !matches!(kind, MapKind::Probability | MapKind::Arrival) {
        return Vec::new();
    }
    let numbers = values.mapv(|value| {
        if kind == MapKind::Probability && value.is_nan() {
            0.0
        } else {
            f64::from(value)
        }
    });
    let look = Type {
        halo: 0.14 * em,
        ..Type::new(0.8 * em)
    };
    let mut labels = Vec::new();
    for level in classes.between() {
        let lines = found(&numbers, level, view);
        canvas.stroke(&lines, &Pen::new(BETWEEN, 0.05 * em));
        labels.push(Label {
            lines,
            text: level_label(kind, level, unit),
            look,
        });
    }
    labels
}

/// Label of a contour: text that is drawn along the longest of its lines.
pub(super) struct Label {
    lines: Vec<Vec<Point>>,
    text: String,
    look: Type,
}

impl Label {
    pub(super) fn write(&self, canvas: &mut dyn Canvas, frame: Rect, taken: &mut Taken) {
        label(canvas, &self.lines, &self.text, (self.look, frame, taken));
    }
}

/// Returns the contour lines of `values` at `level`, smoothed, as points on the paper.
fn found(values: &Array2<f64>, level: f64, view: &View) -> Vec<Vec<Point>> {
    let lines = contour::lines(values, level).into_iter().map(rounded::line);
    lines
        .map(|line| line.into_iter().map(|point| view.at_cell(point)).collect())
        .collect()
}

/// Draws `text` in the style `look` along the longest of `lines`, at the first of five positions
/// that is nearly straight, inside `frame` and free of the labels `taken`. Draws nothing if no
/// position is suitable, or if the line is shorter than three times the text.
fn label(
    canvas: &mut dyn Canvas,
    lines: &[Vec<Point>],
    text: &str,
    (look, frame, taken): (Type, Rect, &mut Taken),
) {
    let length = |line: &&Vec<Point>| line.windows(2).map(distance).sum::<f64>();
    let Some(line) = lines.iter().max_by(|a, b| length(a).total_cmp(&length(b))) else {
        return;
    };
    let (width, long) = (look.width(text), length(&line));
    if long < 3.0 * width {
        return;
    }
    for share in [0.3, 0.7, 0.5, 0.15, 0.85] {
        let (from, at, to) = (
            along(line, share * long - 0.5 * width),
            along(line, share * long),
            along(line, share * long + 0.5 * width),
        );
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        // Only where the line is nearly straight: the letters stand on one straight baseline.
        if dx.hypot(dy) < 0.85 * width {
            continue;
        }
        let (dx, dy) = if dx < 0.0 { (-dx, -dy) } else { (dx, dy) };
        let look = Type {
            turned: (-dy).atan2(dx).to_degrees(),
            ..look
        };
        let reach = [0.5 * (dx.abs() + look.size), 0.5 * (dy.abs() + look.size)];
        let room = Rect::new(
            at[0] - reach[0],
            at[1] - reach[1],
            2.0 * reach[0],
            2.0 * reach[1],
        );
        let inside = frame.has([room.x, room.y]) && frame.has([room.right(), room.bottom()]);
        if inside && taken.take(room) {
            canvas.text(at, Align::Middle, text, &look);
            return;
        }
    }
}

fn distance(pair: &[Point]) -> f64 {
    (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])
}

/// Returns the point on the polyline `line` at the distance `rest` (mm along the line) from its
/// start; its end point if the line is shorter.
fn along(line: &[Point], mut rest: f64) -> Point {
    for pair in line.windows(2) {
        let length = distance(pair);
        if rest <= length && length > 0.0 {
            let share = (rest / length).max(0.0);
            return [
                pair[0][0] + share * (pair[1][0] - pair[0][0]),
                pair[0][1] + share * (pair[1][1] - pair[0][1]),
            ];
        }
        rest -= length;
    }
    line.last().copied().unwrap_or_default()
}
