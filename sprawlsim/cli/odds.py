"""``sprawlsim odds``: a Mission, a team, and the odds that somebody about to play them wants to read.

numpy, numba and everything that needs them is imported when the command runs, so that ``--help`` and the
Tab key answer at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sprawlsim.cli.asking import (
    AimOption,
    EyeOption,
    InsistOption,
    LootOption,
    MissionArgument,
    ObjectiveOption,
    PlatingOption,
    PriceOption,
    Progress,
    QuietOption,
    RerollOption,
    ScenarioOption,
    TeamOption,
    TokensOption,
    announcing_compilation,
    check_picture,
    draw,
    little_garbage,
    load_engine,
    read_objective,
    read_prices,
    read_rules,
    refuse_beside_a_file,
    say,
)
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.odds_text import render
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format
from sprawlsim.sprawlops.api import ask_about, load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.ask import Effort
    from sprawlsim.sprawlops.mission.odds import Odds
    from sprawlsim.sprawlops.mission.scenario import Scenario

POLICY_NAMES = ("best", "balanced", "icons-first", "cancel-first")
"""The policies to offer without loading them; a test holds them to `POLICIES`."""
ENGINE_NAMES = ("exact", "montecarlo")


class Asked(NamedTuple):
    """A question: an attempt to set up, and who gives its odds for a policy and an effort."""

    scenario: Scenario
    odds: Callable[[str, Effort], Odds]


def show_odds(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: TeamOption = None,
    tokens: TokensOption = 0,
    loot: LootOption = None,
    reroll: RerollOption = 0,
    eye: EyeOption = None,
    aim: AimOption = None,
    price: PriceOption = None,
    objective: ObjectiveOption = None,
    plating_any_colour: PlatingOption = False,
    scenario: ScenarioOption = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Who decides: {', '.join(POLICY_NAMES)}.",
            autocompletion=lambda: list(POLICY_NAMES),
        ),
    ] = POLICY_NAMES[0],
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE",
            help="exact, or montecarlo. [default: exact where that takes a few seconds]",
            autocompletion=lambda: list(ENGINE_NAMES),
        ),
    ] = None,
    insist: InsistOption = False,
    attempts: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=10**12,
            help="Play exactly so many (Monte Carlo). [default: 1000000; 200000 for large pools and best]",
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            min=1e-5,
            max=0.499,
            help="Play until completion is known to plus or minus this (Monte Carlo).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same dice.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=256, help="Threads; they change no figure. [default: one a processor]"
        ),
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the odds as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find the odds of a Mission: completing it, each Stage, who is hurt and how, nuyen and Loot.

    They are exact odds of the best possible play where that takes a few seconds, with what rules of thumb
    would reach beside; else the Mission is played many times by a rule of thumb. A Commlink without a
    colour gets the best one.

    \b
    Examples:
      sprawlsim odds "make some noise"
      sprawlsim odds errand --team "Tamsynn + Datajack, Lazar + Jackrabbit + Commlink"
      sprawlsim odds "make some noise" --tokens 1 --loot "aqua fortis" --eye samurai
      sprawlsim odds market --aim nuyen --price injury=2,death=8
      sprawlsim odds harbour --objective "completion=1,injury=-0.2,death=-0.6"
      sprawlsim odds harbour --policy balanced --precision 0.0005 --format json
      sprawlsim odds errand --set "Errand Job.stages.1.icons.street_samurai=2" --plot errand.png
      sprawlsim odds --scenario heist.toml --policy cancel-first
    """
    check_format(fmt)
    check_picture(plot)
    if attempts is not None and precision is not None:
        raise SprawlsimError("--attempts and --precision exclude each other; give one of them")
    told_by_a_file = {
        "MISSION": mission,
        "--team": team,
        "--tokens": tokens,
        "--loot": loot,
        "--reroll": reroll,
        "--eye": eye,
        "--aim": aim,
        "--price": price,
        "--objective": objective,
        "--plating-any-colour": plating_any_colour,
        "--cards": cards,
        "--set": changes,
    }
    load_engine()
    from sprawlsim.sprawlops.mission.ask import Effort

    if scenario is not None:
        asked = _ask_scenario(scenario, told_by_a_file)
    elif mission is None:
        raise SprawlsimError("name a Mission, or a file with --scenario; see 'sprawlsim odds --help'")
    else:
        question = ask_about(
            mission,
            team,
            cards=load_cards(cards, changes or ()),
            tokens=tokens,
            loot=loot or (),
            rerolls=reroll,
            eye=eye or (),
            aim=aim,
            prices=read_prices(price),
            objective=read_objective(objective),
            rules=read_rules(plating_any_colour),
        )
        asked = Asked(question.scenario(), question.odds)
    effort = Effort(attempts, precision, seed, threads, None, engine, insist)
    answer = _play(asked, policy, effort, quiet)
    if plot is not None:
        draw(answer.plot(), plot, quiet)
    print(render(answer, fmt))
    if fmt in {"json", "csv"}:
        for note in answer.notes:
            say(f"note: {note}", quiet)


def _play(asked: Asked, policy: str, effort: Effort, quiet: bool) -> Odds:
    """Load or compile the kernels, then play."""
    from sprawlsim.sprawlops.mission.ask import check_policy

    check_policy(policy)
    with announcing_compilation(quiet), little_garbage(), Progress(quiet) as progress:
        return asked.odds(policy, effort._replace(progress=progress))


def _ask_scenario(path: Path, given: Mapping[str, object]) -> Asked:
    """Ask about a scenario file, which leaves nothing else to set up."""
    refuse_beside_a_file(given)
    from sprawlsim.sprawlops.mission.ask import scenario_odds
    from sprawlsim.sprawlops.mission.odds import Label
    from sprawlsim.sprawlops.mission.scenario import load_scenario

    scenario = load_scenario(path)

    def odds_of(policy: str, effort: Effort) -> Odds:
        return scenario_odds(scenario, policy, effort, Label(path.name))

    return Asked(scenario, odds_of)
