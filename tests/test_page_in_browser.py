"""The page in a real browser: no complaint, no sideways scrolling on a phone, tables that sort, paper."""

import pandas as pd
import pytest
import report_demo as demo
from browser import Browser, find_chromium

from sprawlsim.reports.render import Column, Report, Section, Table, write_report

pytestmark = pytest.mark.skipif(
    find_chromium() is None, reason="no Chromium on the path; Debian's package is 'chromium'"
)

WIDTHS = (1280, 700, 375, 320)


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(demo.html(), encoding="utf-8")
    return path


@pytest.fixture
def at(browser, page):
    """Open the page at a width; at the end nothing may have been complained of."""
    browser.complaints.clear()

    def look(width, **how):
        browser.open(page, width, **how)
        return browser

    yield look
    assert browser.complaints == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(at, width, dark):
    browser = at(width, dark=dark)
    inner, whole = browser.run("[innerWidth, document.documentElement.scrollWidth]")
    assert inner == width
    assert whole <= inner


def test_what_is_wide_scrolls_in_its_own_box_on_a_phone(at):
    browser = at(375)
    boxes = browser.run(
        "[...document.querySelectorAll('.scroll')].map(e => [e.scrollWidth, e.clientWidth,"
        " e.getBoundingClientRect().right, e.tabIndex])"
    )
    assert len(boxes) == 12
    assert sum(wide > seen for wide, seen, _, _ in boxes) >= 10
    assert all(right <= 375 and focusable == 0 for _, _, right, focusable in boxes)


def test_row_names_stay_in_sight_when_a_table_is_scrolled(at):
    browser = at(375)
    left = browser.run(
        "(() => { const box = document.querySelector('[aria-labelledby=table-missions].scroll');"
        " box.scrollLeft = 200; const name = box.querySelector('tbody th');"
        " return [box.scrollLeft, name.getBoundingClientRect().left - box.getBoundingClientRect().left]; })()"
    )
    assert left == [200, 0]


def test_every_picture_is_drawn(at):
    browser = at(1280)
    sizes = browser.run("[...document.images].map(i => [i.complete, i.naturalWidth, i.alt.length])")
    assert len(sizes) == 9
    assert all(complete and width > 300 and words > 10 for complete, width, words in sizes)


def column(browser, table, number):
    """Printed cells of a column, from top to bottom."""
    return browser.run(
        f"[...document.querySelector('table[aria-labelledby=table-{table}]').tBodies[0].rows]"
        f".map(row => row.cells[{number}].textContent)"
    )


def click(browser, table, number):
    """Click a heading; give what each heading says of the order."""
    return browser.run(
        "(() => { const head = document.querySelector("
        f"'table[aria-labelledby=table-{table}]').tHead.rows[0].cells;"
        f" head[{number}].querySelector('button').click();"
        " return [...head].map(cell => cell.ariaSort); })()"
    )


def test_numbers_sort_from_the_highest_then_the_lowest_then_as_they_were(at):
    browser = at(1280)
    frame = demo.cards()
    as_it_was = column(browser, "cards", 0)
    assert as_it_was == frame["name"].tolist()
    for order, ascending in (("descending", False), ("ascending", True)):
        assert click(browser, "cards", 5) == ["none"] * 5 + [order]
        expected = frame.sort_values("residual", ascending=ascending, kind="stable")["name"].tolist()
        assert column(browser, "cards", 0) == expected
    assert click(browser, "cards", 5) == ["none"] * 6
    assert column(browser, "cards", 0) == as_it_was


