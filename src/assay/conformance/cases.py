"""Cases: tiny inputs with the numbers worked by hand, one per convention, and those of known faults."""

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
    """None where an error is the right answer."""
    topic: str
    """The question that the convention answers."""
    convention: str
    """Empty where there is nothing to choose."""
    metric: str | None
    """How assay spells it; None where assay does not have that convention."""
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """A number that only a mistake can give."""

    value: float
    fault: str
    metric: str | None = None
    """A metric of assay that makes the mistake on purpose, if there is one."""
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One input, what it is for, and which answers mean what. The first value is assay's own by default."""

    name: str
    topic: str
    metric: str
    reason: str
    """Why tools differ here, or which mistake it finds."""
    working: str
    """How the numbers come about."""
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, Any]
    """Query → document → score; with duplicates, query → pairs of document and score."""
    values: tuple[Accepted, ...]
    wrong: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        return self.name

    @cached_property
    def bound(self) -> BoundMetric:
        """The metric that is asked for."""
        return find_metric(self.metric)

    @property
    def title(self) -> str:
        """The metric without cutoff and parameters, as it is asked for."""
        return re.split("[@(]", self.metric)[0]

    @property
    def request(self) -> dict[str, Any]:
        """What a program is asked: one line of JSON."""
        k = self.bound.params.get("k")
        return {"id": self.name, "metric": self.metric, "k": k, "qrels": self.qrels, "run": self.run}

    def to_dict(self) -> dict[str, Any]:
        """The request, and everything the kit knows about its answers, as plain JSON values."""
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
    """Every case of the kit, as the package holds them."""
    text = files(__package__).joinpath("cases.json").read_text(encoding="utf-8")
    return tuple(_case(record) for record in json.loads(text))


def _case(record: dict[str, Any]) -> Case:
    """A case out of its record; a value is about the topic and the metric of its case unless it says otherwise."""
    common = {"topic": record["topic"], "metric": record["metric"]}
    values = tuple(Accepted(**{**common, **value}) for value in record.pop("values"))
    wrong = tuple(Fault(**fault) for fault in record.pop("wrong", ()))
    return Case(**record, values=values, wrong=wrong)


def all_topics() -> list[str]:
    """The topics of the cases, each once."""
    return list(dict.fromkeys(case.topic for case in _read_cases()))


def all_cases(metrics: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> list[Case]:
    """The cases, or those of some metrics and topics. Cutoffs of the metrics do not matter, nor does case."""
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
        raise UnknownName("topic", text, near_matches(text, all_topics()), f"there are {', '.join(all_topics())}")
    return topics[text.strip().casefold()]


def _nothing_about(metrics: Sequence[str], topics: Sequence[str]) -> str:
    """Why no case is left: nothing about these metrics, or nothing about them in these topics."""
    names, elsewhere = ", ".join(metrics), dict.fromkeys(case.topic for case in _select(metrics, None))
    if not elsewhere:
        every = dict.fromkeys(case.title for case in _read_cases())
        return f"no case is about {names}; there are cases about {', '.join(every)}"
    others = dict.fromkeys(case.title for case in _select(None, topics))
    return (
        f"no case is about {names} in the topic {', '.join(topics)}: there, cases are about {', '.join(others)}; "
        f"{names} is in {', '.join(elsewhere)}"
    )
