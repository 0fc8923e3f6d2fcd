//! The state of an air, to come back to it: in snapshots and in checkpoints.

use xxhash_rust::xxh3::Xxh3;

use crate::air::{Air, Field, FieldAccount};

/// Everything of an air that does not follow from its scene and from the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AirState {
    /// The units of each field in each cell of the box, x fastest, then y, then z.
    pub(crate) fields: Vec<Vec<u32>>,
    /// Planes of the solver.
    pub(crate) planes: Vec<Vec<u32>>,
    /// A bit for each solid cell, 32 in a word.
    pub(crate) solid: Vec<u32>,
    pub(crate) accounts: [FieldAccount; 4],
    pub(crate) deposited: Vec<u64>,
    pub(crate) laid: Vec<u64>,
}

impl AirState {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let words: usize = self.fields.iter().chain(&self.planes).map(Vec::len).sum();
        4 * (words + self.solid.len()) + 16 * self.deposited.len()
    }
}

impl Air {
    /// The present state.
    pub(crate) fn save(&self) -> AirState {
        let (grid, size) = (self.grid(), self.grid().size());
        let rows = || (0..size[2]).flat_map(move |z| (0..size[1]).map(move |y| grid.at([0, y, z])));
        let field = |field| rows().flat_map(|at| &self.amounts.field(field)[at..at + size[0]]).copied().collect();
        let solid: Vec<_> = grid.cells.places().map(|place| self.openness.is_solid(place)).collect();
        let word = |cells: &[bool]| cells.iter().rfold(0, |word, &solid| word << 1 | u32::from(solid));
        AirState {
            fields: self.amounts.present().map(field).collect(),
            planes: self.solver.planes(),
            solid: solid.chunks(32).map(word).collect(),
            accounts: self.accounts,
            deposited: self.deposited.clone(),
            laid: self.laid.clone(),
        }
    }

    /// Comes back to a state of this air.
    ///
    /// # Errors
    /// Says what cannot be; the air is then of no use any more.
    pub(crate) fn restore(&mut self, state: &AirState) -> Result<(), String> {
        let (grid, cells) = (self.grid(), self.grid().cells.cells());
        let fits = state.fields.len() == self.amounts.present().count()
            && state.fields.iter().all(|field| field.len() == cells)
            && state.solid.len() == cells.div_ceil(32)
            && state.deposited.len() == self.deposited.len()
            && state.laid.len() == self.laid.len();
        if !fits {
            return Err("the fields of the air have another shape".to_owned());
        }
        if state.laid.iter().zip(&state.deposited).any(|(laid, fallen)| laid > fallen) {
            return Err("more ash lies on the ground than fell".to_owned());
        }
        self.solver.restore(&state.planes)?;
        for (i, place) in grid.cells.places().enumerate() {
            self.openness.set_solid(place, state.solid[i / 32] >> (i % 32) & 1 == 1);
            for (to, from) in self.amounts.fields_mut().iter_mut().zip(&state.fields) {
                to[grid.at(place)] = from[i];
            }
        }
        self.accounts = state.accounts;
        self.deposited.clone_from(&state.deposited);
        self.laid.clone_from(&state.laid);
        Ok(())
    }

    /// Hashes the state: for each field its name, its units in the order of [`AirState`] and its accounts; then the ash on the
    /// ground, and the planes of the solver.
    pub(crate) fn hash_into(&self, hash: &mut Xxh3) {
        let state = self.save();
        for (field, units) in Field::ALL.into_iter().zip(&state.fields) {
            hash.update(field.name().as_bytes());
            units.iter().for_each(|units| hash.update(&units.to_le_bytes()));
            let accounts = state.accounts[field as usize].accounts();
            accounts.iter().for_each(|account| hash.update(&account.to_le_bytes()));
        }
        state.deposited.iter().chain(&state.laid).for_each(|units| hash.update(&units.to_le_bytes()));
        state.planes.iter().flatten().for_each(|word| hash.update(&word.to_le_bytes()));
    }
}
