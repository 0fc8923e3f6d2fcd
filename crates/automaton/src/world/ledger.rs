//! The accounts of amount, of energy and of elements.

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, accounts};

/// How many accounts there are.
const ACCOUNTS: usize = 16;

/// How many of them, the first ones, there are without reactions.
const BEFORE_REACTIONS: usize = 11;

/// How many of them, the first ones, there are without films that dry.
const BEFORE_DRYING: usize = 15;

accounts! {
    /// The account of a material, in units of amount ([`lavoxel_base::units::AMOUNT_ONE`] to a full cell) unless said otherwise. A
    /// checkpoint keeps every sum by its name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Ledger {
        /// The sums of amount.
        list mass {
            /// In the box before the first step.
            Came initial: u64 = "at step 0",
            /// Poured in by vents and edits since.
            Came sourced: u64 = "poured and put in",
            /// Gone through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Turned to rock.
            Gone solidified: u64 = "turned to rock",
            /// Taken out by edits.
            Gone removed: u64 = "taken out",
            /// Matter that vents could not place because their column was full to the roof. It never entered the box.
            Aside blocked: u64 = "found no room",
            /// Matter of edits and faucets that was put where denser matter or a grain left no room. It never entered the box.
            Aside refused: u64 = "put where there was no room",
            /// Matter that rock displaced and that found no room in reach: it counts in `removed` too, unless it was gone when the
            /// account was opened.
            Aside crushed: u64 = "lost to rock",
            /// Taken by reactions.
            Gone used: u64 = "used by reactions",
            /// Made by reactions.
            Came made: u64 = "made by reactions",
            /// Dried: cells below `dry_below` of the material.
            Gone dried: u64 = "dried",
        }
        also {
            /// Where the energy came from and where it went.
            energy: EnergyLedger,
        }
    }
}

accounts! {
    /// The account of the energy that a liquid carries, in units ([`lavoxel_base::units::ENERGY_ONE`] to energy 1.0).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct EnergyLedger {
        /// The sums.
        list sums {
            /// In the box before the first step.
            Came initial: u64 = "at step 0",
            /// Poured in by vents and edits since.
            Came sourced: u64 = "poured and put in",
            /// Gone through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Taken out by edits and solidification.
            Gone removed: u64 = "taken out or set",
            /// Lost to friction.
            Gone friction: u64 = "lost to friction",
            /// Gone with what reactions took.
            Gone used: u64 = "used by reactions",
            /// Come with what reactions made.
            Came made: u64 = "made by reactions",
        }
    }
}

accounts! {
    /// The account of an element over all materials, in units of amount times the number that each material declares.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ElementAccount {
        /// The sums without what reactions took and made, which must be the same.
        list sums {
            /// In the box before the first step, or poured in since.
            Came came: i128 = "came",
            /// Gone through open sides, turned to rock, taken out, or dried.
            Gone left: i128 = "left",
            /// Taken by reactions.
            Gone used: i128 = "used by reactions",
            /// Made by reactions.
            Came made: i128 = "made by reactions",
        }
        also {
            /// In the box now.
            now: i128,
        }
    }
}

impl ElementAccount {
    /// Adds a material of which `mass` units are in the box.
    pub(super) fn add(&mut self, ledger: &Ledger, mass: u64, number: i128) {
        let sum = |parts: &[u64]| parts.iter().map(|&part| i128::from(part)).sum::<i128>() * number;
        self.now += sum(&[mass]);
        self.came += sum(&[ledger.initial, ledger.sourced]);
        self.left += sum(&[ledger.outflow, ledger.solidified, ledger.removed, ledger.dried]);
        self.used += sum(&[ledger.used]);
        self.made += sum(&[ledger.made]);
    }

    /// Whether all came from somewhere, and reactions made what they took.
    pub fn is_exact(&self) -> bool {
        account::excess(&self.sums(), self.now) == 0 && self.used == self.made
    }
}

impl Ledger {
    /// Checks that `mass` and `energy` units in the box are what the account says.
    ///
    /// # Errors
    /// Says what does not close.
    pub fn check(&self, mass: u64, energy: u64) -> Result<(), String> {
        account::check("mass", &self.mass(), i128::from(mass))?;
        account::check("energy", &self.energy.sums(), i128::from(energy))
    }

    /// Makes the present contents the initial state.
    pub fn open(mass: u64, energy: u64) -> Self {
        Self { initial: mass, energy: EnergyLedger { initial: energy, ..Default::default() }, ..Default::default() }
    }

    /// The account of what reactions took and made alone.
    pub(super) fn reacted(&self) -> Self {
        Self { used: self.used, made: self.made, ..Self::default() }
    }

    /// Every account that decides a hash, in the order of the hash: those that every world has, then those of reactions,
    /// then what dried.
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

    /// The accounts to hash: those of reactions and of drying only where there were any, so that a world without them keeps its
    /// hash.
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
