"""compat.pytrec_eval: input that meets each difference, and input that does not."""

import pytest
from tests.compat._differences import check_case

from assay.compat import pytrec_eval

QREL = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
NEAR = {"q1": {"a": 1.00000001, "b": 1.0}}
"""As float32, both scores are 1, and then b comes first."""


def scored(measures, run, qrel=QREL, **settings):
    return pytrec_eval.RelevanceEvaluator(qrel, measures, **settings).evaluate(run)


CASES = {
    "float32": (
        lambda: scored({"recip_rank"}, NEAR),
        lambda: (
            scored({"recip_rank"}, NEAR, float32=True),
            scored({"recall_5"}, NEAR),  # the same in any order
            scored({"recip_rank"}, {"q1": {"b": 1.00000001, "a": 1.0}}),  # b is first in both
            scored({"recip_rank"}, {"q1": {"a": 1.0}, "q2": {"a": 1.00000001}}),
            scored({"recip_rank"}, {"q1": {"a": 1.0, "b": 1.0}}),
        ),
    ),
    "empty ranking": (
        lambda: scored({"num_rel"}, {"q1": {}, "q2": {"a": 1.0}}),
        lambda: (
            scored({"map", "num_ret"}, {"q1": {}, "q2": {"a": 1.0}}),
            scored({"num_rel", "gm_map"}, {"q1": {"x": 1.0}, "q2": {"a": 1.0}}),
            scored({"num_rel", "gm_map"}, {"q2": {"a": 1.0}, "unjudged": {}}),
            scored({"num_rel"}, {"q1": {}, "q2": {"a": 1.0}}, {"q1": {"a": 0}, "q2": {"a": 1}}),
        ),
    ),
    "nothing judged": (
        lambda: scored({"11pt_avg"}, {"q1": {"x": 1.0}}, judged_docs_only_flag=True),
        lambda: (
            scored({"11pt_avg"}, {"q1": {"x": 1.0}}),
            scored({"11pt_avg"}, {"q1": {"x": 1.0, "b": 0.5}}, judged_docs_only_flag=True),
            scored({"map"}, {"q1": {"x": 1.0}}, judged_docs_only_flag=True),
        ),
    ),
    "parameter": (lambda: scored({"map_10"}, NEAR), lambda: scored({"map_cut_10"}, {})),
    "rest of a name": (lambda: scored({"P_5x"}, {}), lambda: scored({"P_5"}, {})),
    "prefs": (lambda: scored({"prefs_simp"}, {}), lambda: scored(pytrec_eval.supported_measures, {})),
    "nan": (lambda: scored({"map"}, {"q1": {"a": float("nan")}}), lambda: scored({"map"}, {"q1": {"a": 1.0}})),
}


@pytest.mark.parametrize("name", pytrec_eval.DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name):
    check_case(pytrec_eval.DIFFERENCES, name, CASES[name], __file__)


def test_geometric_means_of_negative_grades_warn_too():
    with pytest.warns(pytrec_eval.DifferenceWarning, match="negative grades"):
        found = scored({"gm_map"}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, {"q1": {"a": -1}, "q2": {"a": 1}})
    assert found["q1"]["gm_map"] == pytest.approx(-11.512925464970229)
