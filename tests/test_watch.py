"""A game that is told is the game that is simulated, and what is told adds up by the rulebook."""

import re
from collections import Counter
from functools import partial

import numpy as np
import pytest

import sprawlsim.sprawlops.game.story as module
from sprawlsim.cli import simulate as simulate_command
from sprawlsim.cli import watch as command
from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.arrays import NOBODY
from sprawlsim.sprawlops.game.batch import ROW, new_tally, play_games
from sprawlsim.sprawlops.game.play import Game
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.story import WIDTH, tell_game
from sprawlsim.sprawlops.game.strategies.model import load_strategy
from sprawlsim.sprawlops.game.trial_replay import only_way
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.roles import ROLE_LABELS

GAMES = 50
"""Of each table below."""
PLAIN = [
    load_strategy("balanced")._replace(name=policy, policy=policy)
    for policy in POLICIES
    if policy != "balanced"
]
TABLES = {
    "two at random": (["random"], 2),
    "three of a kind each": (["random", "balanced", "docwagon"], 3),
    "four at random": (["random"], 4),
    "four who mean to win": (None, 4),
    "two in haste": (["final-gambler", "gear-rush"], 2),
    "two by other rules of thumb": (PLAIN, 2),
}
LIMIT = 12
LABELS = tuple(ROLE_LABELS.values())


@pytest.fixture(scope="module", params=TABLES)
def told(request):
    """Give a batch, its games as simulated, and the same games told."""
    strategies, players = TABLES[request.param]
    batch = Batch(strategies, players=players, seed=5, round_limit=LIMIT)
    rows = np.zeros(GAMES, dtype=ROW)
    play_games(batch.plan, batch.thread(), 0, GAMES, new_tally()[0], rows)
    return batch, rows, [tell_game(batch, number) for number in range(GAMES)]


def test_games_told_are_the_games_simulated(told):
    _, rows, stories = told
    for row, story in zip(rows, stories, strict=True):
        assert story.row.tobytes() == row.tobytes()
        assert len(story.rounds) == row["rounds"]


def test_the_end_tells_who_won(told):
    batch, rows, stories = told
    for number, (row, story) in enumerate(zip(rows, stories, strict=True)):
        if row["winner"] == NOBODY:
            expected = f"Stopped after {LIMIT} rounds: nobody has completed the Final Mission."
        else:
            name = batch.seats(number)[row["winner"]].name
            expected = f"Player {row['winner'] + 1} ({name}) wins in round {row['rounds']}."
        assert story.ending == ["", expected]


def test_lines_are_short_and_clean(told):
    for story in told[2]:
        for line in story.text().split("\n"):
            assert len(line) <= WIDTH
            assert line == line.rstrip()
            assert "  " not in line.strip()
            assert not re.search(r"\bnan\b|np\.|None|\[\]|\.\.|;\.|: \.|, \.", line)


def count_colours(text):
    """Read "2 Decker, 1 Mage" as counts."""
    return Counter({label: int(n) for n, label in re.findall(rf"(\d+) ({'|'.join(LABELS)})", text)})


def sentences(story):
    """Join broken lines again, with how far each is indented; what is broken is indented by four more."""
    lines = []
    for line in [line for part in story.rounds for line in part]:
        indent = len(line) - len(line.lstrip())
        previous = lines[-1] if lines else [0, ""]
        if indent - previous[0] == 4:  # what belongs to a line is indented by two
            previous[1] += " " + line.strip()
        else:
            lines.append([indent, line.strip()])
    return [text for _, text in lines]


