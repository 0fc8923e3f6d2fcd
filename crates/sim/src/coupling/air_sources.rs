//! Sources of the air: heat, ash and steam from vents, fumes, lava surfaces and a gas layer of the
//! cells. Also closes those air cells that the ground fills.

use super::flow_cells::Melting;
use super::{AirOverGround, Blocked, FlowInCells};
use crate::source::{VentAir, Vents};
use lavoxel_air::{Air, AirState, Field, LAVA_K, Motion, Wind};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::world::{Content, Layer, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};
use lavoxel_base::random::{Draw, Salt, StepKey};
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_flow::Flow;

/// Edge length, in air cells, of the blocks of air cells over a vent; the random output and the
/// random sideways push are equal in all cells of a block.
const BLOCK: usize = 3;

/// Factor of the random sideways push on the air over a vent: acceleration = `SWAY` · w² per cell
/// edge at full pulse, where w is the upward speed of the air.
///
/// Stands in for the turbulence of the vent, which is below the grid: without this push the air
/// rises like glass for eight vent radii and more, and with twice the value the plume loses its way
/// at once (`examples/air_plume.rs`).
const SWAY: f32 = 0.6;

/// Minimum amount of lava in a voxel, in units, for the lava to heat the air: an eighth of a full
/// cell.
const WARM: u16 = AMOUNT_ONE / 8;

/// Number of intervals, by energy of the lava, of the lookup table of the heat that lava gives to
/// the air.
const ENERGIES: usize = 64;

/// Output of a vent in one step over one of its voxel columns, in units per air cell of the air's
/// fields.
struct Blow {
    heat: f64,
    ash: f64,
    steam: f64,
    inks: [f64; Field::INKS.len()],
    /// Largest heat, above that of air at rest, to which the vent can heat an air cell, in units of
    /// heat.
    hottest: f64,
    /// Minimum upward speed of the air over the vent, in air cells per step.
    jet: f64,
}

impl AirOverGround {
    /// Creates the coupling of `air` with the simulation box of `world`, in which no voxel counts
    /// as blocked until the first `read_ground`.
    pub(crate) fn new(world: &World, air: Air) -> Self {
        Self {
            air,
            blocked: Blocked::unread(world.grid()),
        }
    }

    /// Adds the heat, ash and steam that the lava, the gas layer and the vents of `world` give to
    /// the air in one step. `draw`: seed and number of the step. Called after the rules of that
    /// step.
    pub(crate) fn take(
        &mut self,
        world: &mut World,
        flow: Option<&FlowInCells>,
        vents: &Vents,
        draw: Draw,
    ) {
        self.read_ground(world);
        let mut taking = Taking {
            air: &mut self.air,
            flow,
        };
        taking.take_steam(world);
        taking.warm_by_lava(world);
        taking.blow_vents(world, vents, draw);
    }

    /// Updates the open fractions of the air's cells and faces from the ground and the layers of
    /// `world`, where these changed since the last call.
    pub(crate) fn read_ground(&mut self, world: &World) {
        let Self { air, blocked } = self;
        // After a restore, the air solver may hold the openness of another step: the first read
        // passes all columns to the solver.
        let all = !blocked.is_read();
        let changed = blocked.read(world);
        if changed.is_empty() {
            return;
        }
        let mut turned = blocked.open(&mut air.openness, &changed);
        air.turn(&turned.cells);
        if all {
            let cells = air.grid().cells;
            turned.columns = (0..cells.nz)
                .flat_map(|z| (0..cells.nx).map(move |x| (x, z)))
                .collect();
        }
        air.solver.set_ground(&air.openness, &turned.columns);
    }

    /// Opens the accounts of the air with its present contents as initial sums, and sets the air in
    /// motion with the wind.
    pub(crate) fn open_account(&mut self, world: &World) {
        self.read_ground(world);
        self.air.let_wind_blow();
        self.air.open_account();
    }

