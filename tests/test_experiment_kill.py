"""Experiments that are killed: whatever dies, at whatever moment, the results are the same to the byte."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from coins import MEASURES, contents

from sprawlsim.experiments.run import Means, run_experiment
from sprawlsim.experiments.spec import ExperimentError, spec_from_dict

TESTS = Path(__file__).parent
KILLS = int(os.environ.get("KILLS", "4"))
"""How often the run is killed; more on request: KILLS=20 python -m pytest tests/test_experiment_kill.py"""
CHUNKS = 60
SPEC = f"""
title = "Coins"
question = "Do they show it?"
measure = "coins"
[common]
pause = 0.03
[grid]
bias = [0.5, 0.6, 0.7]
[stop]
count = {CHUNKS // 3 * 20}
chunk = 20
"""
SLOW = SPEC.replace("pause = 0.03", "pause = 0.15")
"""For tests that must do something before the run is over, on a busy machine, too."""
LONGEST = 120


def spec_of(**common):
    """Make a quick experiment with coins."""
    data = {
        "title": "Coins",
        "question": "?",
        "measure": "coins",
        "common": common,
        "grid": {"bias": [0.4, 0.5]},
        "stop": {"count": 400, "chunk": 50},
    }
    return spec_from_dict(data, "coins.toml", "coins")


def start(*words):
    """Start a run of an experiment as a process of its own."""
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(TESTS / "coins.py"), *map(str, words)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )


def finish(*words):
    """Run an experiment to its end."""
    process = start(*words)
    _, told = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, told


def wait_for(moment, process):
    """Wait until something is so, or the process is over."""
    until = time.monotonic() + LONGEST
    while not moment() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)


def chunks_in(folder):
    """Count finished chunks."""
    return len(list(Path(folder).glob("cells/*/*.parquet")))


def members_of(group):
    """List the processes of a process group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(path.name))
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_killed_again_and_again_gives_the_same_bytes(tmp_path, workers):
    """Kill the run at random moments, resume it each time, and compare with a run that nothing stopped."""
    spec = tmp_path / "coins.toml"
    spec.write_text(SPEC)
    finish(spec, tmp_path / "whole")
    moments = random.Random(workers)
    out = tmp_path / "killed"
    kills = midway = 0
    while kills < KILLS:
        before = chunks_in(out)
        process = start(spec, out, "--resume", "--workers", workers)
        if kills % 3:  # else at any moment, the first ones included
            wait_for(lambda before=before: chunks_in(out) > before, process)
        time.sleep(moments.uniform(0, 0.6))
        if process.poll() is None:
            process.kill()
            midway += before < chunks_in(out) < CHUNKS
            kills += 1
        _, told = process.communicate(timeout=LONGEST)
        assert process.returncode in {0, -signal.SIGKILL}, told
        if process.returncode == 0 or chunks_in(out) > CHUNKS - 10:  # little is left to kill
            for path in sorted(out.glob("cells/*/*.parquet"))[1:]:
                path.unlink()
    finish(spec, out, "--resume", "--workers", workers)
    assert midway >= KILLS // 3
    assert contents(out) == contents(tmp_path / "whole")
    assert chunks_in(out) == CHUNKS


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_no_process_outlives_a_killed_run(tmp_path):
    """Kill a run with two processes; within seconds nothing of its process group is left."""
    spec = tmp_path / "coins.toml"
    spec.write_text(SLOW)
    process = start(spec, tmp_path / "out", "--workers", 2)
    wait_for(lambda: chunks_in(tmp_path / "out") >= 2, process)
    assert len(members_of(process.pid)) >= 3
    process.kill()
    process.communicate(timeout=LONGEST)
    until = time.monotonic() + 20
    while members_of(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert members_of(process.pid) == []


def test_an_interrupted_run_keeps_what_is_finished_and_leaves_at_once(tmp_path):
    """Send what Ctrl-C sends, to all processes as a terminal does; resume gives the same bytes."""
    spec = tmp_path / "coins.toml"
    spec.write_text(SLOW)
    finish(spec, tmp_path / "whole", "--workers", 2)
    out = tmp_path / "out"
    process = start(spec, out, "--workers", 2)
    wait_for(lambda: chunks_in(out) >= 3, process)
    os.killpg(process.pid, signal.SIGINT)
    since = time.monotonic()
    process.communicate(timeout=LONGEST)
    assert time.monotonic() - since < 10
    assert process.returncode != 0
    assert 3 <= chunks_in(out) < CHUNKS
    finish(spec, out, "--resume")
    assert contents(out) == contents(tmp_path / "whole")


def test_the_chunk_of_a_worker_that_dies_is_played_again(tmp_path):
    """A process that kills itself once, in the middle of a run."""
    deadly = tmp_path / "deadly"
    deadly.touch()
    spec = spec_of(deadly=str(deadly))
    outcome = run_experiment(spec, WithoutWarmUp, tmp_path / "out", means=Means(workers=2))
    assert not deadly.exists()
    assert outcome.played == 16
    run_experiment(spec, MEASURES, tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_workers_that_keep_dying_are_a_clear_error(tmp_path):
    """A file that kills every process that plays: the run gives up and says where; without it, it resumes."""
    deadly = tmp_path / "forever"
    deadly.touch()
    spec = spec_of(deadly=str(deadly))
    with pytest.raises(ExperimentError, match=r"workers died 3 times in a row, .*chunk \d.*--resume"):
        run_experiment(spec, WithoutWarmUp, tmp_path / "out", means=Means(workers=2))
    deadly.unlink()
    run_experiment(spec, MEASURES, tmp_path / "out", resume=True)
    run_experiment(spec, MEASURES, tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


class _Careful(type(MEASURES["coins"])):
    """Coins that kill only processes of a pool, not the one that warms up."""

    here = os.getpid()

    def __init__(self):
        self.parent = os.getpid()

    def run_chunk(self, prepared, seed, first, count):
        """Toss, and perhaps die."""
        if os.getpid() == self.parent:
            prepared = prepared | {"deadly": ""}
        return super().run_chunk(prepared, seed, first, count)


WithoutWarmUp = {"coins": _Careful()}


def free_port():
    """Find a port that nobody listens to."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


@contextmanager
def cluster(folder):
    """Run a Dask scheduler and two workers, each a process of its own."""
    address = f"tcp://127.0.0.1:{free_port()}"
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    log = (folder / "cluster.log").open("w")

    def launch(module, *words):
        command = [sys.executable, "-m", module, *words, "--no-dashboard"]
        return subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=folder)

    parts = [launch("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", address[16:])]
    try:
        for name in ("one", "two"):
            words = ["--name", name, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
            parts.append(launch("distributed.cli.dask_worker", address, *words))
        yield address, parts[1:]
    finally:
        for part in reversed(parts):
            part.kill()
            part.wait()
        log.close()


def test_a_cluster_of_which_a_worker_is_killed_gives_the_same_bytes(tmp_path):
    """Two Dask workers play; one is killed in the middle; the other plays its chunks again."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    spec = tmp_path / "coins.toml"
    spec.write_text(SLOW)
    finish(spec, tmp_path / "whole", "--workers", 2)
    out = tmp_path / "out"
    with cluster(tmp_path) as (address, workers):
        process = start(spec, out, "--dask", address)
        wait_for(lambda: chunks_in(out) >= 5, process)
        assert 5 <= chunks_in(out) < CHUNKS
        workers[0].kill()
        _, told = process.communicate(timeout=LONGEST)
        assert process.returncode == 0, told
    assert contents(out) == contents(tmp_path / "whole")


def test_a_scheduler_that_is_not_there_is_a_clear_error(tmp_path):
    """Nobody listens at the address."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    spec = tmp_path / "coins.toml"
    spec.write_text(SPEC)
    address = f"tcp://127.0.0.1:{free_port()}"
    process = start(spec, tmp_path / "out", "--dask", address)
    _, told = process.communicate(timeout=LONGEST)
    assert process.returncode == 2
    assert f"--scheduler {address}: no Dask scheduler answers there" in told
