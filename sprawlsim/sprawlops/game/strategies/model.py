"""Strategies as files: strict reading, names, and the arrays that compiled code reads.

A strategy is a TOML file of weights; what is left out has its default. The table `WEIGHT_KEYS` is the one
place that knows every weight: files, docs, tuning and the chooser's record all follow it.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tomli_w

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.game.arrays import A_FINAL, A_MISSION, A_TASK, LOCATIONS, ORDERS
from sprawlsim.sprawlops.game.strategies.weights import AT_RANDOM, BY_FUNCTION, BY_WEIGHTS, WEIGHTS
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES

SHIPPED = Path(__file__).parent / "shipped"
CHOOSERS = {"weights": BY_WEIGHTS, "random": AT_RANDOM, "function": BY_FUNCTION}
"""How a strategy chooses; `function` is for functions given in Python, not for files."""
IN_FILES = ("weights", "random")
LONGEST_NAME = 80
TASK_PAYS = 4.0
"""K that completing a Task counts against an injury."""


class StrategyError(SprawlsimError):
    """A strategy that cannot be found or read."""


class Weight(NamedTuple):
    """One weight of a strategy.

    Attributes
    ----------
    default, low, high : float
        Value when left out, and what is allowed.
    tells : str
        What it does.
    field : str
        Where it stands in the record `WEIGHTS`.
    place : int or None
        Its place in that field where it is an array.
    """

    default: float
    low: float
    high: float
    tells: str
    field: str
    place: int | None = None


def place_key(location: str) -> str:
    """Write a location as a key: ``maxs_ironworks``."""
    return location.removeprefix("The ").lower().replace("'", "").replace(".", "").replace(" ", "_")


def _weight_keys() -> dict[str, Weight]:
    keys: dict[str, Weight] = {}
    for i, role in enumerate(ROLES):
        worth = {"street_samurai": 5.0, "decker": 4.5, "mage": 4.5, "rigger": 4.0, "face": 2.5}[role]
        label = ROLE_LABELS[role]
        keys[f"dice.{role}"] = Weight(worth, 0, 50, f"K that a {label} die is worth for good", "dice", i)
    plain = {
        "worth.body": (2.0, -20, 50, "K for a runner more on the board, its dice not counted", "body"),
        "worth.face": (2.0, -20, 50, "K for the first Face on the board, for the Face bonuses", "face"),
        "worth.plating": (4.0, 0, 50, "K that a Dermal Plating is worth", "plating"),
        "worth.commlink": (4.0, 0, 50, "K that a Commlink is worth", "commlink"),
        "worth.loot": (3.0, 0, 50, "K that a Loot card in hand is worth; below 5 it is sold", "loot"),
        "worth.token": (2.0, 0, 50, "K for a first DocWagon token before a Mission", "token"),
        "worth.token_final": (5.0, 0, 50, "the same before the Final Mission", "token_final"),
        "worth.reroll": (1.0, 0, 50, "K for a Face's reroll at Mr. Johnson", "reroll"),
        "worth.refill": (3.0, -20, 50, "K that refilled Gear slots promise before their price", "refill"),
        "worth.saturation": (0.05, 0, 5, "each die of a colour makes its next one worth less", "saturation"),
        "worth.thrift": (0.9, 0, 10, "what 1K spent must gain, with up to 10K in hand", "thrift"),
        "worth.ease": (1.2, 0, 10, "how much less it must gain for every 10K more in hand", "ease"),
        "mission.eagerness": (1.0, 0, 20, "what 1K expected from a Mission counts", "mission"),
        "mission.per_round": (1.0, 0, 4, "Missions to select in a round", "missions_per_round"),
        "mission.enough": (1.0, 0, 1, "chance at which no more runners are sent; 1: send all", "enough"),
        "mission.injury": (3.0, 0, 100, "price of an injury in K, in choosing and in play", "injury"),
        "mission.death": (10.0, 0, 200, "price of a death in K", "death"),
        "mission.hire": (0.0, 0, 50, "most K per die for runners hired from Dante's Inferno", "hire_mission"),
        "final.chance": (0.5, 0, 1, "estimated chance from which the Final Mission is tried", "final_chance"),
        "final.haste": (0.04, 0, 1, "so much less of it for every round gone by", "final_haste"),
        "final.rival": (0.7, 0, 1, "share of it that will do when a rival has reserved", "final_rival"),
        "final.prize": (100.0, 1, 1000, "K that winning is worth against injury and death", "final_prize"),
        "final.focus": (1.0, 0, 10, "how much dice of the Final Mission's colours gain", "final_focus"),
        "final.hire": (4.0, 0, 50, "most K per die for runners hired for the Final Mission", "hire_final"),
    }
    keys |= {key: Weight(*weight) for key, weight in plain.items()}
    eye = {"street_samurai": 2.0, "decker": 1.5, "mage": 2.0, "rigger": 2.0, "face": 1.0}
    for i, role in enumerate(ROLES):
        tells = f"K for the Eye of the Needle's {ROLE_LABELS[role]} perk"
        keys[f"eye.{role}"] = Weight(eye[role], 0, 50, tells, "eye", i)
    for i, location in enumerate(LOCATIONS):
        tells = f"taste for {location}: 0 shuns it"
        keys[f"place.{place_key(location)}"] = Weight(1.0, 0, 20, tells, "place", i)
    return keys


WEIGHT_KEYS = _weight_keys()
"""Every weight by its dotted key."""


class Strategy(NamedTuple):
    """A strategy: how a player chooses.

    Attributes
    ----------
    name : str
    description : str
        In a sentence, what it is after.
    chooser : str
        ``weights``, or ``random`` for any legal action.
    policy : str
        The rule of thumb that plays the dice.
    weights : dict of str to float
        By dotted key, defaults left out.
    """

    name: str
    description: str
    chooser: str
    policy: str
    weights: dict[str, float]

    def weight(self, key: str) -> float:
        """Give a weight, its default where the strategy leaves it out."""
        return self.weights.get(key, WEIGHT_KEYS[key].default)


def shipped_strategies() -> list[str]:
    """List the names of the strategies that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def load_strategy(name: str | Path) -> Strategy:
    """Load a strategy by the name of a shipped one, or from a file.

    Raises
    ------
    StrategyError
        Naming the file, the key and what is allowed.

    Examples
    --------
    >>> load_strategy("random").chooser
    'random'
    """
    path = Path(name)
    if path.suffix != ".toml":
        allowed = shipped_strategies()
        if str(name) not in allowed:
            raise StrategyError(
                f"{str(name)!r} is not a strategy; there are {', '.join(allowed)}, or a file NAME.toml"
                f"{did_you_mean(str(name), allowed)}"
            )
        path = SHIPPED / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StrategyError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StrategyError(f"{path}: not valid TOML: {error}") from None
    return strategy_from_dict(data, path.stem, str(path))


