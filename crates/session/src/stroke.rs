//! Brush strokes: converts the pointer's path into dabs (balls of the brush) on the surface under
//! the pointer, spaced densely enough for a line without gaps.
//!
//! The path between two pointer positions is refined by bisection between their rays, since the
//! surface may have edges. Rays are traced against the world as it was before the stroke.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::pick::{Hit, Sight, lies_in};
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_base::grid::Place;
use lavoxel_render::Ray;
use lavoxel_sim::state::State;

/// Smallest distance between the centres of two dabs, in radii of the brush; the largest distance
/// is twice this value.
const APART: f64 = 0.25;
/// Largest recursion depth of the bisection between two pointer positions, with which the path has
/// at most 2⁹ pieces.
const HALVINGS: u32 = 9;
/// Upper bound of the number of cells for which the visibility before the stroke is stored.
const MOST_BEFORE: usize = 2 << 20;

/// Piece of a brush stroke: the pointer's path since the previous piece, and the brush.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Set for the first piece of a new stroke.
    pub begins: bool,
    /// Rays under the pointer along its path since the previous piece; each starts where it enters
    /// the visible region of the simulation box. Empty: the last dab is repeated.
    pub rays: Vec<Ray>,
    /// Visible region of the simulation box: lower and upper bound in cells along x, y and z.
    pub part: [[f32; 2]; 3],
    /// Radius of the brush in cells.
    pub radius: f64,
    /// Material and amount that the brush puts into the cells of each dab.
    pub matter: Matter,
}

/// State of the brush during one stroke: last pointer position, last dab, and changed cells.
#[derive(Debug, Default)]
pub(crate) struct Brush {
    /// Last pointer position: its ray, and the point in cells that the ray hits (inner `None`: no
    /// hit). Outer `None`: no position yet.
    end: Option<(Ray, Option<Vector3<f64>>)>,
    /// Centre of the last dab as x, y, z in cells; `None` before the first dab.
    last: Option<[f64; 3]>,
    /// Visibility before the stroke of each cell that the stroke has changed. Rays are traced
    /// against the world before the stroke; otherwise a stroke of rock would climb on itself
    /// towards the eye.
    before: HashMap<Place, bool>,
    /// Set once the stroke needs no notice that nothing was changed, because the notice was shown
    /// or the stroke has changed something.
    told: bool,
}

/// Reason for which a dab at the pointer would change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The pointer's ray hits nothing in the visible region of the simulation box.
    Outside,
    /// The pointer's ray hits a side of the simulation box or a slice, where only digging is
    /// possible.
    Cut,
    /// The dab would change no cell.
    Nothing,
}

impl Miss {
    /// Returns the text of the notice that tells the user why the stroke changes nothing.
    pub(crate) fn words(self) -> String {
        let reason = match self {
            Self::Outside => "the pointer is outside the box",
            Self::Cut => "this is the cut side of the box; its surface takes the brush",
            Self::Nothing => "there is nothing to change",
        };
        format!("nothing is put in: {reason}")
    }
}

