"""Advice against the naive twin: the worked example, and random situations whose words are read back.

A play is told in words. ``result_of`` does what the words say, by the twin's rules and with nothing but the
faces on the table, so that a play is known by the situation that it leads to; the twin then says whether
that is legal, and what it is worth.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import twin
from random_scenarios import all_scenarios
from support import without_borrowed_tokens
from test_worked_example import LAZAR, MAKE_SOME_NOISE, TAMSYNN
from twin import COLOURS, NOTHING, Body, Case, Roll, Solver

from sprawlsim.sprawlops.advise import advise, advise_scenario
from sprawlsim.sprawlops.mission.advice import Advice, Play
from sprawlsim.sprawlops.mission.exact import Expected
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.sprawlops.mission.situation import Situation

Data = dict[str, Any]
Table = twin.Situation

SCENARIOS = all_scenarios()
QUICK = ["lone_runner-0", "shared_tokens-1", "die_cards-0", "reroll_cards-3", "perks-2", "tasks-0"]
EACH = 2
"""Situations of each random scenario."""

LABELS = {"Street Samurai": 0, "Decker": 1, "Mage": 2, "Rigger": 3, "Face": 4}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FACES = {"success": 0, "successes": 0, "injury": 1, "injuries": 1, "blank": 2, "blanks": 2}

PARTS = {
    "card": r"play the Loot card '(?P<card>success:\w+)' \(a (?P<colour>.+) success\)",
    "direct": r"one (?P<colour>.+) success for its icon",
    "directs": r"(?P<number>\w+) (?P<colour>.+) successes for (?P<icons>\d+) (?P=colour) icons",
    "pair": r"pair two (?P<colour>.+) successes as a wild for (?P<icon>.+)",
    "cancel": r"cancel (?P<which>the|one) (?P<injury>.+) injury with a (?P<colour>.+) success",
    "cancels": r"cancel (?P<number>\w+) (?P<injury>.+) injuries with (?P=number) (?P<colour>.+) successes",
    "ignore": r"ignore (?P<which>the|one) (?P<injury>.+) injury with the Loot card '(?P<card>ignore-injury)'",
    "nobody": r"the (?P<injury>.+) injury hurts nobody",
    "plate": r"let (?P<who>.+)'s plate take the (?P<injury>.+) injury",
    "spared": r"(?P<who>.+), who cannot die here, takes the (?P<injury>.+) injury",
    "rescued": r"(?P<who>.+) takes the (?P<injury>.+) injury, saved from death with a DocWagon token",
    "dead": r"(?P<who>.+) takes the (?P<injury>.+) injury and dies",
    "injured": r"(?P<who>.+) takes the (?P<injury>.+) injury",
}


class Reading:
    """What stands on the table while the words of a play are done, one after another."""

    def __init__(self, case: Case, s: Table, roll: Roll) -> None:
        self.case = case
        self.successes = [faces[0] + sure for faces, sure in zip(roll, twin.pool(case, s)[1], strict=True)]
        self.lying = [faces[1] for faces in roll]
        self.injuries = list(self.lying)
        self.icons = list(s.icons)
        self.cards = list(s.cards)
        self.body = Body(s.condition, s.plates, s.own_tokens, s.tokens)
        self.put_in = tuple(
            dice if condition == "up" else NOTHING
            for dice, condition in zip(case.dice, s.condition, strict=True)
        )

    def do(self, part: str) -> None:
        what, words = read(part)
        number = NUMBERS.index(words["number"]) if "number" in words else 1
        assert number > 1 or "number" not in words
        if what == "card":
            self.cards.remove(words["card"])
            assert words["card"] == f"success:{COLOURS[LABELS[words['colour']]]}"
            self.successes[LABELS[words["colour"]]] += 1
            return
        if "colour" in words:
            take(self.successes, words["colour"], 2 if what == "pair" else number)
        if what in {"direct", "directs", "pair"}:
            assert int(words.get("icons", number)) == number
            take(self.icons, words.get("icon", words["colour"]), number)
            return
        take(self.injuries, words["injury"], number)
        if "which" in words:
            assert (words["which"] == "the") == (self.lying[LABELS[words["injury"]]] == 1)
        if what == "ignore":
            self.cards.remove(words["card"])
        if what not in {"ignore", "cancel", "cancels"}:
            self.hurt(what, LABELS[words["injury"]], words.get("who"))

    def hurt(self, what: str, colour: int, who: str | None) -> None:
        """Let the injury be taken as the words say, where the twin says that it may."""
        allowed = twin.one_injury(self.put_in, self.case.task, self.body, colour)
        body = self.body
        if who is None:
            assert allowed == {body}
            return
        n = self.case.names.index(who)
        if what == "plate":
            body = body._replace(plates=twin.changed(body.plates, n, False))
        elif what == "spared":
            assert self.case.task
            assert body.condition[n] == "injured"
        else:
            body = body._replace(condition=twin.changed(body.condition, n, what))
        if what == "rescued" and body.own_tokens[n]:
            body = body._replace(own_tokens=twin.changed(body.own_tokens, n, False))
        elif what == "rescued":
            body = body._replace(tokens=body.tokens - 1)
        assert body in allowed
        self.body = body


def read(part: str) -> tuple[str, dict[str, str]]:
    """Find what a part of the words says."""
    for what, pattern in PARTS.items():
        told = re.fullmatch(pattern, part)
        if told:
            return what, told.groupdict()
    raise AssertionError(f"{part!r} says nothing that is known")


def take(counts: list[int], label: str, number: int) -> None:
    counts[LABELS[label]] -= number
    assert counts[LABELS[label]] >= 0


def result_of(case: Case, s: Table, roll: Roll, words: str) -> Table:
    """Return what stands once these words are done and the Stage is judged."""
    if words == "play Evacuate":
        (away,) = twin.evacuations(s)
        return away
    table = Reading(case, s, roll)
    if words == "nothing to do":
        assert not any(table.successes)
    elif words != "do nothing":
        for part in words.split("; "):
            table.do(part)
    assert not any(table.injuries), "every injury is somebody's, or cancelled"
    return twin.judged(case, s, tuple(table.icons), table.body, tuple(table.cards))


def reroll_of(case: Case, s: Table, roll: Roll, words: str) -> twin.Reroll:
    """Return the dice taken up, as the words say."""
    told = re.fullmatch(r"take up (.+) again with (a free reroll|the Loot card 'reroll-die')", words)
    assert told
    taken = [[0, 0, 0] for _ in COLOURS]
    for dice in re.split(", | and ", told[1]):
        number, label, face = re.fullmatch(r"(\w+) (.+) (\w+)", dice).groups()
        assert (number == "one") == (face in {"success", "injury", "blank"})
        taken[LABELS[label]][FACES[face]] += NUMBERS.index(number)
    after = s._replace(rerolls=s.rerolls - 1)
    if told[2] != "a free reroll":
        after = s._replace(cards=twin.without(s.cards, ("reroll-die",)))
    up = tuple(tuple(faces) for faces in taken)
    return twin.Reroll(twin.minus(roll, up), tuple(sum(faces) for faces in up), after)


def dice_played(s: Table, words: str) -> Table:
    """Return the situation in which the words let the dice roll, or after Evacuate."""
    if words == "play Evacuate":
        (away,) = twin.evacuations(s)
        return away
    told = re.fullmatch(r"(?:play (.+), then )?roll", words)
    assert told
    played = []
    for card in re.split(r"(?<=\)), |(?<=\)) and ", told[1]) if told[1] else []:
        kind, label = re.fullmatch(r"the Loot card '(die:\w+)' \(a (.+) die\)", card).groups()
        assert kind == f"die:{COLOURS[LABELS[label]]}"
        played.append(kind)
    return s._replace(cards=twin.without(s.cards, tuple(played)), bonus=twin.plus(s.bonus, tuple(played)))


def move_of(words: str) -> str:
    """Return what the words decide between Stages, by the twin's name."""
    return next(move for move in ("go", "skip", "pull out") if words.startswith(move))


