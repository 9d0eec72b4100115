"""python: functions, classes and objects, found where they are and called as they expect it."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers._provider import parse_provider
from assay.providers._refusals import Busy, Final
from assay.providers.python import FunctionRetriever, ObjectRetriever, make_retriever

Q = Query("q1", "What", scope="s", metadata={"language": "de"})


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported; its names are set by the test."""
    made = ModuleType("assay_test_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def ask(module, function, queries=(Q,), k=5):
    module.search = function
    retriever = parse_provider("python:assay_test_module:search").make()
    return retriever.search(list(queries), k)


# How functions are called


def as_text(query_text, k):
    return [(query_text, k)]


def as_typed_text(query: str, k: int):
    return [(type(query).__name__ + query, k)]


def as_record(query: Query, k):
    return [(f"{query.query_id} {query.text} {query.scope}", k)]


def as_record_named_in_words(asked: "Query", top_k):  # noqa: UP037
    return [(asked.query_id, top_k)]


def as_both(query, k):
    assert query == "What"
    assert query.metadata == {"language": "de"}
    return [(f"{query.lower()} {query.query_id} {query.scope}", k)]


def k_by_name(text, *, limit):
    return [(text, limit)]


def k_behind_others(text, language="de", top_k=3):
    return [(f"{text} {language}", top_k)]


def k_under_another_name(text, how_many):
    return [(text, how_many)]


def without_k(text):
    return [(text, 0)]


def with_an_option(text, verbose=False):
    return [(f"{text} {verbose}", 0)]


def with_anything(*arguments):
    return [arguments]


@pytest.mark.parametrize(
    ("function", "doc", "score"),
    [
        (as_text, "What", 5),
        (as_typed_text, "strWhat", 5),
        (as_record, "q1 What s", 5),
        (as_record_named_in_words, "q1", 5),
        (as_both, "what q1 s", 5),
        (k_by_name, "What", 5),
        (k_behind_others, "What de", 5),
        (k_under_another_name, "What", 5),
        (without_k, "What", 0),
        (with_an_option, "What False", 0),
        (with_anything, "What", 5),
    ],
)
def test_a_function_is_called_as_it_expects(module, function, doc, score):
    assert ask(module, function) == [[Hit(doc, float(score))]]


def test_every_shape_of_answer(module):
    for answer in (["a"], [("a", 0.0)], [Hit("a")], {"a": 0.0}, [{"id": "a", "score": 0}], iter(["a"])):
        assert ask(module, lambda text, k, answer=answer: answer) == [[Hit("a", 0.0)]]


def test_a_generator_function(module):
    def search(text, k):
        yield "a", 2.0
        yield "b", 1.0

    assert ask(module, search, k=1) == [[Hit("a", 2.0)]]


def test_coroutines_share_one_event_loop(module):
    loops = set()

    async def search(text, k):
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0.05)
        return [text]

    module.search = search
    retriever = make_retriever("assay_test_module:search")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(retriever.search, [[Query("q", f"d{number}")] for number in range(16)], [3] * 16))
    assert [one[0][0].doc_id for one in found] == [f"d{number}" for number in range(16)]
    assert len(loops) == 1


def test_errors_say_whose_and_where(module):
    def search(text, k):
        return {}["x"]

    with pytest.raises(ProviderError, match=r"assay_test_module:search raised KeyError: 'x' \(test_python\.py:\d+\)"):
        ask(module, search)

    async def broken(text, k):
        raise OSError("gone")

    with pytest.raises(ProviderError, match="raised OSError: gone"):
        ask(module, broken)

    def halfway(text, k):
        yield "a"
        raise ValueError("late")

    with pytest.raises(ProviderError, match="raised ValueError: late"):
        ask(module, halfway)


@pytest.mark.parametrize("holder", ["status_code", "response"])
def test_an_error_that_tells_of_a_busy_service(module, holder):
    class RateLimited(Exception):
        pass

    def search(text, k):
        error = RateLimited("slow down")
        setattr(error, holder, 429 if holder == "status_code" else SimpleNamespace(status_code=429))
        raise error

    with pytest.raises(Busy, match="slow down"):
        ask(module, search)


def test_own_errors_pass(module):
    def search(text, k):
        raise Busy(3.0)

    with pytest.raises(Busy) as caught:
        ask(module, search)
    assert caught.value.retry_after == 3.0


