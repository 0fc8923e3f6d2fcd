//! Heat exchange of a lava that melts, in solid and liquid: conduction, losses to ground and air,
//! and heaters.
//!
//! Explicit sub-steps, each from the state before, short enough to be stable. Invariant: the heat
//! that crosses a face is one integer for both of its cells.

use serde::{Deserialize, Serialize};

use super::super::{Column, Cooling, FlowBox, FlowSetup, HEAT_UNITS, Lava, UNITS};
use super::{MeltingRange, SolidColumn, Solids};
use crate::cooling::heat::RADIATION;
use crate::store::blocks::{Blocks, WIDE};
use lavoxel_base::parallel::*;
use lavoxel_base::validate::{Invalid, within};

/// Largest share of the temperature difference to its neighbours that a full cell may lose through
/// all its faces in a conduction sub-step. `SLIVER · SAFE` must stay below 1, or a cell would
/// overshoot its neighbours.
const SAFE: f64 = 0.45;

/// Largest number of conduction sub-steps in a step; a scene that needs more is rejected.
pub(crate) const MOST_SUB_STEPS: f64 = 2000.0;

/// Factor by which a face between partly filled cells may equalise a larger share of their
/// temperature difference than a face between full cells. `SLIVER · SAFE` below 1 keeps the sum
/// over all faces of a cell below the whole difference.
const SLIVER: f64 = 2.0;

/// Amount in units (half a cell) below which the lava in a cell above another cell counts as a
/// film: the heat flux between film and air is then that of the cell below.
const FILM: i64 = UNITS as i64 / 2;

/// Filling in units (63/64 of a cell) from which the matter in a cell is in contact with the cell
/// above.
const TOUCHES: i64 = UNITS as i64 / 64 * 63;

/// Choice of the cells within a heater's shape that are warmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heats {
    /// Cells within the heater's shape with neither lava nor rock above: those that a flame from
    /// above would reach.
    #[default]
    Surface,
    /// Every cell within the heater's shape.
    Inside,
}

lavoxel_base::param::words!(Heats);

/// Heater: heat source in a fixed set of cells, for a lava that melts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowHeater {
    /// Cells within the heater's shape, as pairs of column number and cell index from the floor of
    /// the box.
    pub cells: Vec<(u32, u32)>,
    /// Choice among `cells`: those with a free upper surface, or all.
    pub heats: Heats,
    /// Power in W, distributed over the lava in the warmed cells in proportion to their amounts; 0
    /// while these cells are empty.
    pub power_w: f64,
    /// Temperature in K at which the heater stops warming a cell.
    pub up_to_k: f64,
    /// Time in seconds since the start of the simulation at which the heater is switched on.
    pub from_s: f64,
    /// Time in seconds since the start of the simulation at which the heater is switched off.
    pub until_s: f64,
}

/// Heat that the lava exchanged in a step, in units of heat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Heat that the lava lost to the air.
    pub(crate) air: i128,
    /// Heat that the lava lost to ground that does not melt.
    pub(crate) ground: i128,
    /// Heat that the heaters added to the lava.
    pub(crate) heated: i128,
    /// Heat that the meltable solid gained; negative if the solid lost heat.
    pub(crate) solid: i128,
}

/// Cell in the computation of heat conduction: its lava, solid and liquid together.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Amount of meltable solid and liquid in the cell, in units; 0: the cell does not conduct.
    amount: i64,
    heat: i64,
    kelvin: f64,
    /// Amount in units of the cell's rock that cannot melt.
    ground: i32,
    /// Cover flag: true if the cell also contains another material, for example water, so that no
    /// face towards the cell loses heat to the air.
    covered: bool,
}

/// Memory in bytes of the two buffers of cell states between which heat conduction alternates, for
/// the box `space`.
pub(crate) fn need(space: FlowBox) -> u64 {
    2 * (space.columns() * space.ny) as u64 * size_of::<Node>() as u64
}

