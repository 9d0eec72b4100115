"""Running: evaluations tell how far they are in files beside the store, and leave nothing behind."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.execution import Progress
from assay.store import list_running, parse_location, publish_progress

SCRIPT = Path(sys.executable).with_name("assay")
SLOW = """
import pathlib, time
def search(query, k=10):
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return {"p001": 1.0}
"""


@pytest.fixture
def place(tmp_path):
    return parse_location(tmp_path / "store.db")


def folder_of(place):
    """Where evaluations tell how far they are."""
    return place.path.parent / "running"


def until(condition, seconds=30):
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail("it never came")


def test_how_far_it_is_and_that_nothing_is_left_behind(place):
    assert list_running(place) == []
    with publish_progress(place, 2) as tell:
        (one,) = list_running(place)
        assert (one.n_parts, one.parts, one.n_done) == (2, (), 0)
        progress = Progress("small/bm25", 10, n_done=4, n_failed=1, n_cached=2)
        tell(progress)
        (part,) = list_running(place)[0].parts
        assert part[:5] == ("small/bm25", 10, 4, 1, 2)
        progress.n_done = 10
        tell(progress)
        tell(Progress("small/dense\x1b", 10))
        (one,) = list_running(place)
        assert (one.n_done, [part.name for part in one.parts]) == (1, ["small/bm25", "small/dense\\x1b"])
        assert json.loads(json.dumps(one.to_dict()))["parts"][0]["n_done"] == 10
    assert not folder_of(place).exists()
    with publish_progress(place, 1) as tell:
        progress = Progress("small/http", 10)
        progress.note_wait(60, "429 Too Many Requests")
        tell(progress)
        assert list_running(place)[0].parts[0].waiting == "429 Too Many Requests"
    with pytest.raises(KeyboardInterrupt), publish_progress(place, 1):
        raise KeyboardInterrupt
    assert list_running(place) == []
    assert not folder_of(place).exists()


def test_the_dead_and_what_cannot_be_read_do_not_count(place):
    """A file that nobody touched for a while."""
    folder_of(place).mkdir()
    left = folder_of(place) / "1-0000dead.json"
    left.write_text('{"id":"1-0000dead","started":"2026-11-15","n_parts":1,"parts":[]}')
    assert [one.id for one in list_running(place)] == ["1-0000dead"]
    ago = time.time() - 60
    os.utime(left, (ago, ago))
    for content in (b"", b"{", b"[]", b'{"id": 1}', b"\xff\xfe", b'{"id":"a","started":"b","n_parts":"c"}'):
        (folder_of(place) / "x.json").write_bytes(content)
        assert list_running(place) == [], content


def test_the_next_evaluation_removes_what_is_left_of_the_dead_and_nothing_else(place):
    folder = folder_of(place)
    folder.mkdir()
    for name in ("1-0000dead.json", ".assay-0123456789abcdef.tmp", "mine.json", "1-0000dead.json.bak"):
        (folder / name).write_text("{}")
    with publish_progress(place, 1), publish_progress(place, 1):
        names = {file.name for file in folder.iterdir()}
        assert {"mine.json", "1-0000dead.json.bak"} < names
        assert not names & {"1-0000dead.json", ".assay-0123456789abcdef.tmp"}
        assert len(list_running(place)) == 2
    assert {file.name for file in folder.iterdir()} == {"mine.json", "1-0000dead.json.bak"}


@pytest.mark.slow
def test_it_shows_signs_of_life_while_nothing_is_answered(place):
    with publish_progress(place, 1):
        (file,) = folder_of(place).glob("*.json")
        os.utime(file, (0, 0))
        until(lambda: file.stat().st_mtime > 1000)


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path):
    (tmp_path / "running").write_text("a file is in the way")
    place = parse_location(tmp_path / "store.db")
    with publish_progress(place, 1) as tell:
        tell(Progress("small/bm25", 10))
        assert list_running(place) == []


def test_readers_never_see_half_a_file(place):
    """Replaced whole, however often it is looked at."""
    seen, over = [], threading.Event()

    def look():
        while not over.is_set():
            seen.append(len(list_running(place)))

    with publish_progress(place, 1) as tell:
        reader = threading.Thread(target=look)
        reader.start()
        for number in range(60):
            tell(Progress(f"small/{number}", 1))
        over.set()
        reader.join()
    assert set(seen) == {1}


@pytest.fixture
def started(tmp_path):
    """`assay eval` as a process that waits until it is told to go on."""
    (tmp_path / "slow.py").write_text(SLOW)
    words = "eval --benchmarks rag-template --providers bm25 python:slow:search --metrics mrr --quiet"
    command = [SCRIPT, *words.split()]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "ASSAY_STORE": str(tmp_path / "s" / "store.db")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as process:
        yield process, parse_location(tmp_path / "s" / "store.db"), tmp_path / "go"
        process.kill()


@pytest.mark.slow
def test_an_evaluation_is_seen_while_it_runs(started):
    process, place, go = started
    (one,) = until(lambda: [one for one in list_running(place) if len(one.parts) == 2])
    assert (one.n_parts, one.n_done) == (2, 1)
    assert [part.name for part in one.parts] == ["rag-template/bm25", "rag-template/python:slow:search"]
    go.touch()
    assert process.wait(60) == 0
    assert list_running(place) == []
    assert not folder_of(place).exists()
