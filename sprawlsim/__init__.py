"""sprawlsim: odds, best cards and balance of the board game Shadowrun: Sprawl Ops.

>>> import sprawlsim as ss
>>> cards = ss.load_cards()
>>> odds = ss.mission_odds(cards.mission("errand"), cards.team(), attempts=100_000)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sprawlsim.version import __version__

if TYPE_CHECKING:
    from sprawlsim.errors import SprawlsimError
    from sprawlsim.sprawlops.advise import advise, advise_scenario
    from sprawlsim.sprawlops.api import Cards, frontier, load_cards, mission_odds
    from sprawlsim.sprawlops.compare import Comparison, compare
    from sprawlsim.sprawlops.game.play import Action, Game
    from sprawlsim.sprawlops.game.results import GameResults
    from sprawlsim.sprawlops.game.simulate import Batch, simulate
    from sprawlsim.sprawlops.game.strategies.model import Strategy, load_strategy
    from sprawlsim.sprawlops.improve import improve
    from sprawlsim.sprawlops.improvements import Improvements
    from sprawlsim.sprawlops.mission.advice import Advice
    from sprawlsim.sprawlops.mission.ask import Effort, scenario_odds
    from sprawlsim.sprawlops.mission.frontier import Frontier
    from sprawlsim.sprawlops.mission.frontier_search import scenario_frontier
    from sprawlsim.sprawlops.mission.odds import Odds
    from sprawlsim.sprawlops.mission.policies import POLICIES
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions, Scenario, load_scenario
    from sprawlsim.sprawlops.mission.situation import Situation
    from sprawlsim.sprawlops.share_results import Shares
    from sprawlsim.sprawlops.shares import shares
    from sprawlsim.sprawlops.team import Team
    from sprawlsim.stats.intervals import Estimate

_HOMES = {
    "Advice": "sprawlsim.sprawlops.mission.advice",
    "POLICIES": "sprawlsim.sprawlops.mission.policies",
    "Effort": "sprawlsim.sprawlops.mission.ask",
    "Situation": "sprawlsim.sprawlops.mission.situation",
    "advise_scenario": "sprawlsim.sprawlops.advise",
    "Cards": "sprawlsim.sprawlops.api",
    "Comparison": "sprawlsim.sprawlops.compare",
    "Estimate": "sprawlsim.stats.intervals",
    "Action": "sprawlsim.sprawlops.game.play",
    "Frontier": "sprawlsim.sprawlops.mission.frontier",
    "Game": "sprawlsim.sprawlops.game.play",
    "Improvements": "sprawlsim.sprawlops.improvements",
    "Objective": "sprawlsim.sprawlops.mission.scenario",
    "Odds": "sprawlsim.sprawlops.mission.odds",
    "RulesOptions": "sprawlsim.sprawlops.mission.scenario",
    "Scenario": "sprawlsim.sprawlops.mission.scenario",
    "Shares": "sprawlsim.sprawlops.share_results",
    "SprawlsimError": "sprawlsim.errors",
    "Team": "sprawlsim.sprawlops.team",
    "Batch": "sprawlsim.sprawlops.game.simulate",
    "GameResults": "sprawlsim.sprawlops.game.results",
    "Strategy": "sprawlsim.sprawlops.game.strategies.model",
    "load_strategy": "sprawlsim.sprawlops.game.strategies.model",
    "simulate": "sprawlsim.sprawlops.game.simulate",
    "advise": "sprawlsim.sprawlops.advise",
    "compare": "sprawlsim.sprawlops.compare",
    "frontier": "sprawlsim.sprawlops.api",
    "improve": "sprawlsim.sprawlops.improve",
    "load_cards": "sprawlsim.sprawlops.api",
    "load_scenario": "sprawlsim.sprawlops.mission.scenario",
    "mission_odds": "sprawlsim.sprawlops.api",
    "scenario_frontier": "sprawlsim.sprawlops.mission.frontier_search",
    "scenario_odds": "sprawlsim.sprawlops.mission.ask",
    "shares": "sprawlsim.sprawlops.shares",
}

__all__ = [
    "POLICIES",
    "Action",
    "Advice",
    "Batch",
    "Cards",
    "Comparison",
    "Effort",
    "Estimate",
    "Frontier",
    "Game",
    "GameResults",
    "Improvements",
    "Objective",
    "Odds",
    "RulesOptions",
    "Scenario",
    "Shares",
    "Situation",
    "SprawlsimError",
    "Strategy",
    "Team",
    "__version__",
    "advise",
    "advise_scenario",
    "compare",
    "frontier",
    "improve",
    "load_cards",
    "load_scenario",
    "load_strategy",
    "mission_odds",
    "scenario_frontier",
    "scenario_odds",
    "shares",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: numba and numpy only when something is computed."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'sprawlsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
