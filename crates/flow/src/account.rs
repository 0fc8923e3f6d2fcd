//! Ledgers of volume and heat, in units, exact after every step.

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, Sum, accounts};

accounts! {
    /// Where every unit of amount and of heat came from and went.
    ///
    /// `poured + placed + made = now + set + out + removed + used`, and for the heat
    /// `poured + placed + made + heated = now + set + out + removed + used + sky + roof + bed`; `set` is what is solid now where it
    /// can melt; volume in units of amount
    /// ([`super::UNITS`] to a cell), heat in [`super::HEAT_UNITS`] for a unit of amount and a kelvin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct FlowAccount {
        /// The sums of amount.
        list amount {
            /// Amount poured in by vents.
            Came poured: i64 = "poured",
            /// Liquid and solid that the scene or an edit put there.
            Came placed: i64 = "put there",
            /// Amount that reactions made.
            Came made: i64 = "made by reactions",
            /// Amount that reactions took.
            Gone used: i64 = "taken by reactions",
            /// Amount that set to rock; of a lava that melts, what is solid now.
            Gone set: i64 = "set",
            /// Amount that left through an open side.
            Gone out: i64 = "out",
            /// Amount that edits took away.
            Gone removed: i64 = "removed by edits",
            /// Amount that a vent could not pour: its column was full to the top of the box.
            Aside blocked: i64 = "found no room",
        }
        /// The sums of heat.
        list heat {
            /// Heat poured in.
            Came heat_poured: i128 = "poured",
            /// Heat of what the scene or an edit put there.
            Came heat_placed: i128 = "at start or placed",
            /// Heat of what reactions made.
            Came heat_made: i128 = "made",
            /// Heat that heaters gave.
            Came heat_heated: i128 = "from heaters",
            /// Heat of what set.
            Gone heat_set: i128 = "solid",
            /// Heat of what left.
            Gone heat_out: i128 = "out",
            /// Heat of what edits took away.
            Gone heat_removed: i128 = "removed by edits",
            /// Heat that reactions took, with liquid and without: water that boils, ice that melts.
            Gone heat_used: i128 = "to other materials",
            /// Heat lost to the sky.
            Gone heat_sky: i128 = "to the air",
            /// Heat lost to roofs.
            Gone heat_roof: i128 = "to roofs",
            /// Heat lost to the bed.
            Gone heat_bed: i128 = "to the bed",
        }
        also {
            /// Faces worked out, also those between dry columns at the rim.
            faces: u64,
            /// Fluxes found at them.
            fluxes: u64,
            /// Fluxes held back by the limit that forbids overshooting; 0, or nearly, in a sound run.
            capped: u64,
            /// Sub-steps made.
            sub_steps: u64,
        }
    }
}

/// Largest amount and count that a file may claim.
const MOST: i64 = 1 << 56;

impl FlowAccount {
    /// Checks the two ledgers against what is in the box.
    ///
    /// # Errors
    ///
    /// Names the ledger that does not close.
    pub fn check(&self, amount_now: i64, heat_now: i128) -> Result<(), String> {
        account::check("flow, amount", &self.amount(), i128::from(amount_now))?;
        account::check("flow, heat", &self.heat(), heat_now)
    }

    /// Whether no number is so large that a later sum of it may not fit: a file may hold any.
    pub(crate) fn can_be(&self) -> bool {
        let within = |sums: Vec<Sum>, most: u128| sums.iter().all(|sum| sum.units.unsigned_abs() <= most);
        let counts = [self.faces, self.fluxes, self.capped, self.sub_steps];
        within(self.amount(), MOST as u128)
            && within(self.heat(), 1 << 100)
            && counts.iter().all(|count| *count <= MOST as u64)
    }

    /// Heat that is liquid now.
    pub fn liquid_heat(&self) -> i128 {
        -account::excess(&self.heat(), 0)
    }

    /// Amount that is liquid now.
    pub fn liquid(&self) -> i64 {
        -account::excess(&self.amount(), 0) as i64
    }

    /// Share of fluxes that were held back.
    pub fn capped_share(&self) -> f64 {
        if self.fluxes == 0 { 0.0 } else { self.capped as f64 / self.fluxes as f64 }
    }
}
