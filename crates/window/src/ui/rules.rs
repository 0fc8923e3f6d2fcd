//! Section of the panel with the flow rules of the cellular automaton (classic model): presets, and
//! a slider per parameter.

use kiss3d::egui::Ui;

use super::rows::{choice, parameter};
use crate::messages::Command;
use crate::state::{Request, State};
use lavoxel_automaton::rules::{RulesChange, RulesSpec, Walls};

/// Presets of the flow rules: each has a name, a description of the resulting flow, and the keys
/// that differ from the defaults.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "Tongues",
        what: "Narrow tongues with lobes: the defaults.",
        change: |_| {},
    },
    Preset {
        name: "Apron",
        what: "Spreads into a wide, flat apron.",
        change: |rules| rules.threshold = 0.2,
    },
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

/// Names of the flow rules for the user: each element has the key in the scene file, the display
/// name, and the effect of moving the slider left or right.
const NAMES: &[(&str, &str, &str)] = &[
    (
        "threshold",
        "stops at",
        "left runs further, right stops sooner",
    ),
    (
        "spread",
        "runs aside",
        "left stops sooner, right runs further",
    ),
    (
        "alpha",
        "keeps energy",
        "left stops sooner, right runs further",
    ),
    (
        "support",
        "carried by",
        "left spreads in mid-air, right only on full cells",
    ),
    (
        "friction.on_solid",
        "brake: rock",
        "left runs further, right stops sooner",
    ),
    (
        "friction.on_liquid",
        "brake: lava",
        "left runs further, right stops sooner",
    ),
    (
        "spreading_every",
        "spreads each",
        "left runs faster, right is stiffer",
    ),
    ("factor", "falls", "left trickles, right falls at once"),
    ("beta", "speed-up", "left stops sooner, right runs further"),
];

/// Returns the display name of the flow rule with the key `key`, and the effect of moving its
/// slider; `key` and a general text if the rule has no display name.
fn plain(key: &'static str) -> (&'static str, &'static str) {
    let found = NAMES.iter().find(|(known, ..)| *known == key);
    found.map_or((key, "right is more"), |&(_, name, sides)| (name, sides))
}

/// Named values of all flow rules, which the user can apply by one click.
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    what: &'static str,
    change: fn(&mut RulesSpec),
}

impl Preset {
    /// Returns the flow rules of this preset, with the sides of the simulation box given by `walls`
    /// (open or closed).
    pub(crate) fn rules(&self, walls: Walls) -> RulesSpec {
        let mut rules = RulesSpec {
            walls,
            ..RulesSpec::default()
        };
        (self.change)(&mut rules);
        rules
    }
}

/// Draws the presets and the sliders of the flow rules, and sends the user's changes to the
/// simulation.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let before = state.rules.value.clone();
    let rules = &mut state.rules.value;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for preset in PRESETS {
            let wanted = preset.rules(rules.walls);
            if ui
                .selectable_label(*rules == wanted, preset.name)
                .on_hover_text(preset.what)
                .clicked()
            {
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
    for param in RulesSpec::params() {
        let (name, sides) = plain(param.key);
        let hint = format!("{} ({sides}; key {} of [rules])", param.what, param.key);
        parameter(ui, param, (name, &hint), rules, param.default());
    }
    choice(
        ui,
        ("walls", "The four sides of the box."),
        &mut rules.walls,
        &[
            (Walls::Closed, "closed", "Nothing leaves."),
            (
                Walls::Open,
                "open",
                "What crosses a side leaves the box and is counted as outflow.",
            ),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_name_of_its_own_that_fits() {
        let keys: Vec<_> = RulesSpec::params().map(|param| param.key).collect();
        assert_eq!(keys.len(), NAMES.len());
        for (i, (key, name, _)) in NAMES.iter().enumerate() {
            assert!(keys.contains(key) && name.len() <= 12, "{key}: {name}");
            assert!(
                NAMES[..i].iter().all(|(_, other, _)| other != name),
                "{name} is there twice"
            );
        }
    }

    #[test]
    fn presets_are_valid_and_different() {
        let all: Vec<_> = PRESETS
            .iter()
            .map(|preset| preset.rules(Walls::Open))
            .collect();
        for (i, rules) in all.iter().enumerate() {
            assert!(
                rules.validate("rules").is_ok() && rules.walls == Walls::Open,
                "{}",
                PRESETS[i].name
            );
            assert!(
                !all[..i].contains(rules),
                "{} is like one before",
                PRESETS[i].name
            );
        }
    }
}
