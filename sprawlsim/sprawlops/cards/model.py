"""What is printed on the cards, and only that: frozen records, one class per deck.

Cards come out of the strict reader (:mod:`sprawlsim.sprawlops.cards.files`), which checks every bound written
here; a record built by hand is not checked. Dice and icons are dictionaries by role, a colour that does not
occur is left out, and nobody changes them after loading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from sprawlsim.sprawlops.roles import Role

Source = Literal["rulebook", "stand-in", "owner"]
"""Where a card's text comes from: printed in the rulebook, invented by us, or copied from an owner's box."""

LootBonus = Literal[
    "evacuate",
    "ignore-injury",
    "reroll-die",
    "success:street_samurai",
    "success:decker",
    "success:mage",
    "success:rigger",
    "success:face",
    "die:street_samurai",
    "die:decker",
    "die:mage",
    "die:rigger",
    "die:face",
]
"""The rulebook's list of Loot bonuses ("Running Missions", Loot)."""

UpgradeKind = Literal["dermal-plating", "commlink", "die"]

Deck = Literal[
    "starting_runners", "runners", "gear", "upgrades", "loot", "missions", "final_missions", "tasks"
]

# One line; the first character keeps a spreadsheet from taking a name for a formula, and quotation marks
# and '=' belong to the team text and to ``--set``.
NAME_PATTERN = r'\A[^\W_]([^"=\x00-\x1f\x7f-\x9f\u2028\u2029]*[^"=\s\x00-\x1f\x7f-\x9f])?\Z'
TITLE_PATTERN = r"\A[^\W_]([^\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\s\x00-\x1f\x7f-\x9f])?\Z"
TEXT_PATTERN = r"\A[^\x00-\x08\x0b-\x1f\x7f]*\Z"

Name = Annotated[
    str,
    Meta(
        pattern=NAME_PATTERN,
        max_length=80,
        description="a name of 1 to 80 characters: first a letter or digit, no quotation mark, no '='",
    ),
]
Title = Annotated[
    str,
    Meta(pattern=TITLE_PATTERN, max_length=2000, description="a name on one line, first a letter or digit"),
]
Text = Annotated[
    str, Meta(pattern=TEXT_PATTERN, max_length=2000, description="a text of at most 2000 characters")
]
Nuyen = Annotated[int, Meta(ge=0, le=99, description="a whole number from 0 to 99 (K nuyen)")]
Copies = Annotated[int, Meta(ge=1, le=20, description="a whole number from 1 to 20 (cards in the box)")]
DiceCount = Annotated[int, Meta(ge=0, le=6, description="a whole number from 0 to 6 (dice)")]
IconCount = Annotated[int, Meta(ge=0, le=12, description="a whole number from 0 to 12 (icons)")]
Roles = Annotated[
    tuple[Role, ...],
    Meta(min_length=1, description='a list of one role or more, such as ["street_samurai", "rigger"]'),
]
AnyRoles = Annotated[
    tuple[Role, ...], Meta(description='a list of roles, such as ["mage"], or [] for any runner')
]
Dice = Annotated[
    dict[Role, DiceCount],
    Meta(min_length=1, description="a table of dice by role with at least one die, such as { decker = 2 }"),
]
GearDice = Annotated[
    dict[Role, DiceCount], Meta(description="a table of dice by role, such as { decker = 2 }")
]
Icons = Annotated[
    dict[Role, IconCount],
    Meta(min_length=1, description="a table of icons by role with at least one icon, such as { mage = 3 }"),
]
Invented = Annotated[
    tuple[str, ...],
    Meta(description='a list of this card\'s own keys, such as ["cost", "loan", "stages.4"]'),
]
SetNumber = Annotated[int, Meta(ge=1, le=4, description="a whole number from 1 to 4 (the starting set, G2)")]
Flag = Annotated[int, Meta(ge=0, le=1, description="0 or 1 (1 for an optional Loot Stage)")]
Rerolls = Annotated[int, Meta(ge=0, le=3, description="a whole number from 0 to 3 (free rerolls)")]
LootDraw = Annotated[int, Meta(ge=0, le=11, description="a whole number from 0 to 11 (Loot cards drawn)")]


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every card has: a name and a source.

    Attributes
    ----------
    name : str
        As printed; no two cards of a set share it, whatever the case.
    source : {"rulebook", "stand-in", "owner"}
        Where the card's text comes from.
    invented : tuple of str
        On a card of the rulebook, the keys whose values are ours, because the rulebook does not tell them.
    """

    name: Name
    source: Source
    invented: Invented = ()

    def __hash__(self) -> int:
        """Hash by name, since a dictionary of dice has no hash; equality still compares everything."""
        return hash((type(self).__name__, self.name))


class StartingRunner(Card, frozen=True, kw_only=True):
    """A runner that a player starts with ("Starting Shadowrunners"); ``set`` numbers its set of three (G2).

    ``roles`` are the icons at the top of the card, first the role it has in its set; ``dice`` those at the
    bottom; ``loan`` is the gray nuyen icon, in K.
    """

    set: SetNumber
    roles: Roles
    dice: Dice
    loan: Nuyen


class Runner(Card, frozen=True, kw_only=True):
    """A runner for hire: role icons (top), dice (bottom), ``cost`` (orange) and ``loan`` (gray) in K."""

    roles: Roles
    dice: Dice
    cost: Nuyen
    loan: Nuyen


class Gear(Card, frozen=True, kw_only=True):
    """A Gear card; ``requirement`` lists roles of which any one suffices, none meaning any runner."""

    requirement: AnyRoles
    dice: GearDice
    cost: Nuyen
    loan: Nuyen
    copies: Copies = 1


class Upgrade(Card, frozen=True, kw_only=True):
    """An Upgrade: Dermal Plating, a Commlink, or a '+1 die' card, which alone has a ``die``."""

    kind: UpgradeKind
    die: Role | None = None
    cost: Nuyen
    loan: Nuyen
    copies: Copies = 1

    @property
    def dice(self) -> dict[Role, int]:
        """The dice printed on the card; a Commlink prints none of its own."""
        return {} if self.die is None else {self.die: 1}


class Loot(Card, frozen=True, kw_only=True):
    """A single-use Loot card, known by its bonus."""

    bonus: LootBonus
    copies: Copies = 1


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One row of icons of a Mission.

    Attributes
    ----------
    icons : dict of role to int
        The icons to defeat.
    loot : int
        1 on an optional Loot Stage.
    payout : int
        K nuyen paid at once when this Stage is cleared (Nuyen Payout Stage).
    source : {"rulebook", "stand-in", "owner"} or None
        None: as its card.
    """

    icons: Icons
    loot: Flag = 0
    payout: Nuyen = 0
    source: Source | None = None

    def __hash__(self) -> int:
        """Hash over the icons in any order."""
        return hash((frozenset(self.icons.items()), self.loot, self.payout, self.source))