/// Constants from which the heat exchange of one step is computed.
pub(crate) struct Conduct<'a> {
    space: FlowBox,
    lava: &'a Lava,
    heaters: &'a [FlowHeater],
    /// Flags of the cells that contain another material, for example water, at index
    /// `c · ny + level`; empty if no cell does.
    covered: &'a [bool],
    /// Number of conduction sub-steps in the step.
    count: usize,
    /// Length of a conduction sub-step in seconds.
    sub_s: f64,
    /// Time at the start of the step, in seconds since the start of the simulation.
    start_s: f64,
    /// Number of units of heat in one joule.
    per_joule: f64,
}

/// Number of conduction sub-steps, a whole number, that are needed for stability in a step of
/// `step_s` seconds.
fn sub_steps(space: FlowBox, lava: &Lava, step_s: f64) -> f64 {
    let diffusivity = lava.conduction / lava.heat_per_m3();
    let [x, y] = [space.dx_m, space.dz_m].map(|edge| 1.0 / (edge * edge));
    (step_s * diffusivity * (4.0 * x + 2.0 * y) / SAFE)
        .ceil()
        .max(1.0)
}

/// Checks that a step of a lava that melts needs at most [`MOST_SUB_STEPS`] conduction sub-steps,
/// and that power and temperature of the heaters are in their ranges. Returns an error that names
/// the first key out of range.
pub(crate) fn validate(space: FlowBox, setup: &FlowSetup) -> Result<(), Invalid> {
    if setup.lava.melts() {
        let count = sub_steps(space, &setup.lava, setup.step_s);
        let most = MOST_SUB_STEPS * setup.step_s / count;
        if count > MOST_SUB_STEPS {
            within("flow.step_s", setup.step_s, 0.0, most)?;
        }
    }
    for (i, heater) in setup.heaters.iter().enumerate() {
        within(&format!("heater[{i}].power_w"), heater.power_w, 0.0, 1e12)?;
        within(
            &format!("heater[{i}].up_to_k"),
            heater.up_to_k,
            0.0,
            super::super::lava::MOST_KELVIN,
        )?;
    }
    Ok(())
}

impl<'a> Conduct<'a> {
    pub(crate) fn new(space: FlowBox, setup: &'a FlowSetup, now_s: f64) -> Self {
        let count = sub_steps(space, &setup.lava, setup.step_s).min(MOST_SUB_STEPS);
        let joules = setup.lava.heat_per_m3() * space.unit_m3() / HEAT_UNITS as f64;
        Self {
            space,
            lava: &setup.lava,
            heaters: &setup.heaters,
            covered: &[],
            count: count as usize,
            sub_s: setup.step_s / count,
            start_s: now_s - setup.step_s,
            per_joule: 1.0 / joules,
        }
    }

    /// Sets the flags, at index `c · ny + level`, of the cells that contain another material, for
    /// example water.
    pub(crate) fn covered(self, covered: &'a [bool]) -> Self {
        Self { covered, ..self }
    }

    /// Exchanges heat for one step, writes the new heat of each cell back to its solid and liquid,
    /// and returns the heat that the lava lost to air and ground and gained from heaters.
    pub(crate) fn run(&self, columns: &mut Blocks<Column>, solids: &mut Solids) -> Sums {
        let mut nodes = self.nodes(columns, solids);
        let mut next = nodes.clone();
        let mut sums = Sums::default();
        for i in 0..self.count {
            let time_s = self.start_s + i as f64 * self.sub_s;
            sums.heated += self.heat(&mut nodes, time_s);
            let (air, ground) = self.sub_step(&nodes, &mut next, time_s);
            sums.air += air;
            sums.ground += ground;
            std::mem::swap(&mut nodes, &mut next);
        }
        sums.solid = self.write(&nodes, columns, solids);
        sums
    }

    fn nodes(&self, columns: &Blocks<Column>, solids: &Solids) -> Vec<Node> {
        let ny = self.space.ny;
        let mut nodes = vec![Node::default(); solids.len() * ny];
        let rows = nodes.par_chunks_mut(ny).zip(solids.par_iter());
        rows.enumerate().for_each(|(c, (row, solid))| {
            let column = &columns[c];
            for (node, level) in row.iter_mut().zip(0..) {
                let (cell, solid) = (column.cell(level), solid.cell(level));
                let ground = if solid.amount > 0 {
                    solid.ground
                } else {
                    cell.rock
                };
                let (amount, heat) = (
                    i64::from(cell.amount) + i64::from(solid.amount),
                    cell.heat + solid.heat,
                );
                let covered = self
                    .covered
                    .get(c * ny + level as usize)
                    .is_some_and(|&covered| covered);
                *node = Node {
                    amount,
                    heat,
                    kelvin: self.kelvin(amount, heat),
                    ground,
                    covered,
                };
            }
        });
        nodes
    }

