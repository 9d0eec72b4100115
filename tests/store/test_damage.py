"""Stores and exports that somebody, or a disk, has changed: what is left is read, the rest is refused in one line."""

import itertools
import json
import os
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from tests._results import differences, saved_and_read
from tests._variants import for_each
from zstandard import compress

from assay.errors import StoreError
from assay.store import Judgment, Store

from ._results import DAY, execute, result_of


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "store.db"
    with Store.open(path) as store:
        name = store.save([result_of(0, started="2026-10-01T02:00:00+00:00"), result_of(1, provider="dense")], {"a": [1]})
        store.save([result_of(2)])
        store.bless(name, "main", force=True)
        store.judgments.give(Judgment("small", "q0", "d1", "Ada", 1.0))
    execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    return path


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


def listed(store):
    return [entry.to_dict() for entry in store.list()]


ROWS = {
    "no provider": ("UPDATE assay_results SET provider = NULL", listed),
    "bytes for a provider": ("UPDATE assay_results SET provider = x'ff'", look_at_everything),
    "no UTF-8": ("UPDATE assay_results SET provider = CAST(x'ff41' AS TEXT)", listed),
    "a word for a figure": ("UPDATE assay_figures SET value = 'high'", listed),
    "no plan": ("UPDATE assay_evaluations SET plan = NULL", look_at_everything),
    "a word for a grade": ("UPDATE assay_judgments SET grade = 'good'", lambda store: store.judgments.find()),
}
DEEP = b"[" * 200_000 + b"]" * 200_000  # too deep for every version of Python
RECORDS = {"empty": b"{}", "a list": b"[1]", "deep": DEEP, "no text": b"\xff", "nothing": b""}
PLANS = {"a list": b"[]", "a number": b"5", "deep": DEEP, "no JSON": b"{" * 3}


def test_rows_that_nobody_wrote_are_told_with_the_store(sound, snapshots):
    def masked(error):
        said = str(error).replace(str(sound.parent), "<tmp>")
        said = re.sub(r"20\d\d-\d\d-\d\d-(\w+)-[0-9a-f]+", r"<day>-\1-<digest>", said)
        said = re.sub(r"(is damaged: )(?!its record|plan:).*(; assay)", r"\1…\2", said)  # what Python says there
        return re.sub(r"(the database reports: ).*", r"\1…", said)

    changes = {name: ((statement,), work) for name, (statement, work) in ROWS.items()}
    record, plan = "UPDATE assay_results SET record = ? WHERE number = 1", "UPDATE assay_evaluations SET plan = ?"
    changes |= {f"record: {name}": ((record, compress(content)), look_at_everything) for name, content in RECORDS.items()}
    changes |= {f"plan: {name}": ((plan, compress(content)), look_at_everything) for name, content in PLANS.items()}
    large = compress(bytes(65 << 20))
    for cell in ("assay_results SET record", "assay_evaluations SET plan", "assay_payloads SET data"):
        changes[f"too large: {cell}"] = ((f"UPDATE {cell} = ?", large), look_at_everything)
    texts = {}
    for name, (change, work) in changes.items():
        with pytest.raises(StoreError) as error, Store.open(changed(sound, change)) as store:
            work(store)
        assert error.value.exit_code == 6, name
        texts[name] = masked(error.value)
    snapshots.check("store/damage", "".join(f"## {name}\n{text}\n\n" for name, text in texts.items()))


@pytest.fixture
def filled(tmp_path):
    """A store with one evaluation."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.save([result_of(1)])
    return path


def is_whole(path):
    with Store.open(path, create=False) as store:
        assert store.check().faults == ()
        assert differences(store.find("latest").results[0], saved_and_read(result_of(1))) == {}
    return True


def test_a_file_and_folder_that_nobody_may_change_can_be_read(filled):
    """Root may change everything, so somebody else tries."""
    filled.chmod(0o444)
    filled.parent.chmod(0o555)
    Store.open(filled).close()  # all is imported before the user changes
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        said = "something else went wrong"
        try:
            if os.geteuid() == 0:
                for folder in itertools.takewhile(lambda one: one != Path(tempfile.gettempdir()), filled.parents[1:]):
                    folder.chmod(0o755)
                os.setuid(65534)
            with Store.open(filled) as store:
                said = f"{store.count()} "
                store.save([result_of(2)])
        except StoreError as error:
            said += str(error)
        finally:
            os.write(theirs, said.encode())
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    filled.parent.chmod(0o755)
    filled.chmod(0o644)
    assert said.startswith(f"1 {filled}: ")
    assert is_whole(filled)


def test_any_name_of_a_file_will_do(tmp_path):
    for name in ("what? 100% #1 & more.db", "Anfälle 病.db", "\udcff.db"):
        with Store.open(tmp_path / name) as store:
            store.save([result_of(1)])
        assert (tmp_path / name).exists()
        assert is_whole(tmp_path / name)


def test_what_is_no_store_is_left_alone(tmp_path, filled, snapshots):
    """Somebody else's database, a file of another kind, a folder, a store that is cut or may not be changed."""
    contents = {"qrels": b"q1 0 d1 1\n" * 100, "JSON": b"{}", "damaged": b"SQLite format 3\0" + b"\xff" * 5000}
    contents["cut"] = filled.read_bytes()[:9000]
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    execute(tmp_path / "app.db", "CREATE TABLE users (name)")
    before = (tmp_path / "app.db").read_bytes()

    def look(place):
        with Store.open(place) as store:
            store.find("latest")

    def save_read_only():
        with Store.open(f"sqlite:///{filled}?mode=ro") as store:
            store.save([result_of(2)])

    cases = {
        **{name: lambda name=name: look(tmp_path / name) for name in (*contents, "app.db")},
        "app.db, not to be made": lambda: Store.open(tmp_path / "app.db", create=False),
        "a folder": lambda: Store.open(tmp_path),
        "nothing there": lambda: Store.open(tmp_path / "gone.db", create=False),
        "read-only": save_read_only,
    }
    snapshots.check_errors("store/no_stores", cases)
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents
    assert (tmp_path / "app.db").read_bytes()[24:] == before[24:]
    assert not (tmp_path / "gone.db").exists()


