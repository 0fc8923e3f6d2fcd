//! Canvas: render targets of one partial image of the picture (backdrop or lava), which accumulate
//! the average of several frames while nothing changes.
//!
//! Each partial image has two canvases: a coarse one for moving content and a fine one for content
//! at rest. The backdrop changes only with camera, ground and slices, the second partial image with
//! the lava: while lava flows in front of a camera at rest, the backdrop is fine and the lava
//! coarse.

use super::film::RenderTarget;
use super::frame::Frame;
use super::stage::Bound;
use super::turn::Turn;

/// Accumulated light of one partial image (backdrop or lava) in one resolution.
#[derive(Default)]
pub(super) struct Canvas {
    exposed: Option<Exposed>,
    /// Cache key of the picture that is being accumulated: its shader parameters and change
    /// counter; `None` before the first picture.
    shown: Option<(Frame, u64)>,
    /// Number of complete frames that the average contains.
    averaged: u32,
    /// Index of the next band (consecutive pixel rows) to draw of the frame in progress, and the
    /// number of bands of that frame.
    band: (u32, u32),
    /// Number of sets of render targets that this canvas has created so far.
    made: u64,
}

/// Render targets of one size, with the bind groups that connect the scene's textures to the passes
/// drawing into these targets.
pub(super) struct Exposed {
    sheet: RenderTarget,
    bound: Bound,
    /// Version number of the scene's textures for which `bound` was created.
    bindings: u64,
    /// Parameters of the frame for which the ground under each pixel was last searched, and the
    /// version number of the scene's textures at that time; `None` before the first search.
    ground: Option<(Frame, u64)>,
    /// Serial number of this set of render targets within the canvas.
    made: u64,
}

impl Canvas {
    /// Returns the next band to draw for the average of the picture with the cache key (`still`,
    /// `content`); a change of the key restarts the average. `bands`: number of bands per frame.
    /// `None` if the average already contains `most` frames.
    pub(super) fn turn(
        &mut self,
        still: &Frame,
        content: u64,
        most: u32,
        bands: u32,
    ) -> Option<Turn> {
        if !self.shows(still, content) {
            self.shown = Some((*still, content));
            (self.averaged, self.band) = (0, (0, 1));
        }
        if self.averaged >= most {
            return None;
        }
        if self.band.0 == 0 {
            self.band.1 = bands.max(1);
        }
        let turn = Turn {
            frame: self.averaged,
            band: self.band,
        };
        self.band.0 += 1;
        if self.band.0 == self.band.1 {
            (self.band.0, self.averaged) = (0, self.averaged + 1);
        }
        Some(turn)
    }

    /// Returns true if the canvas accumulates the picture whose cache key is (`still`, `content`).
    fn shows(&self, still: &Frame, content: u64) -> bool {
        self.shown
            .as_ref()
            .is_some_and(|(frame, of)| frame == still && *of == content)
    }

    /// Returns true if the average contains at least one complete frame of the picture whose cache
    /// key is (`still`, `content`).
    pub(super) fn is_whole(&self, still: &Frame, content: u64) -> bool {
        self.averaged > 0 && self.shows(still, content)
    }

    /// Discards the average; the next band begins a new average.
    pub(super) fn forget(&mut self) {
        self.shown = None;
    }

    /// Returns the render targets of `size` pixels (width, height), bound to the scene's textures
    /// with the version number `bindings`. Calls `expose` to create targets only if the size
    /// differs, and `bind` only if the targets or the textures are new.
    pub(super) fn prepare(
        &mut self,
        size: [usize; 2],
        bindings: u64,
        expose: impl FnOnce([usize; 2]) -> RenderTarget,
        bind: impl FnOnce(&RenderTarget) -> Bound,
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
                *exposed = Some(Exposed {
                    sheet,
                    bound,
                    bindings,
                    ground: None,
                    made: self.made,
                });
            }
        }
        self.exposed.as_mut().expect("it was just put there")
    }

    /// Returns the render targets and their serial number within this canvas; `None` before the
    /// first drawing.
    pub(super) fn sheet(&self) -> Option<(&RenderTarget, u64)> {
        self.exposed
            .as_ref()
            .map(|exposed| (&exposed.sheet, exposed.made))
    }
}

impl Exposed {
    pub(super) fn sheet(&self) -> &RenderTarget {
        &self.sheet
    }

    pub(super) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Returns true if the ground under each pixel must be searched for `frame`: the rays or the
    /// version number `bindings` of the textures have changed since the last search. If so, `frame`
    /// counts as searched from now on.
    pub(super) fn ground_moved(&mut self, frame: &Frame, bindings: u64) -> bool {
        let moved = self
            .ground
            .as_ref()
            .is_none_or(|(last, of)| !last.same_rays(frame) || *of != bindings);
        if moved {
            self.ground = Some((*frame, bindings));
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_every_row_of_a_frame_once() {
        let still = bytemuck::Zeroable::zeroed();
        let mut canvas = Canvas::default();
        let mut rows = Vec::new();
        for _ in 0..7 {
            assert!(!canvas.is_whole(&still, 1));
            let turn = canvas.turn(&still, 1, 2, 7).expect("two frames are wanted");
            assert_eq!(turn.share(), 1.0);
            rows.extend(turn.rows(100));
        }
        assert_eq!(rows, (0..100).collect::<Vec<u32>>());
        assert!(canvas.is_whole(&still, 1) && !canvas.is_whole(&still, 2));
        // Another number of bands takes effect with the next frame.
        assert_eq!(
            canvas
                .turn(&still, 1, 2, 1)
                .map(|turn| (turn.share(), turn.rows(9))),
            Some((0.5, 0..9))
        );
        assert_eq!(canvas.turn(&still, 1, 2, 1), None);
        assert!(
            canvas.turn(&still, 2, 2, 1).is_some(),
            "another picture begins again"
        );
    }
}
