"""Fields and maps with coordinates: by the CF conventions, and with the system of the map as ``rioxarray`` reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lavoxel
from ._files import in_place

try:
    import rioxarray  # noqa: F401
    import xarray as xr
except ImportError as error:  # pragma: no cover
    raise ImportError(f"{error}: pip install 'lavoxel[xarray]'") from error

if TYPE_CHECKING:
    from ._simulation import Simulation

#: Units of the program in the words of UDUNITS.
_UNITS = {
    "": "1",
    "full cells": "1",
    "cells": "1",
    "steps": "1",
    "step": "1",
    "share": "1",
    "vent units": "1",
    "vent units per full cell": "1",
    "°C": "degC",
    "h": "hours",
}
#: Standard names of CF, where there is one.
_STANDARD = {"ground": "surface_altitude"}


def _cf_unit(unit: str) -> str:
    if unit in _UNITS:
        return _UNITS[unit]
    for written, meant in (("²", "2"), ("³", "3"), ("/", " "), ("·", " ")):
        if written == "/" and "/" in unit:
            over, under = unit.split("/", 1)
            powers = [part if part[-1].isdigit() else part + "1" for part in under.strip("()").split()]
            return f"{over} " + " ".join(f"{part[:-1]}-{part[-1]}" for part in powers)
        unit = unit.replace(written, meant)
    return unit


def _variable(name: str) -> str:
    """The name of a field or map as CF allows it."""
    return name.replace("-", "_").replace(".", "_")


def _about(name: str, unit: str, words: str) -> dict[str, str]:
    about = {"long_name": words, "units": _cf_unit(unit)}
    if about["units"] != unit:
        about["unit_of_lavoxel"] = unit
    if name in _STANDARD:
        about["standard_name"] = _STANDARD[name]
    return about


def _axes(simulation: Simulation) -> tuple[dict[str, Any], str | None]:
    """The coordinates x, y and z, and the system as well-known text."""
    xs, ys, up, unit, wkt = simulation._inner.axes()
    if unit == "degree":
        names = ("longitude", "degrees_east"), ("latitude", "degrees_north")
    else:
        # A unit of the map other than the metre is named in its system alone.
        unit = "m" if unit == "m" else "1"
        names = ("projection_x_coordinate", unit), ("projection_y_coordinate", unit)
    (x_name, x_unit), (y_name, y_unit) = names
    of_x = {"standard_name": x_name, "long_name": "east", "units": x_unit, "axis": "X"}
    of_y = {"standard_name": y_name, "long_name": "north", "units": y_unit, "axis": "Y"}
    of_z = {"standard_name": "altitude", "long_name": "elevation", "units": "m", "positive": "up",
            "axis": "Z"}
    coordinates: dict[str, Any] = {
        "x": ("x", np.array(xs), of_x),
        "y": ("y", np.array(ys), of_y),
        "z": ("z", np.array(up), of_z),
    }
    return coordinates, wkt


def _now(simulation: Simulation) -> dict[str, Any]:
    """Coordinates of the moment."""
    now: dict[str, Any] = {"step": ((), simulation.steps, {"long_name": "steps made", "units": "1"})}
    if simulation.time_s is not None:
        now["elapsed"] = ((), simulation.time_s, {"long_name": "time since the start of the eruption", "units": "s"})
    return now


def _words(listed: list[tuple[str, str, str]], name: str) -> tuple[str, str, str]:
    if not isinstance(name, str):
        raise _lavoxel.LavoxelError(f"{name!r}: give the name of a field or map")
    bare = name.removeprefix("lava.")
    for entry in listed:
        if entry[0] == bare:
            return entry
    known = ", ".join(entry[0] for entry in listed)
    raise _lavoxel.LavoxelError(f"{name}: not there; there are {known}")


def field(simulation: Simulation, name: str) -> xr.DataArray:
    """See :meth:`Simulation.field`."""
    entry = _words(simulation._inner.fields(), name)
    axes, wkt = _axes(simulation)
    # (south, up, east) to (up, north, east): a view, with the rows of the map where they are.
    values = simulation._inner.array(name, True).transpose(1, 0, 2)
    array = xr.DataArray(values, dims=("z", "y", "x"), coords=axes | _now(simulation), name=_variable(entry[0]))
    array.attrs.update(_about(*entry))
    return _with_crs(array, wkt)


def raster(simulation: Simulation, name: str) -> xr.DataArray:
    """See :meth:`Simulation.raster`."""
    entry = _words(simulation._inner.maps(), name)
    axes, wkt = _axes(simulation)
    del axes["z"]
    array = xr.DataArray(simulation.map(name), dims=("y", "x"), coords=axes | _now(simulation), name=_variable(entry[0]))
    array.attrs.update(_about(*entry))
    return _with_crs(array, wkt)


def _with_crs(array: xr.DataArray, wkt: str | None) -> xr.DataArray:
    placed = array if wkt is None else array.rio.write_crs(wkt)
    assert isinstance(placed, xr.DataArray)
    return placed


def dataset(simulation: Simulation, fields: list[str], maps: list[str]) -> xr.Dataset:
    """See :meth:`Simulation.dataset`."""
    arrays = [field(simulation, name) for name in fields]
    names = {array.name for array in arrays}
    for name in maps:
        array = raster(simulation, name)
        arrays.append(array.rename(f"{array.name}_map") if array.name in names else array)
    together = xr.Dataset({array.name: array for array in arrays})
    together.attrs = {
        "Conventions": "CF-1.11",
        "title": f"Lavoxel: {simulation.name} after {simulation.steps} steps",
        "institution": "made by the user of the program",
        "source": f"lavoxel {_lavoxel.__version__}, a simulation",
        "history": f"step {simulation.steps}, state {simulation.state_hash}",
        "references": "the documentation of Lavoxel",
        "comment": _lavoxel.NO_FORECAST if simulation.time_s is None else _lavoxel.NO_FORECAST_OF_FLOW,
    }
    return together


def to_netcdf(data: xr.Dataset, path: Path, *, force: bool) -> None:
    """Writes a dataset as netCDF-4."""
    encoding: dict[str, dict[str, Any]] = {}
    for name, array in data.data_vars.items():
        encoding[str(name)] = {"zlib": True, "complevel": 4, "_FillValue": np.float32(np.nan)}
        if "grid_mapping" in array.encoding:
            encoding[str(name)]["grid_mapping"] = array.encoding["grid_mapping"]
    encoding |= {str(name): {"_FillValue": None} for name in data.coords}
    with in_place(path, force=force) as made:
        data.to_netcdf(made, engine="netcdf4", encoding=encoding)


def to_zarr(data: xr.Dataset, path: Path, *, force: bool) -> None:
    """Writes a dataset as a Zarr store."""
    with in_place(path, force=force) as made:
        data.to_zarr(made, consolidated=False)
