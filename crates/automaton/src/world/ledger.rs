//! Accounts that prove conservation: inflows, outflows and contents of amount, energy and chemical
//! elements.

use serde::{Deserialize, Serialize};

use lavoxel_base::account::{self, accounts};

/// Number of sums of a layer's ledger that can enter the state hash.
const ACCOUNTS: usize = 16;

/// Number of sums of a layer's ledger, counted from the first, that enter the state hash of a world
/// without reactions and drying.
const BEFORE_REACTIONS: usize = 11;

/// Number of sums of a layer's ledger, counted from the first, that enter the state hash of a world
/// with reactions but without drying.
const BEFORE_DRYING: usize = 15;

accounts! {
    /// Account of a material, in units of amount ([`lavoxel_base::units::AMOUNT_ONE`] is a full
    /// cell) unless stated otherwise. A checkpoint stores every sum under its name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Ledger {
        /// Returns the sums of the account of the amount.
        list mass {
            /// Amount in the simulation box before the first step.
            Came initial: u64 = "at step 0",
            /// Amount that vents and edits put into the simulation box after the start.
            Came sourced: u64 = "poured and put in",
            /// Amount that left the simulation box through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Amount that became solid ground.
            Gone solidified: u64 = "turned to rock",
            /// Amount that edits removed.
            Gone removed: u64 = "taken out",
            /// Amount that vents could not place because their column was full to the roof; this
            /// amount never entered the simulation box.
            Aside blocked: u64 = "found no room",
            /// Amount that edits and faucets could not place because denser matter or a grain left
            /// no room; it never entered the simulation box.
            Aside refused: u64 = "put where there was no room",
            /// Amount displaced by new rock for which no free volume was found; also booked in
            /// `removed`, unless the loss came before the account was opened.
            Aside crushed: u64 = "lost to rock",
            /// Amount that reactions consumed.
            Gone used: u64 = "used by reactions",
            /// Amount that reactions produced.
            Came made: u64 = "made by reactions",
            /// Amount that dried: it was in cells with less than the material's `dry_below`.
            Gone dried: u64 = "dried",
        }
        also {
            /// Account of the energy of the material.
            energy: EnergyLedger,
        }
    }
}

accounts! {
    /// Account of the energy of a material, in units of energy ([`lavoxel_base::units::ENERGY_ONE`]
    /// is energy 1.0).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct EnergyLedger {
        /// Returns the sums of the account of the energy.
        list sums {
            /// Energy in the simulation box before the first step.
            Came initial: u64 = "at step 0",
            /// Energy of matter that vents and edits put into the simulation box after the start.
            Came sourced: u64 = "poured and put in",
            /// Energy of matter that left the simulation box through open sides.
            Gone outflow: u64 = "left through the sides",
            /// Energy of matter that edits removed or that became solid ground.
            Gone removed: u64 = "taken out or set",
            /// Energy lost to friction.
            Gone friction: u64 = "lost to friction",
            /// Energy of matter that reactions consumed.
            Gone used: u64 = "used by reactions",
            /// Energy of matter that reactions produced.
            Came made: u64 = "made by reactions",
        }
    }
}

accounts! {
    /// Account of a chemical element over all materials, in units of amount times the number of the
    /// element's units that the material declares.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ElementAccount {
        /// Returns the sums of the account. Consumption and production by reactions must be equal.
        list sums {
            /// Content of the simulation box before the first step, plus all that vents and edits
            /// put in.
            Came came: i128 = "came",
            /// Content that left through open sides, became solid ground, was removed by edits, or
            /// dried.
            Gone left: i128 = "left",
            /// Content of matter that reactions consumed.
            Gone used: i128 = "used by reactions",
            /// Content of matter that reactions produced.
            Came made: i128 = "made by reactions",
        }
        also {
            /// Present content of the simulation box.
            now: i128,
        }
    }
}

impl ElementAccount {
    /// Adds the content of one material to the account of the element. `ledger`: account of the
    /// material; `mass`: its present amount in the simulation box, in units; `number`: the
    /// element's units per unit of amount.
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
    /// Checks that the present totals in the simulation box, `mass` and `energy` (in units), equal
    /// inflow minus outflow of the account.
    ///
    /// # Errors
    /// If the account does not balance; the text describes the imbalance.
    pub fn check(&self, mass: u64, energy: u64) -> Result<(), String> {
        account::check("mass", &self.mass(), i128::from(mass))?;
        account::check("energy", &self.energy.sums(), i128::from(energy))
    }

    /// Creates an account with the initial content `mass` and `energy` (in units); all other sums
    /// are 0.
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

    /// Returns a ledger with this ledger's sums of consumption and production by reactions; all
    /// other sums are 0.
    pub(super) fn reacted(&self) -> Self {
        Self {
            used: self.used,
            made: self.made,
            ..Self::default()
        }
    }

    /// Returns all sums of the ledger that can enter the state hash, in the order of hashing: first
    /// those that every world has, then reactions, then drying.
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

    /// Returns the sums of the ledger that enter the state hash. The groups at the end (reactions,
    /// drying) are left out while all their sums are 0, so that adding these features did not
    /// change the hash of worlds without them.
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
