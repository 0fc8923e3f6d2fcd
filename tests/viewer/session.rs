//! Tests that the simulation thread sends the window every change and nothing else, and that a
//! recorded session replays to the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{Dice, densest, tiled};
use lavoxel::lowpass::{LowPass, Volume};
use lavoxel::matter::Material;
use lavoxel::output::Existing;
use lavoxel::render::Ray;
use lavoxel::rules::{MaterialChange, RulesChange, RulesSpec, Walls};
use lavoxel::scene::{Scene, VentPlace, pack};
use lavoxel::simulation::{self, Simulation};
use lavoxel::source::{VentChange, VentSpec};
use lavoxel::units::AMOUNT_ONE;
use lavoxel::viewer::messages::{
    BranchChange, Command, Cut, History, Mend, Moment, Pace, Probe, Report, Stroke, Update, Way,
};
use lavoxel::viewer::worker::Worker;
use lavoxel::world::{Content, Edit, Matter, Quantity, Shape, World};
use nalgebra::Vector3;
use ndarray::Array2;

const SCENE: &str = r#"
name = "session"
seed = 3
[grid]
size = [37, 26, 29]
[terrain]
kind = "volcano"
[rules]
threshold = 0.25
[[vent]]
x = 18.0
z = 14.0
radius = 2.0
rate = 1.6
[[event]]
at = 120
put = { shape = { kind = "sphere", center = [18.0, 24.0, 14.0], radius = 2.0 }, matter = { kind = "lava", amount = 1.0, energy = 1.0 } }
"#;

fn scene() -> Scene {
    Scene::parse(SCENE, Path::new("scene.toml")).unwrap()
}

fn spec(x: f64, z: f64, rate: f64) -> VentSpec {
    VentSpec {
        x,
        z,
        radius: 1.5,
        rate,
        ..VentSpec::default()
    }
}

fn ball(center: [f64; 3]) -> Shape {
    Shape::Sphere {
        center,
        radius: 2.5,
    }
}

fn edit(shape: Shape, matter: Matter) -> Command {
    Command::World(Edit { shape, matter }.into())
}

/// Copy of the world as the window keeps it from the received messages.
struct Window {
    worker: Worker,
    volume: Volume,
    bricks: Vec<u8>,
    ground: Array2<f32>,
    cuts: [Option<Cut>; 3],
    report: Report,
    notices: Vec<(bool, String)>,
    /// Notices about lava at the sides of the box that were received.
    edge: Vec<String>,
    /// Remedies that received notices offered.
    mends: Vec<Mend>,
}

impl Window {
    fn open(scene: Scene) -> Self {
        let mut worker = Worker::start(scene, None).unwrap_or_else(|e| panic!("{e}"));
        let first = worker.poll().expect("the first update waits");
        assert!(first.changes.reset && first.changes.bricks.is_some());
        let mut window = Self {
            worker,
            volume: Volume::empty(first.report.grid),
            bricks: Vec::new(),
            ground: first
                .changes
                .ground
                .as_ref()
                .expect("a new scene has a new ground")
                .heights
                .clone(),
            cuts: [None, None, None],
            report: first.report.clone(),
            notices: Vec::new(),
            edge: Vec::new(),
            mends: Vec::new(),
        };
        window.learn(first);
        window
    }

    fn learn(&mut self, update: Update) {
        assert_eq!(
            update.changes.reset,
            update.report.epoch != self.report.epoch || self.bricks.is_empty()
        );
        let grid = update.report.grid;
        if update.changes.reset {
            self.volume = Volume::empty(grid);
            assert!(update.changes.ground.is_some() && update.changes.bricks.is_some());
        }
        let mut patched = vec![false; grid.cells()];
        for patch in &update.changes.patches {
            let [x, y, z] = patch.origin;
            let mut differs = false;
            let mut texels = patch.texels.iter();
            for z in z..z + patch.size[2] {
                for y in y..y + patch.size[1] {
                    for x in x..x + patch.size[0] {
                        let (cell, &[density, energy]) =
                            (grid.index([x, y, z]), texels.next().unwrap());
                        assert!(
                            !std::mem::replace(&mut patched[cell], true),
                            "patches overlap"
                        );
                        differs |= (density, energy)
                            != (self.volume.density[cell], self.volume.energy[cell]);
                        (self.volume.density[cell], self.volume.energy[cell]) = (density, energy);
                    }
                }
            }
            assert!(
                differs && texels.next().is_none(),
                "nothing new in {:?} {:?}",
                patch.origin,
                patch.size
            );
        }
        if let Some(bricks) = update.changes.bricks {
            assert_ne!(
                (bricks == self.bricks, update.changes.reset),
                (true, false),
                "nothing new in the bricks"
            );
            self.bricks = bricks;
        }
        if let Some(ground) = update.changes.ground {
            if update.changes.reset {
                self.ground = ground.heights;
            } else {
                ground.write_to(&mut self.ground);
            }
        }
        for (old, new) in self.cuts.iter_mut().zip(update.changes.cuts) {
            if new.is_some() {
                *old = new;
            }
        }
        self.report = update.report;
        // Random edits decide if lava reaches the sides of these small boxes; a separate test
        // checks that notice.
        self.mends
            .extend(update.notices.iter().filter_map(|notice| notice.mend));
        let mut notices: Vec<_> = update
            .notices
            .into_iter()
            .map(|notice| (notice.wrong, notice.text))
            .collect();
        let edge =
            |(_, text): &mut (bool, String)| text.starts_with("lava stands at the closed sides");
        self.edge
            .extend(notices.extract_if(.., edge).map(|(_, text)| text));
        self.notices.extend(notices);
        assert!(
            self.report
                .materials
                .iter()
                .all(|material| material.mass.error_units == 0)
        );
    }

