"""Hazard maps: from threads and from workers the files of the program, to the byte."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import lavoxel

LAWS = {"rates": "log-uniform:1,20", "volumes": "uniform:500,3000"}
KEYS = {"duration": "3h", "vents": ["120m,40m"]}
FLAGS = ["--rates", LAWS["rates"], "--volumes", LAWS["volumes"], "--duration", "3h", "--vent", "120m,40m"]
RUNS = 12


def maps(folder):
    """The files of a folder but the runs', and in the table no seconds of computing, which differ."""
    files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
    rows = files["runs.csv"].decode().splitlines()
    files["runs.csv"] = "\n".join(row.rsplit(",", 1)[0] for row in rows).encode()
    return files


@pytest.fixture
def whole(slope, program):
    """The maps of the program."""
    program("hazard", slope, "--runs", RUNS, *FLAGS, "--out", "whole")
    return maps("whole")


def test_maps_of_threads_are_those_of_the_program(slope, whole):
    made = lavoxel.hazard(slope, runs=RUNS, folder="ours", threads=2, **LAWS, **KEYS)
    assert maps("ours") == whole
    assert made.report["runs"] == RUNS and made.report["made"] == RUNS
    assert {path.name for path in made.files} <= set(whole)
    pytest.importorskip("rioxarray")
    probability = made.raster("probability")
    assert 0.0 < float(probability.max()) <= 1.0
    # Nothing is made twice.
    assert lavoxel.hazard(slope, runs=RUNS, folder="ours", **LAWS, **KEYS).report["made"] == 0


def test_ctrl_c_ends_and_the_same_call_goes_on(slope, whole):
    many = 4000

    def interrupt():
        while len(list(Path("cut").glob("runs/run_*"))) < 5:
            time.sleep(0.005)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        lavoxel.hazard(slope, runs=many, folder="cut", threads=2, **LAWS, **KEYS)
    there = len(list(Path("cut/runs").iterdir()))
    assert 0 < there < many
    for run in range(RUNS, many):
        Path(f"cut/runs/run_{run:06}").unlink(missing_ok=True)
    lavoxel.hazard(slope, runs=RUNS, folder="cut", threads=2, **LAWS, **KEYS)
    assert maps("cut") == whole


def test_wrong_plans_are_told(slope):
    for keys, words in [
        ({}, "volumes"),
        ({"volumes": "many"}, "volumes many"),
        ({"volumes": 1e6, "rates": "sometimes:1"}, "rates sometimes"),
        ({"volumes": 1e6, "rates": 1.0, "vent_area": "nowhere.csv"}, "nowhere.csv"),
        ({"volumes": 1e6, "rates": 1.0, "seeds": "mine"}, "mine"),
        ({"volumes": 1e6, "rates": 1.0, "quantiles": (2.0,)}, "quantiles"),
    ]:
        with pytest.raises(lavoxel.LavoxelError, match=words):
            lavoxel.hazard(slope, **keys)
    with pytest.raises(lavoxel.LavoxelError, match="physical model"):
        lavoxel.hazard("volcano", volumes=1e6, rates=1.0)
    lavoxel.hazard(slope, runs=2, folder="some", **LAWS, **KEYS)
    with pytest.raises(lavoxel.LavoxelError, match="is another plan"):
        lavoxel.hazard(slope, runs=2, folder="some", rates=3.0, volumes=1000.0, **KEYS)


@pytest.mark.parametrize("workers", [1, 3])
def test_maps_of_workers_are_those_of_the_program(slope, whole, workers):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        lavoxel.hazard(slope, runs=RUNS, folder="ours", client=client, **LAWS, **KEYS)
    assert maps("ours") == whole


def test_a_scene_goes_to_the_workers_as_text(program):
    distributed = pytest.importorskip("distributed")
    program("hazard", "hazard", "--runs", 3, "--out", "theirs", "--rates", "5", "--volumes", "1e4")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        lavoxel.hazard("hazard", runs=3, folder="ours", rates=5, volumes=1e4, client=client)
    assert maps("ours") == maps("theirs")


def test_keys_of_a_scene_and_arrays_go_to_the_workers(slope):
    distributed = pytest.importorskip("distributed")
    heights = np.loadtxt(slope, skiprows=5)
    # Without a duration: each run has a limit of its own, whatever else the scene holds.
    laws = {"rates": 5.0, "volumes": 800.0, "runs": 3}
    plain = lavoxel.hazard(slope, folder="plain", vents=["120m,40m"], **laws)
    assert plain.report["mean_volume_m3"] == pytest.approx(800.0, rel=0.01)
    keys = {"vents": ["120m,40m"], "material": [{"name": "water"}]}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        for source, extra, folder in ((slope, keys, "keys"), (heights, keys | {"heights_m": 10.0}, "array")):
            ours = lavoxel.hazard(source, folder=folder, client=client, **laws, **extra)
            threads = lavoxel.hazard(source, folder=f"{folder}-threads", **laws, **extra)
            assert maps(folder) == maps(f"{folder}-threads")
            assert ours.report["mean_volume_m3"] == threads.report["mean_volume_m3"] == plain.report["mean_volume_m3"]


def test_workers_that_are_killed_leave_nothing_out(slope, program):
    distributed = pytest.importorskip("distributed")
    runs = 160
    program("hazard", slope, "--runs", runs, *FLAGS, "--out", "whole")
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killed = []

        def kill():
            while len(list(Path("ours/runs").glob("run_*")) if Path("ours/runs").exists() else []) < 20:
                time.sleep(0.005)
            for pid in pids[:2]:
                os.kill(pid, signal.SIGKILL)
                killed.append(len(list(Path("ours/runs").glob("run_*"))))

        killer = threading.Thread(target=kill)
        killer.start()
        lavoxel.hazard(slope, runs=runs, folder="ours", client=client, **LAWS, **KEYS)
        killer.join()
    assert len(killed) == 2 and max(killed) < runs, "they died in the middle"
    assert maps("ours") == maps("whole")
