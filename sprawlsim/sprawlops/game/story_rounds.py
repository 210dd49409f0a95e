"""The story of a game: setup, the start of a round, and what happens between the players' actions."""

from __future__ import annotations

from sprawlsim.sprawlops.game.arrays import (
    ATTEMPT_FINAL,
    COMMLINK,
    EMPTY,
    GAME_OVER,
    GEAR_DECK,
    HELD,
    HURT,
    MISSION_DECK,
    PHASES,
    PLACE_RUNNERS,
    PLATING,
    RECOVERING,
    RUN_MISSIONS,
    RUNNER_DECK,
    SLOTS,
    UPKEEP,
    Record,
)
from sprawlsim.sprawlops.game.crew import FACE
from sprawlsim.sprawlops.game.story_dice import Line
from sprawlsim.sprawlops.game.story_turns import Told, reshuffled
from sprawlsim.sprawlops.game.words import counted, describe_runner, dice_in_words, runner_name
from sprawlsim.sprawlops.mission.advice_words import listed


def tell_setup(told: Told, game: Record, title: str) -> list[Line]:
    """Tell what a game begins with.

    Parameters
    ----------
    told : Told
    game : record of `GAME`
        Just set up.
    title : str
        Which game it is.
    """
    final = told.cards.finals[game.final]
    lines = [(0, title), (0, ""), (0, "SETUP")]
    stages = [dice_in_words([int(n) for n in final.icons[stage]]) for stage in range(final.n_stages)]
    lines.append((1, f"Final Mission: {told.names.finals[game.final]}"))
    lines += [(2, f"Stage {k + 1}: {stage}") for k, stage in enumerate(stages)]
    lines += [(1, f"Player {k + 1} plays {name}.") for k, name in enumerate(told.strategies)]
    dice = (
        "Faces of dice: S is a success, I an injury, - a blank. With five dice or more of a colour, two are "
    )
    lines.append((1, f"{dice}set aside for a sure S."))
    return lines


def tell_round(told: Told, game: Record) -> list[Line]:
    """Tell what lies on the table when a round begins."""
    names, cards = told.names, told.cards
    lines = [(0, ""), (0, f"ROUND {game.round_number}"), (1, f"First player: {told.who(int(game.first))}")]
    runners = [_priced(game, RUNNER_DECK, k, names.runners, cards.runner_cost) for k in range(game.players)]
    gear = [_priced(game, GEAR_DECK, k, names.gear, cards.gear_cost) for k in range(game.players)]
    missions = [names.missions[m] for m in game.market[MISSION_DECK, : game.players] if m != EMPTY]
    upgrades = [
        f"{names.piles[pile]} ({cards.pile_cost[pile]}K)" for pile in (PLATING, COMMLINK) if game.pile[pile]
    ]
    if game.n_unique:
        upgrades.append(f"{names.unique[game.unique[0]]} ({cards.unique_cost[game.unique[0]]}K)")
    for title, shown in (
        ("For hire", runners),
        ("Gear", gear),
        ("Missions", missions),
        ("Upgrades", upgrades),
    ):
        lines.append((1, f"{title}: {', '.join(filter(None, shown)) or 'none'}"))
    for player in range(game.players):
        lines += _tell_player(told, game, player)
    lines.append((1, PHASES[PLACE_RUNNERS]))
    return lines


def _priced(game: Record, deck: int, k: int, names: tuple[str, ...], costs: Record) -> str:
    card = int(game.market[deck, k])
    return "" if card == EMPTY else f"{names[card]} ({costs[card]}K)"


def _tell_player(told: Told, game: Record, player: int) -> list[Line]:
    """Tell a player's hand and runners."""
    hand = [f"{game.nuyen[player]}K"]
    hand += [name for card, name in enumerate(told.names.loot) for _ in range(int(game.loot[player, card]))]
    hand += [f"{name} (in hand)" for name in told.gear_on(game, player, HELD)]
    slots = [slot for slot in range(SLOTS) if game.card[player, slot] != EMPTY]
    return [
        (1, f"{told.who(player)}: {', '.join(hand)}"),
        *((2, describe_runner(game, told.cards, told.names, player, slot)) for slot in slots),
    ]


