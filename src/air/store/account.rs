//! The accounts of the air: where every unit of a field came from and where it went.

use crate::air::Field;

/// The account of a field, in units of it ([`crate::air::UNIT`] to 1.0 in a cell).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldAccount {
    /// In the box before the first step.
    pub initial: u64,
    /// Put in by vents, fumes, lava, steam, edits, and by ground that gave way to air.
    pub put: u64,
    /// Gone through open sides, less what came in there.
    pub out: i64,
    /// Fallen on the ground.
    pub deposited: u64,
    /// Shut in by rising ground.
    pub buried: u64,
    /// Become vapour.
    pub evaporated: u64,
    /// Lost by the decay of heat.
    pub decayed: u64,
    /// Taken out by edits.
    pub removed: u64,
}

/// Number of accounts of a field.
pub(crate) const ACCOUNTS: usize = 8;

impl FieldAccount {
    /// Checks that `now` units in the box are what the account says.
    ///
    /// # Errors
    /// Says both sums.
    pub fn check(&self, field: Field, now: u64) -> Result<(), String> {
        let wide = i128::from;
        let left = [self.deposited, self.buried, self.evaporated, self.decayed, self.removed];
        let there = wide(now as i64) + wide(self.out) + left.into_iter().map(|units| units as i128).sum::<i128>();
        let came = self.initial as i128 + self.put as i128;
        if there == came {
            return Ok(());
        }
        Err(format!("{} of the air: {there} units accounted for, {came} came in: {self:?}", field.name()))
    }

    /// The accounts for people, each with what it is called and its units.
    pub fn parts(&self) -> [(&'static str, i64); 8] {
        let signed = |units: u64| units as i64;
        [
            ("at step 0", signed(self.initial)),
            ("put in", signed(self.put)),
            ("left through the sides", self.out),
            ("fallen", signed(self.deposited)),
            ("buried", signed(self.buried)),
            ("evaporated", signed(self.evaporated)),
            ("decayed", signed(self.decayed)),
            ("taken out", signed(self.removed)),
        ]
    }

    /// Every account in a fixed order, for hashing and saving.
    pub fn accounts(&self) -> [u64; ACCOUNTS] {
        let Self { initial, put, out, deposited, buried, evaporated, decayed, removed } = *self;
        [initial, put, out as u64, deposited, buried, evaporated, decayed, removed]
    }

    /// The account that [`FieldAccount::accounts`] lists.
    pub(crate) fn from_accounts(accounts: [u64; ACCOUNTS]) -> Self {
        let [initial, put, out, deposited, buried, evaporated, decayed, removed] = accounts;
        Self { initial, put, out: out as i64, deposited, buried, evaporated, decayed, removed }
    }
}
