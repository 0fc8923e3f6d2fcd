//! Checkpoint section of the physical model: the state of the flow, serialised with `postcard`.

use std::io::{self, Read, Write};

use super::sections::{SectionReader, SectionWriter};
use super::{Fault, MEND};
use lavoxel_automaton::world::Ground;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::{Flow, FlowState};
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{FlowSpec, Scene};

/// Upper bound on the serialised size of a flow's state, as a multiple of its size in memory.
const PACKED: u64 = 4;

/// Writes the state of `flow` to `writer` as the checkpoint section of the physical model.
pub(super) fn write<W: Write>(flow: &Flow, writer: &mut SectionWriter<W>) -> io::Result<()> {
    let bytes = postcard::to_stdvec(&flow.state()).map_err(io::Error::other)?;
    writer.add(&bytes)
}

/// Reads the section written by `write` into a new flow of the scene `scene` with the `[flow]`
/// table `spec`, on the ground `ground` at the site `site`. Fails with a memory fault if the flow
/// together with `before`, the memory of the state read earlier (ground, layers, air), exceeds the
/// memory limit.
pub(super) fn read<R: Read>(
    (scene, spec): (&Scene, &FlowSpec),
    (ground, site): (&Ground, &Site),
    before: &MemoryEstimate,
    reader: &mut SectionReader<R>,
) -> Result<Flow, Fault> {
    let space = Scene::flow_box(site.grid, site.cell_size_m, site.cell_height_m());
    before
        .clone()
        .and(scene.need_of_flow(space, spec))
        .check(MEND)?;
    let bytes = reader.read_to_end((1 << 20) + PACKED * Flow::most(space, &spec.lava.lava))?;
    let state: FlowState = postcard::from_bytes(&bytes).map_err(|_| reader.damaged("no flow"))?;
    let columns = MemoryEstimate::new("the columns that lava reached", 1, state.need(space) as f64);
    before
        .clone()
        .and(scene.need_of_flow(space, spec))
        .and(columns)
        .check(MEND)?;
    let heights = ground.surface();
    let heights = heights.iter().map(|&cells| f64::from(cells) * space.dz_m);
    let flow = Flow::on_ground(space, scene.flow_setup(spec, site.grid), heights);
    let mut flow = flow.map_err(|invalid| Fault::damaged("scene", invalid))?;
    flow.set_clock(scene.flow_clock(spec));
    flow.restore(state).map_err(|fault| reader.damaged(fault))?;
    Ok(flow)
}
