//! Tools of the mouse: placing and dragging vents, painting with brushes. State machines without a
//! window; their methods return the commands to send.

use nalgebra::Point3;

use crate::edit::vent_drag::{Grab, inside};
use crate::edit::vent_handles::Handle;
use crate::input::pointer::Aim;
use crate::messages::{Command, MaterialReport, Probe, Report, Stroke};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Breath, Edit, Matter, Shape};
use lavoxel_render::{Named, Ray};
use lavoxel_sim::source::{VentChange, VentSpec};

/// Meaning of a left drag or click.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Orbit and probe.
    #[default]
    Orbit,
    /// Place sources of the chosen material: vents of lava, springs of water.
    Source,
    /// Paint the chosen material.
    Fill,
    /// Fill a hollow with the chosen material.
    Bucket,
    /// Paint the chosen material in the place of others.
    Replace,
    /// Paint rock.
    Rock,
    /// Raise the ground along a line.
    Dam,
    /// Paint nothing: removes rock and liquids.
    Dig,
    /// Take liquids away, leave rock.
    Drain,
    /// Warm, dirty and blow the air.
    Air,
    /// Choose a point whose history is plotted.
    Pick,
}

impl Named for Tool {
    const ALL: &'static [Self] = &[
        Self::Orbit,
        Self::Source,
        Self::Fill,
        Self::Bucket,
        Self::Replace,
        Self::Rock,
        Self::Dam,
        Self::Dig,
        Self::Drain,
        Self::Air,
        Self::Pick,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Orbit => "orbit",
            Self::Source => "source",
            Self::Fill => "fill",
            Self::Bucket => "bucket",
            Self::Replace => "replace",
            Self::Rock => "rock",
            Self::Dam => "dam",
            Self::Dig => "dig",
            Self::Drain => "drain",
            Self::Air => "air",
            Self::Pick => "pick",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Orbit => "Drag to orbit; the pointer probes the cell under it",
            Self::Source => "Click the ground to place a source of the chosen material that pours from now on",
            Self::Fill => "Drag to top cells up with the chosen material",
            Self::Bucket => "Click to fill the hollow under the pointer up to it with the chosen material",
            Self::Replace => "Drag to put the chosen material in the place of others",
            Self::Rock => "Drag to build rock; what is there moves aside",
            Self::Dam => "Click both ends of a line: the ground along it rises, or falls where the height is below 0",
            Self::Dig => "Drag to dig rock and liquids away",
            Self::Drain => "Drag to take liquids away and leave the rock",
            Self::Air => "Drag to warm the air, to put ash and steam into it, and to blow",
            Self::Pick => "Click a point: its thickness and temperature are plotted while it runs",
        }
    }
}

impl Tool {
    /// True if the tool paints with a ball.
    pub(crate) fn is_brush(self) -> bool {
        !matches!(self, Self::Orbit | Self::Source | Self::Dam | Self::Pick)
    }

    /// True if the tool needs a material.
    pub(crate) fn pours(self) -> bool {
        matches!(self, Self::Source | Self::Fill | Self::Bucket | Self::Replace)
    }

    /// True if the tool repeats while the pointer rests.
    fn flows(self) -> bool {
        matches!(self, Self::Fill | Self::Drain | Self::Air)
    }
}

/// Settings of the next dam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dam {
    /// Height above the ground in metres; negative for the depth of a ditch.
    pub height_m: f64,
    /// Width across the line in metres; 0 for a line of single columns.
    pub width_m: f64,
    /// First end in cells along x, y and z, after the first click; `None` before.
    pub from: Option<[f32; 3]>,
}

impl Dam {
    /// Least height in metres of a new dam.
    const USUAL_M: f64 = 5.0;
    /// Height and width in cells of a dam that holds lava back in the classic model, where a flow
    /// is a few cells thick.
    pub(crate) const CELLS: (f64, f64) = (5.0, 4.0);

    /// Default dam for the cells of a world. In the physical model, whose lava is metres thick:
    /// along a line, 5 m high or one cell, whichever is higher. In the classic model:
    /// [`Dam::CELLS`].
    pub(crate) fn fitting(report: &Report) -> Self {
        let (high, wide) = if report.flow.is_some() { (1.0, 0.0) } else { Self::CELLS };
        let height_m = (high * report.cell_height_m).max(Self::USUAL_M);
        Self { height_m, width_m: wide * report.cell_size_m, from: None }
    }
}

