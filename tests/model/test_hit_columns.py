"""Hit columns: what Chroma hands over, as records."""

import pytest

from assay.model.values import are_columns, records_of_columns, scored_entries, term_of


def test_nested_and_flat_columns_are_the_same():
    nested = {"ids": [["a", "b"]], "distances": [[0.1, 0.2]], "embeddings": None, "included": ["distances"]}
    flat = {"ids": ["a", "b"], "distances": [0.1, 0.2], "metadatas": None}
    expected = [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.2}]
    assert records_of_columns(nested) == records_of_columns(flat) == expected


def test_columns_that_do_not_fit_together():
    with pytest.raises(ValueError, match="differ in length"):
        records_of_columns({"ids": ["a"], "distances": [1, 2]})
    with pytest.raises(ValueError, match="expected the hits of one query"):
        records_of_columns({"ids": [["a"], ["b"]]})


@pytest.mark.parametrize("other", [{"ids": "a"}, {"id": ["a"]}, ["ids"], None])
def test_what_is_no_columns(other):
    assert not are_columns(other)


@pytest.mark.parametrize(
    ("metadata", "term"),
    [({"hpo_id": "HP:0001250"}, "HP:0001250"), ({"hpo_id": ""}, None), ({"hpo_id": 7}, None), (None, None)],
)
def test_the_term_that_metadata_name(metadata, term):
    assert term_of(metadata) == term


def test_scores_are_given_or_follow_from_distances_or_from_places():
    assert scored_entries({"ids": ["a", "b"], "scores": [2, 1]}) == [("a", 2), ("b", 1)]
    assert scored_entries({"ids": ["a", "b"], "distances": [0.5, 0.25]}) == [("a", -0.5), ("b", -0.25)]
    assert scored_entries({"ids": ["a", "b"]}) == [("a", 0.0), ("b", -1.0)]
    terms = [{"hpo_id": "HP:1"}, {}, {"hpo_id": "HP:1"}]
    assert scored_entries({"ids": ["a", "b", "c"], "distances": [3, 2, 1], "metadatas": terms}) == [("HP:1", -1), ("b", -2)]
