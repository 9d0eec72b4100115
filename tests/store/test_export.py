"""One file carries evaluations from store to store; importing it twice changes nothing."""

import json
from dataclasses import replace

import numpy as np
import pytest
import zstandard
from tests._results import differences, saved_and_read

from assay.errors import DataError, StoreError, UnknownName
from assay.masking import add_secret
from assay.store import Judgment, Store

from ._results import DAY, execute, lines_of, result_of, write_lines


@pytest.fixture
def filled(store):
    return fill(store)


def fill(store):
    store.save([result_of(1, started=DAY), result_of(2, provider="dense", started=DAY)], {"k": 5})
    store.tag("latest", "nightly")
    store.note("latest", "the first")
    store.bless("latest#dense", "main")
    store.save([result_of(3, started=DAY)])
    return store


@pytest.fixture
def other(tmp_path):
    with Store.open(tmp_path / "other.db") as opened:
        yield opened


def everything(store):
    """All that a reader of a store can see."""
    names = list(dict.fromkeys(entry.evaluation for entry in store.list()))
    found = [store.find(name) for name in names]
    about = [(one.id, one.started, one.saved, one.plan, one.tags, one.notes, one.baselines) for one in found]
    return store.list(), about, store.baselines(), [result.to_dict() for one in found for result in one.results]


def test_what_is_exported_is_imported(filled, other, tmp_path):
    file = tmp_path / "all.jsonl.zst"
    assert filled.export(file) == 2
    done = other.import_(file)
    assert (len(done.new), done.known, done.baselines, done.kept) == (2, (), ("main",), ())
    assert everything(other) == everything(filled)
    assert other.check().faults == ()
    again = other.import_(file)
    assert (again.new, again.known, again.baselines, again.kept, filled.import_(file).new) == ((), done.new, (), (), ())
    assert everything(other) == everything(filled)


def test_some_are_exported(filled, other, tmp_path):
    assert filled.export(tmp_path / "some.zst", ["main", "latest~1"]) == 1
    other.import_(tmp_path / "some.zst")
    assert [entry.provider for entry in other.list()] == ["bm25", "dense"]
    with pytest.raises(UnknownName):
        filled.export(tmp_path / "none.zst", ["nothing"])
    assert not (tmp_path / "none.zst").exists()


def test_baselines_of_this_store_stay_what_they_are(filled, other, tmp_path):
    mine = other.save([result_of(7)])
    other.bless("latest", "main")
    filled.export(tmp_path / "all.zst")
    for _ in range(2):
        done = other.import_(tmp_path / "all.zst")
        assert (done.baselines, done.kept) == ((), ("main",))
    assert other.baselines() == {"main": mine}


def test_an_id_that_is_taken_gets_longer(filled, other, tmp_path):
    filled.export(tmp_path / "all.zst", ["latest"])
    taken = filled.latest().id
    other.save([result_of(50, started=DAY)])
    execute(tmp_path / "other.db", "UPDATE assay_evaluations SET id = ?", values=(taken,))
    (new,) = other.import_(tmp_path / "all.zst").new
    assert new.startswith(taken[:-1])
    assert new != taken
    assert other.count() == 2
    assert other.import_(tmp_path / "all.zst").known == (new,)


def without(lines, key, value):
    """The lines with another value in the first evaluation."""
    return [lines[0], {"evaluation": {**lines[1]["evaluation"], key: value}}, *lines[2:]]


CHANGES = {
    "empty": lambda lines: [],
    "newer": lambda lines: [{"schema": "assay.export/9"}],
    "no head": lambda lines: lines[1:],
    "no end": lambda lines: lines[:-1],
    "no result": lambda lines: lines[:2],
    "a result fewer": lambda lines: [*lines[:2], lines[3], *lines[4:]],
    "another end": lambda lines: [*lines[:-1], {"end": 9}],
    "empty result": lambda lines: [lines[0], lines[1], {"result": {}}],
    "empty evaluation": lambda lines: [lines[0], {"evaluation": {}}],
    "id that is a word": lambda lines: without(lines, "id", "latest"),
    "id that is a path": lambda lines: without(lines, "id", "../x"),
    "tag of two words": lambda lines: without(lines, "tags", ["a b,\n\x1b[31m"]),
    "baseline that is a word": lambda lines: without(lines, "baselines", [{"name": "latest", "part": ""}]),
    "baseline of nobody": lambda lines: without(lines, "baselines", [{"name": "main", "part": "zzz"}]),
}


