"""Files that assay keeps for itself: logs to go on from, caches, and what running evaluations tell."""

from __future__ import annotations

import sqlite3
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay import Document, Query
from assay.datasets import BenchmarkDataset
from assay.embeddings import EmbeddingCache, key_of
from assay.execution.checkpoint import CACHE_PART, Checkpoint, ResponseCache
from assay.execution.responses import Record, Response, ResponseLog
from assay.execution.runner import Part
from assay.ontology import cache as ontologies
from assay.ontology.reading import parse_ontology
from assay.providers.provider import parse_provider
from assay.store.location import parse_location
from assay.store.progress import PartProgress, Running, folder_of, list_running
from fuzz.component import Component
from fuzz.components.ontology import OBO
from fuzz.files import scratch

HEADER: dict[str, Any] = {
    "schema": "assay.answers/1",
    "plan": {"benchmarks": ["things"], "providers": ["bm25"], "metrics": ["mrr"], "selection": {"limit": None}, "k": 10},
    "providers": ["bm25"],
    "datasets": {"things": {"queries": "aa", "documents": "bb", "judgments": "cc"}},
    "files": {"a.run": "dd"},
    "versions": {"assay": "0.1.0", "python": "3.11", "numpy": "2.0"},
    "queries": {"things/bm25": 2},
}
ANSWERS = [
    Response("q1", ["d1", "d2"], [1.0, 0.5], 3.5, extra={"d1": {"text": "words", "rank": 2}}, said={"answer": "yes"}),
    Response("q2", error="TimeoutError: too slow", is_final=True, n_together=2),
]
RAW = b"raw:"
"""Begins a log that is taken as it is; else every line gets the right checksum."""


def _line(payload: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(payload), payload)


def _sealed(data: bytes) -> bytes:
    if data.startswith(RAW):
        return data[len(RAW) :]
    return b"".join(map(_line, data.split(b"\n")))


def _log_seeds() -> list[bytes]:
    lines = [msgspec.json.encode(HEADER), msgspec.json.encode(Record("things/bm25", ANSWERS))]
    other = msgspec.json.encode({**HEADER, "providers": ["dense"]})
    return [b"\n".join(lines), b"\n".join([other, *lines[1:]]), RAW + b"".join(map(_line, lines))]


def _check_log(data: bytes) -> None:
    """Go on from a log; every answer of it can be looked at."""
    folder = scratch() / "logs"
    folder.mkdir(exist_ok=True)
    path = folder / "things.log"
    path.write_bytes(_sealed(data))
    known = Checkpoint(ResponseLog(path), HEADER, is_named=True).resume(lambda _: None)
    for answers in known.values():
        for answer in answers.values():
            _ = answer.ranking, answer.hits


@cache
def _answer_cache() -> ResponseCache:
    queries = {"q1": Query("q1", "cats?"), "q2": Query("q2", "dogs?")}
    documents = {"d1": Document("d1", "cats"), "d2": Document("d2", "dogs")}
    dataset = BenchmarkDataset("things", queries=queries, documents=documents, qrels={"q1": {"d1": 1}})
    return ResponseCache(scratch() / "answers", Part(dataset, parse_provider("bm25"), queries, 10))


def _cached_answers() -> list[bytes]:
    """The log of a cache in which both queries are known."""
    cache_ = _answer_cache()
    cache_.store({"q1": Response("q1", ["d1"], [1.0], 2.0), "q2": Response("q2", ["d2", "d1"], [1.0, 0.5], 2.0)}, {})
    content = cache_._log.path.read_bytes()
    lines = [line.partition(b" ")[2] for line in content.splitlines()]
    assert CACHE_PART.encode() in lines[1]
    return [b"\n".join(lines), RAW + content]


def _check_answers(data: bytes) -> None:
    cache_ = _answer_cache()
    cache_._log.path.parent.mkdir(exist_ok=True)
    cache_._log.path.write_bytes(_sealed(data))
    for answer in cache_.known().values():
        _ = answer.ranking, answer.hits


KEY = key_of("model", "cats")


def _check_embeddings(data: bytes) -> object:
    """The file is no database any more, or a row of it has other bytes."""
    folder = scratch() / "embeddings"
    if not data.startswith(b"SQLite"):
        vectors = EmbeddingCache(folder)
        vectors.path.unlink(missing_ok=True)
        vectors.write({KEY: np.zeros(2, np.float32)})
        with sqlite3.connect(vectors.path) as database:
            database.execute("UPDATE vectors SET vector = ?, digest = ?", (data, _digest(data)))
        database.close()
        return vectors.read([KEY])
    folder.mkdir(exist_ok=True)
    (folder / "embeddings.sqlite").write_bytes(data)
    return EmbeddingCache(folder).read([KEY])


def _digest(vector: bytes) -> bytes:
    from assay.embeddings import disk_cache

    return disk_cache._digest(KEY, vector)


def _embedding_seeds() -> list[bytes]:
    folder = scratch() / "seed-embeddings"
    EmbeddingCache(folder).write({KEY: np.array([1, 0.5], np.float32)})
    return [(folder / "embeddings.sqlite").read_bytes(), np.array([1, 0.5], np.float32).tobytes()]


def _check_ontology(data: bytes) -> object:
    """What is cached is sealed; with the right seal everything in it is read."""
    path = ontologies.cache_folder() / "ontologies" / "0123.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        data[len(RAW) :] if data.startswith(RAW) else ontologies.CACHE_HEADER + ontologies._checksum(data) + data
    )
    found = ontologies.read_cached("0123")
    return None if found is None else [found.find(one) for one in found.ids[:3]]


def _ontology_seeds() -> list[bytes]:
    body = ontologies.pack_ontology(parse_ontology(OBO, "hp.obo"))
    return [body, RAW + ontologies.CACHE_HEADER + ontologies._checksum(body) + body]


def _check_running(data: bytes) -> object:
    place = parse_location(str(scratch() / "running.db"))
    folder = folder_of(place)
    folder.mkdir(exist_ok=True)
    Path(folder / "1-0123abcd.json").write_bytes(data)
    return [one.to_dict() for one in list_running(place)]


def _running_seeds() -> list[bytes]:
    running = Running(
        "1-0123abcd", "2026-10-01T02:00:00+00:00", 2, (PartProgress("things/bm25", 10, 3, 1, 0, 2.5, "waits"),)
    )
    return [msgspec.json.encode(running)]


COMPONENTS = (
    Component("checkpoint_log", _check_log, _log_seeds, "jsonl", covers=("saved assay.answers", "class ResponseLog")),
    Component("answer_cache", _check_answers, _cached_answers, "jsonl", covers=("class ResponseCache",)),
    Component("embedding_cache", _check_embeddings, _embedding_seeds, "bytes", covers=("class EmbeddingCache",)),
    Component("ontology_cache", _check_ontology, _ontology_seeds, "bytes", covers=("file _ontology_cache",)),
    Component("running", _check_running, _running_seeds, "json", covers=("class Running",)),
)