def test_names_sort_from_a_and_numbers_in_them_by_size(at):
    browser = at(1280)
    assert click(browser, "cards", 0)[0] == "ascending"
    assert column(browser, "cards", 0) == sorted(demo.cards()["name"])
    click(browser, "cards", 2)
    firsts = [int(rank.split("-")[0]) for rank in column(browser, "cards", 2)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("clicks", [1, 2])
def test_what_is_missing_is_last_either_way(at, clicks):
    browser = at(1280)
    for _ in range(clicks):
        click(browser, "strategies", 3)
    printed = column(browser, "strategies", 3)
    assert printed[-1] == "-"
    assert printed[:-1] == sorted(printed[:-1], reverse=clicks == 1)


def test_headings_sort_by_the_keyboard(at):
    browser = at(1280)
    heading = "document.querySelector('table[aria-labelledby=table-strategies] thead th:nth-child(2) button')"
    browser.run(f"{heading}.focus()")
    for key, order in (("Enter", "descending"), (" ", "ascending")):
        browser.press(key)
        assert browser.run(f"{heading}.parentElement.ariaSort") == order
    assert column(browser, "strategies", 0) == demo.STRATEGIES[::-1]


def test_contents_are_open_beside_the_text_and_closed_above_it(at):
    assert at(1280).run("document.querySelector('nav details').open") is True
    browser = at(375)
    assert browser.run("document.querySelector('nav details').open") is False
    browser.run("document.querySelector('nav summary').click()")
    browser.run("document.querySelector('nav a[href=\"#cards\"]').click()")
    browser.until("document.querySelector('nav details').open", False)
    # Below the bar, not under it.
    browser.until(
        "(top => top > document.querySelector('nav').getBoundingClientRect().bottom && top < 120)"
        "(document.getElementById('title-cards').getBoundingClientRect().top)",
        True,
    )


def test_the_section_being_read_is_marked(at):
    browser = at(1280)
    for section in ("cards", "strategies"):
        browser.run(f"document.getElementById('{section}').scrollIntoView()")
        browser.until(
            "[...document.querySelectorAll('nav [aria-current]')].map(link => link.hash)", [f"#{section}"]
        )


CONTRAST = """
(() => {
  const shade = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const worst = {};
  for (const e of document.querySelectorAll("h1,h2,h3,p,li,a,td,th,dt,dd,figcaption,summary,span,button")) {
    if (!e.textContent.trim() || e.matches(".skip")) continue;
    const [low, high] = [shade(getComputedStyle(e).color), shade(behind(e))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    worst[e.tagName] = Math.min(worst[e.tagName] ?? 99, ratio);
  }
  return worst;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_has_the_contrast_of_wcag_aa(at, dark):
    worst = at(1280, dark=dark).run(CONTRAST)
    assert set(worst) >= {"H1", "TD", "SPAN", "A", "BUTTON", "FIGCAPTION"}
    assert min(worst.values()) >= 4.5


def test_dark_pages_keep_pictures_on_white(at):
    browser = at(1280, dark=True)
    page, card = browser.run(
        "['body', 'figure .scroll'].map(s => getComputedStyle(document.querySelector(s)).backgroundColor)"
    )
    assert page == "rgb(22, 25, 29)"
    assert card == "rgb(255, 255, 255)"


def test_on_paper_all_is_unfolded_and_what_only_a_screen_needs_is_gone(at):
    browser = at(1280)
    assert browser.run("document.querySelector('.how p').checkVisibility()") is False
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    shown = browser.run(
        "[...document.querySelectorAll('.how p')].every(e => e.checkVisibility() && e.offsetHeight > 0)"
    )
    gone = browser.run(
        "['nav', '.data', '.skip'].every(s => getComputedStyle(document.querySelector(s)).display === 'none')"
    )
    assert shown is True
    assert gone is True
    pdf = browser.print()
    assert pdf.startswith(b"%PDF")
    assert 5 <= pdf.count(b"/Type /Page\n") <= 16
    browser.call("Emulation.setEmulatedMedia", media="")


def test_names_stay_names(browser, tmp_path):
    evil = "<img src=x onerror=\"console.log('run')\"><script>console.log('run')</script>"
    frame = pd.DataFrame({"name": [evil], "x": [1.0]})
    table = Table("t", evil, frame, [Column("name", evil), Column("x", evil, "number")], evil)
    report = Report(evil, evil, [Section("s", evil, [evil], [table], [evil])], {evil: evil}, evil, evil)
    browser.complaints.clear()
    browser.open(write_report(report, tmp_path / "evil"), 1280)
    assert browser.run("document.querySelector('h1').textContent") == evil
    assert browser.run("document.images.length + document.scripts.length") == 1
    assert browser.complaints == []


def test_a_script_that_is_not_the_pages_own_does_not_run(browser, page, tmp_path):
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(page.read_text().replace("</main>", "<script>document.title = 'run'</script></main>"))
    browser.open(spoiled, 1280)
    assert browser.run("document.title") == demo.report().title
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)
    browser.complaints.clear()
