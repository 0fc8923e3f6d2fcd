//! Materials that display a lava with a melting point in the physical model: its solid, its melt,
//! and the rock of bodies (the mould).

use super::SceneSpec;
use lavoxel_automaton::matter::{Material, Shows, Terms};
use lavoxel_automaton::view::{MaterialLook, Preset};
use lavoxel_base::validate::Invalid;

impl SceneSpec {
    /// Adds the materials that display a lava with a melting point to the scene. Existing tables
    /// for one of its parts, marked by `shows` or by the default name, keep name, look and
    /// composition. Reactions with lava become reactions with the melt.
    pub(super) fn take_melting(&mut self) {
        let Some(flow) = self.flow_spec().filter(|flow| flow.lava.lava.melts()) else {
            return;
        };
        let looks = looks(&flow.lava.preset);
        // The flow displaces all matter lighter than the default lava, regardless of its own
        // density.
        let density = flow.lava.lava.density_kg_m3.max(Material::lava().density);
        for (part, look) in Shows::ALL.into_iter().zip(looks) {
            let given = self
                .materials
                .iter()
                .position(|material| material.shows == Some(part));
            let usual = |material: &Material| {
                material.shows.is_none() && material.name == part.usual_name()
            };
            let given = given
                .or_else(|| self.materials.iter().position(usual))
                .map(|i| self.materials.remove(i));
            let usual = (part.usual_name().to_owned(), look, Default::default());
            let (name, look, elements) =
                given.map_or(usual, |given| (given.name, given.look, given.elements));
            let (kind, shows) = (part.kind(), Some(part));
            self.materials.push(Material {
                name,
                kind,
                density,
                shows,
                look,
                elements,
                ..Material::unnamed()
            });
        }
        let Some(melt) = self
            .that_shows(Shows::Melt)
            .map(|material| material.name.clone())
        else {
            return;
        };
        for reaction in &mut self.reactions {
            let whole = [&mut reaction.takes, &mut reaction.makes]
                .into_iter()
                .flat_map(|Terms(terms)| terms.iter_mut());
            let near = reaction
                .near
                .iter_mut()
                .flat_map(|Terms(terms)| terms.iter_mut());
            let names = whole
                .map(|(name, _)| name)
                .chain(near.map(|(name, _)| name));
            names
                .filter(|name| *name == Material::LAVA)
                .for_each(|name| name.clone_from(&melt));
        }
    }

    /// Returns the scene's material that displays `part` (solid, melt or mould) of a lava with a
    /// melting point; `None` if no material does.
    pub(super) fn that_shows(&self, part: Shows) -> Option<&Material> {
        self.materials
            .iter()
            .find(|material| material.shows == Some(part))
    }

    /// Returns the part (solid, melt or mould) of a lava with a melting point that the material
    /// `name` displays; `None` if it displays none.
    pub(super) fn shown(&self, name: &str) -> Option<Shows> {
        self.materials
            .iter()
            .find(|material| material.name == name)?
            .shows
    }

    /// Checks that no source, edit or reaction changes the materials that display a lava with a
    /// melting point.
    pub(super) fn check_melting(&self) -> Result<(), Invalid> {
        if !self.melts() {
            return Ok(());
        }
        let sources = self.sources.iter().enumerate();
        let sources = sources
            .map(|(i, source)| (format!("source[{i}].material"), source.material.as_deref()));
        let edits = self.edits().flat_map(|(key, edit)| {
            edit.matter
                .names()
                .map(move |name| (format!("{key}.matter.name"), Some(name)))
        });
        if let Some((key, name)) = sources
            .chain(edits)
            .find(|(_, name)| name.is_some_and(|name| self.shown(name).is_some()))
        {
            let expected = "another material: this one shows the lava, which a [[vent]], \"lava\" or \"solid\" puts into the box";
            return Err(Invalid::new(
                &key,
                format!("{:?}", name.unwrap_or_default()),
                expected,
            ));
        }
        // Solid and mould mirror the flow and its bodies: reactions may only use the melt.
        let fixed = |name: &String| matches!(self.shown(name), Some(Shows::Solid | Shows::Mould));
        for (i, reaction) in self.reactions.iter().enumerate() {
            for (side, Terms(terms)) in [("takes", &reaction.takes), ("makes", &reaction.makes)] {
                if let Some((name, _)) = terms.iter().find(|(name, _)| fixed(name)) {
                    let expected = "another material: solid melts and sets by its heat; \"lava\" is what is liquid of it";
                    return Err(Invalid::new(
                        &format!("reaction[{i}].{side}"),
                        format!("{name:?}"),
                        expected,
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that each part (solid, melt, mould) of a lava with a melting point is displayed by
    /// exactly one material, and that a scene with any other lava has no such materials.
    pub(super) fn check_shown(&self) -> Result<(), Invalid> {
        for (i, Material { name, shows, .. }) in self
            .materials
            .iter()
            .enumerate()
            .filter(|(_, m)| m.shows.is_some())
        {
            let wrong = |expected| {
                Err(Invalid::new(
                    &format!("material[{i}].shows"),
                    format!("of {name}"),
                    expected,
                ))
            };
            if !self.melts() {
                return wrong(
                    "left out: only a scene whose lava melts has parts of it to show, see docs/melting.md",
                );
            }
            if self.materials[..i]
                .iter()
                .any(|other| other.shows == *shows)
            {
                return wrong("a part that no other material shows");
            }
        }
        Ok(())
    }
}

/// Returns the looks of the materials [mould, solid, melt] that display the lava preset `preset`.
fn looks(preset: &str) -> [MaterialLook; 3] {
    let of = |preset, color: &str, waves| MaterialLook {
        color: Some(color.to_owned()),
        waves,
        ..MaterialLook::from_preset(preset)
    };
    let mould = of(
        Preset::Wax,
        "#a8927a",
        MaterialLook::from_preset(Preset::Wax).waves,
    );
    let [solid, melt] = match preset {
        "ice" => [
            MaterialLook::from_preset(Preset::Ice),
            MaterialLook::from_preset(Preset::Water),
        ],
        "chocolate" => [
            of(Preset::Wax, "#43210f", 0.4),
            of(Preset::Gloss, "#3a1a0b", 0.3),
        ],
        "semisolid-aluminium" => [
            of(Preset::Metal, "#b4b7bb", 1.0),
            of(Preset::Metal, "#e6e7e9", 0.3),
        ],
        _ => [
            of(Preset::Wax, "#efe3c8", 0.5),
            of(Preset::Gloss, "#e9d6a4", 0.2),
        ],
    };
    [mould, solid, melt]
}
