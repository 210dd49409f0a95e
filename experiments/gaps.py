"""What playing by rule of thumb costs, on every Mission of the stand-in set: best play minus each of them.

    python experiments/gaps.py

Writes ``results/gaps.csv``: for every Mission, Final Mission and Task, and three sensible teams each (a
Task: its one runner), the odds of completing under best play, exactly, and how many percentage points each
rule of thumb falls short of them. Rules of thumb are exact where that is little work, else played a million
times (``by``).
"""

from __future__ import annotations

import csv
from pathlib import Path

from sprawlsim.sprawlops.api import Cards, ask_about, load_cards
from sprawlsim.sprawlops.cards import Task
from sprawlsim.sprawlops.mission.ask import Effort, scenario_odds
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.policies import POLICIES

RESULT = Path(__file__).parent.parent / "results" / "gaps.csv"
TEAMS = {
    "starting team": (None, 0),
    "three runners, 13 dice": (
        "Tamsynn + Datajack + Renraku Tsurugi Cyberdeck, Lazar + Jackrabbit + Martial Arts, Corium",
        1,
    ),
    "four runners, 20 dice": (
        "Towering Samurai + Balanced Blade + Dermal Plating, Brilliant Decker + Datajack, "
        "Learned Mage + Carved Focus + Dermal Plating, Roving Rigger + Small Drone",
        2,
    ),
}
"""Teams by name: runners, and DocWagon tokens in hand."""
TASK_TEAMS = {
    "Steady Samurai": ("Steady Samurai", 0),
    "Tamsynn + Datajack": ("Tamsynn + Datajack", 0),
    "Roving Rigger": ("Roving Rigger", 0),
}
ATTEMPTS = 1_000_000
MOST_ROLLS = 1_000_000


def _row(cards: Cards, mission: str, name: str, team: str | None, tokens: int) -> list[object]:
    """Measure one Mission and team."""
    scenario = ask_about(mission, team, cards=cards, tokens=tokens).scenario()
    best = solve(scenario, figures=False).expected.completed
    row: list[object] = [mission, name, f"{best:.6f}"]
    by = "exact"
    for policy in POLICIES:
        figures = evaluate(scenario, policy, MOST_ROLLS)
        if figures is None:
            by = "Monte Carlo"
            reached = scenario_odds(scenario, policy, Effort(ATTEMPTS)).completed.estimate
        else:
            reached = float(figures.sums[0])
        row.append(f"{100 * (best - reached):.3f}")
    return [*row, by]


def main() -> None:
    """Measure all and write the table."""
    cards = load_cards()
    decks = (cards.card_set.missions, cards.card_set.final_missions, cards.card_set.tasks)
    rows = []
    for card in (card for deck in decks for card in deck):
        for name, (team, tokens) in (TASK_TEAMS if isinstance(card, Task) else TEAMS).items():
            rows.append(_row(cards, card.name, name, team, tokens))
            print(*rows[-1], flush=True)
    part = RESULT.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["mission", "team", "best", *(f"{policy} short by points" for policy in POLICIES), "by"]
        )
        writer.writerows(rows)
    part.replace(RESULT)
    for i, policy in enumerate(POLICIES):
        gaps = [float(str(row[3 + i])) for row in rows]
        worst = rows[gaps.index(max(gaps))]
        mean = sum(gaps) / len(gaps)
        print(
            f"{policy}: {mean:.2f} points below best on average, "
            f"{max(gaps):.2f} at worst ({worst[0]}, {worst[1]})"
        )


if __name__ == "__main__":
    main()
