"""Shell completion of card names: reads card files only, so that the Tab key answers at once."""

from __future__ import annotations

import re
from collections.abc import Callable

import typer

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.cards import CardSet, Deck, load_card_set

Completer = Callable[[typer.Context, str], list[str]]


def _cards(context: typer.Context) -> CardSet | None:
    """Load the set that the command line names so far; an unreadable one completes nothing."""
    where = context.params.get("cards")
    try:
        return load_card_set(where)
    except SprawlsimError:
        return None


def _completions(names: list[str], typed: str) -> list[str]:
    """Complete what was typed from the names of which a word begins so, those that begin with it first.

    Typer drops whatever does not begin with the typed text, letter for letter, so the text is kept as typed
    and the rest of the name added: ``tsu`` becomes ``tsurugi Cyberdeck``, which names the card as well.
    """
    found = []
    for name in names:
        match = re.search(rf"(?<![^\W_]){re.escape(typed)}", name, re.IGNORECASE)
        if match:
            found.append((match.start() > 0, typed + name[match.end() :]))
    return [text for _, text in sorted(found, key=lambda pair: pair[0])]


def complete_card_names(*decks: Deck) -> Completer:
    """Make a completion function for the names of these decks' cards (typer's ``autocompletion``).

    Parameters
    ----------
    *decks : str
        ``"missions"``, ``"loot"`` and so on; all when none is given.
    """

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        cards = _cards(ctx)
        return (
            [] if cards is None else _completions([card.name for _, card in cards.pairs(*decks)], incomplete)
        )

    return complete


def complete_team(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the last name of a team: a runner first and after a comma, equipment after a plus sign."""
    cards = _cards(ctx)
    split = re.fullmatch(r"(.*[,+]\s*|hired\s+)?((?:hired\s+)?)(.*)", incomplete, re.DOTALL)
    if cards is None or split is None:
        return []
    before, hired, typed = split[1] or "", split[2], split[3]
    decks: tuple[Deck, ...] = (
        ("gear", "upgrades") if before.rstrip().endswith("+") else ("starting_runners", "runners")
    )
    names = [card.name for _, card in cards.pairs(*decks)]
    return [before + hired + name for name in _completions(names, typed)]
