"""hybrid: ranks or scores of several providers in one ranking."""

import sys
from types import ModuleType

import pytest

from assay import Hit, Query
from assay.errors import BadParameter, ProviderError, UsageError

from ._asking import Q, ids, provider


@pytest.fixture
def module(monkeypatch):
    """A module whose functions are the parts."""
    made = ModuleType("hybrid_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def made(module, *parts, settings=""):
    """A hybrid of parts that give these hits."""
    for number, part in enumerate(parts):
        hits = [Hit(doc, float(score)) for doc, score in part.items()] if isinstance(part, dict) else part
        setattr(module, f"part{number}", hits if callable(hits) else lambda text, k, hits=hits: hits[:k])
    names = ", ".join(f"python:hybrid_module:part{number}" for number in range(len(parts)))
    return provider(f"hybrid({names}{settings})").make()


def fused(module, *parts, k=10, **settings):
    text = "".join(f", {name}={value}" for name, value in settings.items())
    return [(hit.doc_id, hit.score) for hit in made(module, *parts, settings=text).search([Q], k)[0]]


A, B = {"a": 9, "b": 6, "c": 3}, {"b": 4, "c": 3, "d": 2}
WORKED = [
    (({"a": 9, "b": 5}, {"b": 0.9, "c": 0.1}), {}, [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]),
    (({"a": 9}, {"b": 2}), {"weights": "[1, 3]", "rank_constant": 0}, [("b", 3.0), ("a", 1.0)]),
    (({"a": 30, "b": 20, "c": 10}, {"c": 0.4, "b": 0.2}), {"method": "weighted"}, [("c", 0.5), ("a", 0.5), ("b", 0.25)]),
    (({"a": -3, "b": -3}, {}), {"method": "weighted", "weights": "[1, 1]"}, [("b", 1.0), ("a", 1.0)]),
    (({}, {}), {}, []),
    ((A, B), {"method": "comb_sum", "norm": "none", "k": 2}, [("b", 10.0), ("a", 9.0)]),
    ((A, B), {"method": "weighted_mnz", "weights": "[0.75, 0.25]"}, [("b", 1.5), ("a", 0.75), ("c", 0.5), ("d", 0.0)]),
]


def test_worked_examples(module):
    for parts, settings, expected in WORKED:
        found = fused(module, *parts, **settings)
        assert [doc for doc, _ in found] == [doc for doc, _ in expected], (parts, settings)
        assert [score for _, score in found] == pytest.approx([score for _, score in expected]), (parts, settings)
    assert [doc for doc, _ in fused(module, {"a": 1, "b": 1}, {"c": 1})] == ["c", "b", "a"], "equal ones go by id"


def test_a_query_that_failed_in_one_part_has_failed_and_others_have_not(module):
    module.picky = type("Picky", (), {"search": lambda _, queries, k: [_picky(query) for query in queries]})
    module.part = lambda text, k: ["a", "b"]
    hybrid = provider("hybrid(python:hybrid_module:picky, python:hybrid_module:part)").make()
    first, bad, last = hybrid.search([Query("one", "x"), Query("bad", "x"), Query("one", "x")], 5)
    assert (ids(first), first) == (["a", "b"], last)
    assert isinstance(bad, ProviderError)
    depths = []
    part = lambda text, k: depths.append(k) or [Hit("a", 1.0, "of a")]  # noqa: E731
    for depth, k in ((0, 10), (0, 500), (20, 500)):
        (hits,) = made(module, part, part, settings=f", depth={depth}").search([Q], k)
        assert hits[0].text == "of a", "texts are kept"
    assert depths == [100, 100, 500, 500, 20, 20]


def _picky(query):
    return ProviderError("no") if query.query_id == "bad" else ["a"]


def test_names_and_what_does_not_fit():
    mapped = {"hybrid": {"providers": ["bm25", "tfidf_chars"], "weights": [0.5, 0.5]}}
    for text, name in (
        ("hybrid", "hybrid(bm25, dense)"),
        (mapped, "hybrid(bm25, tfidf_chars, weights=[0.5, 0.5])"),
        ("hybrid(bm25, dense, method=weighted)", "hybrid(bm25, dense, method=weighted_sum)"),
        ("hybrid(bm25, dense, method=rbc(p=0.9))", "hybrid(bm25, dense, method='rbc(p=0.9)')"),
    ):
        assert provider(text).name == name
    for setting in ("weights=[1]", "method=borda, norm=max", "method=comb_sum, rank_constant=5"):
        bound = provider(f"hybrid(bm25, tfidf_chars, {setting})")
        for refused in (bound.check, bound.make):
            with pytest.raises(BadParameter):
                refused()
    for setting in ("weights=[-1, 1]", "method=best", "norm=best", "depth=-1", "method=probfuse"):
        with pytest.raises(UsageError):
            pytest.fail(provider(f"hybrid(bm25, tfidf_chars, {setting})").name)
