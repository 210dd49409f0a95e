"""Between the package's records and the twin's situations; every legal play by the package's own rules.

The searches here decide nothing and know no rule: they try every order of the primitives in ``rules.py``.
What the rules leave to their caller is done as the policies do it: a success that cancels leaves the table
together with its injury, an ignored injury leaves with its card, and what is not used is lost.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import twin
from hypothesis import strategies as st
from twin import COLOURS, Case, Reroll, Roll, Situation

from sprawlsim.sprawlops.dice import certain_successes
from sprawlsim.sprawlops.mission import rules
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    DIE_CARD,
    ENDED,
    EVACUATE,
    IGNORE_INJURY,
    REROLL_DIE,
    ROLLING,
    SUCCESS_CARD,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.attempt import new_tools
from sprawlsim.sprawlops.mission.balanced import play_balanced
from sprawlsim.sprawlops.mission.plays import BALANCED, BEFORE, TABLE, play_plainly
from sprawlsim.sprawlops.mission.policies import (
    GO,
    POLICIES,
    PULL_OUT,
    SKIP,
    choose_reroll,
    choose_stage,
    play_die_cards,
)
from sprawlsim.sprawlops.mission.scenario import CARD_KIND, scenario_from_dict

PHASES = {"between": BETWEEN, "rolling": ROLLING, "ended": ENDED}
CONDITIONS = ("up", "injured", "rescued", "dead")
"""In the order of the package's numbers."""
MOVES = {GO: "go", SKIP: "skip", PULL_OUT: "pull out"}
FIVE = range(5)

Data = dict[str, Any]


def arrays_of(scenario: Data) -> Record:
    """Return a scenario as the package's record."""
    return scenario_from_dict(scenario).arrays()


def mask_of(flags: tuple[bool, ...]) -> int:
    return sum(1 << n for n, flag in enumerate(flags) if flag)


def members(mask: int, count: int) -> tuple[int, ...]:
    return tuple(n for n in range(count) if mask >> n & 1)


def state_of(s: Situation) -> Record:
    """Return a situation of the twin as the package has it when no dice are on the table."""
    state = new_states(1)[0]
    state.stage = s.stage
    state.phase = PHASES[s.phase]
    if s.phase == "rolling":
        state.rolls_left = s.rolls_left
        state.icons = s.icons
        state.bonus = s.bonus
    for n, condition in enumerate(s.condition):
        state.condition[n] = CONDITIONS.index(condition)
    state.plates = mask_of(s.plates)
    state.own_tokens = mask_of(s.own_tokens)
    state.tokens = s.tokens
    state.rerolls = s.rerolls
    for card in s.cards:
        state.cards[CARD_KIND[card]] += 1
    state.cleared = sum(1 << n for n in s.cleared)
    state.reached = sum(1 << n for n in s.reached)
    state.completed = s.completed
    return state


def situation_of(scn: Record, state: Record, in_hand: bool = False) -> Situation:
    """Return a situation of the package as the twin has it.

    ``in_hand``: a roll was taken that the package no longer counts in ``rolls_left``, and the twin does.
    """
    stages, runners = int(scn.n_stages), int(scn.n_runners)
    phase = next(name for name, number in PHASES.items() if number == state.phase)
    cards = [card for card, kind in CARD_KIND.items() for _ in range(state.cards[kind])]
    icons, rolls_left, bonus = twin.NOTHING, 0, twin.NOTHING
    if phase == "between":
        icons, rolls_left = tuple(scn.icons[state.stage].tolist()), twin.ROLLS_PER_STAGE
        assert state.bonus.tolist() == [0] * 5
    elif phase == "rolling":
        icons, rolls_left = tuple(state.icons.tolist()), int(state.rolls_left) + in_hand
        bonus = tuple(state.bonus.tolist())
    plates, own = members(state.plates, 8), members(state.own_tokens, 8)
    return Situation(
        stage=int(state.stage),
        phase=phase,
        rolls_left=rolls_left,
        icons=icons,
        condition=tuple(CONDITIONS[number] for number in state.condition.tolist()[:runners]),
        plates=tuple(n in plates for n in range(runners)),
        own_tokens=tuple(n in own for n in range(runners)),
        tokens=int(state.tokens),
        cards=tuple(sorted(cards)),
        bonus=bonus,
        rerolls=int(state.rerolls),
        cleared=members(state.cleared, stages),
        reached=members(state.reached, stages),
        nuyen=int(rules.nuyen_won(scn, int(state.cleared), int(state.completed))),
        loot=int(rules.loot_won(scn, int(state.cleared))),
        completed=bool(state.completed),
    )


