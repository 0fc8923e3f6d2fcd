//! Swatches: buttons that show a material as a small tile in its look, with its name below.

use kiss3d::egui::epaint::Mesh;
use kiss3d::egui::{
    Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Response, Sense, Shape, Stroke,
    StrokeKind, Ui, lerp, pos2, vec2,
};

use super::{ACCENT, BRIGHT, FAINT};
use lavoxel_automaton::view::{MaterialLook, Preset};
use lavoxel_base::random::mix64;

/// Width and height in points of a swatch including its name.
const SIZE: (f32, f32) = (58.0, 42.0);
/// Height in points of the tile of a swatch, which shows the material.
const TILE: f32 = 25.0;
/// Number of dots that represent grains in the tile of a granular material.
const GRAINS: u64 = 44;

/// Draws the swatch of the material `name` with the look `look` (`None`: lava); the swatch has a
/// frame if `is_chosen`. Returns its response as a button.
pub(super) fn show(
    ui: &mut Ui,
    name: &str,
    look: Option<&MaterialLook>,
    is_chosen: bool,
) -> Response {
    let (area, response) = ui.allocate_exact_size(vec2(SIZE.0, SIZE.1), Sense::click());
    if !ui.is_rect_visible(area) {
        return response;
    }
    let tile = Rect::from_min_size(area.min, vec2(SIZE.0, TILE)).shrink(1.5);
    let painter = ui.painter_at(area);
    match look {
        None => lava(&painter, tile),
        Some(look) => matter(&painter, tile, look),
    }
    let (width, edge) = match (is_chosen, response.hovered()) {
        (true, _) => (2.5, ACCENT),
        (_, true) => (1.5, BRIGHT),
        _ => (1.0, Color32::from_gray(70)),
    };
    // The frame's round corners cover the tile's square corners.
    painter.rect_stroke(
        tile,
        CornerRadius::same(4),
        Stroke::new(width, edge),
        StrokeKind::Middle,
    );
    let color = if is_chosen || response.hovered() {
        BRIGHT
    } else {
        FAINT
    };
    let font = FontId::proportional(11.0);
    let galley = painter.layout_no_wrap(name.to_owned(), font.clone(), color);
    let wide = galley.size().x.min(SIZE.0);
    // Longer names begin at the left and are clipped at the right edge.
    painter.text(
        pos2(area.center().x - 0.5 * wide, tile.bottom() + 2.0),
        Align2::LEFT_TOP,
        name,
        font,
        color,
    );
    response
}

/// Draws the tile of lava: a glowing gradient with dark plates of crust.
fn lava(painter: &Painter, tile: Rect) {
    let (hot, dull) = (
        Color32::from_rgb(255, 196, 70),
        Color32::from_rgb(214, 60, 14),
    );
    shaded(
        painter,
        tile,
        &[
            (0.0, dull),
            (0.55, Color32::from_rgb(255, 122, 40)),
            (1.0, hot),
        ],
    );
    for (n, (x, y)) in [
        (0.14, 0.2),
        (0.4, 0.42),
        (0.68, 0.16),
        (0.88, 0.5),
        (0.2, 0.72),
    ]
    .into_iter()
    .enumerate()
    {
        let at = within(tile, (x, y));
        let half = vec2(4.5 + (n % 2) as f32 * 2.0, 2.6);
        let corners = [
            vec2(-half.x, 0.4),
            vec2(-0.4 * half.x, -half.y),
            vec2(half.x, -0.8),
            vec2(0.5 * half.x, half.y),
        ];
        let plate = corners.map(|corner| at + corner).to_vec();
        painter.add(Shape::convex_polygon(
            plate,
            Color32::from_rgb(58, 26, 18),
            Stroke::NONE,
        ));
    }
}

