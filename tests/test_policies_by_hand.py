"""The compiled policies do what docs/policies.md says: decision by decision, against policies made from it.

The scenarios of the first part are made for one sentence of the page each, or a few; they are gone through
roll by roll. Those of the second part are random.
"""

import random
from collections.abc import Iterator

import pytest
import twin
from policies_by_hand import POLICIES, Shared
from support import CompiledPolicy
from twin import COLOURS, Case, Roll, Situation

PAYS = {"nuyen": 0.05, "loot": 0.3}
CARES = {"nuyen": 0.1, "loot": 0.2, "injury": -0.4, "death": -0.9}
AFRAID = {"injury": -0.9, "death": -2, "loot": 0.5}
MONEY = {"completion": 0, "nuyen": 0.1, "death": -0.3}
OBJECTIVES = [
    {},
    PAYS,
    CARES,
    AFRAID,
    MONEY,
    {"injury": -0.2, "death": -0.6},
    {"injury": -0.05},
    {"nuyen": -0.05, "loot": 0.2},
    {"loot": -0.2, "death": -1},
]
"""Completing is worth something in each, or nothing, never less."""


def runner(plate=False, token=False, **dice):
    """Return a runner; colours by their first letters in the order of the roles."""
    named = {colour: dice[colour[0]] for colour in COLOURS if colour[0] in dice}
    return {"dice": named, "dermal_plating": plate, "docwagon_token": token}


def stage(loot=0, payout=0, **icons):
    """Return a Stage; colours by their first letters."""
    named = {colour: icons[colour[0]] for colour in COLOURS if colour[0] in icons}
    return {"icons": named, "loot": loot, "payout": payout}


def mission(stages, runners, **more):
    """Return a scenario."""
    cards = [f"{card}:{role}" if role else card for card, _, role in map(split_card, more.pop("cards", ()))]
    return {"stages": stages, "runners": runners, "loot_cards": cards, **more}


def split_card(card):
    """Return the parts of a card such as ``die:d``, its colour in full."""
    kind, colon, letter = card.partition(":")
    return kind, colon, next((colour for colour in COLOURS if colon and colour[0] == letter), "")


ONE = [runner(s=4)]
PAIR = [runner(s=2, d=1), runner(m=2)]
THREE = [runner(s=2, plate=True), runner(d=2, token=True), runner(s=1, m=1)]
VETERANS = [runner(s=4), runner(s=2, d=1)]

