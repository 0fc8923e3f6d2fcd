//! Lavoxel: 3D volumetric viscous flow in a voxel cellular automaton, a physical lava model in SI
//! units, and a model of the air above.
//!
//! # A first program
//!
//! ```no_run
#![doc = include_str!("../examples/first.rs")]
//! ```
//!
//! # A tour
//! Three models exist next to each other, each with its own state and without knowledge of the
//! others: the automaton ([`world`], with its [`rules`] and [`engine`]), the physical model of lava
//! in SI units ([`flow`]), and the [`air`]. Couplings ([`coupling`]) transfer matter and energy
//! between the models. Data flows one way:
//!
//! ```text
//!  scene file ──► scene ──► simulation: the stages of a step, by commands        source: vents, fumes
//!   (TOML)       checked        │                                                         │
//!                   │           ▼                                                         ▼
//!                   │     ┌── state ───────────────────────────────────────────────────────────────────┐
//!                   │     │                                                                            │
//!                   │     │   flow  ◄── coupling ───►  world  ◄─── coupling ────►  air                 │
//!                   │     │   columns,  flow_cells,    ground,     air_sources,    cells of its own,   │
//!                   │     │   kelvin,   flow_reactions layers:     ash,            heat, ash, steam,   │
//!                   │     │   account                  still,      stir            wind, accounts      │
//!                   ▼     │                            grains,                                         │
//!   heightmap ─► terrain ─┼─────────────────────────►  fluids, the heaviest first, each its account    │
//!                heights  │                              ▲                                             │
//!                         └──────────────────────────────┼─────────────────────────────────────────────┘
//!                                                        │                     │
//!   matter: [[material]], [[reaction]] ──► rules ──► engine: plain, tiled      ▼
//!       columns: gravity, squeeze; up and down: drift                       lowpass ──► render ──► export ──► file
//!       exchange: spreading, level, compress, waft                          8-bit       camera,    PNG, APNG, WebP,
//!       bodies: trace; turns: grains; each: calm                            volumes     march,     GIF, MP4; volumes,
//!       points: reactions, setting                                             │        slice      meshes, maps
//!                                                                              └──────► viewer (feature `window`)
//! ```
//!
//! - [`scene`] reads and validates a TOML file, or builds a scene around a heightmap;
//!   [`scene::Scene::build`] creates the state and its [`simulation::Simulation`].
//! - [`generate`] creates ground from noise, [`terrain`] reads ground from heightmaps;
//!   [`world::Ground`] is the box divided by the ground's surface into rock and free cells.
//! - [`state::State`] is a world, with its flow and its air if the scene has these. A step is a
//!   sequence of [`simulation::Stage`]s: the rules, which an engine runs, and models and couplings
//!   around them.
//! - [`world::World`] holds the cells: ground, a [`world::Layer`] for each material in fixed point
//!   ([`units`]), and the accounts that prove that nothing was lost. [`matter::Material`] describes
//!   the matter of a layer, [`matter::Reaction`] a conversion between materials. [`world::Edit`] is
//!   the only way to change a state by hand, [`source`] the only way to add matter over time.
//! - [`rules`] define the exchange between cells, one file per rule. Each rule has one of a few
//!   shapes (patterns of cells that it reads and writes); [`engine`] applies these shapes to the
//!   whole box without knowing the rules. The plain engine is the specification, the tiled one is
//!   the fast one for users; both give the same bits.
//! - [`flow::Flow`] is lava in metres, seconds and kelvin over columns: the lava spreads by its
//!   viscosity, cools, solidifies and melts. The lava layer and the ground of its world show the
//!   flow to all code that reads cells.
//! - [`air::Air`] has cells of its own, several voxels wide: heat lifts the air, wind blows, and
//!   both transport ash and steam.
//! - [`lowpass`] smooths the amounts into volumes that [`render`] draws; the renderer knows neither
//!   rules nor simulation.
//! - `viewer` is the window: a thread that runs the simulation, a painter that draws the filtered
//!   volumes with the graphics card as `render` does, and all interaction. Every action there
//!   reaches the [`simulation::Simulation`] as a [`simulation::Command`], as if the scene file had
//!   contained it, and can be saved as one.
//! - [`memory`] checks, before anything is allocated whose size a file or a flag determines, that
//!   the memory limit leaves room.
//! - [`checkpoint`] writes a simulation with all its data to a file, from which the simulation
//!   continues to the same bits.
//! - [`hazard`] samples eruptions, runs them one by one, and reduces their results to maps of
//!   probability and quantiles.
//! - `sheet` prints a map sheet as PDF and PNG, with a project for QGIS and a report.
//! - `calibrate` searches for the parameters of a scene that agree best with observations, and for
//!   the range of parameters that agree equally well.
//! - [`export`] writes pictures, animations, maps, volumes and meshes through [`output`], so that a
//!   file is complete or absent; [`map::Site`] locates the box in the world, for all georeferenced
//!   formats.
//!
//! # Crates
//!
//! This crate is a facade: each module is that of a small crate (`lavoxel-automaton`,
//! `lavoxel-flow`, `lavoxel-air`, `lavoxel-scene`, …), which builds and is tested alone;
//! `docs/architecture.md` shows their dependencies. The only feature, `window`, is on by default
//! and adds the module `viewer` with the window's libraries. `lavoxel-scene` and the crates on
//! which it depends build for `wasm32-unknown-unknown`, without C code.
//!
//! # Axes
//!
//! ```text
//!        y up
//!        │
//!        │____ x east        row 0 of a heightmap is north (z = 0), column 0 is west (x = 0)
//!       ╱
//!      z south
//! ```
//!
//! Lengths are in cells unless a name has another unit (`cell_size_m`, `azimuth_deg`). Amounts and
//! energies are real numbers in the interface (amount 0 to 1, where 1 is a full cell; energy 1 for
//! a full cell fresh from the vent) and integers inside.
//!
//! # Add a material
//!
//! A material is a table in a scene, or a [`matter::Material`] for
//! [`world::World::with_materials`]:
//!
//! ```toml
//! [[material]]
//! name = "oil"
//! density = 800.0      # lighter than water: it floats
//! viscosity = 0.9
//! stickiness = 0.05
//! fluidity = 3
//! ```
//!
//! [`matter::Material::params`] lists its parameters with their ranges. Sources and bodies refer to
//! a material by its name, and so do the report, slices, files, the window and checkpoints. A
//! preset, such as water's, is a function next to [`matter::Material::water`].
//!
//! # Add a rule
//!
//! A rule of the crate is one file of [`rules`]: its parameters (`PARAMS`), its formula in the head
//! of the file, its scalar form, which is the definition and the oracle of the tests, and the
//! vector form for the 32 cells of a tile as lanes. A rule implements one of the shapes in
//! `rules/shape/`, such as `Column` (pairs of cells along a column, in place) or `Exchange` (four
//! neighbours at once, by the state before); both engines carry any rule of a shape. In addition to
//! its file a rule needs a line in the list of `rules/schedule.rs`, with the materials that the
//! rule moves, and its `mod`; order, timings, the report, `lavoxel bench`, docs and the window take
//! the rule from that list. `rules/squeeze.rs` and `rules/level.rs` are the shortest ones;
//! `crates/sim/tests/models/water.rs` compares them with the plain engine on every instruction set.
//!
//! A program adds a rule of its own around an engine, with [`world::World::rewrite`], which keeps
//! the account:
//!
//! ```no_run
#![doc = include_str!("../examples/own_rule.rs")]
//! ```
//!
//! # A scene, step by step
//!
//! ```
//! use lavoxel::engine::tiled::Tiled;
//! use lavoxel::lowpass::LowPass;
//! use lavoxel::render::{Camera, Renderer};
//! use lavoxel::scene::Scene;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut scene = Scene::volcano();
//! scene.spec.grid.size = [32, 25, 32];
//! let mut simulation = scene.build(Box::new(Tiled::default()))?.simulation;
//! (0..50).for_each(|_| simulation.step());
//!
//! let world = simulation.world();
//! let mut lowpass = LowPass::new(world.grid());
//! let mut renderer = Renderer::new(world.ground().surface(), world.grid(), scene.spec.look.clone())?;
//! let camera = Camera::new(&scene.spec.camera, &renderer.subject(), (96, 64));
//! let picture = renderer.frame(lowpass.refresh(world), &camera);
//! assert_eq!(picture.rgb.len(), 3 * 96 * 64);
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs, clippy::print_stdout)]

pub use lavoxel_air as air;
pub use lavoxel_automaton::{engine, matter, rules, view, world};
pub use lavoxel_base::{
    account, body, grid, measure, memory, param, random, units, validate, words,
};
pub use lavoxel_files::{archive, input, output, shipped};
pub use lavoxel_geo::{blocks, generate, map, mesh, terrain};
pub use lavoxel_io::{checkpoint, export, report};
pub use lavoxel_observe::{calibrate, compare, exposure, hazard, plot, sheet, study};
pub use lavoxel_render as render;
pub use lavoxel_scene::{film, scene};
pub use lavoxel_sim::{coupling, goals, lowpass, records, simulation, source, state};
#[cfg(feature = "window")]
pub use lavoxel_window as viewer;
pub use ndarray;

pub mod prelude;

/// Physical lava model in metres, seconds and kelvin, with its verification cases.
pub mod flow {
    pub use lavoxel_flow::*;
    pub use lavoxel_observe::verify;
}

/// Carrier of the README, so that its examples are compiled and run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
