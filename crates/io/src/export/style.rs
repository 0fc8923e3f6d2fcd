//! Colour mapping of maps, common to pictures and QGIS styles.

use super::values::Values;
use super::{Caption, Class};
use lavoxel_automaton::view::Palette;
use lavoxel_base::measure::Span;
use lavoxel_base::round::{number, round_up, steps};
use lavoxel_geo::terrain::hillshade::Tint;

/// Upper bound on the number of values that are labelled along a linear colour scale.
const MOST: f64 = 8.0;

/// sRGB colour of a footprint on maps. Chosen by eye.
const FOOTPRINT: [u8; 3] = [214, 60, 24];

/// Colour mapping of a map: range, palette, title and unit of the scale.
#[derive(Clone, Debug)]
pub struct MapStyle {
    /// Title of the colour scale, such as `water thickness`.
    pub title: String,
    /// Unit of the mapped values; empty for dimensionless values.
    pub unit: &'static str,
    /// Palette, from the lower to the upper end of `range`.
    pub palette: Palette,
    /// Values at the lower and the upper end of the palette, in `unit`.
    pub range: (f64, f64),
    /// Set if the colour scale of the map is logarithmic.
    pub log: bool,
    /// Set if the value 0 means that nothing is there, so that 0 gets no colour.
    pub none_at_zero: bool,
    /// Set if the map has a single value and so a single colour, as a footprint has.
    pub single: bool,
    /// Classes with fixed colours, which replace the palette; empty for continuous values.
    pub classes: &'static [Class],
}

impl MapStyle {
    /// Creates the colour mapping for a map with the labels `caption`; the range follows from
    /// `values`.
    pub fn new(caption: &Caption, values: &Values) -> Self {
        Self::up_to(caption, values, 0.0)
    }

    /// Creates the colour mapping for a map with the labels `caption` and the values `values`. The
    /// scale extends at least to `upper` (in the unit of the map), so that several maps can share
    /// one scale.
    pub fn up_to(caption: &Caption, values: &Values, upper: f64) -> Self {
        let ramp = caption.ramp;
        let single = caption.above.is_some();
        let palette = match ramp.palette {
            _ if single => Palette::sampled(|_| FOOTPRINT.map(|c| f32::from(c) / 255.0)),
            "land" => Palette::sampled(|share| Tint::Hypsometric.color(share)),
            name => Palette::named(name).unwrap_or_else(|| Palette::sampled(|share| [share; 3])),
        };
        let turned = |share: f32| palette.srgb(1.0 - share).map(|c| f32::from(c) / 255.0);
        let palette = if ramp.reversed && !single {
            Palette::sampled(turned)
        } else {
            palette
        };
        let span = if single { Span::FromZero } else { ramp.span };
        let (title, unit, none_at_zero) = (
            caption.words.clone(),
            caption.unit,
            single || ramp.none_at_zero,
        );
        let log = matches!(span, Span::Decades(_));
        let found = values
            .range()
            .map_or((upper > 0.0).then_some((0.0, upper)), |(low, high)| {
                Some((low, high.max(upper)))
            });
        Self {
            title,
            unit,
            palette,
            range: range(span, found),
            log,
            none_at_zero,
            single,
            classes: caption.classes,
        }
    }

    /// Returns true if `value` gets a colour: not NaN, not 0 where 0 means that nothing is there,
    /// and not below the lower end of a logarithmic scale.
    pub fn shows(&self, value: f64) -> bool {
        !value.is_nan()
            && (!self.none_at_zero || value > 0.0)
            && (!self.log || value >= self.range.0)
    }

    /// Returns the position of `value` on the palette: 0 at the lower end, 1 at the upper end;
    /// values beyond the ends are clamped.
    pub fn place(&self, value: f64) -> f32 {
        let (low, high) = self.range;
        let share = if self.log {
            (value / low).log10() / (high / low).log10()
        } else {
            (value - low) / (high - low)
        };
        share.clamp(0.0, 1.0) as f32
    }

    /// Returns the sRGB colour of `value`: the colour of its class or, without classes, from the
    /// palette.
    pub fn color(&self, value: f64) -> [u8; 3] {
        if let Some(class) = self
            .classes
            .iter()
            .find(|class| f64::from(class.number) == value)
        {
            return class.color;
        }
        self.palette.srgb(self.place(value))
    }

