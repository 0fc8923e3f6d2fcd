"""A rule of a paper in ten lines: lava under the open sky cools, so that the flow tires sooner than by friction alone."""

import numpy as np
from numpy.typing import NDArray

import lavoxel

Units = NDArray[np.uint16]


def cool(amount: Units, energy: Units, solid: NDArray[np.bool_]) -> tuple[Units, Units]:
    """Takes a 64th of the energy of each cell that has no lava above it; y is the second axis."""
    open_above = np.ones(amount.shape, dtype=bool)
    open_above[:, :-1] = amount[:, 1:] == 0
    return amount, np.where(open_above, energy - energy // 64, energy)


def reach(*, cooled: bool) -> int:
    """Length in cells of the flow down a slope after 300 steps."""
    slope = 40.0 - 0.25 * np.tile(np.arange(160.0), (48, 1))
    simulation = lavoxel.simulate(slope, heights_m=1.0, cell_size_m=1.0, size=[160, 64, 48], vents=["10,24@2"])
    if cooled:
        simulation.add_rule(cool, after="spreading")
    simulation.step(300)
    simulation.check()
    return int(np.flatnonzero(simulation.amounts().any(axis=(0, 1))).max())


if __name__ == "__main__":
    warm, cooled = reach(cooled=False), reach(cooled=True)
    print(f"the flow reaches column {warm}, and {cooled} when it cools")
    assert cooled < warm
