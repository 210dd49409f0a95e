"""The study of strategies: counts that batches give too, planted differences found, nothing else claimed."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2, chisquare

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.render import to_json, to_text
from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.game.arrays import LOCATIONS
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import load_strategy, place_key
from sprawlsim.sprawlops.reports import strategies
from sprawlsim.sprawlops.reports.full import TABLES
from sprawlsim.sprawlops.reports.strategies import find_cycles, misfit, mix_frame, study_strategies
from sprawlsim.sprawlops.reports.strategy_section import strategy_section
from sprawlsim.sprawlops.reports.study import Study
from sprawlsim.stats.ratings import fit_ratings

GAMES = 300
SEED = 5
NAMES = ["champion", "balanced", "gear-rush"]


def shut_in(name):
    """Give a strategy that goes nowhere but to Dante's Inferno and the Final Mission."""
    kept = {"Dante's Inferno", "Final Mission"}
    weights = {f"place.{place_key(location)}": 0.0 for location in LOCATIONS if location not in kept}
    return load_strategy("balanced")._replace(name=name, weights=weights)


@pytest.fixture(scope="module")
def cards():
    return load_card_set()


@pytest.fixture(scope="module")
def report(cards):
    chosen = [*NAMES, shut_in("hermit")]
    return study_strategies(Study(cards, SEED, GAMES, quick=True), chosen)


def test_pairings_are_what_winners_of_such_games_say(report):
    for first, second in (("champion", "balanced"), ("balanced", "gear-rush")):
        winners = Batch([first, second], players=2, seed=SEED).winners(GAMES)
        row = report.pairs[(report.pairs["first"] == first) & (report.pairs["second"] == second)].iloc[0]
        assert row["kind"] == "pairing"
        assert (row["games"], row["stopped"]) == ((winners >= 0).sum(), (winners < 0).sum())
        share = (winners == 0).sum() / (winners >= 0).sum()
        assert row["win_rate"] == pytest.approx(share)
        assert report.payoffs().loc[first, second] == pytest.approx(share - 0.5)
        assert report.payoffs().loc[second, first] == pytest.approx(0.5 - share)


def test_every_two_meet_once_and_all_meet_themselves_and_random_play(report):
    kinds = report.pairs["kind"].value_counts()
    assert dict(kinds) == {"pairing": 6, "mirror": 4, "baseline": 4}
    payoffs = report.payoffs().to_numpy(float)
    off = ~np.eye(4, dtype=bool)
    assert (payoffs + payoffs.T)[off] == pytest.approx(0.0)
    assert (report.unresolved() == report.unresolved().T).to_numpy().all()


def test_mirror_matches_are_even(report):
    mirrors = report.pairs[report.pairs["kind"] == "mirror"]
    assert not mirrors["resolved"].any()
    played = mirrors[mirrors["games"] > 0]
    counts = np.stack([played["wins"], played["games"] - played["wins"]], axis=1)
    by_hand = sum(chisquare(row).statistic for row in counts)
    assert report.mirror_p == pytest.approx(chi2.sf(by_hand, len(played)))
    assert report.mirror_p > 0.001
    assert any(
        finding.startswith("Control: strategies against") for finding in strategy_section(report).findings
    )
    for wins, games in zip(mirrors["wins"], mirrors["games"], strict=True):
        assert 0.0005 < binom.cdf(wins, games, 0.5) < 0.9995 or games == 0


def test_mixed_tables_are_what_a_batch_counts(report, cards):
    results = Batch([*NAMES, shut_in("hermit")], seed=SEED).run(4 * GAMES)
    for row in report.field.to_dict("records"):
        rate = results.win_rate(row["strategy"]).estimate
        won = 1 - results.stopped.estimate
        assert row["win_rate"] == pytest.approx(rate / won)
    assert report.field["games"].eq(round(4 * GAMES * (1 - results.stopped.estimate))).all()


def test_a_crippled_strategy_is_found_last_beaten_by_all_and_named_by_the_control(report):
    last = report.field.iloc[-1]
    assert (last["strategy"], last["rank"]) == ("hermit", "4")
    lost = report.pairs[(report.pairs["second"] == "hermit") & (report.pairs["kind"] == "pairing")]
    assert lost["resolved"].all()
    assert (lost["win_rate"] > 0.9).all()
    text = to_text(strategy_section(report))
    assert "hermit is not resolved to beat random play" in text
    assert report.mix.set_index("strategy").loc["hermit", "weight"] < 1e-6