impl Brush {
    /// Returns the dabs of one piece of a stroke: centres x, y, z in cells, in order; and the
    /// reason why a pointer position missed, for the first such position (`None` if all hit).
    pub(crate) fn dabs(&mut self, world: &State, stroke: &Stroke) -> (Vec<[f64; 3]>, Option<Miss>) {
        if stroke.begins {
            *self = Self::default();
        }
        if stroke.rays.is_empty() {
            return (self.last.into_iter().collect(), None);
        }
        let path = Path {
            sight: Sight::new(world),
            stroke,
            before: &self.before,
        };
        let (mut points, mut miss) = (Vec::new(), None);
        // The path continues from the last pointer position of the piece before, without a gap.
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

    /// Returns dab centres along `points` (in cells), rounded to 0.01 cells. Gaps of up to 2
    /// `radius`, such as at a step of the ground, are filled with dabs; a longer gap, such as
    /// behind a ridge, stays open.
    fn spaced(&mut self, points: Vec<Vector3<f64>>, radius: f64) -> Vec<[f64; 3]> {
        let mut dabs = Vec::new();
        for point in points {
            let from = self.last.map_or(point, Vector3::from);
            let way = point - from;
            let apart = way.norm();
            if self.last.is_some() && apart < APART * radius {
                continue;
            }
            let pieces = if apart <= 2.0 * radius {
                (apart / (2.0 * APART * radius)).ceil().max(1.0)
            } else {
                1.0
            };
            for i in 1..=pieces as u32 {
                let center: [f64; 3] = (from + way * (f64::from(i) / pieces)).into();
                dabs.push(center.map(rounded));
            }
            self.last = dabs.last().copied();
        }
        dabs
    }

    /// Returns true if the user should be told that the stroke changes nothing: at most once per
    /// stroke, and never after the stroke has changed something.
    pub(crate) fn tells(&mut self) -> bool {
        !std::mem::replace(&mut self.told, true)
    }

    /// Records that the stroke has changed the world, so that the user gets no notice.
    pub(crate) fn has_put(&mut self) {
        self.told = true;
    }

    /// Returns the cells of the shape `ball`, each with the flag of its present visibility.
    pub(crate) fn seen(&self, world: &State, ball: &Shape) -> Vec<(Place, bool)> {
        let sight = Sight::new(world);
        ball.cells(world.grid())
            .map(|place| (place, sight.sees(place)))
            .collect()
    }

    /// Compares `were`, the visibility of cells before a dab, with their present visibility, and
    /// stores for the cells changed by the dab the visibility before the dab, unless the stroke had
    /// changed them before.
    pub(crate) fn remember(&mut self, world: &State, were: Vec<(Place, bool)>) {
        let sight = Sight::new(world);
        for (place, was) in were {
            if sight.sees(place) != was && self.before.len() < MOST_BEFORE {
                self.before.entry(place).or_insert(was);
            }
        }
    }
}

/// Pointer path of one piece of a stroke, and the inputs for tracing its rays against the world as
/// it was before the stroke.
struct Path<'a> {
    sight: Sight<'a>,
    stroke: &'a Stroke,
    before: &'a HashMap<Place, bool>,
}

impl Path<'_> {
    /// Returns the point in cells where the ray of a pointer position hits the world.
    ///
    /// # Errors
    /// The reason of a miss.
    fn point(&self, ray: &Ray) -> Result<Vector3<f64>, Miss> {
        let wanted = |place: Place| {
            self.before
                .get(&place)
                .copied()
                .unwrap_or_else(|| self.sight.sees(place))
        };
        let Hit { point, cut, .. } = self.sight.meet(ray, wanted).ok_or(Miss::Outside)?;
        if !lies_in(point, self.stroke.part) {
            return Err(Miss::Outside);
        }
        // Digging into a side of the box is allowed; any other matter has no room inside the side.
        if cut && self.stroke.matter != Matter::Nothing {
            return Err(Miss::Cut);
        }
        Ok(Vector3::from(point).map(f64::from))
    }

    /// Appends to `points` the hits between the pointer positions `from` and `to` (ray and hit in
    /// cells) by recursive bisection, until neighbours are at most `APART` radii apart or
    /// `halvings` is 0. Jumps behind a ridge stay open.
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
        let ray = Ray {
            origin: (from.0.origin + to.0.origin) * 0.5,
            direction,
        };
        let middle = (ray, self.point(&ray).ok());
        self.between(from, &middle, halvings - 1, points);
        points.extend(middle.1);
        self.between(&middle, to, halvings - 1, points);
    }
}

/// Returns true if `edit` would change at least one cell of `world`.
pub(crate) fn changes(world: &State, edit: &Edit) -> bool {
    // Each kind of matter has its own test; an act without effect would only lengthen the history.
    let solid = |place: Place| world.ground().is_solid(place);
    let sight = Sight::new(world);
    let mut cells = edit.shape.cells(world.grid());
    match edit.matter {
        Matter::Nothing => cells.any(|place| sight.has_matter(place) || solid(place)),
        Matter::Raise { by } => by != 0.0,
        Matter::Ground(_) => true,
        Matter::Drain => cells.any(|place| sight.has_matter(place)),
        Matter::Air(_) => world.air().is_some() && cells.any(|place| !solid(place)),
        Matter::Replace {
            of: ref goes,
            name: ref comes,
        } => {
            let goes = |name: &str| name != comes && goes.as_ref().is_none_or(|goes| goes == name);
            let mut others = world
                .layers()
                .iter()
                .enumerate()
                .filter(|(number, _)| !world.is_mirror(*number));
            let others: Vec<_> = others
                .by_ref()
                .filter(|(_, layer)| goes(&layer.material().name))
                .collect();
            cells.any(|place| others.iter().any(|(_, layer)| layer.at(place).amount > 0))
        }
        Matter::Lava { .. }
        | Matter::Material { .. }
        | Matter::Flood { .. }
        | Matter::Rock
        | Matter::Solid { .. } => cells.any(|place| !solid(place)),
    }
}

/// Rounds `value` to two decimals.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
