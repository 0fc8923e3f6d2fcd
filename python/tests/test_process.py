"""Forks, Ctrl-C, copies, pickles and wrong types: every method ends, and says what is wrong."""

import _thread
import copy
import inspect
import os
import pickle
import select
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import lavoxel

SMALL = {"name": "small", "grid": {"size": [32, 24, 28]}, "terrain": {"kind": "volcano"}, "vent": [{"x": 16.0, "z": 14.0}]}
#: Seconds after which something hangs: many times what it takes on a slow machine.
HANGS = 120.0


def in_a_fork(work):
    """What `work` gives in a forked process; fails where it does not come back."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            given = pickle.dumps(work())
        except BaseException as error:  # noqa: BLE001
            given = pickle.dumps(error)
        os.write(write, given)
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], HANGS)
    try:
        assert ready, "the forked process hangs"
        given = pickle.loads(os.read(read, 1 << 16))  # noqa: S301
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(read)
    return given


def test_a_forked_process_makes_steps_pictures_and_files(slope):
    simulation = lavoxel.simulate(SMALL)
    simulation.step(20)
    there = lavoxel.simulate(SMALL)
    there.step(40)
    there.picture((64, 48))

    def work():
        simulation.step(20)
        lavoxel.simulate(slope, lava="etna-basalt", vents=["120m,40m"]).step(2)
        simulation.picture((64, 48))
        simulation.export("state.vti")
        simulation.save("state.lvx")
        return simulation.state_hash, lavoxel.resume("state.lvx").state_hash, in_a_fork(lambda: simulation.step() or simulation.steps)

    assert in_a_fork(work) == (there.state_hash, there.state_hash, 41)
    # The one that was forked goes on, too.
    simulation.step(20)
    assert simulation.state_hash == there.state_hash


def test_a_process_that_was_forked_in_the_middle_of_a_step_says_so():
    simulation, stop, runs = lavoxel.simulate(SMALL), threading.Event(), threading.Event()

    def wait(amount, energy, solid):
        runs.set()
        stop.wait(HANGS)
        return amount, energy

    simulation.add_rule(wait)
    thread = threading.Thread(target=simulation.step)
    thread.start()
    assert runs.wait(HANGS)
    error = in_a_fork(lambda: simulation.steps)
    stop.set()
    thread.join()
    assert isinstance(error, lavoxel.LavoxelError) and "forked while another thread" in str(error)
    assert simulation.steps == 1


def interrupted(work, after=0.3):
    """Calls `work` with Ctrl-C after some time; whether it was interrupted, and the seconds from then on."""
    pressed = []

    def press():
        pressed.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(after, press)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.monotonic() - pressed[0]
    finally:
        timer.cancel()
        timer.join()
    pytest.fail("it was not interrupted")


def test_ctrl_c_ends_pictures_cases_and_the_wait_for_another_thread():
    simulation = lavoxel.simulate(SMALL)
    simulation.step(5)
    small = simulation.picture((64, 48))
    interrupted(lambda: [simulation.picture((2000, 1500)) for _ in range(1000)])
    # A picture behind one that was given up is that of a new renderer.
    assert np.array_equal(simulation.picture((64, 48)).pixels, small.pixels)
    interrupted(lambda: [lavoxel.verify("u-tube") for _ in range(1000)])
    interrupted(lambda: [lavoxel.simulate(SMALL) for _ in range(1_000_000)])

    stop, runs = threading.Event(), threading.Event()

    def wait(amount, energy, solid):
        runs.set()
        stop.wait(HANGS)
        return amount, energy

    simulation.add_rule(wait)
    thread = threading.Thread(target=simulation.step)
    thread.start()
    assert runs.wait(HANGS)
    interrupted(lambda: simulation.state_hash)
    stop.set()
    thread.join()
    assert simulation.steps == 6


def test_a_rule_that_calls_its_own_simulation_is_told():
    simulation, other = lavoxel.simulate(SMALL), lavoxel.simulate(SMALL)
    calls = [
        lambda: simulation.steps,
        lambda: simulation.step(),
        lambda: simulation.array("amount"),
        lambda: simulation.snapshot(),
        lambda: simulation.add_rule(lambda *arrays: arrays[:2]),
        lambda: copy.copy(simulation),
    ]
    told = []

    def rule(amount, energy, solid):
        other.step()
        for call in calls:
            with pytest.raises(lavoxel.LavoxelError, match="a rule cannot use the simulation") as error:
                call()
            told.append(error)
        return amount, energy

    simulation.add_rule(rule)
    simulation.step(2)
    assert len(told) == 2 * len(calls) and other.steps == simulation.steps == 2
    assert simulation.state_hash == other.state_hash


def test_who_asked_first_is_served_first():
    simulation = lavoxel.simulate(SMALL)
    stop = threading.Event()

    def steps():
        while not stop.is_set():
            simulation.step(100)

    thread = threading.Thread(target=steps)
    thread.start()
    try:
        seen = [simulation.steps for _ in range(20)]
    finally:
        stop.set()
        interruptions = simulation.steps
        thread.join()
    assert seen == sorted(seen) and interruptions >= seen[-1]


def test_a_copy_goes_its_own_way():
    simulation = lavoxel.simulate(SMALL)
    calls = []
    simulation.add_rule(lambda amount, energy, solid: (calls.append(1), (amount, energy))[1])
    simulation.step(10)
    for copied in (copy.copy(simulation), copy.deepcopy(simulation)):
        assert copied.state_hash == simulation.state_hash
        kept = simulation.state_hash
        copied.step(10)
        assert (simulation.steps, simulation.state_hash) == (10, kept)
        straight = lavoxel.simulate(SMALL)
        straight.step(20)
        assert copied.state_hash == straight.state_hash
        assert np.array_equal(copied.map("max-thickness"), straight.map("max-thickness"), equal_nan=True)
        with pytest.raises(lavoxel.LavoxelError, match="another simulation"):
            copied.go_back(simulation.snapshot())
    assert len(calls) == 30, "rules go along"
    flow = lavoxel.simulate("wax")
    flow.step(3)
    later = copy.copy(flow)
    later.step(3)
    flow.step(3)
    assert later.state_hash == flow.state_hash
    scene = lavoxel.scene("volcano")
    assert copy.deepcopy(scene) is scene


def test_errors_are_pickled_and_simulations_say_what_to_do_instead():
    with pytest.raises(lavoxel.LavoxelError) as caught:
        lavoxel.simulate("nowhere.toml")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is lavoxel.LavoxelError and str(again) == str(caught.value)
    warning = lavoxel.LavoxelWarning("lava left")
    assert str(pickle.loads(pickle.dumps(warning))) == "lava left"
    picture = lavoxel.Picture(np.zeros((2, 3, 3), np.uint8))
    assert pickle.loads(pickle.dumps(picture)).size == (3, 2)
    simulation = lavoxel.simulate(SMALL)
    for unpickled, mend in [(simulation, r"save\(\)"), (lavoxel.scene("volcano"), r"text\(\)"), (simulation.snapshot(), "pickle")]:
        with pytest.raises(TypeError, match=mend):
            pickle.dumps(unpickled)


#: A call of each method and function with a value of a wrong type or out of range.
WRONG = {
    "simulate": lambda s: lavoxel.simulate(7),
    "scene": lambda s: lavoxel.scene({"grid"}),
    "resume": lambda s: lavoxel.resume(None),
    "seconds": lambda s: lavoxel.seconds([1]),
    "compare": lambda s: lavoxel.compare("a.tif", "b.tif", above="much"),
    "verify": lambda s: lavoxel.verify(3),
    "hazard": lambda s: lavoxel.hazard("volcano", runs="many", rates=1.0, volumes=1.0),
    "write_ground": lambda s: lavoxel.write_ground("heights", "a.asc", cell_size_m=1.0),
    "set_threads": lambda s: lavoxel.set_threads("all"),
    "set_memory_limit": lambda s: lavoxel.set_memory_limit(-1),
    "step": lambda s: s.step(-1),
    "run": lambda s: s.run("-1h"),
    "command": lambda s: s.command(put=3),
    "put": lambda s: s.put({"kind": "cube"}, "lava"),
    "open_vent": lambda s: s.open_vent("west", 3.0),
    "close_vent": lambda s: s.close_vent("first"),
    "add_rule": lambda s: s.add_rule("cool"),
    "go_back": lambda s: s.go_back(3),
    "save": lambda s: s.save(3),
    "save_scene": lambda s: s.save_scene(None),
    "array": lambda s: s.array(3),
    "amounts": lambda s: s.amounts(None),
    "map": lambda s: s.map(["thickness"]),
    "field": lambda s: s.field(3),
    "raster": lambda s: s.raster(3),
    "dataset": lambda s: s.dataset(["nothing"]),
    "to_netcdf": lambda s: s.to_netcdf("a.nc", maps=["nothing"]),
    "to_zarr": lambda s: s.to_zarr("a.zarr", maps=["nothing"]),
    "export": lambda s: s.export("a.tif", "nothing"),
    "picture": lambda s: s.picture("large"),
    "slice": lambda s: s.slice(3),
    "film": lambda s: s.film("a.gif", steps=2.5),
}
#: Methods and functions that take no value.
WITHOUT_VALUE = {"snapshot", "report", "accounts", "check", "solid", "shipped_scenes"}


def test_every_method_has_a_case():
    def public(of):
        return {name for name, value in inspect.getmembers(of, callable) if not name.startswith("_") and not isinstance(value, type)}

    assert public(lavoxel.Simulation) | public(lavoxel) == set(WRONG) | WITHOUT_VALUE


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_raise_what_names_them_and_change_nothing(name):
    if name in {"field", "raster", "dataset", "to_netcdf", "to_zarr"}:
        pytest.importorskip("rioxarray")
    simulation = lavoxel.simulate(SMALL)
    before = simulation.state_hash
    with pytest.raises((lavoxel.LavoxelError, TypeError, OverflowError)) as caught:
        WRONG[name](simulation)
    assert str(caught.value) and "--" not in str(caught.value)
    assert (simulation.steps, simulation.state_hash) == (0, before)
    assert list(Path().iterdir()) == []


def test_times_are_those_of_scenes():
    for text, seconds in [("1h30min", 5400.0), ("1 hour", 3600.0), ("2d", 172_800.0), ("90", 90.0), (7, 7.0)]:
        assert lavoxel.seconds(text) == seconds
    simulation = lavoxel.simulate("wax")
    for wrong in ("-1h", "1 m", ""):
        with pytest.raises(lavoxel.LavoxelError):
            simulation.run(wrong)
    with pytest.raises(lavoxel.LavoxelError, match="until"):
        simulation.run(-5)
    assert simulation.steps == 0


def test_masked_heights_and_lists_are_grounds():
    rows = [[100.0 - z - x % 3 for x in range(24)] for z in range(20)]
    heights = np.array(rows)
    holed = heights.copy()
    holed[4:7, 5:9] = np.nan
    masked = np.ma.masked_array(heights.copy(), mask=np.isnan(holed))
    masked.data[masked.mask] = -9999.0
    whole = np.ma.masked_array(np.round(heights).astype(np.int16), mask=masked.mask)
    keys = {"heights_m": 10.0, "cell_size_m": 10.0}
    hashes = {name: lavoxel.simulate(source, **keys).state_hash for name, source in [
        ("array", heights), ("lists", rows), ("NaN", holed), ("masked", masked),
    ]}
    assert hashes["array"] == hashes["lists"] != hashes["NaN"] == hashes["masked"]
    assert lavoxel.simulate(whole, **keys).map("ground").min() > 0.0
    for wrong, words in [
        ([[1.0, 2.0], [3.0]], "rows of one length"),
        (np.array([["a", "b"]]), "numbers in metres"),
        (np.array([[1.0, np.inf]]), "1 are infinite"),
        (np.zeros((0, 3)), "shape"),
        ([1.0, 2.0], "shape"),
    ]:
        with pytest.raises(lavoxel.LavoxelError, match=words):
            lavoxel.simulate(wrong, heights_m=1.0)


def test_a_ground_is_replaced_only_by_force():
    heights = np.arange(12.0).reshape(3, 4)
    path = lavoxel.write_ground(heights, "a/ground.asc", cell_size_m=2.0, crs="LOCAL")
    kept = path.read_bytes()
    for crs in (None, "OTHER"):
        with pytest.raises(lavoxel.LavoxelError, match="ground.asc exists already: pass force=True"):
            lavoxel.write_ground(heights + 1.0, path, cell_size_m=2.0, crs=crs)
    assert path.read_bytes() == kept and Path("a/ground.prj").read_text() == "LOCAL"
    lavoxel.write_ground(heights + 1.0, path, cell_size_m=2.0, force=True)
    assert path.read_bytes() != kept and sorted(os.listdir("a")) == ["ground.asc"]
    Path("a/b.prj").write_text("MINE")
    with pytest.raises(lavoxel.LavoxelError, match="b.prj exists already"):
        lavoxel.write_ground(heights, "a/b.asc", cell_size_m=2.0)
    with pytest.raises(lavoxel.LavoxelError, match="ends in .asc"):
        lavoxel.write_ground(heights, "a/c.tif", cell_size_m=2.0)


def test_results_that_hold_less_than_they_seem_to_warn_once(slope):
    heights = np.loadtxt(slope, skiprows=5)
    large = np.tile(heights, (2, 3))[:37, :50]
    with pytest.warns(lavoxel.LavoxelWarning, match="in the heights.*cell_size_m") as told:
        changed = lavoxel.simulate(large, heights_m=10.0)
    assert len(told) == 1 and told[0].filename == __file__ and changed.size[0] != 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lavoxel.simulate(large, heights_m=10.0, cell_size_m=10.0).size[0::2] == (50, 37)
    flow = lavoxel.simulate(slope, lava="etna-basalt", vents=["12,20@40m3/s"], duration="1h")
    with pytest.warns(lavoxel.LavoxelWarning) as told:
        flow.run()
    words = " ".join(str(warning.message) for warning in told)
    assert "left by the sides of the box" in words and "unconverged" in words
    assert all(warning.filename == __file__ for warning in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow.run()
    cells = lavoxel.simulate(slope, vents=["12,21@4"])
    with pytest.warns(lavoxel.LavoxelWarning, match="left the box"):
        cells.step(200)


def test_a_field_is_nan_where_nothing_has_it():
    pytest.importorskip("rioxarray")
    wax = lavoxel.simulate("wax")
    wax.step(3)
    for name in ("temperature", "viscosity", "velocity-east"):
        field, array = wax.field(name).values, wax.array(name).transpose(1, 0, 2)
        assert np.isnan(field).any() and not np.isnan(array).any()
        assert np.array_equal(field[~np.isnan(field)], array[~np.isnan(field)]) and (array[np.isnan(field)] == 0.0).all()
    assert np.nanmin(wax.field("temperature").values) > 250.0
    assert not np.isnan(wax.field("amount").values).any()
    lava = lavoxel.simulate(SMALL)
    lava.step(20)
    empty = lava.array("amount").transpose(1, 0, 2) == 0.0
    assert np.array_equal(np.isnan(lava.field("specific-energy").values), empty)
    assert not np.isnan(lava.field("energy").values).any()


def test_messages_speak_of_arguments(slope):
    scene = lavoxel.scene(slope)
    assert scene.choices and not any("--" in line for line in scene.choices)
    assert any('walls="closed"' in line for line in scene.choices)
    for wrong, words in [
        (lambda: lavoxel.simulate("volcano", size=64), r"size = 64: give three numbers of cells"),
        (lambda: lavoxel.simulate("volcano", vents="10,12"), r"vents = '10,12': give a list of places"),
        (lambda: lavoxel.simulate("vulcano"), r"cannot read vulcano: no such file; did you mean volcano\?"),
        (lambda: lavoxel.simulate("nothing_like_it"), r"lavoxel.shipped_scenes\(\)"),
        (lambda: lavoxel.simulate(scene, seed=3), "seed: keys are of the call that made the scene"),
    ]:
        with pytest.raises(lavoxel.LavoxelError, match=words):
            wrong()
    Path("a.lvx").write_text("")
    with pytest.raises(lavoxel.LavoxelError, match="a.lvx exists already"):
        lavoxel.simulate(SMALL).save("a.lvx")
    with pytest.raises(lavoxel.LavoxelError, match="^volumes many"):
        lavoxel.hazard(slope, rates=1.0, volumes="many")
