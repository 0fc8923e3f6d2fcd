//! Ledgers of volume and heat, in units, exact after every step.

use serde::{Deserialize, Serialize};

/// Where every unit of amount and of heat came from and went.
///
/// `poured + placed + made = now + set + out + removed + used`, and for the heat
/// `poured + placed + made + heated = now + set + out + removed + used + sky + roof + bed`; `set` is what is solid now where it
/// can melt; volume in units of amount
/// ([`super::UNITS`] to a cell), heat in [`super::HEAT_UNITS`] for a unit of amount and a kelvin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowAccount {
    /// Amount poured in by vents.
    pub poured: i64,
    /// Liquid and solid that the scene or an edit put there.
    pub placed: i64,
    /// Amount that reactions made.
    pub made: i64,
    /// Amount that reactions took.
    pub used: i64,
    /// Amount that set to rock; of a lava that melts, what is solid now.
    pub set: i64,
    /// Amount that left through an open side.
    pub out: i64,
    /// Amount that edits took away.
    pub removed: i64,
    /// Amount that a vent could not pour: its column was full to the top of the box.
    pub blocked: i64,
    /// Heat poured in.
    pub heat_poured: i128,
    /// Heat of what the scene or an edit put there.
    pub heat_placed: i128,
    /// Heat of what reactions made.
    pub heat_made: i128,
    /// Heat that heaters gave.
    pub heat_heated: i128,
    /// Heat of what set.
    pub heat_set: i128,
    /// Heat of what left.
    pub heat_out: i128,
    /// Heat of what edits took away.
    pub heat_removed: i128,
    /// Heat that reactions took, with liquid and without: water that boils, ice that melts.
    pub heat_used: i128,
    /// Heat lost to the sky.
    pub heat_sky: i128,
    /// Heat lost to roofs.
    pub heat_roof: i128,
    /// Heat lost to the bed.
    pub heat_bed: i128,
    /// Faces worked out, also those between dry columns at the rim.
    pub faces: u64,
    /// Fluxes found at them.
    pub fluxes: u64,
    /// Fluxes held back by the limit that forbids overshooting; 0, or nearly, in a sound run.
    pub capped: u64,
    /// Sub-steps made.
    pub sub_steps: u64,
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
        let amount = amount_now + self.set + self.out + self.removed + self.used;
        if amount != self.poured + self.placed + self.made {
            return Err(format!("flow: amount {amount} is not what was poured: {self:?}"));
        }
        let lost = self.heat_sky + self.heat_roof + self.heat_bed + self.heat_used;
        let heat = heat_now + self.heat_set + self.heat_out + self.heat_removed + lost;
        if heat != self.heat_poured + self.heat_placed + self.heat_made + self.heat_heated {
            return Err(format!("flow: heat {heat} is not what was poured: {self:?}"));
        }
        Ok(())
    }

    /// Whether no number is so large that a later sum of it may not fit: a file may hold any.
    pub(crate) fn can_be(&self) -> bool {
        let Self { poured, placed, made, used, set, out, removed, blocked, .. } = *self;
        let Self { heat_poured, heat_placed, heat_made, heat_heated, heat_set, heat_out, heat_removed, .. } = *self;
        let Self { heat_used, heat_sky, heat_roof, heat_bed, faces, fluxes, capped, sub_steps, .. } = *self;
        let amounts = [poured, placed, made, used, set, out, removed, blocked];
        let put = [heat_poured, heat_placed, heat_made, heat_heated];
        let lost = [heat_set, heat_out, heat_removed, heat_used, heat_sky, heat_roof, heat_bed];
        amounts.iter().all(|amount| amount.unsigned_abs() <= MOST as u64)
            && put.iter().chain(&lost).all(|heat| heat.unsigned_abs() <= 1 << 100)
            && [faces, fluxes, capped, sub_steps].iter().all(|count| *count <= MOST as u64)
    }

    /// Amount that is liquid now.
    pub fn liquid(&self) -> i64 {
        self.poured + self.placed + self.made - self.set - self.out - self.removed - self.used
    }

    /// Share of fluxes that were held back.
    pub fn capped_share(&self) -> f64 {
        if self.fluxes == 0 { 0.0 } else { self.capped as f64 / self.fluxes as f64 }
    }
}
