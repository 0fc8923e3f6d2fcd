//! Coupling flow ↔ reactions: reactions between the lava of the physical model and other materials.
//! Reactions take liquid and heat from the flow and return products to the flow, which keeps the
//! exact account of both.

use std::borrow::Cow;

use super::FlowInCells;
use super::flow_cells::PER_UNIT;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::matter::Shows;
use lavoxel_automaton::rules::Due;
use lavoxel_automaton::rules::react::{Heat, Reacting};
use lavoxel_automaton::world::World;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_flow::{Flow, Phase};

/// Upper bound on the heat that one face transfers in one step, as a fraction of the lava's heat
/// above the reaction temperature.
const MOST_HEAT: f64 = 0.5;

/// Heat demand of a reaction, and the layer and phase (solid or liquid) of the lava that supplies
/// the heat.
#[derive(Clone, Copy)]
struct Giver {
    heat: Heat,
    layer: usize,
    phase: Phase,
}

/// Face between a cell of another material and a cell with lava.
struct ContactFace {
    /// Cell that contains the lava.
    lava: Place,
    /// Heat that passes through the face in one step, in units of the flow's heat.
    flux: f64,
    /// Heat of the lava in the cell `lava` above the reaction temperature, in units of the flow's
    /// heat.
    excess: i64,
}

/// Returns true if the reaction `rule` takes heat from the lava, or consumes or produces matter of
/// a layer that displays the flow.
pub(crate) fn meets(world: &World, rule: &Reacting) -> bool {
    rule.takes_heat()
        || rule
            .takes
            .iter()
            .chain(&rule.makes)
            .any(|part| world.is_mirror(part.layer))
}

/// Carries out one step of the reaction `rule`, for which [`meets`] is true. `engine` finds the
/// cells that react; `draw`: seed and number of the step.
pub(crate) fn react(
    world: &mut World,
    flowing: &mut FlowInCells,
    rule: &Reacting,
    (engine, draw): (&mut dyn Engine, Draw),
) {
    for round in 0..rule.rounds() {
        let due = engine.due(world, rule, draw, round);
        Meeting { world, flowing }.carry_out(rule, &due, draw);
    }
}

/// World and flow, borrowed while a reaction is carried out.
struct Meeting<'a> {
    world: &'a mut World,
    flowing: &'a mut FlowInCells,
}

