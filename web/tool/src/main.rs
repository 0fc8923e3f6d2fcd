//! Builds the page into a folder that any file server can serve, prints what it weighs, and serves
//! it.

mod serve;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Parser;

/// Folder of the workspace of the page.
const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Builds the page of Lavoxel.
#[derive(Parser)]
struct Args {
    /// Folder for the page
    #[arg(long, default_value = "target/page")]
    out: PathBuf,
    /// Serve the page after it is built, at http://localhost:PORT
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8080")]
    serve: Option<u16>,
    /// Serve the page as it is, without a build
    #[arg(long, requires = "serve")]
    as_it_is: bool,
    /// Keep the names of functions in the module, for profilers
    #[arg(long)]
    names: bool,
    /// Fail if the files that a visit loads are larger than this, in megabytes after brotli
    #[arg(long, value_name = "MB")]
    most: Option<f64>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if !args.as_it_is {
        build(&args.out, args.names)?;
        let all = sizes::print(&args.out)?;
        if let Some(most) = args.most {
            ensure!(
                all <= most * 1e6,
                "the page weighs {:.2} MB after brotli: at most {most}",
                all / 1e6
            );
        }
    }
    match args.serve {
        Some(port) => serve::serve(&args.out, port),
        None => Ok(()),
    }
}

/// Compiles both modules, and writes them and the files of `site` to the folder `out`. `names`:
/// keeps the names of functions.
fn build(out: &Path, names: bool) -> Result<()> {
    let web = Path::new(WEB);
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    for (name, features) in [("lavoxel", ""), ("lavoxel_gpu", "gpu")] {
        let module = compile(web, features)?;
        wasm_bindgen_cli_support::Bindgen::new()
            .input_path(&module)
            .web(true)?
            .out_name(name)
            .typescript(false)
            .remove_name_section(!names)
            .remove_producers_section(true)
            .generate(out)?;
    }
    copy(&web.join("site"), out)?;
    let pictures = out.join("pictures");
    fs::create_dir_all(&pictures)?;
    copy(
        &web.join("../crates/window/src/ui/gallery/pictures"),
        &pictures,
    )?;
    number(out)
}

/// Compiles the module with `features` in the workspace `web`, and returns its path.
fn compile(web: &Path, features: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "lavoxel-page", "--lib"])
        .args(["--features", features])
        .args(["--target", "wasm32-unknown-unknown"])
        .env("RUSTFLAGS", "-C target-feature=+simd128")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(web)
        .status()
        .context("cannot start cargo")?;
    ensure!(
        status.success(),
        "the module does not compile (rustup target add wasm32-unknown-unknown?)"
    );
    Ok(web.join("target/wasm32-unknown-unknown/release/lavoxel_page.wasm"))
}

/// Copies the files of the folder `from` into the folder `to`.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Writes the list of the page's files, and a number of their contents, into its service worker, by
/// which a browser that kept the page offline sees that there is a newer one.
fn number(out: &Path) -> Result<()> {
    let path = out.join("offline.js");
    let names = sizes::files(out)?;
    let mut hash = std::hash::DefaultHasher::new();
    for name in &names {
        std::hash::Hash::hash(&fs::read(out.join(name))?, &mut hash);
    }
    let number = std::hash::Hasher::finish(&hash);
    let quoted: Vec<String> = names
        .iter()
        .filter(|name| *name != "offline.js")
        .map(|name| format!("\"{name}\""))
        .collect();
    let text = fs::read_to_string(&path)?
        .replace("NUMBER", &format!("{number:016x}"))
        .replace("\"FILES\"", &quoted.join(", "));
    Ok(fs::write(&path, text)?)
}
