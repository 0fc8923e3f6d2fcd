"""Times VTK's CPU ray-cast mapper on what `cargo bench --bench marcher -- --dump FOLDER` wrote.

    python raycast.py FOLDER [--frames N] [--picture]

One line for each case: name, then processor milliseconds (user and system, all threads) of the ray-cast alone for one
frame: from the mapper's VolumeMapperRenderStartEvent to its VolumeMapperRenderEndEvent. Drawing the terrain's mesh, which
it composites with by the depth buffer, is not counted; neither is the first frame, in which VTK works out its gradients
and its space-leaping table. The smallest of N frames counts.
"""

import argparse
import json
import pathlib
import resource

import numpy as np
import vtk
from vtk.util import numpy_support


class Clock:
    """Processor time between two events, in milliseconds, of all threads: of those that ended too."""

    def __init__(self):
        self.start = self.last = 0.0

    @staticmethod
    def now():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return 1e3 * (used.ru_utime + used.ru_stime)

    def begin(self, *_):
        self.start = self.now()

    def end(self, *_):
        self.last = self.now() - self.start


def volume(folder, case):
    nx, ny, nz = case["size"]
    cells = np.fromfile(folder / case["density"], dtype=np.uint8)
    image = vtk.vtkImageData()
    image.SetDimensions(nx, ny, nz)
    # Values belong to the centres of cells.
    image.SetOrigin(0.5, 0.5, 0.5)
    image.GetPointData().SetScalars(numpy_support.numpy_to_vtk(cells, deep=True, array_type=vtk.VTK_UNSIGNED_CHAR))

    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetInputData(image)
    mapper.SetNumberOfThreads(case["threads"])
    mapper.AutoAdjustSampleDistancesOff()
    mapper.LockSampleDistanceToInputSpacingOff()
    mapper.SetImageSampleDistance(1.0)
    mapper.SetSampleDistance(case["step"])
    mapper.SetInteractiveSampleDistance(case["step"])

    opacity, color = vtk.vtkPiecewiseFunction(), vtk.vtkColorTransferFunction()
    for density, absorbed in case["opacity"]:
        opacity.AddPoint(255.0 * density, absorbed)
    for i, rgb in enumerate(case["palette"]):
        color.AddRGBPoint(float(i), *rgb)
    look = vtk.vtkVolumeProperty()
    look.SetScalarOpacity(opacity)
    look.SetScalarOpacityUnitDistance(1.0)
    look.SetColor(color)
    look.SetInterpolationTypeToLinear()
    look.ShadeOn()
    look.SetAmbient(0.55)
    look.SetDiffuse(0.5)
    look.SetSpecular(0.0)

    actor = vtk.vtkVolume()
    actor.SetMapper(mapper)
    actor.SetProperty(look)
    return mapper, actor


def terrain(folder, case):
    nx, _, nz = case["size"]
    heights = np.fromfile(folder / case["ground"], dtype=np.float32).reshape(nz, nx)
    z, x = np.mgrid[0:nz, 0:nx] + 0.5
    points = np.stack([x.ravel(), heights.ravel(), z.ravel()], axis=1).astype(np.float32)
    grid = vtk.vtkStructuredGrid()
    grid.SetDimensions(nx, nz, 1)
    stored = vtk.vtkPoints()
    stored.SetData(numpy_support.numpy_to_vtk(points, deep=True))
    grid.SetPoints(stored)
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputConnection(surface.GetOutputPort())
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(normals.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.18, 0.18, 0.19)
    return actor


def camera(case):
    eye, forward, up = (np.array(case[key]) for key in ("eye", "forward", "up"))
    view = vtk.vtkCamera()
    view.SetPosition(*eye)
    view.SetFocalPoint(*(eye + forward))
    view.SetViewUp(*up)
    view.SetViewAngle(case["fov_deg"])
    return view


def render(folder, case, frames, picture):
    window, renderer = vtk.vtkRenderWindow(), vtk.vtkRenderer()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(*case["picture"])
    window.AddRenderer(renderer)
    renderer.SetBackground(0.04, 0.045, 0.055)
    mapper, actor = volume(folder, case)
    renderer.AddActor(terrain(folder, case))
    renderer.AddVolume(actor)
    renderer.SetActiveCamera(camera(case))
    renderer.ResetCameraClippingRange()
    clock = Clock()
    mapper.AddObserver(vtk.vtkCommand.VolumeMapperRenderStartEvent, clock.begin)
    mapper.AddObserver(vtk.vtkCommand.VolumeMapperRenderEndEvent, clock.end)
    window.Render()
    times = []
    for _ in range(frames):
        window.Render()
        times.append(clock.last)
    if picture:
        grab, writer = vtk.vtkWindowToImageFilter(), vtk.vtkPNGWriter()
        grab.SetInput(window)
        writer.SetInputConnection(grab.GetOutputPort())
        writer.SetFileName(str(folder / f"{case['name']}-vtk.png"))
        writer.Write()
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=5)
    parser.add_argument("--picture", action="store_true", help="write FOLDER/NAME-vtk.png as well")
    asked = parser.parse_args()
    for case in json.loads((asked.folder / "cases.json").read_text()):
        print(case["name"], f"{render(asked.folder, case, asked.frames, asked.picture):.1f}", flush=True)


if __name__ == "__main__":
    main()
