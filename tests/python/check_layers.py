"""Reads a .vti with VTK and checks that it has the water that the test knows: FILE EXPECTED.json"""

import json
import sys
from pathlib import Path

try:
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader
    from vtkmodules.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

path, expected = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
reader = vtkXMLImageDataReader()
reader.SetFileName(str(path))
reader.Update()
image = reader.GetOutput()
cells, points = image.GetCellData(), image.GetPointData()
amount = vtk_to_numpy(cells.GetArray("water.amount"))
assert amount.size == image.GetNumberOfCells()
assert float(amount.sum(dtype="f8")) == expected["water"], (amount.sum(), expected)
density = vtk_to_numpy(points.GetArray("water.density"))
assert density.size == image.GetNumberOfPoints() and 0.9 < density.max() <= 1.0
assert cells.GetScalars().GetName() == "amount" and points.GetScalars().GetName() == "density"
print(f"VTK read {path.name}: {expected['water']} full cells of water")
