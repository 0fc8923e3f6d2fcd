//! Default reactions between lava, water, ice, steam and sand. A scene with these materials uses
//! them for pairs of materials that no reaction table of the scene covers. The data are in
//! `defaults.toml`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Model, Scene, SceneError, SceneSpec};
use lavoxel_automaton::matter::{Material, Reaction, Shows, Terms};
use lavoxel_automaton::rules::Roof;
use lavoxel_automaton::world::Matter;
use lavoxel_base::param::{Form, Value};
use lavoxel_base::validate::Invalid;

/// TOML text with the default reactions of both models, with comments.
pub const DEFAULT_REACTIONS: &str = include_str!("defaults.toml");

/// Setting that enables or disables the default reactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum DefaultReactions {
    /// Pairs of materials without a reaction table react as in `defaults.toml`.
    #[default]
    On,
    /// Materials react only by the reaction tables of the scene.
    Off,
}

impl Value for DefaultReactions {
    fn form() -> Form {
        Form::Switch
    }
}

impl From<bool> for DefaultReactions {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

impl From<DefaultReactions> for bool {
    fn from(reactions: DefaultReactions) -> Self {
        reactions == DefaultReactions::On
    }
}

impl DefaultReactions {
    pub(super) fn is_on(&self) -> bool {
        *self == Self::On
    }
}

/// Default reactions in `defaults.toml`: one list per model.
#[derive(Deserialize)]
struct Lists {
    classic: Vec<Reaction>,
    flow: Vec<Reaction>,
}

/// Status of a default reaction in a scene that contains its materials: in use, or the reason for
/// which it is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    InForce,
    /// Not used, because a reaction table of the scene covers the same materials.
    Replaced,
    /// Not used, because the material with this name has another kind or composition in the scene
    /// than in the presets.
    Differs(String),
}

/// Materials and reactions that the default reactions have added to a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Added {
    /// Default reactions whose materials the scene contains, each with its status. The reactions in
    /// use come first in the scene's list of reactions.
    reactions: Vec<(Reaction, Standing)>,
    /// Names of the materials that were added as products of default reactions.
    products: Vec<String>,
    /// Set if a brush or a vent may add lava to the simulation box later.
    lava_may_come: bool,
}

impl Added {
    /// Iterates over the default reactions in use, which come first in the scene's list of
    /// reactions.
    fn in_force(&self) -> impl Iterator<Item = &Reaction> {
        let all = self.reactions.iter();
        all.filter_map(|(reaction, standing)| (*standing == Standing::InForce).then_some(reaction))
    }
}

impl SceneSpec {
    /// Turns the default reactions off but keeps the reactions that they have added, so that adding
    /// lava later adds no reactions.
    pub fn pin_reactions(&mut self) {
        if !self.materials.is_empty() {
            self.default_reactions = DefaultReactions::Off;
        }
    }

    /// Returns the default reactions of the scene's model that are possible with the scene's roof,
    /// its air and the temperature of its lava.
    fn possible_defaults(&self) -> Vec<Reaction> {
        let lists: Lists =
            toml::from_str(DEFAULT_REACTIONS).expect("a test reads the default reactions");
        if self.model == Model::Flow {
            let hottest = self.hottest_k();
            let is_hot = |reaction: &Reaction| reaction.heat.is_none_or(|heat| hottest > heat.at_k);
            let mut hot: Vec<_> = lists.flow.into_iter().filter(is_hot).collect();
            if let Some(solid) = self.that_shows(Shows::Solid) {
                let beside = hot
                    .iter_mut()
                    .flat_map(|reaction| reaction.near.iter_mut())
                    .flat_map(|Terms(near)| near);
                let names = beside
                    .map(|(name, _)| name)
                    .filter(|name| *name == Shows::Solid.usual_name());
                names.for_each(|name| *name = solid.name.clone());
            }
            return hot;
        }
        // Steam that enters the air model or leaves through the roof never accumulates in the
        // cells.
        let to_air = self.air.as_ref().and_then(|air| air.steam.as_deref());
        let gathers = |name: &str| self.rules.roof == Roof::Closed && to_air != Some(name);
        let gathers = |reaction: &Reaction| reaction.takes.0.iter().all(|(name, _)| gathers(name));
        lists
            .classic
            .into_iter()
            .filter(|reaction| reaction.above == 0.0 || gathers(reaction))
            .collect()
    }

