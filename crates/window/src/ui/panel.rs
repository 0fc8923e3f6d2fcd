//! Panel at the left of the window: a fixed header with the most important controls, and below the
//! header sections that fold and scroll.

use kiss3d::egui::style::ScrollStyle;
use kiss3d::egui::{Align, Context, Layout, Margin, RichText, ScrollArea, Ui};

use super::rows::{Fold, section};
use super::{
    BRIGHT, FAINT, camera, files, film, look, materials, numbers, plots, rules, slices, time,
    tools, vents, wind,
};
use crate::history::pace;
use crate::state::State;

/// Width of the panel's contents in points.
const WIDTH: f32 = super::PANEL - 20.0;

/// Name that identifies the panel's area in `egui`.
pub(super) const NAME: &str = "panel";

/// Titles of the panel's sections to which the tour points; every scene has these sections.
#[cfg(test)]
pub(super) const SECTIONS: [&str; 4] = ["Tools", "View", "Time machine", "Files"];

/// Draws the panel at the left of the window: header and sections.
pub(super) fn draw(context: &Context, state: &mut State) {
    let screen = context.content_rect();
    super::docked(
        context,
        NAME,
        Margin {
            left: 12,
            right: 6,
            top: 10,
            bottom: 8,
        },
        |ui| {
            ui.set_width(WIDTH.min(screen.width() - 18.0));
            ui.set_height((screen.height() - 20.0).max(60.0));
            header(ui, state);
            // Scroll bar wide enough for the mouse.
            ui.spacing_mut().scroll = ScrollStyle {
                bar_width: 9.0,
                ..ScrollStyle::solid()
            };
            ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| {
                    ui.set_width((WIDTH - 14.0).min(screen.width() - 32.0));
                    ui.spacing_mut().item_spacing.y = 4.0;
                    sections(ui, state);
                });
        },
    );
}

/// Draws the panel's header: name of the scene, step number, and controls for the pace.
fn header(ui: &mut Ui, state: &mut State) {
    let Some(report) = state.report.clone() else {
        ui.label("preparing the scene …");
        return;
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(&report.name).heading().strong().color(BRIGHT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            if ui
                .small_button("«")
                .on_hover_text("Fold the panel to a narrow bar; Tab hides it")
                .clicked()
            {
                state.shown.folded = Some(true);
            }
            let frame = state.frame;
            if let Some(fps) = frame.fps {
                ui.label(RichText::new(format!("{} fps", pace::short(fps))).color(FAINT))
                    .on_hover_text("different pictures a second");
            }
            if let Some(seconds) = frame.recording {
                ui.label(RichText::new(format!("● {seconds:.1} s")).color(super::WRONG))
                    .on_hover_text("recording");
            }
        });
    });
    let grid = report.grid;
    let size = format!(
        "{} × {} × {} cells of {:.3} m",
        grid.nx, grid.ny, grid.nz, report.cell_size_m
    );
    let size = size.replace(".000 m", " m");
    ui.label(RichText::new(size).small().color(FAINT));
    ui.add_space(2.0);
    time::controls(ui, state, &report);
    ui.add_space(2.0);
    ui.separator();
}

/// Draws the panel's sections: at the top those used often (tools, sources, view), below these,
/// folded, those with settings that are rarely changed.
fn sections(ui: &mut Ui, state: &mut State) {
    section(ui, "Tools", Fold::Open, |ui| tools::show(ui, state));
    section(ui, "Sources", Fold::Open, |ui| vents::show(ui, state));
    if state.wind.value.is_some() {
        section(ui, "Wind", Fold::Open, |ui| wind::show(ui, state));
    }
    section(ui, "View", Fold::Open, |ui| {
        look::style(ui, state);
        camera::show(ui, state);
    });
    // Folded: the timeline below the picture offers most of this section.
    section(ui, "Time machine", Fold::Closed, |ui| {
        time::moments(ui, state)
    });
    state.plots.is_open = false;
    section(ui, "Plots", Fold::Closed, |ui| plots::show(ui, state));
    section(ui, "Files", Fold::Closed, |ui| files::show(ui, state));
    section(ui, "Film", Fold::Closed, |ui| film::show(ui, state));
    section(ui, "Look", Fold::Closed, |ui| look::show(ui, state));
    section(ui, "Slices and clip box", Fold::Closed, |ui| {
        slices::show(ui, state);
        slices::clip(ui, state);
    });
    let title = if state.materials.value.is_empty() {
        "Flow"
    } else {
        "Flow of lava"
    };
    // The rules apply only to the cellular automaton (classic model); in the physical model the
    // scene defines the lava.
    if state
        .report
        .as_ref()
        .is_none_or(|report| report.flow.is_none())
    {
        section(ui, title, Fold::Closed, |ui| rules::show(ui, state));
    }
    materials::show(ui, state);
    section(ui, "Numbers", Fold::Closed, |ui| numbers::show(ui, state));
    ui.label(
        RichText::new("F1 lists the keys, Tab hides this panel.")
            .small()
            .color(FAINT),
    );
}

#[cfg(test)]
mod tests {
    use kiss3d::egui::vec2;

    use super::*;
    use crate::messages::{Pace, Report};
    use crate::ui::shapes;
    use lavoxel_base::grid::Grid;
    use lavoxel_scene::scene::Scene;
    use lavoxel_sim::source::VentSpec;

    /// Returns the texts of the panel that are visible without scrolling in a window of `height`
    /// points.
    fn seen(height: f32) -> Vec<String> {
        let context = Context::default();
        crate::ui::theme(&context);
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        state.report = Some(Report::quiet(Grid::new(16, 16, 16)));
        state.vents.value = vec![(0, VentSpec::default())];
        let texts = shapes::texts(&context, vec2(1280.0, height), |context| {
            draw(context, &mut state)
        });
        let shown = texts
            .into_iter()
            .filter(|text| text.clip.expand(1.0).contains_rect(text.area));
        shown.map(|text| text.words).collect()
    }

    #[test]
    fn every_section_is_in_reach_at_768_lines_and_numbers_are_folded() {
        let texts = seen(768.0);
        let sections = [
            "Tools",
            "Sources",
            "View",
            "Time machine",
            "Plots",
            "Files",
            "Film",
            "Look",
            "Slices and clip box",
            "Flow",
            "Numbers",
        ];
        for section in sections {
            assert!(
                texts.iter().any(|text| text == section),
                "{section} is not seen: {texts:?}"
            );
        }
        assert!(
            !texts.iter().any(|text| text == "pictures"),
            "the numbers are open"
        );
        let at = |name: &str| texts.iter().position(|text| text == name);
        assert!(
            at("rock") < at("Sources") && at("Sources") < at("Numbers"),
            "the tools are on top"
        );
    }
}
