"""Rows of figures in the formats of ``--format``: the reports' own, under the name the commands know."""

from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows

__all__ = ["FORMATS", "FORMAT_HELP", "check_format", "render_rows"]
