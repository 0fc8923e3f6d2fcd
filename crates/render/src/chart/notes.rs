//! Annotations in the corners of a picture: caption, clock, north arrow, scale bar and temperature
//! bar. All are light with a dark outline, which keeps them legible over sky, snow and lava.

use super::legend::{ColorBar, Frame, Scale};
use super::text::{Align, Ink, blend};
use crate::film::{Develop, Shimmer};
use crate::image::Image;
use crate::lava::blackbody::{BlackBody, red_hot};
use lavoxel_automaton::view::Palette;

/// Colour (sRGB) of the text and lines of annotations.
const LIGHT: [u8; 3] = [244; 3];
/// Colour (sRGB) of the outline around the text and lines of annotations.
const DARK: [u8; 3] = [14; 3];

/// Maximum length of the scale bar, as a fraction of the picture's width.
const LONGEST: f32 = 0.26;

/// Length of the north arrow in a view from straight above, in ems.
const ARROW: f32 = 3.4;
/// Minimum length of the north arrow in oblique views, as a fraction of [`ARROW`].
const SHORTEST: f32 = 0.4;
/// Angle between the shaft of the north arrow and its barbs, in radians.
const BARB: f32 = 0.45;

/// Temperature of 0 °C, in kelvin.
const CELSIUS: f32 = 273.15;

/// Annotations to draw into a picture; an entry that is `None` is not drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Caption in the upper left corner.
    pub caption: Option<String>,
    /// Time of the simulation as text, below the caption.
    pub clock: Option<String>,
    /// Direction of north in the picture as (right, down). Its length is 1 in a view from straight
    /// above and smaller in oblique views, where the arrow appears foreshortened.
    pub north: Option<[f32; 2]>,
    /// Metres per pixel at the centre of the picture, from which the scale bar is drawn.
    pub metres_a_pixel: Option<f64>,
    /// Temperatures at the lower and upper end of the temperature bar, in kelvin.
    pub kelvin: Option<[f32; 2]>,
}

/// Formats `time_s` (seconds) with its two largest units, such as `2 h 05 min`.
pub fn clock(time_s: f64) -> String {
    let seconds = time_s.round() as u64;
    let [days, hours, minutes] = [seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60];
    match (days, hours) {
        (0, 0) if minutes == 0 => format!("{seconds} s"),
        (0, 0) => format!("{minutes} min {:02} s", seconds % 60),
        (0, _) => format!("{hours} h {minutes:02} min"),
        _ => format!("{days} d {hours:02} h"),
    }
}

impl Notes {
    /// Draws the annotations into `image`.
    pub fn draw(&self, image: &mut Image) {
        let ink = Ink::of_picture(LIGHT, (image.width, image.height));
        let em = ink.size;
        let mut y = 1.5 * em;
        for line in [&self.caption, &self.clock].into_iter().flatten() {
            let line = ink.shortened(line, image.width as f32 - 8.0 * em);
            write(image, ink, (1.2 * em, y), Align::Start, &line);
            y += 1.4 * em;
        }
        if let Some(north) = self.north {
            arrow(image, ink, north);
        }
        if let Some(metres) = self
            .metres_a_pixel
            .filter(|metres| metres.is_finite() && *metres > 0.0)
        {
            scale(image, ink, metres);
        }
        if let Some(kelvin) = self.kelvin {
            temperatures(image, ink, kelvin);
        }
    }
}

/// Writes `text` with a dark outline. (`x`, `y`): position in pixels; `align` selects which point
/// of the text, its start, centre or end, lies there.
fn write(image: &mut Image, ink: Ink, (x, y): (f32, f32), align: Align, text: &str) {
    let rim = Ink { color: DARK, ..ink };
    let reach = (ink.size / 14.0).round().max(1.0);
    for (dx, dy) in [
        (-1.0, 0.0),
        (1.0, 0.0),
        (0.0, -1.0),
        (0.0, 1.0),
        (-0.7, -0.7),
        (0.7, 0.7),
        (-0.7, 0.7),
        (0.7, -0.7),
    ] {
        rim.draw(image, (x + reach * dx, y + reach * dy), align, text);
    }
    ink.draw(image, (x, y), align, text);
}

/// Draws `lines` with a dark outline; each line is given by its two ends (x, y) in pixels.
fn strokes(image: &mut Image, ink: Ink, lines: &[[(f32, f32); 2]]) {
    let wide = (ink.size / 9.0).max(1.4);
    for (color, wide) in [(DARK, wide + (ink.size / 7.0).max(2.0)), (LIGHT, wide)] {
        lines
            .iter()
            .for_each(|line| stroke(image, *line, wide, color));
    }
}

