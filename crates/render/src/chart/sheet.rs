//! Map sheet: a map with title, colour bar or key, scale bar and north arrow.

use crate::chart::legend::{Frame, stroke};
use crate::chart::relief::{INK, PAPER, length};
use crate::chart::text::{Align, Ink};
use crate::image::Image;
use lavoxel_automaton::view::Palette;

/// Margin around the whole sheet, in ems.
const MARGIN: f32 = 1.0;
/// Gap between map and colour bar, in ems.
const ASIDE: f32 = 1.4;
/// Space above the map for the title, in ems.
const HEAD: f32 = 2.4;
/// Space below the map for scale bar and north arrow, in ems.
const FOOT: f32 = 2.6;
/// Width of the colour bar, in ems.
const BAR: f32 = 1.1;
/// Gap between the colour bar and its numbers, in ems.
const GAP: f32 = 0.65;
/// Height of a line of text of a map sheet, in ems.
const LINE: f32 = 1.35;
/// Minimum height of the colour bar, in ems.
const LEAST_BAR: f32 = 12.0;

/// Legend of a map sheet: a colour bar with numbers, or a key that explains one colour.
#[derive(Clone, Debug)]
pub enum Legend {
    /// Legend with a colour bar and its numbers.
    Bar {
        /// Title of the colour bar: name and unit of the values.
        title: String,
        /// Palette of the colour bar, from its lower to its upper end.
        palette: Palette,
        /// Numbers at the bar as text, each with its relative position: 0 at the bottom, 1 at the
        /// top.
        ticks: Vec<(f32, String)>,
    },
    /// Legend with a key: a square of one colour, and its meaning.
    Key {
        /// Colour in sRGB of the areas of the map that the key explains.
        color: [u8; 3],
        /// Meaning of `color` on the map, in words.
        text: String,
    },
}

/// Texts and legend of a map sheet; north is up.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Title of the sheet, at its upper left.
    pub title: String,
    /// Subtitle of the sheet, at its upper right.
    pub subtitle: String,
    /// Width of a pixel on the ground, in metres.
    pub pixel_m: f64,
    /// Legend of the map: a colour bar is drawn on its right, a key below.
    pub legend: Legend,
}

/// Edge length in pixels of the imagined square map from which the text size of a legend drawn
/// without a map is derived.
const ALONE: usize = 600;

impl Legend {
    /// Returns a picture of the legend without a map, for maps that are overlaid on other maps.
    pub fn alone(&self) -> Image {
        let ink = Ink::of_picture(INK, (ALONE + ALONE / 4, ALONE));
        let px = |ems: f32| (ems * ink.size).round() as usize;
        let margin = px(MARGIN);
        match self {
            Self::Bar {
                title,
                palette,
                ticks,
            } => {
                let (width, height) = (bar_width(ticks, ink), px(LEAST_BAR));
                let mut image = Image::filled(width + 2 * margin, height + 2 * margin, PAPER);
                bar(
                    &mut image,
                    Frame {
                        x: margin,
                        y: margin,
                        width,
                        height,
                    },
                    ink,
                    (title, palette, ticks),
                );
                image
            }
            Self::Key { color, text } => {
                let side = ink.size.round() as usize;
                let width = side + px(GAP) + ink.width(text).ceil() as usize;
                let mut image = Image::filled(width + 2 * margin, 3 * side, PAPER);
                image.fill((margin, side), (side, side), *color);
                let start = ((margin + side) as f32 + GAP * ink.size, 1.5 * side as f32);
                ink.draw(&mut image, start, Align::Start, text);
                image
            }
        }
    }
}

impl Sheet {
    /// Returns the sheet: `map` with title, subtitle, legend, scale bar and north arrow in its
    /// margins.
    pub fn framed(&self, map: &Image) -> Image {
        let longer = map.width.max(map.height);
        let ink = Ink::of_picture(INK, (longer + longer / 4, longer));
        let px = |ems: f32| (ems * ink.size).round() as usize;
        let margin = px(MARGIN);
        let (aside, tall) = match &self.legend {
            Legend::Bar { ticks, .. } => (
                px(ASIDE) + bar_width(ticks, ink),
                map.height.max(px(LEAST_BAR)),
            ),
            Legend::Key { .. } => (0, map.height),
        };
        let width = (map.width + aside).max(px(16.0));
        let corner = (margin, margin + px(HEAD));
        let mut image = Image::filled(
            width + 2 * margin,
            tall + 2 * margin + px(HEAD) + px(FOOT),
            PAPER,
        );
        for y in 0..map.height {
            let (from, to) = (
                3 * y * map.width,
                3 * ((y + corner.1) * image.width + corner.0),
            );
            image.rgb[to..to + 3 * map.width].copy_from_slice(&map.rgb[from..from + 3 * map.width]);
        }
        // The foot is as wide as the map, not as the sheet: scale bar and north arrow belong to the
        // map.
        self.heading(
            &mut image,
            ink,
            Frame {
                x: margin,
                y: margin,
                width,
                height: px(HEAD),
            },
        );
        let foot = Frame {
            x: margin,
            y: corner.1 + map.height,
            width: map.width,
            height: px(FOOT),
        };
        length(&mut image, foot, ink, self.pixel_m);
        north(&mut image, foot, ink);
        match &self.legend {
            Legend::Bar {
                title,
                palette,
                ticks,
            } => {
                let frame = Frame {
                    x: margin + map.width + px(ASIDE),
                    y: corner.1,
                    width: aside - px(ASIDE),
                    height: tall,
                };
                bar(&mut image, frame, ink, (title, palette, ticks));
            }
            Legend::Key { color, text } => key(&mut image, foot, ink, (*color, text)),
        }
        image
    }

