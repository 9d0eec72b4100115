"""Stores and exports that somebody, or a disk, has changed: what is left is read, the rest is refused in one line."""

import json
import os
import shutil
import sqlite3
from random import Random

import pytest
import zstandard
from fuzz.changes import CHANGES, mutated, places, written
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from assay.errors import DataError, StoreError, UsageError
from assay.store import Store
from assay.store.judgments import Judgment
from assay.store.packing import compress, digest_of

from ._results import result_of

EXAMPLES = int(os.environ.get("ASSAY_TEST_EXAMPLES") or 10)
"""Each opens a store ten times; the fuzzer tries many more."""
PLAN = {"benchmarks": ["small"], "inside": {"a": [1, {"b": 2}]}}
CELLS = {
    "null": "NULL",
    "number": "5",
    "fraction": "0.5",
    "largest": "9223372036854775807",
    "word": "'word'",
    "bytes": "x'ff00'",
    "no UTF-8": "CAST(x'ff41' AS TEXT)",
    "control": "char(0, 27, 10)",
}


def fill(path):
    with Store.open(path) as store:
        name = store.save([result_of(0, started="2026-10-01T02:00:00+00:00"), result_of(1, provider="dense")], PLAN)
        store.save([result_of(2)])
        store.tag(name, "night")
        store.note(name, "words")
        store.bless(name, "main", force=True)
        store.judgments.give(Judgment("small", "q0", "d1", "Ada", 1.0))
        store.export(path.with_suffix(".jsonl.zst"))
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("sound") / "store.db")


def changed(sound, *statements):
    """A copy of the store with something else in it; constraints do not stand in the way."""
    path = sound.with_name("changed.db")
    for leftover in sound.parent.glob("changed.db*"):
        leftover.unlink()
    shutil.copy(sound, path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table'")
    database.close()
    with sqlite3.connect(path) as database:
        for statement, *values in statements:
            database.execute(statement, values)
    database.close()
    return path


def look_at_everything(store):
    for reference in ("latest", "latest~1", "main"):
        for result in store.find(reference).results:
            json.dumps([result.to_dict(), dict(result.run), dict(result.relevant), len(result.queries)])


WORK = (
    look_at_everything,
    lambda store: [entry.to_dict() for entry in store.list()],
    lambda store: store.history("mrr"),
    lambda store: store.judgments.find(),
    lambda store: store.baselines(),
    lambda store: store.check().faults,
    lambda store: store.export(store.place.path.with_name("again.jsonl.zst")),
    lambda store: store.bless("latest", "main", force=True),
    lambda store: store.note("latest", "more"),
    lambda store: store.delete("latest", force=True),
)


def outcome(path, work):
    """What is said; nothing where it could be done. Anything but our own error goes through."""
    try:
        with Store.open(path) as store:
            work(store)
    except (StoreError, UsageError) as error:
        return str(error)
    return ""


def all_outcomes(path):
    return [outcome(path, work) for work in WORK]


TABLES = {
    "assay_evaluations": ("id", "digest", "started", "saved", "plan"),
    "assay_results": (
        *("benchmark", "provider", "started", "n_queries", "n_failed", "record", "dataset", "scores", "rankings"),
        *("relevant", "comparable", "blessed", "place", "evaluation"),
    ),
    "assay_figures": ("metric", "value", "low", "high", "n", "place"),
    "assay_payloads": ("digest", "size", "data"),
    "assay_datasets": ("name", "description", "queries"),
    "assay_tags": ("tag",),
    "assay_notes": ("text", "written"),
    "assay_baselines": ("name", "part", "blessed"),
    "assay_judgments": ("benchmark", "query", "document", "judge", "grade", "note", "judged"),
    "assay_schema": ("version", "migrated"),
}
COLUMNS = [(table, column) for table, columns in TABLES.items() for column in columns]


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(COLUMNS), st.sampled_from(sorted(CELLS)))
def test_any_cell_is_read_or_refused(sound, column, cell):
    table, name = column
    statement = f"UPDATE OR IGNORE {table} SET {name} = {CELLS[cell]} WHERE rowid = (SELECT min(rowid) FROM {table})"
    try:
        path = changed(sound, (statement,))
    except sqlite3.IntegrityError:  # SQLite itself keeps all but whole numbers out of such a key
        reject()
    for said in all_outcomes(path):
        assert "\n" not in said


