//! Start and end times of a flow's steps: all steps have the same length, except those that the end
//! of a simulation cuts short.

/// Step of a flow that ends before its full length, because a simulation ended within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ShortStep {
    /// Number of the shortened step, counted from 0.
    step: u64,
    /// End time of the shortened step in seconds since the start of the simulation.
    end_s: f64,
}

/// Tolerance for rounding errors, as a share of the step length: an end time this close to the end
/// of a full step does not shorten the step.
const ROUNDING: f64 = 1e-9;

/// Start and end times of a flow's steps. A shortened step moves all later steps to earlier times.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowClock {
    step_s: f64,
    /// Shortened steps, in ascending order of their numbers.
    short: Vec<ShortStep>,
}

impl FlowClock {
    /// Returns a clock whose steps all last `step_s` seconds.
    pub fn from_step_s(step_s: f64) -> Self {
        Self {
            step_s,
            short: Vec::new(),
        }
    }

    /// Returns a clock with steps of `step_s` seconds, except the steps in `short`: rows of step
    /// number (from 0) and end time in seconds, in ascending order. `None` if a row does not
    /// describe a step that ends early.
    pub fn new(step_s: f64, short: &[[f64; 2]]) -> Option<Self> {
        let mut clock = Self::from_step_s(step_s);
        for &[step, end_s] in short {
            let number = step as u64;
            let start_s = clock.time_s(number);
            let is_next = clock.short.last().is_none_or(|last| last.step < number);
            let is_whole_number = step >= 0.0 && number as f64 == step;
            if !(is_next && is_whole_number && end_s > start_s && end_s < start_s + step_s) {
                return None;
            }
            clock.short.push(ShortStep {
                step: number,
                end_s,
            });
        }
        Some(clock)
    }

    /// Shortened steps with numbers below `step`, as rows of step number and end time in seconds,
    /// in the form that [`FlowClock::new`] takes.
    pub fn short_steps(&self, step: u64) -> Vec<[f64; 2]> {
        let made = self.short.iter().take_while(|short| short.step < step);
        made.map(|short| [short.step as f64, short.end_s]).collect()
    }

    /// Simulated time in seconds at the end of the first `steps` steps.
    pub fn time_s(&self, steps: u64) -> f64 {
        let before = self.short.partition_point(|short| short.step < steps);
        match before.checked_sub(1).map(|last| self.short[last]) {
            None => steps as f64 * self.step_s,
            Some(ShortStep { step, end_s }) => end_s + (steps - step - 1) as f64 * self.step_s,
        }
    }

    /// Length in seconds of the step with number `step`.
    pub fn length_s(&self, step: u64) -> f64 {
        match self.short.binary_search_by_key(&step, |short| short.step) {
            Ok(number) => self.short[number].end_s - self.time_s(step),
            Err(_) => self.step_s,
        }
    }

    /// Number of steps needed to reach the time `time_s` (seconds); a step that contains `time_s`
    /// counts in full.
    pub fn steps_in(&self, time_s: f64) -> u64 {
        let before = self.short.partition_point(|short| short.end_s <= time_s);
        let (steps, from_s) = before.checked_sub(1).map_or((0, 0.0), |last| {
            let ShortStep { step, end_s } = self.short[last];
            (step + 1, end_s)
        });
        // Without this allowance a rounding error in the last digit of `time_s` would add a step.
        steps + ((time_s - from_s) / self.step_s - ROUNDING).ceil().max(0.0) as u64
    }

    /// Sets the end time of the simulation to `end_s` (seconds), after `made` finished steps: the
    /// step that contains `end_s` is shortened to end at this time. `None`: all later steps have
    /// their full length.
    pub fn end_at(&mut self, made: u64, end_s: Option<f64>) {
        self.short.retain(|short| short.step < made);
        let Some(end_s) = end_s else { return };
        let steps = self.steps_in(end_s);
        if steps > made && end_s < self.time_s(steps - 1) + self.step_s * (1.0 - ROUNDING) {
            self.short.push(ShortStep {
                step: steps - 1,
                end_s,
            });
        }
    }

    /// Returns the clock with the end time `end_s` (in seconds; `None`: no end) for a simulation
    /// that begins; keeps the shortened steps of an earlier simulation that the new one continues.
    pub fn ending_at(mut self, end_s: Option<f64>) -> Self {
        let made = self.short.last().map_or(0, |last| last.step + 1);
        self.end_at(made, end_s);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_cuts_the_last_step_and_moves_those_after_it() {
        let mut clock = FlowClock::from_step_s(40.0);
        assert_eq!(
            [0.0, 40.0, 60.0, 80.0, 80.0 + 1e-8].map(|time| clock.steps_in(time)),
            [0, 1, 2, 2, 2]
        );
        clock.end_at(0, Some(60.0));
        assert_eq!(
            [0, 1, 2, 3].map(|steps| clock.time_s(steps)),
            [0.0, 40.0, 60.0, 100.0]
        );
        assert_eq!(
            [0, 1, 2].map(|step| clock.length_s(step)),
            [40.0, 20.0, 40.0]
        );
        assert_eq!(
            [40.0, 59.0, 60.0, 61.0, 100.0, 101.0].map(|time| clock.steps_in(time)),
            [1, 2, 2, 3, 3, 4]
        );
        // Step 1 is made and stays short; the new end cuts a later step.
        clock.end_at(2, Some(110.5));
        assert_eq!(
            [2, 3, 4].map(|steps| clock.time_s(steps)),
            [60.0, 100.0, 110.5]
        );
        let rows = clock.short_steps(4);
        assert_eq!(rows, [[1.0, 60.0], [3.0, 110.5]]);
        assert_eq!(FlowClock::new(40.0, &rows), Some(clock.clone()));
        assert_eq!(clock.short_steps(3), [[1.0, 60.0]]);
        clock.end_at(2, None);
        assert_eq!(clock.time_s(4), 140.0);
    }

    #[test]
    fn an_end_at_a_whole_step_cuts_nothing() {
        for (step_s, end_s) in [(40.0, 80.0), (0.1, 0.3), (3.7, 3.7 * 7.0), (1.0, 0.0)] {
            let clock = FlowClock::from_step_s(step_s);
            assert_eq!(
                clock.clone().ending_at(Some(end_s)),
                clock,
                "{step_s} {end_s}"
            );
        }
    }

    #[test]
    fn rows_that_are_no_short_steps_are_refused() {
        let rows: [&[[f64; 2]]; 6] = [
            &[[1.0, 80.0]],
            &[[1.0, 40.0]],
            &[[0.5, 30.0]],
            &[[-1.0, 30.0]],
            &[[1.0, 60.0], [1.0, 59.0]],
            &[[1.0, f64::NAN]],
        ];
        assert!(rows.iter().all(|rows| FlowClock::new(40.0, rows).is_none()));
    }
}
