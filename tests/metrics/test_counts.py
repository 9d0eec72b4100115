"""num_q, num_ret, num_rel, num_rel_ret, mean_rel_ret, num_nonrel_judged_ret, judged, unjudged, relstring and runid."""

import pytest

import assay
from assay.metrics import parse_metric

from ._cases import Case, as_dicts, assert_agrees, assert_worked_out, each_metric, scores, summary

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("num_q", [0, None], [], 1),
    ("num_ret", [1, None, 0, -1], [1, 1], 4),
    ("num_ret(rel=1)", [1, None, 0, 2], [], 2),
    ("num_ret(rel=2)", [1, None, 0, 2], [], 1),
    ("num_ret", [1, None], [], 2, {"rel": 2}),  # the level of the policy does not matter
    ("num_ret", [1, None, -1, 0], [], 2, {"judged_only": True}),  # condensed rankings are shorter
    ("num_rel", [1, None, 0, 2], [3, 0, -1], 3),
    ("num_rel", [0, -1], [0], 0),
    ("num_rel(rel=2)", [1, 2], [3], 2),
    ("num_rel(rel=-1)", [-1, 0], [], 1),  # a negative grade is never relevant
    ("num_rel_ret", [1, None, 0, 2], [3], 2),
    ("num_rel_ret@1", [1, 1], [], 1),
    ("num_rel_ret(rel=2)", [1, 2], [], 1),
    ("mean_rel_ret", [1, None, 0, 2], [3], 2),
    ("mean_rel_ret@1", [1, 1], [], 1),
    ("mean_rel_ret(rel=2)", [1, 2], [], 1),
    ("num_nonrel_judged_ret", [0, None, 2, 0, -1], [0], 2),
    ("num_nonrel_judged_ret", [-1, None, 1], [], 0),
    ("num_nonrel_judged_ret(rel=2)", [0, 1, 2], [], 2),
    ("judged@4", [1, None, 0, -1, None], [], 3 / 4),
    ("judged", [1, None, 0, -1, None], [], 3 / 5),
    ("judged@10", [1, 1, 0, None], [], 3 / 4),  # ÷ what was retrieved, not ÷ k
    ("judged@2", [-1, -2], [], 1),  # a negative grade is a judgment here, as in ir_measures
    ("unjudged@4", [1, None, 0, -1, None], [], 2 / 4),
    ("unjudged@5", [], [1], 0),  # a rank that holds nothing holds nothing unjudged
    ("unjudged@10", [1, None, 3, 0], [], 1 / 10),
    ("unjudged@2", [-1, None], [], 1),  # a negative grade is no judgment, as in trec_eval 10
    ("relstring", [1, None, 0, -1, 9, 10, 2.7], [], "1-0.9>2"),
    ("relstring", [], [1], ""),
    ("relstring", [None] * 12, [1], "-" * 10),
    ("relstring@2", [1, 0, 2], [], "10"),
    ("relstring@50", [1, 0], [], "10"),
    ("runid", [1], [], ""),  # a run without a tag
]


def unjudged(ranked, missed, k):
    """Those without a grade from 0 up."""
    return sum(grade is None or grade < 0 for grade in ranked[:k]) / k


def relstring(ranked, missed, k=10):
    letters = {None: "-"}
    return "".join(
        letters.get(grade) or ("." if grade < 0 else ">" if grade >= 10 else str(int(grade))) for grade in ranked[:k]
    )


REFERENCES = [
    ("unjudged@5", unjudged, {"k": 5}),
    ("unjudged@20", unjudged, {"k": 20}),
    ("relstring", relstring, {}),
    ("relstring@4", relstring, {"k": 4}),
]
"""The others are compared with trec_eval and ir_measures."""


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_counts_are_added_up_but_for_one():
    cases = [Case([1, 0]), Case([2, 2], [1]), Case([])]
    names = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "mean_rel_ret")
    assert [summary(name, cases) for name in names] == [3, 4, 4, 3, 1, 3 / 3]
    assert not parse_metric("num_nonrel_judged_ret").metric.higher_is_better


def test_queries_that_are_left_out_do_not_count():
    assert summary("num_q", [Case([1]), Case([0])], no_relevant="skip") == 1
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}}, {"a": ["d"], "c": ["d"]}
    assert assay.evaluate(qrels, run, "num_q")["num_q"] == 2
    assert assay.evaluate(qrels, run, "num_q", policy=assay.Policy(missing="skip"))["num_q"] == 1


def test_text_is_shown_for_each_query_and_has_no_summary():
    assert scores("relstring", [Case([1, 1, 1]), Case([], [1]), Case([0])]) == ["111", "", "0"]
    result = assay.evaluate(*as_dicts([Case([1])]), ["relstring", "map", "runid"])
    assert list(result.summary) == ["map"]
    with pytest.raises(assay.UsageError, match="relstring@10"):
        result["relstring"]


def test_every_query_shows_the_tag_of_the_run(tmp_path):
    (tmp_path / "a.run").write_text("a Q0 d 1 1.0 my-run\n", "utf-8")
    result = assay.evaluate({"a": {"d": 1}, "b": {"d": 1}}, tmp_path / "a.run", "runid")
    assert result.scores("runid") == {"a": "my-run", "b": "my-run"}
