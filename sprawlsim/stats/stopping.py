"""Run in chunks, look after each, stop when enough is known: with intervals that stay valid under peeking.

Only confidence sequences may be looked at so: `proportion_sequence` and `mean_sequence` of
`sprawlsim.stats.intervals`, and `sprawlsim.stats.paired.paired_sequence`. Stopping on a Wilson interval or a
p-value breaks its promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run stopped.

    Parameters
    ----------
    estimate : Estimate
        What was known then.
    n : int
        Observations taken.
    is_enough : bool
        Whether that was enough; otherwise the run ended at its limit.
    """

    estimate: Estimate
    n: int
    is_enough: bool


def is_precise(estimate: Estimate, within: float) -> bool:
    """Return whether the interval is at most ± `within`."""
    return estimate.half_width <= within


def is_decided(difference: Estimate, against: float = 0.0) -> bool:
    """Return whether the interval leaves out `against`: whether the sign of a difference is known."""
    return not difference.low <= against <= difference.high


def looks(block: int, at_most: int | None = None) -> Iterator[int]:
    """Yield the numbers of observations at which to look.

    Parameters
    ----------
    block : int
        Observations in a chunk, at least 1; every look but the last is at a multiple of it, and the first is
        at the first.
    at_most : int, optional
        The last look; without it there is no last.

    Yields
    ------
    int
        Rising by a block, later by about a quarter, so that looking costs little and a run is at most a
        quarter longer than it must be. They depend on nothing else: not on threads, not on the results.

    Raises
    ------
    SprawlsimError
        If a number is below 1.
    """
    if block < 1 or (at_most is not None and at_most < 1):
        raise SprawlsimError(
            f"a run needs a block and a limit of at least 1, not {min(block, at_most or block)}"
        )
    look = 0
    while at_most is None or look < at_most:
        look = max(look + block, look * 5 // 4 // block * block)
        look = look if at_most is None else min(look, at_most)
        yield look


def run_until(
    play: Callable[[int], Estimate],
    is_enough: Callable[[Estimate], bool],
    block: int,
    at_most: int | None = None,
) -> Stop:
    """Play on in chunks until the interval says enough.

    Parameters
    ----------
    play : callable
        Given a number of observations, takes more until there are so many in all, and returns the estimate:
        a confidence sequence's, for it is looked at again and again.
    is_enough : callable
        Judges the estimate, as `is_precise` and `is_decided` do.
    block, at_most : int
        As for `looks`. Without `at_most` the run ends only when it is enough: fine for a precision; two equal
        things, whose difference has no sign, would be compared for ever.

    Returns
    -------
    Stop
        The promise of the sequence holds for its estimate, wherever it stopped.

    Raises
    ------
    SprawlsimError
        If `block` or `at_most` is below 1.
    """
    for look in looks(block, at_most):
        estimate = play(look)
        enough = is_enough(estimate)
        if enough or look == at_most:
            break
    return Stop(estimate, look, enough)