def test_what_is_wrong_with_a_file_is_told(local, other, tmp_path, snapshots):
    """Words in a file are held to the same rules as typed ones; what was changed is not what was exported."""
    fill(local).export(tmp_path / "all.zst")
    lines, whole = lines_of(tmp_path / "all.zst"), (tmp_path / "all.zst").read_bytes()
    short = write_lines(tmp_path / "short.zst", lines[:5])
    with pytest.raises(DataError):
        other.import_(short)
    assert sorted(entry.provider for entry in other.list()) == ["bm25", "dense"], "the evaluations before a cut are taken"
    scores = json.loads(json.dumps(lines[2]))
    scores["result"]["per_query"]["q0"]["mrr"] = 1.0 - scores["result"]["per_query"]["q0"]["mrr"] / 2
    files = {name: change(lines) for name, change in CHANGES.items()}
    files["changed scores"] = [*lines[:2], scores, *lines[3:]]
    contents = {name: write_lines(tmp_path / "wrong.zst", wrong).read_bytes() for name, wrong in files.items()}
    contents |= {"no bytes": b"", "qrels": b"q1 0 d1 1\n", "begun": b"\x28\xb5\x2f\xfd", "cut": whole[:-40]}

    def take(content):
        (tmp_path / "wrong.zst").write_bytes(content)
        other.import_(tmp_path / "wrong.zst")

    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    cases = {
        **{name: lambda content=content: take(content) for name, content in contents.items()},
        "no file": lambda: local.import_(tmp_path / "gone.zst"),
        "export below a file": lambda: local.export(tmp_path / "file" / "all.zst"),
        "export over a folder": lambda: local.export(tmp_path / "folder"),
        "export as JSON": lambda: local.export(tmp_path / "all.json"),
    }
    snapshots.check_errors("store/exports", cases)
    assert other.check().faults == ()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".") or path.name == "all.json"] == []


def test_any_number_survives_the_journey(local, other, tmp_path):
    odd = np.array([np.nan, -np.nan, np.inf, -0.0, np.array([0x7FF8000000000001], "u8").view("f8")[0]])
    result = result_of(5)
    columns = [result.table.columns["mrr"]._replace(score=np.array([one, 0.5, one])) for one in odd]
    tables = [replace(result.table, columns={**result.table.columns, "mrr": column}) for column in columns]
    local.save([result.with_fields(name=f"p{n}", table=table) for n, table in enumerate(tables)])
    local.export(tmp_path / "odd.zst", ["latest"])
    other.import_(tmp_path / "odd.zst")
    assert len(local.import_(tmp_path / "odd.zst").known) == 1
    found = [one.array("mrr") for one in other.latest().results]
    assert np.array_equal(found, [column.score for column in columns], equal_nan=True)


SECRET = "canary9f8e7d"


def test_a_secret_that_became_known_later_is_not_exported(store, other, tmp_path):
    result = result_of(1, benchmark=SECRET, provider=f"p-{SECRET}", started=DAY)
    queries = {name: replace(query, text=f"the key {SECRET}") for name, query in result.queries.items()}
    store.save([result.with_fields(queries=queries, failures={"q2": f"refused {SECRET}"}), result_of(2)], {"url": SECRET})
    store.note("latest", f"with {SECRET}")
    store.tag("latest", SECRET)
    store.judgments.give(Judgment("small", "q0", "d1", "Ada", 1.0, SECRET))
    add_secret(SECRET, "the header Authorization")
    file = tmp_path / "all.jsonl.zst"
    assert store.export(file) == 1
    assert SECRET not in zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes()).decode()
    other.import_(file)
    assert other.check().faults == ()
    first, second = other.find("latest").results
    assert (first.name, first.benchmark, first.failures["q2"]) == ("p-…", "…", "refused …")
    assert dict(first.run) == dict(result.run)
    assert first["ndcg@10"] == result["ndcg@10"]
    assert differences(second, saved_and_read(result_of(2))) == {}
    assert other.find("latest").notes[0].text == "with …"
    other.import_(file)
    assert len(other.list()) == 2
    add_secret("canary1a2b3c", "the header Authorization")
    name = store.save([result_of(1).with_fields(run={"q0": {f"d-{SECRET}": 2.0, "d-canary1a2b3c": 1.0}})])
    with pytest.raises(StoreError, match=f"^{name} cannot be exported"):  # ids that differ by secrets alone
        store.export(tmp_path / "other.zst")
    assert not (tmp_path / "other.zst").exists()


def test_an_export_of_the_first_version_is_taken_over_under_its_digest(tmp_path):
    """What a result says, and so its digest, does not depend on the version that packed it."""
    counts = {"judged": 1, "scored": 1, "missing": 0, "without_relevant": 0, "extra": 0}
    plain = {"name": "bm25", "summary": {"mrr": 0.5}, "counts": counts, "policy": {"ties": "docid_desc"}}
    plain |= {"missing": [], "notes": [], "fingerprints": {}, "per_query": {"q": {"mrr": 0.5}}}
    plain |= {"run": {"q": {"a": 2.0, "b": 1}}, "relevant": {"q": {"b": 1}}}
    about = {"id": "2026-10-01-small-2af5", "saved": "2026-10-01T02:00:00+00:00", "plan": {}, "tags": [], "notes": []}
    about |= {"baselines": [], "results": 1, "digest": "2af5d0df3c7f0bc14adade23815c7df6"}
    head = {"schema": "assay.export/1", "assay": "0.1.0", "written": ""}
    lines = [head, {"evaluation": about}, {"result": plain}, {"end": 1}]
    path = write_lines(tmp_path / "old.jsonl.zst", lines)
    with Store.open(tmp_path / "store.db") as store:
        assert store.import_(path).new == (about["id"],)
        (result,) = store.find("latest").results
        assert (result["mrr"], dict(result.run)) == (0.5, {"q": {"a": 2.0, "b": 1.0}})
