"""Answers and their log: what was kept is what is read, however the process ended."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import DataError, Hit, UsageError
from assay.execution import Response
from assay.execution import responses as module
from assay.execution.responses import SCHEMA, ResponseLog, remove_stale_files

from ._retrievers import LONG

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
EXTRA = st.none() | st.dictionaries(IDS, st.dictionaries(IDS, st.integers() | st.text(max_size=3), min_size=1), min_size=1)


@st.composite
def answers(draw):
    docs = draw(st.lists(IDS, unique=True, max_size=3))
    scores = [draw(SCORES) for _ in docs]
    ms, error, n_together = draw(st.floats(0, 1e6)), draw(st.none() | st.text(max_size=8)), draw(st.integers(1, 1000))
    return Response(draw(IDS), docs, scores, ms, error, draw(EXTRA), n_together)


RECORDS = st.lists(st.tuples(IDS, st.lists(answers(), min_size=1, max_size=3)), max_size=4)


def written(path, records, header=None):
    log = ResponseLog(path)
    log.begin({"plan": {"name": "p"}} if header is None else header)
    appender = log.appender()
    for part, some in records:
        appender.append(part, some)
    appender.close()
    return log


def by_part(records):
    found = {}
    for part, some in records:
        found.setdefault(part, {}).update({answer.query: answer for answer in some})
    return found


@settings(max_examples=60)
@given(RECORDS, st.dictionaries(IDS.filter(lambda name: name != "schema"), st.text() | st.integers(), max_size=3))
def test_what_was_kept_is_read(tmp_path_factory, records, header):
    log = written(tmp_path_factory.mktemp("log") / "a.log", records, header)
    before = log.path.read_bytes()
    assert log.read() == ({"schema": SCHEMA, **header}, by_part(records))
    assert log.header() == {"schema": SCHEMA, **header}
    assert log.path.read_bytes() == before


THREE = [
    ("a", [Response("q1", ["d1", "ü\n"], [2.5, -1.0], 3.0)]),
    ("a", [Response("q2", error="no")]),
    ("b", [Response("q1")]),
]


def test_cut_at_any_byte_the_whole_lines_before_are_read_and_the_file_is_mended(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 4
    for cut in range(len(whole) + 1):
        log = ResponseLog(tmp_path / "cut.log")
        log.path.write_bytes(whole[:cut])
        header, answers = log.read()
        n_whole = sum(end <= cut for end in ends)
        assert bool(header) == (n_whole > 0)
        assert answers == by_part(THREE[: max(0, n_whole - 1)])
        assert log.path.read_bytes() == whole[:cut]  # another process may be writing: reading leaves the file alone
        log.truncate_damage()
        assert log.path.read_bytes() == whole[: ends[n_whole - 1] if n_whole else 0]


def test_after_a_cut_it_is_written_on(tmp_path):
    log = written(tmp_path / "a.log", THREE[:2])
    log.path.write_bytes(log.path.read_bytes()[:-3])
    log.truncate_damage()
    appender = log.appender()
    appender.append(*THREE[2])
    appender.close()
    assert log.read()[1] == by_part([THREE[0], THREE[2]])


def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    line_of = [whole[:place].count(b"\n") for place in range(len(whole))]
    for place in range(len(whole)):
        log = ResponseLog(tmp_path / "flipped.log")
        log.path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert log.read()[1] == by_part(THREE[: max(0, line_of[place] - 1)])


def test_the_later_answer_of_a_query_counts(tmp_path):
    log = written(tmp_path / "a.log", [("a", [Response("q", error="busy")]), ("a", [Response("q", ["d"], [1.0])])])
    assert log.read()[1]["a"]["q"].ranking == {"d": 1.0}


def test_a_log_that_is_not_there_has_nothing(tmp_path):
    assert ResponseLog(tmp_path / "gone.log").read() == ({}, {})
    assert ResponseLog(tmp_path / "gone.log").header() == {}
    assert not (tmp_path / "gone.log").exists()


def test_to_begin_is_to_put_aside_what_was(tmp_path):
    log = written(tmp_path / "deep" / "a.log", THREE)
    log.begin({"plan": {"name": "other"}})
    assert log.read() == ({"schema": SCHEMA, "plan": {"name": "other"}}, {})
    assert sorted(path.name for path in log.path.parent.iterdir()) == ["a.log", "a.log.before"]
    assert ResponseLog(log.path.with_name("a.log.before")).read()[1] == by_part(THREE)


def test_metadata_that_json_has_no_word_for_is_kept_as_numbers_and_text(tmp_path):
    odd = {"d": {"number": np.float32(0.5), "many": np.arange(2), "thing": set, "when": 1 + 2j}}
    log = written(tmp_path / "a.log", [("a", [Response("q", ["d"], [1.0], extra=odd)])])
    extra = log.read()[1]["a"]["q"].extra
    assert extra["d"] == {"number": 0.5, "many": [0, 1], "thing": "<class 'set'>", "when": "(1+2j)"}


def test_hits_have_back_what_came_along():
    answer = Response("q", ["a", "b"], [2.0, 1.0], extra={"a": {"text": "t", "page": 3}})
    assert answer.hits == [Hit("a", 2.0, "t", {"page": 3}), Hit("b", 1.0)]
    assert answer.ranking == {"a": 2.0, "b": 1.0}


def test_what_cannot_be_written_is_left_out_and_the_rest_kept(tmp_path):
    """Half a letter is no text. Such an answer is asked for again when the run goes on."""
    log = written(tmp_path / "a.log", [("a", [Response("q1", ["d"], [1.0]), Response("q2", ["\ud800"], [1.0])])])
    assert list(log.read()[1]["a"]) == ["q1"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "a.log").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"a\.log: cannot be written"):
        ResponseLog(tmp_path / "a.log").appender()
    below = ResponseLog(tmp_path / "file" / "b.log")
    with pytest.raises(DataError, match=r"b\.log: cannot be written"):
        below.begin({})
    with pytest.raises(DataError, match=r"b\.log: cannot be written"), below.lock():
        pass


def test_who_holds_it_holds_it_alone(tmp_path):
    log, again = ResponseLog(tmp_path / "a.log"), ResponseLog(tmp_path / "a.log")
    refused = pytest.raises(UsageError, match=r"the same evaluation is running already and writes .*a\.log")
    with log.lock(), ResponseLog(tmp_path / "b.log").lock(), refused, again.lock():
        pass
    with again.lock():
        pass


def test_locks_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path):
    for name in (".dead.log.lock", ".mine.lock"):
        (tmp_path / name).touch()
    with ResponseLog(tmp_path / "alive.log").lock():
        remove_stale_files(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == [".alive.log.lock", ".mine.lock"]


def test_it_is_let_go_of_when_something_goes_wrong(tmp_path):
    log = ResponseLog(tmp_path / "a.log")
    with pytest.raises(ZeroDivisionError), log.lock():
        1 / 0  # noqa: B018 (it is raised)
    with log.lock():
        pass


def test_one_may_wait_until_it_is_let_go_of(tmp_path):
    log, order, waits = ResponseLog(tmp_path / "a.log"), [], threading.Event()

    def wait():
        waits.set()
        with ResponseLog(tmp_path / "a.log").lock(waits=True):
            order.append("second")

    thread = threading.Thread(target=wait)
    with log.lock():
        thread.start()
        waits.wait(LONG)
        time.sleep(0.1)
        order.append("first")
    thread.join(LONG)
    assert order == ["first", "second"]


FULL = """
import resource, sys
from pathlib import Path
from assay.errors import DataError
from assay.execution.responses import Response, ResponseLog
log = ResponseLog(Path("a.log"))
log.begin({"plan": {"name": "p"}})
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
appender = log.appender()
n_kept = 0
try:
    for number in range(100):
        appender.append("part", [Response(f"q{number}", ["d"] * 5, [1.0] * 5)])
        n_kept += 1
