//! Units of coordinate systems by EPSG code, for files that state only the code.

/// Table of the units of all projected coordinate systems, as text: each line has the EPSG code of
/// a unit, a colon, and the EPSG codes of the systems in this unit.
const UNITS: &str = include_str!("epsg_units.txt");

/// EPSG codes of the geographic systems in grads; all others are in degrees.
const IN_GRADS: [u16; 8] = [4807, 4810, 4811, 4816, 4819, 4821, 4901, 4902];

/// Vertical systems that are not in metres, as pairs (EPSG code of the system, EPSG code of the
/// unit).
const HEIGHTS: [(u16, u16); 15] = [
    (5614, 9002),
    (5702, 9003),
    (5754, 9095),
    (6130, 9002),
    (6131, 9002),
    (6132, 9002),
    (6358, 9003),
    (6359, 9003),
    (6360, 9003),
    (8050, 9002),
    (8051, 9002),
    (8052, 9003),
    (8053, 9003),
    (8228, 9002),
    (8897, 9002),
];

/// Returns the length in metres of the unit with the EPSG code `unit`; `None` for an unknown unit.
pub(super) fn metres(unit: u16) -> Option<f64> {
    Some(match unit {
        // Quotients as in the definitions of the units: rounded decimals would lose digits.
        1025 => 0.001,
        1033 => 0.01,
        9001 => 1.0,
        9002 => 0.3048,
        9003 => 1200.0 / 3937.0,
        9005 => 0.304_797_265_4,
        9014 => 1.8288,
        9030 => 1852.0,
        9031 => 1.000_013_596_5,
        9033 => 66.0 * 1200.0 / 3937.0,
        9034 => 0.66 * 1200.0 / 3937.0,
        9035 => 5280.0 * 1200.0 / 3937.0,
        9036 => 1000.0,
        9037 => 0.914_391_796_2,
        9038 => 20.116_619_516_4,
        9039 => 0.201_166_195_164,
        9040 => 36.0 / 39.370_147,
        9041 => 12.0 / 39.370_147,
        9042 => 792.0 / 39.370_147,
        9043 => 7.92 / 39.370_147,
        9050 => 0.914_399_2,
        9051 => 0.914_399_2 / 3.0,
        9052 => 20.116_782_4,
        9053 => 0.201_167_824,
        9060 => 36.0 / 39.370_113,
        9061 => 12.0 / 39.370_113,
        9062 => 792.0 / 39.370_113,
        9063 => 7.92 / 39.370_113,
        9070 => 0.914_402_5 / 3.0,
        9080 => 12.0 / 39.370_142,
        9081 => 0.304_798_41,
        9082 => 0.304_799_6,
        9083 => 0.304_799_5,
        9084 => 36.0 / 39.370_142,
        9085 => 0.914_395_23,
        9086 => 0.914_398_8,
        9087 => 0.914_398_5,
        9093 => 1609.344,
        9094 => 6_378_300.0 / 20_926_201.0,
        9095 => 0.304_800_749_1,
        9096 => 0.9144,
        9097 => 20.1168,
        9098 => 0.201_168,
        9099 => 0.914_398,
        9300 => 0.914_398 / 3.0,
        9301 => 20.116_756,
        9302 => 0.201_167_56,
        _ => return None,
    })
}

/// Returns the size in degrees of the unit of angle with the EPSG code `unit`; `None` for an
/// unknown unit, and for sexagesimal degrees, which are not linear.
pub(super) fn degrees(unit: u16) -> Option<f64> {
    Some(match unit {
        9101 => 1f64.to_degrees(),
        // Degrees shown with a letter for the hemisphere, and those without a given format, are
        // degrees.
        9102 | 9108 | 9116 | 9117 | 9122 => 1.0,
        9103 => 1.0 / 60.0,
        9104 => 1.0 / 3600.0,
        9105 | 9106 => 0.9,
        9109 => 1e-6f64.to_degrees(),
        9112 => 0.9 / 100.0,
        9113 => 0.9 / 10_000.0,
        9114 => 360.0 / 6400.0,
        _ => return None,
    })
}

/// Returns the length in metres of the unit of the projected system with the EPSG code `system`;
/// `None` for an unknown system.
pub(super) fn metres_of_projected(system: u16) -> Option<f64> {
    let lines = UNITS.lines().filter_map(|line| line.split_once(": "));
    let holds = |systems: &str| {
        systems.split(' ').any(|some| {
            let (first, last) = some.split_once('-').unwrap_or((some, some));
            let number = |text: &str| text.parse::<u16>().ok();
            number(first)
                .zip(number(last))
                .is_some_and(|(first, last)| (first..=last).contains(&system))
        })
    };
    let (unit, _) = lines.into_iter().find(|(_, systems)| holds(systems))?;
    metres(unit.parse().ok()?)
}

/// Returns the size in degrees of the unit of the geographic system with the EPSG code `system`; 1
/// for a code that is not in `IN_GRADS`.
pub(super) fn degrees_of_geographic(system: u16) -> f64 {
    if IN_GRADS.contains(&system) { 0.9 } else { 1.0 }
}

/// Returns the length in metres of the unit of the vertical system with the EPSG code `system`;
/// `None` for a system in metres.
pub(super) fn metres_of_vertical(system: u16) -> Option<f64> {
    HEIGHTS
        .iter()
        .find(|(number, _)| *number == system)
        .and_then(|(_, unit)| metres(*unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_the_units_of_the_register() {
        let us_foot = 1200.0 / 3937.0;
        for (system, size) in [
            (2263, Some(us_foot)),
            (2222, Some(0.3048)),
            (2276, Some(us_foot)),
            (22300, Some(1000.0)),
            (27700, Some(1.0)),
            (32633, Some(1.0)),
            (29371, Some(1.000_013_596_5)),
            (3857, Some(1.0)),
            (0, None),
            (1, None),
            (1500, None),
            (19999, None),
        ] {
            assert_eq!(metres_of_projected(system), size, "{system}");
        }
        assert_eq!(
            (degrees_of_geographic(4807), degrees_of_geographic(4326)),
            (0.9, 1.0)
        );
        assert_eq!(
            (metres_of_vertical(6360), metres_of_vertical(5703)),
            (Some(us_foot), None)
        );
    }

    #[test]
    fn every_line_names_a_unit_and_numbers() {
        for line in UNITS.lines().filter(|line| !line.starts_with('#')) {
            let (unit, systems) = line.split_once(": ").expect("a unit");
            assert!(metres(unit.parse().expect("a number")).is_some(), "{unit}");
            for number in systems.split([' ', '-']) {
                number.parse::<u16>().expect("a number");
            }
        }
    }
}
