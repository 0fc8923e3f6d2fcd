//! Actions of keys and buttons: what each action of `keys::Action` does to window, camera and
//! simulation.

use std::io::Cursor;
use std::path::Path;

use image::imageops::{crop_imm, thumbnail};
use image::{DynamicImage, ImageFormat};

use crate::camera::rig::Rig;
use crate::camera::viewpoint::{Side, Size};
use crate::edit::slices::{AXES, AXIS_NAMES, after};
use crate::edit::vent_handles::ground_at;
use crate::history::pace;
use crate::input::keys::Action;
use crate::messages::{Command, Pace, Way};
use crate::shell::app::App;
use crate::shell::dialog::Dialog;
use crate::state::{Card, USUAL_PACE};
use lavoxel_files::archive::ENDING;
use lavoxel_files::output::{Existing, FOLDER, file_name, free_name};
use lavoxel_render::{Axis, Bounds, Named, PALETTE_NAMES, PaletteSpec, Style};
use lavoxel_session::{BRUSH_RADIUS, Tool};
use lavoxel_sim::simulation;

/// Width in pixels of the thumbnail in a session file.
const THUMBNAIL: u32 = 192;

/// Height of the eye in first person above the ground, in metres.
const EYE_M: f64 = 1.7;

impl App {
    /// Carries out `action`, which a key or a button has requested.
    pub(crate) fn act(&mut self, action: Action) {
        if self.leave_print_for(action) {
            return;
        }
        match action {
            Action::Run => self.run_or_pause(),
            Action::Step => self.step_once(),
            Action::Faster => self.change_rate(pace::faster),
            Action::Slower => self.change_rate(pace::slower),
            Action::Free => self.toggle_free(),
            Action::Reset => self.reset(),
            Action::Reseed => self.reseed(),
            Action::Keep => self.keep(),
            Action::Undo => self.undo(Way::Undo),
            Action::Redo => self.undo(Way::Redo),
            Action::Rewind => self.go(Way::Back),
            Action::Onward => self.go(Way::Ahead),
            Action::Style(style) => self.set_style(style),
            Action::Print => self.toggle_print(),
            Action::Cut(axis) => self.toggle_cut(axis),
            Action::MoveCut(by) => self.move_cut(by),
            Action::Quantity => self.show_next_quantity(),
            Action::Palette => self.take_next_palette(),
            Action::Volume => self.toggle_volume(),
            Action::Ground => self.toggle_ground(),
            Action::Tool(tool) => self.take_up(tool),
            Action::Material => self.choose_next_material(),
            Action::Brush(factor) => self.resize_brush(factor),
            Action::Face(side) => self.face(side),
            Action::ResetCamera => self.reset_camera(),
            Action::Zoom(notches) => self.zoom(notches),
            Action::Turntable => self.toggle_turntable(),
            Action::FirstPerson => self.toggle_first_person(),
            Action::Screenshot { transparent } => self.screenshot(transparent),
            Action::Record => self.toggle_recording(),
            Action::Save => self.save(),
            Action::Open => self.choose_file(),
            Action::Start => self.show_files(),
            Action::Second => self.toggle_second(),
            Action::Tour => self.begin_tour(),
            Action::Panel => self.toggle_panel(),
            Action::Fullscreen => self.window.set_fullscreen(!self.window.is_fullscreen()),
            Action::Help => self.toggle_help(),
            Action::Dismiss => self.dismiss(),
            Action::Quit => self.quit = true,
        }
    }

    fn run_or_pause(&mut self) {
        self.begin_challenge();
        let paused = self.state.pace.value == Pace::Paused;
        self.set_pace(if paused {
            self.state.rate
        } else {
            Pace::Paused
        });
    }

    fn step_once(&mut self) {
        self.state.pace.value = Pace::Paused;
        self.state.pace.touch();
        self.worker.send(Command::Steps(1));
    }

    fn toggle_free(&mut self) {
        self.set_pace(if self.state.rate == Pace::Free {
            USUAL_PACE
        } else {
            Pace::Free
        });
    }

