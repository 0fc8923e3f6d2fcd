//! Colour bars, and the scales that relate their colours to values.

use crate::chart::text::{Align, Ink};
use crate::chart::ticks::Ticks;
use crate::image::Image;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::Palette;
use lavoxel_automaton::world::{CellMeasure, Quantity};

/// Scale of a colour bar: name, unit and range of the values, and their conversion to the displayed
/// numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Name of the quantity, such as `amount`.
    pub label: String,
    /// Unit of the quantity, such as `cells`; empty for none.
    pub unit: String,
    /// Values at the lower and at the upper end of the palette, in the unit in which the simulation
    /// stores the quantity.
    pub range: (f32, f32),
    /// Numbers that are displayed for the values 0 and 1; the numbers for other values are
    /// interpolated linearly. `None` displays the values themselves.
    pub reads: Option<[f32; 2]>,
}

/// Temperature of 0 °C, in kelvin.
const CELSIUS: f32 = 273.15;

impl Scale {
    /// Returns a scale with the name `label`, the unit `unit` and the range `range`.
    pub fn new(label: &str, unit: &str, range: (f32, f32)) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            range,
            reads: None,
        }
    }

    /// Returns the scale of `quantity` over its full range; `None` for quantities without a value
    /// per cell.
    pub fn from_quantity(quantity: &Quantity) -> Option<Self> {
        let (label, unit) = quantity.measure().bar()?;
        // Labels for the air name the air already.
        let label = if quantity.is_of_air() {
            label.to_owned()
        } else {
            quantity.with_name(label).replace('.', " ")
        };
        Some(Self::new(&label, unit, quantity.measure().range()))
    }

    /// Returns the scale of `quantity` for a picture of lava alone, or `with_others`; the label of a
    /// quantity of the lava then begins with the lava's name. `None` for quantities without a value
    /// per cell.
    pub fn among(quantity: &Quantity, with_others: bool) -> Option<Self> {
        let scale = Self::from_quantity(quantity)?;
        let bare = quantity
            .material()
            .filter(|name| *name == Material::LAVA && with_others);
        Some(bare.map_or(scale.clone(), |name| scale.named(name)))
    }

    /// Returns this scale with the material's name `material` in front of its label.
    #[must_use]
    pub(crate) fn named(self, material: &str) -> Self {
        Self {
            label: format!("{material} {}", self.label),
            ..self
        }
    }

    /// Returns this scale with `high` as the upper end of its range (see `Scale::range`).
    #[must_use]
    pub fn up_to(self, high: f32) -> Self {
        Self {
            range: (self.range.0, high),
            ..self
        }
    }

    /// Returns this scale with numbers displayed in °C if `quantity` is a temperature or an energy
    /// per amount; scales of all other quantities are returned unchanged. `kelvin`: temperatures in
    /// kelvin of just solidified lava (energy per amount 0) and of lava fresh from the vent (1);
    /// `None` leaves every scale unchanged.
    #[must_use]
    pub fn in_celsius(self, quantity: &Quantity, kelvin: Option<[f32; 2]>) -> Self {
        match kelvin {
            Some([low, high]) if quantity.measure() == CellMeasure::Temperature => Self {
                unit: "°C".to_owned(),
                range: (low, high),
                reads: Some([-CELSIUS, 1.0 - CELSIUS]),
                ..self
            },
            Some(kelvin) if quantity.measure() == CellMeasure::SpecificEnergy => {
                let label = self.label.replace("energy per amount", "temperature");
                Self {
                    label,
                    unit: "°C".to_owned(),
                    reads: Some(kelvin.map(|kelvin| kelvin - CELSIUS)),
                    ..self
                }
            }
            _ => self,
        }
    }

    /// Returns the scale of `quantity` for lava in a 3D picture: that of `Scale::in_celsius`, but
    /// if its numbers are in °C, the range ends at 1 (lava fresh from the vent).
    #[must_use]
    pub fn of_volume(self, quantity: &Quantity, kelvin: Option<[f32; 2]>) -> Self {
        let scale = self.in_celsius(quantity, kelvin);
        if scale.reads.is_some() {
            scale.up_to(1.0)
        } else {
            scale
        }
    }

    /// Returns the numbers displayed at the lower and at the upper end of the palette.
    pub fn read_range(&self) -> (f32, f32) {
        let read = |value: f32| {
            self.reads
                .map_or(value, |[zero, one]| zero + value * (one - zero))
        };
        (read(self.range.0), read(self.range.1))
    }

    /// Returns the relative position (0 to 1) on the palette of the displayed number `number`.
    pub fn place_of_read(&self, number: f32) -> f32 {
        Self {
            range: self.read_range(),
            ..self.clone()
        }
        .place(number)
    }

    /// Returns the relative position on the palette of `value`, clamped to 0..1.
    pub fn place(&self, value: f32) -> f32 {
        ((value - self.range.0) / (self.range.1 - self.range.0).max(f32::MIN_POSITIVE))
            .clamp(0.0, 1.0)
    }

    /// Returns the title of the colour bar: label and unit in brackets.
    pub fn title(&self) -> String {
        if self.unit.is_empty() {
            self.label.clone()
        } else {
            format!("{} [{}]", self.label, self.unit)
        }
    }
}

