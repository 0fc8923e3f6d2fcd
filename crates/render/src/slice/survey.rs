//! Extent of the content of a slice, and automatic cropping of a slice's pictures to this extent.

use lavoxel_base::grid::{Grid, Place};

use super::{Axis, CellRect, Content};

/// Extent of the content of a slice, and the largest value of the shown quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// Rectangle of cells with content. In a vertical slice: from the lowest cell that is not rock
    /// to the highest cell with rock or matter, over the whole width; in a horizontal slice: the
    /// bounding rectangle of the cells with rock or matter. The whole slice if there is no content.
    pub extent: CellRect,
    /// Largest value of the shown quantity; 0 if there are no values.
    pub largest: f32,
}

/// Smallest half-open range that contains all cell indices added so far.
#[derive(Clone, Copy)]
struct Span([usize; 2]);

impl Span {
    const NONE: Self = Self([usize::MAX, 0]);

    fn add(&mut self, cell: usize) {
        self.0 = [self.0[0].min(cell), self.0[1].max(cell + 1)];
    }
}

impl Survey {
    /// Examines the plane of cells with the index `cell` along `axis` of a simulation box of shape
    /// `grid`; `content` returns the content of a cell.
    pub fn new(grid: Grid, axis: Axis, cell: usize, content: impl Fn(Place) -> Content) -> Self {
        let whole = CellRect::whole(grid, axis);
        let (mut across, mut up, mut open, mut largest) =
            (Span::NONE, Span::NONE, Span::NONE, 0.0_f32);
        for j in 0..whole.up[1] {
            for i in 0..whole.across[1] {
                let found = content(axis.cell(cell, (i, j)));
                if found != Content::Empty {
                    across.add(i);
                    up.add(j);
                }
                if found != Content::Solid {
                    open.add(j);
                }
                if let Content::Value(value) = found {
                    largest = largest.max(value);
                }
            }
        }
        let extent = match axis {
            Axis::Y => CellRect {
                across: across.0,
                up: up.0,
            },
            // Below the lowest opening all is rock.
            Axis::X | Axis::Z => CellRect {
                across: whole.across,
                up: [open.0[0], up.0[1]],
            },
        };
        let is_some = |[low, high]: [usize; 2]| low < high;
        let extent = if is_some(extent.across) && is_some(extent.up) {
            extent
        } else {
            whole
        };
        Self { extent, largest }
    }
}

/// Crop of a slice for the frames of a film: a rectangle of cells with the content and a margin.
/// The crop only grows, in steps of the margin, which keeps changes of the cells' size in the
/// picture rare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crop {
    shown: Option<CellRect>,
}

/// Margin of the crop on each side of the content, as a fraction of the content's length along the
/// axis.
const MARGIN: f64 = 0.08;
/// Minimum margin on each side of the content, in cells.
const LEAST_MARGIN: usize = 2;
/// Minimum length of each side of the crop, as a fraction of the slice's longer side, or the whole
/// side if the slice is shorter.
const LEAST: f64 = 0.2;

impl Crop {
    /// Returns the rectangle of cells to show for content in `extent` of the slice `whole`;
    /// contains the rectangle returned by the previous call.
    pub fn show(&mut self, extent: CellRect, whole: CellRect) -> CellRect {
        let (wide, tall) = whole.cells();
        let least = (wide.max(tall) as f64 * LEAST).ceil() as usize;
        let shown = match self.shown {
            None => CellRect {
                across: widened(extent.across, least, wide),
                up: widened(extent.up, least, tall),
            },
            Some(CellRect { across, up }) => CellRect {
                across: grown(across, extent.across, (least, wide)),
                up: grown(up, extent.up, (least, tall)),
            },
        };
        *self.shown.insert(shown)
    }
}

