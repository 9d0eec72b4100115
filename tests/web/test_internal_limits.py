"""Limits inside the web pages: how wrong tokens are slowed down, when sessions end, and how much is kept in memory."""

import asyncio
import hmac
import sqlite3
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.store import Store
from assay.web import Throttle, security
from assay.web import state as module
from assay.web import throttle as _throttle
from assay.web.security import SESSION_IDLE_SECONDS, SESSION_SECONDS, Keys, Sessions, safe_next
from assay.web.shared.lru_cache import LruCache
from assay.web.state import AppState
from assay.web.throttle import LONGEST_PAUSE, TooSoon, pause_after, visitor_of

from ._clients import FREE_ATTEMPTS, TOKEN, Clock, client_of, told
from ._stores import result_of, saved

# Wrong tokens


def tried(throttle, address="192.0.2.1", *, right=False):
    """One attempt: whether it was right, or what it was told."""

    async def attempt():
        return await throttle.passes(address, is_right=right)

    try:
        return asyncio.run(attempt())
    except TooSoon as error:
        return error.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def throttle(clock):
    return Throttle(clock, clock.sleep)


def test_wrong_ones_of_an_address_wait_and_nobody_else_does(throttle, clock):
    """The right one forgets nothing: it may be a neighbour's, and those who guess would go on for free."""
    assert [tried(throttle) for _ in range(FREE_ATTEMPTS + 5)] == [False] * (FREE_ATTEMPTS + 5)
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]
    assert tried(throttle) == 8, "who would wait for long is told when to come back"
    for address in ("192.0.2.1", "192.0.2.2"):
        assert tried(throttle, address, right=True) is True
    assert tried(throttle) == 8
    assert len(clock.slept) == 4
    clock.now += 8
    assert tried(throttle) is False
    clock.now += _throttle.FORGET_AFTER + 1
    assert [tried(throttle) for _ in range(FREE_ATTEMPTS)] == [False] * FREE_ATTEMPTS
    assert len(clock.slept) == 4, "time forgets"
    pauses = [pause_after(n) for n in range(10_000)]
    assert pauses[: FREE_ATTEMPTS + 1] == [0.0] * (FREE_ATTEMPTS + 1)
    assert (pauses, pauses[-1]) == (sorted(pauses), LONGEST_PAUSE)


@pytest.mark.parametrize(("most", "of_addresses"), [("MAX_WAITING", 20), ("MAX_WAITING_EACH", 1)])
def test_no_more_answers_are_kept_back_than_there_is_room_for(clock, monkeypatch, most, of_addresses):
    monkeypatch.setattr(_throttle, most, 2)
    monkeypatch.setattr(_throttle, "LONGEST_WAIT", 1000.0)

    async def all_at_once():
        enough, waiting = asyncio.Event(), []

        async def sleep(_):
            waiting.append(1)
            await enough.wait()

        async def guess(number):
            try:
                await throttle.passes(f"192.0.2.{number % of_addresses}", is_right=False)
            except TooSoon:
                return 1
            return 0

        throttle = Throttle(clock, sleep)
        tasks = [asyncio.create_task(guess(number)) for number in range(20 * (FREE_ATTEMPTS + 2))]
        await asyncio.sleep(0)
        assert len(waiting) == 2
        enough.set()
        return sum(await asyncio.gather(*tasks))

    assert asyncio.run(all_at_once()) >= 16
    monkeypatch.setattr(_throttle, "MAX_ADDRESSES", 5)
    throttle = Throttle(clock, clock.sleep)
    for number in range(50):
        tried(throttle, f"192.0.2.{number}")
    assert throttle.n_known == 5


@given(st.text())
def test_any_text_is_a_visitor_and_a_place_to_go_to_or_not(text):
    for one, other, is_same in (
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("192.0.2.1", "192.0.2.2", False),
    ):
        assert (visitor_of(one) == visitor_of(other)) is is_same, (one, other)
    assert len(visitor_of(text)) <= 100
    found = safe_next(text)
    assert found.startswith("/")
    assert not found.startswith(("//", "/\\"))


def test_tokens_are_compared_in_constant_time(monkeypatch):
    """Through hmac.compare_digest, on digests of one length, whatever was given; no token is no token."""
    seen, real = [], hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: seen.append((len(a), len(b))) or real(a, b))
    keys = Keys.of(TOKEN)
    assert keys.is_token(TOKEN)
    assert not keys.is_token("x" * 10_000)
    assert seen == [(32, 32)] * 2
    assert not Keys.of("").is_token("")


