"""Pictures show the numbers they are given, can be read, and give the same bytes every time."""

import errno
import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import report_demo as demo
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scipy.optimize import minimize

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports import plots, style
from sprawlsim.reports.labels import spread
from sprawlsim.reports.style import BLUE, Caption, Ink, readable_on, save, to_png, to_svg
from sprawlsim.sprawlops.colours import ROLE_INITIALS, ROLE_INKS

ALL = sorted(demo.drawings())
EFFECT = ["effect", "effect_low", "effect_high"]
CAPTION = Caption("What was found", "Where from", "gain, points", "cost, K")


@pytest.fixture(scope="module")
def drawn():
    """Every picture of the demo, laid out."""
    figures = {name: draw() for name, draw in demo.drawings().items()}
    for figure in figures.values():
        figure.draw_without_rendering()
    return figures


def texts(figure):
    """All written text with its box in pixels."""
    out_of_view = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not axes.get_visible() or not in_view(axis, tick.get_loc())
    }
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text().strip(), box(text)) for text in found if text not in out_of_view]


def in_view(axis, place):
    low, high = sorted(axis.get_view_interval())
    return low - 1e-9 <= place <= high + 1e-9


def box(text):
    """Where ink is: leading empty lines only keep a place."""
    whole = text.get_window_extent()
    lines = text.get_text().count("\n") + 1
    written = len(text.get_text().strip().splitlines())
    return Bbox.from_extents(whole.x0, whole.y0, whole.x1, whole.y0 + whole.height * written / lines)


def words(figure):
    return [text for text, _ in texts(figure)]


@pytest.mark.parametrize("name", ALL)
def test_every_picture_says_its_finding_and_its_source(drawn, name):
    said = " ".join(" ".join(words(drawn[name])).split())
    assert drawn[name].get_suptitle().replace("\n", " ") in said
    assert demo.SOURCE in said


@pytest.mark.parametrize("name", ALL)
def test_no_text_leaves_the_picture(drawn, name):
    edge = drawn[name].bbox
    for text, place in texts(drawn[name]):
        assert place.x0 >= edge.x0 - 1, text
        assert place.x1 <= edge.x1 + 1, text
        assert place.y0 >= edge.y0 - 1, text
        assert place.y1 <= edge.y1 + 1, text


@pytest.mark.parametrize("name", ALL)
def test_no_text_covers_another(drawn, name):
    for (one, a), (other, b) in itertools.combinations(texts(drawn[name]), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert not (across > 1 and up > 2), (one, other)


@pytest.fixture(scope="module")
def images(drawn):
    """Every picture as PNG and SVG."""
    return {name: (to_png(figure), to_svg(figure)) for name, figure in drawn.items()}


@pytest.mark.parametrize("name", ALL)
def test_the_same_picture_gives_the_same_bytes(drawn, images, name):
    assert (to_png(drawn[name]), to_svg(drawn[name])) == images[name]


def test_another_process_and_other_settings_of_matplotlib_give_the_same_bytes(images):
    script = (
        "import hashlib, matplotlib as mpl, report_demo as demo; from sprawlsim.reports.style import *\n"
        "mpl.rcParams.update({'axes.facecolor': 'pink', 'font.size': 20, 'font.family': 'serif'})\n"
        "mpl.rcParams.update({'lines.linewidth': 9, 'axes.grid': True})\n"
        "for name in ('card-prices', 'icons', 'stages'):\n"
        "    figure = demo.drawings()[name]()\n"
        "    print(name, *(hashlib.sha256(draw(figure)).hexdigest() for draw in (to_svg, to_png)))"
    )
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "77"}
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    expected = [
        " ".join([name, *(hashlib.sha256(image).hexdigest() for image in reversed(images[name]))])
        for name in ("card-prices", "icons", "stages")
    ]
    assert told.stdout.splitlines() == expected


def test_svg_holds_neither_date_nor_program(images):
    png, svg = images["rounds"]
    assert b"<metadata" not in svg
    for image in (png, svg):
        assert mpl.__version__.encode() not in image
        assert b"matplotlib.org" not in image


def test_names_with_dollar_signs_are_names():
    frame = pd.DataFrame(
        {"name": ["$5 \\frac{ and $6"], "effect": [0.1], "effect_low": [0.0], "effect_high": [0.2]}
    )
    figure = plots.forest(frame, Caption("Costs $1_2$", "x"))
    to_png(figure)
    assert "$5 \\frac{ and $6" in words(figure)


