"""Simulations: steps, edits, states to come back to, and what can be read of a state."""

from __future__ import annotations

import copy
import json
import operator
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import numpy as np

from . import _lavoxel
from ._lavoxel import Snapshot
from ._picture import Film, Picture
from ._progress import Progress
from ._scene import Scene, Source, _read, take_overrides, to_json
from ._warnings import Told

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

#: Most steps, as in a scene.
_MOST = 10**9
#: Steps after which warnings are looked for at first, and the factor to the next time: looking costs about a step.
_FIRST_LOOK, _NEXT_LOOK = 10, 1.5

#: A rule of one's own: amounts and energies in units, and ground, to amounts and energies.
Rule = Callable[
    ["NDArray[np.uint16]", "NDArray[np.uint16]", "NDArray[np.bool_]"],
    "tuple[NDArray[np.uint16], NDArray[np.uint16]]",
]


def simulate(source: Source | Scene = None, /, *, folder: str | os.PathLike[str] = ".", **keys: Any) -> Simulation:
    """Build a simulation, before its first step, from a :class:`Scene` or from what :func:`scene` reads.

    >>> import lavoxel
    >>> simulation = lavoxel.simulate("volcano")
    >>> simulation.step(20)
    >>> simulation.array("amount").shape
    (128, 100, 128)
    """
    if isinstance(source, Scene):
        if keys:
            raise _lavoxel.LavoxelError(f"{', '.join(keys)}: keys are of the call that made the scene: lavoxel.scene")
        made = source
    else:
        overrides = take_overrides(keys)
        made = _read(source, Path(folder), keys, overrides, for_hazard=False, level=3)
    return Simulation(made._inner.build(), made)


def resume(path: str | os.PathLike[str]) -> Simulation:
    """Go on from a checkpoint, to the bits of a run that was never stopped."""
    return Simulation(_lavoxel.Simulation.resume(Path(path)), None)


def seconds(time: float | str) -> float:
    """Seconds of a time such as ``"6h"``, ``"1h30min"``, ``"10d"``, ``"90s"`` or 90.

    >>> seconds("1.5h")
    5400.0
    """
    return _lavoxel.seconds(time) if isinstance(time, str) else float(time)


