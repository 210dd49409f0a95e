"""``sprawlsim cards``: list, show, check, and transcribe card sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from sprawlsim.cli.complete import complete_card_names
from sprawlsim.reports.rows import FORMAT_HELP, check_format, render_rows
from sprawlsim.sprawlops.cards import (
    DECKS,
    AnyCard,
    CardSet,
    Deck,
    Stage,
    deck_of,
    export_csv,
    find_card,
    import_csv,
    load_card_set,
    read_card_set,
    read_csv_card_set,
    resolve_name,
    stand_in_share,
    write_card_set,
    write_scaffold,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES, Role

cards_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="List, show, check and transcribe cards."
)

CardsOption = Annotated[
    str | None,
    typer.Option(
        "--cards", metavar="SET", help="Card set: a directory, or a shipped set's name [default: stand-in]."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="CARD.KEY=VALUE",
        help='Change a card for this run: "Datajack.cost=3". May be repeated.',
    ),
]


def icons_text(icons: dict[Role, int]) -> str:
    """Write dice or icons in the rulebook's order of roles: "2 Decker, 1 Face"."""
    return ", ".join(f"{icons[role]} {ROLE_LABELS[role]}" for role in ROLES if icons.get(role))


def stage_text(stage: Stage) -> str:
    """Write a Stage on one line, with what it pays."""
    notes = ["optional Loot Stage"] * stage.loot + [f"pays {stage.payout}K"] * bool(stage.payout)
    notes += ["stand-in"] * (stage.source == "stand-in")
    return icons_text(stage.icons) + (f" ({', '.join(notes)})" if notes else "")


def _text(key: str, value: object) -> object:
    """Write one value of a card in a cell: numbers stay numbers."""
    if isinstance(value, dict):
        return icons_text(value)
    if key == "stages" and isinstance(value, tuple):
        return "; ".join(map(stage_text, value))
    if isinstance(value, tuple):
        words = [str(ROLE_LABELS.get(word, word)) for word in value]
        return ", ".join(words) or ("any runner" if key == "requirement" else "")
    return ROLE_LABELS.get(value, value) if key == "die" else value  # type: ignore[call-overload]


def _fields(card: AnyCard) -> dict[str, object]:
    """Return a card's values by key, its name first and its source last."""
    values = {name: getattr(card, name) for name in card.__struct_fields__}
    last = {name: values.pop(name) for name in ("source", "invented")}
    return {**values, **last}


def _say_stand_in(cards: CardSet) -> None:
    invented, total = stand_in_share(cards)
    if invented:
        print(
            f"note: of the {total} cards of {cards.name!r}, {invented} have numbers that are stand-ins, "
            "not printed ones",
            file=sys.stderr,
        )


def _deck(text: str) -> Deck:
    files = {info.file: deck for deck, info in DECKS.items()}
    return files[resolve_name(text.replace("_", "-"), files, "deck")]


@cards_app.command("list")
def list_cards(
    deck: Annotated[
        str | None,
        typer.Argument(
            help="One deck only: " + ", ".join(info.file for info in DECKS.values()) + ".",
            autocompletion=lambda: [info.file for info in DECKS.values()],
        ),
    ] = None,
    fmt: Annotated[str, typer.Option("--format", help=FORMAT_HELP)] = "table",
    cards: CardsOption = None,
    changes: SetOption = None,
) -> None:
    """List the cards of a set, or of one of its decks.

    \b
    Examples:
      sprawlsim cards list
      sprawlsim cards list missions --format md
      sprawlsim cards list gear --cards my-box --set "Datajack.cost=3"
    """
    check_format(fmt)
    wanted = None if deck is None else _deck(deck)
    card_set = load_card_set(cards, changes or ())
    if wanted is None:
        headers = ["deck", "name", "copies", "source", "what"]
        rows: list[list[object]] = [
            [DECKS[where].file, card.name, getattr(card, "copies", 1), card.source, _summary(card)]
            for where, card in card_set.pairs()
        ]
    else:
        tables = [_fields(card) for card in card_set.deck(wanted)]
        headers = [name for name in tables[0] if name not in {"invented", "stages"}]
        headers += ["stages"] * ("stages" in tables[0])
        if fmt == "json":
            rows = [[msgspec.to_builtins(table[name]) for name in headers] for table in tables]
        else:
            rows = [[_text(name, table[name]) for name in headers] for table in tables]
    print(render_rows(headers, rows, fmt))
    _say_stand_in(card_set)


