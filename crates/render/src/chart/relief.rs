//! Annotation of a shaded relief map: colour bar of the elevations, and a scale bar.

use crate::chart::legend::{ColorBar, Frame, Scale, stroke};
use crate::chart::text::{Align, Ink};
use crate::chart::ticks::{number, round_down};
use crate::image::Image;
use lavoxel_automaton::view::Palette;

/// Background colour of map sheets (sRGB).
pub(crate) const PAPER: [u8; 3] = [24, 26, 30];
/// Colour of text and lines on map sheets (sRGB).
pub(crate) const INK: [u8; 3] = [226, 226, 220];

/// Margin around the whole picture, in ems.
const MARGIN: f32 = 1.0;
/// Gap between map and colour bar, in ems.
const ASIDE: f32 = 1.4;
/// Space below the map for the scale bar, in ems.
const FOOT: f32 = 2.2;
/// Minimum height of the colour bar, in ems.
const LEAST_BAR: f32 = 9.0;
/// Maximum length of the scale bar, as a fraction of the map's width.
const LENGTH: f64 = 0.35;

/// Annotation of a shaded relief map: scale bar, and colour bar of the elevations.
#[derive(Clone, Debug)]
pub struct Relief {
    /// Width of a pixel on the ground, in metres.
    pub pixel_m: f64,
    /// Palette and scale of the elevations; `None` draws no colour bar.
    pub elevations: Option<(Palette, Scale)>,
}

impl Relief {
    /// Returns a larger picture that contains `map`, a scale bar below, and a colour bar of the
    /// elevations on the right.
    pub fn annotate(&self, map: &Image) -> Image {
        let longer = map.width.max(map.height);
        let ink = Ink::of_picture(INK, (longer + longer / 4, longer));
        let px = |ems: f32| (ems * ink.size).round() as usize;
        let margin = px(MARGIN);
        let bar = self.elevations.as_ref().map(|(palette, scale)| ColorBar {
            palette,
            scale,
            ink,
            titled: true,
        });
        let tall = map.height.max(px(LEAST_BAR));
        let wide = bar
            .as_ref()
            .map_or(0, |bar| bar.width(tall as f32).ceil() as usize + px(ASIDE));
        let height = if bar.is_some() { tall } else { map.height };
        let width = (map.width + wide).max(px(12.0));
        let mut image = Image::filled(width + 2 * margin, height + 2 * margin + px(FOOT), PAPER);
        for y in 0..map.height {
            let (from, to) = (3 * y * map.width, 3 * ((y + margin) * image.width + margin));
            image.rgb[to..to + 3 * map.width].copy_from_slice(&map.rgb[from..from + 3 * map.width]);
        }
        if let Some(bar) = bar {
            let x = margin + map.width + px(ASIDE);
            bar.draw(
                &mut image,
                Frame {
                    x,
                    y: margin,
                    width: wide - px(ASIDE),
                    height: tall,
                },
            );
        }
        let foot = Frame {
            x: margin,
            y: margin + map.height,
            width: map.width,
            height: px(FOOT),
        };
        length(&mut image, foot, ink, self.pixel_m);
        image
    }
}

/// Draws a scale bar of a round length in metres or kilometres into `foot`, the rectangle below a
/// map; `pixel_m`: width of a pixel in metres.
pub(crate) fn length(image: &mut Image, foot: Frame, ink: Ink, pixel_m: f64) {
    let metres = round_down(LENGTH * foot.width as f64 * pixel_m);
    let pixels = (metres / pixel_m).round();
    if !(pixels >= 1.0 && pixels <= foot.width as f64) {
        return;
    }
    let (pixels, thick) = (pixels as usize, 2 * stroke(ink));
    let (middle, end) = (
        foot.y + (0.65 * foot.height as f32) as usize,
        (0.3 * ink.size).round() as usize,
    );
    image.fill((foot.x, middle - thick / 2), (pixels, thick), ink.color);
    for x in [foot.x, foot.x + pixels - stroke(ink)] {
        image.fill((x, middle - end), (stroke(ink), 2 * end), ink.color);
    }
    let text = if metres >= 1000.0 {
        format!("{} km", number(metres / 1000.0, 1.0))
    } else {
        format!("{} m", number(metres, metres))
    };
    let start = ((foot.x + pixels) as f32 + 0.6 * ink.size, middle as f32);
    ink.draw(image, start, Align::Start, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relief(pixel_m: f64) -> Relief {
        let palette = Palette::named("viridis").expect("a known name");
        Relief {
            pixel_m,
            elevations: Some((palette, Scale::new("elevation", "m", (94.3, 195.0)))),
        }
    }

    #[test]
    fn the_map_is_not_touched() {
        for size in [(768, 500), (40, 768), (768, 3), (1, 1)] {
            let map = Image::filled(size.0, size.1, [7, 200, 13]);
            let image = relief(2.0).annotate(&map);
            let found = image
                .rgb
                .chunks_exact(3)
                .filter(|pixel| *pixel == [7, 200, 13])
                .count();
            assert_eq!(found, size.0 * size.1, "{size:?}");
        }
    }

    #[test]
    fn the_length_is_as_long_as_it_says() {
        // 768 pixels of 2.5 m are 1920 m. The scale bar is 500 m long: 200 pixels.
        let map = Image::filled(768, 300, [0; 3]);
        let image = Relief {
            elevations: None,
            ..relief(2.5)
        }
        .annotate(&map);
        let longest = |y: usize| {
            let row: Vec<bool> = (0..image.width).map(|x| image.pixel(x, y) == INK).collect();
            row.split(|inked| !inked)
                .map(<[bool]>::len)
                .max()
                .unwrap_or(0)
        };
        assert_eq!((300..image.height).map(longest).max(), Some(200));
        assert!(
            relief(f64::NAN).annotate(&map).width > 768,
            "no length at all"
        );
    }
}
