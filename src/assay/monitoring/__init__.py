"""Monitoring: rules and the gate, anomalies, history and drift; all of it pure."""

from assay.monitoring.anomalies import MetricAnomaly, detect_metric_anomalies
from assay.monitoring.drift import Drift, measure_drift
from assay.monitoring.gate import GateReport, gate
from assay.monitoring.history import Series, series_of
from assay.monitoring.rules import parse_rule, parse_rules, rules_from_yaml
from assay.monitoring.steps import Alarm, Watched, watch_series
from assay.monitoring.verdict import Verdict

__all__ = [
    "Alarm",
    "Drift",
    "GateReport",
    "MetricAnomaly",
    "Series",
    "Verdict",
    "Watched",
    "detect_metric_anomalies",
    "gate",
    "measure_drift",
    "parse_rule",
    "parse_rules",
    "rules_from_yaml",
    "series_of",
    "watch_series",
]