    fn keep(&mut self) {
        self.worker.send(Command::Keep);
        self.journal.say("moment kept");
    }

    /// Replaces the pace by `change` applied to the pace. While the simulation is paused, only the
    /// pace after the pause changes.
    fn change_rate(&mut self, change: fn(Pace) -> Pace) {
        let rate = change(self.state.rate);
        if self.state.pace.value == Pace::Paused {
            self.state.rate = rate;
        } else {
            self.set_pace(rate);
        }
        self.journal.say(&format!("pace {}", pace::words(rate)));
    }

    fn set_pace(&mut self, pace: Pace) {
        self.state.set_pace(pace);
        if pace != Pace::Paused {
            self.journal.say(&format!("running {}", pace::words(pace)));
        }
    }

    fn reseed(&mut self) {
        let Some(report) = &self.state.report else {
            return;
        };
        // Scene files store signed 64-bit numbers, so the seed wraps to 1 after the largest.
        let seed = if report.seed >= i64::MAX as u64 {
            1
        } else {
            report.seed + 1
        };
        self.worker
            .send(Command::World(simulation::Command::Seed(seed)));
        self.journal.say(&format!("seed {seed}"));
    }

    /// Undoes (`Way::Undo`) or redoes (`Way::Redo`) a user action; first cancels the brush stroke
    /// or drag in progress.
    fn undo(&mut self, way: Way) {
        // The simulation does not know an unsent stroke: dropping the stroke is the whole undo.
        let unsent = self.state.tools.is_unsent();
        self.state.tools.cancel();
        if !(unsent && way == Way::Undo) {
            self.worker.send(Command::Go(way));
        }
    }

    /// Moves the simulation back to step 0 without a change of pace; recorded acts are applied
    /// again at their steps.
    fn reset(&mut self) {
        self.journal.say("back to step 0");
        self.go(Way::Start);
    }

    /// Begins a seek to the moment that `way` names and cancels the use of the mouse tool. Pauses
    /// the simulation, except for undo, redo, the return to the start and a change of branch.
    pub(crate) fn go(&mut self, way: Way) {
        if matches!(way, Way::To(_) | Way::Step(_) | Way::Back | Way::Ahead) {
            self.state.pace.value = Pace::Paused;
            self.state.pace.touch();
        }
        self.state.tools.cancel();
        self.worker.send(Command::Go(way));
    }

    /// Sends a command to the simulation; all commands sent while a mouse button or key is held
    /// down are undone together.
    pub(crate) fn do_to_world(&mut self, command: simulation::Command) {
        let goes_on = std::mem::replace(&mut self.gesture, true);
        self.worker.send(if goes_on {
            Command::Drag(command)
        } else {
            Command::World(command)
        });
    }

    fn set_style(&mut self, style: Style) {
        self.state.look.style = style;
        self.look_changed();
        self.journal.say(&format!("view {}", style.name()));
    }

    fn show_next_quantity(&mut self) {
        let Some(report) = &self.state.report else {
            return;
        };
        let next = after(&report.quantities, &self.state.cuts.quantity);
        self.journal.say(&format!("quantity {}", next.name()));
        self.state.cuts.quantity = next;
    }

    fn take_next_palette(&mut self) {
        let name = next_palette(&self.state.look.palette);
        self.state.look.palette = PaletteSpec::Name(name.to_owned());
        self.look_changed();
        self.journal.say(&format!("palette {name}"));
    }

    fn toggle_volume(&mut self) {
        self.state.shown.volume ^= true;
        self.journal
            .say(&format!("lava {}", on_off(self.state.shown.volume)));
    }

    fn toggle_ground(&mut self) {
        self.state.shown.ground ^= true;
        self.journal
            .say(&format!("ground {}", on_off(self.state.shown.ground)));
    }

    fn toggle_cut(&mut self, axis: Axis) {
        let k = AXES
            .iter()
            .position(|other| *other == axis)
            .unwrap_or_default();
        let cuts = &mut self.state.cuts;
        cuts.shown[k] ^= true;
        cuts.chosen = k;
        let (shown, at) = (cuts.shown[k], cuts.at[k]);
        self.journal.say(&format!(
            "slice {} {} at {at}",
            AXIS_NAMES[k],
            on_off(shown)
        ));
    }

