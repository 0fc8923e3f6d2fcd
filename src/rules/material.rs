//! The parameters of a material: those of the rules that it follows; and the checks of its numbers.

use super::Param;
use crate::matter::{Kind, LONGEST_NAME, MAX_MATERIALS, Material, Pressure};
use crate::validate::{Invalid, within};

/// Most elements of a material.
const MOST_ELEMENTS: f64 = 16.0;

/// Least and largest density of a material in kg/m³.
const LEAST_DENSITY: f64 = 0.01;
const MOST_DENSITY: f64 = 30_000.0;

impl Material {
    /// The parameters of all rules that a material may follow.
    pub fn params() -> impl Iterator<Item = &'static Param<Self>> {
        use super::{compress, drift, float, grains, level, squeeze, trace};
        let liquids = [squeeze::PARAMS, level::PARAMS, compress::PARAMS, trace::PARAMS];
        liquids.into_iter().chain([drift::PARAMS, grains::PARAMS, float::PARAMS]).flatten()
    }

    /// The parameters of the rules that this one follows.
    pub fn params_in_force(&self) -> impl Iterator<Item = &'static Param<Self>> {
        let rules: &[_] = match (self.kind, self.pressure) {
            (Kind::Liquid, Pressure::None) => &[super::squeeze::PARAMS, super::level::PARAMS],
            (Kind::Liquid, Pressure::Compress) => &[super::compress::PARAMS],
            (Kind::Liquid, Pressure::Trace) => &[super::squeeze::PARAMS, super::level::PARAMS, super::trace::PARAMS],
            (Kind::Gas, _) => &[super::level::PARAMS, super::drift::PARAMS],
            (Kind::Grain, _) => &[super::grains::PARAMS, super::float::PARAMS],
            (Kind::Still, _) => &[super::float::PARAMS],
        };
        rules.iter().copied().flatten()
    }

    /// Checks name and numbers; `key` is the table's name, such as `material[0]`.
    ///
    /// # Errors
    /// Names the first key that is wrong.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let right = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(right) {
            let expected = format!("1 to {LONGEST_NAME} of a to z, 0 to 9 and _");
            return Err(Invalid::new(&format!("{key}.name"), format!("{:?}", self.name), expected));
        }
        if [Self::LAVA, "ground", "solid", "air"].contains(&self.name.as_str()) {
            return Err(Invalid::new(&format!("{key}.name"), &self.name, "another name: every world has this one"));
        }
        within(&format!("{key}.density"), self.density, LEAST_DENSITY, MOST_DENSITY)?;
        Self::params().try_for_each(|p| within(&format!("{key}.{}", p.key), (p.get)(self), p.low, p.high))?;
        self.validate_elements(key)?;
        if self.sets && self.kind != Kind::Liquid {
            return Err(Invalid::new(&format!("{key}.sets"), "true", "false: only a liquid sets"));
        }
        self.look.validate(&format!("{key}.look"))
    }

    fn validate_elements(&self, key: &str) -> Result<(), Invalid> {
        within(&format!("number of elements in {key}.elements"), self.elements.len() as f64, 0.0, MOST_ELEMENTS)?;
        self.elements.iter().try_for_each(|(element, &number)| {
            let key = format!("{key}.elements.{element}");
            if element.len() > LONGEST_NAME {
                let expected = format!("a name of at most {LONGEST_NAME} bytes");
                return Err(Invalid::new(&key, format!("{element:?}"), expected));
            }
            within(&key, number.into(), 1.0, 1000.0)
        })
    }

    /// Checks the materials of a scene together.
    ///
    /// # Errors
    /// Names the first table that is wrong, has the name of another, or is one too many.
    pub fn validate_all(materials: &[Self]) -> Result<(), Invalid> {
        within("number of [[material]] tables", materials.len() as f64, 0.0, MAX_MATERIALS as f64)?;
        for (i, material) in materials.iter().enumerate() {
            let key = format!("material[{i}]");
            material.validate(&key)?;
            if materials[..i].iter().any(|other| other.name == material.name) {
                return Err(Invalid::new(&format!("{key}.name"), &material.name, "a name that no other material has"));
            }
        }
        Ok(())
    }
}
