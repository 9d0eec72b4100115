"""The drop-in beside ranx itself, in an interpreter of its own: ASSAY_RANX_PYTHON names one that can import it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from functools import cache

import numpy as np
import pytest

import assay.compat.ranx as drop_in

PYTHON = os.environ.get("ASSAY_RANX_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::assay.compat.ranx.DifferenceWarning"),
    pytest.mark.skipif(not PYTHON, reason="ASSAY_RANX_PYTHON does not name an interpreter with ranx"),
]
NAMES = ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges", "ndcg", "ndcg_burges")
METRICS = [
    *(f"{name}{cut}{level}" for name in NAMES for cut in ("", "@1", "@5", "@10", "@0") for level in ("", "-l2")),
    *("r-precision", "r-precision-l2", "bpref", "rbp.95", "rbp.5", "rbp@8", "rbp.8-l2"),
]
COMPARED = ["map@100", "mrr", "ndcg@10", "precision@5"]
FUSED = {
    "wsum": ("min-max", {"weights": [0.5, 0.3, 0.2]}),
    "sum": ("min-max-inverted", {}),
    "mnz": ("zmuv", {}),
    "rrf": (None, {"k": 60}),
    "gmnz": ("max", {"gamma": 0.3}),
    "rbc": (None, {"phi": 0.7}),
    "logn_isr": (None, {"sigma": 0.2}),
    "bordafuse": (None, {}),
    "min": ("sum", {}),
    "med": ("borda", {}),
}
TUNED = {
    "wsum": {"step": 0.25},
    "rrf": {},
    "gmnz": {"step": 0.1, "min_gamma": 0.1},
    "rbc": {"step": 0.1, "min_phi": 0.1, "max_phi": 0.9},
}
SCRIPT = """
import contextlib, io, json, sys
import numpy as np
from numba.typed import List as TypedList
from ranx import Qrels, Run, compare, evaluate, fuse, optimize_fusion
asked = json.load(sys.stdin)
qrels = Qrels(asked["qrels"])
runs = [Run(run, name=name) for name, run in asked["runs"].items()]
found = {"scores": {}, "dicts": {}, "std": {}, "fused": {}, "names": {}, "tuned": {}, "arrays": {}, "sorted": []}
for name, run in zip(asked["runs"], runs):
    scores = evaluate(qrels, run, asked["metrics"], return_mean=False)
    found["scores"][name] = {metric: values.tolist() for metric, values in scores.items()}
    found["std"][name] = evaluate(qrels, run, ["ndcg@10", "mrr"], return_std=True)
report = compare(qrels, runs[:3], asked["compared"], max_p=0.4)
found["report"], found["latex"] = report.to_dict(), report.to_latex()
found["parts"] = [sorted(name for name in dir(report) if not name.startswith("_"))]
for label in ("get_superscript_for_table", "get_superscript_for_latex", "get_phantoms_for_latex"):
    found["parts"].append([getattr(report, label)(name, metric) for name in report.model_names for metric in report.metrics])
found["parts"].append([report.get_metric_label(name) for name in ("ndcg@10", "map-l2", "mrr", "rbp.95", "f1@5-l2")])
found["parts"].append([report.get_stat_test_label(name) for name in ("student", "fisher", "tukey")])
with contextlib.redirect_stdout(io.StringIO()) as printed:
    report.print_results()
found["printed"] = printed.getvalue()
frame = report.to_dataframe()
found["frame"] = [list(frame.columns), frame.values.tolist()]
found["tables"] = [str(report), str(compare(qrels, runs[:3], asked["compared"], max_p=0))]
for report.rounding_digits in (2, 4):
    for report.show_percentages in (True, False):
        found["tables"].append(str(report))
array_qrels, array_run = (np.array(asked[name], dtype=float) for name in ("array_qrels", "array_run"))
for kind, make in {"array": lambda rows: rows, "typed": lambda rows: TypedList(list(rows))}.items():
    scores = evaluate(make(array_qrels), make(array_run), asked["metrics"], return_mean=False)
    found["arrays"][kind] = {metric: values.tolist() for metric, values in scores.items()}
found["arrays"]["mixed"] = evaluate(qrels.to_typed_list(), runs[0], ["ndcg@10", "mrr"])
found["rows"] = [[len(rows), rows[:, 1].tolist()] for rows in runs[0].to_typed_list()]
for kind in (Run, Qrels):
    some = kind()
    for change in (lambda: None, lambda: some.add_score("q2", "a", 1), some.sort, lambda: some.add_score("q1", "a", 1),
                   some.to_typed_list, lambda: some.add_score("q1", "b", 1), lambda: some.add("q3", ["a"], [1])):
        change()
        found["sorted"].append(some.sorted)
    found["sorted"].append(kind({"q": {"a": 1}}).sorted)
