"""Notebooks, pages and examples run as they stand."""

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lavoxel

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
PAGES = ["README.md", "docs/python.md", "docs/tutorial-python.md", "docs/clusters.md"]


@pytest.mark.parametrize("path", sorted((HERE / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_end_with_a_picture(path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": os.getcwd()}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [any("image/png" in output.get("data", {}) for output in cell.outputs) for cell in code]
    assert any(shown[-2:]), "the last cells show no picture"


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_pages_run_in_their_order(page):
    shutil.copytree(ROOT / "terrains", "terrains")
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    names = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # noqa: S102


def test_the_example_of_an_own_rule_runs(capsys):
    runpy.run_path(str(HERE / "examples" / "own_rule.py"), run_name="__main__")
    assert "when it cools" in capsys.readouterr().out


PLAN = ["--rates", "log-uniform:1,20", "--volumes", "uniform:500,3000"]
VENTS = "x,y,weight\n1120,5200,1\n1100,5180,2\n"


def maps(folder):
    names = ["probability.tif", "arrival_q50.tif", "thickness_max.tif", "probability.geojson"]
    return [Path(folder, name).read_bytes() for name in names]


@pytest.fixture
def whole(slope, program):
    Path("vents.csv").write_text(VENTS)
    program("hazard", slope, "--vent-area", "vents.csv", *PLAN, "--runs", 6, "--out", "whole")
    return maps("whole")


def test_the_example_of_a_cluster_runs_on_workers_of_this_machine(slope, whole):
    pytest.importorskip("distributed")
    words = ["slope.asc", "vents.csv", "--runs", "6", *PLAN, "--jobs", "2", "--local", "--folder", "ours"]
    done = subprocess.run(
        [sys.executable, HERE / "examples" / "slurm_dask.py", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "6 runs" in done.stdout and maps("ours") == whole


def test_a_client_that_is_killed_goes_on_where_it_was(slope, program):
    pytest.importorskip("distributed")
    Path("vents.csv").write_text(VENTS)
    runs = 150
    program("hazard", slope, "--vent-area", "vents.csv", *PLAN, "--runs", runs, "--out", "whole")
    words = ["slope.asc", "vents.csv", "--runs", str(runs), *PLAN, "--jobs", "2", "--local", "--folder", "ours"]
    command = [sys.executable, HERE / "examples" / "slurm_dask.py", *words]
    client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(list(Path("ours").glob("runs/run_*"))) < 20:
        assert client.poll() is None, "it ended before it was killed"
        time.sleep(0.005)
    client.kill()
    client.wait()
    there = len(list(Path("ours").glob("runs/run_*")))
    assert 20 <= there < runs and not Path("ours/probability.tif").exists()
    subprocess.run(command, check=True, capture_output=True)
    assert maps("ours") == maps("whole")


def test_the_example_of_a_cluster_asks_slurm_for_jobs():
    # In a process of its own: importing it takes over Ctrl-C.
    if importlib.util.find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")
    asks = "import slurm_dask\nwith slurm_dask.cluster(2, local=False) as workers: print(workers.job_script())"
    done = subprocess.run(
        [sys.executable, "-c", asks], capture_output=True, text=True, check=False, cwd=HERE / "examples"
    )
    assert done.returncode == 0, done.stderr
    script = done.stdout
    assert "#SBATCH" in script and "--nworkers 16" in script and "--nthreads 1" in script


def test_the_script_of_slurm_makes_parts_and_maps(slope, whole, built):
    plan = " ".join(["slope.asc --vent-area vents.csv", *PLAN, "--runs 6"])
    base = os.environ | {"PLAN": plan, "OUT": "array", "PATH": f"{built.parent}:{os.environ['PATH']}"}
    script = HERE / "examples" / "hazard.sbatch"
    for part in ("1", "2", "3"):
        array = {"SLURM_ARRAY_TASK_ID": part, "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "1"}
        subprocess.run(["bash", script], env=base | array, check=True, capture_output=True)
    subprocess.run(["bash", script, "maps"], env=base, check=True, capture_output=True)
    assert maps("array") == whole


def test_the_workflow_of_snakemake_makes_parts_and_maps(slope, whole, built):
    snakemake = shutil.which("snakemake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if snakemake is None:
        if os.environ.get("LAVOXEL_SKIP") == "never":
            pytest.fail("snakemake is not installed: pip install 'lavoxel[test]'")
        pytest.skip("snakemake is not installed")
    plan = " ".join(["slope.asc --vent-area vents.csv", *PLAN, "--runs 6"])
    env = os.environ | {"PATH": f"{built.parent}:{os.environ['PATH']}"}
    words = ["--snakefile", HERE / "examples" / "Snakefile", "--cores", "2"]
    config = ["--config", f"plan={plan}", "parts=3", "out=flow"]
    done = subprocess.run([snakemake, *words, *config], env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert maps("flow") == whole


def test_the_version_is_that_of_the_program():
    manifests = [(path / "Cargo.toml").read_text() for path in (ROOT, HERE)]
    versions = {re.search(r'^version = "(.*)"', text, re.MULTILINE)[1] for text in manifests}
    assert versions == {lavoxel.__version__}
