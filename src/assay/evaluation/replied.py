"""replied: score what a system answered in words, by itself or beside the result of its ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.datasets import BenchmarkDataset
from assay.errors import DataError, UsageError
from assay.evaluation.added_columns import in_asked_order, with_columns
from assay.evaluation.result import Result
from assay.evaluation.scoring import score_views
from assay.evaluation.setting import Setting
from assay.metrics import BoundMetric, find_metric
from assay.model import Policy, Profile, Query, fingerprint
from assay.text import counted, some_of
from assay.views import Replies, Reply, Wanted, reply_of, wanted_by

VIEW = "answers"


def reads_answers(metric: BoundMetric) -> bool:
    """Whether a metric is about answers in words."""
    return metric.metric.view == VIEW


def judged_beside(profile: Profile) -> Setting:
    """How far a run can be trusted: what is looked at where nobody asks for a metric of rankings."""
    judged = find_metric("judged@10")
    return Setting(judged, judged, profile.policy, is_beside=True)


@dataclass(frozen=True)
class Replied:
    """Replies to queries, and what is wanted there; the queries that count are those of which somebody knows."""

    replies: Mapping[str, Reply]
    wanted: Mapping[str, Wanted]

    def counted_by(self, policy: Policy) -> tuple[str, ...]:
        """The queries that count, as the policy has it for those without a reply."""
        missing = self.missing
        if missing and policy.missing == "error":
            raise DataError(f"{counted(len(missing), 'query')} without an answer ({some_of(missing)})")
        return tuple(query for query in self.wanted if query in self.replies or policy.missing != "skip")

    @property
    def missing(self) -> tuple[str, ...]:
        """Queries that want an answer and got no reply."""
        return tuple(query for query in self.wanted if query not in self.replies)

    @property
    def extra(self) -> tuple[str, ...]:
        """Queries with a reply of which nobody knows what is right."""
        return tuple(query for query in self.replies if query not in self.wanted)

    def view(self, policy: Policy, result: Result | None = None) -> Replies:
        """What metrics read; with the ranking of a result, where there is one."""
        ids = self.counted_by(policy)
        ranking = None if result is None or result.grader is None else result.grader.grading(policy).run
        return Replies(ids, tuple(map(self.replies.get, ids)), tuple(map(self.wanted.get, ids)), ranking)

    def fingerprints(self) -> dict[str, str]:
        """Of what is right, and of what was answered."""
        answered = ((query, reply.text, reply.confidence, reply.abstained) for query, reply in self.replies.items())
        return {"judgments": fingerprint(self.wanted.items()), "rankings": fingerprint(answered)}

    def notes(self, policy: Policy) -> tuple[str, ...]:
        """What a careful reader should be told."""
        found = []
        if missing := self.missing:
            fate = "left out" if policy.missing == "skip" else "which score 0"
            found.append(f"{counted(len(missing), 'query')} without an answer, {fate} ({some_of(missing)}).")
        if extra := self.extra:
            found.append(f"{counted(len(extra), 'answer')} left out: nobody says what is right there ({some_of(extra)}).")
        answered = [(query, self.replies[query]) for query in self.wanted if query in self.replies]
        unsure = [query for query, reply in answered if reply.confidence is None and not reply.abstained]
        if unsure and any(reply.confidence is not None for _, reply in answered):
            found.append(
                f"{counted(len(unsure), 'answer')} without a confidence, which count as the least sure ({some_of(unsure)})."
            )
        n_open = sum(reply.abstained for query, reply in self.replies.items() if query in self.wanted)
        n_none = sum(not wanted.is_answerable for wanted in self.wanted.values())
        if n_open or n_none:
            share = f"{n_none:,} of {len(self.wanted):,} have no answer to be found"
            found.append(f"{counted(n_open, 'query')} left open; {share}.")
        return tuple(found)


def wanted_by_queries(queries: Mapping[str, Query]) -> dict[str, Wanted]:
    """What the queries of a benchmark expect, as far as they say so."""
    found = ((query_id, wanted_by(query)) for query_id, query in queries.items())
    return {query_id: wanted for query_id, wanted in found if wanted is not None}


def refuse_without_answers(dataset: BenchmarkDataset, metrics: Sequence[BoundMetric]) -> None:
    """Say before anything is asked that a benchmark has nothing to compare answers with."""
    needy = [metric.name for metric in metrics if reads_answers(metric)]
    if needy and not wanted_by_queries(dataset.queries):
        without = f"no query of {dataset.name} has one; write `expected` there"
        raise UsageError(f"{needy[0]} needs expected answers, and {without}")


def score_replied(replied: Replied, settings: Sequence[Setting], profile: Profile, name: str = "") -> Result:
    """A result of answers alone; there is no ranking in it."""
    table = score_views({VIEW: replied.view(profile.policy)}, [setting.metric for setting in settings])
    counts = {"judged": len(replied.wanted), "scored": len(table.query_ids)}
    counts |= {"missing": len(replied.missing), "without_relevant": 0, "extra": len(replied.extra)}
    return Result(
        name=name,
        table=table,
        metrics=tuple(setting.metric for setting in settings),
        counts=counts,
        missing=replied.missing,
        policy=profile.policy,
        notes=replied.notes(profile.policy),
        profile=profile.name,
        settings=tuple(settings),
        recorded=replied.fingerprints(),
    )


def with_replied(result: Result, replied: Replied, settings: Sequence[Setting], profile: Profile) -> Result:
    """The result of a ranking with the metrics of answers added; `settings` are all metrics, in the order asked for.

    A query that counts for one kind only has no score of the other.
    """
    spoken = [setting.metric for setting in settings if reads_answers(setting.metric)]
    added = score_views({VIEW: replied.view(profile.policy, result)}, spoken)
    both = in_asked_order(with_columns(result, added, spoken), [setting.metric.name for setting in settings])
    return replace(both, settings=tuple(settings), notes=(*result.notes, *replied.notes(profile.policy)))


def replies_said(said: Mapping[str, Mapping[str, Any] | None]) -> tuple[dict[str, Reply], list[str]]:
    """Query → reply, out of what a provider said beside its hits; and what is to be noted about those that are none."""
    replies: dict[str, Reply] = {}
    faults = []
    for query, fields in said.items():
        try:
            reply = reply_of(fields or {})
        except DataError as error:
            faults.append(f"{query}: {error}")
            continue
        if reply is not None:
            replies[query] = reply
    notes = [f"{counted(len(faults), 'answer')} of no use, taken as none; {faults[0]}."] if faults else []
    return replies, notes