/// Settings of the ball that brushes paint with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Brush {
    /// Radius in cells.
    pub radius: f64,
    /// Amount to which the brush tops cells up, 0 to 1 of a full cell.
    pub amount: f64,
    /// Energy of a full cell of lava; 1 is that of a vent by default.
    pub energy: f64,
    /// Heat, ash, steam and wind that the air tool puts into the air.
    pub breath: Breath,
}

/// Smallest and largest radius of the brush in cells.
pub(crate) const BRUSH_RADIUS: (f64, f64) = (0.5, 40.0);

/// First setting of the air tool: warm smoke.
pub(crate) const BREATH: Breath = Breath { heat_k: 50.0, ash_kg_m3: 0.005, steam_kg_m3: 0.0, wind_m_s: [0.0; 3] };

/// Interval in seconds between two dabs while the pointer rests.
const DAB_S: f64 = 0.05;
/// Timeout in seconds after which a click without an answering probe is dropped.
const PATIENCE_S: f64 = 2.0;

/// Chosen tool with its settings, and the click, stroke or drag in progress.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// Chosen tool.
    pub tool: Tool,
    /// Brush of the painting tools.
    pub brush: Brush,
    /// Template of the next source: radius, rate, energy and the chosen material.
    pub vent: VentSpec,
    /// Settings and first end of the next dam.
    pub dam: Dam,
    /// Name of the material that the tool replace exchanges; `None` for all other materials.
    pub replaced: Option<String>,
    busy: Busy,
}

#[derive(Clone, Debug)]
enum Busy {
    Idle,
    /// Click that waits for the probe of its ray, with the time of the click in seconds.
    Placing(Ray, f64),
    Painting(Painting),
    Dragging(Box<Grab>),
}

/// Brush stroke in progress.
#[derive(Clone, Debug)]
struct Painting {
    /// Unsent rays along the pointer's path, each starting where the ray enters the visible part of
    /// the box.
    path: Vec<Ray>,
    /// Visible part of the box: lower and upper bound in cells along x, y and z.
    part: [[f32; 2]; 3],
    /// Set until the first piece of the stroke is sent.
    begins: bool,
    /// Set once the button is up.
    over: bool,
    /// Time in seconds and step of the last piece sent.
    sent: (f64, u64),
}

/// Request of a tool to the window.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// Sends a message to the simulation.
    Send(Command),
    /// Plots the history of a column `[x, z]` from now on; the point `[x, y, z]` in cells was
    /// clicked.
    Pick([usize; 2], [f32; 3]),
    /// Tells the user why nothing is done.
    Say(&'static str),
}

/// Message after a click outside the box with the tool source.
const OUTSIDE: &str = "no source is placed: the pointer is outside the box";
/// Message after a click outside the box with the tool dam.
const NO_END: &str = "no dam is built: the pointer is outside the box";
/// Message after the first end of a dam.
const OTHER_END: &str = "click the other end of the dam; Esc forgets the first one";
/// Message after a click outside the box with the tool pick.
const NO_POINT: &str = "no point is picked: the pointer is outside the box";
/// Message after a click with the tool source on a side of the box.
const ON_THE_SIDE: &str = "no source is placed: this is the cut side of the box; its surface takes sources";

impl Default for Tools {
    fn default() -> Self {
        let vent = VentSpec { x: 0.0, z: 0.0, radius: 2.5, rate: 1.8, ..VentSpec::default() };
        let brush = Brush { radius: 4.0, amount: 1.0, energy: 1.0, breath: BREATH };
        let dam = Dam { height_m: Dam::USUAL_M, width_m: 0.0, from: None };
        Self { tool: Tool::Orbit, brush, vent, dam, replaced: None, busy: Busy::Idle }
    }
}

impl Tools {
    /// Name of the chosen material.
    pub(crate) fn material(&self) -> &str {
        self.vent.material.as_deref().unwrap_or(Material::LAVA)
    }

    /// Sets the material of sources and brush to the one called `name`.
    pub(crate) fn choose(&mut self, name: &str) {
        self.vent.material = (name != Material::LAVA).then(|| name.to_owned());
    }

