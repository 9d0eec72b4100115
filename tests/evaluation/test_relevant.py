"""The relevant documents of each query, with a result and in its file."""

import assay
from assay.evaluation.result import retrieved_nonrelevant
from assay.evaluation.result_parts import RelevantDocuments
from assay.evaluation.saved import result_from_dict

QRELS = {"q": {"d1": 2, "d2": 1, "d3": 3, "d4": 0}, "r": {"d1": 1}}
RUN = {"q": {"d1": 2.0, "x": 1.0}, "r": {"d1": 1.0}}


def scored(**policy):
    return assay.evaluate(QRELS, RUN, "map", policy=assay.Policy(**policy))


def test_relevant_documents_come_best_first():
    assert list(scored().relevant["q"].items()) == [("d3", 3.0), ("d1", 2.0), ("d2", 1.0)]
    assert dict(scored(rel=2).relevant["q"]) == {"d3": 3.0, "d1": 2.0}
    assert "s" not in scored().relevant
    assert list(scored().relevant) == ["q", "r"]
    assert len(scored().relevant) == 2
    assert scored().relevant == RelevantDocuments(scored().grader.qrels, None)


def test_they_are_kept_where_rankings_are():
    plain = scored(rel=2).with_fields(run=RUN).to_dict()
    assert plain["relevant"] == {"q": {"d3": 3.0, "d1": 2.0}, "r": {}}
    read = result_from_dict(plain)
    assert read.relevant == plain["relevant"]
    assert read.to_dict()["relevant"] == plain["relevant"]
    assert "relevant" not in scored().to_dict()


def test_what_was_judged_and_is_not_relevant_is_kept_where_it_was_retrieved():
    """d4 was judged 0, x by nobody; with level 2 the grade 1 does not count either."""
    found = {"q": {"d1": 3.0, "d4": 2.0, "d2": 1.5, "x": 1.0}, "r": {"d1": 1.0}}
    result = scored(rel=2).with_fields(run=found)
    assert dict(result.nonrelevant["q"]) == {"d2": 1.0, "d4": 0.0}
    assert dict(result.nonrelevant["r"]) == {"d1": 1.0}
    assert retrieved_nonrelevant(result) == {"q": {"d2": 1.0, "d4": 0.0}, "r": {"d1": 1.0}}
    assert retrieved_nonrelevant(result.with_fields(run=RUN)) == {"r": {"d1": 1.0}}
    assert result_from_dict(result.to_dict()).nonrelevant == retrieved_nonrelevant(result)
    assert "nonrelevant" not in scored().with_fields(run=RUN).to_dict()
    assert retrieved_nonrelevant(result.with_fields(relevance={"strategy_used": "span"})) == {}
