"""The web pages in a real browser: sorting, filtering, comparing, keys, dark, narrow; nothing is asked of anybody else."""

import re
from urllib.parse import quote, urlsplit

import pytest

pytest.importorskip("starlette")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def usual(serve, stores, tmp_path_factory):
    return serve(stores.usual_store(tmp_path_factory.mktemp("browser") / "usual.db"))


@pytest.fixture(scope="module")
def hostile(serve, stores, tmp_path_factory):
    return serve(stores.hostile_store(tmp_path_factory.mktemp("browser") / "hostile.db"))


class Watched:
    """A page, what it logged, and whom it asked."""

    def __init__(self, page, base):
        self.page, self.base, self.said, self.asked = page, base, [], []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path="/"):
        self.page.goto(self.base + path)
        return self.page

    def column(self, place):
        """The cells of a column, top to bottom."""
        return self.page.locator(f"table >> nth=0 >> css=tbody tr > :nth-child({place})").all_inner_texts()

    def assert_quiet(self):
        """Nothing was logged, and nobody else was asked."""
        assert self.said == []
        assert {urlsplit(url).netloc for url in self.asked if not url.startswith("data:")} <= {urlsplit(self.base).netloc}


@pytest.fixture
def visit(browser):
    contexts = []

    def call(base, viewport=WIDE, **how):
        context = browser.new_context(viewport=viewport, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        return Watched(page, base)

    yield call
    for context in contexts:
        context.close()


def all_paths(watched):
    """Every page, with a result and a query that the list leads to."""
    page = watched.open("/results")
    picks = page.locator("input[name=r]").all()
    keys = [pick.get_attribute("value") for pick in picks[:4]]
    page = watched.open(f"/result/{keys[0]}")
    query = page.locator("#queries tbody tr a").first.get_attribute("href")
    some = ["/", f"/result/{keys[0]}", "/results", query, f"/compare?r={keys[-2]}&r={keys[-1]}", "/compare", "/leaderboard"]
    return [*some, "/history", "/datasets", "/metrics", "/metrics?name=ndcg"]


@pytest.mark.parametrize("how", ["wide", "narrow", "dark"])
def test_every_page_is_quiet_and_fits(visit, usual, how):
    look = {"wide": {}, "narrow": {"viewport": NARROW}, "dark": {"color_scheme": "dark"}}[how]
    watched = visit(usual, **look)
    for path in all_paths(watched):
        page = watched.open(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"], (path, width)
        assert page.locator("h1").count() == 1
        if how == "dark":
            light = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
            assert max(light[:3]) < 60
    watched.assert_quiet()


def test_sorting_and_the_way_back(visit, usual):
    watched = visit(usual)
    page = watched.open("/results")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    first = watched.column(2)
    page.get_by_role("link", name="ndcg@10").click()
    page.wait_for_url("**sort=value**")
    values = [float(text.split()[0]) for text in watched.column(5)]
    assert values == sorted(values, reverse=True)
    page.get_by_role("link", name="ndcg@10").click()
    page.wait_for_url("**order=asc**")
    assert page.locator("th[aria-sort=ascending]").inner_text().strip() == "ndcg@10"
    page.go_back()
    page.go_back()
    assert watched.column(2) == first
    watched.assert_quiet()


def test_filtering_by_menus_and_words(visit, usual):
    watched = visit(usual)
    page = watched.open("/results")
    page.get_by_label("Provider").select_option("dense")
    page.get_by_label("From", exact=True).fill("2026-10-25")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**provider=dense**")
    assert "benchmark=" not in page.url
    assert {text.split()[0] for text in watched.column(2)} == {"dense"}
    assert page.get_by_label("Provider").input_value() == "dense"
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url(f"{usual}/results")
    watched.assert_quiet()


def test_picking_and_comparing(visit, usual):
    watched = visit(usual)
    page = watched.open("/results")
    button = page.get_by_role("button", name="Compare")
    assert button.is_disabled()
    page.locator("input[name=r]").nth(2).check()
    page.locator("input[name=r]").nth(3).check()
    assert button.inner_text() == "Compare 2"
    button.click()
    page.wait_for_url("**/compare?r=**")
    assert page.locator(".verdict").inner_text()
    page.get_by_role("link", name=re.compile(r"^changed")).click()
    page.wait_for_url("**only=changed**")
    changes = page.locator("#all-queries tbody tr td:last-child").all_inner_texts()
    assert changes
    assert "+0.000" not in changes
    watched.assert_quiet()


def test_ctrl_k_switches_by_keyboard_alone(visit, usual):
    watched = visit(usual)
    page = watched.open("/metrics")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open] li")
    page.keyboard.type("hybrid")
    page.wait_for_selector("dialog li:only-child")
    page.keyboard.press("Enter")
    page.wait_for_url("**/result/**")
    assert page.locator("h1").inner_text() == "hybrid on things"
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open] li")
    page.keyboard.press("ArrowDown")
    assert page.locator("dialog li").nth(1).get_attribute("aria-selected") == "true"
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    watched.assert_quiet()


