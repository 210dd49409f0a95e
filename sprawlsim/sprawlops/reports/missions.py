"""How hard Missions are, what they pay, and what they reward, for typical teams under best play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sprawlsim.sprawlops.api import AnyMission, Cards, ask_about
from sprawlsim.sprawlops.cards import FinalMission, Mission
from sprawlsim.sprawlops.mission.ask import BEST, STAND_IN_POLICY, Effort
from sprawlsim.sprawlops.mission.odds import Odds
from sprawlsim.sprawlops.mission.scenario import Objective
from sprawlsim.sprawlops.reports.payouts import (
    average_worth,
    fair_payout,
    in_reach,
    odds_for_nuyen,
    payout_frames,
)
from sprawlsim.sprawlops.reports.teams import PAYING, ReferenceTeam
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int | None], None]

MANY_INJURED = 3
"""Injured runners from which attempts are not told apart."""
FEW_ATTEMPTS = 20_000
"""Attempts for a Mission that is too large to solve; its figures then carry intervals."""


@dataclass(frozen=True)
class MissionReport:
    """What a study of Missions found; frames hold probabilities in 0..1 and nuyen in K.

    Attributes
    ----------
    teams : tuple of ReferenceTeam
        Who attempts, in the order of their rounds.
    paid_for : ReferenceTeam
        Whose attempts are looked at Stage by Stage, and by whom colours are valued.
    odds : DataFrame
        A row a Mission and team: ``mission, kind, round, dice, icons, engine, policy`` (who played: best,
        or the rule of thumb), ``completed`` (with ``_low`` and ``_high``), ``balanced`` (the rule of thumb)
        and ``gap``; ``nuyen``, ``loot`` (expected); ``injured``, ``dead`` (runners an attempt, for
        completion alone).
    payouts : DataFrame
        A row a side Mission: ``mission, payout`` (printed), ``stage_payouts``; for the team of each round N
        that has it in reach, ``fair_rN`` (the payout with which it would be worth as much to that team as
        the average Mission in its reach, nuyen being what counts and harm priced; 0 at least) and
        ``overpaid_rN`` (printed less fair); ``overpaid_least`` and ``overpaid_most`` of them; ``verdict``
        (what all these teams agree on, one of `payouts.VERDICTS`); ``fits_round`` (the team for which it is
        nearest to right); ``stand_in``. Overpaid for all first, underpaid for all last.
    worth : DataFrame
        A row a side Mission, in the same order: ``mission, payout``; for the team of each round N
        ``worth_rN`` (K an attempt; 0 where it is best left alone), ``completed_rN``, ``injured_rN``,
        ``dead_rN`` (runners an attempt).
    colours : DataFrame
        ``mission, role, icons, gain``: completion odds gained by one more die of the role, for the runner
        with most of them.
    stops : DataFrame
        ``mission, stage, reached, cleared, stops``: share of attempts in which best play for nuyen pulls
        out before the Stage, although it could go on.
    harm : DataFrame
        Side Missions, the easiest first, best play for nuyen: ``mission, completed``; ``injured_0`` to
        ``injured_3``: how likely it is that so many runners end injured, the last for three or more;
        ``dead``: that anybody dies.
    """

    teams: tuple[ReferenceTeam, ...]
    paid_for: ReferenceTeam
    odds: pd.DataFrame
    payouts: pd.DataFrame
    worth: pd.DataFrame
    colours: pd.DataFrame
    stops: pd.DataFrame
    harm: pd.DataFrame


def study_missions(
    cards: Cards,
    teams: Sequence[ReferenceTeam],
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> MissionReport:
    """Find the odds of every Mission for every team under best play, and what follows for their payouts.

    Parameters
    ----------
    cards : Cards
    teams : sequence of ReferenceTeam
        See `reference_teams`.
    quick : bool
        Leave Final Missions to the rule of thumb, played instead of solved.
    threads : int, optional
        Missions solved at once; they change no figure.
    progress : callable, optional
        Told how many questions are answered, of how many.
    """
    import pandas as pd

    side, finals = cards.card_set.missions, cards.card_set.final_missions
    payer = teams[min(PAYING, len(teams) - 1)]
    work: list[tuple[str, Any]] = []
    work += [("odds", (mission, team)) for team in teams for mission in (*side, *finals)]
    work += [("paid", (mission, team)) for team in teams for mission in side]
    work += [("colours", mission) for mission in side]
    total = len(work) + len(teams) * len(side)

    def answer(task: tuple[str, Any]) -> Any:
        kind, about = task
        if kind == "odds":
            mission, team = about
            return _odds_row(cards, mission, team, quick and isinstance(mission, FinalMission))
        if kind == "paid":
            return odds_for_nuyen(cards, *about)
        return list(_colour_rows(cards, about, payer))

    answers = list(over_threads(answer, work, threads, _part_of(progress, 0, total)))
    by_kind = {kind: [a for (k, _), a in zip(work, answers, strict=True) if k == kind] for kind, _ in work}
    paid: dict[int, list[Odds]] = {
        team.round_number: by_kind["paid"][k * len(side) : (k + 1) * len(side)]
        for k, team in enumerate(teams)
    }
    payouts, worth = payout_frames(
        teams, paid, _fair(paid, threads, _part_of(progress, len(work), total)), side
    )
    attempts = paid[payer.round_number]
    return MissionReport(
        teams=tuple(teams),
        paid_for=payer,
        odds=pd.DataFrame(by_kind["odds"]),
        payouts=payouts,
        worth=worth,
        colours=pd.DataFrame([row for rows in by_kind["colours"] for row in rows]),
        stops=pd.DataFrame([row for odds in attempts for row in _stop_rows(odds)]),
        harm=pd.DataFrame(_harm_rows(attempts)),
    )


def _fair(
    paid: Mapping[int, Sequence[Odds]], threads: int | None, progress: Progress | None
) -> dict[int, list[float | None]]:
    """Find, by round, the payouts that would make all Missions in reach worth the same to its team."""
    averages = {at: average_worth(odds) for at, odds in paid.items()}

    def answer(task: tuple[int, Odds]) -> float | None:
        at, odds = task
        average = averages[at]
        return fair_payout(odds, average) if average is not None and in_reach(odds) else None

    tasks = [(at, odds) for at, several in paid.items() for odds in several]
    found = list(over_threads(answer, tasks, threads, progress))
    return {at: [asked for (other, _), asked in zip(tasks, found, strict=True) if other == at] for at in paid}


def _part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Tell what is done of a part of the work as a part of all of it."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def over_threads(
    work: Callable[[Any], Any], tasks: Sequence[Any], threads: int | None, progress: Progress | None
) -> Iterator[Any]:
    """Do tasks at once, and give what came of them in their order; the solvers hold no lock."""
    from sprawlsim.sprawlops.mission.montecarlo import default_threads

    with ThreadPoolExecutor(threads or default_threads()) as pool:
        for done, result in enumerate(pool.map(work, tasks), 1):
            if progress is not None:
                progress(done, len(tasks))
            yield result


def _odds_row(cards: Cards, mission: AnyMission, reference: ReferenceTeam, by_thumb: bool) -> dict[str, Any]:
    """Give a row of the odds of one Mission for one team."""
    question = ask_about(mission, reference.team, cards=cards)
    if by_thumb:
        odds = question.odds(STAND_IN_POLICY, Effort(attempts=FEW_ATTEMPTS, threads=1))
        thumb: float | None = odds.completed.estimate
    else:
        odds = question.odds(BEST, Effort(threads=1, beside=(STAND_IN_POLICY,)))
        thumb = next((b.completed.estimate for b in odds.beside if b.policy == STAND_IN_POLICY), None)
    best = odds.completed.estimate if odds.policy == BEST else None
    injured = sum(k * e.estimate for k, e in enumerate(odds.injured_count))
    dead = sum(k * e.estimate for k, e in enumerate(odds.dead_count))
    return {
        "mission": mission.name,
        "kind": "Final Mission" if isinstance(mission, FinalMission) else "Mission",
        "round": reference.round_number,
        "dice": sum(sum(runner.dice.values()) for runner in odds.scenario.runners),
        "icons": sum(sum(stage.icons.values()) for stage in mission.stages),
        "engine": odds.engine,
        "policy": odds.policy,
        "completed": odds.completed.estimate,
        "completed_low": odds.completed.low,
        "completed_high": odds.completed.high,
        "balanced": thumb,
        "gap": None if best is None or thumb is None else best - thumb,
        "nuyen": odds.nuyen.estimate,
        "loot": odds.loot.estimate,
        "injured": injured,
        "dead": dead,
    }


def _colour_rows(cards: Cards, mission: Mission, reference: ReferenceTeam) -> Iterator[dict[str, Any]]:
    """Tell what one more die of each colour does to the odds of completing."""
    import msgspec

    from sprawlsim.sprawlops.mission.exact import solve

    scenario = ask_about(mission, reference.team, cards=cards).scenario()
    scenario = msgspec.structs.replace(scenario, objective=Objective())
    base = solve(scenario, figures=False).expected.completed
    for role in ROLES:
        bearer = max(range(len(scenario.runners)), key=lambda i: scenario.runners[i].dice.get(role, 0))
        runner = scenario.runners[bearer]
        dice = {**runner.dice, role: runner.dice.get(role, 0) + 1}
        runners = list(scenario.runners)
        runners[bearer] = msgspec.structs.replace(runner, dice=dice)
        more = msgspec.structs.replace(scenario, runners=tuple(runners))
        yield {
            "mission": mission.name,
            "role": role,
            "colour": ROLE_LABELS[role],
            "icons": sum(stage.icons.get(role, 0) for stage in mission.stages),
            "gain": solve(more, figures=False).expected.completed - base,
        }


def _stop_rows(odds: Odds) -> Iterator[dict[str, Any]]:
    """Tell before which Stages best play for nuyen pulls out."""
    could = 1.0
    for number, (stage, figures) in enumerate(zip(odds.scenario.stages, odds.stages, strict=True), 1):
        reached, cleared = figures.reached.estimate, figures.cleared.estimate
        yield {
            "mission": odds.title,
            "stage": number,
            "optional": bool(stage.loot),
            "reached": reached,
            "cleared": cleared,
            "stops": 0.0 if stage.loot else max(0.0, could - reached),
        }
        could = cleared if not stage.loot else could - reached + cleared


def _harm_rows(paid: Sequence[Odds]) -> list[dict[str, Any]]:
    """Tell how many runners end injured when best play is for nuyen, so that harm costs something."""
    rows = []
    for odds in sorted(paid, key=lambda odds: -odds.completed.estimate):
        shares = [share.estimate for share in odds.injured_count]
        told = [*shares[:MANY_INJURED], 0.0, 0.0][:MANY_INJURED]
        told.append(sum(shares[MANY_INJURED:]))
        counted = {f"injured_{count}": share for count, share in enumerate(told)}
        dead = 1 - odds.dead_count[0].estimate
        rows.append({"mission": odds.title, "completed": odds.completed.estimate, **counted, "dead": dead})
    return rows
