//! State of the air as saved in snapshots and checkpoints.

use std::convert::Infallible;

use xxhash_rust::xxh3::Xxh3;

use crate::store::account::ACCOUNTS;
use crate::{Air, Field, FieldAccount};

/// Saved state of the air: all values that do not follow from the scene and from the other models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirState {
    /// Accounts of [`Field::ALL`] and then of the inks that exist, each as the sums of
    /// [`FieldAccount::accounts`].
    accounts: Vec<[u64; ACCOUNTS]>,
    /// Ash deposited on each column of air cells, in units of 2⁻²⁰, at index `z · nx + x`.
    deposited: Vec<u64>,
    /// Part of the deposited ash that has become grains (cells of ash in the automaton), in units
    /// of 2⁻²⁰, at index `z · nx + x`.
    laid: Vec<u64>,
    /// Solid flags of all cells of the air's box as a bit set, 32 cells per word, lowest bit first.
    solid: Vec<u32>,
    /// Amounts of each field in each cell of the air's box, in units of 2⁻²⁰; x fastest, then y,
    /// then z.
    fields: Vec<Vec<u32>>,
    /// State of the solver (velocities and whatever else determines the motion), as
    /// `Solver::planes` returns it.
    planes: Vec<Vec<u32>>,
}

/// Slices of all values of a saved state, in the order in which they are written, read, hashed and
/// measured.
pub struct Numbers<L, W> {
    /// Sums of all accounts, ash deposited on each column, and the part of that ash that became
    /// grains; in this order.
    pub longs: [L; 3],
    /// Arrays of 32-bit words: the solid flags, then the amounts of each field, then the arrays of
    /// the solver.
    pub words: Vec<W>,
}

impl AirState {
    /// Returns read-only slices of all values of the state, in the order of `Numbers`.
    pub(crate) fn numbers(&self) -> Numbers<&[u64], &[u32]> {
        let Self {
            accounts,
            deposited,
            laid,
            solid,
            fields,
            planes,
        } = self;
        let words = [solid]
            .into_iter()
            .chain(fields)
            .chain(planes)
            .map(Vec::as_slice)
            .collect();
        Numbers {
            longs: [accounts.as_flattened(), deposited, laid],
            words,
        }
    }

    /// Returns mutable slices of all values of the state, in the order of `Numbers`.
    pub fn numbers_mut(&mut self) -> Numbers<&mut [u64], &mut [u32]> {
        let Self {
            accounts,
            deposited,
            laid,
            solid,
            fields,
            planes,
        } = self;
        let words = [solid]
            .into_iter()
            .chain(fields)
            .chain(planes)
            .map(Vec::as_mut_slice)
            .collect();
        Numbers {
            longs: [accounts.as_flattened_mut(), deposited, laid],
            words,
        }
    }

    /// Memory of the state in bytes.
    pub fn bytes(&self) -> usize {
        let Numbers { longs, words } = self.numbers();
        longs.map(size_of_val).iter().sum::<usize>()
            + words.into_iter().map(size_of_val).sum::<usize>()
    }

    /// Calls `visit` with the little-endian bytes of every value of the state in turn.
    ///
    /// # Errors
    /// Returns the first error of `visit`.
    pub fn visit_bytes<E>(&self, mut visit: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let Numbers { longs, words } = self.numbers();
        longs
            .into_iter()
            .flatten()
            .try_for_each(|number| visit(&number.to_le_bytes()))?;
        words
            .into_iter()
            .flatten()
            .try_for_each(|word| visit(&word.to_le_bytes()))
    }
}

impl Air {
    /// Returns a copy of the present state of the air.
    pub fn save(&self) -> AirState {
        let (grid, size) = (self.grid(), self.grid().size());
        let rows = || (0..size[2]).flat_map(move |z| (0..size[1]).map(move |y| grid.at([0, y, z])));
        let field = |field| {
            rows()
                .flat_map(|at| &self.amounts.field(field)[at..at + size[0]])
                .copied()
                .collect()
        };
        let solid: Vec<_> = grid
            .cells
            .places()
            .map(|place| self.openness.is_solid(place))
            .collect();
        let word = |cells: &[bool]| {
            cells
                .iter()
                .rfold(0, |word, &solid| word << 1 | u32::from(solid))
        };
        // Names every field, so that a new one cannot be forgotten: the fields left out follow from
        // the scene.
        let Self {
            spec: _,
            scale: _,
            forces: _,
            amounts,
            openness: _,
            solver,
            accounts,
            deposited,
            laid,
        } = self;
        AirState {
            accounts: accounts[..self.accounted()]
                .iter()
                .map(FieldAccount::accounts)
                .collect(),
            deposited: deposited.clone(),
            laid: laid.clone(),
            solid: solid.chunks(32).map(word).collect(),
            fields: amounts.present().map(field).collect(),
            planes: solver.planes(),
        }
    }

    /// Number of accounts in a saved state: one for each of [`Field::ALL`] and for each ink that
    /// exists.
    fn accounted(&self) -> usize {
        Field::ALL.len() + self.inks().count()
    }

    /// Replaces the present state by `state`, which must come from air with the same grid and
    /// fields.
    ///
    /// # Errors
    /// If `state` does not fit; the air must not be used any more after an error.
    pub fn restore(&mut self, state: &AirState) -> Result<(), String> {
        let (grid, cells) = (self.grid(), self.grid().cells.cells());
        let fits = state.fields.len() == self.amounts.present().count()
            && state.accounts.len() == self.accounted()
            && state.fields.iter().all(|field| field.len() == cells)
            && state.solid.len() == cells.div_ceil(32)
            && state.deposited.len() == self.deposited.len()
            && state.laid.len() == self.laid.len();
        if !fits {
            return Err("the fields of the air have another shape".to_owned());
        }
        if state
            .laid
            .iter()
            .zip(&state.deposited)
            .any(|(laid, fallen)| laid > fallen)
        {
            return Err("more ash lies on the ground than fell".to_owned());
        }
        // Only now, since the loops below rely on the shapes checked above.
        self.solver.restore(&state.planes)?;
        for (i, place) in grid.cells.places().enumerate() {
            self.openness
                .set_solid(place, state.solid[i / 32] >> (i % 32) & 1 == 1);
        }
        for (field, from) in self.amounts.present().zip(&state.fields) {
            let to = self.amounts.field_mut(field);
            grid.cells
                .places()
                .zip(from)
                .for_each(|(place, &units)| to[grid.at(place)] = units);
        }
        for (account, &sums) in self.accounts.iter_mut().zip(&state.accounts) {
            *account = FieldAccount::from_accounts(sums);
        }
        self.deposited.clone_from(&state.deposited);
        self.laid.clone_from(&state.laid);
        Ok(())
    }

    /// Adds the names of all fields that exist and all numbers of the state to `hash`.
    pub fn hash_into(&self, hash: &mut Xxh3) {
        self.amounts
            .present()
            .for_each(|field| hash.update(field.name().as_bytes()));
        let Ok(()) = self.save().visit_bytes::<Infallible>(|bytes| {
            hash.update(bytes);
            Ok(())
        });
    }
}
