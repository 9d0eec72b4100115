"""Guards: how much of the error rate each candidate gets, which candidates count, and evidence of fresh queries."""

import math

import numpy as np
import pytest

from assay.errors import AssayError
from assay.monitoring import BETS, gate, rules_from_yaml, weigh
from assay.store import Store

from ._history import result

FILE = """
guard: 5% over 100 changes
rules:
  - mrr not worse by 0.05
  - ndcg@10 not worse by 0.05
  - mrr drops <= 0.01
  - failed = 0
"""
N = 200


class Memory:
    """Remembers in a dict what a store remembers in a table."""

    def __init__(self):
        self.books = {}

    def entries(self, key):
        return list(self.books.get(key, {}).items())

    def add(self, key, candidate, evidence):
        self.books.setdefault(key, {}).setdefault(candidate, evidence)


def scores(seed, drop=0.0, n=N, changed=0.5):
    """Scores of a candidate: the baseline with other values on some queries, minus a drop."""
    rng = np.random.default_rng(seed)
    before = np.random.default_rng(0).uniform(0.3, 0.9, n)
    now = np.where(rng.random(n) < changed, rng.permutation(before), before) - drop
    return np.clip(now, 0, 1)


def of(seed, **more):
    values = scores(seed, **more)
    return result({"mrr": values, "ndcg@10": values})


BEFORE = result({"mrr": scores(0, changed=0), "ndcg@10": scores(0, changed=0)})


def test_each_tested_rule_has_its_share_of_the_error_rate():
    """5 % over 100 changes and 2 tested rules: 0.00025."""
    report = gate(of(1), BEFORE, rules_from_yaml(FILE), memory=Memory())
    (use,) = report.guards
    assert (use.alpha, use.used, use.is_new) == (pytest.approx(0.05 / 100 / 2), 1, True)
    assert report.to_dict()["guards"][0]["of"] == 100
    assert any("does not cover rules without a test: mrr drops <= 0.01" in note for note in report.notes)


def test_a_drop_that_would_fail_alone_is_undecided_under_a_guard_and_says_so():
    """Ten of 200 queries lose a half: a drop of 0.025, and p = 2^-10."""
    before = result({"mrr": [0.5] * N})
    worse, much_worse = (result({"mrr": [0.0] * lost + [0.5] * (N - lost)}) for lost in (10, 15))
    alone = gate(worse, before, "mrr not worse by 0.02").verdicts[0]
    assert (alone.status, alone.finding.p_worse) == ("fail", pytest.approx(2**-10))
    rules = rules_from_yaml("guard: 5% over 100 changes\nrules: [mrr not worse by 0.02]")
    guarded = gate(worse, before, rules, memory=Memory()).verdicts[0]
    assert guarded.status == "undecided"
    assert "worse with p = 0.00098, but the guard fails it only from p = 0.0005" in guarded.summary
    assert gate(much_worse, before, rules, memory=Memory()).verdicts[0].status == "fail"


def test_equal_scores_count_once_and_keep_their_verdict():
    memory, rules = Memory(), rules_from_yaml(FILE)
    first = gate(of(1), BEFORE, rules, memory=memory)
    again = gate(of(1).renamed("other"), BEFORE, rules, memory=memory)
    other = gate(of(2), BEFORE, rules, memory=memory)
    same = gate(BEFORE, BEFORE, rules, memory=memory)
    assert [report.guards[0].used for report in (first, again, other, same)] == [1, 1, 2, 2]
    assert [report.guards[0].is_new for report in (first, again, other, same)] == [True, False, True, False]
    assert [one.status for one in first.verdicts] == [one.status for one in again.verdicts]
    shuffled = of(1).subset(queries=list(reversed(of(1).query_ids)))
    assert not gate(shuffled, BEFORE, rules, memory=memory).guards[0].is_new, "the order of queries does not matter"
    assert gate(of(2), of(1), rules, memory=memory).guards[0].used == 1, "another baseline, another count"


def test_a_guard_that_is_used_up_says_so_and_one_without_a_store_too():
    memory, rules = Memory(), rules_from_yaml(FILE.replace("100 changes", "2 changes"))
    notes = [gate(of(seed), BEFORE, rules, memory=memory).notes for seed in (1, 2, 3)]
    assert ["promise has ended" in " ".join(some) for some in notes] == [False, False, True]
    assert any("needs a store" in note for note in gate(of(1), BEFORE, rules).notes)
    skipped = gate(of(1), None, rules, memory=memory)
    assert skipped.guards == ()