def test_a_forest_tells_sure_effects_from_others():
    frame = pd.DataFrame(
        {
            "name": ["helps", "harms", "perhaps", "exact"],
            "effect": [0.05, -0.04, 0.01, 0.02],
            "effect_low": [0.03, -0.06, -0.01, 0.02],
            "effect_high": [0.07, -0.02, 0.03, 0.02],
        }
    )
    figure = plots.forest(frame, CAPTION, scale=100)
    axes = figure.axes[0]
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert [float(mark.get_xdata()[0]) for mark in marks] == pytest.approx([5, -4, 1, 2])
    assert [float(mark.get_ydata()[0]) for mark in marks] == [0, 1, 2, 3]
    assert [to_hex(mark.get_markerfacecolor()) == "#ffffff" for mark in marks] == [False, False, True, False]
    bars = [
        line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 2
    ]
    assert np.allclose(bars, [[3, 7], [-6, -2], [-1, 3], [2, 2]])
    assert {"+5  (+3 to +7)", "-4  (-6 to -2)", "+1  (-1 to +3)", "+2"} <= set(words(figure))
    assert "hollow: may be no effect" in words(figure)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top


def test_what_a_test_has_not_resolved_is_hollow_even_where_its_interval_leaves_out_0():
    frame = pd.DataFrame(
        [("sure", 0.05, 0.03, 0.07, True), ("one of many", 0.03, 0.01, 0.05, False)],
        columns=["name", *EFFECT, "resolved"],
    )
    figure = plots.forest(frame, CAPTION, scale=100)
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [to_hex(mark.get_markerfacecolor()) == "#ffffff" for mark in marks] == [False, True]
    assert "hollow: may be no effect" in words(figure)
    assert "hollow: may be no effect" not in words(plots.forest(frame[["name", *EFFECT]], CAPTION, scale=100))


def test_nothing_cannot_be_drawn():
    for draw in (plots.forest, plots.heat_map, plots.histogram):
        with pytest.raises(SprawlsimError, match=f"nothing to draw: {draw.__name__}"):
            draw(pd.DataFrame({"name": []}), CAPTION)


def test_one_row_one_cell_and_no_number_at_all_can_be_drawn():
    one = pd.DataFrame([("only", 0.1, 0.1, 0.1, "1")], columns=["name", *EFFECT, "rank"])
    assert "+0.10" in words(plots.forest(one, CAPTION, rank="rank"))
    unknown = pd.DataFrame([[np.nan]], index=["row"], columns=["column"])
    for draw in (plots.heat_map, plots.matrix):
        figure = draw(unknown, CAPTION)
        assert [text.get_text() for text in figure.axes[0].texts] == []
    same = pd.DataFrame([[0.5]], index=["row"], columns=["column"])
    assert [text.get_text() for text in plots.heat_map(same, CAPTION).axes[0].texts] == ["50"]


def test_a_forest_gives_each_group_its_own_mark_and_writes_ranks(drawn):
    figure = drawn["card-effects"]
    ranks = demo.cards()["rank"]
    assert [text for text in words(figure) if text in set(ranks)] == list(ranks)
    legend = figure.axes[0].get_legend()
    groups = [text.get_text() for text in legend.get_texts()][:4]
    assert groups == list(dict.fromkeys(demo.cards()["deck"]))
    assert len({handle.get_marker() for handle in legend.legend_handles[:4]}) == 4


def test_residuals_are_drawn_from_the_fit_and_the_largest_are_named(drawn):
    frame = demo.cards()
    figure = drawn["card-prices"]
    axes = figure.axes[0]
    stems = [
        line
        for line in axes.lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] == line.get_xdata()[1]
    ]
    ends = [tuple(map(float, line.get_ydata())) for line in stems]
    assert np.allclose(ends, frame[["fitted", "cost"]])
    solid = [line.get_linestyle() == "-" for line in stems]
    assert solid == list(frame["residual"] > 0)
    largest = frame.reindex(frame["residual"].abs().sort_values(ascending=False).index).head(8)
    for row in largest.itertuples():
        assert f"{row.name} {row.residual:+.1f}K" in words(figure)
    assert sum("K" in text and text[-1] == "K" for text in words(figure)) == 8


def test_names_of_points_cover_no_point(drawn):
    figure = drawn["card-prices"]
    axes = figure.axes[0]
    frame = demo.cards()
    points = axes.transData.transform(np.column_stack([100 * frame["effect"], frame["cost"]]))
    for text, place in texts(figure):
        if text.endswith("K"):
            inside = (points > place.min).all(axis=1) & (points < place.max).all(axis=1)
            assert not inside.any(), text


