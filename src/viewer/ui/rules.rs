//! The parameters of the flow: presets, and each one with its range and default.

use kiss3d::egui::Ui;

use super::rows::{Row, choice};
use crate::rules::{RulesSpec, Walls};
use crate::units::{ENERGY_MAX, ENERGY_ONE};
use crate::viewer::link::Command;
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
    if *rules != before && rules.validate().is_ok() {
        let rules = rules.clone();
        state.rules.touch();
        state.ask(Request::Send(Command::Rules(rules)));
    }
}

fn numbers(ui: &mut Ui, rules: &mut RulesSpec) {
    let usual = RulesSpec::default();
    let top = f64::from(ENERGY_MAX) / f64::from(ENERGY_ONE);
    Row::new(
        "threshold",
        "energy",
        "Energy above which a cell spreads. 0.05 runs like water, 0.2 makes a wide apron, 0.5 makes tongues.",
    )
    .logarithmic()
    .decimals(3)
    .show(ui, &mut rules.threshold, 0.0..=top, Some(usual.threshold));
    Row::new("spread", "share", "Share of a cell's lava that goes to each neighbour. Less is more viscous.")
        .decimals(3)
        .show(ui, &mut rules.spread, 0.001..=0.25, Some(usual.spread));
    Row::new("alpha", "", "Energy that spreads with the lava, relative to its mass. Less tires the front sooner.")
        .show(ui, &mut rules.alpha, 0.0..=1.0, Some(usual.alpha));
    Row::new("factor", "share", "Share of a cell's lava that falls in one step. Less makes it trickle.")
        .decimals(3)
        .show(ui, &mut rules.factor, 0.001..=1.0, Some(usual.factor));
    Row::new("beta", "", "Energy that falls with the lava, relative to its mass. Above 1, falling lava runs further.")
        .show(ui, &mut rules.beta, 0.0..=4.0, Some(usual.beta));
    Row::new("friction", "on rock", "Share of the energy lost on the way over rock. More shortens the flow.")
        .decimals(3)
        .show(ui, &mut rules.friction.on_solid, 0.0..=1.0, Some(usual.friction.on_solid));
    Row::new("", "on lava", "Share of the energy lost on the way over lava.").decimals(3).show(
        ui,
        &mut rules.friction.on_liquid,
        0.0..=1.0,
        Some(usual.friction.on_liquid),
    );
    Row::new("support", "amount", "Amount below which lava beneath carries nothing. 0 lets lava spread in mid-air.")
        .show(ui, &mut rules.support, 0.0..=1.0, Some(usual.support));
    Row::new("spread every", "steps", "A spreading step follows every so many gravity steps. More is stiffer.")
        .logarithmic()
        .show(ui, &mut rules.spreading_every, 1..=1000, Some(usual.spreading_every));
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
            assert!(rules.validate().is_ok() && rules.walls == Walls::Open, "{}", PRESETS[i].name);
            assert!(!all[..i].contains(rules), "{} is like one before", PRESETS[i].name);
        }
    }
}
