//! Marks over the picture: vents, brush, clip box, slice frames and rock placed by hand, drawn
//! where the camera sees them.

use kiss3d::egui::{
    Color32, Context, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2,
};
use nalgebra::Point3;

use super::{BRIGHT, SHADE, Stage, color_of, goals};
use crate::edit::built;
use crate::edit::slices::{self, AXIS_NAMES};
use crate::edit::tools::lies_on;
use crate::edit::vent_handles::{self, Grip, Handle};
use crate::flow;
use crate::state::State;
use lavoxel_session::Tool;
use lavoxel_sim::source::VentSpec;

/// Colour of the marks on rock placed by hand.
const BUILT: Color32 = Color32::from_rgb(255, 236, 200);
/// Colour of the clip box's edges.
const CLIP: Color32 = Color32::from_rgb(120, 190, 255);
/// Colours of the frames of the slices across x, y and z.
const FRAMES: [Color32; 3] = [
    Color32::from_rgb(240, 110, 100),
    Color32::from_rgb(120, 215, 120),
    Color32::from_rgb(110, 150, 255),
];

/// Draws all marks over the picture, below the panel in drawing order.
pub(super) fn draw(context: &Context, state: &State, stage: &Stage<'_>, tags: &mut Tags) {
    let painter = super::world_painter(context, state);
    let Some(report) = &state.report else { return };
    let size = [report.grid.nx, report.grid.ny, report.grid.nz].map(|n| n as f32);
    if state.tools.tool.is_brush() || state.tools.tool == Tool::Dam {
        built(&painter, state, stage);
    }
    vents(&painter, state, stage, tags);
    brush(&painter, state, stage);
    if state.look.clip != [[0.0, 1.0]; 3] {
        clip_box(&painter, state.look.clip, size, stage);
    }
    for k in (0..3).filter(|&k| state.cuts.shown[k]) {
        let cell = state.cuts.at[k];
        let label = format!(
            "{} = {cell} ({:.0} m)",
            AXIS_NAMES[k],
            report.metres(k, cell)
        );
        slice_frame(&painter, (k, cell, &label), (size, stage), tags);
    }
}

/// Draws marks at the vents while the source tool is selected, and at any time in a challenge,
/// since the player must know where lava erupts.
fn vents(painter: &Painter, state: &State, stage: &Stage<'_>, tags: &mut Tags) {
    let is_shown = state.tools.tool == Tool::Source || goals::are_shown(state);
    let Some(ground) = state.ground.as_ref().filter(|_| is_shown) else {
        return;
    };
    let under = stage
        .pointer
        .and_then(|at| vent_handles::under(stage.handles, at, stage.scale));
    let held = state.tools.dragged().or(under.map(|handle| handle.vent));
    for (number, vent) in &state.vents.value {
        let chosen = held == Some(*number);
        let own = color_of(state.report.as_ref(), vent.material.as_deref());
        let color = if chosen { BRIGHT } else { own };
        for line in [
            vent_handles::ring(vent, ground),
            vent_handles::trace(vent, ground),
        ] {
            let line: Vec<_> = line.into_iter().filter_map(|p| stage.place(p)).collect();
            painter.add(Shape::line(line, Stroke::new(1.5, color)));
        }
        let [foot, top] = vent_handles::stalk(vent, ground).map(|end| stage.place(end));
        if let (Some(foot), Some(top)) = (foot, top) {
            painter.line_segment([foot, top], Stroke::new(1.5, color));
            tags.draw(
                painter,
                top + vec2(0.0, -10.0),
                &label(*number, vent, chosen),
                BRIGHT,
            );
        }
        for handle in stage.handles.iter().filter(|handle| handle.vent == *number) {
            dot(
                painter,
                stage,
                handle,
                if under == Some(handle) {
                    None
                } else {
                    Some(own)
                },
            );
        }
    }
}

/// Draws the handle of a vent as a dot in the colour `color`; with `None`, the dot is larger and
/// brighter, for a handle under the pointer.
fn dot(painter: &Painter, stage: &Stage<'_>, handle: &Handle, color: Option<Color32>) {
    let (radius, fill) = color.map_or((6.5, BRIGHT), |color| (4.5, color));
    let at = stage.points(handle.pixel);
    let dark = Color32::from_black_alpha(170);
    match handle.grip {
        Grip::Radius => painter.circle(at, radius - 1.0, dark, Stroke::new(1.5, fill)),
        Grip::Place | Grip::Rate => painter.circle(at, radius, fill, Stroke::new(1.0, dark)),
    };
}

