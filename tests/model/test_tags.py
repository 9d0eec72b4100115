"""tags: what queries can be sliced by; tags of a list are slices of their own."""

from types import SimpleNamespace

import pytest

from assay.errors import UsageError
from assay.model.records import Query
from assay.model.tags import Tags, values_of


def tags_of_queries(*metadata):
    queries = {f"q{place}": Query(f"q{place}", metadata=one) for place, one in enumerate(metadata, 1)}
    return Tags.of([SimpleNamespace(query_ids=tuple(queries), queries=queries)])


def test_what_a_list_names_can_be_sliced_by():
    tags = tags_of_queries({"tags": ["critical", "slow"]}, {"tags": ["slow"]}, {"tags": []})
    assert tags.names == ("critical", "slow")
    assert [(one.label, one.queries) for one in tags.slices(["critical"])] == [
        ("critical=yes", ("q1",)),
        ("critical=(none)", ("q2", "q3")),
    ]


def test_a_list_itself_is_no_slice():
    """A query would be in two slices, and their counts would not add up to all queries."""
    tags = tags_of_queries({"tags": ["critical", "slow"]}, {"tags": ["slow"]})
    with pytest.raises(UsageError) as caught:
        tags.named("tags")
    assert str(caught.value) == (
        "tags is a list in 2 queries, and a query can be in one slice alone: "
        "slice by what it names, such as critical or slow, which is yes or (none)"
    )
    with pytest.raises(UsageError, match="codes holds a list in 1 query"):
        tags_of_queries({"codes": ["a"]}).named("codes")


def test_the_values_a_word_stands_for():
    tags = {"critical": "yes", "language": "de", "query_type": "fact"}
    assert values_of(tags, "tag") == values_of(tags, "tags") == {"critical"}
    assert values_of({**tags, "tag": "other"}, "tag") == {"critical", "other"}
    assert values_of(tags, "category") == values_of(tags, "query_type") == {"fact"}
    assert values_of(tags, "nothing") == set()


def test_fractions_are_slices_in_their_order():
    values = [0.7, 10, None, 0.2, 1, 0.7, 1.0, 2.0, -1.5, "1e-07"]
    tags = tags_of_queries(*({"temperature": value} for value in values))
    found = [(one.value, one.n) for one in tags.slices(["temperature"])]
    assert found == [("-1.5", 1), ("1e-07", 1), ("0.2", 1), ("0.7", 2), ("1", 2), ("2", 1), ("10", 1), ("(none)", 1)]


def test_words_that_python_takes_for_numbers_are_words():
    tags = tags_of_queries(*({"name": value} for value in ("nan", "inf", "1_0", "3", "b")))
    assert [one.value for one in tags.slices(["name"])] == ["3", "1_0", "b", "inf", "nan"]
