"""What side Missions should pay: so much that, to a team, all those in its reach are worth the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sprawlsim.sprawlops.api import Cards, ask_about
from sprawlsim.sprawlops.cards import Mission
from sprawlsim.sprawlops.mission.aims import objective_for
from sprawlsim.sprawlops.mission.ask import BEST, Effort
from sprawlsim.sprawlops.mission.odds import Odds
from sprawlsim.sprawlops.reports.teams import ReferenceTeam

if TYPE_CHECKING:
    import pandas as pd

REACH = 0.25
"""Odds of completing, by best play for nuyen, from which a Mission is in a team's reach. Below, payouts that
would make it worth as much as the others grow without bound, and say nothing."""
RIGHT = 0.5
"""K nuyen up to which a payout is right: payouts are whole K."""

OVERPAID, UNDERPAID, RIGHT_FOR_ALL = "overpaid", "underpaid", "right"
DEPENDS, OUT_OF_REACH = "depends", "out of reach"
VERDICTS = (OVERPAID, RIGHT_FOR_ALL, DEPENDS, UNDERPAID, OUT_OF_REACH)
"""What the teams that have a Mission in reach agree on, in the order of the table; it depends on the team
where they do not."""


def odds_for_nuyen(cards: Cards, mission: Mission, reference: ReferenceTeam) -> Odds:
    """Find the odds of a Mission when nuyen are what counts and harm is priced by the team's cards.

    Not to attempt it, or to pull out, is among what best play may do: no Mission is worth less than 0.
    """
    goal = objective_for("nuyen", reference.team)
    question = ask_about(mission, reference.team, cards=cards, objective=goal)
    return question.odds(BEST, Effort(threads=1, beside=()))


def in_reach(odds: Odds) -> bool:
    """Say whether the team completes the Mission often enough for its payout to mean something."""
    return odds.completed.estimate >= REACH


def average_worth(paid: Sequence[Odds]) -> float | None:
    """Give the mean worth, in K, of the Missions in a team's reach; None where none is."""
    worths = [odds.objective_value.estimate for odds in paid if in_reach(odds)]
    return sum(worths) / len(worths) if worths else None


def fair_payout(odds: Odds, average: float) -> float:
    """Find the payout with which a Mission is worth so much to the team, best play following the payout.

    Parameters
    ----------
    odds : Odds
        Of a Mission in reach, for the aim ``nuyen``.
    average : float
        K nuyen.

    Returns
    -------
    float
        K nuyen, fractions too; 0 where the Mission is worth more even unpaid. Of odds that are not exact,
        what it would be if play stayed the same.
    """
    import msgspec
    from scipy.optimize import root_scalar

    from sprawlsim.sprawlops.mission.exact import solve

    scenario = odds.scenario
    worth = odds.objective_value.estimate
    if_play_stays = scenario.payout + (average - worth) / odds.completed.estimate
    if odds.policy != BEST:
        return max(0.0, if_play_stays)

    def above(payout: float) -> tuple[float, float]:
        # A scenario pays whole K; a weight on completing adds any fraction.
        goal = msgspec.structs.replace(scenario.objective, completion=payout - scenario.payout)
        found = solve(msgspec.structs.replace(scenario, objective=goal), figures=False).expected
        return found.value - average, found.completed

    if worth > average and above(0.0)[0] >= 0.0:
        return 0.0
    # Worth is convex in the payout, and its slope the odds of completing: Newton's method cannot miss.
    found = root_scalar(above, x0=if_play_stays, fprime=True, method="newton", xtol=1e-9)
    return float(found.root)


def payout_frames(
    teams: Sequence[ReferenceTeam],
    paid: Mapping[int, Sequence[Odds]],
    fair: Mapping[int, Sequence[float | None]],
    missions: Sequence[Mission],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Set payouts, and what attempts are worth, side by side for all teams.

    Parameters
    ----------
    teams : sequence of ReferenceTeam
    paid, fair : mapping
        By round: odds for nuyen and fair payouts (None out of reach), in the order of `missions`.
    missions : sequence of Mission

    Returns
    -------
    tuple of DataFrame
        ``payouts`` and ``worth`` of `MissionReport`.
    """
    import pandas as pd

    payouts, worth = [], []
    rounds = [team.round_number for team in teams]
    for k, mission in enumerate(missions):
        asked = {at: fair[at][k] for at in rounds}
        payouts.append(_payout_row(mission, asked))
        worth.append(_worth_row(mission, {at: paid[at][k] for at in rounds}))
    order = sorted(range(len(missions)), key=lambda k: _place(payouts[k]))
    numbers = [f"{what}_r{at}" for what in ("overpaid", "fair") for at in rounds]
    numbers += ["overpaid_least", "overpaid_most"]
    frame = pd.DataFrame([payouts[k] for k in order])
    frame = frame.astype(dict.fromkeys(numbers, float) | {"fits_round": "Int64"})
    return frame, pd.DataFrame([worth[k] for k in order])


def _payout_row(mission: Mission, fair: Mapping[int, float | None]) -> dict[str, Any]:
    """Compare the printed payout with what it should be for each team."""
    over = {at: None if asked is None else mission.payout - asked for at, asked in fair.items()}
    known = {at: amount for at, amount in over.items() if amount is not None}
    return {
        "mission": mission.name,
        "payout": mission.payout,
        "stage_payouts": sum(stage.payout for stage in mission.stages),
        "verdict": _verdict(list(known.values())),
        "fits_round": min(known, key=lambda at: abs(known[at])) if known else None,
        "overpaid_least": min(known.values(), default=None),
        "overpaid_most": max(known.values(), default=None),
        **{f"overpaid_r{at}": amount for at, amount in over.items()},
        **{f"fair_r{at}": asked for at, asked in fair.items()},
        "stand_in": mission.source == "stand-in" or "payout" in mission.invented,
    }


def _verdict(over: Sequence[float]) -> str:
    """Say what the teams that have a Mission in reach agree on."""
    if not over:
        return OUT_OF_REACH
    if min(over) >= RIGHT:
        return OVERPAID
    if max(over) <= -RIGHT:
        return UNDERPAID
    return RIGHT_FOR_ALL if max(map(abs, over)) < RIGHT else DEPENDS


def _place(row: Mapping[str, Any]) -> tuple[int, float]:
    """Sort what is overpaid for all teams first, by the amount that holds for all; what is underpaid last."""
    least, most = row["overpaid_least"] or 0.0, row["overpaid_most"] or 0.0
    by = {OVERPAID: least, UNDERPAID: most}.get(row["verdict"], (least + most) / 2)
    return VERDICTS.index(row["verdict"]), -by


def _worth_row(mission: Mission, paid: Mapping[int, Odds]) -> dict[str, Any]:
    """Tell what an attempt comes to for each team."""
    row: dict[str, Any] = {"mission": mission.name, "payout": mission.payout}
    row |= {f"worth_r{at}": odds.objective_value.estimate for at, odds in paid.items()}
    row |= {f"completed_r{at}": odds.completed.estimate for at, odds in paid.items()}
    for what in ("injured", "dead"):
        row |= {
            f"{what}_r{at}": sum(k * share.estimate for k, share in enumerate(getattr(odds, f"{what}_count")))
            for at, odds in paid.items()
        }
    return row
