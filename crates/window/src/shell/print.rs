//! Print of the present view: time stands still, a thread traces the picture, and the window shows
//! it until something changes that the picture depends on.

use image::RgbaImage;
use kiss3d::egui::{ColorImage, TextureHandle, TextureOptions};

use crate::history::record::Shot;
use crate::input::keys::Action;
use crate::messages::{Command, Notice, Pace, PrintSubject};
use crate::paint::{PrintJob, PrintProgress, PrintThread};
use crate::shell::app::App;
use crate::shell::compare::Seen;
use lavoxel_automaton::world::Quantity;
use lavoxel_render::Image;
use lavoxel_session::Tool;

/// State of the print.
#[derive(Default)]
pub(crate) enum Printing {
    /// There is no print.
    #[default]
    Idle,
    /// The simulation has been asked for its state.
    Asked,
    /// The state is there; the tracing begins when the camera rests and the ground is baked. Second
    /// field: inputs of the picture in the last pass of the event loop.
    Ready(Box<PrintSubject>, Box<Option<Inputs>>),
    /// The picture is traced, or has been traced, and is shown.
    Shown(Box<Traced>),
}

/// Inputs of a print; a change of any value ends the print.
#[derive(Debug, PartialEq)]
pub(crate) struct Inputs {
    seen: Seen,
    cuts: ([Option<usize>; 3], Quantity),
}

/// Print in progress, or complete.
pub(crate) struct Traced {
    inputs: Inputs,
    thread: PrintThread,
    /// Latest picture in whole resolution; `None` before the first one.
    whole: Option<Image>,
    /// Set once the journal has a line about the first picture.
    is_begun: bool,
    /// Set once the journal has a line about the end of the tracing.
    is_ended: bool,
}

/// Print as the user interface shows it.
#[derive(Clone, Default)]
pub(crate) struct PrintView {
    /// Latest picture, for the columns of the window right of the panel; `None` before the first.
    pub(crate) picture: Option<TextureHandle>,
    /// Number of pixel columns at the left of the window that the picture lacks.
    pub(crate) covered: usize,
    pub(crate) progress: PrintProgress,
    /// Set if there is a picture in whole resolution, which can be saved.
    pub(crate) can_be_saved: bool,
}

impl App {
    /// Begins a print of the present view, or ends the print that is shown.
    pub(crate) fn toggle_print(&mut self) {
        if self.is_printing() {
            return self.end_print();
        }
        if let Some(why) = self.refuses_print() {
            return self.tell(Notice::wrong(why.to_owned()));
        }
        self.end_comparison();
        self.state.tools.cancel();
        self.state.film.preview = None;
        if let Some(rig) = &mut self.rig {
            rig.turntable = false;
        }
        let (width, height) = self.size();
        let size = [width.saturating_sub(self.covered() as usize).max(1), height];
        self.worker
            .send(Command::Print(Some(size.map(|pixels| pixels as u32))));
        self.printing = Printing::Asked;
        self.state.print = Some(PrintView::default());
        self.journal.say("print begun");
    }

