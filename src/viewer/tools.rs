//! What the mouse does to the world: vents placed and dragged, brushes drawn. State machines without a window; they
//! answer with the commands to send.

use nalgebra::Point3;

use super::handles::{Grip, Handle};
use super::link::{Command, Probe, Report, VentChange};
use crate::render::Ray;
use crate::source::VentSpec;
use crate::units::VENT_ENERGY_MAX;
use crate::world::{Matter, Shape};

/// What a left drag or click means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Orbit and probe.
    #[default]
    Look,
    /// Place vents.
    Vent,
    /// Paint lava.
    Lava,
    /// Paint rock.
    Rock,
    /// Paint nothing: rock and lava go.
    Dig,
    /// Take lava away, leave rock.
    Drain,
}

impl Tool {
    /// In the order of the panel.
    pub const ALL: [Self; 6] = [Self::Look, Self::Vent, Self::Lava, Self::Rock, Self::Dig, Self::Drain];

    /// Name on its button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Look => "Look",
            Self::Vent => "Vent",
            Self::Lava => "Lava",
            Self::Rock => "Rock",
            Self::Dig => "Dig",
            Self::Drain => "Drain",
        }
    }

    /// What it does, for a person.
    pub fn what(self) -> &'static str {
        match self {
            Self::Look => "Drag to orbit; the pointer probes the cell under it.",
            Self::Vent => "Click the ground to place a vent that pours from now on.",
            Self::Lava => "Drag to top cells up with fresh lava.",
            Self::Rock => "Drag to build rock; lava in it is removed and counted.",
            Self::Dig => "Drag to dig rock and lava away.",
            Self::Drain => "Drag to take lava away and leave the rock.",
        }
    }

    /// Whether it paints with a ball.
    pub(crate) fn is_brush(self) -> bool {
        !matches!(self, Self::Look | Self::Vent)
    }

    /// Whether it does something again and again while the pointer rests.
    fn flows(self) -> bool {
        matches!(self, Self::Lava | Self::Drain)
    }
}

/// The ball that brushes paint with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Brush {
    /// Radius in cells.
    pub radius: f64,
    /// Amount to which lava is topped up, 0 to 1.
    pub amount: f64,
    /// Energy of a full cell of it.
    pub energy: f64,
}

/// Smallest and largest radius of the brush in cells.
pub(crate) const BRUSH_RADIUS: (f64, f64) = (0.5, 40.0);
/// Smallest and largest radius of a vent that a drag gives, in cells.
pub(crate) const VENT_RADIUS: (f64, f64) = (0.0, 40.0);
/// Smallest and largest rate of a vent that a drag gives, in cells a step.
pub(crate) const VENT_RATE: (f64, f64) = (0.01, 200.0);

/// Seconds from one dab to the next while the pointer rests.
const DAB_S: f64 = 0.05;
/// Pixels that the pointer must move for a dab at another place.
const DAB_PIXELS: f32 = 2.0;
/// Seconds after which a click is given up when nothing was found under it.
const PATIENCE_S: f64 = 2.0;
/// Pixels of a drag that multiply the rate by e.
const RATE_PIXELS: f32 = 90.0;
/// Pixels of a drag that add 1 to the energy.
const ENERGY_PIXELS: f32 = 150.0;

/// Where the pointer is in this frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// Pixels from the top left.
    pub pixel: (f32, f32),
    /// The ray through it.
    pub ray: Ray,
    /// Seconds since the window opened.
    pub now: f64,
    /// Whether Shift is held.
    pub shift: bool,
}

/// Tool, brush and what is under way.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The tool in hand.
    pub tool: Tool,
    /// The brush.
    pub brush: Brush,
    /// Radius, rate and energy of the next vent.
    pub vent: VentSpec,
    busy: Busy,
}

#[derive(Clone, Debug)]
enum Busy {
    Idle,
    /// A click waits for what lies under it.
    Placing(Ray, f64),
    Painting(Option<Dab>),
    Dragging(Grab),
}

/// The last dab of a stroke.
#[derive(Clone, Copy, Debug)]
struct Dab {
    center: [f64; 3],
    pixel: (f32, f32),
    at: f64,
}

/// A handle in hand.
#[derive(Clone, Debug)]
struct Grab {
    handle: Handle,
    pixel: (f32, f32),
    /// The vent as it was when grabbed.
    spec: VentSpec,
    sent: VentSpec,
}

