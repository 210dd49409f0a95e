"""What experiments measure of the game, against batches and simulations played whole."""

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from coins import contents

from sprawlsim.errors import SprawlsimError
from sprawlsim.experiments.cells import find_measure, make_cells
from sprawlsim.experiments.estimates import check_figures, is_reported
from sprawlsim.experiments.run import Means, run_experiment
from sprawlsim.experiments.show import load_results
from sprawlsim.experiments.spec import read_spec, spec_from_dict
from sprawlsim.sprawlops.api import load_cards, mission_odds
from sprawlsim.sprawlops.cards import write_card_set
from sprawlsim.sprawlops.game.arrays import LOCATIONS
from sprawlsim.sprawlops.game.batch import ROW
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import load_strategy
from sprawlsim.sprawlops.measures import MEASURES
from sprawlsim.sprawlops.measures.settings import SOURCES

ROOT = Path(__file__).parent.parent
SHIPPED = sorted((ROOT / "experiments").glob("*.toml"))
LOOT = [card.name for card in load_cards().card_set.loot]
FIELD = ["champion", "balanced", "gear-rush"]


def games(**settings):
    """Prepare whole games."""
    return MEASURES["games"].prepare(settings, ROOT)


def figures_of(measure, prepared, columns):
    """Read the figures of some rows by name."""
    about = json.loads(json.dumps(measure.about(prepared)))
    found = measure.figures(about, columns)
    assert [figure.name for figure in found] == measure.figure_names(about)
    return {figure.name: figure for figure in found}


def spec_of(measure, count, chunk, **more):
    """Make an experiment."""
    data = {"title": "T", "question": "?", "measure": measure, "stop": {"count": count, "chunk": chunk}}
    return spec_from_dict({**data, **more}, "t.toml", "t")


def test_rows_of_games_do_not_depend_on_chunks():
    measure, prepared = MEASURES["games"], games(strategies=FIELD, players=3)
    whole = measure.run_chunk(prepared, 5, 0, 24)
    parts = [measure.run_chunk(prepared, 5, first, 8) for first in (0, 8, 16)]
    for name, column in whole.items():
        np.testing.assert_array_equal(column, np.concatenate([part[name] for part in parts]))
    np.testing.assert_array_equal(whole["game"], np.arange(24))


def test_rows_of_a_range_are_those_of_the_whole_batch(tmp_path):
    batch = Batch(FIELD, players=3, seed=5)
    assert batch.rows(0, 30)[10:20].tobytes() == batch.rows(10, 10).tobytes()
    assert batch.rows(3, 1).dtype == ROW
    np.testing.assert_array_equal(batch.rows(0, 30)["winner"] >= 0, batch.winners(30) >= 0)


def test_figures_of_games_are_the_counts_of_a_batch():
    """Wins by strategy and seat, rounds, Missions and harm, summed from rows and by the batch's own tally."""
    n = 60
    measure, prepared = MEASURES["games"], games(strategies=FIELD, players=2)
    figures = figures_of(measure, prepared, measure.run_chunk(prepared, 9, 0, n))
    results = Batch(FIELD, players=2, seed=9).run(n)
    tally = results.tally
    for entrant, name in enumerate(FIELD):
        wins = figures[f"wins of {name}"]
        assert (wins.totals.sum(), wins.trials.sum()) == (
            tally.wins[entrant].sum(),
            tally.games[entrant].sum(),
        )
    for seat in range(2):
        assert figures[f"wins of seat {seat + 1}"].totals.sum() == tally.wins[:, seat].sum()
    lead = figures["first seat less last"]
    assert lead.totals.sum() == tally.wins[:, 0].sum() - tally.wins[:, 1].sum()
    rounds = figures["rounds to win"]
    assert rounds.totals.sum() == np.dot(tally.rounds, np.arange(len(tally.rounds)))
    assert rounds.trials.sum() == n - tally.stopped
    assert figures["stopped"].totals.sum() == tally.stopped
    for what, figure in (("deaths", "deaths"), ("injuries", "injuries"), ("Missions completed", "completed")):
        total = sum(int(figures[f"{what} of {name}"].totals.sum()) for name in FIELD)
        assert total == results.total(figure)


def test_in_a_mirror_match_figures_are_of_a_player():
    measure, prepared = MEASURES["games"], games(strategies=["balanced"], players=3)
    figures = figures_of(measure, prepared, measure.run_chunk(prepared, 9, 0, 40))
    assert not any(name.startswith("wins of balanced") for name in figures)
    results = Batch(["balanced"], players=3, seed=9).run(40)
    assert figures["injuries of a player"].totals.sum() == pytest.approx(results.total("injuries") / 3)


