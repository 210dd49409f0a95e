"""An empty card set with the box's counts, for owners of the game to copy their cards into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sprawlsim.sprawlops.cards.files import render_table, write_directory
from sprawlsim.sprawlops.cards.model import DECKS, Deck
from sprawlsim.sprawlops.cards.strict import UNFILLED

_ROLES = "street_samurai, decker, mage, rigger, face"

_HELP: dict[Deck, str] = {
    "starting_runners": f"""\
The four sets of three starting runners: a Street Samurai, a Decker and a Face each.
roles: the icons at the top, first the one it has in its set ({_ROLES}).
dice:  the icons at the bottom, such as {{ decker = 2 }}.   loan: the gray nuyen icon, in K.""",
    "runners": f"""\
The runners for hire.
roles: the icons at the top ({_ROLES}), such as ["street_samurai", "rigger"].
dice:  the icons at the bottom, such as {{ street_samurai = 2, rigger = 1 }}.
cost:  the orange nuyen icon, in K.   loan: the gray nuyen icon, in K.""",
    "gear": f"""\
requirement: the role icons of which a runner needs one ({_ROLES}); [] for any runner.
dice: such as {{ decker = 2 }}.   cost: orange, loan: gray nuyen icon, in K.
A card that is in the box twice is one entry with copies = 2.""",
    "upgrades": f"""\
Five Dermal Plating, five Commlinks and the five different '+1 die' cards.
kind: dermal-plating, commlink or die.   die: for kind = "die" only, one of {_ROLES}.
cost: orange, loan: gray nuyen icon, in K.   copies: how many are in the box.""",
    "loot": f"""\
bonus: evacuate, ignore-injury, reroll-die, success:ROLE or die:ROLE, where ROLE is one of
{_ROLES}; such as "success:mage".
A card that is in the box twice is one entry with copies = 2.""",
    "missions": """\
payout: upper right corner, in K.
stages: a list of rows from top to bottom, such as
  stages = [
    { icons = { mage = 3 } },
    { icons = { decker = 4 }, loot = 1 },    # the optional Loot Stage
    { icons = { mage = 3 }, payout = 3 },    # a Nuyen Payout Stage of 3K
  ]""",
    "final_missions": """\
stages: a list of rows from top to bottom, such as
  stages = [
    { icons = { mage = 3, decker = 2 } },
    { icons = { street_samurai = 4 } },
  ]""",
    "tasks": """\
The two Tasks printed on the board.
icons: the icons of the one Stage, such as { decker = 2 }.   payout: in K.
loot_draw: Loot cards drawn, one of them kept, instead of the payout.   rerolls: free rerolls.""",
}

_SET_ROLES = ("street_samurai", "decker", "face")


def _cards(deck: Deck) -> list[dict[str, Any]]:
    """Return the entries of a deck: what the rulebook tells is filled in, the rest is to be copied."""
    owner = {"source": "owner"}
    price = {"cost": UNFILLED, "loan": UNFILLED}
    name = {"name": UNFILLED}
    blank: dict[Deck, dict[str, Any]] = {
        "runners": {**name, "roles": UNFILLED, "dice": UNFILLED, **price},
        "gear": {**name, "requirement": UNFILLED, "dice": UNFILLED, **price},
        "loot": {**name, "bonus": UNFILLED},
        "missions": {**name, "payout": UNFILLED, "stages": UNFILLED},
        "final_missions": {**name, "stages": UNFILLED},
    }
    if deck == "starting_runners":
        return [
            {**name, "set": number, "roles": [role], "dice": UNFILLED, "loan": UNFILLED, **owner}
            for number in range(1, 5)
            for role in _SET_ROLES
        ]
    if deck == "upgrades":
        plenty = [
            {"name": "Dermal Plating", "kind": "dermal-plating", **price, "copies": 5, **owner},
            {"name": "Commlink", "kind": "commlink", **price, "copies": 5, **owner},
        ]
        single = {**name, "kind": "die", "die": UNFILLED, **price, **owner}
        return [*plenty, *[single] * 5]
    if deck == "tasks":
        return [
            {"name": "Bodyguard Work", "icons": UNFILLED, "payout": UNFILLED, "rerolls": 1, **owner},
            {"name": "Datasteal", "icons": UNFILLED, "payout": 4, "loot_draw": 2, **owner},
        ]
    return [{**blank[deck], **owner}] * DECKS[deck].in_box


def render_scaffold(name: str) -> dict[str, str]:
    """Return the files of an empty set: name to text."""
    intro = (
        "# Replace every \"?\" by what your own card shows; 'sprawlsim cards check' on this directory\n"
        "# lists what is left."
    )
    files = {
        "set.toml": f'# What reports call this card set.\nname = "{name}"\n'
        'description = "Transcribed from my own copy of the game."\n'
    }
    for deck, info in DECKS.items():
        note = "\n".join(f"# {line}".rstrip() for line in _HELP[deck].splitlines())
        cards = "\n".join(render_table(card) for card in _cards(deck))
        files[f"{info.file}.toml"] = f"# {info.in_box} {info.plural}.\n{intro}\n{note}\n\n{cards}"
    return files


def write_scaffold(directory: str | Path) -> None:
    """Write an empty set with the box's counts, to be filled in from the printed cards.

    It does not load until every ``"?"`` is replaced.

    Raises
    ------
    CardError
        If the directory holds anything already, or cannot be written.
    """
    write_directory(Path(directory), render_scaffold("my box"))
