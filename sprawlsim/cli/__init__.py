"""The command line: parsing and printing only; every answer comes from the rooms below."""

from __future__ import annotations

import sys

import typer

from sprawlsim.cli.cards import cards_app
from sprawlsim.errors import SprawlsimError

app = typer.Typer(
    name="sprawlsim",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Odds, best cards and balance of the board game Shadowrun: Sprawl Ops.",
)
app.add_typer(cards_app, name="cards")


def main() -> None:
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    try:
        app()
    except SprawlsimError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
