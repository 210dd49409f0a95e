"""``sprawlsim improve``: what one more card, token or runner is worth to a team, and what it costs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    Progress,
    QuietOption,
    RerollOption,
    TeamOption,
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
from sprawlsim.cli.odds_text import WIDTH, hand_text, is_completion_alone
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.improvements import Improvement, Improvements

RANKING_NAMES = ("gain", "price")
"""The rankings to offer without loading them; a test holds them to `RANKINGS`."""


def show_improvements(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: TeamOption = None,
    budget: Annotated[
        float | None, typer.Option(metavar="K", min=0, help="Leave out what costs more, in K nuyen.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="RANKING",
            help="Rank by the gain, or by the gain for each 1K of its price.",
            autocompletion=lambda: list(RANKING_NAMES),
        ),
    ] = RANKING_NAMES[0],
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Show no more than so many. [default: all]")
    ] = None,
    every_place: Annotated[
        bool, typer.Option("--all", help="Show each place of a card, not only the best.")
    ] = False,
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
        Path | None, typer.Option(metavar="FILE", help="Draw the gains as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Rank every single addition to a team by what it gains: exact odds of best play with it and without.

    Additions are each Gear card and Upgrade on each runner who may carry it, each runner who could join while
    there are fewer than four, another colour for a Commlink, a DocWagon token, and each Loot card, whether or
    not it is for sale at the moment. More is not always better, for all dice must be rolled: an addition that
    does more harm than good is marked.

    \b
    Examples:
      sprawlsim improve "make some noise"
      sprawlsim improve "make some noise" --team "Tamsynn + Datajack, Lazar + Jackrabbit" --budget 8
      sprawlsim improve errand --by price --top 10
      sprawlsim improve courier --team Lazar
      sprawlsim improve errand --team "Tamsynn, Lazar + Commlink(rigger)" --all
      sprawlsim improve market --aim nuyen --price injury=2,death=8
      sprawlsim improve harbour --tokens 1 --loot "aqua fortis" --plot harbour.png
    """
    check_format(fmt)
    check_picture(plot)
    if mission is None:
        raise SprawlsimError("name a Mission; see 'sprawlsim improve --help'")
    load_engine()
    from sprawlsim.sprawlops.improve import improve

    with announcing_compilation(quiet), little_garbage(), Attempts(quiet) as progress:
        answer = improve(
            mission,
            team,
            budget=budget,
            by=by,
            top=top,
            every_place=every_place,
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


class Attempts(Progress):
    """A progress bar that counts solved attempts."""

    def _appear(self, knows_the_end: bool) -> Any:
        from rich.progress import TextColumn

        bar = super()._appear(knows_the_end)
        told = TextColumn("{task.completed} of {task.total} teams solved")
        bar.columns = (bar.columns[0], told, *bar.columns[2:])
        return bar


def render(improvements: Improvements, fmt: str) -> str:
    """Write improvements in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(improvements.to_dict(), indent=2, allow_nan=False)
    if fmt == "csv":
        records = [row.record() for row in improvements.rows]
        heads = list(records[0]) if records else ["addition"]
        return render_rows(heads, [list(record.values()) for record in records], fmt)
    head = [f"{improvements}.", f"Best play, exact, card set {improvements.card_set}."]
    heads, rows = _table(improvements)
    notes = [f"Note: {note}" for note in _notes(improvements)]
    if fmt == "md":
        return "\n\n".join([f"**{head[0]}** {head[1]}", render_rows(heads, rows, fmt), *notes])
    head += _circumstances(improvements)
    above, below = (
        [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines] for lines in (head, notes)
    )
    table = render_rows(*align(heads, rows, range(2, len(heads) - 1)), "table")
    return "\n".join([*above, "", table, *[""] * bool(below), *below])


def align(
    heads: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    """Fill up the cells of some columns, so that figures with a sign or a unit end in one line."""
    lines = [list(line) for line in (heads, *rows)]
    for i in columns:
        width = max(len(line[i]) for line in lines)
        for line in lines:
            line[i] = line[i].rjust(width)
    return lines[0], lines[1:]


def _circumstances(improvements: Improvements) -> Iterator[str]:
    """Say who goes, with what in hand, what an attempt is worth, and what may be spent."""
    from sprawlsim.sprawlops.mission.aims import aim_text

    yield f"Team: {improvements.team}."
    hand = hand_text(improvements.scenario)
    if hand:
        yield f"In hand: {'; '.join(hand)}."
    if not is_completion_alone(improvements.scenario.objective):
        yield f"An attempt is worth {aim_text(improvements.scenario.objective)}."
    if improvements.budget is not None:
        yield f"Budget: {improvements.budget:g}K; what costs more is left out."


def _table(improvements: Improvements) -> tuple[list[str], list[list[str]]]:
    """Write a line for each addition."""
    from sprawlsim.sprawlops.gains import change_text, is_chance, worth_heading, worth_text

    objective = improvements.scenario.objective
    chance = is_chance(objective)
    points = " (points)" if chance else ""
    alone = is_completion_alone(objective)
    also = ["completes"] * (not alone)
    heads = ["Addition", "onto", "price (K)", *also, worth_heading(objective), f"gain{points}", "per 1K", ""]
    rows = []
    for row in improvements.rows:
        gain, per_k = "no difference", ""
        if row.gain:
            gain = change_text(row.gain, chance)
            per_k = "free" if row.gain_per_k is None else change_text(row.gain_per_k, chance)
        after = [worth_text(row.expected.completed, True)] * (not alone)
        after.append(worth_text(row.expected.value, chance))
        rows.append([row.name, row.onto, f"{row.price:g}", *after, gain, per_k, _remark(row)])
    return heads, rows


def _remark(row: Improvement) -> str:
    return ", ".join(["hurts"] * row.hurts + ["stand-in price"] * row.price_is_invented)


def _notes(improvements: Improvements) -> Iterator[str]:
    count, hurting = improvements.left_out
    if count:
        harm = f", {hurting} of which hurt{'s' * (hurting == 1)}" if hurting else ""
        yield f"{count} more addition{'s' * (count > 1)} not shown{harm} (--top)."
    yield from improvements.notes
