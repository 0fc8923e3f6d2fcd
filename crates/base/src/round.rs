//! Round numbers (1, 2 or 5 times a power of ten) and rounding for display.

/// Iterates over the round numbers (1, 2, 5 × a power of ten) from `least` upwards; empty unless
/// `least` is a positive number.
pub fn steps(least: f64) -> impl Iterator<Item = f64> {
    let power = least.log10().floor();
    let power = if power.is_finite() {
        Some(power as i32)
    } else {
        None
    };
    let rising = power
        .into_iter()
        .flat_map(|power| (power..power + 12).flat_map(|p| [1.0, 2.0, 5.0].map(|f| (f, p))));
    // Negative powers divide instead of multiplying: 2 / 10 is exactly the float that prints as
    // 0.2, whereas 2 · 0.1 may differ in the last bit.
    let step = |(f, p): (f64, i32)| {
        if p < 0 {
            f / 10_f64.powi(-p)
        } else {
            f * 10_f64.powi(p)
        }
    };
    rising.map(step).filter(move |step| *step >= least * 0.999)
}

/// Rounds a positive `value` up to two significant digits; returns any other value unchanged.
pub fn round_up(value: f64) -> f64 {
    let tenth = 10_f64.powf(value.log10().floor() - 1.0);
    if tenth.is_finite() && tenth > 0.0 {
        (value / tenth - 1e-6).ceil() * tenth
    } else {
        value
    }
}

/// Rounds `value` down to 1, 2 or 5 × a power of ten; returns 0 if `value` is not positive.
pub fn round_down(value: f64) -> f64 {
    steps(0.1 * value)
        .take_while(|step| *step <= value)
        .last()
        .unwrap_or(0.0)
}

/// Formats `value` with as many decimals (0 to 9) as multiples of `step` need, without trailing
/// zeros.
pub fn number(value: f64, step: f64) -> String {
    let digits = (-step.abs().max(1e-12).log10() - 1e-9)
        .ceil()
        .clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    match text.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_and_five_times_powers_of_ten() {
        let found: Vec<f64> = steps(0.07).take(7).collect();
        assert_eq!(found, [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!(
            [number(0.2, 0.2), number(100.0, 50.0), number(1.0, 0.5)],
            ["0.2", "100", "1"]
        );
        assert_eq!(
            [
                number(-12.5, 0.5),
                number(-0.0, 1.0),
                number(174.765, 0.005)
            ],
            ["−12.5", "0", "174.765"]
        );
    }

    #[test]
    fn ends_are_rounded_up_to_two_digits() {
        let up = [1.07, 1.1, 1.0, 0.33, 7.81, 234.0].map(|value| number(round_up(value), 0.01));
        assert_eq!(up, ["1.1", "1.1", "1", "0.33", "7.9", "240"]);
        assert_eq!(round_up(0.0), 0.0);
        assert_eq!(
            [672.0, 0.3, 5.0, 1999.0, 0.0, f64::NAN].map(round_down),
            [500.0, 0.2, 5.0, 1000.0, 0.0, 0.0]
        );
    }
}