    fn send(&self, command: Command) {
        self.worker.send(command);
    }

    /// Receives messages until `known` returns true; fails with the name `what` if that takes too
    /// long.
    fn until(&mut self, what: &str, known: impl Fn(&Self) -> bool) {
        for _ in 0..6000 {
            if let Some(update) = self.worker.poll() {
                self.learn(update);
            }
            if known(self) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!(
            "waited in vain for {what}: {:?} {:?}",
            self.report, self.notices
        );
    }

    /// Sends the command for `n` steps, and waits until the last step is reported.
    fn steps(&mut self, n: u64) {
        let end = self.report.step + n;
        self.send(Command::Steps(n));
        self.until("steps", |window| {
            window.report.step == end && window.report.pace == Pace::Paused
        });
    }

    /// Waits until all commands sent are carried out: a probe along a vertical ray at `x`, sent
    /// now, is answered last.
    fn settle(&mut self, x: f32) {
        let ray = down(x, 0.5);
        self.send(Command::Pick(Some(ray)));
        self.until("an answer", |window| {
            window
                .report
                .probe
                .as_ref()
                .is_some_and(|probe| probe.point[0] == x)
        });
    }

    /// Compares the whole copy with `world`.
    fn check(&self, world: &World) {
        let mut lowpass = LowPass::new(world.grid());
        let lava = lowpass.refresh(world);
        let same = (&lava.density, &lava.energy) == (&self.volume.density, &self.volume.energy);
        assert!(same, "the lava's volume at step {}", self.report.step);
        assert_eq!(self.ground, *world.ground().surface());
        let liquid = world.lava().tally().cells;
        assert_eq!(self.report.materials[0].cells, liquid);
        let mass = world.lava().mass() as f64 / f64::from(AMOUNT_ONE);
        assert_eq!(self.report.materials[0].mass.present, mass);
        assert!(
            self.bricks == densest(&self.volume),
            "the bricks at step {}",
            self.report.step
        );
    }
}

fn down(x: f32, z: f32) -> Ray {
    Ray {
        origin: Vector3::new(x, 100.0, z),
        direction: Vector3::new(0.0, -1.0, 0.0),
    }
}

fn replayed(scene: &Scene, steps: u64) -> Simulation {
    let mut simulation = scene
        .build(tiled())
        .unwrap_or_else(|e| panic!("{e}"))
        .simulation;
    (0..steps).for_each(|_| simulation.step());
    simulation
}

#[test]
fn the_window_knows_the_world_of_its_scene() {
    let mut window = Window::open(scene());
    window.check(replayed(&scene(), 0).world());
    window.send(Command::Pace(Pace::Free));
    window.until("200 steps", |window| window.report.step >= 200);
    assert!(window.report.steps_per_second > 0.0);
    window.send(Command::Pace(Pace::Paused));
    window.until("the pause", |window| window.report.pace == Pace::Paused);
    assert_eq!(window.report.steps_per_second, 0.0);
    let step = window.report.step;
    window.check(replayed(&scene(), step).world());
    window.steps(1);
    assert_eq!(window.report.step, step + 1);
    window.check(replayed(&scene(), step + 1).world());
    window.send(Command::Pace(Pace::Rate(300.0)));
    window.until("more steps", |window| window.report.step >= step + 40);
}

#[test]
fn a_paused_window_hears_nothing_until_something_happens() {
    let mut window = Window::open(scene());
    window.steps(20);
    window.settle(3.5);
    for _ in 0..50 {
        assert!(window.worker.poll().is_none(), "nothing happened");
        std::thread::sleep(Duration::from_millis(1));
    }
    window.send(edit(ball([18.0, 23.0, 14.0]), Matter::Rock));
    let heights = window.ground.clone();
    window.until("the rock", |window| window.ground != heights);
    window.send(Command::Pace(Pace::Rate(f64::NAN)));
    window.until("a refusal", |window| !window.notices.is_empty());
    assert_eq!(
        window.notices,
        [(
            true,
            "rate = NaN: must be a number of steps a second above 0".to_owned()
        )]
    );
}

#[test]
fn the_probe_answers_what_lies_under_the_pointer() {
    let mut window = Window::open(scene());
    window.steps(150);
    let simulation = replayed(&scene(), 150);
    let world = simulation.world();
    let stage = scene().build(tiled()).unwrap();
    let metres = |held: u64| held as f64 / f64::from(AMOUNT_ONE) * stage.site.cell_size_m;
    let values = |solid: bool, cell: Content| {
        let (amount, energy) = (
            lavoxel::units::amount(cell.amount),
            lavoxel::units::energy(cell.energy),
        );
        let all = [
            ("amount", amount),
            ("energy", energy),
            ("specific-energy", energy / amount.max(1e-9)),
        ];
        let all = all
            .into_iter()
            .chain([("solid", f32::from(u8::from(solid)))]);
        all.filter(|(_, value)| *value > 0.0)
            .map(|(name, value)| (world.quantity(name).unwrap(), value))
            .collect()
    };
    let mut lava = 0;
    for i in 0..40 {
        let (x, z) = (0.5 + 0.9 * i as f32, 14.25);
        window.send(Command::Pick(Some(down(x, z))));
        window.until("the probe", |window| {
            window
                .report
                .probe
                .as_ref()
                .is_some_and(|probe| probe.point[0] == x)
                || i == 40
        });
        let probe = window.report.probe.clone().unwrap();
        let solid = |y: usize| world.ground().is_solid([x as usize, y, 14]);
        let content = |y: usize| world.lava().at([x as usize, y, 14]);
        let seen = |&y: &usize| solid(y) || content(y).amount > AMOUNT_ONE / 20;
        let y = (0..world.grid().ny).rev().find(seen).unwrap();
        let held: u64 = (0..world.grid().ny)
            .map(|y| u64::from(content(y).amount))
            .sum();
        let expected = Probe {
            cell: [x as usize, y, 14],
            point: [x, (y + 1) as f32, z],
            solid: solid(y),
            cut: false,
            values: values(solid(y), content(y)),
            ground_m: f64::from(world.ground().surface()[[14, x as usize]])
                * stage.site.cell_size_m,
            thickness_m: (held > 0)
                .then(|| ("lava".to_owned(), metres(held)))
                .into_iter()
                .collect(),
            flow: None,
        };
        lava += usize::from(!probe.solid);
        assert_eq!(probe, expected);
    }
    assert!(lava > 3, "{lava} probes met lava");
    window.send(Command::Pick(Some(down(-5.0, 5.0))));
    window.until("nothing under the pointer", |window| {
        window.report.probe.is_none()
    });
}

#[test]
fn slices_come_when_they_change() {
    let mut window = Window::open(scene());
    window.send(Command::Cuts(
        [Some(18), None, Some(99)],
        Quantity::default(),
    ));
    window.until("two slices", |window| {
        window.cuts[0].is_some() && window.cuts[2].is_some()
    });
    let before = window.cuts.clone();
    let cut = before[2].as_ref().unwrap();
    assert_eq!(
        (cut.cell, cut.width, cut.height, cut.texels.len()),
        (28, 37, 26, 37 * 26)
    );
    window.steps(30);
    assert_ne!(window.cuts[0], before[0], "lava came through the vent");
    let simulation = replayed(&scene(), 30);
    let cut = window.cuts[0].as_ref().unwrap();
    for (i, &[value, _, _, content]) in cut.texels.iter().enumerate() {
        let (y, z) = (i / cut.width, i % cut.width);
        let amount = simulation.world().lava().at([18, y, z]).amount;
        let expected = match simulation.world().ground().is_solid([18, y, z]) {
            true => [0, 2],
            false => [
                (f64::from(amount) / f64::from(AMOUNT_ONE) * 255.0).round() as u8,
                u8::from(amount > 0),
            ],
        };
        assert_eq!([value, content], expected, "cell {i}");
    }
}

#[test]
fn a_wrong_scene_leaves_the_old_one() {
    let mut window = Window::open(scene());
    window.steps(10);
    let mut wrong = scene();
    let text = "[terrain]\nkind = \"heightmap\"\nfile = \"nowhere.asc\"\n";
    window.send(Command::Open(Box::new(
        Scene::parse(text, Path::new("wrong.toml")).unwrap(),
    )));
    wrong.spec.rules.spread = 3.0;
    window.send(Command::Open(Box::new(wrong)));
    window.until("two refusals", |window| window.notices.len() == 2);
    assert!(
        window.notices[0].0 && window.notices[0].1.contains("wrong.toml: "),
        "{:?}",
        window.notices
    );
    assert!(
        window.notices[0].1.contains("nowhere.asc"),
        "{:?}",
        window.notices
    );
    assert_eq!(
        window.notices[1],
        (
            true,
            "scene.toml: rules.spread = 3: must be a number from 0.000016 to 0.25".into()
        )
    );
    assert_eq!((window.report.epoch, window.report.step), (0, 10));
    window.steps(5);
    window.check(replayed(&scene(), 15).world());

    let mut other = scene();
    other.spec.grid.size = [24, 30, 20];
    other.spec.vents[0].place = VentPlace::Cells { x: 12.0, z: 10.0 };
    window.send(Command::Open(Box::new(other.clone())));
    window.until("the other scene", |window| window.report.epoch == 1);
    assert_eq!((window.report.step, window.report.grid.ny), (0, 30));
    window.steps(12);
    window.check(replayed(&other, 12).world());
}

#[test]
fn choices_warnings_and_lava_at_the_sides_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.csv");
    let row = |z: usize| {
        (0..20)
            .map(|x| (x + z).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    std::fs::write(&path, (0..20).map(row).collect::<Vec<_>>().join("\n")).unwrap();
    let mut window = Window::open(Scene::open(&path).unwrap());
    window.until("the choices", |window| !window.notices.is_empty());
    let (wrong, text) = window.notices.remove(0);
    assert!(
        !wrong
            && text.starts_with("place floor at ")
            && text.contains("; chosen 10 m assumed for a cell"),
        "{text}"
    );
    assert!(text.contains("open sides"), "{text}");

    let dry = "[grid]\nsize = [9, 12, 9]\n[terrain]\nkind = \"plane\"\n";
    window.send(Command::Open(Box::new(
        Scene::parse(dry, Path::new("dry.toml")).unwrap(),
    )));
    window.until("the warning", |window| !window.notices.is_empty());
    let (wrong, text) = window.notices.remove(0);
    assert!(
        wrong && text.starts_with("dry.toml: nothing pours"),
        "{text}"
    );

    let flood = format!("{dry}[rules]\nthreshold = 0.05\n[[vent]]\nat = \"summit\"\nrate = 2.0\n");
    window.send(Command::Open(Box::new(
        Scene::parse(&flood, Path::new("flood.toml")).unwrap(),
    )));
    window.until("the flood", |window| window.report.epoch == 2);
    window.steps(300);
    assert_eq!(window.edge.len(), 1, "sent once: {:?}", window.edge);
}

#[test]
fn a_session_at_the_window_replays_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for session in 0..4 {
        let mut dice = Dice(100 + session);
        let mut window = Window::open(scene());
        window.steps(dice.below(40));
        window.send(Command::Keep);
        for round in 0..14 {
            let mut real =
                |low: f64, high: f64| low + dice.below(1000) as f64 / 1000.0 * (high - low);
            let (place, rate) = (
                [real(5.0, 32.0), real(8.0, 22.0), real(5.0, 24.0)],
                real(0.1, 2.0),
            );
            let vents: Vec<usize> = window
                .report
                .vents
                .iter()
                .map(|&(number, _)| number)
                .collect();
            let one = vents
                .get(dice.below(vents.len().max(1) as u64) as usize)
                .copied();
            let matter = Matter::Lava {
                amount: 0.8,
                energy: 1.1,
                temperature_k: None,
            };
            match (round + dice.below(3)) % 8 {
                0 => window.send(Command::World(spec(place[0], place[2], rate).into())),
                1 => window.send(edit(ball(place), Matter::Rock)),
                2 => one.map_or((), |n| {
                    window.send(Command::World(
                        VentChange::Change(n, spec(place[0], place[2], rate)).into(),
                    ))
                }),
                3 => window.send(edit(ball(place), matter)),
                4 => window.send(Command::World(
                    RulesSpec {
                        threshold: 0.1 * rate,
                        ..RulesSpec::default()
                    }
                    .into(),
                )),
                5 => one.map_or((), |n| {
                    window.send(Command::World(VentChange::Close(n).into()))
                }),
                6 => window.send(Command::World(simulation::Command::Seed(round))),
                _ => window.send(edit(ball(place), Matter::Nothing)),
            }
            if round == 9 {
                window.send(Command::Go(Way::Back));
            }
            if round % 3 == 0 {
                // Commands also arrive while the simulation runs freely.
                window.send(Command::Pace(Pace::Free));
                window.send(edit(ball(place), Matter::Drain));
                let step = window.report.step;
                let epoch = window.report.epoch;
                window.until("a few steps", |window| {
                    window.report.epoch > epoch || window.report.step > step + 10
                });
                window.send(Command::Pace(Pace::Paused));
                window.until("the pause", |window| window.report.pace == Pace::Paused);
            } else {
                window.settle(1.0 + round as f32);
                window.steps(dice.below(12) + 1);
            }
        }
        // Changing something after going back begins a branch, which gives this notice.
        window
            .notices
            .retain(|(_, text)| !text.contains("the way before is kept"));
        assert!(window.notices.is_empty(), "{:?}", window.notices);
        let (mut camera, look) = (scene().spec.camera, scene().spec.look);
        camera.azimuth_deg = 77.0;
        window.send(Command::View(Box::new(camera), Box::new(look)));
        let path = folder.path().join(format!("{session}.toml"));
        window.send(Command::Save(path.clone(), Existing::Keep));
        window.until("the file", |window| !window.notices.is_empty());
        assert_eq!(
            window.notices,
            [(false, format!("saved {}", path.display()))]
        );

        let saved = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            (saved.spec.film.steps, saved.spec.camera.azimuth_deg),
            (window.report.step, 77.0)
        );
        let replay = replayed(&saved, window.report.step);
        window.check(replay.world());
        assert_eq!(
            (replay.seed(), replay.rules_spec()),
            (window.report.seed, &window.report.rules)
        );

        window.send(Command::Save(path.clone(), Existing::Keep));
        window.until("a refusal", |window| window.notices.len() == 2);
        assert_eq!(
            window.notices[1],
            (
                true,
                format!("{} exists already: choose another name", path.display())
            )
        );
    }
}

