"""The queue in a real browser: a whole session by keyboard, on a phone, without scripts, and when the server fails."""

import pytest

pytest.importorskip("starlette")

from tests.web._queues import BENCHMARK, Campaign, ids

from assay.judging import pairs_of
from assay.store import Judgment

FORM = "#queue .queue-form"


@pytest.fixture
def campaign(tmp_path):
    made = Campaign(tmp_path, n_queries=12, pairs=60)
    yield made
    made.store.close()


@pytest.fixture
def address(campaign, serve):
    return serve(campaign.store, **campaign.served) + campaign.path


@pytest.fixture
def page_of(browser):
    """A page in a context of its own; at the end nothing may have been logged, but for what is expected."""
    opened, logged, allowed = [], [], []

    def make(expected=(), **how):
        allowed.extend(expected)
        context = browser.new_context(**how)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: logged.append(message.text))
        page.on("pageerror", lambda error: logged.append(str(error)))
        opened.append(context)
        return page

    yield make
    for context in opened:
        context.close()
    assert [text for text in logged if not any(part in text for part in allowed)] == []


def start(page, address, name="Ana"):
    page.goto(address)
    page.fill("input[name=judge]", name)
    page.keyboard.press("Enter")
    page.wait_for_selector(FORM)


def press(page, key):
    """Press a key, and go on as soon as the next pair is there."""
    page.evaluate(f"document.querySelector('{FORM}').dataset.old = 1")
    page.keyboard.press(key)
    page.wait_for_selector(f"{FORM}:not([data-old])")


def shown(page):
    return tuple(page.input_value(f"{FORM} input[name={name}]") for name in ("query", "document"))


def test_a_whole_session_by_keyboard(page_of, campaign, address):
    """Sixty pairs without a pointer, without loading a page again; skipped ones at the end, one undecided, one undone."""
    page = page_of(viewport={"width": 1100, "height": 760})
    loaded = []
    start(page, address)
    page.on("request", lambda request: loaded.append(request.url) if request.is_navigation_request() else None)
    expected, order = {}, ids(pairs_of(campaign.pool, "Ana"))
    for number, pair in enumerate(order):
        assert shown(page) == pair
        if number == 5:
            press(page, "s")
        elif number == 7:
            press(page, "c")
        else:
            if number == 9:
                press(page, "3")
                press(page, "u")
                assert shown(page) == pair
            if number == 11:
                page.keyboard.press("n")
                page.keyboard.type("0123 scu")
                page.keyboard.press("Enter")
            press(page, str(number % 4))
            expected[pair] = (number % 4, "0123 scu" if number == 11 else "")
    assert shown(page) == order[5]
    press(page, "2")
    expected[order[5]] = (2, "")
    assert page.inner_text("#query-head") == "All done"
    assert "59 of 60 pairs graded, 1 undecided" in page.inner_text("#queue-counts")
    assert "pairs an hour" in page.inner_text("#queue-counts")
    kept = {(one.query, one.document): (one.grade, one.reason) for one in campaign.store.judgments.find(judge="Ana")}
    assert kept == expected
    assert loaded == []


def test_keys_are_listed_and_can_be_turned_off(page_of, campaign, address):
    page = page_of()
    start(page, address)
    before = shown(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog#keys[open]")
    listed = page.inner_text("dialog#keys")
    for words in ("grade the pair", "skip the pair", "cannot tell", "undo", "write a note"):
        assert words in listed
    page.keyboard.press("1")
    page.get_by_label("Turn single-key shortcuts off").check()
    page.keyboard.press("Escape")
    for key in ("1", "s", "c"):
        page.keyboard.press(key)
    page.keyboard.press("Control+1")
    assert shown(page) == before
    assert campaign.store.judgments.find() == []


def test_go_keys_still_work(page_of, address):
    """`g c` opens the comparison, and is not *cannot tell*."""
    page = page_of()
    start(page, address)
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_url("**/compare")


def test_on_a_phone_by_touch(page_of, campaign, address):
    page = page_of(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    start(page, address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator(".queue-actions button").all():
        assert button.bounding_box()["height"] >= 40
    page.evaluate(f"document.querySelector('{FORM}').dataset.old = 1")
    page.locator(".queue-actions button", has_text="somewhat").tap()
    page.wait_for_selector(f"{FORM}:not([data-old])")
    assert [one.grade for one in campaign.store.judgments.find()] == [1]


def test_without_scripts(page_of, campaign, address):
    page = page_of(java_script_enabled=False)
    start(page, address)
    page.get_by_label("Note").fill("as before")
    page.locator(".queue-actions button", has_text="perfect").click()
    page.wait_for_url(address)
    page.locator(".queue-actions button", has_text="Undo").click()
    assert page.input_value("textarea") == "as before"
    page.locator(".queue-actions button", has_text="relevant").last.click()
    assert [(one.grade, one.reason) for one in campaign.store.judgments.find()] == [(2, "as before")]


def test_a_grade_that_cannot_be_saved_is_reported_and_the_pair_stays(page_of, campaign, address):
    page = page_of(expected=["Failed to load resource"])
    start(page, address)
    pair = shown(page)
    page.route("**/queue/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("2")
    page.wait_for_selector("#queue [role=alert]:not([hidden])")
    assert "Not saved. The server cannot be reached" in page.inner_text("#queue [role=alert]")
    assert shown(page) == pair
    page.unroute("**/queue/*")
    campaign.pools.joinpath(f"{campaign.pool.id}.jsonl").rename(campaign.folder / "gone.jsonl")
    page.keyboard.press("2")
    page.wait_for_selector("text=Not saved. no pool is called")
    campaign.folder.joinpath("gone.jsonl").rename(campaign.pools / f"{campaign.pool.id}.jsonl")
    press(page, "2")
    assert [one.grade for one in campaign.store.judgments.find()] == [2]


def test_disagreements_are_settled_with_two_keys(page_of, campaign, address):
    for pair in campaign.pool.drawn[:2]:
        for name, grade in (("Ana", 0), ("Ben", 3)):
            campaign.store.judgments.give(Judgment(BENCHMARK, pair.query, pair.document, name, grade))
    page = page_of()
    start(page, address, "Cleo")
    page.goto(f"{address}/agreement#disagreements")
    for n_settled in (1, 2):
        page.wait_for_selector("#pair-1 h3 a:focus")
        page.keyboard.press("2")
        page.wait_for_selector(f"text={n_settled} settled")
    assert [(one.judge, one.grade) for one in campaign.store.judgments.find() if one.is_settled] == [("Cleo", 2)] * 2
