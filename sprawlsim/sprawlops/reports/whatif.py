"""What if: two card sets compared on the same games, the same dice, the same teams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import Cards, ask_about
from sprawlsim.sprawlops.cards import AnyCard, Deck, FinalMission
from sprawlsim.sprawlops.game.simulate import AnyStrategy, Batch
from sprawlsim.sprawlops.mission.ask import BEST, Effort
from sprawlsim.sprawlops.reports.missions import over_threads
from sprawlsim.sprawlops.reports.teams import ReferenceTeam
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson
from sprawlsim.stats.multiple import LEVEL, holm
from sprawlsim.stats.paired import difference_p_value, mcnemar, paired_difference, paired_proportions

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int | None], None]

FIGURE_LABELS = (
    "Missions tried",
    "Missions completed",
    "Tasks tried",
    "Tasks completed",
    "injuries",
    "deaths",
    "Final Missions tried",
    "Final Missions completed",
    "deaths on Final Missions",
)
"""Of `FIGURES`, in their order."""


@dataclass(frozen=True)
class WhatIf:
    """What changes from one card set to another; probabilities in 0..1.

    Attributes
    ----------
    names : tuple of str
        Of the two card sets.
    games : int
        Played with each, pair by pair.
    cards : DataFrame
        ``card, deck, change``: what is different on the cards.
    figures : DataFrame
        Of whole games: ``figure, kind, first, second, change`` with intervals, ``p_value`` adjusted over all,
        ``resolved``; those resolved from zero stand first.
    missions : DataFrame
        Exact odds of best play, where they differ: ``mission, round, first, second, change``.
    ratio : float
        How many times more games two unpaired samples would have needed, in the middle over the figures
        that can differ.
    """

    names: tuple[str, str]
    games: int
    cards: pd.DataFrame
    figures: pd.DataFrame
    missions: pd.DataFrame
    ratio: float


def study_difference(
    first: Cards,
    second: Cards,
    teams: Sequence[ReferenceTeam] = (),
    *,
    strategies: Sequence[AnyStrategy] | None = None,
    players: int = 4,
    games: int = 20_000,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Play the same games with two card sets, and solve the Missions that differ.

    Parameters
    ----------
    first, second : Cards
    teams : sequence of ReferenceTeam
        Of the first set; for the odds of Missions.
    strategies, players, games, seed, threads
        See `Batch`.
    progress : callable, optional
        Told how much is done, of how much.

    Raises
    ------
    SprawlsimError
        If nothing is different.
    """
    import pandas as pd

    changed = list(_changes(first, second))
    if not changed:
        raise SprawlsimError(
            f"{first.name} and {second.name} are the same: no card of one differs in the other"
        )
    steps = 2 + len(teams)

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    rows = []
    for done, cards in enumerate((first, second), 1):
        batch = Batch(strategies, players=players, seed=seed, cards=cards.card_set)
        rows.append(batch.rows(0, games, threads))
        tell(done)
    figures = list(_figures(batch, *rows))
    frame = pd.DataFrame(figures)
    frame["p_value"] = holm(frame["p_value"].to_numpy())
    frame["resolved"] = frame["p_value"] < LEVEL
    frame["size"] = (frame["change"].abs() / frame["first"].abs().clip(lower=1e-9)).where(
        frame["resolved"], 0.0
    )
    frame = frame.sort_values(["resolved", "size"], ascending=False, kind="stable", ignore_index=True)
    missions: list[tuple[Any, ...]] = []
    for done, reference in enumerate(teams, 3):
        missions += _mission_rows(first, second, reference, threads)
        tell(done)
    ratios = frame.loc[np.isfinite(frame["ratio"]), "ratio"]
    return WhatIf(
        names=(first.name, second.name),
        games=games,
        cards=pd.DataFrame(changed, columns=["card", "deck", "change"]),
        figures=frame.drop(columns=["size"]),
        missions=pd.DataFrame(missions, columns=["mission", "kind", "round", "first", "second", "change"]),
        ratio=float(ratios.median()) if len(ratios) else float("inf"),
    )


def _changes(first: Cards, second: Cards) -> Iterator[tuple[str, str, str]]:
    """List the cards that are not the same in both sets."""
    for deck in get_args(Deck):
        old = {card.name: card for card in first.card_set.deck(deck)}
        new = {card.name: card for card in second.card_set.deck(deck)}
        for name in dict.fromkeys([*old, *new]):
            if name not in new:
                yield name, deck, "is gone"
            elif name not in old:
                yield name, deck, "is new"
            elif told := _what_changed(old[name], new[name]):
                yield name, deck, told


