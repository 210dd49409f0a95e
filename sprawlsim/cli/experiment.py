"""``sprawlsim experiment``: run grids of games or Missions that survive being stopped, and read results."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sprawlsim.cli.asking import Progress, QuietOption, announcing_compilation, load_engine, say
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.experiments.show import Results

experiment_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run experiments: grids of games or Missions that survive being stopped.",
)

CSV_DIGITS = 6
P_DIGITS = 3


def complete_specs() -> list[str]:
    """List the experiments."""
    from sprawlsim.experiments.shelf import all_specs

    return list(all_specs())


FormatOption = Annotated[
    str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
]


@experiment_app.command("list", short_help="The experiments there are, and what each asks.")
def list_experiments(fmt: FormatOption = "table") -> None:
    """List the experiments that come with the program, and those of the folder experiments here."""
    check_format(fmt)
    from sprawlsim.experiments.shelf import all_specs, shipped_folder
    from sprawlsim.experiments.spec import read_spec

    rows = []
    for name, path in all_specs().items():
        try:
            question = read_spec(path).question
        except SprawlsimError as error:
            question = f"cannot be read: {error}"
        shipped = path.parent.resolve() == shipped_folder().resolve()
        rows.append([name, "shipped" if shipped else "here", question])
    print(render_rows(["experiment", "where", "question"], rows, fmt))


@experiment_app.command("run", short_help="Run an experiment, or go on with one that was stopped.")
def run(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="An experiment: a file NAME.toml, or the name of one that 'experiment list' tells.",
            autocompletion=complete_specs,
        ),
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the results that are there: what is finished stays.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=256, help="Processes; they change no byte. [default: one a processor]"
        ),
    ] = None,
    backend: Annotated[
        str,
        typer.Option(metavar="NAME", help="Who plays: local (processes here) or dask (a cluster)."),
    ] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="With --backend dask: tcp://HOST:PORT of its scheduler."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The results folder. [default: results/experiments/NAME]"),
    ] = None,
    summary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was found to this .csv file, too.")
    ] = None,
    fmt: FormatOption = "table",
    quiet: QuietOption = False,
) -> None:
    """Run an experiment: play every cell of its grid, keep every finished chunk, print what came out.

    It may be stopped at any moment, by Ctrl-C or worse: --resume goes on, and the results are the same to the
    byte. 'sprawlsim experiment show' tells what is known while it runs.

    \b
    Examples:
      sprawlsim experiment run first-players-edge
      sprawlsim experiment run mine.toml --workers 8 --out results/mine
      sprawlsim experiment run mine.toml --out results/mine --resume
      sprawlsim experiment run mine.toml --backend dask --scheduler tcp://10.0.0.5:8786
    """
    check_format(fmt)
    if summary is not None and (summary.suffix != ".csv" or not summary.parent.is_dir()):
        raise SprawlsimError(f"--summary {summary}: name a .csv file in a folder that exists")
    from sprawlsim.experiments.shelf import RESULTS, find_spec
    from sprawlsim.experiments.show import load_results
    from sprawlsim.experiments.spec import read_spec

    path = find_spec(file)
    spec = read_spec(path)
    load_engine()
    from sprawlsim.experiments.cells import find_measure
    from sprawlsim.experiments.run import Means, run_experiment
    from sprawlsim.sprawlops.measures import MEASURES
    from sprawlsim.sprawlops.mission.montecarlo import default_threads

    trials = find_measure(spec, MEASURES).trials
    folder = out or RESULTS / spec.name
    means = Means(workers or default_threads(), backend, scheduler)
    since = time.monotonic()
    try:
        with announcing_compilation(quiet), Progress(quiet, trials) as progress:
            outcome = run_experiment(
                spec, MEASURES, folder, base=path.parent, resume=resume, means=means, progress=progress
            )
    except KeyboardInterrupt:
        say(f"finished chunks are kept in {folder}: run it again with --resume", quiet)
        raise
    for damaged in outcome.damaged:
        say(f"damaged, moved aside and played again: {folder / damaged}", quiet)
    results = load_results(folder, MEASURES)
    if summary is not None:
        write_summary(summary, results)
        say(f"summary written to {summary}", quiet)
    print(render(results, fmt))
    played = outcome.played * spec.stop.chunk
    say(
        f"{played:,} {results.trials} played in {time.monotonic() - since:.1f} s, {outcome.kept} chunks were "
        f"there; results in {folder}",
        quiet,
    )


@experiment_app.command("show", short_help="What an experiment has found, even while it runs.")
def show(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A results folder, or the name of an experiment run here.")
    ],
    fmt: FormatOption = "table",
) -> None:
    """Show what an experiment has found: every cell's figures, and differences to the baseline.

    While it runs, only finished chunks are read, and the intervals hold however often one looks.

    \b
    Examples:
      sprawlsim experiment show first-players-edge
      sprawlsim experiment show results/mine --format csv
    """
    check_format(fmt)
    from sprawlsim.experiments.shelf import find_results
    from sprawlsim.experiments.show import load_results
    from sprawlsim.sprawlops.measures import MEASURES

    print(render(load_results(find_results(folder), MEASURES), fmt))


def write_summary(path: Path, results: Results) -> None:
    """Write the figures as CSV, whole or not at all."""
    from sprawlsim.experiments.store import write_whole

    write_whole(path, (render(results, "csv") + "\n").encode())


def render(results: Results, fmt: str) -> str:
    """Write results in one of the formats."""
    if fmt == "csv":
        return render_rows(list(results.figures.columns), _plain(results.figures), "csv")
    if fmt == "json":
        return json.dumps(_to_dict(results), indent=2, ensure_ascii=False)
    spec = results.spec
    heading = f"## {spec.title}\n\n{spec.question}" if fmt == "md" else f"{spec.title}\n{spec.question}"
    state = "" if results.complete else ", not finished: intervals allow for looking"
    counts = f"{results.done:,} of {results.of:,} {results.trials}, seed {spec.seed}{state}"
    parts = [heading, counts]
    plain = results.figures[results.figures["less"].isna()]
    parts.append(_wide(plain, results, fmt) if len(plain) else "Nothing is finished yet.")
    differences = results.figures[results.figures["less"].notna()]
    if len(differences):
        parts += [
            f"Differences on the same dice, 95% intervals; p corrected by Holm over all {len(differences)}",
            _differences(differences, results.axes, fmt),
        ]
    return "\n\n".join([*parts, *results.notes])


def _plain(frame: pd.DataFrame) -> list[list[Any]]:
    """Give the cells of a frame as plain values, numbers rounded, nothing where nothing is."""
    columns = [
        [_value(value, name == "p_holm") for value in frame[name].astype(object).tolist()]
        for name in frame.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _value(value: Any, is_p: bool) -> Any:
    """Round a number: to digits after the point, but a p-value, which may be tiny, to significant ones."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return float(f"{value:.{P_DIGITS}g}") if is_p else round(value, CSV_DIGITS)


