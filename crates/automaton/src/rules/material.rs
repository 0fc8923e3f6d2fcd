//! Parameters of a material, collected from the rules that read them, and the checks of their
//! values.

use std::collections::BTreeMap;

use super::{Param, Parameters, Rule, RulesSpec};
use crate::matter::{Air, Capacity, Kind, LONGEST_NAME, MAX_MATERIALS, Material, Pressure, Shows};
use crate::view::MaterialLook;
use lavoxel_base::param::{Entry, Form, Value, fact, words};
use lavoxel_base::validate::{Invalid, within};

/// Largest number of different chemical elements that a material may declare.
const MOST_ELEMENTS: f64 = 16.0;

/// Keys of a material's table that are not numeric parameters of a rule.
const FACTS: &[Param<Material>] = &[
    fact!(name: String, "what sources, bodies, events and files call it; a name alone is the preset with that name"),
    fact!(kind: Kind, "how it moves"),
    fact!(density: f64, [0.01, 30_000.0] "kg/m³", "density: heavier materials displace lighter ones"),
    fact!(pressure: Pressure, "whether it rises in the other arm of a tube"),
    fact!(trace.rest: bool, "whether what stands on a body of liquid belongs to it, though nothing passes through it"),
    fact!(trace.air: Air, "whether air that cannot reach the roof holds a surface below it"),
    fact!(sets: bool, "whether a cell at least 0.98 full turns to ground where it lies on ground"),
    fact!(elements: BTreeMap<String, u32>, [1.0, 1000.0] "", "whole numbers by the name of an element, which reactions keep"),
    fact!(shows: Option<Shows>, "the part of a lava that melts which it shows: its kind and density follow"),
    fact!(look: MaterialLook, "how it is drawn"),
];

words!(Kind, Pressure, Air, Capacity, Shows);

/// Key in `[rules]` of the lava parameter that the table of a material calls `viscosity`.
pub(super) const SUPPORT: &str = "support";

impl Value for Material {
    fn form() -> Form {
        let facts = FACTS.iter().map(|fact| Entry {
            must: fact.key == "name",
            ..fact.entry()
        });
        Form::of_params(facts.chain(<Self as Parameters>::entries()))
    }
}

impl Material {
    /// Error message about a key that a material's table may not have for the lava.
    pub const OF_LAVA: &str = "left out: of lava, tables have density, elements, viscosity, look.opacity, and the numbers of \
                                      [rules] that move it; [look] says how it is drawn";

    /// Iterates over the parameters of all rules that can move a material.
    pub fn params() -> impl Iterator<Item = &'static Param<Self>> {
        Rule::PARAMS.iter().flat_map(|(params, _)| *params)
    }

    /// Iterates over the parameters of those rules that move this material.
    pub fn params_in_force(&self) -> impl Iterator<Item = &'static Param<Self>> {
        let motion = self.motion();
        Rule::PARAMS
            .iter()
            .filter(move |(_, motions)| motions.contains(&motion))
            .flat_map(|(params, _)| *params)
    }

    /// Checks the name and all parameters of this material; `key` is the name of its table in
    /// messages, such as `material[0]`.
    ///
    /// # Errors
    /// Returns an error that names the first key with a wrong value.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let right = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(right) {
            let expected = format!("1 to {LONGEST_NAME} of a to z, 0 to 9 and _");
            return Err(Invalid::new(
                &format!("{key}.name"),
                format!("{:?}", self.name),
                expected,
            ));
        }
        if ["ground", "solid", "air"].contains(&self.name.as_str()) {
            return Err(Invalid::new(
                &format!("{key}.name"),
                &self.name,
                "another name: every world has this one",
            ));
        }
        Self::params()
            .chain(FACTS)
            .try_for_each(|param| param.check(key, self))?;
        self.validate_lava(key)?;
        self.validate_elements(key)?;
        if self.sets && self.kind != Kind::Liquid {
            return Err(Invalid::new(
                &format!("{key}.sets"),
                "true",
                "false: only a liquid sets",
            ));
        }
        self.look.validate(&format!("{key}.look"))
    }

    /// Iterates over pairs of keys with the same meaning: the key in the material table of the
    /// lava, and the key in `[rules]`; for example `viscosity` and `support`.
    pub fn lava_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
        let mut before = "";
        let whole = |param: &Param| {
            param
                .key
                .split_once('.')
                .map_or(param.key, |(table, _)| table)
        };
        let keys = RulesSpec::params()
            .map(whole)
            .filter(move |key| std::mem::replace(&mut before, key) != *key);
        keys.map(|key| (if key == SUPPORT { "viscosity" } else { key }, key))
    }

    /// Checks that the material table of the lava has no key that does not apply to lava, and that
    /// no other material moves like lava, because only one layer of a world carries energy.
    fn validate_lava(&self, key: &str) -> Result<(), Invalid> {
        match (self.name == Self::LAVA, self.carries_energy()) {
            (false, false) => return Ok(()),
            (false, true) => {
                let expected = format!("another kind: only {:?} is viscous", Self::LAVA);
                return Err(Invalid::new(
                    &format!("{key}.kind"),
                    "\"viscous\"",
                    expected,
                ));
            }
            (true, _) => {}
        }
        let plain = Self {
            density: self.density,
            elements: self.elements.clone(),
            ..Self::lava()
        };
        if *self == plain {
            return Ok(());
        }
        let differs = |param: &&Param<Self>| {
            let mut with = plain.clone();
            (param.copy)(&mut with, self);
            with != plain
            // Each key in turn is copied into a plain lava; the first copy that makes a difference
            // names the key.
        };
        let wrong = Self::params()
            .chain(FACTS)
            .find(differs)
            .map_or("look", |param| param.key);
        Err(Invalid::new(
            &format!("{key}.{wrong}"),
            "set",
            Self::OF_LAVA,
        ))
    }

    fn validate_elements(&self, key: &str) -> Result<(), Invalid> {
        within(
            &format!("number of elements in {key}.elements"),
            self.elements.len() as f64,
            0.0,
            MOST_ELEMENTS,
        )?;
        match self
            .elements
            .keys()
            .find(|element| element.len() > LONGEST_NAME)
        {
            Some(element) => {
                let key = format!("{key}.elements.{element}");
                Err(Invalid::new(
                    &key,
                    format!("{element:?}"),
                    format!("a name of at most {LONGEST_NAME} bytes"),
                ))
            }
            None => Ok(()),
        }
    }

    /// Checks all materials of a scene together.
    ///
    /// # Errors
    /// If a table has a wrong value, two materials have the same name, or there are too many
    /// materials: the error names the first such table.
    pub fn validate_all(materials: &[Self]) -> Result<(), Invalid> {
        let number = Self::besides_lava(materials).count();
        within(
            "number of [[material]] tables besides the lava",
            number as f64,
            0.0,
            MAX_MATERIALS as f64,
        )?;
        for (i, material) in materials.iter().enumerate() {
            let key = format!("material[{i}]");
            material.validate(&key)?;
            if materials[..i]
                .iter()
                .any(|other| other.name == material.name)
            {
                return Err(Invalid::new(
                    &format!("{key}.name"),
                    &material.name,
                    "a name that no other material has",
                ));
            }
        }
        Ok(())
    }
}
