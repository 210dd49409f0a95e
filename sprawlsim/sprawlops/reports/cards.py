"""What cards are worth, by intervention: the same games and the same Missions, with a card and without.

That cards bought by winners win is no evidence: whoever is ahead can buy more, and whoever buys late lived
long. So a card is given to one of four players who play alike, at the start, and nothing else is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.cards import AnyCard, CardSet, Deck, is_invented
from sprawlsim.sprawlops.cards.lookup import deck_of
from sprawlsim.sprawlops.game.arrays import EMPTY, SLOTS
from sprawlsim.sprawlops.game.batch import new_thread, play_to_round
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.mission.aims import LOOT_PRICE
from sprawlsim.stats.intervals import Estimate, wilson
from sprawlsim.stats.multiple import holm
from sprawlsim.stats.paired import control_variate, mcnemar

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.mission.scenario import RulesOptions
    from sprawlsim.sprawlops.reports.card_odds import CardOdds

Progress = Callable[[int, int | None], None]

DECKS: tuple[Deck, ...] = ("runners", "gear", "upgrades", "loot")
"""Decks whose cards a player can be given."""
SUMS = (0, 2, 4, 8, 12, 18, 26, 36, 50)
"""K nuyen given for comparison."""
LEVEL = 0.05


class Trial(NamedTuple):
    """Games played with a gift and without, pair by pair."""

    games: int
    wins: int
    base_wins: int
    both: int

    @property
    def p_value(self) -> float:
        """That the gift does nothing to who wins (McNemar, exact)."""
        return mcnemar(self.wins - self.both, self.base_wins - self.both)


@dataclass(frozen=True)
class CardReport:
    """What a study of cards found; probabilities in 0..1, nuyen in K.

    Attributes
    ----------
    strategy, players, games
        Who played, how many at a table, and games with each gift.
    cash : DataFrame
        ``nuyen, gain, gain_low, gain_high, smooth``: win probability gained by a sum given at the start.
    cards : DataFrame
        A row a card, the most useful first: ``card, deck, cost, stand_in``; ``gain`` of win probability with
        its interval; ``p_value`` adjusted over all cards, ``resolved`` where it is below 0.05;
        ``gain_per_k``; ``worth``: the sum that does as much, the last of `SUMS` at most, with its interval,
        and ``overpriced``: cost less worth;
        ``line`` and ``residual``: the cost that a straight line through its deck gives what it gains,
        and cost less that; ``held`` and ``held_wins``: players who held it at the end of games without
        gifts, and the share of them who won, which misleads. With `odds`, also what `CardOdds.by_card` tells:
        ``odds_how, odds_gain, odds_best_mission, odds_best_gain``.
    odds : CardOdds, optional
        What cards do for Missions; see `with_odds`.
    """

    strategy: str
    players: int
    games: int
    cash: pd.DataFrame
    cards: pd.DataFrame
    odds: CardOdds | None = None


def study_cards(
    cards: CardSet,
    *,
    strategy: Any = "champion",
    players: int = 4,
    games: int = 20_000,
    seed: int = 1,
    threads: int | None = None,
    rules: RulesOptions | None = None,
    progress: Progress | None = None,
) -> CardReport:
    """Give every card, and sums of nuyen, to one of several players who play alike, and see who wins.

    Parameters
    ----------
    cards : CardSet
    strategy : str, Path or Strategy
        All players'.
    players, games, seed, threads, rules
        Of the games with each gift; seats are rotated.
    progress : callable, optional
        Told how many gifts are done, of how many.
    """
    import pandas as pd

    table = _Table(cards, strategy, players, games, seed, threads, rules)
    given = [card for deck in DECKS for card in cards.deck(deck)]
    gifts = [*(f"{nuyen}K" for nuyen in SUMS), *(card.name for card in given)]
    trials = []
    for done, gift in enumerate(gifts, 1):
        trials.append(table.play(gift))
        if progress is not None:
            progress(done, len(gifts))
    cash = _cash_frame(trials[: len(SUMS)], players)
    held = holders(table.base, min(games, 5_000))
    frame = pd.DataFrame(
        [
            _card_row(card, trial, cash, players, held)
            for card, trial in zip(given, trials[len(SUMS) :], strict=True)
        ]
    )
    frame["p_value"] = holm(frame["p_value"].to_numpy())
    frame["resolved"] = frame["p_value"] < LEVEL
    frame["line"] = _line_of_cost(frame)
    frame["residual"] = frame["cost"] - frame["line"]
    frame = frame.sort_values("gain", ascending=False, ignore_index=True)
    name = str(getattr(table.base.entrants[0], "name", strategy))
    return CardReport(name, players, games, cash, frame)


class _Table:
    """Players who play alike, one of whom can be given something."""

    def __init__(
        self,
        cards: CardSet,
        strategy: Any,
        players: int,
        games: int,
        seed: int,
        threads: int | None,
        rules: RulesOptions | None,
    ) -> None:
        self._options: dict[str, Any] = {"players": players, "seed": seed, "cards": cards, "rules": rules}
        self._alike = [strategy] * players
        self._games, self._threads = games, threads
        self.base = Batch(self._alike, **self._options)
        self._base_wins = self.base.winners(games, threads) == 0

    def play(self, gift: str) -> Trial:
        """Play the games with a gift to the first of them."""
        name = self.base.entrants[0].name
        wins = (
            Batch(self._alike, gifts={name: [gift]}, **self._options).winners(self._games, self._threads) == 0
        )
        both = int((wins & self._base_wins).sum())
        return Trial(self._games, int(wins.sum()), int(self._base_wins.sum()), both)


def gain_of(trial: Trial, players: int) -> Estimate:
    """Estimate the win probability that a gift adds.

    Players who play alike in rotated seats win a `players`-th of their games each; what the games without
    the gift show beyond that is luck that the games with it shared.
    """
    fair = 1 / players
    rate = control_variate(trial.wins, trial.base_wins, trial.both, trial.games, fair)
    return Estimate(rate.estimate - fair, rate.low - fair, rate.high - fair)


def _cash_frame(trials: Sequence[Trial], players: int) -> pd.DataFrame:
    """Tell what sums do, and smooth it: more nuyen never hurt, and nothing does nothing."""
    import pandas as pd
    from scipy.optimize import isotonic_regression

    gains = [gain_of(trial, players) for trial in trials]
    widths = np.array([max(gain.half_width, 1e-9) for gain in gains[1:]])
    smooth = isotonic_regression([gain.estimate for gain in gains[1:]], weights=widths**-2).x
    return pd.DataFrame(
        {
            "nuyen": SUMS,
            "gain": [0.0, *(gain.estimate for gain in gains[1:])],
            "gain_low": [0.0, *(gain.low for gain in gains[1:])],
            "gain_high": [0.0, *(gain.high for gain in gains[1:])],
            "smooth": [0.0, *np.maximum(smooth, 0.0)],
        }
    )


def worth_of(gain: float, cash: pd.DataFrame) -> float:
    """Find the sum that gains as much, between sums along a straight line; the last one stands for more.

    A card that loses games is worth less than nothing: as much as sums gain, the other way.
    """
    sums, gains = cash["nuyen"].to_numpy(dtype=float), cash["smooth"].to_numpy()
    if gain < 0:
        return -worth_of(-gain, cash)
    keep = np.concatenate([[True], np.diff(gains) > 0])
    sums, gains = sums[keep], gains[keep]
    if len(sums) < 2:
        return float("nan")
    return float(np.interp(gain, gains, sums))


def _card_row(
    card: AnyCard, trial: Trial, cash: pd.DataFrame, players: int, held: dict[str, tuple[int, int]]
) -> dict[str, Any]:
    """Give a row of the table of cards."""
    gain = gain_of(trial, players)
    cost = float(getattr(card, "cost", LOOT_PRICE))
    worth, low, high = (worth_of(value, cash) for value in (gain.estimate, gain.low, gain.high))
    count, winners = held.get(card.name, (0, 0))
    return {
        "card": card.name,
        "deck": deck_of(card),
        "cost": cost,
        "stand_in": is_invented(card),
        "gain": gain.estimate,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "p_value": trial.p_value,
        "gain_per_k": gain.estimate / cost if cost else None,
        "worth": worth,
        "worth_low": low,
        "worth_high": high,
        "overpriced": cost - worth,
        "overpriced_low": cost - high,
        "overpriced_high": cost - low,
        "held": count,
        "held_wins": wilson(winners, count).estimate if count else None,
    }


def _line_of_cost(frame: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Fit the costs of each deck by its cards' gains: a straight line, least squares."""
    line = np.full(len(frame), np.nan)
    for _, deck in frame.groupby("deck"):
        gains, costs = deck["gain"].to_numpy(), deck["cost"].to_numpy()
        if len(deck) > 1 and np.ptp(gains) > 0:
            slope, start = np.polyfit(gains, costs, 1)
            line[deck.index] = start + slope * gains
        else:
            line[deck.index] = costs.mean()
    return line


