"""Hazard maps: many sampled eruptions, on the threads of this machine or on the workers of a cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _lavoxel
from ._progress import Progress
from ._scene import Scene, Source, _read, take_overrides, to_json

if TYPE_CHECKING:
    from distributed import Client

#: Runs that are at the workers at once, for each of their threads.
_AHEAD = 3


@dataclass(frozen=True)
class HazardMaps:
    """Finished hazard maps."""

    #: Numbers of all runs, as ``lavoxel hazard --json`` prints them.
    report: dict[str, Any]
    #: Files that were written.
    files: list[Path]
    #: Folder of the files and the runs.
    folder: Path

    def raster(self, name: str) -> Any:
        """A map such as ``probability``, ``arrival_q50`` or ``thickness_max``, read by ``rioxarray``."""
        import rioxarray  # noqa: PLC0415

        raster: Any = rioxarray.open_rasterio(self.folder / f"{name}.tif", masked=True)
        return raster.squeeze("band", drop=True)


@dataclass(frozen=True)
class _Task:
    """Plain texts from which a worker makes runs."""

    text: str
    #: Where the text would lie: files are named relative to it.
    origin: str
    overrides: str
    is_bare: bool
    settings: str
    fingerprint: str

    def study(self) -> _lavoxel.Study:
        inner = _lavoxel.Scene.parse(self.text, Path(self.origin), self.overrides, True, self.is_bare)
        return _lavoxel.Study(inner, self.settings, 1, None, False)


#: Studies of this process, by the plan: the ground is built once, not for every run.
_STUDIES: dict[str, _lavoxel.Study] = {}


def _make(task: _Task, run: int) -> tuple[int, bytes]:
    """Makes a run on a worker."""
    study = _STUDIES.get(task.fingerprint)
    if study is None:
        _STUDIES.clear()
        study = _STUDIES.setdefault(task.fingerprint, task.study())
        if study.fingerprint != task.fingerprint:
            _STUDIES.clear()
            raise _lavoxel.LavoxelError("this worker reads other files, or has another version of lavoxel, than the client")
    return run, study.run(run)


def hazard(
    source: Source | Scene,
    /,
    *,
    runs: int = 100,
    rates: str | float | None = None,
    volumes: str | float | None = None,
    durations: str | float | None = None,
    vent_area: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    client: Client | None = None,
    threads: int | None = None,
    seeds: str = "own",
    above: float = 0.05,
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9),
    levels: tuple[float, ...] | None = None,
    picture: bool = False,
    force: bool = False,
    progress: bool | None = None,
    **keys: Any,
) -> HazardMaps:
    """Map probability, arrival and thickness of lava from many sampled eruptions, as ``lavoxel hazard`` to the byte.

    Finished runs of the folder are kept: after a stop, or a failure of client or workers, the same call makes the missing runs.

    Parameters
    ----------
    source, **keys
        A heightmap or a scene of the physical model, and keys of :func:`lavoxel.scene`. Workers of a cluster read its files
        by the same paths.
    runs : int
        Number of runs in total; a larger number keeps the finished runs.
    rates, volumes, durations : str or float
        Laws of the effusion rate in m³/s, and of the volume in m³ or of the duration of an eruption: ``5``, ``"uniform:1,10"``,
        ``"log-uniform:1,50"``, ``"log-normal:1e6,3"``, ``"list:1,5,20"``.
    vent_area : path, optional
        Open vents at the points, lines and polygons of a file (``.geojson``), or at the points of a table (``.csv``);
        the vents of the scene when left out.
    folder : path, optional
        Keep runs and maps in this folder; ``lavoxel-out/NAME-hazard`` when left out.
    client : distributed.Client, optional
        Workers that make the runs; threads of this process when left out.
    threads : int, optional
        Number of threads without a client; that of the cores when left out.
    seeds, above, quantiles, levels, picture, force
        As the flags of ``lavoxel hazard``.
    progress : bool, optional
        Show a progress bar; on a terminal or in a notebook when left out.
    """
    if isinstance(source, Scene):
        scene = source
    else:
        overrides = take_overrides(keys)
        scene = _read(source, Path(), keys, overrides, for_hazard=True, level=3)
    laws = {"rates": rates, "volumes": volumes, "durations": durations}
    settings: dict[str, Any] = {
        "runs": runs, "seeds": seeds, "above": above, "quantiles": list(quantiles), "picture": picture,
        "vent_area": None if vent_area is None else str(Path(vent_area).absolute()),
        "levels": None if levels is None else list(levels),
        **{name: None if law is None else str(law) for name, law in laws.items()},
    }
    place = _lavoxel.Study.usual_folder(scene.name) if folder is None else Path(folder)
    at_once = threads or os.cpu_count() or 1
    study = _lavoxel.Study(scene._inner, to_json(settings), 1 if client else at_once, place, force)
    missing = study.missing()
    bar = Progress(runs, "runs", progress)
    done = runs - len(missing)
    bar.update(done)
    try:
        if client is None:
            study.make(missing, at_once, lambda made: bar.update(done + made))
        else:
            task = _task(scene, to_json(settings), study.fingerprint)
            _share_out(client, study, task, missing, lambda made: bar.update(done + made))
    finally:
        bar.close()
    if study.missing():
        raise _lavoxel.LavoxelError(f"{len(study.missing())} of {runs} runs are missing: the same call makes them")
    report, files = study.draw(len(missing))
    return HazardMaps(json.loads(report), [Path(file) for file in files], place)


def _task(scene: Scene, settings: str, plan: str) -> _Task:
    """The scene as text that names its files by whole paths, for workers to read."""
    origin = Path("scene.toml").absolute()
    return _Task(scene.text(origin), str(origin), scene._overrides, scene._inner.is_bare, settings, plan)


def _share_out(client: Any, study: _lavoxel.Study, task: _Task, missing: list[int], made: Callable[[int], object]) -> None:
    """Lets workers make runs, a few ahead of those that are done; each result is on disk before the next is sent."""
    import distributed  # noqa: PLC0415

    as_completed: Any = distributed.as_completed
    rest = iter(missing)
    threads = sum(client.nthreads().values())
    ahead = max(_AHEAD * threads, 1)

    def send(run: int) -> Any:
        # A worker that is killed did nothing wrong: the run is made again, as often as it takes.
        return client.submit(_make, task, run, pure=False, retries=3)

    waiting = as_completed([send(run) for run in islice(rest, ahead)])
    count = 0
    for future in waiting:
        run, data = future.result()
        study.put(run, data)
        future.release()
        count += 1
        made(count)
        following = next(rest, None)
        if following is not None:
            waiting.add(send(following))
