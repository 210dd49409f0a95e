"""What if: two card sets compared on the same games, the same dice, the same teams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import Cards, ask_about
from sprawlsim.sprawlops.cards import FinalMission
from sprawlsim.sprawlops.game.simulate import AnyStrategy, Batch
from sprawlsim.sprawlops.mission.ask import BEST, Effort
from sprawlsim.sprawlops.reports import owners
from sprawlsim.sprawlops.reports.card_changes import ChangedCard, changed_cards, team_in
from sprawlsim.sprawlops.reports.missions import over_threads
from sprawlsim.sprawlops.reports.teams import ReferenceTeam
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson
from sprawlsim.stats.multiple import LEVEL, holm
from sprawlsim.stats.paired import difference_p_value, mcnemar, paired_difference, paired_proportions

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.team import Team

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
    owners : DataFrame
        Of the changed cards that a player can have: `owners.study_owners`, with ``p_value`` adjusted, and
        ``resolved``.
    figures : DataFrame
        Of whole games: ``figure, kind, first, second, change`` with intervals, ``p_value`` adjusted over all
        and the changes of `owners`, ``resolved``; those resolved from zero stand first.
    missions : DataFrame
        Exact odds of best play, where they differ: ``mission, round, first, second, change``.
    untried : tuple of str
        Why Missions were not tried with a team: one of its cards is gone, for instance.
    ratio : float
        How many times more games two unpaired samples would have needed, in the middle over the figures
        that can differ.
    """

    names: tuple[str, str]
    games: int
    cards: pd.DataFrame
    owners: pd.DataFrame
    figures: pd.DataFrame
    missions: pd.DataFrame
    untried: tuple[str, ...]
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

    changed = changed_cards(first.card_set, second.card_set)
    if not changed:
        raise SprawlsimError(
            f"{first.name} and {second.name} are the same: no card of one differs in the other"
        )
    steps = 3 + len(teams)

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    rows, batches = [], []
    for done, cards in enumerate((first, second), 1):
        batches.append(Batch(strategies, players=players, seed=seed, cards=cards.card_set))
        rows.append(batches[-1].rows(0, games, threads))
        tell(done)
    held = owners.study_owners(batches, changed, min(games, owners.GAMES), threads)
    tell(3)
    figures = _settled(pd.DataFrame(_figures(batches[0], *rows)), held)
    missions: list[tuple[Any, ...]] = []
    untried = []
    for done, reference in enumerate(teams, 4):
        try:
            team = team_in(second.card_set, reference.team, changed)
        except SprawlsimError as error:
            untried.append(f"the team of round {reference.round_number} is not possible with both: {error}")
        else:
            missions += _mission_rows(first, second, reference, team, threads)
        tell(done)
    ratios = figures.loc[np.isfinite(figures["ratio"]), "ratio"]
    return WhatIf(
        names=(first.name, second.name),
        games=games,
        cards=pd.DataFrame(_told(changed), columns=["card", "deck", "change"]),
        owners=held,
        figures=figures,
        missions=pd.DataFrame(missions, columns=["mission", "kind", "round", "first", "second", "change"]),
        untried=tuple(untried),
        ratio=float(ratios.median()) if len(ratios) else float("inf"),
    )


def _told(changed: Sequence[ChangedCard]) -> list[tuple[str, str, str]]:
    return [(card.name, card.deck, card.what) for card in changed]


def _settled(figures: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
    """Say which changes hold, of figures and of owners together (Holm); the largest resolved ones first."""
    known = held["p_value"].notna()
    of_both = holm(np.concatenate([figures["p_value"], held.loc[known, "p_value"]]).astype(float))
    figures["p_value"] = of_both[: len(figures)]
    held.loc[known, "p_value"] = of_both[len(figures) :]
    for frame in (figures, held):
        frame["resolved"] = frame["p_value"] < LEVEL
    size = (figures["change"].abs() / figures["first"].abs().clip(lower=1e-9)).where(figures["resolved"], 0.0)
    order = ["resolved", "size"]
    return (
        figures.assign(size=size)
        .sort_values(order, ascending=False, kind="stable", ignore_index=True)
        .drop(columns=["size"])
    )


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
    first: Cards, second: Cards, reference: ReferenceTeam, team: Team, threads: int | None
) -> Iterator[tuple[str, str, int, float, float, float]]:
    """Solve the Missions of both sets for a team of the first, and for `team`, the same of the second."""
    names = [m.name for m in (*first.card_set.missions, *first.card_set.final_missions)]
    others = {m.name for m in (*second.card_set.missions, *second.card_set.final_missions)}
    teams = (reference.team, team)

    def solve(name: str) -> tuple[Any, ...]:
        asked = [
            ask_about(name, team, cards=cards) for team, cards in zip(teams, (first, second), strict=True)
        ]
        numbers = [question.scenario().arrays().tobytes() for question in asked]
        if numbers[0] == numbers[1]:  # all but names
            return ()
        kind = "Final Mission" if isinstance(asked[0].card, FinalMission) else "Mission"
        odds = [question.odds(BEST, Effort(threads=1, beside=())).completed.estimate for question in asked]
        return name, kind, reference.round_number, odds[0], odds[1], odds[1] - odds[0]

    both = [name for name in names if name in others]
    yield from sorted(
        (row for row in over_threads(solve, both, threads, None) if row), key=lambda row: -abs(row[5])
    )
