"""compat.ranx: input that meets each difference, and input that does not."""

import numpy as np
import pytest
from tests.compat._differences import check_case

from assay.compat.ranx import DIFFERENCES, Qrels, Run, compare, evaluate, fuse, optimize_fusion

QRELS = {"q1": {"a": 1, "x": 0}, "q2": {"b": 1, "x": 0}}
RUN = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"b": 0.9, "a": 0.3}}
OTHER = {"q1": {"x": 1.0, "a": 0.5}, "q2": {"b": 0.7, "a": 0.3}}
SORTED, UNSORTED = [[[1, 3], [2, 1]]], [[[2, 1], [1, 3]]]
RANKED = np.array([[[1, 0.9], [2, 0.5]]])
NO_RELEVANT = {"x": 0}


def compared(*runs, **settings):
    return compare(Qrels(QRELS), [Run(run, name=f"r{number}") for number, run in enumerate(runs)], ["mrr"], **settings)


def bpref(metrics="bpref", **qrels):
    return evaluate(qrels, {query: {"a": 1.0, "x": 0.5} for query in qrels}, metrics)


def read(text):
    def call(folder):
        (folder / "a.trec").write_text(text)
        return Run.from_file(folder / "a.trec")

    return call


WEIGHED = [
    {"q": {"r": 0.0, "x": 0.28, "y": 0.001}},
    {"q": {"r": 1.0, "x": 0.28, "y": 1.001}},
    {"q": {"r": 1.0, "x": 0.28, "y": 0.9}},
]
"""r is first if the first weight is at most 0.7 and the third is above 0: the last such weights are 0.7, 0.2 and 0.1."""
LINES = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n"
CASES = {
    "order of queries": (
        lambda: evaluate(QRELS, dict(reversed(RUN.items())), "mrr"),
        lambda: (evaluate(QRELS, RUN, "mrr"), evaluate(Qrels(QRELS), Run(dict(reversed(RUN.items()))), "mrr")),
    ),
    "changed run": (
        lambda: evaluate(Qrels(QRELS), Run({"q1": {"a": 1.0}}), "mrr", make_comparable=True),
        lambda: (
            evaluate(Qrels(QRELS), Run(RUN), "mrr", make_comparable=True),
            evaluate(QRELS, {"q1": {"a": 1.0}}, "mrr", make_comparable=True),  # ranx does not accept it
            Run(RUN).make_comparable(Qrels(QRELS)),
        ),
    ),
    "fraction": (
        lambda: evaluate({"q1": {"a": 0.7}}, {"q1": {"a": 1.0}}, "mrr"),
        lambda: evaluate({"q1": {"a": 2.0}}, {"q1": {"a": 1.0}}, "mrr"),
    ),
    "bpref without non-relevant": (
        lambda: bpref(q1={"a": 1}),
        lambda: (bpref(q1={"a": 1, "x": 0}), bpref(q1={"z": 1}), bpref("map", q1={"a": 1})),
    ),
    "bpref without relevant": (
        lambda: bpref(q1=NO_RELEVANT, q2=QRELS["q1"]),
        lambda: (bpref(q1=QRELS["q1"], q2=NO_RELEVANT), bpref("map", q1=NO_RELEVANT, q2=QRELS["q1"])),
    ),
    "cutoff": (lambda: bpref("bpref@5", q1={"a": 1, "x": 0}), lambda: bpref("bpref", q1={"a": 1, "x": 0})),
    "unsorted array": (
        lambda: evaluate(np.array(UNSORTED), RANKED, "ndcg@2"),
        lambda: (evaluate(np.array(UNSORTED), RANKED, ["map", "dcg"]), evaluate(np.array(SORTED), RANKED, "ndcg@2")),
    ),
    "fisher": (
        lambda: compared(RUN, OTHER, stat_test="fisher"),
        lambda: (compared(RUN, stat_test="fisher"), compared(RUN, OTHER)),
    ),
    "tukey": (
        lambda: compared(RUN, OTHER, stat_test="tukey"),
        lambda: (compared(RUN, stat_test="tukey"), compared(RUN, OTHER)),
    ),
    "identical": (
        lambda: compared(RUN, RUN),
        lambda: (compared(RUN, OTHER), compared(RUN), compared(RUN, RUN, stat_test="fisher")),
    ),
    "same name": (
        lambda: compare(Qrels(QRELS), [Run(RUN, name="a"), Run(OTHER, name="a")], ["mrr"]),
        lambda: compared(RUN, OTHER),
    ),
    "min-max": (
        lambda: fuse([Run({"q1": {"a": 3.0}}), Run({"q1": {"b": 3.0, "c": 2.5}})], norm="min-max", method="sum"),
        lambda: (
            fuse([RUN, OTHER], norm="min-max"),
            fuse([{"q1": {"a": 3.0}}, {"q1": {"b": 2.0}}], norm=None, method="max"),
        ),
    ),
    "fused ties": (
        lambda: fuse([{"q1": {"a": 3.0, "b": 1.0}}, {"q1": {"x": 3.0, "y": 1.0}}], norm=None, method="rrf"),
        lambda: fuse([{"q1": {"a": 3.0, "b": 1.0}}, {"q1": {"a": 3.0, "b": 1.0}}], norm=None, method="rrf"),
    ),
    "weights": (
        lambda: optimize_fusion({"q": {"r": 1}}, WEIGHED, norm=None, method="wsum", metric="mrr", step=0.1),
        lambda: optimize_fusion({"q": {"x": 1}}, WEIGHED, norm=None, method="wsum", metric="mrr", step=0.1),
    ),
    "caption": (lambda: compared(RUN, OTHER).to_latex(), lambda: str(compared(RUN, OTHER))),
    "twice in a file": (read(LINES + "q1 Q0 a 3 1 t\n"), read(LINES)),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name, tmp_path):
    if name == "weights" and sum((0.7, 0.2, 0.1)) == 1.0:
        pytest.skip("sum() of Python 3.12 and newer rounds once, so ranx tries these weights too")
    case = CASES[name]
    if name == "twice in a file":
        case = tuple(lambda call=call: call(tmp_path) for call in case)
    check_case(DIFFERENCES, name, case, __file__)


def test_optimising_and_making_comparable_by_oneself_warn_too():
    one = [Run({"q1": {"a": 3.0}, "q2": {"b": 1.0}}), Run(OTHER)]
    with pytest.warns(UserWarning, match="norm is min-max"):
        optimize_fusion(QRELS, one, method="gmnz", metric="mrr", step=0.5)
    with pytest.warns(UserWarning, match="make_comparable"):
        Run({"q1": {"a": 3.0}}).make_comparable(Qrels(QRELS))