fn stroke(image: &mut Image, [a, b]: [(f32, f32); 2], wide: f32, color: [u8; 3]) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let square = (dx * dx + dy * dy).max(1e-6);
    let range = |a: f32, b: f32| {
        (a.min(b) - wide - 1.0).floor() as i64..=(a.max(b) + wide + 1.0).ceil() as i64
    };
    for y in range(a.1, b.1) {
        for x in range(a.0, b.0) {
            let (px, py) = (x as f32 + 0.5 - a.0, y as f32 + 0.5 - a.1);
            let along = ((px * dx + py * dy) / square).clamp(0.0, 1.0);
            let away = (px - along * dx).hypot(py - along * dy);
            blend(
                image,
                (x, y),
                color,
                (0.5 * wide + 0.5 - away).clamp(0.0, 1.0),
            );
        }
    }
}

/// Draws the north arrow, with the letter N beyond its tip. (`right`, `down`): direction of north
/// in the picture, as in `Notes::north`.
fn arrow(image: &mut Image, ink: Ink, [right, down]: [f32; 2]) {
    let seen = right.hypot(down).max(1e-6);
    let (x, y) = (right / seen, down / seen);
    let half = 0.5 * ARROW * ink.size * seen.clamp(SHORTEST, 1.0);
    let middle = (image.width as f32 - 3.6 * ink.size, 3.6 * ink.size);
    let at = |along: f32| (middle.0 + along * x, middle.1 + along * y);
    let barb = |side: f32| {
        let (sin, cos) = (side * BARB).sin_cos();
        let long = 0.9 * ink.size;
        (
            at(half).0 - long * (x * cos - y * sin),
            at(half).1 - long * (x * sin + y * cos),
        )
    };
    strokes(
        image,
        ink,
        &[
            [at(-half), at(half)],
            [at(half), barb(1.0)],
            [at(half), barb(-1.0)],
        ],
    );
    write(image, ink, at(half + 0.95 * ink.size), Align::Middle, "N");
}

/// Draws the scale bar with its length as text: the longest length of 1, 2 or 5 times a power of
/// ten that takes at most `LONGEST` of the picture's width. `metres_a_pixel`: metres per pixel.
fn scale(image: &mut Image, ink: Ink, metres_a_pixel: f64) {
    let most = f64::from(LONGEST * image.width as f32) * metres_a_pixel;
    let power = 10_f64.powf(most.log10().floor());
    let length = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|part| part * power)
        .find(|length| *length <= most)
        .unwrap_or(power);
    let pixels = (length / metres_a_pixel) as f32;
    let name = match length {
        1000.0.. => format!("{} km", length / 1000.0),
        1.0.. => format!("{length} m"),
        0.01.. => format!("{} cm", (length * 100.0).round()),
        _ => format!("{} mm", length * 1000.0),
    };
    let (left, y, tick) = (
        1.4 * ink.size,
        image.height as f32 - 1.4 * ink.size,
        0.35 * ink.size,
    );
    let end = |x: f32| [(x, y - tick), (x, y + tick)];
    strokes(
        image,
        ink,
        &[
            [(left, y), (left + pixels, y)],
            end(left),
            end(left + pixels),
        ],
    );
    let middle = left + 0.5 * pixels;
    let wide = 0.5 * ink.width(&name);
    write(
        image,
        ink,
        (middle.max(left + wide), y - 1.1 * ink.size),
        Align::Middle,
        &name,
    );
}

