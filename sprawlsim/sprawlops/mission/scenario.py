"""A Mission attempt as data: read strictly from TOML or JSON, and turned into plain arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from sprawlsim.errors import ScenarioError, did_you_mean
from sprawlsim.sprawlops.dice import MAX_ROLLED, VETERAN_SET_ASIDE
from sprawlsim.sprawlops.mission.arrays import (
    DIE_CARD,
    EVACUATE,
    IGNORE_INJURY,
    MAX_RUNNERS,
    MAX_STAGES,
    REROLL_DIE,
    SCENARIO,
    SUCCESS_CARD,
    Record,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES, Role

CARD_KIND: dict[str, int] = {
    **{f"success:{role}": SUCCESS_CARD + i for i, role in enumerate(ROLES)},
    **{f"die:{role}": DIE_CARD + i for i, role in enumerate(ROLES)},
    "ignore-injury": IGNORE_INJURY,
    "reroll-die": REROLL_DIE,
    "evacuate": EVACUATE,
}
"""Loot bonuses (rulebook, "Loot") and their place among the kinds of card."""

MAX_POOL = MAX_ROLLED + VETERAN_SET_ASIDE
MAX_REROLLS = 15
MAX_TOKENS = 20
MAX_LOOT_CARDS = 20
MOST_WEIGHT = 1_000_000
WIDEST_WEIGHTS = 1e9

Dice = Annotated[int, Meta(ge=0, le=MAX_POOL)]
Icons = Annotated[int, Meta(ge=0, le=15)]
Nuyen = Annotated[int, Meta(ge=0, le=999)]


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One Stage: its icons, and what clearing it pays.

    Attributes
    ----------
    icons : dict
        Icons by role.
    loot : int
        Loot cards; more than 0 makes it an optional Loot Stage.
    payout : int
        K nuyen, paid when the Stage is cleared.
    """

    icons: dict[Role, Icons]
    loot: Annotated[int, Meta(ge=0, le=5)] = 0
    payout: Nuyen = 0


class Runner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A runner in a Mission: dice from the card, Gear and Upgrades together.

    Attributes
    ----------
    dice : dict
        Dice by role.
    dermal_plating : bool
        Whether an unused Dermal Plating is there (M12).
    docwagon_token : bool
        A token of this runner's own, as one hired out of Dante's Inferno has (G8).
    """

    dice: dict[Role, Dice]
    name: str = ""
    dermal_plating: bool = False
    docwagon_token: bool = False


class Objective(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an attempt is worth.

    Attributes
    ----------
    completion : float
        For completing the Mission.
    nuyen, loot : float
        Per K nuyen paid out, per Loot card won.
    injury, death : float
        Per runner injured or rescued, per runner dead, when the Mission ends; 0 or negative.
    payout : float
        For winning the nuyen payout: of the last Stage that pays, or where none does, of the Mission.
    safe : float
        For completing the Mission with nobody dead.
    """

    completion: float = 1.0
    nuyen: float = 0.0
    loot: float = 0.0
    injury: float = 0.0
    death: float = 0.0
    payout: float = 0.0
    safe: float = 0.0


class RulesOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Readings of the rules that a table may choose otherwise.

    Attributes
    ----------
    plating_takes_any_colour : bool
        An unused plate takes an injury of any colour (M12).
    """

    plating_takes_any_colour: bool = False


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Mission attempt: the Stages, the runners, what is in hand, and what it is worth.

    Attributes
    ----------
    payout : int
        K nuyen, paid when the Mission is completed.
    loot_cards : tuple of str
        Loot held at the start, by bonus: ``"success:mage"``, ``"die:decker"``, ``"ignore-injury"``,
        ``"reroll-die"``, ``"evacuate"``.
    rerolls : int
        Free rerolls (the Face at Mr. Johnson, Bodyguard Work; M18).
    task : bool
        A Task: one runner, who cannot die (M16).
    final : bool
        A Final Mission: no perks (G10), Loot Stages or payouts (rulebook, "Mission Cards").
    clears_first_stage, loot_for_first_stage, clears_last_stage : bool
        The Eye of the Needle's Street Samurai, Decker and Rigger perks (G10).
    """

    stages: Annotated[tuple[Stage, ...], Meta(min_length=1, max_length=MAX_STAGES)]
    runners: Annotated[tuple[Runner, ...], Meta(min_length=1, max_length=MAX_RUNNERS)]
    docwagon_tokens: Annotated[int, Meta(ge=0, le=MAX_TOKENS)] = 0
    payout: Nuyen = 0
    loot_cards: Annotated[tuple[str, ...], Meta(max_length=MAX_LOOT_CARDS)] = ()
    rerolls: Annotated[int, Meta(ge=0, le=MAX_REROLLS)] = 0
    task: bool = False
    final: bool = False
    clears_first_stage: bool = False
    clears_last_stage: bool = False
    loot_for_first_stage: bool = False
    objective: Objective = Objective()
    rules: RulesOptions = RulesOptions()

    def __post_init__(self) -> None:
        _check(self)

    @property
    def runner_names(self) -> tuple[str, ...]:
        """Names of the runners; ``Runner 1``... where a file gives none."""
        return tuple(runner.name or f"Runner {i}" for i, runner in enumerate(self.runners, 1))

    def arrays(self) -> Record:
        """Give the scenario as compiled code reads it: one record of dtype `SCENARIO`."""
        return _arrays(self)


