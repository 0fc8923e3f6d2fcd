//! The parameters of the flow: presets, and each one with its range and default.

use kiss3d::egui::Ui;

use super::rows::{choice, parameter};
use crate::rules::{Param, RulesChange, RulesSpec, Walls};
use crate::viewer::messages::Command;
use crate::viewer::state::{Request, State};

/// Named rules: name, what they look like, and what they change of the defaults.
pub(crate) const PRESETS: &[Preset] = &[
    Preset { name: "Tongues", what: "Narrow tongues with lobes: the defaults.", change: |_| {} },
    Preset { name: "Apron", what: "Spreads into a wide, flat apron.", change: |rules| rules.threshold = 0.2 },
    Preset {
        name: "Water",
        what: "Runs into every hollow, nearly level.",
        change: |rules| {
            rules.threshold = 0.05;
            rules.spread = 0.25;
            rules.alpha = 1.0;
        },
    },
    Preset {
        name: "Stiff",
        what: "Thick and slow: a dome that hardly leaves its vent.",
        change: |rules| {
            rules.spread = 0.08;
            rules.alpha = 0.8;
            rules.spreading_every = 4;
            rules.friction.on_solid = 0.05;
        },
    },
    Preset {
        name: "Trickle",
        what: "Falls slowly, in threads.",
        change: |rules| {
            rules.factor = 0.25;
            rules.threshold = 0.35;
        },
    },
];

/// Rules with a name.
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    what: &'static str,
    change: fn(&mut RulesSpec),
}

impl Preset {
    /// The rules, between the same walls as before.
    pub(crate) fn rules(&self, walls: Walls) -> RulesSpec {
        let mut rules = RulesSpec { walls, ..RulesSpec::default() };
        (self.change)(&mut rules);
        rules
    }
}

/// Shows and edits the rules.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let before = state.rules.value.clone();
    let rules = &mut state.rules.value;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for preset in PRESETS {
            let wanted = preset.rules(rules.walls);
            if ui.selectable_label(*rules == wanted, preset.name).on_hover_text(preset.what).clicked() {
                *rules = wanted;
            }
        }
    });
    numbers(ui, rules);
    if *rules != before && rules.validate("rules").is_ok() {
        let change = RulesChange::between(&before, rules);
        state.rules.touch();
        state.ask(Request::Send(Command::World(change.into())));
    }
}

fn numbers(ui: &mut Ui, rules: &mut RulesSpec) {
    let mut above = "";
    for param in Param::all() {
        // Keys of one table share a name.
        let name = param.key.split('.').next().unwrap_or(param.key);
        parameter(ui, param, (if name == above { "" } else { name }, rules), param.default());
        above = name;
    }
    choice(
        ui,
        ("walls", "The four sides of the box."),
        &mut rules.walls,
        &[
            (Walls::Closed, "closed", "Nothing leaves."),
            (Walls::Open, "open", "What crosses a side leaves the box and is counted as outflow."),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_different() {
        let all: Vec<_> = PRESETS.iter().map(|preset| preset.rules(Walls::Open)).collect();
        for (i, rules) in all.iter().enumerate() {
            assert!(rules.validate("rules").is_ok() && rules.walls == Walls::Open, "{}", PRESETS[i].name);
            assert!(!all[..i].contains(rules), "{} is like one before", PRESETS[i].name);
        }
    }
}
