"""The five roles of the rulebook, their colours, and how people write them."""

from __future__ import annotations

from typing import Literal

from sprawlsim.errors import SprawlsimError, did_you_mean

Role = Literal["street_samurai", "decker", "mage", "rigger", "face"]

ROLES: tuple[Role, ...] = ("street_samurai", "decker", "mage", "rigger", "face")
"""Every array over colours is in this order (rulebook, "Dice & Card Types")."""

ROLE_LABELS: dict[Role, str] = {
    "street_samurai": "Street Samurai",
    "decker": "Decker",
    "mage": "Mage",
    "rigger": "Rigger",
    "face": "Face",
}

ROLE_COLOURS: dict[Role, str] = {
    "street_samurai": "black",
    "decker": "green",
    "mage": "blue",
    "rigger": "purple",
    "face": "red",
}


def parse_role(text: str) -> Role:
    """Read a role as people write it: any case, spaces, hyphens, or ``samurai`` alone.

    Raises
    ------
    SprawlsimError
        If it is none of the five roles.
    """
    key = "_".join(text.strip().lower().replace("-", " ").replace("_", " ").split())
    if key == "samurai":
        key = "street_samurai"
    for role in ROLES:
        if role == key:
            return role
    allowed = ", ".join(ROLES)
    raise SprawlsimError(f"{text!r} is not a role; the roles are {allowed}{did_you_mean(key, ROLES)}")
