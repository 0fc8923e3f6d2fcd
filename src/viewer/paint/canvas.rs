//! Textures of one size, what was last drawn on them, and the average that grows while nothing changes.
//!
//! A picture has two canvases: one for what only changes with the camera, the ground and the slices, and one for the
//! lava. While lava runs before a camera at rest, the first stays and the second may be coarse.

use super::film::Sheet;
use super::frame::Frame;
use super::stage::Bound;

/// Light of one view.
#[derive(Default)]
pub(super) struct Canvas {
    exposed: Option<Exposed>,
    /// Numbers and content of the picture that is averaged.
    shown: Option<(Frame, u64)>,
    /// Frames in the average.
    averaged: u32,
    /// Textures made so far.
    made: u64,
}

/// Textures, bound to a scene.
pub(super) struct Exposed {
    sheet: Sheet,
    bound: Bound,
    /// The state of the scene's textures that `bound` belongs to.
    bindings: u64,
    /// The frame for which the ground was found, and that state.
    ground: Option<(Frame, u64)>,
    /// Tells these textures from those before them.
    made: u64,
}

/// Which frame of an average is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn(u32);

impl Turn {
    /// Shift of the rays within a pixel and of their first samples: none in the first frame, then low-discrepancy
    /// points.
    pub(super) fn shift(self) -> [f32; 3] {
        if self.0 == 0 {
            return [0.0; 3];
        }
        [halton(self.0, 2) - 0.5, halton(self.0, 3) - 0.5, (self.0 as f32 * 0.618_034).fract()]
    }

    /// Share of this frame in the average.
    pub(super) fn share(self) -> f64 {
        1.0 / f64::from(self.0 + 1)
    }
}

impl Canvas {
    /// The frame that is due for this picture, or `None` when `most` frames are in the average.
    pub(super) fn turn(&mut self, still: &Frame, content: u64, most: u32) -> Option<Turn> {
        if self.shown.as_ref().is_none_or(|(frame, of)| frame != still || *of != content) {
            self.shown = Some((*still, content));
            self.averaged = 0;
        }
        if self.averaged >= most {
            return None;
        }
        self.averaged += 1;
        Some(Turn(self.averaged - 1))
    }

    /// Frames in the average.
    pub(super) fn averaged(&self) -> u32 {
        self.averaged
    }

    /// Begins a new average.
    pub(super) fn forget(&mut self) {
        self.shown = None;
    }

    /// Textures of this size, bound to the scene as it is.
    pub(super) fn prepare(
        &mut self,
        size: [usize; 2],
        bindings: u64,
        expose: impl FnOnce([usize; 2]) -> Sheet,
        bind: impl FnOnce(&Sheet) -> Bound,
    ) -> &mut Exposed {
        match &mut self.exposed {
            Some(exposed) if exposed.sheet.size == size => {
                if exposed.bindings != bindings {
                    exposed.bound = bind(&exposed.sheet);
                    exposed.bindings = bindings;
                }
            }
            exposed => {
                let sheet = expose(size);
                let bound = bind(&sheet);
                self.made += 1;
                *exposed = Some(Exposed { sheet, bound, bindings, ground: None, made: self.made });
            }
        }
        self.exposed.as_mut().expect("it was just put there")
    }

    /// The textures and their number, once something was drawn.
    pub(super) fn sheet(&self) -> Option<(&Sheet, u64)> {
        self.exposed.as_ref().map(|exposed| (&exposed.sheet, exposed.made))
    }
}

impl Exposed {
    pub(super) fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    pub(super) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Whether the ground must be found anew for this frame; if so, it counts as found.
    pub(super) fn ground_moved(&mut self, frame: &Frame, bindings: u64) -> bool {
        let moved = self.ground.as_ref().is_none_or(|(last, of)| !last.same_rays(frame) || *of != bindings);
        if moved {
            self.ground = Some((*frame, bindings));
        }
        moved
    }
}

/// Van der Corput's sequence in a base: evenly spread at every length.
fn halton(index: u32, base: u32) -> f32 {
    let (mut sum, mut weight, mut rest) = (0.0, 1.0, index);
    while rest > 0 {
        weight /= base as f32;
        sum += weight * (rest % base) as f32;
        rest /= base;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_start_in_the_middle_and_spread_evenly() {
        assert_eq!(Turn(0).shift(), [0.0; 3]);
        let shifts: Vec<_> = (1..9).map(|i| Turn(i).shift()).collect();
        for axis in 0..2 {
            let mean: f32 = shifts.iter().map(|s| s[axis]).sum::<f32>() / 8.0;
            assert!(mean.abs() < 0.1 && shifts.iter().all(|s| s[axis].abs() <= 0.5), "axis {axis}: {mean}");
        }
    }

    #[test]
    fn shares_make_an_even_average() {
        let values = [3.0, 5.0, 10.0, 2.0];
        let mean = values.iter().enumerate().fold(0.0, |mean, (i, value)| {
            let share = Turn(i as u32).share();
            mean * (1.0 - share) + value * share
        });
        assert!((mean - 5.0).abs() < 1e-12);
    }
}
