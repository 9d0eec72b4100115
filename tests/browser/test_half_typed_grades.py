"""A form for a grade that is half filled in stays with its document while the page updates itself."""

import pytest
from tests.web._stores import result_of, saved

from assay.store import Store

pytest.importorskip("starlette")


def test_a_half_typed_grade_stays_with_its_document(browser, serve, tmp_path):
    runs = [[result_of(1, skill=skill, night=night)] for night, skill in enumerate((0.9, 0.3))]
    store = Store.open(saved(tmp_path / "s.db", *runs))
    page = browser.new_page()
    page.goto(serve(store))
    page.locator("#worse .open").click()
    forms = page.locator("details.query[open] .side").nth(1).locator(".grade-here")
    third = forms.nth(2)
    document = third.locator("input[name='document-0']").get_attribute("value")
    third.locator("summary").click()
    third.locator("input[value='1']").check()
    third.locator("input[name='reason-0']").fill("half a reason")
    store.save([result_of(1, skill=0.3, night=2)])
    store.note(store.id_of("latest~1"), "a note that changes the page")
    page.get_by_role("button", name="show").click()
    page.locator("#decide", has_text="a note that changes the page").wait_for()
    texts = [forms.nth(place).locator("input[name='reason-0']").input_value() for place in range(3)]
    assert texts == ["", "", "half a reason"]
    assert third.locator("input[name='document-0']").get_attribute("value") == document
    assert third.locator("input[value='1']").is_checked()
    assert not forms.first.locator("input[value='1']").is_checked()
    page.close()