def test_changed_weights_and_cards_are_played_and_told():
    measure = MEASURES["games"]
    plain = games(strategies=FIELD, players=3)
    changed = games(
        strategies=FIELD,
        players=3,
        weights={"champion": {"place": {"docwagon": 0}}},
        changes=["Datajack.cost=1"],
    )
    assert changed.strategies[0].weight("place.docwagon") == 0
    assert changed.strategies[0].weight("dice.mage") == load_strategy("champion").weight("dice.mage")
    assert changed.strategies[1] == plain.strategies[1]
    one, other = measure.about(plain), measure.about(changed)
    assert one["card_set_hash"] != other["card_set_hash"]
    assert one["strategies_hash"][0] != other["strategies_hash"][0]
    assert one["strategies_hash"][1:] == other["strategies_hash"][1:]
    visits = Batch(changed.strategies, players=3, seed=1).rows(0, 20)
    docwagon = LOCATIONS.index("DocWagon")
    champion = visits["entrant"][:, :3] == 0
    assert visits["visits"][:, :3, docwagon][champion].sum() == 0


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strategies": ["champoin", "random"]}, "did you mean 'champion'"),
        ({"players": "four"}, "players: expected `int`, got `str`"),
        ({"players": 5}, "2 to 4 players"),
        ({"weights": {"champoin": {}}}, "'champoin' does not play here.*champion"),
        (
            {"strategies": FIELD, "players": 3, "weights": {"champion": {"place": {"docwagno": 0}}}},
            "weights.champion: place.docwagno is not a weight",
        ),
        ({"changes": ["Datajak.cost=1"]}, "did you mean 'Datajack'"),
        ({"cards": "stand-on"}, "did you mean 'stand-in'"),
        ({"final": "Nowhere"}, "Nowhere"),
        ({"gifts": {"champoin": ["5K"]}}, "gifts: 'champoin' does not play; .*mean 'champion'"),
        ({"gifts": {"champion": "5K"}}, "gifts: .champion. is given a list of cards and sums"),
        ({"gifts": {"champion": ["Datajak"]}}, "gifts: no .* is called 'Datajak'; did you mean 'Datajack'"),
        ({"gifts": {"champion": ["5000K"]}}, "gifts: no .* is called '5000K'"),
        ({"without": ["Datajak"]}, "without: no .* is called 'Datajak'; did you mean 'Datajack'"),
        ({"without": "Datajack"}, "without: expected `array`, got `str`"),
        ({"gifts": {"champion": ["Corium"]}, "without": ["Corium"]}, "given twice .*, or left out and given"),
    ],
)
def test_wrong_settings_of_games_are_told(settings, told):
    with pytest.raises(SprawlsimError, match=told):
        games(**settings)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "missing required field `mission`"),
        ({"mission": "errand", "policy": "bset"}, "'bset' is not a policy; .*mean 'best'"),
        (
            {"mission": "Laboratory Job", "policy": "best", "tokens": 3, "rerolls": 1, "loot": LOOT},
            "exact best play is large here: it would take",
        ),
        (
            {"mission": "errand", "prices": {"injry": 3}},
            "prices.injry is not a price; .*mean 'injury'",
        ),
        ({"mission": "errand", "prices": {"injury": -3}}, "prices.injury = -3.0 is not a price"),
        ({"mission": "errand", "tokens": -1}, "tokens: expected `int` >= 0"),
    ],
)
def test_wrong_settings_of_missions_are_told(settings, told):
    with pytest.raises(SprawlsimError, match=told):
        MEASURES["mission"].prepare(settings, ROOT)


def test_a_mission_is_measured_as_odds_measures_it():
    """Every count equals that of `mission_odds` on the same attempts; worth is nuyen and Loot less harm."""
    measure = MEASURES["mission"]
    prices = {"injury": 3.0, "death": 10.0, "loot": 4.0}
    prepared = measure.prepare({"mission": "courier", "prices": prices}, ROOT)
    columns = measure.run_chunk(prepared, 7, 0, 4000)
    assert len(columns["attempts"]) == 8
    figures = figures_of(measure, prepared, columns)
    odds = mission_odds("courier", policy="balanced", attempts=4000, seed=7)
    means = {name: figure.totals.sum() / figure.trials.sum() for name, figure in figures.items()}
    deaths = sum(k * odd.estimate for k, odd in enumerate(odds.dead_count))
    injuries = sum(k * odd.estimate for k, odd in enumerate(odds.injured_count))
    assert means["completed"] == odds.completed.estimate
    assert means["nuyen per attempt"] == pytest.approx(odds.nuyen.estimate, abs=1e-12)
    assert means["Loot per attempt"] == pytest.approx(odds.loot.estimate, abs=1e-12)
    assert means["deaths per attempt"] == pytest.approx(deaths, abs=1e-12)
    assert means["injuries per attempt"] == pytest.approx(injuries, abs=1e-12)
    worth = odds.nuyen.estimate + 4 * odds.loot.estimate - 3 * injuries - 10 * deaths
    assert means["worth per attempt"] == pytest.approx(worth, abs=1e-9)
    assert 0 < deaths < injuries


