"""Who has the cards that are changed at the end of games, with the one card set and with the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.cards import AnyCard
from sprawlsim.sprawlops.cards.lookup import deck_of
from sprawlsim.sprawlops.game.arrays import EMPTY, GAME
from sprawlsim.sprawlops.game.batch import Thread, play_to_round
from sprawlsim.sprawlops.game.blocks import play_blocks
from sprawlsim.sprawlops.game.simulate import BLOCK, Batch
from sprawlsim.sprawlops.game.tables import Names
from sprawlsim.sprawlops.mission.montecarlo import default_threads
from sprawlsim.sprawlops.reports.card_changes import ChangedCard
from sprawlsim.sprawlops.reports.cards import DECKS
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson
from sprawlsim.stats.paired import difference_p_value, paired_difference

if TYPE_CHECKING:
    import pandas as pd

GAMES = 3_000
"""Games that are looked at; all, if fewer are played."""
PILES = {"dermal-plating": "plating", "commlink": "commlink"}
"""Where a game counts Upgrades of a kind that are all alike."""
SIDES = ("first", "second")
COLUMNS = ("card", "deck", "games", "p_value")

Owned = npt.NDArray[np.bool_]
"""Whether a player has a card at the end of a game, shape (games, players)."""


def study_owners(
    batches: Sequence[Batch], changed: Sequence[ChangedCard], games: int, threads: int | None = None
) -> pd.DataFrame:
    """Count who has each changed card at the end of the same games with two card sets.

    Parameters
    ----------
    batches : sequence of two Batch
        Alike but for the card set.
    changed : sequence of ChangedCard
        Those that a player cannot have are left out.
    games : int
        Numbers 0 to ``games - 1`` are played.
    threads : int, optional
        They change no figure; one a processor when left out.

    Returns
    -------
    DataFrame
        A row a card: ``card, deck, games``; for each side (``first``, ``second``) the share of players who
        have it, with its interval; ``most_first``, ``most_second``: the strategy whose players have it most
        often, and ``most_first_share``, ``most_second_share``: the share of them who do; ``wins_first``,
        ``wins_second``: share of its owners who win, with an interval; ``change`` of the share of players
        with its interval; ``p_value`` of no change (Student's, not adjusted). What is of a side that has no
        such card is missing. Empty where strategies are functions of the caller's.
    """
    import pandas as pd

    kept = [card for card in changed if card.deck in DECKS]
    if not kept or any(batch.functions for batch in batches):
        return pd.DataFrame(columns=list(COLUMNS))
    ends = [last_positions(batch, games, threads) for batch in batches]
    rows = []
    for card in kept:
        row: dict[str, Any] = {"card": card.name, "deck": card.deck, "games": games}
        counts = []
        for side, batch, end, face in zip(SIDES, batches, ends, (card.old, card.new), strict=True):
            owned = None if face is None else who_has(end, batch.names, face, batch.players)
            row |= _side(side, batch, end, owned)
            counts += [] if owned is None else [owned.sum(axis=1)]
        rows.append(row | _change(counts, batches[0].players))
    return pd.DataFrame(rows)


def last_positions(batch: Batch, games: int, threads: int | None = None) -> npt.NDArray[Any]:
    """Play games 0 to ``games - 1`` of a batch and give how each ended: an array of `GAME`."""
    ends = np.zeros(games, dtype=GAME)

    def work(thread: Thread, first: int, count: int) -> None:
        for number in range(first, first + count):
            play_to_round(batch.plan, thread, number, batch.round_limit + 1)
            ends[number] = thread.table[0]

    deque(play_blocks(work, batch.thread, games, threads or default_threads(), BLOCK), maxlen=0)
    return ends


def who_has(ends: npt.NDArray[Any], names: Names, card: AnyCard, players: int) -> Owned:
    """Tell who has a runner, Gear, Upgrade or Loot card; of Upgrades that are all alike, one of them."""
    deck = deck_of(card)
    if deck == "gear":
        copies = [number for number, name in enumerate(names.gear) if name == card.name]
        return np.asarray((ends["gear_of"][:, None, copies] == np.arange(players)[:, None]).any(axis=2))
    if deck == "loot":
        return np.asarray(ends["loot"][:, :players, names.loot.index(card.name)] > 0)
    slots = ends["card"][:, :players]
    if deck == "runners":
        return np.asarray((slots == names.runners.index(card.name)).any(axis=2))
    kind = getattr(card, "kind", "die")
    if kind in PILES:
        carried = ends[PILES[kind]][:, :players] > 0
    else:
        copies = [number for number, name in enumerate(names.unique) if name == card.name]
        carried = np.isin(ends["upgrade"][:, :players], copies)
    return np.asarray((carried & (slots != EMPTY)).any(axis=2))


def _side(side: str, batch: Batch, ends: npt.NDArray[Any], owned: Owned | None) -> dict[str, Any]:
    """Tell of one card set who has a card, who has it most, and how often its owners win."""
    share = wins = None
    most, most_share = None, float("nan")
    if owned is not None:
        share = _share(owned.sum(axis=1), batch.players)
        won = owned & (ends["winner"][:, None] == np.arange(batch.players))
        wins = wilson(int(won.sum()), int(owned.sum())) if owned.any() else None
        lineups = batch.plan.lineups[np.arange(len(ends)) % len(batch.plan.lineups)]
        if len(batch.entrants) > 1 and owned.any():
            seats, having = np.bincount(lineups.ravel()), np.bincount(lineups.ravel(), owned.ravel())
            shares = having / np.maximum(seats, 1)
            most, most_share = batch.entrants[int(shares.argmax())].name, float(shares.max())
    return {
        **_columns(side, share),
        f"most_{side}": most,
        f"most_{side}_share": most_share,
        **_columns(f"wins_{side}", wins),
    }


def _share(counts: npt.NDArray[np.int64], players: int) -> Estimate:
    """Estimate the share of players who have a card by how many of each game do."""
    mean = mean_interval(int(counts.sum()), int((counts**2).sum()), len(counts))
    return _per_player(mean, players)


def _change(counts: Sequence[npt.NDArray[np.int64]], players: int) -> dict[str, Any]:
    """Compare how many players of each game have a card, where both card sets have it."""
    if len(counts) < len(SIDES):
        return {**_columns("change", None), "p_value": float("nan")}
    difference = counts[1] - counts[0]
    n, sums = len(difference), (int(difference.sum()), int((difference**2).sum()))
    change = paired_difference(*sums, n) if sums[1] else Estimate.exact(0.0)
    return {**_columns("change", _per_player(change, players)), "p_value": difference_p_value(*sums, n)}


def _per_player(mean: Estimate, players: int) -> Estimate:
    return Estimate(*(part / players for part in (mean.estimate, mean.low, mean.high)))


def _columns(name: str, estimate: Estimate | None) -> dict[str, float]:
    ends = (float("nan"),) * 3 if estimate is None else (estimate.estimate, estimate.low, estimate.high)
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
