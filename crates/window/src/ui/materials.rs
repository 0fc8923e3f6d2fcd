//! Sections of the panel with the parameters of each material other than lava, one section per
//! material.

use kiss3d::egui::{RichText, Ui};

use super::FAINT;
use super::rows::{Fold, parameter, section};
use crate::messages::Command;
use crate::state::{Request, State};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::MaterialChange;

/// Draws a section with sliders for each material, and sends the user's changes to the simulation.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let mut changes = Vec::new();
    let opened = &state.scene.spec.materials;
    for material in &mut state.materials.value {
        let usual = opened
            .iter()
            .find(|opened| opened.name == material.name)
            .cloned()
            .unwrap_or_default();
        let title = format!("Flow of {}", material.name);
        section(ui, &title, Fold::Closed, |ui| {
            changes.extend(one(ui, material, &usual))
        });
    }
    for change in changes {
        state.materials.touch();
        state.ask(Request::Send(Command::World(change.into())));
    }
}

/// Draws the sliders for the parameters of `material`. `usual`: parameters that the reset buttons
/// restore. Returns the user's change; `None` if nothing was changed.
fn one(ui: &mut Ui, material: &mut Material, usual: &Material) -> Option<MaterialChange> {
    let before = material.clone();
    let density = format!("{} kg/m³: heavier materials displace it", material.density);
    ui.label(RichText::new(density).small().color(FAINT));
    for param in before.params_in_force() {
        let hint = format!("{} (key {} of [[material]])", param.what, param.key);
        parameter(
            ui,
            param,
            (param.key, &hint),
            &mut *material,
            (param.get)(usual),
        );
    }
    (*material != before).then(|| MaterialChange::between(&before, material))
}
