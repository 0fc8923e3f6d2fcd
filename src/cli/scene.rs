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
            let stage = scene.build(Box::new(lavoxel::engine::plain::Plain))?;
            say::warn(scene.warning(&stage.simulation));
            let [nx, ny, nz] = scene.spec.grid.size;
            let vents = match scene.spec.vents.len() {
                1 => "1 vent".to_owned(),
                n => format!("{n} vents"),
            };
            say::data(&format!(
                "{}: fine; {nx} × {ny} × {nz} cells of {} m, {vents}",
                path.display(),
                stage.site.cell_size_m
            ))?;
        }
        None if args.defaults => say::data(VOLCANO.trim_end())?,
        None => anyhow::bail!("name a scene file to check, or pass --defaults to print a complete scene"),
    }
    Ok(())
}
