"""The front door as Python uses it: what it accepts, what it refuses, and that it agrees with itself."""

from __future__ import annotations

from typing import Any

import pytest

import sprawlsim as ss

FEW = 2_000


def odds(**given: Any) -> ss.Odds:
    return ss.mission_odds(
        **{
            "mission": "make some noise",
            "team": "Tamsynn, Lazar",
            "policy": "balanced",
            "attempts": FEW,
            **given,
        }
    )


def test_every_public_name_is_there() -> None:
    assert set(ss.__all__) <= set(dir(ss))
    for name in ss.__all__:
        assert getattr(ss, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'odds'"):
        _ = ss.odds


def test_one_name_stands_for_a_list_of_one() -> None:
    assert odds(loot="Aqua Fortis").scenario == odds(loot=["Aqua Fortis"]).scenario
    assert odds(loot="Aqua Fortis").scenario.loot_cards == ("success:mage",)
    assert odds(eye="samurai").scenario.clears_first_stage


def test_names_and_cards_mean_the_same() -> None:
    cards = ss.load_cards("stand-in")
    by_card = odds(mission=cards.mission("make some noise"), team=cards.team("Tamsynn, Lazar"), cards=cards)
    assert by_card.to_dict() == odds(cards="stand-in").to_dict()


def test_runners_ends_and_counts_add_up() -> None:
    answer = odds()
    assert sum(e.estimate for e in answer.injured_count) == pytest.approx(1.0)
    assert sum(e.estimate for e in answer.dead_count) == pytest.approx(1.0)
    hurt = sum(r.injured.estimate + r.rescued.estimate for r in answer.runners)
    assert hurt == pytest.approx(sum(k * e.estimate for k, e in enumerate(answer.injured_count)))
    for stage in answer.stages:
        assert stage.cleared.estimate <= stage.reached.estimate
    assert answer.completed == answer.stages[-1].cleared


def test_the_frame_holds_every_figure_and_jupyter_shows_it() -> None:
    answer = odds()
    frame = answer.frame()
    assert list(frame.columns) == ["group", "item", "measure", "estimate", "low", "high"]
    assert frame.iloc[0].estimate == answer.completed.estimate
    assert len(frame) == len(list(answer.figures()))
    shown = answer._repr_html_()
    assert shown.count("<tr>") == len(frame) + 1
    assert "Make Some Noise" in shown


def test_the_picture_is_a_png(tmp_path: Any) -> None:
    picture = odds().plot()
    assert picture._repr_png_().startswith(b"\x89PNG")
    picture.savefig(tmp_path / "odds.svg")
    assert b"<svg" in (tmp_path / "odds.svg").read_bytes()


def test_cards_of_another_set_are_refused_unless_it_is_named() -> None:
    changed = ss.load_cards(changes=["Tamsynn.dice.decker=6"])
    team = changed.team("Tamsynn")
    with pytest.raises(ss.SprawlsimError, match="Tamsynn is not a card of the set 'stand-in'"):
        odds(team=team)
    assert odds(team=team, cards=changed).card_set == changed.name


@pytest.mark.parametrize("policy", ["best", "balanced"])
@pytest.mark.parametrize("attempts", [None, FEW])
def test_completion_alone_is_one_figure_under_two_names(policy: str, attempts: int | None) -> None:
    answer = odds(policy=policy, attempts=attempts)
    assert answer.objective_value == answer.completed


def test_without_words_on_policy_and_effort_it_is_best_play_exactly() -> None:
    answer = ss.mission_odds("errand")
    assert (answer.policy, answer.engine) == ("best", "exact")
    assert answer.attempts is answer.seed is None
    assert answer.completed.low == answer.completed.high
    assert str(answer).startswith("Errand Job: ")
    assert str(answer).endswith("% to complete (exact), best play")
    assert [other.policy for other in answer.beside] == ["icons-first", "cancel-first", "balanced"]
    assert ss.mission_odds("errand", seed=9, threads=1) == answer


def test_an_aim_is_an_objective_by_name() -> None:
    by_aim = odds(policy="best", attempts=None, aim="safe")
    by_weights = odds(policy="best", attempts=None, objective=ss.Objective(completion=0.0, safe=1.0))
    assert by_aim == by_weights
    assert odds(aim="complete").scenario.objective == odds().scenario.objective == ss.Objective()
    priced = odds(aim="nuyen", prices={"injury": 0, "loot": 2}).scenario.objective
    # Lazar was bought for 8K; Tamsynn and Lazar are lent for 2K and 3K.
    assert priced == ss.Objective(completion=0.0, nuyen=1.0, loot=2.0, injury=0.0, death=-(2.5 + 4.0))


def test_progress_is_told_of_what_is_played() -> None:
    for policy in ("best", "balanced"):
        told: list[tuple[int, int | None]] = []
        odds(policy=policy, progress=lambda done, of, told=told: told.append((done, of)))
        assert told[-1] == (FEW, FEW)


def test_threads_change_nothing_of_best_play_simulated() -> None:
    assert odds(policy="best", threads=1) == odds(policy="best", threads=2)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"mission": 5}, "a Mission is a card or a name, not 5"),
        ({"team": 7}, "a team is a Team or a text, not 7"),
        ({"tokens": "2"}, "DocWagon tokens must be a whole number between 0 and 20, not '2'"),
        ({"tokens": -1}, "not -1"),
        ({"rerolls": 99}, "free rerolls must be a whole number between 0 and 15, not 99"),
        (
            {"policy": "bst"},
            "'bst' is not a policy; the policies are best, icons-first, cancel-first, bal",
        ),
        ({"attempts": 0}, "attempts must be between 1 and"),
        ({"policy": "best", "attempts": 0}, "attempts must be between 1 and 1000000000, not 0"),
        ({"policy": "best", "attempts": None, "precision": 0.01}, "best play is simulated by a number of"),
        ({"engine": "exact"}, "a number of attempts or a precision is for Monte Carlo"),
        ({"engine": "Exact"}, "'Exact' is not an engine; the engines are exact, montecarlo; did you mean"),
        ({"aim": "money"}, "'money' is not an aim; the aims are complete, nuyen, payout, safe"),
        ({"aim": "safe", "objective": ss.Objective()}, "give an aim or an objective, not both"),
        ({"prices": {"death": 3}}, "prices are for the aim nuyen; name it"),
        ({"aim": "nuyen", "prices": {"deaths": 3}}, "'deaths' has no price; those that do are injury, death"),
        ({"aim": "nuyen", "prices": {"death": -3}}, "the price of death is -3; it must be 0 or more"),
        ({"aim": "payout", "mission": "grand vault"}, "Grand Vault Raid pays no nuyen"),
        ({"attempts": None, "precision": 0.0}, "precision must be between"),
        ({"precision": 0.01}, "either a number of attempts or a precision"),
        ({"threads": 0}, "threads must be between 1 and 256, not 0"),
        ({"eye": "mage"}, "mage perk does nothing in a Mission"),
        ({"loot": ["Evacuate", "Evacuate"]}, "'Evacuate' is named 2 times; the box has 1 of it"),
        ({"mission": "datasteal"}, "a Task is run by one runner, not 2"),
        ({"mission": "grand vault", "rerolls": 1}, "is a Final Mission"),
        ({"objective": ss.Objective(death=0.5)}, "objective.death is 0.5; it is a cost"),
        ({"objective": ss.Objective(safe=-0.5)}, "objective.safe is -0.5; it is a gain"),
        ({"cards": "nowhere"}, "'nowhere' is neither a shipped card set"),
    ],
)
def test_misuse_is_one_clear_sentence(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ss.SprawlsimError) as error:
        odds(**wrong)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
