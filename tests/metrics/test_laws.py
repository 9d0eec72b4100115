"""Laws that hold for every metric of the catalog; a new metric is covered as soon as it is there."""

import importlib
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.grammar import REQUIRED
from assay.metrics import GROUPS, all_metrics, parse_metric, parse_metrics

from ._cases import CASES, TOP, Case, as_dicts

METRICS = list(all_metrics().values())
NEEDED = {"k": 5, "recall": 0.5, "multiple": 1.2}
"""Values for parameters that must be given."""


def _bound():
    """Each metric as it comes, and once more with a cutoff where it can have one."""
    for metric in METRICS:
        needed = {param.name: NEEDED[param.name] for param in metric.params if param.default is REQUIRED}
        yield metric.bind(**needed)
        if any(param.name == "k" and param.default is None for param in metric.params):
            yield metric.bind(k=5)


BOUND = list(_bound())
VARIANTS = parse_metrics(
    [
        *("ndcg(gain=exp)@5", "ndcg(gain=binary)", "dcg(discount=jk2002)", "rndcg(gain=exp)", "map(norm=min)@5"),
        *("precision(over=retrieved)@5", "rbp(p=0.5, gain=scale)", "rbp(p=0.5, gain=query)", "map(judged_only=true)"),
        *("compatibility(p=0.8, normalize=false)", "q_measure(beta=0)", "q_measure(beta=10)", "set_f(beta=2)"),
        *("f(beta=2)@5", "inst(t=3)", "insq(t=3)", "nerr10(p=0.3)", "nerr11(t=3)", "recall(rel=2)@5"),
    ]
)
RANKING = [bound for bound in (*BOUND, *VARIANTS) if bound.metric.view == "ranking"]
NUMBERS = [bound for bound in RANKING if bound.metric.aggregation.summarise]


def evaluated(qrels, run):
    """All metrics at once, on a scale that does not depend on which queries there are."""
    return assay.evaluate(qrels, run, RANKING, policy=assay.Policy(max_grade=TOP))


def of_cases(cases):
    """All metrics of some cases."""
    return evaluated(*as_dicts(cases))


together = cache(lambda: of_cases(CASES))


# ---- scores


def test_scores_lie_in_the_range_and_are_the_same_alone_and_in_company():
    alone = [of_cases([case]) for case in CASES[::15]]
    for bound in NUMBERS:
        low, high = bound.metric.range
        scores = together().array(bound.name)
        assert ((scores >= low) & (scores <= high) & np.isfinite(scores)).all(), bound.name
        assert [result.array(bound.name)[0] for result in alone] == scores[::15].tolist(), bound.name


IGNORES_THE_RANKING = {"num_q", "num_rel", "ideal_dcg"}
IGNORES_RELEVANCE = {"num_ret", "judged"}


def test_where_nothing_was_found_the_score_is_nothing():
    no_ranking = of_cases([Case([], [TOP, 1, 0]), Case([], []), Case([], [0])])
    nothing_relevant = of_cases([Case([0, None, -1]), Case([None]), Case([0, 0], [0])])
    for bound in NUMBERS:
        metric = bound.metric
        if metric.higher_is_better and metric.range[0] == 0 and metric.name not in IGNORES_THE_RANKING:
            assert no_ranking.array(bound.name).tolist() == [0, 0, 0], bound.name
            if metric.name not in IGNORES_RELEVANCE:
                assert nothing_relevant.array(bound.name).tolist() == [0, 0, 0], bound.name


def test_a_missing_query_scores_as_an_empty_ranking():
    qrels, _ = as_dicts(CASES[:20])
    no_run, empty_run = evaluated(qrels, {}), evaluated(qrels, {f"q{number}": {} for number in range(20)})
    for bound in NUMBERS:
        assert no_run.scores(bound.name) == empty_run.scores(bound.name), bound.name


GRADED_SCALE = {"err", "bpm", "sdcg", "inst", "insq", "nerr8", "nerr9", "nerr10", "nerr11", "rbp"}
"""Measured against an endless supply of documents with the top grade."""
COUNTS_RANKS = {"precision", "f", "rprec_mult"}
"""Divided by a number of ranks, also where fewer documents are relevant."""


def test_a_perfect_ranking_scores_one():
    perfect = of_cases([Case(grades) for grades in ([4], [3, 2], [2, 2, 2], [4, 3, 3, 2], [4, 4, 2, 2, 2])])
    for bound in NUMBERS:
        metric = bound.metric
        if metric.range == (0, 1) and metric.higher_is_better and metric.name not in GRADED_SCALE | COUNTS_RANKS:
            tolerance = 1e-5 if metric.name == "infap" else 1e-12  # its smoothing leaves a doubt of that size
            assert perfect.array(bound.name) == pytest.approx(1, abs=tolerance), bound.name


# ---- what must not matter


def _run_with_ties(seed):
    """A run with ties and its judgments, as lists of (query, document, value)."""
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(30)]
    queries = [f"q{number}" for number in range(20)]
    judged = [(query, doc, rng.randint(-1, TOP)) for query in queries for doc in rng.sample(docs, 12)]
    ranked = [(query, doc, float(rng.randrange(6))) for query in queries[1:] for doc in rng.sample(docs, rng.randint(1, 30))]
    return judged, ranked


def _nested(rows):
    """Query → document → value, in the order given."""
    nested = {}
    for query, doc, value in rows:
        nested.setdefault(query, {})[doc] = value
    return nested


