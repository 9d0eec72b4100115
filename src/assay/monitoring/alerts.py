"""alerts: what is worth telling somebody about, each thing once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from assay.monitoring._gate import GateReport
from assay.monitoring.figures import figure_text
from assay.monitoring.finding import FAILED, WARNED
from assay.monitoring.gate_words import moved_text
from assay.monitoring.history import Change, Series
from assay.text import counted

SHOWN_QUERIES = 3


@dataclass(frozen=True)
class Alert:
    """One thing to tell. `key` is the same as long as it is the same thing, however many nights it lasts."""

    key: str
    kind: str
    """`rule`, `step`, `spike`, `failed` (a provider that answered nothing) or `broken` (what cannot be compared)."""
    text: str
    details: Mapping[str, Any] = field(default_factory=dict)
    covers: frozenset[str] = frozenset()
    """Keys under which somebody may have been told of it before: a step begins as a night or two out of line."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"key": self.key, "kind": self.kind, "text": self.text, **self.details}


def alerts_of_rules(report: GateReport) -> list[Alert]:
    """One alert for each rule and result that failed or warned. It stays the same one until the rule holds again."""
    found = []
    for verdict in report.verdicts:
        if verdict.status not in (FAILED, WARNED):
            continue
        about = "/".join(filter(None, (verdict.benchmark, verdict.provider)))
        moved = "".join(f"\n  {moved_text(one)}" for one in verdict.finding.moved[:SHOWN_QUERIES])
        text = f"{verdict.mark} {about}: {verdict.rule.text}: {verdict.summary}{moved}"
        found.append(Alert(f"rule {about} {verdict.rule.text}", "rule", text, verdict.to_dict()))
    return found


def alerts_of_series(series: Iterable[Series]) -> list[Alert]:
    """The newest change of each series, where that is for the worse; the same one on every night after it."""
    found = []
    for one in series:
        if not one.changes or not one.changes[-1].is_worse:
            continue
        change = one.changes[-1]
        if not change.is_step and change.place < len(one.points) - 1:
            continue  # a spike of the past, over by now
        first = one.points[_first_place(one, change)].evaluation
        kind = "step" if change.is_step else "spike"
        moved = f"{figure_text(one.bound, change.before)} → {figure_text(one.bound, change.after)}"
        text = f"{_about(one)}: {one.metric} {moved}, a {kind} for the worse since {first}"
        details = {"benchmark": one.benchmark, "provider": one.provider, "metric": one.metric, **change.to_dict()}
        details["change"] = details.pop("kind")
        found.append(Alert(_key(one, first), kind, text, details, _covered(one, change)))
    return found


def _about(series: Series) -> str:
    return "/".join(filter(None, (series.benchmark, series.provider)))


def _key(series: Series, evaluation: str) -> str:
    return f"change {_about(series)} {series.metric} {evaluation}"


def _first_place(series: Series, change: Change) -> int:
    """Where it began: nights out of line, one after the other, are one thing, which may turn out to be a step."""
    place = change.place
    spikes = {other.place for other in series.changes if not other.is_step}
    while place - 1 in spikes:
        place -= 1
    return place


def _covered(series: Series, change: Change) -> frozenset[str]:
    """The keys of all nights from its first to the one at which it was noticed."""
    nights = range(_first_place(series, change), change.noticed + 1)
    return frozenset(_key(series, series.points[place].evaluation) for place in nights)


def not_told(alerts: Sequence[Alert], told: Collection[str]) -> list[Alert]:
    """Those that nobody has been told of."""
    known = set(told)
    return list({one.key: one for one in alerts if one.key not in known and not one.covers & known}.values())


def still_told(alerts: Sequence[Alert], told: Iterable[str]) -> list[str]:
    """What is remembered: rules only as long as they are broken, so that the next time is told again; changes for good."""
    lasting = {alert.key for alert in alerts}
    return [key for key in dict.fromkeys(told) if key in lasting or key.startswith("change ")]


def message_of(alerts: Sequence[Alert]) -> dict[str, Any]:
    """What is posted: `text` as Slack and its like show it, and the alerts as data.

    Such text has marks of its own, so that a query could call everybody on a channel: & < and > are written out.
    """
    head = f"assay: {counted(len(alerts), 'alert')}"
    text = "\n".join([head, *(f"• {alert.text}" for alert in alerts)])
    return {"text": escape(text), "alerts": [one.to_dict() for one in alerts]}
