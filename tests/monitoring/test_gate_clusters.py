"""A gate over clusters of queries: copies of a query are no new evidence."""

import math

import numpy as np
import pytest
from tests._results import make_result

from assay import UnknownName, UsageError
from assay.comparison import decide_margin
from assay.metrics import find_metric
from assay.monitoring import gate, rules_from_yaml
from assay.stats import Clusters, gaffke_p, sign_flip_p

MRR = find_metric("mrr")
RNG = np.random.default_rng(5)
BEFORE = RNG.uniform(0.3, 0.9, 40)
NOW = BEFORE - 0.06 + 0.1 * RNG.normal(size=40)
OWN = [f"d{number:02}" for number in range(40)]
COPIES = 5


def result(scores, documents):
    return make_result({"mrr": np.clip(scores, 0, 1)}, tags={"document": list(documents)})


def copied(scores):
    """Every query five times, as paraphrases are."""
    return result(np.repeat(scores, COPIES), np.repeat(OWN, COPIES))


def finding(now, before, rule, **settings):
    (verdict,) = gate(now, before, [rule], **settings).verdicts
    return verdict.finding


@pytest.mark.parametrize("rule", ["mrr not worse by 0.05", "mrr drops <= 0.05", "mrr >= 0.2", "mrr not worse by 0.2"])
def test_copies_are_judged_as_the_queries_themselves(rule):
    alone = finding(result(NOW, OWN), result(BEFORE, OWN), rule)
    clustered = finding(copied(NOW), copied(BEFORE), rule, cluster="document")
    plain = finding(copied(NOW), copied(BEFORE), rule)
    assert (clustered.status, clustered.low, clustered.high) == (
        alone.status, pytest.approx(alone.low), pytest.approx(alone.high))  # fmt: skip
    assert (clustered.n, plain.n) == (200, 200)
    assert plain.high - plain.low < 0.7 * (clustered.high - clustered.low)
    if "worse" in rule:
        assert (clustered.p_worse, clustered.p_not_worse) == pytest.approx((alone.p_worse, alone.p_not_worse))


def test_the_decision_by_hand():
    """Clusters of two and one queries: sums times C/n, and Gaffke's bound reaches as far as the larger cluster."""
    before, now = np.full(6, 0.5), np.array([0.4, 0.6, 0.4, 0.3, 0.5, 0.2])
    clusters = Clusters.of(["a", "a", "b", "b", "c", "d"])
    decision = decide_margin(MRR, *(result(x, "abcdef").table.columns["mrr"] for x in (before, now)), 0.1, clusters=clusters)
    gains = np.sort(4 / 6 * np.array([0.0, -0.3, 0.0, -0.3]))
    assert decision.gains == pytest.approx(gains)
    assert (decision.unit, decision.n, decision.pair.n) == ("cluster", 4, 6)
    assert decision.width == pytest.approx(2 * 4 / 6)
    assert decision.p_not_worse == pytest.approx(gaffke_p(gains, 0.1, -decision.width))
    assert decision.p_worse == pytest.approx(sign_flip_p(gains, "less"))


def test_texts_count_clusters_and_needed_counts_queries():
    clustered = finding(copied(NOW), copied(BEFORE), "mrr not worse by 0.1", cluster="document")
    alone = finding(result(NOW, OWN), result(BEFORE, OWN), "mrr not worse by 0.1")
    assert clustered.status == alone.status == "undecided"
    assert clustered.sees.startswith("40 clusters: ")
    assert clustered.needed == pytest.approx(COPIES * alone.needed, rel=0.02)
    assert "clusters would decide it" in clustered.reason
    same = finding(copied(BEFORE), copied(BEFORE), "mrr not worse by 0.05", cluster="document")
    assert "with 40 clusters a change in the scores of up to" in same.reason
    report = gate(copied(NOW), copied(BEFORE), ["mrr >= 0.1"], cluster="document")
    assert report.notes[0] == "200 queries in 40 clusters by document"


def test_slices_keep_the_clusters():
    tags = {"document": np.repeat(OWN, COPIES).tolist(), "language": ["de"] * 100 + ["en"] * 100}
    now, before = (make_result({"mrr": np.clip(np.repeat(x, COPIES), 0, 1)}, tags=tags) for x in (NOW, BEFORE))
    clustered = finding(now, before, "mrr not worse by 0.05 where language=de", cluster="document")
    alone = finding(result(NOW[:20], OWN[:20]), result(BEFORE[:20], OWN[:20]), "mrr not worse by 0.05")
    assert clustered.p_worse == pytest.approx(alone.p_worse)
    assert math.isfinite(clustered.low)


def test_one_query_in_each_cluster_changes_nothing_and_wrong_tags_are_errors():
    sides = result(NOW, OWN), result(BEFORE, OWN)
    assert finding(*sides, "mrr not worse by 0.05", cluster="document") == finding(*sides, "mrr not worse by 0.05")
    with pytest.raises(UnknownName, match="document"):
        gate(*sides, ["mrr >= 0.1"], cluster="documnet")
    fresh = rules_from_yaml("queries: fresh\nrules: [mrr not worse by 0.05]")
    with pytest.raises(UsageError, match="fresh"):
        gate(*sides, fresh, cluster="document")
