"""num_q: how many queries were scored."""

import assay

from ._cases import Case, assert_agrees, summary


def plain(ranked, missed):
    """Each query is one."""
    return 1


def test_by_hand():
    assert summary("num_q", [Case([1]), Case([0, None]), Case([], [1])]) == 3


def test_queries_that_are_left_out_do_not_count():
    assert summary("num_q", [Case([1]), Case([0])], no_relevant="skip") == 1


def test_missing_queries_count_unless_skipped():
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}}, {"a": ["d"], "c": ["d"]}
    assert assay.evaluate(qrels, run, "num_q")["num_q"] == 2
    assert assay.evaluate(qrels, run, "num_q", policy=assay.Policy(missing="skip"))["num_q"] == 1


def test_agrees_with_a_plain_loop():
    assert_agrees("num_q", plain)
