//! Parts of a state, listed in one place.
//!
//! Hash, memory, snapshots and checkpoints go through this list, each by a `match` over all parts:
//! a new part does not compile before each of these handles it. Within a part, the list is that of
//! its owner: the quantities of a [`Layer`] and the sums of its
//! [`Ledger`](lavoxel_automaton::world::Ledger), the numbers of an [`AirState`], the fields of a
//! [`FlowState`].

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{State, StateRef};
use lavoxel_air::{Air, AirState};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Ground, Layer, PackedLayer};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::{Flow, FlowState};

/// Part of the state of a simulation (ground, layer, air or flow), borrowed.
#[derive(Clone, Copy)]
pub enum StatePart<'a> {
    /// Ground: solid cells and surface heights.
    Ground(&'a Ground),
    /// Layer of one material, with its account.
    Layer(&'a Layer),
    /// Air; absent in a state without air.
    Air(&'a Air),
    /// Flow of the physical model; absent in the cellular automaton (classic model).
    Flow(&'a Flow),
}

impl<'a> StateRef<'a> {
    /// Iterates over the parts in the order of checkpoints.
    pub fn parts(self) -> impl Iterator<Item = StatePart<'a>> {
        let Self { world, flow, air } = self;
        let (ground, layers) = world.held();
        let world = [StatePart::Ground(ground)]
            .into_iter()
            .chain(layers.iter().map(StatePart::Layer));
        world
            .chain(air.map(StatePart::Air))
            .chain(flow.map(StatePart::Flow))
    }

    /// Returns the hash of all parts, as [`State::state_hash`] specifies.
    pub(super) fn hash(self) -> u64 {
        let mut hash = Xxh3::new();
        for part in self.parts() {
            match part {
                StatePart::Ground(ground) => ground.hash_into(&mut hash),
                StatePart::Layer(layer) => layer.hash_into(&mut hash),
                StatePart::Air(air) => air.hash_into(&mut hash),
                StatePart::Flow(flow) => hash.update(&flow.hash().to_le_bytes()),
            }
        }
        hash.digest()
    }
}

/// Names of the parts of a state, which are the names of their checkpoint sections.
impl StatePart<'_> {
    /// Name of the checkpoint section of the ground.
    pub const GROUND: &'static str = "ground";
    /// Name of the checkpoint section of the air.
    pub const AIR: &'static str = "air";
    /// Prefix of the name of the checkpoint section of a material other than lava; the name of the
    /// material follows.
    const MATERIAL: &'static str = "material:";
    /// Name of the checkpoint section of the flow.
    pub const FLOW: &'static str = "flow";

    /// Returns the name of the part, which is the name of its checkpoint section.
    pub fn name(self) -> std::borrow::Cow<'static, str> {
        match self {
            Self::Ground(_) => Self::GROUND.into(),
            Self::Layer(layer) if layer.carries_energy() => Material::LAVA.into(),
            Self::Layer(layer) => format!("{}{}", Self::MATERIAL, layer.material().name).into(),
            Self::Air(_) => Self::AIR.into(),
            Self::Flow(_) => Self::FLOW.into(),
        }
    }

    /// Returns true if `name` can be the name of a part's checkpoint section, for parts that this
    /// state lacks as well.
    pub fn has_name(name: &str) -> bool {
        [Self::GROUND, Material::LAVA, Self::AIR, Self::FLOW].contains(&name)
            || name.starts_with(Self::MATERIAL)
    }
}

impl StatePart<'_> {
    /// Returns a compact copy of the part. An unchanged ground is shared with `last`, an earlier
    /// copy of the same part.
    fn put_aside(self, last: Option<&PackedPart>) -> PackedPart {
        match self {
            Self::Ground(ground) => PackedPart::Ground(match last {
                Some(PackedPart::Ground(other)) if other.stamp() == ground.stamp() => other.clone(),
                _ => Arc::new(ground.clone()),
            }),
            Self::Layer(layer) => PackedPart::Layer(PackedLayer::new(layer)),
            Self::Air(air) => PackedPart::Air(air.save()),
            Self::Flow(flow) => PackedPart::Flow(flow.state(), flow.bytes()),
        }
    }
}

/// Compact copy of a [`StatePart`], for snapshots.
#[derive(Clone, Debug)]
enum PackedPart {
    Ground(Arc<Ground>),
    Layer(PackedLayer),
    Air(AirState),
    /// State of the flow, and an upper bound on the memory of that state in bytes.
    Flow(FlowState, u64),
}