impl Default for Tools {
    fn default() -> Self {
        let vent = VentSpec { x: 0.0, z: 0.0, radius: 2.5, rate: 1.8, start: 0, end: None, energy: 1.0 };
        let brush = Brush { radius: 4.0, amount: 1.0, energy: 1.0 };
        Self { tool: Tool::Look, brush, vent, busy: Busy::Idle }
    }
}

impl Tools {
    /// The left button goes down, over a handle or not. Says whether the tool takes the drag.
    pub(crate) fn press(&mut self, aim: &Aim, handle: Option<&Handle>, report: &Report) -> bool {
        let vent = handle.and_then(|h| Some((*h, report.vents.iter().find(|(number, _)| *number == h.vent)?)));
        self.busy = match vent {
            Some((handle, (_, spec))) => {
                Busy::Dragging(Grab { handle, pixel: aim.pixel, spec: spec.clone(), sent: spec.clone() })
            }
            None if self.tool == Tool::Vent => Busy::Placing(aim.ray, aim.now),
            None if self.tool.is_brush() => Busy::Painting(None),
            None => Busy::Idle,
        };
        !matches!(self.busy, Busy::Idle)
    }

    /// The left button goes up; a click that still waits for its answer goes on waiting.
    pub(crate) fn release(&mut self) {
        if !matches!(self.busy, Busy::Placing(..)) {
            self.busy = Busy::Idle;
        }
    }

    /// Drops what is under way.
    pub(crate) fn cancel(&mut self) {
        self.busy = Busy::Idle;
    }

    /// Whether a click, a stroke or a drag is under way.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.busy, Busy::Idle)
    }

    /// The vent whose handle is in hand.
    pub(crate) fn dragged(&self) -> Option<usize> {
        match &self.busy {
            Busy::Dragging(grab) => Some(grab.handle.vent),
            _ => None,
        }
    }

    /// The ray whose answer is waited for instead of the pointer's.
    pub(crate) fn waits_for(&self) -> Option<Ray> {
        match self.busy {
            Busy::Placing(ray, _) => Some(ray),
            _ => None,
        }
    }

    /// What is to be sent in this frame.
    pub(crate) fn tick(&mut self, aim: &Aim, report: &Report) -> Option<Command> {
        let probe = report.probe.as_ref();
        match &mut self.busy {
            Busy::Idle => None,
            Busy::Placing(ray, since) => {
                let (ray, late) = (*ray, aim.now - *since > PATIENCE_S);
                let answer = probe.filter(|probe| lies_on(&ray, probe));
                if answer.is_some() || late {
                    self.busy = Busy::Idle;
                }
                answer.map(|probe| self.place(probe, report))
            }
            Busy::Painting(last) => {
                let dab = next_dab(self.tool, last.as_ref(), aim, probe)?;
                *last = Some(dab);
                Some(Command::Put(Shape::Sphere { center: dab.center, radius: self.brush.radius }, self.matter()))
            }
            Busy::Dragging(grab) => {
                let spec = grab.dragged_to(aim, report);
                if spec == grab.sent {
                    return None;
                }
                grab.sent = spec.clone();
                Some(Command::Vent(VentChange::Change(grab.handle.vent, spec)))
            }
        }
    }

    fn place(&self, probe: &Probe, report: &Report) -> Command {
        let [x, _, z] = inside(probe.point, report);
        let start = report.step;
        Command::Vent(VentChange::Place(VentSpec { x, z, start, end: None, ..self.vent.clone() }))
    }

    fn matter(&self) -> Matter {
        match self.tool {
            Tool::Rock => Matter::Rock,
            Tool::Dig => Matter::Nothing,
            Tool::Drain => Matter::Drain,
            Tool::Look | Tool::Vent | Tool::Lava => {
                Matter::Lava { amount: self.brush.amount, energy: self.brush.energy }
            }
        }
    }
}

/// A point held inside the box, with the digits that a file should show.
fn inside(point: [f32; 3], report: &Report) -> [f64; 3] {
    let size = [report.grid.nx, report.grid.ny, report.grid.nz];
    std::array::from_fn(|k| round(f64::from(point[k]).clamp(0.0, size[k] as f64)))
}

/// Two digits after the point.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Whether an answer belongs to a ray and not to one before.
pub(crate) fn lies_on(ray: &Ray, probe: &Probe) -> bool {
    let to = Point3::from(probe.point).coords - ray.origin;
    let along = to.dot(&ray.direction);
    along > -0.5 && (to - ray.direction * along).norm() < 0.05 + 1e-3 * along
}