def test_a_wrong_answer_is_explained(module):
    with pytest.raises(ProviderError, match=r"assay_test_module:search: expected a list of hits.*found None"):
        ask(module, lambda text, k: None)


def test_a_function_that_takes_no_query(module):
    def search(*, k):
        return []

    module.search = search
    with pytest.raises(ProviderError, match="must take the query first"):
        make_retriever("assay_test_module:search")


# Classes and objects


class Whole:
    def __init__(self):
        self.documents = []

    def index(self, documents):
        self.documents = [document.doc_id for document in documents]

    def search(self, queries, k):
        return [[(doc, 1.0 / place) for place, doc in enumerate(self.documents, 1)] for _ in queries]


class Async(Whole):
    async def index(self, documents):
        await asyncio.sleep(0)
        Whole.index(self, documents)

    async def search(self, queries, k):
        await asyncio.sleep(0)
        return Whole.search(self, queries, k)


@pytest.mark.parametrize("given", [Whole, Whole(), Async, Async()], ids=["class", "object", "async class", "async object"])
def test_the_protocol(module, given):
    module.mine = given
    retriever = make_retriever("assay_test_module:mine")
    assert (retriever.batch, retriever.indexes) == (1000, True)
    retriever.index([Document("a"), Document("b"), Document("c")])
    assert retriever.search([Q, Q], 2) == [[Hit("a", 1.0), Hit("b", 0.5)]] * 2


def test_an_object_without_index_and_its_own_batch_and_end(module):
    closed = []
    module.mine = SimpleNamespace(search=lambda queries, k: [["a"]] * len(queries), batch=7, close=lambda: closed.append(1))
    retriever = make_retriever("assay_test_module:mine")
    assert (retriever.batch, retriever.indexes) == (7, False)
    retriever.index([Document("a")])
    assert retriever.search([Q], 1) == [[Hit("a", 0.0)]]
    retriever.close()
    assert closed == [1]


def test_one_bad_answer_in_a_batch(module):
    module.mine = SimpleNamespace(search=lambda queries, k: [["a"], ["b", "b"]])
    first, second = make_retriever("assay_test_module:mine").search([Q, Q], 3)
    assert first == [Hit("a", 0.0)]
    assert isinstance(second, ProviderError)


def test_a_class_of_functions(module):
    class Callable:
        def __call__(self, text, k):
            return [text]

    module.Mine = Callable
    assert isinstance(make_retriever("assay_test_module:Mine"), FunctionRetriever)
    module.group = SimpleNamespace(inner=SimpleNamespace(mine=Whole()))
    assert isinstance(make_retriever("assay_test_module:group.inner.mine"), ObjectRetriever)


def test_a_class_that_cannot_be_made(module):
    class Needy:
        def __init__(self, path):
            pass

    module.Mine = Needy
    with pytest.raises(
        ProviderError,
        match=r"Mine cannot be made without path; .*def make\(\): return Mine\(…\), .*python:assay_test_module:make$",
    ):
        make_retriever("assay_test_module:Mine")


# How they are found


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("assay_here")]:
        del sys.modules[name]


def test_the_current_folder(here):
    (here / "assay_here.py").write_text("def search(text, k):\n    return [text]\n")
    retriever = parse_provider("python:assay_here:search").make()
    assert retriever.search([Q], 3) == [[Hit("What", 0.0)]]


def test_a_package_in_the_current_folder(here):
    (here / "assay_here_too").mkdir()
    (here / "assay_here_too" / "inner.py").write_text(
        "class R:\n    def search(self, queries, k):\n        return [[] for _ in queries]\n"
    )
    assert parse_provider("python:assay_here_too.inner:R").make().search([Q], 3) == [[]]


def test_what_is_not_there(here):
    (here / "assay_here_a.py").write_text("def search(text, k): ...\nsurch = 3\n")
    (here / "assay_here_b.py").write_text("import no_such_package_at_all\n")
    (here / "assay_here_c.py").write_text("def broken(:\n")
    (here / "assay_here_d.py").write_text("raise RuntimeError('no model')\n")
    for name, message in {
        "assay_here_x:search": "there is no module assay_here_x, neither installed nor in",
        "assay_here_a:serch": "assay_here_a has no serch. Did you mean search or surch?",
        "assay_here_a:surch": "is neither a function nor has it search(queries, k): it is 3",
        "assay_here_b:search": "ModuleNotFoundError: No module named 'no_such_package_at_all' (assay_here_b.py:1)",
        "assay_here_c:search": "assay_here_c cannot be imported: SyntaxError: invalid syntax (assay_here_c.py:1)",
        "assay_here_d:search": "assay_here_d cannot be imported: RuntimeError: no model (assay_here_d.py:1)",
    }.items():
        with pytest.raises(ProviderError) as caught:
            make_retriever(name)
        assert message in str(caught.value)


