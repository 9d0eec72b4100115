"""depth: rankings are cut after ranking, as with trec_eval's -M; for every metric, every reader and every tie rule."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BadParameter, Policy
from assay.cli import main

QRELS = {"1": {"a": 1, "b": 2, "c": 0, "d": 1}, "2": {"a": 1, "e": 3}, "3": {"z": 1}}
RUN = {"1": {"c": 5.0, "a": 4.0, "x": 3.0, "b": 3.0, "d": 1.0}, "2": {"x": 2.0, "e": 1.0, "a": 0.5}}
METRICS = [
    "num_ret",
    "num_rel_ret",
    "map",
    "mrr",
    "ndcg",
    "recall@5",
    "set_precision",
    "bpref",
    "rbp",
    "judged@10",
    "relstring",
]


def cut(run, depth):
    """The first documents by score, ties by descending id."""
    return {
        query: dict(sorted(docs.items(), key=lambda item: (item[1], item[0]), reverse=True)[:depth])
        for query, docs in run.items()
    }


DOCS = st.sampled_from("abcdexz")
RUNS = st.dictionaries(
    st.sampled_from("123"), st.dictionaries(DOCS, st.sampled_from([1.0, 2.0, 3.0]), min_size=1), min_size=1
)


@given(RUNS, st.integers(1, 8), st.booleans())
def test_it_is_the_same_as_scoring_cut_rankings(run, depth, judged_only):
    policy = {"judged_only": judged_only}
    whole = assay.evaluate(QRELS, run, METRICS, policy=Policy(depth=depth, **policy))
    short = assay.evaluate(QRELS, cut(run, depth), METRICS, policy=Policy(**policy))
    for name in METRICS[:-1]:
        assert whole.scores(name) == pytest.approx(short.scores(name), abs=1e-12, nan_ok=True), name
    assert whole.scores("relstring") == short.scores("relstring")


def test_files_are_cut_like_rankings_in_memory(tmp_path):
    rows = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    path = tmp_path / "run.txt"
    path.write_text("".join(f"{query} Q0 {doc} 1 {score} t\n" for query, doc, score in rows))
    for depth in (1, 2, 3, 9):
        policy = Policy(depth=depth, ties="docid_asc")
        ours, file = (assay.evaluate(QRELS, run, METRICS, policy=policy) for run in (RUN, path))
        assert ours.summary == file.summary
        assert ours["num_ret"] == sum(min(depth, len(docs)) for docs in RUN.values())


def test_the_mean_over_ties_is_that_of_the_documents_that_are_left():
    tied = {"1": {"a": 1.0, "b": 1.0, "x": 1.0}}
    found = assay.evaluate({"1": {"x": 1}}, tied, ["mrr"], policy=Policy(ties="expected", depth=2))
    assert found["mrr"] == pytest.approx((1 + 1 / 2) / 2)  # x and b are left


def test_only_whole_numbers_from_one_on():
    assert Policy(depth=1).depth == 1
    for bad in (0, -1, 1.5, 2.0, True, "3", np.int64(3)):
        with pytest.raises(BadParameter, match="depth"):
            Policy(depth=bad)


def test_at_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("q.json").write_text(json.dumps(QRELS))
    Path("r.json").write_text(json.dumps(RUN))
    values = []
    for flags in (["-M", "2"], ["--depth", "2"]):
        assert main(["score", "q.json", "r.json", "-m", "map", "num_ret", *flags, "-o", "result.json"]) == 0
        out = capsys.readouterr().out
        assert "depth: 2" in out.splitlines()[0]
        values.append(json.loads(Path("result.json").read_text())["results"][0])
    assert values[0]["policy"]["depth"] == 2
    assert values[0]["summary"] == values[1]["summary"] == {"map": pytest.approx((1 / 2 / 3 + 1 / 2 / 2) / 3), "num_ret": 4}
    for bad in ("0", "-3", "x", "1.5"):
        assert main(["score", "q.json", "r.json", "-M", bad]) == 2, bad
    capsys.readouterr()
    assert main(["score", "q.json", "r.json", "-m", "map", "-M", "2", "--profile", "trec_eval-9", "-f", "trec"]) == 0
    assert capsys.readouterr().out.split() == ["map", "all", f"{(1 / 2 / 3 + 1 / 2 / 2) / 2:.4f}"]
    assert main(["compare", "q.json", "a=r.json", "b=r.json", "-m", "map", "-M", "1"]) == 0