except DataError as error:
    print(n_kept, error)
try:
    log.begin({"plan": {"name": "x" * 5000}})
except DataError as error:
    print(error)
"""


def test_when_the_disk_is_full_it_is_told_and_what_was_kept_is_there(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    first, second = done.stdout.splitlines()
    n_kept, _, told = first.partition(" ")
    assert told == second == "a.log: cannot be written: File too large; make room, or work in another folder"
    log = ResponseLog(tmp_path / "a.log")
    assert log.read() == (
        {"schema": SCHEMA, "plan": {"name": "p"}},
        {"part": {f"q{n}": Response(f"q{n}", ["d"] * 5, [1.0] * 5) for n in range(int(n_kept))}},
    )
    assert log.path.stat().st_size == 2000  # with half a line at its end
    log.truncate_damage()
    assert log.path.stat().st_size < 2000
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]


def test_a_lock_is_removed_by_who_held_it(tmp_path):
    log = ResponseLog(tmp_path / "a.log")
    with log.lock():
        assert [path.name for path in tmp_path.iterdir()] == [".a.log.lock"]
        with pytest.raises(UsageError, match="is running already"), log.lock():
            pass
        assert [path.name for path in tmp_path.iterdir()] == [".a.log.lock"]
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_removed_meanwhile_is_none(tmp_path, monkeypatch):
    """Who waited for a lock, and gets it when its holder removes it, must not share it with who comes next."""
    log, n_locked = ResponseLog(tmp_path / "a.log"), 0
    lock = module._try_lock

    def slow(handle, *, waits):
        nonlocal n_locked
        n_locked += 1
        found = lock(handle, waits=waits)
        if n_locked == 1:
            (tmp_path / ".a.log.lock").unlink()
        return found

    monkeypatch.setattr(module, "_try_lock", slow)
    with log.lock():
        assert (tmp_path / ".a.log.lock").exists()
        with pytest.raises(UsageError, match="is running already"), log.lock():
            pass
    assert n_locked == 2 + module.LOCK_ATTEMPTS
