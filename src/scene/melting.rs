//! The materials in which a scene of the physical model shows a lava that melts: what is solid of it, what is liquid, and rock
//! of bodies.

use super::SceneSpec;
use crate::matter::{Kind, Material, Reaction, Terms};
use crate::validate::Invalid;
use crate::view::{MaterialLook, Preset};

/// The materials that show the lava.
const SHOWN: [&str; 3] = [Material::SOLID, Material::MELT, Material::MOULD];

impl SceneSpec {
    /// Adds the materials of a lava that melts. Tables of their names in the scene keep their look and their elements. The lava
    /// of reactions is the melt.
    pub(super) fn take_melting(&mut self) {
        let Some(flow) = self.flow_spec().filter(|flow| flow.lava.lava.melts()) else { return };
        let [solid, melt] = looks(&flow.lava.preset);
        let mould = MaterialLook { color: Some("#a8927a".to_owned()), ..MaterialLook::of(Preset::Wax) };
        // What flows displaces all that is lighter than the lava of other scenes, whatever its own density.
        let density = flow.lava.lava.density_kg_m3.max(Material::lava().density);
        let still = [(Material::MOULD, Kind::Still, mould), (Material::SOLID, Kind::Still, solid)];
        for (name, kind, look) in still.into_iter().chain([(Material::MELT, Kind::Liquid, melt)]) {
            let given = self.materials.iter().position(|material| material.name == name);
            let given = given.map(|i| self.materials.remove(i));
            let (look, elements) = given.map_or((look, Default::default()), |given| (given.look, given.elements));
            self.materials.push(Material {
                name: name.to_owned(),
                kind,
                density,
                look,
                elements,
                ..Material::unnamed()
            });
        }
        for reaction in &mut self.reactions {
            let whole =
                [&mut reaction.takes, &mut reaction.makes].into_iter().flat_map(|Terms(terms)| terms.iter_mut());
            let near = reaction.near.iter_mut().flat_map(|Terms(terms)| terms.iter_mut());
            let names = whole.map(|(name, _)| name).chain(near.map(|(name, _)| name));
            names.filter(|name| *name == Material::LAVA).for_each(|name| *name = Material::MELT.to_owned());
        }
    }

    /// Refuses what would change the layers that show a lava that melts, and heat from them where there are none.
    pub(super) fn check_melting(&self) -> Result<(), Invalid> {
        if !self.melts() {
            return self.check_heat_of_lava();
        }
        let sources = self.sources.iter().enumerate();
        let sources = sources.map(|(i, source)| (format!("source[{i}].material"), source.material.as_deref()));
        let edits = self.edits().map(|(key, edit)| (format!("{key}.matter.name"), edit.matter.material()));
        if let Some((key, name)) = sources.chain(edits).find(|(_, name)| name.is_some_and(|name| SHOWN.contains(&name)))
        {
            let expected =
                "another material: this one shows the lava, which a [[vent]], \"lava\" or \"solid\" puts into the box";
            return Err(Invalid::new(&key, format!("{:?}", name.unwrap_or_default()), expected));
        }
        let fixed = |name: &String| [Material::SOLID, Material::MOULD].contains(&name.as_str());
        for (i, reaction) in self.reactions.iter().enumerate() {
            for (side, Terms(terms)) in [("takes", &reaction.takes), ("makes", &reaction.makes)] {
                if let Some((name, _)) = terms.iter().find(|(name, _)| fixed(name)) {
                    let expected =
                        "another material: solid melts and sets by its heat; \"lava\" is what is liquid of it";
                    return Err(Invalid::new(&format!("reaction[{i}].{side}"), format!("{name:?}"), expected));
                }
            }
        }
        Ok(())
    }

    /// Checks that reactions take their heat from lava, in a scene whose lava does not melt.
    fn check_heat_of_lava(&self) -> Result<(), Invalid> {
        let is_lava = |Terms(near): &Terms<f64>| near.iter().all(|(name, _)| name == Material::LAVA);
        let is_wrong = |reaction: &Reaction| reaction.heat.is_some() && !reaction.near.as_ref().is_some_and(is_lava);
        match self.reactions.iter().position(is_wrong) {
            Some(i) => {
                let expected = "with near = { lava = AMOUNT }, and no lava in takes and makes";
                Err(Invalid::new(&format!("reaction[{i}].heat"), "set", expected))
            }
            None => Ok(()),
        }
    }
}

/// The looks of solid and melt of a preset of the lava.
fn looks(preset: &str) -> [MaterialLook; 2] {
    let of =
        |preset, color: &str, waves| MaterialLook { color: Some(color.to_owned()), waves, ..MaterialLook::of(preset) };
    match preset {
        "ice" => [MaterialLook::of(Preset::Ice), MaterialLook::of(Preset::Water)],
        "chocolate" => [of(Preset::Wax, "#43210f", 0.4), of(Preset::Gloss, "#3a1a0b", 0.3)],
        "semisolid-aluminium" => [of(Preset::Metal, "#b4b7bb", 1.0), of(Preset::Metal, "#e6e7e9", 0.3)],
        _ => [of(Preset::Wax, "#efe3c8", 0.5), of(Preset::Gloss, "#e9d6a4", 0.2)],
    }
}
