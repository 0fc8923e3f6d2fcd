"""Scenes: from a file, a shipped name, a heightmap, an array, a text, or tables."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard, Union

import numpy as np

from . import _lavoxel
from ._files import check_free, in_place
from ._warnings import LavoxelWarning

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

#: Keys that replace values of a scene, or of what a heightmap gets, as the flags of the program do.
OVERRIDES = ("size", "cell_size_m", "cell_height_m", "vents", "walls", "lava", "duration")

#: Heights in metres: rows from north to south.
Heights = Union["NDArray[Any]", "xr.DataArray", Sequence[Sequence[float]]]

#: Anything that a scene is made from.
Source = Union[str, os.PathLike[str], Mapping[str, Any], Heights, None]

#: Sign in a file for no data.
_NO_DATA = -99999.0


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
    heights: Heights,
    path: str | os.PathLike[str],
    *,
    cell_size_m: float | None = None,
    west: float = 0.0,
    south: float = 0.0,
    crs: str | None = None,
    force: bool = False,
) -> Path:
    """Write heights as an ESRI ASCII grid, which every scene and command reads; whole or not at all.

    Parameters
    ----------
    heights : array or lists of shape (rows, columns)
        Metres above sea, row 0 in the north; NaN, or masked, where there is no data. A DataArray of ``rioxarray`` brings the size
        of its cells, its place and its system.
    path : path
        File, which ends in ``.asc``; its system goes beside it, as ``.prj``.
    cell_size_m : float
        Edge of a cell in metres, or in units of `crs`.
    west, south : float
        Lower left corner in coordinates of the map.
    crs : str, optional
        Well-known text of the system.
    force : bool
        Whether to replace a file that is there, and its system.

    Returns
    -------
    Path
        That of the file.
    """
    if _is_raster(heights):
        heights, cell_size_m, west, south, crs = _placed(heights)
    known = _metres(heights)
    if cell_size_m is None:
        raise _lavoxel.LavoxelError("cell_size_m: give the edge of a cell of the heights in metres")
    path = Path(path)
    if path.suffix.lower() != ".asc":
        raise _lavoxel.LavoxelError(f"{path}: a grid of heights ends in .asc")
    system = path.with_suffix(".prj")
    for file in (path, system):
        check_free(file, force=force)
    rows, columns = known.shape
    head = (
        f"ncols {columns}\nnrows {rows}\nxllcorner {float(west)!r}\nyllcorner {float(south)!r}\n"
        f"cellsize {float(cell_size_m)!r}\nNODATA_value {_NO_DATA}"
    )
    with in_place(path, force=force) as made:
        np.savetxt(made, np.where(np.isnan(known), _NO_DATA, known), fmt="%.9g", header=head, comments="")
        # A system that an earlier grid had would place this one.
        system.unlink(missing_ok=True)
        if crs is not None:
            system.write_text(crs, encoding="utf-8")
    return path


def _is_raster(heights: Heights) -> TypeGuard[xr.DataArray]:
    """Whether heights bring coordinates."""
    return hasattr(heights, "squeeze") and hasattr(heights, "dims")


def _metres(heights: Heights) -> NDArray[np.float64]:
    """Heights as numbers, NaN where there is none: masked ones are none."""
    try:
        values = np.ma.asarray(heights) if np.ma.isMaskedArray(heights) else np.asarray(heights)
    except ValueError as error:
        raise _lavoxel.LavoxelError(f"heights have the shape (rows, columns), and rows of one length: {error}") from None
    if values.dtype.kind not in "iuf":
        raise _lavoxel.LavoxelError(f"heights are numbers in metres, these are of the type {values.dtype}")
    if values.ndim != 2 or values.size == 0:
        raise _lavoxel.LavoxelError(f"heights have the shape (rows, columns), these have {values.shape}")
    metres: NDArray[np.float64] = np.ma.filled(values.astype(float), np.nan)
    infinite = int(np.isinf(metres).sum())
    if infinite > 0:
        raise _lavoxel.LavoxelError(f"heights: {infinite} are infinite; NaN says that there is no data")
    return metres


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
    values = _metres(ordered.values)
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

    def __copy__(self) -> Scene:
        """The same scene: nothing changes it."""
        return self

    def __deepcopy__(self, memo: object) -> Scene:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a scene is not pickled: pass what it was made from, or its text()")

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
    overrides = take_overrides(keys)
    return _read(source, Path(folder), keys, overrides, for_hazard=False, level=3)


def take_overrides(keys: dict[str, Any]) -> dict[str, Any]:
    """Takes from `keys` those that replace values of a scene."""
    overrides = {key: keys.pop(key) for key in OVERRIDES if keys.get(key) is not None}
    size = overrides.get("size")
    if size is not None and not (isinstance(size, (list, tuple, np.ndarray)) and len(size) == 3):
        raise _lavoxel.LavoxelError(f"size = {size!r}: give three numbers of cells: east, up, south, such as [64, 50, 64]")
    vents = overrides.get("vents")
    if isinstance(vents, str):
        raise _lavoxel.LavoxelError(f"vents = {vents!r}: give a list of places: [{vents!r}]")
    return overrides


def _read(source: Source, folder: Path, keys: dict[str, Any], overrides: dict[str, Any], *, for_hazard: bool, level: int) -> Scene:
    kept: tempfile.TemporaryDirectory[str] | None = None
    is_own = False
    if isinstance(source, np.ndarray) or (not isinstance(source, (str, os.PathLike, Mapping)) and source is not None):
        is_own = True
        if isinstance(source, (bytes, bytearray, set, frozenset)) or not hasattr(source, "__len__"):
            kinds = "a path, a name, a text, tables, or heights as an array or lists"
            raise _lavoxel.LavoxelError(f"a scene is made from {kinds}, not from {type(source).__name__}")
        kept = tempfile.TemporaryDirectory(prefix="lavoxel-")
        edge = keys.pop("heights_m", None)
        if edge is None and not _is_raster(source):
            raise _lavoxel.LavoxelError("heights_m: give the edge of a cell of the heights in metres")
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
    if is_own and not {"size", "cell_size_m"} & {*overrides, *keys.get("grid", {})}:
        changed = next((line for line in inner.choices() if " in the file " in line), None)
        if changed is not None:
            line = changed.replace(" in the file ", " in the heights ")
            # The caller of lavoxel.simulate, lavoxel.scene or lavoxel.hazard.
            warnings.warn(f"{line}: pass cell_size_m or size to choose them", LavoxelWarning, stacklevel=level)
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
