"""The gate: verdicts worked out by hand, pairing, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

from assay import Policy, Query
from assay.errors import GateFailed, ProviderError, UsageError
from assay.monitoring import gate
from assay.stats import difference_intervals

from ._history import result

OLD = [1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5]
"""Mean 0.75."""


def verdict(rule, now, before=None, **more):
    (found,) = gate(now, before, rule, **more).verdicts
    return found


@for_each(
    "rule, status",
    [
        ("mrr >= 0.75", "pass"),
        ("mrr > 0.75", "fail"),
        ("mrr >= 0.7500001", "fail"),
        ("mrr <= 0.75", "pass"),
        ("mrr < 0.75", "fail"),
        ("mrr = 0.75", "pass"),
        ("mrr >= 75%", "pass"),
    ],
)
def test_limits(rule, status):
    found = verdict(rule, result({"mrr": OLD}))
    assert (found.status, found.finding.value, found.finding.n) == (status, 0.75, 8)
    assert found.finding.low < 0.75 < found.finding.high


def test_rounding_does_not_fail_anybody():
    assert verdict("mrr >= 0.3", result({"mrr": [0.1 + 0.2, 0.3, 0.1 * 3 - 1e-16]})).status == "pass"


@for_each(
    "rule, status",
    [
        ("mrr drops <= 0.125", "pass"),
        ("mrr drops <= 0.12", "fail"),
        ("mrr drops <= 17%", "pass"),
        ("mrr drops <= 16%", "fail"),
    ],
)
def test_a_drop_is_that_of_the_figure(rule, status):
    """Two of eight queries lose 0.5: the mean goes from 0.75 to 0.625, which is 16.67 % less."""
    now = result({"mrr": [0.5, 0.0, *OLD[2:]]})
    found = verdict(rule, now, result({"mrr": OLD}))
    assert (found.status, found.finding.difference, found.finding.n) == (status, -0.125, 8)
    if status == "fail":
        assert [(one.query, one.before, one.now) for one in found.finding.moved] == [("q1", 1.0, 0.5), ("q2", 0.5, 0.0)]
        assert found.finding.moved[1].change == "hit → miss"
        assert found.finding.moved[0].text == "what is q1?"


def test_a_rise_never_fails_and_direction_is_that_of_the_metric():
    slow, quick = result({"latency": [12.0, 14.0]}), result({"latency": [10.0, 10.0]})
    assert verdict("latency rises <= 20%", slow, quick).status == "fail"
    assert verdict("latency rises <= 30%", slow, quick).status == "pass"
    assert verdict("latency rises <= 0", quick, slow).status == "pass"
    assert verdict("latency not worse by 1", slow, quick).finding.moved[0].query == "q2"
    assert verdict("latency ratchet", slow, quick).status == "fail"
    assert verdict("latency ratchet", quick, slow).status == "pass"


def test_per_cent_of_nothing():
    none, some = result({"latency": [0.0, 0.0]}), result({"latency": [1.0, 1.0]})
    found = verdict("latency rises <= 20%", some, none)
    assert found.status == "fail"
    assert verdict("latency rises <= 20%", none, none).status == "pass"


def test_a_margin_passes_fails_or_is_undecided_by_the_paired_interval():
    before = result({"mrr": OLD * 20})
    noise = np.tile([0.05, -0.05], 80)
    for shift, status in ((-0.001, "pass"), (-0.1, "fail"), (-0.025, "fail"), (-0.016, "undecided"), (0.1, "pass")):
        now = result({"mrr": np.array(OLD * 20) + shift + noise})
        found = verdict("mrr not worse than baseline by 0.02 (95%)", now, before).finding
        a, b = (np.array(one.array("mrr"))[:, np.newaxis] for one in (before, now))
        low, high = difference_intervals(a, b, "bootstrap", 0.95)
        assert (found.low, found.high) == (low[0], high[0])
        expected = "pass" if low[0] > -0.02 else "fail" if found.difference < -0.02 and high[0] < 0 else "undecided"
        assert found.status == status == expected


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12),
    st.floats(0, 0.5).map(lambda margin: round(margin, 4)),
    st.sampled_from(["mrr", "latency"]),
)
def test_a_margin_is_its_definition(scores, margin, metric):
    """Worked out anew, in a scale where more is better."""
    before, now = ([pair[side] for pair in scores] for side in (0, 1))
    found = verdict(f"{metric} not worse by {margin}", result({metric: now}), result({metric: before})).finding
    sign = 1 if metric == "mrr" else -1
    a, b = (sign * np.array([side], dtype=float).T for side in (before, now))
    low, high = (float(end[0]) for end in difference_intervals(a, b))
    gain = sign * (np.mean(now) - np.mean(before))
    if min(abs(low + margin), abs(gain + margin), abs(high)) < 1e-9:
        return  # on the edge, where rounding decides
    expected = "pass" if low > -margin else "fail" if gain < -margin and high < 0 else "undecided"
    assert found.status == expected


def test_doubt_names_the_queries_that_would_decide():
    before = result({"mrr": [0.5] * 40})
    now = result({"mrr": [0.59, 0.39] * 20})  # −0.01 ± 0.1
    rule = "mrr not worse by 0.02"
    found = verdict(rule, now, before)
    assert found.status == "undecided"
    assert found.finding.needed > 40
    assert found.finding.moved
    report = gate(now, before, rule)
    assert (report.is_passed, report.exit_code) == (True, 0)
    assert not gate(now, before, f"{rule} [undecided: fail]").is_passed
    assert gate(now, before, f"{rule} [warn, undecided: fail]").verdicts[0].status == "warn"


def test_what_is_the_same_is_never_worse_not_even_by_nothing():
    same = result({"mrr": OLD})
    assert verdict("mrr not worse by 0", same, result({"mrr": OLD})).status == "pass"


def test_one_query_is_too_few():
    found = verdict("mrr not worse by 0.02", result({"mrr": [0.5]}), result({"mrr": [1.0]}))
    assert found.status == "undecided"


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


@for_each("word", ["tag", "tags"])
def test_tags_of_a_list_are_tags_too(word):
    """`"tags": ["critical", "slow"]` is how most people write it; a query may have several."""
    lists = [["critical", "slow"], ["critical"], ["slow"], []]
    told = {f"q{n}": Query(f"q{n}", metadata={"tags": some}) for n, some in enumerate(lists, 1)}
    before = result({"hit@10": [1, 1, 1, 1]}).with_fields(queries=told)
    now = result({"hit@10": [1, 0, 0, 0]}).with_fields(queries=told)
    each = [verdict(f"no query drops from hit to miss in {word}={name}", now, before) for name in ("critical", "slow")]
    assert [(one.finding.value, one.finding.n) for one in each] == [(1.0, 2), (1.0, 2)]
    assert verdict(f"no query drops from hit to miss in {word}=critical,slow", now, before).finding.n == 3
    assert verdict("no query drops from hit to miss in critical=yes", now, before).finding.n == 2


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
    report = gate(
        result({"mrr": OLD, "hit@10": OLD}), None, ["mrr drops <= 0", "mrr not worse by 0", "no query drops to miss"]
    )
    assert [one.status for one in report.verdicts] == ["skipped"] * 3
    assert report.is_passed


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
    report = gate([old, new], [new, old], "mrr drops <= 0")
    assert [(one.provider, one.against) for one in report.verdicts] == [("bm25", "bm25"), ("dense", "dense")]
    report = gate([old, new], old, "mrr drops <= 0")
    assert [(one.provider, one.against, one.status) for one in report.verdicts] == [
        ("bm25", "bm25", "pass"),
        ("dense", "", "skipped"),
    ]


def test_a_result_that_does_not_say_what_it_is_about_goes_with_the_only_benchmark():
    found = gate(result({"mrr": [0.5]}, benchmark=""), result({"mrr": [1.0]}), "mrr drops <= 0.1")
    assert found.verdicts[0].status == "fail"


def test_the_order_of_queries_does_not_matter():
    before = result({"mrr": [1.0, 0.0, 0.5]}).sorted_by("mrr")
    assert gate(result({"mrr": [1.0, 0.0, 0.5]}), before, "mrr not worse by 0").verdicts[0].finding.difference == 0


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


def test_rules_that_need_no_baseline_do_not_ask_for_its_metrics(snapshots):
    """What the baseline was scored by does not matter to `mrr >= 0.1`, nor how deep; on what it rests still does."""
    now, other = (result({name: OLD}, provenance={**prints(), "k": k}) for name, k in (("mrr", 10), ("ndcg@10", 100)))
    assert gate(now, other, ["mrr >= 0.1", "failed = 0"]).is_passed
    moved = other.with_fields(provenance=prints(documents="x"))
    cases = {
        "documents": lambda: gate(now, moved, "mrr >= 0.1"),
        "with a way out": lambda: gate(now, moved, "mrr >= 0.1", anew="assay bless x --as d"),
        "queries": lambda: gate(result({"mrr": [*OLD, 1.0]}), result({"ndcg@10": OLD}), "mrr >= 0.1"),
    }
    snapshots.check_errors("gate/baselines", cases)


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
