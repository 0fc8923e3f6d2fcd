//! Subject of a map: the values of a quantity, or the footprint of a quantity (the area where it
//! exceeds a threshold).

use super::{Caption, NO_FORECAST, NO_FORECAST_OF_FLOW};
use lavoxel_automaton::world::{ColumnMeasure, ColumnQuantity, Quantity, UnknownQuantity};

/// Name of the map that shows the footprint of the lava's thickness. The name of any other
/// footprint is that of its quantity or material, a dot, and this word.
const FOOTPRINT: &str = "footprint";

/// Subject of a map: the values of a quantity, or its footprint, the area where the quantity
/// exceeds a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct MapQuantity {
    quantity: ColumnQuantity,
    above: Option<f64>,
}

impl MapQuantity {
    /// Creates a subject that shows the values of `quantity`.
    pub fn new(quantity: ColumnQuantity) -> Self {
        Self {
            quantity,
            above: None,
        }
    }

    /// Creates the footprint of `quantity`: 1 where the quantity exceeds `above` (in its unit), no
    /// data elsewhere.
    pub fn footprint(quantity: ColumnQuantity, above: f64) -> Self {
        Self {
            quantity,
            above: Some(above),
        }
    }

    /// Returns the subject named `name`: a quantity in `list` such as `thickness` or
    /// `water.thickness`, or a footprint (`footprint` and `water.footprint` by thickness,
    /// `ash.footprint` and `max-thickness.footprint` by other quantities). `above`: threshold if
    /// the subject is a footprint.
    ///
    /// # Errors
    /// The message names all quantities of `list`.
    pub fn find(name: &str, list: &[ColumnQuantity], above: f64) -> Result<Self, UnknownQuantity> {
        let Some(of) = name
            .strip_suffix(FOOTPRINT)
            .filter(|of| of.is_empty() || of.ends_with('.'))
        else {
            return Quantity::find(name, list).cloned().map(Self::new);
        };
        let thickness = format!(
            "{of}{}",
            ColumnQuantity::new(ColumnMeasure::Thickness, "lava").name()
        );
        let bare = of.strip_suffix('.').unwrap_or(of);
        let found = Quantity::find(&thickness, list).or_else(|_| Quantity::find(bare, list));
        found
            .map(|quantity| Self::footprint(quantity.clone(), above))
            .map_err(|e| UnknownQuantity {
                name: name.to_owned(),
                ..e
            })
    }

    /// Returns the names of all subjects that can be formed from the quantities in `list`, as text
    /// for a message.
    pub fn names(list: &[ColumnQuantity]) -> String {
        let names: Vec<String> = list.iter().map(Quantity::name).collect();
        format!(
            "{}, and {FOOTPRINT} of any, such as {FOOTPRINT} or max-thickness.{FOOTPRINT}",
            names.join(", ")
        )
    }

    /// Returns the quantity of which the map shows the values or the footprint.
    pub fn quantity(&self) -> &ColumnQuantity {
        &self.quantity
    }

    /// Returns the threshold of a footprint, in the unit of the quantity; `None` if the subject is
    /// not a footprint.
    pub fn above(&self) -> Option<f64> {
        self.above
    }

    /// Returns the name of the subject in command-line flags and file names.
    pub fn name(&self) -> String {
        let name = self.quantity.name();
        match self.above {
            None => name,
            Some(_) if self.quantity.measure() == ColumnMeasure::Thickness => {
                self.quantity.with_name(FOOTPRINT)
            }
            Some(_) => format!("{name}.{FOOTPRINT}"),
        }
    }

    /// Returns the name of the subject for legends, in plain words.
    pub fn words(&self) -> String {
        match self.above {
            None => self.quantity.words(),
            Some(above) => format!(
                "{} above {above} {}",
                self.quantity.words(),
                self.quantity.unit()
            ),
        }
    }

    /// Returns the unit of the map's values; empty for dimensionless values, such as a footprint.
    pub fn unit(&self) -> &'static str {
        if self.above.is_some() {
            ""
        } else {
            self.quantity.unit()
        }
    }

    /// Returns the labels of this subject's map. `flows`: true in the physical model, whose maps
    /// carry a different note than those of the cellular automaton.
    pub fn caption(&self, flows: bool) -> Caption {
        let measure = self.quantity.measure();
        let in_metres = matches!(
            measure,
            ColumnMeasure::Thickness | ColumnMeasure::MaxThickness
        );
        Caption {
            name: self.name(),
            words: self.words(),
            title: self.quantity.description(),
            description: self.description(),
            unit: self.unit(),
            ramp: measure.ramp(),
            above: self.above,
            note: in_metres.then_some(if flows {
                NO_FORECAST_OF_FLOW
            } else {
                NO_FORECAST
            }),
            runs: None,
            classes: &[],
        }
    }

    /// Returns a description of the values on the subject's map, in one line.
    pub fn description(&self) -> String {
        let description = self.quantity.description();
        match self.above {
            None => description,
            Some(above) => format!(
                "1 where this is above {above} {}: {description}",
                self.quantity.unit()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::matter::Material;

    #[test]
    fn every_quantity_has_a_footprint() {
        let mut list = ColumnQuantity::of_materials(&[Material::lava(), Material::water()]);
        list.extend(ColumnQuantity::of_air());
        let found = |name: &str| MapQuantity::find(name, &list, 0.05);
        for (name, of) in [
            ("footprint", "thickness"),
            ("water.footprint", "water.thickness"),
            ("ash.footprint", "ash"),
            ("max-thickness.footprint", "max-thickness"),
        ] {
            let subject = found(name).expect("a name that there is");
            assert_eq!(
                (subject.quantity().name().as_str(), subject.name().as_str()),
                (of, name)
            );
            assert_eq!((subject.above(), subject.unit()), (Some(0.05), ""));
        }
        assert_eq!(
            found("lava.footprint").map(|subject| subject.name()),
            Ok("footprint".to_owned())
        );
        assert_eq!(found("ash").map(|subject| subject.above()), Ok(None));
        for wrong in [
            "oil.footprint",
            "foot",
            "max-footprint",
            "groundfootprint",
            ".footprint",
        ] {
            assert!(found(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            found("footprint").map(|subject| subject.words()),
            Ok("thickness above 0.05 m".to_owned())
        );
    }
}