def text_of(roll: Roll) -> str:
    """Write a roll as a player tells it."""
    shown = [
        f"{colour} {'S' * successes}{'I' * injuries}{'-' * blanks}"
        for colour, (successes, injuries, blanks) in zip(COLOURS, roll, strict=True)
        if successes + injuries + blanks
    ]
    return ", ".join(shown)


def ask(data: Data, s: Table, roll: Roll | None, top: int | None) -> Advice:
    """Ask about a situation of the twin: what is in hand now stands in the scenario."""
    case = twin.read(data)
    are = {
        condition: [name for name, now in zip(case.names, s.condition, strict=True) if now == condition]
        for condition in ("up", "injured", "dead", "rescued")
    }
    in_play = [f"die:{colour}" for colour, dice in zip(COLOURS, s.bonus, strict=True) for _ in range(dice)]
    hand = {"docwagon_tokens": s.tokens, "loot_cards": [*s.cards, *in_play], "rerolls": s.rerolls}
    rolling = s.phase == "rolling"
    situation = Situation(
        stage=s.stage + 1,
        roll_number=twin.ROLLS_PER_STAGE + 1 - s.rolls_left if rolling else None,
        left=dict(zip(COLOURS, s.icons, strict=True)) if rolling else None,
        roll=None if roll is None else text_of(roll),
        hurt=are["injured"],
        dead=are["dead"],
        rescued=are["rescued"],
        plate_used=[
            name
            for name, had, has in zip(case.names, case.plating, s.plates, strict=True)
            if had and not has and name in are["up"]
        ],
        in_play=in_play,
    )
    return advise_scenario(scenario_from_dict(data | hand), situation, top=top)


