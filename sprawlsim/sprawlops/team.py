"""Runners with Gear and Upgrades: who rolls which dice, under the equip rules ("Dice & Card Types").

A team is written ``"Tamsynn + Datajack + Dermal Plating, Lazar + Jackrabbit + Commlink(street samurai)"``:
runners parted by commas, what each carries joined by plus signs. A runner hired out of Dante's Inferno is
written ``hired Lazar + Jackrabbit``. A name with a comma, a plus sign or a bracket in it stands in quotation
marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias

from sprawlsim.errors import SprawlsimError, TeamError, UnknownNameError
from sprawlsim.sprawlops.cards.lookup import card_elsewhere, deck_of, find_card, kind_of
from sprawlsim.sprawlops.cards.model import (
    AnyCard,
    CardSet,
    Deck,
    Gear,
    Runner,
    StartingRunner,
    Upgrade,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES, Role, parse_role

AnyRunner: TypeAlias = StartingRunner | Runner

MOST_OWN = 4
MOST_RUNNERS = 8
_RUNNERS: tuple[Deck, ...] = ("starting_runners", "runners")
_EQUIPMENT: tuple[Deck, ...] = ("gear", "upgrades")
_UPGRADE_ORDER = ("dermal-plating", "commlink", "die")
_UPGRADE_LABELS = {
    "dermal-plating": "Dermal Plating",
    "commlink": "Commlink",
    "die": "'+1 die' Upgrade",
}


def _labels(roles: Iterable[Role]) -> str:
    return " or ".join(ROLE_LABELS[role] for role in roles)


def _listed(roles: Iterable[Role]) -> str:
    return ", ".join(ROLE_LABELS[role] for role in roles)


def may_carry(runner: AnyRunner, card: Gear) -> bool:
    """Say whether a runner's card has a role icon that the Gear requires."""
    return not card.requirement or bool(set(card.requirement) & set(runner.roles))


@dataclass(frozen=True)
class Member:
    """One runner and what it carries.

    Parameters
    ----------
    runner : StartingRunner or Runner
        The runner's card.
    gear : tuple of Gear
        Any number, each allowed by the card's role icons.
    upgrades : tuple of Upgrade
        At most one of each kind.
    commlink : str or None
        The colour of the Commlink's die; None while it is open, or without one.
    hired : bool
        Hired out of Dante's Inferno (G8); such a runner brings one DocWagon token of its own.

    Raises
    ------
    TeamError
        If an equip rule is broken.

    Notes
    -----
    Gear is kept by name and Upgrades by kind, so that the order of writing makes no difference.
    """

    runner: AnyRunner
    gear: tuple[Gear, ...] = ()
    upgrades: tuple[Upgrade, ...] = ()
    commlink: Role | None = None
    hired: bool = False

    def __post_init__(self) -> None:
        """Check the equip rules and put the equipment in order."""
        object.__setattr__(self, "gear", tuple(sorted(self.gear, key=lambda card: card.name.casefold())))
        object.__setattr__(
            self, "upgrades", tuple(sorted(self.upgrades, key=lambda card: _UPGRADE_ORDER.index(card.kind)))
        )
        self._check_gear()
        self._check_upgrades()
        self._check_commlink()

    def _check_gear(self) -> None:
        for card in self.gear:
            if not may_carry(self.runner, card):
                raise TeamError(
                    f"{self.name} cannot equip {card.name}: it requires a {_labels(card.requirement)} role "
                    f"icon on the runner's card (dice from Gear and Upgrades do not count), "
                    f"and {self.name} has {_listed(self.runner.roles)}"
                )

    def _check_upgrades(self) -> None:
        for kind, label in _UPGRADE_LABELS.items():
            of_kind = [card.name for card in self.upgrades if card.kind == kind]
            if len(of_kind) > 1:
                raise TeamError(
                    f"{self.name} has {len(of_kind)} Upgrades of one kind ({', '.join(of_kind)}): "
                    f"a runner may have at most one {label}"
                )

    def _check_commlink(self) -> None:
        if self.commlink is None:
            return
        if not self.has_commlink:
            raise TeamError(f"{self.name} has no Commlink whose colour could be set; add '+ Commlink'")
        if self.commlink not in self.commlink_choices:
            raise TeamError(
                f"{self.name}'s Commlink cannot be {ROLE_LABELS[self.commlink]}: it adds a die of a colour "
                f"that the runner, its Gear or its other Upgrades have, here {_labels(self.commlink_choices)}"
            )

    @property
    def name(self) -> str:
        """The name on the runner's card."""
        return self.runner.name

    @property
    def own_dice(self) -> dict[Role, int]:
        """Dice by role of card, Gear and Upgrades, the Commlink's die not counted."""
        total: Counter[Role] = Counter()
        for card in (self.runner, *self.gear, *self.upgrades):
            total.update(card.dice)
        return {role: total[role] for role in ROLES if total[role]}

    @property
    def dice(self) -> dict[Role, int]:
        """All dice by role, with the Commlink's once its colour is set."""
        total = Counter(self.own_dice)
        if self.commlink is not None:
            total[self.commlink] += 1
        return {role: total[role] for role in ROLES if total[role]}

    @property
    def dermal_plating(self) -> bool:
        """Whether it can ignore one injury per Mission (M12)."""
        return any(card.kind == "dermal-plating" for card in self.upgrades)

    @property
    def has_commlink(self) -> bool:
        """Whether it carries a Commlink, open or set."""
        return any(card.kind == "commlink" for card in self.upgrades)

    @property
    def commlink_choices(self) -> tuple[Role, ...]:
        """The colours a Commlink of this runner may take."""
        return tuple(self.own_dice)

    @property
    def cards(self) -> tuple[AnyRunner | Gear | Upgrade, ...]:
        """The runner's card and all it carries."""
        return (self.runner, *self.gear, *self.upgrades)

    @property
    def loan(self) -> int:
        """The loan value in K nuyen: the gray icons of all its cards (Dante's Inferno)."""
        return sum(card.loan for card in self.cards)

    def __str__(self) -> str:
        """Write the runner as :func:`parse_team` reads it."""
        items = [_quoted(card.name) for card in self.cards]
        if self.commlink is not None:
            place = next(
                i for i, card in enumerate(self.cards) if card in self.upgrades and _is_commlink(card)
            )
            items[place] += f"({ROLE_LABELS[self.commlink].lower()})"
        return ("hired " if self.hired else "") + " + ".join(items)