def record_of(path):
    with sqlite3.connect(path) as database:
        (content,) = database.execute("SELECT record FROM assay_results WHERE number = 1").fetchone()
    database.close()
    return json.loads(zstandard.ZstdDecompressor().decompress(content))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_any_record_is_read_or_refused(sound, data):
    record = record_of(sound)
    place = data.draw(st.sampled_from(sorted(places(record), key=repr)))
    content = compress(written(mutated(record, place, data.draw(st.sampled_from(CHANGES)))))
    path = changed(sound, ("UPDATE assay_results SET record = ? WHERE number = 1", content))
    for said in all_outcomes(path):
        assert "\n" not in said


def with_payload(sound, column, change):
    """A store with another payload, under its own right digest."""
    with sqlite3.connect(sound) as database:
        (digest,) = database.execute(f"SELECT {column} FROM assay_results WHERE number = 1").fetchone()
        (content,) = database.execute("SELECT data FROM assay_payloads WHERE digest = ?", (digest,)).fetchone()
    database.close()
    payload = change(zstandard.ZstdDecompressor().decompress(content))
    new = digest_of(payload)
    uses = [
        (f"UPDATE assay_results SET {one} = ? WHERE {one} = ?", new, digest) for one in ("scores", "rankings", "relevant")
    ]
    return changed(
        sound, ("UPDATE assay_payloads SET digest = ?, data = ? WHERE digest = ?", new, compress(payload), digest), *uses
    )


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(["scores", "rankings", "relevant"]), st.integers(0, 2**32))
def test_any_payload_is_read_or_refused(sound, column, seed):
    random = Random(seed)

    def change(payload):
        content = bytearray(payload)
        for _ in range(random.choice((1, 1, 4))):
            content[random.randrange(len(content))] = random.randrange(256)
        return bytes(content[: random.randrange(len(content))] if random.random() < 0.2 else content)

    for said in all_outcomes(with_payload(sound, column, change)):
        assert "\n" not in said


@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**32))
def test_any_damage_of_the_file_is_told(sound, seed):
    random = Random(seed)
    path = changed(sound)
    content = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 3, 30))):
        content[random.randrange(len(content))] = random.randrange(256)
    path.write_bytes(content[: random.randrange(len(content))] if random.random() < 0.1 else content)
    for said in all_outcomes(path):
        assert "\n" not in said


@pytest.mark.parametrize(
    ("statement", "work", "said"),
    [
        ("UPDATE assay_results SET provider = NULL", WORK[1], "[0][4]: expected a text, found null"),
        ("UPDATE assay_results SET provider = x'ff'", WORK[0], "expected a text, found bytes"),
        ("UPDATE assay_results SET provider = CAST(x'ff41' AS TEXT)", WORK[1], "changed.db: "),
        ("UPDATE assay_figures SET value = 'high'", WORK[1], "rows of assay_figures: [0][2]: expected a number or null"),
        ("UPDATE assay_evaluations SET plan = NULL", WORK[0], "rows of assay_evaluations"),
        ("UPDATE assay_judgments SET grade = 'good'", WORK[3], "rows of assay_judgments"),
        ("UPDATE assay_notes SET text = 5", WORK[0], ""),
    ],
)
def test_rows_that_nobody_wrote_are_told_with_the_store(sound, statement, work, said):
    path = changed(sound, (statement,))
    found = outcome(path, work)
    assert said in found
    assert not said or found.startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}", "its record: name: is missing"),
        (b"[1]", "its record: expected an object, found a list"),
        (b"[" * 5000 + b"]" * 5000, "is damaged: "),
        (b"\xff", "is damaged: "),
        (b"", "is damaged: "),
    ],
)
def test_a_record_that_is_none_is_damage(sound, content, said):
    path = changed(sound, ("UPDATE assay_results SET record = ? WHERE number = 1", compress(content)))
    with Store.open(path) as store, pytest.raises(StoreError, match="#small/bm25 is damaged: ") as found:
        store.find("latest~1")
    assert said in str(found.value)


