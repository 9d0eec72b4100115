"""hybrid: the first likeness that passes decides, or the weighted mean of all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.model.records import Query
from assay.relevance._resolve import resolve

from ._cases import EXPECTED, RETRIEVED, coverage, f1, grades_by_text, ground, grounds, lexical, substring


def grade(expected, text, relevance):
    return resolve(ground(Query("q", expected=expected), ["d"], documents={"d": text}), relevance).qrels["q"]["d"]


def test_one_that_passes_is_enough():
    long = f"{RETRIEVED} " + " ".join(f"word{number}" for number in range(100))
    assert [grade(EXPECTED, long, name) for name in ("token", "substring", "coverage", "hybrid")] == [0.0, 0.0, 1.0, 1.0]
    assert grade("a b c", "x y z", "hybrid") == 0.0


@given(grounds())
def test_first_is_whatever_any_of_them_says(made):
    share = lexical(made)

    def any_of(wanted, text):
        passes = substring(wanted, text) >= 1, f1(wanted, text) >= 0.3 - 1e-12, coverage(wanted, text) >= 0.7 - 1e-12
        return float(any(passes) or share(wanted, text) >= 0.5 - 1e-12)

    resolved = resolve(made, "hybrid")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, any_of, 1.0)


@given(grounds(), st.sampled_from([0.2, 0.5, 0.8]))
def test_weighted_is_the_mean_of_them(made, threshold):
    share = lexical(made)

    def mean(wanted, text):
        return (substring(wanted, text) + f1(wanted, text) + coverage(wanted, text) + share(wanted, text)) / 4

    resolved = resolve(made, f"hybrid(method=weighted, threshold={threshold})")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, mean, threshold)


def test_its_settings_are_recorded():
    made = ground(Query("q", expected="a"), ["d"], documents={"d": "a"})
    assert resolve(made, "hybrid(method=weighted)").settings == {"hybrid_method": "weighted", "hybrid_threshold": 0.5}


def test_a_method_that_does_not_exist_is_refused():
    with pytest.raises(BadParameter, match="method is one of first, weighted, not 'best'"):
        grade("a", "a", "hybrid(method=best)")
