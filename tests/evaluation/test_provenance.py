"""Provenance: what a result rests on, and the runner that records it, as the seed system had it."""

import json

from tests.execution._retrievers import Told, benchmark

import assay

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
