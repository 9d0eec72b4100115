"""trec_eval's own layout and names, checked against pytrec_eval."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import assay
from assay.model import Column

from ._results import GOOD, HOSTILE, POOR, banded, hostile_results, pair, rendered, result

LINE = re.compile(r"^(\S+)\s+(\S+)\s+(\S+)$")
"""How scripts take trec_eval's output apart."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def read(text):
    return [LINE.fullmatch(line).groups() for line in text.splitlines()]


def test_the_summary():
    assert rendered("trec", [result("poor", POOR)]) == (
        "map                   \tall\t0.1250\n"
        "recip_rank            \tall\t0.2500\n"
        "num_q                 \tall\t2\n"
        "rbp_residual(p=0.5)   \tall\t0.6250\n"
    )


def test_queries_one_after_another_then_all():
    assert rendered("trec", [result("poor", POOR, ["num_q", "num_rel", "map", "gm_map", "ndcg@5"])], per_query=True) == (
        "num_rel               \tq1\t2\n"
        "map                   \tq1\t0.2500\n"
        "ndcg_cut_5            \tq1\t0.4796\n"
        "num_rel               \tq2\t1\n"
        "map                   \tq2\t0.0000\n"
        "ndcg_cut_5            \tq2\t0.0000\n"
        "num_q                 \tall\t2\n"
        "num_rel               \tall\t3\n"
        "map                   \tall\t0.1250\n"
        "gm_map                \tall\t0.0016\n"
        "ndcg_cut_5            \tall\t0.2398\n"
    )


def test_several_runs_are_told_apart_by_their_runid():
    assert read(rendered("trec", pair(["map"]))) == [
        ("runid", "all", "good"),
        ("map", "all", "1.0000"),
        ("runid", "all", "poor"),
        ("map", "all", "0.1250"),
    ]


def test_text_metrics(tmp_path):
    run = tmp_path / "r.run"
    run.write_text("q1 Q0 d2 1 9 my-tag\nq1 Q0 d1 2 8 my-tag\nq2 Q0 d9 1 1 my-tag\n")
    results = [assay.evaluate({"q1": {"d1": 2, "d2": 0}, "q2": {"d4": 1}, "q3": {"d4": 1}}, run, ["runid", "relstring"])]
    assert rendered("trec", results, per_query=True) == (
        "relstring_10          \tq1\t'02'\n"
        "relstring_10          \tq2\t'-'\n"
        "relstring_10          \tq3\t''\n"
        "runid                 \tall\tmy-tag\n"
    )


def test_a_run_has_one_runid_line_even_among_several(tmp_path):
    run = tmp_path / "r.run"
    run.write_text("q1 Q0 d1 1 9 my-tag\n")
    one = assay.evaluate({"q1": {"d1": 1}}, run, ["runid", "map"], name="r")
    assert [line[2] for line in read(rendered("trec", [one, one])) if line[0] == "runid"] == ["my-tag", "my-tag"]


def test_text_metrics_alone_have_no_summary():
    assert rendered("trec", pair(["relstring"])[:1]) == ""


def test_digits():
    assert rendered("trec", [result("r", GOOD, ["map", "num_q"])], digits=2) == (
        "map                   \tall\t1.00\nnum_q                 \tall\t2\n"
    )


@pytest.mark.parametrize("per_query", [False, True])
def test_nothing_scored_is_still_a_number_to_scripts(per_query):
    text = rendered("trec", [result("r", POOR, ["map", "num_q"], rel=9, no_relevant="skip")], per_query=per_query)
    assert [float(value) for name, _, value in read(text) if name == "map"] != [0.0]


def test_hostile_text_is_one_line_of_three_words():
    lines = rendered("trec", hostile_results(), per_query=True).removesuffix("\n").split("\n")
    assert len(lines) == len(HOSTILE) * (1 + len(HOSTILE) + 2)
    assert [line for line in lines if not LINE.fullmatch(line)] == []


@pytest.mark.parametrize("group", ["official", "all_trec", "set"])
def test_every_line_of_every_group_parses(group):
    text = rendered("trec", [assay.evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "bm25.run", group)], per_query=True)
    assert all(re.fullmatch(r"\S.{21,}\t\S+\t\S+", line) for line in text.splitlines())
    assert len(read(text)) == text.count("\n")


def test_bands_are_lines_of_their_own():
    lines = read(rendered("trec", banded(["ndcg@10"])[:1], digits=2, per_query=True))
    words = ["", "_tie_min", "_tie_mean", "_tie_max", "_unjudged_min", "_unjudged_max"]
    assert [name for name, _, _ in lines] == [f"ndcg_cut_10{word}" for word in words] * 2
    assert [query for _, query, _ in lines] == ["q"] * 6 + ["all"] * 6
    assert [value for _, _, value in lines][:6] == [value for _, _, value in lines][6:]
    assert lines[-3:-1] == [("ndcg_cut_10_tie_max", "all", "1.00"), ("ndcg_cut_10_unjudged_min", "all", "0.43")]


@pytest.mark.parametrize("system", ["bm25", "hybrid"])
def test_the_lines_are_those_of_trec_eval(system):
    """Every measure pytrec_eval knows, over the example files: the same lines, but for their order."""
    with (EXAMPLES / "qrels.txt").open() as qrels, (EXAMPLES / f"{system}.run").open() as run:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), pytrec_eval.supported_measures)
        scores = evaluator.evaluate(pytrec_eval.parse_run(run))
    names = sorted(set(next(iter(scores.values()))) - {"relstring", "runid"})  # which it gives as the number 0
    result = assay.evaluate(EXAMPLES / "qrels.txt", EXAMPLES / f"{system}.run", names)
    found = set(rendered("trec", [result], per_query=True).splitlines())
    once = {"num_q", "gm_map", "gm_bpref"}
    wanted = {line(name, query, by[name]) for query, by in scores.items() for name in names if name not in once}
    assert sorted(wanted - found) == []
    for name in names:
        total = pytrec_eval.compute_aggregated_measure(name, [by[name] for by in scores.values()])
        assert line(name, "all", total) in found


def line(name, query, value):
    """As trec_eval prints it: %-22s, %s, and %6.4f or %ld."""
    return f"{name:<22}\t{query}\t{int(value) if name.startswith('num_') else f'{value:6.4f}'}"


def test_what_has_no_figure_is_left_out():
    one = result("poor", POOR, ["map", "rprec", "mrr"])
    columns = dict(one.table.columns)
    for name, scores in (("rprec", [np.nan, np.nan]), ("mrr", [0.5, np.nan])):
        columns[name] = Column.of(np.array(scores), columns[name].aggregation)
    one = one.with_fields(table=replace(one.table, columns=columns))
    assert [name for name, _, _ in read(rendered("trec", [one]))] == ["map", "recip_rank"]
    lines = [line[:2] for line in read(rendered("trec", [one], per_query=True))]
    assert lines[:3] == [("map", "q1"), ("recip_rank", "q1"), ("map", "q2")]
