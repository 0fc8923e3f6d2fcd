//! State of a simulation: a [`World`] of cells and, where present, the models with their own grids,
//! a [`Flow`] and an [`Air`]. Their interactions are in [`crate::coupling`].

mod parts;
mod values;

pub use self::parts::PackedState;
pub use self::parts::StatePart;
pub use self::values::CellValues;
use crate::coupling::{AirOverGround, FlowInCells};
use lavoxel_air::Air;
use lavoxel_automaton::world::{Edit, Matter, World};
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_flow::Flow;

/// World with its flow and its air, if there are any. Dereferences to the world
/// ([`std::ops::Deref`]); a method of the state that has the name of a method of the world also
/// covers flow and air.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) world: World,
    /// Flow of the physical model with its display in the cells; `None` in the cellular automaton
    /// (classic model).
    pub(crate) flow: Option<Box<FlowInCells>>,
    /// Air with its coupling to the ground; `None` in a state without air.
    pub(crate) air: Option<Box<AirOverGround>>,
}

/// Read-only view of a [`State`], or of a world alone.
#[derive(Clone, Copy, Debug)]
pub struct StateRef<'a> {
    /// Cells of the state: ground and layers.
    pub world: &'a World,
    /// Flow of the physical model; `None` in the cellular automaton (classic model).
    pub flow: Option<&'a Flow>,
    /// Air of the state; `None` in a state without air.
    pub air: Option<&'a Air>,
}

impl<'a> From<&'a State> for StateRef<'a> {
    fn from(state: &'a State) -> Self {
        state.view()
    }
}

impl<'a> From<&'a World> for StateRef<'a> {
    fn from(world: &'a World) -> Self {
        Self {
            world,
            flow: None,
            air: None,
        }
    }
}

impl From<World> for State {
    /// Creates a state of the world `world` without flow and air.
    fn from(world: World) -> Self {
        Self {
            world,
            flow: None,
            air: None,
        }
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
    /// Adds `flow` to the state: from now on the flow moves the lava, and the cells display all its
    /// columns. The grids of flow and world must match.
    #[must_use]
    pub fn with_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::shown_in(&mut self.world, flow)));
        self
    }

    /// Adds `flow` to the state, whose cells display the lava of the flow already, for example
    /// after reading a file.
    #[must_use]
    pub fn with_shown_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::already_shown_in(
            &mut self.world,
            flow,
        )));
        self
    }

    /// Adds the air model `air` to the state, which must not contain matter; `air` must be new,
    /// without knowledge of the ground.
    #[must_use]
    pub fn with_air(mut self, air: Air) -> Self {
        self.air = Some(Box::new(AirOverGround::new(&self.world, air)));
        self
    }

    /// Returns the flow of the physical model; `None` in the cellular automaton (classic model).
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref().map(|flowing| &flowing.flow)
    }

    /// Returns the air; `None` in a state without air.
    pub fn air(&self) -> Option<&Air> {
        self.air.as_ref().map(|over| &over.air)
    }

    /// Returns a read-only view of the state.
    pub fn view(&self) -> StateRef<'_> {
        StateRef {
            world: &self.world,
            flow: self.flow(),
            air: self.air(),
        }
    }

    /// Carries out an edit of cells, flow or air and updates the accounts. Does nothing if the
    /// world lacks the edit's material.
    pub fn edit(&mut self, edit: &Edit) {
        let Self { world, flow, air } = self;
        match (&edit.matter, flow) {
            (Matter::Air(breath), _) => air
                .iter_mut()
                .for_each(|air| air.stir(world, &edit.shape, breath)),
            (matter, Some(flow)) if matter.material().is_none() => flow.edit(world, edit),
            _ => world.edit(edit),
        }
    }

    /// Opens the accounts of all layers and of the air: the present contents become the initial
    /// sums. Sets the air in motion with the wind.
    pub fn open_account(&mut self) {
        self.world.open_account();
        self.air
            .iter_mut()
            .for_each(|air| air.open_account(&self.world));
    }

    /// Checks the invariants that hold after every step: those of the [world](World::check), the
    /// accounts of the air's fields, and those of the flow. The flow's account is exact; the
    /// account of the lava layer is a rounded copy.
    ///
    /// # Errors
    /// Message with the first violated invariant.
    pub fn check(&self) -> Result<(), String> {
        self.world.check()?;
        self.air().map_or(Ok(()), Air::check)?;
        self.flow().map_or(Ok(()), Flow::check)
    }

    /// Returns a hash of the whole state, equal on every machine. It covers the numbers of
    /// [`World::state_hash`]; with air, the names of its fields and all numbers that a checkpoint
    /// stores; in the physical model, [`Flow::hash`].
    pub fn state_hash(&self) -> u64 {
        self.view().hash()
    }

    /// Checks that the memory of all parts of the state, which grow during a simulation, is within
    /// the memory limit.
    ///
    /// # Errors
    /// [`TooMuchMemory`] if the limit is exceeded.
    pub fn check_memory(&self) -> Result<(), TooMuchMemory> {
        self.taken()
            .check("end the run earlier, or let the vents pour less")
    }

    /// Defers the display of the flow until [`State::show_flow`] is called; does nothing if there
    /// is air or a material other than lava, which read the cells.
    pub(crate) fn defer_flow(&mut self) {
        let is_alone = self.air.is_none()
            && (0..self.world.layers.len()).all(|layer| self.world.is_mirror(layer));
        self.flow
            .iter_mut()
            .filter(|_| is_alone)
            .for_each(|flow| flow.defer());
    }

    /// Displays all columns of the flow that changed since they were last displayed.
    pub(crate) fn show_flow(&mut self) {
        self.flow
            .iter_mut()
            .for_each(|flow| flow.show_unseen(&mut self.world));
    }
}
