"""Batches of whole games: strategies against strategies, over threads, any game of it replayable."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.rng import stream_key
from sprawlsim.sprawlops.cards import CardSet, find_card
from sprawlsim.sprawlops.game.arrays import EMPTY, MAX_PLAYERS, MAX_ROUNDS
from sprawlsim.sprawlops.game.batch import (
    MOST_ENTRANTS,
    ROW,
    Plan,
    Thread,
    Trace,
    new_tally,
    new_thread,
    new_trace,
    play_games,
    trace_games,
)
from sprawlsim.sprawlops.game.blocks import play_blocks
from sprawlsim.sprawlops.game.compiling import compile_rules
from sprawlsim.sprawlops.game.functions import Chooser, player_of_functions
from sprawlsim.sprawlops.game.interventions import leave_out, read_gifts
from sprawlsim.sprawlops.game.play import PURPOSE, whole
from sprawlsim.sprawlops.game.results import GameResults, Setting
from sprawlsim.sprawlops.game.row_file import RowFile
from sprawlsim.sprawlops.game.strategies.model import (
    CHOOSERS,
    Strategy,
    load_strategy,
    shipped_strategies,
    strategy_orders,
    strategy_weights,
)
from sprawlsim.sprawlops.game.tables import Names, as_card_set, make_names, make_tables
from sprawlsim.sprawlops.mission.montecarlo import default_threads
from sprawlsim.sprawlops.mission.scenario import RulesOptions

if TYPE_CHECKING:
    from sprawlsim.sprawlops.api import Cards

BLOCK = 64
"""Games that a thread plays before it reports; it never changes a result."""
MOST_GAMES = 10**9
TRACED = 12
"""Rounds that a trace writes down when none are named: most games are over by then."""
ROUND_LIMIT = 40
"""Rounds after which a game is stopped (G13)."""
NOT_SENSIBLE = ("random", "final-gambler")
"""Shipped strategies that are not meant to win: a baseline, and a warning."""

AnyStrategy: TypeAlias = str | Path | Strategy | Chooser
Progress = Callable[[int, int | None], None]


def sensible_strategies() -> list[str]:
    """List the shipped strategies that mean to win: the field of a simulation that names none."""
    return [name for name in shipped_strategies() if name not in NOT_SENSIBLE]


def make_lineups(entrants: int, players: int, rotate: bool) -> npt.NDArray[np.int64]:
    """Seat entrants: every choice of as many as there are seats, each in every rotation.

    Parameters
    ----------
    entrants : int
        One plays against itself; as many as players sit as listed; of more, all choices are seated.
    players : int
    rotate : bool
        Whether each table is also played with its seats moved round, so that no entrant always begins.

    Returns
    -------
    array of int, shape (lineups, players)
    """
    chosen = [(0,) * players] if entrants == 1 else list(combinations(range(entrants), players))
    turns = range(players) if rotate and entrants > 1 else range(1)
    return np.array(
        [[table[(s + turn) % players] for s in range(players)] for table in chosen for turn in turns]
    )


class Batch:
    """Games of chosen strategies; game `i` is a pure function of what stands here and of `i`.

    Parameters
    ----------
    strategies : sequence, optional
        Names of shipped strategies, paths of files, `Strategy` objects, or functions
        ``choose(game, actions)`` that give the index of an action: as many as players, more (every choice of
        them is seated), or one (against itself). The shipped sensible ones when left out.
    players : int
    seed : int
    cards : CardSet, Cards, str or Path, optional
    final : str, optional
        The Final Mission of every game; a random one in each when left out.
    rotate_seats : bool
    round_limit : int
        Games are stopped after this round, and nobody wins those (G13).
    rules : RulesOptions, optional
    gifts : mapping, optional
        What strategies have at the start beyond what the rules give: by name, cards and sums such as
        ``"5K"``. Such cards are in no deck. Of several alike, the second is called ``"balanced (2)"``.
    without : sequence of str
        Cards left out of every game, all copies.

    Raises
    ------
    SprawlsimError
        If something of this makes no sense.
    """

    def __init__(  # noqa: PLR0913 - keywords that a researcher may want to change, each alone
        self,
        strategies: Sequence[AnyStrategy] | None = None,
        *,
        players: int = 4,
        seed: int = 1,
        cards: CardSet | Cards | str | Path | None = None,
        final: str | None = None,
        rotate_seats: bool = True,
        round_limit: int = ROUND_LIMIT,
        rules: RulesOptions | None = None,
        gifts: Mapping[str, Sequence[str]] | None = None,
        without: Sequence[str] = (),
    ) -> None:
        players, seed = whole("players", players), whole("seed", seed)
        if not 2 <= players <= MAX_PLAYERS:
            raise SprawlsimError(f"a game has 2 to {MAX_PLAYERS} players, not {players}")
        if not 1 <= round_limit <= MAX_ROUNDS:
            raise SprawlsimError(f"the round limit must be between 1 and {MAX_ROUNDS}, not {round_limit}")
        self.entrants, self.functions = _read_entrants(strategies, players)
        self.players, self.seed, self.round_limit, self.rotates = players, seed, round_limit, rotate_seats
        self.card_set = as_card_set(cards)
        self.rules = rules
        self.cards = make_tables(self.card_set, rules)
        self.names: Names = make_names(self.card_set)
        self.final = None if final is None else find_card(self.card_set, final, "final_missions").name
        weights = strategy_weights(self.entrants)
        for entrant in self.functions:
            weights[entrant]["chooser"] = CHOOSERS["function"]
        lineups = make_lineups(len(self.entrants), players, rotate_seats)
        names = [entrant.name for entrant in self.entrants]
        self.gifts = {name: tuple(things) for name, things in (gifts or {}).items()}
        self.without = tuple(without)
        given = read_gifts(gifts or {}, names, self.card_set, self.names)
        self.plan = Plan(
            np.uint64(stream_key(seed, PURPOSE)),
            players,
            round_limit,
            EMPTY if self.final is None else self.names.finals.index(self.final),
            lineups,
            weights,
            strategy_orders(self.entrants),
            given,
            leave_out(without, given, lineups, self.card_set, self.names),
        )

    def __repr__(self) -> str:
        """Say what it is in a line."""
        names = ", ".join(strategy.name for strategy in self.entrants)
        return f"<Batch: games of {self.players} players, {names}, seed {self.seed}>"

    def seats(self, number: int) -> list[Strategy]:
        """Give the strategies of a game by seat."""
        return [self.entrants[e] for e in self.plan.lineups[number % len(self.plan.lineups)]]

    def run(
        self,
        games: int,
        *,
        threads: int | None = None,
        out: str | Path | None = None,
        progress: Progress | None = None,
        block: int = BLOCK,
    ) -> GameResults:
        """Play games 0 to ``games - 1``.

        Parameters
        ----------
        threads : int, optional
            They change no figure; one a processor when left out.
        out : str or Path, optional
            Write a row for every game to this Parquet file, whole or not at all.
        progress : callable, optional
            Told how many games are played, of how many.
        block : int
            Games per block; it changes no figure.

        Raises
        ------
        SprawlsimError
            If the number of games makes no sense, or a function chooses what it was not offered.
        """
        games = _check_games(games)
        if out is not None and Path(out).is_dir():
            raise SprawlsimError(f"--out {out}: is a directory")
        blocks = self._blocks(games, threads or default_threads(), block, out is not None)
        tally = new_tally()
        done = 0
        with RowFile(None if out is None else Path(out), self) as file:
            for part, rows, count in blocks:
                tally.view(np.int64)[:] += part.view(np.int64)
                file.write(rows)
                done += count
                if progress is not None:
                    progress(done, games)
        names = tuple(strategy.name for strategy in self.entrants)
        setting = Setting(
            names,
            self.players,
            self.seed,
            self.rotates,
            self.round_limit,
            self.final,
            self.card_set,
            self.gifts,
            self.without,
        )
        return GameResults(setting, games, tally)

    def rows(self, first: int, count: int, threads: int | None = None) -> npt.NDArray[Any]:
        """Play games `first` to ``first + count - 1`` and give a row of `ROW` for each."""
        play = player_of_functions(self.functions) if self.functions else play_games
        rows = np.zeros(_check_games(count), dtype=ROW)

        def work(thread: Thread, start: int, several: int) -> None:
            play(self.plan, thread, first + start, several, new_tally()[0], rows[start : start + several])

        deque(play_blocks(work, self.thread, count, threads or default_threads(), BLOCK), maxlen=0)
        return rows

    def winners(self, games: int, threads: int | None = None) -> npt.NDArray[np.int64]:
        """Play games and give the number of the entrant who won each; -1 where the game was stopped."""
        rows = self.rows(0, games, threads)
        seats = rows["winner"].astype(np.int64)
        winners = rows["entrant"][np.arange(games), np.maximum(seats, 0)].astype(np.int64)
        return np.where(seats < 0, -1, winners)

    def _blocks(
        self, games: int, threads: int, block: int, wants_rows: bool
    ) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any], int]]:
        """Play blocks over threads and give them back in order; few are under way at a time."""
        play = player_of_functions(self.functions) if self.functions else play_games

        def work(thread: Thread, first: int, count: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
            tally = new_tally()
            rows = np.zeros(count if wants_rows else 0, dtype=ROW)
            play(self.plan, thread, first, count, tally[0], rows)
            return tally, rows, count

        return play_blocks(work, self.thread, games, threads, block)

    def trace(self, games: int, rounds: int = TRACED, threads: int | None = None) -> Trace:
        """Play games 0 to ``games - 1`` and give who had what at the start of each round, and who won.

        Parameters
        ----------
        games : int
        rounds : int
            So many are written down, from the first on; every game is played to its end.
        threads : int, optional
            They change no figure; one a processor when left out.

        Returns
        -------
        Trace

        Raises
        ------
        SprawlsimError
            If a number makes no sense, or a strategy is a function of the caller's.
        """
        games, rounds = _check_games(games), whole("rounds", rounds)
        if not 1 <= rounds <= MAX_ROUNDS:
            raise SprawlsimError(f"rounds must be between 1 and {MAX_ROUNDS}, not {rounds}")
        if self.functions:
            raise SprawlsimError("games of strategy functions cannot be traced; give strategies of weights")
        trace = new_trace(games, rounds, self.players)

        def work(thread: Thread, first: int, count: int) -> None:
            part = Trace(*(array[first : first + count] for array in trace))
            trace_games(self.plan, thread, first, count, part)

        deque(play_blocks(work, self.thread, games, threads or default_threads(), BLOCK), maxlen=0)
        return trace

    def thread(self) -> Thread:
        """Lay out what playing games of this batch takes; the first time, compile what plays them."""
        thread = new_thread(self.cards)
        compile_rules(thread)
        return thread


def _check_games(games: int) -> int:
    """Refuse a number of games that makes no sense."""
    games = whole("games", games)
    if not 1 <= games <= MOST_GAMES:
        raise SprawlsimError(f"games must be between 1 and {MOST_GAMES}, not {games}")
    return games


def _read_entrants(
    strategies: Sequence[AnyStrategy] | None, players: int
) -> tuple[list[Strategy], dict[int, Chooser]]:
    """Load strategies; functions stand as strategies of their name, and by number beside."""
    entrants: list[Strategy] = []
    functions: dict[int, Chooser] = {}
    if isinstance(strategies, str | Path):
        strategies = [strategies]
    for one in sensible_strategies() if strategies is None else strategies:
        if isinstance(one, Strategy):
            entrants.append(one)
        elif callable(one):
            functions[len(entrants)] = one
            entrants.append(Strategy(getattr(one, "__name__", "function"), "", "weights", "balanced", {}))
        else:
            entrants.append(load_strategy(one))
    if not (len(entrants) == 1 or players <= len(entrants) <= MOST_ENTRANTS):
        raise SprawlsimError(
            f"{len(entrants)} strategies for {players} players: name one (it plays against itself), "
            f"{players}, or up to {MOST_ENTRANTS}, of which every {players} meet"
        )
    seen: Counter[str] = Counter()
    for i, strategy in enumerate(entrants):
        seen[strategy.name] += 1
        if seen[strategy.name] > 1:
            entrants[i] = strategy._replace(name=f"{strategy.name} ({seen[strategy.name]})")
    return entrants, functions


def simulate(  # noqa: PLR0913 - those of `Batch`
    strategies: Sequence[AnyStrategy] | None = None,
    games: int = 10_000,
    *,
    players: int = 4,
    seed: int = 1,
    cards: CardSet | Cards | str | Path | None = None,
    final: str | None = None,
    rotate_seats: bool = True,
    round_limit: int = ROUND_LIMIT,
    rules: RulesOptions | None = None,
    gifts: Mapping[str, Sequence[str]] | None = None,
    without: Sequence[str] = (),
    threads: int | None = None,
) -> GameResults:
    """Play whole games of strategies against each other.

    Parameters
    ----------
    strategies : sequence, optional
        See `Batch`; the shipped sensible ones when left out.
    games : int
    players, seed, cards, final, rotate_seats, round_limit, rules, gifts, without
        See `Batch`.
    threads : int, optional
        They change no figure.

    Returns
    -------
    GameResults

    Examples
    --------
    >>> results = simulate(["balanced", "random"], 20, players=2)
    >>> results.games
    20
    """
    batch = Batch(
        strategies,
        players=players,
        seed=seed,
        cards=cards,
        final=final,
        rotate_seats=rotate_seats,
        round_limit=round_limit,
        rules=rules,
        gifts=gifts,
        without=without,
    )
    return batch.run(games, threads=threads)
