"""Where a stored evaluation comes from: providers as they are written, not as Python keeps them."""

import pytest

from assay.grammar import mark_written
from assay.providers.provider import parse_provider
from assay.reports.sections.store import _spelled


@pytest.mark.parametrize(
    "text",
    [
        "bm25",
        "bm25(k1=0.9)",
        "bm25(stem=false)",
        "hybrid(bm25, tfidf_chars)",
        "hybrid(bm25(k1=0.9), tfidf_chars, weights=[1, 2])",
        "random_order(seed=3)",
    ],
)
def test_only_what_is_not_at_its_default_is_told(text):
    assert _spelled(parse_provider(mark_written(text)).configuration) == text


def test_of_a_provider_that_is_not_installed_all_is_told():
    assert _spelled({"provider": "theirs", "depth": 3, "model": None, "prefix": ""}) == "theirs(depth=3)"
    assert _spelled({"provider": "theirs"}) == "theirs"
