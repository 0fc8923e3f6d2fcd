"""Reads a .vti with VTK, or a .vdb with OpenVDB, of a physical run and compares sums and cells: FILE EXPECTED.json"""

import json
import sys
from pathlib import Path

path, expected = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
close = lambda a, b, part: abs(a - b) <= part * max(abs(a), abs(b))

if path.endswith(".vti"):
    try:
        from vtkmodules.vtkIOXML import vtkXMLImageDataReader
        from vtkmodules.util.numpy_support import vtk_to_numpy
    except ImportError as error:
        print("missing:", error)
        sys.exit(77)
    reader = vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    dx, dy, dz = image.GetSpacing()
    nx, ny, _ = (n - 1 for n in image.GetDimensions())
    cells = image.GetCellData()
    assert not cells.HasArray("energy") and not image.GetPointData().HasArray("energy")
    values = {name: vtk_to_numpy(cells.GetArray(name)) for name in expected["cells"][0][1]}
    amount, kelvin = values["amount"], values["temperature"]
    volume = float(amount.sum(dtype="f8")) * dx * dy * dz
    assert close(volume, expected["volume_m3"], 1e-6), (volume, expected["volume_m3"])
    low, high = expected["kelvin"]
    assert kelvin[amount > 0].min() >= low and kelvin.max() <= high and (kelvin[amount == 0] == 0).all()
    for (i, j, k), of_cell in expected["cells"]:
        for name, value in of_cell.items():
            found = float(values[name][(k * ny + j) * nx + i])
            assert close(found, value, 1e-6), ((i, j, k), name, found, value)
    points = vtk_to_numpy(image.GetPointData().GetArray("temperature"))
    assert points.max() <= high * (1 + 1e-6) and points[points > 0].min() >= low * (1 - 1e-6)
    print(f"VTK read {Path(path).name}: {volume} m3 of lava, {len(expected['cells'])} cells equal")
else:
    from vdb_reader import openvdb

    grids = {grid.name: grid for grid in openvdb.readAll(path)[0]}
    assert "energy" not in grids, sorted(grids)
    edges = grids["amount"].transform.voxelSize()
    amounts = [item.value for item in grids["amount"].citerOnValues()]
    volume = sum(amounts) * edges[0] * edges[1] * edges[2]
    assert close(volume, expected["volume_m3"], 1e-6), (volume, expected["volume_m3"])
    for at, of_cell in expected["cells"]:
        for name, value in of_cell.items():
            found, active = grids[name.replace("-", "_")].getConstAccessor().probeValue(tuple(at))
            assert active and close(found, value, 1e-6), (at, name, found, value)
    print(f"OpenVDB read {Path(path).name}: {volume} m3 of lava, {len(expected['cells'])} cells equal")