#[test]
fn water_is_poured_put_in_changed_and_brought_back_by_the_window() {
    let folder = tempfile::tempdir().unwrap();
    // Water next to the lava, without reactions.
    let water =
        "[[material]]\nname = \"water\"\n[[source]]\nmaterial = \"water\"\nx = 6.0\nz = 6.0\n";
    let text = format!("default_reactions = false\n{SCENE}{water}");
    let scene = Scene::parse(&text, Path::new("water.toml")).unwrap();
    let mut window = Window::open(scene.clone());
    window.steps(100);
    let material = |window: &Window| window.report.materials[1].material.clone();
    let before = window.report.materials[1].clone();
    assert!(
        before.mass.of_key("sourced") > 50.0
            && before.mass.present == before.mass.of_key("sourced"),
        "{:?}",
        before.mass
    );

    let water = || "water".to_owned();
    window.send(edit(
        ball([18.0, 23.0, 14.0]),
        Matter::Material {
            name: water(),
            amount: 1.0,
        },
    ));
    window.send(Command::World(
        VentSpec {
            material: Some(water()),
            ..spec(30.0, 20.0, 1.5)
        }
        .into(),
    ));
    let thick = Material {
        viscosity: 1.0,
        fluidity: 5,
        ..material(&window)
    };
    window.send(Command::World(
        MaterialChange::between(&material(&window), &thick).into(),
    ));
    window.until("the thicker water", |window| {
        window.report.materials[1].material == thick
    });
    window.steps(40);
    assert!(
        window.report.materials[1].mass.of_key("sourced") > before.mass.of_key("sourced") + 60.0
    );
    let path = folder.path().join("water-saved.toml");
    window.send(Command::Save(path.clone(), Existing::Keep));
    window.until("the file", |window| !window.notices.is_empty());
    let replay = replayed(&Scene::load(&path).unwrap_or_else(|e| panic!("{e}")), 140);
    window.check(replay.world());
    let tally = replay.world().layer("water").unwrap().tally();
    let report = &window.report.materials[1];
    assert_eq!(
        (report.cells, report.mass.present),
        (tally.cells, tally.mass as f64 / f64::from(AMOUNT_ONE))
    );

    window.send(Command::Go(Way::To(moment(100))));
    window.until("the step before", |window| {
        window.report.moment == moment(100)
    });
    assert_eq!(
        window.report.materials[1], before,
        "the water and its parameters are back"
    );
    window.send(edit(
        ball([18.0, 23.0, 14.0]),
        Matter::Material {
            name: "oil".to_owned(),
            amount: 1.0,
        },
    ));
    window.until("a refusal", |window| window.notices.len() == 2);
    let refused = "put.matter.name = \"oil\": must be the name of a [[material]] table: \"water\"";
    assert_eq!(window.notices[1], (true, refused.to_owned()));
}

