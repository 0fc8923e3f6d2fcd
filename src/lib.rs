//! Lavoxel: 3D volumetric viscous flow in a voxel cellular automaton, lava in true units, and the air above both.
//!
//! # A first program
//!
//! ```no_run
#![doc = include_str!("../examples/first.rs")]
//! ```
//!
//! # A tour
//!
//! Three models stand side by side, each with its own state, and none imports another: the automaton ([`world`], with its
//! [`rules`] and [`engine`]), lava in true units ([`flow`]) and the [`air`]. Couplings ([`coupling`]) carry what one gives to
//! another. Data flows one way:
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
//! - [`scene`] reads and checks a TOML file, or puts one around a heightmap; [`scene::Scene::build`] makes the state and
//!   its [`simulation::Simulation`].
//! - [`generate`] makes ground from noise, [`terrain`] reads it from heightmaps; [`world::Ground`] is the box cut by it.
//! - [`state::State`] is a world with its flow and its air, where a scene has them. A step is a row of
//!   [`simulation::Stage`]s: the rules, which an engine runs, and models and couplings around them.
//! - [`world::World`] holds the cells: ground, a [`world::Layer`] for each material in fixed point ([`units`]), and the
//!   accounts that prove that nothing was lost. [`matter::Material`] says what a layer is made of, [`matter::Reaction`] what
//!   turns into what.
//!   [`world::Edit`] is the one way to change a state by hand, [`source`] the one way matter comes in.
//! - [`rules`] says what happens between cells, one file per rule, each of a shape; [`engine`] carries the shapes over the box
//!   and knows no rule. The plain engine is the specification, the tiled one is what users get; both give the same bits.
//! - [`flow::Flow`] is lava in metres, seconds and kelvin over columns: it spreads by its viscosity, cools, sets and melts. The
//!   lava layer and the ground of its world show it to all that reads cells.
//! - [`air::Air`] has cells of its own, some voxels wide: heat lifts it, wind blows through it, and it carries ash and steam.
//! - [`lowpass`] smooths the amounts into what [`render`] draws; rendering knows neither rules nor simulation.
//! - `viewer` is the window: a thread that runs the simulation, a painter that draws the low-pass with the graphics card
//!   as `render` does, and everything that a person can touch. What is done there reaches the
//!   [`simulation::Simulation`] as a [`simulation::Command`], as if the scene file had said so, and can be saved as one.
//! - [`memory`] is asked before anything is made whose size a file or a flag decides.
//! - [`checkpoint`] puts a simulation with all that it needs into a file, from which it goes on to the same bits.
//! - [`hazard`] samples eruptions, runs them one by one, and sums their files up to maps of probability and quantiles.
//! - `sheet` prints a map with all that a reader needs, as PDF and PNG, with a project for QGIS and a report.
//! - `calibrate` searches the numbers of a scene that agree best with what was observed, and how far others agree as well.
//! - [`export`] writes pictures, animations, maps, volumes and meshes, through [`output`], whole or not at all;
//!   [`map::Site`] says where the box is in the world, for all formats that lie in it.
//!
//! # Crates
//!
//! This crate is a facade: each module is one of a small crate (`lavoxel-automaton`, `lavoxel-flow`, `lavoxel-air`, `lavoxel-scene`, …), which
//! builds and is tested alone; `docs/architecture.md` draws them. Its one feature, `window`, is on by default and adds the module `viewer`
//! with the window's libraries. `lavoxel-scene` and what it stands on build for `wasm32-unknown-unknown`, without C code.
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
//! Lengths are in cells unless a name says otherwise (`cell_size_m`, `azimuth_deg`). Amounts and energies are real numbers
//! at the edges (0 to 1; 1 for a full cell from the vent) and integers inside.
//!
//! # Add a material
//!
//! A material is a table in a scene, or a [`matter::Material`] for [`world::World::with_materials`]:
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
//! [`matter::Material::params`] lists its parameters with their ranges. Sources and bodies name it, and the report, slices,
//! files, the window and checkpoints know it by that name. A preset, such as water's, is a function next to
//! [`matter::Material::water`].
//!
//! # Add a rule
//!
//! A rule of the crate is one file of [`rules`]: its parameters (`PARAMS`), its formula in the head of the file, its scalar
//! form, which is the definition and the oracle of the tests, and the same for the 32 cells of a tile as lanes. It implements
//! one of the shapes in `rules/shape/`, such as `Column` (pairs of cells along a column, in place) or `Exchange` (four
//! neighbours at once, by the state before); both engines carry any rule of a shape. Besides its file a rule needs its line in
//! the list of `rules/schedule.rs`, with the materials that it moves, and its `mod`; order, timings, the report,
//! `lavoxel bench`, docs and the window take it from the list. `rules/squeeze.rs` and `rules/level.rs` are the
//! shortest ones; `crates/sim/tests/models/water.rs` holds them to the plain engine on every instruction set.
//!
//! A program adds a rule of its own around an engine, with [`world::World::rewrite`], which keeps the account:
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
pub use lavoxel_base::{account, body, grid, measure, memory, param, random, units, validate, words};
pub use lavoxel_files::{input, inside, output, shipped};
pub use lavoxel_geo::{generate, map, mesh, terrain};
pub use lavoxel_io::{checkpoint, export, report};
pub use lavoxel_observe::{calibrate, compare, exposure, hazard, plot, sheet};
pub use lavoxel_render as render;
pub use lavoxel_scene::{film, scene};
pub use lavoxel_sim::{coupling, goals, lowpass, records, simulation, source, state};
#[cfg(feature = "window")]
pub use lavoxel_window as viewer;
pub use ndarray;

pub mod prelude;

/// Lava in metres, seconds and kelvin, with its set-ups of a known answer.
pub mod flow {
    pub use lavoxel_flow::*;
    pub use lavoxel_observe::verify;
}

/// The README's examples compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