def holders(batch: Batch, games: int) -> dict[str, tuple[int, int]]:
    """Count, by card, the players who had it at the end of a game, and those of them who won."""
    thread = new_thread(batch.cards)
    game = thread.table[0]
    names = batch.names
    counts: dict[str, list[int]] = {}
    for number in range(games):
        play_to_round(batch.plan, thread, number, batch.round_limit + 1)
        winner = int(game.winner)
        for player in range(batch.players):
            for name in _has(game, player, names):
                count = counts.setdefault(name, [0, 0])
                count[0] += 1
                count[1] += player == winner
    return {name: (count[0], count[1]) for name, count in counts.items()}


def _has(game: Any, player: int, names: Any) -> set[str]:
    """Name the cards that a player has."""
    slots = [slot for slot in range(SLOTS) if game.card[player, slot] != EMPTY]
    things = {names.runners[game.card[player, slot]] for slot in slots}
    things |= {name for gear, name in enumerate(names.gear) if game.gear_of[gear] == player}
    things |= {
        names.unique[game.upgrade[player, slot]] for slot in slots if game.upgrade[player, slot] != EMPTY
    }
    for pile, count in enumerate((game.plating, game.commlink)):
        if any(count[player, slot] for slot in slots):
            things.add(names.piles[pile])
    return things | {name for loot, name in enumerate(names.loot) if game.loot[player, loot] > 0}
