"""A play in words that a player can act on: which success does what, and who is hurt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sprawlsim.sprawlops.mission.arrays import (
    DEAD,
    DIE_CARD,
    INJURED,
    RESCUED,
    SUCCESS_CARD,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.rules import (
    assign_injury,
    can_rescue,
    legal_targets,
    rescue,
    would_die,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

Counts = tuple[int, ...]


class Use(NamedTuple):
    """What is done with a roll, by colour: counts of five each."""

    successes: Counts
    """Lying there, those of cards included."""
    injuries: Counts
    defeated: Counts
    """Icons defeated."""
    taken: Counts
    """Injuries that somebody takes, or that have no effect; the others are cancelled."""
    ignored: Sequence[str]
    """Names of the Loot cards that ignore one of the others each."""
    played: Sequence[str]
    """Loot cards played for a success, in words."""


class Hit(NamedTuple):
    """One injury: its colour, who takes it (None: nobody can, M14), and how."""

    colour: int
    runner: int | None
    how: str


def label(colour: int) -> str:
    """Name a colour."""
    return ROLE_LABELS[ROLES[colour]]


def count_of(number: int, what: str, several: str = "") -> str:
    """Write "one Mage icon", "two Mage icons"."""
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {what}" if number == 1 else f"{word} {several or what + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Write "one, two and three"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def cards_in_words(loot: Sequence[tuple[int, str]], spent: Mapping[int, int]) -> list[str]:
    """Name the Loot cards played for a success or a die, and say which.

    Parameters
    ----------
    loot : sequence of (int, str)
        Loot in hand: the kind of each card, and its name.
    spent : mapping
        How many cards are played, by kind.
    """
    told = []
    for kind, number in spent.items():
        does = (
            f"a {label(kind - DIE_CARD)} die"
            if kind >= DIE_CARD
            else f"a {label(kind - SUCCESS_CARD)} success"
        )
        names = [name for held, name in loot if held == kind]
        told += [f"{name} ({does})" for name in names[:number]]
    return told


def use_in_words(use: Use) -> Iterator[str]:
    """Say what the cards and successes do."""
    for card in use.played:
        yield f"play {card}"
    spare = list(use.successes)
    for c, icons in enumerate(use.defeated):
        direct = min(icons, spare[c])
        spare[c] -= direct
        if direct:
            successes = count_of(direct, f"{label(c)} success", f"{label(c)} successes")
            yield f"{successes} for {_icons(direct, c)}"
    for c, icons in enumerate(use.defeated):
        for _ in range(icons - min(icons, use.successes[c])):
            pair = max(range(len(spare)), key=lambda colour: (spare[colour] % 2 == 0, spare[colour]))
            if spare[pair] < 2:
                pair = max(range(len(spare)), key=lambda colour: spare[colour])
            spare[pair] -= 2
            yield f"pair two {label(pair)} successes as a wild for {label(c)}"
    yield from _cancelling_in_words(use, spare)


def _cancelling_in_words(use: Use, spare: list[int]) -> Iterator[str]:
    """Say what the Loot cards that ignore an injury, and the successes to spare, do to the injuries."""
    cards = list(use.ignored)
    for c, (lying, taken) in enumerate(zip(use.injuries, use.taken, strict=True)):
        left = lying - taken
        while left and cards:
            left -= 1
            yield f"ignore {_the_injury(lying, c)} with {cards.pop(0)}"
        while left:
            by = spare.index(max(spare))
            number = min(left, spare[by])
            left -= number
            spare[by] -= number
            if number == 1:
                yield f"cancel {_the_injury(lying, c)} with a {label(by)} success"
            else:
                injuries = count_of(number, "", f"{label(c)} injuries")
                yield f"cancel {injuries} with {count_of(number, '', f'{label(by)} successes')}"


def _icons(number: int, colour: int) -> str:
    return "its icon" if number == 1 else f"{number} {label(colour)} icons"


def _the_injury(lying: int, colour: int) -> str:
    return f"the {label(colour)} injury" if lying == 1 else f"one {label(colour)} injury"


def find_hits(scn: Record, st: Record, taken: Counts, wanted: tuple[int, int, int]) -> tuple[Hit, ...] | None:
    """Find one order in which the injuries can be taken so that a wanted condition comes of it.

    Parameters
    ----------
    scn, st : Record
        The scenario, and the situation after the roll; not changed.
    taken : tuple of int
        Injuries by colour that are not cancelled.
    wanted : tuple of int
        Conditions of all runners packed two bits each, plates, and tokens of the player.
    """
    work = new_states(1)
    seen: set[tuple[bytes, Counts]] = set()

    def search(state: bytes, left: Counts) -> tuple[Hit, ...] | None:
        work.view("u1")[:] = np.frombuffer(state, dtype="u1")
        if sum(left) == 0:
            return () if packed(work[0], int(scn.n_runners)) == wanted else None
        if (state, left) in seen:
            return None
        seen.add((state, left))
        for c in range(len(left)):
            if left[c] == 0:
                continue
            fewer = tuple(n - (k == c) for k, n in enumerate(left))
            for hit, after in _one_hit(scn, work, state, c):
                rest = search(after, fewer)
                if rest is not None:
                    return (hit, *rest)
        return None

    return search(st.tobytes(), taken)


def packed(st: Record, runners: int) -> tuple[int, int, int]:
    """Pack conditions, plates and tokens."""
    conditions = 0
    for r in range(runners):
        conditions |= int(st.condition[r]) << (2 * r)
    return conditions, int(st.plates), int(st.tokens)


def _one_hit(scn: Record, work: Record, state: bytes, colour: int) -> Iterator[tuple[Hit, bytes]]:
    """Go through the ways to take one injury."""

    def back() -> Record:
        work.view("u1")[:] = np.frombuffer(state, dtype="u1")
        return work[0]

    targets = int(legal_targets(scn, back(), colour))
    if targets == 0:
        yield Hit(colour, None, "nobody"), state
    for r in range(int(scn.n_runners)):
        if not targets >> r & 1:
            continue
        st = back()
        plated = bool(int(st.plates) >> r & 1)
        dies = bool(would_die(scn, st, r))
        before = int(st.condition[r])
        assign_injury(scn, st, r)
        how = "plate" if plated else "death" if dies else "injury" if before == 0 else "spared"
        yield Hit(colour, r, how), work.tobytes()
        if dies:
            st = back()
            assign_injury(scn, st, r)
            if can_rescue(st, r):
                rescue(st, r)
                yield Hit(colour, r, "rescue"), work.tobytes()


def hits_in_words(hits: tuple[Hit, ...], names: tuple[str, ...]) -> Iterator[str]:
    """Say who takes the injuries."""
    for hit in hits:
        colour = label(hit.colour)
        if hit.runner is None:
            yield f"the {colour} injury hurts nobody"
        elif hit.how == "plate":
            yield f"let {names[hit.runner]}'s plate take the {colour} injury"
        elif hit.how == "death":
            yield f"{names[hit.runner]} takes the {colour} injury and dies"
        elif hit.how == "rescue":
            yield f"{names[hit.runner]} takes the {colour} injury, saved from death with a DocWagon token"
        elif hit.how == "spared":
            yield f"{names[hit.runner]}, who cannot die here, takes the {colour} injury"
        else:
            yield f"{names[hit.runner]} takes the {colour} injury"


def standing_in_words(names: tuple[str, ...], conditions: dict[str, int]) -> str:
    """Say who is down."""
    words = {INJURED: "injured", RESCUED: "rescued", DEAD: "dead"}
    told = [f"{name} {words[conditions[name]]}" for name in names if conditions[name] in words]
    return ", ".join(told)
