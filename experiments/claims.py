"""Whether the stand-in cards make true what reviews of the game say: each claim with its measured value.

    python experiments/claims.py

Writes ``results/claims.csv`` and prints the same table. A claim holds where the whole 95% interval of its
metric lies on the right side of the bound (for a claim without sampling, where the value does).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sprawlsim.sprawlops.cards import FinalMission, Mission, load_card_set
from sprawlsim.sprawlops.game.arrays import FIGURES, LOCATIONS
from sprawlsim.sprawlops.game.batch import DICE, DICE_SQUARED, PLAYED, ROUND_COLUMNS
from sprawlsim.sprawlops.game.crew import FACE
from sprawlsim.sprawlops.game.results import GameResults
from sprawlsim.sprawlops.game.simulate import Batch, sensible_strategies
from sprawlsim.sprawlops.game.strategies.model import Strategy, load_strategy
from sprawlsim.sprawlops.mission.counts import COMPLETED
from sprawlsim.sprawlops.mission.montecarlo import Simulation, play_attempts
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson

ROOT = Path(__file__).parent.parent
GAMES = 40_000
ATTEMPTS = 40_000
PARTS = 20
"""Parts of the games from whose spread a ratio gets its interval."""
SEED = 2026
EARLY = 3
"""Rounds that count as the first ones."""


class Claim(NamedTuple):
    """A claim, how it is measured, what came out, and what it must be."""

    claim: str
    metric: str
    value: Estimate
    bound: str
    holds: bool


def above(claim: str, metric: str, value: Estimate, bound: float) -> Claim:
    """Make a claim that the metric lies above a bound."""
    return Claim(claim, metric, value, f"> {bound:g}", value.low > bound)


def below(claim: str, metric: str, value: Estimate, bound: float) -> Claim:
    """Make a claim that the metric lies below a bound."""
    return Claim(claim, metric, value, f"< {bound:g}", value.high < bound)


def changed(name: str, change: str, **weights: float) -> Strategy:
    """Give a shipped strategy other weights, and a name that tells."""
    strategy = load_strategy(name)
    new = {key.replace("__", "."): value for key, value in weights.items()}
    return strategy._replace(name=f"{name} {change}", weights={**strategy.weights, **new})


def length(field: GameResults) -> list[Claim]:
    """Check how long games are."""
    frame = field.rounds()
    usual = int(frame.loc[frame["round"].between(6, 12), "games"].sum())
    share = wilson(usual, field.games)
    return [above("a game is over in a good hour", "share of games won in rounds 6 to 12", share, 0.5)]


def dice(field: GameResults) -> list[Claim]:
    """Check that dice are soon there."""
    total = field.tally.by_round.sum(axis=0)[EARLY + 1]
    mean = mean_interval(int(total[DICE]), int(total[DICE_SQUARED]), int(total[PLAYED]))
    return [
        above("after a couple of rounds nobody lacks dice", "mean dice at the start of round 4", mean, 10)
    ]


def missions() -> list[Claim]:
    """Check that side Missions are optional."""
    abstainer = changed("champion", "without Missions", place__mr_johnson=0.0)
    results = Batch([abstainer, *rivals()], seed=SEED).run(GAMES)
    rate = results.win_rate(abstainer.name)
    return [above("side Missions are optional", "wins of a champion who selects none, 4 players", rate, 0.1)]


def rivals() -> list[str]:
    """Give three opponents."""
    return ["gear-rush", "runner-collector", "face-economy"]


def early_finals() -> list[Claim]:
    """Check that a Final Mission in the first rounds fails."""
    rash = changed("final-gambler", "at once", final__chance=0.0, final__haste=0.0)
    results = Batch([rash], seed=SEED).run(GAMES)
    tried = results.total("finals", 1, EARLY)
    rate = wilson(results.total("won", 1, EARLY), tried)
    metric = f"Finals tried in rounds 1 to {EARLY}, to the end, that succeed"
    return [below("a Final Mission in the first rounds is near suicide", metric, rate, 0.05)]


def paired_wins(one: Batch, other: Batch, seat: int) -> Estimate:
    """Give how much more often a seat wins in the first batch than in the second, game by game."""
    wins = [_seat_wins(batch, seat) for batch in (one, other)]
    difference = wins[0].astype(np.int64) - wins[1].astype(np.int64)
    return mean_interval(int(difference.sum()), int((difference**2).sum()), GAMES)


def _seat_wins(batch: Batch, seat: int) -> np.ndarray:
    return batch.winners(GAMES) == batch.plan.lineups[0][seat]


def hiring() -> list[Claim]:
    """Check that hired runners beat starters, and that some give two colours."""
    with_hires = Batch(["champion", *rivals()], seed=SEED, rotate_seats=False)
    starters_only = changed("champion", "without hiring", place__hannibelles_host=0.0)
    without = Batch([starters_only, *rivals()], seed=SEED, rotate_seats=False)
    gain = paired_wins(with_hires, without, 0)
    cards = load_card_set()
    two = sum(len(runner.roles) > 1 for runner in cards.runners)
    return [
        above(
            "hired runners beat starters", "wins of a champion who hires less one who never does", gain, 0.0
        ),
        above("some hired runners give two colours", "runners with two roles", Estimate.exact(two), 0),
    ]


def faces() -> list[Claim]:
    """Check that Faces are strong: the first player's starting Face loses its role and all bonuses."""
    lineup = ["champion", *rivals()]
    whole, bare = Batch(lineup, seed=SEED, rotate_seats=False), Batch(lineup, seed=SEED, rotate_seats=False)
    bare.cards.runner_roles[2] &= ~(1 << FACE)
    gain = paired_wins(whole, bare, 0)
    return [above("Faces are strong", "wins with the starting Face less wins without its role", gain, 0.0)]


