//! The accounts of the air: where every unit of a field came from and where it went.

use crate::Field;
use lavoxel_base::account::{self, accounts};

accounts! {
    /// The account of a field, in units of it ([`crate::UNIT`] to 1.0 in a cell).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FieldAccount {
        /// The sums.
        list sums {
            /// In the box before the first step.
            Came initial: u64 = "at step 0",
            /// Put in by vents, fumes, lava, steam, edits, and by ground that gave way to air.
            Came put: u64 = "put in",
            /// Gone through open sides, less what came in there.
            Gone out: i64 = "left through the sides",
            /// Fallen on the ground.
            Gone deposited: u64 = "fallen",
            /// Shut in by rising ground.
            Gone buried: u64 = "buried",
            /// Become vapour.
            Gone evaporated: u64 = "evaporated",
            /// Lost by the decay of heat.
            Gone decayed: u64 = "decayed",
            /// Taken out by edits.
            Gone removed: u64 = "taken out",
        }
    }
}

/// Number of accounts of a field.
pub(crate) const ACCOUNTS: usize = 8;

impl FieldAccount {
    /// Checks that `now` units in the box are what the account says.
    ///
    /// # Errors
    /// Says what does not close.
    pub fn check(&self, field: Field, now: u64) -> Result<(), String> {
        account::check(&format!("{} of the air", field.name()), &self.sums(), i128::from(now))
    }

    /// Every account in a fixed order, for hashing and saving.
    pub fn accounts(&self) -> [u64; ACCOUNTS] {
        let Self { initial, put, out, deposited, buried, evaporated, decayed, removed } = *self;
        [initial, put, out as u64, deposited, buried, evaporated, decayed, removed]
    }

    /// The account that [`FieldAccount::accounts`] lists.
    pub(crate) fn from_accounts(accounts: [u64; ACCOUNTS]) -> Self {
        let [initial, put, out, deposited, buried, evaporated, decayed, removed] = accounts;
        Self { initial, put, out: out as i64, deposited, buried, evaporated, decayed, removed }
    }
}
