"""Additions to a team, ranked: what `improve` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sprawlsim.sprawlops.gains import (
    EXPECTATIONS,
    Bar,
    change_text,
    draw_gains,
    html_table,
    is_chance,
    objective_weights,
    worth_heading,
    worth_text,
)
from sprawlsim.sprawlops.mission.ask import BEST
from sprawlsim.sprawlops.mission.exact import Expected
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SCHEMA = 1

MOST_BARS = 25


@dataclass(frozen=True)
class Improvement:
    """An addition, and what it comes to under best play.

    Attributes
    ----------
    kind, name, onto, price, price_is_invented
        As those of an `Addition`.
    team : str
        The team with it, as it goes.
    expected : Expected
        What the attempt comes to with it.
    gain : float
        How much more that is worth; 0.0 where the difference is no more than rounding.
    places : int
        In how many ways it can be placed, this one included.
    """

    kind: str
    name: str
    onto: str
    price: float
    price_is_invented: bool
    team: str
    expected: Expected
    gain: float
    places: int = 1

    @property
    def hurts(self) -> bool:
        """Whether the team is better off without it."""
        return self.gain < 0.0

    @property
    def gain_per_k(self) -> float | None:
        """The gain for each 1K nuyen; None where it costs nothing."""
        return self.gain / self.price if self.price else None

    @property
    def price_text(self) -> str:
        """The price in writing."""
        return f"{self.price:g}K" if self.price else "free"

    def record(self) -> dict[str, Any]:
        """Give it as a flat record."""
        return {
            "addition": self.name,
            "kind": self.kind,
            "onto": self.onto or None,
            "price": self.price,
            "stand_in_price": self.price_is_invented,
            "objective_value": self.expected.value,
            **{key: getattr(self.expected, key) for key in EXPECTATIONS},
            "gain": self.gain,
            "gain_per_k": self.gain_per_k,
            "hurts": self.hurts,
            "places": self.places,
            "team": self.team,
        }


@dataclass(frozen=True)
class Improvements:
    """Additions to a team, ranked by what each gains under best play. Every figure is exact.

    Attributes
    ----------
    title, team : str
        The Mission, and the team as it would go without an addition.
    scenario : Scenario
        Its attempt.
    base : Expected
        What that comes to.
    rows : tuple of Improvement
        The best first.
    by : {"gain", "price"}
        How they are ranked.
    left_out : tuple of int
        How many additions were ranked below, and how many of these hurt.
    budget : float or None
        Additions that cost more were not looked at.
    card_set : str
        Name of the card set.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    team: str
    scenario: Scenario
    base: Expected
    rows: tuple[Improvement, ...]
    by: str
    left_out: tuple[int, int]
    budget: float | None
    card_set: str
    notes: tuple[str, ...] = ()
    version: str = __version__

    def frame(self) -> pd.DataFrame:
        """Give the additions as a frame, a row each."""
        import pandas as pd

        return pd.DataFrame([row.record() for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data, the same as ``--format json`` prints."""
        base = {"objective_value": self.base.value, **{key: getattr(self.base, key) for key in EXPECTATIONS}}
        return {
            "schema": SCHEMA,
            "engine": "exact",
            "policy": BEST,
            "card_set": self.card_set,
            "version": self.version,
            "mission": self.title,
            "team": self.team,
            "objective": objective_weights(self.scenario.objective),
            "base": base,
            "by": self.by,
            "budget": self.budget,
            "left_out": self.left_out[0],
            "additions": [row.record() for row in self.rows],
            "notes": list(self.notes),
        }

    def plot(self) -> Figure:
        """Draw the gains; of very many, what hurts and else what makes the most difference."""
        chance = is_chance(self.scenario.objective)
        telling = sorted(self.rows, key=lambda row: (not row.hurts, -abs(row.gain)))[:MOST_BARS]
        bars = [
            Bar(f"{row.name}, {row.onto}" if row.onto else row.name, row.gain, row.price_text)
            for row in self.rows
            if row in telling
        ]
        title = f"{self.title}: what one addition gains, from {worth_text(self.base.value, chance)}"
        told = f"the {len(bars)} most telling of {len(self.rows)}; " if len(bars) < len(self.rows) else ""
        subtitle = f"{self.team}; {told}best play, exact; card set {self.card_set}"
        return draw_gains(title, subtitle, bars, chance)

    def _repr_html_(self) -> str:
        """Show the additions as a table in Jupyter."""
        chance = is_chance(self.scenario.objective)
        told = worth_heading(self.scenario.objective)
        rows = [["addition", "onto", "price (K)", told, "gain", "per 1K", ""]]
        for row in self.rows:
            per_k = "" if row.gain_per_k is None else change_text(row.gain_per_k, chance)
            after = worth_text(row.expected.value, chance)
            cells = [row.name, row.onto, f"{row.price:g}", after, change_text(row.gain, chance), per_k]
            rows.append([*cells, "hurts" if row.hurts else ""])
        return html_table(str(self), rows, self.notes)

    def __str__(self) -> str:
        chance = is_chance(self.scenario.objective)
        told = f"{self.title}, {worth_heading(self.scenario.objective)}: "
        told += f"{worth_text(self.base.value, chance)} as it is"
        if not self.rows or self.rows[0].gain <= 0.0:
            return f"{told}; no addition helps"
        first = self.rows[0]
        onto = f" on {first.onto}" if first.onto else ""
        after = worth_text(first.expected.value, chance)
        return f"{told}, {after} with {first.name}{onto} ({first.price_text})"
