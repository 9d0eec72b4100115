"""why: every figure it names is what scoring really gives, and what it blames is what makes the difference."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.evaluation import Target
from assay.reports import why

from ._explained import TIED, TWO_QUERIES, explained, values

EXPECTED_MEAN = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4


def conventions(figures):
    """The single conventions, as the command line has them, and their values."""
    return {figure.conventions[0].flags or figure.setting.metric.name: figure.value for figure in figures}


def names(figures):
    return {figure.tool or figure.conventions[0].flags or figure.setting.metric.name for figure in figures}


# The case of the design


def test_four_tied_documents():
    found = explained(*TIED, "mrr@10")
    assert found.ours.value == 0.25
    assert values(found.tools) == {
        "ranx": pytest.approx(1 / 3, abs=1e-15),
        "ir_measures": 1.0,
        "beir": pytest.approx(1 / 3, abs=1e-15),
        "mteb": 0.25,
    }
    assert conventions(found.singles) == {
        "--ties docid_asc": 1.0,
        "--ties input_order": pytest.approx(1 / 3, abs=1e-15),
        "--ties reverse_order": 0.5,
        "--ties ranx": pytest.approx(1 / 3, abs=1e-15),
        "--ties expected": pytest.approx(EXPECTED_MEAN, abs=1e-15),
        "--judged-only": 1.0,
    }
    assert found.n_equal == {"1": 4}
    assert (found.expected, found.matches) == (None, ())
    assert [figure.tool for figure in found.tools if figure.is_lacking] == ["trec_eval-9", "trec_eval-10", "pytrec_eval"]
    assert values(explained(*TIED, "mrr").tools) == {
        **dict.fromkeys(("trec_eval-9", "trec_eval-10", "pytrec_eval", "ir_measures"), 0.25),
        "ranx": pytest.approx(1 / 3, abs=1e-15),
    }


def test_a_tool_that_leaves_ties_to_chance_has_a_band():
    """The relevant document may stand at each of the four ranks."""
    found = explained(*TIED, "mrr@10", "0.7")
    (figure,) = [one for one in found.tools if one.tool == "sentence-transformers"]
    assert figure.ends == (0.25, 1.0)
    assert figure.is_undefined
    assert figure.fault
    assert found.matches == (figure,)
    assert figure.words == "equal scores in no defined order"
    assert [(one.query, one.ours, one.theirs, one.highest) for one in found.moved(figure)] == [("1", 0.25, 0.25, 1.0)]
    assert explained(*TIED, "mrr@10", "1.1").matches == ()
    assert figure.tool not in names(explained(*TIED, "mrr@10", "0.3333").matches)


@pytest.mark.parametrize(("number", "is_inside"), [("0.249", False), ("0.2499", True), ("0.7", True), ("1.0004", True)])
def test_the_ends_of_a_band_are_rounded_too(number, is_inside):
    assert Target.parse(number).lies_within(0.24995, 1.00035) == is_inside


def test_the_reverse_of_the_order_given_is_found():
    (match,) = explained(*TIED, "mrr@10", "0.5000").matches
    assert match.conventions[0].policy == {"ties": "reverse_order"}
    assert "ranx with plain dicts" in match.words


@pytest.mark.parametrize(
    "expected", ["0.3333", "33.33%", "33.33", "33.33 %", ".3333", "0.33", "33", 1 / 3, 0.3333, "3.333333333333e-01"]
)
def test_the_number_is_found_however_it_is_written(expected):
    matches = explained(*TIED, "mrr@10", expected).matches
    assert names(matches) == {"ranx", "beir", "--ties input_order", "--ties ranx"}


UNTIED = ({"1": {"a": 1}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}})
"""The relevant document third, and nothing tied."""


@pytest.mark.parametrize("expected", ["0.3334", "0.3332", "0.333", "0.33333", "33.34%", "33.3%"])
def test_only_the_right_rounding_matches(expected):
    is_right = round(1 / 3, len(expected.rstrip("%").partition(".")[2]) + 2 * ("%" in expected)) == pytest.approx(
        float(expected.rstrip("%")) / (100 if "%" in expected else 1)
    )
    assert bool(explained(*UNTIED, "mrr", expected).matches) == is_right


def test_a_number_may_be_cut_off():
    """Two of three: 0.667 rounded, 0.666 cut off."""
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    for number, is_cut in (("0.667", False), ("0.666", True), ("66.6%", True)):
        found = explained(qrels, run, "precision@3", number)
        assert (found.matches[0], found.is_cut) == (found.ours, is_cut)
    assert Target.parse("-0.6").matches_cut(-0.66)
    assert not Target.parse("0.9").matches_cut(1.0)


def test_other_cutoffs_are_tried_for_a_number():
    run = {"1": {f"x{number}": float(-number) for number in range(6)} | {"a": -6.0}}
    found = explained({"1": {"a": 1}}, run, "recall@5", "1.000")
    assert {"recall@10", "recall@100"} <= {figure.setting.metric.name for figure in found.matches}
    assert "another cutoff: recall@10" in {figure.words for figure in found.matches}
    assert "recall@10" not in {figure.setting.metric.name for figure in explained({"1": {"a": 1}}, run, "recall@5").singles}


def test_the_mean_over_orders_is_found():
    assert names(explained(*TIED, "mrr@10", "0.5208").matches) == {"--ties expected"}
    assert names(explained(*TIED, "mrr@10", "0.5209").matches) == {"sentence-transformers"}


def test_our_own_number_comes_first():
    found = explained(*TIED, "mrr@10", "0.25")
    assert found.matches[0] is found.ours
    assert "mteb" in {figure.tool for figure in found.matches}


def test_nothing_matches():
    found = explained(*UNTIED, "mrr", "0.9")
    assert found.matches == ()
    assert found.nearest.value == 1.0
    assert explained(*UNTIED, "mrr", "0.35").nearest.value == pytest.approx(1 / 3)


def test_one_is_not_every_number_above_a_half():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    assert names(explained(qrels, run, "recall", "1").matches) == {"hit"}
    assert explained(qrels, run, "recall", "0").matches == ()
    found = explained(qrels, run, "recall", "67")
    assert found.matches[0] is found.ours


@pytest.mark.parametrize(
    ("text", "value", "inside", "outside"),
    [
        ("0.5", 0.5, [0.45, 0.549], [0.44, 0.56]),
        ("50%", 0.5, [0.495, 0.505], [0.494, 0.506]),
        ("50", 50.0, [0.495, 0.505, 50.4], [0.494, 0.506, 0.5 / 100]),
        ("-0.25", -0.25, [-0.25, -0.254], [0.25]),
        ("1", 1.0, [1.0], [0.999, 1.001, 0.01]),
        ("1.000", 1.0, [0.9995, 1.0], [0.999]),
        ("0", 0.0, [0.0], [0.001]),
        ("0%", 0.0, [0.004], [0.006]),
        ("7", 7.0, [7.0, 0.07], [6.0, 0.06]),
        ("1e-3", 0.001, [0.001], [0.0011]),
    ],
)
def test_a_number_stands_for_what_rounds_to_it(text, value, inside, outside):
    target = Target.parse(text)
    assert target.value == pytest.approx(value)
    assert [one for one in inside if not target.matches(one)] == []
    assert [one for one in outside if target.matches(one)] == []


@pytest.mark.parametrize(
    "text", ["abc", "", "%", ".", "-", "nan", "inf", "0,33", "1/3", "0.3.3", "0.3 0.4", "1e", "0x10", None.__class__]
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(assay.BadParameter, match="the expected value is a number such as"):
        why(*TIED, "mrr", text)


@given(st.floats(0, 1), st.integers(1, 11))
def test_a_value_matches_its_own_rounding(value, digits):
    assert Target.parse(f"{value:.{digits}f}").matches(value)
    assert Target.parse(f"{100 * value:.{digits}f}%").matches(value)
    assert not Target.parse(f"{value + 2 * 10.0**-digits:.{digits}f}").matches(value)


# Faults seen in the wild


@pytest.mark.parametrize(
    ("metric", "qrels", "run", "value", "as_scored"),
    [
        ("ndcg@10", {"a": 1, "b": 1, "c": 1}, ["x", "a"], 1 / math.log2(3), "ndcg(ideal=retrieved)@10"),
        ("ndcg@1", {"a": 1, "b": 1}, ["a"], 1 / (1 + 1 / math.log2(3)), "ndcg(ideal=uncut)@1"),
        ("ndcg@10", {"a": 1, "b": 2}, ["a", "b"], (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)), "ndcg(gain=exp)@10"),
        ("ndcg@10", {"a": 1, "b": 2}, ["a", "b"], 1.0, "ndcg(gain=binary)@10"),
        ("recall@2", {"a": 1, "b": 1, "c": 1, "d": 1}, ["a", "x"], 1.0, "hit@2"),
        ("precision@5", {"a": 1, "b": 1}, ["a", "x"], 1 / 2, "precision(over=retrieved)@5"),
        ("map@2", {"a": 1, "b": 1, "c": 1, "d": 1}, ["x", "b"], (1 / 2) / 2, "map(norm=min)@2"),
        ("mrr@2", {"a": 1}, ["x", "y", "a"], 1 / 3, "mrr"),
        ("map@1", {"a": 1, "b": 1}, ["a", "b"], 1.0, "map"),
    ],
)
def test_a_faulty_or_foreign_formula_is_found(metric, qrels, run, value, as_scored):
    """Each value worked out by hand."""
    data = {"1": qrels}, {"1": {doc: float(-place) for place, doc in enumerate(run)}}
    found = explained(*data, metric, f"{value:.6f}")
    assert abs(found.ours.value - value) > 0.01
    assert as_scored in {figure.setting.metric.name for figure in found.matches}
    (single,) = [figure for figure in found.matches if not figure.tool and figure.setting.metric.name == as_scored]
    assert single.value == pytest.approx(value, abs=1e-12)
    assert single.words


def test_two_conventions_at_once():
    both = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    found = explained(*TWO_QUERIES, "ndcg@10", f"{both:.6f}")
    (match,) = found.matches
    assert match.value == pytest.approx(both, abs=1e-12)
    assert [one.flags or one.metric.name for one in match.conventions] == ["--missing skip", "ndcg(gain=exp)@10"]
    assert (match.setting.policy.missing, match.setting.metric.name) == ("skip", "ndcg(gain=exp)@10")
    assert match.words == "queries missing from the run are left out; a grade is worth 2^grade − 1"


def test_two_conventions_of_the_policy_at_once():
    qrels, run = {"1": {"a": 1}, "2": {"c": 1}}, {"1": {"a": 5.0, "b": 5.0, "c": 5.0}}
    found = explained(qrels, run, "mrr", "0.6111")
    (match,) = found.matches
    assert {**match.conventions[0].policy, **match.conventions[1].policy} == {"ties": "expected", "missing": "skip"}
    assert match.value == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, abs=1e-12)


def test_two_conventions_that_change_nothing_by_themselves():
    """Nearly equal scores become equal in single precision, and then the ascending id decides."""
    qrels, run = {"1": {"b": 1, "c": 0}}, {"1": {"c": 1.0 + 1e-9, "b": 1.0, "a": 0.5}}
    found = explained(qrels, run, "mrr", "1.000")
    pairs = [[one.policy for one in figure.conventions] for figure in found.matches if not figure.tool]
    assert [{"ties": "docid_asc"}, {"precision": "float32"}] in pairs
    assert {name for figure in found.singles for name in figure.conventions[0].policy} == set()


def test_two_parameters_of_the_metric_at_once():
    data = {"1": {"a": 1, "b": 2, "c": 3}}, {"1": {"a": 2.0, "b": 1.0}}
    both = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    found = explained(*data, "ndcg@10", f"{both:.6f}")
    assert "ndcg(gain=exp, ideal=retrieved)@10" in {figure.setting.metric.name for figure in found.matches}


def test_two_are_tried_only_where_one_does_not_do():
    single = explained(*TWO_QUERIES, "ndcg@10", f"{(1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)):.4f}")
    assert single.matches
    assert all(figure.tool or len(figure.conventions) == 1 for figure in single.matches)
