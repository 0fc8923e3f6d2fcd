//! Variation of a scene: replaces numbers of the scene by key path, for calibration and sampling.

use std::fmt;
use std::str::FromStr;

use toml::{Table, Value};

use super::{Scene, SceneError};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_sim::source::VentFlow;

/// Key path that stands for a factor on the effusion rates of all lava vents.
const RATES: &str = "rates";

/// Upper bound on the length of the key path of a number, in bytes.
const LONGEST: usize = 200;

/// Key path that names a number of a scene, such as `flow.lava.yield_pa` or `vent[0].x_m`; or
/// `rates`, which stands for a factor on the effusion rates of all lava vents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberKey {
    text: String,
    parts: Vec<KeySegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum KeySegment {
    Name(String),
    Index(usize),
}

impl NumberKey {
    /// Returns true if the path is `rates`, the factor on the effusion rates of all lava vents.
    pub fn is_rates(&self) -> bool {
        self.text == RATES
    }

    /// Returns true if the number belongs to the simulation box (table `grid`), which must be equal
    /// in all runs whose results are combined.
    pub fn is_of_the_box(&self) -> bool {
        self.parts.first() == Some(&KeySegment::Name("grid".to_owned()))
    }
}

impl fmt::Display for NumberKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for NumberKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "must be the path of a number of the scene, such as flow.lava.yield_pa or vent[0].x_m"
                .to_owned()
        };
        let mut parts = Vec::new();
        for word in text.trim().split('.') {
            let (name, indices) = word
                .split_once('[')
                .map_or((word, None), |(name, rest)| (name, Some(rest)));
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(wrong());
            }
            parts.push(KeySegment::Name(name.to_owned()));
            let Some(indices) = indices else { continue };
            for index in indices.strip_suffix(']').ok_or_else(wrong)?.split("][") {
                parts.push(KeySegment::Index(index.parse().map_err(|_| wrong())?));
            }
        }
        if text.len() > LONGEST {
            Err(wrong())
        } else {
            Ok(Self {
                text: text.trim().to_owned(),
                parts,
            })
        }
    }
}

/// Scene from which copies with other values of some numbers are made repeatedly.
#[derive(Clone, Debug)]
pub struct Template {
    scene: Scene,
    table: Table,
}

impl Template {
    /// Creates a template whose original numbers are those of `scene`.
    ///
    /// # Errors
    /// The errors of [`Scene::to_toml`].
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let text = scene.to_toml(&scene.origin)?;
        let table = text
            .parse()
            .map_err(|e| SceneError::from_toml(&scene.origin, &text, &e))?;
        Ok(Self {
            scene: scene.clone(),
            table,
        })
    }

    /// Returns the scene from which the template was created, with its original numbers.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the validated scene in which the numbers at the given key paths are replaced.
    /// `values`: pairs of key path and number.
    ///
    /// # Errors
    /// Error with the unknown key or the first value out of range; or, as for [`Scene::parse`], a
    /// memory error.
    pub fn with(&self, values: &[(&NumberKey, f64)]) -> Result<Scene, SceneError> {
        let mut table = self.table.clone();
        let mut rates = 1.0;
        for (key, value) in values {
            match key.is_rates() {
                true => rates *= value,
                false => set_number(&mut table, &key.parts, *value)
                    .map_err(|fault| self.wrong(key, &fault))?,
            }
        }
        let text = toml::to_string(&table).map_err(|cause| SceneError::Words {
            path: self.scene.origin.clone(),
            cause,
        })?;
        let mut scene =
            Scene::parse_written(&text, &self.scene.origin).map_err(|error| match error {
                // The line number refers to a generated text that is not in a file.
                SceneError::Text { path, message, .. } => SceneError::Unfit { path, message },
                other => other,
            })?;
        if rates != 1.0 {
            scene.multiply_rates(rates);
            scene.validate()?;
        }
        scene.choices.clone_from(&self.scene.choices);
        Ok(scene)
    }

    fn wrong(&self, key: &NumberKey, fault: &str) -> SceneError {
        let message = format!("{}: {fault}", escape_for_terminal(&key.text));
        SceneError::Unfit {
            path: self.scene.origin.clone(),
            message,
        }
    }
}

impl fmt::Display for Template {
    /// Formats the scene of the template as TOML text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)
    }
}

impl Scene {
    /// Multiplies the effusion rates of all lava vents of the physical model by `factor`.
    fn multiply_rates(&mut self, factor: f64) {
        for vent in &mut self.spec.vents {
            // Rates read from files have been converted to numbers.
            vent.rates = None;
            let flow = vent
                .flow
                .get_or_insert_with(|| Box::new(VentFlow::default()));
            flow.rates_m3_s
                .iter_mut()
                .for_each(|[_, rate]| *rate *= factor);
        }
    }
}

