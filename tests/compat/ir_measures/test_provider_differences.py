"""compat.ir_measures: input that meets each difference, and input that does not."""

import pytest
from tests.compat._differences import warnings_of

from assay.compat.ir_measures import DIFFERENCES, provider

ir_measures = pytest.importorskip("ir_measures")
from ir_measures import AP, ERR, ERR_IA, RR, NumQ, NumRet, P, Qrel, ScoredDoc, StRecall, nDCG  # noqa: E402

QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
TIED = {"q": {"a": 1.0, "b": 1.0}}
TOPICS = [Qrel("q", "a", 1, "1"), Qrel("q", "b", 1, "2")]
GAINS = nDCG(gains={1: 5}) @ 5


def scored(measures, qrels=QRELS, run=RUN):
    return provider().calc_aggregate(measures, qrels, run)


CASES = {
    "ties": (
        lambda: scored([RR @ 10], run=TIED),
        lambda: (
            scored([RR], run=TIED),  # trec_eval's rule in both
            scored([P @ 2, RR], run=TIED),
            scored([RR @ 10], {"q": {"b": 1, "a": 1}}, TIED),  # the same in any order
            scored([RR @ 10]),
        ),
    ),
    "scale of ERR": (
        lambda: scored([ERR @ 5]),
        lambda: (scored([ERR @ 5], {"q": {"a": 4}}), scored([AP])),
    ),
    "query without results": (
        lambda: scored([NumQ], {**QRELS, "r": {"a": 1}}),
        lambda: (scored([NumQ]), scored([NumRet, AP], {**QRELS, "r": {"a": 1}})),
    ),
    "gains": (
        lambda: scored([nDCG @ 5, GAINS]),
        lambda: (scored([nDCG @ 10, GAINS]), scored([nDCG @ 5, nDCG @ 10]), scored([GAINS])),
    ),
    "cutoff 1": (
        lambda: scored([ERR_IA @ 1], TOPICS),
        lambda: scored([ERR_IA @ 5, StRecall @ 1], TOPICS),
    ),
    "twice": (
        lambda: scored([AP], run=[ScoredDoc("q", "a", 1.0), ScoredDoc("q", "a", 0.5)]),
        lambda: scored([AP], run=[ScoredDoc("q", "a", 1.0), ScoredDoc("q", "b", 0.5)]),
    ),
    "no subtopics": (lambda: scored([StRecall @ 5]), lambda: scored([StRecall @ 5], TOPICS)),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name):
    """The blamed line is in ir_measures, which calls the provider, so it is not checked."""
    meets, avoids = CASES[name]
    if errors := DIFFERENCES[name].errors:
        with pytest.raises(errors):
            meets()
    else:
        assert DIFFERENCES.text(name) in warnings_of(meets)
    assert DIFFERENCES.text(name) not in warnings_of(avoids)


def test_scores_that_only_float64_tells_apart_warn_too():
    """trec_eval compares float32, so b comes first there."""
    with pytest.warns(UserWarning, match="7th digit"):
        found = scored([RR], run={"q": {"a": 1.00000001, "b": 1.0}})
    assert found == {RR: 1.0}
    assert ir_measures.calc_aggregate([RR], QRELS, {"q": {"a": 1.00000001, "b": 1.0}}) == {RR: 0.5}
