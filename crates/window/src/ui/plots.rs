//! Live plots: volume, covered area and runout of a material over time, and values of a picked
//! column over time.

use kiss3d::egui::{
    Align2, Color32, Context, FontId, Frame, Id, Order, Pos2, Rect, RichText, Sense, Shape, Stroke,
    Ui, Window, pos2, vec2,
};
use nalgebra::Point3;

use super::{BRIGHT, FAINT, Stage, color_of};
use crate::plots::{self, Plots, Series};
use crate::state::State;
use lavoxel_automaton::matter::Material;
use lavoxel_base::words::grouped;

/// Height of each plot in points.
const HEIGHT: f32 = 62.0;
/// Width in points of the plots of a picked column.
const WIDTH: f32 = 310.0;
/// Colour of the curves of temperature.
const WARMTH: Color32 = Color32::from_rgb(255, 190, 90);

/// Draws the plots section of the panel: choice of the plotted material, and plots of its runout,
/// covered area and volume.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    state.plots.is_open = true;
    let Some(report) = &state.report else { return };
    let now = state.plots.name(report).to_owned();
    let names: Vec<_> = report
        .materials
        .iter()
        .map(|of| of.material.name.clone())
        .collect();
    if names.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for name in names {
                if ui.selectable_label(name == now, &name).clicked() && name != now {
                    state.plots.choose(Some(name));
                }
            }
        });
    }
    let Some(report) = &state.report else { return };
    let color = color_of(Some(report), (now != Material::LAVA).then_some(&now));
    let unit = plots::unit(report);
    let Plots {
        volume,
        area,
        front,
        ..
    } = &state.plots;
    let width = ui.available_width();
    plot(ui, width, ("front", "m", unit), &[(front, color)]);
    plot(ui, width, ("area", "m²", unit), &[(area, color)]);
    plot(ui, width, ("volume", "m³", unit), &[(volume, color)]);
    ui.label(
        RichText::new("The tool pick (F10) plots the history of a point.")
            .small()
            .color(FAINT),
    );
}

/// Draws a mark at the picked column in the scene, and the plots of the column's values next to the
/// mark.
pub(super) fn point(context: &Context, state: &mut State, stage: &Stage<'_>) {
    let Some(point) = state.plots.point.clone() else {
        return;
    };
    let Some(report) = state.report.clone() else {
        return;
    };
    let place = Point3::from(point.place);
    if let Some(at) = stage.place(place) {
        let painter = super::world_painter(context, state);
        painter.circle_stroke(at, 6.0, Stroke::new(3.0, Color32::from_black_alpha(170)));
        painter.circle_stroke(at, 6.0, Stroke::new(1.5, BRIGHT));
    }
    let [x, z] = point.at;
    let mut open = true;
    let title = format!(
        "Point {:.0} m east, {:.0} m south",
        report.metres(0, x),
        report.metres(2, z)
    );
    let screen = context.content_rect();
    Window::new(title)
        .id(Id::new("point"))
        .open(&mut open)
        .collapsible(true)
        .resizable(false)
        .order(Order::Middle)
        .default_pos(pos2(screen.right() - WIDTH - 40.0, screen.top() + 14.0))
        .frame(Frame::window(&context.global_style()).inner_margin(8.0))
        .show(context, |ui| {
            ui.set_width(WIDTH);
            let unit = plots::unit(&report);
            let color =
                |name: &str| color_of(Some(&report), (name != Material::LAVA).then_some(name));
            let lines: Vec<_> = point
                .thickness
                .iter()
                .map(|(name, series)| (series, color(name)))
                .collect();
            plot(ui, WIDTH, ("thickness", "m", unit), &lines);
            if !point.celsius.samples().is_empty() {
                plot(
                    ui,
                    WIDTH,
                    ("surface", "°C", unit),
                    &[(&point.celsius, WARMTH)],
                );
            }
            if lines.is_empty() {
                ui.label(
                    RichText::new("Nothing has come here yet.")
                        .small()
                        .color(FAINT),
                );
            }
            if lines.len() > 1 {
                let names = point
                    .thickness
                    .iter()
                    .map(|(name, _)| RichText::new(name).small().color(color(name)));
                ui.horizontal_wrapped(|ui| names.for_each(|name| drop(ui.label(name))));
            }
        });
    if !open {
        state.plots.point = None;
    }
}

