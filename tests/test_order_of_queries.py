"""No figure depends on the order of lines or queries: draws, folds and sums go by sorted query ids."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli import main
from assay.comparison import BenchmarkComparison, ComparisonOptions, compare_results, slice_results, worst_slices
from assay.evaluation import tune_fusion
from assay.model import Query
from assay.stats import column_intervals

from ._results import make_result

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = ("qrels.txt", "bm25.run", "dense.run", "hybrid.run")
COMMANDS = {
    "score": ("score", *FILES, "-m", "ndcg@10", "map", "gm_map", "hit@10", "--ci", "bootstrap"),
    "compare": ("compare", *FILES, "-m", "ndcg@10", "map", "--agreement", "--worst", "3", "--ci", "bca"),
    "compare as json": (
        "compare",
        *FILES,
        "-m",
        "ndcg@10",
        "gm_map",
        "--test",
        "bootstrap",
        "--ci",
        "bootstrap",
        "-f",
        "json",
    ),
    "tukey": ("compare", *FILES, "-m", "ndcg@10", "--test", "randomized_tukey_hsd", "-f", "json"),
    "power": ("power", *FILES[:3], "-m", "ndcg@10", "-f", "json"),
    "metrics": ("power", *FILES, "-m", "ndcg@10", "mrr", "-f", "json"),
    "tuning": ("fuse", *FILES[1:], "--qrels", "qrels.txt", "--tune", "mrr", "--method", "rrf", "comb_mnz"),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The examples, and the same with their lines shuffled."""
    made = []
    for number in (0, 1):
        folder = tmp_path_factory.mktemp(f"lines{number}")
        for name in FILES:
            lines = (EXAMPLES / name).read_text().splitlines(keepends=True)
            if number:
                random.Random(number).shuffle(lines)
            (folder / name).write_text("".join(lines))
        made.append(folder)
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_shuffled_lines_print_the_same(name, folders, monkeypatch, capsys):
    printed = []
    for folder in folders:
        monkeypatch.chdir(folder)
        main(list(COMMANDS[name]))
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0]


def systems(order):
    """Two systems on sixty queries with tags, the queries in this order."""
    rng = np.random.default_rng(2)
    scores = {name: rng.beta(0.7, 0.7, 60) for name in ("base", "new")}
    made = []
    for name, values in scores.items():
        ids = [f"q{number}" for number in order]
        result = make_result({"mrr": values[order], "map": values[order] ** 2}, name, query_ids=ids)
        queries = {
            query: Query(query, "text", metadata={"language": "de" if number % 3 else "en", "kind": f"k{number % 4}"})
            for query, number in zip(ids, order, strict=True)
        }
        made.append(result.with_fields(queries=queries))
    return made


def figures(order):
    """Everything that draws at random or adds up scores."""
    results = systems(order)
    how = ComparisonOptions(interval="bootstrap", test="bootstrap", baseline="base")
    comparison = compare_results(results, how)
    return {
        "summary": [result.summary for result in results],
        "intervals": [
            assay.with_intervals(result, method).intervals for result in results for method in ("bootstrap", "bca")
        ],
        "slices": [sliced.to_dict() for sliced in slice_results(results, ["language", "kind"], interval="bootstrap")],
        "compared": comparison.to_dict(),
        "worst": worst_slices(results, how=how).to_dict(),
        "alone": worst_slices(results[:1]).to_dict(),
        "board": BenchmarkComparison.compare_runs({result.name: result for result in results}).to_dict(),
    }


def test_shuffled_queries_have_the_same_figures():
    plain, shuffled = list(range(60)), list(range(60))
    random.Random(5).shuffle(shuffled)
    expected, found = figures(np.array(plain)), figures(np.array(shuffled))
    for name, value in expected.items():
        assert json.dumps(found[name], default=str) == json.dumps(value, default=str), name


def test_shuffled_judgments_have_the_same_folds():
    judged = {f"q{n:02}": {f"d{n}": 1, f"e{n}": 2} for n in range(20)}
    rng = random.Random(1)
    runs = [
        {query: {doc: rng.random() for doc in (*docs, "x", "y", "z")} for query, docs in judged.items()} for _ in range(2)
    ]
    turned = dict(reversed(judged.items()))
    found = [tune_fusion(runs, qrels, "mrr", methods=["rrf", "comb_mnz"]) for qrels in (judged, turned)]
    assert [fold.queries for fold in found[0].folds] == [fold.queries for fold in found[1].folds]
    assert (found[0].p, found[0].low, found[0].chosen.name) == (found[1].p, found[1].low, found[1].chosen.name)


def test_column_intervals_go_by_id():
    result = systems(np.array([5, 3, 9, 1, 0, 2]))[0]
    in_order = column_intervals(result.table.by_id().columns, method="bootstrap")["mrr"]
    interval = assay.with_intervals(result, "bootstrap").intervals["mrr"]
    assert (interval.low, interval.high) == in_order[:2]
