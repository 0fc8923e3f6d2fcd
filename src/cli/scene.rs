//! `lavoxel scene`: prints a complete scene, a random volcano or the schema of scenes; checks a
//! scene, or packs the scene into a session file.

use std::path::{Path, PathBuf};

use clap::Args;
use lavoxel::archive::{ENDING, is_session};
use lavoxel::matter::Material;
use lavoxel::output::Existing;
use lavoxel::param::Table;
use lavoxel::scene::pack::{Extras, MAX_PACKED};
use lavoxel::scene::{
    BLOCKS, DEFAULT_REACTIONS, RandomVolcano, Scene, VOLCANO, other_keys, schema,
};
use lavoxel::shipped;
use lavoxel::validate::escape_for_terminal;

use crate::cli::flags::count;
use crate::cli::flags::flag_names::FlagNames;
use crate::cli::show::messages;
use crate::cli::{file_or_shipped, protect_map, warn_of};

/// Print a complete scene with comments, a random volcano or the schema of scenes, or check a scene
#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Scene file to check, or name of a shipped scene
    #[arg(value_name = "SCENE")]
    scene: Option<PathBuf>,

    /// Write the scene, with the heightmaps and meshes that it reads, into one session file to send
    /// to others
    #[arg(long, value_name = "FILE.lavoxel", requires = "scene", value_parser = session_file)]
    pack: Option<PathBuf>,

    /// Replace an existing session file
    #[arg(long, requires = "pack")]
    force: bool,

    /// Print the text of the scene, as a start for another scene file
    #[arg(long, requires = "scene", conflicts_with = "pack")]
    print: bool,

    /// List the shipped scenes
    #[arg(long, conflicts_with = "scene")]
    list: bool,

    /// Print the built-in scene and, as comments, all other tables: each key with its default and
    /// its meaning
    #[arg(long, conflicts_with_all = ["scene", "list"])]
    defaults: bool,

    /// Print the table of what blocks of MagicaVoxel and Minecraft become, as a start for --blocks
    #[arg(long, conflicts_with_all = ["scene", "list", "defaults"])]
    block_table: bool,

    /// Print a JSON schema of scenes, with which editors complete and check scene files
    #[arg(long, conflicts_with_all = ["scene", "list", "defaults"])]
    schema: bool,

    /// Print the scene of a volcano generated from SEED; the same seed and numbers give the same
    /// volcano to the bit
    #[arg(long, value_name = "SEED", value_parser = count::terrain_seed, allow_negative_numbers = true,
        conflicts_with_all = ["scene", "list", "defaults", "schema"])]
    random: Option<u64>,

    #[arg(long, requires = "random", help_heading = VOLCANO_HEADING, help = help_of("relief"), value_name = "SHARE", allow_negative_numbers = true)]
    relief: Option<f64>,

    #[arg(long, requires = "random", help_heading = VOLCANO_HEADING, help = help_of("crater"), value_name = "SHARE", allow_negative_numbers = true)]
    crater: Option<f64>,

    #[arg(long, requires = "random", help_heading = VOLCANO_HEADING, help = help_of("roughness"), value_name = "NUMBER", allow_negative_numbers = true)]
    roughness: Option<f64>,

    #[arg(long, requires = "random", help_heading = VOLCANO_HEADING, help = help_of("side"), value_name = "CELLS", allow_negative_numbers = true)]
    side: Option<usize>,
}

/// Heading in the `--help` text above the flags of a random volcano.
const VOLCANO_HEADING: &str = "Random volcano";

/// Returns the help text of the flag for the parameter `key` of a random volcano, with range and
/// default.
fn help_of(key: &str) -> String {
    RandomVolcano::param(key).map_or_else(String::new, |param| {
        let usual = RandomVolcano::default();
        format!(
            "{} [{} to {}, default: {}]",
            param.what.trim_end_matches('.'),
            param.low,
            param.high,
            (param.get)(&usual)
        )
    })
}

impl SceneArgs {
    /// Returns the random volcano with the seed `seed` and the parameters set by flags.
    fn volcano(&self, seed: u64) -> RandomVolcano {
        let usual = RandomVolcano::default();
        RandomVolcano {
            seed: u32::try_from(seed).unwrap_or(u32::MAX),
            relief: self.relief.unwrap_or(usual.relief),
            crater: self.crater.unwrap_or(usual.crater),
            roughness: self.roughness.unwrap_or(usual.roughness),
            side: self.side.unwrap_or(usual.side),
        }
    }

    /// Returns the flags that were given and override parameters of the random volcano, with their
    /// keys, so that errors can name the flag.
    fn typed(&self) -> FlagNames {
        let mut typed = FlagNames::default();
        typed.add("volcano.relief", "--relief", self.relief, "");
        typed.add("volcano.crater", "--crater", self.crater, "");
        typed.add("volcano.roughness", "--roughness", self.roughness, "");
        typed.add("volcano.side", "--side", self.side, "cells");
        typed
    }
}

