"""Hazard maps by the workers of a Slurm cluster, which dask-jobqueue starts as jobs.

Run it on the login node, where the heightmap and the package lie on a disk that the nodes share:

    python slurm_dask.py etna.tif rift.geojson --runs 10000 --jobs 20

It may be stopped, or killed, and run again: runs that are there are kept. `--local` takes workers of this machine instead.
"""

import argparse
from typing import Any

import lavoxel


def cluster(jobs: int, *, local: bool) -> Any:
    """Workers, one a core: of jobs of 16 cores, or of this machine."""
    if local:
        from distributed import LocalCluster

        return LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)  # type: ignore[no-untyped-call]
    from dask_jobqueue import SLURMCluster

    workers = SLURMCluster(cores=16, processes=16, memory="32GB", walltime="12:00:00", queue="normal")
    # Jobs come and go with the queue; runs of jobs that end are made by others.
    workers.adapt(maximum_jobs=jobs)
    return workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heightmap")
    parser.add_argument("vent_area")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rates", default="log-uniform:1,50")
    parser.add_argument("--volumes", default="log-normal:1e6,3")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--folder", default="lavoxel-out/cluster")
    parser.add_argument("--local", action="store_true")
    asked = parser.parse_args()

    from distributed import Client

    with cluster(asked.jobs, local=asked.local) as workers, Client(workers) as client:  # type: ignore[no-untyped-call]
        maps = lavoxel.hazard(
            asked.heightmap,
            runs=asked.runs,
            vent_area=asked.vent_area,
            rates=asked.rates,
            volumes=asked.volumes,
            folder=asked.folder,
            client=client,
            progress=True,
        )
    print(f"{maps.report['runs']} runs, {maps.report['area_m2'] / 1e6:.3f} km² inundated by any; maps in {maps.folder}")


if __name__ == "__main__":
    main()
