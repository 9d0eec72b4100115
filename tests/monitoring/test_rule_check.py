"""What rules could notice: their chances against simulation and closed forms."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from assay.monitoring import Case, check_rules, gate, parse_rules, rules_from_yaml
from assay.stats import sign_flip_p

from ._history import result


def check(rule, n=None, *cases):
    (found,) = check_rules(parse_rules(rule), n, cases)
    return found


def test_a_drop_rule_fails_equal_systems_as_often_as_a_normal_mean():
    """The assumed standard deviation is 0.26 of the range: Φ(−0.01 ÷ (0.26 ÷ √50)) = 39 %."""
    found = check("recall@10 drops <= 0.01", 50)
    assert found.chance == pytest.approx(norm.cdf(-0.01 / (0.26 / math.sqrt(50))))
    assert "recall@10 not worse by 0.01" in found.warning
    assert check("recall@10 drops <= 0.2", 50).warning == ""


def test_a_margin_that_cannot_be_noticed_is_a_warning_with_what_would_do():
    few, many = check("mrr not worse by 0.02", 48), check("mrr not worse by 0.05", 1000)
    assert few.chance < 0.5
    assert "queries or a margin of" in few.warning
    assert "183 queries" in few.text
    assert (many.warning, many.chance > 0.99) == ("", True)
    assert check("mrr not worse by 0.05", 5).chance == 0, "five queries can never be significant"


def test_a_guard_and_a_stricter_level_notice_less():
    loose = check("mrr not worse by 0.05", 200).chance
    (guarded,) = check_rules(rules_from_yaml("guard: 5% over 100 changes\nrules: [mrr not worse by 0.05]"), 200)
    assert guarded.chance < loose
    assert check("mrr not worse by 0.05 (99.9%)", 200).chance < loose


def test_a_guard_is_checked_with_the_error_rate_of_the_gate():
    """Two rules on two results: 5 % ÷ 100 ÷ 4. A level of 99.99 % is stricter than the guard."""
    texts = ["mrr not worse by 0.05", "mrr not worse by 0.06"]
    rules = parse_rules({"guard": "5% over 100 changes", "rules": texts})
    sides = [[result({"mrr": np.random.default_rng(seed).random(100)}, name) for seed in (1, 2)] for name in ("a", "b")]
    cases = [Case(*both) for both in sides]
    report = gate([now for now, _ in sides], None, rules) and gate(*map(list, zip(*sides, strict=True)), rules)
    found = check_rules(rules, None, cases)[0]
    assert report.verdicts[0].rule.terms.alpha == pytest.approx(0.05 / 100 / 4) == found.rule.terms.alpha
    assert found.text.startswith(report.verdicts[0].finding.sees)
    strict = {"guard": "5% over 2 changes", "rules": ["mrr not worse by 0.05 (99.99%)"]}
    assert check_rules(parse_rules(strict), 200)[0].chance == check("mrr not worse by 0.05 (99.99%)", 200).chance
    assert check_rules(rules, 200)[0].rule.terms.alpha == pytest.approx(0.05 / 100 / 2), "without results: one result"


def test_fresh_queries_and_slices_say_what_counts():
    fresh = parse_rules({"queries": "fresh", "rules": ["mrr not worse by 0.05", "ndcg@10 not worse by 0.05"]})
    assert "evidence decides" in check_rules(fresh, 50)[0].text
    assert "an alarm needs 40" in check_rules(fresh, 50)[0].text
    assert check("mrr not worse by 0.05 where language=de", 50).text.startswith("50 queries in the slice: ")
    assert check("mrr drops <= 0.05 where language=de", 50).text.startswith("50 queries in the slice: ")


def test_the_chance_is_that_of_a_simulation():
    """Half of the queries have another of ten ranks, and a third loses its document: a drop of about 0.1."""
    rng = np.random.default_rng(5)
    ranks = 1 / np.arange(1, 11)

    def pair(n, lost):
        before = rng.choice(ranks, n)
        now = np.where(rng.random(n) < 0.5, before, rng.choice(ranks, n))
        return before, np.where(rng.random(n) < lost, 0.0, now)

    before, now = pair(50, 0.0)
    estimated = check("mrr not worse by 0.05", None, Case(result({"mrr": now}), result({"mrr": before}))).chance
    lost = 0.1 / ranks.mean()
    gains = [now - before for before, now in (pair(50, lost) for _ in range(300))]
    noticed = np.mean([gain.mean() < -0.05 and sign_flip_p(gain, "less") <= 0.025 for gain in gains])
    assert estimated == pytest.approx(noticed, abs=0.12)


def test_slices_are_checked_with_their_own_queries():
    tags = {"language": ["de", "en", "en", "en"] * 30}
    now, before = (result({"mrr": np.random.default_rng(seed).random(120)}, tags=tags) for seed in (1, 2))
    assert check("mrr not worse by 0.05 where language=de", None, Case(now, before)).n == 30


def test_rules_without_a_test_and_metrics_without_a_range_say_so():
    assert "no test" in check("failed = 0", 50).text
    assert "unknown" in check("latency not worse by 5", 50).text
    assert math.isnan(check("mrr not worse by 5%", 50).chance)
