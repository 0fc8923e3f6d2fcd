"""Fields and maps with coordinates, and their files."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lavoxel

xr = pytest.importorskip("xarray")
pytest.importorskip("rioxarray")


@pytest.fixture(scope="module")
def flow():
    simulation = lavoxel.simulate("maunga_whau")
    simulation.step(40)
    return simulation


def test_fields_have_the_axes_of_maps(flow):
    field = flow.field("amount")
    x, y, z = flow.size
    assert field.dims == ("z", "y", "x") and field.shape == (y, z, x)
    assert np.array_equal(field.values, flow.array("amount").transpose(1, 0, 2))
    assert (np.diff(field.x) > 0).all() and (np.diff(field.y) < 0).all() and (np.diff(field.z) > 0).all()
    assert field.attrs["units"] == "1" and field.attrs["unit_of_lavoxel"] == "full cells"
    assert field.rio.crs.to_epsg() == 27200
    with pytest.raises(lavoxel.LavoxelError, match="amount"):
        flow.field("anything")


def test_maps_lie_where_the_program_puts_them(flow, program):
    rioxarray = pytest.importorskip("rioxarray")
    program("run", "maunga_whau", "--steps", 40, "--map", "thickness=theirs.tif")
    theirs = rioxarray.open_rasterio("theirs.tif", masked=True).squeeze()
    ours = flow.raster("thickness")
    assert np.array_equal(ours.values, theirs.values, equal_nan=True)
    assert ours.rio.bounds() == pytest.approx(theirs.rio.bounds())
    assert np.allclose(ours.x, theirs.x) and np.allclose(ours.y, theirs.y)
    assert ours.rio.crs == theirs.rio.crs
    ours.rio.to_raster("ours.tif")


def test_netcdf_and_zarr_hold_what_was_written(flow):
    names = ["amount", "energy"]
    flow.to_netcdf("state.nc", fields=names)
    flow.to_zarr("state.zarr", fields=names)
    for path, how in (("state.nc", {"engine": "netcdf4"}), ("state.zarr", {"engine": "zarr", "consolidated": False})):
        with xr.open_dataset(path, decode_coords="all", **how) as read:
            assert np.array_equal(read["amount"].values, flow.field("amount").values), path
            thickness = flow.raster("thickness").values
            assert np.array_equal(read["thickness"].values, thickness, equal_nan=True), path
            assert read.rio.crs.to_epsg() == 27200
            assert int(read["step"]) == 40
    with pytest.raises(lavoxel.LavoxelError, match="exists already"):
        flow.to_netcdf("state.nc")
    with pytest.raises(lavoxel.LavoxelError, match="exists already"):
        flow.to_zarr("state.zarr")
    flow.to_netcdf("state.nc", force=True)
    flow.to_zarr("state.zarr", force=True)


def test_a_map_in_degrees_has_longitudes_and_latitudes(slope):
    import rioxarray

    degrees = rioxarray.open_rasterio(slope).rio.write_crs(32633).rio.reproject("EPSG:4326")
    simulation = lavoxel.simulate(degrees, vents=["summit@1"])
    simulation.step(3)
    ground = simulation.raster("ground")
    assert (ground.x.attrs["units"], ground.y.attrs["units"]) == ("degrees_east", "degrees_north")
    assert ground.rio.crs.to_epsg() == 4326 and abs(float(ground.y[0])) < 1.0


@pytest.mark.parametrize("scene", ["slope", "volcano", "wax", "plume", "flow_on_a_map", "in_degrees"])
def test_netcdf_passes_the_checker_of_cf(scene, slope):
    pytest.importorskip("compliance_checker")
    import rioxarray

    # CF has a name for this projection; there is none for that of New Zealand's map grid.
    raster = rioxarray.open_rasterio(slope).rio.write_crs(32633)
    degrees = raster.rio.reproject("EPSG:4326")
    sources = {"in_degrees": (degrees, {"vents": ["summit@1"]}), "slope": (raster, {}), "flow_on_a_map": (raster, {"lava": "etna-basalt"})}
    source, keys = sources.get(scene, (scene, {}))
    simulation = lavoxel.simulate(source, **keys)
    simulation.step(4)
    simulation.to_netcdf("state.nc", fields=list(simulation.fields))
    checked = subprocess.run(
        [Path(sys.executable).with_name("compliance-checker"), "--test=cf:1.11", "--criteria=normal", "state.nc"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "All tests passed!" in checked.stdout, checked.stdout + checked.stderr