def _what_changed(old: AnyCard, new: AnyCard) -> str:
    """Say what is different on a card: every key with both values."""
    import msgspec

    before, after = msgspec.to_builtins(old), msgspec.to_builtins(new)
    keys = [key for key in dict.fromkeys([*before, *after]) if key not in {"source", "invented"}]
    told = [
        f"{key}: {before.get(key, 'none')} to {after.get(key, 'none')}"
        for key in keys
        if before.get(key) != after.get(key)
    ]
    return "; ".join(told)


def _figures(batch: Batch, first: Any, second: Any) -> Iterator[dict[str, Any]]:
    """Compare what came of the games, pair by pair: who won, from which seat, in how many rounds, how."""
    winners = [_winners(rows) for rows in (first, second)]
    for number, entrant in enumerate(batch.entrants):
        played = (first["entrant"][:, : batch.players] == number).any(axis=1)
        if len(batch.entrants) > 1 and played.any():
            wins = [(winner == number)[played] for winner in winners]
            yield _share(f"{entrant.name} wins", *wins)
    for seat in range(batch.players):
        yield _share(f"seat {seat + 1} wins", first["winner"] == seat, second["winner"] == seat)
    yield _share("stopped at the round limit", first["winner"] < 0, second["winner"] < 0)
    yield _mean("rounds", first["rounds"], second["rounds"])
    for number, name in enumerate(FIGURE_LABELS):
        totals = [rows["figures"][:, :, number].sum(axis=1) for rows in (first, second)]
        yield _mean(f"{name} a game", *totals)
    for key, name in (("dice", "dice at the end, all players"), ("nuyen", "nuyen at the end, all players")):
        yield _mean(name, first[key].sum(axis=1), second[key].sum(axis=1))


def _winners(rows: Any) -> Any:
    """Give the entrant who won each game; -1 for nobody."""
    seats = rows["winner"].astype(np.int64)
    winners = rows["entrant"][np.arange(len(rows)), np.maximum(seats, 0)]
    return np.where(seats < 0, -1, winners)


def _share(figure: str, first: Any, second: Any) -> dict[str, Any]:
    """Compare how often something happened."""
    n = len(first)
    both = int((first & second).sum())
    more, less = int(second.sum()) - both, int(first.sum()) - both
    change = paired_proportions(both, more, less, n - both - more - less)
    sides = wilson(int(first.sum()), n), wilson(int(second.sum()), n)
    return _row(figure, "percent", sides, change, mcnemar(more, less))


def _mean(figure: str, first: Any, second: Any) -> dict[str, Any]:
    """Compare how much there was of something on average."""
    first, second = first.astype(np.int64), second.astype(np.int64)
    n = len(first)
    difference = second - first
    sums = int(difference.sum()), int((difference**2).sum())
    largest = int(np.abs(difference).max(initial=0))
    change = paired_difference(*sums, n) if largest else Estimate.exact(0.0)
    sides = [mean_interval(int(side.sum()), int((side**2).sum()), n) for side in (first, second)]
    return _row(figure, "number", (sides[0], sides[1]), change, difference_p_value(*sums, n))


def _row(
    figure: str, kind: str, sides: tuple[Estimate, Estimate], change: Estimate, p_value: float
) -> dict[str, Any]:
    """Write a comparison as a row; how many times fewer games than unpaired ones it needed stands beside."""
    row: dict[str, Any] = {"figure": figure, "kind": kind}
    for name, estimate in zip(("first", "second", "change"), (*sides, change), strict=True):
        row[name], row[f"{name}_low"], row[f"{name}_high"] = estimate.estimate, estimate.low, estimate.high
    unpaired = sides[0].half_width ** 2 + sides[1].half_width ** 2
    row["ratio"] = unpaired / change.half_width**2 if change.half_width and unpaired else float("inf")
    row["p_value"] = p_value
    return row


def _mission_rows(
    first: Cards, second: Cards, reference: ReferenceTeam, threads: int | None
) -> Iterator[tuple[str, str, int, float, float, float]]:
    """Solve the Missions of both sets for a team of the first, and for the same cards of the second."""
    names = [m.name for m in (*first.card_set.missions, *first.card_set.final_missions)]
    others = {m.name for m in (*second.card_set.missions, *second.card_set.final_missions)}
    teams = (str(reference.team), str(reference.team))

    def solve(name: str) -> tuple[Any, ...]:
        asked = [
            ask_about(name, team, cards=cards) for team, cards in zip(teams, (first, second), strict=True)
        ]
        if asked[0].scenario() == asked[1].scenario():
            return ()
        kind = "Final Mission" if isinstance(asked[0].card, FinalMission) else "Mission"
        odds = [question.odds(BEST, Effort(threads=1)).completed.estimate for question in asked]
        return name, kind, reference.round_number, odds[0], odds[1], odds[1] - odds[0]

    both = [name for name in names if name in others]
    yield from sorted(
        (row for row in over_threads(solve, both, threads, None) if row), key=lambda row: -abs(row[5])
    )
