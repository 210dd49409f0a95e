"""The one style of all pictures: colours, sizes, how a picture is named, drawn and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from matplotlib import colormaps, style
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.files import write_whole

BLUE, ORANGE, TEAL, GREEN = "#0072B2", "#E69F00", "#56B4E9", "#009E73"
VERMILION, PURPLE, YELLOW = "#D55E00", "#CC79A7", "#F0E442"
"""The palette of Okabe and Ito, which colour-blind people can tell apart."""

DARK, MUTED, GREY, PALE = "#333333", "#555555", "#C8CCD0", "#ECEEF0"
"""Text, small text, what is in the background, and what is barely there."""

WIDTH = 7.4
"""Inches; a picture this wide stands in a page's column as it was drawn."""

TITLE, TEXT, SMALL = 12.0, 9.0, 8.0
"""Sizes of type, in points."""

DPI = 160

_EDGE = 0.012
"""Where words begin left, as a share of the width."""

_FONT = "DejaVu Sans"
_SETTINGS = {
    "svg.hashsalt": "sprawlsim",  # the same picture gives the same bytes
    "svg.fonttype": "path",  # looks the same whatever fonts the reader has
    "font.family": _FONT,
    "axes.unicode_minus": False,  # as in all other text
    "hatch.linewidth": 0.7,
    "text.parse_math": False,  # a name may hold a dollar sign
}

F = TypeVar("F", bound=Callable[..., Figure])


def styled(draw: F) -> F:
    """Let a function of a frame draw in this style, whatever the reader's settings of matplotlib are."""

    @wraps(draw)
    def drawn(frame: Any, *arguments: Any, **options: Any) -> Figure:
        if frame.empty:
            raise SprawlsimError(f"there is nothing to draw: {draw.__name__} was given a frame without rows")
        with style.context(["default", _SETTINGS]):
            figure = draw(frame, *arguments, **options)
            settle(figure)
        return figure

    return cast(F, drawn)


def settle(figure: Figure) -> None:
    """Lay a picture out for good; else it moves a little whenever it is drawn, and with the resolution."""
    engine = figure.get_layout_engine()
    if engine is not None:
        for _ in range(2):
            engine.execute(figure)
        figure.set_layout_engine("none")


class Ink(NamedTuple):
    """How one thing is told from others: by its name and shape, not by colour alone."""

    colour: str
    hatch: str = ""
    marker: str = "o"
    line: Any = "-"
    label: str | None = None


INKS = (
    Ink(BLUE, "", "o", "-"),
    Ink(ORANGE, "///", "s", "--"),
    Ink(GREEN, "...", "^", "-."),
    Ink(VERMILION, "xxx", "D", ":"),
    Ink(PURPLE, "\\\\\\", "v", (0, (5, 1, 1, 1, 1, 1))),
    Ink(TEAL, "+++", "P", (0, (8, 2))),
    Ink(DARK, "|||", "X", "-"),
)
"""For things that have no ink of their own, in this order."""

_STEPS = "YlOrBr"
_HATCHES = ("", "//", "", "xx")


def ordered_inks(names: Sequence[str]) -> dict[str, Ink]:
    """Give inks to what gets worse from name to name, such as 0, 1, 2, 3 injuries: ever darker."""
    shades = [0.12 + 0.83 * k / max(1, len(names) - 1) for k in range(len(names))]
    colours = [to_hex(colormaps[_STEPS](shade)) for shade in shades]
    return {
        name: Ink(colour, _HATCHES[k % len(_HATCHES)])
        for k, (name, colour) in enumerate(zip(names, colours, strict=True))
    }


def inks(names: Sequence[str], own: dict[str, Ink] | None = None) -> dict[str, Ink]:
    """Give every name an ink: its own where it has one, else the next of `INKS`."""
    own = own or {}
    rest = [name for name in names if name not in own]
    given = dict(zip(rest, islice(cycle(INKS), len(rest)), strict=True))
    return {name: own.get(name) or given[name] for name in names}


@dataclass(frozen=True)
class Caption:
    """The words of a picture.

    Parameters
    ----------
    title : str
        The finding, as a sentence: "Medkit is worth most, Datajack least".
    source : str
        Where the numbers are from: card set, how many games, seed.
    x, y : str
        What the axes measure, with the unit; left out where the ticks say it.
    """

    title: str
    source: str
    x: str = ""
    y: str = ""


