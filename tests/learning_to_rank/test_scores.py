"""Scores for the lines of a data file, as programs for learning to rank write them, as runs."""

import numpy as np
import pytest

import assay
from assay import DataError, load_dataset

from ._data import write_small

SCORES = [0.1, 0.9, 0.4, 0.2, 0.3, 5]
RUN = {"10": {"a": 0.1, "b": 0.9, "c": 0.4}, "7": {"a": 0.2, "d": 0.3}, "8": {"e": 5}}
RANKLIB = "".join(
    f"{query}\t{number}\t{score}\n" for query, ranked in RUN.items() for number, score in enumerate(ranked.values())
)
NAMED = "".join(f"{query} {doc} {score}\n" for query, ranked in RUN.items() for doc, score in ranked.items())
TREC = "".join(f"{query} Q0 {doc} 1 {score} x\n" for query, ranked in RUN.items() for doc, score in ranked.items())
METRICS = ["ndcg@5", "map", "mrr"]


@pytest.fixture
def data(tmp_path):
    return write_small(tmp_path)


def test_every_form_of_scores_is_the_same_run(data, tmp_path):
    expected = assay.evaluate(load_dataset(data).qrels, RUN, METRICS).table.by_query()
    forms = {"rows.txt": "".join(f"{score}\n" for score in SCORES), "r.txt": RANKLIB, "n.txt": NAMED, "t.run": TREC}
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        for truth in (data, str(data), load_dataset(data), assay.Qrels(data)):
            result = assay.evaluate(truth, tmp_path / name, METRICS)
            assert result.table.by_query() == expected, name
    for scores in (SCORES, np.array(SCORES), np.array(SCORES, dtype=np.float32).astype(np.float64)):
        assert assay.evaluate(load_dataset(data), scores, METRICS).scores("map") == pytest.approx(
            assay.evaluate(data, RUN, METRICS).scores("map")
        )


def test_ties_keep_the_order_of_the_file(data):
    tied = [1, 1, 1, 1, 1, 1]
    scores = assay.evaluate(data, tied, "ndcg@1", policy=assay.Policy(ties="input_order")).scores("ndcg@1")
    assert scores == {"10": 1.0, "7": 0.0, "8": 0.0}


def test_comparison_explanation_and_evaluator_read_them_too(data, tmp_path):
    rows, ranklib = tmp_path / "rows.txt", tmp_path / "r.txt"
    rows.write_text("".join(f"{score}\n" for score in SCORES))
    ranklib.write_text(RANKLIB)
    compared = assay.compare(data, {"a": rows, "b": ranklib}, "ndcg@5")
    assert compared.pairs[0].n_changed == 0
    (found,) = assay.why(data, rows, "ndcg@5")
    assert found.ours.value == assay.Evaluator(assay.Qrels(data), "ndcg@5").evaluate(rows)["ndcg@5"]


WRONG = {
    "too few": ("0.5\n1\n", r"expected 6 scores, one for each document of the data file, found 2"),
    "not a number": ("0.5\n1\nhigh\n1\n1\n1\n", r"the score must be a number, not 'high'"),
    "nan": ("0.5\n1\nnan\n1\n1\n1\n", r"the score must be a number, not 'nan'"),
    "RankLib with a word": ("10\t0\tx\n", r"the score must be a number, not 'x'"),
    "RankLib twice": ("10\t0\t1\n10\t0\t2\n", r"document a appears twice for query 10"),
}


def test_wrong_scores_are_refused(data, tmp_path):
    path = tmp_path / "scores.txt"
    for case, (text, message) in WRONG.items():
        path.write_text(text)
        with pytest.raises(DataError, match=message) as caught:
            assay.evaluate(data, path, "ndcg@5")
        assert "scores.txt" in str(caught.value), case
    with pytest.raises(DataError, match="the score must be a number, not nan"):
        assay.evaluate(data, [1.0, float("nan"), 1, 1, 1, 1], "ndcg@5")


def test_one_score_per_line_needs_a_file_with_an_order(tmp_path):
    path = tmp_path / "scores.txt"
    path.write_text("0.5\n1\n")
    with pytest.raises(DataError, match="one score per line fits only judgments for learning to rank"):
        assay.evaluate({"q1": {"a": 1, "b": 0}}, path, "ndcg@5")
