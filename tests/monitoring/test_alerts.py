"""Alerts: one for each thing, not one for each night."""

import json

from assay.monitoring import gate, series_of
from assay.monitoring.alerts import alerts_of_rules, alerts_of_series, message_of, not_told, still_told

from ._points import points
from ._results import result


def test_a_step_is_one_alert_however_long_it_lasts():
    values = [0.8] * 20 + [0.7] * 20
    told, sent = [], []
    for night in range(15, 40):
        alerts = alerts_of_series(series_of(points(values[:night]), "mrr"))
        new = not_told(alerts, told)
        sent += new
        told = still_told(alerts, [*told, *(one.key for one in new)])
    assert len(sent) == 1
    assert sent[0].kind in ("spike", "step")
    assert "mrr 0.800 → 0.700" in sent[0].text


def test_a_change_for_the_better_is_no_alert_and_an_old_spike_neither():
    assert alerts_of_series(series_of(points([0.7] * 20 + [0.8] * 5), "mrr")) == []
    assert alerts_of_series(series_of(points([0.8] * 20 + [0.2] + [0.8] * 5), "mrr")) == []
    assert len(alerts_of_series(series_of(points([0.8] * 20 + [0.2]), "mrr"))) == 1


def test_a_rule_is_told_again_only_after_it_has_held():
    bad, good = ({"mrr": [value] * 4} for value in (0.1, 0.9))
    told, sent = [], 0
    for scores in (bad, bad, good, bad, bad):
        alerts = alerts_of_rules(gate(result(scores), None, "mrr >= 0.5"))
        new = not_told(alerts, told)
        sent += len(new)
        told = still_told(alerts, [*told, *(one.key for one in new)])
    assert sent == 2


def test_the_message_is_for_people_and_programs():
    alerts = alerts_of_rules(gate(result({"mrr": [0.1, 0.9]}), None, ["mrr >= 0.9", "mrr >= 0.8 [warn]", "mrr >= 0.1"]))
    message = message_of(alerts)
    assert message["text"].startswith("assay: 2 alerts\n• FAIL rag/bm25: mrr >= 0.9: 0.500")
    assert [one["status"] for one in json.loads(json.dumps(message, allow_nan=False))["alerts"]] == ["fail", "warn"]