def test_an_address_that_is_too_long_is_refused(client, monkeypatch):
    monkeypatch.setattr(security, "MAX_ADDRESS", 1000)
    assert client.get("/results?words=" + "x" * 1001).status_code == 414


# Sessions


def test_a_session_ends_when_it_is_not_used_after_a_week_and_where_there_are_too_many(clock, monkeypatch):
    sessions = Sessions(clock)
    secret = sessions.open()
    session = sessions.find(secret)
    while clock.now <= 1000 + SESSION_SECONDS:
        assert sessions.find(secret) is session
        assert not session.is_over
        clock.now += SESSION_IDLE_SECONDS - 1
    assert sessions.find(secret) is None
    assert session.is_over
    secret = sessions.open()
    clock.now += SESSION_IDLE_SECONDS + 1
    assert sessions.find(secret) is None
    assert len(sessions) == 0
    monkeypatch.setattr(security, "MAX_SESSIONS", 3)
    secrets = [sessions.open() for _ in range(3)]
    assert sessions.find(secrets[0])
    secrets.append(sessions.open())
    assert [sessions.find(one) is not None for one in secrets] == [True, False, True, True], "used longest ago"
    for wrong in ("", "x", "\udcff", "x" * 10_000):
        assert sessions.find(wrong) is None
        sessions.close(wrong)
    assert len(sessions) == 3


# What is kept in memory


def test_a_cache_makes_each_once_and_forgets_what_was_used_longest_ago():
    kept, made = LruCache(2), []
    for key in "aab":
        kept.get(key, lambda key=key: made.append(key) or key)
    kept.peek("a")
    with pytest.raises(ZeroDivisionError):
        kept.get("c", lambda: 1 / 0)
    assert kept.get("c", lambda: "c") == "c", "a failure is not kept"
    assert ([kept.peek(key) for key in "abc"], made) == (["a", None, "c"], ["a", "b"])
    kept = LruCache(10, len)
    for key, weight in (("a", 6), ("b", 6), ("c", 11)):
        assert kept.get(key, lambda weight=weight: "x" * weight) == "x" * weight
    assert ([kept.peek(key) for key in "abc"], len(kept)) == ([None, "x" * 6, None], 1), "room is by weight"
    for _ in range(2):
        kept._keep("a", "1234")
    assert (kept.peek("a"), kept.peek("b")) == ("1234", "x" * 6), "what is made twice weighs once"


def test_others_wait_for_the_one_who_makes_it():
    kept, made = LruCache(2), []
    begun, go = threading.Event(), threading.Event()

    def slow():
        begun.set()
        go.wait(10)
        made.append(1)
        return "value"

    found = []
    threads = [threading.Thread(target=lambda: found.append(kept.get("a", slow))) for _ in range(8)]
    threads[0].start()
    begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(10)
    assert (found, made) == (["value"] * 8, [1])


def test_what_is_kept_is_bounded_by_its_rows(tmp_path, monkeypatch):
    """An evaluation that has more rows than there is room for is kept alone."""
    path = saved(tmp_path / "s.db", *([result_of(seed)] for seed in range(6)))
    monkeypatch.setattr(module, "MIN_ROWS_COUNTED", 0)
    with Store.open(path) as many:
        keys = [f"{entry.evaluation}/0" for entry in many.list()]
        n_rows = module.n_rows_of(many.latest())
        for n_at_once, n_kept in ((0.1, 1), (2.5, 2)):
            monkeypatch.setattr(module, "MAX_ROWS", int(n_at_once * n_rows))
            state = AppState(many)
            for key in keys:
                assert state.result(key) is state.result(key)
            assert len(state._evaluations) == n_kept
        for key in keys[1:4]:
            state.comparison([keys[0], key])
        assert len(state.cache) == 1


def test_a_store_that_others_keep_locked_is_told_soon(fresh, tmp_path, monkeypatch, snapshots):
    monkeypatch.setattr(module, "LOCK_TIMEOUT", 0.05)
    client, known = client_of(fresh), next(iter(fresh.latest().results[0].run["q000"]))
    sent = {"benchmark": "things", "query": "q000", "document": known, "judge": "Ana", "grade": 1}
    with closing(sqlite3.connect(tmp_path / "fresh.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        snapshots.check("web/locked_store", told({"a grade": client.post("/api/v1/judgments", json=sent)}))
        other.execute("ROLLBACK")
    assert client.post("/api/v1/judgments", json=sent).status_code == 201
