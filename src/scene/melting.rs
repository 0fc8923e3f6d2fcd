//! The materials in which a scene of the physical model shows a lava that melts: what is solid of it, what is liquid, and rock
//! of bodies.

use super::SceneSpec;
use crate::matter::{Kind, Material};
use crate::validate::Invalid;
use crate::view::{MaterialLook, Preset};
use crate::world::{MELT, MOULD, SOLID};

impl SceneSpec {
    /// Adds the materials of a lava that melts. Tables of their names in the scene keep their look.
    pub(super) fn take_melting(&mut self) {
        let Some(flow) = self.flow_spec().filter(|flow| flow.lava.lava.melts()) else { return };
        let [solid, melt] = looks(&flow.lava.preset);
        let mould = MaterialLook { color: Some("#a8927a".to_owned()), ..MaterialLook::of(Preset::Wax) };
        let density = flow.lava.lava.density_kg_m3.max(1.0);
        let still = [(MOULD, Kind::Still, mould), (SOLID, Kind::Still, solid)];
        for (name, kind, look) in still.into_iter().chain([(MELT, Kind::Liquid, melt)]) {
            let given = self.materials.iter().position(|material| material.name == name);
            let look = given.map_or(look, |i| self.materials.remove(i).look);
            self.materials.push(Material { name: name.to_owned(), kind, density, look, ..Material::unnamed() });
        }
    }

    /// Refuses further materials beside a lava that melts.
    pub(super) fn check_flow_materials(&self) -> Result<(), Invalid> {
        if !self.melts() {
            return Ok(());
        }
        let is_shown = |name: &str| [SOLID, MELT, MOULD].contains(&name);
        match self.materials.iter().position(|material| !is_shown(&material.name)) {
            Some(i) => {
                let expected =
                    "\"set\", \"melt\" or \"mould\", for their looks: a lava that melts meets no other material";
                Err(Invalid::new(&format!("material[{i}].name"), format!("{:?}", self.materials[i].name), expected))
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
