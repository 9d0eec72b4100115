"""Term ids: one id for each term in judgments, rankings and hits, whatever it was called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Qrels, Run
from assay.evaluation import CanonicalIds
from assay.model.records import Hit
from assay.ontology import TermRecord, build_ontology
from assay.ontology.term_ids import TermIds

ONTOLOGY = build_ontology(
    [
        TermRecord("X:1"),
        TermRecord("X:2", parents=("X:1",), alternatives=("X:22",)),
        TermRecord("X:3", parents=("X:1",)),
        TermRecord("X:9", is_obsolete=True, replaced_by=("X:3",)),
        TermRecord("X:8", is_obsolete=True),
    ],
    "tiny",
)
TERMS = TermIds(ONTOLOGY)
IDS = CanonicalIds(TERMS.of)
ADDRESS = "http://purl.example.org/obo/X_2"


@pytest.mark.parametrize(
    ("one", "own"),
    [("X:2", "X:2"), ("X:22", "X:2"), ("X_2", "X:2"), (ADDRESS, "X:2"), ("X:9", "X:3"), ("X:8", "X:8"), ("d1", "d1")],
)
def test_a_term_goes_by_its_own_id_and_other_ids_stay(one, own):
    assert TERMS.of(one) == own


def test_documents_say_how_ids_are_written():
    ids = TermIds(ONTOLOGY, {"X_2": None, "readme": None})
    assert [ids.of(one) for one in ("X:2", "X:22", "X_2", "X:3", "readme")] == ["X_2", "X_2", "X_2", "X:3", "readme"]
    assert CanonicalIds(ids.of).of_rankings({"q": {"X:2": 1.0}}) == {"q": {"X_2": 1.0}}


def test_two_documents_of_one_term_stay_two():
    ids = TermIds(ONTOLOGY, {"X:2": None, "X:22": None})
    assert [ids.of(one) for one in ("X:2", "X:22", "X_2")] == ["X:2", "X:22", "X:2"]


def test_of_several_ids_of_one_term_the_best_counts():
    assert IDS.of_rankings({"q": {"X:22": 0.5, "X:2": 2.0, "X:3": 1.0}}) == {"q": {"X:2": 2.0, "X:3": 1.0}}
    judged = IDS.of_judgments(Qrels({"q": {"X:9": 1, "X:3": 0}}))
    assert judged["q"] == {"X:3": 1}


def test_what_needs_no_change_is_the_same_object():
    judged, run = {"q": {"X:2": 1.0}}, Run({"q": {"X:3": 2.0}})
    assert IDS.of_rankings(judged) is judged
    assert IDS.of_run(run, "error") == (run, ["X:3"])


def test_a_run_keeps_its_tag_and_its_scores():
    run, retrieved = IDS.of_run({"q": {"X_2": 2.0, "X:9": 1.0}}, "error")
    assert (dict(run), retrieved) == ({"q": {"X:2": 2.0, "X:3": 1.0}}, ["X_2", "X:9"])


def test_hits_keep_their_text_and_only_the_best_of_a_term_is_left():
    hits = [Hit("X:22", 1.0, "worse"), Hit("X:2", 3.0, "better"), Hit("d", 2.0, "other")]
    found, retrieved = IDS.of_run({"q": hits}, "error")
    assert [(hit.doc_id, hit.text) for hit in found["q"]] == [("X:2", "better"), ("d", "other")]
    assert retrieved == ["X:22", "X:2", "d"]


def test_notes_tell_alternative_obsolete_and_unknown_ids():
    assert TERMS.notes(["X:22", "X:9", "Z"], ["X:2", "X:22"]) == [
        "1 expected id alternative in tiny, read as the term's own: X:22 → X:2.",
        "1 expected id obsolete in tiny, read as the replacement: X:9 → X:3.",
        "1 expected id without a current term in tiny, like no other: Z.",
        "1 retrieved id alternative in tiny, read as the term's own: X:22 → X:2.",
    ]


@given(st.dictionaries(st.sampled_from(["X:1", "X:2", "X:22", "X_2", "X:9", "X:3", "X:8", "d"]), st.floats(0, 9)))
def test_twice_is_once_and_nothing_is_lost(values):
    once = IDS.of_rankings({"q": values})["q"]
    assert IDS.of_rankings({"q": once}) == {"q": once}
    assert max(once.values(), default=None) == max(values.values(), default=None)
    assert set(once) == {TERMS.of(one) for one in values}
