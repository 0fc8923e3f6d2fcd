"""Reads a .glb or .ply with trimesh and compares it with what the test knows: FILE EXPECTED.json"""

import json
import sys
from pathlib import Path

try:
    import numpy
    import trimesh
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

path, expected = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
loaded = trimesh.load(path, process=False)
if isinstance(loaded, trimesh.Scene):
    assert sorted(loaded.geometry) == ["ground", "lava"], loaded.geometry
    assert loaded.metadata["seed"] == expected["seed"], loaded.metadata
    lava = loaded.geometry["lava"]
    ground = loaded.geometry["ground"]
    assert (ground.face_normals[:, 1] > 0).all(), "the ground looks up"
    # glTF is y-up with z to the south; the rest of the checks are z-up.
    lava.apply_transform([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    assert lava.vertex_attributes["_ENERGY"].size == len(lava.vertices)
else:
    lava = loaded
assert lava.is_watertight and lava.is_winding_consistent and lava.is_volume, path
assert len(lava.vertices) == expected["vertices"] and len(lava.faces) == expected["triangles"]
assert numpy.allclose(lava.bounds, expected["bounds"], atol=1e-3), (lava.bounds, expected["bounds"])
assert abs(lava.volume / expected["volume"] - 1) < 1e-3, (lava.volume, expected["volume"])
colors = lava.visual.vertex_attributes["color"] if hasattr(lava.visual, "material") else lava.visual.vertex_colors
assert len(colors) == len(lava.vertices) and (colors[:, 0] > colors[:, 2]).mean() > 0.9, "lava is red rather than blue"
print(f"trimesh read {Path(path).name}: watertight, {len(lava.faces)} triangles, {lava.volume:.1f} m3, Euler number {lava.euler_number}")
