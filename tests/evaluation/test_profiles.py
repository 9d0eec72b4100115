"""Profiles against what the tools really answered: every figure of model/trap_cases.json, or an error in its place."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import assay
from assay.evaluation.profiles import PROFILES, find_profile

CASES = {case["name"]: case for case in json.loads((Path(__file__).parents[1] / "model" / "trap_cases.json").read_text())}
TOOLS = {
    "trec_eval_9.0.8": "trec_eval-9",
    "trec_eval_10.0": "trec_eval-10",
    "pytrec_eval_terrier_0.5.11": "pytrec_eval",
    "ranx_0.3.21": "ranx",
    "ir_measures_0.4.3": "ir_measures",
    **dict.fromkeys(("beir", "beir_mrr", "beir_ndcg", "beir_recall_cap"), "beir"),
    **dict.fromkeys(("mteb", "mteb_mrr"), "mteb"),
}
"""Key of a result → the profile that must give it."""
NO_TOOL = {
    "ranx_plain_dict": "ranx pairs the queries of plain dicts by position and lets their ties fall the other way",
    "textbook_F2": "the formula of the textbook, for comparison",
}
ONE_FIGURE = {
    ("all_tied_rel_d1", "ranx_0.3.21"): "mrr",
    ("all_tied_rel_d4", "ranx_0.3.21"): "mrr",
    ("float32_tie", "ranx_0.3.21"): "mrr",
    ("query_sets_c", "ranx_0.3.21"): "map",
    ("bpref_no_judged_nonrel", "ranx_0.3.21"): "bpref",
    ("rbp_graded", "ranx_0.3.21"): "rbp.5",
    ("nan_score_first", "ranx_0.3.21"): "mrr",
    ("ranx_plain_dict_order", "ranx_0.3.21"): "map",
}
"""The metric of results that are a bare number."""
RESPELT = {("ranx", "precision"): "set_precision"}
"""Names that mean something else to us."""
NO_FIGURE = {
    ("query_sets_no_c", "trec_eval_10.0"): (
        ["map"],
        r"trec_eval-10: 1 judged query is missing from the run: 2.*--missing zero",
    ),
    ("query_sets_no_c", "ranx_0.3.21"): (["map"], r"ranx: 1 judged query is missing from the run: 2.*--missing zero"),
    ("query_sets_no_c", "beir_mrr"): (["mrr@1"], r"beir: 1 query of the run without judgments: 9"),
    ("query_sets_no_c", "mteb"): (["ndcg@1"], r"mteb: 1 query of the run without judgments: 9.*--extra skip"),
    ("bpref_no_judged_nonrel", "ranx_0.3.21"): (
        ["bpref"],
        r"ranx 0\.3\.21 gives nan for bpref where no document.*: query 1",
    ),
    ("err_grade5", "ir_measures_0.4.3"): (["ERR@10"], r"ir_measures 0\.4\.3 fails on a grade above 4 \(gdeval\): query 1"),
    ("err_string_qid", "ir_measures_0.4.3"): (["ERR@10"], r"ir_measures 0\.4\.3 fails on query ids.*\(gdeval\): query q1"),
    ("empty_run_for_query", "pytrec_eval_terrier_0.5.11"): (
        ["iprec_at_recall_0.00", "11pt_avg"],
        r"pytrec_eval-terrier 0\.5\.11 gives nan for a query with an empty ranking: query 1",
    ),
    ("empty_run_for_query", "ranx_0.3.21"): (["bpref"], r"ranx 0\.3\.21 gives nan for bpref where no document.*: query 2"),
    ("empty_run_for_query", "ir_measures_0.4.3"): (
        ["Judged@10"],
        r"ir_measures 0\.4\.3 divides by zero on .*empty.*: query 1",
    ),
    ("all_judged_nonrelevant", "beir_recall_cap"): (["R_cap@5"], r"beir: 1 query without a relevant document: 1"),
    **{
        ("nan_score_first", key): (names.split(), "query 1: the score of document a is nan; only a number can be ranked")
        for key, names in (
            *(("trec_eval_9.0.8", "recip_rank"), ("trec_eval_10.0", "recip_rank"), ("ranx_0.3.21", "mrr")),
            *(("pytrec_eval_terrier_0.5.11", "recip_rank"), ("ir_measures_0.4.3", "RR RR@10"), ("beir_mrr", "MRR@10")),
        )
    },
}
"""Where the tool crashed, stopped or gave no number (nan scores: a place by chance): metrics that show it, our message."""


class Figure(NamedTuple):
    """One number that a tool gave; `query` is empty for a summary."""

    query: str
    metric: str
    value: Any


def figures(case, key):
    """Every number of a result, and nothing else of it."""
    found = CASES[case]["results"][key]
    if isinstance(found, list):
        return [Figure("", name, value) for part in found for name, value in part.items()]
    if not isinstance(found, dict):
        return [Figure("", ONE_FIGURE[case, key], found)]
    if "exception" in found or "exit" in found:
        return []
    if key.startswith("pytrec_eval"):
        return [Figure(query, name, value) for query, values in found.items() for name, value in values.items()]
    return [Figure("", name, value[0] if isinstance(value, list) else value) for name, value in found.items()]


def is_a_number(figure):
    return figure.value != "nan"


def data(case, without=()):
    """Judgments and run, but for some queries."""
    qrels, run = (
        {query: docs for query, docs in CASES[case][side].items() if query not in without} for side in ("qrels", "run")
    )
    return qrels, {query: {doc: float(score) for doc, score in docs.items()} for query, docs in run.items()}


def queries_without(case, key, metric):
    """Queries for which the tool gave no number; the others are scored without them."""
    return {figure.query for figure in figures(case, key) if figure.metric == metric and not is_a_number(figure)}


def profile_of(case, key):
    """The profile, with the flags the tool was called with."""
    profile = find_profile(TOOLS[key])
    flags: dict[str, Any] = {}
    if case == "query_sets_c":
        flags = {"missing": "zero"} | ({"extra": "skip"} if profile.name == "ranx" else {})
    if case == "negative_grades_J":
        flags = {"judged_only": True}
    if case == "rel_level_2" and profile.name in ("trec_eval-9", "trec_eval-10", "pytrec_eval"):
        flags = {"rel": 2}
    return profile.adjusted(**flags)


def spelt(key, name):
    return RESPELT.get((TOOLS[key], name), name)


def assert_figure(key, ours, figure):
    """Equal as far as the tool prints it."""
    if isinstance(figure.value, str):
        digits = len(figure.value.partition(".")[2])
        assert f"{ours:.{digits}f}" == figure.value, figure
    elif TOOLS[key] in ("beir", "mteb"):
        assert round(ours, 5) == figure.value, figure
    else:
        assert ours == pytest.approx(figure.value, rel=1e-12, abs=1e-12), figure


RESULTS = [(case, key) for case in CASES for key in CASES[case]["results"]]
OF_TOOLS = [(case, key) for case, key in RESULTS if key in TOOLS]
each_result = pytest.mark.parametrize(("case", "key"), [pytest.param(*pair, id="-".join(pair)) for pair in OF_TOOLS])


@each_result
def test_every_figure_of_every_tool(case, key):
    wanted = [] if case == "nan_score_first" else [figure for figure in figures(case, key) if is_a_number(figure)]
    for figure in wanted:
        name = spelt(key, figure.metric)
        usable = data(case, without=queries_without(case, key, figure.metric))
        result = assay.evaluate(*usable, [name], profile=profile_of(case, key))
        assert_figure(key, result.scores(name)[figure.query] if figure.query else result[name], figure)
    assert wanted or (case, key) in NO_FIGURE


@each_result
def test_all_figures_of_a_tool_in_one_call(case, key):
    if case == "nan_score_first":
        return
    wanted = [figure for figure in figures(case, key) if is_a_number(figure)]
    refused = [spelt(key, name) for name in NO_FIGURE.get((case, key), ([], ""))[0]]
    names = [name for name in dict.fromkeys(spelt(key, figure.metric) for figure in wanted) if name not in refused]
    if not names:
        return
    result = assay.evaluate(*data(case), names, profile=profile_of(case, key))
    for figure in wanted:
        if (name := spelt(key, figure.metric)) in names:
            assert_figure(key, result.scores(name)[figure.query] if figure.query else result[name], figure)
    if key.startswith("pytrec_eval"):
        assert set(result.query_ids) == set(CASES[case]["results"][key])


@pytest.mark.parametrize(("case", "key"), [pytest.param(*pair, id="-".join(pair)) for pair in NO_FIGURE])
def test_where_a_tool_gives_no_figure_the_profile_says_what_the_tool_does(case, key):
    names, message = NO_FIGURE[case, key]
    for name in names:
        with pytest.raises(assay.DataError) as caught:
            assay.evaluate(*data(case), [name], profile=profile_of(case, key))
        assert re.search(message, str(caught.value)), str(caught.value)


def test_no_result_of_the_file_is_left_out():
    assert len(CASES) == 21
    assert {key for _, key in RESULTS} == TOOLS.keys() | NO_TOOL.keys()
    assert set(TOOLS.values()) == set(PROFILES) - {"sentence-transformers"}
    assert set(ONE_FIGURE) == {(case, key) for case, key in OF_TOOLS if _is_bare(case, key)}
    without_figure = {
        (case, key)
        for case, key in OF_TOOLS
        if case == "nan_score_first" or not figures(case, key) or not all(map(is_a_number, figures(case, key)))
    }
    assert set(NO_FIGURE) == without_figure


def _is_bare(case, key):
    return not isinstance(CASES[case]["results"][key], list | dict)


def test_what_belongs_to_no_tool():
    plain = {
        case: results["results"]["ranx_plain_dict"]
        for case, results in CASES.items()
        if "ranx_plain_dict" in results["results"]
    }
    for case, wrong in plain.items():
        assert CASES[case]["results"]["ranx_0.3.21"] != wrong
    (textbook,) = (results["results"]["textbook_F2"] for results in CASES.values() if "textbook_F2" in results["results"])
    assert assay.evaluate(*data("setF_beta2"), "f(beta=2)@2")["f(beta=2)@2"] == pytest.approx(textbook, rel=1e-12)


# ---- what a result says about the profile it was scored under


QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 1}}
RUN = {"1": {"b": 1.0, "a": 1.0, "x": 0.5}}


def test_a_result_knows_its_profile_and_what_is_done_otherwise():
    result = assay.evaluate(QRELS, RUN, ["mrr", "mrr@10", "P@5"], profile="ir_measures")
    assert (result.profile, result.policy.precision) == ("ir_measures", "float32")
    assert result.scores("mrr") == {"1": 0.5, "2": 0.0}
    assert result.scores("mrr@10") == {"1": 1.0, "2": 0.0}
    assert result.notes == ("mrr@10: equal scores by ascending id; scores compared in double precision.",)
    plain = result.to_dict()
    assert plain["profile"] == "ir_measures"
    assert plain["policies"] == {"mrr": {}, "mrr@10": {"ties": "docid_asc", "precision": "float64"}, "precision@5": {}}
    assert {name: (one.ties, one.precision) for name, one in result.policies.items()} == {
        "mrr": ("docid_desc", "float32"),
        "mrr@10": ("docid_asc", "float64"),
        "precision@5": ("docid_desc", "float32"),
    }


def test_metrics_that_share_a_policy_make_it_that_of_the_result():
    result = assay.evaluate(QRELS, RUN, ["mrr@10", "mrr@5"], profile="ir_measures")
    assert (result.policy.ties, result.policy.precision) == ("docid_asc", "float64")
    assert result.to_dict()["policies"] == {"mrr@10": {}, "mrr@5": {}}


def test_without_a_profile_nothing_is_said_about_one():
    result = assay.evaluate(QRELS, RUN, ["mrr@10"])
    assert result.profile == ""
    assert result.notes == ()
    assert not {"profile", "policies"} & result.to_dict().keys()


def test_a_metric_the_tool_does_not_have_is_scored_and_noted():
    result = assay.evaluate(QRELS, RUN, ["mrr", "err@10"], profile="pytrec_eval")
    assert result["err@10"] == assay.evaluate(QRELS, RUN, "err@10", policy=assay.Policy(missing="skip"))["err@10"]
    assert [note for note in result.notes if "err@10" in note] == [
        "pytrec_eval-terrier 0.5.11 has no err@10: scored as by default, under its conventions."
    ]


def test_a_query_that_counts_for_some_metrics_only_has_no_score_in_the_others():
    result = assay.evaluate(QRELS, RUN, ["map", "mrr"], profile="beir")
    assert result.query_ids == ("1", "2")
    assert result.scores("map") == pytest.approx({"1": 0.5, "2": float("nan")}, nan_ok=True)
    assert result.scores("mrr") == {"1": 0.5, "2": 0.0}
    assert (result["map"], result["mrr"]) == (0.5, 0.25)
    assert result.to_dict()["per_query"]["2"] == {"map": None, "mrr": 0.0}


def test_parameters_that_were_spelled_out_are_left_alone():
    result = assay.evaluate(QRELS, RUN, ["ERR(max_rel=1)@10", "rbp"], profile="ir_measures")
    assert list(result) == ["err(max_grade=1)@10", "rbp(p=0.8)"]
    ten = assay.evaluate(QRELS, RUN, ["rbp", "rbp(p=0.5)"], profile=find_profile("trec_eval-10").adjusted(missing="zero"))
    assert list(ten) == ["rbp(p=0.9, gain=query)", "rbp(p=0.5, gain=query)"]
    assert (ten["rbp"], ten["rbp(p=0.5)"]) == pytest.approx((0.1 * 0.9 / 2, 0.5 * 0.5 / 2))


def test_flags_win_over_the_top_grade_of_a_tool():
    """gdeval's scale ends at 4, unless the scale is set by hand."""
    one, four = 1 / 2, 1 / 16
    profile = find_profile("ir_measures")
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    result = assay.evaluate(qrels, run, ["err@10", "map"], profile=profile)
    assert (result["err@10"], result.policies["err@10"].max_grade) == (four, 4)
    assert result.to_dict()["policies"] == {"err@10": {"precision": "float64", "max_grade": 4.0}, "map": {}}
    assert assay.evaluate(qrels, run, "err@10", profile=profile.adjusted(max_grade=1))["err@10"] == one
    assert assay.evaluate(qrels, run, "err(max_grade=1)@10", profile=profile)["err(max_grade=1)@10"] == one


