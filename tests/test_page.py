"""The page of a report: well-formed, readable by anyone and any program, in need of nothing else."""

import base64
import csv
import io
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pandas as pd
import pytest
import report_demo as demo
from matplotlib.figure import Figure

from sprawlsim.reports.page import MOST_SVG, Image
from sprawlsim.reports.render import Column, PictureItem, Report, Section, Table, to_html

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """All elements of a page as (tag, attributes, text within), and a check that tags close in order."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self._open = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        element = [tag, attributes, ""]
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        assert self._open, tag
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        for element in self._open:
            element[2] += data

    def all(self, *tags):
        return [element for element in self.elements if element[0] in tags]

    def texts(self, tag):
        return [" ".join(text.split()) for _, _, text in self.all(tag)]


@pytest.fixture(scope="module")
def text():
    return demo.html()


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_same_report_gives_the_same_page():
    parts = [demo.picture("rounds", "Rounds", "Words."), *demo.cards_section().tables]
    section = Section("cards", "Cards", parts=parts)
    report = Report("R", "", [section])
    assert to_html(report) == to_html(report)


def test_ids_are_unique_and_every_link_and_label_finds_one(page):
    ids = Counter(attributes["id"] for _, attributes, _ in page.elements if "id" in attributes)
    assert set(ids.values()) == {1}
    links = [attributes["href"] for _, attributes, _ in page.all("a")]
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    for _, attributes, _ in page.elements:
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)


def test_nothing_outside_is_needed(page, text):
    for _, attributes, _ in page.elements:
        for key in ("href", "src", "action", "srcset", "poster", "data", "xlink:href"):
            assert attributes.get(key, "#").startswith(("#", "data:")), attributes[key][:80]
    style, script = page.all("style")[0][2], page.all("script")[0][2]
    assert "url(" not in style
    assert "@import" not in style
    assert not re.search(r"fetch|XMLHttp|import\(|https?:", script)
    assert "http://" not in re.sub(r'"data:[^"]*"', "", text)
    assert "https://" not in re.sub(r'"data:[^"]*"', "", text)


def test_headings_are_in_order(page):
    levels = [int(tag[1]) for tag, _, _ in page.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_findings_come_first_with_links_to_their_sections(page, text):
    (short,) = [inner for tag, attributes, inner in page.all("section") if attributes.get("class") == "short"]
    for section in demo.report().sections:
        assert section.findings[0] in short
        assert f'<a href="#{section.name}">' in text
    order = [
        text.index(f'id="{anchor}"') for anchor in ("in-short", "strategies", "missions", "cards", "length")
    ]
    assert order == sorted(order)


def test_contents_list_every_section(page):
    (contents,) = page.texts("nav")
    for section in demo.report().sections:
        assert section.title in contents


def test_every_picture_has_words_size_and_a_caption(page):
    items = [item for section in demo.report().sections for item in section.pictures]
    images = [attributes for _, attributes, _ in page.all("img")]
    assert [image["alt"] for image in images] == [item.alt for item in items]
    assert page.texts("figcaption") == [item.title for item in items]
    for image in images:
        width, height = int(image["width"]), int(image["height"])
        assert width == round(96 * 7.4)
        assert 200 < height < 1200
        kind, data = image["src"].split(";base64,")
        decoded = base64.b64decode(data)
        if kind == "data:image/svg+xml":
            assert decoded.startswith(b"<?xml")
            assert len(decoded) <= MOST_SVG
        else:
            assert (kind, decoded[:4]) == ("data:image/png", b"\x89PNG")


def test_large_svg_gives_way_to_png():
    assert Image.of(b"PNG", b"x" * MOST_SVG, 2, 1) == Image(
        f"data:image/svg+xml;base64,{base64.b64encode(b'x' * MOST_SVG).decode()}", 192, 96
    )
    assert Image.of(b"PNG", b"x" * (MOST_SVG + 1), 2, 1).source == "data:image/png;base64,UE5H"


def test_tables_have_headings_for_columns_and_rows_and_values_to_sort_by(page, text):
    (table,) = demo.cards_section().tables
    frame = demo.cards()
    inner = Page(re.search(r'<table aria-labelledby="table-cards">.*?</table>', text, re.DOTALL).group())
    heads = [attributes for tag, attributes, _ in inner.all("th") if attributes["scope"] == "col"]
    assert len(heads) == len(table.columns)
    rows = [attributes for tag, attributes, _ in inner.all("th") if attributes["scope"] == "row"]
    assert len(rows) == len(frame)
    values = [float(told["data-value"]) for _, told, _ in inner.all("td") if "data-value" in told]
    assert values == frame[["effect", "cost", "residual"]].to_numpy().ravel().tolist()
    assert "+9.7 (+9.0 to +10.3)" in inner.texts("td")


def test_every_table_can_be_taken_away_with_all_digits(page):
    links = {told["download"]: told["href"] for _, told, _ in page.all("a") if "download" in told}
    assert set(links) == {"strategies.csv", "missions.csv", "cards.csv"}
    data = base64.b64decode(links["cards.csv"].removeprefix("data:text/csv;base64,"))
    rows = csv.DictReader(io.StringIO(data.decode()))
    assert [float(row["effect"]) for row in rows] == demo.cards()["effect"].tolist()


def test_how_it_was_measured_is_folded_up(page):
    folded = [inner for _, attributes, inner in page.all("details") if attributes.get("class") == "how"]
    assert len(folded) == sum(bool(section.details) for section in demo.report().sections)
    assert all(paragraph in folded[0] for paragraph in demo.strategies_section().details)


def test_how_to_read_it_is_folded_up_before_the_first_section():
    told = replace(demo.report(), guide=["Points are <percentage> points.", "K are 1,000."])
    written = to_html(told)
    folded = "<p>Points are &lt;percentage&gt; points.</p><p>K are 1,000.</p>"
    unfold = "<summary>How to read it</summary>"
    assert f"{unfold}<div>{folded}</div></details>" in written
    assert written.index("In short") < written.index(unfold) < written.index('<section id="')
    assert unfold not in demo.html()


def test_facts_caution_and_source_are_told(page):
    told = demo.report()
    assert dict(zip(page.texts("dt"), page.texts("dd"), strict=True)) == told.facts
    assert told.caution in page.texts("p")
    assert page.texts("footer") == [told.source]


EVIL = "<script>alert('&\"')</script>"


def drawing():
    figure = Figure(figsize=(2, 1))
    figure.subplots()
    return figure


def test_everything_is_escaped():
    frame = pd.DataFrame({"name": [EVIL], "x": [1.0]})
    table = Table("t", EVIL, frame, [Column("name", EVIL), Column("x", EVIL, "number")], EVIL)
    picture = PictureItem("p", EVIL, drawing, EVIL)
    section = Section("s", EVIL, [EVIL], [table, picture], [EVIL])
    page = Page(to_html(Report(EVIL, EVIL, [section], {EVIL: EVIL}, EVIL, EVIL)))
    assert len(page.all("script")) == 1
    assert "alert" not in page.all("script")[0][2]
    assert page.texts("title") == page.texts("h1") == [EVIL]
    assert page.all("img")[0][1]["alt"] == EVIL
    assert EVIL in page.texts("dt")
    assert EVIL in page.texts("figcaption")
    assert page.texts("h2") == ["In short", EVIL]
    assert page.texts("h3") == [EVIL]
    assert {EVIL} <= set(page.texts("th"))
    assert all(not key.startswith("on") for _, attributes, _ in page.elements for key in attributes)


def test_a_report_of_nothing_but_text_is_a_page():
    page = Page(to_html(Report("Bare", "", [Section("one", "One")])))
    assert page.texts("h1") == ["Bare"]
    assert page.all("table", "img", "dl", "footer") == []
    assert page.texts("h2") == ["One"]


def test_infinite_and_missing_numbers_are_told_to_the_sorter():
    frame = pd.DataFrame({"name": ["a", "b", "c"], "x": [float("inf"), float("-inf"), float("nan")]})
    table = Table("t", "T", frame, [Column("name", "N"), Column("x", "X", "number")])
    page = Page(to_html(Report("R", "", [Section("s", "S", parts=[table])])))
    values = [attributes.get("data-value") for _, attributes, _ in page.all("td")]
    assert values == ["Infinity", "-Infinity", None]
    assert page.texts("td") == ["inf", "-inf", "-"]
