"""The documentation as a site: make site builds it, and a browser finds its pages, its search, and no other host."""

import functools
import re
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.browser.conftest import require

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Requests are not printed."""


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").is_file():
        require("the site", "build it with make site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture
def page(browser, address):
    opened = browser.new_page()
    opened.asked = []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.problems = []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    yield opened
    opened.close()


def others(page, address):
    return [url for url in page.asked if not url.startswith((address, "data:", "blob:"))]


@pytest.mark.parametrize("path", ["", "tour/", "metrics/", "api/assay/", "web/queue/", "peers/", "charts/", "gallery/"])
def test_pages_load_nothing_from_other_hosts(page, address, path):
    assert page.goto(f"{address}/{path}").ok
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").inner_text().strip()
    assert (others(page, address), page.problems) == ([], [])


def test_a_reader_finds_a_metric_by_search(page, address):
    page.goto(f"{address}/")
    page.keyboard.press("s")
    page.keyboard.type("reciprocal rank")
    page.locator(".md-search-result__link").first.wait_for()
    found = page.locator(".md-search-result__link").evaluate_all("links => links.map(link => link.href)")
    assert "/metrics/" in found[0], "the first page"
    assert found[1].endswith("#mrr"), "its best section"
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(re.compile(r"\?h="))
    assert (others(page, address), page.problems) == ([], [])


def test_the_home_page_leads_each_reader_to_a_page(page, address):
    page.goto(f"{address}/")
    for role in ("RAG engineer", "IR researcher", "Phenotype benchmarker", "Platform team"):
        assert page.locator("article h2", has_text=role).is_visible(), role
    links = page.locator("article a[href]").evaluate_all("links => links.map(link => link.href)")
    inside = {link.partition("#")[0] for link in links if link.startswith(address)}
    assert len(inside) > 40
    for link in sorted(inside):
        assert page.request.get(link).ok, link


def test_a_phone_needs_no_sideways_scrolling(browser, address):
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    for path in ("", "metrics/", "tour/", "gallery/"):
        opened.goto(f"{address}/{path}")
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    opened.close()
