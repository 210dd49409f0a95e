"""Teams obey the equip rules, and their text form reads back."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprawlsim.errors import TeamError, UnknownNameError
from sprawlsim.sprawlops.cards import Gear, load_card_set
from sprawlsim.sprawlops.roles import Role
from sprawlsim.sprawlops.team import AnyRunner, Member, Team, parse_team, starting_team

CARDS = load_card_set("stand-in")

WORKED_EXAMPLE = (
    "Tamsynn + Datajack + Dermal Plating, Lazar + Jackrabbit + Tailored Pheromones + Commlink(street samurai)"
)


def team(text: str, *changes: str) -> Team:
    return parse_team(load_card_set("stand-in", changes) if changes else CARDS, text)


def test_the_worked_example_rolls_the_rulebooks_nine_dice() -> None:
    """Rulebook, "Build the Dice Pool", the Commlink mended to Samurai (rulings, worked example)."""
    example = team(WORKED_EXAMPLE)
    assert example.dice == {"street_samurai": 3, "decker": 3, "rigger": 2, "face": 1}
    tamsynn, lazar = example.members
    assert (tamsynn.name, tamsynn.dice, tamsynn.dermal_plating) == ("Tamsynn", {"decker": 3}, True)
    assert lazar.dice == {"street_samurai": 3, "rigger": 2, "face": 1}
    assert lazar.own_dice == {"street_samurai": 2, "rigger": 2, "face": 1}
    assert (lazar.dermal_plating, lazar.has_commlink, lazar.commlink) == (False, True, "street_samurai")
    assert not tamsynn.has_commlink


def test_the_tsurugi_deck_makes_tamsynn_a_veteran_decker() -> None:
    """Rulebook, "Automatic Success": 2 + Datajack 1 + Cyberdeck 2 = 5 Decker dice."""
    assert team("Tamsynn + Datajack + Dermal Plating + Tsurugi").dice == {"decker": 5}


def test_the_loan_value_adds_up_every_gray_icon() -> None:
    changes = ("Lazar.loan=3", "Jackrabbit.loan=2", "Tailored Pheromones.loan=1")
    assert team("Lazar + Jackrabbit + Tailored Pheromones", *changes).members[0].loan == 6


def test_an_open_commlink_may_take_any_colour_of_its_own_runner() -> None:
    """Appendix A, Max's Ironworks: any die on the card, its Gear or its Upgrades, and no other."""
    open_team = team("Tamsynn + Commlink, Lazar + Pocket Deck + Commlink + Tailored Pheromones, Corium")
    assert open_team.open_commlinks == 2
    assert open_team.dice == {"street_samurai": 2, "decker": 3, "mage": 3, "rigger": 1, "face": 1}
    assert open_team.members[1].commlink_choices == ("street_samurai", "decker", "rigger", "face")
    ways = open_team.with_commlinks_set()
    assert [tuple(member.commlink for member in way.members) for way in ways] == [
        ("decker", "street_samurai", None),
        ("decker", "decker", None),
        ("decker", "rigger", None),
        ("decker", "face", None),
    ]
    assert all(way.open_commlinks == 0 for way in ways)
    assert all(sum(way.dice.values()) == sum(open_team.dice.values()) + 2 for way in ways)


def test_a_team_without_open_commlinks_is_the_only_way() -> None:
    example = team(WORKED_EXAMPLE)
    assert example.open_commlinks == 0
    assert example.with_commlinks_set() == (example,)


def test_the_starting_team_is_tamsynns_set() -> None:
    starters = starting_team(CARDS)
    assert "Tamsynn" in [member.name for member in starters.members]
    assert sorted(member.runner.roles[0] for member in starters.members) == [
        "decker",
        "face",
        "street_samurai",
    ]
    assert len({member.runner.set for member in starters.members}) == 1  # type: ignore[union-attr]


def test_without_tamsynn_the_first_set_starts() -> None:
    renamed = starting_team(load_card_set("stand-in", ['Tamsynn.name="Somebody"']))
    assert [member.runner.set for member in renamed.members] == [1, 1, 1]  # type: ignore[union-attr]


def test_gear_goes_by_role_icons_any_one_of_which_suffices() -> None:
    assert team("Garage Rigger + Rapid Carbine").dice == {"street_samurai": 2, "rigger": 2}
    assert team("Lazar + Rapid Carbine + Long Rifle + Balanced Blade").dice["street_samurai"] == 7
    assert team("Corium + Jackrabbit").dice == {"mage": 3, "rigger": 1}


def test_dice_from_equipment_do_not_meet_a_requirement() -> None:
    with pytest.raises(TeamError) as caught:
        team("Tamsynn + Borrowed Talisman + Trained Intuition + Silver Focus")
    assert str(caught.value) == (
        "Tamsynn cannot equip Silver Focus: it requires a Mage role icon on the runner's card "
        "(dice from Gear and Upgrades do not count), and Tamsynn has Decker"
    )


