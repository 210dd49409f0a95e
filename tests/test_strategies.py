"""Strategies as files: strict reading, defaults, the record that the chooser reads."""

from pathlib import Path

import numpy as np
import pytest

from sprawlsim.sprawlops.game.arrays import A_FINAL, A_MISSION, LOCATIONS
from sprawlsim.sprawlops.game.strategies.model import (
    WEIGHT_KEYS,
    StrategyError,
    load_strategy,
    place_key,
    save_strategy,
    shipped_strategies,
    strategy_from_dict,
    strategy_orders,
    strategy_weights,
)
from sprawlsim.sprawlops.game.strategies.weights import WEIGHTS


def test_at_least_eight_strategies_are_shipped_and_say_what_they_are_after():
    names = shipped_strategies()
    assert len(names) >= 8
    assert {"random", "balanced", "champion"} <= set(names)
    for name in names:
        assert len(load_strategy(name).description) > 30


def test_every_field_of_the_record_has_a_weight():
    filled = {weight.field for weight in WEIGHT_KEYS.values()} | {"chooser"}
    assert filled == set(WEIGHTS.names)
    for name in WEIGHTS.names:
        size = int(np.prod(WEIGHTS[name].shape, dtype=int))
        if name != "chooser":
            assert sum(weight.field == name for weight in WEIGHT_KEYS.values()) == size


def test_defaults_lie_within_their_bounds():
    for weight in WEIGHT_KEYS.values():
        assert weight.low <= weight.default <= weight.high


def test_a_weight_left_out_has_its_default():
    record = strategy_weights([strategy_from_dict({"worth": {"loot": 7}}, "mine")])[0]
    assert record["loot"] == 7.0
    assert record["token"] == WEIGHT_KEYS["worth.token"].default
    assert record["place"].tolist() == [1.0] * len(LOCATIONS)


def test_prices_of_harm_are_costs_in_play():
    orders = strategy_orders([strategy_from_dict({"mission": {"injury": 2, "death": 9}}, "mine")])[0]
    assert orders["weights"][A_MISSION].tolist()[3:5] == [-2.0, -9.0]
    assert orders["weights"][A_FINAL][0] == WEIGHT_KEYS["final.prize"].default


def test_locations_have_keys_that_can_be_guessed():
    assert [place_key(name) for name in LOCATIONS] == [
        "bodyguard_work",
        "crime_mall",
        "dantes_inferno",
        "datasteal",
        "degears_lair",
        "docwagon",
        "eye_of_the_needle",
        "final_mission",
        "hannibelles_host",
        "mr_johnson",
        "maxs_ironworks",
    ]


def test_a_strategy_survives_being_written_and_read(tmp_path):
    strategy = load_strategy("docwagon")
    save_strategy(strategy, tmp_path / "docwagon.toml", "made by hand\nin two lines")
    again = load_strategy(tmp_path / "docwagon.toml")
    assert again == strategy
    assert (tmp_path / "docwagon.toml").read_text().startswith("# made by hand\n# in two lines\n")
    assert [path.name for path in tmp_path.iterdir()] == ["docwagon.toml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[dice]\nmagee = 3", "dice.magee is not a weight; did you mean 'dice.mage'"),
        ("[dice]\nmage = -1", "dice.mage = -1 is not a number from 0 to 50"),
        ("[dice]\nmage = true", "dice.mage = True is not a number"),
        ('[dice]\nmage = "3"', "dice.mage = '3' is not a number"),
        ("dice = 3", "dice is not a key here"),
        ("[worht]\nloot = 1", "worht.loot is not a weight; did you mean 'worth.loot'"),
        ('chooser = "function"', "chooser = 'function' is not one of weights, random"),
        ('policy = "best"', "policy = 'best' is not one of"),
        ("[dice\nmage = 3", "not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path, text, message):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(StrategyError, match=message) as caught:
        load_strategy(tmp_path / "mine.toml")
    assert "mine.toml" in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path):
    (tmp_path / "mine.toml").write_text('policy = "best"\n[dice]\nmage = -1\n[worth]\nluck = 1\n')
    with pytest.raises(StrategyError, match=r"policy.*dice\.mage.*worth\.luck"):
        load_strategy(tmp_path / "mine.toml")


def test_the_page_on_strategies_lists_every_weight_as_it_is():
    page = (Path(__file__).parent.parent / "docs" / "strategies.md").read_text(encoding="utf-8")
    for key, weight in WEIGHT_KEYS.items():
        bounds = f"{weight.default:g} | {weight.low:g} | {weight.high:g}"
        assert f"| `{key}` | {bounds} | {weight.tells} |" in page


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(StrategyError, match="cannot be read"):
        load_strategy(tmp_path / "none.toml")
