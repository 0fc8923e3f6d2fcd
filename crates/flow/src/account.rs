//! Accounts of volume and heat of a flow, in integer units.
//!
//! Invariant: both accounts close exactly after every step ([`FlowAccount::check`]).

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, Sum, accounts};

accounts! {
    /// Accounts of amount and heat of a flow: sums of inflows, outflows and transfers since the
    /// start.
    ///
    /// `poured + placed + made = now + set + out + removed + used`, and for the heat
    /// `poured + placed + made + heated = now + set + out + removed + used + sky + roof + bed`.
    /// `set` is the amount that is solid now if the lava can melt. Amounts are in units of
    /// [`super::UNITS`] to a cell, heat in [`super::HEAT_UNITS`] for a unit of amount and a kelvin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct FlowAccount {
        /// Sums of amount since the start, each with its name and kind, in units of
        /// [`super::UNITS`] to a cell.
        list amount {
            /// Amount of liquid that vents poured into the box.
            Came poured: i64 = "poured",
            /// Amount of liquid and solid that the scene or edits placed in cells.
            Came placed: i64 = "put there",
            /// Amount of liquid that reactions created.
            Came made: i64 = "made by reactions",
            /// Amount of liquid that was consumed in reactions with other materials.
            Gone used: i64 = "taken by reactions",
            /// Amount of liquid that turned to rock; for a lava that melts, the amount of all
            /// meltable solid now.
            Gone set: i64 = "set",
            /// Amount of liquid that left the box through its open sides.
            Gone out: i64 = "out",
            /// Amount of liquid and solid that edits removed.
            Gone removed: i64 = "removed by edits",
            /// Amount that a vent could not pour because its column was full to the top of the box.
            Aside blocked: i64 = "found no room",
        }
        /// Sums of heat since the start, each with its name and kind, in units of
        /// 1/[`super::HEAT_UNITS`] K for each unit of amount.
        list heat {
            /// Heat of the liquid that vents poured into the box.
            Came heat_poured: i128 = "poured",
            /// Heat of the liquid and solid that the scene or edits placed in cells.
            Came heat_placed: i128 = "at start or placed",
            /// Heat of the liquid that reactions created.
            Came heat_made: i128 = "made",
            /// Heat that the heaters of the scene added to liquid and meltable solid.
            Came heat_heated: i128 = "from heaters",
            /// Heat of the liquid that turned to rock; for a lava that melts, the heat of all
            /// meltable solid now.
            Gone heat_set: i128 = "solid",
            /// Heat of the liquid that left the box through its open sides.
            Gone heat_out: i128 = "out",
            /// Heat of the liquid and solid that edits removed.
            Gone heat_removed: i128 = "removed by edits",
            /// Heat that reactions took from the lava: that of consumed liquid, and heat alone, for
            /// example to boil water or to melt ice.
            Gone heat_used: i128 = "to other materials",
            /// Heat lost from surfaces under the sky, by radiation and convection.
            Gone heat_sky: i128 = "to the air",
            /// Heat lost to the rock above liquid that fills the gap below a roof, and through
            /// slabs of rock that cool together with the liquid below.
            Gone heat_roof: i128 = "to roofs",
            /// Heat lost to the rock below the lava.
            Gone heat_bed: i128 = "to the bed",
        }
        also {
            /// Number of flux evaluations at faces since the start, including faces between dry
            /// columns at the edge of the flow.
            faces: u64,
            /// Number of fluxes that are not zero, over all face evaluations since the start.
            fluxes: u64,
            /// Number of fluxes clamped so that the head of the donor column does not fall below
            /// that of the receiving column; 0, or nearly, in a sound simulation.
            capped: u64,
            /// Number of sub-steps made since the start.
            sub_steps: u64,
        }
    }
}

/// Upper limit of the absolute value of each sum of amount and of each count of an account that is
/// read from a file: 2⁵⁶, so that later sums still fit in an `i64`.
const MOST: i64 = 1 << 56;

impl FlowAccount {
    /// Checks that the accounts of amount and of heat balance. `amount_now` and `heat_now`: amount
    /// and heat of all liquid in the box now, in units.
    ///
    /// # Errors
    ///
    /// Names the account that does not balance.
    pub fn check(&self, amount_now: i64, heat_now: i128) -> Result<(), String> {
        account::check("flow, amount", &self.amount(), i128::from(amount_now))?;
        account::check("flow, heat", &self.heat(), heat_now)
    }

    /// Returns true if every sum and count is within the limit (`MOST`) that leaves room for later
    /// additions; checked for an account that is read from a file.
    pub(crate) fn can_be(&self) -> bool {
        let within =
            |sums: Vec<Sum>, most: u128| sums.iter().all(|sum| sum.units.unsigned_abs() <= most);
        let counts = [self.faces, self.fluxes, self.capped, self.sub_steps];
        within(self.amount(), MOST as u128)
            && within(self.heat(), 1 << 100)
            && counts.iter().all(|count| *count <= MOST as u64)
    }

    /// Heat of all liquid in the box in units of heat, derived from the account of heat: inflow −
    /// outflow.
    pub fn liquid_heat(&self) -> i128 {
        -account::excess(&self.heat(), 0)
    }

    /// Amount of all liquid in the box in units of amount, derived from the account of amount:
    /// inflow − outflow.
    pub fn liquid(&self) -> i64 {
        -account::excess(&self.amount(), 0) as i64
    }

    /// Share (0 to 1) of all fluxes that the flux limiter clamped; 0 if no flux was computed.
    pub fn capped_share(&self) -> f64 {
        if self.fluxes == 0 {
            0.0
        } else {
            self.capped as f64 / self.fluxes as f64
        }
    }
}
