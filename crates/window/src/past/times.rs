//! Recent durations of the stages of steps and frames, for the live plots.

use std::collections::VecDeque;
use std::time::Duration;

use crate::messages::Report;
use crate::paint::PaintTimes;

/// Number of samples kept per stage.
const KEPT: usize = 120;

/// Recent durations of each stage in milliseconds, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct StageTimes {
    /// Stages of a step (index 0) and of a frame (index 1).
    samples: [Vec<(&'static str, VecDeque<f32>)>; 2],
    step: Option<u64>,
}

impl StageTimes {
    /// Records the durations of the simulation's stages, once per step.
    pub(crate) fn note(&mut self, report: &Report) {
        if self.step != Some(report.step) {
            self.step = Some(report.step);
            report
                .times
                .iter()
                .for_each(|&(stage, time)| push(&mut self.samples[0], stage, time));
        }
    }

    /// Records the durations of a frame; `whole` is the time from the first call to the screen. The
    /// painter measures only some frames, so `whole` of a later, faster frame is an upper bound of
    /// the measured times.
    pub(crate) fn note_frame(&mut self, times: PaintTimes, whole: Duration) {
        for (stage, time) in [("upload", times.upload), ("draw", times.draw)] {
            push(&mut self.samples[1], stage, time.min(whole));
        }
    }

    /// Iterates over all stages in display order: name, and durations in milliseconds, oldest
    /// first.
    pub(crate) fn stages(&self) -> impl Iterator<Item = (&'static str, &VecDeque<f32>)> {
        self.samples
            .iter()
            .flatten()
            .map(|(stage, samples)| (*stage, samples))
    }
}

/// Appends `time` to the samples of `stage`, creating the stage if missing.
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
