//! Definitions of reactions between materials: the data of `[[reaction]]` tables of a scene, and
//! their validation.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Kind, Material, check_known};
use lavoxel_base::param::{Form, Table, Value, table, words};
use lavoxel_base::random::stream_of;
use lavoxel_base::units::{AMOUNT_ONE, VENT_ENERGY_MAX};
use lavoxel_base::validate::{Invalid, within};

/// Largest number of reactions of a scene.
pub const MAX_REACTIONS: usize = 64;

/// Largest stoichiometric coefficient that a reaction may give a material.
const MOST: f64 = 1000.0;

/// List of materials with one number each, in the order of the scene file, as in `{ lava = 1, water
/// = 1 }`. The number is a stoichiometric coefficient or an amount in full cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms<N = u32>(pub Vec<(String, N)>);

impl<N> Default for Terms<N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<N: Serialize> Serialize for Terms<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, number)| (name, number)))
    }
}

impl<'de, N: Deserialize<'de>> Deserialize<'de> for Terms<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder<N>(std::marker::PhantomData<N>);
        impl<'de, N: Deserialize<'de>> Visitor<'de> for InOrder<N> {
            type Value = Terms<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of materials with a number each")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Terms<N>, A::Error> {
                let mut terms = Vec::new();
                while let Some(term) = map.next_entry()? {
                    terms.push(term);
                }
                Ok(Terms(terms))
            }
        }
        from.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

/// Arrangement in cells of the materials that react.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// All consumed and produced materials are in one cell.
    Cell,
    /// All consumed materials are in one cell, next to a cell that contains enough of the material
    /// `near`, which the reaction neither consumes nor changes.
    Beside,
    /// Two consumed materials are in two cells that share a face. The first product appears in the
    /// cell of the first consumed material, the second product in that of the second.
    Across,
}

words!(Where);

impl<N: Value> Value for Terms<N> {
    fn form() -> Form {
        Form::Map(Box::new(N::form()))
    }

    fn named_numbers(&self) -> Vec<(&str, f64)> {
        self.0
            .iter()
            .map(|(name, number)| (name.as_str(), number.number()))
            .collect()
    }
}

table! {
    /// A reaction of materials, as written in a `[[reaction]]` table.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Reaction {
        /// One or two materials that the reaction consumes, with their parts.
        must pub takes: Terms, [1.0, MOST] "parts";
        /// Up to two materials that the reaction produces, with their parts.
        #[serde(default)]
        may pub makes: Terms, [1.0, MOST] "parts";
        /// Material that must be in one of the six neighbours of the cell, with its least amount
        /// there; the reaction does not change it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub near: Option<Terms<f64>>, [1e-4, 1.0] "amount";
        /// Height above which the reaction takes place, as a share of the box's height.
        #[serde(default, skip_serializing_if = "is_zero")]
        may pub above: f64, [0.0, 1.0] "share";
        /// Place of the materials: all in one cell (`"cell"`), in one cell next to the material of
        /// `near` (`"beside"`), or in two cells that share a face (`"across"`). Absent: `"beside"`
        /// if there is `near`, else `"cell"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub place as "where": Option<Where>;
        /// Largest amount that reacts in a cell in one step, per part: a material with two parts
        /// reacts twice as much.
        #[serde(default = "one")]
        may pub rate: f64, [1e-4, 2.0] "amount";
        /// Share of the cells in which the reaction takes place in a step, chosen at random.
        #[serde(default = "one")]
        may pub chance: f64, [0.0, 1.0] "share";
        /// Energy per full cell of lava that the reaction produces.
        #[serde(default, skip_serializing_if = "is_zero")]
        may pub energy: f64, [0.0, VENT_ENERGY_MAX] "";
        /// Heat that the reaction takes from the lava in the physical model, such as to boil water
        /// or to melt ice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub heat: Option<ReactionHeat>;
    }
}

table! {
    /// Heat that a reaction takes from the lava next to its first material. Through each face
    /// between the two flows the heat `w_m2_k · (T − at_k)` per square metre and second, less where
    /// a crust lies between; only as much reacts as this heat suffices for.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ReactionHeat {
        /// Heat that a kilogram of the first material takes: 2.6e6 to warm and boil water, 3.34e5
        /// to melt ice.
        must pub j_kg: f64, [1.0, 1e9] "J/kg";
        /// Heat flow through a square metre for each kelvin by which the lava is warmer than the
        /// material: 200 to 500 for water in film boiling.
        must pub w_m2_k: f64, [1e-3, 1e6] "W/(m² K)";
        /// Temperature of the first material: 373 for boiling water, 273.15 for melting ice.
        must pub at_k: f64, [1.0, 2000.0] "K";
    }
}