    fn kelvin(&self, amount: i64, heat: i64) -> f64 {
        if amount == 0 {
            return 0.0;
        }
        self.lava
            .temperature_of(heat as f64 / amount as f64 / HEAT_UNITS as f64)
    }

    /// Adds to `nodes` the heat of one sub-step from all heaters that are switched on at `time_s`
    /// (seconds); returns that heat in units.
    fn heat(&self, nodes: &mut [Node], time_s: f64) -> i128 {
        let is_on = |heater: &&FlowHeater| (heater.from_s..heater.until_s).contains(&time_s);
        self.heaters
            .iter()
            .filter(is_on)
            .map(|heater| self.heat_by(heater, nodes))
            .sum()
    }

    fn heat_by(&self, heater: &FlowHeater, nodes: &mut [Node]) -> i128 {
        let ny = self.space.ny;
        let is_highest = |i: usize| {
            (i + 1).is_multiple_of(ny) || nodes[i + 1].amount == 0 && nodes[i + 1].ground == 0
        };
        let places = heater
            .cells
            .iter()
            .map(|&(c, level)| c as usize * ny + level as usize);
        let is_warmed = |&i: &usize| {
            i < nodes.len()
                && nodes[i].amount > 0
                && (heater.heats == Heats::Inside || is_highest(i))
        };
        let warmed: Vec<usize> = places.filter(is_warmed).collect();
        let amount: i64 = warmed.iter().map(|&i| nodes[i].amount).sum();
        if amount == 0 {
            return 0;
        }
        let each = heater.power_w * self.sub_s * self.per_joule / amount as f64;
        let most = self.lava.heat_at(heater.up_to_k) * HEAT_UNITS as f64;
        let mut given = 0;
        for i in warmed {
            let node = &mut nodes[i];
            let room = (most * node.amount as f64) as i64 - node.heat;
            let heat = ((each * node.amount as f64) as i64).min(room).max(0);
            node.heat += heat;
            node.kelvin = self.kelvin(node.amount, node.heat);
            given += i128::from(heat);
        }
        given
    }

    /// Computes the conduction of one sub-step from the cell states `nodes` to `next`; returns the
    /// heat in units that went to the air and to the ground. `time_s`: start of the sub-step in
    /// seconds.
    fn sub_step(&self, nodes: &[Node], next: &mut [Node], time_s: f64) -> (i128, i128) {
        let FlowBox { nx, ny, nz, .. } = self.space;
        let bed = self.bed_transfer(time_s);
        let work = |(c, row): (usize, &mut [Node])| {
            let (x, z) = (c % nx, c / nx);
            let beside = [
                (x > 0, -1),
                (x + 1 < nx, 1),
                (z > 0, -(nx as isize)),
                (z + 1 < nz, nx as isize),
            ];
            let (mut air, mut ground) = (0i64, 0i64);
            for (y, to) in row.iter_mut().enumerate() {
                let node = nodes[c * ny + y];
                *to = node;
                if node.amount == 0 {
                    continue;
                }
                let sides = beside.map(|(is_inside, by)| {
                    is_inside.then(|| nodes[(c as isize + by) as usize * ny + y])
                });
                let below = if y > 0 {
                    nodes[c * ny + y - 1]
                } else {
                    Node {
                        ground: UNITS,
                        ..Node::default()
                    }
                };
                let above = nodes
                    .get(c * ny + y + 1)
                    .filter(|_| y + 1 < ny)
                    .copied()
                    .unwrap_or_default();
                let (gained, to_air, to_ground) = self.cell(node, &sides, below, above, bed);
                to.heat = (node.heat + gained - to_air - to_ground).max(0);
                to.kelvin = self.kelvin(to.amount, to.heat);
                // Books the remainder after the clamp at 0 as loss to the air, so that the account
                // closes.
                air += node.heat + gained - to_ground - to.heat;
                ground += to_ground;
            }
            (i128::from(air), i128::from(ground))
        };
        let rows = next
            .par_chunks_mut(ny)
            .enumerate()
            .with_min_len(64)
            .map(work);
        let sums: Vec<(i128, i128)> = rows.collect();
        sums.into_iter()
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }

