"""python: functions, classes and objects, found where they are and called as they expect it."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers import Adapted, EventLoop
from assay.providers.catalog.python import FunctionRetriever, make_retriever
from assay.providers.retriever import PermanentFailure

from ._functions import Q, ask
from ._written import parse_provider

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
    EventLoop().result(retriever.index([Document("a"), Document("b"), Document("c")]))
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
    assert isinstance(make_retriever("assay_test_module:group.inner.mine"), Adapted)


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
        assert cancelled.wait(60)


def test_a_function_without_parameters_makes_the_retriever(module):
    module.make = Whole
    module.build = lambda: Whole()
    for name in ("make", "build"):
        assert isinstance(make_retriever(f"assay_test_module:{name}"), Adapted)
    module.wrapped = lambda: as_text
    assert isinstance(make_retriever("assay_test_module:wrapped"), FunctionRetriever)
    module.search = lambda: ["d1"]
    with pytest.raises(
        PermanentFailure,
        match=r"search\(\) makes no retriever, but \['d1'\]; a function that searches takes the query first",
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
