"""The story of a game: the dice of a Mission, a Task or the Final Mission, roll by roll."""

from __future__ import annotations

from collections.abc import Iterator

from sprawlsim.sprawlops.dice import certain_successes
from sprawlsim.sprawlops.game.arrays import A_FINAL, A_TASK, Record
from sprawlsim.sprawlops.game.story_teams import team_names
from sprawlsim.sprawlops.game.story_turns import Told
from sprawlsim.sprawlops.game.trial_replay import (
    FIVE,
    JUDGED,
    SETTLED,
    TAKEN_UP,
    THROWN,
    USED,
    Counts,
    Replay,
    Use,
    explain_use,
    only_way,
)
from sprawlsim.sprawlops.game.trials import (
    DATASTEAL_TASK,
)
from sprawlsim.sprawlops.game.words import LABELS, counted, dice_in_words
from sprawlsim.sprawlops.mission.advice_words import listed
from sprawlsim.sprawlops.mission.arrays import (
    CARD_KINDS,
    COLOURS,
    DEAD,
    DIE_CARD,
    ENDED,
    EVACUATE,
    IGNORE_INJURY,
    REROLL_DIE,
    RESCUED,
    ROLLING,
    ROLLS_PER_STAGE,
    SUCCESS_CARD,
)
from sprawlsim.sprawlops.mission.rules import anyone_up, legal_targets

Line = tuple[int, str]
"""How far a line is indented, and what it says."""


