//! Classification of map values into ranges, each with a colour, a label and its number of cells.
//!
//! Probabilities have fixed limits; other quantities have round steps, at most [`MOST`] classes.

use ndarray::Array2;

use lavoxel_automaton::view::Palette;
use lavoxel_base::round::{number, steps};

/// Limits between the classes of a probability map; equal to the default contour levels of `lavoxel
/// hazard`.
const SHARES: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9];

/// Upper bound on the number of classes of a map that shows no probability.
const MOST: f64 = 7.0;

/// Part of the palette (0 to 1) from which class colours are taken; colours at the ends of the
/// palette are so dark or so light that they resemble hill shade.
const PART: (f32, f32) = (0.08, 0.94);

/// Kind of quantity that a map shows; determines the classes and the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapKind {
    /// Probability, 0 to 1; cells of value 0 are transparent on the map.
    Probability,
    /// Time of arrival of lava since the start of the run; cells that lava never reaches have no
    /// data and are transparent.
    Arrival,
    /// Thickness or a similar quantity, such as ash or a maximum speed; cells of value 0 are
    /// transparent.
    Amount,
    /// Any other quantity; all cells with data are coloured, including cells of value 0.
    Other,
}

impl MapKind {
    /// Returns the kind of the map whose quantity is named `quantity`, such as `arrival_q10`.
    pub(super) fn from_quantity(quantity: &str) -> Self {
        match quantity {
            _ if quantity.starts_with("probability") => Self::Probability,
            _ if quantity.starts_with("arrival") => Self::Arrival,
            _ if quantity.contains("thickness")
                || ["ash", "max-speed", "peak-energy"].contains(&quantity) =>
            {
                Self::Amount
            }
            _ => Self::Other,
        }
    }

    fn palette(self) -> (&'static str, bool) {
        match self {
            Self::Probability => ("inferno", true),
            Self::Arrival => ("viridis", true),
            Self::Amount => ("lava", true),
            Self::Other => ("viridis", false),
        }
    }

    /// Returns true if a cell with the value `value` is coloured: never for NaN, and for 0 only if
    /// 0 does not mean that there is no lava.
    pub(super) fn shows(self, value: f64) -> bool {
        !value.is_nan() && (value > 0.0 || !matches!(self, Self::Probability | Self::Amount))
    }
}

/// Class of map values: the range `low..high` in the unit of the map (without `high`), its colour,
/// label and number of cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) rgb: [u8; 3],
    pub(super) label: String,
    pub(super) cells: usize,
}

/// Classes of a map, in ascending order of their values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Classes {
    pub(super) kind: MapKind,
    pub(super) list: Vec<Class>,
}

impl Classes {
    /// Divides the range of `values` into classes with colours, and counts the cells of each class.
    /// `unit`: unit of the values for labels.
    pub(super) fn new(kind: MapKind, values: &Array2<f32>, unit: &str) -> Self {
        let shown = || {
            values
                .iter()
                .map(|value| f64::from(*value))
                .filter(|value| kind.shows(*value))
        };
        let (low, high) = shown().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        let limits = limits(kind, low, high);
        let ranges = || limits.windows(2).map(|pair| (pair[0], pair[1]));
        let (name, reversed) = kind.palette();
        let palette = Palette::named(name).expect("a palette of the program");
        let count = limits.len().saturating_sub(1);
        let color = |i: usize| {
            let share = if count > 1 {
                i as f32 / (count - 1) as f32
            } else {
                0.6
            };
            // A single class takes 0.6 of the palette: no neighbour exists from which it must
            // differ.
            let share = PART.0 + share * (PART.1 - PART.0);
            palette.srgb(if reversed { 1.0 - share } else { share })
        };
        let list = ranges().enumerate().map(|(i, (low, high))| Class {
            low,
            high,
            rgb: color(i),
            label: label(kind, (low, high), unit),
            cells: 0,
        });
        let mut classes = Self {
            kind,
            list: list.collect(),
        };
        for value in shown() {
            if let Some(class) = classes.number(value) {
                classes.list[class].cells += 1;
            }
        }
        classes
    }