Stages = Annotated[
    tuple[Stage, ...],
    Meta(min_length=1, max_length=8, description="a list of 1 to 8 Stages like [{ icons = { mage = 3 } }]"),
]


class Mission(Card, frozen=True, kw_only=True):
    """A Mission; ``payout`` (K nuyen) is paid when its last Stage is cleared."""

    payout: Nuyen
    stages: Stages


class FinalMission(Card, frozen=True, kw_only=True):
    """A Final Mission: no Loot Stage, no payout; completing it wins the game."""

    stages: Stages


class Task(Card, frozen=True, kw_only=True):
    """A Task of the board (Appendix A): one runner, one Stage.

    Attributes
    ----------
    icons : dict of role to int
        The one Stage.
    payout : int
        K nuyen for completing it.
    loot_draw : int
        Loot cards that may be drawn, one of them kept, instead of the payout (Datasteal: 2).
    rerolls : int
        Free rerolls (Bodyguard Work: 1).
    """

    icons: Icons
    payout: Nuyen
    loot_draw: LootDraw = 0
    rerolls: Rerolls = 0

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The Task's Stage, in the form a Mission has."""
        return (Stage(icons=self.icons),)


AnyCard: TypeAlias = StartingRunner | Runner | Gear | Upgrade | Loot | Mission | FinalMission | Task


class DeckInfo(NamedTuple):
    """A deck as the files, the messages and the box know it."""

    file: str
    model: type[AnyCard]
    singular: str
    plural: str
    in_box: int


DECKS: dict[Deck, DeckInfo] = {
    "starting_runners": DeckInfo(
        "starting-runners", StartingRunner, "starting runner", "starting runners", 12
    ),
    "runners": DeckInfo("runners", Runner, "runner", "runners", 15),
    "gear": DeckInfo("gear", Gear, "Gear card", "Gear cards", 20),
    "upgrades": DeckInfo("upgrades", Upgrade, "Upgrade", "Upgrades", 15),
    "loot": DeckInfo("loot", Loot, "Loot card", "Loot cards", 11),
    "missions": DeckInfo("missions", Mission, "Mission", "Missions", 20),
    "final_missions": DeckInfo("final-missions", FinalMission, "Final Mission", "Final Missions", 5),
    "tasks": DeckInfo("tasks", Task, "Task", "Tasks", 2),
}
"""The eight decks in the box's order, with the number of cards the rulebook ("Contents") counts."""


class CardSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole box of cards, deck by deck.

    Attributes
    ----------
    name, description : str
        From ``set.toml``; a set changed for one run says so in its name.
    starting_runners, runners, gear, upgrades, loot, missions, final_missions, tasks : tuple
        The decks, in the order of their files.
    """

    name: Title
    description: Text = ""
    starting_runners: tuple[StartingRunner, ...]
    runners: tuple[Runner, ...]
    gear: tuple[Gear, ...]
    upgrades: tuple[Upgrade, ...]
    loot: tuple[Loot, ...]
    missions: tuple[Mission, ...]
    final_missions: tuple[FinalMission, ...]
    tasks: tuple[Task, ...]

    all_decks: ClassVar[tuple[Deck, ...]] = tuple(DECKS)

    def __hash__(self) -> int:
        """Hash by contents."""
        return hash((self.name, card_set_hash(self)))

    def deck(self, deck: Deck) -> tuple[AnyCard, ...]:
        """Return the cards of one deck."""
        cards: tuple[AnyCard, ...] = getattr(self, deck)
        return cards

    def pairs(self, *decks: Deck) -> Iterator[tuple[Deck, AnyCard]]:
        """Yield (deck, card) over the named decks, or over all of them."""
        for deck in decks or self.all_decks:
            for card in self.deck(deck):
                yield deck, card


def card_table(card: AnyCard) -> dict[str, Any]:
    """Return a card as the table its file holds: name first, source last, defaults left out."""
    table: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(card))
    for key in ("source", "invented"):
        if key in table:
            table[key] = table.pop(key)
    return table


def card_set_hash(cards: CardSet) -> str:
    """Fingerprint the contents of a set: the SHA-256, in hexadecimal, of its cards.

    The set's name and description do not count; the order of the cards does, for it numbers them.
    """
    content = {deck: cards.deck(deck) for deck in DECKS}
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
