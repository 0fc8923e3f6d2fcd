//! State of a simulation: a [`World`] of cells and, where present, the models with their own grids,
//! a [`Flow`] and an [`Air`]. Their interactions are in [`crate::coupling`].

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

/// World with its flow and its air. Dereferences to the world ([`std::ops::Deref`]); its own
/// methods cover all models.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) world: World,
    /// Flow of the physical model; `None` in the classic model.
    pub(crate) flow: Option<Box<FlowInCells>>,
    /// Air model; `None` in a state without air.
    pub(crate) air: Option<Box<AirOverGround>>,
}

/// Read-only view of a [`State`], or of a world alone.
#[derive(Clone, Copy, Debug)]
pub struct StateRef<'a> {
    /// Cells of the state.
    pub world: &'a World,
    /// Flow of the physical model; `None` in the classic model.
    pub flow: Option<&'a Flow>,
    /// Air model; `None` in a state without air.
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
    /// Creates a state of a world without flow and air.
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
    /// Adds a flow that moves the lava from now on; the ground and lava of all columns are
    /// displayed in the cells. The flow's grid must match the box.
    #[must_use]
    pub fn with_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::shown_in(&mut self.world, flow)));
        self
    }

    /// Adds a flow that the cells display already, for example after reading a file.
    #[must_use]
    pub fn with_shown_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::already_shown_in(
            &mut self.world,
            flow,
        )));
        self
    }

    /// Adds an air model that has not read the ground yet; the state must not contain matter.
    #[must_use]
    pub fn with_air(mut self, air: Air) -> Self {
        self.air = Some(Box::new(AirOverGround::new(&self.world, air)));
        self
    }

    /// Flow of the physical model; `None` in the classic model.
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref().map(|flowing| &flowing.flow)
    }

    /// Air model; `None` in a state without air.
    pub fn air(&self) -> Option<&Air> {
        self.air.as_ref().map(|over| &over.air)
    }

    /// Read-only view of the state.
    pub fn view(&self) -> StateRef<'_> {
        StateRef {
            world: &self.world,
            flow: self.flow(),
            air: self.air(),
        }
    }

    /// Applies an edit and updates the accounts. No effect if the world lacks the edit's material.
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

    /// Initializes the accounts: the present contents become the initial sums; starts the wind.
    pub fn open_account(&mut self) {
        self.world.open_account();
        self.air
            .iter_mut()
            .for_each(|air| air.open_account(&self.world));
    }

    /// Checks the invariants that hold after every step: those of the [world](World::check), the
    /// account of every field of the air, and those of the flow. The flow's account is exact; the
    /// ledger of the lava layer is a rounded copy.
    ///
    /// # Errors
    /// Message with the first violated invariant.
    pub fn check(&self) -> Result<(), String> {
        self.world.check()?;
        self.air().map_or(Ok(()), Air::check)?;
        self.flow().map_or(Ok(()), Flow::check)
    }

    /// Hash of the whole state, equal on every machine: the numbers of [`World::state_hash`]; then,
    /// with air, the names of its fields and all numbers that a checkpoint stores; then, in the
    /// physical model, [`Flow::hash`].
    pub fn state_hash(&self) -> u64 {
        self.view().hash()
    }

    /// Checks that the memory of the ground and its layers, which grow at run time, is within the
    /// memory limit.
    ///
    /// # Errors
    /// [`TooMuchMemory`] if the limit is exceeded.
    pub fn check_memory(&self) -> Result<(), TooMuchMemory> {
        self.taken()
            .check("end the run earlier, or let the vents pour less")
    }

    /// Defers the display of the flow until [`State::show_flow`], if no other model reads the
    /// layers.
    pub(crate) fn defer_flow(&mut self) {
        let is_alone = self.air.is_none()
            && (0..self.world.layers.len()).all(|layer| self.world.is_mirror(layer));
        self.flow
            .iter_mut()
            .filter(|_| is_alone)
            .for_each(|flow| flow.defer());
    }

    /// Displays all columns of the flow that changed since their last display.
    pub(crate) fn show_flow(&mut self) {
        self.flow
            .iter_mut()
            .for_each(|flow| flow.show_unseen(&mut self.world));
    }
}
