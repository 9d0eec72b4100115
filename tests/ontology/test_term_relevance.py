"""ontology: grades are similarities to the nearest expected term; the ideal is the best that could have been retrieved."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import UsageError
from assay.model import Hit, Query
from assay.ontology import TermRecord, build_ontology
from assay.relevance import Ground, resolve

PARENTS = {"R": (), "A": ("R",), "B": ("R",), "C": ("A", "B"), "D": ("C",), "E": ("B",), "S": ()}
"""Depths: R and S 0, A and B 1, C and E 2, D 3."""
ONTOLOGY = build_ontology(
    [
        *(TermRecord(one, parents=above, alternatives=("C2",) if one == "C" else ()) for one, above in PARENTS.items()),
        TermRecord("OLD", is_obsolete=True, replaced_by=("C",)),
    ]
)


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


def test_by_hand():
    found = grades(["E", "C", "S", "D"], ["C"])
    assert found == {
        "E": pytest.approx(1 / 3),
        "C": 1,
        "S": 0,
        "D": pytest.approx(2 / 3),
        "A": pytest.approx(1 / 3),
        "B": pytest.approx(1 / 3),
    }


def test_the_nearest_of_several_counts_and_each_expected_one_is_whole():
    found = grades(["D"], ["C", "E"])
    assert (found["C"], found["E"], found["D"]) == (1, 1, pytest.approx(2 / 3))


def test_below_the_threshold_nothing_is_relevant():
    assert grades(["E", "D"], ["C"], "ontology(formula=simple, threshold=0.5)") == {
        "E": 0,
        "C": 1,
        "D": pytest.approx(2 / 3),
    }
    assert grades(["D"], ["C"], "ontology(formula=simple, threshold=1)") == {"C": 1, "D": 0}


def test_binary_grades():
    found = grades(["E", "D"], ["C"], "ontology(formula=simple, threshold=0.5, by=binary)")
    assert found == {"E": 0, "C": 1, "D": 1}


def test_an_expected_term_is_whole_even_where_the_formula_is_not():
    assert grades([], ["A"], "ontology(formula=resnik, threshold=0.9)")["A"] == 1


def test_the_ideal_is_made_of_documents_that_are_there():
    assert grades(["E"], ["C"], documents=["E", "D", "S"]) == {"E": pytest.approx(1 / 3), "D": pytest.approx(2 / 3), "C": 1}


def test_documents_that_are_no_terms_do_not_count():
    assert grades([], ["C"], documents=["readme"]).keys() == {"A", "B", "C", "D", "E"}


def test_a_term_is_credited_once():
    found = grades(["C2", "C", "OLD"], ["C"], documents=["C", "C2"])
    assert found == {"C2": 1, "C": 0, "OLD": 0}


def test_an_expected_id_under_its_old_name():
    found = grades(["C"], ["OLD"])
    assert found["C"] == 1
    assert "OLD" not in found


def test_an_id_that_is_no_term_is_itself_alone():
    assert grades(["nobody", "somebody"], ["nobody"]) == {"nobody": 1, "somebody": 0}
    assert grades(["somebody"], ["nobody"]) == {"nobody": 1, "somebody": 0}


def test_grade_0_is_not_expected_and_an_empty_list_is_ground_truth():
    assert set(grades(["C"], {"C": 0}).values()) == {0}
    assert grades(["C"], []) == {"C": 0}


def test_only_the_scope_counts():
    found = grades([], ["C"], documents=["D", "E"], scope="one", scopes={"one": ["E"]})
    assert found == {"C": 1, "E": pytest.approx(1 / 3)}


def test_chunks_stand_for_their_document():
    found = grades(["D#1", "D#2"], ["C"], documents=["C", "D"], document_of=lambda chunk: chunk.partition("#")[0])
    assert found == {"D#1": pytest.approx(2 / 3), "D#2": 0, "C": 1}


def test_what_was_counted_over():
    assert resolve(ground(["C"], ["C"]), "ontology").counted_over == {"ontology": 1}
    assert resolve(ground(["C"], ["C"], documents=["C"]), "ontology").counted_over == {"scope": 1}


def test_how_it_is_recorded():
    settings = resolve(ground(["C"], ["C"]), "ontology(formula=lin(ic=zhou))").settings
    assert settings == {"ontology_formula": "lin(ic=zhou)", "ontology_threshold": 0.4, "ontology_by": "graded"}


def test_without_an_ontology():
    with pytest.raises(UsageError, match="relevance by ontology needs an ontology: --ontology FILE"):
        resolve(ground(["C"], ["C"], ontology=None), "ontology")


@given(st.lists(st.sampled_from(list(PARENTS)), unique=True), st.sets(st.sampled_from(list(PARENTS)), min_size=1))
def test_no_ranking_beats_the_ideal_and_the_best_one_is_it(hits, expected):
    import assay

    judged = grades(hits, expected, "ontology(threshold=0)")
    assert set(judged) >= expected
    best = sorted(judged, key=judged.__getitem__, reverse=True)
    ideal = grades(best, expected, "ontology(threshold=0)")
    assert assay.evaluate({"q": judged}, {"q": hits}, ["ndcg"])["ndcg"] <= 1 + 1e-12
    assert assay.evaluate({"q": ideal}, {"q": best}, ["ndcg"])["ndcg"] == pytest.approx(1)
    assert {doc: judged[doc] for doc in judged if judged[doc]} == {doc: ideal[doc] for doc in ideal if ideal[doc]}


# What somebody judged is not overruled


def test_a_term_judged_not_relevant_is_not_however_like_it_is():
    found = grades(["D", "C"], {"C": 1, "D": 0})
    assert (found["C"], found["D"]) == (1, 0)
    assert "D" not in {doc for doc, grade in grades(["C"], {"C": 1, "D": -1}).items() if grade}


def test_expected_under_one_id_and_not_under_another_is_expected():
    assert grades(["C"], {"C": 1, "OLD": 0})["C"] == 1


def test_grades_that_differ_count_the_same_and_a_doubt_says_so():
    resolved = resolve(ground(["C", "E"], {"C": 3, "E": 1}), "ontology(formula=simple)")
    assert (resolved.qrels["q"]["C"], resolved.qrels["q"]["E"]) == (1, 1)
    said = "grades of expected terms differ in 1 of 1 query: by ontology each of them counts 1; relevance qrels keeps them."
    assert resolved.doubts == (said,)
    assert resolve(ground(["C"], {"C": 2, "E": 2, "D": 0}), "ontology").doubts == ()