def test_squares_of_worth_are_those_of_single_attempts():
    """A priced Mission without Loot where only nuyen is priced: worth is nuyen, and so are its squares."""
    measure = MEASURES["mission"]
    prepared = measure.prepare({"mission": "rooftop", "prices": {"injury": 0}}, ROOT)
    columns = measure.run_chunk(prepared, 7, 0, 1000)
    np.testing.assert_array_equal(columns["worth"], columns["nuyen"])
    np.testing.assert_array_equal(columns["worth_squared"], columns["nuyen_squared"])
    prepared = measure.prepare({"mission": "rooftop", "prices": {"injury": 2}}, ROOT)
    columns = measure.run_chunk(prepared, 7, 0, 1000)
    spread = columns["worth_squared"].sum() / 1000 - (columns["worth"].sum() / 1000) ** 2
    assert spread > 0
    np.testing.assert_allclose(columns["worth"], columns["nuyen"] - 2 * columns["injuries"], atol=1e-9)


def test_rows_of_missions_do_not_depend_on_chunks():
    measure = MEASURES["mission"]
    prepared = measure.prepare({"mission": "courier", "aim": "nuyen", "prices": {"injury": 2.5}}, ROOT)
    whole = measure.run_chunk(prepared, 3, 0, 3000)
    parts = [measure.run_chunk(prepared, 3, first, 1000) for first in (0, 1000, 2000)]
    for name, column in whole.items():
        np.testing.assert_array_equal(column, np.concatenate([part[name] for part in parts]))


def test_sources_that_decide_rows_exist():
    for place in SOURCES:
        assert (ROOT / "sprawlsim" / place).exists()
    assert len(MEASURES["games"].sources()) == 16


