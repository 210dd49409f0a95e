"""How far the rules of thumb are from best play, on scenarios whose best value is published.

    python experiments/rules_of_thumb.py

Writes ``results/rules-of-thumb.csv``: for every scenario of ``tests/golden``, the exact value of best play
and the exact value that each rule of thumb reaches.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from sprawlsim.sprawlops.mission.answer import weights_of
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Evaluate all scenarios and write the table."""
    rows = []
    for name in ("mission-values.json", "loot-reroll-perk-values.json"):
        for case in json.loads((ROOT / "tests" / "golden" / name).read_text()):
            scenario = scenario_from_dict(case["scenario"], case["name"])
            row = [case["name"], f"{case['value']:.6f}"]
            for policy in POLICIES:
                figures = evaluate(scenario, policy)
                assert figures is not None
                row.append(f"{np.dot(weights_of(scenario), figures.sums):.6f}")
            rows.append(row)
    target = ROOT / "results" / "rules-of-thumb.csv"
    part = target.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["scenario", "best", *POLICIES], *rows])
    part.replace(target)
    gaps = [float(row[1]) - float(row[2 + list(POLICIES).index("balanced")]) for row in rows]
    print(f"{len(rows)} scenarios; balanced is {sum(gaps) / len(gaps):.4f} below best on average,")
    print(f"{max(gaps):.4f} at worst: {rows[gaps.index(max(gaps))][0]}")


if __name__ == "__main__":
    main()
