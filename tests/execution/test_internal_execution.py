"""What only the inside shows: clocks of the pool, how much is asked at once, bytes and locks of a log."""

import itertools
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import UsageError
from assay.execution import Response, RetryPolicy, pool, responses
from assay.execution.client import RetrieverClient
from assay.execution.pool import ThreadPool
from assay.execution.responses import SCHEMA, ResponseLog
from assay.execution.retry import RetryState
from assay.providers import RetryLater, adapt

from ._retrievers import LONG, Told, collected, errors, failing, queries, right


class Clock:
    """Time that passes when somebody sleeps; with a step, also when somebody looks."""

    def __init__(self, step=0.0):
        self.now, self.step = 0.0, step

    def perf_counter(self):
        return self.now

    def monotonic(self):
        self.now += self.step
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(pool, "time", made)
    monkeypatch.setattr(pool, "MAX_POLL_SECONDS", 0.001)
    monkeypatch.setattr("assay.execution.retry.random.uniform", lambda low, high: 1.0)
    return made


def test_batches_grow_while_answers_come_quickly_and_shrink_when_one_is_slow(clock):
    for seconds, batch, sizes in (
        (0.0, 8, [1, 2, 4, 8, 8, 8, 8, 1]),
        (0.06, 64, [1, 2, 4, 8, 16, 8, 1]),  # eight are quick, sixteen are not
        (3.0, 64, [1] * 40),  # so that little is lost
    ):
        told = Told(lambda query, seconds=seconds: clock.sleep(seconds) or right(query), batch=batch)
        collected(told, 40)
        assert told.sizes() == sizes, seconds
    told = Told(failing({"q5": ValueError("once")}))
    collected(told, 12)
    assert told.sizes() == [1, 2, 4, 1, 1, 1, 1, 2, 3]


def test_failures_of_a_batch_share_their_pauses(clock):
    """A retriever with a bug is told of soon, not after one pause for each query."""
    bug = {f"q{number}": TypeError("bug") for number in range(50)}
    for how in ({"batch": 50}, {}):
        clock.now = 0.0
        found = collected(Told(failing(bug, every=True)), 50, policy=RetryPolicy(retries=2, backoff=1.0), **how)
        assert set(errors(found).values()) == {"TypeError: bug"}
        assert clock.now == 1.0 + 2.0, how


def test_a_busy_service_is_left_alone_by_all_as_long_as_it_asks(clock):
    clock.step = 1.0
    for batch, how in ((1, {}), (1000, {"batch": 3})):
        starts, busy_at = [], []

        def answer(query, starts=starts, busy_at=busy_at):
            starts.append(clock.now)
            if not busy_at:
                busy_at.append(clock.now)
                raise RetryLater(200.0)
            return right(query)

        policy = RetryPolicy(timeout=1e6, concurrency=1)
        assert errors(collected(Told(answer, batch=batch), 6, policy=policy, **how)) == {}
        assert min(start for start in starts[1:] if start > busy_at[0]) >= busy_at[0] + 200.0


def test_a_service_that_asks_for_hours_is_waited_for_once_and_then_all_fail(clock):
    clock.step = 1.0
    told = Told(failing({f"q{n}": RetryLater(3600.0, "HTTP 429", "http://x") for n in range(9)}, every=True), batch=1)
    waits = []
    found = collected(
        told,
        9,
        policy=RetryPolicy(timeout=1e6, retries=2, concurrency=3),
        watch=lambda now: waits.append(now.wait and now.wait[:2]),
    )
    said = "http://x: HTTP 429; it asks to wait 3600 s, but assay waits at most 300 s"
    assert set(errors(found).values()) == {said}
    assert set(waits) == {None, (300.0, "HTTP 429")}
    assert sum(told.times(f"q{n}") for n in range(9)) <= 9 + 3


def test_a_chosen_size_has_as_many_times_the_timeout_and_one_that_grows_has_it_once():
    given = []
    client = RetrieverClient(adapt(Told()))
    client.call = lambda method, some, k, seconds: given.append((len(some), seconds)) or [right(query) for query in some]
    for n, grows in ((6, False), (3, True)):
        list(pool.ask_concurrently(client, queries(n), 10, 3, RetryPolicy(timeout=7.0), grows=grows))
    assert given == [(3, 21.0), (3, 21.0), (1, 7.0), (2, 7.0)]


def limit_after(answer, n, concurrency):
    """How much is asked at once in the end."""
    policy = RetryPolicy(timeout=LONG, retries=5, backoff=0.0, concurrency=concurrency)
    threads = ThreadPool(RetrieverClient(adapt(Told(answer))), 10, RetryState(policy))
    found = [one for some in threads.ask(queries(n)) for one in some]
    assert [one.error for one in found] == [None] * n
    return threads.limit


