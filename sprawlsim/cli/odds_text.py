"""The odds of a Mission in writing: the table a player reads, JSON, CSV, Markdown."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sprawlsim.cli.cards import icons_text
from sprawlsim.reports.rows import render_rows
from sprawlsim.sprawlops.roles import ROLE_LABELS

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.odds import Beside, Odds
    from sprawlsim.sprawlops.mission.scenario import Objective, Scenario
    from sprawlsim.stats.intervals import Estimate

WIDTH = 88
FIRST_COLUMN = 28

_ROLE_NAMES: dict[str, str] = {str(role): label for role, label in ROLE_LABELS.items()}

Cells = list[object]


def render(odds: Odds, fmt: str) -> str:
    """Write odds in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(odds.to_dict(), indent=2, allow_nan=False)
    if fmt == "csv":
        rows: list[Cells] = [
            [row.group, row.item, row.measure, row.value.estimate, row.value.low, row.value.high]
            for row in odds.figures()
        ]
        return render_rows(["group", "item", "measure", "estimate", "low", "high"], rows, fmt)
    if fmt == "md":
        rows = [
            [row.group, row.item, row.measure, *_parts(row.value, row.is_probability)]
            for row in odds.figures()
        ]
        table = render_rows(["group", "item", "measure", "estimate", "95% interval"], rows, fmt)
        head = f"**{_headline(odds)}** {_provenance(odds)}"
        return "\n\n".join([head, table, *_notes(odds)])
    return _table(odds)


def _table(odds: Odds) -> str:
    """Write the table: the answer, who goes with what, then everything else, aligned, notes last."""
    head = [_headline(odds), _provenance(odds), *_circumstances(odds)]
    wrapped = [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in head]
    headers, *rows = _rows(odds)
    notes = [textwrap.fill(f"Note: {note}", WIDTH, subsequent_indent="  ") for note in _notes(odds)]
    body = render_rows([str(cell) for cell in headers], rows, "table")
    return "\n".join([*wrapped, "", body, *[""] * bool(notes), *notes])


def _headline(odds: Odds) -> str:
    value, interval = _parts(odds.completed)
    return f"Odds of completing {odds.title}: {value}" + (f" (95% interval {interval})." if interval else ".")


def _provenance(odds: Odds) -> str:
    how = "Best play" if odds.policy == "best" else f"Policy {odds.policy}"
    if odds.engine == "exact":
        parts = [f"{how}, exact ({odds.why})" if odds.why else f"{how}, exact"]
    else:
        played = f"{odds.attempts:,} attempt{'s' * (odds.attempts != 1)}"
        parts = [how, f"Monte Carlo ({odds.why})" if odds.why else "Monte Carlo", played, f"seed {odds.seed}"]
    parts.append(f"card set {odds.card_set}" if odds.card_set else "from a scenario file")
    return ", ".join(filter(None, parts)) + "."


def _circumstances(odds: Odds) -> Iterator[str]:
    """Say who goes, with what in hand, and what an attempt is worth if not just completion."""
    from sprawlsim.sprawlops.mission.aims import aim_text

    scenario = odds.scenario
    yield f"Team: {odds.team or runners_text(scenario)}."
    hand = hand_text(scenario)
    if hand:
        yield f"In hand: {'; '.join(hand)}."
    if not is_completion_alone(scenario.objective):
        yield f"An attempt is worth {aim_text(scenario.objective)}."


def runners_text(scenario: Scenario) -> str:
    """Name the runners of a scenario, with their dice."""
    told = []
    for name, runner in zip(scenario.runner_names, scenario.runners, strict=True):
        extras = ["Dermal Plating"] * runner.dermal_plating + ["a token of its own"] * runner.docwagon_token
        told.append(f"{name} ({', '.join([icons_text(runner.dice), *extras])})")
    return ", ".join(told)


def hand_text(scenario: Scenario) -> list[str]:
    """Tell what is in hand."""
    hand = []
    for count, what in ((scenario.docwagon_tokens, "DocWagon token"), (scenario.rerolls, "free reroll")):
        if count:
            hand.append(f"{count} {what}{'s' * (count > 1)}")
    if scenario.loot_cards:
        hand.append(f"Loot ({', '.join(map(_bonus_text, scenario.loot_cards))})")
    perks = {
        "clears the first Stage": scenario.clears_first_stage,
        "clears the last Stage": scenario.clears_last_stage,
        "Loot for the first Stage": scenario.loot_for_first_stage,
    }
    hand += [f"Eye of the Needle ({perk})" for perk, there in perks.items() if there]
    if scenario.rules.plating_takes_any_colour:
        hand.append("Dermal Plating takes any colour")
    return hand


def _bonus_text(bonus: str) -> str:
    kind, _, role = bonus.partition(":")
    return f"a {_ROLE_NAMES[role]} {kind}" if role else kind.replace("-", " ")


def _is_chance(objective: Objective) -> bool:
    """Say whether what an attempt is worth is the chance of something; looked up when odds are there."""
    from sprawlsim.sprawlops.gains import is_chance

    return is_chance(objective)


def is_completion_alone(objective: Objective) -> bool:
    """Say whether nothing but completing counts."""
    return objective == type(objective)()


