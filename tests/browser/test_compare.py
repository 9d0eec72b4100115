"""A comparison in a browser: without scripts, on a phone, and from a card to a decision."""

import re

import pytest
from tests.web.test_compare import changed

from assay.store import Store

WIDTHS = (1440, 1024, 390)


@pytest.fixture(scope="module")
def pair(tmp_path_factory, serve, stores):
    """The address of a comparison of two runs, the second of them worse."""
    old, new = stores.result_of(1, skill=0.9, night=0), changed(stores.result_of(3, skill=0.3, night=1))
    path = stores.saved(tmp_path_factory.mktemp("pair") / "s.db", [old], [new])
    with Store.open(path) as store:
        keys = [f"{store.id_of(name)}/0" for name in ("latest", "latest~1")]
    return serve(path), f"/compare?r={keys[0]}&r={keys[1]}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_its_window_and_rankings_are_stacked_on_a_phone(browser, pair, width, scheme):
    base, path = pair
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(base + path + "&only=lost&card=q005")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sides = page.locator("details.query[open]").first.locator(".side")
    first, second = (sides.nth(number).bounding_box() for number in (0, 1))
    is_stacked = second["y"] >= first["y"] + first["height"]
    assert is_stacked == (width < 800)
    context.close()


def test_everything_but_copying_works_without_scripts(browser, pair):
    base, path = pair
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base + path)
    assert page.locator("p.change.worse").inner_text().endswith("▼ worse")
    page.get_by_role("link", name=re.compile("^new failures")).click()
    assert page.locator("details.query").count() == 2
    page.get_by_label("Search", exact=True).fill("q001")
    page.get_by_role("button", name="Filter").click()
    assert [page.locator("details.query").count(), "words=q001" in page.url, "only=failed" in page.url] == [1, True, True]
    assert page.locator("button.copy").is_hidden()
    assert page.locator("input.address").input_value().startswith("/compare?r=")
    context.close()


def test_from_the_comparison_to_a_grade_a_note_and_a_baseline(browser, pair):
    base, path = pair
    context = browser.new_context()
    page = context.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(base + path)
    card = page.locator("details.query[open]")
    query = card.get_attribute("data-query")
    card.locator(".grade-here summary").first.click()
    form = card.locator(".grade-here[open]")
    form.locator("input[type=radio][value='0']").check()
    form.get_by_label("Your name").fill("Ana")
    form.get_by_role("button", name="Save grade").click()
    page.wait_for_url("**judgments=people**")
    assert page.locator("details.query[open]").first.get_attribute("data-query") == query
    assert "With 1 new grade by people" in page.locator(".layers").inner_text()
    page.get_by_label("Note", exact=True).fill("the tokenizer cuts words")
    page.get_by_role("button", name="Save note").click()
    page.wait_for_url("**annotated=1**")
    assert "the tokenizer cuts words" in page.locator("#decide").inner_text()
    page.get_by_role("button", name="Bless").click()
    page.wait_for_url("**blessed=main**")
    assert "is now the baseline main" in page.locator(".said").inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the report").click()
    assert re.fullmatch(r"compare-[0-9a-f]+-[0-9a-f]+\.html", download.value.suggested_filename)
    assert refused == []
    context.close()
