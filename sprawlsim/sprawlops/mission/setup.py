"""From cards and a team to a scenario: what a Mission attempt is set up from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sprawlsim.errors import ScenarioError, SprawlsimError, did_you_mean
from sprawlsim.sprawlops.cards import CardSet, FinalMission, Loot, Mission, Task, find_card
from sprawlsim.sprawlops.mission.scenario import (
    MAX_REROLLS,
    MAX_TOKENS,
    Objective,
    RulesOptions,
    Runner,
    Scenario,
    Stage,
    scenario_from_dict,
)
from sprawlsim.sprawlops.roles import parse_role
from sprawlsim.sprawlops.team import Team

EYE_PERKS = {
    "street_samurai": "clears_first_stage",
    "decker": "loot_for_first_stage",
    "rigger": "clears_last_stage",
}
"""The Eye of the Needle's perks that matter in a Mission (G10)."""


def set_up_attempt(
    card: Mission | FinalMission | Task,
    team: Team,
    *,
    tokens: int = 0,
    loot: Sequence[Loot] = (),
    rerolls: int = 0,
    eye: Sequence[str] = (),
    objective: Objective | None = None,
    rules: RulesOptions | None = None,
) -> Scenario:
    """Set up an attempt of a Mission, Final Mission or Task by a team.

    Parameters
    ----------
    card : Mission, FinalMission or Task
    team : Team
        With every Commlink's colour set.
    tokens : int
        DocWagon tokens of the player. Runners hired out of Dante's Inferno bring one each besides (G8).
    loot : sequence of Loot
        Cards in hand.
    rerolls : int
        Free rerolls (the Face at Mr. Johnson); a Task adds its own.
    eye : sequence of str
        Perks of the Eye of the Needle: ``samurai``, ``decker``, ``rigger``.
    objective : Objective, optional
        What the attempt is worth; completion alone when None.
    rules : RulesOptions, optional
        Readings of the rules; the usual ones when None.

    Raises
    ------
    ScenarioError
        If the rules do not allow it.
    """
    _check_hand(tokens, rerolls)
    _check_kind(card, team, rerolls)
    data: dict[str, Any] = {
        "stages": [
            Stage(dict(stage.icons), getattr(stage, "loot", 0), getattr(stage, "payout", 0))
            for stage in card.stages
        ],
        "runners": [
            Runner(
                dice={role: count for role, count in member.dice.items() if count},
                name=member.name,
                dermal_plating=member.dermal_plating,
                docwagon_token=member.hired,
            )
            for member in team.members
        ],
        "docwagon_tokens": tokens,
        "payout": getattr(card, "payout", 0),
        "loot_cards": [card.bonus for card in loot],
        "rerolls": rerolls + getattr(card, "rerolls", 0),
        "task": isinstance(card, Task),
        "final": isinstance(card, FinalMission),
        **dict.fromkeys(_perks(eye), True),
    }
    if objective is not None:
        data["objective"] = objective
    if rules is not None:
        data["rules"] = rules
    return scenario_from_dict(data, card.name)


def _check_hand(tokens: int, rerolls: int) -> None:
    """Refuse more of something than an attempt can count, or less than none."""
    for what, count, most in (
        ("DocWagon tokens", tokens, MAX_TOKENS),
        ("free rerolls", rerolls, MAX_REROLLS),
    ):
        if not isinstance(count, int) or not 0 <= count <= most:
            raise ScenarioError(f"{what} must be a whole number between 0 and {most}, not {count!r}")


def _check_kind(card: Mission | FinalMission | Task, team: Team, rerolls: int) -> None:
    """Refuse what the rules keep from Tasks and Final Missions."""
    if rerolls and not isinstance(card, Mission):
        kind = "Task" if isinstance(card, Task) else "Final Mission"
        raise ScenarioError(
            f"{card.name} is a {kind}; the Face's free reroll is for a Mission selected at Mr. Johnson"
        )
    if isinstance(card, Task) and any(member.hired for member in team.members):
        raise ScenarioError(f"{card.name} is a Task, run by the runner placed there; a hired one cannot be")


def _perks(eye: Sequence[str]) -> list[str]:
    """Read the perks by the role whose space at the Eye of the Needle was taken."""
    perks = []
    for word in eye:
        try:
            role = parse_role(word)
        except SprawlsimError:
            suggestion = did_you_mean(word.lower(), ["samurai", "decker", "rigger"])
            raise ScenarioError(
                f"{word!r} is not a perk of the Eye of the Needle; the perks in a Mission are samurai, "
                f"decker, rigger{suggestion}"
            ) from None
        if role not in EYE_PERKS:
            raise ScenarioError(
                f"the Eye of the Needle's {role} perk does nothing in a Mission; those that do are samurai, "
                "decker, rigger"
            )
        perks.append(EYE_PERKS[role])
    return perks


def find_loot(cards: CardSet, names: Sequence[str]) -> tuple[Loot, ...]:
    """Find Loot cards by name; a physical card is held once.

    Raises
    ------
    UnknownNameError, ScenarioError
        If a name means no card or several, or a card is named more often than it exists.
    """
    found = []
    for name in names:
        card = find_card(cards, name, "loot")
        assert isinstance(card, Loot)
        found.append(card)
    for card_name, count in Counter(card.name for card in found).items():
        copies = next(card.copies for card in found if card.name == card_name)
        if count > copies:
            raise ScenarioError(f"{card_name!r} is named {count} times; the box has {copies} of it")
    return tuple(found)
