//! Accounts of the air: inflow and outflow of each field, in integers.

use crate::Field;
use lavoxel_base::account::{self, accounts};

accounts! {
    /// Account of one field of the air: its inflows and outflows, in units ([`crate::UNIT`] is a
    /// value of 1.0 in a cell).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FieldAccount {
        /// Returns the sums of the account, each with its name and its kind (inflow or outflow).
        list sums {
            /// Amount in the air's box when the account was opened, ash on the ground included.
            Came initial: u64 = "at step 0",
            /// Amount that vents, fumes, lava, steam and edits put in, and air at rest in cells
            /// that became open.
            Came put: u64 = "put in",
            /// Amount that left the air's box through open sides, minus the amount that entered
            /// through open sides.
            Gone out: i64 = "left through the sides",
            /// Ash that fell on the ground.
            Gone deposited: u64 = "fallen",
            /// Amount that was lost in cells that became solid.
            Gone buried: u64 = "buried",
            /// Amount of water drops that evaporated.
            Gone evaporated: u64 = "evaporated",
            /// Heat lost by decay.
            Gone decayed: u64 = "decayed",
            /// Amount that edits removed.
            Gone removed: u64 = "taken out",
        }
    }
}

/// Number of sums of which the account of a field consists.
pub(crate) const ACCOUNTS: usize = 8;

impl FieldAccount {
    /// Checks that inflow minus outflow equals `now`, the present amount of `field` in the air's
    /// box in units of 2⁻²⁰.
    ///
    /// # Errors
    ///
    /// If the account does not balance; the text gives the imbalance and all sums.
    pub fn check(&self, field: Field, now: u64) -> Result<(), String> {
        account::check(
            &format!("{} of the air", field.name()),
            &self.sums(),
            i128::from(now),
        )
    }

    /// Returns the sums of the account in a fixed order, for hashing and saving.
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

    /// Restores an account from the sums that [`FieldAccount::accounts`] returned.
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
