"""Settled grades and undecided pairs: what counts, what stays as it was, and what an export contains."""

import pytest

from assay.store import (
    Judgment,
    Store,
    Undecided,
    combined,
    disagreements,
    exportable,
    judge_agreements,
    panel_agreement,
)

from ._results import execute, result_of

SEVENTH_LAYOUT = (
    "ALTER TABLE assay_judgments DROP COLUMN is_settled",
    "DROP TABLE assay_undecided",
    "DELETE FROM assay_schema WHERE version > 7",
)


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        opened.save([result_of(1)])
        yield opened


@pytest.fixture
def benchmark(store):
    return store.list()[0].benchmark


def grade(benchmark, judge, value, query="q1", **how):
    return Judgment(benchmark, query, "d1", judge, value, **how)


def test_a_settled_grade_counts_and_the_others_stay(store, benchmark):
    """Ana gave 3, Ben 0, Cleo 1: the median is 1. Ana settles it with 2, and her own 3 stays."""
    book = store.judgments
    for judge, value in (("Ana", 3), ("Ben", 0), ("Cleo", 1)):
        book.give(grade(benchmark, judge, value))
    assert combined(book.find()) == {"q1": {"d1": 1.0}}
    before = judge_agreements(book.find()), panel_agreement(book.find())
    settled = book.give(grade(benchmark, "Ana", 2, reason="read again", is_settled=True))
    assert combined(book.find()) == exportable(book.find()).grades == {"q1": {"d1": 2.0}}
    assert repr((judge_agreements(book.find()), panel_agreement(book.find()))) == repr(before)
    (only,) = disagreements(book.find())
    assert [(one.judge, one.grade) for one in only.grades] == [("Ana", 3), ("Ben", 0), ("Cleo", 1)]
    assert only.settled == settled
    again = book.give(grade(benchmark, "Ben", 0, is_settled=True))
    assert [one.judge for one in book.find() if one.is_settled] == ["Ben"], "a pair has one settled grade"
    assert combined(reversed(book.find())) == {"q1": {"d1": 0.0}}
    assert book.withdraw(again)
    assert combined(book.find()) == {"q1": {"d1": 1.0}}
    assert book.withdraw(grade(benchmark, "Ana", 0))
    assert [one.judge for one in book.find()] == ["Ben", "Cleo"]


def test_open_disagreements_come_first_and_larger_ones_before(store, benchmark):
    book = store.judgments
    for query, values in {"q1": (1, 2), "q2": (0, 3), "q3": (2, 2), "q4": (0, 1)}.items():
        for judge, value in zip(("Ana", "Ben"), values, strict=True):
            book.give(grade(benchmark, judge, value, query))
    book.give(grade(benchmark, "gpt", 0, "q3", kind="model"))
    book.give(grade(benchmark, "Ana", 0, "q4", is_settled=True))
    assert [(one.query, one.distance, one.settled is None) for one in disagreements(book.find())] == [
        ("q2", 3, True),
        ("q1", 1, True),
        ("q4", 1, False),
    ]


def test_an_undecided_pair_is_not_a_grade_and_the_later_of_both_stays(store, benchmark):
    book = store.judgments
    book.give(grade(benchmark, "Ana", 3))
    book.leave_undecided(Undecided(benchmark, "q1", "d1", "Ana", "two meanings"))
    assert (book.find(), combined(book.find())) == ([], {})
    assert [(one.judge, one.reason) for one in book.undecided(judge="Ana")] == [("Ana", "two meanings")]
    book.give(grade(benchmark, "Ben", 1))
    assert len(book.undecided()) == 1, "the grade of someone else changes nothing"
    book.give(grade(benchmark, "Ana", 2))
    assert (book.undecided(), combined(book.find(judge="Ana"))) == ([], {"q1": {"d1": 2.0}})
    old = Undecided(benchmark, "q1", "d1", "Ana", judged="2020-01-01T00:00:00.000000+00:00")
    assert book.take_over_undecided([old]) == 0
    assert len(book.find(judge="Ana")) == 1


def test_an_export_contains_both(store, benchmark, tmp_path):
    store.judgments.give(grade(benchmark, "Ana", 3))
    store.judgments.give(grade(benchmark, "Ben", 1, is_settled=True))
    store.judgments.leave_undecided(Undecided(benchmark, "q2", "d1", "Ana", "no text", pool="p1"))
    store.export(tmp_path / "all.jsonl.zst")
    with Store.open(tmp_path / "other.db") as other:
        for _ in range(2):
            other.import_(tmp_path / "all.jsonl.zst")
            assert other.judgments.find() == store.judgments.find()
            assert other.judgments.undecided() == store.judgments.undecided()


def test_the_seventh_layout_has_no_settled_grades(url):
    with Store.open(url) as store:
        store.save([result_of(1)])
        benchmark = store.list()[0].benchmark
        kept = store.judgments.give(grade(benchmark, "Ana", 3))
    execute(url, *SEVENTH_LAYOUT)
    with Store.open(url) as store:
        assert store.judgments.find() == [kept]
        assert store.judgments.undecided() == []
        store.judgments.give(grade(benchmark, "Ana", 1, is_settled=True))
        assert combined(store.judgments.find()) == {"q1": {"d1": 1.0}}
