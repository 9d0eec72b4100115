"""A store that nothing can be written to: pages are shown, and every form says in one sentence why nothing was saved."""

import pytest

from assay.store import Store

from ._clients import client_of, csrf_of, main_of, words_of
from ._stores import result_of, saved

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def read_only(tmp_path):
    """Two results in a store that is opened for reading, and their keys."""
    path = saved(tmp_path / "s.db", [result_of(1, night=0)], [result_of(2, night=1)])
    with Store.open(path) as store:
        keys = [f"{store.id_of(name)}/0" for name in ("latest~1", "latest")]
    with Store.open(f"sqlite:///{path}?mode=ro") as store:
        yield store, keys


FORMS = {
    "/compare/bless": {"name": "main"},
    "/compare/note": {"text": "roll back"},
    "/judge": {"query": "q000", "document-0": "d0", "grade-0": "1", "judge": "Ana"},
    "/query-note": {"query": "q000", "kind": "note", "text": "two meanings", "judge": "Ana"},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_says_that_the_store_is_read_only(read_only, form):
    store, (old, new) = read_only
    client = client_of(store)
    page = client.get(f"/compare?r={old}&r={new}&baseline={old}")
    assert page.status_code == 200
    answer = client.post(form, data={"csrf": csrf_of(page.text), "result": new, **FORMS[form]})
    assert answer.status_code == 503
    said = words_of(main_of(answer.text))
    assert "the store is read-only. Nothing new was saved; what was in the store before is still there" in said
    assert "Traceback" not in said
    assert "sqlite3" not in said


def test_nothing_was_saved(read_only):
    store, (old, new) = read_only
    client = client_of(store)
    csrf = csrf_of(client.get(f"/compare?r={old}&r={new}&baseline={old}").text)
    for form, fields in FORMS.items():
        client.post(form, data={"csrf": csrf, "result": new, **fields})
    assert list(store.judgments.find()) == []
    assert [entry.baselines for entry in store.list()] == [(), ()]
    assert list(store.notes(new.split("/")[0])) == []