BY_HAND = {
    "own icons": mission([stage(s=2)], ONE),
    "pairs for the hardest: fewest dice": mission([stage(m=1, d=1)], [runner(s=3, d=1)]),
    "pairs for the hardest: most icons": mission([stage(m=1, r=2)], ONE),
    "pairs for the hardest: first role": mission([stage(m=1, r=1)], ONE),
    "an odd success left to cancel": mission([stage(s=1, d=1)], [runner(s=3, d=2)]),
    "two more than icons left to cancel": mission([stage(d=1, m=1)], [runner(s=3, d=1)]),
    "the largest pool cancels": mission([stage(s=3, d=2)], [runner(s=3, d=2)], objective=CARES),
    "the fewest dice come first": mission([stage(s=3)], [runner(s=2, d=1), runner(s=1), runner(s=2)]),
    "harm by colour": mission([stage(s=1, d=1)], [runner(s=1, d=1), runner(d=1, s=1)], objective=CARES),
    "the plate comes first": mission([stage(s=2)], [runner(s=1), runner(s=3, plate=True)]),
    "a death against a rescue": mission([stage(s=3)], [runner(s=2), runner(s=3, token=True)]),
    "tokens for anybody": mission([stage(s=2, d=1)], [runner(s=3), runner(d=2)], docwagon_tokens=1),
    "a Task": mission([stage(d=1, f=1)], [runner(d=3, f=1)], task=True, rerolls=1),
    "a Task with ignore-injury": mission([stage(d=2)], [runner(d=3)], task=True, cards=["ignore-injury"]),
    "injuries that nobody takes": mission([stage(m=1, s=1)], [runner(s=3)], cards=["die:m", "die:m"]),
    "a success card that clears": mission([stage(s=2, d=1)], PAIR, cards=["success:d", "success:m"]),
    "success cards in pairs": mission([stage(m=2)], [runner(s=3)], cards=["success:d"] * 2 + ["success:s"]),
    "success cards that never suffice": mission([stage(m=4)], [runner(s=2)], cards=["success:s"]),
    "card of an odd success": mission([stage(f=1)], PAIR, cards=["success:s", "success:m"], objective=CARES),
    "cards are kept for later": mission([stage(s=1), stage(s=2)], ONE, cards=["success:s"], objective=CARES),
    "die cards, another Stage with more": mission([stage(s=1), stage(s=2)], ONE, cards=["die:s"] * 2),
    "die cards, another Stage with as many": mission(
        [stage(s=2), stage(s=2)], [runner(s=2)], cards=["die:s"]
    ),
    "die cards, the later Stage optional": mission(
        [stage(s=1), stage(s=3, loot=1)], [runner(s=2)], cards=["die:s", "die:d"], objective=PAYS
    ),
    "die cards, the later Stage cleared by a perk": mission(
        [stage(s=1), stage(s=3)], [runner(s=2)], cards=["die:s", "die:f"], clears_last_stage=True
    ),
    "a die makes veterans": mission([stage(d=2)], ONE, cards=["die:s"]),
    "ignore-injury": mission([stage(s=2)], [runner(s=3)], cards=["ignore-injury"] * 2, objective=CARES),
    "ignore-injury and success card": mission(
        [stage(s=2, m=1)], PAIR, cards=["ignore-injury", "success:m"], objective=CARES
    ),
    "Evacuate": mission([stage(s=1), stage(s=3)], [runner(s=3)], cards=["evacuate"], objective=CARES),
    "Evacuate and no weights": mission([stage(s=3, d=1)], PAIR, cards=["evacuate"]),
    "Evacuate beside ignore-injury": mission(
        [stage(d=2)], [runner(d=2), runner(d=1)], cards=["evacuate", "ignore-injury"], objective=AFRAID
    ),
    "a free reroll": mission([stage(s=2, d=1)], PAIR, rerolls=1),
    "two free rerolls": mission([stage(d=2)], [runner(d=2)], rerolls=2, objective=CARES),
    "the card that rerolls one die": mission([stage(s=1, d=1)], [runner(s=2, d=2)], cards=["reroll-die"]),
    "the card after a free reroll": mission(
        [stage(d=1, m=1)], [runner(s=3)], cards=["reroll-die"], rerolls=1
    ),
    "a reroll and Evacuate": mission(
        [stage(s=3)], [runner(s=3)], cards=["evacuate"], rerolls=1, objective=AFRAID
    ),
    "an optional Stage worth nothing": mission([stage(s=1, loot=1), stage(s=1)], ONE, payout=3),
    "an optional Stage worth something": mission([stage(s=3, loot=1), stage(s=1)], ONE, objective=PAYS),
    "an optional Stage at the end": mission([stage(s=1), stage(d=2, loot=2)], [runner(s=3)], objective=CARES),
    "an optional Stage and a runner down": mission(
        [stage(s=1), stage(s=2, loot=1), stage(s=1)], [runner(s=2), runner(s=1)], objective=PAYS
    ),
    "a Stage that costs": mission([stage(s=2, payout=4), stage(s=1)], ONE, objective={"nuyen": -0.1}),
    "pull-outs": mission([stage(s=1, payout=3), stage(d=3)], [runner(s=2), runner(d=1)], objective=AFRAID),
    "pull-outs, Evacuate in hand": mission(
        [stage(s=1, payout=3), stage(d=2)], [runner(s=2), runner(d=1)], objective=AFRAID, cards=["evacuate"]
    ),
    "pull-outs, a plate": mission([stage(s=3, d=1)], [runner(s=3, plate=True)], objective=CARES),
    "perks": mission(
        [stage(s=4, loot=1), stage(s=1), stage(d=9)],
        [runner(s=3)],
        clears_first_stage=True,
        clears_last_stage=True,
        loot_for_first_stage=True,
        objective=CARES,
    ),
    "a perk for an optional Stage worth nothing": mission(
        [stage(s=1), stage(s=1, loot=1)], [runner(s=3)], clears_last_stage=True, objective=MONEY
    ),
    "a perk and costs": mission(
        [stage(s=3, loot=1), stage(s=1), stage(s=9, payout=6)],
        [runner(s=3), runner(s=1)],
        clears_last_stage=True,
        objective={"completion": 0.2, "nuyen": -0.05, "loot": 0.3},
    ),
    "the Decker perk": mission(
        [stage(s=3), stage(s=1)], ONE, loot_for_first_stage=True, objective={"loot": 0.9, "injury": -0.8}
    ),
    "veterans": mission([stage(s=2, d=2)], VETERANS, objective=CARES),
    "veterans fall": mission([stage(s=1), stage(s=2, m=1)], VETERANS, docwagon_tokens=1, objective=AFRAID),
    "an odd success pairs with an own icon's": mission(
        [stage(s=1, m=1)], [runner(s=3, d=1)], objective=CARES
    ),
    "odd successes of two colours": mission([stage(s=1, r=1, m=2)], [runner(s=2, r=3)], objective=CARES),
    "odd successes and another pair": mission(
        [stage(s=1, d=2, m=1)], [runner(s=2, d=2, r=2)], objective=PAYS
    ),
    "three runners": mission([stage(s=2, m=1, payout=2), stage(d=2)], THREE, objective=CARES),
    "three runners, Loot": mission(
        [stage(s=1, d=1, loot=1, payout=1), stage(m=2, s=1)],
        THREE,
        objective=CARES,
        docwagon_tokens=1,
        cards=["success:d", "ignore-injury", "reroll-die"],
    ),
    "a Final Mission": mission([stage(s=1), stage(d=1), stage(m=1)], PAIR, final=True, objective=CARES),
    "a plate for any colour": mission(
        [stage(d=2, s=1)],
        [runner(s=1, plate=True), runner(d=3)],
        objective=CARES,
        rules={"plating_takes_any_colour": True},
    ),
}