/// Returns the moment at the step `step` before which no command was given.
fn moment(step: u64) -> Moment {
    Moment { step, act: 0 }
}

impl Window {
    /// Sends a seek to another moment, and waits until it is reached.
    fn go(&mut self, way: Way) {
        let ways = self.report.ways;
        self.send(Command::Go(way));
        self.until("the way", |window| {
            window.report.ways > ways && window.report.goal == window.report.moment
        });
    }

    fn present(
        &self,
    ) -> (
        Volume,
        Vec<lavoxel::viewer::messages::MaterialReport>,
        Array2<f32>,
    ) {
        (
            self.volume.clone(),
            self.report.materials.clone(),
            self.ground.clone(),
        )
    }

    fn branches(&self) -> Vec<(String, u64)> {
        let branches = self.report.timeline.branches.iter();
        branches
            .map(|report| (report.branch.name.clone(), report.branch.end))
            .collect()
    }
}

#[test]
fn going_back_keeps_the_future_and_a_change_there_begins_a_branch() {
    let mut window = Window::open(scene());
    window.steps(130);
    window.send(Command::Keep);
    window.send(edit(ball([18.0, 20.0, 14.0]), Matter::Rock));
    window.steps(90);
    window.send(Command::World(spec(9.0, 9.0, 1.0).into()));
    window.steps(25);
    let present = window.present();
    assert_eq!(window.report.timeline.kept, [moment(130)]);
    let deeds: Vec<_> = window
        .report
        .timeline
        .deeds
        .iter()
        .map(|deed| (deed.deed.before.step, &deed.words[..]))
        .collect();
    assert_eq!(deeds, [(130, "stroke of rock"), (220, "new vent")]);

    window.go(Way::Back);
    window.check(replayed(&scene(), 130).world());
    assert_eq!(
        (
            window.report.moment,
            window.report.acts,
            window.report.acts_ahead
        ),
        (moment(130), 0, 2)
    );
    // Any step can be reached, including steps without a snapshot.
    window.go(Way::Step(77));
    window.check(replayed(&scene(), 77).world());
    // Going forward repeats the later actions; the present is reached again by steps or with one
    // jump.
    window.steps(168);
    assert!(window.present() == present, "not the same");
    assert_eq!((window.report.acts, window.report.acts_ahead), (2, 0));
    window.go(Way::Start);
    window.check(replayed(&scene(), 0).world());
    assert_eq!(window.report.vents.len(), 1);
    window.go(Way::Ahead);
    assert_eq!(window.report.moment, moment(130));
    window.go(Way::Ahead);
    assert!(window.present() == present, "not the same");

    // A change begins a branch, and the earlier branch stays.
    window.go(Way::Step(100));
    window.notices.clear();
    window.send(edit(ball([18.0, 20.0, 14.0]), Matter::Nothing));
    window.until("a message", |window| !window.notices.is_empty());
    assert_eq!(
        window.notices.remove(0).1,
        "branch 2 begins at step 100; the way before is kept"
    );
    window.steps(10);
    let other = window.present();
    assert_eq!(
        window.branches(),
        [("main".to_owned(), 245), ("branch 2".to_owned(), 110)]
    );
    window.go(Way::Branch(1));
    assert_eq!((window.report.step, window.report.acts), (110, 0));
    window.check(replayed(&scene(), 110).world());
    window.go(Way::Ahead);
    window.go(Way::Ahead);
    assert!(window.present() == present, "not the same");
    window.go(Way::Branch(2));
    assert!(window.present() == other, "not the same");
    window.send(Command::Branch(BranchChange::Rename(
        1,
        "with a vent".to_owned(),
    )));
    window.send(Command::Branch(BranchChange::Remove(2)));
    window.until("a refusal", |window| {
        window.notices.iter().any(|(wrong, _)| *wrong)
    });
    assert!(
        window
            .notices
            .last()
            .unwrap()
            .1
            .contains("branch 2 is the present branch"),
        "{:?}",
        window.notices
    );
    window.send(Command::Branch(BranchChange::Remove(1)));
    window.until("the end of a branch", |window| {
        window.report.timeline.branches.len() == 1
    });
    assert_eq!(window.notices.last().unwrap().1, "with a vent is deleted");
    assert!(
        window.report.timeline.kept.is_empty(),
        "it was on the other branch"
    );

    window.send(Command::Go(Way::To(moment(777))));
    window.until("a refusal", |window| {
        window
            .notices
            .last()
            .is_some_and(|(_, text)| text.contains("777"))
    });
    assert_eq!(
        window.notices.last().unwrap(),
        &(true, "step 777 lies elsewhere".to_owned())
    );
}