def test_copies_are_counted_over_the_whole_team() -> None:
    two = "Tamsynn + Datajack, Lazar + Datajack"
    with pytest.raises(TeamError, match="Datajack is used 2 times, but there is one such card in the box"):
        team(two)
    assert team(two, "Datajack.copies=2").dice["decker"] == 4
    plates = ", ".join(f"{name} + dermal" for name in ("Tamsynn", "Lazar", "Corium", "Garage Rigger"))
    assert all(member.dermal_plating for member in team(plates).members)
    with pytest.raises(TeamError, match="Dermal Plating is used 4 times, but there are 3 such cards"):
        team(plates, "Dermal Plating.copies=3")


def test_a_hired_runner_may_be_another_players_starter_or_a_fifth() -> None:
    hired = team("Tamsynn, Friendly, Steady, Lazar, hired Quiet Decker + Datajack, HIRED Corium")
    assert [member.hired for member in hired.members] == [False, False, False, False, True, True]
    assert str(hired).endswith("hired Quiet Decker + Datajack, hired Corium")
    assert parse_team(CARDS, str(hired)) == hired


BAD_TEAMS = [
    ("", TeamError, ["at least one runner"]),
    ("  ", TeamError, ["at least one runner"]),
    ("Tamsynn,", TeamError, ["name missing", "comma"]),
    ("Tamsynn + + Datajack", TeamError, ["name missing", "plus sign"]),
    ("hired", TeamError, ["name missing"]),
    ('Tamsynn + "Datajack', TeamError, ["quotation mark", "not closed"]),
    ("Tamsynn + Commlink(", TeamError, ["'Commlink('", "Commlink(COLOUR)"]),
    ("Tamsyn Two", UnknownNameError, ["no starting runner or runner is called", "did you mean 'Tamsynn'"]),
    ("samurai", UnknownNameError, ["could be any of", "Steady Samurai", "Towering Samurai"]),
    ("Tamsynn + datajock", UnknownNameError, ["no Gear card or Upgrade", "did you mean 'Datajack'"]),
    (
        "Datajack",
        UnknownNameError,
        ["Datajack is an Upgrade", "begins with a runner", "write the runner first"],
    ),
    ("Long Rifle, Lazar", UnknownNameError, ["Long Rifle is a Gear card", "begins with a runner"]),
    ("Tamsynn + Lazar", UnknownNameError, ["Lazar is a runner", "part runners by commas"]),
    ("Lazar + Tamsynn", UnknownNameError, ["Tamsynn is a starting runner", "part runners by commas"]),
    ("Tamsynn + Aqua Fortis", UnknownNameError, ["Aqua Fortis is a Loot card", "held by the player"]),
    ("Tamsynn, Make Some Noise", UnknownNameError, ["Make Some Noise is a Mission", "leave it out"]),
    ("Tamsynn + Datasteal", UnknownNameError, ["Datasteal is a Task", "leave it out"]),
    ("Tamsynn + Silver Focus", TeamError, ["cannot equip Silver Focus", "Mage role icon"]),
    ("Tamsynn + Rapid Carbine", TeamError, ["requires a Street Samurai or Rigger role icon"]),
    (
        "Tamsynn + Dermal Plating + dermal",
        TeamError,
        ["2 Upgrades of one kind", "at most one Dermal Plating"],
    ),
    ("Tamsynn + Commlink + Commlink", TeamError, ["at most one Commlink"]),
    (
        "Tamsynn + Datajack + Martial Arts",
        TeamError,
        ["Datajack, Martial Arts", "at most one '+1 die' Upgrade"],
    ),
    ("Tamsynn + Commlink(mage)", TeamError, ["cannot be Mage", "here Decker"]),
    ("Lazar + Commlink(decker)", TeamError, ["cannot be Decker", "here Street Samurai or Rigger"]),
    ("Tamsynn + Commlink(hacker)", TeamError, ["'hacker' is not a role", "street_samurai, decker"]),
    ("Tamsynn + Commlink()", TeamError, ["'' is not a role"]),
    ("Tamsynn + Datajack(mage)", TeamError, ["only a Commlink has a colour", "write Datajack alone"]),
    ("Tamsynn, Tamsynn", TeamError, ["Tamsynn is used 2 times", "one such card"]),
    ("Lazar, hired Lazar", TeamError, ["Lazar is used 2 times"]),
    ("Steady Samurai, hired Tamsynn", TeamError, ["Tamsynn", "own starting set 1", "Dante's Inferno"]),
    ("Tamsynn, Quiet Decker", TeamError, ["one set of three", "Tamsynn (set 1), Quiet Decker (set 2)", "G2"]),
    ("Lazar, Corium, Garage, Budding, Veteran", TeamError, ["at most 4 runners of its own", "has 5"]),
    (
        "Lazar, "
        + ", ".join(f"hired {name}" for name in ("Corium", "Garage", "Budding", "Veteran", "Towering"))
        + ", hired Learned, hired Mystic, hired Roving",
        TeamError,
        ["at most 8 runners", "not 9"],
    ),
]