class Worth(NamedTuple):
    """What the twin ranks, each so that more is better."""

    value: float
    deaths: float
    injuries: float
    nuyen: float
    loot: float


def accrued(case: Case, s: Table) -> tuple[Fraction, ...]:
    """Return the part of the twin's worth that lies in the past, which advice leaves out."""
    before = s._replace(completed=False)
    hurt = s.condition.count("injured") + s.condition.count("rescued")
    return (
        twin.objective(case, before),
        Fraction(-s.condition.count("dead")),
        Fraction(-hurt),
        twin.exact(s.nuyen),
        Fraction(s.loot),
    )


def check_worth(found: Expected, worth: tuple[Fraction, ...], case: Case, s: Table) -> None:
    rest = Worth(*(float(total - past) for total, past in zip(worth, accrued(case, s), strict=True)))
    shown = Worth(found.value, -found.deaths, -found.injuries, found.nuyen, found.loot)
    assert shown == pytest.approx(rest, rel=0, abs=1e-10)


def random_tables(name: str, number: int) -> Iterator[tuple[Table, Roll | None]]:
    """Play a scenario at random, three times, and give some of what stood before and after rolls."""
    case, rng = twin.read(SCENARIOS[name]), random.Random(name)
    tables: list[tuple[Table, Roll | None]] = []
    for _ in range(3):
        s = twin.start(case)
        while s.phase != "ended":
            tables.append((s, None))
            if s.phase == "between":
                moves = twin.between_moves(case, s)
                s = rng.choice([moves[move] for move in sorted(moves) if move != "pull out"])
                continue
            s = rng.choice(sorted(m for m in twin.before_roll_moves(case, s) if m.phase != "ended"))
            roll = rng.choice(sorted(twin.rolls(case, s)))
            tables.append((s, roll))
            results = sorted(twin.legal_results(case, s, roll))
            s = rng.choice([after for after in results if after.phase != "ended"] or results)
    # Rolls first: they are what advice is mostly asked about.
    rng.shuffle(tables)
    yield from sorted(tables, key=lambda table: table[1] is None)[: number - 1]
    yield next(table for table in tables if table[1] is None)


def what_matters(s: Table) -> tuple[Any, ...]:
    """Leave out what neither the rest of the Mission nor its worth depends on."""
    up = tuple(condition == "up" for condition in s.condition)
    plates = tuple(plate and is_up for plate, is_up in zip(s.plates, up, strict=True))
    hurt = s.condition.count("injured") + s.condition.count("rescued")
    same = s._replace(condition=up, plates=plates, own_tokens=(), tokens=s.tokens if any(up) else 0)
    return (*same, hurt, s.condition.count("dead"))


@cache
def solver(name: str) -> Solver:
    return Solver(SCENARIOS[name], twin.Lexicographic())


def value_of(solver: Solver, s: Table, roll: Roll | None) -> Any:
    """Return the twin's worth of a situation, its roll on the table or not."""
    return solver.value(s) if roll is None else solver.faced(s, roll)


def told_by(solver: Solver, s: Table, roll: Roll | None, play: Play) -> tuple[Any, Any]:
    """Return what a play leads to, by its words, and the twin's worth of that; it must be legal."""
    case = solver.case
    if s.phase == "between":
        after = twin.between_moves(case, s)[move_of(play.words)]
        return after, solver.value(after)
    if roll is None:
        after = dice_played(s, play.words)
        assert after in twin.before_roll_moves(case, s)
        return after, solver.rolled(after)
    if play.words.startswith("take up"):
        option = reroll_of(case, s, roll, play.words)
        assert option in twin.reroll_options(case, s, roll)
        return option, solver.picked_up(option)
    after = result_of(case, s, roll, play.words)
    assert after in twin.legal_results(case, s, roll)
    if play.words != "play Evacuate":
        assert play.conditions == dict(zip(case.names, after.condition, strict=True))
        left = after.icons if after.phase == "rolling" else NOTHING
        assert after.phase == "ended" or play.icons == {
            label: icons for label, icons in zip(LABELS, left, strict=True) if icons
        }
    return after, solver.value(after)


