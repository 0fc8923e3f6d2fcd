//! Tools of the mouse: placing and dragging vents, painting with brushes. State machines
//! independent of the window; their methods return the commands to send.

use nalgebra::Point3;

use crate::edit::vent_drag::{Grab, inside};
use crate::edit::vent_handles::Handle;
use crate::input::pointer::Aim;
use crate::messages::{Command, MaterialReport, Probe, Report, Stroke};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Breath, Edit, Matter, Shape};
use lavoxel_render::{Named, Ray};
use lavoxel_sim::source::{VentChange, VentSpec};

/// Tool: meaning of a left drag or click.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Orbits the camera and probes cells.
    #[default]
    Orbit,
    /// Places sources of the chosen material: vents of lava, springs of other materials.
    Source,
    /// Paints with the chosen material.
    Fill,
    /// Fills a hollow with the chosen material.
    Bucket,
    /// Replaces other materials by the chosen material.
    Replace,
    /// Paints with rock.
    Rock,
    /// Raises or lowers the ground along a line.
    Dam,
    /// Removes rock and all materials.
    Dig,
    /// Removes liquids; rock stays.
    Drain,
    /// Adds heat, ash, steam and wind to the air.
    Air,
    /// Selects a column for the live plots.
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
            Self::Source => {
                "Click the ground to place a source of the chosen material that pours from now on"
            }
            Self::Fill => "Drag to top cells up with the chosen material",
            Self::Bucket => {
                "Click to fill the hollow under the pointer up to it with the chosen material"
            }
            Self::Replace => "Drag to put the chosen material in the place of others",
            Self::Rock => "Drag to build rock; what is there moves aside",
            Self::Dam => {
                "Click both ends of a line: the ground along it rises, or falls where the height is below 0"
            }
            Self::Dig => "Drag to dig rock and liquids away",
            Self::Drain => "Drag to take liquids away and leave the rock",
            Self::Air => "Drag to warm the air, to put ash and steam into it, and to blow",
            Self::Pick => "Click a point: its thickness and temperature are plotted while it runs",
        }
    }
}

impl Tool {
    /// Returns true if the tool paints with the brush.
    pub(crate) fn is_brush(self) -> bool {
        !matches!(self, Self::Orbit | Self::Source | Self::Dam | Self::Pick)
    }

    /// Returns true if the tool needs a chosen material.
    pub(crate) fn pours(self) -> bool {
        matches!(
            self,
            Self::Source | Self::Fill | Self::Bucket | Self::Replace
        )
    }

    /// Returns true if the tool repeats its dab while the pointer rests.
    fn flows(self) -> bool {
        matches!(self, Self::Fill | Self::Drain | Self::Air)
    }
}

/// Settings of the next dam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dam {
    /// Height above the ground in metres; negative for a ditch.
    pub height_m: f64,
    /// Width across the line in metres; 0 for a line one column wide.
    pub width_m: f64,
    /// First end as x, y, z in cells; `None` before the first click.
    pub from: Option<[f32; 3]>,
}

impl Dam {
    /// Smallest default height of a dam in metres.
    const USUAL_M: f64 = 5.0;
    /// Default height and width of a dam in cells in the classic model, where a flow is a few cells
    /// thick.
    pub(crate) const CELLS: (f64, f64) = (5.0, 4.0);

    /// Returns the default dam for a world. Physical model, whose lava is metres thick: one column
    /// wide, and 5 m or one cell high, whichever is more. Classic model: [`Dam::CELLS`].
    pub(crate) fn fitting(report: &Report) -> Self {
        let (high, wide) = if report.flow.is_some() {
            (1.0, 0.0)
        } else {
            Self::CELLS
        };
        let height_m = (high * report.cell_height_m).max(Self::USUAL_M);
        Self {
            height_m,
            width_m: wide * report.cell_size_m,
            from: None,
        }
    }
}

