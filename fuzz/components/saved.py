"""Saved results and exports of a store: read, looked at whole, rendered and compared."""

from __future__ import annotations

import json
import zlib
from typing import Any

import zstandard

import assay
from assay import AssayError, Result
from assay.evaluation.saved import read_results
from assay.reports import Report, render_scores
from assay.store import Store
from assay.store.export import read_export
from fuzz.component import Component, SilentDifference
from fuzz.components._results import small_results
from fuzz.files import scratch, write_file

QUICK = ("table", "csv", "json", "markdown", "latex", "trec")
"""Formats that take a moment; HTML takes longer."""


def _saved() -> list[bytes]:
    first, second = (result.to_dict() for result in small_results())
    both = {"schema": "assay.result/1", "results": [first, second]}
    lean = {**first, "queries": {}, "run": {}, "intervals": {}}
    return [json.dumps(both).encode(), json.dumps({"schema": "assay.result/1", "results": [lean]}).encode()]


def _check_saved(data: bytes) -> object:
    """What is accepted says the same when it is written and read again, and can be shown."""
    results = read_results(write_file("result.json", data))
    written = json.dumps({"schema": "assay.result/1", "results": [result.to_dict() for result in results]})
    again = read_results(write_file("again.json", written.encode("utf-8", "surrogatepass")))
    if [one.to_dict() for one in again] != [one.to_dict() for one in results] and "NaN" not in written:
        raise SilentDifference("saved result written and read: it says something else")
    _show(results, zlib.crc32(data))
    return results


def _show(results: list[Result], lot: int) -> None:
    """One format in turn; now and then a comparison. What refuses, refuses in words."""
    try:
        render_scores(Report(results, per_query=lot % 2 == 0), QUICK[lot % len(QUICK)])
        if lot % 16 == 0 and len(results) == 2:
            assay.compare(*results)
    except AssayError:
        return


def _lines() -> bytes:
    """The lines of an export of a store."""
    path, out = scratch() / "seed.db", scratch() / "seed.jsonl.zst"
    with Store.open(path) as store:
        name = store.save(list(small_results()), plan={"benchmarks": ["things"]}, started="2026-10-01T02:00:00+00:00")
        store.tag(name, "release")
        store.note(name, "a note")
        store.bless(f"{name}#things/bm25", "main")
        store.export(out)
    path.unlink()
    return zstandard.ZstdDecompressor().decompressobj().decompress(out.read_bytes())


def _judgment_lines() -> bytes:
    judgment = {
        "benchmark": "things",
        "query": "q1",
        "document": "d1",
        "judge": "Ada",
        "grade": 2.0,
        "note": "",
        "judged": "",
    }
    head, end = {"schema": "assay.export/1", "assay": "0.1.0", "written": "2026-10-01T02:00:00+00:00"}, {"end": 0}
    lines = (head, {"judgment": {**judgment, "judged": "2026-10-01T02:00:00+00:00"}}, end)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _check_lines(data: bytes) -> object:
    return _read(zstandard.ZstdCompressor(level=1).compress(data))


def _read(data: bytes) -> list[Any]:
    return list(read_export(write_file("export.jsonl.zst", data)))


COMPONENTS = (
    Component("saved_result", _check_saved, _saved, "json", covers=("saved assay.result",)),
    Component("export_lines", _check_lines, lambda: [_lines(), _judgment_lines()], "jsonl", covers=("saved assay.export",)),
    Component("export_bytes", _read, lambda: [zstandard.ZstdCompressor(level=1).compress(_judgment_lines())], "bytes"),
)
