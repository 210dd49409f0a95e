"""A whole game to step through in Python."""

from __future__ import annotations

from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.rng import stream_key, word
from sprawlsim.sprawlops.cards import CardSet, find_card
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import (
    ABSENT,
    BOOK,
    EMPTY,
    MAX_PLAYERS,
    NOBODY,
    OVER,
    PAD,
    PHASES,
    Record,
    new_book,
    new_games,
)
from sprawlsim.sprawlops.game.legal import KINDS, MOST_ACTIONS, argument, kind_of_action, legal_actions
from sprawlsim.sprawlops.game.rounds import set_up_game
from sprawlsim.sprawlops.game.tables import Names, as_card_set, make_names, make_tables
from sprawlsim.sprawlops.game.trials import Desk
from sprawlsim.sprawlops.game.words import describe_action, describe_game
from sprawlsim.sprawlops.mission.attempt import new_tools
from sprawlsim.sprawlops.mission.plays import BALANCED
from sprawlsim.sprawlops.mission.scenario import RulesOptions

if TYPE_CHECKING:
    from sprawlsim.sprawlops.api import Cards

MOST_GAMES = 2**62
"""Games that a batch may number."""
PURPOSE = "game"
"""What a batch's random words are for; see `stream_key`."""


class Action(NamedTuple):
    """Something a player may do now.

    Attributes
    ----------
    number : int
        What compiled code knows it by.
    kind : str
        ``PLACE``, ``BUY_GEAR``...; see `sprawlsim.sprawlops.game.legal`.
    arguments : tuple of int
        Slot, location, card...: what the kind asks for, unused ones 0.
    text : str
        The same in words.
    """

    number: int
    kind: str
    arguments: tuple[int, int, int]
    text: str

    def __str__(self) -> str:
        """Tell it in words."""
        return self.text


def whole(name: str, value: Any) -> int:
    """Give a whole number as Python's own.

    Raises
    ------
    SprawlsimError
        If it is none.
    """
    try:
        return index(value)
    except TypeError:
        raise SprawlsimError(f"{name} must be a whole number, not {value!r}") from None


def game_key(seed: int, number: int) -> np.uint64:
    """Make the key of all random words of game `number` of the batch `seed`."""
    with np.errstate(over="ignore"):
        return np.uint64(word(stream_key(seed, PURPOSE), np.uint64(number)))


def new_desk(cards: Record) -> Desk:
    """Lay out what playing games with these cards takes; for one thread.

    Every player has the same orders: play `balanced`, to complete what is attempted.
    """
    pad = np.zeros(1, dtype=PAD)[0]
    pad.orders["policy"] = BALANCED
    pad.orders["weights"][:, :, 0] = 1.0
    return Desk(cards, pad, new_book()[0], new_tools())


