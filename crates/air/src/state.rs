//! State of the air of a scene (amounts, accounts, solid cells, solver), and its advance by one
//! step.

use crate::store::account::FieldAccount;
use crate::{AirGrid, AirSpec, Amounts, Field, Forces, Openness, Scale, Solver, UNIT};
use lavoxel_base::grid::Place;

/// Amount in units of 2⁻²⁰ up to which a source may fill a cell: 2²⁸ (a value of 256.0), so that
/// amounts that flow together stay far below the capacity of a cell.
pub(super) const MOST: u32 = 1 << 28;

/// Air of a scene: amounts of all fields, their accounts, solid cells, and the solver.
#[derive(Debug)]
pub struct Air {
    #[doc(hidden)]
    pub spec: AirSpec,
    #[doc(hidden)]
    pub scale: Scale,
    pub(crate) forces: Forces,
    #[doc(hidden)]
    pub amounts: Amounts,
    #[doc(hidden)]
    pub openness: Openness,
    #[doc(hidden)]
    pub solver: Box<dyn Solver>,
    pub(crate) accounts: [FieldAccount; Field::COUNT],
    /// Ash deposited on each column of air cells, in units of 2⁻²⁰, at index `z · nx + x`.
    pub deposited: Vec<u64>,
    /// Part of `deposited` that has become grains (cells of ash in the automaton), in units of
    /// 2⁻²⁰, at index `z · nx + x`.
    pub laid: Vec<u64>,
}

impl Clone for Air {
    fn clone(&self) -> Self {
        Self {
            spec: self.spec.clone(),
            scale: self.scale.clone(),
            forces: self.forces.clone(),
            amounts: self.amounts.clone(),
            openness: self.openness.clone(),
            solver: self.solver.boxed_clone(),
            accounts: self.accounts,
            deposited: self.deposited.clone(),
            laid: self.laid.clone(),
        }
    }
}

impl Air {
    /// Returns air at rest without ash, water drops and inks. `cell_m`: edge of a voxel in metres;
    /// `has_density`: true if the solver needs the density field; `spec` must have been validated.
    pub fn new(
        spec: &AirSpec,
        grid: AirGrid,
        cell_m: f64,
        solver: Box<dyn Solver>,
        has_density: bool,
    ) -> Self {
        let scale = Scale::new(spec, grid, cell_m);
        let forces = scale.forces(spec, grid);
        let mut air = Self {
            spec: spec.clone(),
            amounts: Amounts::none(grid, has_density).with_inks(spec.inks),
            openness: Openness::free(grid),
            solver,
            accounts: Default::default(),
            deposited: vec![0; grid.cells.columns()],
            laid: vec![0; grid.cells.columns()],
            scale,
            forces,
        };
        for place in grid.cells.places() {
            air.amounts.field_mut(Field::Heat)[grid.at(place)] = air.background(place[1]);
        }
        air.open_account();
        air
    }

    /// Grid of the air's cells, and its position relative to the voxels.
    pub fn grid(&self) -> AirGrid {
        self.amounts.grid()
    }

    /// Keys of the `[air]` table of the scene.
    pub fn spec(&self) -> &AirSpec {
        &self.spec
    }

    /// Size of an air cell, length of a step, and properties of the air, for the conversion of
    /// units.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// Amounts of all fields in all cells, in units (`UNIT` is a value of 1.0).
    pub fn amounts(&self) -> &Amounts {
        &self.amounts
    }

    /// Solid cells and open shares of faces between cells, as the last step used them.
    pub fn openness(&self) -> &Openness {
        &self.openness
    }

    /// Velocity at the centre of the cell `place`, in cells per step (x east, y up, z south).
    pub fn velocity(&self, place: Place) -> [f32; 3] {
        self.solver.velocity(place)
    }

    /// Heat of the cell `place` minus that of air at rest at the same height, in units of 2⁻²⁰;
    /// negative if the cell is colder.
    pub fn excess(&self, place: Place) -> i64 {
        i64::from(self.amounts.get(Field::Heat, place)) - i64::from(self.background(place[1]))
    }

    /// Account of `field`: its inflows and outflows since the accounts were opened, in units of
    /// 2⁻²⁰.
    pub fn account(&self, field: Field) -> &FieldAccount {
        &self.accounts[field as usize]
    }

    /// Ash deposited on the ground in the column (`x`, `z`) of air cells, in units of 2⁻²⁰.
    pub fn deposited(&self, x: usize, z: usize) -> u64 {
        self.deposited[self.grid().cells.column(x, z)]
    }

