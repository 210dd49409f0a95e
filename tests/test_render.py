"""One report as text, Markdown, JSON, CSV and a folder: the same numbers everywhere, whole or not at all."""

import csv
import errno
import io
import json
import math
import os

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.files import check_folder
from sprawlsim.reports.render import (
    Column,
    PictureItem,
    Report,
    Section,
    Table,
    to_csv,
    to_json,
    to_markdown,
    to_text,
    write_report,
)
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import common_digits, digits_for, format_rounded, format_scaled


def frame():
    return pd.DataFrame(
        {
            "name": ["Datajack", "A|B *c* <i>", "Medkit"],
            "gain": [0.1231, -0.0449, math.nan],
            "gain_low": [0.1189, -0.0502, math.nan],
            "gain_high": [0.1279, -0.0396, math.nan],
            "cost": [5, 12, 3],
            "games": [1234567, 2, 0],
            "fit": [1 / 3, math.inf, -2.5],
        }
    )


COLUMNS = (
    Column("name", "Card"),
    Column("gain", "Gain", "percent"),
    Column("cost", "Cost", "nuyen", digits=0),
    Column("games", "Games", "count"),
)


def table(columns=COLUMNS, name="cards"):
    return Table(name, "All cards", frame(), columns, "A note.")


def section():
    return Section("cards", "Cards & co", ["One *finding*.", "Another."], [table()], ["How it was done."])


def cells(column, data=None):
    return [str(cell) for cell in column.cells(frame() if data is None else data)]


def test_estimates_print_as_people_write_them():
    assert cells(Column("gain", "Gain", "percent")) == ["12.3% (11.9 to 12.8)", "-4.5% (-5.0 to -4.0)", ""]
    assert cells(Column("gain", "Gain", "points")) == ["+12.3 (+11.9 to +12.8)", "-4.5 (-5.0 to -4.0)", ""]
    assert cells(Column("gain", "Gain", "percent", digits=0)) == ["12% (12 to 13)", "-4% (-5 to -4)", ""]


def test_numbers_print_in_their_unit():
    assert cells(Column("cost", "Cost", "nuyen")) == ["5.0K", "12.0K", "3.0K"]
    assert cells(Column("cost", "Cost", "nuyen", digits=0)) == ["5K", "12K", "3K"]
    assert cells(Column("cost", "Cost", "nuyen", signed=True)) == ["+5.0K", "+12.0K", "+3.0K"]
    assert cells(Column("games", "Games", "count")) == ["1,234,567", "2", "0"]
    yes = pd.DataFrame({"done": [True, False]})
    assert cells(Column("done", "Done"), yes) == ["yes", "no"]
    assert cells(Column("fit", "Fit", "number")) == ["0.33", "inf", "-2.50"]
    assert cells(Column("name", "Name")) == ["Datajack", "A|B *c* <i>", "Medkit"]


def test_exact_estimates_print_without_an_interval():
    exact = pd.DataFrame({"p": [0.5, 0.25], "p_low": [0.5, 0.2], "p_high": [0.5, 0.3]})
    assert cells(Column("p", "P", "percent"), exact) == ["50%", "25% (20 to 30)"]
    assert cells(Column("p", "P", "percent"), exact.head(1)) == ["50.0%"]


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT, np.float32("nan")])
def test_what_is_missing_is_an_empty_cell(missing):
    data = pd.DataFrame({"x": pd.Series([missing, 1.0], dtype=object)})
    assert cells(Column("x", "X", "number"), data) == ["", "1.00"]
    assert cells(Column("x", "X"), data)[0] == ""


def test_columns_sort_by_all_their_digits():
    values = [cell.value for cell in Column("gain", "Gain", "percent").cells(frame())]
    assert values == [0.1231, -0.0449, None]


def test_an_interval_that_does_not_hold_its_estimate_is_an_error():
    wrong = pd.DataFrame({"p": [0.5], "p_low": [0.6], "p_high": [0.7]})
    with pytest.raises(SprawlsimError, match="must lie within its interval"):
        Column("p", "P", "percent").cells(wrong)


@pytest.mark.parametrize(
    ("half", "digits"), [(0.0, 2), (math.inf, 0), (12.0, 0), (1.0, 0), (0.99, 1), (0.05, 2), (1e-9, 6)]
)
def test_digits_follow_the_width(half, digits):
    assert digits_for(half, 2) == digits


