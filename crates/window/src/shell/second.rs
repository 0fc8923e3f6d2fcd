//! Second run at the right of the window: painter, camera and look of its picture.
//!
//! The simulation thread makes the steps of both runs; the window has a painter for each run, and a
//! divider between both pictures.

use std::path::Path;

use image::{GenericImage, RgbaImage};

use crate::messages::{Command, Glow, Notice, Report, SecondUpdate, TwoRuns};
use crate::paint::{DrawOn, Painter, View};
use crate::shell::app::App;
use crate::shell::compare::Sides;
use crate::ui::sides::between_runs;
use lavoxel_base::validate::Invalid;
use lavoxel_files::shipped;
use lavoxel_render::{Bounds, Camera, LookSpec};
use lavoxel_scene::scene::Scene;

/// Least width in pixels of the picture of either run.
const NARROWEST: u32 = 16;

/// Second run as the window shows it: painter, look and last report.
pub(crate) struct SecondRun {
    pub(crate) painter: Painter,
    /// Look of the second scene, with all changes that the user has made to the look of the first
    /// run applied.
    look: LookSpec,
    /// Look of the first run at the last call of `follow`; the next call compares with this look to
    /// find the user's changes.
    followed: LookSpec,
    report: Option<Report>,
    /// Parameters of the second run's lava light that were sent last to the simulation; `None`
    /// before the first time.
    glow: Option<Glow>,
    /// Measured values of both runs that were written to the journal last, during a pause of both;
    /// `None` before the first entry.
    logged: Option<TwoRuns>,
}

impl SecondRun {
    fn new(look: &LookSpec, first: &Scene, draw_on: DrawOn) -> Result<Self, Invalid> {
        Ok(Self {
            painter: Painter::new(look, draw_on)?,
            look: look.clone(),
            followed: first.look(),
            report: None,
            glow: None,
            logged: None,
        })
    }

    /// Applies to the second run those keys of the first run's look that differ between the last
    /// call and `now`. Returns an error, and keeps the present look of the second run, if the
    /// result is invalid.
    fn follow(&mut self, now: &LookSpec) -> Result<(), Invalid> {
        let look = followed(&self.look, &self.followed, now);
        self.followed = now.clone();
        self.painter.set_look(&look)?;
        self.look = look;
        Ok(())
    }

    /// Returns the bounds that a camera of the second run frames, in cells, with heights scaled by
    /// the drawn cell height; `None` before the first ground.
    fn subject(&self) -> Option<Bounds> {
        let subject = self.painter.subject()?;
        Some(subject.of_tall_cells(self.look.cell_height))
    }
}

/// Returns a copy of the look `own` in which each key that differs between `before` and `after` has
/// the value from `after`. Cell height and drape stay as in `own`.
fn followed(own: &LookSpec, before: &LookSpec, after: &LookSpec) -> LookSpec {
    let table = |look| toml::Table::try_from(look).ok();
    let (Some(mut keys), Some(before), Some(after)) = (table(own), table(before), table(after))
    else {
        return own.clone();
    };
    for (key, value) in &after {
        if before.get(key) != Some(value) {
            keys.insert(key.clone(), value.clone());
        }
    }
    before
        .keys()
        .filter(|key| !after.contains_key(*key))
        .for_each(|key| drop(keys.remove(key)));
    let look = keys.try_into().unwrap_or_else(|_| own.clone());
    LookSpec {
        cell_height: own.cell_height,
        drape: own.drape.clone(),
        ..look
    }
}

impl App {
    /// Begins a second run of the scene or heightmap `path` (a path, or the name of a built-in
    /// scene); shows a notice if the file cannot be opened.
    pub(crate) fn run_second(&mut self, path: &Path) {
        let path = shipped::named(path).unwrap_or_else(|| path.to_owned());
        match Scene::open(&path) {
            Ok(scene) => self.run_second_of(scene),
            Err(error) => self.tell(Notice::wrong(error.to_string())),
        }
    }

    /// Begins a second run of `scene` and closes the start screen.
    pub(crate) fn run_second_of(&mut self, scene: Scene) {
        self.end_comparison();
        self.state.shown.opening = false;
        self.journal
            .say(&format!("opening {} at the right", scene.spec.name));
        self.worker.send(Command::Second(Some(Box::new(scene))));
    }

    /// Ends the second run. Without a second run, shows the start screen, where the user chooses
    /// the scene of a second run.
    pub(crate) fn toggle_second(&mut self) {
        match self.second {
            Some(_) => self.worker.send(Command::Second(None)),
            None => self.choose_second(),
        }
    }

    /// Shows the start screen, where the user chooses the scene of the second run.
    pub(crate) fn choose_second(&mut self) {
        self.show_files();
        self.state.shown.for_second = true;
    }

