"""Cases: small inputs with hand-calculated values, one per convention, and the values of known faults."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from assay.errors import UnknownName, UsageError, near_matches
from assay.metrics import BoundMetric, find_metric, parse_name


@dataclass(frozen=True)
class Accepted:
    """A number that is right under some convention."""

    value: float | None
    """None if an error is the right answer."""
    topic: str
    """The topic of the convention, such as ties."""
    convention: str
    """Empty if there is only one convention."""
    metric: str | None
    """The metric in assay; None if assay does not have that convention."""
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """A number that only a fault can give."""

    value: float
    fault: str
    metric: str | None = None
    """A metric of assay that gives the same wrong number, if there is one."""
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One input, its purpose, and the meaning of each answer. The first value is assay's default."""

    name: str
    topic: str
    metric: str
    reason: str
    """Why tools differ here, or which fault it finds."""
    working: str
    """How the numbers are calculated."""
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, Any]
    """Query → document → score; with duplicates, query → pairs of document and score."""
    values: tuple[Accepted, ...]
    wrong: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        return self.name

    @cached_property
    def bound(self) -> BoundMetric:
        """The metric of the case."""
        return find_metric(self.metric)

    @property
    def title(self) -> str:
        """The name of the metric without cutoff and parameters."""
        return re.split("[@(]", self.metric)[0]

    @property
    def request(self) -> dict[str, Any]:
        """The input of a program: one line of JSON."""
        k = self.bound.params.get("k")
        return {"id": self.name, "metric": self.metric, "k": k, "qrels": self.qrels, "run": self.run}

    def to_dict(self) -> dict[str, Any]:
        """The request, and everything that is known about its answers, as plain JSON values."""
        values = [
            {
                "value": accepted.value,
                "topic": accepted.topic,
                "convention": accepted.convention,
                "metric": accepted.metric,
                "policy": dict(accepted.policy),
            }
            for accepted in self.values
        ]
        wrong = [{"value": mistake.value, "fault": mistake.fault} for mistake in self.wrong]
        about = {"topic": self.topic, "reason": self.reason, "working": self.working}
        return {**self.request, **about, "values": values, "wrong": wrong}


@cache
def _read_cases() -> tuple[Case, ...]:
    """All cases in the package."""
    text = files(__package__).joinpath("cases.json").read_text(encoding="utf-8")
    return tuple(_case(record) for record in json.loads(text))


def _case(record: dict[str, Any]) -> Case:
    """A case from its record; a value has the topic and the metric of its case unless it says otherwise."""
    common = {"topic": record["topic"], "metric": record["metric"]}
    values = tuple(Accepted(**{**common, **value}) for value in record.pop("values"))
    wrong = tuple(Fault(**fault) for fault in record.pop("wrong", ()))
    return Case(**record, values=values, wrong=wrong)


def all_topics() -> list[str]:
    """The topics of the cases, each once."""
    return list(dict.fromkeys(case.topic for case in _read_cases()))


def all_cases(metrics: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> list[Case]:
    """All cases, or those of some metrics and topics. Cutoffs and upper or lower case are ignored."""
    names = None if metrics is None else list(dict.fromkeys(parse_name(metric).name for metric in metrics))
    among = None if topics is None else list(dict.fromkeys(map(_find_topic, topics)))
    cases = _select(names, among)
    if not cases:
        raise UsageError(_nothing_about(names or [], among or []))
    return cases


def _select(metrics: Container[str] | None, topics: Container[str] | None) -> list[Case]:
    return [
        case
        for case in _read_cases()
        if (metrics is None or case.bound.metric.name in metrics) and (topics is None or case.topic in topics)
    ]


def _find_topic(text: str) -> str:
    topics = {topic.casefold(): topic for topic in all_topics()}
    if text.strip().casefold() not in topics:
        raise UnknownName("topic", text, near_matches(text, all_topics()), f"choose from {', '.join(all_topics())}")
    return topics[text.strip().casefold()]


def _nothing_about(metrics: Sequence[str], topics: Sequence[str]) -> str:
    """Why no case is left: no cases of these metrics, or none of them in these topics."""
    names, elsewhere = ", ".join(metrics), dict.fromkeys(case.topic for case in _select(metrics, None))
    if not elsewhere:
        every = dict.fromkeys(case.title for case in _read_cases())
        return f"no case is about {names}.   (choose from {', '.join(every)})"
    others = dict.fromkeys(case.title for case in _select(None, topics))
    return (
        f"no case of the topic {', '.join(topics)} is about {names}. Its cases are about {', '.join(others)}. "
        f"Topics with cases about {names}: {', '.join(elsewhere)}"
    )