/// Runs `lavoxel scene`.
pub(super) fn run(args: &SceneArgs) -> anyhow::Result<()> {
    match &args.scene {
        Some(path) => {
            let path = &file_or_shipped(path)?;
            if args.print {
                let text = if Scene::is_blocks(path) {
                    Scene::open(path)?.to_toml(path)?
                } else {
                    Scene::text_of(path)?
                };
                return Ok(messages::data(text.trim_end())?);
            }
            // A heightmap is no scene to check, but can be packed.
            let scene = if args.pack.is_some() || Scene::is_blocks(path) {
                Scene::open(path)?
            } else {
                Scene::load(path)?
            };
            let stage = scene.build(Box::new(lavoxel::engine::plain::Plain))?;
            scene.drape(&stage)?;
            warn_of(&scene, &stage);
            // Packing comes before any output: a scene whose file is refused is not reported.
            args.pack
                .as_ref()
                .map_or(Ok(()), |pack| send(&scene, pack, args.force))?;
            let [nx, ny, nz] = scene.spec.grid.size;
            let counted =
                |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            let mut parts = vec![counted(scene.spec.vents.len(), "vent")];
            parts.extend(
                Material::besides_lava(&scene.spec.materials).map(|material| material.name.clone()),
            );
            if !scene.spec.sources.is_empty() {
                parts.push(counted(scene.spec.sources.len(), "source"));
            }
            messages::data(&format!(
                "{}: fine; {nx} × {ny} × {nz} cells of {} m, {}",
                escape_for_terminal(&path.display().to_string()),
                stage.site.cell_size_m,
                parts.join(", ")
            ))?;
            scene
                .reaction_lines()
                .iter()
                .try_for_each(|line| messages::data(&format!("  {line}")))?;
            args.pack.as_ref().map_or(Ok(()), |pack| {
                messages::data(&escape_for_terminal(&pack.display().to_string()))
            })?;
        }
        None if args.random.is_some() => {
            let volcano = args.volcano(args.random.unwrap_or_default());
            let text = volcano
                .text()
                .map_err(|error| args.typed().name(error.into()))?;
            messages::data(text.trim_end())?;
        }
        None if args.list => list()?,
        None if args.defaults => {
            messages::data(
                &[VOLCANO.trim_end(), &other_keys(), &default_reactions()].join("\n\n"),
            )?;
        }
        None if args.block_table => messages::data(BLOCKS.trim_end())?,
        None if args.schema => messages::data(&serde_json::to_string_pretty(&schema())?)?,
        None => anyhow::bail!(
            "name a scene file to check, --list for those inside the program, --defaults for a complete one, --random SEED \
             for a volcano of its own, or --schema for one that editors read"
        ),
    }
    Ok(())
}

/// Parses the path of a session file; fails with a message if the path has another file extension.
fn session_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if is_session(&path) {
        Ok(path)
    } else {
        Err(format!("let the name end in .{ENDING}"))
    }
}

/// Writes the scene with its heightmaps and meshes to `path` as a session file, and warns about
/// input files that were left out because of their size. `force`: true to replace an existing file.
fn send(scene: &Scene, path: &Path, force: bool) -> anyhow::Result<()> {
    scene.files().iter().for_each(|path| protect_map(path));
    let existing = Existing::by_force(force);
    let left = scene.pack(path, &Extras::default(), existing)?;
    for file in left {
        let most = MAX_PACKED >> 20;
        messages::note(&format!(
            "warning: {} is longer than {most} MiB, and is not in it",
            escape_for_terminal(&file.display().to_string())
        ));
    }
    Ok(())
}

/// Prints the names and descriptions of the shipped scenes.
fn list() -> anyhow::Result<()> {
    let longest = shipped::scenes()
        .map(|scene| scene.name.len())
        .max()
        .unwrap_or(0);
    shipped::scenes().try_for_each(|scene| {
        messages::data(&format!("{:longest$}  {}", scene.name, scene.about()))
    })?;
    Ok(messages::data(
        "\nShow one with `lavoxel view NAME`, draw it with `lavoxel render NAME`.",
    )?)
}

/// Returns the default reactions between materials as TOML comments, printed after the text of a
/// scene.
fn default_reactions() -> String {
    let lines = DEFAULT_REACTIONS
        .lines()
        .map(|line| match line.strip_prefix('#') {
            _ if line.is_empty() => String::new(),
            Some(words) => format!("#{words}"),
            None => {
                format!(
                    "# {}",
                    line.replacen("[[classic]]", "[[reaction]]", 1).replacen(
                        "[[flow]]",
                        "[[reaction]]",
                        1
                    )
                )
            }
        });
    lines.collect::<Vec<_>>().join("\n")
}
