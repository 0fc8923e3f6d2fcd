"""Verification of the physical model, and comparison of footprints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _lavoxel


def verify(*names: str, quick: bool = False) -> list[dict[str, Any]]:
    """Run verification cases of the physical model: all, the quick cases, or the named cases.

    Returns
    -------
    list of dict
        For each case its ``name``, ``title``, ``verdict`` (``holds`` or ``fails``), ``rows`` of numbers and theory, and
        ``curve``.

    >>> import lavoxel
    >>> lavoxel.verify("u-tube")[0]["verdict"]  # doctest: +SKIP
    'holds'
    """
    wanted = names or tuple(name for name, _, is_quick in _lavoxel.verify_cases() if is_quick or not quick)
    return [json.loads(_lavoxel.verify(name)) for name in wanted]


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    above: float = 0.05,
    until: str | None = None,
    origin: tuple[float, float] | None = None,
    cell_size: float | None = None,
) -> dict[str, Any]:
    """Compare two footprints: a simulated and an observed flow.

    Parameters
    ----------
    a, b : path
        Footprint to judge, and reference footprint: .tif, .asc, .geojson or .gpkg.
    above : float
        Count raster cells with a value above this limit, in the unit of the file.
    until : str, optional
        Count only cells with a time up to this one in a GeoTIFF of times, such as ``"1d"``.
    origin : (x, y), optional
        Measure the distances of both fronts from this point, in the coordinates of `a`.
    cell_size : float, optional
        Edge of a cell, in metres or map units, where `a` and `b` are polygons.

    Returns
    -------
    dict
        ``fit``, ``jaccard``, ``precision``, ``recall``, areas and lengths, as ``lavoxel compare --json``.
    """
    place = None if origin is None else list(origin)
    found: dict[str, Any] = json.loads(_lavoxel.compare(Path(a), Path(b), above, until, place, cell_size))
    return found
