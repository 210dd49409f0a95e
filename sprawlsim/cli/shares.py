"""``sprawlsim shares``: how much of a team's odds is due to each of its cards."""

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
from sprawlsim.cli.improve import Attempts, align
from sprawlsim.cli.odds_text import WIDTH, hand_text, is_completion_alone
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.share_results import CardShare, Shares

MEANING = (
    "Share: what a card adds on average, over all orders in which the cards could join; the shares add up to "
    "the whole. Alone: what it comes to by itself. Last: what it adds to all the others."
)


def show_shares(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: TeamOption = None,
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
        Path | None, typer.Option(metavar="FILE", help="Draw the shares as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Share out a team's odds among its cards: how much is due to each runner, Gear card, Upgrade, DocWagon
    token and Loot card.

    Shares are exact (Shapley values): every combination of the cards is solved for best play, and a card's
    share is what it adds on average over all orders in which they could join. In a combination without its
    runner, Gear goes to another who may carry it, and an Upgrade serves nobody. For at most 16 cards.

    \b
    Examples:
      sprawlsim shares errand
      sprawlsim shares "make some noise" --team "Tamsynn + Datajack, Lazar + Jackrabbit, Corium"
      sprawlsim shares courier --team "Tamsynn, Lazar + Commlink" --tokens 1 --loot "aqua fortis"
      sprawlsim shares market --aim nuyen --price injury=2,death=8 --format csv
      sprawlsim shares errand --plot errand.png
    """
    check_format(fmt)
    check_picture(plot)
    if mission is None:
        raise SprawlsimError("name a Mission; see 'sprawlsim shares --help'")
    load_engine()
    from sprawlsim.sprawlops.shares import shares

    with announcing_compilation(quiet), little_garbage(), Attempts(quiet) as progress:
        answer = shares(
            mission,
            team,
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


def render(shares: Shares, fmt: str) -> str:
    """Write shares in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(shares.to_dict(), indent=2, allow_nan=False)
    if fmt == "csv":
        records = [row.record() for row in shares.rows]
        return render_rows(list(records[0]), [list(record.values()) for record in records], fmt)
    head = [f"{shares}.", f"Best play, exact, card set {shares.card_set}."]
    heads, rows = _table(shares)
    notes = [f"Note: {note}" for note in shares.notes]
    if fmt == "md":
        return "\n\n".join([f"**{head[0]}** {head[1]}", render_rows(heads, rows, fmt), MEANING, *notes])
    above, below = (
        [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines]
        for lines in ([*head, *_circumstances(shares)], [MEANING, *notes])
    )
    table = render_rows(*align(heads, rows, range(2, len(heads) - 1)), "table")
    return "\n".join([*above, "", table, "", *below])


def _circumstances(shares: Shares) -> Iterator[str]:
    """Say who goes, with what in hand, and what an attempt is worth."""
    from sprawlsim.sprawlops.mission.aims import aim_text

    yield f"Team: {shares.team}."
    hand = hand_text(shares.scenario)
    if hand:
        yield f"In hand: {'; '.join(hand)}."
    if not is_completion_alone(shares.scenario.objective):
        yield f"An attempt is worth {aim_text(shares.scenario.objective)}."


def _table(shares: Shares) -> tuple[list[str], list[list[str]]]:
    """Write a line for each card, and one for all of them."""
    from sprawlsim.sprawlops.gains import change_text, is_chance

    chance = is_chance(shares.scenario.objective)
    heads = ["Card", "with", "price (K)", f"share{' (points)' * chance}", "per 1K", "alone", "last", ""]
    rows = []
    for row in shares.rows:
        per_k = "free" if row.share_per_k is None else change_text(row.share_per_k, chance)
        figures = [change_text(figure, chance) for figure in (row.first, row.last)]
        share = change_text(row.share, chance)
        rows.append(
            [row.used.name, row.used.onto, f"{row.used.price:g}", share, per_k, *figures, _remark(row)]
        )
    price = sum(row.used.price for row in shares.rows)
    whole = change_text(shares.whole.value, chance)
    return heads, [*rows, ["all together", "", f"{price:g}", whole, "", "", "", ""]]


def _remark(row: CardShare) -> str:
    return ", ".join(["hurts"] * row.hurts + ["stand-in price"] * row.used.price_is_invented)
