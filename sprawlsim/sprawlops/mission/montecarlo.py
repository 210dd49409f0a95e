"""Monte Carlo of Mission attempts: blocks over threads, integer counters, a stop that may peek."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.rng import stream_key
from sprawlsim.sprawlops.dice import face_counts, rolled_dice
from sprawlsim.sprawlops.mission.arrays import COLOURS, Record
from sprawlsim.sprawlops.mission.attempt import new_tools
from sprawlsim.sprawlops.mission.blocks import new_memory, play_block, play_block_directly
from sprawlsim.sprawlops.mission.counts import COMPLETED, add_counts, new_counts
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.stats.intervals import Estimate, proportion_sequence
from sprawlsim.stats.stopping import is_precise, run_until

BLOCK, DIRECT_BLOCK = 1 << 15, 1 << 11
"""Attempts that a thread plays before it reports, looked up or directly: a few milliseconds' worth."""

FIRST_LOOK = 1 << 16
"""Attempts before the first look of a run that stops when it is precise enough."""

MANY_FACES = 50_000
"""Different rolls of the whole pool from which attempts are played directly: hardly a roll comes twice."""

MOST_ATTEMPTS = 10**12
FINEST_PRECISION = 1e-5

Progress = Callable[[int, int | None], None]
"""Told (attempts done, attempts to do; None while nobody knows), often."""


def default_threads() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Simulation:
    """Attempts of one scenario under one rule of thumb, counted so far.

    Parameters
    ----------
    scenario : Scenario
    policy : str
        A name of `POLICIES`.
    seed : int
        Attempt number `i` is a pure function of scenario, policy, seed and `i`.
    threads : int
        Threads to use; they never change a result.
    block : int, optional
        Attempts per block; it never changes a result.
    purpose : str
        What the dice are for; other purposes get other dice.
    """

    def __init__(
        self,
        scenario: Scenario,
        policy: str,
        seed: int,
        threads: int,
        block: int | None = None,
        purpose: str = "mission",
    ) -> None:
        self._scenario = scenario.arrays()
        self._policy = POLICIES[policy]
        self._key = stream_key(seed, purpose)
        self._threads = threads
        self.plays_directly = _different_rolls(self._scenario) >= MANY_FACES
        self._block = block or (DIRECT_BLOCK if self.plays_directly else BLOCK)
        self._players: dict[int, _Player] = {}
        self.counts = new_counts()

    @property
    def attempts(self) -> int:
        """How many attempts are counted."""
        return int(self.counts["attempts"][0])

    def play(self, until: int, progress: Progress | None = None, of: int | None = None) -> None:
        """Play on until so many attempts are counted.

        An interrupt (Ctrl-C) stops after the blocks under way and counts none of this call's.
        """
        starts = list(range(self.attempts, until, self._block))
        blocks = pairwise([*starts, until])
        lock = threading.Lock()
        stop = threading.Event()
        done = self.attempts

        def work(number: int) -> npt.NDArray[Any]:
            nonlocal done
            if number not in self._players:
                # Made by the thread that uses it: memory of two threads then shares no cache line.
                self._players[number] = _Player(self.plays_directly)
            player = self._players[number]
            counts = new_counts()
            while not stop.is_set():
                with lock:
                    first, end = next(blocks, (until, until))
                if first == end:
                    break
                player.play(self._scenario, self._policy, self._key, first, end - first, counts)
                with lock:
                    done += end - first
                    if progress is not None:
                        progress(done, of)
            return counts

        wanted = max(1, min(len(starts), self._threads))
        if wanted == 1:
            add_counts(self.counts, work(0))
            return
        with ThreadPoolExecutor(wanted) as pool:
            futures = [pool.submit(work, number) for number in range(wanted)]
            try:
                results = [future.result() for future in futures]
            except BaseException:
                stop.set()
                raise
        for counts in results:
            add_counts(self.counts, counts)

    def count_block(self, first: int, count: int) -> npt.NDArray[Any]:
        """Play attempts `first` to ``first + count - 1`` in this thread, counted apart (one record)."""
        counts = new_counts()
        player = self._players.setdefault(0, _Player(self.plays_directly))
        player.play(self._scenario, self._policy, self._key, first, count, counts)
        return counts


class _Player:
    """One thread's tools and memory."""

    def __init__(self, direct: bool) -> None:
        self.tools = new_tools()
        self.memory = None if direct else new_memory()

    def play(
        self, scn: Record, policy: int, key: np.uint64, first: int, count: int, counts: npt.NDArray[Any]
    ) -> None:
        """Play a block and add to the counters."""
        with np.errstate(over="ignore"):  # words wrap around, which numpy reports where nothing is compiled
            if self.memory is None:
                play_block_directly(scn, policy, key, first, count, self.tools, counts)
            else:
                play_block(scn, policy, key, first, count, self.tools, self.memory, counts)


def _different_rolls(scn: Record) -> int:
    """Count the different rolls of the whole team's pool."""
    rolls = 1
    for colour in range(COLOURS):
        rolls *= int(face_counts(rolled_dice(int(scn.dice[:, colour].sum()))))
    return rolls


def play_attempts(simulation: Simulation, attempts: int, progress: Progress | None = None) -> None:
    """Play exactly so many attempts.

    Raises
    ------
    SprawlsimError
        If the number makes no sense.
    """
    if not 1 <= attempts <= MOST_ATTEMPTS:
        raise SprawlsimError(f"attempts must be between 1 and {MOST_ATTEMPTS}, not {attempts}")
    simulation.play(attempts, progress, attempts)


def play_until_precise(simulation: Simulation, precision: float, progress: Progress | None = None) -> None:
    """Play until the interval of completion is at most ± `precision`.

    The looks are at fixed numbers of attempts, so the result does not depend on threads; the interval is a
    confidence sequence, valid however often one looks.

    Raises
    ------
    SprawlsimError
        If the precision makes no sense.
    """
    if not FINEST_PRECISION <= precision < 0.5:
        raise SprawlsimError(f"precision must be between {FINEST_PRECISION} and 0.5, not {precision}")

    def look(attempts: int) -> Estimate:
        simulation.play(attempts, progress)
        return proportion_sequence(int(simulation.counts["sums"][0][COMPLETED]), simulation.attempts)

    run_until(look, partial(is_precise, within=precision), FIRST_LOOK)
