"""Older stores become new ones with nothing lost; newer ones are left alone."""

import pytest

from assay.errors import StoreError
from assay.store import Judgment, QueryNote, Store

from ._results import execute, result_of

FIRST_LAYOUT = (
    *(f"ALTER TABLE assay_results DROP COLUMN {column}" for column in ("comparable", "blessed")),
    "DELETE FROM assay_schema WHERE version > 1",
)
"""What the first assay left: results without the columns of the second."""
THIRD_LAYOUT = (
    "DROP INDEX assay_evaluations_identity",
    "ALTER TABLE assay_evaluations DROP COLUMN identity",
    "DELETE FROM assay_schema WHERE version > 3",
)
FOURTH_LAYOUT = ("DROP TABLE assay_guards", "DELETE FROM assay_schema WHERE version > 4")


FIFTH_LAYOUT = (
    *(f"ALTER TABLE assay_judgments DROP COLUMN {column}" for column in ("kind", "text_digest", "pool", "probability")),
    "ALTER TABLE assay_judgments RENAME COLUMN reason TO note",
    "UPDATE assay_judgments SET key = 'as it was ' || judge",
    "DROP TABLE assay_query_notes",
    "DELETE FROM assay_schema WHERE version > 5",
)


def test_the_second_layout_knows_what_may_be_compared_and_what_was_a_baseline(url):
    with Store.open(url) as store:
        store.save([result_of(1), result_of(2, provider="dense")])
        store.bless("latest#dense", "main")
        store.save([result_of(3)])
        before = store.history("mrr")
    execute(url, *FIRST_LAYOUT)
    with Store.open(url) as store:
        assert store.history("mrr") == before
        assert [point.provider for point in before if point.was_baseline] == ["dense"]
        assert store.check().faults == ()
    if url.startswith("sqlite"):
        execute(url, *FIRST_LAYOUT)
        with pytest.raises(StoreError, match="from an older assay"):
            Store.open(f"{url}?mode=ro")


def test_the_fourth_layout_knows_an_evaluation_that_is_saved_twice(url):
    """Older ones stay, though nobody knows whether they are the same."""
    old, new = (result_of(1, started=f"2026-11-15T0{hour}:00:00+00:00") for hour in (1, 2))
    with Store.open(url) as store:
        kept = [store.save(one.with_fields(provenance={**one.provenance, "evaluation": "a"})) for one in (old, old)]
    execute(url, *THIRD_LAYOUT)
    with Store.open(url) as store:
        again = [store.save(one.with_fields(provenance={**one.provenance, "evaluation": "b"})) for one in (old, new)]
        assert len({*kept, *again}) == 2
        assert store.count() == 2
        assert store.check().faults == ()


def test_the_fifth_layout_remembers_the_candidates_of_guards(url):
    with Store.open(url) as store:
        store.save([result_of(1)])
    execute(url, *FOURTH_LAYOUT)
    with Store.open(url) as store:
        assert store.guards.entries("g") == []
        for candidate, evidence in (("a", {}), ("b", {"mrr": ([0.5, -0.25], -1.5, 40)}), ("a", {"mrr": ([], 0.0, 1)})):
            store.guards.add("g", candidate, evidence)
        store.guards.add("h", "a", {})
        assert [tuple(entry) for entry in store.guards.entries("g")] == [("a", {}), ("b", {"mrr": ([0.5, -0.25], -1.5, 40)})]
        assert store.count() == 1
        assert store.check().faults == ()


def test_the_sixth_layout_knows_that_older_judgments_are_by_people(url):
    """They keep everything they had; a new grade of the same judge still replaces the old one."""
    with Store.open(url) as store:
        store.save([result_of(1)])
        for judge, grade in (("Ana", 2), ("Ben", 0)):
            store.judgments.give(Judgment("small", "q0", "d4", judge, grade, f"so says {judge}"))
        before = store.judgments.find()
    execute(url, *FIFTH_LAYOUT)
    with Store.open(url) as store:
        assert store.judgments.find() == before
        assert {one.kind for one in before} == {"people"}
        store.judgments.give(Judgment("small", "q0", "d4", "Ana", 1))
        assert {one.judge: one.grade for one in store.judgments.find()} == {"Ana": 1.0, "Ben": 0.0}
        assert store.check().faults == ()


def test_the_seventh_layout_has_notes_on_queries(url):
    with Store.open(url) as store:
        store.save([result_of(1)])
    execute(url, "DROP TABLE assay_query_notes", "DELETE FROM assay_schema WHERE version > 6")
    with Store.open(url) as store:
        assert store.query_notes.find() == []
        store.query_notes.add(QueryNote("small", "q0", "two meanings", "Ana"))
        assert [note.text for note in store.query_notes.find()] == ["two meanings"]
        assert store.check().faults == ()


def test_the_ninth_layout_says_what_the_rows_of_a_result_are(url):
    with Store.open(url) as store:
        store.save([result_of(1)])
    execute(url, "ALTER TABLE assay_results DROP COLUMN rows_are", "DELETE FROM assay_schema WHERE version > 8")
    with Store.open(url) as store:
        store.save([result_of(2).with_fields(provenance={"log": {}, "rows_are": "user"})])
        assert [entry.rows_are for entry in store.list()] == ["user", "query"]
        assert store.check().faults == ()


def test_the_tenth_layout_says_what_metrics_read_about_documents(url):
    with Store.open(url) as store:
        store.save([result_of(1)])
    execute(url, "ALTER TABLE assay_figures DROP COLUMN documents_read", "DELETE FROM assay_schema WHERE version > 9")
    with Store.open(url) as store:
        for tags in ("one", "one", "two"):
            read = {"documents_read": {"mrr": {"tags": tags}}}
            store.save([result_of(2).with_fields(relevance={**result_of(2).relevance, **read}, notes=(tags,))])
        datasets = [point.dataset for point in store.history("mrr")]
        assert len(set(datasets)) == 3  # unknown, one and two
        assert store.check().faults == ()
