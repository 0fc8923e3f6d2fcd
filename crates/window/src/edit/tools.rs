//! Clicks, strokes and drags of the mouse tools: place and drag vents, paint with brushes, build
//! dams, pick columns. Each is a state machine independent of the window, whose methods return the
//! commands to send to the simulation.

use nalgebra::Point3;

use crate::edit::vent_drag::{Grab, inside};
use crate::edit::vent_handles::Handle;
use crate::input::pointer::Aim;
use crate::messages::{Command, MaterialReport, Probe, Report, Stroke};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::Matter;
use lavoxel_render::Ray;
use lavoxel_session::{Brush, Dam, Tool};
use lavoxel_sim::source::{VentChange, VentSpec};

/// Interval in seconds between two dabs while the pointer rests with the button held.
const DAB_S: f64 = 0.05;
/// Longest time in seconds that a click waits until the simulation has probed the cells along its
/// ray; after that time, a notice says that the click missed the simulation box.
const PATIENCE_S: f64 = 2.0;

/// Selected mouse tool, settings of all tools, and the click, stroke or drag in progress.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// Tool that a click or drag with the left button uses.
    pub tool: Tool,
    /// Settings of the brush, used by all tools for which `Tool::is_brush` is true.
    pub brush: Brush,
    /// Settings of the next source: radius, rate, energy and the chosen material; its position is
    /// unused.
    pub vent: VentSpec,
    /// Settings of the next dam, and the first end of its line.
    pub dam: Dam,
    /// Name of the only material that `Tool::Replace` replaces; `None` if it replaces all
    /// materials.
    pub replaced: Option<String>,
    busy: Busy,
}

#[derive(Clone, Debug)]
enum Busy {
    Idle,
    /// Click that waits until the simulation has probed the cells along the click's ray: the ray,
    /// and the time of the click in seconds since the window opened.
    Placing(Ray, f64),
    Painting(Painting),
    Dragging(Box<Grab>),
}

/// Brush stroke in progress: the rays that are not sent to the simulation yet, and when the last
/// piece was sent.
#[derive(Clone, Debug)]
struct Painting {
    /// Rays along the pointer's path that are not sent yet; each starts where it enters the visible
    /// region of the simulation box.
    path: Vec<Ray>,
    /// Visible region of the simulation box: lower and upper bound in cells along x, y and z.
    part: [[f32; 2]; 3],
    /// Set until the first piece of the stroke is sent, which begins a new action of the undo
    /// history.
    begins: bool,
    /// Set once the button is released: the stroke ends with the next piece.
    over: bool,
    /// Time in seconds since the window opened, and step of the simulation, at which the last piece
    /// was sent.
    sent: (f64, u64),
}

/// Request of a mouse tool that the window carries out.
#[derive(Clone, Debug)]
pub(crate) enum ToolRequest {
    /// Sends a command to the simulation.
    Send(Command),
    /// Selects a column for the live plots. Fields: index `[x, z]` of the column, and the clicked
    /// point as x, y, z in cells.
    Pick([usize; 2], [f32; 3]),
    /// Shows a notice that tells the user why nothing was done, or the next click to make.
    Say(&'static str),
}

/// Notice after a click outside the simulation box with `Tool::Source`.
const OUTSIDE: &str = "no source is placed: the pointer is outside the box";
/// Notice after a click outside the simulation box with `Tool::Dam`.
const NO_END: &str = "no dam is built: the pointer is outside the box";
/// Notice after the click that sets the first end of a dam.
const OTHER_END: &str = "click the other end of the dam; Esc forgets the first one";
/// Notice after a click outside the simulation box with `Tool::Pick`.
const NO_POINT: &str = "no point is picked: the pointer is outside the box";
/// Notice after a click on a cut face of the simulation box with `Tool::Source`.
const ON_THE_SIDE: &str =
    "no source is placed: this is the cut side of the box; its surface takes sources";

impl Default for Tools {
    fn default() -> Self {
        let vent = VentSpec {
            x: 0.0,
            z: 0.0,
            radius: 2.5,
            rate: 1.8,
            ..VentSpec::default()
        };
        Self {
            tool: Tool::Orbit,
            brush: Brush::default(),
            vent,
            dam: Dam::default(),
            replaced: None,
            busy: Busy::Idle,
        }
    }
}

impl Tools {
    /// Returns the name of the chosen material, which sources and brushes add.
    pub(crate) fn material(&self) -> &str {
        self.vent.material.as_deref().unwrap_or(Material::LAVA)
    }

