//! Accounts of the air: inflows and outflows of every unit of a field.

use crate::Field;
use lavoxel_base::account::{self, accounts};

accounts! {
    /// Account of a field, in its own units ([`crate::UNIT`] to 1.0 in a cell).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FieldAccount {
        /// Sums of the account.
        list sums {
            /// Units in the box before the first step.
            Came initial: u64 = "at step 0",
            /// Units put in by vents, fumes, lava, steam, edits, and by ground that gave way to
            /// air.
            Came put: u64 = "put in",
            /// Units that left through open sides, minus units that came in there.
            Gone out: i64 = "left through the sides",
            /// Units that fell on the ground.
            Gone deposited: u64 = "fallen",
            /// Units shut in by rising ground.
            Gone buried: u64 = "buried",
            /// Units that became vapour.
            Gone evaporated: u64 = "evaporated",
            /// Units lost by the decay of heat.
            Gone decayed: u64 = "decayed",
            /// Units taken out by edits.
            Gone removed: u64 = "taken out",
        }
    }
}

/// Number of sums in the account of a field.
pub(crate) const ACCOUNTS: usize = 8;

impl FieldAccount {
    /// Checks that inflows minus outflows equal `now`, the units of `field` in the box.
    ///
    /// # Errors
    /// Describes the account if it does not balance.
    pub fn check(&self, field: Field, now: u64) -> Result<(), String> {
        account::check(
            &format!("{} of the air", field.name()),
            &self.sums(),
            i128::from(now),
        )
    }

    /// Sums of the account in a fixed order, for hashing and saving.
    pub fn accounts(&self) -> [u64; ACCOUNTS] {
        let Self {
            initial,
            put,
            out,
            deposited,
            buried,
            evaporated,
            decayed,
            removed,
        } = *self;
        [
            initial, put, out as u64, deposited, buried, evaporated, decayed, removed,
        ]
    }

    /// Restores an account from the sums written by [`FieldAccount::accounts`].
    pub(crate) fn from_accounts(accounts: [u64; ACCOUNTS]) -> Self {
        let [
            initial,
            put,
            out,
            deposited,
            buried,
            evaporated,
            decayed,
            removed,
        ] = accounts;
        Self {
            initial,
            put,
            out: out as i64,
            deposited,
            buried,
            evaporated,
            decayed,
            removed,
        }
    }
}