class Game:
    """A game of Sprawl Ops, decision by decision.

    Parameters
    ----------
    players : int
        2 to 4. Player 0 begins.
    seed, number : int
        Chance in the game is a pure function of both: it is game `number` of the batch `seed`, the same that
        `sprawlsim simulate` plays.
    cards : CardSet, Cards, str or Path, optional
        The stand-in set when left out.
    final : str, optional
        The Final Mission, or enough of its name; a random one when left out.
    rules : RulesOptions, optional

    Raises
    ------
    SprawlsimError
        If the number of players or a name makes no sense.

    Notes
    -----
    Dice are played by the rule of thumb `balanced` for the objective of the player's ``orders``.

    Examples
    --------
    >>> game = Game(players=2, seed=1)
    >>> game.player
    0
    >>> placing = game.legal_actions()[0]
    >>> placing.kind
    'PLACE'
    >>> before = game.clone()
    >>> game.apply(placing)
    >>> game == before
    False
    """

    def __init__(
        self,
        players: int = 4,
        seed: int = 0,
        *,
        number: int = 0,
        cards: CardSet | Cards | str | Path | None = None,
        final: str | None = None,
        rules: RulesOptions | None = None,
    ) -> None:
        players, seed, number = whole("players", players), whole("seed", seed), whole("number", number)
        if not 2 <= players <= MAX_PLAYERS:
            raise SprawlsimError(f"a game has 2 to {MAX_PLAYERS} players, not {players}")
        if not 0 <= number < MOST_GAMES:
            raise SprawlsimError(f"a game's number is between 0 and {MOST_GAMES - 1}, not {number}")
        self.card_set = as_card_set(cards)
        self.cards: Record = make_tables(self.card_set, rules)
        self.names: Names = make_names(self.card_set)
        self._desk = new_desk(self.cards)
        self._games = new_games(1)
        chosen = EMPTY
        if final is not None:
            chosen = self.names.finals.index(find_card(self.card_set, final, "final_missions").name)
        with np.errstate(over="ignore"):  # random words wrap round; without compilation numpy would tell
            key = game_key(seed, number)
            set_up_game(self.state, self.cards, players, chosen, key, np.zeros(1, dtype=ABSENT)[0])

    @property
    def state(self) -> Record:
        """The record (`GAME`) where the game stands; compiled code reads and changes it."""
        return self._games[0]

    @property
    def orders(self) -> npt.NDArray[Any]:
        """How each player's runners play their dice (records of `ORDERS`)."""
        orders: npt.NDArray[Any] = self._desk.pad.orders
        return orders

    @property
    def book(self) -> Record:
        """What happened so far, counted (record of `BOOK`)."""
        return self._desk.book

    @property
    def player(self) -> int:
        """Who decides now, counted from 0."""
        return int(self.state.player)

    @property
    def round(self) -> int:
        """The round, counted from 1."""
        return int(self.state.round_number)

    @property
    def phase(self) -> str:
        """The phase of the round, as the rulebook calls it; ``over`` at the end."""
        return PHASES[self.state.phase]

    @property
    def is_over(self) -> bool:
        """Whether somebody has won."""
        return bool(self.state.step == OVER)

    @property
    def winner(self) -> int | None:
        """Who has won, counted from 0; None as long as nobody has."""
        return None if self.state.winner == NOBODY else int(self.state.winner)

    def legal_actions(self) -> list[Action]:
        """List what the player whose decision it is may do; nothing when the game is over."""
        out = np.zeros(MOST_ACTIONS, dtype=np.int64)
        count = legal_actions(self.state, self.cards, out)
        return [self._action(int(number)) for number in out[:count]]

    def _action(self, number: int) -> Action:
        arguments = tuple(int(argument(number, k)) for k in range(3))
        text = describe_action(self.state, self.cards, self.names, number)
        return Action(number, KINDS[kind_of_action(number)], arguments, text)  # type: ignore[arg-type]

    def apply(self, action: Action | int) -> None:
        """Carry out a legal action, with all that follows until the next decision.

        Raises
        ------
        SprawlsimError
            If it is not legal now; nothing is changed then.
        """
        number = action.number if isinstance(action, Action) else whole("an action", action)
        legal = self.legal_actions()
        if number not in [one.number for one in legal]:
            told = str(action)
            allowed = ", ".join(map(str, legal)) or "none, the game is over"
            raise SprawlsimError(f"{told!r} is not legal now; legal actions: {allowed}")
        with np.errstate(over="ignore"):
            apply(self.state, number, self._desk)

    def clone(self, seed: int | None = None) -> Game:
        """Copy the game.

        Parameters
        ----------
        seed : int, optional
            Gives the copy another future: all dice and cards that are not known yet fall anew.
        """
        copy = object.__new__(Game)
        copy.card_set, copy.cards, copy.names = self.card_set, self.cards, self.names
        copy._desk = new_desk(self.cards)
        copy.orders[:] = self.orders
        for name in BOOK.names or ():
            copy.book[name] = self.book[name]
        copy._games = self._games.copy()
        if seed is not None:
            copy.state.key = game_key(seed, 0)
        return copy

    __copy__ = clone

    def __eq__(self, other: object) -> bool:
        """Compare where two games stand."""
        if not isinstance(other, Game):
            return NotImplemented
        return self._games.tobytes() == other._games.tobytes() and self.card_set == other.card_set

    def __hash__(self) -> int:
        """Hash where the game stands now; it changes when the game goes on."""
        return hash(self._games.tobytes())

    def __str__(self) -> str:
        """Draw the table."""
        return describe_game(self.state, self.cards, self.names)

    __repr__ = __str__
