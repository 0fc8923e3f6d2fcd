"""The package against the program: same bits, exact accounts, arrays as they are described."""

import signal
import threading
import time

import numpy as np
import pytest

import lavoxel

SMALL = {"name": "small", "grid": {"size": [32, 24, 28]}, "terrain": {"kind": "volcano"}, "vent": [{"x": 16.0, "z": 14.0}]}


@pytest.mark.parametrize("scene", lavoxel.shipped_scenes())
def test_states_are_those_of_the_program(scene, program):
    steps = 3
    simulation = lavoxel.simulate(scene)
    simulation.step(steps)
    report = program("run", scene, "--steps", steps)
    assert simulation.state_hash == report["state_hash"]
    ours = simulation.report()
    for key in ("mass_units", "sourced_units", "dims", "scene", "steps"):
        assert ours[key] == report[key], key


def test_arrays_have_the_shape_and_the_sum_of_the_account():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(100)
    amount, exact = simulation.array("amount"), simulation.amounts()
    x, y, z = simulation.size
    assert (x, y, z) == (32, 24, 28)
    assert amount.shape == exact.shape == simulation.solid().shape == (z, y, x)
    assert amount.dtype == np.float32 and exact.dtype == np.uint16
    account = simulation.accounts()["lava"]
    went = account["outflow"] + account["solidified"] + account["removed"]
    assert account["mass"] == account["initial"] + account["sourced"] - went
    assert exact.sum(dtype=np.int64) == round(account["mass"] * lavoxel.AMOUNT_ONE)
    assert np.array_equal(amount, exact / np.float32(lavoxel.AMOUNT_ONE))
    assert not (exact[simulation.solid()] > 0).any()
    simulation.check()
    thickness = simulation.map("thickness")
    assert thickness.shape == (z, x)
    volume = np.nansum(thickness) * simulation.cell_size_m**2
    assert volume == pytest.approx(account["mass"] * simulation.cell_volume_m3, rel=1e-6)
    assert "step 100" in repr(simulation) and "full cells now" in str(simulation)


def test_snapshots_and_checkpoints_go_on_to_the_same_bits():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(30)
    kept = simulation.snapshot()
    simulation.save("run.lvx")
    with pytest.raises(lavoxel.LavoxelError, match="run.lvx exists already"):
        simulation.save("run.lvx")
    simulation.save("run.lvx", force=True)
    simulation.step(30)
    late, thickest = simulation.state_hash, simulation.map("max-thickness")
    simulation.go_back(kept)
    assert simulation.steps == kept.steps == 30
    simulation.step(30)
    resumed = lavoxel.resume("run.lvx")
    resumed.step(30)
    assert simulation.state_hash == late == resumed.state_hash
    assert np.array_equal(simulation.map("max-thickness"), thickest, equal_nan=True)
    with pytest.raises(lavoxel.LavoxelError, match="another simulation"):
        resumed.go_back(kept)


def test_what_was_done_is_in_the_scene_that_is_saved():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(5)
    number = simulation.open_vent(10.0, 9.0, rate=0.5, radius=1.0)
    assert number == 1 and simulation.vents[1]["x"] == 10.0
    simulation.put({"kind": "sphere", "center": [16.0, 20.0, 14.0], "radius": 3.0}, "lava")
    simulation.command(rules={"spread": 0.1})
    simulation.step(10)
    simulation.close_vent(number)
    simulation.step(5)
    simulation.save_scene("done.toml")
    again = lavoxel.simulate("done.toml")
    again.run(20)
    assert again.state_hash == simulation.state_hash
    assert simulation.accounts()["lava"]["sourced"] > 100


def test_wrong_input_has_the_message_of_the_program():
    simulation = lavoxel.simulate(SMALL)
    shape = {"kind": "sphere", "center": [16.0, 18.0, 16.0], "radius": -1.0}
    for wrong, words in [
        (lambda: simulation.put(shape, "lava"), "radius"),
        (lambda: simulation.array("heat"), "amount, energy"),
        (lambda: simulation.amounts("water"), "there are lava"),
        (lambda: simulation.map("height"), "thickness"),
        (lambda: simulation.slice("w=3"), "is not a slice"),
        (lambda: simulation.slice("z=99"), "0 to 27"),
        (lambda: simulation.picture((0, 10)), "size"),
        (lambda: simulation.picture(look={"sky": "green"}), "sky|green"),
        (lambda: simulation.open_vent(99.0, 3.0), "vent.x"),
        (lambda: simulation.close_vent(7), "vent"),
        (lambda: simulation.run("2h"), "physical model"),
        (lambda: lavoxel.simulate("nowhere.toml"), "nowhere.toml"),
        (lambda: lavoxel.simulate({"grid": {"size": [0, 1, 1]}}), "grid.size"),
        (lambda: lavoxel.simulate("volcano", gird={}), "gird"),
        (lambda: lavoxel.resume("nowhere"), "nowhere"),
        (lambda: lavoxel.seconds("2 weeks"), "13 d"),
        (lambda: lavoxel.verify("nothing"), "no such case"),
    ]:
        with pytest.raises(lavoxel.LavoxelError, match=words):
            wrong()
    # Nothing was changed by any of it.
    assert simulation.state_hash == lavoxel.simulate(SMALL).state_hash


