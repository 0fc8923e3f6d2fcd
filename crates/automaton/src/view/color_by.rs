//! Measures by whose value the plain styles can colour the lava (key `look.color_by`), and their
//! names in a scene.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serializer};

use lavoxel_base::measure::{COLORS, CellMeasure, Measure, OLDER_COLORS as OLDER};
use lavoxel_base::validate::Invalid;

fn name(measure: CellMeasure) -> &'static str {
    measure.facts().name
}

fn known() -> String {
    let quoted = |name: &str| format!("\"{name}\"");
    COLORS.map(name).map(quoted).join(" or ")
}

/// Checks that the plain styles can colour the lava by `measure`. Otherwise the error lists the
/// measures by which they can.
pub(super) fn validate(measure: CellMeasure) -> Result<(), Invalid> {
    match COLORS.contains(&measure) {
        true => Ok(()),
        false => Err(Invalid::new("look.color_by", name(measure), known())),
    }
}

pub(super) fn serialize<S: Serializer>(measure: &CellMeasure, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name(*measure))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CellMeasure, D::Error> {
    let text = String::deserialize(from)?;
    let mut names = COLORS.into_iter().zip(OLDER);
    let found = names.find(|(measure, older)| text == name(*measure) || text == *older);
    found
        .map(|(measure, _)| measure)
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &&known()[..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::LookSpec;

    #[test]
    fn older_words_are_read_and_what_has_no_colour_is_refused() {
        let read = |text: &str| {
            toml::from_str::<LookSpec>(&format!("color_by = '{text}'")).map(|look| look.color_by)
        };
        for (measure, older) in COLORS.into_iter().zip(OLDER) {
            assert_eq!(
                (read(older), read(name(measure))),
                (Ok(measure), Ok(measure))
            );
            let look = LookSpec {
                color_by: measure,
                ..LookSpec::default()
            };
            let text = toml::to_string(&look).expect("a look is a table");
            assert_eq!(toml::from_str(&text), Ok(look));
        }
        let error = read("solid").expect_err("rock has no values").to_string();
        assert!(
            error.contains("\"amount\" or \"specific-energy\""),
            "{error}"
        );
        let look = LookSpec {
            color_by: CellMeasure::Solid,
            ..LookSpec::default()
        };
        assert_eq!(
            look.validate().map_err(|e| e.key),
            Err("look.color_by".to_owned())
        );
    }
}
