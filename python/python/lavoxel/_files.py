"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import _lavoxel


def check_free(path: Path, *, force: bool) -> None:
    """Raise where `path` exists and `force` does not allow to replace it."""
    if path.exists() and not force:
        raise _lavoxel.LavoxelError(f"{path} exists already: pass force=True to replace it")


@contextlib.contextmanager
def in_place(path: Path, *, force: bool) -> Iterator[Path]:
    """A path in a folder next to `path`, which takes the place of `path` at the end of the block; an error leaves `path` as it was."""
    check_free(path, force=force)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        made = Path(folder) / path.name
        yield made
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        os.replace(made, path)