    fn heading(&self, image: &mut Image, ink: Ink, head: Frame) {
        let middle = head.y as f32 + 0.4 * head.height as f32;
        let (left, right) = (head.x as f32, (head.x + head.width) as f32);
        let subtitle = ink.shortened(&self.subtitle, 0.6 * (right - left));
        let large = Ink {
            size: 1.2 * ink.size,
            ..ink
        };
        let title = large.shortened(
            &self.title,
            right - left - ink.width(&subtitle) - 1.5 * ink.size,
        );
        large.draw(image, (left, middle), Align::Start, &title);
        ink.draw(image, (right, middle), Align::End, &subtitle);
    }
}

fn bar_width(ticks: &[(f32, String)], ink: Ink) -> usize {
    let widest = ticks
        .iter()
        .map(|(_, label)| ink.width(label))
        .fold(ink.width("0.8"), f32::max);
    (widest + (BAR + GAP + GAP + LINE) * ink.size).ceil() as usize
}

/// Draws a colour bar into `frame`, with the numbers `ticks` (relative position, text) on its
/// right, and `title` along the bar.
fn bar(
    image: &mut Image,
    frame: Frame,
    ink: Ink,
    (title, palette, ticks): (&str, &Palette, &[(f32, String)]),
) {
    let rows = frame.height.max(2) - 1;
    let wide = (BAR * ink.size).round() as usize;
    for row in 0..=rows {
        image.fill(
            (frame.x, frame.y + row),
            (wide, 1),
            palette.srgb(1.0 - row as f32 / rows as f32),
        );
    }
    let thick = stroke(ink);
    let mut free = f32::INFINITY;
    for (place, label) in ticks {
        let at = frame.y as f32 + (1.0 - place) * rows as f32;
        // Skips a number that would overlap the number drawn before.
        if free - at < 0.95 * LINE * ink.size {
            continue;
        }
        free = at;
        let lowest = (frame.y + frame.height - thick) as f32;
        let top = (at - 0.5 * thick as f32)
            .round()
            .clamp(frame.y as f32, lowest) as usize;
        image.fill(
            (frame.x + wide, top),
            ((0.3 * ink.size).round() as usize, thick),
            ink.color,
        );
        ink.draw(
            image,
            ((frame.x + wide) as f32 + GAP * ink.size, at),
            Align::Start,
            label,
        );
    }
    let title = ink.shortened(title, frame.height as f32);
    let middle = (
        (frame.x + frame.width) as f32 - 0.5 * LINE * ink.size,
        frame.y as f32 + 0.5 * frame.height as f32,
    );
    ink.draw_upward(image, middle, Align::Middle, &title);
}

/// Draws the key into `foot`, the rectangle below the map: a square of `color`, and `text` on its
/// right.
fn key(image: &mut Image, foot: Frame, ink: Ink, (color, text): ([u8; 3], &str)) {
    let side = ink.size.round() as usize;
    let text = ink.shortened(text, 0.4 * foot.width as f32);
    let long = side as f32 + GAP * ink.size + ink.width(&text);
    let left = foot.x + (0.6 * foot.width as f32 - 0.3 * long).round().max(0.0) as usize;
    let middle = foot.y as f32 + 0.6 * foot.height as f32;
    image.fill(
        (left, (middle - 0.5 * ink.size).round() as usize),
        (side, side),
        color,
    );
    ink.draw(
        image,
        ((left + side) as f32 + GAP * ink.size, middle),
        Align::Start,
        &text,
    );
}

/// Draws a north arrow with the letter N at the right end of `foot`, the rectangle below the map.
fn north(image: &mut Image, foot: Frame, ink: Ink) {
    let (high, half) = (1.5 * ink.size, 0.45 * ink.size);
    let top = foot.y as f32 + 0.6 * foot.height as f32 - 0.5 * high;
    let tip = (foot.x + foot.width) as f32 - half - 1.0;
    for row in 0..high.round() as usize {
        // The left half is filled, the right half an outline.
        let reach = half * (row as f32 + 0.5) / high;
        for col in -(reach.round() as i64)..=reach.round() as i64 {
            let edge = (col as f32).abs() > reach - 1.2 || row as f32 > high - 1.5;
            if col <= 0 || edge {
                let x = (tip.round() as i64 + col).max(0) as usize;
                image.set_pixel(x, top.round() as usize + row, ink.color);
            }
        }
    }
    ink.draw(
        image,
        (tip - half - 0.5 * ink.size, top + 0.55 * high),
        Align::End,
        "N",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(legend: Legend) -> Sheet {
        Sheet {
            title: "lava thickness".to_owned(),
            subtitle: "a scene, step 4".to_owned(),
            pixel_m: 2.5,
            legend,
        }
    }

    #[test]
    fn the_map_is_not_touched() {
        let palette = Palette::named("lava").expect("a known name");
        let ticks = vec![
            (0.0, "0".to_owned()),
            (0.02, "left out".to_owned()),
            (1.0, "7".to_owned()),
        ];
        let bar = Legend::Bar {
            title: "thickness [m]".to_owned(),
            palette,
            ticks,
        };
        let key = Legend::Key {
            color: [200, 60, 20],
            text: "thickness above 0.05 m".to_owned(),
        };
        for (legend, size) in [
            (&bar, (768, 500)),
            (&key, (40, 768)),
            (&bar, (768, 3)),
            (&key, (1, 1)),
        ] {
            let map = Image::filled(size.0, size.1, [7, 200, 13]);
            let image = sheet(legend.clone()).framed(&map);
            let found = image
                .rgb
                .chunks_exact(3)
                .filter(|pixel| *pixel == [7, 200, 13])
                .count();
            assert_eq!(found, size.0 * size.1, "{size:?}");
        }
    }
}
