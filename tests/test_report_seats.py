"""The study of seats and length: made-up games counted by hand, real ones against the batch's own counts."""

import numpy as np
import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.render import to_text
from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.game.batch import Trace
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.seat_section import seat_section
from sprawlsim.sprawlops.reports.seats import FIELD, report_of_traces, study_seats
from sprawlsim.sprawlops.reports.study import Origin, Study

ORIGIN = Origin("made-up", 1, "600 games")
COPIES = 100


def made_up():
    """Trace six games of two players, three rounds written down, each a hundred times.

    0: seat 0 wins in round 1. 1 and 2: seat 0 has more dice and less nuyen from round 2 on and wins in
    round 3. 3: the same, and seat 1 wins in round 2. 4: all alike, and seat 1 wins in round 3, having taken
    the token in round 2 and kept it. 5: stopped after round 3.
    """
    first = [[0, -1, -1], [0, 1, 0], [0, 1, 0], [0, 1, -1], [0, 1, 1], [0, 1, 0]]
    rounds = [1, 3, 3, 2, 3, 3]
    dice = np.full((6, 3, 2), 5)
    nuyen = np.full((6, 3, 2), 20)
    dice[1:4, 1:, 0], nuyen[1:4, 1:, 0] = 9, 3
    for number, last in enumerate(rounds):
        dice[number, last:] = nuyen[number, last:] = -1
    winner = [0, 0, 0, 1, 1, -1]
    arrays = (np.array(array, dtype=np.int32) for array in (first, dice, nuyen, winner, rounds))
    return Trace(*(np.repeat(array, COPIES, axis=0) for array in arrays))


@pytest.fixture(scope="module")
def hand():
    return report_of_traces([("made up against itself", 2, made_up())], "made up", ORIGIN)


def shares(frame, *labels):
    """Give wins and games by labels."""
    return {
        tuple(row[label] for label in labels): (row["wins"] // COPIES, row["games"] // COPIES)
        for row in frame.to_dict("records")
    }


def test_wins_by_seat_are_of_games_that_somebody_won(hand):
    assert shares(hand.seats, "seat") == {(1,): (3, 5), (2,): (2, 5)}
    assert hand.seats["win_rate"].tolist() == [0.6, 0.4]
    assert hand.seats["resolved"].all()  # 300 of 500


def test_wins_by_turn_go_by_the_token_of_the_last_round(hand):
    # Games 0, 1, 2: who has it wins. 3: seat 1 has it and wins. 4: seat 1 has it and wins.
    assert shares(hand.turns, "turn") == {(1,): (5, 5), (2,): (0, 5)}


def test_wins_by_rounds_with_the_token(hand):
    # Seats' rounds with it, winner first: 1/0, 2/1, 2/1, seat 1 has 1 of 1/1, seat 1 has 2 of 1/2.
    assert shares(hand.tokens, "rounds_first") == {(0,): (0, 1), (1,): (2, 6), (2,): (3, 3)}


def test_lengths_are_shares_of_all_games(hand):
    assert shares(hand.lengths.assign(wins=0), "round") == {(1,): (0, 1), (2,): (0, 1), (3,): (0, 3)}
    assert hand.lengths["share"].tolist() == pytest.approx([1 / 6, 1 / 6, 3 / 6])
    summary = hand.length.iloc[0]
    assert summary["rounds"] == pytest.approx((1 + 2 + 3 * 3) / 5)
    assert summary["stopped"] == pytest.approx(1 / 6)
    assert (summary["low_tenth"], summary["high_tenth"]) == (1, 3)


def test_leads_count_who_alone_is_ahead_in_games_that_go_on(hand):
    # Round 2: seat 0 leads in dice in games 1, 2, 3 and wins two. Round 3: in games 1 and 2, both won.
    assert shares(hand.leads, "what", "round") == {
        ("most dice", 2): (2, 3),
        ("most dice", 3): (2, 2),
        ("fewest dice", 2): (1, 3),
        ("fewest dice", 3): (0, 2),
        ("most nuyen", 2): (1, 3),
        ("most nuyen", 3): (0, 2),
        ("fewest nuyen", 2): (2, 3),
        ("fewest nuyen", 3): (2, 2),
    }


@pytest.fixture(scope="module")
def report():
    return study_seats(Study(load_card_set(), 7, 600), players=(2, 4))


def test_seats_and_lengths_are_what_the_batches_count(report):
    for table, names in (("champion against itself", ["champion"]), (FIELD, None)):
        tally = Batch(names, seed=7).run(600).tally
        mine = report.seats[(report.seats["table"] == table) & (report.seats["players"] == 4)]
        assert mine["wins"].tolist() == tally.wins.sum(axis=0).tolist()
        lengths = report.lengths[(report.lengths["table"] == table) & (report.lengths["players"] == 4)]
        for number, games in zip(lengths["round"], lengths["games"], strict=True):
            assert games == tally.rounds[number]
        assert lengths["games"].sum() == tally.rounds.sum()


def test_shares_of_a_table_sum_to_one(report):
    for frame in (report.seats, report.turns):
        assert frame.groupby(["table", "players"])["win_rate"].sum().to_numpy() == pytest.approx(1.0)


def test_a_lead_in_dice_is_resolved_and_told_and_even_seats_are_not_claimed(report):
    section = seat_section(report)
    leads = report.leads[(report.leads["what"] == "most dice") & (report.leads["round"] == 4)]
    assert leads["resolved"].all()
    assert (leads["win_rate"] > 1 / leads["players"]).all()
    assert any("most dice at the start of round 4 wins" in finding for finding in section.findings)
    two = report.seats[(report.seats["players"] == 2) & (report.seats["table"] != FIELD)]
    told = "With 2 players, no seat is resolved to win more or less than another."
    assert (told in section.findings) == (not two["resolved"].any())


def test_the_section_draws_and_prints(report, hand):
    section = seat_section(report)
    for picture in section.pictures:
        assert picture.draw().axes
        assert "round" in picture.alt
    names = [table.name for table in section.tables]
    assert names == ["seats", "seat-turns", "first-player", "game-length", "leads"]
    assert "champion against itself" in to_text(section)
    assert len(section.tables[-1].frame) < len(report.leads) / 3  # rounds side by side


def test_games_that_nobody_wins_are_refused():
    trace = made_up()
    trace.winner[:] = -1
    with pytest.raises(SprawlsimError, match="nobody won any game"):
        report_of_traces([("made up", 2, trace)], "made up", ORIGIN)
