//! The folder of a hazard map: `plan.json`, the files of runs under `runs`, and the maps.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use lavoxel::hazard::{PlanFile, Reduction, RunRecord, names};
use lavoxel::output::{Existing, OutputError, WholeFile, check_free};

use super::HazardArgs;

/// Largest file of a plan that is read.
const LARGEST: u64 = 1 << 24;

/// A folder whose runs are of one plan.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) fingerprint: u128,
}

impl Folder {
    /// Opens the folder of a plan, or begins it. A folder of another plan is refused, or cleared with `--force`.
    pub(super) fn open(
        path: PathBuf,
        plan: &PlanFile,
        args: &HazardArgs,
        reduction: &Reduction,
    ) -> anyhow::Result<Self> {
        let folder = Self { path, fingerprint: plan.fingerprint() };
        let file = folder.path.join("plan.json");
        match (read(&file), args.force) {
            (Ok(None), false) => folder.check_new(&file, args, reduction)?,
            (Ok(Some(old)), false) => check_same(&old, plan, &file)?,
            (Err(error), false) => return Err(error),
            (_, true) => {
                check_free(&file, Existing::Replace)?;
                folder.clear()?;
            }
        }
        if !args.reduce_only {
            write(&file, plan)?;
        }
        Ok(folder)
    }

    /// Checks that nothing would be lost in a folder without a plan.
    fn check_new(&self, file: &Path, args: &HazardArgs, reduction: &Reduction) -> anyhow::Result<()> {
        let shown = self.path.display();
        anyhow::ensure!(!args.reduce_only, "{shown}: holds no plan.json; name the folder of the runs with --out");
        check_free(file, Existing::Keep)?;
        names(reduction, args.picture).iter().try_for_each(|name| check_free(&self.path.join(name), Existing::Keep))?;
        let (found, _) = self.runs(1);
        anyhow::ensure!(
            found.is_empty(),
            "{shown}: holds runs without their plan.json; name another folder with --out"
        );
        Ok(())
    }

    /// Removes the files of all runs.
    fn clear(&self) -> Result<(), OutputError> {
        let is_run = |name: &str| name.strip_prefix("run_").is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit()));
        for entry in fs::read_dir(self.runs_path()).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_run) {
                fs::remove_file(entry.path()).map_err(|cause| OutputError::io(&entry.path(), cause))?;
            }
        }
        Ok(())
    }

    /// Where the files of runs are.
    pub(super) fn runs_path(&self) -> PathBuf {
        self.path.join("runs")
    }

    /// The runs below `count` that are there, and those that are missing.
    pub(super) fn runs(&self, count: u64) -> (Vec<u64>, Vec<u64>) {
        let folder = self.runs_path();
        (0..count).partition(|run| RunRecord::path(&folder, *run).exists())
    }
}

/// Reads the plan of a folder; none where there is none.
fn read(file: &Path) -> anyhow::Result<Option<PlanFile>> {
    let cannot = |e: std::io::Error| anyhow::anyhow!("cannot read {}: {e}", file.display());
    if !file.exists() {
        return Ok(None);
    }
    anyhow::ensure!(file.is_file(), "{}: expected a file, found a folder or a device", file.display());
    let mut text = String::new();
    fs::File::open(file).and_then(|file| file.take(LARGEST).read_to_string(&mut text)).map_err(cannot)?;
    let plan = serde_json::from_str(&text);
    plan.map(Some).map_err(|e| {
        anyhow::anyhow!(
            "{}: is no plan of hazard: {e}; name another folder with --out, or pass --force",
            file.display()
        )
    })
}

fn check_same(old: &PlanFile, plan: &PlanFile, file: &Path) -> anyhow::Result<()> {
    let differences = old.differences(plan);
    anyhow::ensure!(
        differences.is_empty(),
        "{}: is another plan ({} differ): name another folder with --out, or pass --force to remove its runs",
        file.display(),
        differences.join(", ")
    );
    Ok(())
}

fn write(file: &Path, plan: &PlanFile) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(plan)?;
    let mut out = WholeFile::create(file, Existing::Replace)?;
    writeln!(out, "{text}").map_err(|cause| OutputError::io(file, cause))?;
    Ok(out.commit()?)
}
