"""The package's policies against the golden files: known probabilities, and values nobody can beat."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
import twin
from scipy.stats import chi2, kstest
from test_twin import CancelFirst

from sprawlsim.sprawlops.mission.arrays import DEAD, INJURED, UP
from sprawlsim.sprawlops.mission.counts import AMOUNTS, COMPLETED
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.montecarlo import Simulation, play_attempts
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict

GOLDEN = Path(__file__).parent / "golden"
with (GOLDEN / "single-colour-cancel-first.csv").open(encoding="utf-8", newline="") as table:
    ROWS = list(csv.DictReader(table))
CASES = [
    case for path in sorted(GOLDEN.glob("*.json")) for case in json.loads(path.read_text(encoding="utf-8"))
]

WEIGHTS = ("completion", "nuyen", "loot", "injury", "death", "payout", "safe")
"""In the order in which amounts are counted."""
OUTCOMES = ("clear", "wound", "death", "fail_no_harm")
ATTEMPTS = 4_000_000
FEW_ROLLS = 100_000
"""Rolls up to which a policy is evaluated exactly: a twentieth of a second."""
HALF_A_UNIT = 0.5001e-4
"""The golden probabilities have four decimals."""
MOST_Z = 4
ALPHA = 1e-4
"""Chance with which each test of normality would refuse a good sample; the seed is fixed."""


def simulate(scenario, policy, attempts, seed):
    """Return the counts of so many attempts."""
    simulation = Simulation(scenario_from_dict(scenario), policy, seed, threads=2)
    play_attempts(simulation, attempts)
    return simulation.counts[0]


def exact_chances(scenario):
    """Return the exact chances of the four outcomes, by the twin."""
    shown = twin.figures(scenario, twin.policy_distribution(scenario, CancelFirst()))
    clear, wound, death = shown["completed"], shown["injured_count"][1], shown["dead_count"][1]
    return dict(zip(OUTCOMES, map(float, (clear, wound, death, 1 - clear - wound - death)), strict=True))


def counted(counts):
    """Return how often the four outcomes were seen; who cancels first and clears is not hurt."""
    clear = int(counts.sums[COMPLETED])
    unhurt, wound, death = (int(counts.condition[0, number]) for number in (UP, INJURED, DEAD))
    return dict(zip(OUTCOMES, (clear, wound, death, unhurt - clear), strict=True))


@pytest.fixture(scope="module")
def cells():
    """Return, for every row of the table, (row, exact chances, counts of 4 million attempts)."""
    found = []
    for number, row in enumerate(ROWS):
        scenario = {
            "stages": [{"icons": {"street_samurai": int(row["icons_needed"])}}],
            "runners": [{"dice": {"street_samurai": int(row["dice"])}}],
        }
        counts = simulate(scenario, "cancel-first", ATTEMPTS, seed=1000 + number)
        found.append((row, exact_chances(scenario), counted(counts)))
    return found


@pytest.fixture(scope="module")
def z_values(cells):
    """Return the z-values of the cells by outcome, those of certain outcomes left out."""
    zs = {outcome: [] for outcome in OUTCOMES}
    for _, exact, seen in cells:
        for outcome, chance in exact.items():
            if 0 < chance < 1:
                error = math.sqrt(ATTEMPTS * chance * (1 - chance))
                zs[outcome].append((seen[outcome] - ATTEMPTS * chance) / error)
    return {outcome: np.array(sample) for outcome, sample in zs.items()}


def test_there_are_fifty_cells_of_different_sizes():
    assert len({(row["icons_needed"], row["dice"]) for row in ROWS}) == 50


def test_the_exact_chances_round_to_the_golden_ones(cells):
    for row, exact, _ in cells:
        for outcome, chance in exact.items():
            assert chance == pytest.approx(float(row[f"p_{outcome}_exact"]), abs=HALF_A_UNIT)


def test_cancel_first_agrees_with_the_golden_chances_as_far_as_they_are_rounded(cells):
    for row, _, seen in cells:
        for outcome, count in seen.items():
            golden = float(row[f"p_{outcome}_exact"])
            error = math.sqrt(max(golden * (1 - golden), 1e-4) / ATTEMPTS)
            assert abs(count / ATTEMPTS - golden) <= HALF_A_UNIT + MOST_Z * error, (row, outcome)


def test_what_cannot_happen_never_happened(cells):
    for _, exact, seen in cells:
        assert sum(seen.values()) == ATTEMPTS
        for outcome, chance in exact.items():
            assert chance > 0 or seen[outcome] == 0


def test_no_cell_is_four_standard_errors_off(z_values):
    for outcome, sample in z_values.items():
        assert np.abs(sample).max() <= MOST_Z, outcome


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_z_values_are_like_a_sample_of_normals(z_values, outcome):
    sample = z_values[outcome]
    assert sample.size >= 40
    assert abs(sample.sum()) / math.sqrt(sample.size) < 4
    squares = (sample**2).sum()
    assert ALPHA < chi2.cdf(squares, sample.size) < 1 - ALPHA
    assert kstest(sample, "norm").pvalue > ALPHA


def objective(scenario, counts):
    """Return the mean objective and its standard error."""
    weights = dict(twin.read(scenario).weights)
    w = np.array([weights[key] for key in WEIGHTS])
    assert w.size == AMOUNTS
    n = float(counts.attempts)
    mean = float(w @ counts.sums) / n
    variance = float(w @ counts.products @ w) / n - mean**2
    return mean, math.sqrt(max(variance, 0.0) / n)


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_no_policy_beats_the_best_value(case, policy):
    mean, error = objective(case["scenario"], simulate(case["scenario"], policy, 200_000, seed=77))
    assert mean <= case["value"] + 4 * error + 1e-9
    figures = evaluate(scenario_from_dict(case["scenario"]), policy, FEW_ROLLS)
    if figures is not None:
        exactly = objective(case["scenario"], figures)[0]
        assert exactly <= case["value"] + 1e-9
        assert abs(mean - exactly) <= 4.5 * error + 1e-9


def test_what_few_rolls_decide_is_known_exactly_of_most_cases():
    counted = [evaluate(scenario_from_dict(case["scenario"]), "balanced", FEW_ROLLS) for case in CASES]
    assert sum(figures is not None for figures in counted) > 0.9 * len(CASES)