    fn move_cut(&mut self, by: i32) {
        let Some(report) = &self.state.report else {
            return;
        };
        let sides = [report.grid.nx, report.grid.ny, report.grid.nz];
        let cuts = &mut self.state.cuts;
        let k = cuts.chosen;
        cuts.at[k] = cuts.at[k]
            .saturating_add_signed(by as isize)
            .min(sides[k] - 1);
        let at = cuts.at[k];
        self.journal
            .say(&format!("slice {} at {at}", AXIS_NAMES[k]));
    }

    fn take_up(&mut self, tool: Tool) {
        self.begin_challenge();
        self.state.tools.cancel();
        self.state.tools.tool = tool;
        self.journal.say(&format!("tool {}", tool.name()));
    }

    /// Closes the card with the challenge's task and frames the whole box from above, since the
    /// player needs to see where lava erupts and which places it must not reach. No effect if the
    /// card is not shown.
    pub(crate) fn begin_challenge(&mut self) {
        if self.state.shown.card != Some(Card::Task) {
            return;
        }
        self.state.shown.card = None;
        if let (Some(subject), Some(rig)) = (self.subject(), &mut self.rig) {
            rig.overlook(&subject);
        }
    }

    fn choose_next_material(&mut self) {
        let Some(report) = &self.state.report else {
            return;
        };
        self.state.tools.choose_next(&report.materials);
        self.journal
            .say(&format!("material {}", self.state.tools.material()));
    }

    fn resize_brush(&mut self, factor: f64) {
        let brush = &mut self.state.tools.brush;
        brush.radius = (brush.radius * factor).clamp(BRUSH_RADIUS.0, BRUSH_RADIUS.1);
    }

    fn face(&mut self, side: Side) {
        let Some(subject) = self.subject() else {
            return;
        };
        if let Some(rig) = &mut self.rig {
            rig.face(side, &subject);
            self.journal.say(&format!("camera {side:?}").to_lowercase());
        }
    }

    fn reset_camera(&mut self) {
        self.turn_camera(|rig, subject, _| {
            rig.reset(subject);
            "camera reset".to_owned()
        });
    }

    fn zoom(&mut self, notches: f32) {
        self.turn_camera(|rig, _, size| {
            rig.zoom_to_middle(notches, size);
            (if notches > 0.0 { "zoom in" } else { "zoom out" }).to_owned()
        });
    }

    fn toggle_turntable(&mut self) {
        self.turn_camera(|rig, _, _| {
            rig.turntable ^= true;
            format!("turntable {}", on_off(rig.turntable))
        });
    }

    fn toggle_first_person(&mut self) {
        let (Some(ground), Some(report)) = (self.state.ground.clone(), &self.state.report) else {
            return;
        };
        // The eye stands at least one cell high: in large cells, 1.7 m would lie inside the
        // smoothed ground.
        let eye = (EYE_M / report.cell_height_m).max(1.0) as f32;
        self.turn_camera(|rig, subject, _| {
            rig.toggle_first_person(subject, eye, |x, z| ground_at(&ground, x, z));
            format!("first person {}", on_off(rig.first_person))
        });
    }

    /// Applies `change` to the camera rig, and writes the text returned by `change` to the journal;
    /// does nothing before the first scene is shown. Arguments of `change`: rig, bounds to frame in
    /// cells, and size of the window in pixels.
    fn turn_camera(&mut self, change: impl FnOnce(&mut Rig, &Bounds, Size) -> String) {
        let (Some(subject), size) = (self.subject(), self.size()) else {
            return;
        };
        let Some(rig) = &mut self.rig else { return };
        let line = change(rig, &subject, size);
        self.journal.say(&line);
    }

