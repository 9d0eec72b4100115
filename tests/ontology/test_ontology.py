"""Ontology: ids in every spelling, what replaced them, and all about a term."""

import pytest

from assay.ontology import Synonym, TermRecord, build_ontology

from ._small import small


@pytest.mark.parametrize(
    ("text", "term", "kind"),
    [
        ("X:A", "X:A", "current"),
        ("X_A", "X:A", "current"),
        ("x:A", "X:A", "current"),
        (" X:A ", "X:A", "current"),
        ("http://purl.obolibrary.org/obo/X_A", "X:A", "current"),
        ("https://example.org/x#X_A", "X:A", "current"),
        ("X:ALT", "X:A", "alternative"),
        ("X_ALT", "X:A", "alternative"),
        ("X:OLD", "X:A", "replaced"),
        ("X:OLDER", "X:A", "replaced"),
        ("X:GONE", None, "obsolete"),
        ("X:Q", None, "unknown"),
        ("", None, "unknown"),
        ("A", None, "unknown"),
    ],
)
def test_what_an_id_stands_for(text, term, kind):
    ontology = small()
    found = ontology.find(text)
    assert (ontology.ids[found.number] if found.number >= 0 else None, found.kind) == (term, kind)
    assert bool(found.note) == (kind in ("replaced", "obsolete", "unknown"))


def test_what_is_told_about_obsolete_ids():
    ontology = small()
    assert ontology.find("X:OLD").note == "X:OLD is obsolete, replaced by X:A (Head pain)"
    assert ontology.find("X:GONE").note == "X:GONE (obsolete Chill) is obsolete and nothing replaces it; consider X:B"


@pytest.mark.parametrize(
    ("replaced_by", "term", "note"),
    [
        (("lost", "a"), "a", "p is obsolete, replaced by a (A)"),
        (("gone", "a"), "a", "p is obsolete, replaced by a (A)"),
        (("p", "a"), "a", "p is obsolete, replaced by a (A)"),
        (("round", "a"), "a", "p is obsolete, replaced by a (A)"),
        (("a", "b"), "a", "p is obsolete, replaced by a (A) and b (B); a is taken"),
        (("b", "other_a"), "b", "p is obsolete, replaced by b (B) and a (A); b is taken"),
        (("a", "other_a"), "a", "p is obsolete, replaced by a (A)"),
        (("lost",), None, "p (P) is obsolete and what replaces it is not there: lost"),
        (("gone",), None, "p (P) is obsolete and nothing replaces it"),
    ],
)
def test_every_replacement_is_tried(replaced_by, term, note):
    ontology = build_ontology(
        [
            TermRecord("a", "A", alternatives=("other_a",)),
            TermRecord("b", "B"),
            TermRecord("p", "P", is_obsolete=True, replaced_by=replaced_by),
            TermRecord("gone", is_obsolete=True),
            TermRecord("round", is_obsolete=True, replaced_by=("p",)),
        ]
    )
    found = ontology.find("p")
    assert (ontology.ids[found.number] if found.number >= 0 else None, found.note) == (term, note)


def test_replacements_that_go_in_a_circle_end():
    around = [TermRecord(one, is_obsolete=True, replaced_by=(other,)) for one, other in (("p", "q"), ("q", "p"))]
    ontology = build_ontology([TermRecord("r"), *around])
    assert ontology.find("p").kind == "obsolete"


def test_an_obsolete_id_without_a_replacement_may_be_an_alternative_one():
    ontology = build_ontology([TermRecord("r", alternatives=("old",)), TermRecord("old", is_obsolete=True)])
    assert ontology.find("old")[::2] == (0, "replaced")


def test_many_ids_at_once():
    ontology = small()
    ids = ["X:R", "X:OLD", "X:Q", "X:GONE", "X:ALT", "X:OLD"]
    assert ontology.numbers(ids).tolist() == [0, 2, -1, -1, 2, 2]
    assert ontology.numbers([]).tolist() == []


def test_all_about_a_term():
    ontology = small()
    term = ontology.term(ontology.number["X:A"])
    assert term == (
        "X:A",
        "Head pain",
        "Pain in the head.",
        (Synonym("Headache"), Synonym("Ache", "BROAD")),
        ("X:R",),
        ("X:C", "X:D"),
        1,
        ("X:ALT",),
    )


def test_how_it_is_shown():
    assert repr(small()) == "Ontology(small 1: 9 terms)"
