"""What each card of a team contributes: what `shares` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sprawlsim.sprawlops.coalitions import CardInUse
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

NAMED = 3
"""Cards named in the sentence."""


@dataclass(frozen=True)
class CardShare:
    """What a card contributes under best play; figures that are no more than rounding are 0.0.

    Attributes
    ----------
    used : CardInUse
        The card, and whose it is.
    share : float
        Its Shapley share: what it adds, on average over all orders in which the cards could join.
    first : float
        What it comes to alone.
    last : float
        What it adds to all the others: what would be lost without it.
    """

    used: CardInUse
    share: float
    first: float
    last: float

    @property
    def hurts(self) -> bool:
        """Whether the card takes away more than it adds, on average."""
        return self.share < 0.0

    @property
    def share_per_k(self) -> float | None:
        """The share for each 1K nuyen of its price; None where it costs nothing."""
        return self.share / self.used.price if self.used.price else None

    def record(self) -> dict[str, Any]:
        """Give it as a flat record."""
        return {
            "card": self.used.name,
            "kind": self.used.kind,
            "onto": self.used.onto or None,
            "price": self.used.price,
            "stand_in_price": self.used.price_is_invented,
            "share": self.share,
            "share_per_k": self.share_per_k,
            "first": self.first,
            "last": self.last,
            "hurts": self.hurts,
        }


@dataclass(frozen=True)
class Shares:
    """What a team comes to on a Mission, shared out among its cards. Every figure is exact.

    Attributes
    ----------
    title, team : str
        The Mission, and the team as it goes.
    scenario : Scenario
        Its attempt.
    whole : Expected
        What that comes to: its value is the sum of the shares, for no attempt is worth 0.
    rows : tuple of CardShare
        The largest share first.
    card_set : str
        Name of the card set.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    team: str
    scenario: Scenario
    whole: Expected
    rows: tuple[CardShare, ...]
    card_set: str
    notes: tuple[str, ...] = ()
    version: str = __version__

    def frame(self) -> pd.DataFrame:
        """Give the cards as a frame, a row each."""
        import pandas as pd

        return pd.DataFrame([row.record() for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data, the same as ``--format json`` prints."""
        return {
            "schema": SCHEMA,
            "engine": "exact",
            "policy": BEST,
            "card_set": self.card_set,
            "version": self.version,
            "mission": self.title,
            "team": self.team,
            "objective": objective_weights(self.scenario.objective),
            "whole": {
                "objective_value": self.whole.value,
                **{key: getattr(self.whole, key) for key in EXPECTATIONS},
            },
            "cards": [row.record() for row in self.rows],
            "notes": list(self.notes),
        }

    def plot(self) -> Figure:
        """Draw the shares, with what each card adds first and last beside."""
        chance = is_chance(self.scenario.objective)
        bars = []
        for row in self.rows:
            told = f"alone {change_text(row.first, chance)}, last {change_text(row.last, chance)}"
            label = f"{row.used.name}, {row.used.onto}" if row.used.onto else row.used.name
            bars.append(Bar(label, row.share, told))
        title = f"{self.title}: each card's share of {worth_text(self.whole.value, chance)}"
        subtitle = (
            "Shapley shares, with what a card comes to alone and adds to all others; "
            f"best play, exact; card set {self.card_set}"
        )
        return draw_gains(title, subtitle, bars, chance, what="share")

    def _repr_html_(self) -> str:
        """Show the cards as a table in Jupyter."""
        chance = is_chance(self.scenario.objective)
        rows = [["card", "with", "price (K)", "share", "per 1K", "alone", "last", ""]]
        for row in self.rows:
            per_k = "" if row.share_per_k is None else change_text(row.share_per_k, chance)
            cells = [
                row.used.name,
                row.used.onto,
                f"{row.used.price:g}",
                change_text(row.share, chance),
                per_k,
            ]
            cells += [change_text(row.first, chance), change_text(row.last, chance)]
            rows.append([*cells, "hurts" if row.hurts else ""])
        return html_table(str(self), rows, self.notes)

    def __str__(self) -> str:
        chance = is_chance(self.scenario.objective)
        told = f"{self.title}, {worth_heading(self.scenario.objective)}: "
        told += f"{worth_text(self.whole.value, chance)} with all cards"
        helping = [row for row in self.rows if row.share > 0.0][:NAMED]
        if not helping:
            return f"{told}; no card helps"
        named = (f"{row.used.name} {change_text(row.share, chance)}" for row in helping)
        return f"{told}; {'most of it' if len(self.rows) > NAMED else 'of it'} {', '.join(named)}"
