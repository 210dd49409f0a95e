"""Small random scenarios, always the same ones, cheap enough for the naive twin.

Every recipe draws scenarios about one thing the rules can do, from a generator seeded by the recipe's name
and a number. Together they hold everything a scenario may hold, except the rules option
`plating_takes_any_colour`, which the twin does not know; ``test_exact_against_twin`` counts it.
"""

import random
from collections.abc import Callable
from typing import Any

from twin import COLOURS

Data = dict[str, Any]
Recipe = Callable[[random.Random], Data]

EACH = 9
"""Scenarios per recipe."""
RECIPES: dict[str, Recipe] = {}


def recipe(draw: Recipe) -> Recipe:
    """Register a recipe under its function's name."""
    RECIPES[draw.__name__] = draw
    return draw


def scenario(name: str, number: int) -> Data:
    """Return one scenario of a recipe; the same one whenever and wherever it is asked for."""
    return RECIPES[name](random.Random(f"{name} {number}"))


def all_scenarios() -> dict[str, Data]:
    """Return every scenario by the name that failures show."""
    return {f"{name}-{number}": scenario(name, number) for name in RECIPES for number in range(EACH)}


def decimal(rng: random.Random, low: float, high: float) -> float:
    """Return a weight that makes ties unlikely."""
    return round(rng.uniform(low, high), 4)


def aims(rng: random.Random, costs: bool | None = None) -> dict[str, float]:
    """Return weights: completion only and round numbers tie often, awkward decimals hardly ever.

    ``costs``: whether injuries and deaths have a price; None leaves it to chance.
    """
    if costs is None:
        costs = rng.random() < 0.5
    if rng.random() < 0.3:
        return {"injury": -0.25, "death": -0.5} if costs else {}
    chosen = {"completion": decimal(rng, 0.5, 1.5), "nuyen": decimal(rng, 0, 0.15)}
    if rng.random() < 0.5:
        chosen["loot"] = decimal(rng, 0, 0.4)
    if costs:
        chosen |= {"injury": decimal(rng, -0.3, 0), "death": decimal(rng, -1.2, -0.1)}
    return chosen


def icons(rng: random.Random, colours: list[str], most: int) -> dict[str, int]:
    """Return one to ``most`` icons of these colours."""
    wanted = [rng.choice(colours) for _ in range(rng.randint(1, most))]
    return {colour: wanted.count(colour) for colour in colours if colour in wanted}


def stage(rng: random.Random, colours: list[str], most: int = 3, **more: int) -> Data:
    return {"icons": icons(rng, colours, most), **more}


def runner(plate: bool = False, token: bool = False, **dice: int) -> Data:
    return {"dice": dice, "dermal_plating": plate, "docwagon_token": token}


def anyone(rng: random.Random, colours: list[str], most: int = 2) -> Data:
    """Return a runner with one or two of these colours."""
    chosen = rng.sample(colours, rng.randint(1, min(2, len(colours))))
    return runner(**{colour: rng.randint(1, most) for colour in chosen})


def some(rng: random.Random, number: int) -> list[str]:
    return rng.sample(COLOURS, number)


def small(rng: random.Random, stages: int = 2, runners: int = 2) -> Data:
    """Return a plain scenario of two or three colours, to be varied."""
    colours = some(rng, rng.choice((2, 2, 3)))
    most = 3 if runners < 3 and rng.random() < 0.4 else 2
    return {
        "stages": [stage(rng, colours) for _ in range(rng.randint(1, stages))],
        "runners": [anyone(rng, colours, most) for _ in range(runners)],
        "payout": rng.choice((0, 3, 6)),
        "docwagon_tokens": rng.choice((0, 0, 0, 1)),
        "objective": aims(rng),
    }


def rolled_by(data: Data) -> list[str]:
    return [colour for colour in COLOURS if any(colour in card["dice"] for card in data["runners"])]


def wanted_by(data: Data) -> list[str]:
    return [colour for colour in COLOURS if any(colour in part["icons"] for part in data["stages"])]


