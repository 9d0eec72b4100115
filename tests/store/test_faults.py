"""A store that cannot be used says why and what to do, and what it held is still there."""

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests._results import differences, saved_and_read

from assay.errors import StoreError
from assay.store import Store
from assay.store import database as database_module

from ._results import result_of

WRITERS = Path(__file__).with_name("_writers.py")
FULL = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from _results import result_of
from assay.errors import StoreError
from assay.store import Store

store = Store.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
saved = 0
try:
    for number in range(10_000):
        store.save([result_of(number)])
        saved += 1
except StoreError as error:
    print(saved, error)
"""


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


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path):
    path = tmp_path / "store.db"
    command = [sys.executable, "-c", FULL, str(path), str(WRITERS.parent), "600000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    n_saved, said = done.stdout.split(" ", 1)
    assert "store.db: the disk refuses to read or write it (is it full" in said or "no space left" in said
    assert "what was there is still there" in said
    with Store.open(path) as store:
        assert store.count() == int(n_saved) > 0
        assert store.check().faults == ()
        store.save([result_of(99_999)])


def test_a_store_opened_for_reading_only(filled):
    with Store.open(f"sqlite:///{filled}?mode=ro") as store:
        assert store.count() == 1
        with pytest.raises(StoreError, match=r"store\.db: it is read-only; what was there is still there"):
            store.save([result_of(2)])
    assert is_whole(filled)


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
    assert said.startswith("1 ")
    assert "it is read-only" in said
    assert is_whole(filled)


@pytest.mark.parametrize("content", [b"q1 0 d1 1\n" * 100, b"{}", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_left_alone(tmp_path, content):
    path = tmp_path / "qrels.txt"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"qrels\.txt: (this is no assay store|the file is damaged)"):
        Store.open(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["what? 100% #1 & more.db", "Anfälle 病.db", "\udcff.db"])
def test_any_name_of_a_file_will_do(tmp_path, name):
    with Store.open(tmp_path / name) as store:
        store.save([result_of(1)])
    assert (tmp_path / name).exists()
    assert is_whole(tmp_path / name)


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="the file cannot be opened; does its folder exist"):
        Store.open(tmp_path)


def test_somebody_elses_database_is_left_alone(tmp_path):
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name)")
    connection.close()
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(
            StoreError, match=r"app\.db: this is a database, but no assay store; name another one with --store"
        ):
            Store.open(path, create=create)
    assert path.read_bytes()[24:] == before[24:]


def damaged(path, share):
    """The file with a stretch of it overwritten: the first that is in use from there on, as free space holds nothing."""
    content = bytearray(path.read_bytes())
    start = int(len(content) * share)
    start = next(place for place in range(start, len(content), 100) if content[place : place + 3000].count(0) < 1000)
    content[start : start + 3000] = os.urandom(min(3000, len(content) - start))
    path.write_bytes(content)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.35, 0.6, 0.9])
def test_damage_is_told_and_never_read_as_something_else(tmp_path, share):
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        names = [store.save([result_of(number)]) for number in range(40)]
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


def test_a_cut_file_is_told(filled):
    filled.write_bytes(filled.read_bytes()[:9000])
    with pytest.raises(StoreError, match="the file is damaged; put a copy in its place"), Store.open(filled) as store:
        store.find("latest")


def test_a_payload_that_was_changed_is_told_with_its_result(filled):
    with sqlite3.connect(filled) as connection:
        connection.execute(
            "UPDATE assay_payloads SET data = zeroblob(40) WHERE digest IN (SELECT scores FROM assay_results)"
        )
    connection.close()
    with Store.open(filled) as store:
        with pytest.raises(StoreError, match=r"2026-.*#small/bm25: scores is damaged"):
            store.latest()
        (fault,) = store.check().faults
        assert "#small/bm25: scores is damaged" in fault


def test_others_that_never_stop_writing_are_waited_for_and_told(filled, monkeypatch):
    monkeypatch.setattr(database_module, "MAX_WAIT", 0.2)
    monkeypatch.setattr(database_module, "PRAGMAS", ("busy_timeout = 50", "foreign_keys = ON"))
    other = sqlite3.connect(filled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with Store.open(filled) as store:
            assert store.count() == 1  # readers are not held up
            with pytest.raises(
                StoreError, match="others have been writing to it all the time; nothing was saved, try again"
            ):
                store.save([result_of(2)])
            other.execute("ROLLBACK")
            store.save([result_of(2)])
            assert store.count() == 2
    finally:
        other.close()
