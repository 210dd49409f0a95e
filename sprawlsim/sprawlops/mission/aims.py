"""What players mean by a good attempt: named aims, turned into an objective."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.mission.counts import COMPLETED, PAID, SAFE
from sprawlsim.sprawlops.mission.scenario import Objective
from sprawlsim.sprawlops.team import Member, Team

AIMS = ("complete", "nuyen", "payout", "safe")
"""``complete`` the Mission; win ``nuyen``, with harm and Loot priced in K; win the nuyen ``payout``;
complete it with nobody dead (``safe``)."""

PRICES = ("injury", "death", "loot")

LOOT_PRICE = 5.0
"""K nuyen that a Loot card is bought or sold for (rulebook, Appendix A)."""


def objective_for(aim: str, team: Team | None = None, prices: Mapping[str, float] | None = None) -> Objective:
    """Turn an aim into an objective.

    Parameters
    ----------
    aim : str
        One of `AIMS`.
    team : Team, optional
        Whose runners set the default prices of the aim ``nuyen``.
    prices : mapping, optional
        K nuyen of an ``injury``, a ``death`` and a ``loot`` card, instead of the default prices.

    Raises
    ------
    SprawlsimError
        If the aim or a price is unknown, or prices are missing.
    """
    prices = dict(prices or {})
    if aim not in AIMS:
        raise SprawlsimError(
            f"{aim!r} is not an aim; the aims are {', '.join(AIMS)}{did_you_mean(aim, AIMS)}"
        )
    for key, price in prices.items():
        if key not in PRICES:
            raise SprawlsimError(f"{key!r} has no price; those that do are {', '.join(PRICES)}")
        if not price >= 0:
            raise SprawlsimError(f"the price of {key} is {price}; it must be 0 or more")
    if aim != "nuyen" and prices:
        raise SprawlsimError(f"prices are for the aim nuyen, not for {aim}")
    if aim == "payout":
        return Objective(completion=0.0, payout=1.0)
    if aim == "safe":
        return Objective(completion=0.0, safe=1.0)
    if aim == "complete":
        return Objective()
    if team is not None:
        prices = default_prices(team) | prices
    missing = [text for text in ("an injury", "a death") if text.split()[1] not in prices]
    if missing:
        raise SprawlsimError(f"without cards there is no price of {' or '.join(missing)}; give one")
    return Objective(
        completion=0.0,
        nuyen=1.0,
        loot=prices.get("loot", LOOT_PRICE),
        injury=-prices["injury"],
        death=-prices["death"],
    )


def default_prices(team: Team) -> dict[str, float]:
    """Price harm by the cards of the team, in K nuyen.

    An injury keeps a runner from Missions for a round: it costs what Dante's Inferno pays for a round of
    one, the loan value of its cards, on the average of the team. A death costs that, and besides what
    runner and Upgrades were bought for (Gear stays, M17; starting runners cost nothing).
    """
    injury = fmean(_loan(member) for member in team.members)
    lost = fmean(_bought_for(member) for member in team.members)
    return {"injury": round(injury, 2), "death": round(injury + lost, 2), "loot": LOOT_PRICE}


def _loan(member: Member) -> float:
    return float(sum(card.loan for card in (member.runner, *member.gear, *member.upgrades)))


def _bought_for(member: Member) -> float:
    cards = (member.runner, *member.upgrades)
    return float(sum(getattr(card, "cost", 0) for card in cards))


CHANCES = {
    objective_for("complete"): COMPLETED,
    objective_for("payout"): PAID,
    objective_for("safe"): SAFE,
}
"""Objectives whose value is the chance of something, and which of the counted amounts that is."""


def aim_text(objective: Objective) -> str:
    """Say in words what an attempt is worth."""
    if objective == Objective():
        return "completing the Mission"
    if objective == objective_for("payout"):
        return "winning the nuyen payout"
    if objective == objective_for("safe"):
        return "completing the Mission with nobody dead"
    if objective.nuyen == 1.0 and objective.completion == objective.payout == objective.safe == 0.0:
        return (
            f"its nuyen in K, Loot at {objective.loot:g} a card, less {abs(objective.injury):g} an injury "
            f"and {abs(objective.death):g} a death"
        )
    weights = {key: getattr(objective, key) for key in objective.__struct_fields__}
    return ", ".join(f"{key} {weight:g}" for key, weight in weights.items() if weight) or "nothing"
