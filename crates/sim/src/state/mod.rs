//! State of a simulation: a [`World`] of cells and, where a scene has them, the models with cells
//! of their own: a [`Flow`] and an [`Air`]. Their interactions are in [`crate::coupling`].

mod parts;
mod values;

pub use self::parts::PackedState;
pub use self::parts::Part;
pub use self::values::CellValues;
use crate::coupling::{AirOverGround, FlowInCells};
use lavoxel_air::Air;
use lavoxel_automaton::world::{Edit, Matter, World};
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_flow::Flow;

/// World with its flow and its air. Dereferences to its world ([`std::ops::Deref`]); operations on
/// all models are here.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) world: World,
    /// Flow of the physical model; `None` in the classic model.
    pub(crate) flow: Option<Box<FlowInCells>>,
    /// Air; `None` without one.
    pub(crate) air: Option<Box<AirOverGround>>,
}

/// Read-only view of a [`State`], or of a world alone.
#[derive(Clone, Copy, Debug)]
pub struct StateRef<'a> {
    /// Cells of the state.
    pub world: &'a World,
    /// Flow of the physical model; `None` in the classic model.
    pub flow: Option<&'a Flow>,
    /// Air; `None` without one.
    pub air: Option<&'a Air>,
}

impl<'a> From<&'a State> for StateRef<'a> {
    fn from(state: &'a State) -> Self {
        state.view()
    }
}

impl<'a> From<&'a World> for StateRef<'a> {
    fn from(world: &'a World) -> Self {
        Self { world, flow: None, air: None }
    }
}

impl From<World> for State {
    /// Wraps a world alone.
    fn from(world: World) -> Self {
        Self { world, flow: None, air: None }
    }
}

impl std::ops::Deref for State {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl std::ops::DerefMut for State {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

impl State {
    /// Adds a flow, which moves the lava from now on: all columns display the ground and the lava
    /// of `flow`, which has the columns and levels of this box.
    #[must_use]
    pub fn with_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::shown_in(&mut self.world, flow)));
        self
    }

    /// Adds a flow that this state displays already, such as one read from a file.
    #[must_use]
    pub fn with_shown_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::already_shown_in(&mut self.world, flow)));
        self
    }

    /// Adds an air that has not read the ground; the state must not have matter yet.
    #[must_use]
    pub fn with_air(mut self, air: Air) -> Self {
        self.air = Some(Box::new(AirOverGround::new(&self.world, air)));
        self
    }

    /// Flow of the physical model; `None` in the classic model.
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref().map(|flowing| &flowing.flow)
    }

    /// Air; `None` without one.
    pub fn air(&self) -> Option<&Air> {
        self.air.as_ref().map(|over| &over.air)
    }

    /// Read-only view of the state.
    pub fn view(&self) -> StateRef<'_> {
        StateRef { world: &self.world, flow: self.flow(), air: self.air() }
    }

    /// Carries out an edit and updates the accounts. Does nothing for a material that the world
    /// does not have.
    pub fn edit(&mut self, edit: &Edit) {
        let Self { world, flow, air } = self;
        match (&edit.matter, flow) {
            (Matter::Air(breath), _) => air.iter_mut().for_each(|air| air.stir(world, &edit.shape, breath)),
            (matter, Some(flow)) if matter.material().is_none() => flow.edit(world, edit),
            _ => world.edit(edit),
        }
    }

    /// Resets the accounts: the present contents become the initial state, and the wind starts.
    pub fn open_account(&mut self) {
        self.world.open_account();
        self.air.iter_mut().for_each(|air| air.open_account(&self.world));
    }

    /// Checks the invariants that hold after every step: those of the [world](World::check), the
    /// account of every field of the air, and those of the flow, whose account the lava layer only
    /// copies.
    ///
    /// # Errors
    /// Names the first violated invariant.
    pub fn check(&self) -> Result<(), String> {
        self.world.check()?;
        self.air().map_or(Ok(()), Air::check)?;
        self.flow().map_or(Ok(()), Flow::check)
    }

    /// Hash of the whole state: the numbers of [`World::state_hash`]; then, with an air, the names
    /// of its fields and all numbers that a checkpoint keeps; then, in a state of the physical
    /// model, [`Flow::hash`]. Equal on every machine.
    pub fn state_hash(&self) -> u64 {
        self.view().hash()
    }

    /// Checks that the ground and its layers, which grow as they flow, stay within the memory
    /// limit.
    ///
    /// # Errors
    /// [`TooMuchMemory`] when they do not.
    pub fn check_memory(&self) -> Result<(), TooMuchMemory> {
        self.taken().check("end the run earlier, or let the vents pour less")
    }

    /// Defers the display of the flow to [`State::show_flow`], if nothing but the lava reads the
    /// layers.
    pub(crate) fn defer_flow(&mut self) {
        let is_alone = self.air.is_none() && (0..self.world.layers.len()).all(|layer| self.world.is_mirror(layer));
        self.flow.iter_mut().filter(|_| is_alone).for_each(|flow| flow.defer());
    }

    /// Displays all changes of the flow since its last display.
    pub(crate) fn show_flow(&mut self) {
        self.flow.iter_mut().for_each(|flow| flow.show_unseen(&mut self.world));
    }
}