/// Sets the number at the key path `parts` in `table`. Missing tables are created, and their other
/// keys have defaults. The error is text that follows the key path in a message.
fn set_number(table: &mut Table, parts: &[KeySegment], number: f64) -> Result<(), String> {
    let [KeySegment::Name(name), rest @ ..] = parts else {
        return Err("a path begins with a name".to_owned());
    };
    if rest.is_empty() {
        return match table.get(name.as_str()) {
            None | Some(Value::Float(_) | Value::Integer(_)) => {
                table.insert(name.clone(), Value::Float(number));
                Ok(())
            }
            Some(_) => Err("is no number".to_owned()),
        };
    }
    let mut value = table
        .entry(name.clone())
        .or_insert_with(|| Value::Table(Table::new()));
    let mut rest = rest;
    while let [KeySegment::Index(index), after @ ..] = rest {
        let Value::Array(list) = value else {
            return Err(format!("`{}` is no list", escape_for_terminal(name)));
        };
        let count = list.len();
        value = list
            .get_mut(*index)
            .ok_or_else(|| format!("the scene has {count} of `{}`", escape_for_terminal(name)))?;
        rest = after;
    }
    match (value, rest) {
        (value @ (Value::Float(_) | Value::Integer(_)), []) => {
            *value = Value::Float(number);
            Ok(())
        }
        // A lava given by the name of its preset is converted to a table.
        (value @ Value::String(_), rest) if name == "lava" => {
            let preset = std::mem::replace(value, Value::Table(Table::new()));
            let Value::Table(table) = value else {
                return Err("is no table".to_owned());
            };
            table.insert("preset".to_owned(), preset);
            set_number(table, rest, number)
        }
        (Value::Table(table), rest) if !rest.is_empty() => set_number(table, rest, number),
        _ => Err("is no number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lavoxel_flow::Viscosity;

    const SCENE: &str = "model = \"flow\"\n[flow]\nlava = \"etna-basalt\"\n[grid]\nsize = [20, 20, 20]\ncell_size_m = 10.0\n\
                         cell_height_m = 5.0\n[terrain]\nkind = \"slope\"\n[[vent]]\nx_m = 93.0\nz_m = 64.0\n\
                         rates_m3_s = [[0, 8.0], [250, 0.0]]\n";

    fn template() -> Template {
        Template::new(&Scene::parse(SCENE, Path::new("scene.toml")).expect("right"))
            .expect("it has words")
    }

    fn key(text: &str) -> NumberKey {
        text.parse().expect(text)
    }

    #[test]
    fn numbers_are_replaced_by_their_paths() {
        let keys = [
            "flow.lava.yield_pa",
            "flow.lava.viscosity.crystals",
            "vent[0].x_m",
            "terrain.angle_deg",
            "rates",
        ];
        let keys = keys.map(key);
        let values = [700.0, 33.0, 50.0, 12.0, 0.5];
        let pairs: Vec<_> = keys.iter().zip(values).collect();
        let scene = template().with(&pairs).expect("right");
        let lava = scene.spec.flow_spec().expect("a flow").lava;
        assert_eq!(
            (lava.preset.as_str(), lava.lava.yield_pa),
            ("etna-basalt", 700.0)
        );
        assert!(matches!(
            lava.lava.viscosity,
            Viscosity::Etna { crystals: 33.0, .. }
        ));
        assert_eq!(scene.spec.terrain.angle_deg, Some(12.0));
        let vent = &scene.spec.vents[0];
        assert_eq!(
            vent.place,
            crate::scene::VentPlace::Metres {
                x_m: 50.0,
                z_m: 64.0
            }
        );
        assert_eq!(
            vent.flow.as_ref().expect("rates").rates_m3_s,
            [[0.0, 4.0], [250.0, 0.0]]
        );
        // Without values the result is the original scene.
        assert_eq!(
            template().with(&[]).expect("right").spec,
            template().scene.spec
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (name, message) in [
            (
                "flow.lava.yeild_pa",
                "unknown key `flow.lava.yeild_pa`: did you mean `yield_pa`?",
            ),
            ("vent[2].x_m", "vent[2].x_m: the scene has 1 of `vent`"),
            ("terrain.kind", "terrain.kind: is no number"),
            ("flow.step_s", "flow.step_s = -1"),
        ] {
            let refused = template()
                .with(&[(&key(name), -1.0)])
                .expect_err(name)
                .to_string();
            assert!(refused.contains(message), "{name}: {refused}");
        }
        for wrong in ["", "flow..x", "vent[0", "vent[a].x", "a b", ".x"] {
            assert!(wrong.parse::<NumberKey>().is_err(), "{wrong}");
        }
    }
}
