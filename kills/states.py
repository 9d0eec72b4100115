"""States: what is in a store, in files of results, in exports and in caches, as digests that can be compared."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

STORE = Path(".assay") / "assay.db"


def digest(content: Any) -> str:
    """A short hash of plain values or bytes."""
    plain = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(plain, digest_size=8).hexdigest()


def scored(results: list[dict[str, Any]]) -> str:
    """What was asked, answered and scored; not when, and how long it took."""
    kept = []
    for plain in results:
        rows = {
            query: {metric: value for metric, value in row.items() if not metric.startswith("latency")}
            for query, row in plain.get("per_query", {}).items()
        }
        kept.append([plain["name"], plain.get("benchmark"), plain.get("run"), plain.get("failures"), rows])
    return digest(kept)


def store_state(earlier: str = "earlier.json") -> dict[str, Any]:
    """Evaluations of before by id, each to the last bit; new ones by what was scored; and all that is said of them.

    `earlier` is a file with the ids of before.
    """
    from assay.store import Store

    ids = json.loads(Path(earlier).read_text()) if Path(earlier).exists() else []
    state: dict[str, Any] = {"layout": layout(), "evaluations": [], "new evaluations": "0 entries"}
    if not STORE.exists():
        return state
    with Store.open(STORE) as store:
        found = sorted({entry.evaluation for entry in store.list()})
        fresh = []
        for name in found:
            kept = store.find(name)
            plain = [result.to_dict() for result in kept.results]
            if name in ids:
                about = [sorted(kept.tags), [note.text for note in kept.notes]]
                state["evaluations"].append(f"{name} {digest([plain, about])}")
            else:
                fresh.append(scored(plain))
        state["new evaluations"] = f"{len(fresh)} entries {' '.join(sorted(fresh))}".strip()
        state |= {f"baseline {name}": place for name, place in store.baselines().items()}
        state["judgments"] = digest([one.to_dict() for one in store.judgments.find()])
        state["query notes"] = digest([one.to_dict() for one in store.query_notes.find()])
        state["store check"] = "; ".join(store.check().faults)
    return state


def layout() -> str:
    """The version of the store's tables, read past assay, which would migrate it."""
    if not STORE.exists():
        return "none"
    connection = sqlite3.connect(STORE)
    try:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if "assay_schema" not in names:
            return "none"
        return str(connection.execute("SELECT max(version) FROM assay_schema").fetchone()[0] or "none")
    finally:
        connection.close()


def file_state(path: str) -> dict[str, str]:
    """A file, by its bytes."""
    return {path: digest(Path(path).read_bytes()) if Path(path).exists() else "none"}


def results_state(path: str) -> dict[str, str]:
    """A file of results, by what was scored; one that is not whole cannot be read, and is a fault."""
    if not Path(path).exists():
        return {path: "none"}
    return {path: scored(json.loads(Path(path).read_text())["results"])}


def export_state(path: str) -> dict[str, str]:
    """An export, without the line that says when it was written."""
    import zstandard

    if not Path(path).exists():
        return {path: "none"}
    with zstandard.open(path, "rb") as file:
        lines = file.read().splitlines()
    return {path: digest(b"\n".join(lines[1:]))}


def answers_state() -> dict[str, str]:
    """Answers that are cached, by log."""
    from assay.execution.responses import ResponseLog

    state = {}
    for path in sorted(Path(".assay/answers").glob("*.log")):
        answers = ResponseLog(path).read()[1].get("answers", {})
        found = {query: [one.docs, one.scores] for query, one in answers.items()}
        if found:  # without any it may have been begun, which counts for nothing
            state[path.name] = digest(found)
    return state


def indexes_state() -> dict[str, Any]:
    """Indexes and fingerprints that are cached, each whole; a damaged one is a fault."""
    from assay.array_file import open_arrays

    state: dict[str, Any] = {}
    for path in sorted(Path(".assay/indexes").glob("*")):
        if path.suffix in (".index", ".fingerprint"):
            content = open_arrays(path)
            arrays = {name: digest(array.tobytes()) for name, array in content.arrays.items()}
            state[path.name] = digest([content.about, arrays])
    return state


def embeddings_state() -> dict[str, Any]:
    """Vectors that are cached."""
    path = Path(".assay/indexes/embeddings.sqlite")
    if not path.exists():
        return {"embeddings": []}
    connection = sqlite3.connect(path)
    try:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        rows = connection.execute("SELECT key, vector FROM vectors ORDER BY key").fetchall() if "vectors" in names else []
        return {"embeddings": [digest(key + vector) for key, vector in rows], "embeddings check": sound}
    finally:
        connection.close()
