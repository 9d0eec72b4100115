"""Provider: names, configurations without secrets, fingerprints with them, files, and what is known before it is asked."""

import sys

import pytest

from assay import BadParameter
from assay.grammar import Param
from assay.providers import BoundProvider, Provider

from ._asking import provider

PARAMS = (
    Param("url", str, "", ""),
    Param("api_key", str, "", ""),
    Param("max_tokens", int, 5, ""),
    Param("cache", str, "", ""),
)
SERVICE = Provider("service", "", dict, PARAMS)


def bound(**given):
    params = {param.name: given.get(param.name, param.default) for param in PARAMS}
    return BoundProvider(SERVICE, params, explicit_params=frozenset(given))


def test_secrets_are_neither_in_the_name_nor_in_the_configuration_but_make_a_difference():
    one = bound(url="x", api_key="s3cr3t", max_tokens=7)
    assert one.name == "service(url=x, max_tokens=7)"
    assert one.configuration == {"provider": "service", "url": "x", "api_key": "…", "max_tokens": 7, "cache": ""}
    assert bound().configuration["api_key"] == ""
    assert bound(api_key="a").fingerprint != bound(api_key="b").fingerprint
    first, second = (provider(f"http(url='http://x/?key={key}')") for key in ("first-secret", "second-secret"))
    assert first.configuration == second.configuration
    assert first.fingerprint != second.fingerprint


def test_names_read_back_and_maps_say_the_same():
    for text in ("bm25", "bm25(k1=0.9)", "hybrid(bm25, tfidf_chars)", "replay:a.run", "python:a.b:c.d"):
        assert provider(text).name == text
        assert provider(provider(text).name) == provider(text)
    assert provider({"bm25": {"k1": 0.9}}) == provider({"name": "bm25", "k1": 0.9}) == provider("bm25(k1=0.9)")
    assert provider({"hybrid": {"providers": ["bm25", {"bm25": {"k1": 2}}]}}).name == "hybrid(bm25, bm25(k1=2))"
    for text in ("", "()", "bm25:x", "python", "bm25(dense)", "bm25(k1=high)", "bm25(k1=1", "a b"):
        with pytest.raises((BadParameter, LookupError)):
            pytest.fail(provider(text).name)


WITHOUT_NAMES = [
    "opensearch(http://127.0.0.1:19200, docs)",
    "command(/usr/bin/python prog.py)",
    "command(prog.py --api-key hidden-123)",
    "python(search:find)",
    "http(http://h/s)",
    "bm25(0.9)",
    "bm25(dense)",
    "oracle(x)",
]


def test_a_value_without_the_name_of_its_parameter(snapshots):
    """The error is about the provider that was written, not about a provider that the value resembles."""
    errors = {}
    for text in WITHOUT_NAMES:
        with pytest.raises(BadParameter) as caught:
            pytest.fail(provider(text).name)
        errors[text] = caught.value
    assert "hidden-123" not in "".join(map(str, errors.values()))
    text = "".join(f"## {text}\n{error}\n\n" for text, error in errors.items())
    snapshots.check("providers/values_without_names", text)


def test_values_are_given_where_they_are_taken_and_not_set():
    assert bound().filled(cache="here", timeout=5).params == {"url": "", "api_key": "", "max_tokens": 5, "cache": "here"}
    assert bound(cache="mine").filled(cache="here").params["cache"] == "mine"
    whole = provider("hybrid(bm25, dense, http(url='http://h/s'))").filled(cache="here", timeout=5)
    assert [part.params.get("cache") for part in whole.parts] == ["here", "here", None]
    assert [part.params.get("timeout") for part in whole.parts] == [None, None, 5]


