"""One file carries evaluations from store to store; importing it twice changes nothing."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import zstandard
from tests._results import differences, saved_and_read

from assay.errors import BadParameter, DataError, StoreError, UnknownName
from assay.masking import add_secret
from assay.store import Store, packing
from assay.store.judgments import Judgment

from ._results import result_of

DAY = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def filled(store):
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
    assert (again.new, again.known, again.baselines, again.kept) == ((), done.new, (), ())
    assert everything(other) == everything(filled)
    assert filled.import_(file).new == ()


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
    from sqlalchemy import text

    other._database.write(lambda one: one.execute(text("UPDATE assay_evaluations SET id = :id"), {"id": taken}))
    (new,) = other.import_(tmp_path / "all.zst").new
    assert new.startswith(taken[:-1])
    assert new != taken
    assert other.count() == 2
    assert other.import_(tmp_path / "all.zst").known == (new,)


def lines_of(file):
    return [
        json.loads(line) for line in zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes()).splitlines()
    ]


def write_lines(file, lines):
    file.write_bytes(zstandard.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    return file


def test_the_file_can_be_read_by_anybody(filled, tmp_path):
    filled.export(tmp_path / "all.zst")
    head, first, *rest = lines_of(tmp_path / "all.zst")
    assert head["schema"] == "assay.export/1"
    assert first["evaluation"]["results"] == 2
    plain = rest[0]["result"]
    assert plain["per_query"] == saved_and_read(result_of(1)).to_dict()["per_query"]
    assert plain["run"] == result_of(1).run
    assert rest[-1] == {"end": 2}


def test_an_evaluation_that_was_changed_is_refused(filled, other, tmp_path):
    filled.export(tmp_path / "all.zst")
    lines = lines_of(tmp_path / "all.zst")
    lines[2]["result"]["per_query"]["q0"]["mrr"] = 1.0 - lines[2]["result"]["per_query"]["q0"]["mrr"] / 2
    with pytest.raises(DataError, match=r"changed\.zst: 2026-11-15-small-\w+ was changed after it was exported"):
        other.import_(write_lines(tmp_path / "changed.zst", lines))
    assert other.count() == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [], r"it ends too early: expected a line with schema"),
        (
            lambda lines: [{"schema": "assay.export/9"}],
            r"written as assay\.export/9, but this version reads assay\.export/1",
        ),
        (lambda lines: lines[1:], r":1: expected a line with schema"),
        (lambda lines: lines[:-1], r"it ends too early: expected a line with evaluation or judgment or end"),
        (lambda lines: lines[:2], r"it ends too early: expected a line with result"),
        (lambda lines: [*lines[:2], lines[3], *lines[4:]], r":4: expected a line with result"),
        (lambda lines: [*lines[:-1], {"end": 9}], r"it should hold 9 evaluations, but holds 2"),
        (lambda lines: [lines[0], lines[1], {"result": {}}], r":3: result\.name: is missing"),
        (lambda lines: [lines[0], {"evaluation": {}}], r":2: evaluation\.id: is missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(filled, other, tmp_path, change, said):
    filled.export(tmp_path / "all.zst")
    file = write_lines(tmp_path / "wrong.zst", change(lines_of(tmp_path / "all.zst")))
    with pytest.raises(DataError, match=rf"wrong\.zst.*{said}"):
        other.import_(file)
    assert other.check().faults == ()


@pytest.mark.parametrize("content", [b"", b"q1 0 d1 1\n", b"\x28\xb5\x2f\xfd", b"cut"])
def test_other_files_are_no_exports(filled, other, tmp_path, content):
    file = tmp_path / "some.zst"
    filled.export(file)
    file.write_bytes(file.read_bytes()[:-40] if content == b"cut" else content)
    with pytest.raises(DataError, match=r"some\.zst: (this is not a complete export of a store;|it ends too early)"):
        other.import_(file)
    with pytest.raises(DataError, match=r"gone\.zst: No such file"):
        other.import_(tmp_path / "gone.zst")


def test_a_file_cut_short_gives_the_evaluations_before_the_cut(filled, other, tmp_path):
    filled.export(tmp_path / "all.zst")
    file = write_lines(tmp_path / "short.zst", lines_of(tmp_path / "all.zst")[:5])
    with pytest.raises(DataError, match="it ends too early"):
        other.import_(file)
    assert sorted(entry.provider for entry in other.list()) == ["bm25", "dense"]
    assert other.check().faults == ()
    for result, back in zip(
        [result_of(1, started=DAY), result_of(2, provider="dense", started=DAY)], other.latest().results, strict=True
    ):
        assert differences(back, saved_and_read(result)) == {}


def test_an_export_that_cannot_be_written_leaves_no_file(filled, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"all.zst: cannot be written: (Not a directory|File exists)"):
        filled.export(tmp_path / "file" / "all.zst")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match=r"folder: cannot be written: there is a folder of that name"):
        filled.export(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("id", "latest", "an id looks like 2026-11-15-rag-template-7f3a; found 'latest'"),
        ("id", "../x", "an id looks like"),
        ("tags", ["a b,\n\x1b[31m"], "a tag is one word"),
        ("baselines", [{"name": "latest", "part": ""}], "a baseline is called by letters"),
        ("baselines", [{"name": "main", "part": "zzz"}], "is called 'zzz'"),
    ],
)
def test_words_in_a_file_are_held_to_the_same_rules_as_typed_ones(filled, other, tmp_path, key, value, said):
    filled.export(tmp_path / "all.zst")
    lines = lines_of(tmp_path / "all.zst")
    lines[1]["evaluation"][key] = value
    with pytest.raises(DataError, match=rf"wrong\.zst: an evaluation in it cannot be taken over: .*{re.escape(said)}"):
        other.import_(write_lines(tmp_path / "wrong.zst", lines))
    assert (other.count(), other.baselines()) == (0, {})


@pytest.mark.parametrize("odd", [np.nan, -np.nan, np.array([0x7FF8000000000001], "u8").view("f8")[0], np.inf, -0.0])
def test_any_number_survives_the_journey(filled, other, tmp_path, odd):
    result = result_of(5)
    column = result.table.columns["mrr"]._replace(score=np.array([odd, 0.5, odd]))
    filled.save([result.with_fields(table=replace(result.table, columns={**result.table.columns, "mrr": column}))])
    filled.export(tmp_path / "odd.zst", ["latest"])
    assert len(other.import_(tmp_path / "odd.zst").new) == 1
    assert len(filled.import_(tmp_path / "odd.zst").known) == 1
    assert np.array_equal(other.latest().results[0].array("mrr"), [odd, 0.5, odd], equal_nan=True)


def test_what_an_older_assay_saved_can_be_carried_too(filled, other, tmp_path, monkeypatch):
    """The first stores have ids as lists of JSON, so their digests are others."""
    with monkeypatch.context() as older:
        for module in (packing, packing):
            older.setattr(module, "pack_texts", lambda texts: json.dumps(list(texts)).encode())
        filled.save([result_of(9, started=DAY)])
    assert filled.check().faults == ()
    filled.export(tmp_path / "old.zst", ["latest"])
    assert len(other.import_(tmp_path / "old.zst").new) == 1
    assert differences(other.latest().results[0], filled.latest().results[0]) == {}
    assert other.check().faults == ()


def test_importing_what_is_there_does_not_make_it_the_latest(filled, tmp_path):
    filled.export(tmp_path / "first.zst", ["latest~1"])
    before = filled.latest().id
    filled.import_(tmp_path / "first.zst")
    assert filled.latest().id == before


def test_an_export_is_called_what_it_is(filled, tmp_path):
    with pytest.raises(BadParameter, match=r"an export is compressed: call it .*all\.jsonl\.zst, not .*all\.json"):
        filled.export(tmp_path / "all.json")
    assert list(tmp_path.glob("all*")) == []


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


def test_ids_that_differ_by_secrets_alone_are_not_exported(store, tmp_path):
    result = result_of(1)
    run = {"q0": {"d-canary9f8e7d": 2.0, "d-canary1a2b3c": 1.0}}
    name = store.save([result.with_fields(run=run)])
    for secret in ("canary9f8e7d", "canary1a2b3c"):
        add_secret(secret, "the header Authorization")
    with pytest.raises(StoreError, match=f"^{name} cannot be exported: the header Authorization is in it, and without"):
        store.export(tmp_path / "all.jsonl.zst")
    assert not (tmp_path / "all.jsonl.zst").exists()
