"""hybrid: the first likeness that passes decides, or the weighted mean of all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.model.records import Query
from assay.relevance.resolution import resolve

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


@given(grounds(), st.sampled_from([0.2, 0.5, 0.8]), st.sampled_from([(1, 1, 1, 1), (2, 1, 0, 3), (0, 0, 0, 7)]))
def test_weighted_is_the_mean_of_them(made, threshold, weights):
    share = lexical(made)

    def mean(wanted, text):
        parts = substring(wanted, text), f1(wanted, text), coverage(wanted, text), share(wanted, text)
        return sum(weight * part for weight, part in zip(weights, parts, strict=True)) / sum(weights)

    resolved = resolve(made, f"hybrid(method=weighted, threshold={threshold}, weights={list(weights)})")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, mean, threshold)


def test_its_settings_are_recorded():
    made = ground(Query("q", expected="a"), ["d"], documents={"d": "a"})
    settings = resolve(made, "hybrid(method=weighted, weights=[2, 1, 1, 0.5])").settings
    assert settings == {"hybrid_method": "weighted", "hybrid_threshold": 0.5, "hybrid_weights": (2.0, 1.0, 1.0, 0.5)}


# Weights


@pytest.mark.parametrize(
    ("weights", "relevant"),
    [("[1, 0, 0, 0]", 0.0), ("[0, 1, 0, 0]", 1.0), ("[0, 0, 1, 0]", 1.0), ("[0, 0, 0, 1]", 1.0), ("[9, 1, 0, 0]", 0.0)],
)
def test_weights_say_which_likeness_counts(weights, relevant):
    """The words are there, but not in order."""
    assert grade("a b c", "c b a", f"hybrid(method=weighted, weights={weights}, threshold=0.9)") == relevant


def test_weights_are_relative():
    assert grade("a b", "a b x x x x y z", "hybrid(method=weighted, weights=[1, 1, 0, 0], threshold=0.7)") == 1.0
    assert grade("a b", "a b x x x x y z", "hybrid(method=weighted, weights=[1, 3, 0, 0], threshold=0.7)") == 0.0
    assert grade("a b", "a b x x x x y z", "hybrid(method=weighted, weights=[10, 10, 0, 0], threshold=0.7)") == 1.0


def test_weights_do_not_matter_where_the_first_decides():
    assert grade("a b c", "c b a", "hybrid(weights=[1, 0, 0, 0])") == 1.0


@pytest.mark.parametrize("weights", ["[1, 1, 1]", "[1, 1, 1, 1, 1]", "[0, 0, 0, 0]", "[1, 1, 1, -1]"])
def test_weights_are_four_numbers_from_0_up_not_all_0(weights):
    with pytest.raises(BadParameter) as error:
        grade("a", "a", f"hybrid(weights={weights})")
    assert f"weights is 4 numbers from 0 up, such as [2, 1, 1, 1], not {weights!r}" in str(error.value)


@pytest.mark.parametrize(("weights", "said"), [("x", "a number"), ("[]", "a number"), ("[inf, 1, 1, 1]", "a finite number")])
def test_weights_that_are_no_numbers_are_refused(weights, said):
    with pytest.raises(BadParameter, match=f"weights is {said}, not"):
        grade("a", "a", f"hybrid(weights={weights})")


def test_a_method_that_does_not_exist_is_refused():
    with pytest.raises(BadParameter, match="method is one of first, weighted, not 'best'"):
        grade("a", "a", "hybrid(method=best)")
