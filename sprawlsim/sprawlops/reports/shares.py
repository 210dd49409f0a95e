"""How much of a typical team's odds is due to each of its cards, over the Missions of a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import Cards
from sprawlsim.sprawlops.cards import Mission
from sprawlsim.sprawlops.coalitions import cards_in_use
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.missions import over_threads
from sprawlsim.sprawlops.reports.teams import PAYING, ROUNDS, ReferenceTeam, reference_teams
from sprawlsim.sprawlops.share_results import Shares
from sprawlsim.sprawlops.shares import shares

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int | None], None]

FEW_CARDS = 9
"""Cards of a team whose shares are found for a report: 512 combinations a Mission."""
COMBINATIONS = 5_200
COMBINATIONS_WHEN_QUICK = 400
"""Combinations to solve, on all Missions together: about 50 and 5 seconds of two cores."""
FEWEST_MISSIONS = 3


@dataclass(frozen=True)
class ShareReport:
    """What a study of shares found; shares are of completion odds, in 0..1, nuyen in K.

    Attributes
    ----------
    team : ReferenceTeam
        Whose cards they are.
    of : int
        Missions of the set.
    cards : DataFrame
        A row a card, the largest share first: ``card, kind, onto, label, cost, stand_in``; ``share`` (its
        Shapley share, mean over the Missions), ``share_per_k``; ``first`` (what it comes to alone) and
        ``last`` (what it adds to all the others), means; ``least``, ``most``: its smallest and largest
        share, and ``most_in``: the Mission of the latter.
    missions : DataFrame
        A row a Mission, the easiest first: ``mission, completed``, and a column of shares for each card by
        its label; they add up to ``completed``.
    """

    team: ReferenceTeam
    of: int
    cards: pd.DataFrame
    missions: pd.DataFrame


def typical_team(batch: Batch, games: int) -> ReferenceTeam:
    """Find the typical team of round 6, or of an earlier one where few games last, or it has many cards."""
    rounds = ROUNDS[PAYING::-1]
    for round_number in rounds:
        try:
            (found,) = reference_teams(batch, games, [round_number])
        except SprawlsimError:
            continue
        if len(cards_in_use(found.team, 0, ())) <= FEW_CARDS or round_number == rounds[-1]:
            return found
    raise SprawlsimError(f"none of {games} games lasted until round {rounds[-1]}; there is no typical team")


def study_shares(
    cards: Cards,
    team: ReferenceTeam,
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ShareReport:
    """Find the shares of a team's cards in its odds of completing, under best play.

    Parameters
    ----------
    cards : Cards
    team : ReferenceTeam
        See `typical_team`.
    quick : bool
        Fewer Missions.
    threads : int, optional
        Missions worked on at once; they change no figure.
    progress : callable, optional
        Told how many Missions are done, of how many.
    """
    asked = missions_asked(cards.card_set.missions, len(cards_in_use(team.team, 0, ())), quick)

    def answer(mission: Mission) -> Shares:
        return shares(mission, team.team, cards=cards, insist=True)

    found: list[Shares] = list(over_threads(answer, asked, threads, progress))
    frame = _long(found)
    return ShareReport(team, len(cards.card_set.missions), _cards(frame), _missions(found, frame))


def missions_asked(missions: Sequence[Mission], cards: int, quick: bool) -> list[Mission]:
    """Choose Missions, evenly over the set, so that all combinations of so many cards do not take long."""
    most = (COMBINATIONS_WHEN_QUICK if quick else COMBINATIONS) >> cards
    count = min(len(missions), max(FEWEST_MISSIONS, most))
    return [missions[i] for i in np.linspace(0, len(missions) - 1, count).round().astype(int)]


def _long(found: Sequence[Shares]) -> pd.DataFrame:
    """Put the shares of all Missions below each other, with a label for each card."""
    import pandas as pd

    frame = pd.concat([answer.frame().assign(mission=answer.title) for answer in found], ignore_index=True)
    frame["onto"] = frame["onto"].fillna("")
    alike = frame.groupby(["mission", "card"])["card"].transform("size") > 1
    label = frame["card"].where(~alike | (frame["onto"] == ""), frame["card"] + ", " + frame["onto"])
    copy = frame.groupby(["mission", "card", "onto"]).cumcount()  # of one Gear card that a runner has twice
    frame["label"] = label.where(copy == 0, label + " (" + (copy + 1).astype(str) + ")")
    return frame


def _cards(frame: pd.DataFrame) -> pd.DataFrame:
    """Take means over the Missions, and tell where each card does most."""
    by_card = frame.groupby("label", sort=False)
    told = by_card[["card", "kind", "onto", "price", "stand_in_price"]].first()
    told = told.rename(columns={"price": "cost", "stand_in_price": "stand_in"})
    told[["share", "first", "last"]] = by_card[["share", "first", "last"]].mean()
    told["share_per_k"] = (told["share"] / told["cost"]).where(told["cost"] > 0)
    told["least"], told["most"] = by_card["share"].min(), by_card["share"].max()
    told["most_in"] = frame.loc[by_card["share"].idxmax()].set_index("label")["mission"]
    return told.sort_values("share", ascending=False, kind="stable").reset_index()


def _missions(found: Sequence[Shares], frame: pd.DataFrame) -> pd.DataFrame:
    """Give a row a Mission, with a column a card, the largest mean share first."""
    import pandas as pd

    order = frame.groupby("label", sort=False)["share"].mean().sort_values(ascending=False, kind="stable")
    completed: dict[str, Any] = {answer.title: answer.whole.completed for answer in found}
    wide = frame.pivot(index="mission", columns="label", values="share")[list(order.index)]
    wide.insert(0, "completed", pd.Series(completed))
    wide = wide.sort_values("completed", ascending=False, kind="stable").reset_index()
    wide.columns.name = None
    return wide
