//! The accounts: where every unit of amount and energy came from and where it went.

/// How many accounts there are.
pub(crate) const ACCOUNTS: usize = 15;

/// How many of them, the first ones, there are without reactions.
const BEFORE_REACTIONS: usize = 11;

/// The account of a material, in units of amount ([`crate::units::AMOUNT_ONE`] to a full cell) unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the box before the first step.
    pub initial: u64,
    /// Poured in by vents and edits since.
    pub sourced: u64,
    /// Gone through open sides.
    pub outflow: u64,
    /// Turned to rock.
    pub solidified: u64,
    /// Taken out by edits.
    pub removed: u64,
    /// Taken by reactions.
    pub used: u64,
    /// Made by reactions.
    pub made: u64,
    /// Matter that vents could not place because their column was full to the roof. It never entered the box.
    pub blocked: u64,
    /// Matter that rock displaced and that found no room in reach: it counts in `removed` too, unless it was gone when the account was
    /// opened. A checkpoint does not keep this number.
    pub crushed: u64,
    /// Where the energy came from and where it went.
    pub energy: EnergyLedger,
}

/// The account of the energy that a liquid carries, in units ([`crate::units::ENERGY_ONE`] to energy 1.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnergyLedger {
    /// In the box before the first step.
    pub initial: u64,
    /// Poured in by vents and edits since.
    pub sourced: u64,
    /// Gone through open sides.
    pub outflow: u64,
    /// Taken out by edits and solidification.
    pub removed: u64,
    /// Lost to friction.
    pub friction: u64,
    /// Gone with what reactions took.
    pub used: u64,
    /// Come with what reactions made.
    pub made: u64,
}

/// The account of an element over all materials, in units of amount times the number that each material declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementAccount {
    /// In the box now.
    pub now: u128,
    /// In the box before the first step, or poured in since.
    pub came: u128,
    /// Gone through open sides, turned to rock, or taken out.
    pub left: u128,
    /// Taken by reactions.
    pub used: u128,
    /// Made by reactions.
    pub made: u128,
}

impl ElementAccount {
    /// Adds a material of which `mass` units are in the box.
    pub(super) fn add(&mut self, ledger: &Ledger, mass: u64, number: u128) {
        let sum = |parts: &[u64]| parts.iter().map(|&part| u128::from(part)).sum::<u128>() * number;
        self.now += sum(&[mass]);
        self.came += sum(&[ledger.initial, ledger.sourced]);
        self.left += sum(&[ledger.outflow, ledger.solidified, ledger.removed]);
        self.used += sum(&[ledger.used]);
        self.made += sum(&[ledger.made]);
    }
}

impl Ledger {
    /// Checks that `mass` and `energy` units in the box are what the account says.
    pub fn check(&self, mass: u64, energy: u64) -> Result<(), String> {
        // Wide enough for accounts that come from a file.
        let sum = |parts: &[u64]| parts.iter().map(|&part| u128::from(part)).sum::<u128>();
        let there = sum(&[mass, self.outflow, self.solidified, self.removed, self.used]);
        let came = sum(&[self.initial, self.sourced, self.made]);
        if there != came {
            return Err(format!("mass: {there} units accounted for, {came} came in: {self:?}"));
        }
        let e = self.energy;
        let there = sum(&[energy, e.outflow, e.removed, e.friction, e.used]);
        let came = sum(&[e.initial, e.sourced, e.made]);
        if there != came {
            return Err(format!("energy: {there} units accounted for, {came} came in: {self:?}"));
        }
        Ok(())
    }

    /// Makes the present contents the initial state.
    pub fn open(mass: u64, energy: u64) -> Self {
        Self { initial: mass, energy: EnergyLedger { initial: energy, ..Default::default() }, ..Default::default() }
    }

    /// The account of what reactions took and made alone.
    pub(super) fn reacted(&self) -> Self {
        Self { used: self.used, made: self.made, ..Self::default() }
    }

    /// The account that [`Ledger::accounts`] lists.
    pub(crate) fn from_accounts(accounts: [u64; ACCOUNTS]) -> Self {
        let mut ledger = Self::default();
        for (to, account) in ledger.accounts_mut().into_iter().zip(accounts) {
            *to = account;
        }
        ledger
    }

    /// Every account in a fixed order, for hashing and saving: those that every world has, then those of reactions.
    pub fn accounts(&self) -> [u64; ACCOUNTS] {
        let mut copy = *self;
        copy.accounts_mut().map(|account| *account)
    }

    /// The accounts to hash: those of reactions only where there were any, so that a world without them keeps its hash.
    pub(crate) fn hashed(&self) -> impl Iterator<Item = u64> {
        let (accounts, e) = (self.accounts(), self.energy);
        let reacted = [self.used, self.made, e.used, e.made] != [0; 4];
        accounts.into_iter().take(if reacted { ACCOUNTS } else { BEFORE_REACTIONS })
    }

    fn accounts_mut(&mut self) -> [&mut u64; ACCOUNTS] {
        let e = &mut self.energy;
        [
            &mut self.initial,
            &mut self.sourced,
            &mut self.outflow,
            &mut self.solidified,
            &mut self.removed,
            &mut self.blocked,
            &mut e.initial,
            &mut e.sourced,
            &mut e.outflow,
            &mut e.removed,
            &mut e.friction,
            &mut self.used,
            &mut self.made,
            &mut e.used,
            &mut e.made,
        ]
    }
}
