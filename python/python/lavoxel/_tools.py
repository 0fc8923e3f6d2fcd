"""The benchmark suite of the physical model, and footprints side by side."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _lavoxel


def verify(*names: str, quick: bool = False) -> list[dict[str, Any]]:
    """Run cases with a known answer: all, the quick ones, or those that are named.

    Returns
    -------
    list of dict
        For each case its ``name``, ``title``, ``verdict`` (``holds`` or ``fails``), ``rows`` of numbers beside theory, and
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
    """Compare two footprints: rasters (GeoTIFF, ESRI ASCII grid) or polygons (GeoJSON).

    Parameters
    ----------
    a, b : path
        The footprint to judge, and the one to judge it by.
    above : float
        Cells of rasters count where their value is above this.
    until : str, optional
        Of a raster of times count the cells up to this one, such as ``"1d"``.
    origin : (x, y), optional
        Point from which the fronts are measured, in coordinates of `a`.
    cell_size : float, optional
        Edge of a cell where both have polygons.

    Returns
    -------
    dict
        ``fit``, ``jaccard``, ``precision``, ``recall``, areas and lengths, as ``lavoxel compare --json``.
    """
    place = None if origin is None else list(origin)
    found: dict[str, Any] = json.loads(_lavoxel.compare(Path(a), Path(b), above, until, place, cell_size))
    return found
