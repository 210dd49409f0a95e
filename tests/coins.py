"""Experiments without any game: biased coins, in plain Python, for tests of the hall.

python coins.py SPEC OUT [--resume] [--workers N] [--dask ADDRESS]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time
from pathlib import Path
from random import Random

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.experiments.measure import Figure

KEYS = ("bias", "points", "pause", "deadly", "mint", "side")


class Coins:
    """A coin that shows heads with probability `bias`; each toss also gives 0 to `points` points.

    Coins of another `side` (a word) are tossed apart, with other luck. `pause` is how many seconds a chunk
    takes. `deadly` is a file: the first process that plays a chunk while it is there removes it and is
    killed; with a name that ends in "forever", every process is.
    """

    name = "coins"
    trials = "tosses"
    settings = KEYS
    multiple_of = 1
    source = "coins-1"
    mint = "Geneva"

    def sources(self):
        """Give a fixed word."""
        return self.source

    def prepare(self, settings, folder):
        """Check the settings."""
        bias = settings.get("bias", 0.5)
        if not 0 <= bias <= 1:
            raise SprawlsimError(f"bias = {bias} is not between 0 and 1")
        return {"bias": bias, "points": 6, "pause": 0.0, "deadly": "", "mint": self.mint, "side": ""} | dict(
            settings
        )

    def about(self, prepared):
        """Tell the coin."""
        return {
            "bias": prepared["bias"],
            "mint": prepared["mint"],
            "notes": ["The coins are not real."],
        }

    def run_chunk(self, prepared, seed, first, count):
        """Toss: toss `i` depends on the seed and `i` alone."""
        self._die(prepared["deadly"])
        time.sleep(prepared["pause"])
        words = [Random(f"{seed}/{prepared['side']}{i}") for i in range(first, first + count)]
        heads = [word.random() < prepared["bias"] for word in words]
        points = [word.randint(0, prepared["points"]) for word in words]
        return {
            "toss": np.arange(first, first + count),
            "heads": np.array(heads, dtype=np.int8),
            "points": np.array(points, dtype=np.int16),
        }

    @staticmethod
    def _die(deadly):
        if not deadly or not Path(deadly).exists():
            return
        if not deadly.endswith("forever"):
            Path(deadly).unlink(missing_ok=True)
        os.kill(os.getpid(), signal.SIGKILL)

    def figure_names(self, about):
        """Name two figures."""
        return ["heads", "points"]

    def figures(self, about, columns):
        """Read tosses."""
        one = np.ones(len(columns["heads"]), dtype=np.int64)
        heads = columns["heads"].astype(np.int64)
        points = columns["points"].astype(np.int64)
        return [
            Figure("heads", "proportion", heads, heads, one),
            Figure("points", "mean", points, points * points, one, "K"),
        ]


MEASURES = {"coins": Coins()}


def contents(folder):
    """Give the files of a results folder by name, but for the log of times and files moved aside."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and path.name != "times.json" and not path.name.endswith(".corrupt")
    }


def main():
    """Run an experiment with coins, as the command line does with games."""
    from sprawlsim.experiments.run import Means, run_experiment
    from sprawlsim.experiments.spec import read_spec

    parser = argparse.ArgumentParser()
    parser.add_argument("spec", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--dask")
    given = parser.parse_args()
    means = Means(given.workers, "dask" if given.dask else "local", given.dask)
    try:
        run_experiment(read_spec(given.spec), MEASURES, given.out, resume=given.resume, means=means)
    except SprawlsimError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    import coins  # under its own name, which other processes can import

    sys.exit(coins.main())