def test_a_heat_map_writes_every_number_readably_and_hatches_what_is_missing(drawn):
    figure = drawn["mission-odds"]
    axes = figure.axes[0]
    values = demo.odds().to_numpy()
    written = {text.get_position(): text for text in axes.texts}
    assert len(written) == np.isfinite(values).sum()
    cells = axes.collections[0].get_facecolors().reshape(*values.shape, 4)
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            text = written[j + 0.5, i + 0.5]
            assert text.get_text() == str(round(100 * value))
            assert contrast(to_rgb(text.get_color()), cells[i, j, :3]) >= 4.5
    (missing,) = [patch for patch in axes.patches if patch.get_hatch()]
    assert missing.get_xy() == (0, 19)
    assert [label.get_text() for label in axes.get_yticklabels()] == demo.MISSIONS


def luminance(colour):
    """Relative luminance of WCAG 2.1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one, other):
    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_takes_the_colour_of_higher_contrast():
    assert readable_on("#0000ff") == "white"  # 8.6 to 1 against 2.4 to 1
    assert readable_on("#ffff00") == "black"
    for step in range(256):
        grey = (step / 255,) * 3
        chosen = (0.0,) * 3 if readable_on(grey) == "black" else (1.0,) * 3
        assert contrast(chosen, grey) >= 4.5


def test_a_payoff_matrix_is_even_about_zero_and_brackets_doubt(drawn):
    axes = drawn["payoffs"].axes[0]
    values = demo.payoffs().to_numpy()
    low, high = axes.collections[0].get_clim()
    assert low == -high == pytest.approx(-100 * np.nanmax(np.abs(values)))
    written = {text.get_position(): text.get_text() for text in axes.texts}
    for (i, j), value in np.ndenumerate(values):
        if i != j:
            number = f"{100 * value:+.1f}".replace("-0.0", "0.0").replace("+0.0", "0.0")
            assert written[j + 0.5, i + 0.5] == (f"({number})" if abs(value) < 0.012 else number)
    assert sum(bool(patch.get_hatch()) for patch in axes.patches) == 7


def test_a_histogram_has_the_shares_as_heights_and_points_out_the_mean(drawn):
    figure = drawn["rounds"]
    frame = demo.rounds()
    bars = figure.axes[0].patches
    assert [bar.get_height() for bar in bars] == pytest.approx(list(100 * frame["share"]))
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == pytest.approx(list(frame["round"]))
    assert {"22.3", "22.5", "0.1", "0", "mean 7.70"} <= set(words(figure))


def test_stacked_bars_add_up_and_carry_their_numbers(drawn):
    figure = drawn["injuries"]
    frame = demo.injuries()
    parts = ["nobody", "1 hurt", "2 hurt", "3 or more"]
    widths = np.array([[bar.get_width() for bar in bars] for bars in figure.axes[0].containers]).T
    assert np.allclose(widths, 100 * frame[parts])
    assert np.allclose(widths.sum(axis=1), 100)
    assert "82" in words(figure)
    looks = {(to_hex(bars[0].get_facecolor()), bars[0].get_hatch()) for bars in figure.axes[0].containers}
    assert len(looks) == 4
    shades = [luminance(bars[0].get_facecolor()[:3]) for bars in figure.axes[0].containers]
    assert shades == sorted(shades, reverse=True)


def test_counts_are_on_an_axis_of_whole_numbers_and_single_ones_are_written(drawn):
    axes = drawn["icons"].axes[0]
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
    frame = demo.icons()
    bars = sorted(f"{count:.0f}" for count in frame[demo.ROLES].to_numpy().ravel() if count)
    assert sorted(text.get_text() for text in axes.texts) == bars


def test_a_row_of_dots_has_a_mark_for_each_value_and_none_for_what_is_missing(drawn):
    axes = drawn["overpaid"].axes[0]
    frame = demo.overpaid()
    marks = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert len({line.get_marker() for line in marks}) == 4
    for line, column in zip(marks, [f"team of round {at}" for at in (2, 4, 6, 8)], strict=True):
        assert np.allclose(line.get_xdata(), frame[column], equal_nan=True)
        assert np.allclose(line.get_ydata(), np.arange(20), atol=0.4)  # within its row
    ends = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linestyle() == "-"]
    spans = sorted(tuple(line.get_xdata()) for line in ends if tuple(line.get_xdata()) != (0, 0))
    values = frame.drop(columns="mission")
    assert spans == sorted(zip(values.min(axis=1), values.max(axis=1), strict=True))
    assert [label.get_text() for label in axes.get_yticklabels()] == frame["mission"].tolist()


def test_steps_are_drawn_for_each_group(drawn):
    frame = demo.survival()
    for panel, (team, rows) in zip(drawn["stages"].axes, frame.groupby("team", sort=False), strict=False):
        assert panel.get_title(loc="left").strip() == team
        heights = [[bar.get_height() for bar in bars] for bars in panel.containers]
        assert np.allclose(heights, 100 * rows[["reached", "cleared"]].to_numpy().T)


def test_lines_are_told_apart_without_colour_and_named_at_their_ends(drawn):
    axes = drawn["dice-by-round"].axes[0]
    frame = demo.by_round()
    assert len({(line.get_marker(), str(line.get_linestyle())) for line in axes.lines}) == 7
    for line, strategy in zip(axes.lines, demo.STRATEGIES, strict=True):
        assert np.allclose(line.get_ydata(), frame.loc[frame["strategy"] == strategy, "dice"])
    names = [text for text in words(drawn["dice-by-round"]) if text in demo.STRATEGIES]
    assert names == demo.STRATEGIES
    assert len(axes.collections) == 7  # a band each


@pytest.mark.parametrize("seed", range(20))
def test_heights_are_spread_with_the_least_movement(seed):
    random = np.random.default_rng(seed)
    wanted = random.uniform(-0.1, 1.1, random.integers(2, 8))
    gap = 0.08
    got = np.array(spread(wanted.tolist(), gap, 0.0, 1.0))
    order = np.argsort(wanted)
    assert (np.diff(got[order]) >= gap - 1e-8).all()
    assert got.min() >= -1e-9
    assert got.max() <= 1 + 1e-9
    # The least squares with the same constraints, by a general solver.
    best = minimize(
        lambda y: ((y - wanted) ** 2).sum(),
        got,
        jac=lambda y: 2 * (y - wanted),
        bounds=[(0, 1)] * len(wanted),
        constraints={"type": "ineq", "fun": lambda y: np.diff(y[order]) - gap},
        options={"ftol": 1e-14},
    )
    assert ((got - wanted) ** 2).sum() <= best.fun + 1e-6


def test_too_many_heights_are_set_evenly():
    assert spread([0.5] * 5, 0.5, 0.0, 1.0) == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert spread([], 0.1, 0.0, 1.0) == []


# How people without one kind of cones see linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "normal": "1 0 0 0 1 0 0 0 1",
    "protan": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998",
    "deutan": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.011820 0.042940 0.968881",
    "tritan": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.303900",
}


def lab(colour, sight):
    """CIELAB (D65) of a colour as it is seen."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    matrix = np.array(SIGHT[sight].split(), float).reshape(3, 3)
    seen = np.clip(matrix @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x = to_xyz @ seen / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_roles_can_be_told_apart_by_every_eye(sight):
    seen = [lab(ink.colour, sight) for ink in ROLE_INKS.values()]
    assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)) >= 24.9