/// The dab that is due, if one is: at another place once the pointer has moved and its answer is there, or at the same
/// place again for what flows. Rock does not grow towards a pointer at rest.
fn next_dab(tool: Tool, last: Option<&Dab>, aim: &Aim, probe: Option<&Probe>) -> Option<Dab> {
    let here = probe.filter(|probe| lies_on(&aim.ray, probe)).map(|probe| probe.point.map(|v| round(f64::from(v))));
    let fresh = |center| Dab { center, pixel: aim.pixel, at: aim.now };
    let Some(last) = last else { return here.map(fresh) };
    let moved = (aim.pixel.0 - last.pixel.0).hypot(aim.pixel.1 - last.pixel.1) >= DAB_PIXELS;
    if moved {
        return here.map(fresh);
    }
    (tool.flows() && aim.now - last.at >= DAB_S).then_some(Dab { at: aim.now, ..*last })
}

impl Grab {
    /// The vent as the handle's present place wants it.
    fn dragged_to(&self, aim: &Aim, report: &Report) -> VentSpec {
        let mut spec = self.spec.clone();
        let up = self.pixel.1 - aim.pixel.1;
        match self.handle.grip {
            Grip::Place => {
                if let Some(point) = self.on_level(&aim.ray) {
                    [spec.x, _, spec.z] = inside(point, report);
                }
            }
            Grip::Radius => {
                if let Some([x, _, z]) = self.on_level(&aim.ray) {
                    let away = (f64::from(x) - spec.x).hypot(f64::from(z) - spec.z);
                    spec.radius = round(away.clamp(VENT_RADIUS.0, VENT_RADIUS.1));
                }
            }
            Grip::Rate if aim.shift => {
                let energy = spec.energy + f64::from(up / ENERGY_PIXELS);
                spec.energy = round(energy).clamp(0.0, (VENT_ENERGY_MAX * 100.0).floor() / 100.0);
            }
            Grip::Rate => {
                let rate = spec.rate.max(VENT_RATE.0) * f64::from(up / RATE_PIXELS).exp();
                spec.rate = round(rate.clamp(VENT_RATE.0, VENT_RATE.1));
            }
        }
        spec
    }

