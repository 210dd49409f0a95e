"""Where a Mission stands at the table: read as players say it, and laid out for the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.cards import resolve_name
from sprawlsim.sprawlops.dice import certain_successes
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    DEAD,
    DIE_CARD,
    INJURED,
    RESCUED,
    ROLLING,
    ROLLS_PER_STAGE,
    UP,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.rules import (
    anyone_up,
    clears_by_perk,
    let_fall,
    set_up,
    take_dice,
)
from sprawlsim.sprawlops.mission.scenario import CARD_KIND, Scenario
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES, parse_role

SUCCESS_MARKS, INJURY_MARKS, BLANK_MARKS = "S", "I", "-_.B"
"""How faces are written: a letter each, blanks also as a point or a line."""


@dataclass(frozen=True)
class Situation:
    """Where a Mission stands; what is in hand (tokens, Loot, rerolls) stands in the scenario.

    Parameters
    ----------
    stage : int
        The Stage to come, or being rolled; the first is 1.
    roll_number : int, optional
        1 to 3: that roll of the Stage, about to be made or just made. None: before the Stage.
    left : str or mapping, optional
        Icons left: ``"mage 1, decker 2"``; all of the Stage's where None, before the first roll only.
    roll : str, optional
        The faces that fell, by colour: ``"decker SSI, samurai S--"``; None before the roll.
    hurt, dead, rescued, plate_used : str or sequence of str
        Names of runners, as they were before the roll.
    in_play : str or sequence of str
        Loot dice in play in this Stage: ``"die:mage"``.
    """

    stage: int = 1
    roll_number: int | None = None
    left: str | Mapping[str, int] | None = None
    roll: str | None = None
    hurt: str | Sequence[str] = ()
    dead: str | Sequence[str] = ()
    rescued: str | Sequence[str] = ()
    plate_used: str | Sequence[str] = ()
    in_play: str | Sequence[str] = ()


def lay_out(scenario: Scenario, situation: Situation) -> Record:
    """Lay a situation out: before a Stage, before a roll, or with its dice on the table.

    Parameters
    ----------
    scenario : Scenario
        With what is in hand now; Loot dice in play count among its Loot cards.
    situation : Situation

    Raises
    ------
    SprawlsimError
        If it cannot be, and why.
    """
    scn = scenario.arrays()
    st = new_states(1)[0]
    set_up(scn, st)
    if not 1 <= situation.stage <= len(scenario.stages):
        raise SprawlsimError(f"there is no Stage {situation.stage}; Stages are 1 to {len(scenario.stages)}")
    st.stage = situation.stage - 1
    _put_down(scenario, situation, st)
    if not anyone_up(scn, st):
        raise SprawlsimError("nobody is up; the Mission is over (M7, M8)")
    number = _roll_number(situation)
    if number is None:
        st.phase = BETWEEN
        return st
    if clears_by_perk(scn, st.stage):
        raise SprawlsimError(f"a perk clears Stage {situation.stage} without a roll (G10)")
    st.phase = ROLLING
    st.rolls_left = ROLLS_PER_STAGE + 1 - number
    st.icons = _icons_left(scenario, situation, number)
    for bonus in _several(situation.in_play):
        _put_in_play(st, bonus)
    if situation.roll is not None:
        take_dice(scn, st)
        _let_fall(scenario, st, situation.roll)
    return st


def _roll_number(situation: Situation) -> int | None:
    """Find which roll it is; with faces told and nothing else, the first."""
    number = situation.roll_number
    if number is None:
        if situation.left is not None or situation.in_play:
            raise SprawlsimError("say which roll of the Stage it is: 1, 2 or 3 (--roll-number)")
        return 1 if situation.roll is not None else None
    if not 1 <= number <= ROLLS_PER_STAGE:
        raise SprawlsimError(f"a Stage has rolls 1 to {ROLLS_PER_STAGE}, not {number} (M6)")
    return number


def _put_down(scenario: Scenario, situation: Situation, st: Record) -> None:
    """Put down who is hurt, dead or rescued, and whose plate is used."""
    names = scenario.runner_names
    said: dict[int, str] = {}
    ends = (("hurt", INJURED), ("dead", DEAD), ("rescued", RESCUED))
    for word, condition in ends:
        for name in _several(getattr(situation, word)):
            runner = names.index(resolve_name(name, names, "runner of this team"))
            if said.get(runner) == word:
                raise SprawlsimError(f"{names[runner]} is named twice as {word}")
            if runner in said:
                raise SprawlsimError(f"{names[runner]} is named as {said[runner]} and as {word}")
            said[runner] = word
            st.condition[runner] = condition
            st.plates &= ~(1 << runner) & 0xFF  # nobody is hurt through a plate (M12)
    for name in _several(situation.plate_used):
        runner = names.index(resolve_name(name, names, "runner of this team"))
        if not scenario.runners[runner].dermal_plating:
            raise SprawlsimError(f"{names[runner]} has no Dermal Plating")
        st.plates &= ~(1 << runner) & 0xFF


def _several(names: str | Sequence[str]) -> Sequence[str]:
    """Take one name for a list of one: a text would otherwise be read letter by letter."""
    return (names,) if isinstance(names, str) else names


def _icons_left(scenario: Scenario, situation: Situation, number: int) -> list[int]:
    """Read the icons left of the Stage."""
    stage = situation.stage
    printed = [scenario.stages[stage - 1].icons.get(role, 0) for role in ROLES]
    if situation.left is None:
        if number > 1:
            raise SprawlsimError(f"say which icons are left before roll {number}: --left 'mage 1'")
        return printed
    counts = read_counts(situation.left) if isinstance(situation.left, str) else situation.left
    left = [0] * len(ROLES)
    for name, count in counts.items():
        role = ROLES.index(parse_role(name))
        if not isinstance(count, int):
            raise SprawlsimError(f"{count!r} is not a number of icons")
        left[role] += count
        if not 0 <= count <= left[role] <= printed[role]:
            icons = (
                f"{printed[role] or 'no'} {ROLE_LABELS[ROLES[role]]} icon{'' if printed[role] == 1 else 's'}"
            )
            raise SprawlsimError(f"Stage {stage} has {icons}; {left[role]} cannot be left")
    if sum(left) == 0:
        raise SprawlsimError(f"no icons are left: Stage {stage} is cleared; ask about the next")
    if number == 1 and left != printed:
        raise SprawlsimError(f"before its first roll all icons of Stage {stage} are left (M6)")
    return left


def read_counts(text: str) -> dict[str, int]:
    """Read "mage 1, decker 2".

    Raises
    ------
    SprawlsimError
        If a part is not a role and a number.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        words = part.split()
        numbers = [word for word in words if word.isdigit()]
        if len(numbers) != 1 or len(words) < 2:
            raise SprawlsimError(f"{part.strip()!r} is not a role and a number of icons, as in 'mage 1'")
        role = parse_role(" ".join(word for word in words if word not in numbers))
        if role in counts:
            raise SprawlsimError(f"{ROLE_LABELS[role]} is named twice in {text!r}")
        counts[role] = int(numbers[0])
    return counts