def test_every_roll_adds_up(told):
    """No success does two things, and a Stage is cleared when its last icon falls and not before."""
    rolls = 0
    for story in told[2]:
        lying, injuries, left = Counter(), Counter(), Counter()
        for text in sentences(story):
            if header := re.match(r"(?:Stage \d+ of \d+|The only Stage): ([^(]*)", text):
                left = count_colours(header[1])
            elif text.startswith("Dice: "):
                left = Counter()
            elif text.startswith("Roll "):
                rolls += 1
                lying = Counter({c: faces.count("S") + bool(sure) for c, faces, sure in faces_in(text)})
                injuries = Counter({c: faces.count("I") for c, faces, _ in faces_in(text)})
            elif text.startswith("Rolled again: "):
                for c, faces, _ in faces_in(text):
                    lying[c] -= faces.count("S")
                    injuries[c] -= faces.count("I")
            elif text.startswith("They now show: "):
                for c, faces, _ in faces_in(text):
                    lying[c] += faces.count("S")
                    injuries[c] += faces.count("I")
            elif played := re.match(r"Loot played: .*\(an? (.*) success\)", text):
                lying[played[1]] += 1
            elif text.startswith("Icons defeated by their own colour: "):
                spend(lying, count_colours(text))
                spend(left, count_colours(text))
            elif pairs := re.match(r"Icons defeated by pairs: (.*) \(with (.*)\)", text):
                icons = count_colours(pairs[1])
                colours = re.findall(rf"(\d+) pairs? of ({'|'.join(LABELS)})", pairs[2])
                assert icons.total() == sum(int(n) for n, _ in colours)
                spend(lying, Counter({c: 2 * int(n) for n, c in colours}))
                spend(left, icons)
            elif text.startswith("Icons left: "):
                assert +left == +count_colours(text)
            elif cancelled := re.match(r"Injuries cancelled: (.*) \(with (.*)\)", text):
                used = count_colours(cancelled[2])
                spend(lying, used)
                if not cancelled[1].isdigit():
                    assert count_colours(cancelled[1]).total() == used.total()
                    spend(injuries, count_colours(cancelled[1]))
            elif text.startswith("Injuries without effect: "):
                spend(injuries, count_colours(text))
            elif takes := re.match(r".* takes ([^:]*) injur(?:y|ies): ", text):
                spend(injuries, count_colours(takes[1]))
            elif re.match(r"(Stage \d+|The [A-Z][\w ]+?) is (cleared|completed)", text):
                assert not +left
            elif "is not cleared" in text:
                assert +left
    assert rolls > GAMES


def spend(counts, used):
    """Take away no more than there is."""
    for colour, n in used.items():
        assert counts[colour] >= n
        counts[colour] -= n


def faces_in(text):
    """Read "Decker SI- and a sure S, Mage --"."""
    return re.findall(rf"({'|'.join(LABELS)}) ([SI-]+)( and a sure S)?", text)


def test_money_told_is_money_held(told):
    """What a player has after a turn or a Mission is what the next round begins with."""
    for story in told[2]:
        for now, then in zip(story.rounds, story.rounds[1:], strict=False):
            held = dict(re.findall(r"^  (Player \d) \([^)]*\): (\d+)K", "\n".join(now), re.MULTILINE))
            for text in sentences(module.Story([], [now], [], None)):
                if turn := re.match(r"(Player \d) .* (\d+)K (?:left|now)\.$", text):
                    held[turn[1]] = turn[2]
                elif mission := re.match(r".*; (Player \d) has (\d+)K\.$", text):
                    held[mission[1]] = mission[2]
            next_round = dict(re.findall(r"^  (Player \d) \([^)]*\): (\d+)K", "\n".join(then), re.MULTILINE))
            assert held == next_round


def test_functions_are_told_as_well():
    """A function's game, step by step through `Game`, comes out as it is told."""

    def choose(game, actions):
        return int(game.decisions * 7 % len(actions))

    batch = Batch([choose], players=2, seed=3, round_limit=4)
    for number in range(3):
        row = tell_game(batch, number).row
        game = Game(players=2, seed=3, number=number)
        game.orders[:2] = batch.plan.orders[0]
        while not game.is_over and game.round <= 4:
            actions = game.legal_actions()
            game.apply(actions[choose(game.state, actions)])
        assert list(row["nuyen"]) == list(game.state.nuyen)
        assert row["visits"].tolist() == game.book.visits.tolist()


def test_a_story_that_differs_from_the_game_is_refused(monkeypatch):
    played = module.replay_trial

    def replay_others(game, desk):
        game.key += np.uint64(1)
        return played(game, desk)

    monkeypatch.setattr(module, "replay_trial", replay_others)
    batch = Batch(["mission-grinder"], players=2, seed=1, round_limit=4)
    with pytest.raises(RuntimeError, match="game 0, round"):
        tell_game(batch, 0)


