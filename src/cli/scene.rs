//! `lavoxel scene`: print a complete scene, or check one.

use std::path::PathBuf;

use clap::Args;
use lavoxel::scene::{Scene, VOLCANO};

use super::say;

/// Print a complete scene with comments, or check one
#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Scene file to check
    #[arg(value_name = "SCENE", conflicts_with = "defaults")]
    scene: Option<PathBuf>,

    /// Print the built-in scene, which has every key, its default and what it does
    #[arg(long)]
    defaults: bool,
}

/// Runs `lavoxel scene`.
pub(super) fn run(args: &SceneArgs) -> anyhow::Result<()> {
    match &args.scene {
        Some(path) => {
            let scene = Scene::load(path)?;
            let world = scene.build(Box::new(lavoxel::engine::plain::Plain))?;
            let [nx, ny, nz] = scene.spec.grid.size;
            let vents = scene.spec.vents.len();
            say::data(&format!(
                "{}: fine; {nx} × {ny} × {nz} cells of {} m, {vents} vents",
                path.display(),
                world.site.cell_size_m
            ))?;
        }
        None if args.defaults => say::data(VOLCANO.trim_end())?,
        None => anyhow::bail!("name a scene file to check, or pass --defaults to print a complete scene"),
    }
    Ok(())
}
