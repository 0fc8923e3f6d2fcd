"""Scenes from everything that they can be made from."""

from pathlib import Path

import numpy as np
import pytest

import lavoxel


def test_keys_replace_values_of_shipped_scenes_files_texts_and_tables():
    shipped = lavoxel.scene("volcano", seed=9, grid={"size": [48, 40, 48]})
    assert shipped.tables()["seed"] == 9 and shipped.tables()["grid"]["size"] == [48, 40, 48]
    Path("own.toml").write_text(shipped.text())
    tables = shipped.tables()
    for same in (lavoxel.scene("own.toml"), lavoxel.scene(shipped.text()), lavoxel.scene(tables)):
        assert lavoxel.simulate(same).state_hash == lavoxel.simulate(shipped).state_hash
    fewer = lavoxel.scene(tables, vent=[{"x": 20.0, "z": 20.0, "rate": 3.0}])
    assert [vent["rate"] for vent in fewer.tables()["vent"]] == [3.0]
    moved = lavoxel.scene("volcano", vents=["10,12@2"], walls="open", size=[48, 40, 48])
    assert lavoxel.simulate(moved).vents[0]["x"] == 10.0
    assert lavoxel.scene(terrain={"kind": "plane"}, grid={"size": [8, 8, 8]}).name == ""


def test_a_heightmap_gets_a_scene_and_keys_replace_its_values(slope, program):
    simulation = lavoxel.simulate(slope, lava="etna-basalt", vents=["summit@5m3/s"], duration="10min")
    assert any("vent" in line or "cell" in line for line in simulation._scene.choices)
    simulation.run(3)
    report = program(
        "run", slope, "--lava", "etna-basalt", "--vent", "summit@5m3/s", "--duration", "10min", "--steps", 3, folder="."
    )
    assert simulation.state_hash == report["state_hash"]
    cropped = lavoxel.simulate(slope, terrain={"crop": [0, 0, 12, 12]})
    assert cropped.size[0] * cropped.cell_size_m == cropped.size[2] * cropped.cell_size_m == 120.0
    watered = lavoxel.simulate(slope, material=[{"name": "water"}])
    assert "water.amount" in watered.fields


def test_an_array_is_a_ground(slope):
    heights = np.loadtxt(slope, skiprows=5)
    from_array = lavoxel.simulate(heights, heights_m=10.0, vents=["12,4@1"])
    from_file = lavoxel.simulate(slope, vents=["12,4@1"])
    for simulation in (from_array, from_file):
        simulation.step(20)
    assert np.array_equal(from_array.solid(), from_file.solid())
    assert np.array_equal(from_array.amounts(), from_file.amounts())
    ground = from_array.map("ground")
    assert ground[0].mean() > ground[-1].mean(), "row 0 is north"
    holed = heights.copy()
    holed[3, 3] = np.nan
    assert lavoxel.simulate(holed, heights_m=10.0).size == from_array.size
    with pytest.raises(lavoxel.LavoxelError, match="heights_m"):
        lavoxel.simulate(heights)
    with pytest.raises(lavoxel.LavoxelError, match="rows, columns"):
        lavoxel.simulate(heights[0], heights_m=1.0)


def test_a_raster_of_rioxarray_is_a_ground_in_its_place(slope):
    rioxarray = pytest.importorskip("rioxarray")
    raster = rioxarray.open_rasterio(slope).rio.write_crs(32633)
    simulation = lavoxel.simulate(raster, vents=["12,4@1"])
    simulation.step(5)
    ground = simulation.raster("ground")
    assert ground.rio.crs.to_epsg() == 32633
    assert ground.rio.bounds() == pytest.approx((1000.0, 5000.0, 1240.0, 5240.0))
    # South up is the same ground.
    turned = lavoxel.simulate(raster.sortby("y"), vents=["12,4@1"])
    assert np.array_equal(turned.solid(), simulation.solid())


def test_files_of_tables_lie_in_their_folder(slope):
    Path("deep").mkdir()
    slope.rename("deep/slope.asc")
    tables = {"terrain": {"kind": "heightmap", "file": "slope.asc"}, "grid": {"size": [24, 30, 24]}}
    assert lavoxel.simulate(tables, folder="deep").size == (24, 30, 24)
    with pytest.raises(lavoxel.LavoxelError, match="slope.asc"):
        lavoxel.simulate(tables)
