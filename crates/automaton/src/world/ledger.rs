//! Conservation accounts: sums of amount, energy and chemical elements.

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, accounts};

/// Number of accounts of a layer that can enter the state hash.
const ACCOUNTS: usize = 16;

/// Number of leading accounts in the hash of a world without reactions.
const BEFORE_REACTIONS: usize = 11;

/// Number of leading accounts in the hash of a world without drying.
const BEFORE_DRYING: usize = 15;

accounts! {
    /// Account of a material, in units of amount ([`lavoxel_base::units::AMOUNT_ONE`] to a full
    /// cell) unless stated otherwise. A checkpoint keeps every sum by its name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Ledger {
        /// Returns the sums of amount.
        list mass {
            /// Amount in the box before the first step.
            Came initial: u64 = "at step 0",
            /// Amount poured in by vents and edits since.
            Came sourced: u64 = "poured and put in",
            /// Amount that left through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Amount that turned to rock.
            Gone solidified: u64 = "turned to rock",
            /// Amount taken out by edits.
            Gone removed: u64 = "taken out",
            /// Amount that vents could not place because their column was full to the roof; it
            /// never entered the box.
            Aside blocked: u64 = "found no room",
            /// Amount of edits and faucets refused because denser matter or a grain left no room;
            /// it never entered the box.
            Aside refused: u64 = "put where there was no room",
            /// Amount that rock displaced and that found no room in reach: it counts in `removed`
            /// too, unless it was gone when the account was opened.
            Aside crushed: u64 = "lost to rock",
            /// Amount consumed by reactions.
            Gone used: u64 = "used by reactions",
            /// Amount produced by reactions.
            Came made: u64 = "made by reactions",
            /// Amount that dried in cells below `dry_below` of the material.
            Gone dried: u64 = "dried",
        }
        also {
            /// Account of the energy that the material carries.
            energy: EnergyLedger,
        }
    }
}

accounts! {
    /// Account of the energy that a liquid carries, in units ([`lavoxel_base::units::ENERGY_ONE`]
    /// to energy 1.0).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct EnergyLedger {
        /// Returns the sums of energy.
        list sums {
            /// Energy in the box before the first step.
            Came initial: u64 = "at step 0",
            /// Energy poured in by vents and edits since.
            Came sourced: u64 = "poured and put in",
            /// Energy that left through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Energy taken out by edits and solidification.
            Gone removed: u64 = "taken out or set",
            /// Energy lost to friction.
            Gone friction: u64 = "lost to friction",
            /// Energy of matter consumed by reactions.
            Gone used: u64 = "used by reactions",
            /// Energy of matter produced by reactions.
            Came made: u64 = "made by reactions",
        }
    }
}

accounts! {
    /// Account of an element over all materials, in units of amount times the number that each
    /// material declares.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ElementAccount {
        /// Returns the sums. Consumption and production by reactions must be equal.
        list sums {
            /// Units in the box before the first step, or poured in since.
            Came came: i128 = "came",
            /// Units that left through open sides, turned to rock, were taken out, or dried.
            Gone left: i128 = "left",
            /// Units consumed by reactions.
            Gone used: i128 = "used by reactions",
            /// Units produced by reactions.
            Came made: i128 = "made by reactions",
        }
        also {
            /// Units in the box now.
            now: i128,
        }
    }
}

impl ElementAccount {
    /// Adds the account of a material to this element account: `mass` is its present amount in the
    /// box in units, `number` the element's units per unit of amount.
    pub(super) fn add(&mut self, ledger: &Ledger, mass: u64, number: i128) {
        let sum = |parts: &[u64]| parts.iter().map(|&part| i128::from(part)).sum::<i128>() * number;
        self.now += sum(&[mass]);
        self.came += sum(&[ledger.initial, ledger.sourced]);
        self.left += sum(&[
            ledger.outflow,
            ledger.solidified,
            ledger.removed,
            ledger.dried,
        ]);
        self.used += sum(&[ledger.used]);
        self.made += sum(&[ledger.made]);
    }

    /// Returns true if the account balances exactly and reactions produced as much of the element
    /// as they consumed.
    pub fn is_exact(&self) -> bool {
        account::excess(&self.sums(), self.now) == 0 && self.used == self.made
    }
}

impl Ledger {
    /// Checks that the present contents of the box, `mass` and `energy` in units, equal the balance
    /// of the account.
    ///
    /// # Errors
    /// If a balance is violated; the error describes the imbalance.
    pub fn check(&self, mass: u64, energy: u64) -> Result<(), String> {
        account::check("mass", &self.mass(), i128::from(mass))?;
        account::check("energy", &self.energy.sums(), i128::from(energy))
    }

    /// Creates an account whose initial state is `mass` and `energy` units; all other sums are 0.
    pub fn open(mass: u64, energy: u64) -> Self {
        Self {
            initial: mass,
            energy: EnergyLedger {
                initial: energy,
                ..Default::default()
            },
            ..Default::default()
        }
    }

    /// Returns a copy with only the sums of reactions; all other sums are 0.
    pub(super) fn reacted(&self) -> Self {
        Self {
            used: self.used,
            made: self.made,
            ..Self::default()
        }
    }

    /// Returns all sums that can enter the state hash, in hash order: sums that every world has,
    /// then reactions, then drying.
    pub fn accounts(&self) -> [u64; ACCOUNTS] {
        let e = &self.energy;
        [
            self.initial,
            self.sourced,
            self.outflow,
            self.solidified,
            self.removed,
            self.blocked,
            e.initial,
            e.sourced,
            e.outflow,
            e.removed,
            e.friction,
            self.used,
            self.made,
            e.used,
            e.made,
            self.dried,
        ]
    }

    /// Returns the sums that enter the state hash. Trailing groups (reactions, drying) are left out
    /// while all their sums are 0, so that the hash of worlds without these features is stable.
    pub(crate) fn hashed(&self) -> impl Iterator<Item = u64> {
        let (accounts, e) = (self.accounts(), self.energy);
        let reacted = [self.used, self.made, e.used, e.made] != [0; 4];
        let hashed = match (self.dried > 0, reacted) {
            (true, _) => ACCOUNTS,
            (false, true) => BEFORE_DRYING,
            (false, false) => BEFORE_REACTIONS,
        };
        accounts.into_iter().take(hashed)
    }
}
