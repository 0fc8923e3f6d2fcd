//! Comparison of two branches side by side: the simulation goes to the same step of another branch,
//! the window takes that picture from the present camera and comes back, and the picture lies over
//! the left part of the window until something changes.

use image::RgbaImage;
use kiss3d::egui::{ColorImage, TextureHandle, TextureOptions};

use crate::messages::{Command, Moment, Notice, Pace, TimeLine};
use crate::paint::View;
use crate::shell::app::App;
use lavoxel_render::LookSpec;

/// State of the comparison.
#[derive(Debug, Default)]
pub(crate) enum Compare {
    /// No comparison.
    #[default]
    Idle,
    /// The simulation is on its way to this branch.
    Going(u64),
    /// The simulation is on its way back; the picture of the branch is taken.
    Coming(u64, Box<RgbaImage>),
    /// Both are shown.
    Shown(Box<Seen>),
}

/// Inputs of both pictures: the comparison ends when any of these values changes.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    view: View,
    look: LookSpec,
    moment: Moment,
    epoch: u64,
}

/// Two branches as the window shows them.
#[derive(Clone)]
pub(crate) struct Sides {
    /// Picture of the other branch, in the size of the window.
    pub(crate) picture: TextureHandle,
    /// Names of the other branch and of the present one, with their steps.
    pub(crate) names: [String; 2],
    /// Position of the divider: fraction of the width that shows the other branch.
    pub(crate) divider: f32,
}

impl App {
    /// Begins to compare the present state with a branch.
    pub(crate) fn compare(&mut self, branch: u64) {
        self.end_comparison();
        self.state.tools.cancel();
        self.state.pace.value = Pace::Paused;
        self.state.pace.touch();
        self.worker.send(Command::Pace(Pace::Paused));
        self.worker.send(Command::Visit(Some(branch)));
        self.compare = Compare::Going(branch);
    }

    /// Ends a comparison, at any stage.
    pub(crate) fn end_comparison(&mut self) {
        if matches!(self.compare, Compare::Going(_)) {
            self.worker.send(Command::Visit(None));
        }
        if !matches!(self.compare, Compare::Idle) {
            self.journal.say("comparison ended");
        }
        self.compare = Compare::Idle;
        self.state.sides = None;
    }

    /// Advances a comparison once the simulation has answered, and ends the comparison when
    /// something changes. Returns true if anything was done.
    pub(crate) fn go_on_comparing(&mut self) -> bool {
        let Some(report) = &self.state.report else { return false };
        let (visited, back) = (report.visited, report.visited.is_none() && report.goal == report.moment);
        match std::mem::take(&mut self.compare) {
            Compare::Idle => false,
            Compare::Going(branch) if visited == Some(branch) => {
                self.take_other(branch);
                true
            }
            Compare::Coming(branch, picture) if back => {
                self.show_sides(branch, &picture);
                true
            }
            Compare::Shown(seen) if self.seen_now().as_ref() != Some(&*seen) => {
                self.compare = Compare::Shown(seen);
                self.end_comparison();
                true
            }
            other => {
                self.compare = other;
                false
            }
        }
    }

    /// Takes the picture of the visited branch, and returns to the present one.
    fn take_other(&mut self, branch: u64) {
        self.worker.send(Command::Visit(None));
        let picture = self.camera().and_then(|camera| {
            let view = self.state.view(camera);
            let frames = self.shot_frames();
            self.painter.picture(&view, frames, false)
        });
        match picture {
            Some(picture) => self.compare = Compare::Coming(branch, Box::new(picture)),
            None => self.tell(Notice::wrong("there is no picture to compare with yet".to_owned())),
        }
    }

    /// Lays the picture over the window.
    fn show_sides(&mut self, branch: u64, picture: &RgbaImage) {
        let (Some(seen), Some(report)) = (self.seen_now(), &self.state.report) else { return };
        let names = names(&report.timeline, branch, report.moment.step);
        let size = [picture.width() as usize, picture.height() as usize];
        let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
        let texture = self.window.egui_context().load_texture("other branch", image, TextureOptions::LINEAR);
        self.journal.say(&format!("comparing {} with {}", names[0], names[1]));
        self.state.sides = Some(Sides { picture: texture, names, divider: 0.5 });
        self.compare = Compare::Shown(Box::new(seen));
    }

    /// Present values of everything on which both pictures depend.
    fn seen_now(&self) -> Option<Seen> {
        let (camera, report) = (self.camera()?, self.state.report.as_ref()?);
        let (look, moment, epoch) = (self.state.look.clone(), report.moment, report.epoch);
        Some(Seen { view: self.state.view(camera), look, moment, epoch })
    }
}

/// Names of both sides, each with its step.
fn names(line: &TimeLine, branch: u64, step: u64) -> [String; 2] {
    let named = |number: u64| {
        let of = line.branches.iter().map(|report| &report.branch).find(|branch| branch.number == number);
        of.map_or_else(String::new, |branch| format!("{}, step {}", branch.name, step.min(branch.end)))
    };
    [named(branch), named(line.present)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Branch, BranchReport};

    #[test]
    fn a_branch_that_ends_earlier_says_so() {
        let branch = |number, name: &str, end| {
            let branch = Branch { number, name: name.to_owned(), named: false, last: 0, end };
            BranchReport { branch, parts_at: 10 }
        };
        let branches = vec![branch(1, "main", 40), branch(2, "with a dam", 90)];
        let line = TimeLine { present: 2, branches, ..TimeLine::default() };
        assert_eq!(names(&line, 1, 70), ["main, step 40", "with a dam, step 70"]);
    }
}
