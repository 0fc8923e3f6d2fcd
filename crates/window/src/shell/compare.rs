//! Side-by-side comparison of two branches: the simulation seeks to the same step of the other
//! branch, the window takes a picture with the present camera, and the simulation returns; the
//! picture is shown left of the divider until something changes.

use image::RgbaImage;
use kiss3d::egui::{ColorImage, TextureHandle, TextureOptions};

use crate::messages::{Command, Moment, Notice, Pace, TimeLine};
use crate::paint::View;
use crate::shell::app::App;
use lavoxel_render::LookSpec;

/// State of the comparison of two branches.
#[derive(Debug, Default)]
pub(crate) enum Compare {
    /// No comparison is in progress.
    #[default]
    Idle,
    /// The simulation seeks to the other branch, which has this number.
    Going(u64),
    /// The picture of the other branch, which has this number, is ready (second field); the
    /// simulation seeks back to the present branch.
    Coming(u64, Box<RgbaImage>),
    /// Both branches are shown, with these inputs of their pictures.
    Shown(Box<Seen>),
}

/// Inputs on which both pictures of a comparison, or a print, depend; a change of any value ends the
/// comparison or the print.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    view: View,
    look: LookSpec,
    moment: Moment,
    epoch: u64,
}

/// Two pictures side by side: those of another branch and the present branch, or those of two runs.
#[derive(Clone)]
pub(crate) struct Sides {
    /// Picture of the other branch in the window's size, of which the region left of the divider is
    /// shown; `None` for two runs, whose painters draw both sides.
    pub(crate) picture: Option<TextureHandle>,
    /// Labels of the left and the right picture: name of the branch or scene, and step or simulated
    /// time.
    pub(crate) names: [String; 2],
    /// Position of the divider, as a fraction (0 to 1) of the window's width without the panel.
    pub(crate) divider: f32,
}

impl Sides {
    /// Returns true if the two pictures belong to two runs, false for two branches.
    pub(crate) fn are_runs(&self) -> bool {
        self.picture.is_none()
    }
}

impl App {
    /// Begins a comparison of the present branch with the branch number `branch`; while two runs
    /// are shown, shows an error instead.
    pub(crate) fn compare(&mut self, branch: u64) {
        if self.second.is_some() {
            let text = "branches are compared one run at a time: close the second run first";
            return self.tell(Notice::wrong(text.to_owned()));
        }
        self.end_comparison();
        self.state.tools.cancel();
        self.state.pace.value = Pace::Paused;
        self.state.pace.touch();
        self.worker.send(Command::Pace(Pace::Paused));
        self.worker.send(Command::Visit(Some(branch)));
        self.compare = Compare::Going(branch);
    }

    /// Ends the comparison of branches, in any of its states; does nothing without a comparison.
    pub(crate) fn end_comparison(&mut self) {
        if matches!(self.compare, Compare::Going(_)) {
            self.worker.send(Command::Visit(None));
        }
        if !matches!(self.compare, Compare::Idle) {
            self.journal.say("comparison ended");
        }
        self.compare = Compare::Idle;
        self.state.sides.take_if(|sides| !sides.are_runs());
    }

    /// Continues the comparison once the simulation has reached the requested moment, and ends the
    /// comparison after a change of its inputs. Returns true if the state of the comparison
    /// changed.
    pub(crate) fn go_on_comparing(&mut self) -> bool {
        let Some(report) = &self.state.report else {
            return false;
        };
        let (visited, back) = (
            report.visited,
            report.visited.is_none() && report.goal == report.moment,
        );
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

    /// Takes the picture of the other branch (number `branch`) and sends the simulation back to the
    /// present branch.
    fn take_other(&mut self, branch: u64) {
        self.worker.send(Command::Visit(None));
        let picture = self.camera().and_then(|camera| {
            let view = self.state.view(camera);
            let frames = self.shot_frames();
            self.painter.picture(&view, frames, false)
        });
        match picture {
            Some(picture) => self.compare = Compare::Coming(branch, Box::new(picture)),
            None => self.tell(Notice::wrong(
                "there is no picture to compare with yet".to_owned(),
            )),
        }
    }

    /// Shows `picture`, the picture of the branch number `branch`, left of the divider.
    fn show_sides(&mut self, branch: u64, picture: &RgbaImage) {
        let (Some(seen), Some(report)) = (self.seen_now(), &self.state.report) else {
            return;
        };
        let names = names(&report.timeline, branch, report.moment.step);
        let size = [picture.width() as usize, picture.height() as usize];
        let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
        let texture =
            self.window
                .egui_context()
                .load_texture("other branch", image, TextureOptions::LINEAR);
        self.journal
            .say(&format!("comparing {} with {}", names[0], names[1]));
        self.state.sides = Some(Sides {
            picture: Some(texture),
            names,
            divider: 0.5,
        });
        self.compare = Compare::Shown(Box::new(seen));
    }

    /// Returns the present values of the inputs on which the pictures of a comparison or a print
    /// depend; `None` before the first report.
    pub(crate) fn seen_now(&self) -> Option<Seen> {
        let (camera, report) = (self.camera()?, self.state.report.as_ref()?);
        let (look, moment, epoch) = (self.state.look.clone(), report.moment, report.epoch);
        Some(Seen {
            view: self.state.view(camera),
            look,
            moment,
            epoch,
        })
    }
}

/// Returns the labels of the branch number `branch` and of the present branch on the timeline
/// `line`: each has the branch's name and the step `step`.
fn names(line: &TimeLine, branch: u64, step: u64) -> [String; 2] {
    let named = |number: u64| {
        let of = line
            .branches
            .iter()
            .map(|report| &report.branch)
            .find(|branch| branch.number == number);
        of.map_or_else(String::new, |branch| {
            format!("{}, step {}", branch.name, step.min(branch.end))
        })
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
            let branch = Branch {
                number,
                name: name.to_owned(),
                named: false,
                last: 0,
                end,
            };
            BranchReport {
                branch,
                parts_at: 10,
            }
        };
        let branches = vec![branch(1, "main", 40), branch(2, "with a dam", 90)];
        let line = TimeLine {
            present: 2,
            branches,
            ..TimeLine::default()
        };
        assert_eq!(
            names(&line, 1, 70),
            ["main, step 40", "with a dam, step 70"]
        );
    }
}
