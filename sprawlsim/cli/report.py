"""``sprawlsim report``: what cards, Missions, locations, strategies and seats are worth."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sprawlsim.cli.asking import Progress, QuietOption, announcing_compilation, load_engine, say
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.simulate import SeedOption, ThreadsOption
from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.reports.model import Report, Section

PARTS = ("missions", "cards", "rules", "strategies", "seats")

GamesOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=500, max=10**7, help="Games of each comparison. [default: 12000; 1500 with --quick]"
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Write a page to read (index.html), tables and pictures into this folder."
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Only this table, such as cards or missions-payouts."),
]
FormatOption = Annotated[
    str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
]


def show_report(  # noqa: PLR0913, PLR0917 - an option each
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PART]...",
            help="missions, cards, rules (locations and rules), strategies, seats. [default: all]",
            autocompletion=lambda: list(PARTS),
        ),
    ] = None,
    out: OutOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look: an eighth of the games, fewer teams and Missions.")
    ] = False,
    games: GamesOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    fmt: FormatOption = "table",
    table: TableOption = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Report what is worth its price: Missions, cards, locations and rules, strategies, seats.

    Cards are judged by intervention: the same games with the card given and without. Missions are solved
    exactly for teams that players of simulated games have.

    A full report plays about two million games, which takes minutes, and --quick a tenth of that. Part seats
    is the shortest, a twentieth of the whole or less; --games makes all parts longer or shorter.

    \b
    Examples:
      sprawlsim report --out results/balance
      sprawlsim report --out results/first-look --quick
      sprawlsim report cards --games 4000
      sprawlsim report missions --table missions-payouts --format csv
      sprawlsim report strategies seats --format md
    """
    check_format(fmt)
    load_engine()
    from sprawlsim.sprawlops.reports.full import TABLES, Plan, check_parts, make_section, report_of

    wanted = tuple(dict.fromkeys(parts or PARTS))
    check_parts(wanted)
    check_asked(out, fmt, table, [name for part in wanted for name in TABLES[part]])
    if table is not None:
        wanted = tuple(part for part in wanted if table in TABLES[part])
    asked = load_cards(cards, changes or ())
    plan = Plan(asked, seed, games, quick, threads)
    sections = []
    since = time.monotonic()
    with announcing_compilation(quiet):
        for part in wanted:
            say(f"{part}...", quiet)
            with Progress(quiet, "steps") as progress:
                sections.append(make_section(plan, part, progress.start, table))
    say(f"{time.monotonic() - since:.0f} s", quiet)
    give(report_of(sections, asked, seed, plan.effort, quick=quick), out, fmt, table, quiet)


def check_asked(out: Path | None, fmt: str, table: str | None, tables: Sequence[str]) -> None:
    """Refuse what could not be given in the end, before anything is played."""
    check_table(table, tables)
    if out is None:
        return
    if table is not None or fmt != "table":
        raise SprawlsimError(
            "--out writes the page and all tables, --format and --table print: leave out one or the others"
        )
    from sprawlsim.reports.files import check_folder
    from sprawlsim.reports.render import KIND

    check_folder(out, KIND)


def check_table(name: str | None, tables: Sequence[str]) -> None:
    """Refuse a table that is not among those there are."""
    if name is not None and name not in tables:
        raise SprawlsimError(f"--table {name!r}: there are {', '.join(tables)}{did_you_mean(name, tables)}")


def give(report: Report, out: Path | None, fmt: str, table: str | None, quiet: bool) -> None:
    """Write a report into a folder, or print it."""
    if out is not None:
        from sprawlsim.reports.render import write_report

        say(f"written: {write_report(report, out)}", quiet)
        return
    print(render(report, fmt, table))
    others = [each.name for section in report.sections for each in section.tables][1:]
    if fmt == "csv" and table is None and others:
        say(f"note: only the first table; --table NAME prints another: {', '.join(others)}", quiet)
    if report.caution:
        say(f"note: {report.caution}", quiet)


def render(report: Report, fmt: str, table: str | None) -> str:
    """Write a report in one of the formats."""
    from sprawlsim.reports.render import to_json, to_markdown, to_text

    if table is not None or fmt == "csv":
        return _render_table(report, fmt, table)
    if fmt == "json":
        data = {
            "title": report.title,
            "facts": dict(report.facts),
            "caution": report.caution,
            "sections": [to_json(section) for section in report.sections],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)
    write = to_markdown if fmt == "md" else to_text
    return "\n\n\n".join(write(section) for section in report.sections)


def _render_table(report: Report, fmt: str, name: str | None) -> str:
    """Write one table of a report: the one named, else the first."""
    from dataclasses import replace

    from sprawlsim.reports.render import to_csv, to_json, to_markdown, to_text

    tables = {table.name: (section, table) for section in report.sections for table in section.tables}
    check_table(name, list(tables))
    section, table = tables[name] if name is not None else next(iter(tables.values()))
    if fmt == "csv":
        return to_csv(table).rstrip("\n")
    alone: Section = replace(section, parts=[table], findings=(), details=())
    if fmt == "json":
        return json.dumps(to_json(alone)["tables"][table.name], indent=2, ensure_ascii=False)
    return to_markdown(alone) if fmt == "md" else to_text(alone)