def test_who_beats_random_play_least_is_only_told_if_somebody_lost_to_it(report):
    pairs = report.pairs[report.pairs["first"] != "hermit"].assign(resolved=True)
    baseline = pairs["kind"] == "baseline"

    def told(rates):
        frame = pairs.copy()
        for end in ("", "_low", "_high"):
            frame.loc[baseline, f"win_rate{end}"] = rates
        return strategy_section(replace(report, pairs=frame)).findings[-1]

    assert told([1.0, 1.0, 1.0]) == "Control: all beat random play in every game that somebody won."
    assert "; balanced does so least, with 75" in told([1.0, 0.75, 1.0])


def test_the_champion_is_first_and_beats_every_other(report):
    findings = strategy_section(report).findings
    assert findings[0].startswith("champion is the best at mixed tables of 4")
    assert "champion beats every other" in findings[1]


def test_a_copy_is_not_told_from_its_original_in_ten_of_ten_seeds(cards):
    copy = load_strategy("balanced")._replace(name="copy")
    for seed in range(10):
        study = Study(cards, seed, 60, quick=True)
        report = study_strategies(study, ["balanced", copy], players=2)
        assert set(report.field["rank"]) == {"1-2"}
        assert not report.pairs.loc[report.pairs["kind"] != "baseline", "resolved"].any()
        assert "is not resolved between" in strategy_section(report).findings[0]


def test_ranks_are_by_exact_tests_of_games_at_shared_tables(cards):
    study = Study(cards, 2, 100, quick=True)
    chosen = ["champion", "mission-grinder", "runner-collector", "balanced", "docwagon"]
    report = study_strategies(study, chosen, players=3)
    ranks = report.field.set_index("strategy")["rank"]
    batch = Batch(chosen, players=3, seed=2)
    games = int(report.field["games"].sum() / 3)
    winners = batch.winners(games)
    tables = batch.plan.lineups[np.arange(games) % len(batch.plan.lineups)]
    p_values, better = {}, {}
    for i, j in combinations(range(5), 2):
        both = (tables == i).any(axis=1) & (tables == j).any(axis=1)
        won, lost = ((winners[both] == one).sum() for one in (i, j))
        p_values[i, j] = min(1.0, 2 * binom.cdf(min(won, lost), won + lost, 0.5))
        better[i, j] = won > lost
    # Holm, step by step.
    resolved = set()
    for left, pair in zip(range(10, 0, -1), sorted(p_values, key=p_values.get), strict=True):
        if p_values[pair] * left > 0.05:
            break
        resolved.add(pair if better[pair] else pair[::-1])
    for i, name in enumerate(chosen):
        first = 1 + sum(worse == i for _, worse in resolved)
        last = 5 - sum(ahead == i for ahead, _ in resolved)
        assert ranks[name] == (str(first) if first == last else f"{first}-{last}")
    assert 0 < len(resolved) < 10


def circle(resolved=True):
    """Rock, paper, scissors: each wins 70% against the one before; all beat the stone."""
    rows = [
        ("paper", "rock", 0.7),
        ("scissors", "paper", 0.7),
        ("rock", "scissors", 0.7),
        ("rock", "stone", 0.6),
        ("paper", "stone", 0.8),
        ("stone", "scissors", 0.4),
    ]
    frame = pd.DataFrame(rows, columns=["first", "second", "win_rate"])
    frame["kind"], frame["resolved"], frame["games"] = "pairing", resolved, 100_000
    return frame


def test_circles_are_found_where_they_are_resolved():
    names = ("rock", "paper", "scissors", "stone")
    assert find_cycles(names, circle()) == (("rock", "scissors", "paper"),)
    assert find_cycles(names, circle(resolved=False)) == ()


