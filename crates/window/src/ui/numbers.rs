//! Numbers section of the panel: accounts of all materials, step and frame rates, and durations of
//! the stages.

use kiss3d::egui::{Align, Layout, RichText, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::rows::fact;
use super::{ACCENT, BRIGHT, FAINT, WRONG};
use crate::history::pace;
use crate::messages::{AccountReport, AirAccount, FlowReport, MaterialReport};
use crate::state::State;

/// Draws the section of the panel with the numbers of the simulation; draws nothing before the
/// first report.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let Some(report) = state.report.clone() else {
        return;
    };
    plots(ui, state);
    ui.add_space(4.0);
    let frame = state.frame;
    let pictures = frame.fps.map_or_else(
        || "finished".to_owned(),
        |fps| format!("{}/s", pace::short(fps)),
    );
    fact(
        ui,
        "pictures",
        format!("{pictures}, {:.0} % of the resolution", frame.scale * 100.0),
    );
    fact(ui, "speed", pace::steps(report.steps_per_second));
    if let Some(flow) = &report.flow {
        ui.add_space(4.0);
        of_flow(ui, flow);
    }
    let classic = report.materials.iter().filter(|_| report.flow.is_none());
    for material in classic {
        ui.add_space(4.0);
        if report.materials.len() > 1 {
            ui.label(
                RichText::new(&material.material.name)
                    .strong()
                    .color(BRIGHT),
            );
        }
        account(ui, material, report.cell_volume_m3);
    }
    report.air.iter().for_each(|field| of_air(ui, field));
}

/// Draws the volumes of lava in the physical model, in m³, as rows of the panel.
fn of_flow(ui: &mut Ui, flow: &FlowReport) {
    let parts = [
        ("poured", flow.poured),
        ("liquid", flow.liquid),
        ("turned to rock", flow.set),
        ("left through the sides", flow.out),
        ("found no room", flow.blocked),
    ];
    parts
        .into_iter()
        .for_each(|(name, m3)| fact(ui, name, format!("{} m³", grouped(m3, 0))));
    fact(ui, "fluxes held back", format!("{:.1e}", flow.capped));
}

/// Draws the account `field` of one quantity of the air, such as heat or ash, as rows of the panel.
fn of_air(ui: &mut Ui, field: &AirAccount) {
    ui.add_space(4.0);
    ui.label(
        RichText::new(format!("{} of the air", field.name))
            .strong()
            .color(BRIGHT),
    );
    let amount = |value: f64| format!("{value:.3e} {}", field.unit);
    fact(ui, "in the air", amount(field.account.present));
    field
        .account
        .rows(0)
        .for_each(|(name, value)| fact(ui, name, amount(value)));
    verdict(ui, &field.account);
}

/// Draws, for each stage of a step or frame, a small plot of its recent durations.
fn plots(ui: &mut Ui, state: &State) {
    for (name, samples) in state.times.stages() {
        let mean = samples.iter().sum::<f32>() / samples.len().max(1) as f32;
        let top = samples.iter().copied().fold(1e-3, f32::max);
        ui.horizontal(|ui| {
            ui.allocate_ui_with_layout(
                vec2(70.0, 18.0),
                Layout::left_to_right(Align::Center),
                |ui| {
                    ui.set_min_width(70.0);
                    ui.label(RichText::new(name).color(FAINT));
                },
            );
            let (area, response) = ui.allocate_exact_size(vec2(150.0, 18.0), Sense::hover());
            let painter = ui.painter_at(area);
            painter.rect_filled(area, 2.0, ui.visuals().extreme_bg_color);
            let step = area.width() / (samples.len().max(2) - 1) as f32;
            let place = |(i, ms): (usize, &f32)| {
                pos2(
                    area.left() + i as f32 * step,
                    area.bottom() - 2.0 - (area.height() - 4.0) * ms / top,
                )
            };
            let line: Vec<_> = samples.iter().enumerate().map(place).collect();
            painter.add(Shape::line(line, Stroke::new(1.2, ACCENT)));
            response.on_hover_text(format!("highest {top:.2} ms of the last {}", samples.len()));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(format!("{mean:.2} ms"))
            });
        });
    }
}

fn account(ui: &mut Ui, report: &MaterialReport, cell_m3: f64) {
    let mass = &report.mass;
    fact(
        ui,
        &format!("cells with {}", report.material.name),
        grouped(report.cells as f64, 0),
    );
    let amount = |cells: f64| format!("{} cells", grouped(cells, 1));
    fact(ui, "in the box", amount(mass.present));
    fact(
        ui,
        "as a volume",
        format!("{} m³", grouped(mass.present * cell_m3, 0)),
    );
    mass.rows(3)
        .for_each(|(name, cells)| fact(ui, name, amount(cells)));
    verdict(ui, mass);
}

/// Draws the imbalance of `account` in units; a value other than 0 has the colour of errors.
fn verdict(ui: &mut Ui, account: &AccountReport) {
    let error = match account.error_units {
        0 => RichText::new("0: exact").color(ACCENT),
        units => RichText::new(units.to_string()).color(WRONG),
    };
    fact(ui, "error of the account", error);
}

/// Returns the text for `value` with `decimals` decimals and a thin space after each group of three
/// digits of the whole number.
pub(super) fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let digits = whole.trim_start_matches('-');
    let mut grouped = if whole.starts_with('-') {
        "-".to_owned()
    } else {
        String::new()
    };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        let texts = [
            grouped(1_234_567.0, 0),
            grouped(999.95, 1),
            grouped(-12_345.6, 1),
            grouped(0.0, 1),
        ];
        assert_eq!(texts, ["1 234 567", "1 000.0", "-12 345.6", "0.0"]);
    }
}
