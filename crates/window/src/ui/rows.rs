//! Rows of the panel's sections: each has a name, a slider or choice, the value with its unit, and
//! a button that restores the default.

use std::ops::RangeInclusive;

use kiss3d::egui::emath::Numeric;
use kiss3d::egui::{
    self, Align, Button, DragValue, Label, Layout, Response, RichText, Slider, SliderClamping, Ui,
    vec2,
};

use super::FAINT;
use lavoxel_automaton::rules::{Param, Scale};
use lavoxel_base::param::Table;

/// Width in points of the field for the name at the start of a row.
pub(super) const NAME: f32 = 84.0;
/// Width in points of the slider in a row.
pub(super) const SLIDER: f32 = 86.0;
/// Width in points of the field for the value in a row.
const VALUE: f32 = 50.0;
/// Width in points of the field for the unit in a row.
const UNIT: f32 = 54.0;

/// Row of the panel with a slider for one number; created by `new`, drawn by `show`.
pub(super) struct SliderRow<'a> {
    name: &'a str,
    unit: &'a str,
    hint: &'a str,
    logarithmic: bool,
    decimals: usize,
}

impl<'a> SliderRow<'a> {
    /// Creates a row with the name `name`, the unit `unit` and the tooltip `hint`. Its slider is
    /// linear and its value has two decimals by default.
    pub(super) fn new(name: &'a str, unit: &'a str, hint: &'a str) -> Self {
        Self {
            name,
            unit,
            hint,
            logarithmic: false,
            decimals: 2,
        }
    }

    /// Makes the row's slider logarithmic: equal distances on the slider are equal ratios of
    /// values.
    pub(super) fn logarithmic(self) -> Self {
        Self {
            logarithmic: true,
            ..self
        }
    }

    /// Sets the number of decimals of the row's displayed value.
    pub(super) fn decimals(self, decimals: usize) -> Self {
        Self { decimals, ..self }
    }

    /// Draws the row. `range`: range of the slider; `default`: value that the reset button
    /// restores; `None`: no button. Returns true if the user changed `value`.
    pub(super) fn show<N: Numeric>(
        self,
        ui: &mut Ui,
        value: &mut N,
        range: RangeInclusive<N>,
        default: Option<N>,
    ) -> bool {
        let before = *value;
        ui.horizontal(|ui| {
            name(ui, self.name, self.hint);
            ui.spacing_mut().slider_width = SLIDER;
            // A scene may hold values beyond the range: drawing the row must not change them.
            let slider = Slider::new(value, range.clone())
                .clamping(SliderClamping::Edits)
                .show_value(false)
                .logarithmic(self.logarithmic);
            let slider = if self.logarithmic {
                slider.smallest_positive(1e-3)
            } else {
                slider
            };
            ui.add(slider).on_hover_text(self.hint);
            let speed = (range.end().to_f64() - range.start().to_f64()).abs() / 400.0;
            let number = DragValue::new(value)
                .range(range)
                .clamp_existing_to_range(false)
                .speed(speed)
                .max_decimals(self.decimals);
            ui.add_sized(vec2(VALUE, ui.spacing().interact_size.y), number);
            fixed(ui, UNIT, RichText::new(self.unit).small().color(FAINT)).on_hover_text(self.hint);
            if let Some(default) = default {
                reset(ui, value, default, self.decimals);
            }
        });
        *value != before
    }
}

/// Draws a row for the parameter `param` of the table `of`: a slider over the whole range of the
/// parameter, or two buttons for a parameter that is on or off. `name`, `hint`: display name and
/// tooltip; `default`: value that the reset button restores.
pub(super) fn parameter<T>(
    ui: &mut Ui,
    param: &Param<T>,
    (name, hint): (&str, &str),
    of: &mut T,
    default: f64,
) {
    let row = SliderRow::new(name, param.unit, hint);
    let mut value = (param.get)(of);
    let row = match param.scale {
        Scale::Linear => row.decimals(3),
        Scale::Logarithmic => row.decimals(3).logarithmic(),
        Scale::Whole => row.decimals(0).logarithmic(),
        Scale::Switch => {
            if choice(
                ui,
                (name, hint),
                &mut value,
                &[(0.0, "no", hint), (1.0, "yes", hint)],
            ) {
                (param.set)(of, value);
            }
            return;
        }
    };
    if row.show(ui, &mut value, param.low..=param.high, Some(default)) {
        (param.set)(of, value);
    }
}