def _summary(card: AnyCard) -> str:
    """Say in a few words what a card does."""
    for key in ("stages", "dice", "bonus", "kind"):
        value = getattr(card, key, None)
        if value:
            return str(_text(key, value))
    return ""


@cards_app.command("show")
def show_card(
    name: Annotated[
        str, typer.Argument(help="A card's name, or enough of it.", autocompletion=complete_card_names())
    ],
    cards: CardsOption = None,
    changes: SetOption = None,
) -> None:
    """Show one card in full.

    \b
    Examples:
      sprawlsim cards show "make some noise"
      sprawlsim cards show jackrabbit --cards my-box
    """
    card_set = load_card_set(cards, changes or ())
    card = find_card(card_set, name)
    print(f"{card.name} - {DECKS[deck_of(card)].singular}")
    for key, value in _fields(card).items():
        if key == "stages" and isinstance(value, tuple):
            print(
                "\n".join(f"  Stage {number}: {stage_text(stage)}" for number, stage in enumerate(value, 1))
            )
        elif key == "invented" and value:
            print(f"  not from the rulebook: {_text(key, value)}")
        elif key not in {"name", "invented"} and value is not None:
            unit = "K" if key in {"cost", "loan", "payout"} else ""
            print(f"  {key.replace('_', ' ')}: {_text(key, value)}{unit}")
    print(f"  card set: {card_set.name}")


@cards_app.command("check")
def check_cards(
    directory: Annotated[Path, typer.Argument(help="Directory of a card set, TOML or CSV.")],
) -> None:
    """Check a card set: print every fault, one per line, and leave with exit code 2 if there is any.

    Counts that differ from the box are warnings, not faults.

    \b
    Example:
      sprawlsim cards check my-box
    """
    in_csv = (directory / "set.csv").is_file() and not (directory / "set.toml").is_file()
    reading = read_csv_card_set(directory) if in_csv else read_card_set(directory)
    for warning in reading.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if reading.faults:
        print("\n".join(reading.faults))
        raise typer.Exit(2)
    print(f"{directory}: no faults")


@cards_app.command("new")
def new_set(directory: Annotated[Path, typer.Argument(help="A new or empty directory.")]) -> None:
    """Start a card set of your own: files with the box's counts, to be filled in from your cards.

    \b
    Example:
      sprawlsim cards new my-box
      sprawlsim cards check my-box       (lists what is still to be filled in)
      sprawlsim cards list --cards my-box
    """
    write_scaffold(directory)
    print(
        f"{directory}: nine files written; replace every \"?\", then run 'sprawlsim cards check {directory}'"
    )


@cards_app.command("export")
def export_set(
    directory: Annotated[Path, typer.Argument(help="A new or empty directory for the files.")],
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV files for a spreadsheet.")] = False,
    cards: CardsOption = None,
    changes: SetOption = None,
) -> None:
    """Write a card set to a new directory, as TOML or, with --csv, for a spreadsheet.

    \b
    Examples:
      sprawlsim cards export sheets --csv
      sprawlsim cards export my-variant --set "Datajack.cost=3"
    """
    card_set = load_card_set(cards, changes or ())
    if as_csv:
        export_csv(card_set, directory)
    else:
        write_card_set(card_set, directory)
    print(f"{directory}: {len(DECKS)} decks of {card_set.name!r} written")


@cards_app.command("import")
def import_set(
    sheets: Annotated[Path, typer.Argument(metavar="CSVDIR", help="Directory of CSV files, as exported.")],
    directory: Annotated[Path, typer.Argument(help="A new or empty directory for the card set.")],
) -> None:
    """Turn CSV files from a spreadsheet back into a card set; nothing is written if anything is wrong.

    \b
    Example:
      sprawlsim cards import sheets my-box
    """
    card_set = import_csv(sheets)
    write_card_set(card_set, directory)
    print(f"{directory}: {len(DECKS)} decks of {card_set.name!r} written")