def order() -> list[Claim]:
    """Check that acting early matters."""
    results = Batch(["champion"], seed=SEED).run(GAMES)
    first, last = (int(results.tally.wins[0, seat]) for seat in (0, 3))
    difference = mean_interval(first - last, first + last, GAMES)
    metric = "wins of the first seat less those of the last, mirror match"
    return [above("acting early matters", metric, difference, 0.0)]


def over_parts(measure: Callable[[int], float]) -> Estimate:
    """Give the mean of a ratio with its interval, from parts of the games with seeds of their own."""
    values = [measure(SEED + part) for part in range(PARTS)]
    return mean_interval(sum(values), sum(value**2 for value in values), PARTS)


def deaths_per_failed_final(strategies: list[Strategy], entrant: int, seed: int) -> float:
    """Give the runners of an entrant who died per Final Mission that it tried and failed."""
    results = Batch(strategies, players=2, seed=seed).run(GAMES // PARTS)
    total = results.tally.by_round[entrant].sum(axis=0)[ROUND_COLUMNS - len(FIGURES) :]
    figure = dict(zip(FIGURES, map(int, total), strict=True))
    return figure["final_deaths"] / (figure["finals"] - figure["won"])


def survival() -> list[Claim]:
    """Check that a failed Final Mission is survivable thanks to DocWagon."""
    # Harm costs nothing here, so that nobody pulls out of a Final Mission to save their runners.
    rash = {"final__chance": 0.15, "final__haste": 0.0, "mission__injury": 0.0, "mission__death": 0.0}
    both = [
        changed("champion", "rash", **rash),
        changed("champion", "rash, without DocWagon", place__docwagon=0.0, **rash),
    ]
    claim = "a failed Final is survivable thanks to DocWagon"
    safe = over_parts(lambda seed: deaths_per_failed_final(both, 0, seed))
    more = over_parts(
        lambda seed: deaths_per_failed_final(both, 1, seed) - deaths_per_failed_final(both, 0, seed)
    )
    return [
        below(claim, "runners dead per failed Final, with DocWagon", safe, 0.5),
        above(claim, "the same without DocWagon, less that", more, 0.0),
    ]


def completing(missions: Sequence[Mission | FinalMission], team: Sequence[str], each: int) -> Estimate:
    """Give the mean odds of a Mission, played by `balanced`: a runner for each colour, with so many dice."""
    completed = 0
    for mission in missions:
        stages = [{"icons": dict(stage.icons), "loot": getattr(stage, "loot", 0)} for stage in mission.stages]
        data = {"stages": stages, "runners": [{"dice": {colour: each}} for colour in team]}
        simulation = Simulation(scenario_from_dict(data, mission.name), "balanced", SEED, 2)
        play_attempts(simulation, ATTEMPTS)
        completed += int(simulation.counts["sums"][0][COMPLETED])
    return wilson(completed, ATTEMPTS * len(missions))


def mixing() -> list[Claim]:
    """Check that a mixed team is worth more than one colour: on Final Missions, and on side Missions.

    Against the mean of all mixed teams of a kind stands the best of the poorer ones, so that nothing is
    gained by choosing with hindsight.
    """
    cards = load_card_set()
    colours = ("street_samurai", "decker", "mage", "rigger")
    one = [(colour,) * 4 for colour in colours]
    two = [(first, first, second, second) for first, second in combinations(colours, 2)]
    claim = "a mixed team is worth more than one colour"
    claims = []
    for what, missions, each, mixed, poor in (
        (
            "Final Missions: 24 dice of four colours less 24 of the best two",
            cards.final_missions,
            6,
            [colours],
            two,
        ),
        ("side Missions: 12 dice of any two colours less 12 of the best one", cards.missions, 3, two, one),
    ):
        odds = [completing(missions, team, each) for team in mixed]
        mean, margin = ratio_mean(odds)
        best = max((completing(missions, team, each) for team in poor), key=lambda odd: odd.estimate)
        gain = Estimate(mean - best.estimate, mean - margin - best.high, mean + margin - best.low)
        claims.append(above(claim, what, gain, 0.0))
    return claims


def ratio_mean(odds: list[Estimate]) -> tuple[float, float]:
    """Give the mean of some odds, and half the width of an interval that holds it if each holds its own."""
    mean = sum(odd.estimate for odd in odds) / len(odds)
    return mean, max(max(odd.high - odd.estimate, odd.estimate - odd.low) for odd in odds)


def fairness(field: GameResults) -> list[Claim]:
    """Check that every sensible strategy is in the race, and every location in use."""
    claims = []
    for name in sensible_strategies():
        rate = field.win_rate(name)
        in_race = rate.low > 0.10 and rate.high < 0.45
        metric = f"wins of {name}, mixed 4-player games"
        claims.append(
            Claim("no sensible strategy is hopeless or unbeatable", metric, rate, "0.1 to 0.45", in_race)
        )
    rarest = int(np.argmin(field.tally.visits.sum(axis=0)))
    rate = over_parts(lambda seed: visits_of(rarest, seed))
    metric = f"runners at {LOCATIONS[rarest]} per player and round (the rarest)"
    return [*claims, above("every location is used", metric, rate, 0.01)]


def visits_of(location: int, seed: int) -> float:
    """Give the runners placed at a location per player and round, in the field."""
    results = Batch(seed=seed).run(GAMES // PARTS)
    return float(results.tally.visits[:, location].sum() / results.total("players"))


def main() -> None:
    """Measure every claim and write the table."""
    field = Batch(seed=SEED).run(GAMES)
    with_field: list[Callable[[GameResults], list[Claim]]] = [length, dice, fairness]
    alone: list[Callable[[], list[Claim]]] = [
        missions,
        early_finals,
        hiring,
        faces,
        order,
        survival,
        mixing,
    ]
    claims = [claim for measure in with_field for claim in measure(field)]
    claims += [claim for measure in alone for claim in measure()]
    rows = [
        [
            c.claim,
            c.metric,
            f"{c.value.estimate:.4f}",
            f"{c.value.low:.4f}",
            f"{c.value.high:.4f}",
            c.bound,
            "holds" if c.holds else "DOES NOT HOLD",
        ]
        for c in claims
    ]
    headers = ["claim", "metric", "value", "low", "high", "bound", "verdict"]
    target = ROOT / "results" / "claims.csv"
    part = target.with_suffix(".part")
    with part.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([headers, *rows])
    part.replace(target)
    for row in rows:
        print(f"{row[6]:13} {row[2]:>8} ({row[3]} to {row[4]}) {row[5]:>11}  {row[0]}: {row[1]}")


if __name__ == "__main__":
    main()
