"""Scenes: from a file, a shipped name, a heightmap, an array, a text, or tables."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _lavoxel

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

#: Keys that replace values of a scene, or of what a heightmap gets, as the flags of the program do.
OVERRIDES = ("size", "cell_size_m", "cell_height_m", "vents", "walls", "lava", "duration")

#: Anything that a scene is made from.
Source = Union[str, os.PathLike[str], Mapping[str, Any], "NDArray[Any]", "xr.DataArray", None]


def _plain(value: object) -> object:
    """Gives a value that JSON has no form for as one that it has."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} is no value of a scene")


def to_json(value: object) -> str:
    """A value of a scene as JSON."""
    return json.dumps(value, default=_plain)


def _merged(tables: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Tables with other values of some keys: tables in them are merged, lists replaced, and None removes a key."""
    merged = dict(tables)
    for key, value in keys.items():
        before = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            merged[key] = _merged(before, value)
        else:
            merged[key] = value
    return merged


def write_ground(
    heights: NDArray[Any] | xr.DataArray,
    path: str | os.PathLike[str],
    *,
    cell_size_m: float | None = None,
    west: float = 0.0,
    south: float = 0.0,
    crs: str | None = None,
) -> Path:
    """Write heights as an ESRI ASCII grid, which every scene and command reads.

    Parameters
    ----------
    heights : array of shape (rows, columns)
        Metres above sea, row 0 in the north; NaN where there is no data. A DataArray of ``rioxarray`` brings the size of its
        cells, its place and its system.
    path : path
        File, which ends in ``.asc``; its system goes beside it, as ``.prj``.
    cell_size_m : float
        Edge of a cell in metres, or in units of `crs`.
    west, south : float
        Lower left corner in coordinates of the map.
    crs : str, optional
        Well-known text of the system.

    Returns
    -------
    Path
        That of the file.
    """
    if not isinstance(heights, np.ndarray):
        heights, cell_size_m, west, south, crs = _placed(heights)
    if heights.ndim != 2:
        raise _lavoxel.LavoxelError(f"heights have the shape (rows, columns), these have {heights.shape}")
    if cell_size_m is None:
        raise _lavoxel.LavoxelError("cell_size_m: give the edge of a cell of the heights in metres")
    path = Path(path)
    rows, columns = heights.shape
    head = (
        f"ncols {columns}\nnrows {rows}\nxllcorner {west!r}\nyllcorner {south!r}\n"
        f"cellsize {float(cell_size_m)!r}\nNODATA_value -99999"
    )
    known = np.where(np.isfinite(heights), heights, -99999.0)
    np.savetxt(path, known, fmt="%.9g", header=head, comments="")
    if crs is not None:
        path.with_suffix(".prj").write_text(crs, encoding="utf-8")
    return path


def _placed(heights: xr.DataArray) -> tuple[NDArray[Any], float, float, float, str | None]:
    """The heights of a raster with north up, the edge of its cells, its lower left corner and its system."""
    import rioxarray  # noqa: F401, PLC0415

    raster = heights.squeeze(drop=True).rio
    # rioxarray is untyped, and its extension is known to xarray only when it was imported.
    east, south_step = raster.resolution()
    if abs(abs(east) - abs(south_step)) > 1e-6 * abs(east):
        raise _lavoxel.LavoxelError(f"heights have square cells, these are {abs(east)} by {abs(south_step)}")
    ordered = heights.squeeze(drop=True).sortby(raster.y_dim, ascending=False).sortby(raster.x_dim)
    ordered = ordered.transpose(raster.y_dim, raster.x_dim)
    west, south, _, _ = raster.bounds()
    values = np.asarray(ordered.values, dtype=float)
    if raster.nodata is not None:
        values = np.where(values == raster.nodata, np.nan, values)
    return values, abs(east), west, south, None if raster.crs is None else raster.crs.to_wkt()


class Scene:
    """A scene that was read and checked. Made by :func:`scene`."""

    def __init__(
        self, inner: _lavoxel.Scene, overrides: str, folder: tempfile.TemporaryDirectory[str] | None = None
    ) -> None:
        self._inner = inner
        #: Overrides that it was read with, as JSON.
        self._overrides = overrides
        #: Folder of an array's file, for as long as the scene lives.
        self._folder = folder

    @property
    def name(self) -> str:
        """Its name."""
        return self._inner.name

    @property
    def choices(self) -> list[str]:
        """Values that a heightmap left open, as they were chosen, in words."""
        return self._inner.choices()

    @property
    def steps(self) -> int:
        """Steps that it asks for."""
        return self._inner.steps

    def text(self, path: str | os.PathLike[str] = "scene.toml") -> str:
        """Its text in a file at `path`, relative to which it names other files."""
        return self._inner.text(Path(path))

    def tables(self) -> dict[str, Any]:
        """Its tables, all of them with the values in force."""
        return tomllib.loads(self.text())

    def __repr__(self) -> str:
        return f"<lavoxel.Scene {self.name!r}>"


def scene(source: Source = None, /, *, folder: str | os.PathLike[str] = ".", **keys: Any) -> Scene:
    """Read a scene.

    Parameters
    ----------
    source : path, str, mapping, array or DataArray, optional
        A file of a scene, the name of a shipped one (:func:`shipped_scenes`), a heightmap, the text of a scene (with a line
        break), its tables, or heights: an array of shape (rows, columns), row 0 in the north, or a raster of ``rioxarray``.
    folder : path
        Folder of the files that a text or tables name.
    **keys
        ``size`` (cells along x, y and z), ``cell_size_m``, ``cell_height_m``, ``vents`` (such as ``["summit@15m3/s"]`` or
        ``["64,64@2"]``), ``walls`` (``"open"`` or ``"closed"``), ``lava`` (a preset of the physical model) and ``duration``
        (``"10d"``) replace those of the scene, as the flags of the program do. All others are tables and keys of the scene:
        tables are merged into those that are there, lists replace them, and None removes a key. Of an array ``heights_m`` is the
        edge of its cells, which may differ from ``cell_size_m``, that of the box.

    Examples
    --------
    >>> import lavoxel
    >>> lavoxel.scene("volcano", seed=7, grid={"size": [64, 50, 64]}).name
    'volcano'
    """
    overrides = {key: keys.pop(key) for key in OVERRIDES if keys.get(key) is not None}
    return _read(source, Path(folder), keys, overrides, for_hazard=False)


def _read(source: Source, folder: Path, keys: dict[str, Any], overrides: dict[str, Any], *, for_hazard: bool) -> Scene:
    kept: tempfile.TemporaryDirectory[str] | None = None
    if isinstance(source, np.ndarray) or (not isinstance(source, (str, os.PathLike, Mapping)) and source is not None):
        kept = tempfile.TemporaryDirectory(prefix="lavoxel-")
        edge = keys.pop("heights_m", None)
        source = write_ground(source, Path(kept.name) / "ground.asc", cell_size_m=edge)
    origin = folder / "scene.toml"
    if source is None or isinstance(source, Mapping):
        text = _lavoxel.Scene.text_of(to_json(_merged(source or {}, keys)))
        return Scene(_lavoxel.Scene.parse(text, origin, to_json(overrides), False, False), to_json(overrides), kept)
    if isinstance(source, str) and "\n" in source:
        text = _with_keys(source, keys)
        return Scene(_lavoxel.Scene.parse(text, origin, to_json(overrides), False, False), to_json(overrides), kept)
    if "terrain" in keys and not _is_scene(source):
        overrides["terrain"] = keys.pop("terrain")
    asked = to_json(overrides)
    inner = _lavoxel.Scene.open(Path(source), asked, for_hazard)
    if keys:
        # The whole scene as it is, with the keys in it.
        beside = Path(source).parent / "scene.toml" if Path(source).exists() else origin
        inner = _lavoxel.Scene.parse(_with_keys(inner.text(beside), keys), beside, asked, True, inner.is_bare)
    return Scene(inner, asked, kept)


def _is_scene(source: str | os.PathLike[str]) -> bool:
    return Path(source).suffix.lower() == ".toml" or os.fspath(source) in _lavoxel.shipped_scenes()


def _with_keys(text: str, keys: Mapping[str, Any]) -> str:
    """The text of a scene with other values of some keys."""
    return _lavoxel.Scene.text_of(to_json(_merged(tomllib.loads(text), keys))) if keys else text
