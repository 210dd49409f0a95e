"""``sprawlsim cards``: list, show, check, and transcribe card sets."""

from __future__ import annotations

import typer

cards_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List, show and transcribe cards.")