def _to_dict(results: Results) -> dict[str, Any]:
    spec = results.spec
    columns = list(results.figures.columns)
    return {
        "schema": 1,
        "name": spec.name,
        "title": spec.title,
        "question": spec.question,
        "measure": spec.measure,
        "seed": spec.seed,
        "complete": results.complete,
        results.trials: {"done": results.done, "of": results.of},
        "figures": [dict(zip(columns, row, strict=True)) for row in _plain(results.figures)],
        "notes": results.notes,
    }


def _estimate(row: Any) -> str:
    """Write an estimate with its interval."""
    from sprawlsim.experiments.show import SHARE
    from sprawlsim.stats.intervals import Estimate
    from sprawlsim.stats.text import format_estimate

    is_share = row.unit == SHARE
    number, interval = format_estimate(Estimate(row.estimate, row.low, row.high), is_share)
    known = f" ({interval})" if row.low > -float("inf") else ""
    return f"{number}{'' if is_share else row.unit}{known}"


def _change(row: Any) -> str:
    """Write a difference with its interval: signed, that of shares in percentage points."""
    from sprawlsim.experiments.show import SHARE
    from sprawlsim.stats.intervals import Estimate
    from sprawlsim.stats.text import digits_for, format_scaled

    change = Estimate(row.estimate, row.low, row.high)
    scale, unit = (100.0, " points") if row.unit == SHARE else (1.0, row.unit)
    number, interval = format_scaled(change, scale, unit, True, digits_for(scale * change.half_width, 0))
    return f"{number} ({interval})" if row.low > -float("inf") else number


def _wide(frame: pd.DataFrame, results: Results, fmt: str) -> str:
    """Write a row for each cell, a column for each figure; each figure a row where there is one cell."""
    from sprawlsim.experiments.estimates import reported_order

    figures = reported_order(results.spec, list(dict.fromkeys(frame["figure"])))
    axes = results.axes
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in frame.itertuples():
        labels = tuple(str(frame.at[row.Index, axis]) for axis in axes)
        cells.setdefault(labels, {})[str(row.figure)] = _estimate(row)
    if len(cells) == 1 and not axes:
        (only,) = cells.values()
        return render_rows(
            ["figure", "estimate (95% interval)"], [[name, only[name]] for name in figures], fmt
        )
    rows = [[*labels, *(told.get(figure, "-") for figure in figures)] for labels, told in cells.items()]
    return render_rows([*axes, *figures], rows, fmt)


def _differences(frame: pd.DataFrame, axes: list[str], fmt: str) -> str:
    from sprawlsim.stats.multiple import LEVEL

    rows = []
    for row in frame.itertuples():
        p = float(str(row.p_holm))
        told = "<0.001" if p < 0.001 else f"{p:.3f}"
        labels = [str(frame.at[row.Index, axis]) for axis in axes]
        verdict = "yes" if p <= LEVEL else "not resolved"
        rows.append([*labels, row.less, row.figure, _change(row), told, verdict])
    return render_rows([*axes, "less", "figure", "difference", "p", "differs"], rows, fmt)
