"""Grading and progress in a real browser: with the mouse, with keys, without scripts; bars move by themselves."""

import os
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
PICTURES = os.environ.get("ASSAY_TEST_PICTURES")
"""A folder for pictures of what is seen, where somebody wants to look."""


@pytest.fixture
def store(tmp_path):
    import assay
    from assay.store import Store

    with Store.open(tmp_path / "store.db") as opened:
        opened.save(assay.run("rag-template", "bm25", metrics=["ndcg@10", "precision@5", "judged@10"]))
        yield opened


@pytest.fixture
def address(store):
    import uvicorn

    from assay.web import make_app

    config = uvicorn.Config(make_app(store), port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def page_of(browser, address):
    """A page in a context of its own; at the end nothing may have been logged."""
    opened, said = [], []

    def make(**how):
        context = browser.new_context(**how)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        opened.append(context)
        return page

    yield make
    for context in opened:
        context.close()
    assert said == []


@pytest.fixture
def query(address, store):
    return f"{address}/result/{store.id_of('latest')}/0/query?id=q01"


def picture(page, name):
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def test_a_grade_is_given_and_its_effect_seen(page_of, query, store):
    page = page_of()
    page.goto(query)
    page.fill("#judge", "Ana Ruíz")
    item = page.locator(".to-judge > li").first
    document = item.locator(".id").inner_text()
    item.locator("label", has_text="relevant").last.click()
    item.get_by_placeholder("note").fill("says so")
    page.click("text=Save grades")
    page.wait_for_url("**#judging")
    (kept,) = store.judgments.find()
    assert (kept.document, kept.grade, kept.judge, kept.note) == (document, 2.0, "Ana Ruíz", "says so")
    assert page.input_value("#judge") == "Ana Ruíz"
    effect = page.locator("#judging table").first
    row = effect.locator("tr", has_text="precision@5").inner_text().split()
    assert float(row[2]) == pytest.approx(float(row[1]) + 0.2)
    picture(page, "judging")


def test_with_keys_alone(page_of, query, store):
    page = page_of()
    page.goto(query)
    page.focus("#judge")
    page.keyboard.type("Ben")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**#judging")
    (kept,) = store.judgments.find()
    assert (kept.judge, kept.grade) == ("Ben", 3.0)


def test_without_scripts(page_of, query, store):
    page = page_of(java_script_enabled=False)
    for judge in ("Ana", ""):
        page.goto(query)
        if judge:
            page.fill("#judge", judge)
        page.locator(".to-judge > li").nth(0 if judge else 1).locator("input[value='1']").check()
        page.click("text=Save grades")
    assert [one.judge for one in store.judgments.find()] == ["Ana", "Ana"]


def test_narrow_and_dark(page_of, query):
    page = page_of(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(query)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("getComputedStyle(document.querySelector('.saving')).backgroundColor") == "rgb(21, 24, 27)"
    picture(page, "judging-narrow")


def test_bars_move_by_themselves(page_of, address, store):
    from assay.execution import Progress
    from assay.store import publish_progress

    page = page_of()
    page.goto(f"{address}/progress")
    page.wait_for_selector("text=Nothing is running now.")
    with publish_progress(store.place, 2) as tell:
        page.wait_for_selector("text=Running now.")
        tell(Progress("rag-template/<i>bm25</i>", 48, n_done=48))
        page.wait_for_selector("text=48 of 48 queries")
        assert page.locator("progress").get_attribute("aria-label") == "rag-template/<i>bm25</i>"
        assert page.locator("#progress i").count() == 0
        tell(Progress("rag-template/dense", 4800, n_done=1200, n_failed=7))
        page.wait_for_selector("text=1,200 of 4,800 queries")
        assert page.locator(".part-so-far").nth(1).inner_text().endswith("7 failed")
        assert "1 of 2 results complete" in page.inner_text(".running h2")
        picture(page, "progress")
    page.wait_for_selector("text=It has ended: see Results.")
    assert page.locator("progress").count() == 0
