"""why: which queries and conventions are to blame, and what has no figure."""

import math

import pytest

import assay
from assay import find_profile
from assay.evaluation import PROFILES
from assay.reports import why

from ._explained import TIED, TWO_QUERIES, explained, values

# Which queries are to blame


def test_the_queries_responsible_are_those_whose_scores_differ():
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    run = {
        "1": {"b": 2.0, "a": 1.0},
        "2": {"a": 5.0, "b": 5.0, "c": 5.0},
        "3": {"a": 5.0, "b": 5.0},
    }
    found = explained(qrels, run, "mrr", "0.8333")
    ascending = next(figure for figure in found.matches if not figure.tool)
    assert ascending.conventions[0].policy == {"ties": "docid_asc"}
    moved = found.moved(ascending)
    assert [(one.query, one.ours, one.theirs, one.n_equal) for one in moved] == [
        ("2", pytest.approx(1 / 3), 1.0, 3),
        ("3", 0.5, 1.0, 2),
    ]


def test_queries_that_are_not_counted_are_named():
    found = explained(*TWO_QUERIES, "mrr", "1.0")
    skipping = next(figure for figure in found.matches if not figure.tool)
    assert [(one.query, one.ours, one.theirs) for one in found.moved(skipping)] == [("2", 0.0, None)]
    back = explained(*TWO_QUERIES, "mrr", policy=assay.Policy(missing="skip"))
    (counting,) = [figure for figure in back.singles if figure.setting.policy.missing == "zero"]
    assert [(one.query, one.ours, one.theirs) for one in back.moved(counting)] == [("2", None, 0.0)]


def test_nothing_moves_in_our_own_figure():
    found = explained(*TWO_QUERIES, "mrr")
    assert found.moved(found.ours) == []


def test_the_causes_of_a_tool_are_those_of_its_conventions_that_matter_here():
    found = explained(*TIED, "mrr@10")
    by_tool = {figure.tool: figure for figure in found.tools}
    assert [one.policy for one in by_tool["beir"].causes] == [{"ties": "input_order"}]
    assert len(by_tool["beir"].conventions) > 1
    assert by_tool["mteb"].causes == ()


def test_rounding_alone_is_a_reason():
    """gdeval, which ir_measures asks for exponential gains, gives five decimals."""
    found = explained({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, "ndcg(gain=exp)@3", "0.63093")
    (figure,) = [one for one in found.tools if one.tool == "ir_measures"]
    assert figure.value == 0.63093 != found.ours.value
    assert figure.words == "scores rounded to 5 decimals"


# What has no figure


def test_where_a_tool_fails_the_fault_is_told_and_nothing_is_raised():
    found = explained({"1": {"a": 0.5}, "2": {"b": 1}}, {"1": {"a": 5.0, "b": 5.0}}, "mrr")  # none of three has a cutoff
    faults = {figure.label: figure.fault for figure in found.tools if figure.fault}
    for tool in ("trec_eval-9", "pytrec_eval", "ir_measures"):
        assert "grades as whole numbers" in faults[tool]
        assert faults[tool].endswith("query 1")
    assert faults["ranx"] == faults["trec_eval-10"] == "1 judged query is missing from the run: 2"
    assert faults["sentence-transformers"] == "has no mrr"
    assert all(math.isnan(figure.value) and not figure.scores for figure in found.tools if figure.fault)


def test_what_is_undefined_is_no_failure():
    found = explained({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 0.5}}, "bpref")
    (figure,) = [one for one in found.tools if one.tool == "ranx"]
    assert figure.is_undefined
    assert "gives nan" in figure.fault
    assert figure.ends is None


def test_a_tool_without_the_metric_is_no_failure():
    found = explained({"1": {"a": 1}}, {"1": {"a": 1.0}}, "rbp(p=0.8)")
    by_tool = {figure.tool: figure for figure in found.tools}
    assert by_tool["pytrec_eval"].is_lacking
    assert by_tool["pytrec_eval"].fault == "has no rbp"
    assert not by_tool["ranx"].is_lacking
    matches = explained({"1": {"a": 1}}, {"1": {"a": 1.0}}, "rbp(p=0.8)", "0.2").matches
    assert {figure.tool for figure in matches} >= {"", "ranx"}
    assert "pytrec_eval" not in {figure.tool for figure in matches}