    /// Chooses the material after the present one, cyclic; the first if the present one is missing,
    /// as in another scene.
    pub(crate) fn choose_next(&mut self, materials: &[MaterialReport]) {
        let poured: Vec<_> = materials.iter().filter(|report| !report.shows_flow).collect();
        let now = poured.iter().position(|report| report.material.name == self.material());
        let next = now.map_or(0, |i| (i + 1) % poured.len());
        if let Some(next) = poured.get(next) {
            self.choose(&next.material.name);
        }
    }

    /// Falls back to lava if `materials` lack the chosen material.
    pub(crate) fn follow(&mut self, materials: &[MaterialReport]) {
        if materials.iter().all(|report| report.material.name != self.material()) {
            self.vent.material = None;
        }
    }

    /// Fits the next vent to the model of the world (`flows` for the physical one); other materials
    /// have springs in any model.
    pub(crate) fn fit(&mut self, flows: bool) {
        if flows && self.vent.material.is_none() {
            self.vent.flow.get_or_insert_default();
        } else {
            self.vent.flow = None;
        }
    }

    /// Begins a click, stroke or drag when the left button goes down, on `handle` if given. Returns
    /// true if the tool takes the drag.
    pub(crate) fn press(&mut self, aim: &Aim, handle: Option<&Handle>, report: &Report) -> bool {
        let vent = handle.and_then(|h| Some((*h, report.vents.iter().find(|(number, _)| *number == h.vent)?)));
        self.busy = match vent {
            Some((handle, (_, spec))) => {
                let grab = Grab { handle, pixel: aim.pixel, spec: spec.clone(), sent: spec.clone() };
                Busy::Dragging(Box::new(grab))
            }
            None if matches!(self.tool, Tool::Source | Tool::Dam | Tool::Pick) => Busy::Placing(aim.ray, aim.now),
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

    /// Extends the path of a stroke by `ray`, which starts where the pointer's ray enters `part` of
    /// the box.
    pub(crate) fn trace(&mut self, ray: Ray, part: [[f32; 2]; 3]) {
        if let Busy::Painting(painting) = &mut self.busy
            && !painting.over
        {
            painting.path.push(ray);
            painting.part = part;
        }
    }

    /// Ends the stroke or drag when the left button goes up. A click without an answer keeps
    /// waiting, and the rest of a stroke is still sent.
    pub(crate) fn release(&mut self) {
        match &mut self.busy {
            Busy::Placing(..) => {}
            Busy::Painting(painting) if !painting.path.is_empty() => painting.over = true,
            Busy::Painting(_) | Busy::Dragging(_) | Busy::Idle => self.busy = Busy::Idle,
        }
    }

    /// Drops the click, stroke or drag in progress and the first end of a dam.
    pub(crate) fn cancel(&mut self) {
        self.dam.from = None;
        self.busy = Busy::Idle;
    }

    /// Returns true if a stroke is in progress and none of its pieces was sent yet.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(&self.busy, Busy::Painting(painting) if painting.begins)
    }

    /// Returns true if a click, a stroke or a drag is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.busy, Busy::Idle)
    }

    /// Number of the vent whose handle is dragged; `None` without a drag.
    pub(crate) fn dragged(&self) -> Option<usize> {
        match &self.busy {
            Busy::Dragging(grab) => Some(grab.handle.vent),
            _ => None,
        }
    }

    /// Ray of the click that waits for its probe, to be sent in place of the pointer's ray.
    pub(crate) fn waits_for(&self) -> Option<Ray> {
        match self.busy {
            Busy::Placing(ray, _) => Some(ray),
            _ => None,
        }
    }

    /// Piece of the stroke to send in this frame, at time `now` in seconds. While the pointer
    /// rests, tools that flow repeat the last place, once a step at most.
    pub(crate) fn stroke(&mut self, now: f64, step: u64) -> Option<Stroke> {
        let flows = self.tool.flows();
        let Busy::Painting(painting) = &mut self.busy else { return None };
        // Once a step at most: a paused world takes no further dabs while the button is held.
        let rests = flows && now - painting.sent.0 >= DAB_S && step != painting.sent.1;
        if painting.path.is_empty() && !rests {
            return None;
        }
        painting.sent = (now, step);
        let (begins, part, over) = (std::mem::take(&mut painting.begins), painting.part, painting.over);
        let rays = std::mem::take(&mut painting.path);
        if over {
            self.busy = Busy::Idle;
        }
        Some(Stroke { begins, rays, part, radius: self.brush.radius, matter: self.matter() })
    }