class TrialTeller:
    """Tells an attempt that was played again.

    Parameters
    ----------
    told : Told
    game : record of `GAME`
        Before the dice, the team chosen.
    replay : Replay
    """

    def __init__(self, told: Told, game: Record, replay: Replay) -> None:
        self._replay, self._scene, self._names = replay, replay.scene, told.names
        self._team = team_names(told, game)
        kinds = told.cards.loot_kind
        self._what = {A_TASK: "Task", A_FINAL: "Final Mission"}.get(int(game.trial), "Mission")
        self._pays = game.trial != A_TASK or game.mission != DATASTEAL_TASK
        self._drawn = iter(replay.drawn)
        self._by_kind: dict[int, list[str]] = {kind: [] for kind in range(CARD_KINDS)}
        for card, n in enumerate(replay.held):  # in the order in which used ones are discarded
            self._by_kind[int(kinds[card])] += [told.names.loot[card]] * n if n else []
        self.nuyen = 0

    def lines(self) -> Iterator[Line]:
        """Tell it: Stage by Stage, roll by roll."""
        tell = {
            SETTLED: self._settled,
            THROWN: self._thrown,
            TAKEN_UP: self._taken_up,
            USED: self._used,
            JUDGED: self._judged,
        }
        for step in self._replay.steps:
            yield from tell[step.kind](step.before, step.after)

    def _pop(self, kind: int, number: int) -> list[str]:
        """Name Loot cards played of a kind."""
        names = self._by_kind[kind]
        taken, self._by_kind[kind] = names[:number], names[number:]
        return taken

    def _stage(self, stage: int) -> str:
        return f"Stage {stage + 1}" if self._scene.n_stages > 1 else f"the {self._what}"

    def _cleared(self, stage: int, how: str = "") -> Iterator[Line]:
        """Tell what a cleared Stage brings at once."""
        scn = self._scene
        pay = int(scn.stage_payout[stage]) if self._pays else 0
        self.nuyen += pay
        yield 1, _sentence(f"{self._stage(stage)} is cleared{how}" + f" and pays {pay}K" * bool(pay))
        perk = int(stage == 0 and scn.loot_for_first)
        for source in [""] * int(scn.loot[stage]) + [" (the Eye of the Needle's Decker perk)"] * perk:
            loot = next(self._drawn, None)
            told = "none is left" if loot is None else self._names.loot[loot]
            yield 1, f"Loot drawn: {told}{source}."

    def _settled(self, before: Record, after: Record) -> Iterator[Line]:
        """Tell decisions between Stages, and the next dice."""
        scn = self._scene
        new = before.phase != ROLLING
        for stage in range(int(before.stage), int(after.stage)) if new else ():
            if after.cleared >> stage & 1:
                perk = "Street Samurai" if stage == 0 and scn.clears_first else "Rigger"
                yield from self._cleared(stage, f" without a roll (the Eye of the Needle's {perk} perk)")
            else:
                what = f"{self._stage(stage)} is optional ({self._icons(scn.icons[stage])})"
                yield 1, _sentence(f"{what}: skipped")
        if after.phase == ROLLING and new:
            yield 1, self._stage_header(int(after.stage))
            for c in FIVE:
                for name in self._pop(DIE_CARD + c, int(after.bonus[c])):
                    yield 2, f"Loot played: {name} (one more {LABELS[c]} die in this Stage)."
        elif after.phase == ENDED and before.phase != ENDED and not after.completed:
            yield (
                1,
                f"Pulls out before {self._stage(int(after.stage))} ({self._icons(scn.icons[after.stage])}).",
            )
        if after.completed and not before.completed:
            yield from self._completed()

    def _completed(self) -> Iterator[Line]:
        pay = int(self._scene.payout) if self._pays else 0
        self.nuyen += pay
        yield 1, f"The {self._what} is completed" + (f" and pays {pay}K." if pay else ".")

    def _icons(self, icons: Record) -> str:
        return dice_in_words([int(n) for n in icons])

    def _stage_header(self, stage: int) -> str:
        scn = self._scene
        notes = []
        if scn.loot[stage]:
            notes.append(f"optional, {counted(int(scn.loot[stage]), 'Loot card')}")
        if scn.stage_payout[stage] and self._pays:
            notes.append(f"pays {scn.stage_payout[stage]}K")
        number = f"Stage {stage + 1} of {scn.n_stages}" if scn.n_stages > 1 else "The only Stage"
        return f"{number}: {self._icons(scn.icons[stage])}" + (f" ({'; '.join(notes)})" if notes else "")

    def _thrown(self, before: Record, after: Record) -> Iterator[Line]:
        """Tell the faces of the dice that fell."""
        told = []
        again = before.rerolled > 0
        for c in FIVE:
            if not before.pool[c] or (again and not before.hand[c]):
                continue
            successes = int(after.successes[c] - before.successes[c])
            injuries = int(after.injuries[c] - before.injuries[c])
            faces = "S" * successes + "I" * injuries + "-" * (int(before.hand[c]) - successes - injuries)
            sure = " and a sure S" if certain_successes(int(before.pool[c])) and not again else ""
            told.append(f"{LABELS[c]} {faces}{sure}")
        if again:
            yield 3, f"They now show: {', '.join(told)}."
        else:
            yield 2, f"Roll {ROLLS_PER_STAGE - int(before.rolls_left)}: {', '.join(told)}"

    def _taken_up(self, fell: Record, after: Record) -> Iterator[Line]:
        """Tell which dice are rolled again."""
        told = []
        for c in FIVE:
            if after.hand[c]:
                injuries = int(fell.injuries[c] - after.injuries[c])
                successes = int(fell.successes[c] - after.successes[c])
                faces = "S" * successes + "I" * injuries
                told.append(f"{LABELS[c]} {faces}{'-' * (int(after.hand[c]) - len(faces))}")
        if after.rerolls < fell.rerolls:
            how = "free reroll"
        else:
            how = f"Loot played: {self._pop(REROLL_DIE, 1)[0]}"
        yield 3, f"Rolled again: {', '.join(told)} ({how})."

    def _used(self, fell: Record, used: Record) -> Iterator[Line]:
        """Tell what the successes do, and what becomes of the injuries."""
        for c in FIVE:
            for name in self._pop(
                SUCCESS_CARD + c, int(fell.cards[SUCCESS_CARD + c] - used.cards[SUCCESS_CARD + c])
            ):
                yield 3, f"Loot played: {name} (a {LABELS[c]} success)."
        if used.phase == ENDED:
            card = self._pop(EVACUATE, 1)[0]
            yield 3, f"Loot played: {card}. Everybody leaves at once; this roll hurts nobody."
            yield 1, f"The {self._what} ends here, not completed."
            return
        use = explain_use(self._replay, fell, used)
        yield from self._defeats(fell, used, use)
        yield from self._injuries(fell, used, use)

    def _defeats(self, fell: Record, used: Record, use: Use | None) -> Iterator[Line]:
        defeated = [int(n) for n in fell.icons - used.icons]
        if use is None:
            if any(defeated):
                yield 3, f"Icons defeated: {dice_in_words(defeated)}."
        else:
            if any(use.direct):
                yield 3, f"Icons defeated by their own colour: {dice_in_words(use.direct)}."
            if any(use.pairs):
                pairs = listed(
                    [f"{counted(n, 'pair')} of {LABELS[c]} successes" for c, n in _present(use.pairs)]
                )
                yield 3, f"Icons defeated by pairs: {dice_in_words(use.wild)} (with {pairs})."
        if any(used.icons):
            yield 3, f"Icons left: {self._icons(used.icons)}."

    def _injuries(self, fell: Record, used: Record, use: Use | None) -> Iterator[Line]:
        """Tell which injuries were cancelled, ignored, taken."""
        scn = self._scene
        lying = [int(n) for n in used.injuries]  # those nobody took
        idle = [n if not legal_targets(scn, fell, c) else 0 for c, n in enumerate(lying)]
        left = [n - m for n, m in zip(lying, idle, strict=True)]
        ignored = int(fell.cards[IGNORE_INJURY] - used.cards[IGNORE_INJURY])
        for name in self._pop(IGNORE_INJURY, ignored):
            yield 3, f"Loot played: {name} (one injury is ignored)."
        cancelled = 0 if use is None else sum(use.cancelling)
        if use is not None and cancelled:
            which = dice_in_words(left) if cancelled == sum(left) else str(cancelled)
            told = [
                f"{n} {LABELS[c]} {'success' if n == 1 else 'successes'}" for c, n in _present(use.cancelling)
            ]
            yield 3, f"Injuries cancelled: {which} (with {listed(told)})."
        if rest := sum(left) - ignored - cancelled:
            why = (
                "cancelled, or with nobody left to take them"
                if use is None
                else "with nobody left to take them"
            )
            yield 3, f"Injuries {why}: {rest}."
        if any(idle):
            yield 3, f"Injuries without effect: {dice_in_words(idle)} (nobody there rolled that colour)."
        yield from self._taken(fell, used)

    def _taken(self, fell: Record, used: Record) -> Iterator[Line]:
        """Tell who took which injuries, and what it did."""
        scn = self._scene
        n = int(scn.n_runners)
        total = [int(k) for k in fell.injuries - used.injuries]
        worse = [int(used.condition[r]) != int(fell.condition[r]) for r in range(n)]
        plated = [bool((int(fell.plates) ^ int(used.plates)) >> r & 1) for r in range(n)]
        took = [
            plated[r] + (worse[r] and (2 if used.condition[r] in {RESCUED, DEAD} else 1)) for r in range(n)
        ]
        spare = sum(total) - sum(took)  # in a Task: injuries that would have killed
        may = [
            [bool(scn.dice[r, c]) or (plated[r] and bool(scn.plating_takes_any_colour)) for c in FIVE]
            for r in range(n)
        ]
        way = only_way([*took, spare], total, [*may, [True] * COLOURS])
        for r in range(n):
            if took[r]:
                told = [f"{k} {LABELS[c]}" for c, k in _present(way[r])] if way else [str(took[r])]
                injuries = f"{listed(told)} {'injury' if took[r] == 1 else 'injuries'}"
                yield 3, f"{self._team[r]} takes {injuries}: {self._fate(fell, used, r, plated[r])}."
        if spare:
            them = "One injury" if spare == 1 else f"{spare} injuries"
            yield 3, f"{them} more would have killed: ignored in a Task."

    def _fate(self, fell: Record, used: Record, r: int, plated: bool) -> str:
        """Say what the injuries of a runner do."""
        if used.condition[r] == fell.condition[r]:
            return "the Dermal Plating stops it"
        told = "the Dermal Plating stops one; " if plated else ""
        if used.condition[r] == DEAD:
            told += "it dies"
        elif used.condition[r] == RESCUED:
            own = (int(fell.own_tokens) ^ int(used.own_tokens)) >> r & 1
            which = "its own DocWagon token" if own else "a DocWagon token"
            told += f"it would die, but {which} rescues it (injured)"
        else:
            told += "it is injured"
        dice = sum(map(int, self._scene.dice[r]))
        return told + (f"; its {dice} dice leave" if dice > 1 else "; its die leaves" if dice else "")

    def _judged(self, before: Record, after: Record) -> Iterator[Line]:
        """Tell whether the Stage is cleared, failed, or goes on."""
        scn = self._scene
        stage = int(before.stage)
        if after.cleared >> stage & 1:
            if scn.n_stages > 1 or scn.stage_payout[stage] or scn.loot[stage] or scn.loot_for_first:
                yield from self._cleared(stage)
            if after.completed:
                yield from self._completed()
            elif after.phase == ENDED:
                yield 1, f"Nobody is left to go on: the {self._what} ends here."
        elif after.phase == ENDED:
            why = " in three rolls" if anyone_up(scn, before) else ": nobody is left to roll"
            yield 1, _sentence(f"{self._stage(stage)} is not cleared{why}") + f" The {self._what} has failed."


def _present(counts: Counts) -> list[tuple[int, int]]:
    """List the colours that occur, with their counts."""
    return [(c, n) for c, n in enumerate(counts) if n]


def _sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