def _count(name: str, number: SupportsIndex) -> int:
    """A whole number of steps or frames, 0 or more."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise _lavoxel.LavoxelError(f"{name}: give a whole number, not {number!r}") from None
    if not 0 <= whole <= _MOST:
        raise _lavoxel.LavoxelError(f"{name}: give a number from 0 to {_MOST}, not {whole}")
    return whole


def _matter(matter: Mapping[str, Any] | str) -> dict[str, Any]:
    """The table of a matter by its name."""
    if not isinstance(matter, str):
        return dict(matter)
    if matter == "lava":
        return {"kind": "lava", "amount": 1.0}
    if matter in ("rock", "solid", "drain", "nothing"):
        return {"kind": matter}
    return {"kind": "material", "name": matter, "amount": 1.0}


class Simulation:
    """A world that makes steps. Made by :func:`simulate` and :func:`resume`.

    Arrays of cells have the shape (z, y, x): z runs from north to south, y up, x from west to east. Those of ``xarray``
    (:meth:`field`, :meth:`raster`, :meth:`dataset`) have the axes of maps instead: z up, y north, x east, with coordinates.
    """

    def __init__(self, inner: _lavoxel.Simulation, made: Scene | None) -> None:
        self._inner = inner
        self._scene = made
        self._told = Told()
        self._next_look = _FIRST_LOOK

    def __copy__(self) -> Simulation:
        """Another simulation in the same state, which goes its own way from there; rules of one's own go along."""
        other = Simulation(self._inner.copy(), self._scene)
        other._told, other._next_look = copy.deepcopy(self._told), self._next_look
        return other

    def __deepcopy__(self, memo: object) -> Simulation:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a simulation is not pickled: save() it to a file, and lavoxel.resume() the file in the other process")

    def _look(self, *, now: bool, level: int) -> None:
        """Warn of what left the box, and of where the model does not hold, where it is time to look."""
        if now or self.steps >= self._next_look:
            self._next_look = max(int(self.steps * _NEXT_LOOK), _FIRST_LOOK)
            self._told.tell(self._inner.warnings(), level + 1)

    # State

    @property
    def name(self) -> str:
        """Name of the scene."""
        return self._inner.name

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self._inner.steps

    @property
    def time_s(self) -> float | None:
        """Seconds since the start, in the physical model."""
        return self._inner.time_s

    @property
    def state_hash(self) -> str:
        """Fingerprint of the whole state, as reports of the program print it."""
        return f"{self._inner.state_hash:016x}"

    @property
    def size(self) -> tuple[int, int, int]:
        """Cells along x (east), y (up) and z (south)."""
        return self._inner.size

    @property
    def cell_size_m(self) -> float:
        """Edge of a cell in metres."""
        return self._inner.cell_m[0]

    @property
    def cell_volume_m3(self) -> float:
        """Volume of a cell in m³."""
        edge, height = self._inner.cell_m
        return edge * edge * height

    # Steps and changes

    def step(self, count: int = 1) -> None:
        """Make steps. Ctrl-C ends them between two; other threads of Python run meanwhile.

        Warns (:class:`LavoxelWarning`), once of each kind, where something left the box or the model does not hold; looked for at
        first after 10 steps, and at the end of :meth:`run` and :meth:`film`.
        """
        self._inner.step(_count("count", count))
        self._look(now=False, level=2)

    def run(self, until: int | str | None = None, *, progress: bool | None = None) -> None:
        """Make steps up to a number of them or, in the physical model, a time. Warns as :meth:`step`.

        Parameters
        ----------
        until : int or str, optional
            Steps in all (300), or a time since the start (``"6h"``); without it what the scene asks for.
        progress : bool, optional
            Whether to show a bar; without it where a person watches.
        """
        if isinstance(until, str):
            self._run_to(until, progress)
        else:
            self._run_steps(self._inner.steps_of_scene if until is None else _count("until", until), progress)
        self._look(now=True, level=2)

    def _run_steps(self, last: int, progress: bool | None) -> None:
        start = self.steps
        bar = Progress(last - start, "steps", progress)
        try:
            while (made := self.steps) < last:
                self._inner.step(min(max((last - start) // 200, 1), last - made))
                bar.update(self.steps - start)
        finally:
            bar.close()

    def _run_to(self, until: str, progress: bool | None) -> None:
        time_s, start = seconds(until), self.time_s
        if start is None:
            raise _lavoxel.LavoxelError("until: a time is of the physical model; this one takes a number of steps")
        if time_s < 0.0:
            raise _lavoxel.LavoxelError(f"until: give a time since the start, 0 or more, not {until!r}")
        bar = Progress(round(time_s - start), "s of the eruption", progress)
        self._inner.end_at(time_s)
        try:
            while (now := self.time_s) is not None and now < time_s:
                self._inner.step(1)
                bar.update(round((self.time_s or now) - start))
        finally:
            bar.close()

    def command(self, **table: Any) -> None:
        """Do something now, as an ``[[event]]`` table says it: ``put``, ``rules``, ``material``, ``wind`` or ``seed``.

        >>> import lavoxel
        >>> simulation = lavoxel.simulate("volcano")
        >>> simulation.command(rules={"spread": 0.1})
        """
        self._inner.command(to_json(table))

    def put(self, shape: Mapping[str, Any], matter: Mapping[str, Any] | str) -> None:
        """Put matter into a shape: ``"lava"``, ``"rock"``, ``"drain"`` (takes liquids away), ``"nothing"`` (rock, too), the name
        of a material of the scene, whole cells of each; or a table ``matter`` of an event.

        >>> import lavoxel
        >>> simulation = lavoxel.simulate("volcano")
        >>> simulation.put({"kind": "sphere", "center": [64, 80, 64], "radius": 4}, "lava")
        """
        self.command(put={"shape": dict(shape), "matter": _matter(matter)})

    def open_vent(self, x: float, z: float, **keys: Any) -> int:
        """Open a vent at (x, z) in cells, and return its number.

        ``rate`` (full cells a step), ``radius``, ``energy``, ``start`` and ``end`` are those of a ``[[vent]]`` table;
        ``material`` is what it pours, lava without it; ``rate_m3_s`` is its rate in the physical model.
        """
        if "rate_m3_s" in keys:
            keys["flow"] = {"rates_m3_s": [[0.0, keys.pop("rate_m3_s")]]}
        return self._inner.place_vent(to_json({"x": x, "z": z, **keys}))

    def close_vent(self, number: int) -> None:
        """Close a vent."""
        self._inner.close_vent(number)

    @property
    def vents(self) -> list[dict[str, Any]]:
        """The vents by their numbers, past ones too, as tables in cells."""
        vents: list[dict[str, Any]] = json.loads(self._inner.vents())
        return vents

    def add_rule(self, rule: Rule, *, material: str = "lava", after: str = "spreading") -> None:
        """Run a rule of one's own in every step from now on, behind one of the program's.

        Parameters
        ----------
        rule : function
            Takes amounts and energies of the material in every cell, uint16 in units (:data:`AMOUNT_ONE` to a full cell,
            :data:`ENERGY_ONE` to that of fresh lava), and where ground is, each of shape (z, y, x); gives back amounts and
            energies. The account books what comes and goes: a rule that only moves matter keeps it to the unit.
        material : str
            The material whose cells it changes.
        after : str
            Name of the program's rule behind which it runs, such as ``gravity``, ``spreading``, ``level`` or ``drift``.

        Notes
        -----
        It is slow: the whole box is copied for each call. Checkpoints and scenes do not hold it.
        """
        if not callable(rule):
            raise _lavoxel.LavoxelError(f"rule: give a function of amounts, energies and ground, not {rule!r}")

        def checked(*arrays: Any) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
            amount, energy = (np.asarray(array) for array in rule(*arrays))
            for array in (amount, energy):
                if array.size and (array.min() < 0 or array.max() > np.iinfo(np.uint16).max):
                    raise _lavoxel.LavoxelError("a rule gives units from 0 to 65535")
            return amount.astype(np.uint16, copy=False), energy.astype(np.uint16, copy=False)

        self._inner.add_rule(checked, material, after)

    # States to come back to

    def snapshot(self) -> Snapshot:
        """Keep the present state, to come back to it."""
        return self._inner.snapshot()

    def go_back(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this simulation, and forget what came after it."""
        self._inner.go_back(snapshot)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a checkpoint for :func:`resume` and ``lavoxel resume``; `force` replaces a file that is there."""
        self._inner.save(Path(path), force)

    def save_scene(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the scene with all that was done: it comes to this state after as many steps."""
        self._inner.save_scene(Path(path), force)

    # Accounts

    def report(self) -> dict[str, Any]:
        """The report of ``lavoxel run --json``: accounts in units, extent, heat, timings."""
        report: dict[str, Any] = json.loads(self._inner.report())
        return report

    def accounts(self) -> dict[str, dict[str, float]]:
        """The account of each material in full cells: what came, where it went, what is there."""
        report = self.report()
        tables = {"lava": report, **report.get("materials", {})}
        ending = "_units"
        return {
            name: {key.removesuffix(ending): units / report["unit"] for key, units in table.items() if key.endswith(ending)
                   and isinstance(units, int)}
            for name, table in tables.items()
        }

    def check(self) -> None:
        """Check accounts and every other invariant; raise :class:`LavoxelError` for the first fault."""
        self._inner.check()

    def __repr__(self) -> str:
        x, y, z = self.size
        return f"<lavoxel.Simulation {self.name!r}: step {self.steps}, {x} × {y} × {z} cells>"

    def __str__(self) -> str:
        return self._inner.text()

    # Arrays

    @property
    def fields(self) -> dict[str, str]:
        """Names of all fields of cells, with their units."""
        return {name: unit for name, unit, _ in self._inner.fields()}

    @property
    def maps(self) -> dict[str, str]:
        """Names of all maps, with their units."""
        return {name: unit for name, unit, _ in self._inner.maps()}

    def array(self, name: str = "amount") -> NDArray[np.float32]:
        """A field in every cell, shape (z, y, x): z runs south, y up, x east. One copy."""
        return self._inner.array(name, False)

    def amounts(self, material: str = "lava") -> NDArray[np.uint16]:
        """Exact amounts of a material in units (:data:`AMOUNT_ONE` to a full cell), shape (z, y, x). One copy."""
        return self._inner.amounts(material)

    def solid(self) -> NDArray[np.bool_]:
        """Where ground is, shape (z, y, x)."""
        return self._inner.solid()

    def map(self, name: str) -> NDArray[np.floating[Any]]:
        """A map, shape (z, x): row 0 is north; NaN where there is no data; float64 of whole numbers such as steps, else float32."""
        return self._inner.map(name)

    def field(self, name: str = "amount") -> xr.DataArray:
        """A field with coordinates, dimensions (z, y, x): z up in metres above sea, y north, x east.

        What only matter has (temperature, viscosity, velocity, specific energy) is NaN where there is none; :meth:`array` has 0
        there.
        """
        from . import _xarray  # noqa: PLC0415

        return _xarray.field(self, name)

    def raster(self, name: str) -> xr.DataArray:
        """A map with coordinates and its system, dimensions (y, x), for ``rioxarray``."""
        from . import _xarray  # noqa: PLC0415

        return _xarray.raster(self, name)

    def dataset(self, fields: list[str] | None = None, maps: list[str] | None = None) -> xr.Dataset:
        """Fields and maps together, with the words of CF; all maps and no field without names."""
        from . import _xarray  # noqa: PLC0415

        return _xarray.dataset(self, fields or [], list(self.maps) if maps is None else maps)

    def to_netcdf(
        self,
        path: str | os.PathLike[str],
        *,
        fields: list[str] | None = None,
        maps: list[str] | None = None,
        force: bool = False,
    ) -> None:
        """Write :meth:`dataset` as netCDF-4 by the CF conventions, whole or not at all."""
        from . import _xarray  # noqa: PLC0415

        _xarray.to_netcdf(self.dataset(fields, maps), Path(path), force=force)

    def to_zarr(
        self,
        path: str | os.PathLike[str],
        *,
        fields: list[str] | None = None,
        maps: list[str] | None = None,
        force: bool = False,
    ) -> None:
        """Write :meth:`dataset` as a Zarr store, whole or not at all."""
        from . import _xarray  # noqa: PLC0415

        _xarray.to_zarr(self.dataset(fields, maps), Path(path), force=force)

    def export(self, path: str | os.PathLike[str], map: str | None = None, *, force: bool = False) -> None:  # noqa: A002
        """Write a file of another program by its ending.

        A volume (``.vti``, ``.vdb``), arrays (``.npz``), a mesh (``.glb``, ``.ply``, ``.obj``), or, with the name of a map,
        that map (``.tif``, ``.asc``, ``.geojson``, ``.gpkg``, ``.kmz``, ``.png``).
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._inner.export(Path(path), map, force)

    # Pictures

    def picture(
        self,
        size: tuple[int, int] = (960, 640),
        *,
        camera: Mapping[str, Any] | None = None,
        look: Mapping[str, Any] | None = None,
    ) -> Picture:
        """Draw the volume; `camera` and `look` are keys of ``[camera]`` and ``[look]`` in place of the scene's.

        >>> import lavoxel
        >>> lavoxel.simulate("volcano").picture((96, 64), look={"sky": "night"})
        <lavoxel.Picture of 96 × 64 pixels>
        """
        return Picture(self._inner.picture(size, to_json(camera or {}), to_json(look or {})))

    def slice(
        self,
        place: str,
        field: str | None = None,
        *,
        size: tuple[int, int] = (960, 640),
        whole: bool = False,
    ) -> Picture:
        """Draw a slice with axes and a legend: ``"z=64"`` (cells), ``"y=735m"`` (elevation) or ``"x=map:499800"``."""
        return Picture(self._inner.slice(place, field, size, whole))

    def film(
        self,
        path: str | os.PathLike[str],
        *,
        steps: int,
        every: int = 10,
        size: tuple[int, int] = (480, 320),
        fps: int = 20,
        orbit_deg: float = 0.0,
        camera: Mapping[str, Any] | None = None,
        look: Mapping[str, Any] | None = None,
        force: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Make steps and draw every so many of them into a film, while the camera turns by `orbit_deg` in all."""
        steps, every = _count("steps", steps), max(_count("every", every), 1)
        frames = max(steps // every, 1)
        around = dict(camera or {})
        first = around.get("azimuth_deg")
        if orbit_deg and first is None:
            raise _lavoxel.LavoxelError("orbit_deg: give camera={'azimuth_deg': …}, from which it turns")
        bar = Progress(frames, "frames", progress)
        try:
            with Film(path, size=size, fps=fps, force=force) as film:
                for frame in range(frames):
                    self._inner.step(every)
                    if first is not None:
                        around["azimuth_deg"] = first + orbit_deg * frame / frames
                    film.add(self.picture(size, camera=around, look=look))
                    bar.update(frame + 1)
        finally:
            bar.close()
        self._look(now=True, level=2)