def check_advice(name: str, s: Table, roll: Roll | None, every: bool) -> None:
    of, case = solver(name), solver(name).case
    advice = ask(SCENARIOS[name], s, roll, top=None if every else 1000)
    check_worth(advice.best.expected, value_of(of, s, roll), case, s)
    costs = [play.cost for play in advice.plays]
    assert costs[0] == 0.0
    assert all(after >= before - 1e-12 for before, after in pairwise(costs)), "the cheapest first"
    led_to = []
    for play in advice.plays:
        after, worth = told_by(of, s, roll, play)
        check_worth(play.expected, worth, case, s)
        assert play.cost == pytest.approx(advice.best.expected.value - play.expected.value, abs=1e-11)
        led_to.append(after)
    assert len({play.words for play in advice.plays}) == len(advice.plays) == advice.open
    if s.phase == "between":
        assert set(led_to) == set(twin.between_moves(case, s).values())
    elif roll is None:
        assert set(led_to) == twin.before_roll_moves(case, s)
    elif every:
        legal = without_borrowed_tokens(s, twin.legal_results(case, s, roll))
        results = {what_matters(after) for after in led_to if isinstance(after, Table)}
        assert results == {what_matters(after) for after in legal}
        rerolls = {after for after in led_to if isinstance(after, twin.Reroll)}
        assert rerolls == twin.reroll_options(case, s, roll)
    else:
        # Where the Mission fails, plays that leave other icons lead to the same; one is told.
        assert len(set(led_to)) == len(led_to)
        listed = [after for after in led_to if isinstance(after, Table)]
        for after in twin.legal_results(case, s, roll):
            assert any(beats(of, better, after) for better in listed)


def beats(of: Solver, one: Table, other: Table) -> bool:
    """Whether a situation keeps the cards and runners that another keeps, and is worth no less."""
    spared = all(
        now == "up" or then != "up" for now, then in zip(one.condition, other.condition, strict=True)
    )
    cards = Counter(one.cards) >= Counter(other.cards)
    return spared and cards and of.value(one) >= of.value(other)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_play_is_legal_as_told_and_worth_what_the_twin_says_and_none_is_missing(name: str) -> None:
    for s, roll in random_tables(name, EACH):
        check_advice(name, s, roll, every=True)
        if roll is not None:
            check_advice(name, s, roll, every=False)


@pytest.mark.nojit
@pytest.mark.parametrize("name", QUICK)
def test_a_few_situations_are_the_twins_without_the_jit_too(name: str) -> None:
    for s, roll in random_tables(name, 2):
        check_advice(name, s, roll, every=True)


MONEY = {"completion": 0, "nuyen": 1, "loot": 5, "injury": -3, "death": -8}
"""What the players of the example seem to want: nuyen in K, Loot at its price, less the harm."""
WANTS: dict[str, Data] = {"to complete": {}, "for money": MONEY}

NOISE = twin.read(MAKE_SOME_NOISE)
STORY: dict[str, tuple[str, int, Data]] = {
    "Stage 1, roll 1": ("street_samurai SS-, decker ---, rigger S-, face S", 2, {}),
    "Stage 1, roll 2": ("street_samurai S--, decker SSI, rigger S-, face S", 1, {}),
    "Stage 1, roll 3": ("street_samurai SI-, decker SSS, rigger SI, face I", 0, {}),
    "Stage 2, roll 1": ("street_samurai SS-, decker SSS, rigger --, face -", 0, {}),
    "Stage 3, roll 1": (
        "street_samurai ---, decker SSI, rigger I-, face -",
        2,
        {"plates": (False, False), "condition": ("up", "injured")},
    ),
    "Stage 3, roll 2": ("decker SS-", 1, {}),
    "Stage 3, roll 3": ("decker II-", 0, {"condition": ("rescued", "injured"), "tokens": 0, "cards": ()}),
}
"""Each roll of the worked example, the icons that its play leaves, and what else it changes."""