    /// Returns the reason, as text for the user, why no print can begin now.
    fn refuses_print(&mut self) -> Option<&'static str> {
        if self.second.is_some() {
            return Some("a print shows one run: close the second run first");
        }
        let records = self.files.recorder().is_some();
        records.then_some("time stands still for a print: end the recording first")
    }

    /// Returns true while a print is shown or prepared.
    pub(crate) fn is_printing(&self) -> bool {
        !matches!(self.printing, Printing::Idle)
    }

    /// Ends the print: the live picture returns, and time goes on at its pace. Does nothing without
    /// a print.
    pub(crate) fn end_print(&mut self) {
        if !self.is_printing() {
            return;
        }
        self.printing = Printing::Idle;
        self.state.print = None;
        self.painter.set_resting(false);
        self.worker.send(Command::Print(None));
        self.journal.say("print ended");
    }

    /// Ends the tracing of the print; its picture stays.
    pub(crate) fn stop_print(&mut self) {
        if let Printing::Shown(traced) = &self.printing {
            traced.thread.stop();
        }
    }

    /// Ends the print before `action` if the action would change what the picture shows. Returns
    /// true if that was the whole of the action: `Action::Run` lets time go on that was running
    /// before the print.
    pub(crate) fn leave_print_for(&mut self, action: Action) -> bool {
        let stays = matches!(
            action,
            Action::Print
                | Action::Dismiss
                | Action::Help
                | Action::Keep
                | Action::Open
                | Action::Quit
                | Action::Save
                | Action::Screenshot { .. }
        );
        if stays || !self.is_printing() {
            return false;
        }
        self.end_print();
        action == Action::Run && self.state.pace.value != Pace::Paused
    }

    /// Ends the print when the user presses a mouse button with a tool over the picture.
    pub(crate) fn leave_print_for_tool(&mut self) {
        if self.state.tools.tool != Tool::Orbit {
            self.end_print();
        }
    }

    /// Takes the answer of the simulation to the request for a print.
    pub(crate) fn take_subject(&mut self, answer: Result<Box<PrintSubject>, String>) {
        match answer {
            // The latest answer counts: an earlier one may belong to a print that has ended.
            Ok(subject) if matches!(self.printing, Printing::Asked | Printing::Ready(..)) => {
                self.printing = Printing::Ready(subject, Box::default());
            }
            // The print has ended meanwhile.
            Ok(_) => {}
            Err(why) => {
                self.end_print();
                self.tell(Notice::wrong(why));
            }
        }
    }

    /// Carries the print on: begins the tracing once camera and ground rest, shows new pictures, and
    /// ends the print after a change of its inputs. Returns true if anything visible changed.
    pub(crate) fn go_on_printing(&mut self) -> bool {
        if matches!(self.printing, Printing::Idle | Printing::Asked) {
            return false;
        }
        let now = self.inputs();
        match std::mem::take(&mut self.printing) {
            Printing::Ready(subject, before) => {
                if now.is_some() && *before == now && self.painter.land().is_some() {
                    self.begin_tracing(*subject);
                } else {
                    self.printing = Printing::Ready(subject, Box::new(now));
                }
                true
            }
            Printing::Shown(traced) if Some(&traced.inputs) != now.as_ref() => {
                self.printing = Printing::Shown(traced);
                self.end_print();
                true
            }
            Printing::Shown(mut traced) => {
                let changed = self.follow_print(&mut traced);
                if traced.thread.has_failed() {
                    self.printing = Printing::Shown(traced);
                    self.end_print();
                    let text = "the print broke off, by a mistake in Lavoxel";
                    self.tell(Notice::wrong(text.to_owned()));
                    return true;
                }
                self.printing = Printing::Shown(traced);
                changed
            }
            other => {
                self.printing = other;
                false
            }
        }
    }

    /// Returns the present values of the inputs of a print; `None` before the first report.
    fn inputs(&self) -> Option<Inputs> {
        let cuts = (self.state.cuts.wanted(), self.state.cuts.quantity.clone());
        self.seen_now().map(|seen| Inputs { seen, cuts })
    }

    /// Begins to trace `subject` as the present camera sees it.
    fn begin_tracing(&mut self, subject: PrintSubject) {
        let (Some(camera), Some(land), Some(inputs)) =
            (self.camera(), self.painter.land(), self.inputs())
        else {
            return self.end_print();
        };
        let mut view = self.state.view(camera);
        view.covered = self.covered() as usize;
        let covered = view.covered;
        let look = self.state.look.clone();
        let job = PrintJob {
            subject,
            land,
            look,
            view,
        };
        match PrintThread::start(job) {
            Ok(thread) => {
                self.painter.set_resting(true);
                if let Some(print) = &mut self.state.print {
                    print.covered = covered;
                }
                self.printing = Printing::Shown(Box::new(Traced {
                    inputs,
                    thread,
                    whole: None,
                    is_begun: false,
                    is_ended: false,
                }));
            }
            Err(error) => {
                self.end_print();
                self.tell(Notice::wrong(format!("no print: {error}")));
            }
        }
    }

    /// Shows the latest picture and numbers of `traced`. Returns true if they are new.
    fn follow_print(&mut self, traced: &mut Traced) -> bool {
        let Some(print) = &mut self.state.print else {
            return false;
        };
        let (picture, progress) = (traced.thread.take_picture(), traced.thread.progress());
        let changed = picture.is_some() || progress != print.progress;
        print.progress = progress;
        if let Some(image) = picture {
            let pixels = ColorImage::from_rgb([image.width, image.height], &image.rgb);
            match &mut print.picture {
                Some(texture) => texture.set(pixels, TextureOptions::LINEAR),
                none => {
                    let context = self.window.egui_context();
                    *none = Some(context.load_texture("print", pixels, TextureOptions::LINEAR));
                }
            }
            if !std::mem::replace(&mut traced.is_begun, true) {
                let seconds = progress.took.as_secs_f64();
                self.journal
                    .say(&format!("first picture of the print after {seconds:.1} s"));
            }
            if progress.is_whole {
                if traced.whole.is_none() {
                    self.journal.say("print in whole resolution");
                }
                traced.whole = Some(image);
                print.can_be_saved = true;
            }
        }
        if progress.is_over && !std::mem::replace(&mut traced.is_ended, true) {
            let samples = progress.samples;
            self.journal.say(&format!("print has {samples} samples"));
        }
        changed
    }

    /// Writes the print to an image file, named as screenshots are.
    pub(crate) fn save_print(&mut self, transparent: bool) {
        let why = match &self.printing {
            Printing::Shown(traced) if !transparent => {
                let progress = traced.thread.progress();
                let picture = traced.whole.as_ref().and_then(opaque);
                let labels = ("Comment", comment(progress));
                match picture.and_then(|image| self.shot(image, transparent)) {
                    Some(shot) => {
                        let labels = [shot.labels, vec![labels]].concat();
                        return self.files.write(Shot { labels, ..shot });
                    }
                    None => "the print has no picture in whole resolution yet: save it in a moment",
                }
            }
            _ if transparent => "a print has no transparent sky: F12 saves it as it is",
            _ => "the print has no picture yet: save it in a moment",
        };
        self.tell(Notice::wrong(why.to_owned()));
    }
}

/// Returns the text about a print in its image file.
fn comment(progress: PrintProgress) -> String {
    let PrintProgress { samples, noise, .. } = progress;
    format!(
        "print: {samples} samples a pixel, noise {:.1} % before smoothing",
        100.0 * noise
    )
}

/// Returns `image` with an alpha channel of 255.
fn opaque(image: &Image) -> Option<RgbaImage> {
    let pixels = image.rgb.chunks_exact(3);
    let rgba = pixels.flat_map(|p| [p[0], p[1], p[2], u8::MAX]).collect();
    RgbaImage::from_raw(image.width as u32, image.height as u32, rgba)
}