@pytest.mark.parametrize("content", [b"[]", b"5", b"[" * 5000 + b"]" * 5000, b"{" * 3])
def test_a_plan_that_is_none_is_damage(sound, content):
    path = changed(sound, ("UPDATE assay_evaluations SET plan = ?", compress(content)))
    with Store.open(path) as store, pytest.raises(StoreError, match="its plan is damaged: "):
        store.find("latest")


@pytest.mark.parametrize("cell", ["assay_results SET record", "assay_evaluations SET plan", "assay_payloads SET data"])
def test_what_becomes_too_large_is_refused_and_names_the_store(sound, cell):
    path = changed(sound, (f"UPDATE {cell} = ?", compress(bytes(65 << 20))))
    with pytest.raises(StoreError, match=r"becomes too large when unpacked.*ASSAY_MAX_EXPANSION") as found:
        look_at_everything(Store.open(path))
    assert str(found.value).startswith(f"{path}: ")
    assert found.value.exit_code == 6


def lines_of(path):
    with zstandard.open(path, "rb") as file:
        return [json.loads(line) for line in file.read().splitlines()]


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_any_export_is_taken_over_or_refused(sound, data):
    lines = lines_of(sound.with_suffix(".jsonl.zst"))
    place = data.draw(st.sampled_from(sorted(places(lines), key=repr)))
    tree = mutated(lines, place, data.draw(st.sampled_from(CHANGES)))
    path = sound.with_name("wrong.jsonl.zst")
    content = b"".join(written(line) + b"\n" for line in (tree if isinstance(tree, list) else [tree]))
    path.write_bytes(zstandard.ZstdCompressor().compress(content))
    for leftover in sound.parent.glob("other.db*"):
        leftover.unlink()
    with Store.open(sound.with_name("other.db")) as store:
        try:
            store.import_(path)
        except DataError as error:
            said = str(error)
        else:
            said = f"{path}:"
        look_at_all = [store.find(entry.evaluation) for entry in store.list()]
    assert said.startswith(f"{path}:")
    assert "\n" not in said
    assert all(evaluation.results for evaluation in look_at_all)


def test_an_export_of_the_first_version_is_taken_over_under_its_digest(tmp_path):
    """What a result says, and so its digest, does not depend on the version that packed it."""
    plain = {
        "name": "bm25",
        "summary": {"mrr": 0.5},
        "counts": {"judged": 1, "scored": 1, "missing": 0, "without_relevant": 0, "extra": 0},
        "policy": {"ties": "docid_desc"},
        "missing": [],
        "notes": [],
        "fingerprints": {},
        "per_query": {"q": {"mrr": 0.5}},
        "run": {"q": {"a": 2.0, "b": 1}},
        "relevant": {"q": {"b": 1}},
    }
    about = {"id": "2026-10-01-small-2af5", "saved": "2026-10-01T02:00:00+00:00", "plan": {}, "tags": [], "notes": []}
    about |= {"baselines": [], "results": 1, "digest": "2af5d0df3c7f0bc14adade23815c7df6"}
    lines = [
        {"schema": "assay.export/1", "assay": "0.1.0", "written": ""},
        {"evaluation": about},
        {"result": plain},
        {"end": 1},
    ]
    path = tmp_path / "old.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    with Store.open(tmp_path / "store.db") as store:
        assert store.import_(path).new == (about["id"],)
        (result,) = store.find("latest").results
        assert (result["mrr"], dict(result.run)) == (0.5, {"q": {"a": 2.0, "b": 1.0}})