    /// Heat in units that the cell `node` gains from its neighbours, loses to the air, and loses to
    /// the ground in a sub-step. `bed`: heat transfer coefficient into the ground in W/(m² K).
    fn cell(
        &self,
        node: Node,
        sides: &[Option<Node>; 4],
        below: Node,
        above: Node,
        bed: f64,
    ) -> (i64, i64, i64) {
        let FlowBox { dx_m, dz_m, .. } = self.space;
        let k = self.lava.conduction;
        let share = |units: i64| (units.min(UNITS.into())) as f64 / f64::from(UNITS);
        let own = share(node.amount);
        let (mut gained, mut free_m2, mut ground_w) = (0, 0.0, 0.0);
        for side in sides.iter().flatten() {
            let both = share(node.amount.min(side.amount));
            gained += self.crossing(node, *side, k * dz_m * both, dx_m);
            let rest = (own - both) * dz_m * dx_m;
            if side.ground >= UNITS / 2 {
                ground_w += rest * transfer(bed, k, dx_m / 2.0);
            } else if !side.covered {
                free_m2 += rest;
            }
        }
        let area = dx_m * dx_m;
        let apart =
            |a: Node, b: Node| (0.5 * dz_m * (share(a.amount) + share(b.amount))).max(0.25 * dz_m);
        let is_full = |cell: Node| cell.amount + i64::from(cell.ground) >= TOUCHES;
        // A film holds too little to take the heat flux of the air, so the cell below exchanges it.
        let is_film = |cell: Node| cell.amount > 0 && cell.amount < FILM && cell.ground == 0;
        let is_on_a_cell = below.amount > 0 && is_full(below);
        if node.ground > 0 || below.amount == 0 && below.ground >= UNITS / 2 {
            ground_w += area * transfer(bed, k, 0.5 * own * dz_m);
        } else if is_on_a_cell {
            gained += self.crossing(node, below, k * area / apart(node, below), dz_m);
        } else if !below.covered {
            free_m2 += area;
        }
        if above.amount > 0 && above.ground == 0 && is_full(node) {
            gained += self.crossing(node, above, k * area / apart(node, above), dz_m);
            free_m2 += if is_film(above) && !above.covered {
                area
            } else {
                0.0
            };
        } else if above.ground > 0 && is_full(node) {
            ground_w += area * transfer(bed, k, 0.5 * own * dz_m);
        } else if !(is_film(node) && is_on_a_cell || node.covered || above.covered) {
            free_m2 += area;
        }
        let ambient = self.lava.ambient_k - node.kelvin;
        // Air and ground together may take half of the difference at most, for stability.
        let most = 0.25 * ambient.abs() * node.amount as f64 * HEAT_UNITS as f64;
        let units = |watt: f64| (watt * self.sub_s * self.per_joule).clamp(-most, most) as i64;
        (
            gained,
            -units(free_m2 * self.air_flux(node.kelvin)),
            -units(ground_w * ambient),
        )
    }

    /// Heat in units that the cell `node` gains from the cell `other` in a sub-step through
    /// `conductance` (W/K), clamped for stability; swapping `node` and `other` changes only the
    /// sign. `edge_m`: distance in metres between the centres of full cells.
    fn crossing(&self, node: Node, other: Node, conductance: f64, edge_m: f64) -> i64 {
        let warmer = other.kelvin - node.kelvin;
        let evened =
            self.lava.conduction * self.sub_s / (self.lava.heat_per_m3() * edge_m * edge_m);
        let most = SLIVER
            * evened
            * warmer.abs()
            * node.amount.min(other.amount) as f64
            * HEAT_UNITS as f64;
        (conductance * warmer * self.sub_s * self.per_joule).clamp(-most, most) as i64
    }