def _rows(odds: Odds) -> Iterator[Cells]:
    """Go through the lines of the table, the first of them its headers; all have three figures."""
    yield ["Stage", "reached", "cleared", ""]
    for i in range(len(odds.stages)):
        yield from _with_label(stage_label(odds.scenario, i), _stage_figures(odds, i))
    yield [""] * 4
    rescues = odds.scenario.docwagon_tokens or any(runner.docwagon_token for runner in odds.scenario.runners)
    ends = ["injured", "dead", *["rescued"] * bool(rescues)]
    yield [*["Runner", *ends, ""][:4]]
    for runner in odds.runners:
        yield from _with_label(runner.name, [_figure(getattr(runner, end)) for end in ends])
    yield [""] * 4
    yield ["How many at once", "injured or rescued" if rescues else "injured", "dead", ""]
    for count, (injured, dead) in enumerate(zip(odds.injured_count, odds.dead_count, strict=True)):
        yield [str(count), _figure(injured), _figure(dead), ""]
    yield [""] * 4
    yield ["Reward", "expected", "", ""]
    yield ["Nuyen (K)", _figure(odds.nuyen, False), "", ""]
    yield ["Loot cards", _figure(odds.loot, False), "", ""]
    if not is_completion_alone(odds.scenario.objective):
        chance = _is_chance(odds.scenario.objective)
        yield ["Worth of an attempt", _figure(odds.objective_value, chance), "", ""]
    if odds.beside:
        yield from _beside(odds)


def _beside(odds: Odds) -> Iterator[Cells]:
    """Set the rules of thumb beside best play."""
    alone = is_completion_alone(odds.scenario.objective)
    chance = _is_chance(odds.scenario.objective)
    yield [""] * 4
    yield [*["Rule of thumb", "completes", *["worth"] * (not alone), "short of best", ""][:4]]
    for other in odds.beside:
        worth = [] if alone else [_figure(other.objective_value, chance)]
        yield [*[other.policy, _figure(other.completed), *worth, _gap(odds, other, chance), ""][:4]]


def _gap(odds: Odds, other: Beside, is_probability: bool) -> str:
    """Write how far a rule of thumb falls short of best play, with the digits that are known."""
    from sprawlsim.stats.intervals import Estimate

    best, reached = odds.objective_value, other.objective_value
    half = best.half_width + reached.half_width
    gap = best.estimate - reached.estimate
    gap = max(gap, 0.0) if half == 0.0 else gap  # exact, nobody beats best play but by rounding
    told = _parts(Estimate(gap, gap - half, gap + half), is_probability)[0].replace("%", " points")
    return told if any(digit in told for digit in "123456789") else told.removeprefix("-")


def _with_label(label: str, figures: list[str]) -> Iterator[Cells]:
    """Fill a line, and more of them where the label is too long for its column."""
    first, *more = textwrap.wrap(label, FIRST_COLUMN, subsequent_indent="   ") or [""]
    yield [first, *figures, *[""] * (3 - len(figures))]
    for rest in more:
        yield [rest, "", "", ""]


def stage_label(scenario: Scenario, index: int) -> str:
    """Write a Stage in short."""
    stage = scenario.stages[index]
    loot = f"{stage.loot} Loot" if stage.loot > 1 else "Loot"
    marks = [loot] * bool(stage.loot) + [f"pays {stage.payout}K"] * bool(stage.payout)
    return f"{index + 1}  {icons_text(stage.icons)}" + (f" ({', '.join(marks)})" if marks else "")


def _stage_figures(odds: Odds, index: int) -> list[str]:
    """Give the odds of a Stage, or say why it never came to a roll."""
    stage = odds.stages[index]
    if stage.reached.estimate > 0.0:
        return [_figure(stage.reached), _figure(stage.cleared)]
    if not _comes_before(odds, index):
        return ["never reached"]
    return ["always skipped" if odds.scenario.stages[index].loot else "never tried"]


def _comes_before(odds: Odds, index: int) -> bool:
    """Tell whether the team ever stands before a Stage, the Stages skipped on the way left out."""
    for i in range(index - 1, -1, -1):
        if odds.stages[i].reached.estimate > 0.0 or not odds.scenario.stages[i].loot:
            return odds.stages[i].cleared.estimate > 0.0
    return True


def _notes(odds: Odds) -> Iterator[str]:
    yield from odds.notes
    skips = any(_stage_figures(odds, i) == ["always skipped"] for i in range(len(odds.stages)))
    if skips and odds.scenario.objective.loot <= 0.0:
        yield "Loot Stages are skipped: here Loot is worth nothing (see --objective)."
    if all(stage.reached.estimate == 0.0 for stage in odds.stages):
        who = "Best play" if odds.policy == "best" else odds.policy
        yield f"{who} pulls out before the first Stage: it expects more harm than gain."


def _parts(estimate: Estimate, is_probability: bool = True) -> tuple[str, str]:
    """Write an estimate and its interval, which is empty for an exact number.

    What was always or never seen has one end only worth telling.
    """
    from sprawlsim.stats.text import format_estimate

    value, interval = format_estimate(estimate, is_probability)
    low, _, high = interval.partition(" to ")
    if not math.isfinite(estimate.half_width):
        return value, "unknown"
    if estimate.low == estimate.high:
        return (value if is_probability else f"{estimate.estimate:g}"), ""
    if is_probability and estimate.estimate == 0.0:
        return "0%", f"under {high}"
    if is_probability and estimate.estimate == 1.0:
        return "100%", f"over {low}"
    return value, interval


def _figure(estimate: Estimate, is_probability: bool = True) -> str:
    """Write an estimate with its interval in brackets."""
    value, interval = _parts(estimate, is_probability)
    return f"{value} ({interval})" if interval else value
