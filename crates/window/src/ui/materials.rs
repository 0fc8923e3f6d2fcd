//! Material sections of the panel: parameters of each material other than lava.

use kiss3d::egui::{RichText, Ui};

use super::FAINT;
use super::rows::{Fold, parameter, section};
use crate::messages::Command;
use crate::state::{Request, State};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::MaterialChange;

/// Draws the sliders of all materials and sends the user's changes.
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

/// Draws the sliders of a material; returns the user's change, `None` without one. `usual`: default
/// values.
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
