"""``sprawlsim advise``: what to do with the roll on the table, before a roll, or between Stages."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    QuietOption,
    RerollOption,
    ScenarioOption,
    TeamOption,
    TokensOption,
    announcing_compilation,
    little_garbage,
    load_engine,
    read_objective,
    read_prices,
    read_rules,
    refuse_beside_a_file,
    say,
)
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.advice import Advice, Play

WIDTH = 96

Names = list[str] | None


def show_advice(  # noqa: PLR0913, PLR0917 - an option each
    mission: MissionArgument = None,
    team: TeamOption = None,
    stage: Annotated[int, typer.Option(metavar="N", help="The Stage to come, or being rolled.")] = 1,
    roll_number: Annotated[
        int | None,
        typer.Option(metavar="N", help="Which roll of the Stage: 1, 2 or 3. Left out: before the Stage."),
    ] = None,
    left: Annotated[
        str | None,
        typer.Option(
            metavar="ICONS", help='Icons left: "mage 1, decker 2". [default: all, before the first roll]'
        ),
    ] = None,
    roll: Annotated[
        str | None,
        typer.Option(
            metavar="FACES",
            help='What fell: "decker SSI, samurai S--": S a success, I an injury, - a blank. Left out: '
            "before the roll.",
        ),
    ] = None,
    hurt: Annotated[Names, typer.Option(metavar="NAME", help="A runner injured before the roll.")] = None,
    dead: Annotated[Names, typer.Option(metavar="NAME", help="A runner who is dead.")] = None,
    rescued: Annotated[Names, typer.Option(metavar="NAME", help="A runner rescued by DocWagon.")] = None,
    plate_used: Annotated[
        Names, typer.Option(metavar="NAME", help="A runner whose Dermal Plating is used.")
    ] = None,
    in_play: Annotated[
        Names, typer.Option(metavar="NAME", help="A Loot card whose die is in play in this Stage.")
    ] = None,
    tokens: TokensOption = 0,
    loot: LootOption = None,
    reroll: RerollOption = 0,
    eye: EyeOption = None,
    aim: AimOption = None,
    price: PriceOption = None,
    objective: ObjectiveOption = None,
    plating_any_colour: PlatingOption = False,
    scenario: ScenarioOption = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many plays to tell.")] = 5,
    every: Annotated[
        bool, typer.Option("--all", help="Tell every play, also those that plainly waste something.")
    ] = False,
    insist: InsistOption = False,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Rank what you can do now, by what it is worth if you play best afterwards.

    Tell where the Mission stands: tokens, Loot and rerolls as they are in hand now, runners as they were
    before the roll. With --roll: which successes do what, who is hurt. With --roll-number alone: whether to
    play Loot dice. With neither: go on, skip the Loot Stage, or pull out. What a play costs against the best
    is told in percentage points of completing, or in what an --aim or --objective counts. Names of runners
    may be shortened; --hurt, --dead, --rescued, --plate-used, --in-play may be repeated.

    \b
    Examples:
      sprawlsim advise "make some noise" --tokens 1 --stage 2
      sprawlsim advise errand --roll "samurai S-, decker SI, face -"
      sprawlsim advise "make some noise" --stage 3 --roll-number 2 --left "mage 1" --hurt tamsynn \\
        --roll "samurai SS, face S"
      sprawlsim advise market --aim nuyen --stage 3 --hurt friendly
    """
    check_format(fmt)
    load_engine()
    from sprawlsim.sprawlops.advise import advise, advise_scenario
    from sprawlsim.sprawlops.mission.situation import Situation

    most = None if every else top

    def ask() -> Advice:
        if scenario is None:
            if mission is None:
                raise SprawlsimError(
                    "name a Mission, or a file with --scenario; see 'sprawlsim advise --help'"
                )
            return advise(
                mission,
                team,
                stage=stage,
                roll_number=roll_number,
                left=left,
                roll=roll,
                hurt=hurt or (),
                dead=dead or (),
                rescued=rescued or (),
                plate_used=plate_used or (),
                in_play=in_play or (),
                cards=load_cards(cards, changes or ()),
                tokens=tokens,
                loot=loot or (),
                rerolls=reroll,
                eye=eye or (),
                aim=aim,
                prices=read_prices(price),
                objective=read_objective(objective),
                rules=read_rules(plating_any_colour),
                top=most,
                insist=insist,
            )
        from sprawlsim.sprawlops.mission.scenario import load_scenario

        refuse_beside_a_file(
            {
                "MISSION": mission,
                "--team": team,
                "--in-play": in_play,
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
        )
        situation = Situation(
            stage, roll_number, left, roll, hurt or (), dead or (), rescued or (), plate_used or ()
        )
        found = advise_scenario(load_scenario(scenario), situation, top=most, insist=insist)
        return _of_file(scenario, found)

    with announcing_compilation(quiet), little_garbage():
        advice = ask()
    print(render(advice, fmt))
    if fmt in {"json", "csv"}:
        for note in advice.notes:
            say(f"note: {note}", quiet)


def _of_file(path: Path, advice: Advice) -> Advice:
    """Name advice by its file."""
    from dataclasses import replace

    return replace(advice, title=path.name)


def render(advice: Advice, fmt: str) -> str:
    """Write advice in one of the formats, without a final line break."""
    if fmt == "json":
        return json.dumps(advice.to_dict(), indent=2, allow_nan=False)
    if fmt in {"csv", "md"}:
        headers = ["play", "leaves", "completed", "injuries", "deaths", "nuyen", "loot", "value", "cost"]
        rows: list[list[object]] = [
            [
                play.words,
                play.leaves,
                *(getattr(play.expected, key) for key in headers[2:8]),
                play.cost,
            ]
            for play in advice.plays
        ]
        return render_rows(headers, rows, fmt)
    return "\n".join(_table(advice))


def _table(advice: Advice) -> list[str]:
    """Write the plays one below another: figures, then what to do, then what it leaves."""
    head = [f"{advice.title}, {advice.situation}."]
    if advice.team:
        head.append(f"Team: {advice.team}.")
    head.append(
        f"Ranked for {advice.worth}, with best play from here on; odds and harm are of the rest of it."
    )
    lines = [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in head]
    in_odds = advice.worth == "completing the Mission"
    worth = [] if in_odds else ["worth"]
    lines += ["", "".join(f"{word:>13}" for word in ("", "completes", "injuries", "deaths", *worth, "costs"))]
    for number, play in enumerate(advice.plays, 1):
        lines.append(_figures(number, play, in_odds))
        told = f"{play.words}." if not play.leaves else f"{play.words}. -> {play.leaves}"
        told = told[:1].upper() + told[1:]
        lines.append(textwrap.fill(told, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8))
    more = advice.open - len(advice.plays)
    if more > 0:
        plays = "1 more play is" if more == 1 else f"{more} more plays are"
        lines += ["", f"{plays} worth no more (--top)."]
    notes = [textwrap.fill(f"Note: {note}", WIDTH, subsequent_indent="  ") for note in advice.notes]
    return [*lines, *[""] * bool(notes), *notes]


def _figures(number: int, play: Play, in_odds: bool) -> str:
    """Write the figures of a play on one line."""
    figures = [
        f"{play.expected.completed:.2%}",
        f"{play.expected.injuries:.3f}",
        f"{play.expected.deaths:.3f}",
    ]
    if not in_odds:
        figures.append(f"{play.expected.value:.4f}")
    if play.cost == 0.0:
        figures.append("best" if number == 1 else "nothing")
    else:
        figures.append(f"{100 * play.cost:.2f} points" if in_odds else f"{play.cost:.4f}")
    return f"{number:>5}.       " + "".join(f"{figure:>13}" for figure in figures)