def test_the_mix_of_a_circle_is_even_and_leaves_out_who_loses_to_all(cards):
    mix = mix_frame(("rock", "paper", "scissors", "stone"), circle(), Study(cards, quick=True))
    mix = mix.set_index("strategy")
    # Each of three beats one by as much as it loses to another; the stone gains -0.1, -0.3, -0.1.
    assert list(mix.loc[["rock", "paper", "scissors"], "weight"]) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert mix.loc["stone", "payoff"] == pytest.approx(-0.5 / 3, abs=1e-6)
    assert (mix.loc["stone", "worst"], mix.loc["stone", "worst_payoff"]) == ("paper", pytest.approx(-0.3))
    assert ((mix["weight_low"] <= mix["weight"]) & (mix["weight"] <= mix["weight_high"])).all()
    assert mix.loc["rock", "weight_high"] - mix.loc["rock", "weight_low"] < 0.02


@pytest.mark.parametrize("times", [1, 20])
def test_intervals_of_ratings_are_wider_by_the_root_of_the_misfit(cards, monkeypatch, times):
    chosen = [*NAMES, "docwagon", "runner-collector"]
    counted = strategies._wins_by_table

    def repeated(*arguments):
        """Count every game many times, so that wins vary as many times more than games do."""
        seated, wins = counted(*arguments)
        return seated, times * wins

    monkeypatch.setattr(strategies, "_wins_by_table", repeated)
    report = study_strategies(Study(cards, SEED, 500, quick=True), chosen, players=3)
    batch = Batch(chosen, players=3, seed=SEED)
    tables = batch.plan.lineups
    winners = batch.rows(0, round(4 * 500 / len(tables)) * len(tables))["winner"]
    wins = times * np.array([np.bincount(winners[i :: len(tables)], minlength=3) for i in range(len(tables))])
    fit = fit_ratings(chosen, tables, wins, ridge=0.05)
    share = np.exp(fit.theta[tables] + fit.sigma)
    expected = share / share.sum(axis=1, keepdims=True) * wins.sum(axis=1, keepdims=True)
    deviance = 2 * sum(w * np.log(w / e) for w, e in zip(wins.flat, expected.flat, strict=True) if w)
    # Every table tells of two free shares; four strengths and two seats are fitted.
    misfit_by_hand = deviance / (2 * len(tables) - 4 - 2)
    assert report.misfit == pytest.approx(misfit_by_hand, rel=1e-9)
    assert (misfit_by_hand > 1) == (times > 1)
    wider = np.sqrt(max(1, misfit_by_hand))
    half = 1.959964 * wider * fit.theta_error
    field = report.field.set_index("strategy").loc[chosen]
    assert (field["rating_high"] - field["rating"]).to_numpy() == pytest.approx(half, rel=1e-6)
    half = 1.959964 * wider * fit.sigma_error
    assert (report.seats["rating_high"] - report.seats["rating"]).to_numpy() == pytest.approx(half, rel=1e-6)
    details = " ".join(strategy_section(report).details)
    assert (f"{wider:.1f} times as wide (quasi-likelihood)" in details) == (times > 1)


def test_the_section_has_its_tables_and_pictures(report):
    section = strategy_section(report)
    assert tuple(table.name for table in section.tables) == TABLES["strategies"]
    for picture in section.pictures:
        assert picture.draw().axes
        assert "champion" in picture.alt
    assert len(to_json(section)["tables"]["strategy-pairs"]) == 14


def test_what_makes_no_sense_is_refused(cards):
    with pytest.raises(SprawlsimError, match="at least two"):
        study_strategies(Study(cards, games=10), ["balanced"])
    with pytest.raises(SprawlsimError, match="no functions"):
        study_strategies(Study(cards, games=10), [lambda game, actions: 0, "balanced"], players=2)


def test_misfit_is_about_one_where_strengths_explain_the_wins_and_large_where_they_do_not():
    random = np.random.default_rng(8)
    tables = np.array(list(permutations(range(5), 3)))
    strength = np.exp(np.array([0.6, 0.2, 0.0, -0.3, -0.5])[tables] + [0.1, 0.0, -0.1])
    wins = np.array([random.multinomial(200, row / row.sum()) for row in strength])
    # 60 tables with two free shares each, less 4 strengths and 2 seats: a chi-square with 114 of freedom.
    low, high = chi2.ppf([0.001, 0.999], 114) / 114
    assert low < misfit(fit_ratings("abcde", tables, wins), tables, wins) < high
    turned = wins.copy()
    turned[(tables == 0).any(axis=1)] = turned[(tables == 0).any(axis=1)][:, ::-1]
    assert misfit(fit_ratings("abcde", tables, turned), tables, turned) > 2