/// Draws a temperature bar: the colours of glowing lava between the temperatures `low` and `high`
/// (K).
fn temperatures(image: &mut Image, ink: Ink, [low, high]: [f32; 2]) {
    let (black_body, develop) = (
        BlackBody::new(),
        Develop::Filmic {
            exposure: 1.0,
            glow: 0.0,
            shimmer: Shimmer::NONE,
        },
    );
    let palette = Palette::sampled(|t| {
        let kelvin = low + (high - low) * t;
        develop
            .pixel(black_body.shown(kelvin) * red_hot(kelvin), (0, 0))
            .map(|c| f32::from(c) / 255.0)
    });
    let scale = Scale::new("temperature", "°C", (low - CELSIUS, high - CELSIUS));
    let bar = ColorBar {
        palette: &palette,
        scale: &scale,
        ink,
        titled: true,
    };
    let height = (0.34 * image.height as f32)
        .max(8.0 * ink.size)
        .min(0.7 * image.height as f32);
    let width = bar.width(height);
    let (pad, margin) = (0.7 * ink.size, 1.0 * ink.size);
    let (x, y) = (
        image.width as f32 - width - margin - pad,
        image.height as f32 - height - margin - pad,
    );
    if x < 0.0 || y < 0.0 {
        return;
    }
    // A dark plate behind the bar: its numbers are too small for a rim.
    for row in (y - pad) as i64..(y + height + pad) as i64 {
        for column in (x - pad) as i64..(x + width + pad) as i64 {
            blend(image, (column, row), DARK, 0.62);
        }
    }
    bar.draw(
        image,
        Frame {
            x: x as usize,
            y: y as usize,
            width: width.ceil() as usize,
            height: height as usize,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAY: [u8; 3] = [128; 3];

    fn drawn(notes: &Notes, size: (usize, usize)) -> Image {
        let mut image = Image::filled(size.0, size.1, GRAY);
        notes.draw(&mut image);
        image
    }

    /// Returns the first and last column and the first and last row in which `image` is not grey;
    /// `None` if the whole image is grey.
    fn extent(image: &Image) -> Option<[usize; 4]> {
        let inked = |x: usize, y: usize| image.pixel(x, y) != GRAY;
        let columns: Vec<usize> = (0..image.width)
            .filter(|x| (0..image.height).any(|y| inked(*x, y)))
            .collect();
        let rows: Vec<usize> = (0..image.height)
            .filter(|y| (0..image.width).any(|x| inked(x, *y)))
            .collect();
        Some([
            *columns.first()?,
            *columns.last()?,
            *rows.first()?,
            *rows.last()?,
        ])
    }

    #[test]
    fn times_have_their_two_largest_units() {
        let told = [12.0, 75.0, 3_700.0, 90_000.0, 1e6].map(clock);
        assert_eq!(
            told,
            ["12 s", "1 min 15 s", "1 h 01 min", "1 d 01 h", "11 d 13 h"]
        );
    }

    #[test]
    fn nothing_is_drawn_without_notes_and_each_note_stands_in_its_corner() {
        assert_eq!(extent(&drawn(&Notes::default(), (480, 320))), None);
        let corner = |notes: Notes| {
            let [left, right, top, bottom] = extent(&drawn(&notes, (480, 320))).expect("drawn");
            [left < 120, right > 360, top < 80, bottom > 240]
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            corner(Notes {
                caption: text("Etna"),
                clock: text("3 h"),
                ..Notes::default()
            }),
            [true, false, true, false]
        );
        assert_eq!(
            corner(Notes {
                north: Some([0.3, -0.8]),
                ..Notes::default()
            }),
            [false, true, true, false]
        );
        assert_eq!(
            corner(Notes {
                metres_a_pixel: Some(3.0),
                ..Notes::default()
            }),
            [true, false, false, true]
        );
        assert_eq!(
            corner(Notes {
                kelvin: Some([1100.0, 1400.0]),
                ..Notes::default()
            }),
            [false, true, false, true]
        );
    }

    #[test]
    fn the_scale_is_as_long_as_it_says() {
        for (metres, length) in [
            (3.0, 200.0 / 3.0),
            (0.7, 50.0 / 0.7),
            (45.0, 5000.0 / 45.0),
            (0.0045, 0.5 / 0.0045),
        ] {
            let image = drawn(
                &Notes {
                    metres_a_pixel: Some(metres),
                    ..Notes::default()
                },
                (480, 320),
            );
            let y = (320.0 - 1.4 * Ink::of_picture(LIGHT, (480, 320)).size) as usize;
            let bright = (0..480).filter(|x| image.pixel(*x, y)[0] > 200).count() as f64;
            assert!(
                (bright - length).abs() < 4.0,
                "{metres}: {bright} pixels for {length}"
            );
        }
    }

    #[test]
    fn the_arrow_points_where_north_is() {
        for north in [[0.0, -1.0], [1.0, 0.0], [-0.6, 0.5]] {
            let image = drawn(
                &Notes {
                    north: Some(north),
                    ..Notes::default()
                },
                (480, 320),
            );
            let ink = Ink::of_picture(LIGHT, (480, 320)).size;
            let (middle, far) = ((480.0 - 3.6 * ink, 3.6 * ink), north[0].hypot(north[1]));
            let at = |along: f32| {
                let place = (
                    middle.0 + along * north[0] / far,
                    middle.1 + along * north[1] / far,
                );
                image.pixel(place.0 as usize, place.1 as usize)[0]
            };
            assert!(
                at(0.0) > 200
                    && at(0.3 * ARROW * ink * far) > 200
                    && at(-0.3 * ARROW * ink * far) > 200,
                "{north:?}"
            );
        }
    }
}