    /// Applies `update` to the picture of the second run; `None`: the second run has ended, and its
    /// picture is removed.
    pub(crate) fn follow_second(&mut self, update: Option<SecondUpdate>) {
        let Some(update) = update else {
            if self.second.take().is_some() {
                self.journal.say("second run closed");
                (self.state.sides, self.state.runs) = (None, None);
            }
            return;
        };
        if let Err(text) = self.apply_second(update) {
            self.tell(Notice::wrong(text));
        }
    }

    fn apply_second(&mut self, update: SecondUpdate) -> Result<(), String> {
        let SecondUpdate {
            mut update,
            look,
            numbers,
        } = update;
        if let Some(look) = look {
            self.reset_second(&look).map_err(|e| e.to_string())?;
        }
        let Some(second) = &mut self.second else {
            return Ok(());
        };
        let applied = second.painter.apply(&mut update.changes);
        if second.report.is_none() {
            let (name, grid) = (&update.report.name, update.report.grid);
            let size = format!("{}x{}x{}", grid.nx, grid.ny, grid.nz);
            self.journal.say(&format!("second run {name} {size}"));
        }
        second.report = Some(update.report);
        if let Some(numbers) = numbers {
            if numbers.hashes.is_some() && second.logged.as_ref() != Some(&numbers) {
                numbers
                    .lines()
                    .iter()
                    .for_each(|line| self.journal.say(line));
                second.logged = Some(numbers.clone());
            }
            self.label_sides(numbers);
        }
        applied.map_err(|too_large| too_large.to_string())
    }

    /// Prepares the painter of the second run for a new scene with the look `look`, to which the
    /// user's changes of the first run's look are applied. Returns an error if the resulting look
    /// is invalid.
    fn reset_second(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        let draw_on = if self.painter.is_on_cpu() {
            DrawOn::Cpu
        } else {
            DrawOn::Gpu
        };
        if self.second.is_none() {
            let first = &self.state.scene;
            self.second = Some(SecondRun::new(look, first, draw_on)?);
        } else if let Some(second) = &mut self.second {
            (second.look, second.followed) = (look.clone(), self.state.scene.look());
            (second.report, second.logged, second.glow) = (None, None, None);
        }
        self.second_follows_look()
    }

    /// Applies changes of the first run's look to the second run; no effect without a second run.
    /// Returns an error if the result is invalid.
    pub(crate) fn second_follows_look(&mut self) -> Result<(), Invalid> {
        let look = &self.state.look;
        self.second
            .as_mut()
            .map_or(Ok(()), |second| second.follow(look))
    }

    /// Stores the first run's present look as the one with which later changes are compared; called
    /// after another first scene was opened, whose look does not concern the second run.
    pub(crate) fn second_keeps_look(&mut self) {
        if let Some(second) = &mut self.second {
            second.followed = self.state.look.clone();
        }
    }

    /// Returns the parameters of the second run's lava light, to be sent to the simulation. `None`
    /// if they are unchanged since the last call, or if the painter computes this light.
    pub(crate) fn second_glow(&mut self) -> Option<Glow> {
        let second = self.second.as_mut()?;
        let glow = Glow::from(&second.look);
        let is_new = second.painter.needs_ember() && second.glow.replace(glow) != Some(glow);
        is_new.then_some(glow)
    }

    /// Sets the labels of both pictures from the measured values `numbers`, and stores `numbers`
    /// for the card of both runs.
    fn label_sides(&mut self, numbers: TwoRuns) {
        let names = [0, 1].map(|side| numbers.label(side));
        match &mut self.state.sides {
            Some(sides) => sides.names = names,
            none => {
                *none = Some(Sides {
                    picture: None,
                    names,
                    divider: 0.5,
                })
            }
        }
        self.state.runs = Some(numbers);
    }

    /// Returns the x position in pixels of the divider between the pictures of two runs; `None`
    /// without a second run.
    pub(crate) fn divider(&self) -> Option<u32> {
        let (width, scale) = (self.window.width(), self.window.scale_factor() as f32);
        let at = between_runs(&self.state, width as f32 / scale)? * scale;
        let at =
            (at.round() as u32).clamp(NARROWEST, width.saturating_sub(NARROWEST).max(NARROWEST));
        self.second.is_some().then_some(at)
    }

    /// Returns true if the pixel (x, y) of the window lies over the picture of the second run.
    pub(crate) fn over_second(&self, (x, _): (f32, f32)) -> bool {
        self.divider().is_some_and(|divider| x >= divider as f32)
    }

    /// Returns the pixel of the first run's picture that corresponds to the pixel (`x`, `y`) of the
    /// window: for a pixel of the second picture, the pixel with the same offset from the picture's
    /// centre.
    pub(crate) fn twin(&self, (x, y): (f32, f32)) -> (f32, f32) {
        // The middles lie half of the free width apart, wherever the divider is.
        let apart = 0.5 * (self.window.width() as f32 - self.covered());
        let aside = if self.over_second((x, y)) { apart } else { 0.0 };
        (x - aside, y)
    }

