//! A stroke of the brush: the path of the pointer becomes dabs on what it passes over, close enough for a line without gaps.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::pick::{Hit, Sight};
use crate::input::meet::lies_in;
use crate::messages::Stroke;
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_base::grid::Place;
use lavoxel_render::Ray;
use lavoxel_sim::state::State;

/// Distance of dabs in radii of the ball, at least; at most it is twice as much.
const APART: f64 = 0.25;
/// Halvings of the path between two places of the pointer.
const HALVINGS: u32 = 9;
/// Most cells that are remembered as they were before the stroke.
const MOST_BEFORE: usize = 2 << 20;

/// The brush that draws the present stroke.
#[derive(Debug, Default)]
pub(super) struct Brush {
    /// The place of the pointer at the end of the last piece.
    end: Option<(Ray, Option<Vector3<f64>>)>,
    /// The last dab.
    last: Option<[f64; 3]>,
    /// Whether cells were seen before the stroke changed that: the path runs over the world as it was, and a stroke of rock
    /// does not climb up on itself towards the eye.
    before: HashMap<Place, bool>,
    /// Whether the user was told that nothing was put in.
    told: bool,
}

/// Why a stroke puts nothing where the pointer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// The pointer is beside everything in the box.
    Outside,
    /// It is on a side of the box or on a slice.
    Cut,
    /// There is nothing that would change.
    Nothing,
}

impl Miss {
    /// A message for the user.
    pub(super) fn words(self) -> String {
        let reason = match self {
            Self::Outside => "the pointer is outside the box",
            Self::Cut => "this is the cut side of the box; its surface takes the brush",
            Self::Nothing => "there is nothing to change",
        };
        format!("nothing is put in: {reason}")
    }
}

impl Brush {
    /// The centres of the dabs of a piece, in order, and why there are none at the first place.
    pub(super) fn dabs(&mut self, world: &State, stroke: &Stroke) -> (Vec<[f64; 3]>, Option<Miss>) {
        if stroke.begins {
            *self = Self::default();
        }
        if stroke.rays.is_empty() {
            return (self.last.into_iter().collect(), None);
        }
        let path = Path { sight: Sight::of(world), stroke, before: &self.before };
        let (mut points, mut miss) = (Vec::new(), None);
        let mut end = self.end.take();
        for ray in &stroke.rays {
            let here = path.point(ray);
            if let Err(reason) = here {
                miss = miss.or(Some(reason));
            }
            let next = (*ray, here.ok());
            if let Some(before) = &end {
                path.between(before, &next, HALVINGS, &mut points);
            }
            points.extend(next.1);
            end = Some(next);
        }
        self.end = end;
        let dabs = self.spaced(points, stroke.radius);
        (dabs, miss)
    }

    /// The centres of dabs through points. On a step of the ground they go straight up or down; what lies further away is
    /// behind a ridge, and nothing joins the two.
    fn spaced(&mut self, points: Vec<Vector3<f64>>, radius: f64) -> Vec<[f64; 3]> {
        let mut dabs = Vec::new();
        for point in points {
            let from = self.last.map_or(point, Vector3::from);
            let way = point - from;
            let apart = way.norm();
            if self.last.is_some() && apart < APART * radius {
                continue;
            }
            let pieces = if apart <= 2.0 * radius { (apart / (2.0 * APART * radius)).ceil().max(1.0) } else { 1.0 };
            for i in 1..=pieces as u32 {
                let center: [f64; 3] = (from + way * (f64::from(i) / pieces)).into();
                dabs.push(center.map(rounded));
            }
            self.last = dabs.last().copied();
        }
        dabs
    }

    /// Whether the user is to be told that nothing was put in: once, and not where a stroke runs over an edge.
    pub(super) fn tells(&mut self) -> bool {
        !std::mem::replace(&mut self.told, true)
    }

    /// The stroke has put something in.
    pub(super) fn has_put(&mut self) {
        self.told = true;
    }