/// Rectangle of pixels in a picture: left edge `x`, top edge `y`, `width` and `height`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Vertical colour bar with round numbers on its right; the title, if any, runs along the bar.
pub(crate) struct ColorBar<'a> {
    pub(crate) palette: &'a Palette,
    pub(crate) scale: &'a Scale,
    pub(crate) ink: Ink,
    /// Set if the title is drawn along the bar, to the right of the numbers.
    pub(crate) titled: bool,
}

/// Width of the colour bar, in ems.
const BAR: f32 = 1.0;
/// Length of a tick mark, in ems.
const TICK: f32 = 0.3;
/// Gap between tick mark and number, and between number and title, in ems.
const GAP: f32 = 0.35;
/// Height of a line of text of a colour bar with its descenders, in ems.
const LINE: f32 = 1.25;

impl ColorBar<'_> {
    fn ticks(&self, height: f32) -> Ticks {
        let (low, high) = self.scale.read_range();
        Ticks::fitting((low.into(), high.into()), 0.0, height, |_| {
            2.2 * self.ink.size
        })
    }

    /// Returns the width in pixels of the bar with its numbers and title, for a bar of `height`
    /// pixels.
    pub(crate) fn width(&self, height: f32) -> f32 {
        let labels = self
            .ticks(height)
            .labels()
            .map(|label| self.ink.width(&label))
            .fold(0.0, f32::max);
        // At least the width of "0.8": a scale that grows by a digit then moves nothing in a film.
        let title = if self.titled { GAP + LINE } else { 0.0 };
        labels.max(self.ink.width("0.8")) + (BAR + TICK + GAP + title) * self.ink.size
    }

    /// Draws the colour bar. `frame` gives the upper left corner, the width of bar, numbers and
    /// title together, and the height of the bar, in pixels.
    pub(crate) fn draw(&self, image: &mut Image, frame: Frame) {
        let Frame { x, y, height, .. } = frame;
        let em = self.ink.size;
        let bar = (BAR * em).round() as usize;
        let rows = height.max(2) - 1;
        for row in 0..=rows {
            let color = self.palette.srgb(1.0 - row as f32 / rows as f32);
            image.fill((x, y + row), (bar, 1), color);
        }
        let ticks = self.ticks(height as f32);
        let thick = stroke(self.ink);
        let row = |value: f64| {
            y as f32 + (1.0 - self.scale.place_of_read(value as f32)) * rows as f32 + 0.5
        };
        // The ends are labelled too, where their labels do not overlap the round numbers.
        let (low, high) = self.scale.read_range();
        let ends = [low, high].map(f64::from).into_iter();
        let clear = |end: &f64| {
            ticks
                .values
                .iter()
                .all(|value| (row(*value) - row(*end)).abs() > LINE * em)
        };
        let ends = ends.filter(clear).map(|end| (end, ticks.label(end)));
        for (value, label) in ticks.values.iter().copied().zip(ticks.labels()).chain(ends) {
            let at = row(value);
            let top = (at - 0.5 * thick as f32)
                .round()
                .clamp(y as f32, (y + height - thick.min(height)) as f32);
            image.fill(
                (x + bar, top as usize),
                ((TICK * em).round() as usize, thick),
                self.ink.color,
            );
            let start = (x + bar) as f32 + (TICK + GAP) * em;
            self.ink.draw(image, (start, at), Align::Start, &label);
        }
        if !self.titled {
            return;
        }
        let title = self
            .ink
            .shortened(&self.scale.title(), height as f32 + 2.0 * em);
        let middle = (
            (x + frame.width) as f32 - 0.5 * LINE * em,
            y as f32 + 0.5 * height as f32,
        );
        self.ink.draw_upward(image, middle, Align::Middle, &title);
    }
}