/// Settings of the brush, a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Brush {
    /// Radius in cells.
    pub radius: f64,
    /// Amount up to which the brush fills cells, 0 to 1 of a full cell.
    pub amount: f64,
    /// Energy of a full cell of painted lava; 1 is the default of a vent.
    pub energy: f64,
    /// Heat, ash, steam and wind that the air tool adds.
    pub breath: Breath,
}

/// Range of the brush's radius in cells.
pub(crate) const BRUSH_RADIUS: (f64, f64) = (0.5, 40.0);

/// Default of the air tool: warm smoke.
pub(crate) const BREATH: Breath = Breath {
    heat_k: 50.0,
    ash_kg_m3: 0.005,
    steam_kg_m3: 0.0,
    wind_m_s: [0.0; 3],
};

/// Interval in seconds between two dabs while the pointer rests.
const DAB_S: f64 = 0.05;
/// Time in seconds after which a click without a matching probe is dropped.
const PATIENCE_S: f64 = 2.0;

/// Selected tool with its settings, and the click, stroke or drag in progress.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// Selected tool.
    pub tool: Tool,
    /// Settings of the brush.
    pub brush: Brush,
    /// Template of the next source: radius, rate, energy and the chosen material.
    pub vent: VentSpec,
    /// Settings and first end of the next dam.
    pub dam: Dam,
    /// Name of the only material that the tool replace replaces; `None` for all other materials.
    pub replaced: Option<String>,
    busy: Busy,
}

#[derive(Clone, Debug)]
enum Busy {
    Idle,
    /// Click that waits for the probe along its ray; second field: time of the click in seconds.
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
    /// Set until the first piece of the stroke was sent.
    begins: bool,
    /// Set once the button is released.
    over: bool,
    /// Time in seconds, and step, of the last piece sent.
    sent: (f64, u64),
}

/// Result of a tool for the window to carry out.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// Command for the simulation.
    Send(Command),
    /// Column `[x, z]` to plot from now on, and the clicked point as x, y, z in cells.
    Pick([usize; 2], [f32; 3]),
    /// Notice that tells the user why nothing was done.
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
        let brush = Brush {
            radius: 4.0,
            amount: 1.0,
            energy: 1.0,
            breath: BREATH,
        };
        let dam = Dam {
            height_m: Dam::USUAL_M,
            width_m: 0.0,
            from: None,
        };
        Self {
            tool: Tool::Orbit,
            brush,
            vent,
            dam,
            replaced: None,
            busy: Busy::Idle,
        }
    }
}

impl Tools {
    /// Returns the name of the chosen material.
    pub(crate) fn material(&self) -> &str {
        self.vent.material.as_deref().unwrap_or(Material::LAVA)
    }

    /// Chooses the material called `name` for sources and brush.
    pub(crate) fn choose(&mut self, name: &str) {
        self.vent.material = (name != Material::LAVA).then(|| name.to_owned());
    }

    /// Chooses the next material of `materials`, cyclically; the first if the present one is
    /// missing.
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

    /// Chooses lava if `materials` lack the chosen material.
    pub(crate) fn follow(&mut self, materials: &[MaterialReport]) {
        if materials
            .iter()
            .all(|report| report.material.name != self.material())
        {
            self.vent.material = None;
        }
    }

    /// Adapts the template of the next vent to the model of the world; `flows`: true for the
    /// physical model. Other materials have the same springs in both models.
    pub(crate) fn fit(&mut self, flows: bool) {
        if flows && self.vent.material.is_none() {
            self.vent.flow.get_or_insert_default();
        } else {
            self.vent.flow = None;
        }
    }

    /// Begins a click, stroke or drag on the press of the left button; `handle` is the handle under
    /// the pointer. Returns true if the tool takes the drag.
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

    /// Appends `ray` to the path of the stroke; `ray` starts at its entry into `part`, the visible
    /// part of the box.
    pub(crate) fn trace(&mut self, ray: Ray, part: [[f32; 2]; 3]) {
        if let Busy::Painting(painting) = &mut self.busy
            && !painting.over
        {
            painting.path.push(ray);
            painting.part = part;
        }
    }

