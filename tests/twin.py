"""The naive twin: a Mission attempt as a decision process, in plain Python, slow and obvious.

It is written from the rulings (M1-M16, M18, G8, G10) and from nothing else, to be compared with the package.
A scenario is a dict in the form of the scenario files. Everything between two rolls is a ``Situation``.
A roll is, per colour, a tuple (successes, injuries, blanks) of the dice that were really rolled; the certain
successes of veteran teams (M2) are not in it. Nothing is left out because it looks useless, except that no
card is thrown away for nothing: a die card is played before a roll only, Evacuate is played alone, and
ignore-injury needs an injury.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import product
from math import fsum
from typing import Any, NamedTuple

COLOURS = ("street_samurai", "decker", "mage", "rigger", "face")
NOTHING = (0, 0, 0, 0, 0)
ROLLS_PER_STAGE = 3
FACES = ("success", "success", "injury", "blank", "blank", "blank")
FATES = ("injured", "rescued", "dead")

Five = tuple[int, int, int, int, int]
Roll = tuple[tuple[int, int, int], ...]


class Stage(NamedTuple):
    """One printed Stage; it is optional when it offers Loot."""

    icons: Five
    loot: int
    payout: float


class Case(NamedTuple):
    """A scenario, read: the parts that never change during the Mission."""

    stages: tuple[Stage, ...]
    dice: tuple[Five, ...]
    names: tuple[str, ...]
    plating: tuple[bool, ...]
    own_tokens: tuple[bool, ...]
    tokens: int
    payout: float
    cards: tuple[str, ...]
    rerolls: int
    task: bool
    clears_first: bool
    clears_last: bool
    loot_for_first: bool
    weights: tuple[tuple[str, float], ...]


Scenario = dict[str, Any] | Case


class Situation(NamedTuple):
    """Everything there is to know between two rolls.

    ``phase`` is "between" (about to decide on this Stage; icons and rolls are the Stage's full ones),
    "rolling" (a roll of this Stage is about to be made, and is counted in ``rolls_left``) or "ended".
    In an ended situation ``stage`` is the Stage that was not cleared or not begun (the number of Stages when
    completed), and ``icons``, ``rolls_left`` and ``bonus`` are zero.
    """

    stage: int
    phase: str
    rolls_left: int
    icons: Five
    condition: tuple[str, ...]
    plates: tuple[bool, ...]
    own_tokens: tuple[bool, ...]
    tokens: int
    cards: tuple[str, ...]
    bonus: Five
    rerolls: int
    cleared: tuple[int, ...]
    reached: tuple[int, ...]
    nuyen: float
    loot: int
    completed: bool


class Body(NamedTuple):
    """The part of a situation that injuries change."""

    condition: tuple[str, ...]
    plates: tuple[bool, ...]
    own_tokens: tuple[bool, ...]
    tokens: int


class Reroll(NamedTuple):
    """One way to pick up dice: what stays, how many of each colour are rolled again, what it cost."""

    kept: Roll
    picked: Five
    after: Situation


def five(counts: dict[str, int]) -> Five:
    """Return counts by role name as five numbers."""
    return tuple(int(counts.get(colour, 0)) for colour in COLOURS)


def read(scenario: Scenario) -> Case:
    """Return the scenario as a Case; a Final Mission and a Task have no perks (G10)."""
    if isinstance(scenario, Case):
        return scenario
    perks = not scenario.get("final", False) and not scenario.get("task", False)
    weights = dict.fromkeys(("nuyen", "loot", "injury", "death", "payout", "safe"), 0.0) | {"completion": 1.0}
    weights.update(scenario.get("objective", {}))
    runners = scenario["runners"]
    return Case(
        stages=tuple(
            Stage(five(stage["icons"]), stage.get("loot", 0), stage.get("payout", 0))
            for stage in scenario["stages"]
        ),
        dice=tuple(five(runner.get("dice", {})) for runner in runners),
        names=tuple(runner.get("name", f"Runner {n}") for n, runner in enumerate(runners, 1)),
        plating=tuple(bool(runner.get("dermal_plating", False)) for runner in runners),
        own_tokens=tuple(bool(runner.get("docwagon_token", False)) for runner in runners),
        tokens=scenario.get("docwagon_tokens", 0),
        payout=scenario.get("payout", 0),
        cards=tuple(sorted(scenario.get("loot_cards", []))),
        rerolls=scenario.get("rerolls", 0),
        task=bool(scenario.get("task", False)),
        clears_first=perks and bool(scenario.get("clears_first_stage", False)),
        clears_last=perks and bool(scenario.get("clears_last_stage", False)),
        loot_for_first=perks and bool(scenario.get("loot_for_first_stage", False)),
        weights=tuple(sorted(weights.items())),
    )


def start(scenario: Scenario) -> Situation:
    """Return the situation before the first Stage, where pulling out is still possible (M9)."""
    case = read(scenario)
    return Situation(
        stage=0,
        phase="between",
        rolls_left=ROLLS_PER_STAGE,
        icons=case.stages[0].icons,
        condition=("up",) * len(case.dice),
        plates=case.plating,
        own_tokens=case.own_tokens,
        tokens=case.tokens,
        cards=case.cards,
        bonus=NOTHING,
        rerolls=case.rerolls,
        cleared=(),
        reached=(),
        nuyen=0,
        loot=0,
        completed=False,
    )


def ended(s: Situation) -> Situation:
    """Return the situation with the Mission over; what was earned stays."""
    return s._replace(phase="ended", rolls_left=0, icons=NOTHING, bonus=NOTHING)


def next_stage(case: Case, s: Situation) -> Situation:
    """Move past a Stage cleared or skipped: completed, or every runner down, or the next decision (M8)."""
    s = s._replace(stage=s.stage + 1)
    if s.stage == len(case.stages):
        return ended(s._replace(completed=True, nuyen=s.nuyen + case.payout))
    if "up" not in s.condition:
        return ended(s)
    return s._replace(
        phase="between", rolls_left=ROLLS_PER_STAGE, icons=case.stages[s.stage].icons, bonus=NOTHING
    )


def clear(case: Case, s: Situation) -> Situation:
    """Clear this Stage, by roll or perk: its payout and Loot, the Decker perk's Loot (G10); then move on."""
    stage = case.stages[s.stage]
    loot = s.loot + stage.loot
    if s.stage == 0 and case.loot_for_first:
        loot += 1
    s = s._replace(cleared=(*s.cleared, s.stage), nuyen=s.nuyen + stage.payout, loot=loot)
    return next_stage(case, s)


def perk_clears(case: Case, index: int) -> bool:
    """Tell whether a perk clears this Stage; first and last as printed, a single Stage is both (G10)."""
    is_first = index == 0
    is_last = index == len(case.stages) - 1
    return (case.clears_first and is_first) or (case.clears_last and is_last)


def between_moves(scenario: Scenario, s: Situation) -> dict[str, Situation]:
    """Return what may be decided between Stages: go, skip an optional Stage (M8, M9), pull out (M9).

    Going on into a Stage that a perk clears uses the perk (G10).
    """
    case = read(scenario)
    assert s.phase == "between"
    moves = {}
    going = s._replace(reached=(*s.reached, s.stage))
    if perk_clears(case, s.stage):
        moves["go"] = clear(case, going)
    else:
        moves["go"] = going._replace(phase="rolling")
    if case.stages[s.stage].loot > 0:
        moves["skip"] = next_stage(case, s)
    moves["pull out"] = ended(s)
    return moves


def without(cards: tuple[str, ...], played: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cards left after playing some of them."""
    left = list(cards)
    for card in played:
        left.remove(card)
    return tuple(left)


def hands(cards: tuple[str, ...], kind: str) -> set[tuple[str, ...]]:
    """Return every way to play any number of the held cards of one kind, none included."""
    held = [card for card in cards if card.startswith(kind)]
    ways = set()
    for chosen in product((False, True), repeat=len(held)):
        ways.add(tuple(card for card, yes in zip(held, chosen, strict=True) if yes))
    return ways


def colour_of(card: str) -> int:
    """Return the colour that a die or success card names."""
    return COLOURS.index(card.split(":")[1])


def plus(counts: Five, cards: tuple[str, ...]) -> Five:
    """Return the counts with one more of the colour of each card."""
    more = list(counts)
    for card in cards:
        more[colour_of(card)] += 1
    return tuple(more)


def evacuations(s: Situation) -> set[Situation]:
    """Return the situation after Evacuate, if it is held: nothing cleared, nobody hurt (M5)."""
    if "evacuate" not in s.cards:
        return set()
    return {ended(s._replace(cards=without(s.cards, ("evacuate",))))}


def before_roll_moves(scenario: Scenario, s: Situation) -> set[Situation]:
    """Return the situations the roll may be made in, by the die cards played now (M5), or evacuation."""
    assert s.phase == "rolling"
    moves = set()
    for played in hands(s.cards, "die:"):
        moves.add(s._replace(cards=without(s.cards, played), bonus=plus(s.bonus, played)))
    return moves | evacuations(s)


def pool(scenario: Scenario, s: Situation) -> tuple[Five, Five]:
    """Return the dice to roll and the certain successes, from runners who are up and bonus dice (M1, M2)."""
    case = read(scenario)
    rolled, certain = [], []
    for colour in range(5):
        count = s.bonus[colour]
        for dice, condition in zip(case.dice, s.condition, strict=True):
            if condition == "up":
                count += dice[colour]
        veteran = count >= 5
        rolled.append(count - 2 if veteran else count)
        certain.append(1 if veteran else 0)
    return tuple(rolled), tuple(certain)


@cache
def colour_rolls(count: int) -> dict[tuple[int, int, int], Fraction]:
    """Return the law of some dice of one colour, adding one die at a time and one face at a time."""
    if count == 0:
        return {(0, 0, 0): Fraction(1)}
    law: dict[tuple[int, int, int], Fraction] = defaultdict(Fraction)
    for (successes, injuries, blanks), chance in colour_rolls(count - 1).items():
        for face in FACES:
            seen = (
                successes + (face == "success"),
                injuries + (face == "injury"),
                blanks + (face == "blank"),
            )
            law[seen] += chance / len(FACES)
    return dict(law)


@cache
def rolls_of(dice: Five) -> dict[Roll, Fraction]:
    """Return every roll of these dice with its exact probability."""
    laws = [colour_rolls(count) for count in dice]
    law = {}
    for combination in product(*(colour_law.items() for colour_law in laws)):
        chance = Fraction(1)
        for _, colour_chance in combination:
            chance *= colour_chance
        law[tuple(faces for faces, _ in combination)] = chance
    return law


def rolls(scenario: Scenario, s: Situation) -> dict[Roll, Fraction]:
    """Return every roll that this situation's pool can show, with its exact probability."""
    return rolls_of(pool(scenario, s)[0])


def changed(values: tuple, index: int, value: Any) -> tuple:
    """Return the tuple with one entry changed."""
    return (*values[:index], value, *values[index + 1 :])


def one_fewer(counts: Five, colour: int) -> Five:
    """Return the counts with one fewer of a colour."""
    fewer = list(counts)
    fewer[colour] -= 1
    return tuple(fewer)


@cache
def removals(counts: Five, number: int) -> frozenset[Five]:
    """Return what may be left when exactly this many are taken away, of whatever colours."""
    if number == 0:
        return frozenset({counts})
    left: set[Five] = set()
    for colour in range(5):
        if counts[colour] > 0:
            left |= removals(one_fewer(counts, colour), number - 1)
    return frozenset(left)


@cache
def uses_of_successes(icons: Five, successes: Five) -> frozenset[tuple[Five, int]]:
    """Return (icons left, successes kept for cancelling) for every use of the successes of one roll (M3, M4).

    Each success defeats an icon of its colour, is half of a wild pair of its colour, cancels, or is lost.
    """
    partial = {(icons, 0, 0)}
    for colour in range(5):
        longer = set()
        for left, pairs, cancels in partial:
            for direct in range(min(successes[colour], left[colour]) + 1):
                spare = successes[colour] - direct
                fewer = changed(left, colour, left[colour] - direct)
                for more_pairs in range(spare // 2 + 1):
                    for more_cancels in range(spare - 2 * more_pairs + 1):
                        longer.add((fewer, pairs + more_pairs, cancels + more_cancels))
        partial = longer
    uses = set()
    for left, pairs, cancels in partial:
        for wilds in range(min(pairs, sum(left)) + 1):
            for fewer in removals(left, wilds):
                uses.add((fewer, cancels))
    return frozenset(uses)


@cache
def settlements(icons: Five, successes: Five, injuries: Five, ignored: int) -> frozenset[tuple[Five, Five]]:
    """Return (icons left, injuries left) for every use of the successes, some injuries ignored by cards."""
    settled = set()
    for left, cancels in uses_of_successes(icons, successes):
        for cancelled in range(min(cancels, sum(injuries) - ignored) + 1):
            for remaining in removals(injuries, cancelled + ignored):
                settled.add((left, remaining))
    return frozenset(settled)


def one_injury(contributed: tuple[Five, ...], task: bool, body: Body, colour: int) -> set[Body]:
    """Return every legal result of one injury of this colour (M10-M14, M16).

    ``contributed`` holds the dice each runner put into this roll.
    """
    eligible = [
        runner
        for runner, dice in enumerate(contributed)
        if dice[colour] > 0 and body.condition[runner] in ("up", "injured")
    ]
    if not eligible:
        return {body}  # M14
    results = set()
    able = [runner for runner in eligible if body.plates[runner] or body.condition[runner] == "up"]
    for runner in able:
        if body.plates[runner]:  # M12
            results.add(body._replace(plates=changed(body.plates, runner, False)))
        else:
            results.add(body._replace(condition=changed(body.condition, runner, "injured")))
    if able:
        return results  # M11: nobody may die while another could take it
    if task:
        return {body}  # M16
    for runner in eligible:
        results.add(body._replace(condition=changed(body.condition, runner, "dead")))
        rescued = body._replace(condition=changed(body.condition, runner, "rescued"))
        if body.tokens > 0:  # M13
            results.add(rescued._replace(tokens=body.tokens - 1))
        if body.own_tokens[runner]:  # G8: this token is for its own runner only
            results.add(rescued._replace(own_tokens=changed(body.own_tokens, runner, False)))
    return results


@cache
def assignments(contributed: tuple[Five, ...], task: bool, body: Body, injuries: Five) -> frozenset[Body]:
    """Return every legal result of assigning these injuries, in every order (M11)."""
    if sum(injuries) == 0:
        return frozenset({body})
    results: set[Body] = set()
    for colour in range(5):
        if injuries[colour] > 0:
            for hurt in one_injury(contributed, task, body, colour):
                results |= assignments(contributed, task, hurt, one_fewer(injuries, colour))
    return frozenset(results)


def judged(case: Case, s: Situation, icons: Five, body: Body, cards: tuple[str, ...]) -> Situation:
    """Judge the Stage once injuries are assigned: cleared, failed, or another roll (M6, M7, M8)."""
    s = s._replace(
        icons=icons,
        condition=body.condition,
        plates=body.plates,
        own_tokens=body.own_tokens,
        tokens=body.tokens,
        cards=cards,
    )
    if sum(icons) == 0:
        return clear(case, s)
    if "up" not in s.condition or s.rolls_left == 1:
        return ended(s)
    return s._replace(rolls_left=s.rolls_left - 1)


def results_of_use(
    scenario: Scenario, s: Situation, icons: Five, injuries: Five, cards: tuple[str, ...]
) -> set[Situation]:
    """Return what can stand once these icons are left, these injuries to be assigned, these cards held."""
    case = read(scenario)
    contributed = tuple(
        dice if condition == "up" else NOTHING for dice, condition in zip(case.dice, s.condition, strict=True)
    )
    body = Body(s.condition, s.plates, s.own_tokens, s.tokens)
    return {
        judged(case, s, icons, hurt, cards) for hurt in assignments(contributed, case.task, body, injuries)
    }


def uses(scenario: Scenario, s: Situation, roll: Roll) -> set[tuple[Five, Five, tuple[str, ...]]]:
    """Return (icons left, injuries left, cards left) for every use of successes and cards (M3, M4, M5)."""
    certain = pool(scenario, s)[1]
    rolled = tuple(faces[0] + sure for faces, sure in zip(roll, certain, strict=True))
    injuries = tuple(faces[1] for faces in roll)
    ways = set()
    for successes_played in hands(s.cards, "success:"):
        successes = plus(rolled, successes_played)
        for ignores_played in hands(s.cards, "ignore-injury"):
            ignored = len(ignores_played)
            if ignored <= sum(injuries):
                cards = without(s.cards, successes_played + ignores_played)
                for icons, remaining in settlements(s.icons, successes, injuries, ignored):
                    ways.add((icons, remaining, cards))
    return ways


def legal_results(scenario: Scenario, s: Situation, roll: Roll) -> set[Situation]:
    """Return every situation that can stand after this roll, by any legal play without a reroll (M3-M16)."""
    case = read(scenario)
    assert s.phase == "rolling"
    results = evacuations(s)
    for icons, remaining, cards in uses(case, s, roll):
        results |= results_of_use(case, s, icons, remaining, cards)
    return results


def picks(roll: Roll) -> list[Roll]:
    """Return every set of dice that may be picked up from a roll, by the faces they show; none included."""
    per_colour = [
        [
            (successes, injuries, blanks)
            for successes in range(faces[0] + 1)
            for injuries in range(faces[1] + 1)
            for blanks in range(faces[2] + 1)
        ]
        for faces in roll
    ]
    return list(product(*per_colour))


def minus(roll: Roll, taken: Roll) -> Roll:
    """Return the dice left on the table."""
    return tuple(
        tuple(have - take for have, take in zip(faces, gone, strict=True))
        for faces, gone in zip(roll, taken, strict=True)
    )


def together(kept: Roll, new: Roll) -> Roll:
    """Return the roll made of dice kept and dice rolled again."""
    return tuple(
        tuple(old + fresh for old, fresh in zip(faces, more, strict=True))
        for faces, more in zip(kept, new, strict=True)
    )


def reroll_options(scenario: Scenario, s: Situation, roll: Roll) -> set[Reroll]:
    """Return every way to pick up dice: any by a free reroll, one by the card, none set aside (M18)."""
    options = set()
    if s.rerolls == 0 and "reroll-die" not in s.cards:
        return options
    for taken in picks(roll):
        picked = tuple(sum(faces) for faces in taken)
        kept = minus(roll, taken)
        if s.rerolls > 0 and sum(picked) > 0:
            options.add(Reroll(kept, picked, s._replace(rerolls=s.rerolls - 1)))
        if "reroll-die" in s.cards and sum(picked) == 1:
            options.add(Reroll(kept, picked, s._replace(cards=without(s.cards, ("reroll-die",)))))
    return options


def exact(number: float) -> Fraction:
    """Return a decimal as it is written, so that 0.1 is one tenth."""
    return Fraction(str(number))


def objective(scenario: Scenario, s: Situation) -> Fraction:
    """Return the worth of an ended situation; rescued runners count as injured, unspent things as nothing."""
    weights = {key: exact(weight) for key, weight in read(scenario).weights}
    fates = Counter(s.condition)
    return (
        weights["completion"] * s.completed
        + weights["nuyen"] * exact(s.nuyen)
        + weights["loot"] * s.loot
        + weights["injury"] * (fates["injured"] + fates["rescued"])
        + weights["death"] * fates["dead"]
        + weights["payout"] * paid(scenario, s)
        + weights["safe"] * (s.completed and fates["dead"] == 0)
    )


def paid(scenario: Scenario, s: Situation) -> bool:
    """Tell whether the nuyen payout was won: the last Stage's that pays, or else the Mission's."""
    case = read(scenario)
    paying = [index for index, stage in enumerate(case.stages) if stage.payout]
    if paying:
        return paying[-1] in s.cleared
    return s.completed and case.payout > 0


class Plain:
    """The objective alone, in floats."""

    def worth(self, case: Case, s: Situation) -> float:
        """Return the objective of an ended situation."""
        return float(objective(case, s))

    def mean(self, chances: list[float], values: list[float]) -> float:
        """Return the expected value."""
        return fsum(chance * value for chance, value in zip(chances, values, strict=True))

    def chance(self, probability: Fraction) -> float:
        """Return the probability in this measure's arithmetic."""
        return float(probability)


class Lexicographic:
    """The objective, then fewer deaths, fewer injuries, more nuyen, more Loot; in exact fractions."""

    def worth(self, case: Case, s: Situation) -> tuple[Fraction, ...]:
        """Return the five figures of an ended situation, each so that more is better."""
        fates = Counter(s.condition)
        hurt = fates["injured"] + fates["rescued"]
        return (
            objective(case, s),
            -Fraction(fates["dead"]),
            -Fraction(hurt),
            exact(s.nuyen),
            Fraction(s.loot),
        )

    def mean(self, chances: list[Fraction], values: list[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        """Return the expected figures."""
        columns = zip(*values, strict=True)
        return tuple(
            sum(chance * value for chance, value in zip(chances, column, strict=True)) for column in columns
        )

    def chance(self, probability: Fraction) -> Fraction:
        """Return the probability in this measure's arithmetic."""
        return probability


class Solver:
    """Best play by memoised recursion over every situation, every roll and every legal play of it."""

    def __init__(self, scenario: Scenario, measure: "Plain | Lexicographic | None" = None):
        self.case = read(scenario)
        self.measure = measure or Plain()
        self.values: dict[Situation, Any] = {}
        self.rolled_values: dict[Situation, Any] = {}
        self.faced_values: dict[tuple[Situation, Roll], Any] = {}
        self.use_values: dict[Situation, dict[tuple, Any]] = defaultdict(dict)
        self.reroll_values: dict[Reroll, Any] = {}
        self.laws: dict[Five, tuple[list[Roll], list[Any]]] = {}

    def law(self, dice: Five) -> tuple[list[Roll], list[Any]]:
        """Return the rolls of these dice and their chances, in the measure's arithmetic."""
        if dice not in self.laws:
            law = rolls_of(dice)
            self.laws[dice] = list(law), [self.measure.chance(chance) for chance in law.values()]
        return self.laws[dice]

    def value(self, s: Situation) -> Any:
        """Return the worth of a situation under best play."""
        if s not in self.values:
            if s.phase == "ended":
                value = self.measure.worth(self.case, s)
            elif s.phase == "between":
                value = max(self.value(after) for after in between_moves(self.case, s).values())
            else:
                value = max(self.rolled(after) for after in before_roll_moves(self.case, s))
            self.values[s] = value
        return self.values[s]

    def rolled(self, s: Situation) -> Any:
        """Return the worth of making this roll now; an evacuated Mission has no roll left to make."""
        if s.phase == "ended":
            return self.value(s)
        if s not in self.rolled_values:
            seen, chances = self.law(pool(self.case, s)[0])
            self.rolled_values[s] = self.measure.mean(chances, [self.faced(s, roll) for roll in seen])
        return self.rolled_values[s]

    def faced(self, s: Situation, roll: Roll) -> Any:
        """Return the worth of facing this roll: play it, or pick dice up (M18)."""
        key = (s, roll)
        if key not in self.faced_values:
            best = self.played(s, roll)
            for option in reroll_options(self.case, s, roll):
                best = max(best, self.picked_up(option))
            self.faced_values[key] = best
        return self.faced_values[key]

    def played(self, s: Situation, roll: Roll) -> Any:
        """Return the worth of the best of ``legal_results``, remembering what each use is worth here."""
        known = self.use_values[s]
        worths = [self.value(after) for after in evacuations(s)]
        for use in uses(self.case, s, roll):
            if use not in known:
                known[use] = max(map(self.value, results_of_use(self.case, s, *use)))
            worths.append(known[use])
        return max(worths)

    def picked_up(self, option: Reroll) -> Any:
        """Return the worth of rolling these dice again."""
        if option not in self.reroll_values:
            seen, chances = self.law(option.picked)
            values = [self.faced(option.after, together(option.kept, new)) for new in seen]
            self.reroll_values[option] = self.measure.mean(chances, values)
        return self.reroll_values[option]


def best_value(scenario: Scenario) -> float:
    """Return the expected objective under best play."""
    return Solver(scenario).value(start(scenario))


def best_figures(scenario: Scenario) -> dict[str, Fraction]:
    """Return the exact figures of best play: ties go to fewer deaths, fewer injuries, nuyen, Loot."""
    worth, deaths, injuries, nuyen, loot = Solver(scenario, Lexicographic()).value(start(scenario))
    return {
        "objective_value": worth,
        "dead_count": -deaths,
        "injured_count": -injuries,
        "nuyen": nuyen,
        "loot": loot,
    }


class BestPlay:
    """Best play as a policy, ties broken as in ``best_figures`` (then by the order of situations)."""

    def __init__(self, scenario: Scenario):
        self.solver = Solver(scenario, Lexicographic())

    def between(self, scenario: Scenario, s: Situation) -> str:
        """Return the best decision."""
        moves = between_moves(scenario, s)
        return max(sorted(moves), key=lambda name: self.solver.value(moves[name]))

    def before_roll(self, scenario: Scenario, s: Situation) -> Situation:
        """Return the best situation to roll in, or to have evacuated in."""
        return max(sorted(before_roll_moves(scenario, s)), key=self.solver.rolled)

    def reroll(self, scenario: Scenario, s: Situation, roll: Roll) -> Reroll | None:
        """Return the best dice to pick up where that beats playing the roll."""
        options = sorted(reroll_options(scenario, s, roll))
        best = max(options, key=self.solver.picked_up, default=None)
        played = self.solver.played(s, roll)
        return best if best is not None and self.solver.picked_up(best) > played else None

    def play(self, scenario: Scenario, s: Situation, roll: Roll) -> Situation:
        """Return the best result."""
        return max(sorted(legal_results(scenario, s, roll)), key=self.solver.value)


def progress(s: Situation) -> tuple[int, bool, int]:
    """Return a key that only ever rises as the Mission goes on."""
    return s.stage, s.phase == "rolling", -s.rolls_left


def after_roll(scenario: Scenario, policy: Any, s: Situation, roll: Roll) -> dict[Situation, Fraction]:
    """Return what a policy makes of a roll, over its rerolls; every choice must be legal."""
    option = policy.reroll(scenario, s, roll)
    if option is None:
        result = policy.play(scenario, s, roll)
        assert result in legal_results(scenario, s, roll), (s, roll, result)
        return {result: Fraction(1)}
    assert option in reroll_options(scenario, s, roll), (s, roll, option)
    law: dict[Situation, Fraction] = defaultdict(Fraction)
    for new, chance in rolls_of(option.picked).items():
        for result, share in after_roll(scenario, policy, option.after, together(option.kept, new)).items():
            law[result] += chance * share
    return law


def policy_distribution(scenario: Scenario, policy: Any) -> dict[Situation, Fraction]:
    """Return the exact distribution of ended situations under a policy."""
    waiting: dict[Situation, Fraction] = {start(scenario): Fraction(1)}
    over: dict[Situation, Fraction] = defaultdict(Fraction)

    def send(s: Situation, chance: Fraction) -> None:
        if s.phase == "ended":
            over[s] += chance
        else:
            waiting[s] = waiting.get(s, Fraction(0)) + chance

    while waiting:
        s = min(waiting, key=progress)
        chance = waiting.pop(s)
        if s.phase == "between":
            send(between_moves(scenario, s)[policy.between(scenario, s)], chance)
            continue
        ready = policy.before_roll(scenario, s)
        assert ready in before_roll_moves(scenario, s), (s, ready)
        if ready.phase == "ended":
            send(ready, chance)
            continue
        for roll, share in rolls(scenario, ready).items():
            for result, part in after_roll(scenario, policy, ready, roll).items():
                send(result, chance * share * part)
    return dict(over)


def figures(scenario: Scenario, law: dict[Situation, Fraction]) -> dict[str, Any]:
    """Return the figures of a distribution of ended situations, by the names that odds as JSON have."""
    case = read(scenario)

    def mean(of: Any) -> Fraction:
        return sum((chance * of(s) for s, chance in law.items()), Fraction(0))

    def hurt(s: Situation) -> int:
        return sum(condition in ("injured", "rescued") for condition in s.condition)

    crew = range(len(case.dice))
    return {
        "objective_value": mean(lambda s: objective(case, s)),
        "completed": mean(lambda s: s.completed),
        "nuyen": mean(lambda s: exact(s.nuyen)),
        "loot": mean(lambda s: s.loot),
        "stages": [
            {"reached": mean(lambda s, n=n: n in s.reached), "cleared": mean(lambda s, n=n: n in s.cleared)}
            for n in range(len(case.stages))
        ],
        "runners": [
            {"name": case.names[n]}
            | {fate: mean(lambda s, n=n, fate=fate: s.condition[n] == fate) for fate in FATES}
            for n in crew
        ],
        "injured_count": [mean(lambda s, n=n: hurt(s) == n) for n in range(len(crew) + 1)],
        "dead_count": [mean(lambda s, n=n: s.condition.count("dead") == n) for n in range(len(crew) + 1)],
    }
