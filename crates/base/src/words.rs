//! Formats numbers with their units for reports and messages.

/// Formats an integer with a space as thousands separator.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Formats a volume given in m³, in cm³, litres, m³, millions of m³ or km³, depending on its size.
pub fn volume(m3: f64) -> String {
    match m3 {
        _ if m3 >= 1e9 => format!("{:.3} km³", m3 / 1e9),
        _ if m3 >= 1e7 => format!("{:.2} million m³", m3 / 1e6),
        _ if 0.0 < m3 && m3 < 1e-3 => format!("{} cm³", short(m3 * 1e6, 1)),
        _ if 0.0 < m3 && m3 < 1.0 => format!("{} l", short(m3 * 1e3, 2)),
        _ => format!("{} m³", grouped(m3.round() as u64)),
    }
}

/// Formats an area given in m², in cm², m² or km², depending on its size.
pub fn area(m2: f64) -> String {
    match m2 {
        _ if m2 >= 1e7 => format!("{:.3} km²", m2 / 1e6),
        _ if 0.0 < m2 && m2 < 1.0 => format!("{:.0} cm²", m2 * 1e4),
        _ => format!("{} m²", grouped(m2.round() as u64)),
    }
}

/// Metric prefixes of the powers of 1000, from 1000⁰.
const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// Formats a number with three significant digits and a metric prefix; `unit` returns the unit's
/// text for an exponent n of 1000ⁿ, 0 to 6.
fn prefixed(number: f64, unit: impl Fn(usize) -> String) -> String {
    let steps = if number == 0.0 {
        0
    } else {
        (number.abs().log10() / 3.0).floor().clamp(0.0, 6.0) as usize
    };
    // A mantissa of 999.5 or more would print as 1000: the next prefix is used.
    let steps =
        (steps + usize::from((number.abs() / 1000f64.powi(steps as i32)).round() >= 1000.0)).min(6);
    format!(
        "{} {}",
        rough(number / 1000f64.powi(steps as i32)),
        unit(steps)
    )
}

/// Formats an energy given in joules with three significant digits, in J, kJ, MJ and so on.
pub fn heat(joules: f64) -> String {
    prefixed(joules, |steps| format!("{}J", PREFIXES[steps]))
}

/// Formats a mass given in kilograms with three significant digits, in kg, t, kt and so on.
pub fn mass(kg: f64) -> String {
    prefixed(kg, |steps| {
        if steps == 0 {
            "kg".to_owned()
        } else {
            format!("{}t", PREFIXES[steps - 1])
        }
    })
}

/// Formats a length given in metres with three significant digits, in mm, m or km.
pub fn length(m: f64) -> String {
    match m.abs() {
        size if size >= 1e4 => format!("{} km", rough(m / 1e3)),
        size if 0.0 < size && size < 0.1 => format!("{} mm", rough(m * 1e3)),
        _ => format!("{} m", rough(m)),
    }
}

/// Names of the units of time, each with its length in seconds.
pub const TIMES: [(&str, f64); 4] = [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// Formats a duration given in seconds in the largest unit of `TIMES` that is not longer than the
/// duration, with at most two decimals; shorter durations in seconds.
pub fn duration(seconds: f64) -> String {
    let (unit, size) = TIMES
        .iter()
        .rev()
        .find(|(_, size)| seconds.abs() >= *size)
        .unwrap_or(&TIMES[0]);
    format!("{} {unit}", short(seconds / size, 2))
}

/// Rounds `number` to at most `digits` decimals; numbers from 10¹⁵ are returned unchanged.
pub fn short(number: f64, digits: i32) -> f64 {
    let power = 10f64.powi(digits);
    if number.abs() < 1e15 {
        (power * number).round() / power
    } else {
        number
    }
}

/// Rounds `number` to three significant digits.
pub fn rough(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let digits = 2 - number.abs().log10().floor() as i32;
    if digits > 0 {
        short(number, digits)
    } else {
        (number / 10f64.powi(-digits)).round() * 10f64.powi(-digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped_or_get_a_larger_unit() {
        let words = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(words, ["0", "999", "1 000", "1 234 567"]);
        let volumes = [0.4, 1234.5, 2.4e7, 247_884_830_273.0].map(volume);
        assert_eq!(
            volumes,
            ["400 l", "1 235 m³", "24.00 million m³", "247.885 km³"]
        );
        assert_eq!(
            [area(9_876_543.2), area(4.2e7)],
            ["9 876 543 m²", "42.000 km²"]
        );
        assert_eq!(
            [2.6449, 0.015_678, 434.78, 65_535.0, 0.0].map(rough),
            [2.64, 0.0157, 435.0, 65_500.0, 0.0]
        );
        assert_eq!(short(1.000_000_4, 6), 1.0);
        let heats = [0.0, 999.96, 35.637e12, -2.5e3].map(heat);
        assert_eq!(heats, ["0 J", "1 kJ", "35.6 TJ", "-2.5 kJ"]);
        assert_eq!(
            [0.5, 1234.0, 5.6e6].map(mass),
            ["0.5 kg", "1.23 t", "5.6 kt"]
        );
        assert_eq!(
            [0.0625, 3.0, 12_345.0].map(length),
            ["62.5 mm", "3 m", "12.3 km"]
        );
    }
}
