"""A whole game of a batch, played again and told in words that a player can follow."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import (
    A_MISSION,
    A_TASK,
    AT_HOME,
    BODYGUARD_WORK,
    CHOOSING_MISSION,
    EMPTY,
    HEALING,
    MISSION_DECK,
    NOBODY,
    OVER,
    PLACE_RUNNERS,
    PLACING,
    SLOTS,
    Record,
)
from sprawlsim.sprawlops.game.batch import ROW, begin_game, finish_game, new_tally
from sprawlsim.sprawlops.game.crew import remove_runner
from sprawlsim.sprawlops.game.decks import discard_card
from sprawlsim.sprawlops.game.functions import offer
from sprawlsim.sprawlops.game.legal import (
    DISCARD,
    EQUIP,
    HEAL,
    PASS,
    ROLL,
    SET_COMMLINK,
    argument,
    kind_of_action,
)
from sprawlsim.sprawlops.game.play import MOST_GAMES, new_desk
from sprawlsim.sprawlops.game.rounds import stop_healing
from sprawlsim.sprawlops.game.story_dice import Line, TrialTeller
from sprawlsim.sprawlops.game.story_rounds import tell_round, tell_setup, tell_transition
from sprawlsim.sprawlops.game.story_teams import tell_end, tell_team
from sprawlsim.sprawlops.game.story_turns import Told, tell_action
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.game.strategies.weights import BY_FUNCTION
from sprawlsim.sprawlops.game.trial_replay import replay_trial
from sprawlsim.sprawlops.game.trials import (
    BODYGUARD_TASK,
    DATASTEAL_TASK,
    begin_choosing,
    begin_trial,
    finish_trial,
    heal_runner,
    join,
    roll,
)
from sprawlsim.sprawlops.game.words import counted, trial_name
from sprawlsim.sprawlops.mission.plays import TABLE

if TYPE_CHECKING:
    from sprawlsim.sprawlops.game.simulate import Batch

WIDTH = 100
"""Columns of a line."""


class Story(NamedTuple):
    """A game in words.

    Attributes
    ----------
    setup : list of str
        Lines.
    rounds : list of lists of str
        Those of each round.
    ending : list of str
    row : record of `ROW`
        What a simulation records of this game.
    """

    setup: list[str]
    rounds: list[list[str]]
    ending: list[str]
    row: Record

    def text(self, number: int | None = None) -> str:
        """Write the game, or one round of it (counted from 1).

        Raises
        ------
        SprawlsimError
            If the game has no such round.
        """
        if number is None:
            return "\n".join([*self.setup, *(line for part in self.rounds for line in part), *self.ending])
        if not 1 <= number <= len(self.rounds):
            raise SprawlsimError(
                f"this game has {counted(len(self.rounds), 'round')}; there is no round {number}"
            )
        return "\n".join(self.rounds[number - 1]).strip("\n")


def tell_game(batch: Batch, number: int = 0) -> Story:
    """Play a game of a batch again, with the same decisions and dice, and tell it.

    Parameters
    ----------
    batch : Batch
    number : int
        Which game, counted from 0.

    Raises
    ------
    SprawlsimError
        If the number is below 0.
    RuntimeError
        If what is told is not what the simulation plays.
    """
    if not 0 <= number < MOST_GAMES:
        raise SprawlsimError(f"games are counted from 0 to {MOST_GAMES - 1}; there is no game {number}")
    return _Teller(batch, number).tell()


class _Teller:
    """Plays a game and tells it action by action."""

    def __init__(self, batch: Batch, number: int) -> None:
        self._batch, self._number = batch, number
        self._thread = batch.thread()
        self._lineup = begin_game(batch.plan, self._thread, number)
        self._game: Record = self._thread.table[0]
        self._desk = new_desk(batch.cards)  # for what is played a second time
        self._desk.pad.orders[:] = self._thread.desk.pad.orders
        self._told = Told(batch.cards, batch.names, [one.name for one in batch.seats(number)])
        self._clauses: list[str] = []
        self._nuyen = 0

    def tell(self) -> Story:
        """Play the game to its end."""
        game, batch = self._game, self._batch
        setup = _wrap(tell_setup(self._told, game, f"Game {self._number} of seed {batch.seed}"))
        rounds: list[list[str]] = []
        while game.step != OVER and game.round_number <= batch.round_limit:
            now = int(game.round_number)
            lines = tell_round(self._told, game)
            while game.step != OVER and game.round_number == now:
                lines += self._act()
            rounds.append(_wrap(lines))
        end = f"Stopped after {counted(batch.round_limit, 'round')}: nobody has completed the Final Mission."
        if game.winner != NOBODY:
            end = f"{self._told.who(int(game.winner))} wins in round {game.round_number}."
        rows = np.zeros(1, dtype=ROW)
        finish_game(batch.plan, self._thread, self._lineup, self._number, new_tally()[0], rows, 0)
        return Story(setup, rounds, _wrap([(0, ""), (0, end)]), rows[0])

    def _choose(self) -> int:
        """Choose as the game's strategies do."""
        game, mind = self._game, self._thread.mind
        if mind.own.weights[game.player].chooser != BY_FUNCTION:
            return int(choose_action(game, mind))
        actions = np.array(mind.own.actions[: int(offer(self._thread))])
        choose = self._batch.functions[int(self._lineup[game.player])]
        return int(actions[int(choose(game, actions))])

    def _act(self) -> list[Line]:
        """Play one action; tell it once it makes a sentence, and what follows from it."""
        game = self._game
        action = self._choose()
        before = game.copy()
        if not self._clauses:
            self._nuyen = int(game.nuyen[game.player])
        apply(game, action, self._thread.desk)
        if kind_of_action(action) == ROLL:
            lines, done = self._roll(before)
        else:
            done = self._follow(before, action)
            self._clauses += filter(None, [tell_action(self._told, before, done, action)])
            lines = [] if self._goes_on(before, action) else self._flush(before, done)
        if list(done.nuyen) != list(game.nuyen) or (done.loot != game.loot).any():
            raise RuntimeError(f"game {self._number} was told otherwise than it is played")
        return lines + tell_transition(self._told, done, game)

    def _goes_on(self, before: Record, action: int) -> bool:
        """Say whether the player's turn, or choice of runners, goes on after this action."""
        game = self._game
        if kind_of_action(action) in {EQUIP, SET_COMMLINK}:
            return True
        if before.phase == PLACE_RUNNERS:
            return bool(game.phase == PLACE_RUNNERS and game.step != PLACING)
        return bool(kind_of_action(action) not in {PASS, HEAL, DISCARD})

    def _flush(self, before: Record, done: Record) -> list[Line]:
        """Make a sentence of what the player did."""
        if not self._clauses:
            return []
        player = int(before.player)
        left = int(done.nuyen[player])
        if left != self._nuyen:
            self._clauses.append(f"{left}K left" if left < self._nuyen else f"{left}K now")
        line = f"{self._told.who(player)} {'; '.join(self._clauses)}."
        self._clauses = []
        self._nuyen = left
        return [(2, line)]

    def _follow(self, before: Record, action: int) -> Record:
        """Give the game after an action that rolls no dice, when nothing has followed from it yet."""
        game, kind = self._game, kind_of_action(action)
        if (
            game.phase == before.phase
            and game.round_number == before.round_number
            and kind not in {PASS, HEAL, DISCARD}
        ):
            return game.copy()
        done = before.copy()
        player, what = int(before.player), int(argument(action, 0))
        if before.phase == PLACE_RUNNERS:
            self._apply_alone(done, action)
        elif kind == HEAL:
            heal_runner(done, player, what)
        elif kind == DISCARD:
            remove_runner(done, self._told.cards, player, what)
        elif before.step == HEALING:
            stop_healing(done, player)
        elif before.step == CHOOSING_MISSION:
            done.turn += 1
        elif before.trial == A_MISSION:
            discard_card(done, MISSION_DECK, int(before.mission))
        return done

    def _apply_alone(self, game: Record, action: int) -> None:
        """Carry out the last action of Place Runners, but do not let the phase end: lift a rival's pawn."""
        others = [p for p in range(game.players) if p != game.player]
        p, slot = next((p, s) for p in others for s in range(SLOTS) if game.card[p, s] != EMPTY)
        place, player = int(game.place[p, slot]), int(game.player)
        game.place[p, slot] = AT_HOME
        apply(game, action, self._desk)
        game.place[p, slot] = place
        game.player = player

    def _roll(self, before: Record) -> tuple[list[Line], Record]:
        """Tell dice that have been rolled; give the game when nothing has followed from them yet."""
        chosen = before.copy()
        player = int(before.player)
        is_task = before.phase == PLACE_RUNNERS
        lines = self._flush(before, before)
        if is_task:
            task = BODYGUARD_TASK if before.place[player, before.slot] == BODYGUARD_WORK else DATASTEAL_TASK
            begin_choosing(chosen, A_TASK, task, 0)
            join(chosen, player, int(before.slot))
        replay = replay_trial(chosen.copy(), self._desk)
        goes, *more = tell_team(self._told, chosen, replay.scene)
        if is_task:
            lines.append((2, f"{goes} tries the Task {self._told.names.tasks[task]}."))
        else:
            what = f"{trial_name(chosen, self._told.names)} ({_size(replay.scene)})"
            lines.append((2, f"{self._told.who(player)} attempts {what} with {goes}."))
        lines += [(3, line) for line in more]
        teller = TrialTeller(self._told, chosen, replay)
        lines += [(3 + level, line) for level, line in teller.lines()]
        self._check(len(replay.drawn), teller.nuyen, replay.end)
        done = before.copy()
        begin_trial(done, self._desk)
        finish_trial(done, self._desk, roll(done, self._desk))
        lines.append((3, tell_end(self._told, chosen, done)))
        self._nuyen = int(done.nuyen[player])
        return lines, done

    def _check(self, loot: int, nuyen: int, end: Record) -> None:
        """Compare dice rolled a second time with the game's own."""
        desk = self._thread.desk
        book, st = desk.book, desk.tools.work.at[TABLE]
        told = (int(end.cleared), int(end.completed), nuyen, loot)
        played = (int(book.cleared), int(book.completed), int(book.nuyen), int(book.loot))
        if told != played or end.tobytes() != st.tobytes():
            raise RuntimeError(
                f"game {self._number}, round {self._game.round_number}: the dice came out as {told} "
                f"(Stages, completed, nuyen, Loot), but the game recorded {played}"
            )


def _size(scene: Record) -> str:
    """Tell how long a Mission is, and what completing it pays."""
    pays = f", {scene.payout}K" if scene.payout else ""
    return f"{counted(int(scene.n_stages), 'Stage')}{pays}"


def _wrap(lines: Iterable[Line]) -> list[str]:
    """Indent lines, and break those that are too long."""
    out = []
    for level, line in lines:
        start = "  " * level
        more = len(line) - len(line.lstrip())
        out += textwrap.wrap(
            line,
            WIDTH,
            initial_indent=start,
            subsequent_indent=start + " " * more + "    ",
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return out