    /// Sets the wind to `wind`; the velocity of the air changes at once.
    pub(crate) fn change_wind(&mut self, world: &World, wind: &Wind) {
        // A restored air has no face openness yet.
        self.read_ground(world);
        self.air.change_wind(wind);
    }

    /// Restores the air from the saved `state` and empties the map of blocked voxels, so that the
    /// next step reads the whole world. Returns an error if `state` does not fit the air.
    pub(crate) fn restore(&mut self, state: &AirState) -> Result<(), String> {
        self.air.restore(state)?;
        self.blocked = self.blocked.forgotten();
        Ok(())
    }

    /// Returns the memory of the air and of its map of blocked voxels, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.air.bytes() + self.blocked.bytes()
    }
}

/// Air and flow, borrowed mutably while the sources of one step are added to the air.
struct Taking<'a> {
    air: &'a mut Air,
    flow: Option<&'a FlowInCells>,
}

impl Taking<'_> {
    /// Adds the heat, ash, steam and inks that all vents and fumes give off in one step to the air.
    /// `draw`: seed and number of the step.
    fn blow_vents(&mut self, world: &World, vents: &Vents, draw: Draw) {
        for (vent, spec) in vents.of_air(draw.step) {
            let about = spec.air.clone().unwrap_or_default();
            let cells = || vent.units_in(draw.step) as f64 / f64::from(AMOUNT_ONE);
            let kilograms = match self.flow.map(|flowing| &flowing.flow) {
                _ if spec.is_fume() => spec.rate * self.air.scale.step_s,
                Some(flow) => {
                    vent.flow_volume_m3(draw.step, flow.clock()) * flow.setup().lava.density_kg_m3
                }
                None => cells() * self.air.scale.cell_m.powi(3) * world.lava().material().density,
            };
            if kilograms > 0.0 {
                self.blow(
                    world,
                    &about,
                    kilograms,
                    (vent.columns(), vent.lowest()),
                    draw,
                );
            }
        }
    }

    /// Adds `kilograms` of a vent's output to the air above the vent. `about`: composition and
    /// temperature of the output; `columns`, `lowest`: voxel columns of the vent and the lowest
    /// height index (y) of the emission. The output of each block of air cells varies randomly
    /// about its mean.
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
            heat: self.air.scale.heat_of(self.air.scale.joules(
                share,
                [about.gas, about.ash],
                about.temperature_k,
            )),
            ash: self.air.scale.ash_of(share * about.ash),
            steam: self.air.scale.ash_of(share * about.steam),
            inks: std::array::from_fn(|k| {
                self.air
                    .scale
                    .ash_of(share * about.inks.get(k).copied().unwrap_or(0.0))
            }),
            hottest: self.air.scale.heat_at(about.temperature_k),
            jet: self.air.scale.speed(about.jet_m_s),
        };
        let period = (draw.step as f64 * self.air.scale.step_s / about.pulse_s) as u64;
        let [key, sway_key] = [Salt::Pulse, Salt::Sway].map(|salt| {
            Draw {
                step: period,
                ..draw
            }
            .key_of(salt, 0)
        });
        // Divided by `ratio`²: an air cell has that many voxel columns, each of which pushes. The
        // article's air gets no sway: it stays as its author has it.
        let has_sway = self.air.spec.solver == Motion::Incompressible;
        let sway = if has_sway {
            SWAY * about.pulse as f32 / self.air.grid().ratio.pow(2) as f32
        } else {
            0.0
        };
        for &(x, z) in columns {
            let y = world.ground().top(x, z).max(lowest);
            let Some(place) = self.over([x, y, z]) else {
                continue;
            };
            let block = [place[0] / BLOCK, place[1] / BLOCK, place[2] / BLOCK];
            let random = (key.number_at(block) >> 11) as f64 / (1_u64 << 53) as f64;
            self.blow_cell(place, &blow, 1.0 - about.pulse + 2.0 * about.pulse * random);
            self.sway(place, sway, sway_key);
        }
    }

    /// Accelerates the air sideways in the vent's air cell `[x, y, z]` and the cells above, `BLOCK`
    /// cells in all. The direction is random per block and determined by `key`; the acceleration is
    /// `strength` × the square of the upward speed.
    fn sway(&mut self, [x, y, z]: Place, strength: f32, key: StepKey) {
        if strength == 0.0 {
            return;
        }
        for place in (y..(y + BLOCK).min(self.air.grid().cells.ny)).map(|y| [x, y, z]) {
            let rising = self.air.solver.velocity(place)[1].max(0.0);
            let number = key.number_at(place.map(|n| n / BLOCK));
            let way = |bits: u64| 2.0 * (bits & 0xff_ffff) as f32 / (1 << 24) as f32 - 1.0;
            // Air faster than one cell a step stays in the cell for less than a step: above that
            // speed the push grows linearly, below with w².
            let push = strength * rising * rising.min(1.0);
            if push > 0.0 {
                self.air
                    .solver
                    .push(place, [push * way(number), 0.0, push * way(number >> 32)]);
            }
        }
    }

    fn blow_cell(&mut self, place: Place, blow: &Blow, swing: f64) {
        let hottest = blow.hottest + f64::from(self.air.background(place[1]));
        let room = (hottest - f64::from(self.air.amounts.get(Field::Heat, place))).max(0.0);
        self.air
            .add_units(Field::Heat, place, (blow.heat * swing).min(room) as u32);
        self.air
            .add_units(Field::Ash, place, (blow.ash * swing) as u32);
        self.air
            .add_units(Field::Steam, place, (blow.steam * swing) as u32);
        for (ink, units) in Field::INKS.into_iter().zip(blow.inks) {
            if self.air.amounts.has(ink) {
                self.air.add_units(ink, place, (units * swing) as u32);
            }
        }
        let rising = f64::from(self.air.solver.velocity(place)[1]);
        if rising < blow.jet {
            self.air
                .solver
                .push(place, [0.0, (blow.jet - rising) as f32, 0.0]);
        }
    }

    /// Returns the air cell that contains `voxel` or, if that cell is closed, the lowest open cell
    /// above it; `None` if no cell above is open.
    fn over(&self, voxel: Place) -> Option<Place> {
        self.air
            .lowest_open(self.air.grid().cell_of(voxel.map(|n| n as i64))?)
    }

    /// Adds the heat that lava loses by convection in one step to the air cells above the lava.
    /// Heat passes through the top faces of lava cells that touch the air.
    fn warm_by_lava(&mut self, world: &World) {
        if self.air.spec.convection == 0.0 {
            return;
        }
        if let Some((flowing, layers)) = self
            .flow
            .and_then(|flowing| Some((flowing, flowing.melting?)))
        {
            return self.warm_by_melting(world, &flowing.flow, layers);
        }
        let [cold, hot] = self
            .flow
            .map_or(LAVA_K, |flowing| flowing.flow.setup().lava.warmth_k());
        let kelvin = |i: usize| cold + (hot - cold) * i as f64 / ENERGIES as f64;
        let table: [u32; ENERGIES + 1] = std::array::from_fn(|i| {
            self.air.scale.convection(&self.air.spec, kelvin(i)).round() as u32
        });
        let lava = world.lava();
        for ([tx, y, tz], tile) in lava.tiles() {
            let (tx, y, tz) = (usize::from(tx), usize::from(y), usize::from(tz));
            for lane in (0..TILE_X * TILE_Z).filter(|&lane| tile.amount().0[lane] >= WARM) {
                let place @ [x, _, z] =
                    [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X];
                let above = [x, y + 1, z];
                // Lava under rock, more lava or water does not touch the air.
                let roofed = y + 1 < world.grid().ny
                    && (world.ground().is_solid(above) || lava.at(above).amount >= WARM);
                if roofed || is_drowned(world, place) {
                    continue;
                }
                let cell = tile.cell(lane);
                let energy =
                    u64::from(cell.energy) * u64::from(AMOUNT_ONE) / u64::from(cell.amount);
                let step = (energy * ENERGIES as u64 / u64::from(ENERGY_ONE)).min(ENERGIES as u64);
                if let Some(open) = self.over(above) {
                    self.air.add_units(Field::Heat, open, table[step as usize]);
                }
            }
        }
    }

    /// Adds the heat that melting lava (solid and liquid) loses by convection in one step to the
    /// air cells above the lava. Heat passes through the top faces of its cells that touch the air.
    fn warm_by_melting(
        &mut self,
        world: &World,
        flow: &Flow,
        Melting { solid, melt, mould }: Melting,
    ) {
        let has = |layer: usize, place: Place| world.layers()[layer].at(place).amount >= WARM;
        let is_open = |[x, y, z]: Place| {
            let above = [x, y + 1, z];
            let roofed = y + 1 < world.grid().ny
                && (world.ground().is_solid(above)
                    || [solid, melt, mould]
                        .into_iter()
                        .any(|layer| has(layer, above)));
            !roofed && !is_drowned(world, [x, y, z])
        };
        let solid_cells = world.layers()[solid]
            .held()
            .map(|(place, _)| place)
            .filter(|&place| !has(melt, place) && has(solid, place));
        let liquid = world.layers()[melt]
            .held()
            .map(|(place, _)| place)
            .filter(|&place| has(melt, place));
        for place @ [x, y, z] in solid_cells.chain(liquid).filter(|&place| is_open(place)) {
            let kelvin = shown_k(flow, place).unwrap_or(0.0);
            if let Some(open) = self.over([x, y + 1, z]) {
                self.air.add_units(
                    Field::Heat,
                    open,
                    self.air.scale.convection(&self.air.spec, kelvin).round() as u32,
                );
            }
        }
    }

    /// Moves the gas named by the key `air.steam` of the scene from the voxels to the air, with its
    /// mass and heat.
    fn take_steam(&mut self, world: &mut World) {
        let Some(number) = self
            .air
            .spec
            .steam
            .as_deref()
            .and_then(|name| world.number_of(name))
        else {
            return;
        };
        let layer = &world.layers[number];
        let full = self
            .air
            .scale
            .ash_of(layer.material().density * self.air.scale.cell_m.powi(3));
        let warm = self.air.scale.heat_of_steam();
        let held: Vec<_> = layer.held().collect();
        for (place, content) in held {
            let Some(open) = self.over(place) else {
                continue;
            };
            let share = f64::from(content.amount) / f64::from(AMOUNT_ONE);
            self.air
                .add_units(Field::Steam, open, (full * share) as u32);
            self.air.add_units(Field::Heat, open, (warm * share) as u32);
            let layer = &mut world.layers[number];
            layer.set(place, Content::default());
            layer.ledger.outflow += u64::from(content.amount);
        }
    }
}

/// Returns the temperature in kelvin of the lava displayed in the cell `[x, y, z]`, for a lava that
/// melts; `None` if no lava is displayed there. Lava in a cell that is mostly ground is displayed
/// in the cell above.
fn shown_k(flow: &Flow, [x, y, z]: Place) -> Option<f64> {
    let below = || flow.temperature_k([x, y.checked_sub(1)?, z]);
    flow.temperature_k([x, y, z]).or_else(below)
}

/// Returns true if another liquid, a grain or still matter covers the lava in the voxel `[x, y,
/// z]`, so that the lava cannot heat the air.
fn is_drowned(world: &World, [x, y, z]: Place) -> bool {
    if y + 1 >= world.grid().ny {
        return false;
    }
    let over = |(number, layer): (usize, &Layer)| {
        number != world.number_of_lava()
            && layer.material().kind != Kind::Gas
            && layer.at([x, y + 1, z]).amount >= WARM
    };
    world.layers().iter().enumerate().any(over)
}