def worked_example() -> dict[str, tuple[Table, Roll | None, Table]]:
    """Give, for each decision, what stood before, the roll on the table, and what the example made of it."""
    decisions: dict[str, tuple[Table, Roll | None, Table]] = {}
    s = twin.start(NOISE)
    for name, (faces, left, changes) in STORY.items():
        if s.phase == "between":
            decisions[f"before {name[:7]}"] = (s, None, twin.between_moves(NOISE, s)["go"])
            s = twin.between_moves(NOISE, s)["go"]
        shown = dict(part.split(" ") for part in faces.split(", "))
        roll = tuple(tuple(shown.get(colour, "").count(face) for face in "SI-") for colour in COLOURS)
        hurt = s._replace(**changes)
        body = Body(hurt.condition, hurt.plates, hurt.own_tokens, hurt.tokens)
        icons = twin.five({"mage": left})
        decisions[name] = (s, roll, twin.judged(NOISE, s, icons, body, hurt.cards))
        s = decisions[name][2]
    return decisions


DECISIONS = worked_example()

COSTS = {
    #                     to complete, for money
    "before Stage 1": (0.0, 0.0),
    "Stage 1, roll 1": (0.0, 0.0),
    "Stage 1, roll 2": (0.0, 0.0),
    "Stage 1, roll 3": (0.0, 0.0),
    "before Stage 2": (0.25219, 0.0),
    "Stage 2, roll 1": (0.0, 0.0),
    "before Stage 3": (0.0, 0.0),
    "Stage 3, roll 1": (0.12414, 3.59049),
    "Stage 3, roll 2": (0.07790, 0.44567),
    "Stage 3, roll 3": (0.0, 0.0),
}
"""What each decision of the worked example costs against the best: in odds of completing, and in K nuyen.

Who only wants to complete skips the Loot Stage. On the first roll of Stage 3 both successes should cancel the
injuries, whatever is wanted: with three icons left but everyone up the odds are better than with two left
and Lazar down. On the second, Aqua Fortis clears the Stage at once together with the pair.
"""

INSTEAD = {
    "before Stage 2": "skip the Loot Stage 2",
    "Stage 3, roll 1": "cancel the Decker injury with a Decker success; "
    "cancel the Rigger injury with a Decker success",
    "Stage 3, roll 2": "play the Loot card 'success:mage' (a Mage success); one Mage success for its icon; "
    "pair two Decker successes as a wild for Mage",
}
"""The best play where the example's was not."""


@cache
def solver_of_the_example(want: str) -> Solver:
    return Solver(MAKE_SOME_NOISE | {"objective": WANTS[want]})


@pytest.mark.parametrize("want", WANTS)
@pytest.mark.parametrize("decision", DECISIONS)
def test_each_decision_of_the_worked_example_is_best_or_costs_what_the_twin_says(
    decision: str, want: str
) -> None:
    s, roll, made_of_it = DECISIONS[decision]
    of = solver_of_the_example(want)
    best = max(map(of.value, twin.between_moves(NOISE, s).values())) if roll is None else of.faced(s, roll)
    advice = ask(MAKE_SOME_NOISE | {"objective": WANTS[want]}, s, roll, top=None)
    (play,) = (play for play in advice.plays if led_to(s, roll, play) == made_of_it)
    assert play.cost == pytest.approx(best - of.value(made_of_it), abs=1e-10)
    assert play.cost == pytest.approx(COSTS[decision][list(WANTS).index(want)], abs=5e-6)
    past = float(accrued(of.case, s)[0])
    assert play.expected.value == pytest.approx(of.value(made_of_it) - past, abs=1e-10)
    assert advice.best.expected.value == pytest.approx(best - past, abs=1e-10)
    if play.cost:
        assert advice.best.words == INSTEAD[decision]
    listed = ask(MAKE_SOME_NOISE | {"objective": WANTS[want]}, s, roll, top=5)
    assert play in listed.plays, "nothing that the example does is plainly wasteful"


def led_to(s: Table, roll: Roll | None, play: Play) -> Table:
    if roll is None:
        return twin.between_moves(NOISE, s)[move_of(play.words)]
    return result_of(NOISE, s, roll, play.words)


def test_the_example_is_told_as_the_rules_replay_it() -> None:
    """The replay of test_worked_example and this one come to the same end."""
    over = DECISIONS["Stage 3, roll 3"][2]
    assert (over.phase, over.completed, over.nuyen, over.loot) == ("ended", False, 3, 1)
    assert over.condition[TAMSYNN] == "rescued"
    assert over.condition[LAZAR] == "injured"
    for s, roll, after in DECISIONS.values():
        if roll is not None:
            assert after in twin.legal_results(NOISE, s, roll)


