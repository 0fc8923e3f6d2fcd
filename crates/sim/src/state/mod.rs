//! The state of a simulation: a [`World`] of cells, and beside it the models that have cells of their own, a [`Flow`] and an
//! [`Air`], where a scene has them. What they give to each other is the business of [`crate::coupling`].

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

/// A world with its flow and its air. It reads as its world ([`std::ops::Deref`]); what concerns all models is here.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) world: World,
    /// The flow, in a state of the physical model.
    pub(crate) flow: Option<Box<FlowInCells>>,
    /// The air, where the scene has one.
    pub(crate) air: Option<Box<AirOverGround>>,
}

/// A [`State`], or a world alone, to read.
#[derive(Clone, Copy, Debug)]
pub struct StateRef<'a> {
    /// The cells.
    pub world: &'a World,
    /// The flow, in a state of the physical model.
    pub flow: Option<&'a Flow>,
    /// The air, where there is one.
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
    /// A world alone.
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
    /// Returns this state with a flow, by which its lava moves from now on: all columns show the ground and the lava of `flow`,
    /// which has the columns and levels of this box.
    #[must_use]
    pub fn with_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::shown_in(&mut self.world, flow)));
        self
    }

    /// Returns this state with a flow that it shows already, as one that was read from a file.
    #[must_use]
    pub fn with_shown_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(FlowInCells::already_shown_in(&mut self.world, flow)));
        self
    }

    /// Returns this state, without matter yet, with an air that has not read its ground.
    #[must_use]
    pub fn with_air(mut self, air: Air) -> Self {
        self.air = Some(Box::new(AirOverGround::new(&self.world, air)));
        self
    }

    /// The flow, in a state of the physical model.
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref().map(|flowing| &flowing.flow)
    }

    /// The air, where there is one.
    pub fn air(&self) -> Option<&Air> {
        self.air.as_ref().map(|over| &over.air)
    }

    /// All of it, to read.
    pub fn view(&self) -> StateRef<'_> {
        StateRef { world: &self.world, flow: self.flow(), air: self.air() }
    }

    /// Carries out an edit and writes what came and went into the accounts. A material that the world does not have is not
    /// put anywhere.
    pub fn edit(&mut self, edit: &Edit) {
        let Self { world, flow, air } = self;
        match (&edit.matter, flow) {
            (Matter::Air(breath), _) => air.iter_mut().for_each(|air| air.stir(world, &edit.shape, breath)),
            (matter, Some(flow)) if matter.material().is_none() => flow.edit(world, edit),
            _ => world.edit(edit),
        }
    }

    /// Resets the accounts: what is in the box now is the initial state, and the wind blows.
    pub fn open_account(&mut self) {
        self.world.open_account();
        self.air.iter_mut().for_each(|air| air.open_account(&self.world));
    }

    /// Checks the invariants that hold after every step, and names the first that does not: those of the [world](World::check),
    /// the account of every field of the air, and those of the flow, of which the lava layer's account is only a copy.
    ///
    /// # Errors
    /// Names the first fault.
    pub fn check(&self) -> Result<(), String> {
        self.world.check()?;
        self.air().map_or(Ok(()), Air::check)?;
        self.flow().map_or(Ok(()), Flow::check)
    }

    /// Hash of the whole state: the numbers of [`World::state_hash`]; then, where there is an air, the names of its fields and
    /// all numbers that a checkpoint keeps of it; then, in a state of the physical model, [`Flow::hash`]. Equal on every machine.
    pub fn state_hash(&self) -> u64 {
        self.view().hash()
    }

    /// Checks that the ground and its layers, which grow as they flow, take no more memory than allowed.
    ///
    /// # Errors
    /// [`TooMuchMemory`] when they do.
    pub fn check_memory(&self) -> Result<(), TooMuchMemory> {
        self.taken().check("end the run earlier, or let the vents pour less")
    }

    /// Shows the flow only when [`State::show_flow`] is called from now on, if nothing but the lava reads the layers.
    pub(crate) fn defer_flow(&mut self) {
        let is_alone = self.air.is_none() && (0..self.world.layers.len()).all(|layer| self.world.is_mirror(layer));
        self.flow.iter_mut().filter(|_| is_alone).for_each(|flow| flow.defer());
    }

    /// Shows what has changed of the flow since it was shown.
    pub(crate) fn show_flow(&mut self) {
        self.flow.iter_mut().for_each(|flow| flow.show_unseen(&mut self.world));
    }
}
