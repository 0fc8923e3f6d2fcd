//! The last times of each stage, for the live plots.

use std::collections::VecDeque;
use std::time::Duration;

use super::link::Report;
use super::paint::PaintTimes;

/// Samples kept of each stage.
const KEPT: usize = 120;

/// Stages in the order in which they are shown.
pub(crate) const STAGES: [&str; 6] = ["sources", "gravity", "spreading", "filter", "upload", "draw"];

/// Milliseconds of each stage, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    samples: [VecDeque<f32>; 6],
    step: Option<u64>,
}

impl History {
    /// Notes what the simulation took, once for each state.
    pub(crate) fn note(&mut self, report: &Report) {
        if self.step == Some(report.step) {
            return;
        }
        self.step = Some(report.step);
        let times = report.times;
        for (stage, time) in [times.sources, times.gravity, times.spreading, times.filter].into_iter().enumerate() {
            self.push(stage, time);
        }
    }

    /// Notes what a frame took; `whole` is its time from the first call to the screen. The painter measures its work now
    /// and then only, so a faster frame since then bounds it.
    pub(crate) fn note_frame(&mut self, times: PaintTimes, whole: Duration) {
        self.push(4, times.upload.min(whole));
        self.push(5, times.draw.min(whole));
    }

    fn push(&mut self, stage: usize, time: Duration) {
        let samples = &mut self.samples[stage];
        if samples.len() == KEPT {
            samples.pop_front();
        }
        samples.push_back(time.as_secs_f32() * 1e3);
    }

    /// Milliseconds of one stage, oldest first.
    pub(crate) fn of(&self, stage: usize) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.samples[stage].iter().copied()
    }
}
