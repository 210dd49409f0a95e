"""``sprawlsim compare``: teams side by side on the same Mission."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sprawlsim.cli.asking import (
    AimOption,
    EyeOption,
    InsistOption,
    LootOption,
    MissionArgument,
    ObjectiveOption,
    PlatingOption,
    PriceOption,
    QuietOption,
    RerollOption,
    TokensOption,
    announcing_compilation,
    check_picture,
    draw,
    little_garbage,
    load_engine,
    read_objective,
    read_prices,
    read_rules,
    say,
)
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.complete import complete_team
from sprawlsim.cli.improve import Attempts, align
from sprawlsim.cli.odds_text import WIDTH, hand_text, is_completion_alone, stage_label
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.compare import Compared, Comparison

Table = tuple[list[str], list[list[str]]]

COLUMNS = {"injuries": "injuries", "deaths": "deaths", "nuyen": "nuyen (K)", "loot": "Loot"}
"""Expectations beside the odds, and their headings."""


def show_comparison(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEAM",
            help='A team to compare: "Tamsynn + Datajack, Lazar + Commlink". Given twice or more; '
            "differences are to the first.",
            autocompletion=complete_team,
        ),
    ] = None,
    tokens: TokensOption = 0,
    loot: LootOption = None,
    reroll: RerollOption = 0,
    eye: EyeOption = None,
    aim: AimOption = None,
    price: PriceOption = None,
    objective: ObjectiveOption = None,
    plating_any_colour: PlatingOption = False,
    insist: InsistOption = False,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the differences as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare teams on a Mission, with the same things in hand: exact odds of best play for each.

    All figures and differences are exact. A Commlink without a colour gets the best one.

    \b
    Examples:
      sprawlsim compare "make some noise" --team "Tamsynn, Lazar" --team "Tamsynn, Corium"
      sprawlsim compare errand --team "Tamsynn" --team "Tamsynn + Datajack" --team "Tamsynn + Tsurugi"
      sprawlsim compare market --team "Lazar" --team "Lazar + Commlink" --aim nuyen --tokens 1
      sprawlsim compare errand --team "Tamsynn" --team "Lazar" --format csv --plot teams.png
    """
    check_format(fmt)
    check_picture(plot)
    if mission is None:
        raise SprawlsimError("name a Mission; see 'sprawlsim compare --help'")
    if len(team or ()) < 2:
        raise SprawlsimError("name two teams or more, each with a --team of its own")
    load_engine()
    from sprawlsim.sprawlops.compare import compare

    with announcing_compilation(quiet), little_garbage(), Attempts(quiet) as progress:
        answer = compare(
            mission,
            team or (),
            cards=load_cards(cards, changes or ()),
            tokens=tokens,
            loot=loot or (),
            rerolls=reroll,
            eye=eye or (),
            aim=aim,
            prices=read_prices(price),
            objective=read_objective(objective),
            rules=read_rules(plating_any_colour),
            insist=insist,
            progress=progress,
        )
    if plot is not None:
        draw(answer.plot(), plot, quiet)
    print(render(answer, fmt))
    if fmt in {"json", "csv"}:
        for note in answer.notes:
            say(f"note: {note}", quiet)


def render(comparison: Comparison, fmt: str) -> str:
    """Write a comparison in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(comparison.to_dict(), indent=2, allow_nan=False)
    if fmt == "csv":
        records = list(comparison.records())
        return render_rows(list(records[0]), [list(record.values()) for record in records], fmt)
    head = [f"{comparison}.", f"Best play, exact, card set {comparison.card_set}; changes are from team A."]
    tables = (_teams(comparison, in_full=fmt == "md"), _stages(comparison))
    notes = [f"Note: {note}" for note in _notes(comparison)]
    if fmt == "md":
        told = [render_rows(*table, fmt) for table in tables]
        return "\n\n".join([f"**{head[0]}** {head[1]}", *told, *notes])
    head += _circumstances(comparison)
    above, below = (
        [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines] for lines in (head, notes)
    )
    told = [render_rows(*align(*table, range(1, len(table[0]))), "table") for table in tables]
    return "\n".join([*above, "", told[0], "", told[1], *[""] * bool(below), *below])


def _circumstances(comparison: Comparison) -> Iterator[str]:
    """Say who goes, with what in hand, and what an attempt is worth."""
    from sprawlsim.sprawlops.mission.aims import aim_text

    for row in comparison.rows:
        yield f"{row.label}: {row.team}."
    hand = hand_text(comparison.rows[0].odds.scenario)
    if hand:
        yield f"In hand: {'; '.join(hand)}."
    if not is_completion_alone(comparison.objective):
        yield f"An attempt is worth {aim_text(comparison.objective)}."


def _teams(comparison: Comparison, in_full: bool) -> Table:
    """Write a line for each team."""
    from sprawlsim.sprawlops.gains import is_chance, worth_heading

    chance = is_chance(comparison.objective)
    alone = is_completion_alone(comparison.objective)
    heads = ["Team", worth_heading(comparison.objective), *["completes"] * (not alone), *COLUMNS.values()]
    rows = []
    for row in comparison.rows:
        name = f"{row.label}: {row.team}" if in_full else row.label
        cells = [f"{name} (best)" if row.best else name, _figure(comparison, row, "objective_value", chance)]
        if not alone:
            cells.append(_figure(comparison, row, "completed", True))
        rows.append([*cells, *(_figure(comparison, row, key, False) for key in COLUMNS)])
    return heads, rows


def _stages(comparison: Comparison) -> Table:
    """Write two lines for each Stage, a column a team."""
    first = comparison.rows[0].odds
    rows = []
    for i in range(len(first.stages)):
        for measure, label in (("reached", stage_label(first.scenario, i)), ("cleared", "")):
            key = f"stage_{i + 1}_{measure}"
            cells = [_figure(comparison, row, key, True) for row in comparison.rows]
            rows.append([label, measure, *cells])
    return ["Stage", "", *(row.label for row in comparison.rows)], rows


def _figure(comparison: Comparison, row: Compared, key: str, chance: bool) -> str:
    """Write a figure of a team, and what it has more than the first in brackets."""
    from sprawlsim.sprawlops.gains import change_text, worth_text

    told = worth_text(row.figures()[key], chance)
    if row is comparison.rows[0]:
        return told
    change = comparison.differences(row)[key]
    return f"{told} ({change_text(change, chance) if change else '='})"


def _notes(comparison: Comparison) -> Iterator[str]:
    yield from comparison.notes
    stages = comparison.rows[0].odds.scenario.stages
    reached = [[stage.reached.estimate > 0.0 for stage in row.odds.stages] for row in comparison.rows]
    started = any(any(team) for team in reached)
    skipped = any(stage.loot and not any(team[i] for team in reached) for i, stage in enumerate(stages))
    if started and skipped and comparison.objective.loot <= 0.0:
        yield "Loot Stages are skipped: here Loot is worth nothing (see --objective)."
    for row, team in zip(comparison.rows, reached, strict=True):
        if not any(team):
            yield f"Team {row.label} pulls out before the first Stage: it expects no gain, or more harm."
