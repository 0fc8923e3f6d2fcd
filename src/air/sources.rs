//! What puts heat, ash and steam into the air: vents and fumes, the surface of the lava, and a gas among the voxels.

use crate::air::scale::LAVA_K;
use crate::air::{Air, Field, Motion, VentAir};
use crate::grid::Place;
use crate::grid::tile::{TILE_X, TILE_Z};
use crate::matter::Kind;
use crate::random::{Draw, Salt, StepKey};
use crate::source::Vents;
use crate::units::{AMOUNT_ONE, ENERGY_ONE};
use crate::world::{Content, Layer, Melting, World};

/// Cells along an edge of a block that pulses together.
const BLOCK: usize = 3;

/// Sideways acceleration of a block over a vent that pulses all the way, of w² over the edge of a cell where the air rises at w. It
/// makes up for the turbulence of the vent, which is below the grid: without it the air rises like glass for eight radii of the
/// vent and more, and with twice as much it loses its way at once (`examples/air_plume.rs`).
const SWAY: f32 = 0.6;

/// A voxel of lava gives heat where it holds so much at least.
const WARM: u16 = AMOUNT_ONE / 8;

/// Steps of energy by which the heat that lava gives is tabled.
const ENERGIES: usize = 64;

/// What a vent puts over one of its columns of voxels, in units.
struct Blow {
    heat: f64,
    ash: f64,
    steam: f64,
    /// Heat of a cell that the vent cannot exceed.
    hottest: f64,
    /// Least upward speed, in cells a step.
    jet: f64,
}

impl Air {
    /// What vents give with their lava, and fumes without.
    pub(super) fn blow_vents(&mut self, world: &World, vents: &Vents, draw: Draw) {
        for (vent, spec) in vents.of_air(draw.step) {
            let about = spec.air.clone().unwrap_or_default();
            let cells = || vent.units_in(draw.step) as f64 / f64::from(AMOUNT_ONE);
            let kilograms = match world.flow() {
                _ if spec.is_fume() => spec.rate * self.scale.step_s,
                Some(flow) => {
                    let setup = flow.setup();
                    vent.flow_volume_m3(draw.step, setup.step_s) * setup.lava.density_kg_m3
                }
                None => cells() * self.scale.cell_m.powi(3) * world.lava().material().density,
            };
            if kilograms > 0.0 {
                self.blow(world, &about, kilograms, (vent.columns(), vent.lowest()), draw);
            }
        }
    }

    /// Shares what a vent gives out over the air above its columns, by the pulse of each block.
    fn blow(
        &mut self,
        world: &World,
        about: &VentAir,
        kilograms: f64,
        (columns, lowest): (&[(usize, usize)], usize),
        draw: Draw,
    ) {
        let share = kilograms / columns.len() as f64;
        let blow = Blow {
            heat: self.scale.heat_of(self.scale.joules(share, about)),
            ash: self.scale.ash_of(share * about.ash),
            steam: self.scale.ash_of(share * about.steam),
            hottest: self.scale.heat_at(about.temperature_k),
            jet: self.scale.speed(about.jet_m_s),
        };
        let period = (draw.step as f64 * self.scale.step_s / about.pulse_s) as u64;
        let [key, sway_key] = [Salt::Pulse, Salt::Sway].map(|salt| Draw { step: period, ..draw }.key_of(salt, 0));
        // A cell has many columns of voxels. The article's air stays as its author has it.
        let has_sway = self.spec.solver == Motion::Incompressible;
        let sway = if has_sway { SWAY * about.pulse as f32 / self.grid().ratio.pow(2) as f32 } else { 0.0 };
        for &(x, z) in columns {
            let y = world.ground().top(x, z).max(lowest);
            let Some(place) = self.over([x, y, z]) else { continue };
            let block = [place[0] / BLOCK, place[1] / BLOCK, place[2] / BLOCK];
            let random = (key.number_at(block) >> 11) as f64 / (1_u64 << 53) as f64;
            self.blow_cell(place, &blow, 1.0 - about.pulse + 2.0 * about.pulse * random);
            self.sway(place, sway, sway_key);
        }
    }

    /// Pushes the air in and over a cell of a vent sideways, each block its own way and as hard as the air rises there.
    fn sway(&mut self, [x, y, z]: Place, strength: f32, key: StepKey) {
        if strength == 0.0 {
            return;
        }
        for place in (y..(y + BLOCK).min(self.grid().cells.ny)).map(|y| [x, y, z]) {
            let rising = self.solver.velocity(place)[1].max(0.0);
            let number = key.number_at(place.map(|n| n / BLOCK));
            let way = |bits: u64| 2.0 * (bits & 0xff_ffff) as f32 / (1 << 24) as f32 - 1.0;
            // Fast air stays in the cell for less than a step.
            let push = strength * rising * rising.min(1.0);
            if push > 0.0 {
                self.solver.push(place, [push * way(number), 0.0, push * way(number >> 32)]);
            }
        }
    }

