//! `lavoxel scene`: print a complete scene or the schema of scenes, or check one.

use std::path::PathBuf;

use clap::Args;
use lavoxel::matter::Material;
use lavoxel::scene::{DEFAULT_REACTIONS, Scene, VOLCANO, schema};
use lavoxel::shipped;
use lavoxel::validate::tame;

use crate::cli::file_or_shipped;
use crate::cli::show::say;

/// Print a complete scene with comments or the schema of scenes, or check a scene
#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Scene file to check, or name of a shipped scene
    #[arg(value_name = "SCENE")]
    scene: Option<PathBuf>,

    /// List the scenes inside the program
    #[arg(long, conflicts_with = "scene")]
    list: bool,

    /// Print the built-in scene, which has every key, its default and what it does
    #[arg(long, conflicts_with_all = ["scene", "list"])]
    defaults: bool,

    /// Print a JSON schema of scenes, with which editors complete and check them
    #[arg(long, conflicts_with_all = ["scene", "list", "defaults"])]
    schema: bool,
}

/// Runs `lavoxel scene`.
pub(super) fn run(args: &SceneArgs) -> anyhow::Result<()> {
    match &args.scene {
        Some(path) => {
            let path = &file_or_shipped(path)?;
            let scene = Scene::load(path)?;
            let stage = scene.build(Box::new(lavoxel::engine::plain::Plain))?;
            say::warn(scene.warning(&stage.simulation));
            let [nx, ny, nz] = scene.spec.grid.size;
            let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            let mut parts = vec![counted(scene.spec.vents.len(), "vent")];
            parts.extend(Material::besides_lava(&scene.spec.materials).map(|material| material.name.clone()));
            if !scene.spec.sources.is_empty() {
                parts.push(counted(scene.spec.sources.len(), "source"));
            }
            say::data(&format!(
                "{}: fine; {nx} × {ny} × {nz} cells of {} m, {}",
                tame(&path.display().to_string()),
                stage.site.cell_size_m,
                parts.join(", ")
            ))?;
            scene.reaction_lines().iter().try_for_each(|line| say::data(&format!("  {line}")))?;
        }
        None if args.list => list()?,
        None if args.defaults => say::data(&format!("{}\n\n{}", VOLCANO.trim_end(), default_reactions()))?,
        None if args.schema => say::data(&serde_json::to_string_pretty(&schema())?)?,
        None => anyhow::bail!(
            "name a scene file to check, --list for those inside the program, --defaults for a complete one, or --schema for \
             one that editors read"
        ),
    }
    Ok(())
}

/// Prints names and sentences of the shipped scenes.
fn list() -> anyhow::Result<()> {
    let longest = shipped::scenes().map(|scene| scene.name.len()).max().unwrap_or(0);
    shipped::scenes().try_for_each(|scene| say::data(&format!("{:longest$}  {}", scene.name, scene.about())))?;
    Ok(say::data("\nShow one with `lavoxel view NAME`, draw it with `lavoxel render NAME`.")?)
}

/// The default reactions as comments of a scene.
fn default_reactions() -> String {
    let lines = DEFAULT_REACTIONS.lines().map(|line| match line.strip_prefix('#') {
        _ if line.is_empty() => String::new(),
        Some(words) => format!("#{words}"),
        None => {
            format!("# {}", line.replacen("[[classic]]", "[[reaction]]", 1).replacen("[[flow]]", "[[reaction]]", 1))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}
