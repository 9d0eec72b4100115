"""A service that cannot be reached: the run stops early, and tries that sent nothing cost nothing."""

import socket

import pytest

from assay.judges import AskOptions, Ledger, PairPool, Prices, run_judge, to_judge
from assay.providers import Unreachable

from ._stub import Stub, pairs_of

PRICES = Prices(1.0, 10.0)
CONCURRENCY = 4


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def closed_url() -> str:
    """An address on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def asked(url, n_pairs, **options):
    settings = {"send": True, "backoff": 0.001, "retries": 3, "concurrency": CONCURRENCY, "prices": PRICES, **options}
    judge = to_judge(f"openai(model=stub, url={url}, timeout=5)")
    return run_judge(PairPool(tuple(pairs_of(n_pairs, ("none",))), "bench"), judge, AskOptions(**settings))


class Ending(Stub):
    """A service that ends when it has got some requests: later connections are refused.

    It is asked one pair at a time, so that no connection waits when it ends.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def answer(self, handler, body) -> None:
        if self.n_requests + 1 >= self.most:
            self.server.socket.shutdown(socket.SHUT_RDWR)
        super().answer(handler, body)


def test_a_service_that_is_down_is_tried_a_few_times_and_costs_nothing(closed_url):
    run = asked(closed_url, 300, most_cost=0.05)
    assert 3 <= run.ledger.unreached <= 3 + CONCURRENCY
    assert (run.ledger.requests, run.ledger.replies, run.ledger.tokens_in, run.ledger.tokens_out) == (0, 0, 0, 0)
    assert run.ledger.cost == run.total.cost == 0.0
    assert run.judgments == run.ungraded == ()
    assert run.n_unasked == 300
    assert "refused" in run.failure
    assert closed_url.split("/")[2] in run.failure
    again = asked(closed_url, 300, most_cost=0.05)
    assert again.total.unreached == run.ledger.unreached + again.ledger.unreached
    assert (again.total.requests, again.total.tokens_in, again.total.cost) == (0, 0, 0.0)
    assert again.to_dict()["total"]["unreached"] == again.total.unreached


def test_an_unknown_host_is_the_same():
    run = asked("http://no-such-host.invalid/v1", 50)
    assert 3 <= run.ledger.unreached <= 3 + CONCURRENCY
    assert (run.ledger.requests, run.n_unasked) == (0, 50)
    assert "no-such-host.invalid" in run.failure


def test_a_key_that_cannot_be_sent_stops_the_run(monkeypatch):
    """A line break in a header: nothing leaves this machine, and a retry does not help."""
    monkeypatch.setenv("BROKEN_KEY", "sk-one\nsk-two")
    with Stub() as stub:
        run = asked(f"{stub.url}, key=${{BROKEN_KEY}}", 50)
        assert stub.n_requests == run.ledger.requests == 0
    assert run.ledger.cost == 0.0
    assert (run.judgments, run.ungraded, run.n_unasked) == ((), (), 50)
    assert "line break" in run.failure
    assert "sk-one" not in repr(run)


def test_a_service_that_goes_down_stops_the_run_and_the_next_run_continues():
    with Ending(8) as stub:
        run = asked(stub.url, 60, concurrency=1)
        n_before = stub.n_requests
    assert run.ledger.requests == n_before
    assert len(run.judgments) == n_before
    assert run.ledger.unreached == 20
    assert run.ungraded == ()
    assert run.n_unasked == 60 - n_before
    assert run.ledger.cost == pytest.approx(PRICES.cost(100, 10) * n_before)
    assert run.failure.startswith("20 connections")
    assert asked(stub.url, 60, send=False).n_cached == n_before


def test_a_single_failed_connection_is_retried(monkeypatch):
    """The tenth pair is not reached at its first try; the service counts the others."""
    from assay.judges import chat

    real, tries = chat.send_request, []

    def sometimes(*arguments):
        tries.append(arguments)
        if len(tries) == 10:
            raise Unreachable("cannot connect: Connection refused")
        return real(*arguments)

    monkeypatch.setattr(chat, "send_request", sometimes)
    with Stub() as stub:
        run = asked(stub.url, 20)
        assert stub.n_requests == run.ledger.requests == 20
    assert (len(run.judgments), run.ledger.unreached, run.failure) == (20, 1, "")


def test_a_ledger_file_keeps_tries_without_a_connection_apart(tmp_path):
    path = tmp_path / "x.ledger"
    ledger = Ledger(PRICES, None, path)
    for number in range(3):
        with ledger.request(f"p{number}", 1000, 500) as ticket:
            ticket.is_sent = number != 1
            ticket.status = 200 if number != 1 else 0
            ticket.note_usage({"prompt_tokens": 10, "completion_tokens": 2} if number != 1 else None)
    ledger.finish()
    read = Ledger(PRICES, None, path).before
    assert read == ledger.now
    assert (read.requests, read.replies, read.unreached, read.tokens_in, read.tokens_out) == (2, 2, 1, 20, 4)
    assert read.cost == pytest.approx(2 * PRICES.cost(10, 2))