    /// Saves the session with camera, look and thumbnail as a session file, under a name that no
    /// file has yet.
    fn save(&mut self) {
        let Some(report) = &self.state.report else {
            return;
        };
        if let (Some(rig), Some(subject)) = (&self.rig, self.subject()) {
            let camera = Box::new(rig.spec(&subject));
            self.worker
                .send(Command::View(camera, Box::new(self.state.look.clone())));
            self.worker
                .send(Command::Film(self.state.film.keys.clone()));
        }
        let path = free_name(Path::new(FOLDER), &file_name(&report.name), |path| {
            path.with_extension(ENDING).exists()
        });
        let path = path.with_extension(ENDING);
        if let Some(picture) = self.thumbnail() {
            self.worker.send(Command::Thumbnail(picture));
        }
        self.worker.send(Command::Save(path, Existing::Keep));
    }

    /// Draws a thumbnail of the present state, without the columns that the panel covers, as PNG
    /// bytes; `None` before the first scene.
    fn thumbnail(&mut self) -> Option<Vec<u8>> {
        let view = self.state.view(self.camera()?);
        let picture = self.painter.picture(&view, 1, false)?;
        let (left, (width, height)) = (self.covered() as u32, picture.dimensions());
        let width = width.saturating_sub(left);
        let picture = crop_imm(&picture, left, 0, width, height).to_image();
        let height = (THUMBNAIL * height).div_ceil(width.max(1)).max(1);
        let small = DynamicImage::from(thumbnail(&picture, THUMBNAIL, height)).to_rgb8();
        let mut bytes = Vec::new();
        small
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .ok()?;
        Some(bytes)
    }

    fn choose_file(&mut self) {
        // A dialog is already open, perhaps one that the system never shows.
        if self.dialog.is_some() {
            return self.show_files();
        }
        self.dialog = Some(Dialog::open());
        self.dialog_for_second = self.state.shown.opening && self.state.shown.for_second;
        self.journal.say("file dialog");
    }

    /// Begins the tour and shows the panel, since the tour points to its sections.
    fn begin_tour(&mut self) {
        let shown = &mut self.state.shown;
        (shown.help, shown.opening, shown.panel, shown.tour) = (false, false, true, Some(0));
        self.journal.say("tour");
    }

    fn toggle_panel(&mut self) {
        self.state.shown.panel ^= true;
        self.journal
            .say(&format!("panel {}", on_off(self.state.shown.panel)));
    }

    fn toggle_help(&mut self) {
        self.state.shown.help ^= true;
        self.journal
            .say(&format!("help {}", on_off(self.state.shown.help)));
    }

    /// Closes the first open item of this list: tour, card of a challenge, help, print, comparison,
    /// full screen. If none is open, selects the orbit tool.
    fn dismiss(&mut self) {
        if self.state.shown.tour.take().is_some() {
            self.journal.say("tour ended");
        } else if self.state.shown.card == Some(Card::Task) {
            self.begin_challenge();
        } else if self.state.shown.card.take().is_some() {
            self.journal.say("card closed");
        } else if self.state.shown.help {
            self.state.shown.help = false;
        } else if self.is_printing() {
            self.end_print();
        } else if self
            .state
            .sides
            .as_ref()
            .is_some_and(|sides| !sides.are_runs())
        {
            self.end_comparison();
        } else if self.window.is_fullscreen() {
            self.window.set_fullscreen(false);
        } else {
            self.take_up(Tool::Orbit);
        }
    }
}

impl App {
    /// Shows the start screen, on which the user opens a scene or file; used in place of the
    /// system's file dialog where there is none.
    pub(crate) fn show_files(&mut self) {
        self.state.shown.opening = true;
        self.state.shown.for_second = false;
        self.state.shown.focus_path = true;
        self.state.shown.open_path.clear();
        self.journal.say("open dialog");
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Returns the name of the palette that follows `palette` in the list of built-in palettes,
/// cyclically; the first one if `palette` is a custom palette.
fn next_palette(palette: &PaletteSpec) -> &'static str {
    let now = match palette {
        PaletteSpec::Name(name) => PALETTE_NAMES.iter().position(|other| other == name),
        PaletteSpec::Stops(_) => None,
    };
    PALETTE_NAMES[now.map_or(0, |i| (i + 1) % PALETTE_NAMES.len())]
}
