"""The throttle: what wrong tokens cost, whom, for how long, and how much of it is remembered."""

from __future__ import annotations

import asyncio

import pytest
from _clients import Clock, client_of
from _stores import usual_store
from hypothesis import given
from hypothesis import strategies as st

from assay.web import throttle as _throttle
from assay.web.throttle import FREE_ATTEMPTS, LONGEST_PAUSE, Throttle, TooSoon, pause_after, visitor_of

TOKEN = "a-token-that-is-long-enough"


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


def test_the_first_wrong_ones_cost_nothing_then_pauses_double(throttle, clock):
    assert [tried(throttle) for _ in range(FREE_ATTEMPTS + 1)] == [False] * (FREE_ATTEMPTS + 1)
    assert clock.slept == []
    assert [tried(throttle) for _ in range(4)] == [False] * 4
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]


def test_who_would_wait_for_long_is_told_when_to_come_back(throttle, clock):
    for _ in range(FREE_ATTEMPTS + 5):
        tried(throttle)
    assert tried(throttle) == 8
    clock.now += 8
    assert tried(throttle) is False


def test_the_right_one_never_waits_for_wrong_ones_of_the_same_address(throttle, clock):
    for _ in range(FREE_ATTEMPTS + 20):
        tried(throttle)
    n_slept = len(clock.slept)
    assert tried(throttle, right=True) is True
    assert len(clock.slept) == n_slept


def test_pauses_grow_to_an_end():
    pauses = [pause_after(n) for n in range(10_000)]
    assert pauses[: FREE_ATTEMPTS + 1] == [0.0] * (FREE_ATTEMPTS + 1)
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE


def test_the_right_one_forgets_nothing(throttle):
    """It may be a neighbour's: those who guess would go on for free."""
    for _ in range(FREE_ATTEMPTS + 5):
        tried(throttle)
    assert tried(throttle, right=True) is True
    assert tried(throttle) == 8


def test_time_forgets(throttle, clock):
    for _ in range(FREE_ATTEMPTS + 4):
        tried(throttle)
    n_slept = len(clock.slept)
    clock.now += _throttle.FORGET_AFTER + 1
    assert [tried(throttle) for _ in range(FREE_ATTEMPTS)] == [False] * FREE_ATTEMPTS
    assert len(clock.slept) == n_slept


def test_many_at_once_are_answered_one_after_the_other(clock):
    """A hundred guesses on a hundred connections: a few are kept waiting, and most are told to come back."""
    throttle = Throttle(clock, clock.sleep)

    async def guess(_):
        try:
            return await throttle.passes("192.0.2.1", is_right=False)
        except TooSoon:
            return None

    async def all_at_once():
        return await asyncio.gather(*map(guess, range(100)))

    answers = asyncio.run(all_at_once())
    assert answers.count(False) < 12
    assert answers.count(None) > 85


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


def test_others_do_not_wait(throttle, clock):
    for _ in range(FREE_ATTEMPTS + 6):
        tried(throttle, "192.0.2.1")
    n_slept = len(clock.slept)
    assert tried(throttle, "192.0.2.2", right=True) is True
    assert len(clock.slept) == n_slept


def test_no_more_addresses_than_there_is_room_for(throttle, monkeypatch):
    monkeypatch.setattr(_throttle, "MAX_ADDRESSES", 5)
    for number in range(50):
        tried(throttle, f"192.0.2.{number}")
    assert throttle.n_known == 5


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "", True),
        ("testclient", "testclient", True),
    ],
)
def test_who_is_one_visitor(one, other, same):
    assert (visitor_of(one) == visitor_of(other)) is same


@given(st.text())
def test_any_address_is_a_visitor(text):
    assert len(visitor_of(text)) <= 100


class TestPages:
    """The same from outside: the login and the header."""

    @pytest.fixture
    def client(self, tmp_path, clock):
        store = usual_store(tmp_path / "s.db", nights=1)
        return client_of(store, token=TOKEN, throttle=Throttle(clock, clock.sleep))

    def test_the_login_waits_then_says_so(self, client, clock):
        answers = [client.post("/login", data={"token": f"guess {n}", "next": "/history"}) for n in range(FREE_ATTEMPTS + 7)]
        assert [one.status_code for one in answers[: FREE_ATTEMPTS + 5]] == [401] * (FREE_ATTEMPTS + 5)
        assert clock.slept == [0.5, 1.0, 2.0, 4.0]
        last = answers[-1]
        assert (last.status_code, last.headers["retry-after"]) == (429, "8")
        assert "Too many wrong tokens came from this address: try again in 8 s." in last.text
        assert 'value="/history"' in last.text
        assert client.post("/login", data={"token": TOKEN}).status_code == 303

    def test_the_header_waits_as_well_and_counts_together(self, client):
        for n in range(FREE_ATTEMPTS + 5):
            client.post("/login", data={"token": f"guess {n}"})
        answer = client.get("/api/v1/results", headers={"authorization": "Bearer wrong"})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "8")
        assert answer.json()["error"]["status"] == 429
        assert client.get("/api/v1/results", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200

    def test_who_has_logged_in_is_not_held_up(self, client, clock):
        assert client.post("/login", data={"token": TOKEN}).status_code == 303
        for _ in range(FREE_ATTEMPTS + 7):
            client.get("/api/v1/results", headers={"authorization": "Bearer wrong"})
        n_slept = len(clock.slept)
        assert client.get("/").status_code == 200
        assert len(clock.slept) == n_slept
