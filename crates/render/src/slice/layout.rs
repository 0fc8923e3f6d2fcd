//! Layout of a slice's picture: as much space as possible for the cells, the remainder for
//! annotations.

use std::sync::LazyLock;

use crate::chart::axes::{Axis as Ticked, Ruler, Side};
use crate::chart::legend::{ColorBar, Frame};
use crate::chart::text::Ink;

use super::{Axis, INK, SliceSpec, SliceStyle, entries};

/// Margin around the whole picture, in ems.
const MARGIN: f32 = 0.6;
/// Height of the heading of a slice's picture, in ems.
const HEADING: f32 = 1.7;
/// Gap between the axes and the colour bar, in ems.
const ASIDE: f32 = 1.4;
/// Distance between two lines of the key, in ems.
pub(super) const KEY_LINE: f32 = 1.5;
/// Distance from the left of a colour in the key to its text, in ems.
pub(super) const KEY_TEXT: f32 = 1.5;
/// Minimum height in ems of the rectangle in which the cells are drawn for the key to fit below a
/// colour bar.
const ROOMY: f32 = 15.0;
/// Minimum height of a colour bar, in ems.
const LEAST_BAR: f32 = 9.0;
/// Space that a number at the end of a colour bar takes beyond the bar, in ems.
const LABEL: f32 = 0.7;
/// Pixels per cell above which the number of pixels per cell is rounded down to an integer, which
/// gives all cells the same size.
const COARSE: f32 = 8.0;

/// Extent of a slice's annotations, chosen by the size of the picture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// No annotations: the cells fill the picture.
    Bare,
    /// Colour bar and one ruler at the left and bottom, without titles.
    Numbers,
    /// All kinds of annotations, with one ruler per side.
    Full,
    /// All kinds of annotations, and all rulers.
    Rich,
}

/// Positions of the cells, axes, colour bar, key and heading in a slice's picture.
pub(super) struct Layout<'a> {
    pub(super) ink: Ink,
    pub(super) cells: Frame,
    /// Axes of the slice, each with the distance in pixels of its line from the cells.
    pub(super) axes: Vec<(Ticked<'a>, f32)>,
    pub(super) bar: Option<(ColorBar<'a>, Frame)>,
    /// Upper left corner (x, y) of the key in pixels; `None` for no key.
    pub(super) key: Option<(f32, f32)>,
    /// Left end, right end and vertical centre of the heading, in pixels; `None` for no heading.
    pub(super) heading: Option<(f32, f32, f32)>,
}

/// Rulers in cells along x, y and z.
static IN_CELLS: LazyLock<[Ruler; 3]> = LazyLock::new(|| ['x', 'y', 'z'].map(Ruler::of_cells));

impl Detail {
    fn new((width, height): (usize, usize), ink: Ink) -> Self {
        let (wide, tall) = (width as f32 / ink.size, height as f32 / ink.size);
        if wide >= 40.0 && tall >= 28.0 {
            Self::Rich
        } else if wide >= 24.0 && tall >= 16.0 {
            Self::Full
        } else if wide >= 14.0 && tall >= 9.0 {
            Self::Numbers
        } else {
            Self::Bare
        }
    }
}

impl<'a> Layout<'a> {
    pub(super) fn new(spec: &SliceSpec, style: &'a SliceStyle) -> Self {
        let ink = Ink::of_picture(INK, spec.size);
        let detail = Detail::new(spec.size, ink);
        let bar = style.scale.as_ref().filter(|_| detail > Detail::Bare);
        let titled = detail >= Detail::Full;
        let bar = bar.map(|scale| ColorBar {
            palette: &style.palette,
            scale,
            ink,
            titled,
        });
        let axes = axes(spec, style, (ink, detail));
        let lengths = entries(style).map(|(name, _)| ink.width(name)).collect();
        Plan {
            size: spec.size,
            ink,
            detail,
            axes,
            bar,
            lengths,
        }
        .layout(spec.shown.cells())
    }
}

/// Returns the axes around a slice: rulers such as metres at the bottom and left, rulers in cells
/// at the top and right. If `style` has no rulers, those in cells are at the bottom and left.
/// `ink`: size and colour of text; `detail`: extent of the annotations.
fn axes<'a>(
    spec: &SliceSpec,
    style: &'a SliceStyle,
    (ink, detail): (Ink, Detail),
) -> Vec<Ticked<'a>> {
    let (across, up) = spec.axis.across();
    let ends = |[first, end]: [usize; 2]| (first as f64, end as f64);
    let (low, high) = ends(spec.shown.up);
    // On a map north, where z is 0, is up.
    let upright = if spec.axis == Axis::Y {
        (high, low)
    } else {
        (low, high)
    };
    let sides = [
        (across, ends(spec.shown.across), [Side::Bottom, Side::Top]),
        (up, upright, [Side::Left, Side::Right]),
    ];
    let mut all = Vec::new();
    for (axis, cells, [near, far]) in sides {
        let measured = &style.rulers[axis.number()][..];
        let in_cells = (
            if measured.is_empty() { near } else { far },
            &IN_CELLS[axis.number()],
            1.0,
        );
        let (most, opposite) = match detail {
            Detail::Bare => (0, false),
            Detail::Numbers => (1, measured.is_empty()),
            Detail::Full => (1, true),
            Detail::Rich => (usize::MAX, true),
        };
        let rulers = measured.iter().take(most).map(|ruler| (near, ruler, 0.0));
        let rulers = rulers.chain(opposite.then_some(in_cells));
        let titled = detail >= Detail::Full;
        all.extend(rulers.map(|(side, ruler, least)| Ticked {
            side,
            ruler,
            cells,
            least,
            ink,
            titled,
        }));
    }
    all
}