ANN: Data = {"name": "Ann", "dice": {"decker": 3}}
BO: Data = {"name": "Bo", "dice": {"face": 2, "rigger": 1}}
DOC: Data = {"name": "Doc", "dice": {"mage": 4}}
TWO_DECKERS: Data = {"runners": [ANN], "stages": [{"icons": {"decker": 2}}]}
EVERYONE: Data = {
    "runners": [ANN, BO, DOC],
    "stages": [{"icons": {"decker": 2, "mage": 2}}, {"icons": {"face": 1}}],
}


def plays(data: Data, roll: str | None = None, top: int | None = None, **situation: Any) -> dict[str, Play]:
    """Give the plays by their words, the best first."""
    advice = advise_scenario(scenario_from_dict(data), Situation(roll=roll, **situation), top=top)
    return {play.words: play for play in advice.plays}


TOLD: dict[str, tuple[Data, Data, list[tuple[str, str]]]] = {
    "direct": (
        TWO_DECKERS,
        {"roll": "decker SS-"},
        [
            ("two Decker successes for 2 Decker icons", "Stage 1 is cleared, the Mission completed"),
            ("one Decker success for its icon", "one Decker icon left, two rolls to come"),
            ("do nothing", "two Decker icons left, two rolls to come"),
        ],
    ),
    "nothing to do": (
        TWO_DECKERS,
        {"roll": "decker ---", "roll_number": 2, "left": "decker 1"},
        [("nothing to do", "one Decker icon left, one roll to come")],
    ),
    "wild pairs and colours that cancel": (
        EVERYONE,
        {"roll": "decker SSI, face SI, rigger -, mage S---"},
        [
            (
                "one Mage success for its icon; pair two Decker successes as a wild for Mage; "
                "cancel the Decker injury with a Face success; Bo takes the Face injury",
                "two Decker icons left, two rolls to come; Bo injured",
            ),
            (
                "two Decker successes for 2 Decker icons; cancel the Decker injury with a Mage success; "
                "cancel the Face injury with a Face success",
                "two Mage icons left, two rolls to come",
            ),
            (
                "one Decker success for its icon; one Mage success for its icon; "
                "cancel the Decker injury with a Decker success; cancel the Face injury with a Face success",
                "one Decker icon and one Mage icon left, two rolls to come",
            ),
        ],
    ),
    "several injuries, a Stage that is not the last": (
        EVERYONE,
        {"roll": "decker III, face SS, rigger S, mage SSSI"},
        [
            (
                "two Mage successes for 2 Mage icons; cancel two Decker injuries with two Face successes; "
                "cancel one Decker injury with a Mage success; cancel the Mage injury with a Rigger success",
                "two Decker icons left, two rolls to come",
            ),
            (
                "pair two Face successes as a wild for Decker; pair two Mage successes as a wild for Decker; "
                "cancel one Decker injury with a Mage success; "
                "cancel one Decker injury with a Rigger success; "
                "Ann takes the Decker injury; Doc takes the Mage injury",
                "two Mage icons left, two rolls to come; Ann injured, Doc injured",
            ),
            (
                "one Mage success for its icon; pair two Mage successes as a wild for Decker; "
                "pair two Face successes as a wild for Decker; cancel the Mage injury with a Rigger success; "
                "Ann takes the Decker injury; Ann takes the Decker injury and dies; "
                "the Decker injury hurts nobody",
                "one Mage icon left, two rolls to come; Ann dead",
            ),
        ],
    ),
    "injuries cancelled by two colours": (
        EVERYONE,
        {"roll": "decker SS-, face S-, rigger -, mage III-"},
        [
            (
                "cancel two Mage injuries with two Decker successes; "
                "cancel one Mage injury with a Face success",
                "two Decker icons and two Mage icons left, two rolls to come",
            ),
        ],
    ),
    "a plate": (
        TWO_DECKERS | {"runners": [ANN | {"dermal_plating": True}]},
        {"roll": "decker SI-"},
        [
            (
                "one Decker success for its icon; let Ann's plate take the Decker injury",
                "one Decker icon left, two rolls to come",
            ),
        ],
    ),
    "a plate that is used": (
        TWO_DECKERS | {"runners": [ANN | {"dermal_plating": True}]},
        {"roll": "decker SI-", "plate_used": "Ann"},
        [
            (
                "one Decker success for its icon; Ann takes the Decker injury",
                "the Mission fails with one Decker icon left; Ann injured",
            ),
        ],
    ),
    "death, and rescue": (
        TWO_DECKERS | {"docwagon_tokens": 1, "stages": [{"icons": {"decker": 1}}, {"icons": {"decker": 1}}]},
        {"roll": "decker SII"},
        [
            (
                "one Decker success for its icon; Ann takes the Decker injury; Ann takes the Decker injury, "
                "saved from death with a DocWagon token",
                "Stage 1 is cleared, the Mission over; Ann rescued",
            ),
            (
                "one Decker success for its icon; Ann takes the Decker injury; Ann takes the Decker injury "
                "and dies",
                "Stage 1 is cleared, the Mission over; Ann dead",
            ),
        ],
    ),
    "an injury that nobody can take": (
        TWO_DECKERS | {"loot_cards": ["die:mage"]},
        {"roll": "decker ---, mage I", "roll_number": 3, "left": "decker 1", "in_play": "die:mage"},
        [("the Mage injury hurts nobody", "the Mission fails with one Decker icon left")],
    ),
    "a Task": (
        TWO_DECKERS | {"task": True},
        {"roll": "decker SII"},
        [
            (
                "one Decker success for its icon; Ann takes the Decker injury; Ann, who cannot die here, "
                "takes the Decker injury",
                "the Mission fails with one Decker icon left; Ann injured",
            ),
        ],
    ),
    "cards on a roll": (
        TWO_DECKERS | {"loot_cards": ["success:decker", "ignore-injury", "evacuate"]},
        {"roll": "decker SI-"},
        [
            (
                "play the Loot card 'success:decker' (a Decker success); two Decker successes for 2 Decker "
                "icons; ignore the Decker injury with the Loot card 'ignore-injury'",
                "Stage 1 is cleared, the Mission completed",
            ),
            ("play Evacuate", "nobody is hurt by this roll; the Mission ends"),
        ],
    ),
    "one of several injuries ignored": (
        TWO_DECKERS | {"loot_cards": ["ignore-injury"]},
        {"roll": "decker SII"},
        [
            (
                "ignore one Decker injury with the Loot card 'ignore-injury'; "
                "cancel one Decker injury with a Decker success",
                "two Decker icons left, two rolls to come",
            ),
        ],
    ),
    "rerolls": (
        TWO_DECKERS | {"loot_cards": ["reroll-die"], "rerolls": 1},
        {"roll": "decker SI-"},
        [
            ("take up one Decker injury again with the Loot card 'reroll-die'", ""),
            ("take up one Decker injury and one Decker blank again with a free reroll", ""),
        ],
    ),
    "rerolls of several dice": (
        EVERYONE | {"rerolls": 1},
        {"roll": "decker S--, face II, rigger -, mage S---"},
        [("take up two Decker blanks, one Rigger blank and two Face injuries again with a free reroll", "")],
    ),
    "before a roll": (
        TWO_DECKERS | {"loot_cards": ["die:decker", "die:decker", "die:mage", "evacuate"]},
        {"roll_number": 1},
        [
            ("roll", ""),
            (
                "play the Loot card 'die:decker' (a Decker die), the Loot card 'die:decker' (a Decker die) "
                "and the Loot card 'die:mage' (a Mage die), then roll",
                "",
            ),
            ("play Evacuate", "the Mission ends without this roll"),
        ],
    ),
    "between Stages": (
        TWO_DECKERS | {"stages": [{"icons": {"decker": 1}, "loot": 1}, {"icons": {"decker": 1}}]},
        {},
        [
            ("go on: try Stage 1", ""),
            ("skip the Loot Stage 1", "it pays nothing and counts as cleared"),
            ("pull out", "what was earned is kept, the Mission is not completed"),
        ],
    ),
    "a perk": (
        TWO_DECKERS
        | {"clears_first_stage": True, "stages": [{"icons": {"face": 9}}, {"icons": {"decker": 1}}]},
        {},
        [("go on: the perk clears Stage 1", "")],
    ),
}
"""Words that a player acts on: a scenario, a situation, and some of what must be told of it."""