#[test]
fn what_lies_ahead_is_no_part_of_a_saved_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(scene());
    window.steps(30);
    window.send(edit(ball([18.0, 20.0, 14.0]), Matter::Rock));
    window.steps(10);
    // The file holds the moment that was requested, even while the session is still on its way
    // there.
    window.send(Command::Go(Way::Step(20)));
    window.send(Command::Save(
        folder.path().join("start.toml"),
        Existing::Keep,
    ));
    window.until("the file", |window| !window.notices.is_empty());
    let saved = Scene::load(&folder.path().join("start.toml")).unwrap();
    assert_eq!(
        (saved.spec.events.len(), saved.spec.film.steps),
        (1, 20),
        "the event is that of the scene"
    );
}

#[test]
fn a_stroke_and_a_drag_are_each_one_act_to_take_back_also_while_time_goes_on() {
    let mut window = Window::open(scene());
    window.steps(20);
    let hash = |window: &Window| window.present();
    let before = hash(&window);
    let lava = || Matter::Lava {
        amount: 1.0,
        energy: 1.0,
        temperature_k: None,
    };
    window.send(stroke(true, &[[9.0, 9.0], [20.0, 14.0]], lava()));
    window.send(stroke(false, &[[30.0, 20.0]], lava()));
    window.until("the stroke", |window| window.report.acts > 3);
    let painted = hash(&window);
    window.send(Command::World(spec(9.0, 9.0, 1.0).into()));
    let number = window.report.vents.len();
    for x in 10..15 {
        let moved = VentChange::Change(number, spec(f64::from(x), 9.0, 1.0));
        window.send(if x == 10 {
            Command::World(moved.into())
        } else {
            Command::Drag(moved.into())
        });
    }
    window.until("the vent", |window| {
        window
            .report
            .vents
            .last()
            .is_some_and(|(_, vent)| vent.x == 14.0)
    });
    assert_eq!(
        window.report.timeline.deeds.len(),
        3,
        "{:?}",
        window.report.timeline.deeds
    );
    window.notices.clear();
    window.go(Way::Undo);
    assert_eq!(window.report.vents.last().unwrap().1.x, 9.0);
    window.go(Way::Undo);
    assert!(hash(&window) == painted && window.report.vents.len() == number);
    window.go(Way::Undo);
    assert!(hash(&window) == before && window.report.acts == 0);
    let said: Vec<_> = window.notices.drain(..).map(|(_, text)| text).collect();
    let source = format!("change of source {} taken back, step 20", number + 1);
    assert_eq!(
        said,
        [
            &source[..],
            "new vent taken back, step 20",
            "stroke of lava taken back, step 20"
        ]
    );
    window.go(Way::Redo);
    assert!(hash(&window) == painted);
    // Time continues without the action that was taken back; redo brings the action back at its own
    // step.
    window.go(Way::Undo);
    window.steps(15);
    window.check(replayed(&scene(), 35).world());
    assert_eq!(window.branches().len(), 2);
    window.go(Way::Redo);
    assert!(hash(&window) == painted && window.report.step == 20);
    assert_eq!(window.branches(), [("main".to_owned(), 20)]);
    // At the start there is nothing to take back: one quiet message says so.
    (0..4).for_each(|_| window.go(Way::Undo));
    assert!(
        window
            .notices
            .last()
            .is_some_and(|(wrong, text)| !wrong && text == "there is nothing to take back")
    );
}

