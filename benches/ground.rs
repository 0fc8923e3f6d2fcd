//! Times changes of the ground: one cell of rock added before every step, compared with the same
//! steps over unchanged ground: `cargo bench --bench ground [row]...`.
//!
//! Runs alternate, and every round starts from the same state. For each step the shortest time of
//! all rounds counts (other load only adds time), and for a run the mean over its steps.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "worlds/mod.rs"]
mod worlds;

use std::hint::black_box;
use std::time::Instant;

use lavoxel::grid::{Grid, Place};
use lavoxel::lowpass::LowPass;
use lavoxel::random::mix64;
use lavoxel::render::{Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel::simulation::{Command, Simulation};
use lavoxel::world::{Edit, Matter, Shape};
use worlds::erupted;

/// Number of cells of the box along each axis.
const GRID: Grid = Grid {
    nx: 512,
    ny: 128,
    nz: 512,
};
/// Number of rounds in which the runs alternate.
const ROUNDS: usize = 7;
/// Number of timed steps of a run.
const STEPS: usize = 100;
/// Number of timed frames of a run, one per step.
const FRAMES: usize = 8;
/// Width and height of a frame in pixels.
const SIZE: (usize, usize) = (960, 540);

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let rows: [(&str, fn()); 3] = [
        ("step", step_row),
        ("lowpass", lowpass_row),
        ("frame", frame_row),
    ];
    println!("{} threads", rayon::current_num_threads());
    for (name, row) in rows {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            row();
        }
    }
}

/// Creates the simulation: the volcano with lava on its flanks.
fn volcano() -> Simulation {
    erupted(GRID, 3, 2000)
}

/// Returns the time in milliseconds that `work` takes.
fn ms(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns the command that adds a cell of rock at most three cells from lava, at another place for
/// every step. `held`: cells with lava; `step`: number of the step.
fn rock(simulation: &Simulation, held: &[Place], step: usize) -> Command {
    let random = mix64(step as u64) as usize;
    let [x, y, z] = held[random % held.len()];
    let near = |v: usize, by: usize, n: usize| (v + by % 7).saturating_sub(3).min(n - 1);
    let grid = simulation.world().grid();
    let at = [
        near(x, random >> 20, grid.nx),
        (y + (random >> 30) % 3).min(grid.ny - 1),
        near(z, random >> 40, grid.nz),
    ];
    let from = at.map(|v| v as f64);
    Command::Put(Edit {
        shape: Shape::Box {
            from,
            to: from.map(|v| v + 1.0),
        },
        matter: Matter::Rock,
    })
}

/// Returns the mean milliseconds of `work` over `steps` steps: first without, then with a change of
/// the ground before each step.
fn by_turns(
    steps: usize,
    mut work: impl FnMut(&mut Simulation, Option<Command>) -> f64,
) -> [f64; 2] {
    let mut simulation = volcano();
    let start = simulation.snapshot(None);
    let held: Vec<Place> = simulation.world().lava().held().map(|(at, _)| at).collect();
    let mut least = [vec![f64::INFINITY; steps], vec![f64::INFINITY; steps]];
    for _ in 0..ROUNDS {
        for (changes, least) in least.iter_mut().enumerate() {
            simulation.go_back(&start);
            (0..10).for_each(|_| simulation.step());
            for (step, least) in least.iter_mut().enumerate() {
                let act = (changes == 1).then(|| rock(&simulation, &held, step));
                *least = least.min(work(&mut simulation, act));
            }
        }
    }
    least.map(|times| times.iter().sum::<f64>() / steps as f64)
}

/// Makes a step, after the command `act` if there is one. Without a change no command is sent, so
/// that the baseline times the step alone.
fn step(simulation: &mut Simulation, act: Option<Command>) {
    if let Some(act) = act {
        simulation.command(act).expect("a small edit");
    }
    simulation.step();
}

fn line(name: &str, [without, with]: [f64; 2]) {
    let ratio = with / without;
    println!(
        "{name:<44}{without:>10.4} ms without  {with:>10.4} ms with one cell of rock a step  ratio {ratio:>7.3}"
    );
}

fn step_row() {
    line(
        "a step, 512 × 128 × 512",
        by_turns(STEPS, |simulation, act| ms(|| step(simulation, act))),
    );
}

fn lowpass_row() {
    let mut lowpass = LowPass::new(GRID);
    let times = by_turns(STEPS, |simulation, act| {
        step(simulation, act);
        ms(|| {
            lowpass.refresh(simulation.world());
        })
    });
    line("the low-pass after a step", times);
}

/// Times the update of low-pass, ground and picture after a step, without and with a change of the
/// ground.
fn frame_row() {
    for style in [Style::Cinematic, Style::Scientific] {
        let look = LookSpec {
            style,
            ..LookSpec::default()
        };
        let world = volcano();
        let mut renderer =
            Renderer::new(world.world().ground().surface(), GRID, look).expect("a good look");
        let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), SIZE);
        let mut lowpass = LowPass::new(GRID);
        let times = by_turns(FRAMES, |simulation, act| {
            step(simulation, act);
            ms(|| {
                renderer.set_ground(simulation.world().ground());
                lowpass.refresh(simulation.world());
                black_box(renderer.frame_of(&mut lowpass, &camera));
            })
        });
        line(&format!("a frame after a step, {style:?}"), times);
    }
}
