"""python: functions, classes and objects, found where they are and called as they expect it."""

import asyncio
import sys
import threading
from types import ModuleType, SimpleNamespace

import pytest

from assay import Document, Hit, Query
from assay.errors import BadParameter, ProviderError
from assay.providers import EventLoop, PermanentFailure, RetryLater

from ._asking import provider, ready, search

Q = Query("q1", "What", scope="s", metadata={"language": "de"})


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported; its names are set by the test."""
    made = ModuleType("python_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def made(module, target):
    module.target = target
    return provider("python:python_module:target").make()


def ask(module, function, k=5):
    return made(module, function).search([Q], k)[0]


def as_record(query: Query, k):
    return [(f"{query.query_id} {query.text} {query.scope}", k)]


def as_typed_text(query: str, k: int):
    return [(type(query).__name__ + query, k)]


def as_both(query, k):
    assert (query, query.metadata) == ("What", {"language": "de"})
    return [(f"{query.lower()} {query.query_id} {query.scope}", k)]


CALLED = [
    (lambda query_text, k: [(query_text, k)], "What", 5),
    (as_typed_text, "strWhat", 5),
    (as_record, "q1 What s", 5),
    (as_both, "what q1 s", 5),
    (lambda text, language="de", top_k=3: [(f"{text} {language}", top_k)], "What de", 5),
    (lambda text: [(text, 0)], "What", 0),
    (lambda *arguments: [arguments], "What", 5),
]


def test_a_function_is_called_as_it_expects(module):
    for function, doc, score in CALLED:
        assert ask(module, function) == [Hit(doc, float(score))], function

    def generator(text, k):
        yield "a", 2.0
        yield "b", 1.0

    assert ask(module, generator, k=1) == [Hit("a", 2.0)]


class Whole:
    def index(self, documents):
        self.documents = [document.doc_id for document in documents]

    def search(self, queries, k):
        return [[(doc, 1.0 / place) for place, doc in enumerate(self.documents, 1)] for _ in queries]


class Called:
    def __call__(self, text, k):
        return [text]


def test_classes_objects_and_makers(module):
    nested = SimpleNamespace(inner=SimpleNamespace(mine=Whole()))
    for given in (Whole, Whole(), lambda: Whole(), nested):
        module.mine = given
        name = "python:python_module:mine" + ".inner.mine" * (given is nested)
        retriever = ready(name, [Document("a"), Document("b"), Document("c")])
        assert (retriever.batch, retriever.indexes) == (1000, True), given
        assert retriever.search([Q, Q], 2) == [[Hit("a", 1.0), Hit("b", 0.5)]] * 2, given
    for given in (Called, Called(), lambda: Called()):
        assert ask(module, given) == [Hit("What", 0.0)], given
    first, second = made(module, SimpleNamespace(search=lambda queries, k: [["a"], ["b", "b"]])).search([Q, Q], 3)
    assert (first, isinstance(second, ProviderError)) == ([Hit("a", 0.0)], True)


FILES = {
    "here_a.py": "def search(text, k): return [text]\nsurch = 3\n",
    "here_c.py": "def broken(:\n",
    "here_d.py": "raise RuntimeError('no model')\n",
    "here_e.py": "from math import sqrt\nLIMIT = 3\ndef search(query, k): ...\ndef by_title(q, k): ...\nclass Finder: ...\n",
    "here_h/inner.py": "class R:\n    def search(self, queries, k):\n        return [[] for _ in queries]\n",
    "here_i.py": "class Needy:\n    def __init__(self, path): ...\n    def search(self, queries, k): ...\n"
    "def keywords(*, k): ...\ndef makes(): return ['d1']\nthing = type('Thing', (), {'__repr__': lambda _: 'thing'})()\n",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with modules, which is the current one; what is imported there is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    (tmp_path / "here_h").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("here_")]:
        del sys.modules[name]


def test_what_is_not_there_or_does_not_fit(here, snapshots):
    names = ["here_x:search", "here_a:serch", "here_a:surch", "here_c:search", "here_d:search"]
    names += ["here_e:missing", "here_i:Needy", "here_i:keywords", "here_i:makes"]
    names += ["here_i:thing"]
    cases = {name: lambda name=name: provider(f"python:{name}").make() for name in names}
    written = ("my_search:search", "my_package.my_search:Finder.search", "bm52:x")
    cases |= {f"as written: {name}": lambda name=name: provider(name) for name in written}
    snapshots.check_errors("providers/python", cases)
    assert search("python:here_a:search") == [Hit("what is it", 0.0)]
    assert search("python:here_h.inner:R") == []
    for wrong in ("python", "python:search", "python:my-module:search", "python(function=a:b:c)", "python:my_module:"):
        with pytest.raises(BadParameter):
            provider(wrong)


class RateLimited(Exception):
    def __init__(self, holder):
        super().__init__("slow down")
        setattr(self, holder, 429 if holder == "status_code" else SimpleNamespace(status_code=429))


def raising(error):
    def find(text, k):
        raise error

    return find


def raising_later(error):
    async def find(text, k):
        raise error

    return find


def test_what_is_final_what_is_busy_and_what_passes(module):
    for holder in ("status_code", "response"):
        with pytest.raises(RetryLater):
            ask(module, raising(RateLimited(holder)))
    with pytest.raises(RetryLater) as caught:
        ask(module, raising(RetryLater(3.0)))
    assert caught.value.retry_after == 3.0
    for raises in (raising, raising_later):
        with pytest.raises(KeyboardInterrupt):
            ask(module, raises(KeyboardInterrupt))
    few = made(module, SimpleNamespace(search=lambda queries, k: [["a"]]))
    with pytest.raises(PermanentFailure):
        few.search([Query("q"), Query("r")], 3)
    with pytest.raises(ProviderError) as raised:
        ask(module, raising(KeyError("x")))
    assert not isinstance(raised.value, PermanentFailure)


@pytest.mark.slow
def test_a_coroutine_that_blocks_is_left_behind():
    async def running():
        return asyncio.get_running_loop()

    async def blocking():
        released.wait(60)

    released = threading.Event()
    before = EventLoop().result(running())
    with pytest.raises(TimeoutError):
        EventLoop().result(blocking(), 0.05)
    assert EventLoop().result(running(), 60) is not before
    released.set()
    before.call_soon_threadsafe(before.stop)
    while before.is_running():
        threading.Event().wait(0.01)
    before.close()
