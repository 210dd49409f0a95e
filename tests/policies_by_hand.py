"""The three policies in plain Python, slow and obvious, written from docs/policies.md alone.

Each is a policy as ``twin.policy_distribution`` asks it: ``between``, ``before_roll``, ``reroll``, ``play``.
Headings and names follow the page.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache
from math import comb, exp, sqrt
from typing import NamedTuple

import twin
from twin import NOTHING, Body, Case, Five, Reroll, Roll, Scenario, Situation

FIVE = range(5)
TIE = 1e-9
"""Estimates nearer than this are equal."""

Harm = Callable[[Body, int], float]


class Table(NamedTuple):
    """A roll on the table, with the cards played on it."""

    s: Situation
    pool: Five
    successes: Five
    injuries: Five
    cards: tuple[str, ...]
    any_plate: bool
    """Whether a plate takes an injury of any colour (the rules option of M12)."""


class Use(NamedTuple):
    """What is left after one way to use a roll."""

    icons: Five
    body: Body
    cards: tuple[str, ...]


def body_of(s: Situation) -> Body:
    """Return what injuries change."""
    return Body(s.condition, s.plates, s.own_tokens, s.tokens)


def total_dice(case: Case, up: tuple[bool, ...], bonus: Five) -> Five:
    """Return the pool of every colour: the dice of runners who are up, and bonus dice."""
    return tuple(
        bonus[c] + sum(dice[c] for dice, rolls in zip(case.dice, up, strict=True) if rolls) for c in FIVE
    )


def who_is_up(body: Body | Situation) -> tuple[bool, ...]:
    """Return for every runner whether it is up."""
    return tuple(condition == "up" for condition in body.condition)


def table_of(case: Case, s: Situation, roll: Roll, any_plate: bool = False) -> Table:
    """Return the roll on the table, certain successes included."""
    certain = twin.pool(case, s)[1]
    successes = tuple(faces[0] + sure for faces, sure in zip(roll, certain, strict=True))
    injuries = tuple(faces[1] for faces in roll)
    return Table(s, total_dice(case, who_is_up(s), s.bonus), successes, injuries, s.cards, any_plate)


def play_cards(table: Table, played: tuple[str, ...]) -> Table:
    """Return the table with success cards played."""
    return table._replace(
        successes=twin.plus(table.successes, played), cards=twin.without(table.cards, played)
    )


def hardest(icons: Five, pool: Five) -> int:
    """Return the colour of the hardest icon left: fewest dice, then more icons, then the first role."""
    return min((c for c in FIVE if icons[c] > 0), key=lambda c: (pool[c], -icons[c], c))


def defeat(icons: Five, successes: Five, pool: Five) -> Five:
    """Return the icons left after defeating icons: own colours first, then pairs for the hardest."""
    left = tuple(max(0, icons[c] - successes[c]) for c in FIVE)
    for c in FIVE:
        for _ in range((successes[c] - min(successes[c], icons[c])) // 2):
            if sum(left) > 0:
                left = twin.one_fewer(left, hardest(left, pool))
    return left


def take_successes(number: int, successes: Five, icons: Five, pool: Five) -> Five:
    """Return the successes left after choosing so many for cancelling."""
    for _ in range(number):
        beyond = [successes[c] - icons[c] for c in FIVE]
        odd = [c for c in FIVE if beyond[c] > 0 and beyond[c] % 2 == 1]
        two = [c for c in FIVE if beyond[c] >= 2]
        held = [c for c in FIVE if successes[c] > 0]
        chosen = (odd or two or [max(held, key=lambda c: (pool[c], -c))])[0]
        successes = twin.one_fewer(successes, chosen)
    return successes


def takers(case: Case, table: Table, body: Body, colour: int) -> list[int]:
    """Return the runners who may take an injury of this colour (M10 to M12)."""
    in_roll = [n for n in range(len(case.dice)) if table.s.condition[n] == "up"]
    eligible = [n for n in in_roll if case.dice[n][colour] > 0 and body.condition[n] in ("up", "injured")]
    able = [n for n in eligible if body.plates[n] or body.condition[n] == "up"]
    if eligible and table.any_plate:
        able = [n for n in in_roll if n in able or body.plates[n]]
    return able or eligible


def fate(case: Case, body: Body, runner: int) -> tuple[str, Body]:
    """Return what an injury does to this runner (M11 to M13, M16, G8)."""
    if body.plates[runner]:
        return "plate", body._replace(plates=twin.changed(body.plates, runner, False))
    if body.condition[runner] == "up":
        return "injury", body._replace(condition=twin.changed(body.condition, runner, "injured"))
    if case.task:
        return "nothing", body
    rescued = body._replace(condition=twin.changed(body.condition, runner, "rescued"))
    if body.own_tokens[runner]:
        return "rescue", rescued._replace(own_tokens=twin.changed(body.own_tokens, runner, False))
    if body.tokens > 0:
        return "rescue", rescued._replace(tokens=body.tokens - 1)
    return "death", body._replace(condition=twin.changed(body.condition, runner, "dead"))


def plain_harm(case: Case, body: Body, runner: int) -> float:
    """Return the rank of an outcome: nothing, injury, rescue, death; fewest dice first."""
    rank = {"plate": 0, "nothing": 0, "injury": 1, "rescue": 2, "death": 3}
    return rank[fate(case, body, runner)[0]] + sum(case.dice[runner]) / 100


def bites(case: Case, table: Table) -> Five:
    """Return the injuries that somebody could take (M14)."""
    body = body_of(table.s)
    return tuple(table.injuries[c] if takers(case, table, body, c) else 0 for c in FIVE)


def take_injuries(case: Case, table: Table, number: int, harm: Harm) -> Body:
    """Return the runners after taking so many injuries, each time the one with the least harm."""
    body, left = body_of(table.s), table.injuries
    for _ in range(number):
        least, chosen = float("inf"), None
        for c in FIVE:
            for runner in takers(case, table, body, c) if left[c] > 0 else ():
                harm_done = harm(body, runner)
                if harm_done < least - TIE:
                    least, chosen = harm_done, (c, runner)
        if chosen is None:
            break
        c, runner = chosen
        body, left = fate(case, body, runner)[1], twin.one_fewer(left, c)
    return body


def held_colours(cards: tuple[str, ...], kind: str) -> list[int]:
    """Return the colour of every card held of this kind, in role order."""
    return sorted(twin.colour_of(card) for card in cards if card.startswith(kind))


def cards_that_clear(table: Table) -> tuple[str, ...]:
    """Return the success cards that clear the Stage; none where that never suffices."""
    icons, start = table.s.icons, table
    while sum(defeat(icons, table.successes, table.pool)) > 0:
        colours = held_colours(table.cards, "success:")
        beyond = [table.successes[c] - icons[c] for c in FIVE]
        lacking = [c for c in colours if beyond[c] < 0]
        odd = [c for c in colours if beyond[c] > 0 and beyond[c] % 2 == 1]
        twice = [c for c in colours if colours.count(c) >= 2]
        if lacking or odd:
            played = ((lacking or odd)[0],)
        elif twice:
            played = (twice[0], twice[0])
        else:
            return ()
        table = play_cards(table, tuple(f"success:{twin.COLOURS[c]}" for c in played))
    left = list(start.cards)
    for card in table.cards:
        left.remove(card)
    return tuple(left)


def must_be_rolled(case: Case, stage: int) -> bool:
    """Tell whether this Stage is neither optional nor cleared by a perk."""
    return case.stages[stage].loot == 0 and not twin.perk_clears(case, stage)


def later_stages(case: Case, stage: int) -> list[Five]:
    """Return the icons of the later Stages that must be rolled."""
    return [case.stages[n].icons for n in range(stage + 1, len(case.stages)) if must_be_rolled(case, n)]


def has_reroll(s: Situation) -> bool:
    """Tell whether any kind of reroll is left."""
    return s.rerolls > 0 or "reroll-die" in s.cards


def what_is_rerolled(case: Case, s: Situation, roll: Roll) -> Reroll | None:
    """Return the dice taken up, by a free reroll, or the Loot card when those are spent."""
    unlucky = [c for c in FIVE if roll[c][1] + roll[c][2] > 0]
    if not unlucky or not has_reroll(s):
        return None
    if s.rerolls > 0:
        taken = tuple((0, injuries, blanks) for _, injuries, blanks in roll)
        after = s._replace(rerolls=s.rerolls - 1)
    else:
        successes = table_of(case, s, roll).successes
        colour = min(unlucky, key=lambda c: (-max(0, s.icons[c] - successes[c]), roll[c][1] == 0, c))
        die = (0, 1, 0) if roll[colour][1] > 0 else (0, 0, 1)
        taken = tuple(die if c == colour else (0, 0, 0) for c in FIVE)
        after = s._replace(cards=twin.without(s.cards, ("reroll-die",)))
    return Reroll(twin.minus(roll, taken), tuple(sum(faces) for faces in taken), after)


class Shared(ABC):
    """What the policies have in common."""

    always_die_cards = False

    def __init__(self, scenario: Scenario):
        self.case = twin.read(scenario)
        self.weights = dict(self.case.weights)
        rules = {} if isinstance(scenario, Case) else scenario.get("rules", {})
        self.any_plate = bool(rules.get("plating_takes_any_colour", False))

    def table(self, s: Situation, roll: Roll) -> Table:
        """Return the roll on the table."""
        return table_of(self.case, s, roll, self.any_plate)

    def pays(self, stage: int) -> float:
        """Return the value of what clearing a Stage pays."""
        printed = self.case.stages[stage]
        loot = printed.loot + (stage == 0 and self.case.loot_for_first)
        return self.weights["nuyen"] * printed.payout + self.weights["loot"] * loot

    def before_roll(self, scenario: Scenario, s: Situation) -> Situation:
        """Play die cards."""
        if s.rolls_left < twin.ROLLS_PER_STAGE:
            return s
        later = later_stages(self.case, s.stage)
        played = tuple(
            card
            for card in s.cards
            if card.startswith("die:") and self.plays_die(s, twin.colour_of(card), later)
        )
        return s._replace(cards=twin.without(s.cards, played), bonus=twin.plus(s.bonus, played))

    def plays_die(self, s: Situation, c: int, later: list[Five]) -> bool:
        """Tell whether die cards of this colour are for this Stage."""
        if self.always_die_cards and not later:
            return True
        return s.icons[c] > 0 and not any(icons[c] > s.icons[c] for icons in later)

    def reroll(self, scenario: Scenario, s: Situation, roll: Roll) -> Reroll | None:
        """Take dice up again, or None."""
        if not has_reroll(s) or not self.wants_reroll(s, roll):
            return None
        return what_is_rerolled(self.case, s, roll)

    def play(self, scenario: Scenario, s: Situation, roll: Roll) -> Situation:
        """Use the roll, and judge."""
        use = self.use(s, roll)
        if use is None:
            return twin.ended(s._replace(cards=twin.without(s.cards, ("evacuate",))))
        return twin.judged(self.case, s, use.icons, use.body, use.cards)

    @abstractmethod
    def wants_reroll(self, s: Situation, roll: Roll) -> bool:
        """Tell whether dice are to be taken up again."""

    @abstractmethod
    def use(self, s: Situation, roll: Roll) -> Use | None:
        """Return how the roll is used; None is Evacuate."""


class Plain(Shared):
    """What icons-first and cancel-first have in common."""

    @abstractmethod
    def divide(self, table: Table, biting: int) -> tuple[Five, int]:
        """Return the icons left and the number of injuries cancelled."""

    def use(self, s: Situation, roll: Roll) -> Use | None:
        """Use the roll; success cards that clear, ignore-injury, Evacuate."""
        table = self.table(s, roll)
        biting = sum(bites(self.case, table))
        icons, cancelled = self.divide(table, biting)
        if sum(icons) > 0:
            helped = play_cards(table, cards_that_clear(table))
            if sum(self.divide(helped, biting)[0]) == 0:
                table = helped
                icons, cancelled = self.divide(table, biting)
        return self.with_cards(table, icons, biting - cancelled)

    def with_cards(self, table: Table, icons: Five, taken: int) -> Use | None:
        """Take injuries, with the help of ignore-injury and Evacuate."""
        s, cards = table.s, table.cards
        body = self.take(table, taken)
        while body.condition != s.condition and "ignore-injury" in cards:
            cards, taken = twin.without(cards, ("ignore-injury",)), taken - 1
            body = self.take(table, taken)
        lost = sum(icons) > 0 and (s.rolls_left == 1 or "up" not in body.condition)
        if lost and body.condition != s.condition and "evacuate" in cards:
            return None
        return Use(icons, body, cards)

    def take(self, table: Table, number: int) -> Body:
        """Take so many injuries by plain harm."""

        def harm(body: Body, runner: int) -> float:
            return plain_harm(self.case, body, runner)

        return take_injuries(self.case, table, number, harm)


class IconsFirst(Plain):
    """icons-first."""

    def between(self, scenario: Scenario, s: Situation) -> str:
        """Never pull out; skip what is worth nothing."""
        optional = self.case.stages[s.stage].loot > 0
        if not optional or twin.perk_clears(self.case, s.stage):
            return "go"
        return "go" if self.pays(s.stage) > 0 else "skip"

    def divide(self, table: Table, biting: int) -> tuple[Five, int]:
        """Defeat icons, cancel with what is left."""
        icons, used = table.s.icons, 0
        left = defeat(icons, table.successes, table.pool)
        direct = sum(min(table.successes[c], icons[c]) for c in FIVE)
        used = direct + 2 * (sum(icons) - sum(left) - direct)
        return left, min(biting, sum(table.successes) - used)

    def wants_reroll(self, s: Situation, roll: Roll) -> bool:
        """Take up the third roll of a Stage if it does not clear it."""
        use = self.use(s, roll)
        return s.rolls_left == 1 and (use is None or sum(use.icons) > 0)


class CancelFirst(Plain):
    """cancel-first."""

    def between(self, scenario: Scenario, s: Situation) -> str:
        """Pull out when a runner is down and that costs something."""
        down = "up" in s.condition and any(condition != "up" for condition in s.condition)
        if twin.perk_clears(self.case, s.stage):
            return "go"
        if down and (self.weights["injury"] < 0 or self.weights["death"] < 0):
            return "pull out"
        optional = self.case.stages[s.stage].loot > 0
        return "skip" if optional and (down or self.pays(s.stage) <= 0) else "go"

    def divide(self, table: Table, biting: int) -> tuple[Five, int]:
        """Cancel, defeat icons with the rest."""
        icons = table.s.icons
        cancelled = min(biting, sum(table.successes))
        left = take_successes(cancelled, table.successes, icons, table.pool)
        return defeat(icons, left, table.pool), cancelled

    def wants_reroll(self, s: Situation, roll: Roll) -> bool:
        """Take up any roll with more biting injuries than successes."""
        table = self.table(s, roll)
        return sum(bites(self.case, table)) > sum(table.successes)


@cache
def binomial(dice: int) -> tuple[float, ...]:
    """Return the chances of every number of successes."""
    return tuple(comb(dice, n) * (1 / 3) ** n * (2 / 3) ** (dice - n) for n in range(dice + 1))


@cache
def expected_smaller(icons: int, dice: int, sure: int) -> float:
    """Return the expected smaller of the icons and the successes."""
    return sum(chance * min(icons, n + sure) for n, chance in enumerate(binomial(dice)))


@cache
def expected_pairs(dice: int, sure: int) -> float:
    """Return the expected number of pairs in one roll."""
    return sum(chance * ((n + sure) // 2) for n, chance in enumerate(binomial(dice)))


@cache
def chance_to_clear(icons: Five, pool: Five, k: int, plates: int) -> float:
    """Return the estimated chance to clear a Stage in k rolls."""
    pairs = odd = shortfall = 0.0
    dice = 0
    for n, m in zip(pool, icons, strict=True):
        c = 1 if n >= 5 else 0
        r = n - 2 * c
        dice += r
        mean = k * (r / 3 + c)
        if m > 0:
            direct = expected_smaller(m, k * r, k * c)
            pairs += 0.35 * (mean - direct)
            odd += 0.3 * (mean - direct)
            shortfall += m - direct
        else:
            in_pairs = k * expected_pairs(r, c)
            pairs += in_pairs
            odd += mean - 2 * in_pairs
    if dice == 0:
        return 0.0
    to_cancel = 0.5 * k * dice / 6 - 0.5 * plates
    wilds = pairs - max(0.0, to_cancel - odd) / 2
    return 1 / (1 + exp(-2 * (wilds - shortfall + 0.4) / sqrt(2 * k * dice / 9)))


def other_pairs(icons: Five, successes: Five, pool: Five) -> Five:
    """Return the icons left when odd successes pair with ones that would defeat an own icon."""
    left = tuple(max(0, icons[c] - successes[c]) for c in FIVE)
    pairs, spared = 0, list(left)
    for c in FIVE:
        beyond = max(0, successes[c] - icons[c])
        harder = any(left[d] > 0 and pool[d] < pool[c] for d in FIVE)
        if beyond % 2 == 1 and icons[c] > 0 and harder:
            spared[c], beyond = 1, beyond + 1
        pairs += beyond // 2
    for _ in range(min(pairs, sum(spared))):
        spared[hardest(spared, pool)] -= 1
    return tuple(spared)


class Balanced(Shared):
    """balanced."""

    always_die_cards = True

    def __init__(self, scenario: Scenario):
        super().__init__(scenario)
        self.outlooks: dict[tuple[int, tuple[bool, ...]], float] = {}

    def cost(self, chance: float) -> float:
        """Return the cost of a Stage."""
        return (1 - chance) * (0.7 * self.weights["injury"] + 0.1 * self.weights["death"])

    def hurt(self, body: Body | Situation) -> float:
        """Return the weights of all injuries and deaths so far."""
        injured = sum(condition in ("injured", "rescued") for condition in body.condition)
        return self.weights["injury"] * injured + self.weights["death"] * body.condition.count("dead")

    def outlook(self, stage: int, up: tuple[bool, ...]) -> float:
        """Return the outlook before a Stage (after the last: the value of completing)."""
        key = (stage, up)
        if key not in self.outlooks:
            self.outlooks[key] = self.outlook_anew(stage, up)
        return self.outlooks[key]

    def outlook_anew(self, stage: int, up: tuple[bool, ...]) -> float:
        if stage == len(self.case.stages):
            return self.weights["completion"] + self.weights["nuyen"] * self.case.payout
        if not any(up):
            return 0.0
        after = self.outlook(stage + 1, up)
        printed = self.case.stages[stage]
        if twin.perk_clears(self.case, stage):
            trying = self.pays(stage) + after
        else:
            pool = total_dice(self.case, up, NOTHING)
            chance = chance_to_clear(printed.icons, pool, twin.ROLLS_PER_STAGE, 0)
            trying = chance * (self.pays(stage) + after) + self.cost(chance)
        return max(0.0, trying, after if printed.loot > 0 else 0.0)

    def trying(
        self, s: Situation, icons: Five, body: Body, rolls: int, being_rolled: bool = True
    ) -> tuple[float, float]:
        """Return (chance, value) of rolling on in this Stage."""
        up = who_is_up(body)
        pool = total_dice(self.case, up, s.bonus)
        plates = sum(plate and rolls_on for plate, rolls_on in zip(body.plates, up, strict=True))
        chance = chance_to_clear(icons, pool, rolls, plates if being_rolled else 0)
        cost = 0.0 if "evacuate" in s.cards else self.cost(chance)
        return chance, chance * (self.pays(s.stage) + self.outlook(s.stage + 1, up)) + cost

    def prospect(self, s: Situation, icons: Five, body: Body) -> float:
        """Return the prospect of a situation after a roll."""
        up = who_is_up(body)
        if sum(icons) == 0:
            return self.pays(s.stage) + self.outlook(s.stage + 1, up)
        if s.rolls_left == 1 or not any(up):
            return 0.0
        return self.trying(s, icons, body, s.rolls_left - 1)[1]

    def between(self, scenario: Scenario, s: Situation) -> str:
        """Compare trying with the outlook after this Stage, and with nothing."""
        up = who_is_up(s)
        after = self.outlook(s.stage + 1, up)
        if twin.perk_clears(self.case, s.stage):
            value = self.pays(s.stage) + after
        else:
            value = self.trying(s, s.icons, body_of(s), twin.ROLLS_PER_STAGE, False)[1]
        if self.case.stages[s.stage].loot > 0 and after > value - TIE:
            return "skip"
        return "pull out" if value < -TIE else "go"

    def harm(self, stage: int) -> Harm:
        """Return the harm of an injury in this Stage, and a millionth of the plain harm."""

        def of(body: Body, runner: int) -> float:
            kind = fate(self.case, body, runner)[0]
            value = 0.0
            if kind == "injury":
                up = who_is_up(body)
                without = twin.changed(up, runner, False)
                lost = self.outlook(stage, up) - self.outlook(stage, without)
                value = lost - self.weights["injury"]
            elif kind == "death":
                value = self.weights["injury"] - self.weights["death"]
            return value + plain_harm(self.case, body, runner) / 1e6

        return of

    def ways(self, table: Table, biting: int) -> Iterator[Use]:
        """Yield what may be made of successes and injuries, more injuries taken each time."""
        s, fewest = table.s, 99
        for cancelled in range(min(biting, sum(table.successes)), -1, -1):
            successes = take_successes(cancelled, table.successes, s.icons, table.pool)
            icons = defeat(s.icons, successes, table.pool)
            if sum(icons) >= fewest:
                continue
            fewest = sum(icons)
            body = take_injuries(self.case, table, biting - cancelled, self.harm(s.stage))
            yield Use(icons, body, table.cards)
            other = other_pairs(s.icons, successes, table.pool)
            if other != icons:
                yield Use(other, body, table.cards)

    def hands(self, table: Table) -> Iterator[tuple[Table, int]]:
        """Yield the ways to play success cards and ignore-injury, with the injuries still to cancel."""
        biting = sum(bites(self.case, table))
        held = tuple(f"success:{twin.COLOURS[c]}" for c in held_colours(table.cards, "success:"))
        plays = ((), cards_that_clear(table), held[:1], held)
        for played in plays:
            yield play_cards(table, played), biting
        if "ignore-injury" in table.cards and biting > 0:
            for played in plays:
                after = play_cards(table, played)
                yield after._replace(cards=twin.without(after.cards, ("ignore-injury",))), biting - 1

    def best_use(self, s: Situation, roll: Roll) -> tuple[float, Use | None]:
        """Return the best use and its value; None is Evacuate."""
        table = self.table(s, roll)
        price = 0.15 * self.outlook(s.stage + 1, who_is_up(s))
        if s.rolls_left == 1 and not later_stages(self.case, s.stage):
            price = 0.0
        best, best_use = float("-inf"), None
        for after, biting in self.hands(table):
            for use in self.ways(after, biting):
                value = self.prospect(s, use.icons, use.body) + self.hurt(use.body)
                value -= price * (len(s.cards) - len(use.cards))
                if value > best + TIE:
                    best, best_use = value, use
        if "evacuate" in s.cards and self.hurt(s) > best + TIE:
            return self.hurt(s), None
        return best, best_use

    def use(self, s: Situation, roll: Roll) -> Use | None:
        """Return the best use."""
        return self.best_use(s, roll)[1]

    def wants_reroll(self, s: Situation, roll: Roll) -> bool:
        """Take up a roll that leaves too little of what was hoped for."""
        use = self.use(s, roll)
        if use is not None and sum(use.icons) == 0:
            return False
        if s.rolls_left == 1:
            return True
        value = 0.0
        if use is not None:
            value = self.prospect(s, use.icons, use.body) + self.hurt(use.body) - self.hurt(s)
        chance = self.trying(s, s.icons, body_of(s), s.rolls_left)[0]
        hoped = chance * (self.pays(s.stage) + self.outlook(s.stage + 1, who_is_up(s)))
        return value < 0.6 * hoped - TIE


POLICIES = {"icons-first": IconsFirst, "cancel-first": CancelFirst, "balanced": Balanced}