class Picture(Figure):
    """A figure that Jupyter shows whether or not pyplot was ever imported."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.savefig(image, format="png", dpi=110)
        return image.getvalue()


def new_picture(caption: Caption, height: float, width: float = WIDTH) -> Picture:
    """Give an empty picture with title and source in place.

    Parameters
    ----------
    caption : Caption
    height : float
        Inches, without the lines of the title.
    width : float
        Inches.
    """
    title = _balanced(caption.title, 0.97 * width)
    lines = title.count("\n") + 1
    figure = Picture(figsize=(width, height + lines * 1.25 * TITLE / 72), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.07, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    figure.suptitle(title, x=_EDGE, ha="left", fontsize=TITLE, fontweight="bold", color=DARK)
    source = wrap(caption.source, 0.97 * width, SMALL)
    figure.supxlabel(source, x=_EDGE, ha="left", fontsize=SMALL, color=MUTED)
    return figure


@lru_cache(4096)
def width_of(text: str, size: float, bold: bool = False) -> float:
    """Give the width of a line of text, in inches."""
    font = get_font(findfont(FontProperties(family=_FONT, weight="bold" if bold else "normal")))
    font.set_size(size, 72)
    font.set_text(text, 0.0)
    return float(font.get_width_height()[0]) / 64 / 72


def wrap(text: str, inches: float, size: float, bold: bool = False) -> str:
    """Break a text between words into lines no wider than so many inches."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= inches:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def _balanced(title: str, inches: float) -> str:
    """Break a title into lines of about one length: no word is left alone."""
    widest = wrap(title, inches, TITLE, bold=True)
    for share in (0.55, 0.65, 0.75, 0.85):
        narrower = wrap(title, share * inches, TITLE, bold=True)
        if narrower.count("\n") == widest.count("\n"):
            return narrower
    return widest


def legend_above(figure: Picture, axes: Axes, handles: Sequence[Any], title: str = "") -> None:
    """Set a legend above the axes, from the picture's left edge on, in as many lines as it needs.

    Parameters
    ----------
    figure : Picture
    axes : matplotlib.axes.Axes
    handles : sequence of artists
        With labels; read along the lines.
    title : str
        Of the axes, beneath the legend.
    """
    widths = [width_of(str(handle.get_label()), SMALL) + 0.5 for handle in handles]
    room = 0.97 * figure.get_figwidth()
    columns = max(1, min(len(handles), int(room / max(widths, default=1.0))))
    if sum(widths) <= room:
        columns = max(1, len(handles))
    lines = -(-len(handles) // columns)
    # The title keeps the place, for the legend itself is not asked: it would push the axes to the right.
    axes.set_title(
        "\n" * (lines if title else lines - 1) + (title or " "), fontsize=TEXT, loc="left", color=DARK, pad=4
    )
    up = ScaledTranslation(0, 1.5 * TEXT / 72 if title else 2 / 72, figure.dpi_scale_trans)
    legend = axes.legend(
        handles=[handle for k in range(columns) for handle in handles[k::columns]],
        loc="lower left",
        bbox_to_anchor=(_EDGE, 1.0),
        bbox_transform=blended_transform_factory(figure.transFigure, axes.transAxes) + up,
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handletextpad=0.5,
        columnspacing=1.5,
        borderpad=0.0,
        borderaxespad=0.0,
        labelcolor=DARK,
    )
    legend.set_in_layout(False)


def dress(axes: Axes, caption: Caption, grid: str = "") -> None:
    """Name the axes, take away what carries no number, draw pale lines along `grid` ("x", "y" or "both")."""
    axes.set_xlabel(caption.x, fontsize=TEXT, color=DARK)
    axes.set_ylabel(caption.y, fontsize=TEXT, color=DARK)
    axes.tick_params(labelsize=TEXT, colors=DARK, color=GREY)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(GREY)
    if grid:
        axes.grid(axis=grid, color=PALE, lw=0.8)  # type: ignore[arg-type]
        axes.set_axisbelow(True)


def readable_on(colour: Any) -> str:
    """Give black or white, whichever has the higher contrast on a colour (WCAG 2, relative luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "white"


def to_svg(figure: Figure) -> bytes:
    """Draw a picture as SVG; the same picture gives the same bytes."""
    image = BytesIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with style.context(["default", _SETTINGS]):
        figure.savefig(image, format="svg", metadata=nothing)
    return image.getvalue()


def to_png(figure: Figure, dpi: int = DPI) -> bytes:
    """Draw a picture as PNG; the same picture gives the same bytes."""
    image = BytesIO()
    with style.context(["default", _SETTINGS]):
        figure.savefig(image, format="png", dpi=dpi, metadata={"Software": None})
    return image.getvalue()


def save(figure: Figure, path: Path | str) -> tuple[Path, Path]:
    """Write a picture as PNG and as SVG: both whole, or neither.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path or str
        Folder and name; the suffixes ``.png`` and ``.svg`` are added.

    Returns
    -------
    tuple of Path
        The two files, PNG first.

    Raises
    ------
    SprawlsimError
        If they cannot be written; what was there before is still there.
    """
    path = Path(path)
    png, svg = (path.with_name(path.name + suffix) for suffix in (".png", ".svg"))
    write_whole({png: to_png(figure), svg: to_svg(figure)})
    return png, svg
