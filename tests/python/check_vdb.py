"""Reads a .vdb with OpenVDB and compares it with what the test knows: FILE EXPECTED.json"""

import json
import sys
from pathlib import Path

from vdb_reader import openvdb

path, expected = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
grids, metadata = openvdb.readAll(path)
assert sorted(grid.name for grid in grids) == ["amount", "density", "energy"], grids
assert metadata["seed"] == expected["seed"] and metadata["creator"].startswith("lavoxel"), metadata
grids = {grid.name: grid for grid in grids}
close = lambda a, b: all(abs(x - y) <= 1e-9 * max(1, abs(y)) for x, y in zip(a, b))
for grid in grids.values():
    assert grid.valueTypeName == "float" and grid.gridClass == "fog volume" and grid.background == 0
    # The south-west corner of the floor is half a cell before the centre of voxel 0, and the far corner likewise.
    assert close(grid.transform.indexToWorld((-0.5, -0.5, -0.5)), expected["local_origin"])
    far = [n - 0.5 for n in expected["shape"]]
    assert close(grid.transform.indexToWorld(far), expected["local_end"])
    assert close(grid.transform.voxelSize(), expected["spacing"])
for n, name in enumerate(["amount", "energy"]):
    grid, access = grids[name], grids[name].getConstAccessor()
    assert grid.activeVoxelCount() == len(expected["cells"]) == grid.metadata["file_voxel_count"], name
    for at, *values in expected["cells"]:
        assert access.probeValue(tuple(at)) == (values[n], True), (name, at, access.probeValue(tuple(at)), values)
access = grids["density"].getConstAccessor()
for at, value in expected["density"]:
    found, active = access.probeValue(tuple(at))
    assert active and abs(found - value) < 1e-6, (at, found, value)
assert grids["density"].activeVoxelCount() == len(expected["density"])
low, high = grids["density"].evalActiveVoxelBoundingBox()
assert tuple(grids["density"].metadata["file_bbox_min"]) == low and tuple(grids["density"].metadata["file_bbox_max"]) == high
print(f"OpenVDB read {Path(path).name}: {len(expected['cells'])} voxels of lava, all equal")
