//! A state put aside in little memory.

use std::sync::Arc;

use super::{State, StateRef};
use crate::air::{Air, AirState};
use crate::flow::{Flow, FlowState};
use crate::world::{Ground, PackedWorld};

/// Copy of a [`State`], packed, to come back to it.
#[derive(Clone, Debug)]
pub struct PackedState {
    world: PackedWorld,
    air: Option<AirState>,
    /// The flow, and bytes that it takes at most.
    flow: Option<(FlowState, u64)>,
}

impl PackedState {
    /// Puts a state aside; the ground is shared with `last` where it is the same.
    pub fn new(state: &State, last: Option<&Self>) -> Self {
        let StateRef { world, flow, air } = state.view();
        Self {
            world: PackedWorld::new(world, last.map(|last| &last.world)),
            air: air.map(Air::save),
            flow: flow.map(|flow| (flow.state(), Flow::bytes(flow))),
        }
    }

    /// Makes `state`, of the same shape and materials, what the packed one was.
    pub fn unpack_into(&self, state: &mut State) {
        self.world.unpack_into(&mut state.world);
        let flow = self.flow.as_ref().map(|(flow, _)| flow);
        state.restore(self.air.as_ref(), flow).expect("a state goes back into its own models");
    }

    /// The ground, which other packed states may share.
    pub fn ground(&self) -> &Arc<Ground> {
        self.world.ground()
    }

    /// Memory that it takes besides the ground, in bytes.
    pub fn bytes(&self) -> usize {
        let flow = self.flow.as_ref().map_or(0, |(_, bytes)| *bytes as usize);
        self.world.bytes() + self.air.as_ref().map_or(0, AirState::bytes) + flow
    }
}
