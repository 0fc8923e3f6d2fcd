"""Lavoxel: lava, water, sand, ash and air in a voxel world.

>>> import lavoxel
>>> simulation = lavoxel.simulate("volcano")
>>> simulation.step(30)
>>> amount = simulation.array("amount")   # (z, y, x): z runs south, y up, x east
>>> simulation.picture((320, 200))
<lavoxel.Picture of 320 × 200 pixels>
"""

from ._hazard import HazardMaps, hazard
from ._lavoxel import (
    AMOUNT_ONE,
    ENERGY_ONE,
    LavoxelError,
    Snapshot,
    __version__,
    set_memory_limit,
    set_threads,
    shipped_scenes,
)
from ._picture import Film, Picture
from ._scene import Scene, scene, write_ground
from ._simulation import Simulation, resume, seconds, simulate
from ._tools import compare, verify
from ._warnings import LavoxelWarning

__all__ = [
    "AMOUNT_ONE",
    "ENERGY_ONE",
    "Film",
    "HazardMaps",
    "LavoxelError",
    "LavoxelWarning",
    "Picture",
    "Scene",
    "Simulation",
    "Snapshot",
    "__version__",
    "compare",
    "hazard",
    "resume",
    "scene",
    "seconds",
    "set_memory_limit",
    "set_threads",
    "shipped_scenes",
    "simulate",
    "verify",
    "write_ground",
]


def _limit_memory() -> None:
    """Four fifths of the machine's memory, as the program takes at most."""
    import os  # noqa: PLC0415

    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return
    set_memory_limit(machine * 4 // 5)


_limit_memory()