def damaged(path, share):
    """The file with a stretch of it overwritten: the first that is in use from there on, as free space holds nothing."""
    content = bytearray(path.read_bytes())
    start = int(len(content) * share)
    start = next(place for place in range(start, len(content), 100) if content[place : place + 3000].count(0) < 1000)
    content[start : start + 3000] = os.urandom(min(3000, len(content) - start))
    path.write_bytes(content)


@pytest.mark.slow
@for_each("share", [0.0, 0.35, 0.9])
def test_damage_is_told_and_never_read_as_something_else(tmp_path, share):
    path = tmp_path / f"{share}.db"
    with Store.open(path) as store:
        names = [store.save([result_of(number)]) for number in range(25)]
    good = tmp_path / "copy.db"
    shutil.copy(path, good)
    damaged(path, share)
    told = []
    try:
        with Store.open(path, create=False) as store:
            told += store.check().faults
            for number, name in enumerate(names):
                try:
                    assert differences(store.find(name).results[0], saved_and_read(result_of(number))) == {}
                except (StoreError, LookupError) as error:
                    told.append(str(error))
    except StoreError as error:
        told.append(str(error))
    assert told
    with Store.open(good) as store:
        assert store.check().is_sound


FAULTS = {  # what was changed behind the store's back
    "other figure": "UPDATE assay_figures SET value = 0.99 WHERE metric = 'mrr'",
    "no figure": "DELETE FROM assay_figures WHERE metric = 'mrr'",
    "no result": "DELETE FROM assay_results WHERE place = 1",
    "other digest": "UPDATE assay_results SET digest = 'x' WHERE place = 0",
    "other scores": "UPDATE assay_results SET scores = (SELECT scores FROM assay_results WHERE place = 0) WHERE place = 1",
    "scores for rankings": "UPDATE assay_results SET rankings = scores",
    "no rankings": "DELETE FROM assay_payloads WHERE digest = (SELECT rankings FROM assay_results)",
    "zeros for scores": "UPDATE assay_payloads SET data = zeroblob(40) WHERE digest IN (SELECT scores FROM assay_results)",
}


def test_a_sound_store_and_what_nobody_needs(store, url):
    store.save([result_of(1), result_of(2, provider="dense")])
    check = store.check()
    assert (check.is_sound, check.n_evaluations, check.n_results, check.n_unused) == (True, 1, 2, 0)
    execute(url, "DELETE FROM assay_figures", "DELETE FROM assay_results")
    check = store.check()
    assert check.n_unused == check.n_payloads  # one benchmark, and all payloads but its queries
    assert store.vacuum() == check.n_unused + 1
    assert store.check().n_payloads == 0


def test_what_was_changed_behind_the_stores_back_is_told(tmp_path, snapshots):
    texts, made = [], tmp_path / "made.db"
    with Store.open(made) as store:
        store.save([result_of(1, started=DAY), result_of(2, provider="dense", started=DAY)])
    execute(made, "PRAGMA wal_checkpoint(TRUNCATE)")
    for number, (name, statement) in enumerate(FAULTS.items()):
        path = shutil.copy(made, tmp_path / f"{number}.db")
        execute(path, "PRAGMA foreign_keys = OFF", statement)
        with Store.open(path) as store:
            faults = store.check().faults
        assert faults, name
        texts += [f"## {name}", *faults, ""]
    text = "\n".join(texts)
    snapshots.check("store/faults", re.sub(r"cannot be read \(.*\)", "cannot be read (…)", text))
