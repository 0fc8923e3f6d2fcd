"""Stubs say what the module has, and the package and its examples are typed."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def run(*words):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False, cwd=HERE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_those_of_the_module():
    pytest.importorskip("mypy")
    run("mypy.stubtest", "lavoxel._lavoxel", "--mypy-config-file", "pyproject.toml")


def test_the_package_and_its_examples_are_typed():
    pytest.importorskip("mypy")
    run("mypy", "--config-file", "pyproject.toml", "python/lavoxel", *map(str, sorted(HERE.glob("examples/*.py"))))


def test_words_of_the_package_are_run():
    run("pytest", "--doctest-modules", "-q", "--pyargs", "lavoxel", "-p", "no:cacheprovider")
