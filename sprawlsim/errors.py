"""The domain's exceptions: each carries one clear sentence for the user."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SprawlsimError(ValueError):
    """Bad input, told in one sentence: what, where, what is allowed.

    The command line prints it and leaves with exit code 2.
    """


class CardError(SprawlsimError):
    """A card file, a card, or a change of a card that cannot be read."""


class UnknownNameError(SprawlsimError):
    """A name that no card bears, or that several could mean."""


class TeamError(SprawlsimError):
    """A team that breaks an equip rule or cannot be read."""


class ScenarioError(SprawlsimError):
    """A Mission attempt that cannot be read or cannot be played."""


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """End a message with the nearest candidates, or with nothing.

    Similarity only suggests; it never picks (a user's typing error must not become another card).
    """
    near = get_close_matches(word, list(allowed), n=3, cutoff=0.55)
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(name) for name in near) + "?"