def test_a_column_has_the_digits_of_its_middle_interval():
    assert common_digits([0.0, 5.0, 0.5, 0.004], 3) == 1
    assert common_digits([0.0, 0.0], 3) == 3
    assert common_digits([], 3) == 3


def test_what_rounds_to_nothing_has_no_sign():
    assert format_rounded(-0.04, 1) == "0.0"
    assert format_rounded(-0.04, 1, signed=True) == "0.0"
    assert format_rounded(0.06, 1, signed=True) == "+0.1"
    assert format_scaled(Estimate(1.25, 0.9, 1.7), unit="K", signed=True, digits=1) == (
        "+1.2K",
        "+0.9 to +1.7",
    )


def test_text_is_aligned_and_complete():
    assert to_text(section()) == (
        "Cards & co\n"
        "\n"
        "- One *finding*.\n"
        "- Another.\n"
        "\n"
        "All cards\n"
        "Card                         Gain  Cost      Games\n"
        "Datajack     12.3% (11.9 to 12.8)    5K  1,234,567\n"
        "A|B *c* <i>  -4.5% (-5.0 to -4.0)   12K          2\n"
        "Medkit                          -    3K          0\n"
        "A note.\n"
        "\n"
        "How it was done."
    )


def test_markdown_keeps_marks_out_of_names():
    lines = to_markdown(section()).splitlines()
    assert lines[:4] == ["## Cards & co", "", r"- One \*finding\*.", "- Another."]
    assert "### All cards" in lines
    assert [line for line in lines if line.startswith("|")] == [
        r"| Card            |                 Gain | Cost |     Games |",
        r"| --------------- | -------------------: | ---: | --------: |",
        r"| Datajack        | 12.3% (11.9 to 12.8) |   5K | 1,234,567 |",
        r"| A\|B \*c\* \<i> | -4.5% (-5.0 to -4.0) |  12K |         2 |",
        r"| Medkit          |                    - |   3K |         0 |",
    ]


def test_json_is_strict_and_holds_all_columns_with_all_digits():
    told = to_json(section())
    again = json.loads(json.dumps(told, allow_nan=False))
    assert again == told
    assert told["findings"] == ["One *finding*.", "Another."]
    rows = told["tables"]["cards"]
    assert rows[0] == {
        "name": "Datajack",
        "gain": 0.1231,
        "gain_low": 0.1189,
        "gain_high": 0.1279,
        "cost": 5,
        "games": 1234567,
        "fit": 1 / 3,
    }
    assert rows[1]["fit"] is None  # infinite
    assert rows[2]["gain"] is None  # not a number


def test_csv_reads_back_to_the_last_bit():
    rows = list(csv.DictReader(io.StringIO(to_csv(table()))))
    assert list(rows[0]) == list(frame().columns)
    for name in ("gain", "gain_low", "gain_high", "cost", "games", "fit"):
        again = [float(row[name]) if row[name] else math.nan for row in rows]
        np.testing.assert_array_equal(again, frame()[name])
    assert [row["name"] for row in rows] == frame()["name"].tolist()


def test_a_table_names_a_column_its_frame_lacks():
    with pytest.raises(SprawlsimError, match=r"table cards: .*'gian'; did you mean 'gain'"):
        table([Column("gian", "Gain")])


@pytest.mark.parametrize("name", ["", "Cards", "a b", "../up", "1st", "a/b", "a.b"])
def test_names_must_do_as_files_and_anchors(name):
    with pytest.raises(SprawlsimError, match="cannot name a table"):
        table(name=name)


def test_nothing_is_called_the_same_twice():
    with pytest.raises(SprawlsimError, match="two tables of a report are called 'cards'"):
        Report("T", "S", [section(), Section("other", "Other", parts=[table()])])
    with pytest.raises(SprawlsimError, match="two sections of a report are called 'cards'"):
        Report("T", "S", [Section("cards", "A"), Section("cards", "B")])


def test_a_picture_must_be_told_in_words():
    with pytest.raises(SprawlsimError, match="told in words"):
        PictureItem("plot", "Plot", Figure, " ")


def drawing():
    figure = Figure(figsize=(2, 1))
    figure.subplots().plot([1, 2], [3, 4])
    return figure