for method, (norm, params) in asked["fused_by"].items():
    fused = fuse(runs[:3], norm=norm, method=method, params=params)
    found["fused"][method] = {query: dict(fused[query]) for query in fused.keys()}
    found["names"][method] = fused.name
for method, options in asked["tuned_by"].items():
    best, tried = optimize_fusion(qrels, runs[:3], method=method, metric="ndcg@10", return_optimization_report=True,
                                  show_progress=False, **options)
    found["tuned"][method] = [best, [float(score) for score in tried.results]]
print(json.dumps(found))
"""


@cache
def data():
    """Graded judgments, three runs without ties, and one of 40 documents with only four different scores."""
    rng = random.Random(11)
    docs = [f"d{number}" for number in range(60)]
    queries = [f"q{number}" for number in range(40)]
    rng.shuffle(queries)
    qrels = {}
    for query in queries:
        judged = rng.sample(docs, 15)
        qrels[query] = dict(zip(judged, [1, 0, *(rng.randint(0, 3) for _ in judged[2:])], strict=True))
    runs = {}
    for name in ("one", "two", "three", "tied"):
        runs[name] = {}
        for query in rng.sample(queries, len(queries)):
            found = rng.sample(docs, 40 if name == "tied" else rng.randint(2, 40))
            scores = [float(rng.randint(1, 4)) for _ in found] if name == "tied" else rng.sample(range(1, 5000), len(found))
            runs[name][query] = {doc: score / 7 for doc, score in zip(found, scores, strict=True)}
    return qrels, runs


def arrays():
    """Judgments sorted by grade, and rankings whose scores are in no order: ids are numbers, and rows of id 0 fill them."""
    rng = random.Random(5)
    qrels, run = [], []
    for _ in range(20):
        judged = [[doc, grade] for doc, grade in zip(rng.sample(range(1, 40), 6), (3, 2, 1, 1, 0, 0), strict=True)]
        qrels.append([*judged, [0, 0], [0, 0]])
        run.append([*([doc, rng.random()] for doc in rng.sample(range(1, 40), 12)), [0, 0], [0, 0]])
    return qrels, run


@cache
def theirs():
    qrels, runs = data()
    asked = {"qrels": qrels, "runs": runs, "metrics": METRICS, "compared": COMPARED, "fused_by": FUSED, "tuned_by": TUNED}
    asked |= dict(zip(("array_qrels", "array_run"), arrays(), strict=True))
    answer = subprocess.run([PYTHON, "-c", SCRIPT], input=json.dumps(asked), capture_output=True, text=True, check=True)
    return json.loads(answer.stdout.splitlines()[-1])


def ours():
    qrels, runs = data()
    return drop_in.Qrels(qrels), [drop_in.Run(run, name=name) for name, run in runs.items()]


def test_the_same_scores_in_the_same_order():
    qrels, runs = ours()
    for run in runs:
        for metric in METRICS:
            scores = drop_in.evaluate(qrels, run, metric, return_mean=False)
            wanted = theirs()["scores"][run.name][metric]
            assert scores.tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-9), (run.name, metric)


def test_the_same_means_and_deviations():
    qrels, runs = ours()
    for run in runs:
        found = drop_in.evaluate(qrels, run, ["ndcg@10", "mrr"], return_std=True)
        for metric, figures in theirs()["std"][run.name].items():
            assert found[metric] == pytest.approx(figures, rel=1e-9), (run.name, metric)


def test_the_same_report():
    qrels, runs = ours()
    report = drop_in.compare(qrels, runs[:3], COMPARED)
    expected = theirs()["report"]
    assert {name: report.to_dict()[name] for name in ("stat_test", "metrics", "model_names")} == {
        name: expected[name] for name in ("stat_test", "metrics", "model_names")
    }
    for one in report.model_names:
        assert report.to_dict()[one]["scores"] == pytest.approx(expected[one]["scores"])
        assert report.to_dict()[one]["win_tie_loss"] == expected[one]["win_tie_loss"]
        for other, p in expected[one]["comparisons"].items():
            assert report.to_dict()[one]["comparisons"][other] == pytest.approx(p, rel=1e-6)


def test_the_same_parts_of_a_report(capsys):
    """Every public attribute and method of ranx's report exists, and gives the same."""
    qrels, runs = ours()
    report = drop_in.compare(qrels, runs[:3], COMPARED, max_p=0.4)
    names, *by_cell, labels, tests = theirs()["parts"]
    assert [name for name in names if not hasattr(report, name)] == []
    cells = [(name, metric) for name in report.model_names for metric in report.metrics]
    methods = (report.get_superscript_for_table, report.get_superscript_for_latex, report.get_phantoms_for_latex)
    assert [[method(*cell) for cell in cells] for method in methods] == by_cell
    assert [report.get_metric_label(name) for name in ("ndcg@10", "map-l2", "mrr", "rbp.95", "f1@5-l2")] == labels
    assert [report.get_stat_test_label(name) for name in ("student", "fisher", "tukey")] == tests
    report.print_results()
    found, wanted = capsys.readouterr().out, theirs()["printed"]
    assert re.sub(r"[\d.]+", "0", found) == re.sub(r"[\d.]+", "0", wanted)
    assert json.loads(found) == {name: pytest.approx(means) for name, means in json.loads(wanted).items()}