def test_tables_are_sorted_and_filtered_by_keyboard(visit, usual):
    watched = visit(usual)
    page = watched.open("/metrics")
    page.get_by_label("Filter metrics").fill("ndcg")
    assert 0 < page.locator("#index tbody tr:visible").count() < 20
    page.get_by_label("Filter metrics").fill("")
    head = page.locator("#index th button").first
    head.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    names = page.locator("#index tbody tr th a").all_inner_texts()
    ordered = page.evaluate("names => [...names].sort((a, b) => b.localeCompare(a))", names)
    assert names == ordered
    assert len(names) > 50
    assert page.locator("#index th[aria-sort=descending]").count() == 1
    watched.assert_quiet()


def test_marks_of_charts_say_what_they_are(visit, usual):
    watched = visit(usual)
    page = watched.open("/history?provider=bm25")
    mark = page.locator("[data-tip]").nth(5)
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    page.wait_for_selector(".tip:not([hidden])")
    assert page.locator(".tip").inner_text().strip()
    watched.assert_quiet()


def test_pages_are_read_without_scripts(visit, usual):
    watched = visit(usual, java_script_enabled=False)
    page = watched.page
    page.goto(usual + "/leaderboard")
    assert page.locator("tbody tr").count() >= 4
    page.goto(usual + "/results")
    page.get_by_label("Provider").select_option("dense")
    page.get_by_role("button", name="Filter").click()
    assert "provider=dense" in page.url


def test_logging_in(visit, serve, stores, tmp_path):
    base = serve(stores.usual_store(tmp_path / "s.db", nights=1), token="a-rather-long-token")
    watched = visit(base)
    page = watched.open("/history")
    assert "/login?next=" in page.url
    page.get_by_label("Token").fill("a-rather-long-token")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/history")
    cookies = page.context.cookies()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.context.add_cookies(cookies)
    watched.open("/history")
    assert "/login?next=" in page.url
    watched.assert_quiet()


def test_a_link_elsewhere_leads_to_the_page_of_whoever_has_logged_in(visit, serve, stores, tmp_path):
    """The cookie is not sent along with such a link; the page that comes instead asks once more."""
    base = serve(stores.usual_store(tmp_path / "s.db", nights=1), token="a-rather-long-token")
    page = visit(base).open("/login")
    page.route(
        "http://chat.example/",
        lambda route: route.fulfill(body=f'<a href="{base}/metrics">look</a>', content_type="text/html"),
    )
    page.goto("http://chat.example/")
    page.get_by_text("look").click()
    page.locator("meta[http-equiv=refresh]").wait_for(state="detached")
    page.get_by_label("Token").fill("a-rather-long-token")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/metrics")
    page.goto("http://chat.example/")
    page.get_by_text("look").click()
    page.wait_for_url("**/metrics")
    assert page.get_by_role("button", name="Log out").is_visible()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_hostile_content_is_harmless(visit, hostile, stores, viewport):
    watched = visit(hostile, viewport)
    paths = all_paths(watched)
    key = paths[1]
    paths += [f"{key}/query?id={quote(text)}" for text in stores.HOSTILE.values()]
    for path in paths:
        page = watched.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
        assert page.locator("main script, main img").count() == 0
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open] li")
    watched.assert_quiet()
