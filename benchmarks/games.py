"""Speed of whole games: games per second, where the time goes, compile time. Ratios hold within one run.

    python benchmarks/games.py

The shares come from playing the same games three times: choosing and playing, playing the recorded actions
again without choosing, and only the dice of the recorded Missions, Tasks and Final Missions.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import OVER, Record
from sprawlsim.sprawlops.game.batch import ROW, Plan, Thread, begin_game, new_tally, new_thread, play_games
from sprawlsim.sprawlops.game.legal import ROLL, kind_of_action
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.game.trials import forget_outlook
from sprawlsim.sprawlops.mission.arrays import SCENARIO
from sprawlsim.sprawlops.mission.attempt import play_attempt
from sprawlsim.sprawlops.mission.plays import BALANCED

REPEATS = 5
GAMES = 4000
MIXES: dict[str, list[str] | None] = {
    "all sensible": None,
    "champion": ["champion"],
    "balanced": ["balanced"],
    "gear-rush": ["gear-rush"],
    "docwagon": ["docwagon"],
    "random": ["random"],
}


def per_second(play: Callable[[], Any], games: int) -> float:
    """Time something several times and give the median of games per second."""
    rates = []
    for _ in range(REPEATS):
        since = time.perf_counter()
        play()
        rates.append(games / (time.perf_counter() - since))
    return statistics.median(rates)


@kernel
def record_games(plan: Plan, thread: Thread, count: int, actions: Any, scenes: Any) -> tuple[int, int]:
    """Play games and keep every action, and the scenario of every trial; count both."""
    game = thread.table[0]
    a = 0
    t = 0
    for number in range(count):
        begin_game(plan, thread, number)
        while game.step != OVER and game.round_number <= plan.limit and a < len(actions):
            action = choose_action(game, thread.mind)
            actions[a] = action
            a += 1
            apply(game, action, thread.desk)
            if kind_of_action(action) == ROLL and t < len(scenes):
                scenes[t] = thread.desk.pad.scene
                t += 1
    return a, t


@kernel
def replay_games(plan: Plan, thread: Thread, count: int, actions: Any) -> int:
    """Carry out recorded actions."""
    game = thread.table[0]
    a = 0
    for number in range(count):
        begin_game(plan, thread, number)
        while game.step != OVER and game.round_number <= plan.limit and a < len(actions):
            apply(game, actions[a], thread.desk)
            a += 1
    return a


@kernel
def roll_scenes(thread: Thread, scenes: Any, count: int) -> int:
    """Play the dice of recorded trials."""
    completed = 0
    tools = thread.desk.tools
    for t in range(count):
        scn: Record = scenes[t]
        forget_outlook(scn, tools.outlook)
        play_attempt(scn, BALANCED, np.uint64(1), np.uint64(t), tools)
        completed += tools.work.at[0].completed
    return completed


def shares(batch: Batch) -> None:
    """Tell how the time of a game divides."""
    games = 1000
    thread = new_thread(batch.cards)
    actions = np.zeros(games * 4000, dtype=np.int64)
    scenes = np.zeros(games * 200, dtype=SCENARIO)
    record_games(batch.plan, thread, 1, actions, scenes)
    whole = 1 / per_second(lambda: play_some(batch, thread, games), games)
    a, t = record_games(batch.plan, thread, games, actions, scenes)
    again = 1 / per_second(lambda: replay_games(batch.plan, thread, games, actions), games)
    roll_scenes(thread, scenes, 1)
    dice = 1 / per_second(lambda: roll_scenes(thread, scenes, t), games)
    print(f"  a game: {1e6 * whole:.0f} us; {a / games:.0f} decisions; dice rolled for {t / games:.1f} times")
    print(
        f"  choosing {1 - again / whole:.0%}, dice and their rules of thumb {dice / whole:.0%}, "
        f"the rest of the rules {(again - dice) / whole:.0%}"
    )


def play_some(batch: Batch, thread: Thread, games: int) -> None:
    """Play games on one thread."""
    play_games(batch.plan, thread, 0, games, new_tally()[0], np.zeros(0, dtype=ROW))


def compile_times() -> None:
    """Tell how long the first game takes with an empty cache, and with a full one."""
    code = "from sprawlsim.sprawlops.game.simulate import Batch; Batch().run(1)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SPRAWLSIM_CACHE": folder}
        for what in ("cold", "cached"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            since = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)
            spent = time.perf_counter() - since
            cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            print(f"first game, {what}: {spent:.1f} s, {cpu:.1f} s of processor time")


def main() -> None:
    """Run everything."""
    compile_times()
    for players in (4, 2):
        for name, strategies in MIXES.items():
            batch = Batch(strategies, players=players)
            games = GAMES // 20 if name == "random" else GAMES
            batch.run(1)
            one = per_second(lambda batch=batch, games=games: batch.run(games, threads=1), games)
            two = per_second(lambda batch=batch, games=games: batch.run(games, threads=2), games)
            print(f"{players} players, {name}: {one:.0f} games/s, two threads {two:.0f} ({two / one:.2f}x)")
            if name == "all sensible":
                shares(batch)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
