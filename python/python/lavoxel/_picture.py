"""Pictures that a notebook shows, and films."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lavoxel
from ._files import in_place

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Picture:
    """A picture: an array of shape (height, width, 3), uint8, which a notebook shows inline and ``np.asarray`` takes."""

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        #: Pixels, shape (height, width, 3): red, green and blue of sRGB.
        self.pixels = pixels

    @property
    def size(self) -> tuple[int, int]:
        """Pixels across and down."""
        height, width, _ = self.pixels.shape
        return width, height

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.pixels, dtype=dtype, copy=copy)

    def _repr_png_(self) -> bytes:
        return _lavoxel.png(self.pixels)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a PNG; `force` replaces a file that is there."""
        path = Path(path)
        if path.suffix.lower() != ".png":
            raise _lavoxel.LavoxelError(f"{path}: pictures end in .png")
        with in_place(path, force=force) as made:
            made.write_bytes(self._repr_png_())

    def __repr__(self) -> str:
        width, height = self.size
        return f"<lavoxel.Picture of {width} × {height} pixels>"


class Film:
    """A film that is being written: ``.png`` (APNG), ``.gif``, ``.webp``, or ``.mp4`` where ffmpeg is installed.

    The file appears when the ``with`` block ends, whole or not at all.

    >>> with lavoxel.Film("lavoxel-out/pour.gif", size=(320, 240)) as film:  # doctest: +SKIP
    ...     film.add(simulation.picture(size=(320, 240)))
    """

    def __init__(self, path: str | os.PathLike[str], *, size: tuple[int, int], fps: int = 20, force: bool = False) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._inner = _lavoxel.Film(Path(path), size, fps, force)

    def add(self, picture: Picture | NDArray[np.uint8]) -> None:
        """Add a frame, of the film's size."""
        self._inner.frame(np.ascontiguousarray(np.asarray(picture, dtype=np.uint8)))

    def __enter__(self) -> Film:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._inner.finish()
        else:
            self._inner.abandon()