#[test]
fn another_way_and_a_pause_end_a_long_way_and_changes_wait_for_its_end() {
    let mut window = Window::open(scene());
    window.steps(400);
    window.go(Way::Start);
    window.send(Command::Go(Way::Step(390)));
    window.send(Command::Go(Way::Step(20)));
    window.until("the second way", |window| {
        window.report.goal == moment(20) && window.report.moment == moment(20)
    });
    window.check(replayed(&scene(), 20).world());
    window.send(Command::Go(Way::Step(380)));
    window.send(Command::Pace(Pace::Paused));
    window.until("a rest", |window| {
        window.report.ways == 4 && window.report.goal == window.report.moment
    });
    let step = window.report.step;
    assert!((20..=380).contains(&step));
    window.check(replayed(&scene(), step).world());
    window.send(Command::Go(Way::Step(300)));
    window.send(edit(ball([18.0, 20.0, 14.0]), Matter::Rock));
    window.send(Command::Steps(5));
    window.until("the steps", |window| window.report.step == 305);
    let deed = window.report.timeline.deeds.last().unwrap();
    assert_eq!(
        (deed.deed.before, deed.words.as_str()),
        (moment(300), "stroke of rock")
    );

    // A visit to another branch leaves the present branch unchanged.
    let here = (window.present(), window.report.moment);
    window.send(Command::Visit(Some(1)));
    window.until("the other branch", |window| {
        window.report.visited == Some(1)
    });
    window.check(replayed(&scene(), 305).world());
    window.send(Command::Visit(None));
    window.until("the way back", |window| {
        window.report.visited.is_none() && window.report.goal == window.report.moment
    });
    assert!((window.present(), window.report.moment) == here);
    window.steps(3);
    assert_eq!(window.report.step, 308);
}

/// Prints the times that seeks in the built-in volcano's history take to show their first state.
#[test]
#[ignore = "measures and asserts no time: cargo test --test viewer how_soon -- --ignored --nocapture"]
fn how_soon_a_way_shows_its_first_state() {
    let mut window = Window::open(Scene::volcano());
    window.steps(3000);
    for to in [2990, 1500, 700, 2400, 100, 2000] {
        let begin = std::time::Instant::now();
        let epoch = window.report.epoch;
        window.send(Command::Go(Way::Step(to)));
        window.until("the first state", |window| {
            window.report.epoch > epoch || window.report.step == to
        });
        let (first, at) = (begin.elapsed(), window.report.step);
        window.until("the end of the way", |window| {
            window.report.moment == moment(to)
        });
        println!(
            "to step {to}: step {at} after {first:.0?}, there after {:.0?}",
            begin.elapsed()
        );
    }
}

/// Returns a piece of a brush stroke with a radius of 3 cells and rays straight down at `places`
/// (x, z); `begins`: true to start a new stroke.
fn stroke(begins: bool, places: &[[f32; 2]], matter: Matter) -> Command {
    let rays = places.iter().map(|[x, z]| down(*x, *z)).collect();
    let part = [[0.0, 37.0], [0.0, 26.0], [0.0, 29.0]];
    Command::Stroke(Box::new(Stroke {
        begins,
        rays,
        part,
        radius: 3.0,
        matter,
    }))
}