def test_names():
    assert parse_provider("python(function='my_module:search')").name == "python:my_module:search"
    for wrong in ("python", "python:search", "python:my-module:search", "python(function=a:b:c)", "python:my_module:"):
        with pytest.raises(BadParameter):
            parse_provider(wrong)


def test_a_coroutine_that_takes_too_long_is_cancelled(module):
    cancelled = threading.Event()

    class Slow:
        async def search(self, queries, k):
            try:
                await asyncio.sleep(60)
            finally:
                cancelled.set()

    module.search, module.Slow = Slow().search, Slow
    for name in ("search", "Slow"):
        cancelled.clear()
        retriever = parse_provider(f"python:assay_test_module:{name}").filled(timeout=0.05).make()
        with pytest.raises(ProviderError, match=r"raised TimeoutError: no answer within 0.05 s$"):
            retriever.search([Query("q", "x")], 3)
        assert cancelled.wait(5)


def test_leaving_is_an_error_and_an_interruption_is_not(module):
    def leaving(text, k):
        raise SystemExit("bye")

    def interrupted(text, k):
        raise KeyboardInterrupt

    async def interrupted_later(text, k):
        raise KeyboardInterrupt

    with pytest.raises(ProviderError, match="raised SystemExit: bye"):
        ask(module, leaving)
    for function in (interrupted, interrupted_later):
        with pytest.raises(KeyboardInterrupt):
            ask(module, function)


def test_what_would_be_the_same_again_is_final(module):
    class Few:
        def search(self, queries, k):
            return [["a"]]

    module.Few = Few
    with pytest.raises(Final, match="given 2 queries and returned 1 answer"):
        make_retriever("assay_test_module:Few").search([Query("q"), Query("r")], 3)
    with pytest.raises(Final, match="a comes twice"):
        ask(module, lambda text, k: ["a", "a"])
    with pytest.raises(ProviderError) as caught:
        ask(module, lambda text, k: {}["x"])
    assert not isinstance(caught.value, Final)


def test_of_an_error_in_several_lines_the_first_is_told_with_the_place(module):
    def search(text, k):
        raise ValueError("first\nsecond\nthird")

    with pytest.raises(ProviderError, match=r"raised ValueError: first \(test_python\.py:\d+\)$"):
        ask(module, search)

    def silent(text, k):
        raise ValueError

    with pytest.raises(ProviderError, match=r"raised ValueError \(test_python\.py:\d+\)$"):
        ask(module, silent)


def test_of_an_error_deep_in_a_library_the_line_of_one_s_own_is_told(module):
    def search(text, k):
        return np.linalg.inv(np.zeros((2, 2)))

    line = search.__code__.co_firstlineno + 1
    with pytest.raises(ProviderError, match=rf"raised LinAlgError: Singular matrix \(test_python\.py:{line}\)$"):
        ask(module, search)


def test_a_function_without_parameters_makes_the_retriever(module):
    module.make = Whole
    module.build = lambda: Whole()
    for name in ("make", "build"):
        assert isinstance(make_retriever(f"assay_test_module:{name}"), ObjectRetriever)
    module.wrapped = lambda: as_text
    assert isinstance(make_retriever("assay_test_module:wrapped"), FunctionRetriever)
    module.search = lambda: ["d1"]
    with pytest.raises(
        Final, match=r"search\(\) makes no retriever, but \['d1'\]; a function that searches takes the query first"
    ):
        make_retriever("assay_test_module:search")


def test_addresses_are_not_shown(module):
    module.thing = SimpleNamespace(inner=object())
    with pytest.raises(ProviderError) as caught:
        make_retriever("assay_test_module:thing")
    assert "it is namespace(inner=<object object>)" in str(caught.value)


def test_whether_it_takes_documents_is_known_before_it_is_made(module):
    module.Whole, module.search, module.make = Whole, as_text, lambda: Whole()
    module.thing = SimpleNamespace(search=as_text)
    names = ("Whole", "search", "make", "thing", "gone")
    assert [parse_provider(f"python:assay_test_module:{name}").indexes for name in names] == [
        True,
        False,
        False,
        False,
        False,
    ]