def test_neither_the_order_of_rows_nor_names_of_documents_nor_the_size_of_scores_matters():
    judged, ranked = _run_with_ties(5)
    rng = random.Random(6)
    names = {f"d{number}": f"Ärztin/{place:03}" for place, number in enumerate(sorted(range(30), key=str))}
    others = {
        "the same rows in another order": (rng.sample(judged, len(judged)), rng.sample(ranked, len(ranked))),
        "other ids in the same order": tuple(
            [(query, names[doc], value) for query, doc, value in side] for side in (judged, ranked)
        ),
        "other scores in the same order": (judged, [(query, doc, score**3 / 7 - 5) for query, doc, score in ranked]),
    }
    expected = evaluated(_nested(judged), _nested(ranked))
    for what, (other_judged, other_ranked) in others.items():
        found = evaluated(_nested(other_judged), _nested(other_ranked))
        for bound in NUMBERS:
            assert found.scores(bound.name) == expected.scores(bound.name), (bound.name, what)


# ---- what must help, or at least not harm


def _value(grade):
    return max(grade or 0, 0)


def _swaps(is_improvement):
    """Pairs of cases: as they are, and with two neighbours exchanged so that the better one comes first."""
    for case in CASES[::2]:
        for place, (first, second) in enumerate(zip(case.ranked, case.ranked[1:], strict=False)):
            if is_improvement(_value(first), _value(second)):
                ranked = [*case.ranked[:place], second, first, *case.ranked[place + 2 :]]
                yield case, Case(ranked, case.missed)


def exchanged(relevant_only):
    """All metrics before and after every such exchange; past what is worth nothing only, or past any lower grade."""
    pairs = list(_swaps(lambda first, second: first == 0 < second if relevant_only else first < second))
    before, after = zip(*pairs, strict=True)
    return of_cases(before), of_cases(after)


def harm(bound, before, after):
    """By how much the worst case of `after` is worse."""
    change = after.array(bound.name) - before.array(bound.name)
    return -change.min() if bound.metric.higher_is_better else change.max()


MAY_FALL_BY_PROMOTION = {
    "accuracy@5": "the relevant document that enters the first k stands below all others there",
    "infap": "a pooled document nobody judged is half a hit, and may be worth more above than below",
}
MAY_FALL_BY_GRADE = MAY_FALL_BY_PROMOTION | {
    "bpm@5": "the user who is satisfied sooner has gained less on the way",
    "g": "a rank is due what the ideal ranking gains there, so a good document late may be more than was due",
}


def test_a_better_document_one_place_up_never_harms():
    for relevant_only, may_fall in ((True, MAY_FALL_BY_PROMOTION), (False, MAY_FALL_BY_GRADE)):
        before, after = exchanged(relevant_only)
        assert {bound.name for bound in NUMBERS if harm(bound, before, after) > 1e-12} == set(may_fall)


MAY_RISE_BY_LENGTH = {
    "num_ret": "it counts what was retrieved",
    "accuracy": "one more document that stands below the relevant ones",
    "compatibility": "rankings are compared one rank deeper",
    "rndcg": "a ranking that is longer than the ideal one counts one point more",
}


def test_one_more_unjudged_document_at_the_end_never_helps():
    longer = of_cases([Case([*case.ranked, None], case.missed) for case in CASES])
    for bound in NUMBERS:
        helps = harm(bound, longer, together())
        assert (helps > 1e-12) == (bound.metric.name in MAY_RISE_BY_LENGTH), bound.name


# ---- names


def test_names_read_back():
    for bound in BOUND:
        assert parse_metric(bound.trec_name) == bound
    for metric in METRICS:
        cutoff = f"@{NEEDED[metric.at.name]}" if metric.at else ""
        for name in (metric.name, *metric.spellings, *metric.trec_names):
            for spelling in (name, name.upper(), name.replace("_", "-")):
                assert parse_metric(spelling + cutoff).metric is metric, spelling
        for name, preset in {**metric.titles, **metric.presets}.items():
            assert preset.items() <= parse_metric(name + cutoff).params.items(), name


def test_a_spelling_belongs_to_one_metric():
    owners = {}
    for metric in METRICS:
        for name in (metric.name, *metric.spellings, *metric.trec_names):
            owners.setdefault(name.lower().replace("-", "_"), set()).add(metric.name)
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}
    assert GROUPS.keys().isdisjoint(owners)


# ---- records

LESS_IS_BETTER = {
    *("abandonment", "clicked_rank", "reformulation", "skip_rate", "zero_results", "time_to_click_p50", "time_to_click_p90"),
    *("aurc", "latency", "latency_p50", "latency_p95", "latency_p99", "num_nonrel_judged_ret", "rbp_residual", "unjudged"),
    *("staleness", "wasted_retrievals", "wrongly_skipped", "mean_rank", "median_rank"),
    *("near_duplicates", "exposure_gini"),
}


def test_the_record_says_what_people_ask():
    for metric in METRICS:
        assert (metric.meaning[-1], metric.edge_cases[-1]) == (".", "."), metric.name
        assert all((metric.formula, metric.cite, *(param.meaning for param in metric.params))), metric.name
        assert metric.range[0] < metric.range[1] or metric.aggregation.summarise is None, metric.name
    assert {metric.name for metric in METRICS if not metric.higher_is_better} == LESS_IS_BETTER


def test_every_metric_is_worked_out_by_hand():
    files = [file for file in Path(__file__).parent.glob("test_*.py") if "\nWORKED_OUT = " in file.read_text("utf-8")]
    rows = [row for file in files for row in importlib.import_module(f"tests.metrics.{file.stem}").WORKED_OUT]
    ours = {metric.name for metric in METRICS if metric.function.__module__.startswith("assay.metrics.")}
    assert {parse_metric(row[0]).metric.name for row in rows} == ours