    /// Chooses the material called `name` for sources and brushes.
    pub(crate) fn choose(&mut self, name: &str) {
        self.vent.material = (name != Material::LAVA).then(|| name.to_owned());
    }

    /// Chooses the material that follows the chosen one in `materials`; the first if the chosen one
    /// is the last or is missing. Materials that only display lava are skipped.
    pub(crate) fn choose_next(&mut self, materials: &[MaterialReport]) {
        let poured: Vec<_> = materials
            .iter()
            .filter(|report| !report.shows_flow)
            .collect();
        let now = poured
            .iter()
            .position(|report| report.material.name == self.material());
        let next = now.map_or(0, |i| (i + 1) % poured.len());
        if let Some(next) = poured.get(next) {
            self.choose(&next.material.name);
        }
    }

    /// Chooses lava if the chosen material is not in `materials`, for example after another scene
    /// was opened.
    pub(crate) fn follow(&mut self, materials: &[MaterialReport]) {
        if materials
            .iter()
            .all(|report| report.material.name != self.material())
        {
            self.vent.material = None;
        }
    }

    /// Adds an effusion rate in m³/s to the settings of the next vent, or removes it. `flows`: true
    /// for the physical model, whose lava vents need such a rate; springs of other materials have
    /// none.
    pub(crate) fn fit(&mut self, flows: bool) {
        if flows && self.vent.material.is_none() {
            self.vent.flow.get_or_insert_default();
        } else {
            self.vent.flow = None;
        }
    }

    /// Begins a click, stroke or drag when the left button is pressed at `aim`. `handle`: handle
    /// under the pointer, whose drag takes precedence over the tool. Returns false if neither a
    /// handle nor the tool uses the drag, which then orbits the camera.
    pub(crate) fn press(&mut self, aim: &Aim, handle: Option<&Handle>, report: &Report) -> bool {
        let vent = handle.and_then(|h| {
            Some((
                *h,
                report.vents.iter().find(|(number, _)| *number == h.vent)?,
            ))
        });
        self.busy = match vent {
            Some((handle, (_, spec))) => {
                let grab = Grab {
                    handle,
                    pixel: aim.pixel,
                    spec: spec.clone(),
                    sent: spec.clone(),
                };
                Busy::Dragging(Box::new(grab))
            }
            None if matches!(self.tool, Tool::Source | Tool::Dam | Tool::Pick) => {
                Busy::Placing(aim.ray, aim.now)
            }
            None if self.tool.is_brush() => Busy::Painting(Painting {
                path: vec![aim.entered],
                part: aim.part,
                begins: true,
                // A bucket is poured once: its stroke ends with the press.
                over: self.tool == Tool::Bucket,
                sent: (aim.now, report.step),
            }),
            None => Busy::Idle,
        };
        !matches!(self.busy, Busy::Idle)
    }

    /// Appends `ray` to the path of the stroke in progress. `part`: visible region of the
    /// simulation box (lower and upper bound in cells along x, y and z), at whose boundary `ray`
    /// starts.
    pub(crate) fn trace(&mut self, ray: Ray, part: [[f32; 2]; 3]) {
        if let Busy::Painting(painting) = &mut self.busy
            && !painting.over
        {
            painting.path.push(ray);
            painting.part = part;
        }
    }

    /// Ends the stroke or drag when the left button is released. The rays of a stroke that were not
    /// sent yet are sent afterwards, and a click continues to wait for its probe.
    pub(crate) fn release(&mut self) {
        match &mut self.busy {
            Busy::Placing(..) => {}
            Busy::Painting(painting) if !painting.path.is_empty() => painting.over = true,
            Busy::Painting(_) | Busy::Dragging(_) | Busy::Idle => self.busy = Busy::Idle,
        }
    }

    /// Drops the click, stroke or drag in progress, and the first end of a dam.
    pub(crate) fn cancel(&mut self) {
        self.dam.from = None;
        self.busy = Busy::Idle;
    }

    /// Returns true if a brush stroke has begun, but no piece of the stroke was sent to the
    /// simulation yet.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(&self.busy, Busy::Painting(painting) if painting.begins)
    }

