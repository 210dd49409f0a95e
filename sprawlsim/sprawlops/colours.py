"""The dice's colours in pictures: the rulebook's hues, in shades that colour-blind people can tell apart.

Each role also has its initial, a hatch and a mark, so that no picture leans on colour alone. The rulebook
("Components") has black, green, blue, purple and red dice.
"""

from __future__ import annotations

from sprawlsim.reports.style import Ink
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES, Role

ROLE_INITIALS: dict[Role, str] = {role: ROLE_LABELS[role][0] for role in ROLES}
"""S, D, M, R, F: no two are alike."""

ROLE_INKS: dict[Role, Ink] = {
    "street_samurai": Ink("#222222", "", "s", "-", "Street Samurai (S)"),
    "decker": Ink("#3DAA6D", "///", "D", "--", "Decker (D)"),
    "mage": Ink("#2166AC", "...", "^", "-.", "Mage (M)"),
    "rigger": Ink("#CDA0E0", "\\\\\\", "o", ":", "Rigger (R)"),
    "face": Ink("#D7301F", "xxx", "P", "-", "Face (F)"),
}
"""How a role is drawn. In CIELAB any two are 25 apart, to normal and to each kind of colour-blind eyes."""
