"""What a batch of games came to: win rates with intervals, rounds, what happened round by round."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.cards.model import CardSet, card_set_hash
from sprawlsim.sprawlops.game.arrays import (
    COMPLETED,
    DEATHS,
    FIGURES,
    FINALS,
    INJURIES,
    LOCATIONS,
    TASKS,
    TASKS_COMPLETED,
    TRIED,
    WON,
)
from sprawlsim.sprawlops.game.batch import DICE, DICE_SQUARED, NUYEN, NUYEN_SQUARED, PLAYED, ROUND_COLUMNS
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson
from sprawlsim.stats.text import format_estimate
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
FIRST_FIGURE = ROUND_COLUMNS - len(FIGURES)
LEAST_SHARE = 0.01
"""Share of games below which a round is left out of the printed tables: too few to tell anything."""


class Setting(NamedTuple):
    """What was played: strategies by name, and how their games were set up."""

    strategies: tuple[str, ...]
    players: int
    seed: int
    rotates_seats: bool
    round_limit: int
    final: str | None
    cards: CardSet
    gifts: dict[str, tuple[str, ...]]
    without: tuple[str, ...]


class GameResults:
    """The results of a batch of whole games; made by `Batch.run` and `simulate`.

    Attributes
    ----------
    setting : Setting
        What was played.
    games : int
        How many games.
    tally : record of `TALLY`
        The counts behind all figures.
    """

    def __init__(self, setting: Setting, games: int, counts: npt.NDArray[Any]) -> None:
        self.setting = setting
        self.games = games
        self.tally = counts[0]

    def __repr__(self) -> str:
        """Say what it is in a line."""
        names = ", ".join(self.setting.strategies)
        return f"<GameResults: {self.games} games of {self.setting.players} players, {names}>"

    @property
    def stopped(self) -> Estimate:
        """Share of games stopped at the round limit; nobody won those (G13)."""
        return wilson(int(self.tally.stopped), self.games)

    @property
    def actions(self) -> int:
        """Decisions taken in all games."""
        return int(self.tally.actions)

    def win_rate(self, strategy: str, seat: int | None = None) -> Estimate:
        """Share of its games that a strategy won, in one seat (counted from 0) or all.

        Raises
        ------
        SprawlsimError
            If no strategy of the batch has this name.
        """
        entrant = self._entrant(strategy)
        seats = slice(None) if seat is None else seat
        return _rate(self.tally.wins[entrant, seats].sum(), self.tally.games[entrant, seats].sum())

    def _entrant(self, strategy: str) -> int:
        """Number a strategy of the batch."""
        if strategy not in self.setting.strategies:
            allowed = ", ".join(self.setting.strategies)
            hint = did_you_mean(strategy, self.setting.strategies)
            raise SprawlsimError(f"{strategy!r} did not play; there are {allowed}{hint}")
        return self.setting.strategies.index(strategy)

    def seat_win_rate(self, seat: int) -> Estimate:
        """Share of games won from a seat; seat 0 is the first player of round 1."""
        return _rate(self.tally.wins[:, seat].sum(), self.tally.games[:, seat].sum())

    @property
    def mean_rounds(self) -> Estimate | None:
        """Rounds to win, in the games somebody won; None where nobody did."""
        won = self.tally.rounds
        n = int(won.sum())
        if n == 0:
            return None
        rounds = np.arange(len(won))
        return mean_interval(int((won * rounds).sum()), int((won * rounds**2).sum()), n)

    def rounds(self) -> pd.DataFrame:
        """Give how many games were won in each round, and their share of all with its interval."""
        import pandas as pd

        last = int(np.max(np.nonzero(self.tally.rounds)[0], initial=0))
        rows = []
        for number in range(1, last + 1):
            share = wilson(int(self.tally.rounds[number]), self.games)
            row = (number, int(self.tally.rounds[number]), share.estimate, share.low, share.high)
            rows.append(row)
        return pd.DataFrame(rows, columns=["round", "games", "share", "low", "high"])

    def strategies(self) -> pd.DataFrame:
        """Give the win rate of each strategy with its interval, in all seats and by seat, best first."""
        import pandas as pd

        rows = []
        for entrant, strategy in enumerate(self.setting.strategies):
            rate = self.win_rate(strategy)
            seats = [self.win_rate(strategy, s).estimate for s in range(self.setting.players)]
            games, wins = self.tally.games[entrant].sum(), self.tally.wins[entrant].sum()
            if games == 0:
                continue
            row = (strategy, int(games), int(wins), rate.estimate, rate.low, rate.high, *seats)
            rows.append(row)
        columns = ["strategy", "games", "wins", "win_rate", "low", "high"]
        columns += [f"seat_{s + 1}" for s in range(self.setting.players)]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.sort_values("win_rate", ascending=False, ignore_index=True)

    def seats(self) -> pd.DataFrame:
        """Give the win rate of each seat with its interval."""
        import pandas as pd

        rates = [self.seat_win_rate(seat) for seat in range(self.setting.players)]
        rows = [(seat + 1, rate.estimate, rate.low, rate.high) for seat, rate in enumerate(rates)]
        return pd.DataFrame(rows, columns=["seat", "win_rate", "low", "high"])

    def by_round(self, strategy: str | None = None) -> pd.DataFrame:
        """Give what happened in each round, per player who took part in it.

        Parameters
        ----------
        strategy : str, optional
            One strategy only; all when left out.

        Returns
        -------
        pandas.DataFrame
            ``round``, ``players`` (player-rounds), ``dice`` and ``nuyen`` at the round's start; Missions
            ``tried`` per player, the share of them ``completed``; ``tasks``, ``injuries``, ``deaths`` per
            player; ``finals`` tried per player and the share of them ``won``. Cells with an interval are
            `Estimate` objects.
        """
        import pandas as pd

        return pd.DataFrame(self._rounds(strategy))

    def _rounds(self, strategy: str | None = None) -> list[dict[str, Any]]:
        table = self.tally.by_round
        if strategy is None:
            totals = table.sum(axis=0)
        else:
            totals = table[self._entrant(strategy)]
        rows = []
        for number in range(1, self.setting.round_limit + 1):
            total = totals[number]
            players = int(total[PLAYED])
            if players == 0:
                break
            figure = {name: int(total[FIRST_FIGURE + k]) for k, name in enumerate(FIGURES)}
            row: dict[str, Any] = {"round": number, "players": players}
            row["dice"] = _mean(total[DICE], total[DICE_SQUARED], players)
            row["nuyen"] = _mean(total[NUYEN], total[NUYEN_SQUARED], players)
            row["tried"] = figure[FIGURES[TRIED]] / players
            row["completed"] = _share(figure[FIGURES[COMPLETED]], figure[FIGURES[TRIED]])
            row["tasks"] = figure[FIGURES[TASKS]] / players
            row["tasks_completed"] = _share(figure[FIGURES[TASKS_COMPLETED]], figure[FIGURES[TASKS]])
            row["injuries"] = figure[FIGURES[INJURIES]] / players
            row["deaths"] = figure[FIGURES[DEATHS]] / players
            row["finals"] = figure[FIGURES[FINALS]] / players
            row["won"] = _share(figure[FIGURES[WON]], figure[FIGURES[FINALS]])
            rows.append(row)
        return rows

    def total(self, figure: str, first: int = 1, last: int | None = None) -> int:
        """Add up a figure (one of `FIGURES`, or ``players``) over rounds `first` to `last`."""
        column = PLAYED if figure == "players" else FIRST_FIGURE + FIGURES.index(figure)
        end = None if last is None else last + 1
        return int(self.tally.by_round[:, first:end, column].sum())

    def locations(self) -> pd.DataFrame:
        """Give how often runners were placed at each location, per player and round, and by strategy."""
        import pandas as pd

        frame = pd.DataFrame({"location": LOCATIONS})
        played = self.tally.by_round[:, :, PLAYED].sum(axis=1)
        frame["all"] = self.tally.visits.sum(axis=0) / played.sum()
        for entrant, strategy in enumerate(self.setting.strategies):
            frame[strategy] = self.tally.visits[entrant] / played[entrant]
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data for JSON: results, seed, version and card set, nothing else."""
        setting = self.setting
        seats = range(setting.players)
        mean = self.mean_rounds
        won = [int(n) for n in self.tally.rounds]
        last = max((k for k, n in enumerate(won) if n), default=0)
        visits = self.tally.visits.sum(axis=0) / max(1, self.total("players"))
        return {
            "schema": SCHEMA,
            "version": __version__,
            "card_set": setting.cards.name,
            "card_set_hash": card_set_hash(setting.cards),
            "seed": setting.seed,
            "games": self.games,
            "players": setting.players,
            "rotate_seats": setting.rotates_seats,
            "round_limit": setting.round_limit,
            "final": setting.final,
            "gifts": {name: list(things) for name, things in setting.gifts.items()},
            "without": list(setting.without),
            "strategies": [
                {
                    "name": name,
                    "games": int(self.tally.games[i].sum()),
                    "wins": int(self.tally.wins[i].sum()),
                    "win_rate": self.win_rate(name).to_dict(),
                    "by_seat": [self.win_rate(name, s).to_dict() for s in seats],
                }
                for i, name in enumerate(setting.strategies)
            ],
            "seats": [self.seat_win_rate(s).to_dict() for s in seats],
            "stopped": self.stopped.to_dict(),
            "mean_rounds": None if mean is None else mean.to_dict(),
            "rounds": {str(k): won[k] for k in range(1, last + 1)},
            "by_round": [
                {key: cell.to_dict() if isinstance(cell, Estimate) else cell for key, cell in row.items()}
                for row in self._rounds()
            ],
            "locations": dict(zip(LOCATIONS, map(float, visits), strict=True)),
        }

    def tables(self) -> list[tuple[str, list[list[str]]]]:
        """Write the results as tables of text: a title, and rows of which the first is the heading."""
        seats = range(self.setting.players)
        wins = [["strategy", "wins", "95% interval", *(f"seat {s + 1}" for s in seats), "games"]]
        order = sorted(self.setting.strategies, key=lambda name: -self.win_rate(name).estimate)
        for name in order:
            rate = self.win_rate(name)
            played = self.tally.games[self.setting.strategies.index(name)]
            by_seat = [format_estimate(self.win_rate(name, s), True)[0] if played[s] else "-" for s in seats]
            if len(self.setting.strategies) == 1:
                wins.append([name, "", "", *by_seat, str(self.games)])  # against itself: somebody wins
            elif played.any():
                wins.append([name, *format_estimate(rate, True), *by_seat, str(int(played.sum()))])
        if len(self.setting.strategies) > 1:
            by_seat = [format_estimate(self.seat_win_rate(s), True)[0] for s in seats]
            wins.append(["any", "", "", *by_seat, str(self.games)])
        rounds = [
            ["round", "games won", "dice", "nuyen", "Missions", "done", "injured", "dead", "Finals", "won"]
        ]
        for row in self._rounds():
            if row["players"] < LEAST_SHARE * self.games * self.setting.players:
                break
            rounds.append(
                [
                    str(row["round"]),
                    format_estimate(wilson(int(self.tally.rounds[row["round"]]), self.games), True)[0],
                    f"{row['dice'].estimate:.1f}",
                    f"{row['nuyen'].estimate:.1f}K",
                    f"{row['tried']:.2f}",
                    _percent(row["completed"]),
                    f"{row['injuries']:.2f}",
                    f"{row['deaths']:.2f}",
                    f"{row['finals']:.3f}",
                    _percent(row["won"]),
                ]
            )
        return [("Wins", wins), ("Round by round, per player", rounds)]

    def notes(self) -> list[str]:
        """Tell what the tables leave out."""
        mean = self.mean_rounds
        told = []
        if mean is not None:
            rounds = np.repeat(np.arange(len(self.tally.rounds)), self.tally.rounds)
            low, high = np.percentile(rounds, [10, 90]).astype(int)
            number, interval = format_estimate(mean, False)
            known = f" ({interval})" if np.isfinite(mean.half_width) else ""
            told.append(f"rounds to win: {number} on average{known}, {low} to {high} in 8 of 10 games")
        if self.tally.stopped:
            share, interval = format_estimate(self.stopped, True)
            limit = self.setting.round_limit
            told.append(f"stopped after round {limit}, won by nobody: {share} ({interval})")
        return told

    def _repr_html_(self) -> str:
        """Show the tables in Jupyter."""
        parts = []
        for title, rows in self.tables():
            lines = ""
            for kind, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True):
                lines += f"<tr>{''.join(f'<{kind}>{html.escape(cell)}</{kind}>' for cell in row)}</tr>"
            parts.append(f"<table><caption>{html.escape(title)}</caption>{lines}</table>")
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return "".join(parts) + notes


def _rate(wins: Any, games: Any) -> Estimate:
    """Give a win rate; of no games, nothing is known."""
    return wilson(int(wins), int(games)) if games else Estimate(0.0, 0.0, 1.0)


def _share(part: int, whole: int) -> Estimate | None:
    return wilson(part, whole) if whole else None


def _mean(total: Any, squares: Any, n: int) -> Estimate:
    return mean_interval(int(total), int(squares), n) if n > 1 else Estimate.exact(float(total))


def _percent(share: Estimate | None) -> str:
    return "-" if share is None else format_estimate(share, True)[0]
