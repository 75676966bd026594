# ruff: noqa: INP001 (a script, not part of a package)
"""Run a deixis command with workers that SLURM provides.

    python on_slurm.py --jobs 20 --cores 32 --queue general -- make reascan --scale paper --out reascan

starts 20 jobs with 32 workers each, runs `deixis make reascan ... --on dask --address ...` on this machine while they
come, and ends them afterwards. With --show nothing is started: the job script is printed, to be looked at.
"""

import argparse
import subprocess
import sys

from dask_jobqueue import SLURMCluster


def main() -> int:
    """The exit code of the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=1, help="how many jobs; each is (part of) one node")
    parser.add_argument("--cores", type=int, default=32, help="workers in each job, one per core")
    parser.add_argument("--memory", default="", help="of a job, e.g. 64GB; 2 GB per core by default")
    parser.add_argument("--walltime", default="02:00:00", help="after which SLURM ends a job")
    parser.add_argument("--queue", default=None, help="the partition; that of the site by default")
    parser.add_argument("--account", default=None, help="who pays; that of the user by default")
    parser.add_argument("--interface", default=None, help="the network that nodes and this machine share, e.g. ib0")
    parser.add_argument("--before", action="append", default=[], help="a line to run first, e.g. 'module load python'")
    parser.add_argument("--wait", type=int, default=3600, help="seconds to wait for the first job to begin")
    parser.add_argument("--show", action="store_true", help="print the job script and leave")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the words after `deixis`")
    options = parser.parse_args()
    words = options.command[options.command[:1] == ["--"] :]
    if not words and not options.show:
        parser.error("say what to run, e.g. -- make reascan --out reascan")
    with SLURMCluster(
        cores=options.cores,
        processes=options.cores,  # a worker for each core: they share nothing
        memory=options.memory or f"{2 * options.cores}GB",
        walltime=options.walltime,
        queue=options.queue,
        account=options.account,
        interface=options.interface,
        job_script_prologue=options.before,
        scheduler_options={"dashboard_address": ":0"},
    ) as cluster:
        if options.show:
            sys.stdout.write(cluster.job_script())
            return 0
        cluster.scale(jobs=options.jobs)
        place = ["--on", "dask", "--address", cluster.scheduler_address, "--cluster-wait", str(options.wait)]
        line = [sys.executable, "-m", "deixis", *words, *place]
        return subprocess.run(line, check=False).returncode  # noqa: S603 (what was asked for)


if __name__ == "__main__":
    sys.exit(main())
