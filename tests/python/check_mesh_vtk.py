"""Reads a .glb or .ply with VTK and compares it with what the test knows: FILE EXPECTED.json"""

import json
import sys
from pathlib import Path

try:
    from vtkmodules.vtkFiltersCore import vtkFeatureEdges, vtkMassProperties
    from vtkmodules.vtkIOGeometry import vtkGLTFReader
    from vtkmodules.vtkIOPLY import vtkPLYReader
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

path, expected = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
reader = vtkGLTFReader() if path.suffix == ".glb" else vtkPLYReader()
reader.SetFileName(str(path))
reader.Update()
lava = reader.GetOutput()
if path.suffix == ".glb":
    assert lava.GetNumberOfBlocks() == 2, "lava and ground"
    while not lava.IsA("vtkPolyData"):
        lava = lava.GetBlock(0)
assert lava.GetNumberOfPoints() == expected["vertices"] and lava.GetNumberOfPolys() == expected["triangles"]
edges = vtkFeatureEdges()
edges.SetInputData(lava)
edges.BoundaryEdgesOn()
edges.NonManifoldEdgesOn()
edges.FeatureEdgesOff()
edges.ManifoldEdgesOff()
edges.Update()
assert edges.GetOutput().GetNumberOfCells() == 0, "edges that do not lie between two triangles"
mass = vtkMassProperties()
mass.SetInputData(lava)
assert abs(mass.GetVolume() / expected["volume"] - 1) < 1e-2, (mass.GetVolume(), expected["volume"])

(west, south, low), (east, north, high) = expected["bounds"]
bounds = (west, east, low, high, -north, -south) if path.suffix == ".glb" else (west, east, south, north, low, high)
assert all(abs(a - b) < 1e-3 for a, b in zip(lava.GetBounds(), bounds)), (lava.GetBounds(), bounds)
print(f"VTK read {path.name}: closed, {lava.GetNumberOfPolys()} triangles, {mass.GetVolume():.1f} m3")
