//! Tests that a simulation resumed from a checkpoint gives the same bits as an uninterrupted one.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common::{Dice, SCENE, meddle, plain, tiled};
use lavoxel::checkpoint::{
    Checkpoint, CheckpointError, CheckpointWriter, Keeper, previous, steps_of,
};
use lavoxel::engine::Engine;
use lavoxel::output::Existing;
use lavoxel::rules::MaterialChange;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::Command;

fn scene() -> Scene {
    Scene::parse(SCENE, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn saved(scene: &Scene, stage: &BuiltScene) -> Vec<u8> {
    let mut bytes = Vec::new();
    CheckpointWriter {
        scene,
        stage,
        extras: &[],
    }
    .write(Path::new("run.lvx"), &mut bytes)
    .unwrap();
    bytes
}

fn again(bytes: &[u8], engine: Box<dyn Engine>) -> Checkpoint {
    Checkpoint::read(bytes, Path::new("run.lvx"), engine).unwrap_or_else(|e| panic!("{e}"))
}

fn engine(dice: &mut Dice) -> Box<dyn Engine> {
    if dice.below(3) == 0 { plain() } else { tiled() }
}

/// Compares an uninterrupted random session with one that is repeatedly written to bytes and read
/// back. `session`: seed of the random commands.
fn live_beside(session: u64) {
    let (mut hands, mut stops) = ([Dice(session), Dice(session)], Dice(session + 1000));
    let scene = scene();
    let mut first = scene.build(tiled()).unwrap();
    let mut second = Checkpoint {
        scene: scene.clone(),
        stage: scene.build(tiled()).unwrap(),
        extras: [].into(),
    };
    while first.simulation.steps() < 90 {
        for (simulation, dice) in [&mut first, &mut second.stage]
            .map(|stage| &mut stage.simulation)
            .into_iter()
            .zip(&mut hands)
        {
            (0..dice.below(2)).for_each(|_| meddle(simulation, dice));
            (0..=dice.below(3)).for_each(|_| simulation.step());
        }
        if stops.below(4) == 0 {
            let bytes = saved(&second.scene, &second.stage);
            assert!(
                bytes == saved(&scene, &first),
                "equal states make equal files"
            );
            second = again(&bytes, engine(&mut stops));
        }
        let (one, other) = (&first.simulation, &second.stage.simulation);
        let now = format!("session {session}, step {}", one.steps());
        assert_eq!(
            one.world().state_hash(),
            other.world().state_hash(),
            "{now}"
        );
        assert_eq!(
            (one.steps(), one.seed(), one.rules_spec()),
            (other.steps(), other.seed(), other.rules_spec()),
            "{now}"
        );
        assert_eq!(one.events(), other.events(), "{now}");
        assert!(one.open_vents().eq(other.open_vents()), "{now}");
        other.world().check().unwrap();
    }
}

#[test]
fn a_session_put_into_bytes_and_read_goes_on_as_if_it_never_was() {
    for session in 0..9 {
        let threads = 1 + session as usize % 3;
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| live_beside(session));
    }
}

#[test]
fn a_checkpoint_needs_neither_scene_nor_heightmap() {
    let folder = tempfile::tempdir().unwrap();
    let terrains = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains");
    for name in ["maunga_whau.toml", "maunga_whau.asc"] {
        fs::copy(terrains.join(name), folder.path().join(name)).unwrap();
    }
    let mut scene = Scene::load(&folder.path().join("maunga_whau.toml")).unwrap();
    scene.spec.seed = u64::MAX;
    let mut stage = scene.build(tiled()).unwrap();
    (0..40).for_each(|_| stage.simulation.step());
    let path = folder.path().join("run.lvx");
    let mut keeper = Keeper::new(&path, 10, Existing::Keep).unwrap();
    keeper
        .keep(&CheckpointWriter {
            scene: &scene,
            stage: &stage,
            extras: &[],
        })
        .unwrap();
    fs::remove_file(folder.path().join("maunga_whau.toml")).unwrap();
    fs::remove_file(folder.path().join("maunga_whau.asc")).unwrap();

    let mut other = Checkpoint::load(&path, tiled()).unwrap();
    assert_eq!(
        other.scene.spec.seed,
        u64::MAX,
        "a seed that no scene file can hold"
    );
    assert_eq!(other.scene.spec.name, scene.spec.name);
    assert_eq!(other.stage.site, stage.site);
    assert_eq!(
        other.stage.simulation.world().ground().surface(),
        stage.simulation.world().ground().surface()
    );
    let hash_after = |stage: &mut BuiltScene| {
        (0..60).for_each(|_| stage.simulation.step());
        stage.simulation.world().state_hash()
    };
    assert_eq!(hash_after(&mut other.stage), hash_after(&mut stage));
}

#[test]
fn a_keeper_keeps_the_last_two_and_replaces_nothing_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.lvx");
    let scene = scene();
    let mut stage = scene.build(tiled()).unwrap();
    let mut keep = |keeper: &mut Keeper, steps: u64| {
        while stage.simulation.steps() < steps {
            stage.simulation.step();
        }
        keeper
            .keep(&CheckpointWriter {
                scene: &scene,
                stage: &stage,
                extras: &[],
            })
            .unwrap();
    };
    let kept = || (steps_of(&path), steps_of(&previous(&path)));
    let refused =
        |keeper: Result<Keeper, CheckpointError>| keeper.expect_err("it is in the way").to_string();
    let fresh = |existing| Keeper::new(&path, 5, existing);
    let going_on = |path: &Path, step| Keeper::going_on(path, step, 5, Existing::Keep);

    let mut keeper = fresh(Existing::Keep).unwrap();
    assert!(keeper.is_due(10) && !keeper.is_due(11));
    keep(&mut keeper, 0);
    assert_eq!(kept(), (Some(0), None));
    keep(&mut keeper, 5);
    keep(&mut keeper, 10);
    keep(&mut keeper, 10);
    assert_eq!(kept(), (Some(10), Some(5)));
    assert!(!keeper.is_due(10));

    assert!(
        refused(fresh(Existing::Keep))
            .contains("run.lvx exists already: go on from it with lavoxel resume")
    );
    keep(&mut going_on(&path, 10).unwrap(), 12);
    assert_eq!(kept(), (Some(12), Some(10)));
    assert!(refused(going_on(&previous(&path), 10)).contains("it is good and has step 12"));

    // The last checkpoint is damaged: the previous one stays until there is another good one.
    fs::write(&path, "what is left of it").unwrap();
    let mut keeper = going_on(&previous(&path), 10).unwrap();
    keep(&mut keeper, 15);
    assert_eq!(kept(), (Some(15), Some(10)));
    keep(&mut keeper, 20);
    assert_eq!(kept(), (Some(20), Some(15)));

    // Checkpoints of another run are removed, but only if replacing was requested.
    fs::remove_file(&path).unwrap();
    assert!(refused(fresh(Existing::Keep)).contains("run.lvx.previous exists already"));
    keep(&mut fresh(Existing::Replace).unwrap(), 21);
    assert_eq!(kept(), (Some(21), None));
    // A user who deletes the file does not end the run.
    let mut keeper = going_on(&path, 21).unwrap();
    fs::remove_file(&path).unwrap();
    keep(&mut keeper, 22);
    assert_eq!(kept(), (Some(22), None));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Returns a scene of water above lava; `lava`: additional keys of the lava's table.
fn pool(lava: &str) -> Scene {
    let text = format!(
        "[grid]\nsize = [12, 24, 12]\ncell_size_m = 1.0\n[terrain]\nkind = \"plane\"\n[[material]]\nname = \"oil\"\n{lava}\n\
         [[body]]\nshape = {{ kind = \"box\", from = [0.0, 4.0, 0.0], to = [12.0, 8.0, 12.0] }}\nmatter = {{ kind = \"lava\", \
         amount = 1.0, energy = 1.0 }}\n[[body]]\nshape = {{ kind = \"box\", from = [0.0, 8.0, 0.0], to = [12.0, 12.0, 12.0] \
         }}\nmatter = {{ kind = \"material\", name = \"oil\", amount = 1.0 }}\n"
    );
    Scene::parse(&text, Path::new("pool.toml")).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns for each layer its name and the mean height of its content in cells.
fn mean_heights(stage: &BuiltScene) -> Vec<(String, f64)> {
    let world = stage.simulation.world();
    let heights = world.layers().iter().map(|layer| {
        let name = &layer.material().name;
        let (mut sum, mut moment) = (0.0, 0.0);
        for ([_, y, _], content) in layer.held() {
            let amount = f64::from(content.amount);
            (sum, moment) = (sum + amount, moment + amount * y as f64);
        }
        (name.clone(), moment / sum)
    });
    heights.collect()
}

#[test]
fn a_lava_with_a_density_of_its_own_rises_through_what_is_heavier_and_is_resumed() {
    let (usual, light) = (
        pool(""),
        pool("[[material]]\nname = \"lava\"\ndensity = 700.0"),
    );
    let height = |stage: &BuiltScene, name: &str| {
        mean_heights(stage)
            .into_iter()
            .find(|of| of.0 == name)
            .unwrap()
            .1
    };
    for (scene, lava_rises) in [(&usual, false), (&light, true)] {
        let (mut fast, mut slow) = (scene.build(tiled()).unwrap(), scene.build(plain()).unwrap());
        (0..150).for_each(|_| fast.simulation.step());
        (0..150).for_each(|_| slow.simulation.step());
        assert_eq!(
            fast.simulation.world().state_hash(),
            slow.simulation.world().state_hash()
        );
        fast.simulation.world().check().unwrap();
        assert_eq!(
            height(&fast, "lava") > height(&fast, "oil"),
            lava_rises,
            "{:?}",
            mean_heights(&fast)
        );
        // A checkpoint's scene contains the lava's density, and its layers have the order that
        // follows from the densities.
        let mut resumed = again(&saved(scene, &fast), tiled());
        (0..20).for_each(|_| fast.simulation.step());
        (0..20).for_each(|_| resumed.stage.simulation.step());
        assert_eq!(
            resumed.stage.simulation.world().state_hash(),
            fast.simulation.world().state_hash()
        );
    }
    // Records of many runs belong to their lava; a default lava is not named.
    let course = |scene: &Scene| {
        scene
            .build(tiled())
            .unwrap()
            .simulation
            .into_origin()
            .course()
    };
    assert!(course(&light).contains("lava") && !course(&usual).contains("lava"));
    assert_eq!(
        course(&usual),
        course(&pool("[[material]]\nname = \"lava\""))
    );
    // Changed parameters of another material leave the order of the lava unchanged.
    let mut stage = light.build(tiled()).unwrap();
    let change: MaterialChange = toml::from_str("name = \"oil\"\nviscosity = 0.2").unwrap();
    stage.simulation.command(Command::from(change)).unwrap();
    (0..150).for_each(|_| stage.simulation.step());
    assert!(
        height(&stage, "lava") > height(&stage, "oil"),
        "{:?}",
        mean_heights(&stage)
    );
}

#[test]
fn what_a_table_of_the_lava_cannot_say_is_refused() {
    let refused = |text: &str| {
        Scene::parse(text, Path::new("lava.toml"))
            .unwrap_err()
            .to_string()
    };
    let of = |keys: &str| refused(&format!("[[material]]\nname = \"lava\"\n{keys}\n"));
    let keys = [
        ("speed = 0.5", "speed"),
        ("kind = \"gas\"", "kind"),
        ("look = { preset = \"metal\" }", "look"),
    ];
    for (line, key) in [
        ("grains = { drag = 0.1 }", "grains.drag"),
        ("sets = true", "sets"),
    ]
    .into_iter()
    .chain(keys)
    {
        let message = of(line);
        assert!(
            message.contains(&format!("material[0].{key} = ")),
            "{message}"
        );
        assert!(
            message.contains("of lava, tables have density"),
            "{message}"
        );
    }
    for (rest, key) in [
        (
            "[[source]]\nmaterial = \"lava\"\nx = 3.0\nz = 3.0\nrate = 1.0",
            "source[0].material",
        ),
        (
            "[[event]]\nat = 3\nmaterial = { name = \"lava\", speed = 0.5 }",
            "event[0].material.speed",
        ),
    ] {
        let message = of(rest);
        assert!(message.contains(key), "{message}");
    }
    let message = refused("model = \"flow\"\n[[material]]\nname = \"lava\"\ndensity = 2400.0\n");
    assert!(
        message.contains("material[0].name") && message.contains("flow.lava"),
        "{message}"
    );
    let message = of("[[material]]\nname = \"lava\"");
    assert!(
        message.contains("a name that no other material has"),
        "{message}"
    );
    // With custom elements of the lava the default reactions no longer balance, and are dropped as
    // for other materials.
    let scene = "default_reactions = true\n[[material]]\nname = \"lava\"\nelements = { glass = 3 }\n[[material]]\nname = \
                 \"water\"\n[[vent]]\nx = 60.0\nz = 60.0\nrate = 1.0\n";
    let scene = Scene::parse(scene, Path::new("lava.toml")).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        scene
            .reaction_lines()
            .iter()
            .any(|line| line.contains("lava")),
        "{:?}",
        scene.reaction_lines()
    );
    scene.build(tiled()).unwrap();
}