/// Draws the tile of a material with the look `look`: its colour, and a pattern that depends on the
/// look's preset.
fn matter(painter: &Painter, tile: Rect, look: &MaterialLook) {
    let [r, g, b] = look.srgb();
    let own = Color32::from_rgb(r, g, b);
    let [light, dark] = [
        toward(own, Color32::WHITE, 0.45),
        toward(own, Color32::BLACK, 0.45),
    ];
    match look.preset {
        Preset::Water => {
            shaded(painter, tile, &[(0.0, light), (0.3, own), (1.0, dark)]);
            for (y, from, to) in [(0.22, 0.1, 0.5), (0.36, 0.5, 0.9)] {
                let line = [within(tile, (from, y)), within(tile, (to, y))];
                painter.line_segment(line, Stroke::new(1.0, Color32::from_white_alpha(120)));
            }
        }
        Preset::Steam => {
            shaded(
                painter,
                tile,
                &[
                    (0.0, Color32::from_rgb(92, 108, 128)),
                    (1.0, Color32::from_rgb(58, 64, 74)),
                ],
            );
            for (x, y, radius) in [
                (0.25, 0.7, 7.0),
                (0.48, 0.5, 8.5),
                (0.72, 0.66, 7.0),
                (0.58, 0.8, 6.0),
            ] {
                painter.circle_filled(
                    within(tile, (x, y)),
                    radius,
                    toward(own, Color32::WHITE, 0.3).gamma_multiply(0.75),
                );
            }
        }
        Preset::Sand | Preset::Ash | Preset::Rubble => {
            shaded(
                painter,
                tile,
                &[(0.0, own), (1.0, toward(own, Color32::BLACK, 0.2))],
            );
            let size = if look.preset == Preset::Rubble {
                2.4
            } else {
                1.1
            };
            // Positions are hashes of the dot's number, so that dots stay in place between frames.
            for n in 0..GRAINS {
                let part = |k: u64| (mix64(3 * n + k) >> 40) as f32 / (1_u64 << 24) as f32;
                let color = if n % 2 == 0 { light } else { dark };
                painter.circle_filled(
                    within(tile, (part(0), part(1))),
                    size * (0.6 + 0.6 * part(2)),
                    color,
                );
            }
        }
        Preset::Ice => {
            shaded(
                painter,
                tile,
                &[(0.0, toward(own, Color32::WHITE, 0.6)), (1.0, own)],
            );
            for [from, to] in [
                [(0.2, 0.0), (0.4, 1.0)],
                [(0.35, 0.6), (0.9, 0.3)],
                [(0.7, 0.0), (0.62, 1.0)],
            ] {
                let line = [within(tile, from), within(tile, to)];
                painter.line_segment(line, Stroke::new(1.0, Color32::from_white_alpha(150)));
            }
        }
        Preset::Leaves => {
            shaded(
                painter,
                tile,
                &[(0.0, own), (1.0, toward(own, Color32::BLACK, 0.6))],
            );
            for n in 0..GRAINS {
                let part = |k: u64| (mix64(3 * n + k) >> 40) as f32 / (1_u64 << 24) as f32;
                let color = if n % 3 == 0 {
                    dark
                } else {
                    toward(own, light, part(2))
                };
                painter.circle_filled(within(tile, (part(0), part(1))), 1.4 + 1.8 * part(2), color);
            }
        }
        Preset::Wall | Preset::Roof => {
            shaded(
                painter,
                tile,
                &[(0.0, own), (1.0, toward(own, Color32::BLACK, 0.12))],
            );
            for row in 1..4 {
                let y = row as f32 / 4.0;
                let line = [within(tile, (0.0, y)), within(tile, (1.0, y))];
                painter.line_segment(line, Stroke::new(1.0, dark));
                let x = 0.3 + 0.4 * (row % 2) as f32;
                let joint = [within(tile, (x, y)), within(tile, (x, y + 0.25))];
                painter.line_segment(joint, Stroke::new(1.0, dark));
            }
        }
        Preset::Wax => shaded(
            painter,
            tile,
            &[
                (0.0, light),
                (0.5, own),
                (1.0, toward(own, Color32::BLACK, 0.25)),
            ],
        ),
        Preset::Gloss => {
            shaded(painter, tile, &[(0.0, own), (1.0, dark)]);
            let shine = Rect::from_min_max(within(tile, (0.1, 0.14)), within(tile, (0.66, 0.3)));
            painter.rect_filled(shine, 2.5, Color32::from_white_alpha(150));
        }
        Preset::Metal => {
            let stops = [
                (0.0, dark),
                (0.35, light),
                (0.5, Color32::WHITE),
                (0.55, dark),
                (1.0, own),
            ];
            shaded(painter, tile, &stops);
        }
    }
}

/// Fills the rectangle `area` with a vertical colour gradient. `stops`: position (0 top to 1
/// bottom) and colour of each stop, in order.
fn shaded(painter: &Painter, area: Rect, stops: &[(f32, Color32)]) {
    let mut mesh = Mesh::default();
    for &(place, color) in stops {
        let y = lerp(area.top()..=area.bottom(), place);
        mesh.colored_vertex(pos2(area.left(), y), color);
        mesh.colored_vertex(pos2(area.right(), y), color);
    }
    for row in 0..stops.len().saturating_sub(1) as u32 {
        let first = 2 * row;
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 1, first + 3, first + 2);
    }
    painter.add(Shape::mesh(mesh));
}

/// Returns the point at the fractions (`x`, `y`) of `area`, (0, 0) top left to (1, 1) bottom right.
fn within(area: Rect, (x, y): (f32, f32)) -> Pos2 {
    pos2(
        lerp(area.left()..=area.right(), x),
        lerp(area.top()..=area.bottom(), y),
    )
}

/// Returns the linear interpolation between the colours `from` and `to`; `share`: weight of `to`, 0
/// to 1.
fn toward(from: Color32, to: Color32, share: f32) -> Color32 {
    let mixed = |a: u8, b: u8| lerp(f32::from(a)..=f32::from(b), share) as u8;
    Color32::from_rgb(
        mixed(from.r(), to.r()),
        mixed(from.g(), to.g()),
        mixed(from.b(), to.b()),
    )
}
