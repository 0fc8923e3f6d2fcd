//! Recent durations of the stages of simulation steps and of frames, for the plots in the panel.

use std::collections::VecDeque;
use std::time::Duration;

use crate::messages::Report;
use crate::paint::PaintTimes;

/// Number of durations kept for each stage; older ones are dropped.
const KEPT: usize = 120;

/// Recent durations of each stage in milliseconds, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct StageTimes {
    /// Durations in milliseconds by stage name; index 0: stages of a simulation step, index 1:
    /// stages of a frame.
    samples: [Vec<(&'static str, VecDeque<f32>)>; 2],
    step: Option<u64>,
}

impl StageTimes {
    /// Records the durations of the stages in `report`, unless an earlier report of the same step
    /// was recorded.
    pub(crate) fn note(&mut self, report: &Report) {
        if self.step != Some(report.step) {
            self.step = Some(report.step);
            report
                .times
                .iter()
                .for_each(|&(stage, time)| push(&mut self.samples[0], stage, time));
        }
    }

    /// Records the durations of a frame's stages. `whole`: time from the beginning of the frame
    /// until the picture is on the screen; `times` is clamped to `whole`, because the painter
    /// measures only some frames and `times` may come from an earlier, slower frame.
    pub(crate) fn note_frame(&mut self, times: PaintTimes, whole: Duration) {
        for (stage, time) in [("upload", times.upload), ("draw", times.draw)] {
            push(&mut self.samples[1], stage, time.min(whole));
        }
    }

    /// Returns all stages in the order of display: name, and durations in milliseconds, oldest
    /// first.
    pub(crate) fn stages(&self) -> impl Iterator<Item = (&'static str, &VecDeque<f32>)> {
        self.samples
            .iter()
            .flatten()
            .map(|(stage, samples)| (*stage, samples))
    }
}

/// Appends the duration `time` to the samples of `stage`, and drops the oldest sample if there are
/// more than `KEPT`.
fn push(stages: &mut Vec<(&'static str, VecDeque<f32>)>, stage: &'static str, time: Duration) {
    let at = stages
        .iter()
        .position(|(name, _)| *name == stage)
        .unwrap_or_else(|| {
            stages.push((stage, VecDeque::new()));
            stages.len() - 1
        });
    let samples = &mut stages[at].1;
    if samples.len() == KEPT {
        samples.pop_front();
    }
    samples.push_back(time.as_secs_f32() * 1e3);
}