def lay(state: Record, roll: Roll) -> None:
    """Let the dice in hand fall with these faces."""
    for colour, (successes, injuries, blank) in enumerate(roll):
        assert state.hand[colour] == successes + injuries + blank
        rules.let_fall(state, colour, successes, injuries)


def rolled_of(scn: Record, s: Situation, roll: Roll) -> Record:
    """Return the package's state in which this roll of the situation's pool lies on the table."""
    state = state_of(s)
    rules.take_dice(scn, state)
    lay(state, roll)
    return state


def faces_of(state: Record) -> Roll:
    """Return the dice on the table, certain successes and dice set aside left out."""
    shown = []
    for c in FIVE:
        sure = int(certain_successes(int(state.pool[c])))
        shown.append((int(state.successes[c]) - sure, int(state.injuries[c])))
    return tuple((*faces, int(rules.blanks(state, c)) - int(state.hand[c])) for c, faces in enumerate(shown))


def spread(states: list[Record], steps: Any) -> list[Record]:
    """Return all states that any number of steps can reach, each once."""
    seen = {state.tobytes(): state for state in states}
    waiting = list(seen.values())
    while waiting:
        for after in steps(waiting.pop()):
            key = after.tobytes()
            if key not in seen:
                seen[key] = after
                waiting.append(after)
    return list(seen.values())


def cancel(state: Record, success: int, injury: int) -> None:
    """Cancel an injury with a success of any colour (M4)."""
    state.successes[success] -= 1
    state.injuries[injury] -= 1


def ignore(state: Record, injury: int) -> None:
    """Ignore an injury with the Loot card."""
    state.cards[IGNORE_INJURY] -= 1
    state.injuries[injury] -= 1


def uses_of_roll(state: Record) -> Iterator[Record]:
    """Yield what one more success or card used can make of the roll."""

    def after(primitive: Any, *where: int) -> Record:
        new = state.copy()
        primitive(new, *where)
        return new

    cards = state.cards.tolist()
    successes, injuries, icons = (state[key].tolist() for key in ("successes", "injuries", "icons"))
    for c in FIVE:
        if cards[SUCCESS_CARD + c]:
            yield after(rules.play_success_card, c)
        if injuries[c] and cards[IGNORE_INJURY]:
            yield after(ignore, c)
        if successes[c] and icons[c]:
            yield after(rules.defeat_directly, c)
        for other in FIVE:
            if successes[c] >= 2 and icons[other]:
                yield after(rules.defeat_with_pair, c, other)
            if successes[c] and injuries[other]:
                yield after(cancel, c, other)


def injuries_of_roll(scn: Record, state: Record) -> Iterator[Record]:
    """Yield what the next injury, of any colour, can do."""
    for c in FIVE:
        if state.injuries[c] == 0:
            continue
        targets = members(rules.legal_targets(scn, state, c), int(scn.n_runners))
        if not targets:
            lost = state.copy()
            lost.injuries[c] -= 1
            yield lost
        for runner in targets:
            hurt = state.copy()
            hurt.injuries[c] -= 1
            dies = rules.would_die(scn, hurt, runner)
            rules.assign_injury(scn, hurt, runner)
            yield hurt
            if dies and rules.can_rescue(hurt, runner):
                rescued = hurt.copy()
                rules.rescue(rescued, runner)
                yield rescued


