"""``sprawlsim frontier``: how much completion costs in injuries and deaths, under best play and others."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sprawlsim.cli.asking import (
    EyeOption,
    InsistOption,
    LootOption,
    MissionArgument,
    PlatingOption,
    Progress,
    QuietOption,
    RerollOption,
    ScenarioOption,
    TeamOption,
    TokensOption,
    announcing_compilation,
    check_picture,
    draw,
    little_garbage,
    load_engine,
    read_rules,
    refuse_beside_a_file,
    say,
)
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.odds_text import hand_text, runners_text
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import ask_about, load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.ask import Effort
    from sprawlsim.sprawlops.mission.frontier import Frontier
    from sprawlsim.stats.intervals import Estimate

WIDTH = 88

Cells = list[object]


def show_frontier(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: TeamOption = None,
    tokens: TokensOption = 0,
    loot: LootOption = None,
    reroll: RerollOption = 0,
    eye: EyeOption = None,
    plating_any_colour: PlatingOption = False,
    scenario: ScenarioOption = None,
    death_ratio: Annotated[
        float, typer.Option(metavar="X", min=0, max=1000, help="What a death costs, in injuries.")
    ] = 3.0,
    points: Annotated[
        int,
        typer.Option(metavar="N", min=2, max=10_000, help="Stop at so many corners, the most telling first."),
    ] = 25,
    insist: InsistOption = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the dice where a rule of thumb is sampled.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=256, help="Threads; they change no figure. [default: one a processor]"
        ),
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the frontier as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find how much completion costs: the efficient frontier of completion against injuries and deaths.

    An injury has a price, in completions: at 0.1, one injury fewer is worth 10 points of completion. A death
    costs --death-ratio times as much. From price 0, where only completion counts, up to the price at which
    best play pulls out at once, each line is a way to play that is best over a range of prices, exactly.
    Beneath are the rules of thumb, with what best play completes at the same cost or less. Best play may
    draw lots before the Mission between two neighbouring ways to play: in expectation that is any point on
    the line between them.

    \b
    Examples:
      sprawlsim frontier "make some noise"
      sprawlsim frontier errand --team "Tamsynn + Datajack, Lazar + Jackrabbit + Commlink"
      sprawlsim frontier "make some noise" --tokens 1 --loot "aqua fortis" --death-ratio 5
      sprawlsim frontier errand --points 200 --format csv
      sprawlsim frontier market --plot market.png
      sprawlsim frontier --scenario heist.toml
    """
    check_format(fmt)
    check_picture(plot)
    told_by_a_file = {
        "MISSION": mission,
        "--team": team,
        "--tokens": tokens,
        "--loot": loot,
        "--reroll": reroll,
        "--eye": eye,
        "--plating-any-colour": plating_any_colour,
        "--cards": cards,
        "--set": changes,
    }
    load_engine()
    from sprawlsim.sprawlops.mission.ask import Effort

    if scenario is not None:
        refuse_beside_a_file(told_by_a_file)
        ask = _ask_scenario(scenario)
    elif mission is None:
        raise SprawlsimError("name a Mission, or a file with --scenario; see 'sprawlsim frontier --help'")
    else:
        ask = ask_about(
            mission,
            team,
            cards=load_cards(cards, changes or ()),
            tokens=tokens,
            loot=loot or (),
            rerolls=reroll,
            eye=eye or (),
            rules=read_rules(plating_any_colour),
        ).frontier
    with announcing_compilation(quiet), little_garbage(), Steps(quiet) as progress:
        effort = Effort(seed=seed, threads=threads, progress=progress, insist=insist)
        answer = ask(death_ratio, points, effort)
    if plot is not None:
        draw(answer.plot(), plot, quiet)
    print(render(answer, fmt))
    if fmt in {"json", "csv"}:
        for note in answer.notes:
            say(f"note: {note}", quiet)


class Steps(Progress):
    """A progress bar that counts ways to play."""

    def _appear(self, knows_the_end: bool) -> Any:
        from rich.progress import TextColumn

        bar = super()._appear(knows_the_end)
        bar.columns = (
            bar.columns[0],
            TextColumn("{task.completed} of about {task.total} ways to play"),
            *bar.columns[2:],
        )
        return bar


def _ask_scenario(path: Path) -> Callable[[float, int, Effort], Frontier]:
    """Ask about a scenario file, whose objective is left aside."""
    from sprawlsim.sprawlops.mission.frontier_search import scenario_frontier
    from sprawlsim.sprawlops.mission.odds import Label
    from sprawlsim.sprawlops.mission.scenario import Objective, load_scenario

    scenario = load_scenario(path)
    aside = "The objective in the file is left aside: here completion, injuries and deaths count."
    notes = (aside,) if scenario.objective != Objective() else ()
    label = Label(path.name, notes=notes)
    return lambda death_ratio, points, effort: scenario_frontier(scenario, death_ratio, points, effort, label)


