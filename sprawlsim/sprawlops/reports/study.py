"""What studies of whole games share: what is played, which of many findings hold, and how they are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sprawlsim.sprawlops.cards import CardSet
from sprawlsim.stats.intervals import Estimate, wilson
from sprawlsim.stats.multiple import LEVEL, holm
from sprawlsim.stats.text import format_estimate, format_scaled

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int | None], None]
Interval = Callable[[float], Estimate]
"""An effect with its interval, given the confidence."""

SMALLEST_P = 1e-15
"""P-values are not told apart below."""


class Study(NamedTuple):
    """What a study of whole games plays.

    Attributes
    ----------
    cards : CardSet
    seed : int
    games : int
        For each comparison.
    threads : int, optional
        They change no figure.
    quick : bool
        Leave out what takes long and is not needed to see the rest.
    progress : callable, optional
        Told how many games are played, of how many in the whole study.
    """

    cards: CardSet
    seed: int = 1
    games: int = 5_000
    threads: int | None = None
    quick: bool = False
    progress: Progress | None = None

    def steps(self, total: int) -> Callable[[int], None]:
        """Give what is to be told of games as they are played, of so many in all."""
        done = 0

        def played(games: int) -> None:
            nonlocal done
            done += games
            if self.progress is not None:
                self.progress(done, total)

        return played


class Origin(NamedTuple):
    """Where the numbers of a study are from: its cards and seed, and its games in words."""

    cards: str
    seed: int
    games: str

    def __str__(self) -> str:
        """Write the line beneath a picture."""
        return f"Card set {self.cards}; {self.games}; seed {self.seed}."


def p_value_within(interval: Interval, value: float) -> float:
    """Test that an effect is `value` by its own interval: the error at which that just leaves it out.

    Parameters
    ----------
    interval : callable
        Gives the effect with its interval at a confidence; it widens as that grows.
    value : float

    Returns
    -------
    float
        So a p-value below 0.05 and a 95% interval without the value are the same; 1e-15 at least.
    """
    from scipy.optimize import brentq

    def leaves_out(log_error: float) -> float:
        found = interval(-np.expm1(log_error))
        return max(found.low - value, value - found.high)

    if interval(0.5).estimate == value:
        return 1.0
    smallest, largest = np.log(SMALLEST_P), np.log1p(-1e-9)
    if leaves_out(smallest) > 0:
        return SMALLEST_P
    if leaves_out(largest) <= 0:
        return 1.0
    return float(np.exp(brentq(leaves_out, smallest, largest, xtol=1e-9)))


def against_even(wins: int, games: int, even: float) -> dict[str, float]:
    """Give a share of wins with its 95% interval, and the exact p-value of its being even.

    Of no games, nothing is known.
    """
    from scipy.stats import binomtest

    share = wilson(wins, games) if games else Estimate(even, 0.0, 1.0)
    p_value = float(binomtest(wins, games, even).pvalue) if games else 1.0
    return {"win_rate": share.estimate, "win_rate_low": share.low, "win_rate_high": share.high, "p": p_value}


def settle(*frames: pd.DataFrame) -> None:
    """Say in frames which of their findings hold: column ``p`` for all of them together, by Holm.

    Adds ``p_holm`` and ``resolved``: with a chance of 95%, nothing resolved is false.
    """
    adjusted = holm(np.concatenate([frame["p"].to_numpy(float) for frame in frames]))
    first = 0
    for frame in frames:
        frame["p_holm"] = adjusted[first : first + len(frame)]
        frame["resolved"] = frame["p_holm"] <= LEVEL
        first += len(frame)


def deciding_confidence(resolved: Sequence[bool]) -> float:
    """Give the confidence at which intervals leave out "no effect" exactly where Holm resolves one.

    Holm stops at the first p-value above the level divided by how many are left; intervals with that error
    leave out what was resolved before, and nothing else.
    """
    left = len(resolved) - sum(map(bool, resolved))
    return 1 - LEVEL / max(1, left)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give the rows of a frame, by column."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def row_estimate(row: Any, column: str) -> Estimate:
    """Read a number and its interval off a frame's row."""
    return Estimate(*(float(row[f"{column}{end}"]) for end in ("", "_low", "_high")))


def tell_share(share: Estimate, resolved: bool = True) -> str:
    """Write a probability with its interval, and whether it is known to be another than even.

    "38.9% (38.4 to 39.4)", "26% (24 to 28; not resolved)".
    """
    return _told(*format_estimate(share, True), resolved)


def tell_points(gain: Estimate, resolved: bool = True) -> str:
    """Write a difference of probabilities with its interval: "-4.1 points (-4.9 to -3.3)"."""
    number, interval = format_scaled(gain, 100.0, " points", True, 1)
    return _told(number, interval, resolved)


def _told(number: str, interval: str, resolved: bool) -> str:
    return f"{number} ({interval}{'' if resolved else '; not resolved'})"


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence does: "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