/// Labels of points in the scene, drawn on dark cards within the rectangle of the screen that
/// neither the panel nor the list of goals covers.
///
/// Invariant: labels do not overlap.
pub(super) struct Tags {
    free: Rect,
    taken: Vec<Rect>,
}

impl Tags {
    /// Creates the empty collection of labels for one frame.
    pub(super) fn new(context: &Context, state: &State) -> Self {
        let mut free = context.content_rect();
        let right = super::sides::between_runs(state, free.width());
        free.min.x += super::panel_width(&state.shown, free.width());
        free.max.x = right.unwrap_or(free.max.x);
        Self {
            free,
            taken: goals::area(context, state).into_iter().collect(),
        }
    }

    /// Returns the rectangle of the screen in which labels may be drawn, in points.
    pub(super) fn free(&self) -> Rect {
        self.free
    }

    /// Returns true if the point `at` of the screen (in points) lies in the rectangle in which
    /// labels may be drawn.
    pub(super) fn is_free(&self, at: Pos2) -> bool {
        self.free.contains(at)
    }

    /// Draws the label `text` above the point `at` of the screen (in points), unless `at` lies
    /// outside the rectangle in which labels may be drawn.
    pub(super) fn draw(&mut self, painter: &Painter, at: Pos2, text: &str, color: Color32) {
        if !self.is_free(at) {
            return;
        }
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(11.5), color);
        let ground = self.take(at, galley.size() + vec2(10.0, 4.0));
        painter.rect_filled(ground, 3.0, SHADE);
        painter.galley(ground.min + vec2(5.0, 2.0), galley, color);
    }

    /// Reserves a rectangle of `size` (width and height in points) for a label and returns the
    /// rectangle: the nearest free one above the point `at` of the screen, or below if there is no
    /// room above.
    fn take(&mut self, at: Pos2, size: Vec2) -> Rect {
        let held = |area: Rect| {
            let last = (self.free.max - size).max(self.free.min);
            Rect::from_min_size(area.min.clamp(self.free.min, last), size)
        };
        let covered = |area: Rect| self.taken.iter().find(|other| other.intersects(area));
        let mut area = held(Rect::from_min_size(at - vec2(0.5 * size.x, size.y), size));
        let first = area;
        while let Some(other) = covered(area) {
            area = area.translate(vec2(0.0, other.top() - area.bottom() - 1.0));
        }
        if area.top() < self.free.top() {
            area = first;
            while let Some(other) = covered(area) {
                area = area.translate(vec2(0.0, other.bottom() - area.top() + 1.0));
            }
        }
        self.taken.push(area);
        area
    }
}

fn label(number: usize, vent: &VentSpec, whole: bool) -> String {
    if let Some(flow) = &vent.flow {
        return flow::label(&vent_handles::name(number, vent), vent, flow, whole);
    }
    if whole {
        let energy = if vent.material.is_none() {
            format!(", energy {}", vent.energy)
        } else {
            String::new()
        };
        format!(
            "{}: {}/step, radius {}{energy}",
            vent_handles::name(number, vent),
            vent.rate,
            vent.radius
        )
    } else {
        format!("{}  {}/step", vent_handles::name(number, vent), vent.rate)
    }
}

/// Draws brighter faces and outlines on the ground where rock was placed by hand.
fn built(painter: &Painter, state: &State, stage: &Stage<'_>) {
    let Some(ground) = &state.ground else { return };
    let mut faces = Mesh::default();
    for &column in state.built.columns() {
        let corners = built::corners(ground, column);
        let middle = built::middle(ground, column);
        if !built::is_seen(ground, stage.camera.eye(), middle) {
            continue;
        }
        let [Some(a), Some(b), Some(c), Some(d)] = corners.map(|corner| stage.place(corner)) else {
            continue;
        };
        let first = faces.vertices.len() as u32;
        [a, b, c, d]
            .into_iter()
            .for_each(|at| faces.colored_vertex(at, BUILT.gamma_multiply(0.3)));
        faces.add_triangle(first, first + 1, first + 2);
        faces.add_triangle(first, first + 2, first + 3);
        // Sides in the order of the corners: side k connects corner k to the next corner.
        let edge = Stroke::new(1.0, BUILT.gamma_multiply(0.6));
        for (side, ends) in [(0, [a, b]), (1, [b, c]), (2, [c, d]), (3, [d, a])] {
            if state.built.is_edge(column, side) {
                painter.line_segment(ends, edge);
            }
        }
    }
    painter.add(Shape::mesh(faces));
}