def _is_commlink(card: AnyCard) -> bool:
    return isinstance(card, Upgrade) and card.kind == "commlink"


@dataclass(frozen=True)
class Team:
    """Runners who go on a Mission together.

    Parameters
    ----------
    members : tuple of Member
        At most four of the player's own, and hired ones.

    Raises
    ------
    TeamError
        If there is nobody, too many, a card used more often than it exists, or own starting runners of two
        sets.
    """

    members: tuple[Member, ...] = field(default=())

    def __post_init__(self) -> None:
        """Check the rules that concern the whole team."""
        if not self.members:
            raise TeamError("a team needs at least one runner, such as 'Tamsynn + Datajack'")
        own = [member for member in self.members if not member.hired]
        if len(own) > MOST_OWN:
            raise TeamError(
                f"a team has at most {MOST_OWN} runners of its own, and this one has {len(own)}; "
                "write 'hired' before those who come out of Dante's Inferno"
            )
        if len(self.members) > MOST_RUNNERS:
            raise TeamError(
                f"a team has at most {MOST_RUNNERS} runners, hired ones included, not {len(self.members)}"
            )
        self._check_copies()
        self._check_starting_sets(own)

    def _check_copies(self) -> None:
        used = Counter(card.name for member in self.members for card in member.cards)
        for card in (card for member in self.members for card in member.cards):
            copies: int = getattr(card, "copies", 1)
            if used[card.name] > copies:
                there = "is one such card" if copies == 1 else f"are {copies} such cards"
                raise TeamError(f"{card.name} is used {used[card.name]} times, but there {there} in the box")

    def _check_starting_sets(self, own: Iterable[Member]) -> None:
        starters = [member.runner for member in own if isinstance(member.runner, StartingRunner)]
        sets = sorted({runner.set for runner in starters})
        if len(sets) > 1:
            told = ", ".join(f"{runner.name} (set {runner.set})" for runner in starters)
            raise TeamError(
                f"a player's starting runners are of one set of three, but here are {told}; "
                "write 'hired' before those of another player (G2)"
            )
        for member in self.members:
            if member.hired and isinstance(member.runner, StartingRunner) and member.runner.set in sets:
                raise TeamError(
                    f"{member.name} is of the player's own starting set {member.runner.set}; hired runners "
                    "are other players' (Dante's Inferno)"
                )

    @property
    def dice(self) -> dict[Role, int]:
        """The dice pool by role, without open Commlinks."""
        total: Counter[Role] = Counter()
        for member in self.members:
            total.update(member.dice)
        return {role: total[role] for role in ROLES if total[role]}

    @property
    def open_commlinks(self) -> int:
        """How many Commlinks still have no colour."""
        return sum(member.has_commlink and member.commlink is None for member in self.members)

    def with_commlinks_set(self) -> tuple[Team, ...]:
        """Return the team with its open Commlinks set, in every way; itself alone if none is open."""
        ways = [
            [replace(member, commlink=role) for role in member.commlink_choices]
            if member.has_commlink and member.commlink is None
            else [member]
            for member in self.members
        ]
        return tuple(Team(members) for members in product(*ways))

    def __str__(self) -> str:
        """Write the team as :func:`parse_team` reads it."""
        return ", ".join(map(str, self.members))


def _quoted(name: str) -> str:
    plain = not re.search(r"[,+()]", name) and not re.match(r"hired\b", name, re.IGNORECASE)
    return name if plain else f'"{name}"'


def _pieces(text: str, separator: str) -> list[str]:
    """Split a text at a separator that stands outside quotation marks."""
    return [piece.strip() for piece in re.split(rf'{re.escape(separator)}(?=(?:[^"]*"[^"]*")*[^"]*\Z)', text)]