def test_memory_is_weighed_before_it_is_taken():
    with pytest.raises(lavoxel.LavoxelError, match="memory"):
        lavoxel.set_memory_limit(64 << 20)
        try:
            lavoxel.simulate({"grid": {"size": [4096, 512, 4096]}, "terrain": {"kind": "plane"}})
        finally:
            lavoxel.set_memory_limit(1 << 40)


def test_pictures_and_snapshots_count_into_the_limit():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(20)
    kept = []
    lavoxel.set_memory_limit(96 << 20)
    try:
        simulation.picture((160, 100))
        with pytest.raises(lavoxel.LavoxelError, match="memory"):
            simulation.picture((8000, 8000))
        with pytest.raises(lavoxel.LavoxelError, match="snapshots"):
            for _ in range(100_000):
                kept.append(simulation.snapshot())
        count = len(kept)
        kept.clear()
        kept.append(simulation.snapshot())
        assert count > 10
    finally:
        lavoxel.set_memory_limit(1 << 40)


def test_other_threads_run_while_steps_are_made():
    simulation = lavoxel.simulate("lake")
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    start = time.monotonic()
    while time.monotonic() - start < 0.5:
        simulation.step(20)
    stop.set()
    thread.join()
    assert len(ticks) - before > 10


def test_ctrl_c_ends_between_two_steps():
    simulation = lavoxel.simulate("lake")
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        simulation.step(10_000_000)
    assert simulation.steps > 0
    simulation.check()
    simulation.step()


def test_pictures_slices_and_films_are_arrays_and_files():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(60)
    picture = simulation.picture((160, 100))
    assert np.asarray(picture).shape == (100, 160, 3) and picture.pixels.dtype == np.uint8 and picture.pixels.std() > 5
    assert picture._repr_png_().startswith(b"\x89PNG")
    night = simulation.picture((160, 100), look={"sky": "night"}, camera={"azimuth_deg": 20.0})
    assert not np.array_equal(night.pixels, picture.pixels)
    # A picture drawn with what the last one left is that of a new renderer.
    again = lavoxel.simulate(SMALL)
    again.step(60)
    assert np.array_equal(again.picture((160, 100)).pixels, picture.pixels)
    picture.save("a/picture.png")
    with pytest.raises(lavoxel.LavoxelError, match="exists already"):
        picture.save("a/picture.png")
    section = simulation.slice("z=14", "energy", size=(300, 200))
    assert section.pixels.shape == (200, 300, 3)
    simulation.film("a/pour.gif", steps=20, every=5, size=(64, 48), camera={"azimuth_deg": 150.0}, orbit_deg=40.0)
    with open("a/pour.gif", "rb") as film:
        assert film.read(6) == b"GIF89a"
    assert simulation.steps == 80
    with pytest.raises(RuntimeError), lavoxel.Film("a/cut.webp", size=(8, 8)) as film:
        film.add(np.zeros((8, 8, 3), np.uint8))
        raise RuntimeError
    import os

    assert sorted(os.listdir("a")) == ["picture.png", "pour.gif"]


def test_exports_are_those_of_the_program(program):
    simulation = lavoxel.simulate("coast")
    simulation.step(10)
    program("run", "coast", "--steps", 10, "--volume", "theirs.vti", "--map", "thickness=theirs.tif")
    simulation.export("ours.vti")
    simulation.export("ours.tif", "thickness")
    for ending in ("vti", "tif"):
        with open(f"ours.{ending}", "rb") as ours, open(f"theirs.{ending}", "rb") as theirs:
            assert ours.read() == theirs.read(), ending
    simulation.export("mesh.glb")
    with pytest.raises(lavoxel.LavoxelError, match="vdb"):
        simulation.export("what.xyz")


def test_a_time_of_the_physical_model_and_its_fields():
    simulation = lavoxel.simulate("wax")
    simulation.run("10s", progress=False)
    assert simulation.time_s == pytest.approx(10.0)
    # A time within a step of a second cuts it.
    simulation.run("12.5s", progress=False)
    assert (simulation.time_s, simulation.steps) == (12.5, 13)
    assert {"temperature", "viscosity", "velocity-east"} <= set(simulation.fields)
    kelvin = simulation.array("temperature")
    assert 280.0 < kelvin[kelvin > 0.0].mean() < 400.0


def test_cases_of_the_verification_hold():
    quick = lavoxel.verify("u-tube")
    assert quick[0]["verdict"] == "holds" and quick[0]["rows"]


def test_footprints_are_compared(slope):
    found = lavoxel.compare(slope, slope, above=170.0)
    assert found["fit"] == 1.0 and found["a"]["cells"] == found["b"]["cells"] > 0
    with pytest.raises(lavoxel.LavoxelError, match="above"):
        lavoxel.compare(slope, slope, above=float("nan"))