/// Compact copy of a [`State`], for snapshots.
#[derive(Clone, Debug)]
pub struct PackedState(Vec<PackedPart>);

impl PackedState {
    /// Returns a compact copy of `state`. An unchanged ground is shared with `last`, an earlier
    /// copy.
    pub fn new(state: &State, last: Option<&Self>) -> Self {
        let parts = state.view().parts().enumerate();
        Self(
            parts
                .map(|(number, part)| part.put_aside(last.and_then(|last| last.0.get(number))))
                .collect(),
        )
    }

    /// Copies the saved state into `state`, which must have the same shape, materials and models as
    /// the saved state.
    ///
    /// # Panics
    /// If shape, materials or models differ.
    pub fn unpack_into(&self, state: &mut State) {
        assert_eq!(
            self.0.len(),
            state.view().parts().count(),
            "a state keeps its materials and models"
        );
        let (mut layers, fits) = (0.., "a state goes back into its own models");
        for part in &self.0 {
            match part {
                PackedPart::Ground(ground) if ground.stamp() == state.world.ground.stamp() => {}
                PackedPart::Ground(ground) => {
                    assert_eq!(
                        state.world.grid,
                        ground.grid(),
                        "a state goes back into its own box"
                    );
                    state.world.ground = (**ground).clone();
                }
                PackedPart::Layer(packed) => {
                    packed.unpack_into(
                        &mut state.world.layers[layers.next().expect("it has no end")],
                    );
                }
                PackedPart::Air(air) => state.air.as_mut().expect(fits).restore(air).expect(fits),
                PackedPart::Flow(flow, _) => state
                    .flow
                    .as_mut()
                    .expect(fits)
                    .restore(&state.world, flow)
                    .expect(fits),
            }
        }
    }

    /// Returns the ground of the copy, which other copies may share.
    pub fn ground(&self) -> &Arc<Ground> {
        let ground = self.0.iter().find_map(|part| {
            if let PackedPart::Ground(ground) = part {
                Some(ground)
            } else {
                None
            }
        });
        ground.expect("every state has a ground")
    }

    /// Returns the memory of the copy in bytes, without the ground, which may be shared.
    pub fn bytes(&self) -> usize {
        let bytes = |part: &PackedPart| match part {
            PackedPart::Ground(_) => 0,
            PackedPart::Layer(layer) => layer.bytes(),
            PackedPart::Air(air) => air.bytes(),
            PackedPart::Flow(_, bytes) => *bytes as usize,
        };
        self.0.iter().map(bytes).sum()
    }
}

impl State {
    /// Returns the present memory of the state including air and flow, in bytes for each part.
    pub fn taken(&self) -> MemoryEstimate {
        let taken = |part| match part {
            StatePart::Ground(ground) => ground.taken(),
            StatePart::Layer(layer) => layer.taken(&self.world),
            // Includes the bit map of blocked voxels.
            StatePart::Air(_) => MemoryEstimate::new(
                "the air",
                self.air.as_ref().map_or(0, |air| air.bytes()),
                1.0,
            ),
            StatePart::Flow(flow) => MemoryEstimate::new("the flow", 1, flow.bytes() as f64),
        };
        self.view()
            .parts()
            .map(taken)
            .fold(MemoryEstimate::default(), MemoryEstimate::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::world::{Edit, Matter, Shape, World};
    use lavoxel_base::grid::Grid;

    #[test]
    fn comes_back_as_it_was() {
        let mut state = State::from(World::restless(Grid::new(9, 8, 7), 0.5));
        let rock = Edit {
            shape: Shape::Sphere {
                center: [4.0; 3],
                radius: 2.0,
            },
            matter: Matter::Rock,
        };
        let packed = PackedState::new(&state, None);
        let hash = state.state_hash();
        let again = PackedState::new(&state, Some(&packed));
        assert!(Arc::ptr_eq(packed.ground(), again.ground()));

        state.edit(&rock);
        assert_ne!(state.state_hash(), hash);
        assert!(!Arc::ptr_eq(
            packed.ground(),
            PackedState::new(&state, Some(&packed)).ground()
        ));
        packed.unpack_into(&mut state);
        assert_eq!(state.state_hash(), hash);
        assert_eq!(state.world.ground.stamp(), packed.ground().stamp());
        state.check().expect("the account is exact");
    }
}
