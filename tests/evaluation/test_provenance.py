"""Provenance: what a result rests on, and the runner that records it, as the seed system had it."""

import json
import types

import pytest
from tests.execution._retrievers import Told, benchmark

import assay
from assay.evaluation import ReproducibleEvaluationRunner, read_results

from ._git import git


def test_it_is_the_caller_s_repository(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.chdir(tmp_path)
    result = assay.run(benchmark(), Told(), "mrr")
    assert result.provenance["repository"]["commit"] == git(tmp_path, "rev-parse", "HEAD")


def test_everything_is_there():
    provenance = assay.run(benchmark(), Told(), "mrr", name="mine").provenance
    assert json.loads(json.dumps(provenance)) == provenance
    assert provenance["provider"] == {"name": "mine", "configuration": {"provider": "mine"}}
    assert provenance["counts"] == {"asked": 4, "answered": 4, "failed": 0, "cached": 0}
    assert provenance["metrics"] == ["mrr"]
    assert provenance["policy"]["ties"] == "docid_desc"
    assert (provenance["k"], provenance["seed"]) == (100, 0)
    assert set(provenance["latency_ms"]) == {"mean"}
    assert provenance["files"] == {}
    assert provenance["started"] <= provenance["finished"]
    assert {"dataset", "seconds", "repository", "assay", "python", "platform", "packages"} <= set(provenance)


RESULTS = {"q0": ["d0", "d1"], "q1": ["d0", "d1"], "q2": ["d3"]}
"""Reciprocal ranks 1, ½, 0, and 0 for the query that is missing."""


def made():
    return ReproducibleEvaluationRunner(dataset=benchmark(), model_name="rag-v1", model_version="1.0")


def test_metrics_by_name_or_as_a_module():
    result = made().evaluate_run(RESULTS, ["mrr", "ndcg_at_10"])
    assert result["mrr"] == pytest.approx(1.5 / 4)
    assert (list(result), result.name, result.benchmark) == (["mrr", "ndcg@10"], "rag-v1 1.0", "small")
    usual = made().evaluate_run(RESULTS, types.ModuleType("metrics"))  # stands for the usual ones
    assert {"precision@5", "recall@10", "f1@20", "hit@5", "mrr@10", "map@10", "ndcg@10"} <= set(usual)


def test_results_are_saved_and_read_back(tmp_path):
    runner = made()
    first = runner.evaluate_run(RESULTS, ["mrr"])
    runner.evaluate_run({"q0": ["d0"]}, ["mrr"])
    runner.save_results(tmp_path / "r.json")
    one, two = read_results(tmp_path / "r.json")
    assert (one["mrr"], two["mrr"]) == (first["mrr"], 0.25)
    assert one.provenance["model"] == {"name": "rag-v1", "version": "1.0"}
    assert one.provenance["dataset"]["fingerprints"] == first.provenance["dataset"]["fingerprints"]
    assert json.loads((tmp_path / "r.json").read_text())["schema"] == "assay.result/1"
