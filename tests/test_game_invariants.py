"""Whole games of random players: what must hold does, after every action, and nothing rare is left out."""

import game_invariants as gi
import numpy as np
import pytest
from game_invariants import EVENTS, FINE, WRONG

from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.game.arrays import MAX_PLAYERS, OVER, new_games
from sprawlsim.sprawlops.game.legal import KINDS, MOST_ACTIONS
from sprawlsim.sprawlops.game.play import game_key, new_desk
from sprawlsim.sprawlops.game.tables import make_names, make_tables
from sprawlsim.sprawlops.game.words import describe_action
from sprawlsim.sprawlops.mission.policies import POLICIES

GAMES = 10_000
ROUNDS = 12
ACTIONS = 700
"""Of one game at most."""
FEW = 3
FEW_ACTIONS = 60
SEED = 20
MOST_CARDS = 100
"""Room for counting the cards of a kind."""

CARDS = load_card_set()
TABLES = make_tables(CARDS)
NAMES = make_names(CARDS)

EVEN = dict.fromkeys(KINDS, 1)
EAGER = EVEN | {
    "PLACE": 6,
    "ROLL": 8,
    "JOIN": 20,
    "HIRE": 20,
    "BUY_UPGRADE": 20,
    "BUY_GEAR": 20,
    "ATTEMPT": 20,
}
BUSY = EAGER | {"ATTEMPT": 20, "HIRE_STARTER": 40, "HEAL": 20, "USE_PERK": 20, "REFILL": 20, "SEE_LOOT": 20}
RECKLESS = EAGER | {"ATTEMPT": 20, "ROLL": 10, "JOIN": 90, "PLACE": 20}
LOSING = RECKLESS | {"EQUIP": 30, "HIRE": 0, "HIRE_STARTER": 0, "HEAL": 0}
TEMPERS = (
    ({}, ()),  # any legal action as likely as any other
    (EVEN, range(11)),
    (EAGER, (gi.MR_JOHNSON, gi.HANNIBELLES_HOST, gi.CRIME_MALL, gi.MAXS_IRONWORKS, gi.FINAL_MISSION)),
    (BUSY, (gi.DANTES_INFERNO, gi.DOCWAGON, gi.EYE_OF_THE_NEEDLE, gi.MR_JOHNSON, gi.DEGEARS_LAIR)),
    (RECKLESS, (gi.FINAL_MISSION, gi.MR_JOHNSON, gi.DANTES_INFERNO, gi.HANNIBELLES_HOST)),
    (LOSING, (gi.FINAL_MISSION, gi.CRIME_MALL, gi.MR_JOHNSON)),
)
"""How often a random player turns to each kind of action, and where it likes to place runners."""
NUYEN = (20, 20, 60, 1000)
"""What players start with: the rules' 20K, and more, to see everything bought."""
WEIGHTS = np.array([[kinds.get(kind, 0) for kind in KINDS] for kinds, _ in TEMPERS])
LIKED = np.array([sum(1 << location for location in liked) for _, liked in TEMPERS])


def give_orders(orders, g):
    """Give every player of game `g` a policy and an objective, other ones in other games."""
    orders["weights"] = 0.0
    orders["weights"][:, :, 0] = 1.0
    for p in range(MAX_PLAYERS):
        orders["policy"][p] = list(POLICIES.values())[(g + p) % len(POLICIES)]
        if (g + p) % 2:
            orders["weights"][p, :, :5] = (1.0, 0.2, 0.5, -0.3, -1.0)


def temper_of(g):
    """Give the temper of the random players of game `g`."""
    return g // 3 % len(TEMPERS)


def start_of(g):
    """Give what game `g` starts from: players, key, nuyen, the random player's first number."""
    nuyen = NUYEN[g // (3 * len(TEMPERS)) % len(NUYEN)]
    return 2 + g % 3, game_key(SEED, g), nuyen, 12_345 + 7_919 * g


class Games:
    """Random games, checked; what came of them."""

    def __init__(self, count, actions):
        self.games = new_games(4)
        self.words = self.games.view(np.uint64).reshape(len(self.games), -1)
        self.kinds = np.zeros(len(KINDS), dtype=np.int64)
        self.steps = np.zeros(OVER + 1, dtype=np.int64)
        self.events = np.zeros(len(EVENTS), dtype=np.int64)
        self.actions = 0
        self.complaint = ""
        room = [np.zeros(n, dtype=np.int64) for n in (MOST_ACTIONS, MOST_CARDS, len(KINDS), 3, 4, actions)]
        log = np.zeros(actions, dtype=np.int64)
        desk, other_desk = new_desk(TABLES), new_desk(TABLES)
        for g in range(count):
            give_orders(desk.pad.orders, g)
            give_orders(other_desk.pad.orders, g)
            start, temper = start_of(g), temper_of(g)
            with np.errstate(over="ignore"):  # words wrap around, which numpy reports without the compiler
                n, wrong = gi.play_game(
                    self.games,
                    self.words,
                    desk,
                    start,
                    (WEIGHTS[temper], LIKED[temper]),
                    ROUNDS,
                    log,
                    (self.kinds, self.steps, self.events),
                    tuple(room),
                )
                if wrong == FINE and not gi.replay(self.games, self.words, other_desk, start, log, n):
                    wrong = gi.REPLAY
                self.actions += n
                if wrong != FINE:
                    self.complaint = self._tell(g, log[:n], other_desk, wrong)
                    return

    def _tell(self, g, log, desk, wrong):
        """Say what went wrong where, in words."""
        players, _, nuyen, _ = start_of(g)
        gi.replay(self.games, self.words, desk, start_of(g), log, max(0, len(log) - 1))
        state = self.games[gi.COPY]
        last = describe_action(state, TABLES, NAMES, int(log[-1])) if len(log) else "setup"
        return (
            f"game {g} ({players} players, {nuyen}K, temper {temper_of(g)}), round {state.round_number}, "
            f"after action {len(log) - 1} ({last}) of player {state.player}: {WRONG[wrong]}"
        )


@pytest.fixture(scope="module")
def played():
    return Games(GAMES, ACTIONS)


def test_the_rules_hold_after_every_action_of_random_games(played):
    assert played.complaint == ""
    assert played.actions > 200 * GAMES


def test_every_kind_of_action_was_taken_and_every_step_reached(played):
    assert dict(zip(KINDS, played.kinds > 0, strict=True)) == dict.fromkeys(KINDS, True)
    assert played.steps[gi.PLACING : OVER + 1].min() > 0


def test_nothing_rare_was_left_out(played):
    assert [name for name, count in zip(EVENTS, played.events, strict=True) if count == 0] == []


@pytest.mark.nojit
def test_the_rules_hold_in_a_few_games():
    few = Games(FEW, FEW_ACTIONS)
    assert few.complaint == ""
    assert few.actions > 0
