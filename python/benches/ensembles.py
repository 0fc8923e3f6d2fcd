"""Times of hazard maps: the plain command, threads of Python, and workers of dask; all maps must be the same to the byte.

    cargo build --release --no-default-features --features cli
    python python/benches/ensembles.py                    # 120 runs, by 1 to 4 workers
    python python/benches/ensembles.py --runs 500 --kill 2    # four workers, of which two are killed after a fifth of the runs
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from distributed import Client, LocalCluster

import lavoxel

ROOT = Path(__file__).parents[2]
GROUND = ROOT / "terrains" / "maunga_whau.asc"
PLAN = {
    "vent_area": ROOT / "terrains" / "hazard_vents.geojson",
    "rates": "log-uniform:1,10",
    "volumes": "log-normal:15000,2",
}


def maps(folder):
    """The files of a folder but the runs', and in the table no seconds of computing, which differ."""
    files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
    rows = files["runs.csv"].decode().splitlines()
    files["runs.csv"] = "\n".join(row.rsplit(",", 1)[0] for row in rows).encode()
    return files


def plain(threads, runs):
    """Seconds of the command."""
    words = [ROOT / "target" / "release" / "lavoxel", "hazard", GROUND, "--vent-area", PLAN["vent_area"], "--rates", PLAN["rates"]]
    words += ["--volumes", PLAN["volumes"], "--runs", runs, "--threads", threads, "--out", f"plain-{threads}", "--quiet"]
    start = time.monotonic()
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
    return time.monotonic() - start


def by_threads(threads, runs):
    """Seconds of threads of this process."""
    start = time.monotonic()
    lavoxel.hazard(GROUND, runs=runs, folder=f"threads-{threads}", threads=threads, progress=False, **PLAN)
    return time.monotonic() - start


def by_workers(workers, runs, kill=0):
    """Seconds of so many workers, of which some are killed after a fifth of the runs."""
    folder = Path(f"workers-{workers}")
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        pids = list(client.run(os.getpid).values())

        def killer():
            while len(list(folder.glob("runs/run_*"))) < runs // 5:
                time.sleep(0.02)
            for pid in pids[:kill]:
                os.kill(pid, signal.SIGKILL)

        if kill:
            threading.Thread(target=killer).start()
        start = time.monotonic()
        lavoxel.hazard(GROUND, runs=runs, folder=folder, client=client, progress=False, **PLAN)
        return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--kill", type=int, default=0)
    asked = parser.parse_args()
    os.chdir(tempfile.mkdtemp(prefix="ensembles-"))
    rows = [(f"lavoxel hazard --threads {n}", f"plain-{n}", plain(n, asked.runs)) for n in (1, 2)]
    if not asked.kill:
        rows += [(f"lavoxel.hazard, {n} threads", f"threads-{n}", by_threads(n, asked.runs)) for n in (1, 2)]
    for workers in [4] if asked.kill else [1, 2, 3, 4]:
        name = f"{workers} workers" + (f", {asked.kill} killed" if asked.kill else "")
        rows.append((name, f"workers-{workers}", by_workers(workers, asked.runs, asked.kill)))
    whole = maps("plain-1")
    for name, folder, seconds in rows:
        same = "same" if maps(folder) == whole else "DIFFERENT"
        print(f"{name:<28} {seconds:6.1f} s  {same} bytes")
    size = sum(path.stat().st_size for path in Path("plain-1/runs").iterdir()) / asked.runs
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{size:.0f} bytes a run; this process took {most:.0f} MB at most")
    shutil.rmtree(Path.cwd())


if __name__ == "__main__":
    main()
