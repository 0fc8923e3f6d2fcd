//! The accounts: where every unit of amount and energy came from and where it went.

/// The account of a liquid, in units of amount ([`crate::units::AMOUNT_ONE`] to a full cell) unless said otherwise.
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
    /// What vents could not place because their column was full to the roof. It never entered the box.
    pub blocked: u64,
    /// The same for energy.
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
}

impl Ledger {
    /// Checks that `mass` and `energy` units in the box are what the account says.
    pub fn check(&self, mass: u64, energy: u64) -> Result<(), String> {
        // Wide enough for accounts that come from a file.
        let sum = |parts: &[u64]| parts.iter().map(|&part| u128::from(part)).sum::<u128>();
        let there = sum(&[mass, self.outflow, self.solidified, self.removed]);
        let came = sum(&[self.initial, self.sourced]);
        if there != came {
            return Err(format!("mass: {there} units accounted for, {came} came in: {self:?}"));
        }
        let e = self.energy;
        let there = sum(&[energy, e.outflow, e.removed, e.friction]);
        let came = sum(&[e.initial, e.sourced]);
        if there != came {
            return Err(format!("energy: {there} units accounted for, {came} came in: {self:?}"));
        }
        Ok(())
    }

    /// What is in the box now becomes the initial state.
    pub fn open(mass: u64, energy: u64) -> Self {
        Self { initial: mass, energy: EnergyLedger { initial: energy, ..Default::default() }, ..Default::default() }
    }

    /// The account that [`Ledger::accounts`] lists.
    pub(crate) fn from_accounts(accounts: [u64; 11]) -> Self {
        let [initial, sourced, outflow, solidified, removed, blocked, energy @ ..] = accounts;
        let [initial_energy, sourced_energy, outflow_energy, removed_energy, friction] = energy;
        let energy = EnergyLedger {
            initial: initial_energy,
            sourced: sourced_energy,
            outflow: outflow_energy,
            removed: removed_energy,
            friction,
        };
        Self { initial, sourced, outflow, solidified, removed, blocked, energy }
    }

    /// Every account in a fixed order, for hashing and saving.
    pub fn accounts(&self) -> [u64; 11] {
        let e = self.energy;
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
        ]
    }
}