def parse_team(cards: CardSet, text: str) -> Team:
    """Read a team as people write it.

    Parameters
    ----------
    cards : CardSet
        The cards to choose from; names need only be written as far as they are clear.
    text : str
        Such as ``"Tamsynn + Datajack, Lazar + Commlink(street samurai)"``; a Commlink without a colour stays
        open.

    Raises
    ------
    UnknownNameError
        If a name fits no card, several, or a card of another kind.
    TeamError
        If the text cannot be read or the team breaks an equip rule.

    Examples
    --------
    >>> from sprawlsim.sprawlops.cards import load_card_set
    >>> team = parse_team(load_card_set(), "tamsynn + datajack, lazar + jackrabbit + commlink(samurai)")
    >>> team.dice
    {'street_samurai': 3, 'decker': 3, 'rigger': 2}
    >>> str(team)
    'Tamsynn + Datajack, Lazar + Chrysler-Nissan Jackrabbit + Commlink(street samurai)'
    """
    if text.count('"') % 2:
        raise TeamError(f"{text!r} has a quotation mark that is not closed")
    if not text.strip():
        return Team(())
    return Team(tuple(_parse_member(cards, part, text) for part in _pieces(text, ",")))


def starting_team(cards: CardSet) -> Team:
    """Return the starting set of Tamsynn, the rulebook's own runner; without her, the first set."""
    tamsynn = [runner.set for runner in cards.starting_runners if runner.name == "Tamsynn"]
    number = tamsynn[0] if tamsynn else min(runner.set for runner in cards.starting_runners)
    return Team(tuple(Member(runner) for runner in cards.starting_runners if runner.set == number))


def _parse_member(cards: CardSet, part: str, text: str) -> Member:
    first, *rest = _pieces(part, "+")
    hired = re.match(r"hired\b\s*", first, re.IGNORECASE)
    runner_name = _unquoted(first[hired.end() :] if hired else first)
    if not runner_name or not all(rest):
        raise TeamError(
            f"{text!r} has a name missing beside a comma or plus sign; write 'RUNNER + ITEM, RUNNER'"
        )
    runner = _find_runner(cards, runner_name)
    gear: list[Gear] = []
    upgrades: list[Upgrade] = []
    colour: Role | None = None
    for item in rest:
        card, bracket = _find_equipment(cards, item, runner)
        if isinstance(card, Gear):
            gear.append(card)
        else:
            upgrades.append(card)
        if bracket is not None:
            colour = _commlink_colour(card, bracket)
    return Member(runner, tuple(gear), tuple(upgrades), colour, hired is not None)


def _find_runner(cards: CardSet, name: str) -> AnyRunner:
    _refuse_other_kinds(cards, name, _RUNNERS, "each part of a team begins with a runner")
    card = find_card(cards, name, *_RUNNERS)
    assert isinstance(card, StartingRunner | Runner)
    return card


def _find_equipment(cards: CardSet, item: str, runner: AnyRunner) -> tuple[Gear | Upgrade, str | None]:
    """Return a Gear or Upgrade card, and what stands in brackets after it."""
    form = re.fullmatch(r'("[^"]*"|[^"()]+?)\s*(?:\(([^"()]*)\))?', item)
    if form is None:
        raise TeamError(
            f"{item!r} cannot be read; write 'NAME' or 'Commlink(COLOUR)', "
            "a name with brackets of its own in quotation marks"
        )
    name = _unquoted(form[1])
    _refuse_other_kinds(cards, name, _EQUIPMENT, f"{runner.name} equips Gear and Upgrades")
    card = find_card(cards, name, *_EQUIPMENT)
    assert isinstance(card, Gear | Upgrade)
    return card, form[2]


def _unquoted(text: str) -> str:
    quoted = re.fullmatch(r'"([^"]*)"', text.strip())
    return (quoted[1] if quoted else text).strip()


def _commlink_colour(card: Gear | Upgrade, bracket: str) -> Role:
    if not _is_commlink(card):
        raise TeamError(
            f"{card.name}({bracket}): only a Commlink has a colour to set; write {card.name} alone"
        )
    try:
        return parse_role(bracket)
    except SprawlsimError as error:
        raise TeamError(f"{card.name}({bracket}): {error}") from error


def _refuse_other_kinds(cards: CardSet, name: str, decks: tuple[Deck, ...], rule: str) -> None:
    """Say what to do about a card that exists but does not belong here."""
    card = card_elsewhere(cards, name, decks)
    if card is None:
        return
    deck = deck_of(card)
    advice = {
        "starting_runners": f"part runners by commas, as in 'Tamsynn, {card.name}'",
        "runners": f"part runners by commas, as in 'Tamsynn, {card.name}'",
        "gear": f"write the runner first, as in 'Tamsynn + {card.name}'",
        "upgrades": f"write the runner first, as in 'Tamsynn + {card.name}'",
        "loot": "Loot is held by the player and is named apart from the team",
    }.get(deck, "leave it out of the team")
    raise UnknownNameError(f"{card.name} is {kind_of(card)}, but {rule}; {advice}")
