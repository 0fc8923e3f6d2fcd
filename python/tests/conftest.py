"""Paths that tests share."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built():
    """The program; skips where it is not built."""
    built = [ROOT / "target" / kind / "lavoxel" for kind in ("debug", "release")]
    path = next((path for path in built if path.exists()), None)
    if path is None:
        if os.environ.get("LAVOXEL_SKIP") == "never":
            pytest.fail("the program is not built: cargo build")
        pytest.skip("the program is not built: cargo build")
    return path


@pytest.fixture(scope="session")
def program(built):
    """Runs the program and gives its JSON report."""

    def run(*words, folder="."):
        done = subprocess.run(
            [built, *map(str, words), "--json", "--quiet"], capture_output=True, check=False, text=True, cwd=folder
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Every test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def slope():
    """A slope of 24 × 24 cells of 10 m that falls to the south, as a file."""
    rows = "\n".join(" ".join([str(200 - 2 * z)] * 24) for z in range(24))
    head = "ncols 24\nnrows 24\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n"
    path = Path("slope.asc")
    path.write_text(f"{head}{rows}\n")
    return path