    /// Returns true if a click, a stroke or a drag is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.busy, Busy::Idle)
    }

    /// Returns the permanent number of the vent whose handle the user drags; `None` if no handle is
    /// dragged.
    pub(crate) fn dragged(&self) -> Option<usize> {
        match &self.busy {
            Busy::Dragging(grab) => Some(grab.handle.vent),
            _ => None,
        }
    }

    /// Returns the ray of a click that waits for the simulation's probe, which must be requested in
    /// place of the pointer's ray; `None` if no click waits.
    pub(crate) fn waits_for(&self) -> Option<Ray> {
        match self.busy {
            Busy::Placing(ray, _) => Some(ray),
            _ => None,
        }
    }

    /// Returns the next piece of the stroke in progress; `None` if there is nothing to send. While
    /// the pointer rests, some tools repeat their last dab, at most once per step. `now`: time in
    /// seconds since the window opened; `step`: the simulation's step.
    pub(crate) fn stroke(&mut self, now: f64, step: u64) -> Option<Stroke> {
        let flows = self.tool.flows();
        let Busy::Painting(painting) = &mut self.busy else {
            return None;
        };
        // At most once per step: a paused world takes no further dabs while the button is held.
        let rests = flows && now - painting.sent.0 >= DAB_S && step != painting.sent.1;
        if painting.path.is_empty() && !rests {
            return None;
        }
        painting.sent = (now, step);
        let (begins, part, over) = (
            std::mem::take(&mut painting.begins),
            painting.part,
            painting.over,
        );
        let rays = std::mem::take(&mut painting.path);
        if over {
            self.busy = Busy::Idle;
        }
        Some(Stroke {
            begins,
            rays,
            part,
            radius: self.brush.radius,
            matter: self.matter(),
        })
    }

    /// Advances the click or drag in progress by one frame, and returns the action that results;
    /// `None` if there is none. Brush strokes are sent by `stroke` instead.
    pub(crate) fn tick(&mut self, aim: &Aim, report: &Report) -> Option<ToolRequest> {
        let probe = report.probe.as_ref();
        match &mut self.busy {
            Busy::Idle | Busy::Painting(_) => None,
            Busy::Placing(ray, since) => {
                let (ray, late) = (*ray, aim.now - *since > PATIENCE_S);
                // The probe of a report may belong to an earlier ray: only a probe on the click's
                // ray counts.
                let answer = probe.filter(|probe| lies_on(&ray, probe));
                let nothing = report
                    .picked
                    .is_some_and(|picked| picked.direction == ray.direction);
                if answer.is_none() && !nothing && !late {
                    return None;
                }
                self.busy = Busy::Idle;
                Some(match answer {
                    None if self.tool == Tool::Pick => ToolRequest::Say(NO_POINT),
                    None if self.tool == Tool::Dam => ToolRequest::Say(NO_END),
                    None => ToolRequest::Say(OUTSIDE),
                    Some(probe) if self.tool == Tool::Pick => {
                        ToolRequest::Pick([probe.cell[0], probe.cell[2]], probe.point)
                    }
                    Some(probe) if self.tool == Tool::Dam => self.end_of_dam(probe, report),
                    Some(probe) if probe.cut => ToolRequest::Say(ON_THE_SIDE),
                    Some(probe) => ToolRequest::Send(self.place(probe, report)),
                })
            }
            Busy::Dragging(grab) => {
                let spec = grab.dragged_to(aim, report);
                if spec == grab.sent {
                    return None;
                }
                grab.sent = spec.clone();
                Some(ToolRequest::Send(Command::World(
                    VentChange::Change(grab.handle.vent, spec).into(),
                )))
            }
        }
    }

    /// Takes the point of `probe` as the first end of the dam's line, or as its second end if the
    /// first is set: the dam is then built.
    fn end_of_dam(&mut self, probe: &Probe, report: &Report) -> ToolRequest {
        let Some(from) = self.dam.from.take() else {
            self.dam.from = Some(probe.point);
            return ToolRequest::Say(OTHER_END);
        };
        let edit = self.dam.edit([from, probe.point], report.cell());
        ToolRequest::Send(Command::World(edit.into()))
    }

    fn place(&self, probe: &Probe, report: &Report) -> Command {
        let [x, _, z] = inside(probe.point, report);
        let start = report.step;
        Command::World(
            VentSpec {
                x,
                z,
                start,
                end: None,
                ..self.vent.clone()
            }
            .into(),
        )
    }

    fn matter(&self) -> Matter {
        let (material, replaced) = (self.vent.material.as_deref(), self.replaced.as_deref());
        self.brush.matter(self.tool, material, replaced)
    }
}

/// Returns true if the point of `probe` lies on `ray` within a small tolerance, so that `probe`
/// answers a click along `ray`.
pub(crate) fn lies_on(ray: &Ray, probe: &Probe) -> bool {
    let to = Point3::from(probe.point).coords - ray.origin;
    let along = to.dot(&ray.direction);
    along > -0.5 && (to - ray.direction * along).norm() < 0.05 + 1e-3 * along
}

#[cfg(test)]
mod tests;
