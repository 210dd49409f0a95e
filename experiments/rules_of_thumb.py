"""How far the rules of thumb are from best play, on scenarios whose best value is known exactly.

    python experiments/rules_of_thumb.py

Writes ``results/rules-of-thumb.csv``: for every scenario of ``tests/golden``, the exact value of best play
and the value each rule of thumb reaches, with 95% intervals.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

from sprawlsim.sprawlops.mission.ask import Effort, scenario_odds
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict

ROOT = Path(__file__).parent.parent
ATTEMPTS = 1_000_000
SEED = 1


def main() -> None:
    """Play all scenarios and write the table."""
    columns = [f"{policy}{end}" for policy in POLICIES for end in ("", " low", " high")]
    rows = []
    for name in ("mission-values.json", "loot-reroll-perk-values.json"):
        for case in json.loads((ROOT / "tests" / "golden" / name).read_text()):
            scenario = scenario_from_dict(case["scenario"], case["name"])
            row = [case["name"], f"{case['value']:.5f}"]
            for policy in POLICIES:
                value = scenario_odds(scenario, policy, Effort(ATTEMPTS, seed=SEED)).objective_value
                row += [f"{number:.5f}" for number in (value.estimate, value.low, value.high)]
            rows.append(row)
    target = ROOT / "results" / "rules-of-thumb.csv"
    part = target.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["scenario", "best", *columns], *rows])
    part.replace(target)
    gaps = [float(row[1]) - float(row[2 + columns.index("balanced")]) for row in rows]
    print(f"{len(rows)} scenarios; balanced is {sum(gaps) / len(gaps):.4f} below best on average,")
    print(f"{max(gaps):.4f} at worst: {rows[gaps.index(max(gaps))][0]}")


if __name__ == "__main__":
    main()
