"""Alerts: one for each thing, not one for each night."""

import json

import numpy as np

from assay import Query
from assay.monitoring import (
    NewestResults,
    alert_message,
    alerts_of_series,
    check_newest,
    gate,
    lasting_keys,
    parse_rules,
    series_of,
    unsent_alerts,
)

from ._history import points, result


def alerts_of_rules(now, *rules):
    return check_newest([NewestResults((now,), (True,))], None, parse_rules(rules)).alerts


def replayed(values, metric="mrr"):
    """What is sent, night after night: the night, and what kind of alert."""
    told, sent = [], []
    for night in range(min(28, len(values) // 3), min(40, len(values)) + 1):
        alerts = alerts_of_series(series_of(points(values[:night]), metric))
        new = unsent_alerts(alerts, told)
        sent += [(night - 1, one.kind) for one in new]
        told = lasting_keys(alerts, [*told, *(one.key for one in new)])
    return sent


def test_a_step_is_one_alert_however_long_it_lasts_and_a_second_another():
    assert [kind for _, kind in replayed([0.8] * 20 + [0.7] * 20)] == ["step"]
    assert [kind for _, kind in replayed([0.8] * 20 + [0.7] * 12 + [0.5] * 8)] == ["step", "step"]


def test_a_change_for_the_better_is_no_alert_and_an_old_spike_neither():
    assert alerts_of_series(series_of(points([0.7] * 20 + [0.8] * 5), "mrr")) == []
    assert alerts_of_series(series_of(points([0.8] * 20 + [0.2] + [0.8] * 5), "mrr")) == []
    assert len(alerts_of_series(series_of(points([0.8] * 20 + [0.2]), "mrr"))) == 1


def test_a_rule_is_told_again_only_after_it_has_held():
    bad, good = ({"mrr": [value] * 4} for value in (0.1, 0.9))
    told, sent = [], 0
    for scores in (bad, bad, good, bad, bad):
        alerts = alerts_of_rules(result(scores), "mrr >= 0.5")
        new = unsent_alerts(alerts, told)
        sent += len(new)
        told = lasting_keys(alerts, [*told, *(one.key for one in new)])
    assert sent == 2


def test_the_message_is_for_people_and_programs(snapshots):
    alerts = alerts_of_rules(result({"mrr": [0.1, 0.9]}), "mrr >= 0.9", "mrr >= 0.8 [warn]", "mrr >= 0.1")
    message = alert_message(alerts)
    times = alerts_of_series(series_of(points([20.0] * 20 + [300.0]), "latency_p95"))
    snapshots.check("watch/messages", "\n".join([message["text"], alerts[0].text, times[0].text]))
    assert [one["status"] for one in json.loads(json.dumps(message, allow_nan=False))["alerts"]] == ["fail", "warn"]


def test_a_noisy_step_is_told_once():
    """25 standard deviations: on its night, and never again."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        values = rng.normal(0.8, 0.01, 45)
        values[30:] -= 0.25
        assert [night for night, _ in replayed(values.tolist()) if night >= 30] == [30]


class Memory:
    """Remembers the candidates of guards."""

    def __init__(self):
        self.books = {}

    def entries(self, key):
        return list(self.books.get(key, {}).items())

    def add(self, key, candidate, evidence):
        self.books.setdefault(key, {}).setdefault(candidate, evidence)


def test_guards_hold_as_in_the_gate():
    """Ten of 200 queries lose a half: p = 2^-10 fails alone, but not with 5 % over 100 changes and two results."""
    before = [result({"mrr": [0.5] * 200}, name) for name in ("a", "b")]
    now = tuple(result({"mrr": [0.0] * lost + [0.5] * (200 - lost)}, name) for name, lost in (("a", 10), ("b", 14)))
    memory, text = Memory(), "mrr not worse by 0.02"
    newest = [NewestResults(now, (True, False))]
    assert len(check_newest(newest, before, parse_rules(text)).alerts) == 1
    rules = parse_rules({"guard": "5% over 100 changes", "rules": [text]})
    report = gate(list(now), before, rules, name="main", memory=memory)
    watched = check_newest(newest, before, rules, name="main", memory=memory)
    assert (watched.alerts, report.guards[0].used) == ((), 1)
    assert any("1 different candidate of 100 checked; this one has known scores" in note for note in watched.notes)


def test_evidence_of_fresh_queries_alerts():
    rules, memory, sent = parse_rules({"queries": "fresh", "rules": ["mrr not worse by 0.02"]}), Memory(), []
    for night in range(6):
        scores = np.random.default_rng(night).uniform(0.3, 0.9, 200)
        now, before = (result({"mrr": scores - drop}) for drop in (0.06, 0.0))
        alerts = check_newest([NewestResults((now,), (True,))], [before], rules, memory=memory).alerts
        sent.append(len(alerts))
    assert (sent[0], sent[-1]) == (0, 1)


def test_a_query_cannot_call_everybody():
    """Slack reads <!channel> as a call; what is data stays as it is."""
    now = result({"mrr": [0.1]}, queries={"q1": Query("q1", "<!channel> & <https://evil.example|click>")})
    message = alert_message(alerts_of_rules(now, "mrr >= 0.9"))
    assert "&lt;!channel&gt; &amp; &lt;https" in message["text"]
    assert "<" not in message["text"]
    assert message["alerts"][0]["moved"][0]["text"].startswith("<!channel> &")
