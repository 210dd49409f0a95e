"""Blocks of games over threads, given back in their order whoever plays them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from sprawlsim.sprawlops.game.batch import Thread

T = TypeVar("T")


def play_blocks(
    work: Callable[[Thread, int, int], T], new: Callable[[], Thread], games: int, threads: int, block: int
) -> Iterator[T]:
    """Play blocks over threads and give back in order what came of each; few are under way at a time.

    Parameters
    ----------
    work : callable
        Plays so many games from a first one on, in what a thread needs for it.
    new : callable
        Lays that out.
    """
    local = threading.local()

    def play(first: int) -> T:
        if not hasattr(local, "thread"):
            local.thread = new()
        return work(local.thread, first, min(block, games - first))

    starts = iter(range(0, games, block))
    if threads == 1 or games <= block:
        yield from map(play, starts)
        return
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[T]] = deque()
        try:
            for first in starts:
                pending.append(pool.submit(play, first))
                if len(pending) > 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