def results_of(scn: Record, rolled: Record) -> set[Situation]:
    """Return every situation that the package's rules can make of a roll on the table, rerolls left out."""
    results = set()
    if rolled.cards[EVACUATE]:
        away = rolled.copy()
        rules.evacuate(away, EVACUATE)
        results.add(situation_of(scn, away))
    used = spread([rolled], uses_of_roll)
    for state in used:
        state.successes = 0
    for state in spread(used, lambda state: injuries_of_roll(scn, state)):
        if not any(state.injuries.tolist()):
            judged = state.copy()
            rules.judge(scn, judged)
            results.add(situation_of(scn, judged))
    return results


def without_borrowed_tokens(before: Situation, results: set[Situation]) -> set[Situation]:
    """Leave out rescues by a player's token of a runner who still has one of its own.

    The package spends the runner's own token first, which nothing else could use (G8).
    """
    return {
        after
        for after in results
        if not any(
            was == "up" and now == "rescued" and own
            for was, now, own in zip(before.condition, after.condition, after.own_tokens, strict=True)
        )
    }


def moves_between(scn: Record, state: Record) -> dict[str, Situation]:
    """Return what the package's rules allow between Stages."""
    moves = {}
    going = state.copy()
    rules.start_stage(scn, going)
    moves["go"] = situation_of(scn, going)
    if rules.is_optional(scn, int(state.stage)):
        skipping = state.copy()
        rules.skip_stage(scn, skipping)
        moves["skip"] = situation_of(scn, skipping)
    leaving = state.copy()
    rules.pull_out(leaving)
    moves["pull out"] = situation_of(scn, leaving)
    return moves


def moves_before_roll(scn: Record, state: Record) -> set[Situation]:
    """Return the situations that die cards, or Evacuate, can lead to before a roll."""

    def steps(before: Record) -> Iterator[Record]:
        for c in FIVE:
            if before.cards[DIE_CARD + c]:
                after = before.copy()
                rules.play_die_card(after, c)
                yield after

    moves = {situation_of(scn, after) for after in spread([state], steps)}
    if state.cards[EVACUATE]:
        away = state.copy()
        rules.evacuate(away, EVACUATE)
        moves.add(situation_of(scn, away))
    return moves


def rerolls_of(scn: Record, rolled: Record) -> set[Reroll]:
    """Return every way to take dice up again, by a free reroll or by the card that rerolls one die."""
    options = set()
    free, card = int(rolled.rerolls), int(rolled.cards[REROLL_DIE])
    per_colour = [
        list(product(*(range(most + 1) for most in colour_faces))) for colour_faces in faces_of(rolled)
    ]
    if not free and not card:
        return options
    for taken in product(*per_colour):
        after = rolled.copy()
        for c, (successes, injuries, blank) in enumerate(taken):
            rules.take_up(after, c, successes, injuries, blank)
        picked = int(after.hand.sum())
        kept, hand = faces_of(after), tuple(after.hand.tolist())
        for pays, holds in (("free", free and picked > 0), ("card", card and picked == 1)):
            if holds:
                paid = after.copy()
                if pays == "free":
                    paid.rerolls -= 1
                else:
                    paid.cards[REROLL_DIE] -= 1
                options.add(Reroll(kept, hand, situation_of(scn, paid, in_hand=True)))
    return options


class CompiledPolicy:
    """A policy of the package as the twin asks it: one decision at a time."""

    def __init__(self, scenario: Data, name: str):
        self.scn = arrays_of(scenario)
        self.number = POLICIES[name]
        self.tools = new_tools()
        self.asked: tuple[Situation, Roll] | None = None
        self.rerolls = False

    def between(self, scenario: twin.Scenario, s: Situation) -> str:
        """Go, skip or pull out."""
        return MOVES[int(choose_stage(self.scn, state_of(s), self.number, self.tools.outlook))]

    def before_roll(self, scenario: twin.Scenario, s: Situation) -> Situation:
        """Play die cards."""
        state = state_of(s)
        play_die_cards(self.scn, state, self.number)
        return situation_of(self.scn, state)

    def face(self, s: Situation, shown: Roll) -> Record:
        """Use a roll, or take dice up again; the table afterwards, not yet judged."""
        work, outlook = self.tools.work, self.tools.outlook
        if self.asked != (s, shown):
            work.at[TABLE] = rolled_of(self.scn, s, shown)
            work.at[BEFORE] = work.at[TABLE]
            if self.number == BALANCED:
                play_balanced(self.scn, work, outlook)
            else:
                play_plainly(self.scn, work, self.number, outlook)
            self.rerolls = bool(choose_reroll(self.scn, work, self.number, outlook))
            self.asked = (s, shown)
        return work.at[TABLE]

    def reroll(self, scenario: twin.Scenario, s: Situation, shown: Roll) -> Reroll | None:
        """Take dice up again, or None."""
        table = self.face(s, shown)
        if not self.rerolls:
            return None
        return Reroll(
            faces_of(table), tuple(table.hand.tolist()), situation_of(self.scn, table, in_hand=True)
        )

    def play(self, scenario: twin.Scenario, s: Situation, shown: Roll) -> Situation:
        """Use the roll, and judge."""
        table = self.face(s, shown).copy()
        assert not self.rerolls
        if table.phase != ENDED:
            rules.judge(self.scn, table)
        return situation_of(self.scn, table)


