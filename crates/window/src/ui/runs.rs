//! Card that compares two runs: values of the quantities that both runs have, and the differences.

use kiss3d::egui::{
    Align, Align2, Context, Grid, Id, Layout, Order, RichText, TextStyle, Ui, Window, pos2,
};

use super::numbers::grouped;
use super::{ACCENT, BRIGHT, FAINT};
use crate::input::keys::Action;
use crate::messages::{TwoRuns, Versus};
use crate::state::{Request, State};

/// Width of the window in points below which the card is folded by default.
const NARROW: f32 = 900.0;
/// Distance in points from the top of the window to the card: below the labels of both runs.
const TOP: f32 = 92.0;

/// Text of the card's tooltip: explains which of the two runs follows the other, and on which run
/// each command acts.
const RULE: &str = "The right run makes as many steps as the left one; where both are physical models, as many as \
                    reach the same time, and each waits for the other. Run, pause, speed, one step and back to \
                    step 0 act on both, and so do camera, slices and changes of the view.\n\nTools, undo, time \
                    travel, other scenes and saving act on the left run only. The right run never goes back except \
                    to step 0: after a way back, it waits for the left one.";

/// Draws the card with the measured values of both runs; does nothing without a second run.
pub(super) fn draw(context: &Context, state: &mut State) {
    let Some(runs) = state.runs.clone() else {
        return;
    };
    let screen = context.content_rect();
    let window = Window::new("Two runs")
        .id(Id::new("two runs"))
        .order(Order::Middle)
        .resizable(false)
        .default_open(screen.width() >= NARROW)
        .pivot(Align2::RIGHT_TOP)
        .default_pos(pos2(screen.right() - 10.0, screen.top() + TOP));
    window.show(context, |ui| {
        ui.style_mut().override_text_style = Some(TextStyle::Small);
        numbers(ui, &runs);
        ui.horizontal(|ui| {
            if ui.small_button("Close the second run").clicked() {
                state.ask(Request::Do(Action::Second));
            }
            if ui.small_button("Another …").on_hover_text(HINT).clicked() {
                state.ask(Request::ChooseSecond);
            }
        });
        let text = "Tools, undo, time travel, opening, saving: left run only (?)";
        ui.label(RichText::new(text).color(FAINT))
            .on_hover_text(RULE);
    });
}

/// Tooltip of the buttons that begin a second run.
pub(super) const HINT: &str = "A second scene at the right, next to this one: same camera, same steps, and the \
                               differences as numbers (key B; lavoxel view A --beside B).";

/// Draws the table of quantities of both runs. A line above the table tells if the states are equal
/// or if a run catches up.
fn numbers(ui: &mut Ui, runs: &TwoRuns) {
    if runs.is_behind {
        let [left, right] = runs.steps;
        let text = format!("the right run catches up: step {right}, {left} at the left");
        ui.label(RichText::new(text).color(ACCENT));
    } else if let Some([left, right]) = runs.hashes {
        let words = if left == right {
            "the same in every cell"
        } else {
            "not the same in every cell"
        };
        ui.label(RichText::new(words).color(FAINT));
    }
    Grid::new("two runs")
        .num_columns(4)
        .spacing([14.0, 3.0])
        .show(ui, |ui| {
            let [left, right] = &runs.names;
            ui.label("");
            for name in [left, right] {
                cell(ui, RichText::new(shortened(name)).strong().color(BRIGHT));
            }
            cell(ui, RichText::new("difference").strong().color(BRIGHT));
            ui.end_row();
            for row in &runs.rows {
                quantity(ui, row);
                ui.end_row();
            }
        });
}

/// Draws the table row of a quantity: name, both values and the difference.
fn quantity(ui: &mut Ui, row: &Versus) {
    let unit = if row.unit.is_empty() {
        String::new()
    } else {
        format!(", {}", row.unit)
    };
    ui.label(RichText::new(format!("{}{unit}", row.name)).color(FAINT));
    for value in row.values {
        cell(ui, RichText::new(number(value)));
    }
    let difference = RichText::new(difference(row)).color(match row.difference() {
        0.0 => FAINT,
        _ => ACCENT,
    });
    cell(ui, difference);
}

/// Draws `text` aligned at the right edge of its table column.
fn cell(ui: &mut Ui, text: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text));
}

/// Returns `name`, or its first 16 characters and an ellipsis if `name` is longer.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(16) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", &name[..end]),
    }
}

/// Formats the number `value` with five significant digits, but with all digits before the decimal
/// point. Numbers below 1e-3 and from 1e7 on have an exponent and four digits.
fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let whole_digits = size.log10().floor() as i32 + 1;
    grouped(value, (5 - whole_digits).clamp(0, 5) as usize)
}

/// Formats the difference between the two values of the quantity `row`: with sign, and as a
/// percentage of the left value unless that value is 0.
fn difference(row: &Versus) -> String {
    let by = row.difference();
    if by == 0.0 {
        return "0".to_owned();
    }
    let sign = if by > 0.0 { "+" } else { "" };
    let share = 100.0 * by / row.values[0].abs();
    if share.is_finite() && share.abs() < 999.5 {
        format!("{sign}{} ({sign}{share:.1} %)", number(by))
    } else {
        format!("{sign}{}", number(by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits_and_differences_their_sign() {
        let texts = [0.0, 12.345_678, 123_456.7, 1.5e9, 0.012_345_6, -2.0].map(number);
        assert_eq!(
            texts,
            ["0", "12.346", "123 457", "1.500e9", "0.01235", "-2.0000"]
        );
        let row = |left, right| Versus {
            name: String::new(),
            unit: "",
            values: [left, right],
        };
        let texts = [row(4.0, 5.0), row(4.0, 3.0), row(4.0, 4.0), row(0.0, 2.0)]
            .map(|row| difference(&row));
        assert_eq!(
            texts,
            ["+1.0000 (+25.0 %)", "-1.0000 (-25.0 %)", "0", "+2.0000"]
        );
    }
}