    /// Assigns each painter its pixel columns of the window, and sets the camera of the second
    /// painter.
    pub(crate) fn place_pictures(&mut self) {
        let divider = self.divider();
        self.painter.place(divider.map(|divider| 0..divider));
        let width = self.window.width();
        let view = self.second_view();
        if let (Some(second), Some(divider)) = (&mut self.second, divider) {
            second.painter.place(Some(divider..width.max(divider + 1)));
            view.iter().for_each(|view| second.painter.show(view));
        }
    }

    /// Returns camera and display options for the picture of the second run; `None` without a
    /// second run or before its first ground.
    pub(crate) fn second_view(&self) -> Option<View> {
        let width = self.window.width().saturating_sub(self.divider()?).max(1);
        let camera = self.second_camera((width as usize, self.size().1))?;
        Some(self.state.view(camera))
    }

    /// Returns the camera of the second run for a picture of `size` pixels (width, height): equal
    /// to the first run's camera if both boxes are equal, otherwise with the same position relative
    /// to the bounds of the second run. `None` without a second run or before its first report.
    fn second_camera(&self, size: (usize, usize)) -> Option<Camera> {
        let (second, rig) = (self.second.as_ref()?, self.rig.as_ref()?);
        let (first, own) = (self.state.report.as_ref()?, second.report.as_ref()?);
        if first.grid == own.grid && self.state.look.cell_height == second.look.cell_height {
            return Some(rig.camera(size));
        }
        let subject = self.painter.subject()?;
        let spec = rig.shown_spec(&subject.of_tall_cells(self.state.look.cell_height));
        Some(Camera::new(&spec, &second.subject()?, size))
    }

    /// Returns the picture on the screen without panel and marks, as an image in the window's size
    /// or with two runs as both pictures side by side; `None` before the first picture.
    pub(crate) fn seen(&mut self) -> Option<RgbaImage> {
        let left = self.painter.seen()?;
        let second = self.second.as_mut();
        let right = second.and_then(|second| second.painter.seen());
        Some(joined(left, right))
    }

    /// Draws the present state for an image file: one run in the window's size, two runs side by
    /// side without the columns under the panel. `transparent`: true to make sky and backdrop
    /// transparent (alpha 0). `None` before the first scene.
    pub(crate) fn photograph(&mut self, transparent: bool) -> Option<RgbaImage> {
        let (frames, (mut width, height)) = (self.shot_frames(), self.size());
        if self.divider().is_some() {
            width = width.saturating_sub(self.covered() as usize).max(1);
        }
        let camera = self.rig.as_ref()?.camera((width, height));
        let views = (self.state.view(camera), self.second_view());
        let left = self.painter.picture(&views.0, frames, transparent)?;
        let right = views.1.zip(self.second.as_mut());
        let right =
            right.and_then(|(view, second)| second.painter.picture(&view, frames, transparent));
        Some(joined(left, right))
    }
}

/// Returns `left` and `right` side by side, cropped at the bottom to the smaller height; `left`
/// alone if `right` is `None`.
fn joined(left: RgbaImage, right: Option<RgbaImage>) -> RgbaImage {
    let Some(right) = right else { return left };
    let height = left.height().min(right.height());
    let mut both = RgbaImage::new(left.width() + right.width(), height);
    for (picture, x) in [(&left, 0), (&right, left.width())] {
        let part = image::imageops::crop_imm(picture, 0, 0, picture.width(), height);
        // Cannot fail: both parts have their place in the picture.
        both.copy_from(&*part, x, 0).ok();
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_render::Style;

    #[test]
    fn only_changed_keys_of_a_look_are_taken_over() {
        let own = LookSpec {
            exposure: 2.0,
            cell_height: 0.5,
            plate_size: Some(3.0),
            ..LookSpec::default()
        };
        let before = LookSpec {
            glow: 0.5,
            plate_size: Some(7.0),
            ..LookSpec::default()
        };
        let after = LookSpec {
            style: Style::Scientific,
            plate_size: None,
            cell_height: 2.0,
            ..before.clone()
        };
        let expected = LookSpec {
            style: Style::Scientific,
            plate_size: None,
            ..own.clone()
        };
        assert_eq!(followed(&own, &before, &after), expected);
        assert_eq!(followed(&own, &before, &before), own);
    }

    #[test]
    fn two_pictures_stand_side_by_side() {
        let picture = |width, red| RgbaImage::from_pixel(width, 3, image::Rgba([red, 0, 0, 255]));
        let both = joined(picture(4, 1), Some(picture(2, 9)));
        assert_eq!(both.dimensions(), (6, 3));
        assert_eq!([3, 4].map(|x| both.get_pixel(x, 2).0[0]), [1, 9]);
        assert_eq!(joined(picture(4, 1), None), picture(4, 1));
    }
}
