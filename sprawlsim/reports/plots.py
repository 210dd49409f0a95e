"""All pictures of reports: each takes a frame and a caption and returns a figure."""

from sprawlsim.reports.plot_bars import histogram, stacked_bars, stage_survival
from sprawlsim.reports.plot_effects import dot_rows, forest, scatter_residuals
from sprawlsim.reports.plot_grids import heat_map, matrix
from sprawlsim.reports.plot_lines import lines
from sprawlsim.reports.style import Caption, Ink, save

__all__ = [
    "Caption",
    "Ink",
    "dot_rows",
    "forest",
    "heat_map",
    "histogram",
    "lines",
    "matrix",
    "save",
    "scatter_residuals",
    "stacked_bars",
    "stage_survival",
]
