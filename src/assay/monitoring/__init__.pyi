from assay.monitoring.case import Case as Case
from assay.monitoring.case import pair_results as pair_results
from assay.monitoring.change_rules import RatchetRule as RatchetRule
from assay.monitoring.change_since import STANDINGS as STANDINGS
from assay.monitoring.change_since import ChangeSince as ChangeSince
from assay.monitoring.change_since import RunPoint as RunPoint
from assay.monitoring.drift import Drift as Drift
from assay.monitoring.drift import MetricAnomaly as MetricAnomaly
from assay.monitoring.drift import detect_metric_anomalies as detect_metric_anomalies
from assay.monitoring.drift import measure_drift as measure_drift
from assay.monitoring.finding import FAILED as FAILED
from assay.monitoring.finding import PASSED as PASSED
from assay.monitoring.finding import SAME as SAME
from assay.monitoring.finding import SKIPPED as SKIPPED
from assay.monitoring.finding import UNDECIDED as UNDECIDED
from assay.monitoring.finding import WARNED as WARNED
from assay.monitoring.finding import Finding as Finding
from assay.monitoring.finding import Moved as Moved
from assay.monitoring.finding import digits_for as digits_for
from assay.monitoring.finding import unit_of as unit_of
from assay.monitoring.gating import GateReport as GateReport
from assay.monitoring.gating import best_so_far as best_so_far
from assay.monitoring.gating import broken_gate as broken_gate
from assay.monitoring.gating import cases_of as cases_of
from assay.monitoring.gating import gate as gate
from assay.monitoring.gating import metrics_of as metrics_of
from assay.monitoring.guard import GuardMemory as GuardMemory
from assay.monitoring.guard import GuardUse as GuardUse
from assay.monitoring.history import Series as Series
from assay.monitoring.history import best_before as best_before
from assay.monitoring.history import read_series as read_series
from assay.monitoring.history import series_from as series_from
from assay.monitoring.history import series_of as series_of
from assay.monitoring.levels import Measured as Measured
from assay.monitoring.marks import change_causes as change_causes
from assay.monitoring.marks import change_details as change_details
from assay.monitoring.marks import change_head as change_head
from assay.monitoring.night_evidence import BETS as BETS
from assay.monitoring.night_evidence import weigh as weigh
from assay.monitoring.overview import Overview as Overview
from assay.monitoring.overview import SeriesOverview as SeriesOverview
from assay.monitoring.overview import day_text as day_text
from assay.monitoring.overview_reader import OverviewReader as OverviewReader
from assay.monitoring.points import Change as Change
from assay.monitoring.points import Point as Point
from assay.monitoring.rule import Recorded as Recorded
from assay.monitoring.rule import Rule as Rule
from assay.monitoring.rule_check import RuleCheck as RuleCheck
from assay.monitoring.rule_check import check_rules as check_rules
from assay.monitoring.rule_file import parse_rule as parse_rule
from assay.monitoring.rule_file import parse_rules as parse_rules
from assay.monitoring.rule_file import rules_from_yaml as rules_from_yaml
from assay.monitoring.sensitivity import Spread as Spread
from assay.monitoring.sensitivity import chance_to_notice as chance_to_notice
from assay.monitoring.sensitivity import spread_of as spread_of
from assay.monitoring.steps import Alarm as Alarm
from assay.monitoring.steps import Watched as Watched
from assay.monitoring.steps import watch_series as watch_series
from assay.monitoring.verdict import Verdict as Verdict
from assay.monitoring.watch import Alert as Alert
from assay.monitoring.watch import NewestResults as NewestResults
from assay.monitoring.watch import alert_message as alert_message
from assay.monitoring.watch import alerts_of_series as alerts_of_series
from assay.monitoring.watch import check_newest as check_newest
from assay.monitoring.watch import lasting_keys as lasting_keys
from assay.monitoring.watch import unsent_alerts as unsent_alerts
from assay.monitoring.wording import conclusion as conclusion
from assay.monitoring.wording import gate_text as gate_text
from assay.monitoring.wording import grouped as grouped
from assay.monitoring.wording import moved_text as moved_text
from assay.monitoring.wording import render_gate as render_gate
from assay.monitoring.wording import worst_moved as worst_moved

__all__ = [
    "Alarm",
    "Drift",
    "GateReport",
    "Measured",
    "MetricAnomaly",
    "Series",
    "Verdict",
    "Watched",
    "detect_metric_anomalies",
    "gate",
    "measure_drift",
    "parse_rule",
    "parse_rules",
    "read_series",
    "rules_from_yaml",
    "series_of",
    "watch_series",
]
