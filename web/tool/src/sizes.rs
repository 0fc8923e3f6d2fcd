//! Size of the page, as a browser loads it.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Returns the names of the files in the folder `out` and its folders, sorted, with `/` between
/// folders.
pub(crate) fn files(out: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let inner = files(&entry.path())?;
            names.extend(inner.into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Prints a table of the files in the folder `out`: bytes as they are, after gzip and after brotli.
/// Returns the bytes after brotli of all files that a visit loads at once, which are those outside
/// of folders with the larger one of both modules.
pub(crate) fn print(out: &Path) -> Result<f64> {
    let (mut all, mut modules) = ([0.0; 3], [0.0; 3]);
    println!("{:<28} {:>9} {:>9} {:>9}", "kB", "raw", "gzip", "brotli");
    for name in files(out)? {
        let bytes = fs::read(out.join(&name))?;
        let sizes = [bytes.len(), gzip(&bytes)?, brotli(&bytes)?].map(|size| size as f64);
        if name.contains('/') {
            continue;
        }
        println!(
            "{name:<28} {:>9.1} {:>9.1} {:>9.1}",
            sizes[0] / 1e3,
            sizes[1] / 1e3,
            sizes[2] / 1e3
        );
        let is_module = name.ends_with(".wasm");
        let sums = if is_module { &mut modules } else { &mut all };
        for (sum, size) in sums.iter_mut().zip(sizes) {
            *sum = if is_module {
                f64::max(*sum, size)
            } else {
                *sum + size
            };
        }
    }
    (0..3).for_each(|k| all[k] += modules[k]);
    println!(
        "{:<28} {:>9.1} {:>9.1} {:>9.1}",
        "a visit, at most",
        all[0] / 1e3,
        all[1] / 1e3,
        all[2] / 1e3
    );
    Ok(all[2])
}

fn gzip(bytes: &[u8]) -> Result<usize> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?.len())
}

fn brotli(bytes: &[u8]) -> Result<usize> {
    let mut packed = Vec::new();
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &bytes[..], &mut packed, &params)?;
    Ok(packed.len())
}