    /// Which cells of a ball are seen.
    pub(super) fn seen(&self, world: &State, ball: &Shape) -> Vec<(Place, bool)> {
        let sight = Sight::of(world);
        ball.cells(world.grid()).map(|place| (place, sight.sees(place))).collect()
    }

    /// Remembers those cells that are seen otherwise than before a dab.
    pub(super) fn remember(&mut self, world: &State, were: Vec<(Place, bool)>) {
        let sight = Sight::of(world);
        for (place, was) in were {
            if sight.sees(place) != was && self.before.len() < MOST_BEFORE {
                self.before.entry(place).or_insert(was);
            }
        }
    }
}

/// The path of a piece over the world as it was before the stroke.
struct Path<'a> {
    sight: Sight<'a>,
    stroke: &'a Stroke,
    before: &'a HashMap<Place, bool>,
}

impl Path<'_> {
    /// Where the brush touches the world at a place of the pointer.
    fn point(&self, ray: &Ray) -> Result<Vector3<f64>, Miss> {
        let wanted = |place: Place| self.before.get(&place).copied().unwrap_or_else(|| self.sight.sees(place));
        let Hit { point, cut, .. } = self.sight.meet(ray, wanted).ok_or(Miss::Outside)?;
        if !lies_in(point, self.stroke.part) {
            return Err(Miss::Outside);
        }
        // A side can be dug into; for anything else there is no room in it.
        if cut && self.stroke.matter != Matter::Nothing {
            return Err(Miss::Cut);
        }
        Ok(Vector3::from(point).map(f64::from))
    }

    /// Adds points between two places of the pointer, close to each other but for jumps from a ridge to what lies behind it.
    fn between(
        &self,
        from: &(Ray, Option<Vector3<f64>>),
        to: &(Ray, Option<Vector3<f64>>),
        halvings: u32,
        points: &mut Vec<Vector3<f64>>,
    ) {
        let near = |a: Vector3<f64>, b: Vector3<f64>| (a - b).norm() <= APART * self.stroke.radius;
        let done = match (from.1, to.1) {
            (Some(a), Some(b)) => near(a, b),
            (None, None) => true,
            _ => false,
        };
        if done || halvings == 0 {
            return;
        }
        let direction = (from.0.direction + to.0.direction).normalize();
        let ray = Ray { origin: (from.0.origin + to.0.origin) * 0.5, direction };
        let middle = (ray, self.point(&ray).ok());
        self.between(from, &middle, halvings - 1, points);
        points.extend(middle.1);
        self.between(&middle, to, halvings - 1, points);
    }
}

/// Whether an edit changes any cell.
pub(super) fn changes(world: &State, edit: &Edit) -> bool {
    let solid = |place: Place| world.ground().is_solid(place);
    let sight = Sight::of(world);
    let mut cells = edit.shape.cells(world.grid());
    match edit.matter {
        Matter::Nothing => cells.any(|place| sight.holds(place) || solid(place)),
        Matter::Raise { by } => by != 0.0,
        Matter::Ground(_) => true,
        Matter::Drain => cells.any(|place| sight.holds(place)),
        Matter::Air(_) => world.air().is_some() && cells.any(|place| !solid(place)),
        Matter::Replace { of: ref goes, name: ref comes } => {
            let goes = |name: &str| name != comes && goes.as_ref().is_none_or(|goes| goes == name);
            let mut others = world.layers().iter().enumerate().filter(|(number, _)| !world.is_mirror(*number));
            let others: Vec<_> = others.by_ref().filter(|(_, layer)| goes(&layer.material().name)).collect();
            cells.any(|place| others.iter().any(|(_, layer)| layer.at(place).amount > 0))
        }
        Matter::Lava { .. } | Matter::Material { .. } | Matter::Flood { .. } | Matter::Rock | Matter::Solid { .. } => {
            cells.any(|place| !solid(place))
        }
    }
}

/// Two digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