def report(title="A report"):
    parts = [table(), PictureItem("plot", "Plot", drawing, "A line that rises.")]
    return Report(title, "What?", [Section("cards", "Cards", ["Found."], parts)])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_report_is_a_folder_of_page_tables_and_pictures(tmp_path):
    page = write_report(report(), tmp_path / "new" / "deep")
    folder = page.parent
    assert page == tmp_path / "new" / "deep" / "index.html"
    assert sorted(contents(folder)) == ["cards.csv", "contents.json", "index.html", "plot.png", "plot.svg"]
    assert (folder / "cards.csv").read_text() == to_csv(table())
    assert (folder / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in folder.parent.iterdir()] == ["deep"]


def test_the_same_report_gives_the_same_bytes(tmp_path):
    write_report(report(), tmp_path / "a")
    write_report(report(), tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_an_earlier_report_is_replaced_whole(tmp_path):
    write_report(report(), tmp_path / "a")
    write_report(Report("New", "", [Section("only", "Only", ["Text."])]), tmp_path / "a")
    assert sorted(contents(tmp_path / "a")) == ["contents.json", "index.html"]
    assert "<h1>New</h1>" in (tmp_path / "a" / "index.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "mine.txt").write_text("x"), "its mine.txt is no part of the report"),
        (lambda folder: (folder / "cards.csv").write_text("x"), "its cards.csv was changed since"),
        (lambda folder: (folder / "contents.json").unlink(), "holds something that is no report"),
        (lambda folder: (folder / "contents.json").write_text("[]"), "holds something that is no report"),
        (lambda folder: (folder / "sub").mkdir(), "its sub is no part of the report"),
    ],
)
def test_what_a_reader_put_there_is_never_overwritten(tmp_path, spoil, message):
    folder = tmp_path / "a"
    write_report(report(), folder)
    spoil(folder)
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(SprawlsimError, match=message):
        write_report(report("Other"), folder)
    assert sorted(path.name for path in folder.iterdir()) == before
    with pytest.raises(SprawlsimError, match=message):
        check_folder(folder, "report")


def test_a_file_or_a_full_folder_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(SprawlsimError, match="is a file"):
        write_report(report(), tmp_path / "file")
    with pytest.raises(SprawlsimError, match="holds something that is no report"):
        write_report(report(), tmp_path)


@pytest.mark.parametrize("folder", ["", ".", ".."])
def test_nobody_loses_the_folder_he_is_in(tmp_path, monkeypatch, folder):
    (tmp_path / "empty" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty" / "inside")
    with pytest.raises(SprawlsimError, match="not the one you are in"):
        write_report(report(), folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty", "inside"]


def test_a_place_where_nothing_can_be_made_is_told_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    with pytest.raises(SprawlsimError, match="file is a file"):
        check_folder(tmp_path / "file" / "deep" / "a", "report")
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever may do everything is refused nothing
    with pytest.raises(SprawlsimError, match="nothing may be written into"):
        check_folder(tmp_path / "deep" / "a", "report")


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "empty").mkdir()
    write_report(report(), tmp_path / "empty")
    assert (tmp_path / "empty" / "index.html").exists()


def test_a_full_disk_leaves_the_earlier_report(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    write_report(report(), folder)
    before = contents(folder)
    written = []

    def fill(handle):
        written.append(handle)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(SprawlsimError, match="No space left on device"):
        write_report(report("Other"), folder)
    assert len(written) == 3
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_move_that_fails_brings_the_earlier_report_back(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    write_report(report(), folder)
    before = contents(folder)
    move, moves = os.replace, []

    def fail_second(source, target):
        moves.append(target)
        if len(moves) == 2:
            raise OSError(errno.EIO, "Input/output error")
        move(source, target)

    monkeypatch.setattr(os, "replace", fail_second)
    with pytest.raises(SprawlsimError, match="Input/output error"):
        write_report(report("Other"), folder)
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_picture_that_cannot_be_drawn_leaves_nothing_behind(tmp_path):
    def fail():
        raise SprawlsimError("no games")

    broken = Report("T", "", [Section("s", "S", parts=[PictureItem("p", "P", fail, "words")])])
    with pytest.raises(SprawlsimError, match="no games"):
        write_report(broken, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
