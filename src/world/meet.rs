//! Where the lava of the physical model meets the other materials of its world: reactions take liquid and heat from the flow,
//! which has the exact account of both, and give it what they make.

use std::borrow::Cow;

use super::flow::PER_UNIT;
use super::{Layer, World};
use crate::flow::{Flow, Phase};
use crate::grid::{Grid, Place};
use crate::matter::{Kind, Material};
use crate::random::Draw;
use crate::rules::react::{Due, Heat, Reacting};
use crate::units::AMOUNT_ONE;

/// A material covers lava where a cell holds so much of it at least.
const COVER: u16 = AMOUNT_ONE / 8;

/// Largest part of the heat above a material's temperature that goes through a face in a step.
const MOST_HEAT: f64 = 0.5;

/// What a reaction takes, and the layer and phase of the flow that gives it.
#[derive(Clone, Copy)]
struct Giver {
    heat: Heat,
    layer: usize,
    phase: Phase,
}

/// A face that a cell of a material shares with lava.
struct Face {
    /// The cell of the lava.
    lava: Place,
    /// Heat that goes through it in a step, in units of the flow.
    flux: f64,
    /// Heat of the lava there above the material's temperature.
    excess: i64,
}

impl World {
    /// The same reactions, each no larger than the heat of the lava beside it allows; that heat is taken. Reactions without heat
    /// stay as they are.
    pub(crate) fn give_heat<'a>(&mut self, rule: &Reacting, due: &'a [Due], draw: Draw) -> Cow<'a, [Due]> {
        let Some((heat, (layer, _))) = rule.heat.zip(rule.near) else { return Cow::Borrowed(due) };
        let is_solid = self.layers[layer].material().name == Material::SOLID;
        let giver = Giver { heat, layer, phase: if is_solid { Phase::Solid } else { Phase::Liquid } };
        // Two cells may share a cell of lava: all engines take the heat in the same order.
        let mut due = due.to_vec();
        due.sort_unstable_by_key(|due| self.grid.index(due.places[0]));
        let key = rule.key(draw);
        for due in &mut due {
            let random = (key.number_at(due.places[0]) >> 11) as f64 / (1_u64 << 53) as f64;
            due.parts = self.heat_part(giver, *due, rule.whole_parts(), random);
        }
        due.retain(|due| due.parts > 0);
        Cow::Owned(due)
    }

    /// Takes the heat of one reaction; gives the parts that it suffices for. `whole` parts react or none.
    fn heat_part(&mut self, giver: Giver, due: Due, whole: Option<u32>, random: f64) -> u32 {
        let faces = self.faces_with_lava(giver, due.places[0]);
        let Giver { heat, phase, .. } = giver;
        let Some(flow) = self.flow_mut() else { return 0 };
        let part_kg = heat.part_kg_m3 * flow.space().cell_m3();
        let each = (heat.about.j_kg * part_kg * flow.heat_units_of_joule()).max(1.0) as i64;
        let flux: f64 = faces.iter().map(|face| face.flux.min(MOST_HEAT * face.excess as f64)).sum();
        // Rounded by chance, so that a slow reaction of large cells goes on.
        let parts = match whole {
            Some(whole) => whole.saturating_mul((flux / each as f64 / f64::from(whole) + random) as u32),
            None => (flux / each as f64 + random).min(f64::from(u32::MAX)) as u32,
        };
        let wanted = i64::from(parts.min(due.parts)).saturating_mul(each);
        // Faces of one body of lava have its heat together: what there is shows when it is taken.
        let mut taken = 0;
        for face in &faces {
            let excess = flow.met(face.lava, phase, heat.about.at_k).map_or(0, |met| met.excess);
            taken += flow.take_heat(face.lava, phase, (wanted - taken).min(excess));
        }
        let whole = i64::from(whole.unwrap_or(1));
        let parts = taken / each / whole * whole;
        if let Some(face) = faces.first() {
            flow.return_heat(face.lava, phase, taken - parts * each);
        }
        parts as u32
    }

    /// The faces that a cell shares with lava: in the cell itself, below, above, and at the sides by the lava's height.
    fn faces_with_lava(&self, giver: Giver, [x, y, z]: Place) -> Vec<Face> {
        let Some(flow) = self.flow() else { return Vec::new() };
        let space = flow.space();
        let (across, beside) = (space.dx_m * space.dx_m, space.dx_m * space.dz_m);
        let vertical = [Some(y), y.checked_sub(1), Some(y + 1)].map(|y| (y.map(|y| [x, y, z]), across));
        let sides =
            [(x.checked_sub(1), Some(z)), (Some(x + 1), Some(z)), (Some(x), z.checked_sub(1)), (Some(x), Some(z + 1))];
        let sides = sides.map(|(x, z)| (x.zip(z).map(|(x, z)| [x, y, z]), beside));
        let all = vertical.into_iter().chain(sides).filter_map(|(lava, area)| Some((lava?, area)));
        let Grid { nx, ny, nz } = self.grid;
        let inside = all.filter(|&([x, y, z], _)| x < nx && y < ny && z < nz);
        inside.filter_map(|(lava, area)| self.face(flow, giver, (lava, [x, y, z]), area)).collect()
    }

    fn face(&self, flow: &Flow, giver: Giver, (lava, cell): (Place, Place), area_m2: f64) -> Option<Face> {
        let Giver { heat, layer, phase } = giver;
        let amount = self.layers[layer].at(lava).amount;
        if amount == 0 {
            return None;
        }
        let met = flow.met(lava, phase, heat.about.at_k)?;
        let warmer = (met.temperature_k - heat.about.at_k).max(0.0);
        let is_side = lava[1] == cell[1] && lava != cell;
        let share = if is_side { f64::from(amount.min(AMOUNT_ONE)) / f64::from(AMOUNT_ONE) } else { 1.0 };
        let watts = warmer / (1.0 / heat.about.w_m2_k + met.crust_m2_k_w) * area_m2 * share;
        Some(Face { lava, flux: watts * flow.setup().step_s * flow.heat_units_of_joule(), excess: met.excess })
    }

    /// Takes lava of the flow for a reaction, in units of a layer.
    pub(super) fn consume_flow(&mut self, layer: usize, place: Place, amount: u16) {
        self.layers[layer].ledger.used += u64::from(amount);
        if let Some(flow) = self.flow_mut() {
            flow.take_liquid(place, i32::from(amount) * PER_UNIT);
        }
    }

    /// Gives lava that a reaction made to the flow, at the temperature of the air: what it was made of was cold.
    pub(super) fn produce_flow(&mut self, layer: usize, place: Place, amount: u16) {
        self.layers[layer].ledger.made += u64::from(amount);
        if let Some(flow) = self.flow_mut() {
            let kelvin = flow.setup().lava.ambient_k;
            flow.make_liquid(place, i32::from(amount) * PER_UNIT, kelvin);
        }
    }

    /// Shows the flow where a reaction took heat or liquid from it, or gave it some.
    pub(crate) fn show_met(&mut self, rule: &Reacting, due: &[Due]) {
        let shown = self.layers_of_flow();
        let is_lava = |part: &super::Part| shown.has(part.layer);
        if self.flow.is_none() || rule.heat.is_none() && !rule.takes.iter().chain(&rule.makes).any(is_lava) {
            return;
        }
        let [nx, nz] = [self.grid.nx, self.grid.nz];
        let around = |[x, _, z]: Place| {
            let columns = [(x, z), (x.wrapping_sub(1), z), (x + 1, z), (x, z.wrapping_sub(1)), (x, z + 1)];
            columns.into_iter().filter(move |&(x, z)| x < nx && z < nz).map(move |(x, z)| (z * nx + x) as u32)
        };
        let mut columns: Vec<u32> = due.iter().flat_map(|due| due.places).flat_map(around).collect();
        columns.sort_unstable();
        columns.dedup();
        if let Some(flow) = self.flow_mut() {
            flow.take_in(&columns);
        }
        self.show(|_| columns);
    }

    /// Says to the flow where other matter covers it, before its step.
    pub(super) fn cover_flow(&mut self) {
        let shown = self.layers_of_flow();
        let covers = |(number, layer): &(usize, &Layer)| {
            !shown.has(*number) && matches!(layer.material().kind, Kind::Liquid | Kind::Still)
        };
        let covers: Vec<&Layer> = self.layers.iter().enumerate().filter(covers).map(|(_, layer)| layer).collect();
        let Some(flowing) = self.flow.as_deref().filter(|_| !covers.is_empty()) else { return };
        if flowing.flow.setup().lava.melts() {
            // What melts has faces on all sides.
            let held = covers.iter().flat_map(|layer| layer.held()).filter(|(_, cell)| cell.amount >= COVER);
            let cells: Vec<Place> = held.map(|(place, _)| place).collect();
            return self.flow_mut().into_iter().for_each(|flow| flow.cover_cells(&cells));
        }
        let nx = self.grid.nx;
        let covered = |c: usize| {
            let top = usize::from(flowing.tops[c]);
            let is_under = |layer: &&Layer, y: usize| layer.at([c % nx, y, c / nx]).amount >= COVER;
            let at = |y: usize| y < self.grid.ny && covers.iter().any(|layer| is_under(layer, y));
            top > 0 && (at(top) || at(top - 1))
        };
        let covered: Vec<bool> = flowing.flow.wet().iter().map(|&c| covered(c as usize)).collect();
        self.flow_mut().into_iter().for_each(|flow| flow.cover(&covered));
    }
}