fn one() -> f64 {
    1.0
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Formats the reaction as an equation, such as "lava + water → rubble + 4 steam", followed by the
/// arrangement and the material `near`.
impl fmt::Display for Reaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |Terms(terms): &Terms| {
            let part = |(name, parts): &(String, u32)| {
                if *parts == 1 {
                    name.clone()
                } else {
                    format!("{parts} {name}")
                }
            };
            let parts: Vec<_> = terms.iter().map(part).collect();
            if parts.is_empty() {
                "nothing".to_owned()
            } else {
                parts.join(" + ")
            }
        };
        write!(f, "{} → {}", sum(&self.takes), sum(&self.makes))?;
        for (name, _) in self.near.iter().flat_map(|Terms(near)| near) {
            write!(f, " beside {name}")?;
        }
        if self.place() == Where::Across {
            write!(f, " across a face")?;
        }
        if self.above > 0.0 {
            write!(f, " above {} of the height", self.above)?;
        }
        Ok(())
    }
}

impl Reaction {
    /// Random stream of each of `reactions`, from the names of its materials: the same in a scene
    /// that has more reactions. Reactions of the same materials differ by their order.
    pub fn streams(reactions: &[Self]) -> impl Iterator<Item = u64> {
        let names = |reaction: &Self| {
            let sides = [&reaction.takes, &reaction.makes];
            let of = |terms: &Terms| {
                let names: Vec<_> = terms.0.iter().map(|(name, _)| name.as_str()).collect();
                names.join(" + ")
            };
            sides.map(of).join(" = ")
        };
        let names: Vec<_> = reactions.iter().map(names).collect();
        let before = |i: usize| names[..i].iter().filter(|name| **name == names[i]).count();
        let streams: Vec<_> = (0..names.len())
            .map(|i| stream_of(&names[i]) ^ before(i) as u64)
            .collect();
        streams.into_iter()
    }

    /// Arrangement of the materials of this reaction: the value of the key if the scene gives one,
    /// else `Beside` if the reaction has a material `near`, and `Cell` otherwise.
    pub fn place(&self) -> Where {
        self.place.unwrap_or(if self.near.is_some() {
            Where::Beside
        } else {
            Where::Cell
        })
    }