@recipe
def lone_runner(rng):
    colours = some(rng, rng.randint(1, 3))
    dice = {colour: rng.randint(1, 3) for colour in colours}
    stages = [stage(rng, [*colours, rng.choice(COLOURS)], 3) for _ in range(rng.randint(1, 3))]
    return {"stages": stages, "runners": [runner(**dice)], "objective": aims(rng)}


@recipe
def plates(rng):
    data = small(rng, runners=rng.choice((1, 2, 2, 3)))
    plated = rng.sample(data["runners"], rng.randint(1, len(data["runners"])))
    for card in plated:
        card["dermal_plating"] = True
    return data


@recipe
def shared_tokens(rng):
    """Colours in common and dear lives, so that somebody may have to die and rescue is worth something."""
    first, second = some(rng, 2)
    crew = [runner(**{first: rng.randint(2, 3), second: rng.randint(1, 2)}), runner(**{first: 1})]
    if rng.random() < 0.5:
        crew.append(runner(plate=rng.random() < 0.5, **{rng.choice((first, second)): 1}))
    return {
        "stages": [stage(rng, [first, second], 3) for _ in range(rng.randint(1, 2))],
        "runners": crew,
        "docwagon_tokens": rng.randint(1, 2),
        "objective": aims(rng, costs=True) | {"completion": decimal(rng, 2, 4)},
    }


@recipe
def own_tokens(rng):
    data = shared_tokens(rng) | {"docwagon_tokens": rng.randint(0, 1)}
    for card in rng.sample(data["runners"], rng.randint(1, 2)):
        card["docwagon_token"] = True
    return data


@recipe
def colours_in_common(rng):
    colours = some(rng, 2)
    crew = [runner(**{colour: rng.randint(1, 2) for colour in colours}) for _ in range(2)]
    if rng.random() < 0.5:
        crew.append(runner(**{rng.choice(colours): 1}))
    return {
        "stages": [stage(rng, colours, 4), *(stage(rng, colours, 3) for _ in range(rng.randint(0, 1)))],
        "runners": crew,
        "docwagon_tokens": rng.randint(0, 1),
        "objective": aims(rng),
    }


@recipe
def colours_apart(rng):
    colours = some(rng, rng.randint(2, 3))
    return {
        "stages": [stage(rng, colours, 3) for _ in range(rng.randint(1, 3))],
        "runners": [runner(plate=rng.random() < 0.3, **{colour: rng.randint(1, 2)}) for colour in colours],
        "objective": aims(rng),
    }


@recipe
def veterans(rng):
    """Five to seven dice of one colour, mostly fewer when somebody falls."""
    strong, other = some(rng, 2)
    crew = [runner(**{strong: rng.randint(2, 4)}), runner(**{strong: 3, other: rng.randint(0, 2)})]
    if rng.random() < 0.3:
        crew = [runner(**{strong: rng.randint(5, 6), other: 1})]
    crew = [card | {"dice": {colour: n for colour, n in card["dice"].items() if n}} for card in crew]
    stages = [stage(rng, [strong, strong, other], 4) for _ in range(rng.randint(1, 2))]
    return {"stages": stages, "runners": crew, "objective": aims(rng)}


@recipe
def success_cards(rng):
    data = small(rng)
    return data | {"loot_cards": [f"success:{rng.choice(wanted_by(data))}"]}


@recipe
def die_cards(rng):
    data = small(rng)
    return data | {"loot_cards": [f"die:{rng.choice(wanted_by(data))}"]}


@recipe
def dice_that_nobody_rolls(rng):
    """A die of an icon's colour that no runner has: its injury has no effect."""
    colours = some(rng, 3)
    return {
        "stages": [stage(rng, colours, 3) | {"icons": {colours[2]: 1, colours[0]: rng.randint(1, 2)}}],
        "runners": [anyone(rng, colours[:2]) for _ in range(rng.randint(1, 2))],
        "loot_cards": [f"die:{colours[2]}"] * rng.choice((1, 1, 2)),
        "objective": aims(rng),
    }