def test_one_round():
    story = tell_game(Batch(["random"], players=2, seed=1, round_limit=4), 0)
    assert story.text(3).startswith("ROUND 3\n")
    assert story.text(3).count("ROUND") == 1
    assert story.text(3) in story.text()
    with pytest.raises(SprawlsimError, match="this game has 4 rounds; there is no round 5"):
        story.text(5)


def test_no_game_below_0():
    with pytest.raises(SprawlsimError, match="counted from 0"):
        tell_game(Batch(["random"], players=2), -1)


def test_only_way():
    every = [[True, True], [True, True]]
    assert only_way([1, 0], [1, 0], every) == [[1, 0], [0, 0]]
    assert only_way([1, 1], [1, 1], every) is None  # either way round
    assert only_way([1, 1], [1, 1], [[True, False], [True, True]]) == [[1, 0], [0, 1]]
    assert only_way([2, 0], [1, 0], every) is None  # no way


@pytest.fixture
def run(run):
    """Run ``sprawlsim watch``."""
    return partial(run, "watch")


def test_command_tells_the_game(run):
    code, out, err = run("--players", "2", "--strategies", "random", "--round-limit", "3", "--seed", "4")
    assert (code, err) == (0, "")
    batch = Batch(["random"], players=2, seed=4, round_limit=3)
    assert out == tell_game(batch, 0).text() + "\n"


def test_command_tells_one_round(run):
    options = ("--players", "3", "--strategies", "random", "--round-limit", "3", "--game", "2")
    _, whole, _ = run(*options)
    code, out, err = run(*options, "--round", "2")
    assert (code, err) == (0, "")
    assert out.startswith("ROUND 2\n")
    assert out.count("ROUND") == 1
    assert out in whole


def test_command_seats_as_listed(run):
    options = ("--players", "2", "--strategies", "random,balanced", "--round-limit", "1", "--game", "1")
    assert "Player 1 plays balanced." in run(*options)[1]
    assert "Player 1 plays random." in run(*options, "--no-rotate-seats")[1]


def test_command_with_other_cards(run):
    options = ("--players", "2", "--strategies", "random", "--round-limit", "1", "--round", "1")
    code, out, err = run(*options, "--set", "Dermal Plating.cost=3", "--final", "vault")
    assert (code, err) == (0, "")
    assert "Dermal Plating (3K)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--game", "-1"], "error: --game -1: games are counted from 0\n"),
        (["--round", "0"], "error: --round 0: rounds are counted from 1\n"),
        (
            ["--players", "2", "--strategies", "random", "--round-limit", "2", "--round", "9"],
            "error: this game has 2 rounds; there is no round 9\n",
        ),
        (["--strategies", "gear-rush,"], "error: --strategies 'gear-rush,': a name is missing"),
        (["--strategies", "gear-rash"], "error: "),
        (["--players", "5"], "error: "),
        (["--final", "nowhere"], "error: --final: the Final Missions are Grand Tower Raid, "),
        (["--final", ""], "error: --final: the Final Missions are Grand Tower Raid, "),
    ],
)
def test_errors_are_one_sentence(run, options, message):
    code, out, err = run(*options)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_defaults_are_those_of_simulate():
    import inspect

    watch = inspect.signature(command.show_game).parameters
    simulate = inspect.signature(simulate_command.show_simulation).parameters
    shared = set(watch) & set(simulate)
    assert shared >= {
        "players",
        "strategies",
        "seed",
        "rotate_seats",
        "round_limit",
        "final",
        "cards",
        "changes",
    }
    assert all(watch[name].default == simulate[name].default for name in shared)


def test_help_names_every_option(run):
    code, out, _ = run("--help")
    assert code == 0
    for option in ("--game", "--round", "--seed", "--players", "--strategies", "--rotate-seats", "--quiet"):
        assert option in out
    assert "sprawlsim watch --seed 7 --game 123 --round 3" in out