/// Returns the centres of the dabs (x, y, z, in cells) in the session, which is saved at `path`.
fn dabs(window: &mut Window, path: &Path) -> Vec<[f64; 3]> {
    let before = window.notices.len();
    window.send(Command::Save(path.to_owned(), Existing::Keep));
    window.until("the file", |window| window.notices.len() > before);
    let saved = Scene::load(path).unwrap_or_else(|e| panic!("{e}"));
    let of = |shape: &Shape| match shape {
        Shape::Sphere { center, .. } => *center,
        other => panic!("not a dab: {other:?}"),
    };
    // The first event belongs to the scene and comes at a later step.
    let put = saved
        .spec
        .events
        .iter()
        .filter(|event| event.at < 120)
        .filter_map(|event| event.put.as_ref());
    put.map(|edit| of(&edit.shape)).collect()
}

#[test]
fn a_stroke_has_no_gaps_however_slow_the_frames_are_and_each_dab_is_there_once() {
    let folder = tempfile::tempdir().unwrap();
    // The stroke crosses the whole mountain: with a pointer position in each cell, and with one at
    // each end.
    let fine: Vec<[f32; 2]> = (4..=32).map(|x| [x as f32, 14.5]).collect();
    for (number, places) in [fine.clone(), vec![fine[0], fine[fine.len() - 1]]]
        .into_iter()
        .enumerate()
    {
        let mut window = Window::open(scene());
        window.steps(20);
        let before = window.ground.clone();
        window.send(stroke(true, &places, Matter::Rock));
        // The pointer rests in the same step, and the same position is sent again.
        window.send(stroke(false, &[], Matter::Rock));
        window.send(stroke(false, &[places[places.len() - 1]], Matter::Rock));
        window.settle(2.0);
        let path = folder.path().join(format!("{number}.toml"));
        let centers = dabs(&mut window, &path);
        for pair in centers.windows(2) {
            let apart = (0..3)
                .map(|k| (pair[1][k] - pair[0][k]).powi(2))
                .sum::<f64>()
                .sqrt();
            // Dabs are at most half a radius apart, and a dab that changed nothing is not recorded.
            assert!(
                apart > 0.7 && apart < 3.0,
                "{apart:.2} from dab to dab: {pair:?}"
            );
        }
        assert!(
            centers[0][0] < 5.0 && centers[centers.len() - 1][0] > 31.0,
            "{centers:?}"
        );
        // The stroke follows the ground from before the stroke and does not climb on its own dabs.
        for [x, y, z] in centers {
            let ground = f64::from(before[[z as usize, x as usize]]);
            // The tolerance is large because the walls of the crater are steep.
            assert!(
                (y - ground).abs() < 6.0,
                "a dab at {y} over ground at {ground}"
            );
        }
        for x in 5..=31 {
            let rise = window.ground[[14, x]] - before[[14, x]];
            assert!(rise >= 1.0, "a gap at x {x}: the ground rose by {rise}");
        }
        assert_eq!(window.report.built.len(), window.report.acts);
        window.steps(30);
        let replay = replayed(&Scene::load(&path).unwrap(), 50);
        window.check(replay.world());
    }
}

#[test]
fn a_stroke_beside_the_world_says_so_and_is_no_act() {
    let mut window = Window::open(scene());
    let told = |window: &mut Window, command: Command, part: &str| {
        let before = window.notices.len();
        window.send(command);
        window.until("a message", |window| window.notices.len() > before);
        let (wrong, text) = window.notices.last().unwrap().clone();
        assert!(
            !wrong && text.starts_with("nothing is put in: ") && text.contains(part),
            "{text}"
        );
        assert_eq!(window.report.acts, 0);
    };
    let lava = || Matter::Lava {
        amount: 1.0,
        energy: 1.0,
        temperature_k: None,
    };
    told(
        &mut window,
        stroke(true, &[[-5.0, 3.0], [-9.0, 3.0]], lava()),
        "outside the box",
    );
    // The ray comes from the south and hits the side of the ground.
    let ray = Ray {
        origin: Vector3::new(12.5, 0.5, 60.0),
        direction: -Vector3::z(),
    };
    let part = [[0.0, 37.0], [0.0, 26.0], [0.0, 29.0]];
    let side = Stroke {
        begins: true,
        rays: vec![ray],
        part,
        radius: 3.0,
        matter: lava(),
    };
    told(&mut window, Command::Stroke(Box::new(side)), "cut side");
    told(
        &mut window,
        stroke(true, &[[6.0, 6.0]], Matter::Drain),
        "nothing to change",
    );
    // A stroke gives one message, and a stroke that leaves the box gives none.
    let before = window.notices.len();
    window.send(stroke(true, &[[6.0, 6.0], [-4.0, 6.0]], Matter::Rock));
    window.send(stroke(false, &[[-8.0, 6.0]], Matter::Rock));
    window.until("the stroke", |window| window.report.acts > 2);
    window.settle(3.0);
    assert_eq!(window.notices.len(), before);
}

#[test]
fn the_sides_are_opened_from_the_message_and_the_session_replays() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[grid]\nsize = [12, 12, 12]\n[terrain]\nkind = \"plane\"\n[rules]\nthreshold = 0.05\n[[vent]]\nat = \"summit\"\nrate = 2.0\n";
    let flood = Scene::parse(text, Path::new("flood.toml")).unwrap();
    let mut window = Window::open(flood.clone());
    window.steps(300);
    assert_eq!(window.mends, [Mend::OpenSides], "{:?}", window.edge);
    let open = RulesSpec {
        walls: Walls::Open,
        ..window.report.rules.clone()
    };
    window.send(Command::World(
        RulesChange::between(&window.report.rules, &open).into(),
    ));
    window.steps(100);
    assert!(window.report.materials[0].mass.of_key("outflow") > 10.0);
    let path = folder.path().join("opened.toml");
    window.send(Command::Save(path.clone(), Existing::Keep));
    window.until("the file", |window| !window.notices.is_empty());
    window.check(replayed(&Scene::load(&path).unwrap(), 400).world());
}

