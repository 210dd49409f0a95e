"""Situations as players tell them: laid out as the twin has them, or refused with what is allowed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support import situation_of

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.advise import advise, advise_scenario
from sprawlsim.sprawlops.mission.arrays import Record
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.sprawlops.mission.situation import Situation, lay_out, read_counts

pytestmark = pytest.mark.nojit

Data = dict[str, Any]

CREW: Data = {
    "runners": [
        {"name": "Ann", "dice": {"decker": 3, "face": 1}, "dermal_plating": True},
        {"name": "Bo Diddley", "dice": {"decker": 3, "rigger": 1}},
        {"name": "Cor", "dice": {"street_samurai": 2}},
    ],
    "stages": [
        {"icons": {"mage": 2, "decker": 1}},
        {"icons": {"decker": 4}, "loot": 1},
        {"icons": {"face": 1}},
    ],
    "docwagon_tokens": 2,
    "loot_cards": ["die:decker", "die:mage", "success:mage"],
    "rerolls": 1,
}
PERK = CREW | {"clears_first_stage": True}
EVERYONE = "decker SSI-, samurai S-, rigger I, face -"
"""Six Decker dice: two are set aside."""


def lay(data: Data = CREW, **told: Any) -> Record:
    return lay_out(scenario_from_dict(data), Situation(**told))


def table(**told: Any) -> dict[str, Any]:
    """Return what stands, as the twin has it."""
    scn = scenario_from_dict(CREW).arrays()
    return situation_of(scn, lay(**told), in_hand=told.get("roll") is not None)._asdict()


def test_before_a_stage_all_is_as_it_is_in_hand() -> None:
    s = table(stage=2, hurt="ann", dead=["bo"])
    assert s["phase"] == "between"
    assert s["stage"] == 1
    assert s["condition"] == ("injured", "dead", "up")
    assert s["plates"] == (False, False, False), "nobody is hurt through a plate"
    assert s["tokens"] == 2
    assert s["cards"] == ("die:decker", "die:mage", "success:mage")
    assert s["rerolls"] == 1


def test_before_a_roll_the_icons_left_and_loot_dice_are_laid_out() -> None:
    s = table(roll_number=3, left="mage 1", rescued="cor", plate_used="Ann", in_play=["die:mage"])
    assert s["phase"] == "rolling"
    assert s["rolls_left"] == 1
    assert s["icons"] == (0, 0, 1, 0, 0)
    assert s["condition"] == ("up", "up", "rescued")
    assert s["plates"] == (False, False, False)
    assert s["cards"] == ("die:decker", "success:mage")
    assert s["bonus"] == (0, 0, 1, 0, 0)


def test_before_the_first_roll_all_icons_are_left() -> None:
    assert table(roll_number=1)["icons"] == (0, 1, 2, 0, 0)
    assert table(roll_number=1, left="decker 1, mage 2")["icons"] == (0, 1, 2, 0, 0)


@pytest.mark.parametrize(
    "roll",
    [
        EVERYONE,
        "FACE -,decker i-ss ,Rigger I, street samurai -s",
        "rigger i, face b, street_samurai S_, decker .SSI",
    ],
)
def test_a_roll_is_written_in_any_order_and_case(roll: str) -> None:
    st = lay(roll=roll)
    assert st.successes.tolist() == [1, 2 + 1, 0, 0, 0], "two Decker dice are set aside for one success"
    assert st.injuries.tolist() == [0, 1, 0, 1, 0]
    assert st.rolls_left == 2
    assert st.icons.tolist() == [0, 1, 2, 0, 0]


def test_a_roll_is_of_those_who_are_up_and_of_loot_dice() -> None:
    two = {"roll_number": 2, "left": "mage 2"}
    st = lay(roll="decker S-I-, face I", hurt="bo", dead="Cor", in_play="die:decker", **two)
    assert st.pool.tolist() == [0, 4, 0, 0, 1]
    assert st.rolled == 0b001
    st = lay(roll="decker S-I-S, face I, rigger -", dead="Cor", in_play="die:decker", **two)
    assert st.pool.tolist() == [0, 7, 0, 1, 1]
    assert st.successes.tolist() == [0, 2 + 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("mage 1", {"mage": 1}),
        ("1 mage", {"mage": 1}),
        (" Mage 2 ,street samurai 10", {"mage": 2, "street_samurai": 10}),
    ],
)
def test_icons_are_read_as_people_write_them(text: str, counts: dict[str, int]) -> None:
    assert read_counts(text) == counts


WRONG: dict[str, tuple[Data, str]] = {
    "no such Stage": ({"stage": 4}, "there is no Stage 4; Stages are 1 to 3"),
    "Stage 0": ({"stage": 0}, "there is no Stage 0; Stages are 1 to 3"),
    "no such roll": ({"roll_number": 4}, "a Stage has rolls 1 to 3, not 4 (M6)"),
    "roll 0": ({"roll_number": 0}, "a Stage has rolls 1 to 3, not 0 (M6)"),
    "left, but which roll": (
        {"left": "mage 1"},
        "say which roll of the Stage it is: 1, 2 or 3 (--roll-number)",
    ),
    "in play, but which roll": (
        {"in_play": "die:mage"},
        "say which roll of the Stage it is: 1, 2 or 3 (--roll-number)",
    ),
    "what is left": ({"roll_number": 2}, "say which icons are left before roll 2: --left 'mage 1'"),
    "too many left": (
        {"roll_number": 2, "left": "mage 3"},
        "Stage 1 has 2 Mage icons; 3 cannot be left",
    ),
    "left, but not printed": (
        {"roll_number": 2, "left": "face 1"},
        "Stage 1 has no Face icons; 1 cannot be left",
    ),
    "left twice": ({"roll_number": 2, "left": "mage 1, mage 1"}, "Mage is named twice in 'mage 1, mage 1'"),
    "left by two names": (
        {"roll_number": 2, "left": {"decker": 1, "Decker": 1}},
        "Stage 1 has 1 Decker icon; 2 cannot be left",
    ),
    "fewer than none left": (
        {"roll_number": 2, "left": {"mage": -1, "decker": 1}},
        "Stage 1 has 2 Mage icons; -1 cannot be left",
    ),
    "half an icon": ({"roll_number": 2, "left": {"mage": 1.5}}, "1.5 is not a number of icons"),
    "nothing left": (
        {"roll_number": 2, "left": "mage 0"},
        "no icons are left: Stage 1 is cleared; ask about the next",
    ),
    "defeated before the first roll": (
        {"roll_number": 1, "left": "mage 2"},
        "before its first roll all icons of Stage 1 are left (M6)",
    ),
    "no number": (
        {"roll_number": 2, "left": "mage"},
        "'mage' is not a role and a number of icons, as in 'mage 1'",
    ),
    "no role": ({"roll_number": 2, "left": "1"}, "'1' is not a role and a number of icons, as in 'mage 1'"),
    "empty left": ({"roll_number": 2, "left": ""}, "'' is not a role and a number of icons, as in 'mage 1'"),
    "unknown role left": (
        {"roll_number": 2, "left": "magi 1"},
        "'magi' is not a role; the roles are street_samurai, decker, mage, rigger, face; did you mean "
        "'mage'?",
    ),
    "unknown role rolled": (
        {"roll": "deker SS"},
        "'deker' is not a role; the roles are street_samurai, decker, mage, rigger, face; did you mean "
        "'decker'?",
    ),
    "no faces": (
        {"roll": "decker"},
        "'decker' is not a role and its faces, as in 'decker SSI-': S a success, I an injury, - a blank",
    ),
    "no such face": (
        {"roll": "decker SSX-"},
        "'decker SSX-' is not a role and its faces, as in 'decker SSI-': S a success, I an injury, - a blank",
    ),
    "empty roll": (
        {"roll": ""},
        "'' is not a role and its faces, as in 'decker SSI-': S a success, I an injury, - a blank",
    ),
    "rolled twice": ({"roll": "face -, face -"}, "Face is named twice in 'face -, face -'"),
    "a colour left out": (
        {"roll": "decker SSI-, samurai S-, rigger I"},
        "0 faces for Face, where 1 die is rolled: the pool has 1 (Ann 1)",
    ),
    "a colour nobody has": (
        {"roll": EVERYONE + ", mage S"},
        "1 face for Mage, where 0 dice are rolled: the pool has none",
    ),
    "too few faces": (
        {"roll": EVERYONE.replace("S-,", "S,")},
        "1 face for Street Samurai, where 2 dice are rolled: the pool has 2 (Cor 2)",
    ),
    "dice set aside": (
        {"roll": EVERYONE.replace("SSI-", "SSI---")},
        "6 faces for Decker, where 4 dice are rolled: the pool has 6 (Ann 3, Bo Diddley 3), of which two are "
        "set aside for a certain success: leave them out (M2)",
    ),
    "a Loot die": (
        {"roll": EVERYONE, "roll_number": 1, "in_play": "die:mage"},
        "0 faces for Mage, where 1 die is rolled: the pool has 1 (Loot 1)",
    ),
    "the dice of who is down": (
        {"roll": "decker SS-, samurai S-, rigger I, face -", "hurt": "bo"},
        "1 face for Rigger, where 0 dice are rolled: the pool has none, for Bo Diddley is down",
    ),
    "no such runner": (
        {"hurt": "Dee"},
        "no runner of this team is called 'Dee'",
    ),
    "hurt twice": ({"hurt": ("Ann", "ann")}, "Ann is named twice as hurt"),
    "hurt and dead": ({"hurt": "Ann", "dead": "Ann"}, "Ann is named as hurt and as dead"),
    "no plate": ({"plate_used": "Cor"}, "Cor has no Dermal Plating"),
    "nobody up": (
        {"hurt": "Ann", "dead": "Cor", "rescued": "Bo"},
        "nobody is up; the Mission is over (M7, M8)",
    ),
    "no Loot die": (
        {"roll_number": 1, "in_play": "success:mage"},
        "'success:mage' is no Loot die; only dice stay in play in a Stage (M5)",
    ),
    "no Loot": (
        {"roll_number": 1, "in_play": "die:magi"},
        "'die:magi' is no Loot die; only dice stay in play in a Stage (M5)",
    ),
    "Loot not held": (
        {"roll_number": 1, "in_play": ("die:mage", "die:mage")},
        "'die:mage' is in play more often than among the scenario's Loot cards",
    ),
}
"""Situations that cannot be, and what is said of them."""


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_and_what_is_allowed_is_said(what: str) -> None:
    told, message = WRONG[what]
    with pytest.raises(SprawlsimError, match="^" + re.escape(message)):
        lay(**told)


def test_a_stage_that_a_perk_clears_is_not_rolled() -> None:
    with pytest.raises(SprawlsimError, match=re.escape("a perk clears Stage 1 without a roll (G10)")):
        lay(PERK, roll_number=1)
    assert lay(PERK, stage=1).stage == 0
    assert lay(PERK, stage=2, roll_number=1).icons.tolist() == [0, 4, 0, 0, 0]


def test_runners_of_one_name_cannot_be_told_apart() -> None:
    twins = CREW | {"runners": [CREW["runners"][0], CREW["runners"][0]]}
    with pytest.raises(SprawlsimError, match="2 runners are called Ann; advice tells them apart by name"):
        advise_scenario(scenario_from_dict(twins), Situation())


def test_at_least_one_play_is_told() -> None:
    with pytest.raises(SprawlsimError, match="at least one play is told, not 0"):
        advise_scenario(scenario_from_dict(CREW), Situation(), top=0)


@pytest.mark.parametrize(
    "told", [{"stage": 2}, {"roll_number": 1}, {"roll": "decker SS-, samurai S-, rigger -"}]
)
def test_a_commlink_has_a_colour_once_the_mission_is_under_way(told: Data) -> None:
    with pytest.raises(SprawlsimError) as error:
        advise("make some noise", "tamsynn, lazar + commlink", **told)
    assert str(error.value) == (
        "Lazar's Commlink was set before the Mission; say its colour, as in 'Commlink(street samurai)'"
    )
    said = advise("make some noise", "tamsynn + commlink, lazar", stage=3)
    assert "Commlink(decker)" in said.team, "it can have no other colour"
    before = advise("make some noise", "tamsynn, lazar + commlink")
    assert any(note.startswith("Lazar's Commlink was set to ") for note in before.notes)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({}, "before Stage 1 of 3"),
        ({"stage": 3, "hurt": "Ann"}, "before Stage 3 of 3"),
        (
            {"roll_number": 2, "left": "mage 1, decker 1"},
            "Stage 1 of 3, before roll 2, 1 Decker, 1 Mage to defeat",
        ),
        ({"stage": 2, "roll": EVERYONE}, "Stage 2 of 3, roll 1, 4 Decker to defeat"),
    ],
)
def test_where_the_mission_stands_is_said_in_words(told: Data, words: str) -> None:
    small = CREW | {"loot_cards": [], "rerolls": 0}
    assert advise_scenario(scenario_from_dict(small), Situation(**told)).situation == words


def test_a_death_that_the_rules_rule_out_is_refused_where_safety_counts() -> None:
    """A's second injury would have to come of a roll that B could take it in (M11)."""
    scenario = scenario_from_dict(
        {
            "stages": [{"icons": {"decker": 1}}, {"icons": {"mage": 1}}],
            "runners": [
                {"name": "A", "dice": {"decker": 2}},
                {"name": "B", "dice": {"decker": 1, "mage": 1}},
            ],
            "objective": {"completion": 0, "safe": 1},
        }
    )
    with pytest.raises(SprawlsimError, match="M11"):
        advise_scenario(scenario, Situation(stage=2, dead=("A",)))
