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
from sprawlsim.sprawlops.game.arrays import EMPTY, LOCATIONS, SLOTS, TASKS, TRIED
from sprawlsim.sprawlops.game.batch import new_thread, play_to_round
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.prices import compare_prices
from sprawlsim.sprawlops.reports.worth import Curve, fit_curve, worth_of
from sprawlsim.stats.intervals import Estimate, wilson
from sprawlsim.stats.multiple import LEVEL, holm
from sprawlsim.stats.paired import control_variate, mcnemar

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.mission.scenario import RulesOptions
    from sprawlsim.sprawlops.reports.card_odds import CardOdds

Progress = Callable[[int, int | None], None]

DECKS: tuple[Deck, ...] = ("runners", "gear", "upgrades", "loot")
"""Decks whose cards a player can be given."""
SUMS = (2, 4, 8, 12, 18, 26, 36, 50)
"""K nuyen given for comparison."""
SUM_GAMES = 3
"""Games with a sum for each with a card: all cards are compared with the sums."""
HABITS_FROM = 1_000
"""Games in which is counted what players do."""
FEWEST_HOLDERS = 100
"""Of fewer, no share is told that won."""


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


class Habits(NamedTuple):
    """What one player does in a game, on average, without gifts.

    Attributes
    ----------
    missions, tasks, rounds : float
        Side Missions tried, Tasks tried, and rounds until somebody wins.
    visits : dict of str to float
        Runners sent to each location.
    """

    missions: float
    tasks: float
    rounds: float
    visits: dict[str, float]


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
        A row a card, the most useful first: ``card, deck, cost`` (none for Loot: nobody can buy it),
        ``stand_in``; ``gain`` of win probability with its interval; ``p_value`` adjusted over all cards,
        ``resolved`` where it is at most 0.05; ``gain_per_k``; ``worth``: the sum that does as much, the last
        of `SUMS` at most, and ``overpriced``: cost less worth, both with intervals; ``line``: what cards of
        its deck that gain as much cost, and ``residual``: cost less that, with its interval (see
        `compare_prices`); ``held`` and ``held_wins``: players who held it at the end of games without gifts,
        and the share of them who won, which misleads (not told of fewer than 100). With `odds`, also what
        `CardOdds.by_card` tells: ``odds_how, odds_gain, odds_best_mission, odds_best_gain``.
    habits : Habits
        Of those who play.
    odds : CardOdds, optional
        What cards do for Missions; see `with_odds`.
    """

    strategy: str
    players: int
    games: int
    cash: pd.DataFrame
    cards: pd.DataFrame
    habits: Habits
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
        Of the games with each card; with each sum, three times as many. Seats are rotated.
    progress : callable, optional
        Told how much is done, of how much.
    """
    import pandas as pd

    table = _Table(cards, strategy, players, games * SUM_GAMES, seed, threads, rules)
    given = [card for deck in DECKS for card in cards.deck(deck)]
    gifts = [*((f"{nuyen}K", SUM_GAMES) for nuyen in SUMS), *((card.name, 1) for card in given)]
    trials: list[Trial] = []
    for k, (gift, times) in enumerate(gifts):
        trials.append(table.play(gift, games * times))
        if progress is not None:
            progress(sum(times for _, times in gifts[: k + 1]), sum(times for _, times in gifts))
    sums = [gain_of(trial, players) for trial in trials[: len(SUMS)]]
    curve = fit_curve(SUMS, sums)
    held = holders(table.base, min(games, 5_000))
    frame = pd.DataFrame(
        [
            _card_row(card, trial, curve, players, held)
            for card, trial in zip(given, trials[len(SUMS) :], strict=True)
        ]
    )
    frame["p_value"] = holm(frame["p_value"].to_numpy())
    frame["resolved"] = frame["p_value"] <= LEVEL
    frame = frame.join(compare_prices(frame)).sort_values("gain", ascending=False, ignore_index=True)
    name = str(getattr(table.base.entrants[0], "name", strategy))
    return CardReport(name, players, games, _cash_frame(sums, curve), frame, table.habits)


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
        self._threads = threads
        self.base = Batch(self._alike, **self._options)
        self._base_wins = self.base.winners(games, threads) == 0
        self.habits = _habits(self.base.rows(0, min(games, HABITS_FROM), threads), players)

    def play(self, gift: str, games: int) -> Trial:
        """Play the first so many games with a gift to the first of them."""
        name = self.base.entrants[0].name
        batch = Batch(self._alike, gifts={name: [gift]}, **self._options)
        wins, base_wins = batch.winners(games, self._threads) == 0, self._base_wins[:games]
        return Trial(games, int(wins.sum()), int(base_wins.sum()), int((wins & base_wins).sum()))


def _habits(rows: npt.NDArray[Any], players: int) -> Habits:
    """Average what players did in games."""
    done = rows["figures"][:, :players].mean(axis=(0, 1))
    visits = rows["visits"][:, :players].mean(axis=(0, 1))
    return Habits(
        float(done[TRIED]),
        float(done[TASKS]),
        float(rows["rounds"].mean()),
        dict(zip(LOCATIONS, map(float, visits), strict=True)),
    )


def gain_of(trial: Trial, players: int) -> Estimate:
    """Estimate the win probability that a gift adds.

    Players who play alike in rotated seats win a `players`-th of their games each; what the games without
    the gift show beyond that is luck that the games with it shared.
    """
    fair = 1 / players
    rate = control_variate(trial.wins, trial.base_wins, trial.both, trial.games, fair)
    return Estimate(rate.estimate - fair, rate.low - fair, rate.high - fair)


def _cash_frame(gains: Sequence[Estimate], curve: Curve) -> pd.DataFrame:
    """Tell what sums do, as it was found and as it is smoothed; nothing does nothing."""
    import pandas as pd

    known = [Estimate.exact(0.0), *gains]
    frame = pd.DataFrame({"nuyen": [0, *SUMS]})
    frame[["gain", "gain_low", "gain_high"]] = [(gain.estimate, gain.low, gain.high) for gain in known]
    frame["smooth"] = np.interp(frame["nuyen"], curve.sums, curve.gains)
    return frame


def _card_row(
    card: AnyCard, trial: Trial, curve: Curve, players: int, held: dict[str, tuple[int, int]]
) -> dict[str, Any]:
    """Give a row of the table of cards."""
    gain = gain_of(trial, players)
    cost = float(getattr(card, "cost", np.nan))
    worth = worth_of(gain, curve)
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
        "gain_per_k": gain.estimate / cost if cost else np.nan,
        "worth": worth.estimate,
        "worth_low": worth.low,
        "worth_high": worth.high,
        "overpriced": cost - worth.estimate,
        "overpriced_low": cost - worth.high,
        "overpriced_high": cost - worth.low,
        "held": count,
        "held_wins": wilson(winners, count).estimate if count >= FEWEST_HOLDERS else np.nan,
    }


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