    /// Returns, for each chemical element, the number of units that one unit of the reaction's
    /// extent consumes and the number that it produces, from the `elements` tables of `materials`.
    fn elements<'a>(&self, materials: &'a [Material]) -> BTreeMap<&'a str, [u64; 2]> {
        let mut sums = BTreeMap::new();
        for (side, terms) in [&self.takes, &self.makes].into_iter().enumerate() {
            for (name, parts) in &terms.0 {
                let elements = materials.iter().filter(|material| material.name == *name);
                for (element, &number) in elements.flat_map(|material| &material.elements) {
                    sums.entry(element.as_str()).or_insert([0, 0])[side] +=
                        u64::from(*parts) * u64::from(number);
                }
            }
        }
        sums
    }

    /// Checks the reaction; `materials` are all materials of the world, including the lava, and
    /// `key` is the name of the table in messages, such as `reaction[0]`.
    ///
    /// # Errors
    /// If a key has a wrong value or an element does not balance: the error names the first such
    /// key or element.
    pub fn validate(&self, key: &str, materials: &[Material]) -> Result<(), Invalid> {
        let names = materials.iter().map(|material| material.name.as_str());
        for (side, terms, least) in [("takes", &self.takes, 1), ("makes", &self.makes, 0)] {
            let key = format!("{key}.{side}");
            within(
                &format!("number of materials in {key}"),
                terms.0.len() as f64,
                f64::from(least),
                2.0,
            )?;
            terms
                .0
                .iter()
                .try_for_each(|(name, _)| check_known(&key, name, names.clone()))?;
        }
        self.check_place(key)?;
        if let Some(near) = &self.near {
            within(
                &format!("number of materials in {key}.near"),
                near.0.len() as f64,
                1.0,
                1.0,
            )?;
            near.0.iter().try_for_each(|(name, _)| {
                check_known(&format!("{key}.near"), name, names.clone())
            })?;
        }
        self.check(key)?;
        self.check_grains(key, materials)?;
        self.check_heat(key, materials)?;
        match self
            .elements(materials)
            .into_iter()
            .find(|(_, [taken, made])| taken != made)
        {
            Some((element, [taken, made])) => Err(Invalid::new(
                key,
                format!("takes {taken} of {element} and makes {made}"),
                "balanced: as much of each element in what it makes as in what it takes",
            )),
            None => Ok(()),
        }
    }

    fn check_place(&self, key: &str) -> Result<(), Invalid> {
        let wrong =
            |what: &str, expected: &str| Err(Invalid::new(&format!("{key}.where"), what, expected));
        match (self.place(), &self.near, self.takes.0.len()) {
            (Where::Beside, None, _) => wrong(
                "\"beside\"",
                "with near = { NAME = AMOUNT }, which says beside what",
            ),
            (Where::Cell, Some(_), _) => {
                wrong("\"cell\"", "left out, or \"beside\", where near is given")
            }
            (Where::Across, Some(_), _) => {
                wrong("\"across\"", "left out, or \"beside\", where near is given")
            }
            (Where::Across, None, 1) => wrong(
                "\"across\"",
                "with two materials in takes, one for each cell",
            ),
            _ => Ok(()),
        }
    }

    /// Checks that a reaction with the table `heat` has the lava as its material `near`, and that
    /// it neither consumes nor produces lava; `key` is the name of the reaction's table in
    /// messages.
    fn check_heat(&self, key: &str, materials: &[Material]) -> Result<(), Invalid> {
        let Some(heat) = &self.heat else {
            return Ok(());
        };
        heat.check(&format!("{key}.heat"))?;
        let is_hot = |name: &str| {
            materials
                .iter()
                .any(|material| material.name == name && material.is_hot())
        };
        let is_beside =
            matches!(self.near.as_ref().map(|near| &near.0[..]), Some([(name, _)]) if is_hot(name));
        let changes_it = self
            .takes
            .0
            .iter()
            .chain(&self.makes.0)
            .any(|(name, _)| is_hot(name));
        if is_beside && !changes_it {
            return Ok(());
        }
        let expected = "with near = { lava = AMOUNT }, and no lava in takes and makes";
        Err(Invalid::new(&format!("{key}.heat"), "set", expected))
    }

    /// Checks the coefficients of granular materials in the reaction: each must divide the amount
    /// of a grain (a full cell) in units, and all must be equal. `key` is the name of the
    /// reaction's table in messages.
    fn check_grains(&self, key: &str, materials: &[Material]) -> Result<(), Invalid> {
        let is_grain = |name: &str| {
            materials
                .iter()
                .any(|m| m.name == name && m.kind == Kind::Grain)
        };
        let terms = self
            .takes
            .0
            .iter()
            .chain(&self.makes.0)
            .filter(|(name, _)| is_grain(name));
        let mut parts = terms.map(|(_, parts)| *parts);
        let Some(first) = parts.next() else {
            return Ok(());
        };
        if !u32::from(AMOUNT_ONE).is_multiple_of(first) {
            return Err(Invalid::new(
                key,
                format!("{first} parts of a grain"),
                "1, 2, 4, 8 or so: parts that divide a grain",
            ));
        }
        match parts.find(|&other| other != first) {
            Some(other) => Err(Invalid::new(
                key,
                format!("grains in {first} and in {other} parts"),
                "the same number of parts for each",
            )),
            None => Ok(()),
        }
    }

    /// Checks all reactions of a scene; `materials` are all its materials, including the lava.
    ///
    /// # Errors
    /// If a table is wrong or there are more than `MAX_REACTIONS` tables: the error names the first
    /// wrong table.
    pub fn validate_all(reactions: &[Self], materials: &[Material]) -> Result<(), Invalid> {
        within(
            "number of [[reaction]] tables",
            reactions.len() as f64,
            0.0,
            MAX_REACTIONS as f64,
        )?;
        let mut numbered = reactions.iter().enumerate();
        numbered
            .try_for_each(|(i, reaction)| reaction.validate(&format!("reaction[{i}]"), materials))
    }
}
