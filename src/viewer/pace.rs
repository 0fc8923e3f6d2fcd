//! Rates of steps as a person sets them: on a scale where each notch is as much more as the one before.

use super::link::Pace;

/// Slowest and fastest rate that can be set, in steps a second.
pub(crate) const RATES: (f64, f64) = (1.0, 1000.0);

/// Rates that the keys go through.
const NOTCHES: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// The next faster pace: beyond the fastest rate lies as fast as possible.
pub(crate) fn faster(pace: Pace) -> Pace {
    match pace {
        Pace::Rate(rate) => NOTCHES.iter().find(|&&notch| notch > rate * 1.01).map_or(Pace::Free, |&n| Pace::Rate(n)),
        Pace::Free | Pace::Paused => Pace::Free,
    }
}

/// The next slower pace.
pub(crate) fn slower(pace: Pace) -> Pace {
    match pace {
        Pace::Free | Pace::Paused => Pace::Rate(RATES.1),
        Pace::Rate(rate) => Pace::Rate(NOTCHES.iter().rev().copied().find(|n| *n < rate * 0.99).unwrap_or(RATES.0)),
    }
}

/// A pace in words.
pub(crate) fn words(pace: Pace) -> String {
    match pace {
        Pace::Paused => "paused".to_owned(),
        Pace::Free => "as fast as possible".to_owned(),
        Pace::Rate(rate) => format!("{} steps/s", (rate * 10.0).round() / 10.0),
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
        assert_eq!((pace, words(pace).as_str()), (Pace::Rate(1.0), "1 steps/s"));
    }
}