def _put_in_play(st: Record, bonus: str) -> None:
    """Lay a Loot die from the hand into the Stage."""
    kind = CARD_KIND.get(bonus, -1)
    if not DIE_CARD <= kind < DIE_CARD + len(ROLES):
        raise SprawlsimError(f"{bonus!r} is no Loot die; only dice stay in play in a Stage (M5)")
    if st.cards[kind] == 0:
        raise SprawlsimError(f"{bonus!r} is in play more often than among the scenario's Loot cards")
    st.cards[kind] -= 1
    st.bonus[kind - DIE_CARD] += 1


def _let_fall(scenario: Scenario, st: Record, text: str) -> None:
    """Lay down the faces that fell, if they fit the dice of the pool (M1, M2)."""
    faces = _read_faces(text)
    for c, role in enumerate(ROLES):
        shown = faces.pop(role, "")
        dice = int(st.hand[c])
        if len(shown) != dice:
            raise SprawlsimError(_misfit(scenario, st, c, shown))
        let_fall(st, c, sum(f in SUCCESS_MARKS for f in shown), sum(f in INJURY_MARKS for f in shown))


def _read_faces(text: str) -> dict[str, str]:
    """Read "decker SSI, samurai S--"."""
    faces: dict[str, str] = {}
    for part in text.split(","):
        name, _, shown = part.strip().rpartition(" ")
        shown = shown.upper()
        if not name or any(f not in SUCCESS_MARKS + INJURY_MARKS + BLANK_MARKS for f in shown):
            raise SprawlsimError(
                f"{part.strip()!r} is not a role and its faces, as in 'decker SSI-': S a success, "
                "I an injury, - a blank"
            )
        role = parse_role(name)
        if role in faces:
            raise SprawlsimError(f"{ROLE_LABELS[role]} is named twice in {text!r}")
        faces[role] = shown
    return faces


def _misfit(scenario: Scenario, st: Record, colour: int, shown: str) -> str:
    """Say why faces do not fit the pool."""
    role = ROLES[colour]
    told = [
        f"{name} {runner.dice.get(role, 0)}"
        for r, (name, runner) in enumerate(zip(scenario.runner_names, scenario.runners, strict=True))
        if st.condition[r] == UP and runner.dice.get(role, 0)
    ]
    told += [f"Loot {int(st.bonus[colour])}"] * bool(st.bonus[colour])
    pool = f"the pool has {int(st.pool[colour])} ({', '.join(told)})" if told else "the pool has none"
    down = [
        name
        for r, (name, runner) in enumerate(zip(scenario.runner_names, scenario.runners, strict=True))
        if st.condition[r] != UP and runner.dice.get(role, 0)
    ]
    if down:
        pool += f", for {' and '.join(down)} {'is' if len(down) == 1 else 'are'} down"
    if certain_successes(int(st.pool[colour])):
        pool += ", of which two are set aside for a certain success: leave them out (M2)"
    dice = int(st.hand[colour])
    told_faces = "1 face" if len(shown) == 1 else f"{len(shown)} faces"
    rolled = "1 die is" if dice == 1 else f"{dice} dice are"
    return f"{told_faces} for {ROLE_LABELS[role]}, where {rolled} rolled: {pool}"
