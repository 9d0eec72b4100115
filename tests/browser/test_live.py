"""Open pages learn of new results and of running evaluations, without a reload and without losing what was typed."""

import shutil

import pytest

from assay.execution import Progress
from assay.store import Store, publish_progress


@pytest.fixture
def store(stores, tmp_path):
    with Store.open(tmp_path / "s.db") as opened:
        for night in range(2):
            opened.save([stores.result_of(1, night=night)])
        yield opened


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    yield opened
    context.close()


def mark(page):
    """A mark that a reload would remove."""
    page.evaluate("window.unreloaded = true")


def is_unreloaded(page):
    return page.evaluate("window.unreloaded === true")


def test_a_regression_appears_on_the_home_page(page, serve, store, stores):
    page.goto(serve(store))
    assert page.locator("h1").inner_text() == "Nothing got worse since 1 October"
    mark(page)
    store.save([stores.result_of(1, skill=0.1, night=2)])
    page.locator("#news", has_text="new results: 1").wait_for()
    page.get_by_role("button", name="show").click()
    page.locator("h1", has_text="1 series got worse since the last run").wait_for()
    assert page.locator("#news").inner_text() == ""
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert is_unreloaded(page)
    page.locator("#worse .open").click()
    page.wait_for_url("**/compare?r=*&r=*&baseline=*")


def test_the_list_shows_new_results_and_keeps_what_was_chosen_and_typed(page, serve, store, stores):
    page.goto(f"{serve(store)}/results")
    mark(page)
    page.locator("input[name=r]").first.check()
    chosen = page.locator("input[name=r]").first.get_attribute("value")
    page.locator("main").get_by_label("Search").fill("half a wo")
    store.save([stores.result_of(5, provider="fresh", night=3)])
    page.get_by_role("button", name="show").click()
    page.get_by_role("link", name="fresh").wait_for()
    assert page.locator("main").get_by_label("Search").input_value() == "half a wo"
    assert page.locator(f'input[name=r][value="{chosen}"]').is_checked()
    assert page.get_by_role("button", name="Compare").inner_text() == "Compare 1"
    assert is_unreloaded(page)


def test_a_page_that_does_not_change_says_nothing(page, serve, store, stores):
    base = serve(store)
    keys = [f"{store.id_of(name)}/0" for name in ("latest~1", "latest")]
    page.goto(f"{base}/compare?r={keys[0]}&r={keys[1]}&baseline={keys[0]}")
    with page.expect_response("**/compare?**"):
        store.save([stores.result_of(5, provider="fresh", night=3)])
    page.wait_for_timeout(300)
    assert page.locator("#news").inner_text() == ""


def test_the_progress_of_an_evaluation_is_on_the_home_page(page, serve, store):
    page.goto(serve(store))
    assert page.locator("#running").is_hidden()
    with publish_progress(store.place, 1) as tell:
        tell(Progress("things/<b>bm25</b>", 10, n_done=4))
        page.locator("#running progress[value='4']").wait_for()
        assert page.locator("#running .id").inner_text() == "things/<b>bm25</b>"
        tell(Progress("things/<b>bm25</b>", 10, n_done=10))
        page.locator("#running progress[value='10']").wait_for()
    page.locator("#running").wait_for(state="hidden")


def test_many_open_pages_share_one_stream(browser, serve, store, stores):
    """Browsers allow six connections to a server, so eight open pages must not block each other."""
    context = browser.new_context()
    base = serve(store)
    pages = [context.new_page() for _ in range(8)]
    for opened in pages:
        opened.goto(base, timeout=15_000)
    store.save([stores.result_of(5, provider="fresh", night=3)])
    for opened in (pages[0], pages[-1]):
        opened.locator("#news", has_text="new results: 1").wait_for()
    context.close()


@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_home_page_fits_with_names_of_any_script(browser, serve, stores, tmp_path, width, scheme):
    names = [
        "形態素解析とベクトル検索を組み合わせた検索エンジン" * 4,
        "بحث دلالي متعدد اللغات " * 8,
        f"hybrid({'bm25, ' * 30})",
    ]
    with Store.open(tmp_path / "s.db") as store:
        for night, skill in enumerate((0.9, 0.2)):
            store.save(
                [stores.result_of(number, provider=name, skill=skill, night=night) for number, name in enumerate(names)]
            )
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(serve(shutil.copy(tmp_path / "s.db", tmp_path / "copy.db")))
    assert page.locator("#worse .one-series").count() == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
