"""Names: the longest name that a text has in so many words."""

import pytest

from assay.ontology import Synonym, TermRecord, build_ontology
from assay.ontology.search import Names


@pytest.fixture(scope="module")
def names():
    """Terms 0 to 3; `Fits` is the label of one, an exact synonym of another, and a broad one of a third."""
    return Names(
        build_ontology(
            [
                TermRecord("0", "Seizure", synonyms=(Synonym("Fits"), Synonym("Spell", "BROAD"))),
                TermRecord("1", "Fits"),
                TermRecord("2", "Fainting", synonyms=(Synonym("Spell"), Synonym(""))),
                TermRecord("3", "Anfälle (große)"),
            ]
        )
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", -1),
        ("nothing of the kind", -1),
        ("Seizures", -1),
        ("a SEIZURE.", 0),
        ("fits", 1),
        ("a spell", 2),
        ("spell or seizure", 0),
        ("große Anfälle", -1),
        ("Seizure (Anfälle, große)", 3),
    ],
)
def test_longest_in(names, text, number):
    assert names.longest_in(text) == number


def test_an_ontology_without_names():
    assert Names(build_ontology([TermRecord("0")])).longest_in("anything") == -1