LOOT = [f"{kind}:{colour}" for kind in ("success", "die") for colour in COLOURS]
WEIGHTS = [
    {},
    {"injury": -0.2, "death": -0.6},
    {"nuyen": 0.05, "loot": 0.3},
    {"nuyen": 0.1, "loot": 0.2, "injury": -0.4, "death": -0.9},
]


@st.composite
def scenarios(draw: st.DrawFn, most_runners: int = 3, most_dice: int = 6) -> Data:
    """Draw a small scenario: few colours that are often shared, often five dice or nearly of one."""
    colours = draw(st.lists(st.sampled_from(COLOURS), min_size=1, max_size=3, unique=True))
    kind = draw(st.sampled_from(("mission", "mission", "mission", "task", "final")))
    runners = []
    for _ in range(1 if kind == "task" else draw(st.integers(1, most_runners))):
        dice = {draw(st.sampled_from(colours)): draw(st.integers(1, most_dice))}
        dice |= {draw(st.sampled_from(colours)): draw(st.integers(1, 2))}
        runners.append(
            {"dice": dice, "dermal_plating": draw(st.booleans()), "docwagon_token": draw(st.booleans())}
        )
    stages = []
    for _ in range(1 if kind == "task" else draw(st.integers(1, 3))):
        wanted = draw(st.lists(st.sampled_from((*colours, *COLOURS)), min_size=1, max_size=4))
        stage: Data = {"icons": {colour: wanted.count(colour) for colour in wanted}}
        if kind != "final":
            stage["payout"] = draw(st.integers(0, 3))
        if kind == "mission":
            stage["loot"] = draw(st.sampled_from((0, 0, 1, 2)))
        stages.append(stage)
    named = [card for card in LOOT if card.split(":")[1] in colours]
    held = st.sampled_from((*named, *LOOT, "ignore-injury", "reroll-die", "evacuate"))
    scenario: Data = {
        "stages": stages,
        "runners": runners,
        "docwagon_tokens": draw(st.integers(0, 2)),
        "payout": 0 if kind == "final" else draw(st.integers(0, 5)),
        "loot_cards": draw(st.lists(held, max_size=3)),
        "rerolls": draw(st.sampled_from((0, 0, 1, 2))),
        "task": kind == "task",
        "final": kind == "final",
        "objective": draw(st.sampled_from(WEIGHTS)),
    }
    if kind == "mission":
        for perk in ("clears_first_stage", "clears_last_stage", "loot_for_first_stage"):
            scenario[perk] = draw(st.sampled_from((False, False, True)))
    return scenario


def few_faces(case: Case, s: Situation, dice: Any, successes: int = 5, injuries: int = 4) -> Roll:
    """Return a random roll with many harmful and helpful faces, but not too many for a search."""
    shown = []
    for count in twin.pool(case, s)[0]:
        faces = [dice.choice("SSII--") for _ in range(count)]
        won = min(successes, faces.count("S"))
        hurt = min(injuries, faces.count("I"))
        successes, injuries = successes - won, injuries - hurt
        shown.append((won, hurt, count - won - hurt))
    return tuple(shown)
