"""notes_on_ids: what a reader is told, in two sentences at most."""

from assay.ontology.search import notes_on_ids

from ._small import small


def test_what_is_replaced_and_what_is_lost():
    assert notes_on_ids(small(), ["X:A", "X:ALT"], "expected") == []
    assert notes_on_ids(small(), ["X:OLD", "X:OLDER", "X:OLD", "X:Q"], "expected") == [
        "2 expected ids obsolete in small, read as the replacement: X:OLD → X:A, X:OLDER → X:A.",
        "1 expected id without a current term in small, like no other: X:Q.",
    ]


def test_only_a_few_are_named():
    (note,) = notes_on_ids(small(), [f"Y:{number}" for number in range(9)], "retrieved")
    assert note == "9 retrieved ids without a current term in small, like no other, such as Y:0, Y:1, Y:2, Y:3, Y:4."