impl Meeting<'_> {
    /// Carries out the reaction `rule` in the cells of `due`. `draw`: seed and number of the step.
    fn carry_out(&mut self, rule: &Reacting, due: &[Due], draw: Draw) {
        let due = &*self.give_heat(rule, due, draw);
        for &Due { places, parts } in due {
            for (part, place) in rule.takes.iter().zip(places) {
                self.consume(part.layer, place, (part.count * parts) as u16);
            }
            for (part, place) in rule.makes.iter().zip(places) {
                self.produce(part.layer, place, (part.count * parts) as u16, rule.energy);
            }
        }
        self.show_met(due);
    }

    /// Takes the heat for the reactions in `due` from the adjacent lava. Returns the reactions that
    /// receive heat, with extents reduced to the available heat; without a heat demand, returns
    /// `due` unchanged.
    fn give_heat<'a>(&mut self, rule: &Reacting, due: &'a [Due], draw: Draw) -> Cow<'a, [Due]> {
        let Some((heat, (layer, _))) = rule.heat.zip(rule.near) else {
            return Cow::Borrowed(due);
        };
        let is_solid = self.world.layers[layer].material().shows == Some(Shows::Solid);
        let giver = Giver {
            heat,
            layer,
            phase: if is_solid {
                Phase::Solid
            } else {
                Phase::Liquid
            },
        };
        // Two cells may share a lava cell: sorted, so that all engines take the heat in the same
        // order.
        let mut due = due.to_vec();
        due.sort_unstable_by_key(|due| self.world.grid.index(due.places[0]));
        let key = rule.key(draw);
        for due in &mut due {
            let random = (key.number_at(due.places[0]) >> 11) as f64 / (1_u64 << 53) as f64;
            due.parts = self.heat_part(giver, *due, rule.whole_parts(), random);
        }
        due.retain(|due| due.parts > 0);
        Cow::Owned(due)
    }

    /// Takes the heat of the reaction `due` from the lava around its first cell. Returns the extent
    /// of the reaction (number of parts) that this heat allows, a multiple of `whole` if given.
    /// `random`: random number in 0 … 1 for stochastic rounding.
    fn heat_part(&mut self, giver: Giver, due: Due, whole: Option<u32>, random: f64) -> u32 {
        let faces = self.faces_with_lava(giver, due.places[0]);
        let Giver { heat, phase, .. } = giver;
        let flow = &mut self.flowing.flow;
        let part_kg = heat.part_kg_m3 * flow.space().cell_m3();
        let each = (heat.about.j_kg * part_kg * flow.heat_units_of_joule()).max(1.0) as i64;
        let flux: f64 = faces
            .iter()
            .map(|face| face.flux.min(MOST_HEAT * face.excess as f64))
            .sum();
        // Stochastic rounding, so that a slow reaction of large cells proceeds at the right mean
        // rate.
        let parts = match whole {
            Some(whole) => {
                whole.saturating_mul((flux / each as f64 / f64::from(whole) + random) as u32)
            }
            None => (flux / each as f64 + random).min(f64::from(u32::MAX)) as u32,
        };
        let wanted = i64::from(parts.min(due.parts)).saturating_mul(each);
        // Several faces may touch one lava body: the remaining heat is read again before each
        // withdrawal.
        let mut taken = 0;
        for face in &faces {
            let excess = flow
                .met(face.lava, phase, heat.about.at_k)
                .map_or(0, |met| met.excess);
            taken += flow.take_heat(face.lava, phase, (wanted - taken).min(excess));
        }
        let whole = i64::from(whole.unwrap_or(1));
        let parts = taken / each / whole * whole;
        if let Some(face) = faces.first() {
            flow.return_heat(face.lava, phase, taken - parts * each);
        }
        parts as u32
    }

    /// Returns the faces through which the cell `[x, y, z]` receives heat from lava: in the cell
    /// itself, below, above, and at the four sides. The heat flux through a side is proportional to
    /// the amount of lava behind it.
    fn faces_with_lava(&self, giver: Giver, [x, y, z]: Place) -> Vec<ContactFace> {
        let flow = &self.flowing.flow;
        let space = flow.space();
        let (across, beside) = (space.dx_m * space.dx_m, space.dx_m * space.dz_m);
        let vertical =
            [Some(y), y.checked_sub(1), Some(y + 1)].map(|y| (y.map(|y| [x, y, z]), across));
        let sides = [
            (x.checked_sub(1), Some(z)),
            (Some(x + 1), Some(z)),
            (Some(x), z.checked_sub(1)),
            (Some(x), Some(z + 1)),
        ];
        let sides = sides.map(|(x, z)| (x.zip(z).map(|(x, z)| [x, y, z]), beside));
        let all = vertical
            .into_iter()
            .chain(sides)
            .filter_map(|(lava, area)| Some((lava?, area)));
        let Grid { nx, ny, nz } = self.world.grid;
        let inside = all.filter(|&([x, y, z], _)| x < nx && y < ny && z < nz);
        inside
            .filter_map(|(lava, area)| self.face(flow, giver, (lava, [x, y, z]), area))
            .collect()
    }

    fn face(
        &self,
        flow: &Flow,
        giver: Giver,
        (lava, cell): (Place, Place),
        area_m2: f64,
    ) -> Option<ContactFace> {
        let Giver { heat, layer, phase } = giver;
        let amount = self.world.layers[layer].at(lava).amount;
        if amount == 0 {
            return None;
        }
        let met = flow.met(lava, phase, heat.about.at_k)?;
        let warmer = (met.temperature_k - heat.about.at_k).max(0.0);
        let is_side = lava[1] == cell[1] && lava != cell;
        let share = if is_side {
            f64::from(amount.min(AMOUNT_ONE)) / f64::from(AMOUNT_ONE)
        } else {
            1.0
        };
        let watts = warmer / (1.0 / heat.about.w_m2_k + met.crust_m2_k_w) * area_m2 * share;
        Some(ContactFace {
            lava,
            flux: watts * flow.last_step_s() * flow.heat_units_of_joule(),
            excess: met.excess,
        })
    }

    /// Removes `amount` units of the layer with index `layer` from the cell `place`. If that layer
    /// displays the flow, the liquid is removed from the flow.
    fn consume(&mut self, layer: usize, place: Place, amount: u16) {
        if !self.world.is_mirror(layer) {
            return self.world.consume(layer, place, amount);
        }
        self.world.layers[layer].ledger.used += u64::from(amount);
        self.flowing
            .flow
            .take_liquid(place, i32::from(amount) * PER_UNIT);
    }

    /// Adds `amount` units of the layer with index `layer` to the cell `place`. If that layer
    /// displays the flow, liquid at air temperature is added to the flow, because the reactants
    /// were cold.
    fn produce(&mut self, layer: usize, place: Place, amount: u16, energy: u16) {
        if !self.world.is_mirror(layer) {
            return self.world.produce(layer, place, amount, energy);
        }
        self.world.layers[layer].ledger.made += u64::from(amount);
        let flow = &mut self.flowing.flow;
        let kelvin = flow.setup().lava.ambient_k;
        flow.make_liquid(place, i32::from(amount) * PER_UNIT, kelvin);
    }

    /// Updates the display of the flow in all columns in or next to the cells of `due`, in which
    /// reactions took heat or exchanged liquid.
    fn show_met(&mut self, due: &[Due]) {
        let [nx, nz] = [self.world.grid.nx, self.world.grid.nz];
        let around = |[x, _, z]: Place| {
            let columns = [
                (x, z),
                (x.wrapping_sub(1), z),
                (x + 1, z),
                (x, z.wrapping_sub(1)),
                (x, z + 1),
            ];
            columns
                .into_iter()
                .filter(move |&(x, z)| x < nx && z < nz)
                .map(move |(x, z)| (z * nx + x) as u32)
        };
        let mut columns: Vec<u32> = due
            .iter()
            .flat_map(|due| due.places)
            .flat_map(around)
            .collect();
        columns.sort_unstable();
        columns.dedup();
        self.flowing.flow.take_in(&columns);
        self.flowing.show_columns(self.world, &columns);
    }
}