def busy_at_first(n):
    """The first n calls meet, and are all told to come back."""
    calls, meet = itertools.count(), threading.Barrier(n, timeout=LONG)

    def answer(query):
        if next(calls) < n:
            meet.wait()
            raise RetryLater
        return right(query)

    return answer


def test_calls_that_were_made_together_halve_the_limit_once_and_answers_raise_it():
    """By one after as many answers in a row as are asked at once, never beyond what is allowed."""
    for n, concurrency, limit in ((8, 8, 5), (4, 4, 3), (5, 4, 4), (40, 4, 4)):
        assert limit_after(busy_at_first(concurrency), n, concurrency) == limit, (n, concurrency)
    errors_left = [RetryLater(0.0)] * 5
    assert limit_after(lambda query: errors_left.pop() if errors_left else right(query), n=1, concurrency=1) == 1


IDS = st.text('aü漢\n\x00"\\ ', min_size=1, max_size=4)


EXTRA = st.dictionaries(IDS, st.dictionaries(IDS, st.integers() | IDS, min_size=1, max_size=2), min_size=1, max_size=2)
ANSWERS = st.builds(
    lambda query, found, *more: Response(query, list(found), list(found.values()), *more),
    IDS,
    st.dictionaries(IDS, st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    *(st.floats(0, 1e6), st.none() | IDS, st.none() | EXTRA, st.integers(1, 1000)),
)
RECORDS = st.lists(st.tuples(IDS, st.lists(ANSWERS, min_size=1, max_size=2)), max_size=3)
THREE = [
    ("a", [Response("q1", ["d1", "ü\n"], [2.5, -1.0], 3.0)]),
    ("a", [Response("q2", error="no")]),
    ("b", [Response("q1")]),
]


def kept(path, records, header):
    log = ResponseLog(path)
    log.begin(header)
    appender = log.appender()
    for part, some in records:
        appender.append(part, some)
    appender.close()
    return log


def by_part(records):
    """Part → query → the later answer."""
    found = {}
    for part, some in records:
        found.setdefault(part, {}).update({answer.query: answer for answer in some})
    return found


@given(RECORDS, st.dictionaries(IDS.filter(lambda name: name != "schema"), IDS | st.integers(), max_size=3))
def test_what_was_kept_is_read(tmp_path_factory, records, header):
    log = kept(tmp_path_factory.getbasetemp() / "kept.log", records, header)
    before = log.path.read_bytes()
    assert log.read() == ({"schema": SCHEMA, **header}, by_part(records))
    assert log.header() == {"schema": SCHEMA, **header}
    assert log.path.read_bytes() == before


def test_cut_or_changed_at_any_byte_the_whole_lines_before_are_read_and_the_file_is_mended(tmp_path):
    whole = kept(tmp_path / "a.log", THREE, {}).path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    log = ResponseLog(tmp_path / "cut.log")
    for cut in sorted({*range(0, len(whole) + 1, 5), *ends, *(end - 1 for end in ends)}):
        log.path.write_bytes(whole[:cut])
        header, found = log.read()
        n_whole = sum(end <= cut for end in ends)
        assert (bool(header), found) == (n_whole > 0, by_part(THREE[: max(0, n_whole - 1)])), cut
        assert log.path.read_bytes() == whole[:cut]  # another process may be writing: reading leaves the file alone
        log.truncate_damage()
        assert log.path.read_bytes() == whole[: ends[n_whole - 1] if n_whole else 0], cut
    for place in range(0, len(whole), 5):
        log.path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert log.read()[1] == by_part(THREE[: max(0, whole[:place].count(b"\n") - 1)]), place


def test_a_lock_that_was_removed_meanwhile_is_none(tmp_path, monkeypatch):
    """Who waited for a lock, and gets it when its holder removes it, must not share it with who comes next."""
    log, n_locked = ResponseLog(tmp_path / "a.log"), 0
    lock = responses._try_lock

    def slow(handle, *, waits):
        nonlocal n_locked
        n_locked += 1
        found = lock(handle, waits=waits)
        if n_locked == 1:
            (tmp_path / ".a.log.lock").unlink()
        return found

    monkeypatch.setattr(responses, "_try_lock", slow)
    with log.lock():
        assert (tmp_path / ".a.log.lock").exists()
        with pytest.raises(UsageError), log.lock():
            pass
    assert n_locked == 2 + responses.LOCK_ATTEMPTS