def _check(scenario: Scenario) -> None:
    """Refuse what the rules or the compiled code cannot play."""
    for i, stage in enumerate(scenario.stages, 1):
        if sum(stage.icons.values()) == 0:
            raise ScenarioError(f"Stage {i} has no icons; a Stage needs at least one")
        if scenario.final and (stage.loot or stage.payout):
            raise ScenarioError(
                f"Stage {i} of a Final Mission has a payout or Loot; Final Missions have none"
            )
    for name, runner in zip(scenario.runner_names, scenario.runners, strict=True):
        if sum(runner.dice.values()) == 0:
            raise ScenarioError(f"{name} has no dice; a runner needs at least one")
    if scenario.final and scenario.payout:
        raise ScenarioError("a Final Mission has a payout; Final Missions have none")
    perks = ("clears_first_stage", "clears_last_stage", "loot_for_first_stage")
    used = [perk for perk in perks if getattr(scenario, perk)]
    if used and (scenario.final or scenario.task):
        kind = "Final Mission" if scenario.final else "Task"
        raise ScenarioError(f"{used[0]} is set; the Eye of the Needle's perks are not for a {kind}")
    if scenario.task:
        _check_task(scenario)
    for card in scenario.loot_cards:
        if card not in CARD_KIND:
            allowed = "success:ROLE, die:ROLE, ignore-injury, reroll-die, evacuate"
            raise ScenarioError(
                f"{card!r} is not a Loot bonus; allowed are {allowed}{did_you_mean(card, CARD_KIND)}"
            )
    if scenario.rerolls + scenario.loot_cards.count("reroll-die") > MAX_REROLLS:
        raise ScenarioError(f"there are more than {MAX_REROLLS} rerolls, cards included")
    for role in ROLES:
        dice = sum(runner.dice.get(role, 0) for runner in scenario.runners)
        dice += scenario.loot_cards.count(f"die:{role}")
        if dice > MAX_POOL:
            raise ScenarioError(f"{dice} {ROLE_LABELS[role]} dice; a pool may hold {MAX_POOL} of a colour")
    weights = scenario.objective
    for key in weights.__struct_fields__:
        if not abs(getattr(weights, key)) <= MOST_WEIGHT:
            raise ScenarioError(f"objective.{key} must be between -{MOST_WEIGHT} and {MOST_WEIGHT}")
    for key in ("injury", "death"):
        if getattr(weights, key) > 0:
            raise ScenarioError(f"objective.{key} is {getattr(weights, key)}; it is a cost: 0 or negative")
    sizes = [size for key in weights.__struct_fields__ if (size := abs(getattr(weights, key)))]
    if sizes and max(sizes) > WIDEST_WEIGHTS * min(sizes):
        raise ScenarioError(
            f"the objective's weights range from {min(sizes):g} to {max(sizes):g}; beyond a factor of "
            f"{WIDEST_WEIGHTS:g} the small ones would be lost in rounding"
        )
    if weights.safe < 0:
        raise ScenarioError(f"objective.safe is {weights.safe}; it is a gain: 0 or positive")