def test_accuracy_is_refused_where_ir_measures_divides_by_zero():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1}}
    fine, all_relevant = {"1": {"a": 2.0, "b": 1.0}}, {"2": {"a": 2.0, "b": 1.0}}
    assert assay.evaluate(qrels, fine, "accuracy", profile="ir_measures").scores("accuracy") == {"1": 1.0, "2": 0.0}
    with pytest.raises(assay.DataError, match=r"ir_measures 0\.4\.3 divides by zero where everything .* relevant: query 2"):
        assay.evaluate(qrels, fine | all_relevant, "accuracy", profile="ir_measures")
    assert assay.evaluate(qrels, fine | all_relevant, "map", profile="ir_measures")["map"] == 1


def test_ranx_loses_the_thread_over_a_query_without_relevant_documents():
    """Its bpref divides by R = 0 there, which ends the thread: queries that were its to score next stay at 0."""
    qrels, run = {"1": {"a": 1, "b": 0}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}
    with pytest.raises(assay.DataError, match=r"ranx 0\.3\.21 drops out of a thread .* bpref at 0 .*: query 2"):
        assay.evaluate(qrels, run, "bpref", profile="ranx")
    assert assay.evaluate(qrels, run, "map", profile="ranx")["map"] == 0.5


def test_the_level_of_a_metric_decides_what_is_refused():
    """At level 2 document b is judged non-relevant, so ranx has an answer; at level 1 it has none."""
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"a": 1.0}}
    assert assay.evaluate(qrels, run, "bpref-l2", profile="ranx")["bpref-l2"] == 1
    for name, grade in (("bpref", 1), ("bpref-l2", 2)):
        with pytest.raises(assay.DataError, match="gives nan for bpref"):
            assay.evaluate({"1": {"a": 2, "b": grade}}, run, name, profile="ranx")