def test_roles_differ_in_more_than_colour():
    assert sorted(ROLE_INITIALS.values()) == sorted("SDMRF")
    for shape in ("hatch", "marker", "label"):
        assert len({getattr(ink, shape) for ink in ROLE_INKS.values()}) == 5
    assert all(f"({ROLE_INITIALS[role]})" in ink.label for role, ink in ROLE_INKS.items())


def test_inks_never_repeat_within_seven():
    given = style.inks(list("abcdefg"), {"c": Ink("red")})
    assert given["c"].colour == "red"
    assert len({(ink.colour, ink.marker) for ink in given.values()}) == 7
    assert given["a"].colour == BLUE


def test_a_picture_shows_itself_in_jupyter(drawn):
    assert drawn["rounds"]._repr_png_().startswith(b"\x89PNG")


def test_saving_writes_both_kinds_and_nothing_else(drawn, tmp_path):
    png, svg = save(drawn["rounds"], tmp_path / "win.rounds")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["win.rounds.png", "win.rounds.svg"]
    assert png.read_bytes() == to_png(drawn["rounds"])
    assert svg.read_bytes() == to_svg(drawn["rounds"])


def test_a_full_disk_leaves_what_was_there(drawn, tmp_path, monkeypatch):
    save(drawn["rounds"], tmp_path / "a")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SprawlsimError, match="No space left on device"):
        save(drawn["stages"], tmp_path / "a")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_missing_folder_is_named(drawn, tmp_path):
    with pytest.raises(SprawlsimError, match=r"nowhere.*No such file"):
        save(drawn["rounds"], tmp_path / "nowhere" / "a")


def test_drawing_changes_no_setting_of_the_reader():
    before = dict(mpl.rcParams)
    to_svg(demo.drawings()["rounds"]())
    assert dict(mpl.rcParams) == before
