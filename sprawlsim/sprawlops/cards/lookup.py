"""Names as people type them: exact, then word prefix, then substring; similarity only suggests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from sprawlsim.errors import UnknownNameError
from sprawlsim.sprawlops.cards.model import DECKS, AnyCard, CardSet, Deck

_LISTED = 12
_SIMILAR = 0.6


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _is_word_prefix(query: Sequence[str], name: Sequence[str]) -> bool:
    """Tell whether each query word begins the matching one of some consecutive words of the name."""
    return any(
        all(word.startswith(part) for part, word in zip(query, name[start:], strict=False))
        for start in range(len(name) - len(query) + 1)
    )


def matching_names(text: str, names: Iterable[str]) -> list[str]:
    """List the names that ``text`` could mean, at the first level where any does.

    Returns
    -------
    list of str
        One name when the text is decisive, several when it is not, none when nothing matches.
    """
    candidates = list(dict.fromkeys(names))
    folded = " ".join(text.casefold().split())
    if not folded:
        return []
    exact = [name for name in candidates if name.casefold() == folded]
    if exact:
        return exact
    query = _words(text)
    prefixed = [name for name in candidates if query and _is_word_prefix(query, _words(name))]
    return prefixed or [name for name in candidates if folded in name.casefold()]


def _similarity(text: str, name: str) -> float:
    """Compare with the whole name and with every run of as many words: one mistyped word is enough."""
    query, words = _words(text), _words(name)
    runs = [words[i : i + len(query)] for i in range(len(words) - len(query) + 1)] or [words]
    matcher = SequenceMatcher(b=" ".join(query))
    best = 0.0
    for run in (words, *runs):
        matcher.set_seq1(" ".join(run))
        best = max(best, matcher.ratio())
    return best


def suggest(text: str, names: Iterable[str]) -> str:
    """End a message with the names most like ``text``, or with nothing."""
    ranked = sorted(
        ((_similarity(text, name), name) for name in dict.fromkeys(names)), key=lambda pair: -pair[0]
    )
    near = [repr(name) for score, name in ranked[:3] if score >= _SIMILAR]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"


def resolve_name(text: str, names: Iterable[str], what: str) -> str:
    """Return the one name that ``text`` means.

    The levels are: the whole name, whatever the case; each word of the text beginning one of consecutive
    words of the name; the text anywhere in the name. The first level at which any name matches decides.

    Parameters
    ----------
    text : str
        As typed.
    names : iterable of str
        The names to choose from.
    what : str
        What they name, for messages: "Mission", "Gear card or Upgrade".

    Raises
    ------
    UnknownNameError
        If no name matches, or several do at the deciding level.
    """
    candidates = list(names)
    if not text.strip():
        raise UnknownNameError(f"the name is empty; this must be {_article(what)}")
    found = matching_names(text, candidates)
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownNameError(f"{text.strip()!r} could be any of {_listing(found)}; write more of the name")
    raise UnknownNameError(f"no {what} is called {text.strip()!r}{suggest(text, candidates)}")


def deck_of(card: AnyCard) -> Deck:
    """Return the deck that a card's type belongs to."""
    return next(deck for deck in DECKS if type(card) is DECKS[deck].model)


def _article(what: str) -> str:
    return f"an {what}" if what[0] in "aeiouAEIOU" else f"a {what}"


def kind_of(card: AnyCard) -> str:
    """Say what kind of card this is: "a Mission", "an Upgrade"."""
    return _article(DECKS[deck_of(card)].singular)


def describe_decks(decks: Sequence[Deck]) -> str:
    """Say what kinds of card these decks hold: "Gear card or Upgrade"."""
    return " or ".join(DECKS[deck].singular for deck in decks)


def card_elsewhere(cards: CardSet, text: str, decks: Sequence[Deck]) -> AnyCard | None:
    """Return the card that ``text`` names, if it names none in ``decks`` and just one outside them."""
    if not text.strip() or matching_names(text, [card.name for _, card in cards.pairs(*decks)]):
        return None
    by_name = {card.name: card for _, card in cards.pairs()}
    found = matching_names(text, by_name)
    return by_name[found[0]] if len(found) == 1 else None


def find_card(cards: CardSet, text: str, *decks: Deck) -> AnyCard:
    """Return the card that ``text`` names in the given decks.

    Parameters
    ----------
    cards : CardSet
        The set to look in.
    text : str
        A name, or enough of it (see :func:`resolve_name`).
    *decks : str
        The decks that fit the place; all when none is given.

    Raises
    ------
    UnknownNameError
        If no card matches, several do, or the name belongs to another kind of card.
    """
    pool = {card.name: card for _, card in cards.pairs(*decks)}
    what = describe_decks(decks) if decks else "card"
    other = card_elsewhere(cards, text, decks)
    if other is not None:
        raise UnknownNameError(f"{other.name!r} is {kind_of(other)}, but this must be {_article(what)}")
    return pool[resolve_name(text, pool, what)]
