"""ontology: grades are similarities to the nearest expected term; the ideal is the best that could have been retrieved."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import UsageError
from assay.model import Hit, Query
from assay.relevance import Ground, resolve

from ._small import TINY, tiny

ONTOLOGY = tiny()


def ground(hits, expected, documents=(), **more):
    """One query, what it expects, and what was retrieved."""
    return Ground(
        queries={"q": Query("q", scope=more.pop("scope", None))},
        hits={"q": [Hit(doc, -float(place)) for place, doc in enumerate(hits)]},
        qrels={"q": expected if isinstance(expected, dict) else dict.fromkeys(expected, 1.0)},
        documents=dict.fromkeys(documents, ""),
        context=SimpleNamespace(ontology=more.pop("ontology", ONTOLOGY)),
        **more,
    )


def grades(hits, expected, relevance="ontology(formula=simple, threshold=0.3)", **more):
    """What the resolver says about the one query."""
    return resolve(ground(hits, expected, **more), relevance).qrels["q"]


HALF, STRICT = "ontology(formula=simple, threshold=0.5)", "ontology(formula=simple, threshold=1)"
BINARY = "ontology(formula=simple, threshold=0.5, by=binary)"
BY_HAND = {  # hits, expected, grades, and how
    "graded": ("ECSD", "C", {"E": 1 / 3, "C": 1, "S": 0, "D": 2 / 3, "A": 1 / 3, "B": 1 / 3}),
    "below the threshold": ("ED", "C", {"E": 0, "C": 1, "D": 2 / 3}, {"relevance": HALF}),
    "below a strict threshold": ("D", "C", {"C": 1, "D": 0}, {"relevance": STRICT}),
    "binary": ("ED", "C", {"E": 0, "C": 1, "D": 1}, {"relevance": BINARY}),
    "the ideal is of documents that are there": ("E", "C", {"E": 1 / 3, "D": 2 / 3, "C": 1}, {"documents": ["E", "D", "S"]}),
    "a term is credited once": (["C2", "C", "OLD"], "C", {"C2": 1, "C": 0, "OLD": 0}, {"documents": ["C", "C2"]}),
    "no term is itself alone": (["nobody", "somebody"], ["nobody"], {"nobody": 1, "somebody": 0}),
    "no term, not retrieved": (["somebody"], ["nobody"], {"nobody": 1, "somebody": 0}),
    "nothing is expected": ("C", [], {"C": 0}),
    "only the scope counts": (
        *("", "C", {"C": 1, "E": 1 / 3}),
        {"documents": ["D", "E"], "scope": "one", "scopes": {"one": ["E"]}},
    ),
    "chunks stand for their document": (
        *(["D#1", "D#2"], "C", {"D#1": 2 / 3, "D#2": 0, "C": 1}),
        {"documents": ["C", "D"], "document_of": lambda chunk: chunk.partition("#")[0]},
    ),
}


def test_by_hand():
    for name, (hits, expected, found, *how) in BY_HAND.items():
        assert grades(list(hits), list(expected), **(how[0] if how else {})) == pytest.approx(found), name
    found = grades(["D"], ["C", "E"])
    assert (found["C"], found["E"], found["D"]) == (1, 1, pytest.approx(2 / 3)), "the nearest of several counts"
    assert grades([], ["A"], "ontology(formula=resnik, threshold=0.9)")["A"] == 1, "an expected term is whole"
    assert grades([], ["C"], documents=["readme"]).keys() == {"A", "B", "C", "D", "E"}
    found = grades(["C"], ["OLD"])
    assert (found["C"], "OLD" in found) == (1, False)


def test_what_somebody_judged_is_not_overruled():
    assert set(grades(["C"], {"C": 0}).values()) == {0}
    found = grades(["D", "C"], {"C": 1, "D": 0})
    assert (found["C"], found["D"]) == (1, 0)
    assert not grades(["C"], {"C": 1, "D": -1}).get("D")
    assert grades(["C"], {"C": 1, "OLD": 0})["C"] == 1, "expected under one id is expected"


def test_what_is_recorded():
    assert resolve(ground(["C"], ["C"]), "ontology").counted_over == {"ontology": 1}
    assert resolve(ground(["C"], ["C"], documents=["C"]), "ontology").counted_over == {"scope": 1}
    settings = resolve(ground(["C"], ["C"]), "ontology(formula=lin(ic=zhou))").settings
    assert settings == {"ontology_formula": "lin(ic=zhou)", "ontology_threshold": 0.4, "ontology_by": "graded"}
    resolved = resolve(ground(["C", "E"], {"C": 3, "E": 1}), "ontology(formula=simple)")
    assert (resolved.qrels["q"]["C"], resolved.qrels["q"]["E"]) == (1, 1)
    said = "the grades of expected terms differ in 1 of 1 query, but ontology counts each term as 1"
    assert resolved.doubts == (f"{said}. To use the grades, add --relevance qrels.",)
    assert resolve(ground(["C"], {"C": 2, "E": 2, "D": 0}), "ontology").doubts == ()
    with pytest.raises(UsageError):
        resolve(ground(["C"], ["C"], ontology=None), "ontology")


@given(st.lists(st.sampled_from(list(TINY)), unique=True), st.sets(st.sampled_from(list(TINY)), min_size=1))
def test_no_ranking_beats_the_ideal_and_the_best_one_is_it(hits, expected):
    judged = grades(hits, expected, "ontology(threshold=0)")
    assert set(judged) >= expected
    best = sorted(judged, key=judged.__getitem__, reverse=True)
    ideal = grades(best, expected, "ontology(threshold=0)")
    assert assay.evaluate({"q": judged}, {"q": hits}, ["ndcg"])["ndcg"] <= 1 + 1e-12
    assert assay.evaluate({"q": ideal}, {"q": best}, ["ndcg"])["ndcg"] == pytest.approx(1)
    assert {doc: judged[doc] for doc in judged if judged[doc]} == {doc: ideal[doc] for doc in ideal if ideal[doc]}
