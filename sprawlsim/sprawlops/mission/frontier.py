"""What completion costs: the efficient frontier of completion against injuries and deaths, as an object.

Let an injury cost a price in completions, and a death a fixed multiple of that. The *cost* of a way to play
is its expected injuries, plus the multiple of its expected deaths. The frontier is the most completion that
can be had for a cost: it has a corner for each way to play that is best at some prices, and between two
corners it is the line that joins them, for whoever draws lots between two ways to play before the Mission
gets, in expectation, any point on that line.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import format_estimate
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SCHEMA = 1

SAME_FIGURE = 1e-12
"""Figures that differ by less are equal."""

MEASURES = ("completed", "injuries", "deaths", "cost", "nuyen", "loot")


class Point(NamedTuple):
    """A corner of the frontier: a way to play that is best over a range of prices.

    Attributes
    ----------
    price : float
        A price at which it was found to be best, in completions for an injury.
    price_from, price_to : float
        Where it is the best of all points; infinite where it stays the best.
    completed : float
        Odds of completing the Mission.
    injuries, deaths : float
        Expected runners injured (rescued ones included), and dead.
    cost : float
        Injuries, plus deaths times the death ratio.
    nuyen, loot : float
        Expected K nuyen and Loot cards won.
    """

    price: float
    price_from: float
    price_to: float
    completed: float
    injuries: float
    deaths: float
    cost: float
    nuyen: float
    loot: float

    @property
    def pulls_out(self) -> bool:
        """Whether the Mission is given up."""
        return self.completed <= SAME_FIGURE


class RuleOfThumb(NamedTuple):
    """What a rule of thumb reaches, as estimates, and what best play would.

    Attributes
    ----------
    policy, engine : str
    price : float
        The price of an injury that it was told; most rules play alike whatever it is.
    attempts : int or None
        Attempts played; None where the figures are exact.
    completed, injuries, deaths, cost, nuyen, loot : Estimate
        As those of a `Point`.
    best_completed : float
        How often best play completes at the same cost or less.
    short : Estimate
        How much less often the rule does.
    """

    policy: str
    engine: str
    price: float
    attempts: int | None
    completed: Estimate
    injuries: Estimate
    deaths: Estimate
    cost: Estimate
    nuyen: Estimate
    loot: Estimate
    best_completed: float
    short: Estimate

    @property
    def name(self) -> str:
        """The policy, and the price it was told if any."""
        return f"{self.policy}, price {self.price:g}" if self.price else self.policy


@dataclass(frozen=True)
class Frontier:
    """The efficient frontier of an attempt: completion against injuries and deaths.

    Attributes
    ----------
    title, team : str
        What was attempted, and by whom.
    scenario : Scenario
        What was attempted; its own objective counts for nothing here.
    death_ratio : float
        What a death costs, in injuries.
    points : tuple of Point
        Corners, from price 0 on: completion and cost fall.
    gap : float
        How much completion the frontier may have above the lines between the points; 0 where they are all.
    rules_of_thumb : tuple of RuleOfThumb
    card_set : str or None
        Name of the card set; None for a scenario file.
    seed : int
        Of the dice of rules of thumb that were sampled.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    team: str
    scenario: Scenario
    death_ratio: float
    points: tuple[Point, ...]
    gap: float
    rules_of_thumb: tuple[RuleOfThumb, ...]
    card_set: str | None
    seed: int
    notes: tuple[str, ...] = ()
    version: str = __version__

    def completed_at(self, cost: float) -> float:
        """Give the completion that best play reaches at no more than this cost.

        Between two points it draws lots before the Mission: it is their mean, weighted to cost so much. A
        point is the best there is at its own cost.
        """
        known = [(point.cost, point.completed) for point in reversed(self.points)]
        if known[0][0] > SAME_FIGURE:
            known.insert(0, (0.0, 0.0))  # pulling out at once is always allowed (M9)
        costs, completed = zip(*known, strict=True)
        return float(np.interp(cost, np.array(costs), np.array(completed)))

    def value_at(self, price: float) -> float:
        """Give what best play is worth where an injury costs so many completions."""
        return max(0.0, *(point.completed - price * point.cost for point in self.points))

    def price_at(self, cost: float) -> float:
        """Give the price at which best play costs so much: the completion that one more injury would buy."""
        if cost >= self.points[0].cost:
            return 0.0
        for right in self.points[1:]:
            if cost >= right.cost:
                return right.price_from
        last = self.points[-1]
        return last.completed / last.cost if last.cost > SAME_FIGURE else last.price_from

    def rows(self) -> Iterator[dict[str, Any]]:
        """Go through points, then rules of thumb, as flat records of the same keys."""
        for point in self.points:
            told = {"kind": "best play", "policy": "best", "engine": "exact"}
            prices = {"price_from": point.price_from, "price_to": point.price_to}
            yield (
                told | prices | _measures(point) | {"best_completed": point.completed} | _three("short", 0.0)
            )
        for rule in self.rules_of_thumb:
            told = {"kind": "rule of thumb", "policy": rule.policy, "engine": rule.engine}
            prices = dict.fromkeys(("price_from", "price_to"), rule.price)
            best = {"best_completed": rule.best_completed}
            yield told | prices | _measures(rule) | best | _three("short", rule.short)

    def frame(self) -> pd.DataFrame:
        """Give points and rules of thumb as a frame, a row each, with low and high ends of intervals."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()))

    def plot(self) -> Figure:
        """Draw completion against cost, and what injuries and deaths best play accepts at each price."""
        from sprawlsim.sprawlops.mission.frontier_picture import draw_frontier

        return draw_frontier(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the frontier as plain data, the same as ``--format json`` prints."""
        return {
            "schema": SCHEMA,
            "death_ratio": self.death_ratio,
            "gap": self.gap,
            "seed": self.seed,
            "card_set": self.card_set,
            "version": self.version,
            "points": [
                {
                    "price": point.price,
                    "price_from": point.price_from,
                    "price_to": None if np.isinf(point.price_to) else point.price_to,
                    **{key: Estimate.exact(getattr(point, key)).to_dict() for key in MEASURES},
                }
                for point in self.points
            ],
            "rules_of_thumb": [
                {
                    "policy": rule.policy,
                    "engine": rule.engine,
                    "attempts": rule.attempts,
                    "price": rule.price,
                    **{key: getattr(rule, key).to_dict() for key in MEASURES},
                    "best_completed": rule.best_completed,
                    "short": rule.short.to_dict(),
                }
                for rule in self.rules_of_thumb
            ],
        }

    def _repr_html_(self) -> str:
        """Show points and rules of thumb as a table in Jupyter."""
        heads = ("play", "injury price from", *MEASURES, "best play at this cost")
        lines = [f"<tr>{''.join(f'<th>{text}</th>' for text in heads)}</tr>"]
        for row in self.rows():
            cells = [row["policy"], f"{row['price_from']:.4g}"]
            for key in MEASURES:
                value = Estimate(row[key], row[f"{key}_low"], row[f"{key}_high"])
                cells.append(format_estimate(value, key == "completed")[0])
            cells.append(f"{row['best_completed']:.2%}")
            lines.append(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>")
        notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in self.notes)
        return f"<table><caption>{html.escape(str(self))}</caption>{''.join(lines)}</table>{notes}"

    def __str__(self) -> str:
        most, last = self.points[0], self.points[-1]
        if most.pulls_out:
            return f"{self.title} cannot be completed; best play pulls out"
        told = f"{self.title}: best play completes {most.completed:.2%} at a cost of {most.cost:.3f}"
        if most is last:
            return told + ", whatever an injury is worth"
        end = f"completes {last.completed:.2%} at a cost of {last.cost:.3f}"
        if last.pulls_out:
            end = "pulls out"
        return f"{told}; it {end} where an injury is worth {last.price_from:.4g} completions or more"


def _measures(of: Point | RuleOfThumb) -> dict[str, float]:
    return {key: part for name in MEASURES for key, part in _three(name, getattr(of, name)).items()}


def _three(key: str, value: float | Estimate) -> dict[str, float]:
    """Spread an estimate over three keys."""
    told = value if isinstance(value, Estimate) else Estimate.exact(value)
    return {key: told.estimate, f"{key}_low": told.low, f"{key}_high": told.high}