@pytest.mark.parametrize("what", TOLD)
def test_plays_are_told_in_words_that_a_player_acts_on(what: str) -> None:
    data, situation, expected = TOLD[what]
    told = plays(data, **situation)
    for words, leaves in expected:
        assert words in told
        assert told[words].leaves == leaves


def test_loot_goes_by_the_names_on_the_cards() -> None:
    team = "Tamsynn, Lazar"
    roll = "decker SI, samurai I-, rigger -"
    hand = ("Aqua Fortis", "Quick Bandage", "Second Chance")
    told = [play.words for play in advise("make some noise", team, loot=hand, roll=roll, top=None).plays]
    assert (
        "play Aqua Fortis (a Mage success); one Mage success for its icon; ignore the Street Samurai injury "
        "with Quick Bandage; cancel the Decker injury with a Decker success"
    ) in told
    assert "take up one Decker injury again with Second Chance" in told
    before = advise(
        "make some noise", team, loot=("Chalk Circle", "Rented Terminal"), roll_number=1, top=None
    )
    assert {play.words for play in before.plays} == {
        "roll",
        "play Chalk Circle (a Mage die), then roll",
        "play Rented Terminal (a Decker die), then roll",
        "play Rented Terminal (a Decker die) and Chalk Circle (a Mage die), then roll",
    }


