"""Fingerprints: what configurations, benchmarks and stored evaluations are known by is the same in every version.

A value that differs here makes caches, logs and stores of users useless: change the code, not the value.
"""

import json
from pathlib import Path

import numpy as np
import zstandard

import assay
from assay.cli import main
from assay.grammar import mark_written
from assay.providers import parse_provider
from assay.store import Judgment, Store, pack_json

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 0.5, "d3": 0.25}, "q2": {"d1": 1.0}}
MAPPED = {"http": {"url": "https://example.org/s", "headers": {"X-Key": "abc", "Accept": "*/*"}, "timeout": 3}}
PROVIDERS = {
    "bm25": "aeaeff680dab686d",
    "bm25(k1=0.9, stem=no)": "4262b21c0392b0fb",
    "hybrid(bm25, tfidf_chars(low=2), method=rrf, weights=[0.25, 0.75])": "25e16decbcb472eb",
    "rerank(bm25, function=tests.x:scores, depth=20)": "ebcb061748122318",
    "python:tests.x:Größe": "75f8c82af5b99aba",
    "command(command='./search --deep', timeout=90)": "c68cf032da490c49",
    "http(url='https://user:secret@example.org/s', headers='Authorization: Bearer abc', timeout=2.5)": "f691c6380404f763",
    "qdrant(collection=wiki, url='http://localhost:6333', api_key=abc)": "b2caef2e0c1065de",
}
BENCHMARK = {
    "queries.jsonl": '{"_id": "q1", "text": "Grüße aus Köln"}\n',
    "corpus.jsonl": '{"_id": "d1", "title": "", "text": "Köln grüßt"}\n{"_id": "d2", "title": "", "text": "Bonn"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "plan.yaml": "benchmarks: [.]\nproviders: [bm25]\nmetrics: [mrr]\nselection: {sample: 1, seed: 4}\n",
}


def test_providers():
    assert {text: parse_provider(mark_written(text)).fingerprint for text in PROVIDERS} == PROVIDERS
    assert parse_provider(mark_written(MAPPED)).fingerprint == "7ca10e3eb9af0d70"


def test_a_payload_is_written_in_one_way():
    odd = {"b": 1, "a": (True, None, 0.1, "ü\ud800"), "path": Path("a/b"), "array": np.arange(2), "number": np.float32(0.5)}
    written = b'{"b":1,"a":[true,null,0.1,"\\u00fc\\ud800"],"path":"a/b","array":[0,1],"number":0.5}'
    assert pack_json(odd) == written
    assert Judgment("set", "q1", "d1", "ana", 1.0).key == "c4f90db6cd4b037bbbadbed1fd1c7917"


def _digest(store: Store, folder: Path, *args: object) -> str:
    """What the evaluation is known by, once it is saved."""
    file = folder / "one.jsonl.zst"
    store.export(file, [store.save(*args)])
    lines = zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes()).splitlines()
    return json.loads(lines[1])["evaluation"]["digest"]


def test_stored_evaluations(tmp_path):
    result = assay.evaluate(QRELS, RUN, ["ndcg@10", "mrr"])
    odd = result.with_fields(provenance={"seed": np.int64(3), "folder": Path("a/b"), "rates": np.array([0.5, 2.0])})
    with Store.open(tmp_path / "store.db") as store:
        assert (
            _digest(store, tmp_path, result, {"name": "größe", "k": 10, "alpha": 0.05}) == "8da8f053bff98c2ed87527f186761bd3"
        )
        assert _digest(store, tmp_path, odd) == "0b6691cabfcce571a8df84de53f44bec"
    assert result.fingerprints == {"judgments": "93c81b7f90d32c9c", "rankings": "91e848ab6471feb9"}


def test_the_log_and_the_cache_of_an_evaluation(tmp_path, monkeypatch):
    (tmp_path / "qrels").mkdir()
    for name, text in BENCHMARK.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "plan.yaml", "--no-store", "--quiet"]) == 0
    (log,), (cache,) = tmp_path.glob(".assay/runs/*.log"), tmp_path.glob(".assay/answers/*.log")
    header, answers = (
        json.loads(log_line[9:]) for log_line in (log.read_text().splitlines()[0], cache.read_text().splitlines()[1])
    )
    assert log.stem.rpartition("-")[2] == "af310e73836fbc9f"
    assert answers["answers"][0]["query"] == "7d8b07a9fc2dd49e3ff30917"
    parts = {"queries": "30ba394b9fb0d567", "documents": "41237d0ae1e4f6ff", "judgments": "53c51993e9a8bff4"}
    assert list(header["datasets"].values()) == [parts]