    /// Returns an upper bound on the temperature of the lava in kelvin; 0 in the cellular automaton
    /// (classic model).
    fn hottest_k(&self) -> f64 {
        let Some(flow) = self.flow_spec() else {
            return 0.0;
        };
        let vents = self
            .vents
            .iter()
            .filter_map(|vent| vent.flow.as_ref()?.temperature_k);
        let bodies = self
            .edits()
            .filter_map(|(_, edit)| edit.matter.temperature_k());
        let heaters = self.heaters.iter().filter_map(|heater| heater.up_to_k);
        vents
            .chain(bodies)
            .chain(heaters)
            .fold(flow.lava.lava.vent_k, f64::max)
    }

    /// Returns true if a vent, a body or an event puts lava into the simulation box.
    pub(super) fn has_lava(&self) -> bool {
        let is_lava = |edit: &super::BodySpec| match &edit.matter {
            Matter::Lava { .. } | Matter::Solid { .. } => true,
            Matter::Flood { name, .. } | Matter::Replace { name, .. } => name == Material::LAVA,
            _ => false,
        };
        !self.vents.is_empty() || self.edits().any(|(_, edit)| is_lava(edit))
    }

    /// Returns true if the scene's material `name` has the kind and the composition of the preset
    /// with this name; `None` if the scene lacks the material or no preset has this name.
    /// `has_lava`: the scene contains lava.
    fn fits(&self, name: &str, has_lava: bool) -> Option<bool> {
        if self.shown(name) == Some(Shows::Solid) {
            return (self.melts() && has_lava).then_some(true);
        }
        let preset = Material::preset(name)?;
        let given = self.materials.iter().find(|material| material.name == name);
        // Lava needs no table, but counts as present only if a vent or an edit adds some.
        let given = if preset.carries_energy() {
            has_lava.then_some(given.unwrap_or(&preset))?
        } else {
            given?
        };
        Some(given.kind == preset.kind && given.elements == preset.elements)
    }

    /// Returns the names of the materials that `reaction` consumes or needs nearby. The melt of a
    /// lava with a melting point counts as lava.
    fn met<'a>(&self, reaction: &'a Reaction) -> BTreeSet<&'a str> {
        let near = reaction
            .near
            .iter()
            .flat_map(|Terms(near)| near.iter().map(|(name, _)| name.as_str()));
        let taken = reaction.takes.0.iter().map(|(name, _)| name.as_str());
        taken
            .chain(near)
            .map(|name| {
                if self.shown(name) == Some(Shows::Melt) {
                    Material::LAVA
                } else {
                    name
                }
            })
            .collect()
    }

    /// Returns the status of the default reaction `reaction`, given the scene's own reactions
    /// `own`; `None` if the scene lacks one of its materials. `has_lava`: the scene contains lava.
    fn standing(&self, reaction: &Reaction, own: &[Reaction], has_lava: bool) -> Option<Standing> {
        let made = reaction.makes.0.iter().map(|(name, _)| name.as_str());
        let mut made =
            made.filter(|name| self.materials.iter().any(|material| material.name == *name));
        // Rain is limited to scenes with water: steam alone stays steam.
        if reaction.above > 0.0 && made.clone().count() < reaction.makes.0.len() {
            return None;
        }
        let mut differs = None;
        for name in self.met(reaction) {
            if !self.fits(name, has_lava)? {
                differs = Some(name.to_owned());
            }
        }
        let differs = differs.or_else(|| {
            made.find(|name| self.fits(name, has_lava) == Some(false))
                .map(str::to_owned)
        });
        Some(match differs {
            _ if own.iter().any(|own| self.met(own) == self.met(reaction)) => Standing::Replaced,
            Some(name) => Standing::Differs(name),
            None => Standing::InForce,
        })
    }

    /// Adds to the scene's materials those products of `reaction` that the scene does not define,
    /// and appends their names to `products`.
    fn add_products(&mut self, reaction: &Reaction, products: &mut Vec<String>) {
        for (name, _) in &reaction.makes.0 {
            let is_there = self.materials.iter().any(|material| material.name == *name);
            if let Some(preset) = Material::preset(name).filter(|_| !is_there) {
                self.materials.push(preset);
                products.push(name.clone());
            }
        }
    }
}

