//! Speed of the simulation as the user sets it, in steps per second on a logarithmic scale.

use crate::messages::Pace;

/// Lowest and highest speed that the user can set, in steps per second.
pub(crate) const RATES: (f64, f64) = (1.0, 1000.0);

/// Speeds in steps per second among which the keys for faster and slower choose.
const NOTCHES: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// Returns the lowest speed of `NOTCHES` above `pace`; the unlimited speed if there is none, or if
/// the simulation is paused.
pub(crate) fn faster(pace: Pace) -> Pace {
    match pace {
        Pace::Rate(rate) => NOTCHES
            .iter()
            .find(|&&notch| notch > rate * 1.01)
            .map_or(Pace::Free, |&n| Pace::Rate(n)),
        Pace::Free | Pace::Paused => Pace::Free,
    }
}

/// Returns the highest speed of `NOTCHES` below `pace`, at least 1 step per second; the highest of
/// `NOTCHES` if `pace` is unlimited or a pause.
pub(crate) fn slower(pace: Pace) -> Pace {
    match pace {
        Pace::Free | Pace::Paused => Pace::Rate(RATES.1),
        Pace::Rate(rate) => Pace::Rate(
            NOTCHES
                .iter()
                .rev()
                .copied()
                .find(|n| *n < rate * 0.99)
                .unwrap_or(RATES.0),
        ),
    }
}

/// Returns the text for `pace`, such as "paused", "unlimited" or "20 steps/s".
pub(crate) fn words(pace: Pace) -> String {
    match pace {
        Pace::Paused => "paused".to_owned(),
        Pace::Free => "unlimited".to_owned(),
        Pace::Rate(rate) => steps(rate),
    }
}

/// Formats the rate `rate` (in steps per second) with its unit, such as "20 steps/s".
pub(crate) fn steps(rate: f64) -> String {
    let number = short(rate);
    let unit = if number == "1" { "step" } else { "steps" };
    format!("{number} {unit}/s")
}

/// Formats the number `rate`: without decimals from 9.95, else with at most one decimal.
pub(crate) fn short(rate: f64) -> String {
    if rate >= 9.95 {
        format!("{rate:.0}")
    } else {
        ((rate * 10.0).round() / 10.0).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_ends_at_free_and_slower_at_one() {
        let mut pace = Pace::Rate(30.0);
        pace = faster(pace);
        assert_eq!(pace, Pace::Rate(50.0));
        (0..10).for_each(|_| pace = faster(pace));
        assert_eq!(pace, Pace::Free);
        pace = slower(pace);
        assert_eq!(pace, Pace::Rate(1000.0));
        (0..20).for_each(|_| pace = slower(pace));
        assert_eq!((pace, words(pace).as_str()), (Pace::Rate(1.0), "1 step/s"));
    }

    #[test]
    fn rates_are_short() {
        let texts = [0.0, 0.25, 1.04, 9.94, 9.96, 59.7].map(short);
        assert_eq!(texts, ["0", "0.3", "1", "9.9", "10", "60"]);
        assert_eq!(
            [steps(1.0), steps(0.5), steps(60.0)],
            ["1 step/s", "0.5 steps/s", "60 steps/s"]
        );
    }
}
