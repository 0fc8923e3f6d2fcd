"""Reads a .vti (or a .pvd series) with VTK and compares it with what the test knows: FILE EXPECTED.json"""

import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

try:
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader
    from vtkmodules.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print("missing:", error)
    sys.exit(77)


def read(path):
    reader = vtkXMLImageDataReader()
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    assert not errors, errors
    return reader.GetOutput()


path, expected = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
if path.suffix == ".pvd":
    sets = xml.parse(path).getroot().find("Collection").findall("DataSet")
    assert [int(s.get("timestep")) for s in sets] == expected["steps"], path
    for data in sets:
        image = read(path.parent / data.get("file"))
        time = image.GetFieldData().GetArray("TimeValue").GetValue(0)
        assert time == float(data.get("timestep")), time
    print(f"VTK read a series of {len(sets)} steps")
    sys.exit(0)

image = read(path)
nx, ny, nz = expected["shape"]
assert image.GetDimensions() == (nx + 1, ny + 1, nz + 1), image.GetDimensions()
assert list(image.GetOrigin()) == expected["origin"], image.GetOrigin()
assert list(image.GetSpacing()) == expected["spacing"], image.GetSpacing()
assert image.GetFieldData().GetAbstractArray("seed").GetValue(0) == expected["seed"]
cells, points = image.GetCellData(), image.GetPointData()
for name in ["amount", "energy", "solid"]:
    values = vtk_to_numpy(cells.GetArray(name)).reshape(nz, ny, nx)
    assert values.size == image.GetNumberOfCells()
    total = float(values.sum(dtype="f8"))
    assert abs(total - expected["sums"][name]) <= 1e-6 * abs(total), (name, total, expected["sums"][name])
for (i, j, k), amount, energy in expected["cells"]:
    at = (k * ny + j) * nx + i
    found = cells.GetArray("amount").GetValue(at), cells.GetArray("energy").GetValue(at)
    assert found == (amount, energy), ((i, j, k), found, (amount, energy))
for name in ["density", "energy"]:
    values = vtk_to_numpy(points.GetArray(name))
    assert values.size == image.GetNumberOfPoints() and values.min() == 0 and values.max() > 0, name
print(f"VTK read {path.name}: {nx} x {ny} x {nz} cells, {len(expected['cells'])} with lava, all equal")
