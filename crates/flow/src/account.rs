//! Ledgers of volume and heat of a flow, in integer units.
//!
//! Invariant: both ledgers close exactly after every step ([`FlowAccount::check`]).

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, Sum, accounts};

accounts! {
    /// Ledger of every unit of amount and of heat: inflows, outflows and transfers since the start.
    ///
    /// `poured + placed + made = now + set + out + removed + used`, and for the heat
    /// `poured + placed + made + heated = now + set + out + removed + used + sky + roof + bed`.
    /// `set` is the amount that is solid now if the lava can melt. Amounts are in units of
    /// [`super::UNITS`] to a cell, heat in [`super::HEAT_UNITS`] for a unit of amount and a kelvin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct FlowAccount {
        /// Sums of amount, in units of [`super::UNITS`] to a cell.
        list amount {
            /// Amount poured in by vents.
            Came poured: i64 = "poured",
            /// Liquid and solid that the scene or an edit put there.
            Came placed: i64 = "put there",
            /// Amount created by reactions.
            Came made: i64 = "made by reactions",
            /// Amount consumed by reactions.
            Gone used: i64 = "taken by reactions",
            /// Amount that set to rock; for a lava that melts, the amount that is solid now.
            Gone set: i64 = "set",
            /// Amount that left through an open side.
            Gone out: i64 = "out",
            /// Amount that edits took away.
            Gone removed: i64 = "removed by edits",
            /// Amount that a vent could not pour because its column was full to the top of the box.
            Aside blocked: i64 = "found no room",
        }
        /// Sums of heat, in units of 1/[`super::HEAT_UNITS`] K for each unit of amount.
        list heat {
            /// Heat of the amount poured in by vents.
            Came heat_poured: i128 = "poured",
            /// Heat of the liquid and solid that the scene or an edit put there.
            Came heat_placed: i128 = "at start or placed",
            /// Heat of the amount created by reactions.
            Came heat_made: i128 = "made",
            /// Heat added by heaters.
            Came heat_heated: i128 = "from heaters",
            /// Heat of the amount that set; for a lava that melts, the heat that is solid now.
            Gone heat_set: i128 = "solid",
            /// Heat of the amount that left through an open side.
            Gone heat_out: i128 = "out",
            /// Heat of the amount that edits took away.
            Gone heat_removed: i128 = "removed by edits",
            /// Heat taken by reactions, with liquid (used up) or without (water that boils, ice
            /// that melts).
            Gone heat_used: i128 = "to other materials",
            /// Heat lost from the free surface, by radiation and convection.
            Gone heat_sky: i128 = "to the air",
            /// Heat lost to the rock above full runs, and through lids that cool with the liquid
            /// below.
            Gone heat_roof: i128 = "to roofs",
            /// Heat lost to the rock below.
            Gone heat_bed: i128 = "to the bed",
        }
        also {
            /// Number of faces evaluated, including those between dry columns at the rim.
            faces: u64,
            /// Number of non-zero fluxes found at the faces.
            fluxes: u64,
            /// Number of fluxes clamped by the limit against overshooting; 0, or nearly, in a sound
            /// run.
            capped: u64,
            /// Number of sub-steps made.
            sub_steps: u64,
        }
    }
}

/// Upper bound of the amounts and counts accepted from a file: 2⁵⁶, so that later sums still fit in
/// an `i64`.
const MOST: i64 = 1 << 56;

impl FlowAccount {
    /// Checks that both ledgers balance. `amount_now` and `heat_now`: units of amount and heat in
    /// the box now.
    ///
    /// # Errors
    ///
    /// Names the ledger that does not balance.
    pub fn check(&self, amount_now: i64, heat_now: i128) -> Result<(), String> {
        account::check("flow, amount", &self.amount(), i128::from(amount_now))?;
        account::check("flow, heat", &self.heat(), heat_now)
    }

    /// Returns true if every sum is small enough for later additions to fit; needed for values read
    /// from a file.
    pub(crate) fn can_be(&self) -> bool {
        let within =
            |sums: Vec<Sum>, most: u128| sums.iter().all(|sum| sum.units.unsigned_abs() <= most);
        let counts = [self.faces, self.fluxes, self.capped, self.sub_steps];
        within(self.amount(), MOST as u128)
            && within(self.heat(), 1 << 100)
            && counts.iter().all(|count| *count <= MOST as u64)
    }

    /// Heat of the liquid in units of heat, derived from the ledger.
    pub fn liquid_heat(&self) -> i128 {
        -account::excess(&self.heat(), 0)
    }

    /// Amount of the liquid in units of amount, derived from the ledger.
    pub fn liquid(&self) -> i64 {
        -account::excess(&self.amount(), 0) as i64
    }

    /// Share (0 to 1) of the fluxes that were clamped; 0 if no flux was computed.
    pub fn capped_share(&self) -> f64 {
        if self.fluxes == 0 {
            0.0
        } else {
            self.capped as f64 / self.fluxes as f64
        }
    }
}
