"""What is said about evaluations: tags, notes and baselines."""

import pytest

from assay.errors import BadParameter, UnknownName, UsageError

from ._results import result_of


def test_tags_come_and_go(store):
    name = store.save([result_of()])
    assert store.tag("latest", "nightly", "x") == name
    store.tag("latest", "nightly")
    assert store.latest().tags == ("nightly", "x")
    store.tag("latest", "x", "never", remove=True)
    assert store.latest().tags == ("nightly",)
    for wrong in ("", "two words", "a,b", "a\nb", "-x", "x" * 81):
        with pytest.raises(BadParameter, match="a tag is one word"):
            store.tag("latest", wrong)


def test_notes_are_kept_in_their_order(store):
    store.save([result_of()])
    for text in ("first", "second\0 \ud800"):
        store.note("latest", text)
    assert [note.text for note in store.latest().notes] == ["first", "second\\x00 \\ud800"]
    with pytest.raises(UsageError, match="a note says something"):
        store.note("latest", "  ")


def test_baselines_are_chosen_and_never_drift(store):
    first = store.save([result_of(1)])
    assert store.bless("latest", "main") == ("main", first, None)
    second = store.save([result_of(2)])
    assert store.baselines() == {"main": first}
    assert store.find("main").id == first
    assert store.bless("latest", "main") == ("main", second, first)
    assert store.bless("latest~1", "release/1.0") == ("release/1.0", first, None)
    assert store.baselines() == {"main": second, "release/1.0": first}
    assert store.find("main").baselines == ("main",)


def test_one_result_may_be_a_baseline(store):
    name = store.save([result_of(1), result_of(2, provider="dense")])
    assert store.bless("latest#dense", "best").evaluation == f"{name}#dense"
    assert [result.name for result in store.find("best").results] == ["dense"]
    assert [result.name for result in store.find("best#bm25").results] == ["bm25"]
    with pytest.raises(UnknownName, match="no result of"):
        store.bless("latest#nobody", "best")


@pytest.mark.parametrize(
    "name",
    [
        *("latest", "", "a b", "x#y", "-x", "latest~1", "x" * 81, "../../x", "a//b", "/x", "./x", ".x", "x/", "~/x"),
        *("2026-11-15", "2026-11-15-small-7f3a", "v1.json", "release/v1.JSN", "all.jsonl.zst", 3, None),
    ],
)
def test_baselines_have_names_that_can_be_told_apart(store, name):
    store.save([result_of()])
    with pytest.raises(BadParameter, match="a baseline is called by letters"):
        store.bless("latest", name)
