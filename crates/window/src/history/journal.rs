//! Journal of the window: one line of text per event of the session, for scripts that watch the
//! window.

use crate::edit::vent_handles;
use crate::messages::{Notice, Report};
use lavoxel_sim::source::VentSpec;

/// Number of simulation steps between two lines about the progress.
const EVERY: u64 = 100;

/// Callback that receives each line of the journal.
pub type Log = Box<dyn FnMut(&str)>;

/// Writer of a log with one line for each difference between successive reports of the simulation.
pub(crate) struct Journal {
    log: Option<Log>,
    epoch: Option<u64>,
    step: u64,
    /// Value of `Report::ways` (number of seeks begun) in the last report; a change is logged.
    ways: u64,
    /// Step of the last report if the simulation was paused then; `None` while the simulation runs.
    paused: Option<u64>,
    /// Set until the simulation, which is to run from the start, has begun to run; prevents a line
    /// about the initial pause.
    starting: bool,
    vents: Vec<(usize, VentSpec)>,
}

impl Journal {
    /// Creates a journal that writes to `log` (`None`: nowhere). `starting`: true if the simulation
    /// is to run at once.
    pub(crate) fn new(log: Option<Log>, starting: bool) -> Self {
        Self {
            log,
            epoch: None,
            step: 0,
            ways: 0,
            paused: None,
            starting,
            vents: Vec::new(),
        }
    }

    /// Writes one line to the log; no effect without a log.
    pub(crate) fn say(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            log(line);
        }
    }

    /// Writes the text of `notice` to the log; the text of an error gets the prefix "wrong: ".
    pub(crate) fn note(&mut self, notice: &Notice) {
        let wrong = if notice.wrong { "wrong: " } else { "" };
        self.say(&format!("{wrong}{}", notice.text));
    }

    /// Writes a line for each change from the previous report to `report`: a new scene, seeks,
    /// progress, pauses and changed vents.
    pub(crate) fn follow(&mut self, report: &Report) {
        if self.epoch != Some(report.epoch) {
            let grid = report.grid;
            self.say(&format!(
                "scene {} {}x{}x{} step {}",
                report.name, grid.nx, grid.ny, grid.nz, report.step
            ));
            self.epoch = Some(report.epoch);
            self.step = report.step;
            self.vents.clone_from(&report.vents);
        }
        if self.ways != report.ways {
            self.ways = report.ways;
            self.say(&format!("to step {}", report.goal.step));
        }
        self.starting &= report.pace == crate::messages::Pace::Paused && report.step == self.step;
        let passed = (self.step / EVERY + 1..=report.step / EVERY).map(|n| n * EVERY);
        passed.for_each(|step| self.say(&format!("step {step}")));
        self.step = report.step;
        // Steps are compared too: a slow window may miss the reports between two pauses.
        let paused = (report.pace == crate::messages::Pace::Paused).then_some(report.step);
        if let Some(step) = paused.filter(|_| paused != self.paused && !self.starting) {
            self.say(&format!("paused at step {step}"));
        }
        self.paused = paused;
        self.follow_vents(&report.vents);
    }

    fn follow_vents(&mut self, vents: &[(usize, VentSpec)]) {
        if self.vents == vents {
            return;
        }
        let before = std::mem::replace(&mut self.vents, vents.to_vec());
        for (number, vent) in vents {
            let named = vent_handles::name(*number, vent);
            match before.iter().find(|(old, _)| old == number) {
                None => self.say(&format!("{named} placed at x {} z {}", vent.x, vent.z)),
                Some((_, old)) if old != vent => self.say(&format!(
                    "{named} at x {} z {} radius {} rate {} energy {}",
                    vent.x, vent.z, vent.radius, vent.rate, vent.energy
                )),
                Some(_) => {}
            }
        }
        for (number, vent) in before
            .iter()
            .filter(|(old, _)| vents.iter().all(|(number, _)| number != old))
        {
            self.say(&format!("{} closed", vent_handles::name(*number, vent)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::messages::Pace;
    use lavoxel_base::grid::Grid;

    fn lines(starting: bool, reports: &[(u64, Pace)]) -> Vec<String> {
        let lines = Rc::new(RefCell::new(Vec::new()));
        let sink = lines.clone();
        let mut journal = Journal::new(
            Some(Box::new(move |line| {
                sink.borrow_mut().push(line.to_owned())
            })),
            starting,
        );
        for (step, pace) in reports {
            journal.follow(&Report {
                step: *step,
                pace: *pace,
                ..Report::quiet(Grid::new(8, 8, 8))
            });
        }
        lines.take().split_off(1)
    }

    #[test]
    fn a_run_that_starts_is_not_called_paused() {
        assert!(
            lines(
                true,
                &[(0, Pace::Paused), (0, Pace::Free), (40, Pace::Free)]
            )
            .is_empty()
        );
        assert_eq!(
            lines(true, &[(0, Pace::Paused), (60, Pace::Paused)]),
            ["paused at step 60"]
        );
        assert_eq!(
            lines(false, &[(0, Pace::Paused), (0, Pace::Paused)]),
            ["paused at step 0"]
        );
        assert_eq!(
            lines(
                true,
                &[(0, Pace::Paused), (0, Pace::Free), (0, Pace::Paused)]
            ),
            ["paused at step 0"]
        );
    }
}