def test_a_query_the_run_lacks_is_no_empty_ranking():
    """ir_measures divides by zero on an empty ranking, and scores a query that it never sees 0."""
    assert assay.evaluate(QRELS, RUN, "Judged@10", profile="ir_measures").scores("Judged@10") == {"1": 2 / 3, "2": 0.0}
    with pytest.raises(assay.DataError, match=r"divides by zero .*: query 2"):
        assay.evaluate(QRELS, RUN | {"2": {}}, "Judged@10", profile="ir_measures")


def test_two_names_that_come_down_to_one_metric():
    result = assay.evaluate(QRELS, RUN, ["recall@1", "accuracy"], profile="mteb")
    assert list(result) == ["recall@1"]
    assert result["accuracy"] == result["recall@1"] == 0


def test_a_policy_and_a_profile_exclude_each_other():
    with pytest.raises(assay.BadParameter, match=r"policy and profile both say how to score.*adjusted"):
        assay.evaluate(QRELS, RUN, policy=assay.Policy(), profile="beir")


def test_an_unknown_profile_fails_before_any_data_is_read():
    with pytest.raises(assay.UnknownName, match=r"no profile is called 'bier'\. Did you mean beir\?"):
        assay.evaluate(None, None, profile="bier")


def test_the_flag_that_goes_on_is_named_where_the_profile_is_strict():
    tied = {"1": {"a": 1.0, "b": 1.0}}
    with pytest.raises(assay.DataError, match=r"sentence-transformers: documents with equal scores.*--ties docid_desc"):
        assay.evaluate(QRELS, tied, "mrr@10", profile="sentence-transformers")
    adjusted = find_profile("sentence-transformers").adjusted(ties="docid_desc", missing="zero")
    assert assay.evaluate(QRELS, tied, "mrr@10", profile=adjusted).scores("mrr@10") == {"1": 0.5, "2": 0.0}


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("ERR_IA@1", "forgets to divide by the number of subtopics at rank 1"),
        ("alpha_DCG@1", "forgets to divide"),
        ("alpha_nDCG@21", "beyond rank 20"),
        ("nNRBP", "nan for a query without a relevant document"),
    ],
)
def test_what_ir_measures_makes_of_subtopics(metric, says):
    rows = [("1", "a", 1, "x"), ("1", "b", 1, "y"), ("2", "a", 0, "x")]
    run = {"1": ["a"], "2": ["a"]}
    assert assay.evaluate(rows, run, metric)
    with pytest.raises(assay.DataError, match=says):
        assay.evaluate(rows, run, metric, profile="ir_measures")


def test_ir_measures_ranks_equals_by_ascending_id_for_subtopics():
    rows = [("1", "a", 1, "x"), ("1", "a", 1, "y"), ("1", "b", 1, "z")]
    run = {"1": {"a": 1.0, "b": 1.0}}
    assert assay.evaluate(rows, run, "StRecall@1")["StRecall@1"] == pytest.approx(1 / 3)
    assert assay.evaluate(rows, run, "StRecall@1", profile="ir_measures")["StRecall@1"] == pytest.approx(2 / 3)