    /// Heat flux in W/m² from the air into a surface at the temperature `kelvin` (K); negative for
    /// a loss.
    fn air_flux(&self, kelvin: f64) -> f64 {
        let Cooling::Bare { exposed } = self.lava.cooling else {
            return 0.0;
        };
        let fourth = |t: f64| t * t * t * t;
        let ambient = self.lava.ambient_k;
        let radiated = self.lava.emissivity * RADIATION * (fourth(ambient) - fourth(kelvin));
        exposed * (radiated + self.lava.convection * (ambient - kelvin))
    }

    /// Heat transfer coefficient in W/(m² K) into ground that was at ambient temperature at time 0:
    /// mean over the sub-step that starts at `time_s` (seconds) of k/√(π κ t), for a half-space.
    fn bed_transfer(&self, time_s: f64) -> f64 {
        let roots = (time_s + self.sub_s).sqrt() - time_s.max(0.0).sqrt();
        2.0 * self.lava.bed_conduction * roots
            / ((core::f64::consts::PI * self.lava.diffusivity).sqrt() * self.sub_s)
    }

    /// Writes the heat of all cell states `nodes` back to the cells' solid and liquid; returns the
    /// heat in units that the solid gained.
    fn write(&self, nodes: &[Node], columns: &mut Blocks<Column>, solids: &mut Solids) -> i128 {
        let (ny, ends) = (self.space.ny, MeltingRange::from_lava(self.lava));
        // Every block exists, since a lava that melts stores all columns.
        let blocks = nodes.par_chunks(WIDE * ny).zip(
            columns
                .all_mut()
                .par_iter_mut()
                .zip(solids.par_chunks_mut(WIDE)),
        );
        let gains = blocks.map(|(rows, (block, solids))| {
            let columns = block.iter_mut().flat_map(|block| block.iter_mut());
            let columns = rows.chunks(ny).zip(columns.zip(solids));
            columns
                .map(|(row, (column, solid))| write_column(ends, row, column, solid))
                .sum::<i128>()
        });
        let gains: Vec<i128> = gains.collect();
        gains.into_iter().sum()
    }
}

fn write_column(
    ends: MeltingRange,
    row: &[Node],
    column: &mut Column,
    solid: &mut SolidColumn,
) -> i128 {
    let mut gained = 0;
    for (node, level) in row.iter().zip(0..).filter(|(node, _)| node.amount > 0) {
        let held = solid.cell(level);
        let part = part_of_solid(ends, node, held.amount.into());
        if held.amount > 0 {
            gained += i128::from(part - held.heat);
            solid.cell_mut(level).heat = part;
        }
        if i64::from(held.amount) < node.amount {
            column.cell_mut(level).heat = node.heat - part;
        }
    }
    gained
}

/// Heat in units of the solid in a cell that contains `solid` units of solid. In the melting range
/// solid and liquid coexist: the liquid keeps its latent heat as far as the heat of the cell
/// suffices; outside that range both have the same temperature.
fn part_of_solid(ends: MeltingRange, node: &Node, solid: i64) -> i64 {
    let liquid = node.amount - solid;
    if solid == 0 || liquid == 0 {
        return if solid == 0 { 0 } else { node.heat };
    }
    if node.heat > node.amount * ends.solid && node.heat < node.amount * ends.liquid {
        return (node.heat - liquid * ends.liquid).max(solid * ends.solid);
    }
    // The product of heat and amount needs more than 64 bits.
    (i128::from(node.heat) * i128::from(solid) / i128::from(node.amount)) as i64
}

/// Heat transfer coefficient in W/(m² K) of two resistances in series: into the ground (`bed`,
/// W/(m² K)), and through `way_m` metres of a cell with the thermal conductivity `conduction` (W/(m
/// K)).
fn transfer(bed: f64, conduction: f64, way_m: f64) -> f64 {
    if bed <= 0.0 || conduction <= 0.0 {
        bed.max(0.0)
    } else {
        1.0 / (1.0 / bed + way_m / conduction)
    }
}