MOST_ROLLS = 40
"""Of a situation; where there are more, so many are drawn."""
MOST_SITUATIONS = 16


class Comparison:
    """A compiled policy beside the one by hand; every question must have the same answer."""

    def __init__(self, scenario: dict, name: str, dice: random.Random):
        self.case: Case = twin.read(scenario)
        self.compiled = CompiledPolicy(scenario, name)
        self.by_hand: Shared = POLICIES[name](scenario)
        self.dice = dice
        self.asked = 0

    def ask(self, decision: str, *about: object) -> object:
        """Return the answer of both."""
        self.asked += 1
        answers = [getattr(policy, decision)(self.case, *about) for policy in (self.compiled, self.by_hand)]
        assert answers[0] == answers[1], (decision, *about)
        return answers[0]

    def drawn(self, rolls: list[Roll], most: int) -> list[Roll]:
        """Return all of these rolls, or so many of them."""
        return rolls if len(rolls) <= most else self.dice.sample(rolls, most)

    def results(self, s: Situation, roll: Roll) -> Iterator[Situation]:
        """Yield what comes of a roll, over the rerolls."""
        option = self.ask("reroll", s, roll)
        if option is None:
            yield self.ask("play", s, roll)
            return
        for new in self.drawn(list(twin.rolls_of(option.picked)), 3):
            yield from self.results(option.after, twin.together(option.kept, new))

    def steps(self, s: Situation, most_rolls: int) -> Iterator[Situation]:
        """Yield the situations that follow."""
        if s.phase == "between":
            yield twin.between_moves(self.case, s)[self.ask("between", s)]
            return
        ready = self.ask("before_roll", s)
        for roll in self.drawn(list(twin.rolls(self.case, ready)), most_rolls):
            yield from self.results(ready, roll)

    def go_through(self) -> None:
        """Compare at every situation that play leads to, or at many of them."""
        waiting, seen = [twin.start(self.case)], set()
        while waiting and len(seen) < MOST_SITUATIONS:
            s = waiting.pop(self.dice.randrange(len(waiting)))
            for after in self.steps(s, MOST_ROLLS):
                if after.phase != "ended" and after not in seen and after not in waiting:
                    waiting.append(after)
            seen.add(s)

    def wander(self) -> None:
        """Compare along one way through the Mission, with rolls that hurt and help more than dice do."""
        s = twin.start(self.case)
        while s.phase != "ended":
            if s.phase == "between":
                decided = self.ask("between", s)
                s = twin.between_moves(self.case, s)[self.dice.choice([decided, "go", "go"])]
                continue
            ready = self.ask("before_roll", s)
            roll = self.throw(twin.pool(self.case, ready)[0])
            s = self.dice.choice(list(self.results(ready, roll)))

    def throw(self, pool: tuple[int, ...]) -> Roll:
        """Return a roll from dice with other faces than real ones."""
        faces = self.dice.choice(("SSI---", "SSII--", "SSSI--", "SSSSII", "SI-"))
        shown = [[self.dice.choice(faces) for _ in range(count)] for count in pool]
        return tuple(tuple(colour.count(face) for face in "SI-") for colour in shown)


