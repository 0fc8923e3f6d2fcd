//! `lavoxel scene`: print a complete scene or the schema of scenes, or check one.

use std::path::{Path, PathBuf};

use clap::Args;
use lavoxel::inside::{ENDING, is_session};
use lavoxel::matter::Material;
use lavoxel::output::Existing;
use lavoxel::scene::pack::{Extras, MAX_PACKED};
use lavoxel::scene::{DEFAULT_REACTIONS, Scene, VOLCANO, schema};
use lavoxel::shipped;
use lavoxel::validate::tame;

use crate::cli::show::say;
use crate::cli::{file_or_shipped, protect_map};

/// Print a complete scene with comments or the schema of scenes, or check a scene
#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Scene file to check, or name of a shipped scene
    #[arg(value_name = "SCENE")]
    scene: Option<PathBuf>,

    /// Write the scene, with the heightmaps and meshes that it reads, into one session file to send to others
    #[arg(long, value_name = "FILE.lavoxel", requires = "scene", value_parser = session_file)]
    pack: Option<PathBuf>,

    /// Replace a session file that is there already
    #[arg(long, requires = "pack")]
    force: bool,

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
            // A heightmap is no scene to check, but one to send.
            let scene = if args.pack.is_some() { Scene::open(path)? } else { Scene::load(path)? };
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
            args.pack.as_ref().map_or(Ok(()), |pack| send(&scene, pack, args.force))?;
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

/// A name of a session file.
fn session_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if is_session(&path) { Ok(path) } else { Err(format!("let the name end in .{ENDING}")) }
}

/// Writes a session file, and says what stayed outside of it.
fn send(scene: &Scene, path: &Path, force: bool) -> anyhow::Result<()> {
    scene.files().iter().for_each(|path| protect_map(path));
    let existing = if force { Existing::Replace } else { Existing::Keep };
    let left = scene.pack(path, &Extras::default(), existing)?;
    for file in left {
        let most = MAX_PACKED >> 20;
        say::note(&format!(
            "warning: {} is longer than {most} MiB, and is not in it",
            tame(&file.display().to_string())
        ));
    }
    Ok(say::data(&tame(&path.display().to_string()))?)
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
