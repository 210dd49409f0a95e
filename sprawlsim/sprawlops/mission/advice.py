"""What to do now: the plays open in a situation, each with its worth under best play afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sprawlsim.sprawlops.mission.exact import Expected

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1


@dataclass(frozen=True)
class Play:
    """One thing to do, and what it leads to.

    Attributes
    ----------
    words : str
        What to do.
    leaves : str
        What stands afterwards.
    expected : Expected
        What the rest of the Mission comes to, this play included: the objective, odds of completing, K
        nuyen, Loot cards, injuries, deaths.
    cost : float
        What it costs against the best play, in the objective.
    icons : dict or None
        Icons left by role; None where the play is not the use of a roll.
    conditions : dict or None
        ``"up"``, ``"injured"``, ``"rescued"`` or ``"dead"`` by runner.
    """

    words: str
    leaves: str
    expected: Expected
    cost: float = 0.0
    icons: dict[str, int] | None = None
    conditions: dict[str, str] | None = None


@dataclass(frozen=True)
class Advice:
    """The plays open in a situation, the best first.

    Attributes
    ----------
    title, team : str
        What is attempted, and by whom.
    situation : str
        Where it stands, in words.
    worth : str
        What an attempt is worth.
    plays : tuple of Play
    open : int
        How many different plays there are, of which these are the best.
    notes : tuple of str
    """

    title: str
    team: str
    situation: str
    worth: str
    plays: tuple[Play, ...]
    open: int
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Play:
        """The best play."""
        return self.plays[0]

    def to_dict(self) -> dict[str, Any]:
        """Give the advice as plain data, the same as ``--format json`` prints."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "team": self.team,
            "situation": self.situation,
            "worth": self.worth,
            "open": self.open,
            "plays": [
                {
                    "play": play.words,
                    "leaves": play.leaves,
                    **play.expected._asdict(),
                    "cost": play.cost,
                    "icons": play.icons,
                    "conditions": play.conditions,
                }
                for play in self.plays
            ],
            "notes": list(self.notes),
        }

    def frame(self) -> pd.DataFrame:
        """Give the plays as a frame, a row each."""
        import pandas as pd

        return pd.DataFrame(
            {"play": play.words, "leaves": play.leaves, **play.expected._asdict(), "cost": play.cost}
            for play in self.plays
        )

    def _repr_html_(self) -> str:
        """Show the plays as a table in Jupyter."""
        return str(self.frame().to_html(index=False))

    def __str__(self) -> str:
        return f"{self.title}, {self.situation}: {self.best.words}"