def test_there_are_enough_scenarios():
    assert len(BY_HAND) >= 50


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("title", BY_HAND)
def test_each_sentence_is_followed(title, name):
    comparison = Comparison(BY_HAND[title], name, random.Random(f"{title} {name}"))
    comparison.go_through()
    assert comparison.asked > 0


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    "title",
    [
        "own icons",
        "harm by colour",
        "a Task with ignore-injury",
        "card of an odd success",
        "cards are kept for later",
        "Evacuate beside ignore-injury",
        "two free rerolls",
        "an odd success pairs with an own icon's",
        "perks",
    ],
)
def test_whole_distributions_are_equal(title, name):
    scenario = BY_HAND[title]
    by_hand = twin.policy_distribution(scenario, POLICIES[name](scenario))
    assert sum(by_hand.values()) == 1
    assert by_hand == twin.policy_distribution(scenario, CompiledPolicy(scenario, name))


LOOT = [f"{kind}:{colour}" for kind in ("success", "die") for colour in COLOURS]
PERKS = ("clears_first_stage", "clears_last_stage", "loot_for_first_stage")


def random_stage(dice, colours, kind):
    """Return a Stage with up to six icons."""
    wanted = [dice.choice((*colours, *colours, *COLOURS)) for _ in range(dice.randint(1, 6))]
    found = {"icons": {colour: wanted.count(colour) for colour in COLOURS if colour in wanted}}
    if kind != "final":
        found["payout"] = dice.randint(0, 3)
    if kind == "mission":
        found["loot"] = dice.choice((0, 0, 1, 2))
    return found


def random_runner(dice, colours):
    """Return a runner of one or two colours."""
    has = {dice.choice(colours): dice.randint(1, dice.choice((2, 4, 6))) for _ in range(2)}
    return {"dice": has, "dermal_plating": dice.random() < 0.3, "docwagon_token": dice.random() < 0.3}


def random_scenario(dice):
    """Return a scenario with a bit of everything."""
    colours = dice.sample(COLOURS, dice.randint(1, 3))
    kind = dice.choice(("mission", "mission", "mission", "task", "final"))
    most = 1 if kind == "task" else 3
    named = [card for card in LOOT if card.split(":")[1] in colours]
    cards = (*named, *named, *LOOT, *("ignore-injury", "reroll-die", "evacuate") * 3)
    scenario = {
        "stages": [random_stage(dice, colours, kind) for _ in range(dice.randint(1, most))],
        "runners": [random_runner(dice, colours) for _ in range(dice.randint(1, most))],
        "docwagon_tokens": dice.choice((0, 0, 1, 2)),
        "payout": 0 if kind == "final" else dice.randint(0, 5),
        "loot_cards": [dice.choice(cards) for _ in range(dice.randint(0, 4))],
        "rerolls": dice.choice((0, 0, 1, 2)),
        "task": kind == "task",
        "final": kind == "final",
        "objective": dice.choice(OBJECTIVES),
        "rules": {"plating_takes_any_colour": dice.random() < 0.15},
    }
    if kind == "mission":
        scenario |= {perk: dice.random() < 0.25 for perk in PERKS}
    return scenario


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("group", range(10))
def test_random_scenarios_are_played_alike(group, name):
    for seed in range(60 * group, 60 * group + 60):
        dice = random.Random(seed)
        scenario = random_scenario(dice)
        comparison = Comparison(scenario, name, dice)
        for _ in range(4):
            comparison.wander()


def test_equal_harm_goes_to_the_first_runner_however_it_is_rounded():
    """Without the first or without the third runner the outlook is the same, by symmetry of two colours."""
    scenario = mission(
        [stage(s=1, m=1, f=2)], [runner(s=2), runner(s=5, m=5), runner(s=1, m=1)], objective={"injury": -0.05}
    )
    compared = Comparison(scenario, "balanced", random.Random(0))
    s = twin.between_moves(compared.case, twin.start(compared.case))["go"]
    nothing = (0, 0, 0)
    compared.ask("play", s, ((0, 3, 3), nothing, (2, 2, 0), nothing, nothing))
