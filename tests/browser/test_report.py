"""The report in a real browser: it opens offline, sorts, filters, answers clicks and keys, in the dark and on a phone."""

import pytest
from tests.reports import _pages

from assay.model import Query
from assay.reports import BenchmarkReport


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The report about two systems."""
    place = tmp_path_factory.mktemp("report") / "report.html"
    place.write_text(_pages.page(_pages.two()), encoding="utf-8")
    return place


class Watched:
    """A page, what it logged, and whom it asked."""

    def __init__(self, page, file):
        self.page, self.said, self.asked = page, [], []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(file.as_uri())

    def draw_all(self):
        """Scroll to every chart, so that it is drawn."""
        for figure in self.page.query_selector_all("figure.chart"):
            figure.scroll_into_view_if_needed()
        self.page.wait_for_function(
            "document.querySelectorAll('figure.drawn').length === document.querySelectorAll('figure.chart').length"
        )


@pytest.fixture
def opened(browser, file):
    """The report on a screen of a given width, light or dark."""
    contexts = []

    def call(width=1280, **how):
        context = browser.new_context(viewport={"width": width, "height": 900}, **how)
        contexts.append(context)
        return Watched(context.new_page(), file)

    yield call
    for context in contexts:
        context.close()


def first_column(page, box):
    return page.locator(box).locator("tbody tr:not([hidden]) > :first-child").all_inner_texts()


QUERIES = "#queries .table-box.long"


def test_it_draws_everything_and_asks_nobody(opened, file):
    watched = opened()
    watched.draw_all()
    assert watched.said == []
    assert watched.asked == [file.as_uri()]
    assert watched.page.locator("figure.drawn svg").count() == watched.page.locator("figure.chart").count()


def test_sorting_filtering_and_links_to_queries(opened):
    page = opened().page
    before = first_column(page, QUERIES)
    head = page.locator(f"{QUERIES} th", has_text="Δ")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert first_column(page, QUERIES)[0] == "q4"
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert first_column(page, QUERIES)[0] == "q8"
    assert sorted(first_column(page, QUERIES)) == sorted(before)
    assert page.locator(f"{QUERIES} th[aria-sort=ascending]").count() == 1
    box = page.get_by_label("Filter queries")
    box.fill("Q4 gained")
    assert first_column(page, QUERIES) == ["q4"]
    assert page.locator(".filter [role=status]").first.inner_text() == "1 of 8"
    box.fill("")
    page.locator(QUERIES).get_by_role("link", name="q3").click()
    page.locator("details.query[data-query=q3][open]").wait_for(timeout=5000)


def test_a_click_on_a_point_shows_both_rankings(opened):
    watched = opened()
    watched.draw_all()
    page = watched.page
    card = page.locator("details.query[data-query=q4]")
    assert card.get_attribute("open") is None
    page.locator("figure[data-kind=paired_scatter]").scroll_into_view_if_needed()
    point = page.evaluate_handle(
        "[...document.querySelectorAll('figure[data-kind=paired_scatter] path')]"
        ".find((one) => one.__data__ && one.__data__.datum && one.__data__.datum.query === 'q4')"
    )
    point.as_element().click(force=True)
    assert card.get_attribute("open") is not None
    assert card.locator(".side h4").all_inner_texts() == ["base mrr 0.250", "cand mrr 1.000"]
    assert card.locator("li.relevant .document .name").all_inner_texts() == ["d4", "d4"]
    assert page.evaluate("document.activeElement.closest('details').dataset.query") == "q4"


def test_keys_alone_lead_through_the_page(opened):
    page = opened().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    page.keyboard.press("Enter")
    page.locator("details.query > summary").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("details.query").nth(1).get_attribute("open") is not None


def test_dark_follows_the_system(opened):
    for scheme, expected in {
        "light": ["rgb(28, 32, 36)", "rgb(255, 255, 255)"],
        "dark": ["rgb(230, 232, 234)", "rgb(21, 24, 27)"],
    }.items():
        page = opened(color_scheme=scheme).page
        colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        assert page.evaluate(colours) == expected


def test_a_phone_scrolls_tables_and_not_the_page(opened):
    watched = opened(width=390)
    watched.draw_all()
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 390
    assert (
        watched.page.evaluate("Math.max(...[...document.querySelectorAll('figure.drawn svg')].map(e => e.clientWidth))")
        < 420
    )
    assert watched.said == []


def test_on_a_phone_pictures_are_seen_whole_and_drawn_for_its_width(opened):
    page = opened(width=390, java_script_enabled=False).page
    n = page.locator("figure.chart").count()
    assert page.locator("figure.chart .narrow svg:visible").count() == n
    assert page.locator("figure.chart .wide svg:visible").count() == 0
    for drawing in page.locator("figure.chart .drawing").all():
        inside, around = drawing.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert inside <= around
    for letters in page.locator("figure.chart .narrow svg:visible").all():
        shown, made = letters.evaluate("e => [e.getBoundingClientRect().width, Number(e.getAttribute('width'))]")
        assert shown >= 0.7 * made, "letters of 11 points stay readable"


def test_without_scripts_everything_can_be_read(opened):
    page = opened(java_script_enabled=False).page
    assert page.locator("figure.chart .wide svg:visible").count() == page.locator("figure.chart").count()
    assert page.locator("figure.chart .narrow svg:visible").count() == 0
    assert page.locator("th button").count() == 0
    assert page.locator(".verdict").is_visible()
    assert page.locator("#queries").get_by_text("failed: HTTP 500").is_visible()
    page.locator("details.query[data-query=q2] > summary").click()
    assert page.locator("details.query[data-query=q2] .ranking").first.is_visible()


def test_hostile_text_runs_nothing(browser, tmp_path):
    harm = '<img src=x onerror="document.title=1">\u202e<script>document.title=2</script>\x00' + "w" * 10_000
    result = _pages.base().with_fields(name=harm, queries={"q1": Query("q1", harm)}, benchmark=harm)
    file = tmp_path / "hostile.html"
    file.write_text(_pages.page(BenchmarkReport((result,))), encoding="utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 800})
    watched = Watched(context.new_page(), file)
    watched.draw_all()
    assert "<img src=x" in watched.page.title()
    assert watched.asked == [file.as_uri()]
    assert watched.said == []
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()