/// Returns the range from `low` to `high` (cells) with a margin on both sides, at least `least`
/// cells long and within 0..`all`.
fn widened([low, high]: [usize; 2], least: usize, all: usize) -> [usize; 2] {
    let margin = ((high - low) as f64 * MARGIN)
        .ceil()
        .max(LEAST_MARGIN as f64) as usize;
    let [low, high] = [low.saturating_sub(margin), (high + margin).min(all)];
    let length = (high - low).max(least).min(all);
    let first = low
        .saturating_sub((length - (high - low)) / 2)
        .min(all - length);
    [first, first + length]
}

/// Returns the range shown so far (`first` up to `end`), or a wider range if the content (`low` up
/// to `high`) does not fit inside. `least`: minimum length of the range in cells; `all`: number of
/// cells along the axis.
fn grown(
    [first, end]: [usize; 2],
    [low, high]: [usize; 2],
    (least, all): (usize, usize),
) -> [usize; 2] {
    if first <= low && high <= end {
        return [first, end];
    }
    let more = widened([low, high], least, all);
    [first.min(more[0]), end.max(more[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid {
        nx: 6,
        ny: 50,
        nz: 9,
    };

    /// Returns the cell content of ground that rises from 10 to 15 cells in the east, with lava up
    /// to the height 14 in column 1, and a cave.
    fn content([x, y, z]: Place) -> Content {
        match y {
            7 if (x, z) == (5, 4) => Content::Empty,
            _ if y < 10 + x => Content::Solid,
            _ if x == 1 && y < 14 => Content::Value(y as f32),
            _ => Content::Empty,
        }
    }

    #[test]
    fn a_section_shows_what_is_between_the_lowest_opening_and_the_highest_ground() {
        let of = |axis, cell| Survey::new(GRID, axis, cell, content);
        let part = |across, up| CellRect { across, up };
        assert_eq!(
            of(Axis::X, 1),
            Survey {
                extent: part([0, 9], [11, 14]),
                largest: 13.0
            }
        );
        assert_eq!(
            of(Axis::Z, 0),
            Survey {
                extent: part([0, 6], [10, 15]),
                largest: 13.0
            }
        );
        assert_eq!(
            of(Axis::Z, 4).extent,
            part([0, 6], [7, 15]),
            "with the cave"
        );
        assert_eq!(
            of(Axis::Y, 12),
            Survey {
                extent: part([1, 6], [0, 9]),
                largest: 12.0
            }
        );
        assert_eq!(
            of(Axis::Y, 14).extent,
            part([5, 6], [0, 9]),
            "the highest ground"
        );
        let all = |content: Content| Survey::new(GRID, Axis::X, 0, move |_| content).extent;
        for content in [Content::Empty, Content::Solid, Content::Value(1.0)] {
            assert_eq!(all(content), part([0, 9], [0, 50]), "{content:?}");
        }
    }

    #[test]
    fn a_crop_has_a_margin_and_grows_in_steps() {
        let whole = CellRect {
            across: [0, 40],
            up: [0, 50],
        };
        let mut crop = Crop::default();
        let mut show = |up| {
            crop.show(
                CellRect {
                    across: [0, 40],
                    up,
                },
                whole,
            )
        };
        assert_eq!(
            show([10, 20]),
            CellRect {
                across: [0, 40],
                up: [8, 22]
            }
        );
        assert_eq!(show([9, 22]).up, [8, 22], "what is inside changes nothing");
        assert_eq!(show([10, 15]).up, [8, 22], "nor what shrinks");
        assert_eq!(show([9, 23]).up, [7, 25]);
        assert_eq!(show([0, 50]), whole);
    }

    #[test]
    fn a_crop_keeps_a_fifth_of_the_slice() {
        assert_eq!(widened([30, 31], 20, 100), [21, 41]);
        assert_eq!(widened([0, 1], 20, 100), [0, 20]);
        assert_eq!(widened([97, 100], 20, 100), [80, 100]);
        assert_eq!(widened([3, 4], 20, 8), [0, 8]);
        assert_eq!(widened([100, 300], 20, 400), [84, 316]);
    }
}