impl Scene {
    /// Inserts the default reactions before the scene's own reactions, and adds the materials that
    /// they produce. Reactions and materials from an earlier call are removed first.
    ///
    /// # Errors
    /// Returns an error that names the table of which there would be too many.
    pub(super) fn take_defaults(&mut self) -> Result<(), Invalid> {
        let before = std::mem::take(&mut self.added);
        self.added.lava_may_come = before.lava_may_come;
        let spec = &mut self.spec;
        spec.reactions.drain(..before.in_force().count());
        spec.materials
            .retain(|material| !before.products.contains(&material.name));
        if !spec.default_reactions.is_on()
            || Material::besides_lava(&spec.materials).next().is_none()
        {
            return Ok(());
        }
        let has_lava = before.lava_may_come || spec.has_lava();
        let mut products = Vec::new();
        let possible = spec.possible_defaults();
        // The product of one reaction may be a reactant of another: iterated until no product is
        // added.
        let mut standing: Vec<Option<Standing>>;
        loop {
            standing = possible
                .iter()
                .map(|reaction| spec.standing(reaction, &spec.reactions, has_lava))
                .collect();
            let count = products.len();
            for (reaction, _) in possible
                .iter()
                .zip(&standing)
                .filter(|(_, s)| **s == Some(Standing::InForce))
            {
                spec.add_products(reaction, &mut products);
            }
            if products.len() == count {
                break;
            }
        }
        let reactions: Vec<_> = possible
            .into_iter()
            .zip(standing)
            .filter_map(|(r, s)| Some((r, s?)))
            .collect();
        self.added = Added {
            reactions,
            products,
            lava_may_come: before.lava_may_come,
        };
        spec.reactions.splice(..0, self.added.in_force().cloned());
        // For a lava that melts, reactions with lava apply to the melt.
        spec.take_melting();
        self.check().map_err(|invalid| {
            let expected = format!("false, or fewer tables: with what it adds, {invalid}");
            Invalid::new("default_reactions", "true", expected)
        })
    }

    /// Returns the reactions written in the scene file, mutably, without the default reactions.
    pub(super) fn own_reactions_mut(&mut self) -> &mut [Reaction] {
        let in_force = self.added.in_force().count();
        &mut self.spec.reactions[in_force..]
    }

    /// Adds the default reactions with lava even if the scene contains no lava, because a brush or
    /// a vent may add lava later.
    ///
    /// # Errors
    /// Returns an error that names the table of which there would be too many.
    pub fn expect_lava(&mut self) -> Result<(), SceneError> {
        self.added.lava_may_come = true;
        self.take_defaults()
            .map_err(|invalid| self.invalid(invalid))
    }