def test_a_store_remembers_candidates(tmp_path):
    rules = rules_from_yaml(FILE)
    for used, seed in ((1, 1), (1, 1), (2, 2)):
        with Store.open(tmp_path / "assay.db") as store:
            assert gate(of(seed), BEFORE, rules, memory=store.guards).guards[0].used == used


FRESH = "queries: fresh\nrules: [mrr not worse by 0.02]"


def night(number, drop):
    """Fresh queries: other scores of both systems every night."""
    rng = np.random.default_rng([number, 7])
    before = rng.uniform(0.3, 0.9, N)
    now = np.where(rng.random(N) < 0.5, rng.permutation(before), before) - drop
    return result({"mrr": np.clip(now, 0, 1)}), result({"mrr": before})


def nights(drop, n=8):
    memory, rules, statuses = Memory(), rules_from_yaml(FRESH), []
    for number in range(n):
        report = gate(*night(number, drop), rules, memory=memory)
        statuses.append(report.verdicts[0].status)
    return statuses, report


def test_evidence_of_fresh_queries_adds_up_to_an_alarm():
    statuses, report = nights(0.05)
    assert statuses[0] != "fail"
    assert statuses[-1] == "fail"
    assert "over the last" in report.verdicts[0].summary
    assert report.guards[0].used == 8
    assert "fail" not in nights(0.0)[0]


def test_the_evidence_is_its_formula():
    """Σⱼ 1/365 · mean over λ of the product of all nights from j on, worked out with plain products."""
    bets = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
    days = [night(number, 0.02) for number in range(4)]
    gains = [now.array("mrr") - before.array("mrr") for now, before in days]
    expected = sum(
        np.mean([math.prod(math.prod(1 - bet * gain for gain in some) for some in gains[start:]) for bet in bets]) / 365
        for start in range(4)
    )
    memory, rules = Memory(), rules_from_yaml(FRESH)
    reports = [gate(*day, rules, memory=memory) for day in days]
    finding = reports[-1].verdicts[0].finding
    assert f"{expected:.2g}" in finding.reason + finding.sees
    again = gate(*days[-1], rules, memory=memory)
    assert again.verdicts[0].finding == finding, "the same night counts once"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("guard: 5 over 100 changes", "5% over 100 changes"),
        ("guard: 0% over 100 changes", "5% over 100 changes"),
        ("guard: 5% over 0 changes", "5% over 100 changes"),
        ("queries: new", "fresh"),
    ],
)
def test_what_is_not_a_guard(line, what):
    with pytest.raises(AssayError, match=rf"g\.yaml:1: .*{what}"):
        rules_from_yaml(f"{line}\nrules: [mrr not worse by 0.05]", "g.yaml")


def test_a_guard_names_the_rules_that_it_does_not_cover_because_they_are_not_about_means():
    """A geometric mean fails at 2.5 % as without the guard, and takes no share of the error rate."""
    before, now = (
        result({"mrr": scores(0, changed=0), "gm_map": scores(seed, drop=drop)}) for seed, drop in ((0, 0), (1, 0.2))
    )
    texts = ["mrr not worse by 0.05", "gm_map not worse by 0.02"]
    plain, guarded = (
        gate(now, before, {"rules": texts, **more}, memory=Memory()) for more in ({}, {"guard": "5% over 100 changes"})
    )
    assert (
        [verdict.status for verdict in plain.verdicts]
        == [verdict.status for verdict in guarded.verdicts]
        == ["same", "fail"]
    )
    assert "the guard does not cover rules about values that are not means: gm_map not worse by 0.02" in guarded.notes
    assert rules_from_yaml(FILE)
    (use,) = gate(of(1), BEFORE, {"guard": "5% over 100 changes", "rules": texts[:1]}, memory=Memory()).guards
    assert use.alpha == pytest.approx(0.05 / 100)