#[test]
fn a_changed_vent_keeps_its_number() {
    let mut window = Window::open(scene());
    window.steps(3);
    window.send(Command::World(spec(9.0, 9.0, 1.0).into()));
    window.until("two vents", |window| window.report.vents.len() == 2);
    window.send(Command::Pace(Pace::Free));
    // A drag sends commands without waiting for reports.
    for i in 1..=30 {
        window.send(Command::World(
            VentChange::Change(0, spec(18.0, 14.0, f64::from(i) / 10.0)).into(),
        ));
    }
    window.until("the last rate", |window| {
        window
            .report
            .vents
            .iter()
            .any(|(n, spec)| *n == 0 && spec.rate == 3.0)
    });
    window.send(Command::Pace(Pace::Paused));
    window.send(Command::World(VentChange::Close(0).into()));
    window.until("one vent", |window| window.report.vents.len() == 1);
    assert_eq!(window.report.vents[0].0, 1);
    window.send(Command::World(VentChange::Close(0).into()));
    window.until("a refusal", |window| !window.notices.is_empty());
    assert_eq!(
        window.notices[0].1,
        "vent = 0: must be the number of a vent that pours or will pour"
    );
}

#[test]
fn closing_the_window_ends_the_thread() {
    // Dropped while running freely, with an update not taken and commands unread.
    let window = Window::open(scene());
    window.send(Command::Pace(Pace::Free));
    std::thread::sleep(Duration::from_millis(30));
    (0..50).for_each(|_| window.send(Command::Open(Box::new(Scene::volcano()))));
    assert!(window.worker.is_running());
    drop(window);
    // Dropped while paused, with nothing to do.
    drop(Window::open(scene()));
}

#[test]
fn a_session_file_goes_on_with_all_its_branches() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(scene());
    window.steps(40);
    window.send(edit(ball([20.0, 12.0, 14.0]), Matter::Rock));
    window.steps(30);
    let there = window.report.moment;
    window.send(Command::Go(Way::Step(20)));
    window.until("step 20", |window| {
        window.report.moment.step == 20 && window.report.goal == window.report.moment
    });
    window.send(edit(
        ball([14.0, 14.0, 14.0]),
        Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    ));
    window.steps(15);
    assert_eq!(window.report.timeline.branches.len(), 2);
    let path = folder.path().join("trip.lavoxel");
    window.send(Command::Thumbnail(vec![1, 2, 3]));
    window.notices.clear();
    window.send(Command::Save(path.clone(), Existing::Keep));
    window.until("the file", |window| !window.notices.is_empty());
    assert_eq!(
        window.notices,
        [(false, format!("saved {}", path.display()))]
    );
    assert!(fs::metadata(&path).unwrap().len() < 50_000);
    assert_eq!(pack::thumbnail(&path).unwrap(), Some(vec![1, 2, 3]));
    // Read as a scene, the file is the present branch.
    let replay = replayed(&Scene::open(&path).unwrap(), window.report.step);
    window.check(replay.world());

    // Another window resumes at the same moment, with both branches.
    let (base, text) = pack::history(&path).unwrap().expect("a history");
    assert_eq!(
        base.spec.events,
        scene().spec.events,
        "nothing was done to it"
    );
    let mut other =
        Window::open(Scene::parse("[grid]\nsize = [8, 8, 8]", Path::new("small.toml")).unwrap());
    other.send(Command::Resume(
        Box::new(base),
        Box::new(History::from_text(&text).unwrap()),
    ));
    let (moment, epoch) = (window.report.moment, other.report.epoch);
    other.until("the present", |other| {
        other.report.epoch > epoch && other.report.moment == moment && other.report.goal == moment
    });
    other.check(replay.world());
    assert!(
        !other
            .notices
            .iter()
            .any(|(_, text)| text.contains("not the state that was saved")),
        "{:?}",
        other.notices
    );
    assert_eq!(other.branches(), window.branches());
    assert_eq!(other.report.timeline.deeds, window.report.timeline.deeds);
    let timeline = window.report.timeline.clone();
    let left = timeline
        .branches
        .iter()
        .map(|report| report.branch.number)
        .find(|number| *number != timeline.present);
    let left = left.expect("another one");
    for window in [&mut window, &mut other] {
        window.send(Command::Go(Way::Branch(left)));
        window.send(Command::Go(Way::Step(there.step)));
        window.until("the other branch", |window| {
            window.report.moment == there && window.report.goal == there
        });
    }
    assert_eq!(other.volume.density, window.volume.density);
    // A session whose replay reaches a different state gives a message.
    let (base, _) = pack::history(&path).unwrap().expect("a history");
    let hash = format!("state = \"{:016x}\"", replay.world().state_hash());
    assert!(text.contains(&hash), "{text}");
    let changed = text.replacen(&hash, "state = \"0123456789abcdef\"", 1);
    other.send(Command::Resume(
        Box::new(base),
        Box::new(History::from_text(&changed).unwrap()),
    ));
    other.until("a notice", |other| {
        other
            .notices
            .iter()
            .any(|(_, text)| text.contains("not the state that was saved"))
    });
    // A history with a text that was edited is refused.
    assert!(History::from_text(&text.replacen("step", "stop", 1)).is_err());
}
