//! State of the air: fields, accounts, and the step.

use crate::store::account::FieldAccount;
use crate::{AirGrid, AirSpec, Amounts, Field, Forces, Openness, Scale, Solver, UNIT};
use lavoxel_base::grid::Place;

/// Upper bound of the units that a source puts into a cell: 256.0, so that amounts that flow
/// together stay far below the capacity of a cell.
pub(super) const MOST: u32 = 1 << 28;

/// The air of a scene: its fields, accounts, ground and solver.
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
    /// Units of ash that fell on each column of air cells, at `z · nx + x`.
    pub deposited: Vec<u64>,
    /// Units of fallen ash that became grains, at `z · nx + x`; at most `deposited`.
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
    /// Air at rest without ash, drops and inks, over voxels of `cell_m` metres; `spec` must have
    /// been checked.
    pub fn new(spec: &AirSpec, grid: AirGrid, cell_m: f64, solver: Box<dyn Solver>, has_density: bool) -> Self {
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

    /// Grid of the air's cells, with its position among the voxels.
    pub fn grid(&self) -> AirGrid {
        self.amounts.grid()
    }

    /// Keys of the scene's `[air]` table.
    pub fn spec(&self) -> &AirSpec {
        &self.spec
    }

    /// Size of a cell and of a step.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// Amounts of all fields in all cells, in units.
    pub fn amounts(&self) -> &Amounts {
        &self.amounts
    }

    /// Solid cells and faces, as the last step saw them.
    pub fn openness(&self) -> &Openness {
        &self.openness
    }

    /// Velocity at the centre of a cell, in cells a step.
    pub fn velocity(&self, place: Place) -> [f32; 3] {
        self.solver.velocity(place)
    }

    /// Heat of a cell above that of the air at rest at its height, in units.
    pub fn excess(&self, place: Place) -> i64 {
        i64::from(self.amounts.get(Field::Heat, place)) - i64::from(self.background(place[1]))
    }

    /// Account of a field: inflows and outflows so far, in units.
    pub fn account(&self, field: Field) -> &FieldAccount {
        &self.accounts[field as usize]
    }

    /// Units of ash that fell on a column of air cells.
    pub fn deposited(&self, x: usize, z: usize) -> u64 {
        self.deposited[self.grid().cells.column(x, z)]
    }

    /// Checks every account to the unit, and that solid cells are empty.
    ///
    /// # Errors
    /// Names the first fault.
    pub fn check(&self) -> Result<(), String> {
        for field in self.amounts.present() {
            self.account(field).check(field, self.amounts.total(field))?;
            let holds = |place: &Place| self.openness.is_solid(*place) && self.amounts.get(field, *place) > 0;
            if let Some(place) = self.grid().cells.places().find(holds) {
                return Err(format!("{} of the air in the solid cell {place:?}", field.name()));
            }
        }
        let fallen: u64 = self.deposited.iter().sum();
        match self.account(Field::Ash).deposited {
            counted if counted == fallen => Ok(()),
            counted => Err(format!("{fallen} units of ash on the ground, {counted} in the account")),
        }
    }

    /// Memory of the air in bytes: fields, solver, ground, and ash on the ground.
    pub fn bytes(&self) -> usize {
        let cells = self.grid().cells.cells();
        self.amounts.bytes() + self.solver.bytes() + 7 * cells + 2 * size_of_val(&self.deposited[..])
    }

    /// Makes the present contents the initial state of the accounts.
    pub fn open_account(&mut self) {
        for field in self.amounts.present() {
            let account = FieldAccount { initial: self.amounts.total(field), ..FieldAccount::default() };
            self.accounts[field as usize] = account;
        }
        self.accounts[Field::Ash as usize].deposited = self.deposited.iter().sum();
        self.accounts[Field::Ash as usize].initial += self.accounts[Field::Ash as usize].deposited;
    }

    /// Sets the velocity of all cells to the wind, if there is one.
    pub fn let_wind_blow(&mut self) {
        if !self.forces.wind.is_empty() {
            self.solver.blow(&self.forces.wind);
        }
    }

    /// Makes one step: ash falls, drops become vapour, and the solver moves all fields.
    pub fn step(&mut self) {
        self.fall();
        self.fade();
        let flows = self.solver.step(&mut self.amounts, &self.openness, &self.forces);
        for (account, (out, decayed)) in self.accounts.iter_mut().zip(flows.out.into_iter().zip(flows.decayed)) {
            account.out += out;
            account.decayed += decayed;
        }
    }

    /// Empties cells that became solid, and fills cells that became free with air at rest. `turned`
    /// lists each cell with its present solid flag, from the floor up within a column.
    pub fn turn(&mut self, turned: &[(Place, bool)]) {
        for &(place, _) in turned.iter().filter(|(_, solid)| !solid) {
            self.put(Field::Heat, place, self.background(place[1]));
            if self.amounts.has(Field::Density) {
                self.put(Field::Density, place, UNIT);
            }
        }
        for &(place, _) in turned.iter().filter(|(_, solid)| *solid) {
            let open = self.lowest_open(place);
            for field in self.amounts.present() {
                self.shut_in(field, place, open);
            }
        }
    }

    /// Moves the contents of a cell that became solid to `open`, the open cell above. Air at rest
    /// is buried, and everything if there is no open cell.
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

    /// Units of heat of the air at rest, at height `y` in cells.
    pub fn background(&self, y: usize) -> u32 {
        self.forces.background.get(y).copied().unwrap_or(0)
    }

    /// Lowest cell of a column, at or above a place, that is not solid.
    pub fn lowest_open(&self, [x, y, z]: Place) -> Option<Place> {
        (y..self.grid().cells.ny).map(|y| [x, y, z]).find(|&place| !self.openness.is_solid(place))
    }

    /// Adds up to `units` to a cell, as far as there is room, and returns the units added.
    fn add(&mut self, field: Field, place: Place, units: u32) -> u32 {
        let at = self.grid().at(place);
        let cell = &mut self.amounts.field_mut(field)[at];
        let taken = units.min(MOST.saturating_sub(*cell));
        *cell += taken;
        taken
    }

    /// Puts up to `units` into a cell from outside, books them, and returns the units added.
    pub fn put(&mut self, field: Field, place: Place, units: u32) -> u32 {
        let taken = self.add(field, place, units);
        self.accounts[field as usize].put += u64::from(taken);
        taken
    }
}