def render(frontier: Frontier, fmt: str) -> str:
    """Write a frontier in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(frontier.to_dict(), indent=2, allow_nan=False)
    if fmt == "csv":
        rows = list(frontier.rows())
        cells: list[Cells] = [
            [None if value == math.inf else value for value in row.values()] for row in rows
        ]
        return render_rows(list(rows[0]), cells, fmt)
    head = [f"{frontier}.", _meaning(frontier), _provenance(frontier)]
    tables = [render_rows(headers, rows, fmt) for headers, rows in (_points(frontier), _rules(frontier))]
    notes = [f"Note: {note}" for note in _notes(frontier)]
    if fmt == "md":
        return "\n\n".join([f"**{head[0]}** {' '.join(head[1:])}", *tables, *notes])
    head += _circumstances(frontier)
    above, below = (
        [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines] for lines in (head, notes)
    )
    return "\n".join([*above, "", tables[0], "", tables[1], "", *below])


def _meaning(frontier: Frontier) -> str:
    return (
        f"Cost: expected injuries (rescued runners included) + {frontier.death_ratio:g} x expected deaths. "
        "Price: what an injury is worth, in completions."
    )


def _provenance(frontier: Frontier) -> str:
    parts = ["Best play, exact"]
    sampled = [rule for rule in frontier.rules_of_thumb if rule.attempts is not None]
    if sampled:
        parts.append(
            f"rules of thumb by Monte Carlo where they have 95% intervals ({sampled[0].attempts:,} attempts "
            f"each, seed {frontier.seed})"
        )
    parts.append(f"card set {frontier.card_set}" if frontier.card_set else "from a scenario file")
    return ", ".join(parts) + "."


def _circumstances(frontier: Frontier) -> Iterator[str]:
    """Say who goes, with what in hand."""
    yield f"Team: {frontier.team or runners_text(frontier.scenario)}."
    hand = hand_text(frontier.scenario)
    if hand:
        yield f"In hand: {'; '.join(hand)}."


def _points(frontier: Frontier) -> tuple[list[str], list[Cells]]:
    """Write a line for each corner."""
    last = frontier.points[-1]
    digits = 3 - math.floor(math.log10(last.price_from)) if last.price_from > 0.0 else 0
    digits = min(9, max(0, digits))
    rows: list[Cells] = []
    for point in frontier.points:
        until = "more" if point.price_to == math.inf else f"{point.price_to:.{digits}f}"
        completes = "0% (pulls out)" if point.pulls_out else f"{point.completed:.2%}"
        figures = (point.injuries, point.deaths, point.cost, point.nuyen, point.loot)
        rows.append([f"{point.price_from:.{digits}f}", until, completes, *(f"{n:.3f}" for n in figures)])
    heads = ["Price from", "to", "completes", "injuries", "deaths", "cost", "nuyen (K)", "Loot"]
    return heads, rows


def _rules(frontier: Frontier) -> tuple[list[str], list[Cells]]:
    """Write a line for each rule of thumb."""
    rows: list[Cells] = []
    for rule in frontier.rules_of_thumb:
        means = [_told(mean, False) for mean in (rule.injuries, rule.deaths, rule.cost)]
        short = _told(rule.short, True).replace("%", " points", 1)
        rows.append([rule.name, _told(rule.completed, True), *means, f"{rule.best_completed:.2%}", short])
    return ["Rule of thumb", "completes", "injuries", "deaths", "cost", "best play", "short by"], rows


def _told(estimate: Estimate, is_probability: bool) -> str:
    """Write an estimate, with its interval in brackets if it has one."""
    from sprawlsim.stats.text import format_estimate

    value, interval = format_estimate(estimate, is_probability)
    if float(value.rstrip("%")) == 0.0:
        value = value.lstrip("-")  # what rounding left of an exact nothing
    return value if estimate.low == estimate.high else f"{value} ({interval})"


def _notes(frontier: Frontier) -> Iterator[str]:
    yield from frontier.notes
    if frontier.gap:
        yield (
            f"There are more ways to play than these {len(frontier.points)}; at the same cost they complete "
            f"at most {100 * frontier.gap:.2g} points more than the lines above, mixed (--points)."
        )
    yield (
        "Beside a rule of thumb stands what best play completes at the same cost or less, where it may draw "
        "lots before the Mission between two neighbouring lines above."
    )
    if any(rule.price for rule in frontier.rules_of_thumb):
        yield "A rule of thumb with a price is told that price; without one it plays for completion alone."
