"""Profiles against what the tools really answered: every figure of model/trap_cases.json, or an error in its place."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import assay
from assay import DataError, find_profile
from assay.evaluation import PROFILES, Setting, evaluate_settings, spelled
from assay.metrics import all_metrics, parse_metric

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
    ("query_sets_no_c", "trec_eval_10.0"): "map",
    ("query_sets_no_c", "ranx_0.3.21"): "map",
    ("query_sets_no_c", "beir_mrr"): "mrr@1",
    ("query_sets_no_c", "mteb"): "ndcg@1",
    ("bpref_no_judged_nonrel", "ranx_0.3.21"): "bpref",
    ("err_grade5", "ir_measures_0.4.3"): "ERR@10",
    ("err_string_qid", "ir_measures_0.4.3"): "ERR@10",
    ("empty_run_for_query", "pytrec_eval_terrier_0.5.11"): "iprec_at_recall_0.00 11pt_avg",
    ("empty_run_for_query", "ranx_0.3.21"): "bpref",
    ("empty_run_for_query", "ir_measures_0.4.3"): "Judged@10",
    ("all_judged_nonrelevant", "beir_recall_cap"): "R_cap@5",
    ("nan_score_first", "trec_eval_9.0.8"): "recip_rank",
    ("nan_score_first", "trec_eval_10.0"): "recip_rank",
    ("nan_score_first", "ranx_0.3.21"): "mrr",
    ("nan_score_first", "pytrec_eval_terrier_0.5.11"): "recip_rank",
    ("nan_score_first", "ir_measures_0.4.3"): "RR RR@10",
    ("nan_score_first", "beir_mrr"): "MRR@10",
}
"""Where the tool crashed, stopped or gave no number (nan scores: a place by chance): metrics that show it."""


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


def assert_figure(case, key, ours, figure):
    """Equal as far as the tool prints it."""
    if isinstance(figure.value, str):
        digits = len(figure.value.partition(".")[2])
        assert f"{ours:.{digits}f}" == figure.value, (case, key, figure)
    elif TOOLS[key] in ("beir", "mteb"):
        assert round(ours, 5) == figure.value, (case, key, figure)
    else:
        assert ours == pytest.approx(figure.value, rel=1e-12, abs=1e-12), (case, key, figure)


RESULTS = [(case, key) for case in CASES for key in CASES[case]["results"]]
OF_TOOLS = [(case, key) for case, key in RESULTS if key in TOOLS]


def test_every_figure_of_every_tool():
    for case, key in OF_TOOLS:
        wanted = [] if case == "nan_score_first" else [figure for figure in figures(case, key) if is_a_number(figure)]
        for figure in wanted:
            name = spelt(key, figure.metric)
            usable = data(case, without=queries_without(case, key, figure.metric))
            result = assay.evaluate(*usable, [name], profile=profile_of(case, key))
            assert_figure(case, key, result.scores(name)[figure.query] if figure.query else result[name], figure)
        assert wanted or (case, key) in NO_FIGURE, (case, key)


def test_where_a_tool_gives_no_figure_the_profile_says_what_the_tool_does(snapshots):
    def evaluating(case, key, name):
        return lambda: assay.evaluate(*data(case), [name], profile=profile_of(case, key))

    told = {
        f"{case}, {TOOLS[key]}: {name}": evaluating(case, key, name)
        for (case, key), names in NO_FIGURE.items()
        for name in names.split()
    }
    snapshots.check_errors("evaluate/profiles_without_figures", told)


def test_no_result_of_the_file_is_left_out():
    assert len(CASES) == 21
    assert {key for _, key in RESULTS} == TOOLS.keys() | NO_TOOL.keys()
    assert set(TOOLS.values()) == set(PROFILES) - {"sentence-transformers", "lightgbm", "xgboost", "scikit-learn"}
    assert set(ONE_FIGURE) == {(case, key) for case, key in OF_TOOLS if _is_bare(case, key)}
    without_figure = {
        (case, key)
        for case, key in OF_TOOLS
        if case == "nan_score_first" or not figures(case, key) or not all(map(is_a_number, figures(case, key)))
    }
    assert set(NO_FIGURE) == without_figure


def _is_bare(case, key):
    return not isinstance(CASES[case]["results"][key], list | dict)


QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 1}}
RUN = {"1": {"b": 1.0, "a": 1.0, "x": 0.5}}


def test_a_result_knows_its_profile_and_what_is_done_otherwise():
    result = assay.evaluate(QRELS, RUN, ["mrr", "mrr@10", "P@5"], profile="ir_measures")
    assert (result.profile, result.policy.precision) == ("ir_measures", "float32")
    assert result.scores("mrr") == {"1": 0.5, "2": 0.0}
    assert result.scores("mrr@10") == {"1": 1.0, "2": 0.0}
    assert result.notes == ("mrr@10: ties are ordered by ascending document id; scores are compared in double precision.",)
    plain = result.to_dict()
    assert plain["profile"] == "ir_measures"
    assert plain["policies"] == {"mrr": {}, "mrr@10": {"ties": "docid_asc", "precision": "float64"}, "precision@5": {}}
    found = [(one.ties, one.precision) for one in result.policies.values()]
    assert found == [("docid_desc", "float32"), ("docid_asc", "float64"), ("docid_desc", "float32")]


def test_a_query_that_counts_for_some_metrics_only_has_no_score_in_the_others():
    result = assay.evaluate(QRELS, RUN, ["map", "mrr"], profile="beir")
    assert result.query_ids == ("1", "2")
    assert result.scores("map") == pytest.approx({"1": 0.5, "2": float("nan")}, nan_ok=True)
    assert result.scores("mrr") == {"1": 0.5, "2": 0.0}
    assert (result["map"], result["mrr"]) == (0.5, 0.25)
    assert result.to_dict()["per_query"]["2"] == {"map": None, "mrr": 0.0}


TIED = {"1": {"a": 1.0, "b": 1.0}}
ONE, TWO = {"1": {"a": 1.0}}, {"1": {"a": 1}, "2": {"a": 0}}
BPREF = {"1": {"a": 1, "b": 0}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}
ACCURACY = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1}}
SUBTOPICS = [("1", "a", 1, "x"), ("1", "b", 1, "y"), ("2", "a", 0, "x")], {"1": ["a"], "2": ["a"]}
REFUSED = {
    "a grade that is not a whole number": ("pytrec_eval", "map", {"7": {"a": 0.5}}, {"7": {"a": 1.0}}),
    "negative grades alone": ("pytrec_eval", "map", {"7": {"a": -1}}, {"7": {"a": 1.0}}),
    "holes in BEIR": ("beir", "unjudged@10", {"7": {"a": 1}}, {"7": {"a": 1.0}}),
    "holes in MTEB": ("mteb", "unjudged@3", {"7": {"a": 1}}, {"7": {"a": 1.0}}),
    "nothing judged below the level": ("ranx", "bpref-l2", {"1": {"a": 2, "b": 2}}, ONE),
    "a thread that is lost": ("ranx", "bpref", *BPREF),
    "everything relevant": ("ir_measures", "accuracy", ACCURACY, {query: {"a": 2.0, "b": 1.0} for query in ACCURACY}),
    "a missing query": ("ranx", "map", TWO, ONE),
    "an extra query": ("ranx", "map", ONE, TWO),
    "no relevant document": ("beir", "capped_recall@5", {"1": {"a": 0}}, ONE),
    "ties": ("sentence-transformers", "mrr@10", TWO, TIED),
    "ties in float32": ("sentence-transformers", "mrr@10", {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.00000001}}),
    "ERR-IA at rank 1": ("ir_measures", "ERR_IA@1", *SUBTOPICS),
    "alpha-DCG at rank 1": ("ir_measures", "alpha_DCG@1", *SUBTOPICS),
    "alpha-nDCG beyond rank 20": ("ir_measures", "alpha_nDCG@21", *SUBTOPICS),
    "nNRBP without a relevant document": ("ir_measures", "nNRBP", *SUBTOPICS),
}
FLAGS = {"a missing query": "missing", "an extra query": "extra", "no relevant document": "no_relevant"}
FLAGS |= dict.fromkeys(("ties", "ties in float32"), "ties")


def test_where_a_tool_fails_the_profile_refuses_and_names_the_flag_that_goes_on(snapshots):
    def evaluating(profile, metric, qrels, run):
        return lambda: assay.evaluate(qrels, run, metric, profile=profile)

    snapshots.check_errors("evaluate/profiles_that_refuse", {case: evaluating(*given) for case, given in REFUSED.items()})
    for case, (profile, metric, qrels, run) in REFUSED.items():
        with pytest.raises(DataError) as caught:
            assay.evaluate(qrels, run, metric, profile=profile)
        option = re.search(r"--([a-z-]+) ([a-z_]+)", str(caught.value))
        if case not in FLAGS:
            assert (option, caught.value.field) == (None, ""), case
            continue
        assert option[1].replace("-", "_") == caught.value.field == FLAGS[case], case
        lenient = find_profile(profile).adjusted(**{"missing": "zero", FLAGS[case]: option[2]})
        assert assay.evaluate(qrels, run, metric, profile=lenient).summary, case


def test_what_the_tool_can_score_is_not_refused():
    fine = {"1": {"a": 2.0, "b": 1.0}}
    assert assay.evaluate(ACCURACY, fine, "accuracy", profile="ir_measures").scores("accuracy") == {"1": 1.0, "2": 0.0}
    assert assay.evaluate(*BPREF, "map", profile="ranx")["map"] == 0.5
    assert assay.evaluate({"1": {"a": 2, "b": 1}}, ONE, "bpref-l2", profile="ranx")["bpref-l2"] == 1  # b is below level 2
    assert assay.evaluate(QRELS, RUN, "Judged@10", profile="ir_measures").scores("Judged@10") == {"1": 2 / 3, "2": 0.0}
    harmless = {"1": {"a": 2.0, "x": 1.0, "y": 1.0}}
    assert assay.evaluate({"1": {"a": 1}}, harmless, "mrr@10", profile="sentence-transformers")["mrr@10"] == 1
    for metric in ("ERR_IA@1", "alpha_DCG@1", "alpha_nDCG@21", "nNRBP"):
        assert assay.evaluate(*SUBTOPICS, metric), metric


def test_a_metric_shown_beside_the_others_is_never_refused():
    judged, profile = parse_metric("judged@10"), find_profile("ir_measures")
    beside = Setting(judged, judged, profile.policy, is_beside=True)
    empty = assay.Qrels({"1": {"a": 1}}), assay.Run({"1": {}})
    assert evaluate_settings(*empty, [beside], profile)["judged@10"] == 0.0


def test_a_spelling_reads_back_under_every_profile():
    for name, metric in all_metrics().items():
        cutoff = f"@{0.5 if metric.at.name in ('recall', 'multiple') else 5}" if metric.at else ""
        for param in metric.params:
            for choice in param.choices:
                asked = parse_metric(f"{name}({param.name}={choice}){cutoff}")
                again = parse_metric(spelled(asked))
                for profile in PROFILES.values():
                    assert Setting.of(again, profile).metric == Setting.of(asked, profile).metric, (asked.name, profile.name)
