"""The rulebook's worked example, mended as the rulings say, replayed through the package's own rules."""

import pytest
from support import arrays_of, cancel, lay, situation_of
from test_twin import roll

from sprawlsim.sprawlops.mission import rules
from sprawlsim.sprawlops.mission.arrays import BETWEEN, ENDED, ROLLING, new_states

pytestmark = pytest.mark.nojit

SAMURAI, DECKER, MAGE, RIGGER, FACE = range(5)
TAMSYNN, LAZAR = 0, 1
AQUA_FORTIS = "success:mage"

MAKE_SOME_NOISE = {
    "runners": [
        {"name": "Tamsynn", "dice": {"decker": 3}, "dermal_plating": True},
        {"name": "Lazar", "dice": {"street_samurai": 3, "rigger": 2, "face": 1}},
    ],
    "docwagon_tokens": 1,
    "loot_cards": [AQUA_FORTIS],
    "payout": 4,
    "stages": [
        {"icons": {"mage": 3}},
        {"icons": {"decker": 4}, "loot": 1},
        {"icons": {"mage": 3}, "payout": 3},
        {"icons": {"face": 1}},  # not printed in the example, and not reached
    ],
}


class Table:
    """The Mission as it lies on the table: what players say and do, checked where the rules have a say."""

    def __init__(self):
        self.scn = arrays_of(MAKE_SOME_NOISE)
        self.state = new_states(1)[0]
        rules.set_up(self.scn, self.state)

    def go(self):
        assert self.state.phase == BETWEEN
        rules.start_stage(self.scn, self.state)
        assert self.state.phase == ROLLING

    def roll(self, **faces):
        rules.take_dice(self.scn, self.state)
        lay(self.state, roll(**faces))

    def own(self, colour):
        assert self.state.successes[colour] >= 1
        assert self.state.icons[colour] >= 1
        rules.defeat_directly(self.state, colour)

    def pair(self, colour, icon):
        assert self.state.successes[colour] >= 2
        assert self.state.icons[icon] >= 1
        rules.defeat_with_pair(self.state, colour, icon)

    def cancel(self, success, injury):
        assert self.state.successes[success] >= 1
        assert self.state.injuries[injury] >= 1
        cancel(self.state, success, injury)

    def hurt(self, runner, colour):
        """The injury goes to this runner, the only one it may go to; says whether that kills."""
        assert self.state.injuries[colour] >= 1
        assert rules.legal_targets(self.scn, self.state, colour) == 1 << runner
        dies = bool(rules.would_die(self.scn, self.state, runner))
        self.state.injuries[colour] -= 1
        rules.assign_injury(self.scn, self.state, runner)
        return dies

    def judge(self):
        assert self.state.injuries.tolist() == [0] * 5
        rules.judge(self.scn, self.state)

    def now(self, **expected):
        s = situation_of(self.scn, self.state)
        assert {key: getattr(s, key) for key in expected} == expected


def mage(icons):
    return (0, 0, icons, 0, 0)


def test_the_worked_example_roll_by_roll():
    table = Table()
    table.now(phase="between", stage=0, condition=("up", "up"), plates=(True, False), tokens=1)
    first_stage(table)
    second_stage(table)
    third_stage(table)
    table.now(
        phase="ended",
        completed=False,
        condition=("rescued", "injured"),
        plates=(False, False),
        tokens=0,
        cards=(),
        reached=(0, 1, 2),
        cleared=(0, 1, 2),
        nuyen=3,
        loot=1,
    )


def first_stage(table):
    unhurt = {"condition": ("up", "up"), "plates": (True, False), "tokens": 1, "cards": (AQUA_FORTIS,)}
    table.go()
    table.now(icons=mage(3), rolls_left=3)

    table.roll(decker="---", street_samurai="SS-", rigger="S-", face="S")
    assert table.state.pool.tolist() == [3, 3, 0, 2, 1]
    table.pair(SAMURAI, MAGE)
    table.judge()
    table.now(phase="rolling", icons=mage(2), rolls_left=2, **unhurt)

    table.roll(decker="SSI", street_samurai="S--", rigger="S-", face="S")
    assert table.state.successes.tolist() == [1, 2, 0, 1, 1], "successes of the first roll are lost"
    table.cancel(FACE, DECKER)
    table.pair(DECKER, MAGE)
    table.judge()
    table.now(phase="rolling", icons=mage(1), rolls_left=1, **unhurt)

    table.roll(decker="SSS", street_samurai="SI-", rigger="SI", face="I")
    table.cancel(SAMURAI, SAMURAI)
    table.cancel(RIGGER, RIGGER)
    table.cancel(DECKER, FACE)
    table.pair(DECKER, MAGE)
    assert table.state.successes.tolist() == [0] * 5
    table.judge()
    table.now(phase="between", stage=1, cleared=(0,), nuyen=0, loot=0, **unhurt)


def second_stage(table):
    assert rules.is_optional(table.scn, 1)
    table.go()
    table.now(icons=(0, 4, 0, 0, 0), rolls_left=3)

    table.roll(decker="SSS", street_samurai="SS-", rigger="--", face="-")
    for _ in range(3):
        table.own(DECKER)
    table.pair(SAMURAI, DECKER)
    table.judge()
    table.now(phase="between", stage=2, cleared=(0, 1), loot=1, nuyen=0, condition=("up", "up"))


def third_stage(table):
    table.go()
    table.roll(decker="SSI", street_samurai="---", rigger="I-", face="-")
    table.pair(DECKER, MAGE)
    assert not table.hurt(TAMSYNN, DECKER)
    table.now(condition=("up", "up"), plates=(False, False))
    assert not table.hurt(LAZAR, RIGGER)
    table.judge()
    table.now(phase="rolling", icons=mage(2), rolls_left=2, condition=("up", "injured"), tokens=1)

    table.roll(decker="SS-")
    assert table.state.pool.tolist() == [0, 3, 0, 0, 0], "Lazar's dice have left"
    table.pair(DECKER, MAGE)
    table.judge()
    table.now(phase="rolling", icons=mage(1), rolls_left=1, condition=("up", "injured"))

    table.roll(decker="II-")
    rules.play_success_card(table.state, MAGE)
    table.own(MAGE)
    assert not table.hurt(TAMSYNN, DECKER)
    assert table.hurt(TAMSYNN, DECKER)
    assert rules.can_rescue(table.state, TAMSYNN)
    rules.rescue(table.state, TAMSYNN)
    table.judge()
    assert table.state.phase == ENDED
