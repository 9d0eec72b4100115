"""The gate: verdicts worked out by hand, pairing, and what is refused."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from assay import Policy, Query
from assay.errors import GateFailed, ProviderError, UsageError
from assay.monitoring import gate
from assay.stats import gaffke_p

from ._history import result

OLD = [1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5]
"""Mean 0.75."""


def verdict(rule, now, before=None, **more):
    (found,) = gate(now, before, rule, **more).verdicts
    return found


LIMITS = {"mrr >= 0.75": "pass", "mrr > 0.75": "fail", "mrr >= 0.7500001": "fail", "mrr <= 0.75": "pass"}
LIMITS |= {"mrr < 0.75": "fail", "mrr = 0.75": "pass", "mrr >= 75%": "pass"}


def test_limits():
    for rule, status in LIMITS.items():
        found = verdict(rule, result({"mrr": OLD}))
        assert (found.status, found.finding.value, found.finding.n) == (status, 0.75, 8), rule
        assert found.finding.low < 0.75 < found.finding.high
    rounded = result({"mrr": [0.1 + 0.2, 0.3, 0.1 * 3 - 1e-16]})
    assert verdict("mrr >= 0.3", rounded).status == "pass", "rounding fails nobody"


DROPS = {"0.125": "pass", "0.12": "fail", "17%": "pass", "16%": "fail"}


def test_a_drop_is_that_of_the_figure():
    """Two of eight queries lose 0.5: the mean goes from 0.75 to 0.625, which is 16.67 % less."""
    for limit, status in DROPS.items():
        found = verdict(f"mrr drops <= {limit}", result({"mrr": [0.5, 0.0, *OLD[2:]]}), result({"mrr": OLD}))
        assert (found.status, found.finding.difference, found.finding.n) == (status, -0.125, 8), limit
    moved = found.finding.moved
    assert [(one.query, one.before, one.now, one.text) for one in moved] == [
        ("q1", 1.0, 0.5, "what is q1?"),
        ("q2", 0.5, 0.0, "what is q2?"),
    ]
    assert moved[1].change == "hit → miss"


def test_a_rise_never_fails_and_direction_is_that_of_the_metric():
    slow, quick = result({"latency": [12.0, 14.0]}), result({"latency": [10.0, 10.0]})
    assert verdict("latency rises <= 20%", slow, quick).status == "fail"
    assert verdict("latency rises <= 30%", slow, quick).status == "pass"
    assert verdict("latency rises <= 0", quick, slow).status == "pass"
    assert verdict("latency not worse by 1", slow, quick).finding.moved[0].query == "q2"
    assert verdict("latency ratchet", slow, quick).status == "fail"
    assert verdict("latency ratchet", quick, slow).status == "pass"
    none = result({"latency": [0.0, 0.0]})
    assert [verdict("latency rises <= 20%", now, none).status for now in (slow, none)] == ["fail", "pass"], "of nothing"


TENTHS = st.integers(0, 10).map(lambda tenths: tenths / 10)


def flipped(gains):
    """The share of all ways to flip signs with a sum as low as the observed one."""
    sums = [
        sum(sign * gain for sign, gain in zip(signs, gains, strict=True)) for signs in product((1, -1), repeat=len(gains))
    ]
    return sum(total <= sum(gains) + 1e-9 for total in sums) / len(sums)


@given(
    st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=9),
    st.floats(0, 0.7).map(lambda margin: round(margin, 4)),
    st.sampled_from(["mrr", "latency"]),
)
@settings(max_examples=60, deadline=None)
def test_a_margin_is_its_definition(scores, margin, metric):
    """Worked out again, on a scale where more is better."""
    before, now = ([pair[side] for pair in scores] for side in (0, 1))
    found = verdict(f"{metric} not worse by {margin}", result({metric: now}), result({metric: before})).finding
    gains = (1 if metric == "mrr" else -1) * (np.array(now) - np.array(before))
    p_worse = flipped(gains)
    if metric == "mrr":
        p_not_worse = gaffke_p(gains, margin)
    elif np.ptp(gains) > 1e-9:
        p_not_worse = ttest_1samp(gains, -margin, alternative="greater").pvalue
    else:
        p_not_worse = 0.5 ** len(gains) if gains[0] > -margin else 1.0
    if min(abs(p_not_worse - 0.025), abs(p_worse - 0.025), abs(gains.mean() + margin)) < 1e-6:
        return  # on the edge, where rounding decides
    if not gains.any():
        expected = "same"
    elif p_not_worse <= 0.025 and len(gains) >= 5:
        expected = "pass"
    else:
        expected = "fail" if gains.mean() < -margin and p_worse <= 0.025 else "undecided"
    assert found.status == expected
    assert (found.p_worse, found.p_not_worse) == pytest.approx((p_worse, p_not_worse), abs=1e-3)


@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=6, max_size=30), st.sampled_from([0.02, 0.05, 0.2, 0.5]))
@settings(max_examples=60, deadline=None)
def test_the_interval_never_contradicts_the_status(scores, margin):
    """The lower end decides about a pass, the upper end faces zero like the test that lets the rule fail."""
    before, now = ([pair[side] for pair in scores] for side in (0, 1))
    found = verdict(f"mrr not worse by {margin}", result({"mrr": now}), result({"mrr": before})).finding
    assert found.low <= found.difference <= found.high
    if found.status != "same" and abs(found.low + margin) > 1e-9:
        assert (found.status == "pass") == (found.low > -margin)
    if found.status == "fail":
        assert found.high < 0


def test_two_queries_never_pass():
    for now in ([1.0, 1.0], [0.5, 0.5], [1.0, 0.0]):
        for margin in (0.02, 0.5, 0.9):
            found = verdict(f"mrr not worse by {margin}", result({"mrr": now}), result({"mrr": [0.5, 0.0]}))
            assert found.status == "undecided", (now, margin)
    slower = verdict("latency not worse by 500", result({"latency": [10.0, 10.1]}), result({"latency": [10.0, 10.0]}))
    assert slower.status == "undecided"


def test_what_did_not_change_is_the_same_even_if_doubt_fails():
    """1 − 0.025^(1/48) = 7.4 %."""
    same = result({"mrr": [0.5] * 48})
    report = gate(same, same, ["mrr not worse by 0.02 [undecided: fail]"])
    (found,) = report.verdicts
    assert (found.status, found.mark, report.exit_code) == ("same", "SAME", 0)
    assert "no score changed" in found.summary
    assert "48 queries" in found.summary
    assert "7.4 %" in found.summary
    assert report.to_dict()["counts"]["same"] == 1
    ranked = same.with_fields(run={query: {"d1": 2.0, "d2": 1.0} for query in same.query_ids})
    other = same.with_fields(run={query: {"d2": 2.0, "d1": 1.0} for query in same.query_ids})
    assert "no ranking changed" in verdict("mrr not worse by 0.02", ranked, ranked).summary
    text = verdict("mrr not worse by 0.02", other, ranked).summary
    assert "no score changed; with 48 queries a change in the scores of up to 7.4 % of queries could go unseen" in text


def test_rules_say_what_they_can_notice():
    before = result({"mrr": [0.5] * 48})
    now = result({"mrr": [0.6, 0.4, 0.5] * 16})
    assert (
        "48 queries: a drop of 0.1 (twice the margin) would be noticed"
        in verdict("mrr not worse by 0.05", now, before).finding.sees
    )
    assert "as good would break this rule" in verdict("mrr drops <= 0.01", now, before).finding.sees
    found = verdict("latency not worse by 5", result({"latency": [10, 12, 9, 10, 11, 10]}), result({"latency": [10] * 6}))
    assert "Student's t" in found.summary
    assert "a rise of 10 ms" in found.finding.sees


def test_doubt_names_the_queries_that_would_decide():
    before = result({"mrr": [0.5] * 40})
    now = result({"mrr": [0.59, 0.39] * 20})  # −0.01 ± 0.1
    rule = "mrr not worse by 0.02"
    report = gate(now, before, rule)
    (found,) = report.verdicts
    assert (found.status, report.is_passed, report.exit_code) == ("undecided", True, 0)
    assert found.finding.needed > 40
    assert found.finding.moved
    assert not gate(now, before, f"{rule} [undecided: fail]").is_passed
    assert gate(now, before, f"{rule} [warn, undecided: fail]").verdicts[0].status == "warn"


def test_what_is_the_same_is_never_worse_not_even_by_nothing():
    before = result({"mrr": [1.0, 0.0, 0.5]}).sorted_by("mrr")  # the order of queries does not matter
    found = verdict("mrr not worse by 0", result({"mrr": [1.0, 0.0, 0.5]}), before)
    assert (found.status, found.finding.difference) == ("same", 0)


def test_intervals_of_quantiles_are_paired_as_well():
    rng = np.random.default_rng(0)
    quick = result({"latency_p95": rng.exponential(10, 200)})
    slow = result({"latency_p95": quick.array("latency_p95") * 2})
    found = verdict("latency_p95 not worse by 20%", slow, quick).finding
    assert found.status == "fail"
    assert found.low < found.difference < found.high
    assert found.difference == pytest.approx(quick["latency_p95"])


def test_a_figure_that_is_not_there_is_doubt():
    gone = result({"latency_p95": [math.nan, math.nan]})
    for rule in ("latency_p95 <= 100", "latency_p95 rises <= 20%", "latency_p95 not worse by 1", "latency_p95 ratchet"):
        assert verdict(rule, gone, gone).status == "undecided", rule


def test_a_slice_is_about_its_queries_alone():
    tags = {"language": ["de", "de", "en", "en"]}
    before = result({"mrr": [1.0, 1.0, 1.0, 1.0]}, tags=tags)
    now = result({"mrr": [0.5, 0.5, 1.0, 1.0]}, tags=tags)
    assert verdict("mrr drops <= 0.3", now, before).status == "pass"
    found = verdict("mrr drops <= 0.3 where language=de", now, before)
    assert (found.status, found.finding.n, found.finding.difference) == ("fail", 2, -0.5)
    assert verdict("mrr drops <= 0.3 where language=en", now, before).status == "pass"
    assert verdict("mrr >= 0.6 where language=de", now).status == "fail"


def test_single_queries_must_not_be_lost():
    tags = {"tag": ["critical", "critical", "other", "other"]}
    before = result({"ndcg@10": [1.0, 0.4, 0.5, 0.0], "hit@10": [1, 1, 1, 0]}, tags=tags)
    now = result({"ndcg@10": [0.9, 0.0, 0.0, 0.0], "hit@10": [1, 0, 0, 0]}, tags=tags)
    found = verdict("no query drops from hit to miss", now, before)
    assert (found.status, found.finding.value) == ("fail", 2.0)
    assert [one.query for one in found.finding.moved] == ["q2", "q3"]
    assert verdict("at most 2 queries drop from hit to miss", now, before).status == "pass"
    assert verdict("no query drops from hit to miss in tag=critical", now, before).finding.value == 1.0
    assert verdict("no query drops from hit to miss by ndcg@10", now, before).finding.value == 2.0


def test_tags_of_a_list_are_tags_too():
    """`"tags": ["critical", "slow"]` is how most people write it; a query may have several."""
    lists = [["critical", "slow"], ["critical"], ["slow"], []]
    told = {f"q{n}": Query(f"q{n}", metadata={"tags": some}) for n, some in enumerate(lists, 1)}
    before = result({"hit@10": [1, 1, 1, 1]}).with_fields(queries=told)
    now = result({"hit@10": [1, 0, 0, 0]}).with_fields(queries=told)
    counts = {"tag=critical": 2, "tags=slow": 2, "tag=critical,slow": 3, "tags=critical,slow": 3, "critical=yes": 2}
    for slice_, n in counts.items():
        assert verdict(f"no query drops from hit to miss in {slice_}", now, before).finding.n == n, slice_
    assert verdict("no query drops from hit to miss in tag=critical", now, before).finding.value == 1.0


def test_counts():
    failing = result({"mrr": OLD}, failures={"q3": "time is up"}, missing=("q3",))
    found = verdict("failed = 0", failing)
    assert (found.status, found.finding.value) == ("fail", 1)
    assert (found.finding.moved[0].query, found.finding.moved[0].change) == ("q3", "time is up")
    assert verdict("failed <= 13%", failing).status == "pass"
    assert verdict("failed <= 12%", failing).status == "fail"
    assert verdict("missing = 0", failing).status == "fail"
    assert verdict("scored >= 8", failing).status == "pass"


def test_a_ratchet_holds_the_best_so_far():
    now, before = result({"mrr": [0.7, 0.7]}), result({"mrr": [0.6, 0.6]})
    best = {("rag", "bm25", "mrr"): 0.8, ("rag", "dense", "mrr"): 0.99, ("other", "bm25", "mrr"): 0.99}
    found = verdict("mrr ratchet", now, before, best=best)
    assert (found.status, found.finding.limit) == ("fail", 0.8)
    assert verdict("mrr ratchet within 0.1", now, before, best=best).status == "pass"
    assert verdict("mrr ratchet", now, before).status == "pass"
    assert verdict("mrr ratchet", now).status == "skipped"
    times, slower = (result({"latency": [time, time]}) for time in (9.0, 10.0))
    assert verdict("latency ratchet", times, slower, best={("rag", "bm25", "latency"): 8.0}).status == "fail"


def test_without_a_baseline_rules_that_need_one_are_skipped():
    rules = ["mrr drops <= 0", "mrr not worse by 0", "no query drops to miss"]
    report = gate(result({"mrr": OLD, "hit@10": OLD}), None, rules)
    assert ([one.status for one in report.verdicts], report.is_passed) == (["skipped"] * 3, True)


def test_warnings_do_not_stop_anybody_and_failures_raise():
    now = result({"mrr": OLD})
    assert gate(now, None, "mrr >= 0.9 [warn]").is_passed
    report = gate(now, None, "mrr >= 0.9")
    assert (report.is_passed, report.exit_code, report.to_dict()["counts"]["fail"]) == (False, 1, 1)
    with pytest.raises(GateFailed):
        report.raise_if_failed()


# Pairing
def test_results_pair_by_benchmark_and_by_provider_only_where_several_remain():
    old, new = result({"mrr": [1.0]}, "bm25"), result({"mrr": [1.0]}, "dense")
    assert gate(new, old, "mrr drops <= 0").verdicts[0].against == "bm25"
    for now, before, pairs in (
        ([old, new], [new, old], [("bm25", "bm25", "pass"), ("dense", "dense", "pass")]),
        ([old, new], old, [("bm25", "bm25", "pass"), ("dense", "", "skipped")]),
        (result({"mrr": [0.5]}, benchmark=""), old, [("bm25", "bm25", "fail")]),  # it goes with the only benchmark
    ):
        verdicts = gate(now, before, "mrr drops <= 0.1").verdicts
        assert [(one.provider, one.against, one.status) for one in verdicts] == pairs


# What is refused
def prints(**fingerprints):
    return {"dataset": {"fingerprints": {"queries": "a", "documents": "b", "judgments": "c", **fingerprints}}}


def test_baselines_and_rules_that_do_not_fit(snapshots):
    """Another benchmark, other data, another policy are no change for the worse; the message says what to do."""
    one, two, three = (result({"mrr": [1.0]}, name) for name in ("bm25", "dense", "hybrid"))
    of_tags = result({"mrr": OLD}, tags={"language": ["de"] * 8})
    before = result({"mrr": OLD}, provenance=prints())
    changes = {
        "documents": {"provenance": prints(documents="x")},
        "policy": {"policy": Policy(ties="docid_asc")},
        "profile": {"profile": "ranx"},
        "relevance": {"relevance": {"strategy_used": "token"}},
    }
    of_10, of_100 = (result({name: OLD}, provenance={**prints(), "k": k}) for name, k in (("mrr", 10), ("ndcg@10", 100)))
    assert gate(of_10, of_100, ["mrr >= 0.1", "failed = 0"]).is_passed, "its metrics and depth do not matter to these"
    moved = of_100.with_fields(provenance=prints(documents="x"))
    drops = "mrr drops <= 0"
    rules = ("mrr >= 0.1 where langauge=de", "mrr >= 0.1 where language=dee", "map >= 0.1", "mrr >= 0.1 on rga")
    cases = {
        **{rule: lambda rule=rule: gate(of_tags, None, rule) for rule in rules},
        "no hits": lambda: gate(*[result({"latency": [1.0]})] * 2, "no query drops from hit to miss"),
        "choice of the baseline": lambda: gate(three, [one, two], drops, name="main"),
        "choice of the result": lambda: gate([one, two], three, drops, name="main"),
        "choice within a part": lambda: gate(three, [one, two], drops, name="latest~1#search"),
        "one name for two": lambda: gate(one, [one, one], drops),
        "other benchmark": lambda: gate(result({"mrr": [1.0]}, benchmark="other"), one, drops, name="main"),
        **{
            name: lambda change=change: gate(before.with_fields(**change), before, drops, name="main")
            for name, change in changes.items()
        },
        "queries": lambda: gate(result({"mrr": [1.0, 1.0]}), result({"mrr": [1.0]}), drops),
        "metrics": lambda: gate(result({"mrr": [1.0], "map": [1.0]}), result({"map": [1.0]}), drops),
        "no answer": lambda: gate(
            result({"mrr": [0.0, 0.0]}, failures={"q1": "refused", "q2": "refused"}), None, "mrr >= 0.1"
        ),
        "a rule without baseline, documents": lambda: gate(of_10, moved, "mrr >= 0.1"),
        "with a way out": lambda: gate(of_10, moved, "mrr >= 0.1", renewal="assay bless x --as d"),
        "a rule without baseline, queries": lambda: gate(result({"mrr": [*OLD, 1.0]}), result({"map": OLD}), "mrr >= 0.1"),
        "no result": lambda: gate([], None, "failed = 0"),
        "figures": lambda: gate({"ndcg@10": 0.7}, None, "failed = 0"),
        "figures for a baseline": lambda: gate(result({"mrr": OLD}), [{"mrr": 0.7}], "failed = 0"),
    }
    snapshots.check_errors("gate/refused", cases)
    with pytest.raises(ProviderError):
        cases["no answer"]()
    for name in ("no result", "figures", "map >= 0.1"):
        with pytest.raises(UsageError):
            cases[name]()


def test_notes(snapshots):
    old, new = result({"mrr": [1.0]}, "bm25"), result({"mrr": [1.0]}, "dense")
    versions = [result({"mrr": OLD}, provenance={"assay": version}) for version in "21"]
    reports = (
        gate([old, new], old, "mrr drops <= 0"),
        gate(old, [old, result({"mrr": [1.0]}, benchmark="other")], "mrr drops <= 0"),
        gate(*versions, "mrr drops <= 0"),
    )
    snapshots.check("gate/notes", "".join(f"{note}\n" for report in reports for note in report.notes))


def test_summaries(snapshots):
    """What each finding says in one line."""
    quick, slow = result({"latency": [10.0, 10.0]}), result({"latency": [12.0, 14.0]})
    hits, misses = result({"hit@10": [1, 1]}), result({"hit@10": [1, 0]})
    gone = result({"latency_p95": [math.nan, math.nan]})
    doubt = result({"mrr": [0.59, 0.39] * 20}), result({"mrr": [0.5] * 40})
    best = {("rag", "bm25", "mrr"): 0.8}
    verdicts = [
        verdict("latency rises <= 20%", slow, quick),
        verdict("latency rises <= 20%", slow, result({"latency": [0.0, 0.0]})),
        verdict("latency <= 20", slow),
        verdict("latency ratchet", slow, quick),
        verdict("mrr ratchet", result({"mrr": [0.7, 0.7]}), None, best=best),
        verdict("mrr not worse by 0.02", *doubt),
        verdict("mrr not worse by 0.02", result({"mrr": [0.5]}), result({"mrr": [1.0]})),
        verdict("no query drops from hit to miss", misses, hits),
        verdict("failed = 0", result({"mrr": OLD}, failures={"q3": "time is up"})),
        verdict("mrr >= 0.42", result({"mrr": [0.41996]})),
        verdict("latency <= 1000", result({"latency": [1234.5]})),
        verdict("latency_p95 rises <= 20%", gone, gone),
    ]
    snapshots.check("gate/summaries", "".join(f"{one.status} {one.rule.text}: {one.summary}\n" for one in verdicts))