WASTEFUL = [
    # Where the Stage can only fail, nobody cares which icons are left.
    (TWO_DECKERS, "decker SI-", {"roll_number": 3, "left": "decker 2"}, 1, 3),
    # Getting everybody hurt for an icon that no roll is left to follow up.
    (TWO_DECKERS, "decker SI-", {}, 1, 3),
    # Doing less than possible.
    (TWO_DECKERS, "decker SS-", {}, 1, 3),
    # Playing a card without need.
    (TWO_DECKERS | {"loot_cards": ["success:decker"]}, "decker SS-", {}, 1, 6),
]


@pytest.mark.parametrize(("data", "roll", "situation", "told", "every"), WASTEFUL)
def test_wasteful_plays_are_told_only_when_every_play_is(
    data: Data, roll: str, situation: Data, told: int, every: int
) -> None:
    few, all_of_them = plays(data, roll, top=99, **situation), plays(data, roll, **situation)
    assert len(few) == told
    assert len(all_of_them) == every
    for words, play in few.items():
        assert all_of_them[words] == play
    assert next(iter(few.values())).cost == 0.0


def test_who_is_hurt_is_for_players_to_choose_where_it_is_worth_the_same() -> None:
    """Two outcomes that differ in names alone beat each other in nothing: neither may hide the other."""
    ann = {"name": "Ann", "dice": {"face": 1, "mage": 2}}
    bo = {"name": "Bo", "dice": {"face": 1, "rigger": 2}}
    data = {"runners": [ann, bo], "stages": [{"icons": {"decker": 3}}]}
    told = plays(data, "mage I-, rigger I-, face I-", top=99, roll_number=3, left="decker 1")
    assert {tuple((play.conditions or {}).values()) for play in told.values()} == {
        ("dead", "injured"),
        ("injured", "dead"),
    }
    assert [play.cost for play in told.values()] == [0.0, 0.0]


def test_a_plate_may_take_any_colour_where_the_table_plays_so() -> None:
    crew = [ANN | {"dermal_plating": True}, BO]
    data = TWO_DECKERS | {"runners": crew, "rules": {"plating_takes_any_colour": True}}
    told = plays(data, "decker S--, face I-, rigger -")
    assert "one Decker success for its icon; let Ann's plate take the Face injury" in told
    assert "one Decker success for its icon; let Ann's plate take the Face injury" not in plays(
        TWO_DECKERS | {"runners": crew}, "decker S--, face I-, rigger -"
    )


def test_the_best_play_is_the_same_however_many_are_asked_for() -> None:
    scenario = scenario_from_dict(EVERYONE)
    situation = Situation(roll="decker SSI, face SI, rigger -, mage S---")
    one, five, every = (advise_scenario(scenario, situation, top=top) for top in (1, 5, None))
    assert one.plays == five.plays[:1] == every.plays[:1] == (one.best,)
    assert one.open == five.open < every.open == len(every.plays)


def test_advice_is_plain_data_a_frame_and_one_line() -> None:
    advice = advise("make some noise", "Tamsynn, Lazar", roll="decker SS, samurai S-, rigger -")
    told = advice.to_dict()
    assert list(told) == ["schema", "title", "team", "situation", "worth", "open", "plays", "notes"]
    assert told["schema"] == 1
    assert list(told["plays"][0]) == [
        "play", "leaves", "value", "completed", "nuyen", "loot", "injuries", "deaths", "cost",
        "icons", "conditions",
    ]  # fmt: skip
    assert told["plays"][0]["play"] == "pair two Decker successes as a wild for Mage"
    assert told["plays"][0]["icons"] == {"Mage": 2}
    assert told["plays"][0]["conditions"] == {"Tamsynn": "up", "Lazar": "up"}
    frame = advice.frame()
    assert frame.shape == (len(advice.plays), 9)
    assert frame["cost"].tolist() == [play.cost for play in advice.plays]
    assert str(advice) == (
        "Make Some Noise, Stage 1 of 4, roll 1, 3 Mage to defeat: "
        "pair two Decker successes as a wild for Mage"
    )
    assert "<table" in advice._repr_html_()
