"""trec_eval's own layout and names, checked against pytrec_eval; snapshots of scores show what it looks like."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import assay
from assay.model import Column

from ._results import HOSTILE, POOR, hostile_results, pair, rendered, result

LINE = re.compile(r"^(\S+)\s+(\S+)\s+(\S+)$")
"""How scripts take trec_eval's output apart."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def read(text):
    return [LINE.fullmatch(line).groups() for line in text.splitlines()]


def test_text_metrics_and_one_runid_for_each_run(tmp_path):
    run = tmp_path / "r.run"
    run.write_text("q1 Q0 d2 1 9 my-tag\nq1 Q0 d1 2 8 my-tag\nq2 Q0 d9 1 1 my-tag\n")
    one = assay.evaluate({"q1": {"d1": 2, "d2": 0}, "q2": {"d4": 1}, "q3": {"d4": 1}}, run, ["runid", "relstring"])
    assert rendered("trec", [one], per_query=True) == (
        "relstring             \tq1\t'02'\n"
        "relstring             \tq2\t'-'\n"
        "relstring             \tq3\t''\n"
        "runid                 \tall\tmy-tag\n"
    )
    assert [line[2] for line in read(rendered("trec", [one, one])) if line[0] == "runid"] == ["my-tag", "my-tag"]
    assert [line[2] for line in read(rendered("trec", pair(["map"]))) if line[0] == "runid"] == ["good", "poor"]
    assert rendered("trec", pair(["relstring"])[:1]) == "", "text alone has no summary"


def test_nothing_scored_is_still_a_number_to_scripts():
    for per_query in (False, True):
        text = rendered("trec", [result("r", POOR, ["map", "num_q"], rel=9, no_relevant="skip")], per_query=per_query)
        assert [float(value) for name, _, value in read(text) if name == "map"] != [0.0], per_query


def test_every_line_is_three_words():
    lines = rendered("trec", hostile_results(), per_query=True).removesuffix("\n").split("\n")
    assert len(lines) == len(HOSTILE) * (1 + len(HOSTILE) + 2)
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    for group in ("official", "all_trec", "set"):
        text = rendered("trec", [assay.evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "bm25.run", group)], per_query=True)
        assert all(re.fullmatch(r"\S.{21,}\t\S+\t\S+", line) for line in text.splitlines()), group
        assert len(read(text)) == text.count("\n"), group


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