def tell_transition(told: Told, before: Record, after: Record) -> list[Line]:
    """Tell what follows between two decisions: phases that end, players passed over, Upkeep.

    Parameters
    ----------
    told : Told
    before : record of `GAME`
        After an action, when nothing has followed from it yet.
    after : record of `GAME`
        Before the next decision.
    """
    lines: list[Line] = []
    phase, turn = int(before.phase), int(before.turn)
    is_new_round = after.round_number != before.round_number

    def is_left(now: int) -> bool:
        return phase == now and (is_new_round or after.phase != now)

    if after.phase == GAME_OVER:
        return lines
    if is_left(PLACE_RUNNERS):
        phase, turn = ATTEMPT_FINAL, 0
        lines.append((1, PHASES[ATTEMPT_FINAL]))
        if before.n_reserved == 0:
            lines.append((2, "Nobody placed a runner for it."))
    if phase == ATTEMPT_FINAL:
        end = int(before.n_reserved) if is_left(ATTEMPT_FINAL) else int(after.turn) - 1
        lines += [(2, f"{told.who(int(p))} has nobody to send.") for p in before.reserved[turn:end]]
    if is_left(ATTEMPT_FINAL):
        phase, turn = RUN_MISSIONS, 0
        lines.append((1, PHASES[RUN_MISSIONS]))
        if not before.n_missions.any():
            lines.append((2, "Nobody has a Mission."))
    if phase == RUN_MISSIONS:
        end = int(before.players) if is_left(RUN_MISSIONS) else int(after.turn)
        for k in range(turn, end):
            player = int(before.first + k) % int(before.players)
            hand = [told.names.missions[m] for m in before.missions[player, : before.n_missions[player]]]
            if hand:
                lines.append((2, f"{told.who(player)} has nobody to send on {listed(hand)}."))
    if is_left(RUN_MISSIONS):
        phase = UPKEEP
        lines.append((1, PHASES[UPKEEP]))
        lines += _tell_homecoming(told, before, after)
    if phase == UPKEEP:
        lines += _tell_hired(told, before, after)
        if is_new_round:
            lines += _tell_new_cards(told, before, after)
    return lines


def _tell_homecoming(told: Told, before: Record, after: Record) -> list[Line]:
    """Tell who recovers, what is given back, who begins the next round."""
    lines = []
    for player in range(before.players):
        parts = []
        for condition, what in ((RECOVERING, "fit again"), (HURT, "recovering in the next round")):
            slots = [s for s in range(SLOTS) if before.card[player, s] != EMPTY]
            who = [
                runner_name(before, told.names, player, s)
                for s in slots
                if before.condition[player, s] == condition
            ]
            parts += [f"{what}: {listed(who)}"] * bool(who)
        tokens = int(before.tokens[player]) + int(before.own_token[player].sum())
        parts += [f"gives {counted(tokens, 'DocWagon token')} back"] * bool(tokens)
        hand = [told.names.missions[m] for m in before.missions[player, : before.n_missions[player]]]
        parts += [f"discards {listed(hand)}"] * bool(hand)
        if parts:
            lines.append((2, f"{told.who(player)}: {'; '.join(parts)}."))
    taken = any(int(before.perks_held[p]) >> FACE & 1 for p in range(before.players))
    how = "takes the first-player token (the Eye of the Needle's Face)" if taken else "is first player now"
    lines.append((2, f"{told.who(int(after.first))} {how}."))
    return lines


def _tell_hired(told: Told, before: Record, after: Record) -> list[Line]:
    """Tell which hired runners take their place."""
    lines = []
    for k in range(before.players):
        player = int(after.first + k) % int(before.players)
        left = int(after.n_coming[player]) if after.round_number == before.round_number else 0
        seated = before.coming[player, : int(before.n_coming[player]) - left]
        if len(seated):
            who = listed([told.names.runners[card] for card in seated])
            verb = "joins" if len(seated) == 1 else "join"
            lines.append((2, f"{told.who(player)}: {who} {verb} the Runner board."))
    return lines


def _tell_new_cards(told: Told, before: Record, after: Record) -> list[Line]:
    """Tell how a round is prepared."""
    lines = []
    for player in range(before.players):
        if (before.card[player] == EMPTY).all() and before.n_coming[player] == 0:
            back = [told.names.runners[card] for card in after.card[player] if card != EMPTY]
            lines.append((2, f"{told.who(player)} has no runner left: {listed(back)} come back for nothing."))
    lines.append((2, f"The markets are laid out anew{reshuffled(before, after)}."))
    if after.n_unique > 1:
        lines.append((2, f"{told.names.unique[after.unique[0]]} is on top of the '+1 die' Upgrades now."))
    return lines
