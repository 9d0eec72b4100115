"""file_recall: whether the right files were found, by hand and against a plain list of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Span

from ._cases import close
from ._spans import cases, files_in_order, lines, paid, score

GOLD = [Span("a.py", 1, 2, "lines"), Span("b.py", 1, 2, "lines"), Span("b.py", 9, 9, "lines")]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([], 0),
        ([lines("src/c.py", 1, 20)], 0),
        ([lines("a.py", 19, 20)], 0.5),
        ([lines("a.py", 1, 2), lines("a.py", 3, 4)], 0.5),
        ([lines("a.py", 1, 2), lines("src/c.py", 3, 4), lines("b.py", 20, 20)], 1),
    ],
    ids=["nothing", "other file", "another stretch of it", "twice the same", "all"],
)
def test_by_hand(ranking, expected):
    assert score("file_recall", ranking, GOLD) == close(expected)


def test_k_counts_files_not_chunks():
    ranking = [
        lines("src/c.py", 1, 2),
        lines("src/c.py", 3, 4),
        lines("a.py", 1, 2),
        lines("a.py", 3, 4),
        lines("b.py", 1, 2),
    ]
    assert [score(f"file_recall@{k}", ranking, GOLD) for k in (1, 2, 3, 100)] == close([0, 0.5, 1, 1])


def test_a_chunk_without_a_place_takes_the_rank_of_a_file():
    assert [score(f"file_recall@{k}", ["x", "y", lines("a.py", 1, 2)], GOLD) for k in (2, 3)] == close([0, 0.5])


def test_a_file_that_is_not_there_cannot_be_found_and_counts():
    assert score("file_recall", [lines("a.py", 1, 2)], [*GOLD, Span("gone.py", 1, 2, "lines")]) == close(1 / 3)


@given(cases(), st.integers(1, 3), st.none() | st.integers(1, 12))
def test_as_a_list_of_files_has_it(case, k, tokens):
    found = files_in_order(case, len(case.ranking) if tokens is None else paid(case, tokens))[:k]
    gold = {span.doc_id for span in case.gold}
    expected = len(gold & set(found)) / len(gold) if gold else 0
    name = f"file_recall@{k}" if tokens is None else f"file_recall(tokens={tokens})@{k}"
    assert score(name, case.ranking, case.gold, case.files) == close(expected)
