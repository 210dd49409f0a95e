"""What experiments measure of this game: whole games of strategies, and attempts of a Mission."""

from __future__ import annotations

from sprawlsim.experiments.measure import Measure
from sprawlsim.sprawlops.measures.games import GamesMeasure
from sprawlsim.sprawlops.measures.missions import MissionMeasure

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (GamesMeasure(), MissionMeasure())}
"""What a spec's ``measure`` can be."""