/// Draws the curves `lines` in one plot of `width` points with a common time axis. Texts: `name`
/// and the largest of the curves' last values above, first and last time below, largest value as
/// tooltip. `unit`: unit of the values; `of_time`: unit of the times.
fn plot(
    ui: &mut Ui,
    width: f32,
    (name, unit, of_time): (&str, &str, &str),
    lines: &[(&Series, Color32)],
) {
    let (area, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
    let painter = ui.painter_at(area);
    painter.rect_filled(area, 3.0, ui.visuals().extreme_bg_color);
    let small = FontId::proportional(10.0);
    let last = lines
        .iter()
        .filter_map(|(series, _)| series.last())
        .reduce(f64::max);
    let now = last.map_or_else(String::new, |last| format!("{} {unit}", number(last)));
    painter.text(
        area.left_top() + vec2(5.0, 3.0),
        Align2::LEFT_TOP,
        name,
        small.clone(),
        FAINT,
    );
    painter.text(
        area.right_top() + vec2(-5.0, 3.0),
        Align2::RIGHT_TOP,
        now,
        FontId::proportional(12.0),
        BRIGHT,
    );
    let Some(Bounds { times, most }) = frame(lines) else {
        return;
    };
    let inner = Rect::from_min_max(area.min + vec2(5.0, 19.0), area.max - vec2(5.0, 14.0));
    let place = |[time, value]: [f64; 2]| -> Pos2 {
        // The smallest positive number avoids a division by 0 for a single sample.
        let share = |value: f64, (low, high): (f64, f64)| {
            ((value - low) / (high - low).max(f64::MIN_POSITIVE)) as f32
        };
        pos2(
            inner.left() + inner.width() * share(time, times),
            inner.bottom() - inner.height() * share(value, (0.0, most)),
        )
    };
    painter.line_segment(
        [inner.left_bottom(), inner.right_bottom()],
        Stroke::new(1.0, Color32::from_gray(60)),
    );
    for (series, color) in lines {
        let points: Vec<_> = series
            .samples()
            .iter()
            .map(|sample| place(*sample))
            .collect();
        painter.add(Shape::line(points, Stroke::new(1.6, *color)));
    }
    let low = area.left_bottom() + vec2(5.0, -2.0);
    painter.text(
        low,
        Align2::LEFT_BOTTOM,
        number(times.0),
        small.clone(),
        FAINT,
    );
    let high = area.right_bottom() + vec2(-5.0, -2.0);
    painter.text(
        high,
        Align2::RIGHT_BOTTOM,
        format!("{} {of_time}", number(times.1)),
        small,
        FAINT,
    );
    response.on_hover_text(format!("{name}: up to {} {unit}", number(most)));
}

/// Bounds of a plot's axes: range of times on the horizontal axis, and largest value on the
/// vertical axis, which begins at 0.
struct Bounds {
    times: (f64, f64),
    most: f64,
}

/// Returns the bounds of a plot of the curves `lines`: the range of times, and the largest value;
/// `None` without samples.
fn frame(lines: &[(&Series, Color32)]) -> Option<Bounds> {
    let all = || lines.iter().flat_map(|(series, _)| series.samples());
    let low = all().map(|sample| sample[0]).reduce(f64::min)?;
    let high = all().map(|sample| sample[0]).fold(low, f64::max);
    Some(Bounds {
        times: (low, high),
        most: all().map(|sample| sample[1]).fold(0.0, f64::max),
    })
}

/// Formats the number `value` with few digits; numbers from 1000 on have spaces between groups of
/// three digits.
fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1e7 => format!("{value:.2e}"),
        large if large >= 1000.0 => grouped(large.round() as u64),
        large if large >= 100.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits() {
        let texts = [0.0, 0.123, 2.558, 45.67, 897.3, 9500.0, 1.234e8].map(number);
        assert_eq!(
            texts,
            ["0", "0.12", "2.56", "45.7", "897", "9 500", "1.23e8"]
        );
    }
}