@pytest.mark.parametrize(("text", "error", "parts"), BAD_TEAMS, ids=[text for text, _, _ in BAD_TEAMS])
def test_a_bad_team_is_one_sentence_about_the_rule(
    text: str, error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        team(text)
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_rules_hold_for_teams_built_by_hand() -> None:
    tamsynn, lazar = CARDS.starting_runners[1], CARDS.runners[0]
    with pytest.raises(TeamError, match="no Commlink whose colour"):
        Member(tamsynn, commlink="decker")
    with pytest.raises(TeamError, match="at least one runner"):
        Team(())
    with pytest.raises(TeamError, match="used 2 times"):
        Team((Member(lazar), Member(lazar, hired=True)))


def test_the_order_of_writing_equipment_makes_no_difference() -> None:
    items = ["Jackrabbit", "Long Rifle", "Commlink(rigger)", "Martial Arts", "Dermal Plating"]
    teams = {team(" + ".join(["Lazar", *order])) for order in itertools.permutations(items)}
    assert len(teams) == 1
    assert len({str(one) for one in teams}) == 1


def test_names_with_signs_of_the_text_form_are_quoted() -> None:
    cards = load_card_set(
        "stand-in",
        [
            "Lazar.name='Hired Gun, Jr.'",
            "Jackrabbit.name='Van + Trailer (old)'",
            "Commlink.name='Commlink (basic)'",
            "Datajack.name='Jack'",
        ],
    )
    odd = parse_team(cards, '"Hired Gun, Jr." + "Van + Trailer (old)" + "Commlink (basic)"(rigger) + jack')
    assert odd.dice == {"street_samurai": 2, "decker": 1, "rigger": 3}
    assert not odd.members[0].hired
    assert parse_team(cards, str(odd)) == odd
    assert parse_team(cards, "hired " + str(odd)).members[0].hired


@st.composite
def teams(draw: st.DrawFn) -> Team:
    """Draw a legal team: each card once, each runner with what it may carry."""
    number = draw(st.integers(1, 4))
    own = [runner for runner in CARDS.starting_runners if runner.set == number]
    choice: list[AnyRunner] = [*own, *CARDS.runners]
    runners = draw(st.lists(st.sampled_from(choice), min_size=1, max_size=4, unique=True))
    gear: list[Gear] = draw(st.lists(st.sampled_from(CARDS.gear), unique=True, max_size=8))
    chips = draw(st.permutations([card for card in CARDS.upgrades if card.kind == "die"]))
    plating, commlink = CARDS.upgrades[:2]
    members = []
    for i, runner in enumerate(runners):
        mine = tuple(
            card
            for card in gear[i :: len(runners)]
            if not card.requirement or set(card.requirement) & set(runner.roles)
        )
        upgrades = [card for card in (plating, commlink, chips[i]) if draw(st.booleans())]
        hired = draw(st.booleans()) and runner not in own
        member = Member(runner, mine, tuple(upgrades), None, hired)
        colour: Role | None = None
        if member.has_commlink and draw(st.booleans()):
            colour = draw(st.sampled_from(member.commlink_choices))
        members.append(Member(runner, mine, tuple(upgrades), colour, member.hired))
    return Team(tuple(members))


@given(teams())
def test_the_text_form_reads_back_to_an_equal_team(drawn: Team) -> None:
    assert parse_team(CARDS, str(drawn)) == drawn
    assert parse_team(CARDS, str(drawn).upper()) == drawn


@given(teams())
def test_the_pool_is_the_sum_of_every_printed_die_and_set_commlink(drawn: Team) -> None:
    printed = sum(sum(card.dice.values()) for member in drawn.members for card in member.cards)
    set_links = sum(member.commlink is not None for member in drawn.members)
    assert sum(drawn.dice.values()) == printed + set_links


@given(st.text(alphabet='Tamsynn,+()" Lzrhiedjck', max_size=30))
def test_any_text_is_a_team_or_one_sentence(text: str) -> None:
    try:
        drawn: Team | None = parse_team(CARDS, text)
    except (TeamError, UnknownNameError) as error:
        drawn, told = None, str(error)
    else:
        told = str(drawn)
    assert drawn is None or parse_team(CARDS, told) == drawn
    assert told
    assert "\n" not in told