MODULE = """
ran = []
def search(query, k): ran.append(query)
def score(query, texts): ran.append(query)
def texts(text, k): ran.append(text)
def needy(query, k, index, *, model): ran.append(query)
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
    """A folder of one's own, which is the current one; what is imported there is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("NO_SUCH_VARIABLE", raising=False)
    (tmp_path / "check_module.py").write_text(MODULE)
    (tmp_path / "check_exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "a.run").write_text("q Q0 a 1 2 x\n")
    yield tmp_path
    module = sys.modules.pop("check_module", None)
    assert module is None or module.ran == []


FINE = ["bm25", "dense", "hybrid", "hybrid(bm25, tfidf_chars, weights=[1, 2])", "oracle", "random_order", "replay:a.run"]
FINE += ["python:check_module:search", "python:check_module:Retriever", "rerank(bm25, function=check_module:score)"]
FINE += [f"command:'{sys.executable}' gone.py", "http(url='http://127.0.0.1:1/search', headers='X: ${HOME}')"]
WRONG = [f"python:check_{name}" for name in ("gone:search", "exits:search", "module:needy", "module:Needy")]
WRONG += ["replay:gone.run", "replay:.", "command:no-such-program --x", "command:./a.run", "command:ls ${NO_SUCH_VARIABLE}"]
WRONG += ["hybrid(bm25)", "hybrid(bm25, bm25, weights=[1, 2, 3])", "hybrid(bm25, replay:gone.run)", "rerank(bm25)"]
WRONG += [f"rerank(bm25, function=check_module:{name})" for name in ("gone", "number")]
WRONG += ["rerank(bm25, dense, function=check_module:score)", "http(url='http://h/s?k=${NO_SUCH_VARIABLE}')"]
WRONG += ["http(url='http://h/s', headers='X-Key: ${NO_SUCH_VARIABLE}')", "http(url='${HOME}/search')"]
WRONG += ["""http(url='http://h/s', body='{"k": "${NO_SUCH_VARIABLE}"}')"""]


def test_what_may_work_and_what_cannot(here, snapshots, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    for text in FINE:
        provider(text).check()
    snapshots.check_errors("providers/check", {text: provider(text).check for text in WRONG})


def test_whether_scopes_are_heeded(here):
    (here / "check_record.py").write_text("from assay import Query\ndef search(one: Query, k): pass")
    for text, heeds in {
        "bm25": True,
        "replay:a.run": False,
        "hybrid(bm25, replay:a.run)": False,
        "python:check_module:search": True,
        "python:check_module:texts": False,
        "python:check_record:search": True,
        "command(command=ls, index=false)": True,
        "http(url='http://h/s')": False,
        "http(url='http://h/s?in={scope}')": True,
        """http(url='http://h/s', body='{"q": "{query}", "in": {scope}}')""": True,
    }.items():
        assert provider(text).heeds_scope is heeds, text
    assert [provider(f"hybrid(bm25, {part})").is_repeatable for part in ("tfidf_chars", "replay:a.run")] == [True, False]


def test_modules_and_programs_are_hashed_and_not_run(here, monkeypatch):
    found = []
    for text in ("raise SystemExit", "raise SystemExit  # again", "raise SystemExit"):
        (here / "sources_one.py").write_text(text)
        found.append(provider("python:sources_one:search").sources())
    assert list(found[0]) == ["sources_one.py"]
    assert found[0] == found[2] != found[1]
    for text in ("python:sources_gone:x", "python:sources_gone.deep:x", "replay:gone.run", "command:no-such-program x"):
        assert provider(text).sources() == {}, text
    for text in ("python:sys:exit", "bm25", "command:search.py ${NO_SUCH_VARIABLE}"):
        assert provider(text).sources() == {}, text
    (here / "search.py").write_text("print()")
    (here / "config.toml").write_text("")
    monkeypatch.setenv("CONFIG", "config.toml")
    found = provider(f"command:'{sys.executable}' search.py ${{CONFIG}} --deep gone.txt").sources()
    assert list(found) == [sys.executable, "search.py", "config.toml"]
    found = provider("rerank(replay:a.run, function=check_module:score)").sources()
    assert set(found) == {"check_module.py", "a.run"}