@recipe
def dice_that_make_veterans(rng):
    strong, other = some(rng, 2)
    crew = [runner(**{strong: 4, other: 1})]
    if rng.random() < 0.5:
        crew = [runner(**{strong: 3}), runner(**{strong: 1, other: 1})]
    return {
        "stages": [stage(rng, [strong, other], 4) for _ in range(rng.randint(1, 2))],
        "runners": crew,
        "loot_cards": [f"die:{strong}"],
        "objective": aims(rng),
    }


@recipe
def ignored_injuries(rng):
    return small(rng) | {"loot_cards": ["ignore-injury"] * rng.choice((1, 1, 2))}


@recipe
def evacuations(rng):
    """Injuries dear enough to run from."""
    data = small(rng)
    costs = {"injury": decimal(rng, -0.5, -0.2), "death": decimal(rng, -1.5, -0.8)}
    return data | {"loot_cards": ["evacuate"], "objective": data["objective"] | costs}


@recipe
def two_cards(rng):
    data = small(rng, runners=rng.randint(1, 2))
    for card in data["runners"]:
        card["dice"] = {colour: min(2, n) for colour, n in card["dice"].items()}
    named = [f"{kind}:{colour}" for kind in ("success", "die") for colour in wanted_by(data)]
    return data | {"loot_cards": rng.sample([*named, "ignore-injury", "evacuate"], 2)}


@recipe
def free_rerolls(rng):
    first, second = some(rng, 2)
    crew = [runner(**{first: rng.randint(1, 3)}), runner(plate=rng.random() < 0.3, **{second: 1})]
    return {
        "stages": [stage(rng, [first, second], 3) for _ in range(rng.randint(1, 2))],
        "runners": crew[: rng.randint(1, 2)],
        "docwagon_tokens": rng.choice((0, 0, 1)),
        "rerolls": rng.randint(1, 2),
        "objective": aims(rng),
    }


@recipe
def reroll_cards(rng):
    """The card that rerolls one die, sometimes beside a free reroll or another card."""
    data = free_rerolls(rng)
    more = (
        []
        if rng.random() < 0.7
        else rng.choice((["reroll-die"], ["ignore-injury"], [f"die:{rng.choice(rolled_by(data))}"]))
    )
    return data | {"loot_cards": ["reroll-die", *more], "rerolls": 0 if more else rng.choice((0, 1, 1, 2))}


@recipe
def rerolls_of_veterans(rng):
    """Dice set aside are not rerolled."""
    data = free_rerolls(rng)
    data["runners"][0]["dice"] = {rolled_by(data)[0]: 5}
    return data | {"rerolls": 1}


@recipe
def perks(rng):
    data = small(rng, stages=3)
    data["stages"][0]["loot"] = rng.choice((0, 0, 1))
    chosen = ("clears_first_stage", "clears_last_stage", "loot_for_first_stage")
    data["objective"]["loot"] = decimal(rng, 0.05, 0.4)
    return data | dict.fromkeys(rng.sample(chosen, 2), True)


@recipe
def loot_stages(rng):
    """Optional Stages first, in the middle or last, worth the risk or not."""
    data = small(rng, stages=1)
    colours = rolled_by(data)
    for _ in range(rng.randint(1, 2)):
        optional = stage(rng, colours, 3, loot=rng.randint(1, 2), payout=rng.choice((0, 0, 1)))
        data["stages"].insert(rng.randint(0, len(data["stages"])), optional)
    data["objective"]["loot"] = decimal(rng, 0.02, 0.8)
    return data


@recipe
def pulling_out(rng):
    """What comes first pays a little, what comes later costs more than it pays."""
    data = small(rng, stages=1)
    colours = rolled_by(data)
    data["stages"][0]["payout"] = rng.randint(1, 4)
    data["stages"].append(stage(rng, [*colours, rng.choice(COLOURS)], 4, payout=rng.randint(0, 2)))
    weights = {"completion": decimal(rng, 0, 0.6), "nuyen": decimal(rng, 0.1, 0.3)}
    costs = {"injury": decimal(rng, -0.4, -0.1), "death": decimal(rng, -1.5, -0.5)}
    return data | {"payout": rng.randint(0, 2), "objective": weights | costs}


