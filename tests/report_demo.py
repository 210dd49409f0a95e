"""A made-up report of the size and shape of a real one, for the tests of pictures and of the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sprawlsim.reports import plots
from sprawlsim.reports.plots import Caption
from sprawlsim.reports.render import Column, PictureItem, Report, Section, Table, to_html

SOURCE = "Card set stand-in (3f2a9c41); 200,000 games of 4 players, seats rotated; seed 1; 95% intervals."
STRATEGIES = [
    "champion",
    "balanced",
    "docwagon",
    "mission-grinder",
    "face-economy",
    "gear-rush",
    "runner-collector",
]
MISSIONS = (  # noqa: SIM905 - reads better than a list
    "Errand Job|Courier Job|Warehouse Job|Rooftop Job|Clinic Job|Museum Job|Dockyard Job|Convoy Job|"
    "Archive Job|Nightclub Job|Make Some Noise|Laboratory Job|Embassy Job|Refinery Job|Data Haven Job|"
    "Penthouse Job|Ritual Site Job|Airfield Job|Arcology Job|Zero Zone Job"
).split("|")
CARDS = {
    "Runners": "Corium|Night Owl|Old Hand|Wire Rat|Street Saint|Drone Wrangler|Smooth Talker|Ash Walker",
    "Gear": "Renraku Tsurugi Cyberdeck|Chrysler-Nissan Jackrabbit|Heavy Pistol|Assault Rifle|Spirit Focus|"
    "Scout Drone|Armed Drone|Medkit|Combat Van|Lined Coat|Budget Cyberdeck|Fetish Bag|Grapple Gun|Toolkit",
    "Upgrades": "Datajack|Dermal Plating|Commlink|Tailored Pheromones|Muscle Graft|Reflex Wires|Rigger Port",
    "Loot": "Aqua Fortis|Evacuate|Spare Clip|Back Door|Trauma Patch|Loaded Die",
}
ROLES = ["Street Samurai", "Decker", "Mage", "Rigger", "Face"]


def cards() -> pd.DataFrame:
    """35 cards with their effect on winning, cost and fit."""
    random = np.random.default_rng(7)
    rows = [(deck, name) for deck, names in CARDS.items() for name in names.split("|")]
    frame = pd.DataFrame(rows, columns=["deck", "name"])
    frame["effect"] = random.gamma(2.0, 0.018, len(frame)) - 0.008
    half = random.uniform(0.004, 0.011, len(frame))
    frame["effect_low"], frame["effect_high"] = frame["effect"] - half, frame["effect"] + half
    frame["cost"] = np.clip(np.round(3 + 160 * frame["effect"] + random.normal(0, 2.5, len(frame))), 1, None)
    slope, base = np.polyfit(frame["effect"], frame["cost"], 1)
    frame["fitted"] = base + slope * frame["effect"]
    frame["residual"] = frame["cost"] - frame["fitted"]
    frame = frame.sort_values("effect", ascending=False, ignore_index=True)
    better = [(frame["effect_low"] > high).sum() for high in frame["effect_high"]]
    worse = [(frame["effect_high"] < low).sum() for low in frame["effect_low"]]
    frame["rank"] = [
        f"{1 + b}-{len(frame) - w}" if 1 + b < len(frame) - w else f"{1 + b}"
        for b, w in zip(better, worse, strict=True)
    ]
    return frame


def strategies() -> pd.DataFrame:
    """Win rates, two of them tied."""
    rates = [0.333, 0.297, 0.262, 0.259, 0.222, 0.198, 0.181]
    frame = pd.DataFrame({"strategy": STRATEGIES, "games": 114_286, "win_rate": rates})
    frame["win_rate_low"], frame["win_rate_high"] = frame["win_rate"] - 0.0026, frame["win_rate"] + 0.0026
    frame["rating"] = np.log(frame["win_rate"]) - np.log(frame["win_rate"]).mean()
    frame["tables"] = [0.61, 0.48, np.nan, 0.52, 0.4, 0.33, 0.27]
    return frame


def payoffs() -> pd.DataFrame:
    """An antisymmetric matrix of seven strategies."""
    random = np.random.default_rng(3)
    size = len(STRATEGIES)
    upper = np.triu(random.normal(0.04, 0.06, (size, size)), 1)
    values = upper - upper.T
    np.fill_diagonal(values, np.nan)
    return pd.DataFrame(values, index=STRATEGIES, columns=STRATEGIES)


def odds() -> pd.DataFrame:
    """Odds of 20 Missions for two teams at rounds 2, 4, 6, 8."""
    hardness = np.linspace(-2.5, 2.5, len(MISSIONS))
    teams = {f"round {number} {kind}": number for number in (2, 4, 6, 8) for kind in ("typical", "rich")}
    columns = {
        name: 1 / (1 + np.exp(hardness * 1.3 - 0.75 * number + 2.2 - 0.8 * ("rich" in name)))
        for name, number in teams.items()
    }
    frame = pd.DataFrame(columns, index=MISSIONS)
    frame.loc["Zero Zone Job", "round 2 typical"] = np.nan
    return frame


def rounds() -> pd.DataFrame:
    """How long games take."""
    shares = np.array([0, 0, 0.001, 0.013, 0.058, 0.142, 0.223, 0.225, 0.168, 0.098, 0.046, 0.018, 0.008])
    frame = pd.DataFrame({"round": np.arange(1, len(shares) + 1), "share": shares})
    half = 1.96 * np.sqrt(shares * (1 - shares) / 20_000)
    frame["share_low"], frame["share_high"] = shares - half, shares + half
    return frame


def by_round() -> pd.DataFrame:
    """Dice of each strategy in each round."""
    rows = []
    for k, strategy in enumerate(STRATEGIES):
        for number in range(1, 13):
            dice = 3 + (9 - k) * (1 - np.exp(-number / 3.5)) + 0.15 * number
            half = 0.02 * number**1.5
            rows.append((strategy, number, dice, dice - half, dice + half))
    return pd.DataFrame(rows, columns=["strategy", "round", "dice", "dice_low", "dice_high"])


def injuries() -> pd.DataFrame:
    """How many runners are hurt in a Mission."""
    mean = np.linspace(0.2, 2.0, len(MISSIONS))
    frame = pd.DataFrame({"mission": MISSIONS})
    frame["nobody"] = np.exp(-mean)
    frame["1 hurt"] = mean * np.exp(-mean)
    frame["2 hurt"] = mean**2 / 2 * np.exp(-mean)
    frame["3 or more"] = 1 - frame[["nobody", "1 hurt", "2 hurt"]].sum(axis=1)
    return frame


def overpaid() -> pd.DataFrame:
    """By how much Missions are overpaid for four teams; the first has few in reach."""
    random = np.random.default_rng(5)
    values = np.linspace(9, -6, 20)[:, None] + random.normal(0, 2.5, (20, 4))
    values[:15, 0] = np.nan
    frame = pd.DataFrame(values, columns=[f"team of round {at}" for at in (2, 4, 6, 8)])
    return frame.assign(mission=MISSIONS[::-1])


def icons() -> pd.DataFrame:
    """Which colours each Mission asks for."""
    counts = np.random.default_rng(5).multinomial(9, [0.28, 0.26, 0.2, 0.16, 0.1], len(MISSIONS))
    return pd.DataFrame(counts, columns=ROLES).assign(mission=MISSIONS)


def survival() -> pd.DataFrame:
    """Stages reached and cleared by six teams."""
    rows = []
    for k, team in enumerate(["starters", "round 2", "round 4", "round 6", "round 8", "all Deckers"]):
        reached = 1.0
        for stage in ("1", "2 Loot", "3", "4"):
            cleared = reached * (0.55 + 0.08 * k) * (1.0 if stage != "2 Loot" else 0.8)
            rows.append((team, stage, reached, cleared))
            reached = cleared * 0.95
    return pd.DataFrame(rows, columns=["team", "stage", "reached", "cleared"])


def caption(title: str, x: str = "", y: str = "") -> Caption:
    return Caption(title, SOURCE, x, y)


def drawings() -> dict[str, Callable[[], Figure]]:
    """Every kind of picture by name, to be drawn."""
    from sprawlsim.sprawlops.colours import ROLE_INKS
    from sprawlsim.sprawlops.roles import ROLE_LABELS

    own = {ROLE_LABELS[role]: ink for role, ink in ROLE_INKS.items()}
    gain = "gain in win probability, percentage points"
    return {
        "card-effects": lambda: plots.forest(
            cards(),
            caption(
                "Given for nothing, Dermal Plating is worth most; eleven of 35 cards may be worth nothing",
                gain,
            ),
            group="deck",
            rank="rank",
            scale=100,
        ),
        "card-prices": lambda: plots.scatter_residuals(
            cards(),
            caption("Prices follow worth, with six cards 3K or more off the line", gain, "cost, K nuyen"),
            x="effect",
            group="deck",
            scale=100,
            unit="K",
        ),
        "mission-odds": lambda: plots.heat_map(
            odds(),
            caption("Every Mission is open to a rich team of round 8; five are traps in round 2"),
            low=0,
            high=1,
            measure="odds of completion, %",
        ),
        "payoffs": lambda: plots.matrix(
            payoffs(),
            caption("balanced loses to nobody, docwagon only to two", "against", "win rate of"),
            unsure=payoffs().abs() < 0.012,
        ),
        "rounds": lambda: plots.histogram(
            rounds(),
            caption("Half of all games are over by the eighth round", "round of the win", "% of games"),
            mark=(7.7, "mean 7.70"),
        ),
        "dice-by-round": lambda: plots.lines(
            by_round(),
            caption("All strategies find their dice by round 6", "round", "dice of a player"),
            y="dice",
            group="strategy",
        ),
        "injuries": lambda: plots.stacked_bars(
            injuries(),
            caption("From Airfield Job on, one attempt in three hurts two runners or more", "% of attempts"),
            parts=["nobody", "1 hurt", "2 hurt", "3 or more"],
            name="mission",
            ordered=True,
        ),
        "icons": lambda: plots.stacked_bars(
            icons(),
            caption("Street Samurai and Decker icons make up half of all", "icons"),
            parts=ROLES,
            name="mission",
            scale=1,
            own=own,
        ),
        "overpaid": lambda: plots.dot_rows(
            overpaid(),
            caption("Zero Zone Job pays too much for every team", "K nuyen above even"),
            marks=[f"team of round {at}" for at in (2, 4, 6, 8)],
            name="mission",
        ),
        "stages": lambda: plots.stage_survival(
            survival(),
            caption("The third Stage is where teams of starters end", "Stage", "% of attempts"),
            group="team",
        ),
    }


def picture(name: str, title: str, alt: str) -> PictureItem:
    return PictureItem(name, title, drawings()[name], f"{alt} (made-up numbers)")


def report() -> Report:
    """The whole report."""
    return Report(
        "Balance of a made-up game",
        "Which strategies win, which cards are worth their price, and which Missions are traps?",
        [strategies_section(), missions_section(), cards_section(), length_section()],
        {
            "Card set": "stand-in (3f2a9c41)",
            "Games": "200,000 of 4 players",
            "Seed": "1",
            "Intervals": "95%",
            "Version": "0.1.0",
        },
        "The cards are a stand-in, with numbers of our own: nothing here is about the printed cards.",
        "sprawlsim 0.1.0; card set stand-in (3f2a9c41); seed 1; made by: sprawlsim report --out demo",
    )


@lru_cache
def html() -> str:
    """The page; drawn once for all tests of it."""
    return to_html(report())


def strategies_section() -> Section:
    return Section(
        "strategies",
        "Strategies",
        [
            "champion wins 33.3% of its games, 25% would be even; docwagon and mission-grinder are tied.",
            "No strategy loses to all others, so the meta is not settled by one of them.",
        ],
        [
            picture(
                "payoffs", "Each strategy against each other", "A table of win rates, row against column."
            ),
            Table(
                "strategies",
                "Win rates at mixed tables",
                strategies(),
                [
                    Column("strategy", "Strategy"),
                    Column("win_rate", "Wins", "percent"),
                    Column("rating", "Rating", "number", signed=True),
                    Column("tables", "Tables won", "percent", digits=0),
                    Column("games", "Games", "count"),
                ],
                "Seats are rotated; ratings are log odds.",
            ),
        ],
        [
            "Every table of four different strategies was played in all rotations of seats on the same dice.",
            "Intervals are Wilson's; the order is resolved by Holm's correction over all pairs.",
        ],
    )


def missions_section() -> Section:
    table = odds().reset_index(names="mission")
    return Section(
        "missions",
        "Missions",
        ["Five Missions are traps in round 2: a typical team completes fewer than one in ten."],
        [
            picture("mission-odds", "Odds of completion with best play", "Odds of 20 Missions by team."),
            Table(
                "missions",
                "Odds of completion",
                table,
                [
                    Column("mission", "Mission"),
                    *(Column(str(name), str(name).capitalize(), "percent") for name in table.columns[1:]),
                ],
            ),
            picture(
                "injuries", "Runners hurt in an attempt", "Shares of attempts by number of runners hurt."
            ),
            picture("icons", "Colours asked for", "Icons of each Mission by role."),
            picture("stages", "How far teams get", "Stages reached and cleared by six teams."),
        ],
        ["Odds are exact, by backward induction over all plays."],
    )


def cards_section() -> Section:
    return Section(
        "cards",
        "Cards",
        ["Eight cards are 2.5K or more off the price that their worth suggests; a Toolkit costs too much."],
        [
            picture("card-effects", "What a card is worth when given", "Gains of 35 cards with intervals."),
            picture("card-prices", "Price against worth", "Cost of 35 cards over their gain, with the fit."),
            Table(
                "cards",
                "Worth and price",
                cards(),
                [
                    Column("name", "Card"),
                    Column("deck", "Deck"),
                    Column("rank", "Rank"),
                    Column("effect", "Gain in wins, points", "points"),
                    Column("cost", "Cost", "nuyen", digits=0),
                    Column("residual", "Overpriced by", "nuyen", signed=True),
                ],
                "A rank such as 2-4 is not resolved further.",
            ),
        ],
        ["The card is given to one player in one of two games on the same dice: a paired difference."],
    )


def length_section() -> Section:
    return Section(
        "length",
        "Length of a game",
        ["A game takes 7.7 rounds; half of all are over by the eighth."],
        [
            picture(
                "rounds", "Round of the win", "Shares of games by the round of the win, most in 7 and 8."
            ),
            picture(
                "dice-by-round", "Dice by round", "Dice of each strategy, rising from 4 to between 8 and 14."
            ),
        ],
    )