/// Returns the thickness in pixels, at least 1, of lines drawn next to text of the size of `ink`:
/// about the stroke width of the letters.
pub(crate) fn stroke(ink: Ink) -> usize {
    (ink.size / 14.0).round().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::key::Plain;

    #[test]
    fn a_bar_shows_the_palette_from_end_to_end_and_keeps_to_its_frame() {
        let (palette, scale) = (
            Palette::named("gray").expect("a known name"),
            Scale::from_quantity(&Quantity::default().like(CellMeasure::Energy))
                .expect("it has values")
                .up_to(1.1),
        );
        for size in [12.0, 24.0, 52.0] {
            let ink = Ink {
                color: [200, 0, 0],
                size,
            };
            let bar = ColorBar {
                palette: &palette,
                scale: &scale,
                ink,
                titled: true,
            };
            let height = (16.0 * size) as usize;
            let frame = Frame {
                x: 20,
                y: 60,
                width: bar.width(height as f32).ceil() as usize,
                height,
            };
            let mut image = Image::filled(40 + frame.width, height + 120, [0, 0, 9]);
            bar.draw(&mut image, frame);
            assert_eq!(
                (image.pixel(21, 60), image.pixel(21, 59 + height)),
                ([255; 3], [0; 3])
            );
            for y in 0..image.height {
                for x in (0..20).chain(20 + frame.width..image.width) {
                    assert_eq!(
                        image.pixel(x, y),
                        [0, 0, 9],
                        "ink outside at {x}, {y} for {size} pixels"
                    );
                }
            }
        }
    }

    #[test]
    fn scales_are_told_apart_by_their_titles() {
        let all = Quantity::<CellMeasure>::of_materials(&[Material::lava(), Material::water()]);
        let titles: Vec<_> = all
            .iter()
            .filter_map(Scale::from_quantity)
            .map(|scale| scale.title())
            .collect();
        let lava = [
            "amount [of a cell]",
            "energy [of a vent's cell]",
            "energy per amount [vent = 1]",
        ];
        assert_eq!(
            (&titles[..3], &titles[3..]),
            (
                &lava.map(str::to_owned)[..],
                &["water amount [of a cell]".to_owned()][..]
            )
        );
        let label = |quantity: &Quantity| {
            let others = Plain::without_values(quantity, &[Material::lava(), Material::water()]);
            Scale::among(quantity, !others.is_empty()).map(|scale| scale.label)
        };
        let labels: Vec<_> = all.iter().filter_map(label).collect();
        assert_eq!(
            labels,
            [
                "lava amount",
                "lava energy",
                "lava energy per amount",
                "water amount"
            ]
        );
    }
}