def _check_task(scenario: Scenario) -> None:
    """Refuse a Task that is not one runner's single Stage (rulebook, "Task")."""
    if len(scenario.runners) != 1:
        raise ScenarioError(f"a Task is run by one runner, not {len(scenario.runners)}")
    if len(scenario.stages) != 1:
        raise ScenarioError(f"a Task has one Stage, not {len(scenario.stages)}")
    if scenario.stages[0].loot:
        raise ScenarioError("a Task's Stage is not an optional Loot Stage; leave its loot out")
    if scenario.final:
        raise ScenarioError("an attempt is of a Task or of a Final Mission, not of both")


def _arrays(scenario: Scenario) -> Record:
    scn = np.zeros(1, dtype=SCENARIO)[0]
    fill_stages(scn, scenario.stages)
    scn.payout = scenario.payout
    scn.n_runners = len(scenario.runners)
    for i, runner in enumerate(scenario.runners):
        scn.dice[i] = [runner.dice.get(role, 0) for role in ROLES]
        scn.plates |= int(runner.dermal_plating) << i
        scn.own_tokens |= int(runner.docwagon_token) << i
    scn.tokens = scenario.docwagon_tokens
    scn.rerolls = scenario.rerolls
    for card, count in Counter(scenario.loot_cards).items():
        scn.cards[CARD_KIND[card]] = count
    scn.task = scenario.task
    scn.clears_first = scenario.clears_first_stage
    scn.clears_last = scenario.clears_last_stage
    scn.loot_for_first = scenario.loot_for_first_stage
    scn.plating_takes_any_colour = scenario.rules.plating_takes_any_colour
    for key in scenario.objective.__struct_fields__:
        setattr(scn, f"w_{key}", getattr(scenario.objective, key))
    return scn


def fill_stages(scn: Record, stages: Sequence[Any]) -> None:
    """Write Stages, of a scenario or as a card has them, into a record of `SCENARIO`."""
    scn["n_stages"] = len(stages)
    for i, stage in enumerate(stages):
        scn["icons"][i] = [stage.icons.get(role, 0) for role in ROLES]
        scn["loot"][i] = stage.loot
        scn["stage_payout"][i] = stage.payout
    scn["paying_stage"] = max((i for i, stage in enumerate(stages) if stage.payout), default=-1)


def scenario_from_dict(data: dict[str, Any], where: str = "scenario") -> Scenario:
    """Read a scenario from plain data, strictly.

    Parameters
    ----------
    data : dict
        The keys of a scenario file; unknown keys are errors.
    where : str
        What to call it in an error.

    Raises
    ------
    ScenarioError
        Naming the place and what is allowed.
    """
    try:
        return msgspec.convert(data, Scenario, strict=True)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, ScenarioError):
            raise ScenarioError(f"{where}: {cause}") from None
        raise ScenarioError(f"{where}: {_explain(str(error))}") from None


def _explain(message: str) -> str:
    """Add to msgspec's message, which names the place, what is allowed there."""
    place = message.rsplit("`$", 1)[-1] if "`$" in message else ""
    if "unknown field" in message:
        kind: type[msgspec.Struct] = Scenario
        for part, struct in (("runners", Runner), ("stages", Stage), ("objective", Objective)):
            if place.startswith(f".{part}"):
                kind = struct
        if place.startswith(".rules"):
            kind = RulesOptions
        return f"{message}; allowed are {', '.join(kind.__struct_fields__)}"
    if "enum value" in message:
        return f"{message}; the roles are {', '.join(ROLES)}"
    return message


def load_scenario(path: str | Path) -> Scenario:
    """Read a scenario file (``.toml`` or ``.json``).

    Raises
    ------
    ScenarioError
        If it cannot be read; the sentence names the file, the key and what is allowed.
    """
    path = Path(path)
    decoders: dict[str, Callable[[bytes], Any]] = {
        ".toml": msgspec.toml.decode,
        ".json": msgspec.json.decode,
    }
    if path.suffix.lower() not in decoders:
        raise ScenarioError(f"{path}: a scenario file ends in .toml or .json")
    try:
        data = decoders[path.suffix.lower()](path.read_bytes())
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read ({error.strerror})") from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise ScenarioError(f"{path}: is not well-formed ({error})") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"{path}: holds no table of keys")
    return scenario_from_dict(data, str(path))
