"""Line: what a retriever gives back, or raises, as answers."""

import asyncio
import sys
import threading
import time

import pytest

from assay import Hit, ProviderError
from assay.execution import Response
from assay.execution.client import RetrieverClient, describe_error
from assay.providers import PermanentFailure, RetryLater, adapt

from ._retrievers import LONG, Told, queries, right


def heard(answer, n=1, k=10):
    """What comes back for queries that are answered so."""
    return RetrieverClient(adapt(Told(answer))).search(queries(n), k)


def raised(error):
    def answer(query):
        raise error

    return answer


def test_hits_are_an_answer():
    (answer,) = heard(right)
    assert (answer.query, answer.docs, answer.scores, answer.error) == ("q0", ["d0"], [1.0], None)


def test_no_more_than_k_are_kept_the_best_by_score():
    (answer,) = heard(lambda query: [("a", 1.0), ("b", 3.0), ("c", 2.0)], k=2)
    assert (answer.docs, answer.scores) == (["b", "c"], [3.0, 2.0])


def test_texts_and_metadata_come_along():
    (answer,) = heard(lambda query: [Hit("a", 1.0, "its text", {"page": 3}), Hit("b", 0.5)])
    assert answer.extra == {"a": {"text": "its text", "page": 3}}
    assert heard(right)[0].extra is None


def test_time_is_shared_by_those_that_were_answered_together():
    def slow(query):
        time.sleep(0.02)
        return right(query)

    (alone,) = heard(slow)
    assert (alone.n_together, alone.ms >= 20) == (1, True)
    four = heard(slow, 4)
    assert {answer.n_together for answer in four} == {4}
    assert len({answer.ms for answer in four}) == 1
    assert four[0].ms >= 20


@pytest.mark.parametrize(
    "error", [ValueError("x"), OSError("x"), TimeoutError(), RetryLater(1.0), PermanentFailure("x")], ids=repr
)
def test_what_is_raised_is_every_query_s_error_to_try_again_after(error):
    assert heard(raised(error), 2) == [error, error]


@pytest.mark.parametrize("error", [SystemExit("bye"), GeneratorExit("bye"), asyncio.CancelledError("bye")], ids=repr)
def test_what_would_end_a_program_ends_nothing(error):
    outcomes = heard(raised(error), 2)
    assert [type(one) for one in outcomes] == [ProviderError] * 2
    assert describe_error(outcomes[0]) == f"{type(error).__name__}: bye"


def test_an_interrupt_is_a_person_s_in_the_main_thread_and_the_retriever_s_elsewhere():
    with pytest.raises(KeyboardInterrupt):
        heard(raised(KeyboardInterrupt()))
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.extend(heard(raised(KeyboardInterrupt()))))
    thread.start()
    thread.join(LONG)
    assert [describe_error(one) for one in outcomes] == ["KeyboardInterrupt"]


def test_an_error_in_place_of_hits_is_that_query_s_alone():
    given = {"q0": RetryLater(2.0), "q1": right, "q2": ProviderError("torn off"), "q3": PermanentFailure("refused")}
    busy, fine, torn, refused = heard(lambda query: right(query) if query.query_id == "q1" else given[query.query_id], 4)
    assert busy is given["q0"]
    assert fine.docs == ["d1"]
    assert torn is given["q2"]
    assert isinstance(refused, Response)  # asking again would not help, so this is the answer
    assert refused.error == "refused"


GARBAGE = {
    "nan": [Hit("d", float("nan"))],
    "inf": [("d", float("inf"))],
    "twice": [Hit("d", 1.0), Hit("d", 0.5)],
    "nothing": None,
    "number": 7,
    "text": "d1 d2",
    "empty id": [""],
    "half scored": [("a", 1.0), "b"],
    "object": [object()],
    "words": [("d", "high")],
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_is_that_query_s_error(what):
    first, bad, last = heard(lambda query: GARBAGE[what] if query.query_id == "q1" else right(query), 3)
    assert (first.error, last.error) == (None, None)
    assert bad.error if isinstance(bad, Response) else isinstance(bad, ProviderError)


@pytest.mark.parametrize("given_back", [[], [[]] * 9, None, 3, "ab"])
def test_the_wrong_number_of_answers_is_an_error_of_all(given_back):
    class Wrong:
        def search(self, queries, k):
            return given_back

    assert all(isinstance(one, Exception) for one in RetrieverClient(adapt(Wrong())).search(queries(2), 10))


def test_coroutines_are_waited_for_all_on_one_event_loop():
    class Later:
        async def index(self, documents):
            self.loop = asyncio.get_running_loop()

        async def search(self, queries, k):
            assert asyncio.get_running_loop() is self.loop
            await asyncio.sleep(0.001)
            return [right(query) for query in queries]

    line = RetrieverClient(adapt(Later()))
    line.call(line.retriever.index, [])
    assert [answer.docs for answer in line.search(queries(2), 10)] == [["d0"], ["d1"]]


def test_a_coroutine_that_takes_too_long_is_ended():
    ended = threading.Event()

    class Hangs:
        async def search(self, queries, k):
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                ended.set()
                raise

    (error,) = RetrieverClient(adapt(Hangs())).search(queries(1), 10, 0.05)
    assert describe_error(error) == "TimeoutError: no answer within 0.05 s"
    assert ended.wait(LONG)


def test_a_coroutine_may_exit_without_taking_the_event_loop_along():
    class Leaves:
        async def search(self, queries, k):
            sys.exit("bye")

    line = RetrieverClient(adapt(Leaves()))
    assert [describe_error(*line.search(queries(1), 10, LONG)) for _ in range(2)] == ["SystemExit: bye"] * 2


def test_an_error_is_told_in_one_short_line():
    assert describe_error(ValueError("first\nsecond")) == "ValueError: first"
    assert describe_error(KeyError()) == "KeyError"
    assert describe_error(RetryLater(2.0)) == "the service is busy; it asks to wait 2 s"
    assert describe_error(ProviderError()) == "ProviderError"
    assert len(describe_error(ValueError("x" * 999))) == 300
    assert "\x1b" not in describe_error(ValueError("\x1b[31m"))