    /// Returns the index of the class that contains `value`; `None` if cells with this value are
    /// not coloured.
    pub(super) fn number(&self, value: f64) -> Option<usize> {
        let last = self.list.len().checked_sub(1)?;
        // Rasters hold 32-bit floats: 0.9 as `f32` differs from the `f64` limit 0.9, so the
        // comparison is done in `f32`.
        let is_below = |class: &Class| (value as f32) < class.high as f32;
        self.kind
            .shows(value)
            .then(|| self.list.iter().position(is_below).unwrap_or(last))
    }

    /// Returns the limits between neighbouring classes, ascending; they are the contour levels of
    /// the map.
    pub(super) fn between(&self) -> Vec<f64> {
        self.list.iter().skip(1).map(|class| class.low).collect()
    }
}

/// Returns the limits of the classes for values from `low` to `high`, ascending, including both
/// outer limits; empty if no value is coloured.
fn limits(kind: MapKind, low: f64, high: f64) -> Vec<f64> {
    if low > high {
        return Vec::new();
    }
    if kind == MapKind::Probability {
        return [0.0].into_iter().chain(SHARES).chain([1.0]).collect();
    }
    let from = if kind == MapKind::Other {
        low
    } else {
        0.0_f64.min(low)
    };
    let Some(step) = steps((high - from).max(1e-9) / MOST).next() else {
        return vec![from, from + 1.0];
    };
    let (first, last) = (
        (from / step + 1e-6).floor() as i64,
        (high / step - 1e-6).ceil() as i64,
    );
    (first..=last.max(first + 1))
        .map(|i| i as f64 * step)
        .collect()
}

fn label(kind: MapKind, (low, high): (f64, f64), unit: &str) -> String {
    if kind == MapKind::Probability {
        let percent = |share: f64| number(100.0 * share, 1.0);
        return match low {
            0.0 => format!("under {} %", percent(high)),
            _ => format!("{} – {} %", percent(low), percent(high)),
        };
    }
    let step = high - low;
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    format!("{} – {}{unit}", number(low, step), number(high, step))
}

/// Formats a contour level as a label: probabilities in percent, other levels with `unit`.
pub(super) fn level_label(kind: MapKind, level: f64, unit: &str) -> String {
    match kind {
        MapKind::Probability => format!("{} %", number(100.0 * level, 1.0)),
        _ if unit.is_empty() => number(level, level),
        _ => format!("{} {unit}", number(level, 0.01 * level.abs().max(1e-9))),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::arr2;

    use super::*;

    #[test]
    fn every_number_that_is_shown_is_in_one_class() {
        let values = arr2(&[[0.0, 0.04, 0.05, 0.3], [f32::NAN, 0.9, 1.0, 0.95]]);
        let classes = Classes::new(MapKind::Probability, &values, "");
        let counts: Vec<usize> = classes.list.iter().map(|class| class.cells).collect();
        assert_eq!(counts, [1, 1, 0, 1, 0, 0, 3]);
        let labels: Vec<&str> = classes
            .list
            .iter()
            .map(|class| class.label.as_str())
            .collect();
        assert_eq!(
            (labels[0], labels[1], labels[6]),
            ("under 5 %", "5 – 10 %", "90 – 100 %")
        );
    }

    #[test]
    fn classes_of_amounts_are_round_and_reach_the_largest() {
        let classes = Classes::new(MapKind::Amount, &arr2(&[[0.2, 3.13, f32::NAN]]), "m");
        assert_eq!(
            classes.list.first().map(|class| class.label.as_str()),
            Some("0 – 0.5 m")
        );
        assert_eq!(
            classes.list.last().map(|class| (class.high, class.cells)),
            Some((3.5, 1))
        );
        assert_eq!(classes.between().len(), classes.list.len() - 1);
        assert!(
            Classes::new(MapKind::Amount, &arr2(&[[f32::NAN]]), "m")
                .list
                .is_empty()
        );
    }
}
