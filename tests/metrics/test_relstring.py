"""relstring: the grades of the first k documents, one character each."""

import pytest

import assay

from ._cases import Case, as_dicts, assert_agrees, score, scores


def plain(ranked, missed, k=10):
    """One letter per document."""
    return "".join(
        "-" if grade is None else "." if grade < 0 else ">" if grade >= 10 else str(int(grade)) for grade in ranked[:k]
    )


def test_by_hand():
    assert score("relstring", [1, None, 0, -1, 9, 10, 2.7]) == "1-0.9>2"


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("relstring", [], [1], ""),
        ("relstring", [None] * 12, [1], "-" * 10),
        ("relstring@2", [1, 0, 2], [], "10"),
        ("relstring@50", [1, 0], [], "10"),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_rankings_of_different_length():
    assert scores("relstring", [Case([1, 1, 1]), Case([]), Case([0])]) == ["111", "", "0"]


def test_text_has_no_summary():
    result = assay.evaluate(*as_dicts([Case([1])]), ["relstring", "map"])
    assert list(result.summary) == ["map"]
    with pytest.raises(assay.UsageError, match="relstring@10 is text and has no summary"):
        result["relstring"]


def test_agrees_with_a_plain_loop():
    assert_agrees("relstring", plain)
    assert_agrees("relstring@4", plain, k=4)