def test_games_in_two_processes_give_the_same_bytes_and_paired_differences(tmp_path):
    """An unchanged copy shows no difference; a strategy that never goes to the Final Mission never wins."""
    printed = load_strategy("champion").weight("place.docwagon")
    spec = spec_of(
        "games",
        40,
        10,
        figures=["wins of champion"],
        common={"strategies": ["champion", "balanced"], "players": 2, "round_limit": 12},
        grid={
            "weights": {
                "as shipped": {},
                "copied": {"champion": {"place": {"docwagon": printed}}},
                "aimless": {"champion": {"place": {"final_mission": 0}}},
            }
        },
        compare={"vary": "weights", "baseline": "as shipped"},
    )
    run_experiment(spec, MEASURES, tmp_path / "one")
    run_experiment(spec, MEASURES, tmp_path / "two", means=Means(workers=2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    frame = load_results(tmp_path / "one", MEASURES).figures
    rows = frame[frame["less"].notna()].set_index("weights")
    assert rows.at["copied", "estimate"] == 0
    assert rows.at["copied", "p_holm"] == 1
    wins = frame[frame["less"].isna()].set_index("weights")["estimate"]
    assert wins["aimless"] == 0
    assert rows.at["aimless", "estimate"] == -wins["as shipped"]


def test_cards_that_change_under_an_old_folder_are_told(tmp_path):
    """The spec names a folder of cards; somebody edits a card there, and resumes."""
    cards = tmp_path / "cards"
    write_card_set(load_cards().card_set, cards)
    spec = spec_of("mission", 1000, 500, common={"mission": "errand", "cards": "cards"})
    run_experiment(spec, MEASURES, tmp_path / "out", base=tmp_path)
    run_experiment(spec, MEASURES, tmp_path / "out", base=tmp_path, resume=True)
    missions = (cards / "missions.toml").read_text()
    (cards / "missions.toml").write_text(missions.replace("payout = 4", "payout = 5", 1))
    with pytest.raises(SprawlsimError, match=r"0000\.scenario_hash was \".*0000\.card_set_hash was"):
        run_experiment(spec, MEASURES, tmp_path / "out", base=tmp_path, resume=True)


DUEL = {"strategies": ["champion", "balanced"], "players": 2}


def test_gifts_and_cards_left_out_are_those_of_a_batch():
    """Row by row; and both stand in what decides the rows."""
    measure = MEASURES["games"]
    gifts, without = {"champion": ["Datajack", "5K"]}, ["Pocket Deck"]
    given = games(**DUEL, gifts=gifts, without=without)
    columns = measure.run_chunk(given, 4, 0, 30)
    rows = Batch(["champion", "balanced"], players=2, seed=4, gifts=gifts, without=without).rows(0, 30)
    np.testing.assert_array_equal(columns["rounds"], rows["rounds"])
    np.testing.assert_array_equal(columns["seat_1_nuyen"], rows["nuyen"][:, 0])
    plain = measure.run_chunk(games(**DUEL), 4, 0, 30)
    assert (plain["seat_1_nuyen"] != columns["seat_1_nuyen"]).any()
    abouts = [
        measure.about(games(**DUEL, **more))
        for more in ({}, {"gifts": gifts}, {"without": without}, {"gifts": gifts, "without": without})
    ]
    assert all(abouts.count(about) == 1 for about in abouts)
    assert pickle.loads(pickle.dumps(given)) == given


def test_fifty_thousand_nuyen_win_games_and_a_gift_of_nothing_changes_no_byte(tmp_path):
    """In pairs of the same games; without it, how many are won is another matter."""
    spec = spec_of(
        "games",
        200,
        100,
        figures=["wins of champion"],
        common=DUEL,
        grid={"gifts": {"none": {}, "nothing": {"champion": []}, "rich": {"champion": ["50K"]}}},
        compare={"vary": "gifts", "baseline": "none"},
    )
    out = tmp_path / "out"
    run_experiment(spec, MEASURES, out)
    none, nothing, _ = ([path.read_bytes() for path in sorted(cell.iterdir())] for cell in cells_of(out))
    assert none == nothing
    frame = load_results(out, MEASURES).figures
    rows = frame[frame["less"].notna()].set_index("gifts")
    assert rows.at["nothing", "estimate"] == 0
    assert rows.at["rich", "low"] > 0
    assert rows.at["rich", "p_holm"] < 0.01


def cells_of(folder):
    """List the folders of the cells."""
    return sorted((folder / "cells").iterdir())


def test_a_changed_gift_is_refused_on_resume(tmp_path):
    def spec(*things):
        return spec_of("games", 20, 20, common={**DUEL, "gifts": {"champion": list(things)}})

    run_experiment(spec("5K"), MEASURES, tmp_path / "out")
    with pytest.raises(SprawlsimError, match=r'common.gifts.champion was \["5K"\] and is \["6K"\]'):
        run_experiment(spec("6K"), MEASURES, tmp_path / "out", resume=True)


@pytest.mark.parametrize("aim", ["complete", "safe"])
def test_best_play_reaches_its_exact_value(aim):
    """Completed and nobody dead, against the exact figures: within 4 standard errors."""
    measure, attempts = MEASURES["mission"], 40_000
    prepared = measure.prepare({"mission": "courier", "policy": "best", "aim": aim}, ROOT)
    columns = measure.run_chunk(prepared, 7, 0, attempts)
    figures = figures_of(measure, prepared, columns)
    odds = mission_odds("courier", aim=aim)
    assert (odds.policy, odds.engine) == ("best", "exact")
    p = odds.completed.estimate
    error = math.sqrt(p * (1 - p) / attempts)
    completed = figures["completed"]
    assert completed.trials.sum() == attempts
    assert completed.totals.sum() / attempts == pytest.approx(p, abs=4 * error)
    assert 0.02 < p < 0.98
    nuyen = figures["nuyen per attempt"]
    spread = nuyen.squares.sum() / attempts - (nuyen.totals.sum() / attempts) ** 2
    assert nuyen.totals.sum() / attempts == pytest.approx(
        odds.nuyen.estimate, abs=4 * math.sqrt(spread / attempts)
    )


def test_best_play_is_that_of_odds_on_the_same_attempts_however_they_are_cut():
    measure = MEASURES["mission"]
    prepared = pickle.loads(pickle.dumps(measure.prepare({"mission": "courier", "policy": "best"}, ROOT)))
    whole = measure.run_chunk(prepared, 7, 0, 4000)
    parts = [measure.run_chunk(prepared, 7, first, 1000) for first in range(0, 4000, 1000)]
    for name, column in whole.items():
        np.testing.assert_array_equal(column, np.concatenate([part[name] for part in parts]))
    odds = mission_odds("courier", attempts=4000, seed=7)
    assert odds.policy == "best"
    assert whole["completed"].sum() / 4000 == odds.completed.estimate


def test_best_play_beats_rules_of_thumb_in_pairs_by_the_exact_gap(tmp_path):
    """On the same dice; and played in two processes, each of which finds best play for itself."""
    team = "Tamsynn + Datajack + Renraku Tsurugi Cyberdeck, Lazar + Jackrabbit + Martial Arts, Corium"
    asked = {"tokens": 1, "team": team}
    spec = spec_of(
        "mission",
        20_000,
        5_000,
        figures=["completed"],
        common={"mission": "Theatre Job", **asked},
        grid={"policy": ["best", "balanced", "icons-first"]},
        compare={"vary": "policy", "baseline": "best"},
    )
    run_experiment(spec, MEASURES, tmp_path / "out")
    run_experiment(spec, MEASURES, tmp_path / "two", means=Means(workers=2))
    assert contents(tmp_path / "out") == contents(tmp_path / "two")
    frame = load_results(tmp_path / "out", MEASURES).figures
    rows = frame[frame["less"].notna()].set_index("policy")
    alone = frame[frame["less"].isna()].set_index("policy")
    best = mission_odds("Theatre Job", **asked).completed.estimate
    for policy in ("balanced", "icons-first"):
        gap = mission_odds("Theatre Job", policy=policy, **asked).completed.estimate - best
        row = rows.loc[policy]
        error = (row["high"] - row["low"]) / 2 / 1.96
        assert row["high"] < 0
        assert row["estimate"] == pytest.approx(gap, abs=4 * error)
        widths = [alone.at[one, "high"] - alone.at[one, "low"] for one in ("best", policy)]
        assert row["high"] - row["low"] < math.hypot(*widths)  # what independent dice would give


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_experiments_can_be_played(path):
    """Every cell makes sense, and the figures reported exist; the last cell plays."""
    spec = read_spec(path)
    measure = find_measure(spec, MEASURES)
    cells = make_cells(spec, measure, path.parent)
    check_figures(spec, measure, cells)
    columns = measure.run_chunk(cells[-1].prepared, cells[-1].seed, 0, measure.multiple_of)
    figures_of(measure, cells[-1].prepared, columns)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_committed_summaries_are_of_the_shipped_specs(path):
    """Every cell and figure reported stands in the summary, from as many trials as the spec says."""
    spec = read_spec(path)
    measure = find_measure(spec, MEASURES)
    summary = summary_of(path.stem)
    assert list(summary.columns[: len(spec.grid)]) == list(spec.grid)
    plain = summary[summary["less"].isna()].set_index([*spec.grid, "figure"])
    wanted = [
        (*cell.labels.values(), name)
        for cell in make_cells(spec, measure, path.parent)
        for name in measure.figure_names(cell.about)
        if is_reported(spec, name)
    ]
    assert sorted(plain.index) == sorted(wanted)
    assert (plain["trials"] <= spec.stop.count).all()
    assert plain["trials"].max() == spec.stop.count


@pytest.mark.parametrize(
    ("name", "number"),
    [("which-missions-are-traps", 1), ("which-missions-are-traps", 24), ("first-players-edge", 0)],
)
def test_a_cell_of_a_committed_summary_is_what_today_s_rules_give(name, number):
    """Played anew, all of it: a summary that rules, cards or strategies have overtaken is found."""
    path = ROOT / "experiments" / f"{name}.toml"
    spec = read_spec(path)
    measure = find_measure(spec, MEASURES)
    cell = make_cells(spec, measure, path.parent)[number]
    columns = measure.run_chunk(cell.prepared, cell.seed, 0, spec.stop.count)
    figures = figures_of(measure, cell.prepared, columns)
    summary = summary_of(name)
    for key, label in cell.labels.items():
        summary = summary[summary[key] == label]
    assert len(summary) >= 3
    for row in summary.itertuples():
        figure = figures[row.figure]
        assert row.estimate == pytest.approx(figure.totals.sum() / figure.trials.sum(), abs=1e-6)


def summary_of(name):
    """Read a committed summary; made by ``sprawlsim experiment run NAME --summary FILE``."""
    numbers = dict.fromkeys(["trials", "estimate", "low", "high", "p_holm"], float)
    summary = pd.read_csv(ROOT / "results" / "experiments" / f"{name}.csv", dtype=str)
    return summary.astype(numbers)
