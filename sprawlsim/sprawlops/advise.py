"""Advice at the table: what to do with a roll, before one, or between Stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import AnyMission, Cards, ask_about, load_cards
from sprawlsim.sprawlops.mission.advice import Advice
from sprawlsim.sprawlops.mission.advice_search import find_plays
from sprawlsim.sprawlops.mission.aims import aim_text
from sprawlsim.sprawlops.mission.arrays import BETWEEN, ROLLS_PER_STAGE
from sprawlsim.sprawlops.mission.ask import BEST, Effort, best_commlinks, solve_within
from sprawlsim.sprawlops.mission.scenario import CARD_KIND, Scenario
from sprawlsim.sprawlops.mission.setup import find_loot
from sprawlsim.sprawlops.mission.situation import Situation, lay_out
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES
from sprawlsim.sprawlops.team import Team

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.arrays import Record
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions

TOP = 5


def advise(  # noqa: PLR0913 - keywords that a player may want to say, each alone
    mission: AnyMission | str,
    team: Team | str | None = None,
    *,
    stage: int = 1,
    roll_number: int | None = None,
    left: str | Mapping[str, int] | None = None,
    roll: str | None = None,
    hurt: str | Sequence[str] = (),
    dead: str | Sequence[str] = (),
    rescued: str | Sequence[str] = (),
    plate_used: str | Sequence[str] = (),
    in_play: str | Sequence[str] = (),
    cards: Cards | str | Path | None = None,
    tokens: int = 0,
    loot: str | Sequence[str] = (),
    rerolls: int = 0,
    eye: str | Sequence[str] = (),
    aim: str | None = None,
    prices: Mapping[str, float] | None = None,
    objective: Objective | None = None,
    rules: RulesOptions | None = None,
    top: int | None = TOP,
    insist: bool = False,
) -> Advice:
    """Rank what can be done now by what it is worth under best play afterwards.

    Parameters
    ----------
    mission, team, cards, eye, aim, prices, objective, rules
        As for `mission_odds`.
    stage : int
        The Stage to come, or being rolled; the first is 1.
    roll_number : int, optional
        Which roll of the Stage, 1 to 3; None between Stages.
    left : str or mapping, optional
        Icons left: ``"mage 1"``; all of the Stage's before its first roll.
    roll : str, optional
        Faces that fell: ``"decker SSI, street samurai S--"``; None before the roll.
    hurt, dead, rescued : str or sequence of str
        Runners who were down before the roll.
    plate_used : str or sequence of str
        Runners whose Dermal Plating is used.
    in_play : str or sequence of str
        Loot cards whose die is in play in this Stage.
    tokens, loot, rerolls
        What is in hand now.
    top : int, optional
        How many plays to tell, of those that waste nothing; None: all of them, and those that do.
    insist : bool
        Work out the whole Mission even where that takes long.

    Raises
    ------
    SprawlsimError
        If the situation cannot be, or something named does not exist.

    Examples
    --------
    >>> advice = advise("make some noise", roll="decker SS, samurai S-, face S")
    >>> advice.best.words
    'pair two Decker successes as a wild for Mage'
    """
    cards = cards if isinstance(cards, Cards) else load_cards(cards)
    played = find_loot(cards.card_set, _names(in_play))
    question = ask_about(
        mission,
        team,
        cards=cards,
        tokens=tokens,
        loot=[*_names(loot), *(card.name for card in played)],
        rerolls=rerolls,
        eye=eye,
        aim=aim,
        prices=prices,
        objective=objective,
        rules=rules,
    )
    situation = Situation(
        stage=stage,
        roll_number=roll_number,
        left=left,
        roll=roll,
        hurt=_names(hurt),
        dead=_names(dead),
        rescued=_names(rescued),
        plate_used=_names(plate_used),
        in_play=tuple(card.bonus for card in played),
    )
    if stage > 1 or roll_number is not None or roll is not None:
        _check_commlinks(question.team)
    goes = best_commlinks(question.team, question.set_up, BEST, Effort(insist=insist))
    held = [(CARD_KIND[card.bonus], card.name) for card in find_loot(cards.card_set, _names(loot))]
    advice = advise_scenario(question.set_up(goes), situation, top=top, insist=insist, loot=held)
    return replace(
        advice, title=question.card.name, team=str(goes), notes=tuple(question.notes(goes)) + advice.notes
    )


def _check_commlinks(team: Team) -> None:
    """Refuse a Commlink without a colour where the Mission is under way: it has one, which we cannot know."""
    for member in team.members:
        if member.has_commlink and member.commlink is None and len(member.commlink_choices) > 1:
            raise SprawlsimError(
                f"{member.name}'s Commlink was set before the Mission; say its colour, as in "
                f"'Commlink({ROLE_LABELS[member.commlink_choices[0]].lower()})'"
            )


def advise_scenario(
    scenario: Scenario,
    situation: Situation,
    *,
    top: int | None = TOP,
    insist: bool = False,
    loot: Sequence[tuple[int, str]] | None = None,
) -> Advice:
    """Rank what can be done in a scenario; `loot` names the cards in hand, by what they do.

    Raises
    ------
    SprawlsimError
        If the situation cannot be, or best play is too large to find and not insisted on.
    """
    if top is not None and top < 1:
        raise SprawlsimError(f"at least one play is told, not {top}")
    for name, runners in Counter(scenario.runner_names).items():
        if runners > 1:
            raise SprawlsimError(f"{runners} runners are called {name}; advice tells them apart by name")
    st = lay_out(scenario, situation)
    if loot is None:
        loot = [(CARD_KIND[bonus], f"the Loot card {bonus!r}") for bonus in scenario.loot_cards]
    solution = solve_within(scenario, insist, figures=False)
    plays, number = find_plays(solution, st, scenario.runner_names, loot, top)
    return Advice(
        title="scenario",
        team="",
        situation=_in_words(scenario, st),
        worth=aim_text(scenario.objective),
        plays=plays,
        open=number,
    )


def _in_words(scenario: Scenario, st: Record) -> str:
    """Say where a Mission stands."""
    stage = f"Stage {int(st.stage) + 1} of {len(scenario.stages)}"
    if st.phase == BETWEEN:
        return f"before {stage}"
    number = ROLLS_PER_STAGE - int(st.rolls_left) + (st.rolled == 0)
    icons = ", ".join(f"{int(n)} {ROLE_LABELS[role]}" for role, n in zip(ROLES, st.icons, strict=True) if n)
    when = "before roll" if st.rolled == 0 else "roll"
    return f"{stage}, {when} {number}, {icons} to defeat"


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
