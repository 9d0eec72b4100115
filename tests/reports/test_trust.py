"""Sentences about trust: what ties and unjudged documents could change, and whether a lead survives it."""

import pytest

import assay
from assay.reports.report import Report
from assay.reports.sections.scores import ASSUMED, trust_notes

QRELS = {"q": {"a": 1}}
TIED = {"q": {"a": 1.0, "b": 1.0}}
"""mrr ½ by descending id; ½ – ¾ – 1 over both orders."""
THIRD = {"q": {"x": 3.0, "y": 2.0, "a": 1.0}}
"""mrr ⅓ and no ties."""
NEVER = {"q": {"x": 1.0}}


def results(runs, metrics="mrr", qrels=QRELS, **how):
    return [assay.evaluate(qrels, run, metrics, name=name, **how) for name, run in runs.items()]


def said(runs, metrics="mrr", beside=frozenset(), digits=None, **how):
    return trust_notes(Report(results(runs, metrics, **how), beside=beside, digits=digits))


# Ties


FOUR_TIED = {"q": {"b": 1.0, "a": 1.0, "x": 1.0, "y": 1.0}}
"""mrr ¼ by descending id; ¼ – 25/48 – 1 over all orders."""


def test_a_lead_that_another_order_of_ties_could_undo_is_told():
    assert said({"third": THIRD, "tied": FOUR_TIED}, tie_band=True) == [
        "tied: equal scores leave ranks open in 1 of 1 query.",
        "mrr: third over tied (by 0.0833, ties could move it by 0.7500) hangs on how equal scores are ordered.",
    ]


def test_a_lead_that_ties_could_only_widen_is_safe():
    assert said({"third": THIRD, "tied": TIED}, tie_band=True) == ["tied: equal scores leave ranks open in 1 of 1 query."]


def test_where_less_is_better_a_lead_is_lost_by_more():
    """ahead ½, of 0 – 1: an unjudged document stands first in one query of two; behind 1, of ½ – 1."""
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    ahead = {"q": {"b": 1.0, "a": 1.0}, "p": {"a": 1.0, "A": 1.0}}
    behind = {"q": {"x": 1.0, "a": 1.0}, "p": {"x": 1.0}}
    notes = said({"ahead": ahead, "behind": behind}, "unjudged@1", qrels=qrels, tie_band=True)
    assert notes[-1] == (
        "unjudged@1: ahead over behind (by 0.5000, ties could move it by 1.0000) hangs on how equal scores are ordered."
    )


def test_a_lead_as_large_as_the_tie_band_or_larger_is_safe():
    assert said({"tied": TIED, "never": NEVER}, tie_band=True) == ["tied: equal scores leave ranks open in 1 of 1 query."]
    first = {"q": {"a": 9.0}, "p": {"a": 9.0}}
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    tied = {"q": {"a": 1.0, "b": 1.0}, "p": {"x": 1.0}}
    assert not any("hangs" in note for note in said({"first": first, "tied": tied}, tie_band=True, qrels=qrels))


def test_runs_that_score_the_same_have_no_lead():
    assert not any("hang" in note for note in said({"one": TIED, "two": TIED}, tie_band=True))


def test_several_leads_hang_together():
    runs = {"first": TIED, "second": {"q": dict.fromkeys("abc", 1.0)}, "third": FOUR_TIED}
    (note,) = [note for note in said(runs, tie_band=True, digits=2) if "hang" in note]
    assert note == (
        "mrr: first over second (by 0.17, ties could move it by 0.67), "
        "second over third (by 0.08, ties could move it by 0.75) hang on how equal scores are ordered."
    )


def test_a_tie_across_the_cut_is_told():
    run = {"q": {"x": 5.0, "a": 1.0, "b": 1.0, "c": 1.0}}
    assert said({"r": run}, ["recall@2", "recall@10"], tie_band=True)[0] == (
        "r: equal scores leave ranks open in 1 of 1 query, across the cut in 1 at cutoff 2."
    )


def test_no_ties_no_words():
    assert said({"third": THIRD}, tie_band=True) == []
    assert said({"third": THIRD}) == []


def test_how_a_band_was_found_is_told_unless_it_is_exact():
    assert not any("sampled" in note for note in said({"r": TIED}, tie_band=True))
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert not any("sampled" in note for note in said({"r": run}, "err", qrels=qrels, tie_band=True))
    assert "inst: ends exact, mean over 100 sampled orders, seed 0." in said({"r": run}, "inst", qrels=qrels, tie_band=True)


def many(n_tied, n_clear):
    qrels = {str(number): {"a": 1} for number in range(n_tied + n_clear)}
    run = {query: {"a": 1.0, "b": 1.0 if number < n_tied else 0.5} for number, query in enumerate(qrels)}
    return {"qrels": qrels, "runs": {"r": run}}