/// Contents of a slice's picture whose positions are not determined yet.
struct Plan<'a> {
    size: (usize, usize),
    ink: Ink,
    detail: Detail,
    axes: Vec<Ticked<'a>>,
    bar: Option<ColorBar<'a>>,
    /// Lengths of the texts in the key, in pixels.
    lengths: Vec<f32>,
}

impl<'a> Plan<'a> {
    fn layout(self, (across, rows): (usize, usize)) -> Layout<'a> {
        let (margin, heading) = (self.margin(), self.heading());
        let whole = (
            self.size.0 as f32 - 2.0 * margin,
            self.size.1 as f32 - 2.0 * margin - heading,
        );
        // Three rounds of a fixed point: the width of the numbers depends on their count, and so on
        // the size of the cells.
        let mut cells = (0.7 * whole.0, 0.7 * whole.1);
        let (mut beside, mut aside) = ([0.0; 4], 0.0);
        for _ in 0..3 {
            (beside, aside) = (self.axis_margins(cells), self.aside(cells.1));
            let room = (
                whole.0 - beside[0] - beside[1] - aside,
                whole.1 - beside[2] - beside[3],
            );
            let zoom = (room.0 / across as f32).min(room.1 / rows as f32);
            let zoom = if zoom >= COARSE { zoom.floor() } else { zoom };
            cells = (
                (zoom * across as f32).round().max(1.0),
                (zoom * rows as f32).round().max(1.0),
            );
        }
        let [left, right, top, bottom] = beside;
        let x = margin + left + (0.5 * (whole.0 - left - right - aside - cells.0)).max(0.0);
        let y = margin + heading + top + (0.5 * (whole.1 - top - bottom - cells.1)).max(0.0);
        let cells = Frame {
            x: x as usize,
            y: y as usize,
            width: cells.0 as usize,
            height: cells.1 as usize,
        };
        let ends = (
            cells.x as f32 - left,
            (cells.x + cells.width) as f32 + right + aside,
        );
        let (bar, key) = self.beside_cells(cells, (ends.1 - aside, ends.1));
        let heading = (heading > 0.0).then(|| {
            // Above small slices the heading may be wider than the parts below.
            let short = (24.0 * self.ink.size - (ends.1 - ends.0)).max(0.0);
            let ends = (ends.0 - 0.5 * short, ends.1 + 0.5 * short);
            (
                ends.0.max(margin),
                ends.1.min(self.size.0 as f32 - margin),
                y - top - 0.5 * heading,
            )
        });
        let axes = stacked(self.axes, cells);
        Layout {
            ink: self.ink,
            cells,
            axes,
            bar: self.bar.zip(bar),
            key,
            heading,
        }
    }

    /// Returns the margin around the whole picture in pixels.
    fn margin(&self) -> f32 {
        if self.detail == Detail::Bare {
            0.0
        } else {
            MARGIN * self.ink.size
        }
    }

    /// Returns the height of the heading in pixels; 0 if the picture has no heading.
    fn heading(&self) -> f32 {
        if self.detail >= Detail::Full {
            HEADING * self.ink.size
        } else {
            0.0
        }
    }

    /// Returns the space in pixels that the axes take to the left, to the right, above and below
    /// the cells, if the cells are drawn `width` × `height` pixels large.
    fn axis_margins(&self, (width, height): (f32, f32)) -> [f32; 4] {
        [Side::Left, Side::Right, Side::Top, Side::Bottom].map(|side| {
            let axes = self.axes.iter().filter(|axis| axis.side == side);
            axes.map(|axis| axis.depth(if side.is_upright() { height } else { width }))
                .sum()
        })
    }

    /// Returns the width in pixels that colour bar and key take to the right of the cells,
    /// including the gap to the cells, which are drawn `height` pixels high.
    fn aside(&self, height: f32) -> f32 {
        let bar = self
            .bar
            .as_ref()
            .map_or(0.0, |bar| bar.width(self.bar_height(height)));
        let longest = self.lengths.iter().copied().fold(0.0, f32::max);
        let key = if self.has_key(height) {
            KEY_TEXT * self.ink.size + longest
        } else {
            0.0
        };
        let both = bar.max(key);
        if both > 0.0 {
            both + ASIDE * self.ink.size
        } else {
            0.0
        }
    }

    fn has_key(&self, height: f32) -> bool {
        self.detail >= Detail::Full && (self.bar.is_none() || height >= ROOMY * self.ink.size)
    }

    fn key_height(&self) -> f32 {
        KEY_LINE * self.ink.size * self.lengths.len() as f32
    }

    fn bar_height(&self, height: f32) -> f32 {
        let key = if self.has_key(height) {
            self.key_height() + self.ink.size
        } else {
            0.0
        };
        (height - key)
            .max(LEAST_BAR * self.ink.size)
            .min(self.size.1 as f32 - 2.0 * LABEL * self.ink.size)
    }

    /// Returns the rectangle of the colour bar and the upper left corner (x, y) of the key, in
    /// pixels, both to the right of the rectangle `cells`, between the x coordinates `from` (plus a
    /// gap) and `to`: the bar at the upper end, the key at the lower end. `None` for either if it
    /// is not drawn.
    fn beside_cells(
        &self,
        cells: Frame,
        (from, to): (f32, f32),
    ) -> (Option<Frame>, Option<(f32, f32)>) {
        let height = cells.height as f32;
        let left = from + ASIDE * self.ink.size;
        let tall = self.bar_height(height);
        // Next to a flat slice the bar is taller than the slice, and extends as far above it as
        // below.
        let lowest = self.size.1 as f32 - LABEL * self.ink.size - tall;
        let top = (cells.y as f32 - 0.5 * (tall - height).max(0.0))
            .min(lowest)
            .max(LABEL * self.ink.size);
        let bar = self.bar.as_ref().map(|_| Frame {
            x: left.round() as usize,
            y: top.round() as usize,
            width: (to - left).floor().max(0.0) as usize,
            height: tall.round() as usize,
        });
        let foot = cells.y as f32 + height - self.key_height();
        let upper = if self.bar.is_some() {
            foot
        } else {
            cells.y as f32
        };
        // The last line needs no gap below.
        let key = self
            .has_key(height)
            .then_some((left, upper + 0.5 * (KEY_LINE - 1.0) * self.ink.size));
        (bar, key)
    }
}

/// Returns the axes, each with the distance in pixels of its line from the cells; several axes on
/// one side are stacked outwards.
fn stacked<'a>(axes: Vec<Ticked<'a>>, cells: Frame) -> Vec<(Ticked<'a>, f32)> {
    let mut taken = [0.0; 4];
    let place = |axis: Ticked<'a>| {
        let pixels = if axis.side.is_upright() {
            cells.height
        } else {
            cells.width
        } as f32;
        let out = taken[axis.side as usize];
        taken[axis.side as usize] += axis.depth(pixels);
        (axis, out)
    };
    axes.into_iter().map(place).collect()
}