/// Draws a row with a slider for the parameter `key` of the table `of`. `name`: display name of the
/// parameter; `decimals`: number of decimals of its value; `usual`: table that contains its
/// default; `range`: range of the slider.
pub(super) fn key<T: Table>(
    ui: &mut Ui,
    (key, name, decimals): (&str, &str, usize),
    (of, usual): (&mut T, &T),
    range: RangeInclusive<f64>,
) {
    debug_assert!(T::param(key).is_some(), "{key} is no key of this table");
    let Some(param) = T::param(key) else { return };
    let mut value = (param.get)(of);
    let row = SliderRow::new(name, param.unit, param.what).decimals(decimals);
    if row.show(ui, &mut value, range, Some((param.get)(usual))) {
        (param.set)(of, value);
    }
}

/// Draws the name `text` at the start of a row. `hint`: tooltip of the name.
pub(super) fn name(ui: &mut Ui, text: &str, hint: &str) {
    fixed(ui, NAME, RichText::new(text)).on_hover_text(hint);
}

/// Draws `text` in a field of `width` points; text that does not fit is truncated.
fn fixed(ui: &mut Ui, width: f32, text: RichText) -> Response {
    let size = vec2(width, ui.spacing().interact_size.y);
    let row = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(size, row, |ui| {
        ui.set_min_width(width);
        ui.add(Label::new(text).truncate())
    })
    .inner
}

/// Draws the button that sets `value` to `default`; hidden if the two are equal. `decimals`: number
/// of decimals of the default in the tooltip.
fn reset<N: Numeric>(ui: &mut Ui, value: &mut N, default: N, decimals: usize) {
    let differs = *value != default;
    let button = Button::new(RichText::new("⟲").size(12.0))
        .frame(false)
        .min_size(vec2(14.0, 14.0));
    let hint = format!("back to {:.decimals$}", default.to_f64());
    if ui
        .add_visible(differs, button)
        .on_hover_text(hint)
        .clicked()
    {
        *value = default;
    }
}

/// Draws a row of buttons, one for each element (value, text, tooltip) of `choices`; the button of
/// the present `value` is selected. `label`, `hint`: name of the row (takes no space if empty) and
/// its tooltip. Returns true if the user changed `value`.
pub(super) fn choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    (label, hint): (&str, &str),
    value: &mut T,
    choices: &[(T, &str, &str)],
) -> bool {
    let before = *value;
    ui.horizontal(|ui| {
        if !label.is_empty() {
            name(ui, label, hint);
        }
        ui.spacing_mut().item_spacing.x = 3.0;
        for (choice, text, what) in choices {
            ui.selectable_value(value, *choice, *text)
                .on_hover_text(*what);
        }
    });
    *value != before
}

/// Draws a row with the name `label` and the text `value`, which the user cannot edit.
pub(super) fn fact(ui: &mut Ui, label: &str, value: impl Into<RichText>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(label).color(FAINT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(value.into())
        });
    });
}

/// Initial state of a section of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// Unfolded: title and contents of the section are shown.
    Open,
    /// Folded: only the title of the section is shown.
    Closed,
}

/// Draws a section with the title `title` that the user can fold. `fold`: initial state; `body`:
/// draws the contents.
pub(super) fn section(ui: &mut Ui, title: &str, fold: Fold, body: impl FnOnce(&mut Ui)) {
    let heading = RichText::new(title).size(13.5).strong();
    let header = egui::CollapsingHeader::new(heading)
        .id_salt(title)
        .default_open(fold != Fold::Closed);
    let shown = header.show_unindented(ui, |ui| {
        body(ui);
        ui.add_space(3.0);
    });
    super::tour::note_heading(ui, title, shown.header_response.rect);
    // Only unfolded sections need a separator; folded ones form a list.
    if shown.body_returned.is_some() {
        ui.separator();
    }
}