/// Draws a preview of the selected tool at the pointer: the ball of the brush, the ring of the vent
/// that the source tool would place, or the line of the dam.
fn brush(painter: &Painter, state: &State, stage: &Stage<'_>) {
    let tool = state.tools.tool;
    let Some(pointer) = stage
        .pointer
        .filter(|_| !matches!(tool, Tool::Orbit | Tool::Pick))
    else {
        return;
    };
    let ray = stage.camera.ray(pointer.0, pointer.1);
    let probe = state
        .report
        .as_ref()
        .and_then(|report| report.probe.as_ref());
    let Some(probe) = probe.filter(|probe| lies_on(&ray, probe)) else {
        return;
    };
    let middle = Point3::from(probe.point);
    if let (Tool::Source, Some(ground)) = (tool, &state.ground) {
        let spec = VentSpec {
            x: f64::from(middle.x),
            z: f64::from(middle.z),
            ..state.tools.vent.clone()
        };
        let ring: Vec<_> = vent_handles::ring(&spec, ground)
            .into_iter()
            .filter_map(|p| stage.place(p))
            .collect();
        painter.add(Shape::line(ring, Stroke::new(2.0, BRIGHT)));
        return;
    }
    if tool == Tool::Dam {
        if let Some(from) = state.tools.dam.from {
            // Raised by half a cell to the drawn height of a finished dam.
            segment(
                painter,
                stage,
                [from, probe.point].map(|[x, y, z]| [x, y + 0.5, z]),
                Stroke::new(3.0, BUILT),
            );
        }
        return;
    }
    let edge = middle + stage.camera.axes()[0] * state.tools.brush.radius as f32;
    if let (Some(at), Some(rim)) = (stage.place(middle), stage.place(edge)) {
        let color = match tool {
            Tool::Fill => color_of(state.report.as_ref(), state.tools.vent.material.as_deref()),
            Tool::Rock => Color32::from_rgb(190, 180, 170),
            _ => Color32::from_rgb(120, 190, 255),
        };
        painter.circle(
            at,
            at.distance(rim),
            color.gamma_multiply(0.12),
            Stroke::new(1.5, color),
        );
    }
}

fn segment(painter: &Painter, stage: &Stage<'_>, ends: [[f32; 3]; 2], stroke: Stroke) {
    // Split into pieces, so that a line that passes behind the camera is drawn as far as visible.
    const PIECES: usize = 12;
    let [a, b] = ends.map(Point3::from);
    let at = |i: usize| stage.place(a + (b - a) * (i as f32 / PIECES as f32));
    for i in 0..PIECES {
        if let (Some(from), Some(to)) = (at(i), at(i + 1)) {
            painter.line_segment([from, to], stroke);
        }
    }
}

fn clip_box(painter: &Painter, clip: [[f32; 2]; 3], size: [f32; 3], stage: &Stage<'_>) {
    let corner =
        |bits: usize| std::array::from_fn::<f32, 3, _>(|k| clip[k][bits >> k & 1] * size[k]);
    for bits in 0..8usize {
        for k in (0..3).filter(|k| bits >> k & 1 == 0) {
            segment(
                painter,
                stage,
                [corner(bits), corner(bits | 1 << k)],
                Stroke::new(1.0, CLIP.gamma_multiply(0.7)),
            );
        }
    }
}

fn slice_frame(
    painter: &Painter,
    (k, cell, label): (usize, usize, &str),
    (size, stage): ([f32; 3], &Stage<'_>),
    tags: &mut Tags,
) {
    let at = cell as f32 + 0.5;
    let (a, b) = ((k + 1) % 3, (k + 2) % 3);
    let corner = |u: f32, v: f32| {
        let mut point = [0.0; 3];
        (point[k], point[a], point[b]) = (at, u * size[a], v * size[b]);
        point
    };
    let corners = [
        corner(0.0, 0.0),
        corner(1.0, 0.0),
        corner(1.0, 1.0),
        corner(0.0, 1.0),
    ];
    for i in 0..4 {
        segment(
            painter,
            stage,
            [corners[i], corners[(i + 1) % 4]],
            Stroke::new(1.2, FRAMES[k]),
        );
    }
    if let Some(at) = stage.place(slices::handle(k, cell, size)) {
        let chosen = stage
            .pointer
            .is_some_and(|pointer| stage.points(pointer).distance(at) < slices::REACH);
        painter.circle(
            at,
            if chosen { 7.0 } else { 5.0 },
            FRAMES[k],
            Stroke::new(1.0, Color32::from_black_alpha(170)),
        );
        tags.draw(painter, at + vec2(0.0, -10.0), label, FRAMES[k]);
    }
}