    /// Checks that the account of every field balances exactly, and that solid cells contain no
    /// amounts.
    ///
    /// # Errors
    ///
    /// Describes the first account that does not balance, or the first solid cell with an amount.
    pub fn check(&self) -> Result<(), String> {
        for field in self.amounts.present() {
            self.account(field)
                .check(field, self.amounts.total(field))?;
            let holds = |place: &Place| {
                self.openness.is_solid(*place) && self.amounts.get(field, *place) > 0
            };
            if let Some(place) = self.grid().cells.places().find(holds) {
                return Err(format!(
                    "{} of the air in the solid cell {place:?}",
                    field.name()
                ));
            }
        }
        let fallen: u64 = self.deposited.iter().sum();
        match self.account(Field::Ash).deposited {
            counted if counted == fallen => Ok(()),
            counted => Err(format!(
                "{fallen} units of ash on the ground, {counted} in the account"
            )),
        }
    }

    /// Memory of the air in bytes: fields, solver, blocked cells and faces, and ash on the ground.
    pub fn bytes(&self) -> usize {
        let cells = self.grid().cells.cells();
        self.amounts.bytes()
            + self.solver.bytes()
            + 7 * cells
            + 2 * size_of_val(&self.deposited[..])
    }

    /// Resets the accounts of all fields: the present amounts in the air's box become the initial
    /// amounts, all other sums 0.
    pub fn open_account(&mut self) {
        for field in self.amounts.present() {
            let account = FieldAccount {
                initial: self.amounts.total(field),
                ..FieldAccount::default()
            };
            self.accounts[field as usize] = account;
        }
        self.accounts[Field::Ash as usize].deposited = self.deposited.iter().sum();
        self.accounts[Field::Ash as usize].initial += self.accounts[Field::Ash as usize].deposited;
    }

    /// Sets the velocity of all cells to the wind at their height; does nothing if the scene has no
    /// wind.
    pub fn let_wind_blow(&mut self) {
        if !self.forces.wind.is_empty() {
            self.solver.blow(&self.forces.wind);
        }
    }

    /// Advances the air by one step: ash falls, water drops evaporate, and the solver moves all
    /// fields and the velocity.
    pub fn step(&mut self) {
        self.fall();
        self.fade();
        let flows = self
            .solver
            .step(&mut self.amounts, &self.openness, &self.forces);
        for (account, (out, decayed)) in self
            .accounts
            .iter_mut()
            .zip(flows.out.into_iter().zip(flows.decayed))
        {
            account.out += out;
            account.decayed += decayed;
        }
    }

    /// Empties cells that became solid, and fills cells that became open with air at rest. `turned`
    /// lists the changed cells, each with its new solid flag, from the floor upwards in each
    /// column.
    pub fn turn(&mut self, turned: &[(Place, bool)]) {
        for &(place, _) in turned.iter().filter(|(_, solid)| !solid) {
            self.add_units(Field::Heat, place, self.background(place[1]));
            if self.amounts.has(Field::Density) {
                self.add_units(Field::Density, place, UNIT);
            }
        }
        for &(place, _) in turned.iter().filter(|(_, solid)| *solid) {
            let open = self.lowest_open(place);
            for field in self.amounts.present() {
                self.shut_in(field, place, open);
            }
        }
    }

    /// Removes the amount of `field` from the cell `place`, which became solid. The excess over air
    /// at rest (none for the density) is added to `open`, the lowest open cell above, as far as
    /// that cell has room; what does not fit, or the whole amount if `open` is `None`, is booked as
    /// buried.
    fn shut_in(&mut self, field: Field, place: Place, open: Option<Place>) {
        let at = self.grid().at(place);
        let held = std::mem::take(&mut self.amounts.field_mut(field)[at]);
        let still = match field {
            Field::Heat => self.background(place[1]).min(held),
            Field::Density => held,
            _ => 0,
        };
        let moved = match open {
            Some(open) => self.add(field, open, held - still),
            None => 0,
        };
        self.accounts[field as usize].buried += u64::from(held - moved);
    }

    /// Heat of air at rest at height `y` (in cells), in units of 2⁻²⁰.
    pub fn background(&self, y: usize) -> u32 {
        self.forces.background.get(y).copied().unwrap_or(0)
    }

    /// Lowest open cell in the column of the cell (x, y, z) from that cell upwards; `None` if all
    /// these cells are solid.
    pub fn lowest_open(&self, [x, y, z]: Place) -> Option<Place> {
        (y..self.grid().cells.ny)
            .map(|y| [x, y, z])
            .find(|&place| !self.openness.is_solid(place))
    }

    /// Adds `units` units of `field` to the cell `place`, or less so that the cell contains at most
    /// `MOST`; returns the amount added, in units of 2⁻²⁰.
    fn add(&mut self, field: Field, place: Place, units: u32) -> u32 {
        let at = self.grid().at(place);
        let cell = &mut self.amounts.field_mut(field)[at];
        let taken = units.min(MOST.saturating_sub(*cell));
        *cell += taken;
        taken
    }

    /// Adds `units` units of `field` from a source to the cell `place`, or less so that the cell
    /// contains at most a value of 256.0, and books the amount; returns the amount added, in units
    /// of 2⁻²⁰.
    pub fn add_units(&mut self, field: Field, place: Place, units: u32) -> u32 {
        let taken = self.add(field, place, units);
        self.accounts[field as usize].put += u64::from(taken);
        taken
    }
}
