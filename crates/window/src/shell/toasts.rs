//! Notices that are shown over the picture for some seconds.

use std::time::{Duration, Instant};

use crate::messages::Notice;

/// Display time of a notice that is neither an error nor has a button.
const STAYS: Duration = Duration::from_secs(5);
/// Display time of an error.
const STAYS_WRONG: Duration = Duration::from_secs(14);
/// Display time of a notice with a button.
const STAYS_OFFERED: Duration = Duration::from_secs(60);
/// Upper bound of the number of notices shown at the same time.
const MOST: usize = 5;

/// Visible notices, oldest first, each with the time of its first display.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toasts {
    shown: Vec<(Notice, Instant)>,
}

impl Toasts {
    /// Adds `notice` to the visible notices at the time `now`; if an equal notice is visible,
    /// restarts its display time instead.
    pub(crate) fn add(&mut self, notice: Notice, now: Instant) {
        self.shown.retain(|(old, _)| *old != notice);
        if self.shown.len() == MOST {
            self.shown.remove(0);
        }
        self.shown.push((notice, now));
    }

    /// Removes the notices whose display time has ended at `now`, and iterates over the remaining
    /// ones, oldest first.
    pub(crate) fn at(&mut self, now: Instant) -> impl Iterator<Item = &Notice> {
        let stays = |notice: &Notice| match notice.mend {
            Some(_) => STAYS_OFFERED,
            None if notice.wrong => STAYS_WRONG,
            None => STAYS,
        };
        self.shown
            .retain(|(notice, since)| now.duration_since(*since) < stays(notice));
        self.shown.iter().map(|(notice, _)| notice)
    }

    /// Removes `notice` before the end of its display time.
    pub(crate) fn dismiss(&mut self, notice: &Notice) {
        self.shown.retain(|(shown, _)| shown != notice);
    }

    /// Returns true if no notice is visible.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Mend;

    #[test]
    fn what_went_wrong_stays_longer() {
        let (mut toasts, begin) = (Toasts::default(), Instant::now());
        let notice = |wrong, text: &str| Notice {
            wrong,
            ..Notice::new(text.into())
        };
        toasts.add(notice(false, "saved"), begin);
        toasts.add(notice(true, "lost"), begin);
        toasts.add(notice(false, "saved"), begin);
        assert_eq!(toasts.at(begin).count(), 2);
        let left: Vec<_> = toasts
            .at(begin + STAYS * 2)
            .map(|n| n.text.clone())
            .collect();
        assert_eq!(left, ["lost"]);
        assert_eq!(toasts.at(begin + STAYS_WRONG).count(), 0);
        assert!(toasts.is_empty());
        let offered = Notice {
            mend: Some(Mend::OpenSides),
            ..notice(false, "held back")
        };
        toasts.add(offered.clone(), begin);
        assert_eq!(
            toasts.at(begin + STAYS_WRONG).count(),
            1,
            "there is time to press its button"
        );
        toasts.dismiss(&offered);
        assert!(toasts.is_empty());
    }
}