    /// Returns round values in the range of the scale with their labels, ascending. Used as legend
    /// labels and default contour levels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        if self.log {
            let inside = steps(low).take_while(|value| *value <= high * 1.001);
            return inside.map(|value| (value, number(value, value))).collect();
        }
        let Some(step) = steps((high - low) / MOST).next() else {
            return Vec::new();
        };
        let first = (low / step - 1e-6).ceil() as i64;
        let last = (high / step + 1e-6).floor() as i64;
        (first..=last)
            .map(|i| i as f64 * step)
            .map(|value| (value, number(value, step)))
            .collect()
    }

    /// Formats `value` with the number of digits that the scale needs, followed by the unit.
    pub fn label(&self, value: f64) -> String {
        let (low, high) = self.range;
        let step = if self.log {
            value
        } else {
            (high - low) / 100.0
        };
        self.with_unit(&number(value, step))
    }

    /// Returns the formatted number `number`, followed by the unit of the scale if it has one.
    pub fn with_unit(&self, number: &str) -> String {
        if self.unit.is_empty() {
            number.to_owned()
        } else {
            format!("{number} {}", self.unit)
        }
    }
}

/// Returns the range (lower end, upper end) of the colour scale. `span`: rule for the ends of the
/// scale; `found`: smallest and largest value of the data, or `None` if there is no data.
fn range(span: Span, found: Option<(f64, f64)>) -> (f64, f64) {
    let (least, most) = found.unwrap_or((0.0, 1.0));
    match span {
        Span::FromZero if most > 0.0 => (0.0, round_up(most)),
        Span::Found if most > least => (least, most),
        Span::Found => (least, least + 1.0),
        Span::Decades(count) if most > 0.0 => {
            let high = steps(most).next().unwrap_or(most);
            (high / 10_f64.powi(count.into()), high)
        }
        Span::Decades(count) => (0.1_f64.powi(count.into()), 1.0),
        Span::FromZero => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::arr2;

    use super::*;
    use crate::export::maps::MapQuantity;
    use lavoxel_automaton::world::{ColumnMeasure, ColumnQuantity};

    fn style(measure: ColumnMeasure, values: [f32; 3]) -> MapStyle {
        let subject = MapQuantity::new(ColumnQuantity::new(measure, "lava"));
        MapStyle::new(&subject.caption(false), &Values::Real(arr2(&[values])))
    }

    fn labels(style: &MapStyle) -> Vec<String> {
        style.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn scales_are_round_and_begin_where_their_quantity_does() {
        let thickness = style(ColumnMeasure::Thickness, [0.3, f32::NAN, 3.13]);
        assert_eq!(
            (thickness.range, labels(&thickness).join(" ").as_str()),
            ((0.0, 3.2), "0 0.5 1 1.5 2 2.5 3")
        );
        let ground = style(ColumnMeasure::Ground, [94.3, 120.0, 195.0]);
        assert_eq!(
            (ground.label(94.3), labels(&ground).join(" ").as_str()),
            ("94 m".to_owned(), "100 120 140 160 180")
        );
        assert_eq!(style(ColumnMeasure::Ground, [7.0; 3]).range, (7.0, 8.0));
        assert_eq!(
            style(ColumnMeasure::Thickness, [f32::NAN; 3]).range,
            (0.0, 1.0)
        );
    }

    #[test]
    fn ash_is_shown_by_powers_of_ten() {
        let ash = style(ColumnMeasure::Ash, [0.001, 1.7, 37.0]);
        assert_eq!(
            labels(&ash).join(" "),
            "0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 20 50"
        );
        assert_eq!(
            [0.0, 0.005, 50.0, 900.0].map(|value| ash.place(value)),
            [0.0, 0.0, 1.0, 1.0]
        );
        assert!((ash.place(0.5) - 0.5).abs() < 1e-6 && ash.shows(0.005) && !ash.shows(0.004));
    }

    #[test]
    fn a_footprint_has_one_colour() {
        let subject =
            MapQuantity::footprint(ColumnQuantity::new(ColumnMeasure::Thickness, "lava"), 0.05);
        let style = MapStyle::new(
            &subject.caption(false),
            &Values::Whole(arr2(&[[1, Values::NO_WHOLE]])),
        );
        assert_eq!(
            (style.range, style.color(1.0), style.unit),
            ((0.0, 1.0), FOOTPRINT, "")
        );
    }
}
