"""A store in SQLite whose payloads, columns or pages were changed; what it cannot read it refuses, and never crashes."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from functools import cache
from typing import Any

from assay import AssayError
from assay.store import Store
from assay.store.packing import compress, decompress, digest_of
from fuzz.component import Component
from fuzz.components._results import small_results
from fuzz.files import join_files, scratch, split_files, write_file

PARTS = ("scores", "rankings", "relevant")
TABLES = (
    *("payloads", "datasets", "evaluations", "results", "figures", "tags", "notes", "baselines"),
    *("judgments", "query_notes", "schema"),
)


def _filled(path: Any) -> None:
    with Store.open(path) as store:
        name = store.save(list(small_results()), plan={"benchmarks": ["things"]}, started="2026-10-01T02:00:00+00:00")
        store.tag(name, "release")
        store.note(name, "a note")
        store.bless(f"{name}#things/bm25", "main")


class _Stored:
    """A store that stays open, and a second connection that changes what is in it and puts it back."""

    def __init__(self) -> None:
        path = scratch() / "rows.db"
        _filled(path)
        self.store = Store.open(path)
        self.raw = sqlite3.connect(path, isolation_level=None)
        self.raw.execute("PRAGMA synchronous = off")
        self.raw.execute("PRAGMA foreign_keys = off")
        self.before = {table: self.rows(table) for table in TABLES}

    def rows(self, table: str) -> list[dict[str, Any]]:
        found = self.raw.execute(f"SELECT * FROM assay_{table}")
        names = [one[0] for one in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def put(self, table: str, rows: list[dict[str, Any]]) -> None:
        """These rows and no others; what a column cannot hold is left out."""
        self.raw.execute(f"DELETE FROM assay_{table}")
        known = set(self.before[table][0]) if self.before[table] else set()
        for row in rows:
            fields = {name: value for name, value in row.items() if name in known}
            names, marks = ", ".join(fields), ", ".join("?" * len(fields))
            with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                self.raw.execute(f"INSERT INTO assay_{table} ({names}) VALUES ({marks})", list(fields.values()))

    def changed(self, tables: dict[str, list[dict[str, Any]]]) -> None:
        self.raw.execute("BEGIN")
        for table, rows in tables.items():
            self.put(table, rows)
        self.raw.execute("COMMIT")


@cache
def _stored() -> _Stored:
    return _Stored()


def _look(store: Store, lot: int) -> None:
    """At an evaluation, and at one other thing that a store says; what refuses the first must not keep from the second."""
    others = (
        lambda: list(map(repr, store.list())),
        lambda: store.baselines,
        lambda: store.history("ndcg@10"),
        lambda: repr(store.check()),
        lambda: store.export(scratch() / "out.jsonl.zst"),
        lambda: repr(store.judgments.find("things")),
    )
    refused = None
    for ask in (lambda: _whole(store), others[lot % len(others)]):
        try:
            ask()
        except AssayError as error:
            refused = error
    if refused is not None:
        raise refused


def _whole(store: Store) -> None:
    for result in store.find("latest").results:
        json.dumps(result.to_dict(), default=str)


def _check_payloads(data: bytes) -> None:
    """Payloads with the right digest: what is in them is read."""
    stored, files = _stored(), split_files(data)
    before = stored.before
    new = {name: compress(content) for name, content in files.items()}
    digests = {name: digest_of(content) for name, content in files.items()}
    result = dict(before["results"][0])
    result |= {name: digests[name] for name in PARTS if name in digests}
    if "record.json" in new:
        result["record"] = new["record.json"]
    payloads = [{"digest": digests[name], "size": len(files[name]), "data": new[name]} for name in new]
    dataset = {**before["datasets"][0], "queries": digests.get("queries", before["datasets"][0]["queries"])}
    evaluation = {**before["evaluations"][0], "plan": new.get("plan.json", before["evaluations"][0]["plan"])}
    tables = {
        "payloads": [*before["payloads"], *payloads],
        "results": [result],
        "datasets": [dataset, *before["datasets"][1:]],
        "evaluations": [evaluation],
    }
    stored.changed(tables)
    try:
        _look(stored.store, zlib.crc32(data))
    finally:
        stored.changed({table: before[table] for table in tables})


def _payload_seeds() -> list[bytes]:
    before = _stored().before
    data = {row["digest"]: row["data"] for row in before["payloads"]}
    result = before["results"][0]
    files = {name: decompress(data[result[name]], name) for name in PARTS if result[name]}
    if before["datasets"][0]["queries"]:
        files["queries"] = decompress(data[before["datasets"][0]["queries"]], "queries")
    files["record.json"] = decompress(result["record"], "record")
    files["plan.json"] = decompress(before["evaluations"][0]["plan"], "plan")
    return [join_files(files)]


def _check_rows(data: bytes) -> None:
    """Columns with any value: SQLite holds whatever it is given."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return
    stored = _stored()
    tables = {name: _rows_of(given[name]) for name in TABLES if isinstance(given, dict) and name in given}
    stored.changed(tables)
    try:
        _look(stored.store, zlib.crc32(data))
    finally:
        stored.changed({table: stored.before[table] for table in tables})


def _rows_of(given: Any) -> list[dict[str, Any]]:
    rows = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    return [{name: _value(value) for name, value in row.items()} for row in rows]


def _value(value: Any) -> Any:
    """Bytes are written as text that begins with hex:."""
    if isinstance(value, str) and value.startswith("hex:"):
        with contextlib.suppress(ValueError):
            return bytes.fromhex(value[4:])
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)


def _row_seeds() -> list[bytes]:
    tables = {name: [_plain(row) for row in rows] for name, rows in _stored().before.items() if name != "payloads"}
    judgment = {"key": "k", "benchmark": "things", "query": "q1", "document": "d1", "judge": "Ada", "grade": 2.0}
    details = {"reason": "", "judged": "2026-10-01T02:00:00+00:00", "kind": "model", "text_digest": "", "pool": "p"}
    tables["judgments"] = [{**judgment, **details, "probability": 0.5}]
    return [json.dumps(tables).encode(), *(json.dumps({name: rows}).encode() for name, rows in tables.items() if rows)]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: f"hex:{value.hex()}" if isinstance(value, bytes) else value for name, value in row.items()}


def _check_file(data: bytes) -> None:
    """The file itself: pages, headers and all."""
    path = write_file("file.db", zlib.decompress(data[4:]) if data.startswith(b"zlib") else data)
    for ending in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    with Store.open(path, create=False) as store:
        _look(store, zlib.crc32(data))


def _file_seeds() -> list[bytes]:
    path = scratch() / "whole.db"
    _filled(path)
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA journal_mode = delete")
        raw.execute("VACUUM")
    raw.close()
    return [path.read_bytes()]


COMPONENTS = (
    Component("store_payloads", _check_payloads, _payload_seeds, "folder", covers=("class Store",)),
    Component("store_rows", _check_rows, _row_seeds, "json", share=0.5),
    Component("store_file", _check_file, _file_seeds, "bytes", longest=1 << 20, share=0.5),
)