def test_a_switch_of_the_tool_is_shown_where_it_changes_something():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}
    labels = values(explained(qrels, run, "mrr").tools)
    assert labels["trec_eval-9"] == 1.0
    assert labels["trec_eval-9 -c"] == labels["trec_eval-10 -c"] == labels["ranx make_comparable=True"] == 0.5
    assert not any("-c" in figure.label for figure in explained(*TIED, "mrr").tools)


@pytest.mark.parametrize("metric", ["relstring", "runid"])
def test_text_has_nothing_to_explain(metric):
    with pytest.raises(assay.BadParameter, match=r"is text, which has no figure to explain"):
        why(*TIED, ["map", metric])


def test_our_own_refusal_is_an_error():
    with pytest.raises(assay.DataError, match="1 judged query is missing from the run: 2"):
        why(*TWO_QUERIES, "map", policy=assay.Policy(missing="error"))
    with pytest.raises(assay.DataError, match="grades as whole numbers"):
        why({"1": {"a": 0.5}}, {"1": {"a": 1.0}}, "map", profile="pytrec_eval")


def test_policy_and_profile_together_are_refused():
    with pytest.raises(assay.BadParameter, match="policy and profile both say how to score"):
        why(*TIED, "map", policy=assay.Policy(), profile="beir")


@pytest.mark.parametrize("metrics", [["map", "mrr"], "recall@5,10", ["recall@5,10"]])
def test_a_number_is_that_of_one_metric(metrics):
    with pytest.raises(
        assay.BadParameter, match=r"the number of one metric; give one, not 2 \((map mrr|recall@5 recall@10)\)"
    ):
        why(*TIED, metrics, "0.3")


def test_what_is_set_by_hand_holds_for_every_tool():
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    found = explained(qrels, run, "mrr@10", policy=assay.Policy(rel=2))
    assert set(values(found.tools).values()) == {0.5}
    adjusted = explained(qrels, run, "mrr@10", profile=find_profile("beir").adjusted(rel=2))
    assert adjusted.start == "beir"
    assert set(values(adjusted.tools).values()) == {0.5}
    assert [figure.tool for figure in adjusted.tools if figure.tool in ("assay", "beir")] == ["assay"]


def test_ids_that_never_match_are_told():
    (note,) = explained({"1": {"a": 1}}, {"1": {"x": 1.0}}, "mrr").notes
    assert note == assay.evaluate({"1": {"a": 1}}, {"1": {"x": 1.0}}, "mrr").notes[0]
    assert explained(*TIED, "mrr").notes == ()


def test_what_a_tool_cannot_set_it_does_not_have():
    graded = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    lacking = {figure.tool: figure.fault for figure in explained(*graded, "ndcg(gain=exp)@10").tools if figure.is_lacking}
    assert lacking.keys() == set(PROFILES) - {"ranx", "ir_measures"}
    assert set(lacking.values()) == {"has no ndcg(gain=exp)@10"}


def test_several_metrics_are_explained_in_turn():
    assert [found.metric.name for found in why(*TIED, ["map", "ndcg@10", "MRR"])] == ["map", "ndcg@10", "mrr"]


def test_missing_queries_are_no_empty_rankings_to_a_tool():
    """ir_measures divides by zero on an empty ranking, but a query that the run lacks has none."""
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}
    (figure,) = [one for one in explained(qrels, run, "judged@10").tools if one.tool == "ir_measures"]
    assert figure.value == assay.evaluate(qrels, run, "judged@10", profile="ir_measures")["judged@10"]


def test_duplicates_are_read_alike_for_everybody():
    run = [("1", "a", 1.0), ("1", "b", 2.0), ("1", "a", 3.0)]
    rows = [{"query": query, "doc": doc, "score": score} for query, doc, score in run]
    found = explained({"1": {"a": 1}}, rows, "mrr", policy=assay.Policy(duplicates="keep_best"))
    assert set(values(found.tools).values()) == {1.0}
    assert not any("duplicates" in one.policy for figure in found.tools for one in figure.conventions)