    fn blow_cell(&mut self, place: Place, blow: &Blow, swing: f64) {
        let hottest = blow.hottest + f64::from(self.background(place[1]));
        let room = (hottest - f64::from(self.amounts.get(Field::Heat, place))).max(0.0);
        self.put(Field::Heat, place, (blow.heat * swing).min(room) as u32);
        self.put(Field::Ash, place, (blow.ash * swing) as u32);
        self.put(Field::Steam, place, (blow.steam * swing) as u32);
        let rising = f64::from(self.solver.velocity(place)[1]);
        if rising < blow.jet {
            self.solver.push(place, [0.0, (blow.jet - rising) as f32, 0.0]);
        }
    }

    /// The air cell of a voxel or the lowest open one above it.
    pub(super) fn over(&self, voxel: Place) -> Option<Place> {
        self.lowest_open(self.grid().cell_of(voxel.map(|n| n as i64))?)
    }

    /// The heat that the top faces of the lava give.
    pub(super) fn warm_by_lava(&mut self, world: &World) {
        if self.spec.convection == 0.0 {
            return;
        }
        if let Some(layers) = world.layers_of_melting() {
            return self.warm_by_melting(world, layers);
        }
        let [cold, hot] = world.flow().map_or(LAVA_K, |flow| flow.setup().lava.warmth_k());
        let kelvin = |i: usize| cold + (hot - cold) * i as f64 / ENERGIES as f64;
        let table: [u32; ENERGIES + 1] =
            std::array::from_fn(|i| self.scale.convection(&self.spec, kelvin(i)).round() as u32);
        let lava = world.lava();
        for ([tx, y, tz], tile) in lava.tiles() {
            let (tx, y, tz) = (usize::from(tx), usize::from(y), usize::from(tz));
            for lane in (0..TILE_X * TILE_Z).filter(|&lane| tile.amount().0[lane] >= WARM) {
                let place @ [x, _, z] = [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X];
                let above = [x, y + 1, z];
                let roofed =
                    y + 1 < world.grid().ny && (world.ground().is_solid(above) || lava.at(above).amount >= WARM);
                if roofed || is_drowned(world, place) {
                    continue;
                }
                let cell = tile.cell(lane);
                let energy = u64::from(cell.energy) * u64::from(AMOUNT_ONE) / u64::from(cell.amount);
                let step = (energy * ENERGIES as u64 / u64::from(ENERGY_ONE)).min(ENERGIES as u64);
                if let Some(open) = self.over(above) {
                    self.put(Field::Heat, open, table[step as usize]);
                }
            }
        }
    }

    /// The heat that the top faces of a lava that melts give, of its solid, `set`, and of its liquid.
    fn warm_by_melting(&mut self, world: &World, Melting { set, melt, mould }: Melting) {
        let has = |layer: usize, place: Place| world.layers()[layer].at(place).amount >= WARM;
        let is_open = |[x, y, z]: Place| {
            let above = [x, y + 1, z];
            let roofed = y + 1 < world.grid().ny
                && (world.ground().is_solid(above) || [set, melt, mould].into_iter().any(|layer| has(layer, above)));
            !roofed && !is_drowned(world, [x, y, z])
        };
        let solid =
            world.layers()[set].held().map(|(place, _)| place).filter(|&place| !has(melt, place) && has(set, place));
        let liquid = world.layers()[melt].held().map(|(place, _)| place).filter(|&place| has(melt, place));
        for place @ [x, y, z] in solid.chain(liquid).filter(|&place| is_open(place)) {
            let kelvin = world.shown_k(place).unwrap_or(0.0);
            if let Some(open) = self.over([x, y + 1, z]) {
                self.put(Field::Heat, open, self.scale.convection(&self.spec, kelvin).round() as u32);
            }
        }
    }

    /// Takes the gas that the scene names from among the voxels into the air, with its mass and its heat.
    pub(super) fn take_steam(&mut self, world: &mut World) {
        let Some(number) = self.spec.steam.as_deref().and_then(|name| world.number_of(name)) else { return };
        let layer = &world.layers[number];
        let full = self.scale.ash_of(layer.material().density * self.scale.cell_m.powi(3));
        let warm = self.scale.heat_of_steam();
        let held: Vec<_> = layer.held().collect();
        for (place, content) in held {
            let Some(open) = self.over(place) else { continue };
            let share = f64::from(content.amount) / f64::from(AMOUNT_ONE);
            self.put(Field::Steam, open, (full * share) as u32);
            self.put(Field::Heat, open, (warm * share) as u32);
            let layer = &mut world.layers[number];
            layer.set(place, Content::default());
            layer.ledger.outflow += u64::from(content.amount);
        }
    }
}

/// Whether other matter lies on the top of a voxel of lava.
fn is_drowned(world: &World, [x, y, z]: Place) -> bool {
    if y + 1 >= world.grid().ny {
        return false;
    }
    let over = |(number, layer): (usize, &Layer)| {
        number != world.number_of_lava() && layer.material().kind != Kind::Gas && layer.at([x, y + 1, z]).amount >= WARM
    };
    world.layers().iter().enumerate().any(over)
}
