//! The promise: a simulation that goes on from a checkpoint comes to the bits of one that was never stopped.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common::{Dice, SCENE, meddle, plain, tiled};
use lavoxel::checkpoint::{Checkpoint, CheckpointError, CheckpointWriter, Keeper, previous, steps_of};
use lavoxel::engine::Engine;
use lavoxel::output::Existing;
use lavoxel::scene::{Scene, Stage};

fn scene() -> Scene {
    Scene::parse(SCENE, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn saved(scene: &Scene, stage: &Stage) -> Vec<u8> {
    let mut bytes = Vec::new();
    CheckpointWriter { scene, stage, extras: &[] }.write(Path::new("run.lavoxel"), &mut bytes).unwrap();
    bytes
}

fn again(bytes: &[u8], engine: Box<dyn Engine>) -> Checkpoint {
    Checkpoint::read(bytes, Path::new("run.lavoxel"), engine).unwrap_or_else(|e| panic!("{e}"))
}

fn engine(dice: &mut Dice) -> Box<dyn Engine> {
    if dice.below(3) == 0 { plain() } else { tiled() }
}

/// A session that is never stopped, compared with one that is put into bytes and read again and again.
fn live_beside(session: u64) {
    let (mut hands, mut stops) = ([Dice(session), Dice(session)], Dice(session + 1000));
    let scene = scene();
    let mut first = scene.build(tiled()).unwrap();
    let mut second = Checkpoint { scene: scene.clone(), stage: scene.build(tiled()).unwrap(), extras: [].into() };
    while first.simulation.steps() < 90 {
        for (simulation, dice) in
            [&mut first, &mut second.stage].map(|stage| &mut stage.simulation).into_iter().zip(&mut hands)
        {
            (0..dice.below(2)).for_each(|_| meddle(simulation, dice));
            (0..=dice.below(3)).for_each(|_| simulation.step());
        }
        if stops.below(4) == 0 {
            let bytes = saved(&second.scene, &second.stage);
            assert!(bytes == saved(&scene, &first), "equal states make equal files");
            second = again(&bytes, engine(&mut stops));
        }
        let (one, other) = (&first.simulation, &second.stage.simulation);
        let now = format!("session {session}, step {}", one.steps());
        assert_eq!(one.world().state_hash(), other.world().state_hash(), "{now}");
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
    for session in 0..24 {
        let threads = 1 + session as usize % 3;
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| live_beside(session));
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
    let path = folder.path().join("run.lavoxel");
    let mut keeper = Keeper::new(&path, 10, Existing::Keep).unwrap();
    keeper.keep(&CheckpointWriter { scene: &scene, stage: &stage, extras: &[] }).unwrap();
    fs::remove_file(folder.path().join("maunga_whau.toml")).unwrap();
    fs::remove_file(folder.path().join("maunga_whau.asc")).unwrap();

    let mut other = Checkpoint::load(&path, tiled()).unwrap();
    assert_eq!(other.scene.spec.seed, u64::MAX, "a seed that no scene file can hold");
    assert_eq!(other.scene.spec.name, scene.spec.name);
    assert_eq!(other.stage.site, stage.site);
    assert_eq!(other.stage.simulation.world().ground().surface(), stage.simulation.world().ground().surface());
    let hash_after = |stage: &mut Stage| {
        (0..60).for_each(|_| stage.simulation.step());
        stage.simulation.world().state_hash()
    };
    assert_eq!(hash_after(&mut other.stage), hash_after(&mut stage));
}

#[test]
fn a_keeper_keeps_the_last_two_and_replaces_nothing_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.lavoxel");
    let scene = scene();
    let mut stage = scene.build(tiled()).unwrap();
    let mut keep = |keeper: &mut Keeper, steps: u64| {
        while stage.simulation.steps() < steps {
            stage.simulation.step();
        }
        keeper.keep(&CheckpointWriter { scene: &scene, stage: &stage, extras: &[] }).unwrap();
    };
    let kept = || (steps_of(&path), steps_of(&previous(&path)));
    let refused = |keeper: Result<Keeper, CheckpointError>| keeper.expect_err("it is in the way").to_string();
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

    assert!(refused(fresh(Existing::Keep)).contains("run.lavoxel exists already: go on from it with lavoxel resume"));
    keep(&mut going_on(&path, 10).unwrap(), 12);
    assert_eq!(kept(), (Some(12), Some(10)));
    assert!(refused(going_on(&previous(&path), 10)).contains("it is good and has step 12"));

    // The last one is damaged: the one before it stays until there is another good one.
    fs::write(&path, "what is left of it").unwrap();
    let mut keeper = going_on(&previous(&path), 10).unwrap();
    keep(&mut keeper, 15);
    assert_eq!(kept(), (Some(15), Some(10)));
    keep(&mut keeper, 20);
    assert_eq!(kept(), (Some(20), Some(15)));

    // Of another run nothing is left, and only where that was asked for.
    fs::remove_file(&path).unwrap();
    assert!(refused(fresh(Existing::Keep)).contains("run.lavoxel.previous exists already"));
    keep(&mut fresh(Existing::Replace).unwrap(), 21);
    assert_eq!(kept(), (Some(21), None));
    // A user who takes the file away does not end the run.
    let mut keeper = going_on(&path, 21).unwrap();
    fs::remove_file(&path).unwrap();
    keep(&mut keeper, 22);
    assert_eq!(kept(), (Some(22), None));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