    /// Where the ray meets the level of the vent.
    fn on_level(&self, ray: &Ray) -> Option<[f32; 3]> {
        let t = (self.handle.level - ray.origin.y) / ray.direction.y;
        (t.is_finite() && t > 0.0).then(|| ray.at(t).into())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::grid::Grid;
    use crate::rules::RulesSpec;
    use crate::viewer::link::{MassAccount, Pace, StageTimes};

    fn report(vents: Vec<(usize, VentSpec)>) -> Report {
        Report {
            name: "test".into(),
            epoch: 0,
            grid: Grid::new(40, 30, 40),
            cell_size_m: 10.0,
            step: 7,
            seed: 1,
            rules: RulesSpec::default(),
            vents,
            pace: Pace::Paused,
            steps_per_second: 0.0,
            mass: MassAccount::default(),
            liquid_cells: 0,
            times: StageTimes::default(),
            moments: Vec::new(),
            probe: None,
        }
    }

    /// A pointer above the point (x, 5, z) of the ground, looking straight down.
    fn aim(x: f32, z: f32, now: f64) -> Aim {
        let ray = Ray { origin: Vector3::new(x, 50.0, z), direction: -Vector3::y() };
        Aim { pixel: (10.0 * x, 10.0 * z), ray, now, shift: false }
    }

    fn probe(x: f32, z: f32) -> Option<Probe> {
        Some(Probe {
            cell: [x as usize, 4, z as usize],
            point: [x, 5.0, z],
            solid: true,
            amount: 0.0,
            energy: 0.0,
            ground_m: 50.0,
            thickness_m: 0.0,
        })
    }

    fn center(command: Option<Command>) -> Option<[f64; 3]> {
        match command {
            Some(Command::Put(Shape::Sphere { center, .. }, _)) => Some(center),
            None => None,
            other => panic!("not a dab: {other:?}"),
        }
    }

    #[test]
    fn a_click_places_a_vent_where_its_own_answer_says() {
        let mut tools = Tools { tool: Tool::Vent, ..Tools::default() };
        let mut report = report(Vec::new());
        let click = aim(12.0, 30.0, 1.0);
        assert!(tools.press(&click, None, &report));
        tools.release();
        report.probe = probe(3.0, 3.0);
        assert!(tools.tick(&aim(13.0, 30.0, 1.1), &report).is_none(), "an answer to an earlier ray");
        report.probe = probe(12.0, 30.0);
        match tools.tick(&aim(14.0, 30.0, 1.2), &report) {
            Some(Command::Vent(VentChange::Place(vent))) => {
                assert_eq!((vent.x, vent.z, vent.start, vent.end), (12.0, 30.0, 7, None));
                assert!(vent.validate("vent", report.grid).is_ok());
            }
            other => panic!("no vent: {other:?}"),
        }
        assert!(!tools.is_busy());
    }

    #[test]
    fn a_click_into_the_sky_is_given_up() {
        let mut tools = Tools { tool: Tool::Vent, ..Tools::default() };
        let report = report(Vec::new());
        tools.press(&aim(12.0, 30.0, 1.0), None, &report);
        assert!(tools.tick(&aim(12.0, 30.0, 9.0), &report).is_none());
        assert!(!tools.is_busy());
    }

    #[test]
    fn lava_is_dabbed_again_and_again_but_rock_only_when_the_pointer_moves() {
        for (tool, again) in [(Tool::Lava, true), (Tool::Drain, true), (Tool::Rock, false), (Tool::Dig, false)] {
            let mut tools = Tools { tool, ..Tools::default() };
            let mut report = report(Vec::new());
            report.probe = probe(20.0, 20.0);
            assert!(tools.press(&aim(20.0, 20.0, 0.0), None, &report));
            assert_eq!(center(tools.tick(&aim(20.0, 20.0, 0.0), &report)), Some([20.0, 5.0, 20.0]));
            assert!(tools.tick(&aim(20.0, 20.0, 0.01), &report).is_none(), "not every frame");
            // The lava rises towards the pointer; the dab stays where the stroke put it.
            report.probe = probe(20.0, 20.0).map(|p| Probe { point: [20.0, 9.0, 20.0], ..p });
            let rest = center(tools.tick(&aim(20.0, 20.0, 0.2), &report));
            assert_eq!(rest, again.then_some([20.0, 5.0, 20.0]), "{tool:?}");
            report.probe = probe(25.0, 20.0);
            assert_eq!(center(tools.tick(&aim(25.0, 20.0, 0.3), &report)), Some([25.0, 5.0, 20.0]));
            tools.release();
            assert!(tools.tick(&aim(28.0, 20.0, 1.0), &report).is_none());
        }
    }

    #[test]
    fn handles_change_what_they_say() {
        let vent = VentSpec { x: 20.0, z: 20.0, radius: 2.0, rate: 1.0, start: 0, end: None, energy: 1.0 };
        let report = report(vec![(3, vent)]);
        let drag = |grip, to: Aim| {
            let mut tools = Tools::default();
            let handle = Handle { vent: 3, grip, pixel: (200.0, 200.0), level: 5.0 };
            assert!(tools.press(&aim(20.0, 20.0, 0.0), Some(&handle), &report));
            assert!(tools.tick(&aim(20.0, 20.0, 0.0), &report).is_none() || grip == Grip::Radius);
            match tools.tick(&to, &report) {
                Some(Command::Vent(VentChange::Change(3, vent))) => vent,
                other => panic!("no change: {other:?}"),
            }
        };
        let moved = drag(Grip::Place, aim(30.0, 10.0, 1.0));
        assert_eq!((moved.x, moved.z, moved.rate), (30.0, 10.0, 1.0));
        assert_eq!(drag(Grip::Radius, aim(26.0, 20.0, 1.0)).radius, 6.0);
        let up = Aim { pixel: (200.0, 110.0), ..aim(20.0, 20.0, 1.0) };
        assert!((drag(Grip::Rate, up).rate - 2.72).abs() < 1e-9);
        let hot = drag(Grip::Rate, Aim { shift: true, ..up });
        assert!((hot.energy - 1.6).abs() < 1e-9 && hot.rate == 1.0);
    }

    #[test]
    fn looking_takes_no_drag() {
        let mut tools = Tools::default();
        assert!(!tools.press(&aim(1.0, 1.0, 0.0), None, &report(Vec::new())));
        assert!(!tools.is_busy());
    }
}