@pytest.mark.parametrize(("n_tied", "n_clear", "share"), [(1, 3, "25 %"), (2, 2, "50 %"), (4, 0, "100 %")])
def test_many_ties_near_the_top_point_to_the_band(n_tied, n_clear, share):
    assert said(**many(n_tied, n_clear)) == [
        f"queries with equal scores in the first 10: r {share}; --tie-band shows what that could change."
    ]


def test_an_average_over_all_orders_hangs_on_none():
    assert said(**many(4, 0), policy=assay.Policy(ties="expected")) == []


def test_few_ties_do_not():
    assert said(**many(1, 4)) == []


def test_nobody_who_asked_is_pointed_there():
    assert not any("--tie-band" in note for note in said(**many(4, 0), tie_band=True))


def test_ties_far_down_are_no_reason():
    qrels = {"q": {"a": 1}}
    run = {"q": {**{f"x{number}": 99.0 - number for number in range(10)}, "a": 1.0, "b": 1.0}}
    assert said({"r": run}, "map", qrels=qrels) == []


def test_ties_that_decide_nothing_are_no_reason():
    assert said({"r": {"q": {"a": 9.0, "x": 1.0, "y": 1.0}}}) == []
    assert said({"r": {"q": {"a": 1.0, "b": 1.0}}}, qrels={"q": {"a": 1, "b": 1}}) == []


# Unjudged documents

BESIDE = frozenset({"judged@10"})
WITH_JUDGED = ["mrr", "judged@10"]


def partly_judged(n_unjudged, n_queries=1):
    """Ten documents each, some of them unjudged in the first query."""
    docs = [f"d{number}" for number in range(10)]
    qrels = {str(query): dict.fromkeys(docs[n_unjudged if query == 0 else 0 :], 1) for query in range(n_queries)}
    return {"qrels": qrels, "runs": {"r": {query: {doc: -float(doc[1:]) for doc in docs} for query in qrels}}}


@pytest.mark.parametrize(("n_unjudged", "n_queries", "share"), [(1, 1, "10 %"), (5, 1, "50 %"), (3, 5, "6 %")])
def test_many_unjudged_documents_point_to_the_residuals(n_unjudged, n_queries, share):
    found = said(**partly_judged(n_unjudged, n_queries), metrics=WITH_JUDGED, beside=BESIDE)
    assert found == [f"unjudged among the first 10: r {share}; --residuals shows what that could change."]


def test_few_do_not():
    assert said(**partly_judged(1, 4), metrics=WITH_JUDGED, beside=BESIDE) == []
    assert said(**partly_judged(0), metrics=WITH_JUDGED, beside=BESIDE) == []


def test_where_judged_was_asked_for_as_a_figure_nothing_is_said():
    assert said(**partly_judged(9), metrics=WITH_JUDGED) == []


def test_queries_that_the_run_lacks_hold_no_unjudged_documents():
    data = partly_judged(0, 4)
    data["runs"]["r"].pop("2")
    assert said(**data, metrics=WITH_JUDGED, beside=BESIDE) == []
    data["runs"]["r"].clear()
    assert said(**data, metrics=WITH_JUDGED, beside=BESIDE) == []


def test_each_run_has_its_share():
    data = partly_judged(2)
    data["runs"] |= {"all": {"0": {"d9": 1.0}}, "none": {"0": {"x": 1.0}}}
    assert said(**data, metrics=WITH_JUDGED, beside=BESIDE) == [
        "unjudged among the first 10: r 20 %, none 100 %; --residuals shows what that could change."
    ]


def test_scenarios_that_are_no_bounds_are_told():
    found = said({"r": TIED}, "ndcg_rel", qrels={"q": {"a": 2}}, residuals=True)
    assert "ndcg_rel: two scenarios, not bounds: no unjudged document relevant, or all within the cutoff." in found


def test_what_residuals_assume_is_told_with_them():
    assert said({"r": TIED}, residuals=True)[-1] == ASSUMED


def test_a_lead_that_unjudged_documents_could_undo():
    """a second after an unjudged document: ½, or 1 if that were relevant; third: ⅓ or 1."""
    second = {"q": {"x": 2.0, "a": 1.0}}
    doubt = "residuals could move it by 0.6667) hangs on what unjudged documents are worth."
    assert said({"second": second, "third": THIRD}, residuals=True) == [
        ASSUMED,
        f"mrr: second over third (by 0.1667, {doubt}",
    ]
    far = {"q": {"a": 1.0, "x": 0.5}}
    assert said({"far": far, "nowhere": {"q": {}}}, residuals=True) == [ASSUMED]


def test_nothing_scored_is_nothing_to_doubt():
    policy = assay.Policy(rel=9, no_relevant="skip")
    assert said({"a": TIED, "b": THIRD}, policy=policy, tie_band=True, residuals=True) == [ASSUMED]
