"""check: what cannot work is known before anything is asked."""

from __future__ import annotations

import sys

import pytest

from assay.errors import AssayError

from ._written import parse_provider

MODULE = """
ran = []
def search(query, k): ran.append(query)
def score(query, texts): ran.append(query)
def nothing(*, k): pass
def needy(query, k, index, *, model): ran.append(query)
def make(): ran.append("made")
class Needy:
    def __init__(self, path, *, log=None): ran.append("made")
class Retriever:
    def __init__(self): ran.append("made")
    def index(self, documents): ran.append("index")
    def search(self, queries, k): ran.append("search")
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a module and a run; nothing of the module may be called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("NO_SUCH_VARIABLE", raising=False)
    (tmp_path / "check_module.py").write_text(MODULE)
    (tmp_path / "check_exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "a.run").write_text("q Q0 a 1 2 x\n")
    yield tmp_path
    module = sys.modules.pop("check_module", None)
    assert module is None or module.ran == []


FINE = [
    *("bm25", "dense", "hybrid", "hybrid(bm25, tfidf_chars, weights=[1, 2])", "oracle", "random_order", "replay:a.run"),
    *("python:check_module:search", "python:check_module:Retriever", "rerank(bm25, function=check_module:score)"),
    *(f"command:'{sys.executable}' gone.py", "http(url='http://127.0.0.1:1/search', headers='X: ${HOME}')"),
]


@pytest.mark.parametrize("text", FINE)
def test_what_may_work(here, text):
    parse_provider(text).check()


WRONG = {
    "python:check_gone:search": "there is no module check_gone",
    "python:check_module:serch": "Did you mean search",
    "python:check_module:number": "neither a function",
    "python:check_module:nothing": "must take the query first",
    "python:check_module:needy": "the function is called with the query and k, and needs index and model too; give the",
    "python:check_module:Needy": "check_module:Needy cannot be made without path; write a function that makes one",
    "python:check_exits:search": "cannot be imported: SystemExit: 3",
    "replay:gone.run": "gone.run: no such file",
    "replay:.": "is a folder",
    "command:no-such-program --x": "there is no program no-such-program",
    "command:./a.run": "there is no program ./a.run",
    "command:ls ${NO_SUCH_VARIABLE}": "NO_SUCH_VARIABLE",
    "hybrid(bm25)": "two or more",
    "hybrid(bm25, bm25, weights=[1, 2, 3])": "3 weights for 2 providers",
    "hybrid(bm25, replay:gone.run)": "gone.run: no such file",
    "rerank(bm25)": "either function",
    "rerank(bm25, dense, function=check_module:score)": "one provider",
    "rerank(bm25, function=check_module:gone)": "has no gone",
    "rerank(bm25, function=check_module:number)": "cannot be called",
    "http(url='http://h/s', headers='X-Key: ${NO_SUCH_VARIABLE}')": "NO_SUCH_VARIABLE",
    "http(url='http://h/s?k=${NO_SUCH_VARIABLE}')": "NO_SUCH_VARIABLE",
    """http(url='http://h/s', body='{"k": "${NO_SUCH_VARIABLE}"}')""": "NO_SUCH_VARIABLE",
    "http(url='${HOME}/search')": "is none such as",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=WRONG)
def test_what_cannot_work(here, text, message):
    with pytest.raises(AssayError, match=r".") as caught:
        parse_provider(text).check()
    assert message in str(caught.value)


def test_an_extra_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr("assay.providers.loading.find_spec", lambda _: None)
    for text in ("dense", "dense(model=a)", "rerank(bm25, model=a)", "hybrid"):
        with pytest.raises(AssayError, match="pip install"):
            parse_provider(text).check()


@pytest.mark.parametrize(
    ("text", "heeds"),
    [
        ("bm25", True),
        ("replay:a.run", False),
        ("hybrid(bm25, replay:a.run)", False),
        ("python:check_module:search", True),
        ("python:check_module:Retriever", True),
        ("python:check_texts:search", False),
        ("python:check_texts:by_record", True),
        ("python:check_gone:search", True),
        ("command(command=ls, index=false)", True),
        ("http(url='http://h/s')", False),
        ("http(url='http://h/s?in={scope}')", True),
        ("http(url='http://h/s?in=${scope}')", False),
        ("""http(url='http://h/s', body='{"q": "{query}", "in": {scope}}')""", True),
    ],
)
def test_whether_scopes_are_heeded(here, text, heeds):
    (here / "check_texts.py").write_text(
        "from assay import Query\ndef search(text, k): pass\ndef by_record(one: Query, k): pass"
    )
    assert parse_provider(text).heeds_scope is heeds