    /// Returns a line of text for each reaction whose materials the scene contains: reactions of
    /// the scene and default reactions.
    pub fn reaction_lines(&self) -> Vec<String> {
        let default = self.added.reactions.iter().map(|(reaction, standing)| {
            let about = match standing {
                Standing::InForce => "default".to_owned(),
                Standing::Replaced => "default, replaced by a [[reaction]] of the scene".to_owned(),
                Standing::Differs(name) => {
                    format!("default, not in force: {name} has another kind or other elements than the preset")
                }
            };
            format!("{reaction} ({about})")
        });
        let own = self.spec.reactions[self.added.in_force().count()..].iter();
        let products = self
            .added
            .products
            .iter()
            .map(|name| format!("{name} comes of default reactions"));
        default
            .chain(own.map(Reaction::to_string))
            .chain(products)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_automaton::world::{Edit, Layer, Shape};
    use lavoxel_sim::simulation::{Command, Simulation};

    #[test]
    fn the_default_reactions_are_right_between_presets() {
        let lists: Lists = toml::from_str(DEFAULT_REACTIONS).expect("right tables");
        let names = ["water", "steam", "ice", "rubble", "sand", "glass"];
        let presets = names
            .map(|name| Material::preset(name).expect("a preset"))
            .to_vec();
        let solid = Material {
            name: "set".to_owned(),
            shows: Some(Shows::Solid),
            ..Material::unnamed()
        };
        let all = Material::with_lava(presets.into_iter().chain([solid]).collect());
        Reaction::validate_all(&lists.classic, &all).expect("balanced");
        Reaction::validate_all(&lists.flow, &all).expect("balanced");
        assert!(lists.classic.iter().all(|reaction| reaction.heat.is_none()));
        assert!(lists.flow.iter().all(|reaction| reaction.heat.is_some()));
    }

    #[test]
    fn lava_that_is_poured_later_reacts_where_it_is_expected() {
        let text = "[grid]\nsize = [12, 16, 12]\n[terrain]\nkind = \"plane\"\n[[material]]\nname = \"water\"\n[[body]]\nshape = \
                    { kind = \"below\", level = 5.0 }\nmatter = { kind = \"material\", name = \"water\", amount = 1.0 }\n";
        let shape = Shape::Box {
            from: [4.0, 8.0, 4.0],
            to: [8.0, 10.0, 8.0],
        };
        let lava = Edit {
            shape,
            matter: Matter::Lava {
                amount: 1.0,
                energy: 1.0,
                temperature_k: None,
            },
        };
        let poured = |scene: &Scene| {
            let mut simulation = scene
                .build(Box::new(Tiled::default()))
                .expect("it fits")
                .simulation;
            simulation
                .command(Command::Put(lava.clone()))
                .expect("lava");
            (0..60).for_each(|_| simulation.step());
            simulation.world().check().expect("the account is exact");
            simulation
        };
        let mass =
            |simulation: &Simulation, name: &str| simulation.world().layer(name).map(Layer::mass);
        let mut scene = Scene::parse(text, Path::new("pond.toml")).expect("a right scene");
        assert_eq!(
            mass(&poured(&scene), "rubble"),
            None,
            "nothing was expected"
        );
        scene.expect_lava().expect("few tables");
        let simulation = poured(&scene);
        assert!(
            ["rubble", "steam"]
                .iter()
                .all(|name| mass(&simulation, name) > Some(0)),
            "{:?}",
            scene.reaction_lines()
        );
        // A recorded scene writes out all reactions.
        let recorded = scene
            .recorded(&simulation)
            .to_toml(Path::new("recorded.toml"))
            .expect("a scene");
        let again = Scene::parse(&recorded, Path::new("recorded.toml")).expect("its own scene");
        let mut replayed = again
            .build(Box::new(Tiled::default()))
            .expect("it fits")
            .simulation;
        (0..60).for_each(|_| replayed.step());
        assert_eq!(
            replayed.world().state_hash(),
            simulation.world().state_hash()
        );
        // Tables of the scene still replace default reactions, and the switch removes those.
        let off = format!("default_reactions = false\n{text}");
        let mut scene = Scene::parse(&off, Path::new("pond.toml")).expect("a right scene");
        scene.expect_lava().expect("nothing to add");
        assert_eq!(mass(&poured(&scene), "rubble"), None);
    }
}
