"""Provenance: what a result rests on."""

import json
import re

from tests.execution._retrievers import Told, benchmark

import assay
from assay.evaluation.provenance import describe_dataset, describe_machine, now

from ._git import git


def test_it_is_the_caller_s_repository(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.chdir(tmp_path)
    result = assay.run(benchmark(), Told(), "mrr")
    assert result.provenance["repository"]["commit"] == git(tmp_path, "rev-parse", "HEAD")


def test_versions_and_platform():
    machine = describe_machine()
    assert machine["assay"] == assay.__version__
    assert machine["python"].startswith("3.")
    assert "numpy" in machine["packages"]
    assert machine["platform"]


def test_the_time_is_to_the_second_and_in_utc():
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", now())


def test_a_dataset_is_known_by_its_content():
    one, other = describe_dataset(benchmark()), describe_dataset(benchmark(5))
    assert one["name"] == other["name"] == "small"
    assert set(one["fingerprints"]) == {"queries", "documents", "judgments"}
    assert all(one["fingerprints"][part] != other["fingerprints"][part] for part in one["fingerprints"])


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