@recipe
def money_and_loot(rng):
    """Completion itself is worth nothing."""
    data = small(rng, stages=3)
    for part in data["stages"]:
        part["payout"] = rng.randint(0, 4)
    data["stages"][rng.randrange(len(data["stages"]))]["loot"] = rng.randint(0, 2)
    weights = {"completion": 0.0, "nuyen": decimal(rng, 0.05, 0.2), "loot": decimal(rng, 0.1, 0.5)}
    costs = {"injury": decimal(rng, -0.2, 0), "death": decimal(rng, -0.6, 0)}
    return data | {"objective": weights | (costs if rng.random() < 0.5 else {})}


@recipe
def paid_or_safe(rng):
    """The nuyen payout counts as such, or a completion that nobody dies for."""
    data = shared_tokens(rng) | {"docwagon_tokens": rng.randint(0, 1), "payout": rng.choice((0, 2))}
    for part in data["stages"]:
        part["payout"] = rng.randint(0, 2)
    weights = {"completion": decimal(rng, 0, 0.5), "injury": decimal(rng, -0.3, 0)}
    chosen = rng.choice((("payout",), ("safe",), ("payout", "safe")))
    return data | {"objective": weights | {key: decimal(rng, 0.5, 1.5) for key in chosen}}


@recipe
def tasks(rng):
    colours = some(rng, 2)
    return {
        "stages": [stage(rng, colours, 4, payout=rng.randint(0, 5))],
        "runners": [runner(plate=rng.random() < 0.3, **{colour: rng.randint(1, 3) for colour in colours})],
        "payout": rng.randint(0, 5),
        "loot_cards": rng.choice(([], [], ["ignore-injury"], [f"die:{colours[0]}"])),
        "rerolls": rng.choice((0, 0, 1)),
        "task": True,
        "objective": aims(rng),
    }


@recipe
def finals(rng):
    data = small(rng, stages=2, runners=rng.choice((1, 2, 2, 3)))
    data["stages"].append(stage(rng, rolled_by(data), 2))
    return data | {"payout": 0, "final": True}


@recipe
def dice_that_hurt(rng):
    """Few useful dice, and single dice of colours that no icon has, on a runner who is needed."""
    useful, useless, another = some(rng, 3)
    number = rng.randint(1, 2)
    crew = [runner(**{useful: number, useless: 1})]
    if rng.random() < 0.3:
        crew[0]["dice"][another] = 1
    if rng.random() < 0.3:
        crew.append(runner(**{rng.choice((useful, another)): 1}))
    stages = [{"icons": {useful: rng.randint(number, 3)}} for _ in range(rng.choice((1, 1, 2)))]
    return {"stages": stages, "runners": crew, "objective": aims(rng)}


@recipe
def hard_ties(rng):
    """Completion only, or deaths only, with much that makes no difference to it: the tie-break decides."""
    data = small(rng, runners=rng.randint(2, 3))
    for card in data["runners"]:
        card |= {"dermal_plating": rng.random() < 0.3, "docwagon_token": rng.random() < 0.3}
    data["stages"][0] |= {"payout": rng.randint(0, 2), "loot": rng.choice((0, 1))}
    weights = rng.choice(({}, {}, {"completion": 0.0, "loot": 1.0}, {"completion": 1.0, "death": -1.0}))
    return data | {"docwagon_tokens": rng.randint(0, 2), "objective": weights}


@recipe
def everything(rng):
    """A little of anything."""
    data = small(rng, runners=rng.randint(1, 2))
    for card in data["runners"]:
        card |= {"dermal_plating": rng.random() < 0.3, "docwagon_token": rng.random() < 0.3}
    for part in data["stages"]:
        part |= {"payout": rng.randint(0, 2), "loot": rng.choice((0, 0, 1))}
    cards = [f"success:{colour}" for colour in COLOURS] + [f"die:{colour}" for colour in COLOURS]
    cards += ["ignore-injury", "reroll-die", "evacuate"]
    return data | {
        "docwagon_tokens": rng.randint(0, 2),
        "loot_cards": rng.sample(cards, rng.randint(0, 1)),
        "rerolls": rng.choice((0, 0, 0, 1)),
        rng.choice(("clears_first_stage", "clears_last_stage")): rng.random() < 0.2,
    }
