"""oracle: the ceiling."""

from __future__ import annotations

import pytest

from assay.errors import ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers._provider import parse_provider


def test_relevant_documents_best_grade_first():
    oracle = parse_provider("oracle").make()
    oracle.know({"q": {"a": 1, "b": 3, "c": 0, "d": -1, "e": 1, "elsewhere": 5}, "r": {}})
    oracle.index(Document(doc) for doc in "abcdef")
    answers = oracle.search([Query("q"), Query("r"), Query("unjudged")], 5)
    assert answers == [[Hit("b", 3.0), Hit("e", 1.0), Hit("a", 1.0)], [], []]
    assert oracle.search([Query("q")], 1) == [[Hit("b", 3.0)]]


def test_without_judgments_it_knows_nothing():
    oracle = parse_provider("oracle").make()
    oracle.index([Document("a")])
    with pytest.raises(ProviderError, match="judgments"):
        oracle.search([Query("q")], 5)