def strategy_from_dict(data: Mapping[str, Any], name: str, where: str = "strategy") -> Strategy:
    """Read a strategy from plain data, strictly.

    Raises
    ------
    StrategyError
        Naming every fault at once.
    """
    faults: list[str] = []
    words = {"description": "", "chooser": "weights", "policy": "balanced"}
    for key, choices in (("description", None), ("chooser", IN_FILES), ("policy", POLICIES)):
        value = data.get(key, words[key])
        if not isinstance(value, str) or (choices is not None and value not in choices):
            allowed = "a text" if choices is None else "one of " + ", ".join(choices)
            faults.append(f"{key} = {value!r} is not {allowed}")
        else:
            words[key] = value
    weights = _flatten({key: value for key, value in data.items() if key not in words}, faults)
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or "," in name:
        faults.append(f"the name {name!r} is not 1 to {LONGEST_NAME} letters without a comma")
    if faults:
        raise StrategyError(f"{where}: {'; '.join(faults)}")
    return Strategy(name, words["description"], words["chooser"], words["policy"], weights)


def _flatten(data: Mapping[str, Any], faults: list[str]) -> dict[str, float]:
    """Write tables of weights as dotted keys, checked."""
    found: dict[str, float] = {}
    for group, table in data.items():
        if not isinstance(table, Mapping):
            tables = dict.fromkeys(key.split(".")[0] for key in WEIGHT_KEYS)
            faults.append(
                f"{group} is not a key here; there are description, chooser, policy, and the tables "
                f"{', '.join(tables)}{did_you_mean(group, tables)}"
            )
            continue
        for key, value in table.items():
            dotted = f"{group}.{key}"
            if dotted not in WEIGHT_KEYS:
                faults.append(f"{dotted} is not a weight{did_you_mean(dotted, WEIGHT_KEYS)}")
                continue
            weight = WEIGHT_KEYS[dotted]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not weight.low <= value <= weight.high:
                faults.append(f"{dotted} = {value!r} is not a number from {weight.low:g} to {weight.high:g}")
                continue
            found[dotted] = float(value)
    return found


def save_strategy(strategy: Strategy, path: Path, comment: str = "") -> None:
    """Write a strategy as a file, whole or not at all.

    Parameters
    ----------
    comment : str
        Lines to stand at the top, such as the command that made it.
    """
    tables: dict[str, Any] = {"description": strategy.description}
    for key, default in (("chooser", "weights"), ("policy", "balanced")):
        if getattr(strategy, key) != default:
            tables[key] = getattr(strategy, key)
    for dotted in WEIGHT_KEYS:
        if dotted in strategy.weights:
            group, key = dotted.split(".")
            tables.setdefault(group, {})[key] = strategy.weights[dotted]
    text = "".join(f"# {line}\n" for line in comment.splitlines()) + tomli_w.dumps(tables)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def strategy_weights(strategies: Sequence[Strategy]) -> npt.NDArray[Any]:
    """Write strategies as records of `WEIGHTS`."""
    weights = np.zeros(len(strategies), dtype=WEIGHTS)
    for row, strategy in zip(weights, strategies, strict=True):
        row["chooser"] = CHOOSERS[strategy.chooser]
        for key, weight in WEIGHT_KEYS.items():
            if weight.place is None:
                row[weight.field] = strategy.weight(key)
            else:
                row[weight.field][weight.place] = strategy.weight(key)
    return weights


def strategy_orders(strategies: Sequence[Strategy]) -> npt.NDArray[Any]:
    """Write how strategies play their dice, as records of `ORDERS`: a policy, and an objective in K.

    A Mission is played for nuyen, with Loot, injuries and deaths at the strategy's prices; the Final Mission
    for winning, at `final.prize`; a Task for completing it, an injury at its price against what a Task pays.
    """
    orders = np.zeros(len(strategies), dtype=ORDERS)
    for row, strategy in zip(orders, strategies, strict=True):
        row["policy"] = POLICIES[strategy.policy]
        harm = (-strategy.weight("mission.injury"), -strategy.weight("mission.death"))
        row["weights"][A_MISSION] = (0.0, 1.0, strategy.weight("worth.loot"), *harm, 0.0, 0.0)
        row["weights"][A_FINAL] = (strategy.weight("final.prize"), 0.0, 0.0, *harm, 0.0, 0.0)
        row["weights"][A_TASK] = (TASK_PAYS, 0.0, 0.0, *harm, 0.0, 0.0)
    return orders