    /// Request of the tool in this frame, apart from strokes.
    pub(crate) fn tick(&mut self, aim: &Aim, report: &Report) -> Option<Deed> {
        let probe = report.probe.as_ref();
        match &mut self.busy {
            Busy::Idle | Busy::Painting(_) => None,
            Busy::Placing(ray, since) => {
                let (ray, late) = (*ray, aim.now - *since > PATIENCE_S);
                // The probe of a report may belong to an earlier ray: only an answer on the ray of
                // the click counts.
                let answer = probe.filter(|probe| lies_on(&ray, probe));
                let nothing = report.picked.is_some_and(|picked| picked.direction == ray.direction);
                if answer.is_none() && !nothing && !late {
                    return None;
                }
                self.busy = Busy::Idle;
                Some(match answer {
                    None if self.tool == Tool::Pick => Deed::Say(NO_POINT),
                    None if self.tool == Tool::Dam => Deed::Say(NO_END),
                    None => Deed::Say(OUTSIDE),
                    Some(probe) if self.tool == Tool::Pick => Deed::Pick([probe.cell[0], probe.cell[2]], probe.point),
                    Some(probe) if self.tool == Tool::Dam => self.end_of_dam(probe, report),
                    Some(probe) if probe.cut => Deed::Say(ON_THE_SIDE),
                    Some(probe) => Deed::Send(self.place(probe, report)),
                })
            }
            Busy::Dragging(grab) => {
                let spec = grab.dragged_to(aim, report);
                if spec == grab.sent {
                    return None;
                }
                grab.sent = spec.clone();
                Some(Deed::Send(Command::World(VentChange::Change(grab.handle.vent, spec).into())))
            }
        }
    }

    /// Keeps the first end of a dam, or builds the dam with the second.
    fn end_of_dam(&mut self, probe: &Probe, report: &Report) -> Deed {
        let Some(from) = self.dam.from.take() else {
            self.dam.from = Some(probe.point);
            return Deed::Say(OTHER_END);
        };
        let points = [from, probe.point].map(|[x, _, z]| [f64::from(x), f64::from(z)]).to_vec();
        let by = self.dam.height_m / report.cell_height_m;
        // The classic model has whole cells; a dam has one at least.
        let by = if report.flow.is_some() { by } else { by.signum() * by.abs().round().max(1.0) };
        let shape = Shape::Line { points, width: self.dam.width_m / report.cell_size_m };
        Deed::Send(Command::World(Edit { shape, matter: Matter::Raise { by } }.into()))
    }

    fn place(&self, probe: &Probe, report: &Report) -> Command {
        let [x, _, z] = inside(probe.point, report);
        let start = report.step;
        Command::World(VentSpec { x, z, start, end: None, ..self.vent.clone() }.into())
    }

    fn matter(&self) -> Matter {
        match self.tool {
            Tool::Rock => Matter::Rock,
            Tool::Dig => Matter::Nothing,
            Tool::Drain => Matter::Drain,
            Tool::Air => Matter::Air(self.brush.breath),
            Tool::Bucket => Matter::Flood { name: self.material().to_owned(), amount: self.brush.amount },
            Tool::Replace => Matter::Replace { of: self.replaced.clone(), name: self.material().to_owned() },
            Tool::Orbit | Tool::Source | Tool::Fill | Tool::Dam | Tool::Pick => match &self.vent.material {
                None => Matter::Lava { amount: self.brush.amount, energy: self.brush.energy, temperature_k: None },
                Some(name) => Matter::Material { name: name.clone(), amount: self.brush.amount },
            },
        }
    }
}

/// Returns true if `probe` lies on `ray` and so answers its request, not an earlier one.
pub(crate) fn lies_on(ray: &Ray, probe: &Probe) -> bool {
    let to = Point3::from(probe.point).coords - ray.origin;
    let along = to.dot(&ray.direction);
    along > -0.5 && (to - ray.direction * along).norm() < 0.05 + 1e-3 * along
}

#[cfg(test)]
mod tests;