def test_rules_in_python_can_have_the_keys_of_a_file():
    written = {
        "guard": "5% over 100 changes",
        "undecided": "fail",
        "rules": ["mrr not worse by 0.05", {"warn": "mrr >= 0.1"}],
    }
    report = gate(of(1), BEFORE, written, memory=Memory())
    assert report.guards[0].guard.changes == 100
    assert [verdict.rule.terms.undecided for verdict in report.verdicts] == ["fail", "fail"]
    assert gate(of(1), BEFORE, [{"queries": "fresh", "rules": ("mrr not worse by 0.05",)}]).guards[0].guard.is_fresh
    for wrong in (
        {"guard": "5%", "rules": ["failed = 0"]},
        {"guards": "", "rules": []},
        {"rules": "failed = 0"},
        {"rules": []},
    ):
        with pytest.raises(AssayError):
            gate(of(1), BEFORE, wrong)


def test_evidence_is_divided_over_rules_and_weighed_by_the_changes_of_the_guard():
    """Two rules: 2 ÷ 5 % = 40. One night over 1,000 changes has the weight 1/1,000."""
    now, before = night(1, 0.02)
    two = gate(
        now, before, {"queries": "fresh", "rules": ["mrr not worse by 0.02", "mrr not worse by 0.1"]}, memory=Memory()
    )
    assert all("an alarm needs 40" in verdict.finding.reason + verdict.finding.sees for verdict in two.verdicts)
    rules = {"queries": "fresh", "guard": "5% over 1000 changes", "rules": ["mrr not worse by 0.02"]}
    finding = gate(now, before, rules, memory=Memory()).verdicts[0].finding
    gains = now.array("mrr") - before.array("mrr")
    expected = np.mean([np.prod(1 - bet * gains) for bet in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)]) / 1000
    assert f"evidence of a drop {expected:.2g}, an alarm needs 20" in finding.reason + finding.sees


def test_a_repaired_system_does_not_fail_and_fails_again_if_it_gets_worse_again():
    memory, rules = Memory(), rules_from_yaml(FRESH)
    days = [night(number, 0.15 if number < 4 or number >= 14 else 0.0) for number in range(18)]
    reports = [gate(*day, rules, memory=memory) for day in days]
    statuses = [report.verdicts[0].status for report in reports]
    assert statuses[3] == statuses[-1] == "fail"
    assert "fail" not in statuses[4:14]
    texts = [report.verdicts[0].finding.reason + report.verdicts[0].finding.sees for report in reports[4:14]]
    assert sum("ends here, because this evaluation has no drop" in text for text in texts) == 1
    again = gate(*days[3], rules, memory=memory)
    assert again.verdicts[0].finding == reports[3].verdicts[0].finding, "an earlier night keeps its verdict"


def test_closed_evidence_is_that_of_the_nights_after_it():
    """A night of 100 queries that all lose half reaches any alarm; one without a drop closes it."""

    def night_of(gain):
        return [100 * math.log1p(-bet * gain) for bet in BETS], 100 * gain, 100

    bad, good, slight = night_of(-0.5), night_of(0.0), night_of(-0.01)
    assert weigh([bad]).is_alarm
    assert weigh([bad, slight]).is_alarm, "a smaller drop does not close it"
    assert weigh([bad, good]).is_closed
    assert weigh([bad, good, slight]) == weigh([slight])
    assert weigh([slight, good, slight]).evidence > weigh([slight]).evidence, "without an alarm nothing is closed"


def test_another_baseline_system_starts_new_evidence():
    memory, rules = Memory(), rules_from_yaml(FRESH)

    def used(number, **provenance):
        now, before = night(number, 0.0)
        return gate(now, before.with_fields(provenance=provenance), rules, name="main", memory=memory).guards[0].used

    old, new = ({"provider": {"name": "bm25", "configuration": {"k1": k1}}} for k1 in (1.2, 0.9))
    assert [used(0, **old), used(1, **old, started="later"), used(2, **new), used(3, **new)] == [1, 2, 1, 2]
    assert used(4, **new, repository={"commit": "1a2b3c4"}) == 1


def test_metrics_without_a_largest_value_are_decided_by_each_evaluation():
    before, now = (result({"latency": values}) for values in (np.arange(N) % 7, np.arange(N) % 7 + 50.0))
    report = gate(now, before, {"queries": "fresh", "rules": ["latency not worse by 5"]}, memory=Memory())
    assert (report.verdicts[0].status, report.guards) == ("fail", ())
    assert any("metrics without a largest value" in note for note in report.notes)