    /// Ends the stroke or drag on the release of the left button. A click keeps waiting for its
    /// probe, and the rest of a stroke is still sent.
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

    /// Returns true if a stroke is in progress of which no piece was sent.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(&self.busy, Busy::Painting(painting) if painting.begins)
    }

    /// Returns true if a click, a stroke or a drag is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.busy, Busy::Idle)
    }

    /// Returns the number of the vent whose handle is dragged; `None` without such a drag.
    pub(crate) fn dragged(&self) -> Option<usize> {
        match &self.busy {
            Busy::Dragging(grab) => Some(grab.handle.vent),
            _ => None,
        }
    }

    /// Returns the ray of the click that waits for its probe, which takes the place of the
    /// pointer's ray; `None` if no click waits.
    pub(crate) fn waits_for(&self) -> Option<Ray> {
        match self.busy {
            Busy::Placing(ray, _) => Some(ray),
            _ => None,
        }
    }

    /// Returns the piece of the stroke to send at the time `now` (seconds) and the step `step`;
    /// `None` if there is nothing to send. While the pointer rests, some tools repeat their last
    /// dab, at most once per step.
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

    /// Returns the result of the tool in this frame, strokes excepted; `None` without one.
    pub(crate) fn tick(&mut self, aim: &Aim, report: &Report) -> Option<Deed> {
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
                    None if self.tool == Tool::Pick => Deed::Say(NO_POINT),
                    None if self.tool == Tool::Dam => Deed::Say(NO_END),
                    None => Deed::Say(OUTSIDE),
                    Some(probe) if self.tool == Tool::Pick => {
                        Deed::Pick([probe.cell[0], probe.cell[2]], probe.point)
                    }
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
                Some(Deed::Send(Command::World(
                    VentChange::Change(grab.handle.vent, spec).into(),
                )))
            }
        }
    }

    /// Stores the first end of a dam, or builds the dam to the second end.
    fn end_of_dam(&mut self, probe: &Probe, report: &Report) -> Deed {
        let Some(from) = self.dam.from.take() else {
            self.dam.from = Some(probe.point);
            return Deed::Say(OTHER_END);
        };
        let points = [from, probe.point]
            .map(|[x, _, z]| [f64::from(x), f64::from(z)])
            .to_vec();
        let by = self.dam.height_m / report.cell_height_m;
        // The classic model has whole cells, so a dam is at least one cell high.
        let by = if report.flow.is_some() {
            by
        } else {
            by.signum() * by.abs().round().max(1.0)
        };
        let shape = Shape::Line {
            points,
            width: self.dam.width_m / report.cell_size_m,
        };
        Deed::Send(Command::World(
            Edit {
                shape,
                matter: Matter::Raise { by },
            }
            .into(),
        ))
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
        match self.tool {
            Tool::Rock => Matter::Rock,
            Tool::Dig => Matter::Nothing,
            Tool::Drain => Matter::Drain,
            Tool::Air => Matter::Air(self.brush.breath),
            Tool::Bucket => Matter::Flood {
                name: self.material().to_owned(),
                amount: self.brush.amount,
            },
            Tool::Replace => Matter::Replace {
                of: self.replaced.clone(),
                name: self.material().to_owned(),
            },
            Tool::Orbit | Tool::Source | Tool::Fill | Tool::Dam | Tool::Pick => {
                match &self.vent.material {
                    None => Matter::Lava {
                        amount: self.brush.amount,
                        energy: self.brush.energy,
                        temperature_k: None,
                    },
                    Some(name) => Matter::Material {
                        name: name.clone(),
                        amount: self.brush.amount,
                    },
                }
            }
        }
    }
}

/// Returns true if `probe` lies on `ray`, so that it answers this click.
pub(crate) fn lies_on(ray: &Ray, probe: &Probe) -> bool {
    let to = Point3::from(probe.point).coords - ray.origin;
    let along = to.dot(&ray.direction);
    along > -0.5 && (to - ray.direction * along).norm() < 0.05 + 1e-3 * along
}

#[cfg(test)]
mod tests;
