"""What systems said: replies, routes, vectors and the protocol of the conformance kit."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from assay.conformance.cases import all_cases
from assay.conformance.check import parse_answers
from assay.conformance.render import render_report
from assay.conformance.report import check_answers
from assay.files.answers_and_routes import read_answers, read_routes
from assay.providers import open_vectors
from fuzz.component import Component
from fuzz.components._database import share_database
from fuzz.files import join_files, write_file, write_folder

REPLIES = [
    {
        "query_id": "q1",
        "question": "How long?",
        "answer": "12 hours",
        "expected": "12 to 16 hours",
        "contexts": ["Cats sleep."],
    },
    {"id": "q2", "answer": "no", "answers": ["no", "never"], "confidence": 0.5, "hits": [{"doc_id": "d1", "score": 1.0}]},
]
ROUTES = [
    {"query_id": "q1", "route": "law", "expected": "law", "scores": {"law": 0.9, "chat": 0.1}, "retrieved": True},
    {"query_id": "q2", "routes": ["chat", "code"], "expected_routes": ["code"], "gate": 0.3, "needs_retrieval": False},
]
REPLY_TABLE = b"query_id,answer,expected\nq1,12 hours,12 to 16 hours\nq2,no,never\n"
ROUTE_TABLE = b"query_id,route,expected\nq1,law,law\nq2,chat,code\n"

share_database()


def _by_ending(read: Callable[[Any], Any], name: str) -> Callable[[bytes], Any]:
    """The ending follows from what the input looks like."""

    def check(data: bytes) -> Any:
        start = data.lstrip()[:1]
        ending = "json" if start == b"[" or data.count(b"\n") < 2 else "jsonl" if start == b"{" else "csv"
        return read(write_file(f"{name}.{ending}", data))

    return check


def _listed(records: list[dict[str, Any]]) -> list[bytes]:
    by_id = {"q1": records[0], "q2": records[1]}
    return [json.dumps(records).encode(), json.dumps(by_id).encode()]


def _lined(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def _vectors(data: bytes) -> Any:
    folder = write_folder("vectors", data)
    name = next((one for one in ("vectors.npz", "vectors.npy") if (folder / one).is_file()), "vectors.npy")
    ids = folder / "ids.txt"
    found = open_vectors(str(folder / name), str(ids) if ids.is_file() else "", "document")
    return (
        found.width,
        found.rows_by_id(["a", "b"] if found.ids is None else None),
        np.asarray(found.vectors[:2], dtype=float),
    )


def _vector_seeds() -> list[bytes]:
    numbers = np.array([[1, 0.5, 0], [0, 1, 2]], dtype=np.float32)
    plain, archive = io.BytesIO(), io.BytesIO()
    np.save(plain, numbers)
    np.savez(archive, ids=np.array(["a", "b"]), vectors=numbers)
    return [
        join_files({"vectors.npy": plain.getvalue()}),
        join_files({"vectors.npy": plain.getvalue(), "ids.txt": b"a\nb\n"}),
        join_files({"vectors.npz": archive.getvalue()}),
    ]


@cache
def _cases() -> list[Any]:
    return all_cases()[:6]


def _conformance(data: bytes) -> Any:
    answers = parse_answers(data.decode("utf-8", "replace"), _cases(), "answers")
    report = check_answers(_cases(), answers)
    return render_report(report, 80) if zlib.crc32(data) % 16 == 0 else list(map(str, report.verdicts))


def _answer_seeds() -> list[bytes]:
    lines = [{"id": case.name, "value": case.values[0].value if case.values else 0.5} for case in _cases()]
    return [_lined(lines), _lined([{**line, "error": "no such metric"} for line in lines])]


COMPONENTS = (
    Component("replies", _by_ending(read_answers, "replies"), lambda: [*_listed(REPLIES), REPLY_TABLE], "json"),
    Component("replies_jsonl", _by_ending(read_answers, "replies"), lambda: [_lined(REPLIES)], "jsonl"),
    Component("routes", _by_ending(read_routes, "routes"), lambda: [*_listed(ROUTES), ROUTE_TABLE], "json"),
    Component("routes_jsonl", _by_ending(read_routes, "routes"), lambda: [_lined(ROUTES)], "jsonl"),
    Component("vectors", _vectors, _vector_seeds, "folder"),
    Component("conformance", _conformance, _answer_seeds, "jsonl"),
)
