"""Grading and progress in a real browser: with the mouse, with keys, without scripts; bars move by themselves."""

import pytest

import assay
from assay.execution import Progress
from assay.store import Store, publish_progress

pytest.importorskip("starlette")


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        opened.save(assay.run("rag-template", "bm25", metrics=["ndcg@10", "precision@5", "judged@10"]))
        yield opened


@pytest.fixture
def address(store, serve):
    return serve(store)


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


def test_a_grade_is_given_and_its_effect_seen(page_of, query, store):
    page = page_of()
    page.goto(query)
    page.fill("#judge", "Ana Ruíz")
    item = page.locator(".to-judge > li").first
    document = item.locator(".id").inner_text()
    item.locator("label", has_text="relevant").last.click()
    item.get_by_placeholder("reason").fill("says so")
    page.click("text=Save grades")
    page.wait_for_url("**#judging")
    (kept,) = store.judgments.find()
    assert (kept.document, kept.grade, kept.judge, kept.reason) == (document, 2.0, "Ana Ruíz", "says so")
    assert page.input_value("#judge") == "Ana Ruíz"
    effect = page.locator("#judging table").first
    row = effect.locator("tr", has_text="precision@5").inner_text().split()
    assert float(row[2]) == pytest.approx(float(row[1]) + 0.2)


def test_with_keys_alone(page_of, query, store):
    page = page_of()
    page.goto(query)
    page.focus("#judge")
    page.keyboard.type("Ben")
    for key in ("Tab", "Space", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
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


def test_bars_move_by_themselves(page_of, address, store):
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
    page.wait_for_selector("text=Finished: see Results.")
    assert page.locator("progress").count() == 0


def test_a_wrong_judgment_is_overruled_where_the_document_is(page_of, query, store):
    """From the document to the saved grade: open, choose, save. The benchmark's own grade stays visible beside it."""
    page = page_of()
    page.goto(query)
    before = page.locator("#ranking tr", has_text="benchmark:").first
    form = before.locator(".grade-here")
    own = form.locator(".grade-state").inner_text().removeprefix("benchmark: ")
    other = "0" if own != "0" else "3"
    form.locator("summary").click()
    form.locator(f"input[value='{other}']").check()
    form.get_by_label("Your name").fill("Ana")
    form.get_by_role("button", name="Save grade").click()
    page.wait_for_url("**saved=1&form=grade-*#grade-*")
    (kept,) = store.judgments.find()
    assert (kept.grade, kept.judge, len(kept.text_digest)) == (float(other), "Ana", 64)
    assert page.inner_text(".outcome") == "1 grade by Ana saved."
    states = page.locator(".grade-state.overruled").all_inner_texts()
    assert set(states) == {f"benchmark: {own} → people: {other}"}