def test_the_same_tables():
    qrels, runs = ours()
    report = drop_in.compare(qrels, runs[:3], COMPARED, max_p=0.4)
    found = [str(report), str(drop_in.compare(qrels, runs[:3], COMPARED, max_p=0))]
    for report.rounding_digits in (2, 4):
        for report.show_percentages in (True, False):
            found.append(str(report))
    assert "ᵃ" in found[0]
    assert found == theirs()["tables"]


def test_the_same_latex_but_for_the_words_of_its_caption():
    qrels, runs = ours()
    latex = drop_in.compare(qrels, runs[:3], COMPARED, max_p=0.4).to_latex()
    for marks in (("========================\n", "% "), ("\\begin{table*}", "\\caption{"), ("\\resizebox", None)):
        parts = [text[text.index(marks[0]) : marks[1] and text.index(marks[1])] for text in (latex, theirs()["latex"])]
        assert parts[0] == parts[1], marks


def test_the_same_frame():
    qrels, runs = ours()
    frame = drop_in.compare(qrels, runs[:3], COMPARED).to_dataframe()
    columns, rows = theirs()["frame"]
    assert list(frame.columns) == columns
    for found, (name, *scores) in zip(frame.itertuples(index=False), rows, strict=True):
        assert (found[0], list(found[1:])) == (name, pytest.approx(scores))


def test_the_same_scores_of_arrays_and_typed_lists():
    """Lists of arrays stand for typed lists of Numba, which this interpreter may not have."""
    qrels, run = (np.array(rows, dtype=float) for rows in arrays())
    metrics = [metric for metric in METRICS if metric != "bpref"]
    for kind, make in {"array": np.asarray, "typed": list}.items():
        found = drop_in.evaluate(make(qrels), make(run), metrics, return_mean=False)
        for metric, scores in found.items():
            assert scores.tolist() == pytest.approx(theirs()["arrays"][kind][metric], rel=1e-9, abs=1e-9), (kind, metric)
    judged, runs = ours()
    found = drop_in.evaluate(judged.to_typed_list(), runs[0], ["ndcg@10", "mrr"])
    assert found == pytest.approx(theirs()["arrays"]["mixed"])
    assert [[len(rows), rows[:, 1].tolist()] for rows in runs[0].to_typed_list()] == theirs()["rows"]


def test_the_same_moments_at_which_something_is_sorted():
    found = []
    for kind in (drop_in.Run, drop_in.Qrels):
        some = kind()
        for change in (
            *(lambda: None, lambda some=some: some.add_score("q2", "a", 1), some.sort),
            *(lambda some=some: some.add_score("q1", "a", 1), some.to_typed_list),
            *(lambda some=some: some.add_score("q1", "b", 1), lambda some=some: some.add("q3", ["a"], [1])),
        ):
            change()
            found.append(some.sorted)
        found.append(kind({"q": {"a": 1}}).sorted)
    assert found == theirs()["sorted"]


def test_the_same_fusion():
    _, runs = ours()
    for method, (norm, params) in FUSED.items():
        fused = drop_in.fuse(runs[:3], norm=norm, method=method, params=params)
        assert fused.name == theirs()["names"][method]
        for query, ranking in theirs()["fused"][method].items():
            assert fused[query] == pytest.approx(ranking, rel=1e-9, abs=1e-9), (method, query)


def test_the_same_choice_of_parameters():
    qrels, runs = ours()
    for method, options in TUNED.items():
        best, report = drop_in.optimize_fusion(
            qrels, runs[:3], method=method, metric="ndcg@10", return_optimization_report=True, **options
        )
        chosen, tried = theirs()["tuned"][method]
        assert report.results == pytest.approx(tried, abs=0.02), method  # equal scores may stand in another order
        ((name, value),) = best.items()
        assert name == "weights" or value == pytest.approx(chosen[name]), method
