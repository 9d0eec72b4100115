"""Checkpoints: the log of an evaluation, which is found by its plan; the cache of responses; finished logs."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from assay.datasets import PARTS, BenchmarkDataset
from assay.errors import AssayError, DataError, UsageError
from assay.evaluation import describe_machine
from assay.execution.plan import Plan
from assay.execution.responses import SCHEMA, Response, ResponseLog
from assay.execution.runner import Part
from assay.model import Query, time_text
from assay.serialize import to_json

MAX_DIFFERENCES_LISTED = 5
"""The largest number of differences that a message lists."""
MAX_LOGS_SEARCHED = 50
"""The largest number of logs to search for an unfinished evaluation."""

EVALUATION = "evaluation"
"""The key for the id of an evaluation, in the header of a log and in the provenance of a result."""

SCORING_KEYS = ("metrics", "profile", "policy")
"""What a plan says about scores. Responses do not depend on it."""

KnownResponses = dict[str, dict[str, Response]]
"""Part → query → response."""


@dataclass(frozen=True)
class Checkpoint:
    """The log of an evaluation, and the header that describes the evaluation."""

    log: ResponseLog
    header: Mapping[str, Any]
    is_named: bool
    """Whether it is named after a plan; else after its content."""

    def begin(self) -> KnownResponses:
        """Start a new log without known responses. The header gets a unique id."""
        self.log.begin({**self.header, EVALUATION: secrets.token_hex(8)})
        return {}

    def identity(self) -> str:
        """The id of this evaluation: it stays the same until more queries are sent."""
        with self.log.path.open("rb") as file:
            return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=12)).hexdigest()

    def resume(self, say: Callable[[str], None]) -> KnownResponses:
        """The known responses. If there is no log, a new one starts.

        If only metrics or conventions have changed, the known responses are scored again. Any other change is an error.
        """
        before, answers = self.log.read()
        if not before:
            if same := self._same_responses():
                return self._rescore(*same, say)
            self._check_no_unfinished_match()
            say("there is nothing to resume, so this evaluation starts from the beginning")
            return self.begin()
        if {**before, EVALUATION: None} == {**self.header, EVALUATION: None}:
            self.log.truncate_damage()
            return answers
        if _without_scoring(before) == _without_scoring(self.header):
            return self._rescore(before, answers, say)
        raise UsageError(f"cannot resume, because the evaluation has changed: {_describe_mismatch(before, self.header)}")

    def _rescore(self, before: Mapping[str, Any], answers: KnownResponses, say: Callable[[str], None]) -> KnownResponses:
        """Start a new log with the responses of an evaluation that was scored differently."""
        changes = "; ".join(describe_changes(before, self.header))
        say(f"{changes}. Stored answers are scored again, so these queries are not sent")
        self.begin()
        appender = self.log.appender()
        try:
            for part, by_query in answers.items():
                appender.append(part, by_query.values())
        finally:
            appender.close()
        return answers

    def _same_responses(self) -> tuple[Mapping[str, Any], KnownResponses] | None:
        """The newest log of the same queries and providers that differs only in how responses are scored."""
        for before, answers in self._other_logs():
            if _without_scoring(before) == _without_scoring(self.header):
                return before, answers
        return None

    def _other_logs(self) -> Iterator[tuple[dict[str, Any], KnownResponses]]:
        """The logs of evaluations that are not named after a plan, the newest first."""
        if self.is_named:
            return
        logs = [path for path in self.log.path.parent.glob("*.log") if not path.name.startswith("plan-")]
        logs.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        yield from (ResponseLog(path).read() for path in logs[:MAX_LOGS_SEARCHED])

    def _check_no_unfinished_match(self) -> None:
        """An error if there is an unfinished evaluation of the same queries and providers, which was probably meant."""
        for before, answers in self._other_logs():
            if _asks_the_same(before, self.header) and not _is_finished(before, answers):
                raise UsageError(
                    f"cannot resume, because the unfinished evaluation differs: {_describe_mismatch(before, self.header)}"
                )


def _describe_mismatch(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed, and what to do."""
    changed = describe_changes(before, now) or ["it was started by another version of assay"]
    more = len(changed) - MAX_DIFFERENCES_LISTED
    differences = "; ".join([*changed[:MAX_DIFFERENCES_LISTED], *([f"and {more} more"] if more > 0 else [])])
    retry = " To retry only the failed queries of a result, add --retry-failed result.json"
    advice = f".{retry}" if has_changed_files(before, now) else ""
    return f"{differences}. To start again, leave out --resume{advice}"


def _without_scoring(header: Mapping[str, Any]) -> dict[str, Any]:
    """A header without what responses do not depend on."""
    plan = {name: value for name, value in header.get("plan", {}).items() if name not in SCORING_KEYS}
    return {**header, "plan": plan, EVALUATION: None}


def _asks_the_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    old, new = before.get("plan", {}), now["plan"]
    is_same_plan = all(old.get(name) == new.get(name) for name in ("benchmarks", "selection"))
    return is_same_plan and all(before.get(name) == now.get(name) for name in ("providers", "again"))


def _is_finished(header: Mapping[str, Any], answers: KnownResponses) -> bool:
    """Whether every query has a response or failed."""
    n_queries: Mapping[str, int] = header.get("queries", {})
    return all(len(answers.get(part, {})) >= n for part, n in n_queries.items())


def find_checkpoint(folder: Path, name: str, header: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint of a plan by its name, or by its content if it has none; each selection has its own."""
    own = digest([header["plan"]["selection"], header.get("again")]) if name else digest(header)
    return Checkpoint(ResponseLog(folder / f"{name}-{own}.log" if name else folder / f"{own}.log"), header, bool(name))


def describe_start(plan: Plan, datasets: Mapping[str, BenchmarkDataset], parts: Sequence[Part]) -> dict[str, Any]:
    """Everything that responses and scores are based on. If any of it changes, they must not be mixed."""
    machine = describe_machine()
    header: dict[str, Any] = {
        "schema": SCHEMA,
        "plan": plan.describe(),
        "providers": [replace(provider, label="").name for provider in plan.providers],
        "datasets": {name: {kind: dataset.fingerprint(kind) for kind in PARTS} for name, dataset in datasets.items()},
        "files": {name: digest_ for part in parts for name, digest_ in part.provider.sources().items()},
        "versions": {"assay": machine["assay"], "python": machine["python"], **machine["packages"]},
        "queries": {key: len(part.queries) for part in parts for key in part.keys},
    }
    return dict(to_json(header))


def digest(content: Any, n_bytes: int = 8) -> str:
    """A short hash of a value as JSON, independent of the order of keys."""
    return hashlib.blake2b(json.dumps(to_json(content), sort_keys=True).encode(), digest_size=n_bytes).hexdigest()


CACHE_PART = "answers"
CACHE_BYTES = 12
"""The length of the hashes in a cache."""


@dataclass(frozen=True)
class ResponseCache:
    """A cache with one file for each combination of provider configuration, documents, depth and versions."""

    folder: Path
    part: Part

    @cached_property
    def _log(self) -> ResponseLog:
        machine = describe_machine()
        content = {
            "provider": self.part.provider.fingerprint,
            "documents": self.part.dataset.fingerprint("documents"),
            "k": self.part.k,
            **({"as_of": str(as_of)} if (as_of := self.part.dataset.as_of) is not None else {}),
            "versions": {"assay": machine["assay"], **machine["packages"]},
        }
        return ResponseLog(self.folder / f"{digest(content, CACHE_BYTES)}.log")

    def known(self) -> dict[str, Response]:
        """Query id → the cached response for the same text and scope."""
        if not self.part.provider.is_repeatable:
            return {}
        try:
            _, parts = self._log.read()
        except OSError:  # a broken cache may cost time, but no response
            return {}
        by_content = parts.get(CACHE_PART, {})
        cached = {query.query_id: by_content.get(_content_key(query)) for query in self.part.queries.values()}
        return {query: _with_query_id(answer, query) for query, answer in cached.items() if answer is not None}

    def store(self, answers: Mapping[str, Response], known: Mapping[str, Response]) -> None:
        """Add new responses; never errors, nor responses from earlier results, whose times are unknown."""
        fresh = [answer for query, answer in answers.items() if query not in known and _is_cacheable(answer)]
        if not fresh or not self.part.provider.is_repeatable:
            return
        with suppress(OSError, DataError), self._log.lock(waits=True):
            if not self._log.path.exists():
                self._log.begin({"provider": self.part.provider.configuration})
            self._log.truncate_damage()
            appender = self._log.appender()
            try:
                appender.append(
                    CACHE_PART, [_with_query_id(answer, _content_key(self.part.queries[answer.query])) for answer in fresh]
                )
            finally:
                appender.close()


def _is_cacheable(answer: Response) -> bool:
    return answer.error is None and not math.isnan(answer.ms)


def _content_key(query: Query) -> str:
    """A hash of what decides the response: the text and the scope, and the time if the query has one."""
    dated = [] if query.time is None else [time_text(query.time)]
    return digest([query.text, query.scope, *dated], CACHE_BYTES)


def _with_query_id(answer: Response, query: str) -> Response:
    own = (answer.docs, answer.scores, answer.ms, answer.error, answer.extra, answer.n_together)
    return Response(query, *own, said=answer.said)


Description = Mapping[str, Any]


def describe_changes(before: Description, now: Description) -> list[str]:
    """A short text for each difference between two descriptions of a start, the user's own choices first."""
    return [
        *_plan_changes(before.get("plan", {}), now.get("plan", {}), before, now),
        *_file_changes(before.get("files", {}), now.get("files", {})),
        *_dataset_changes(before.get("datasets", {}), now.get("datasets", {})),
        *_value_changes(before.get("versions", {}), now.get("versions", {})),
    ]


def has_changed_files(before: Description, now: Description) -> bool:
    """Whether a file of the user has changed."""
    return bool(before.get("files", {}) != now.get("files", {}))


def _plan_changes(old: Description, new: Description, before: Description, now: Description) -> Iterator[str]:
    """Changes in the plan, with providers by name."""
    names = before.get("providers"), now.get("providers")
    if names[0] != names[1]:
        yield _describe_change("providers", *names)
    elif old.get("providers") != new.get("providers"):
        yield "the settings of the providers have changed"
    rest = [{key: value for key, value in description.items() if key != "providers"} for description in (old, new)]
    yield from _value_changes(*rest)


def _file_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield f"{name} is no longer used"
        elif name not in old:
            yield f"{name} was not used before"
        elif old[name] != new[name]:
            yield f"{name} has changed"


def _dataset_changes(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Changed parts of benchmarks that were used before."""
    for name, parts in new.items():
        known = old.get(name, parts)
        changed = [part for part in parts if known.get(part) != parts[part]]
        if changed:
            yield f"the {' and '.join(changed)} of {name} have changed"


def _value_changes(old: Description, new: Description) -> Iterator[str]:
    """Changed values by name; values inside a map by their own name."""
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        are_maps = isinstance(before, Mapping | None) and isinstance(after, Mapping | None)
        if are_maps and before != after:
            yield from _value_changes(before or {}, after or {})
        elif before != after:
            yield _describe_change(str(name), before, after)


def _describe_change(name: str, before: Any, after: Any) -> str:
    """`k was 100 and is now 50`, `metrics were mrr, map and are now mrr`."""
    was, is_now = ("were", "are") if isinstance(before if before is not None else after, list) else ("was", "is")
    return f"{name} {was} {_format_value(before)} and {is_now} now {_format_value(after)}"


def _format_value(value: Any) -> str:
    if value is None or value == []:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(_format_value, value)) if isinstance(value, list) else str(value)


FINISHED_LOGS_TO_KEEP = 3
"""How many finished logs to keep, so that --resume of a recent evaluation does not send its queries again."""


def mark_finished(log: ResponseLog) -> None:
    """Mark a log as finished: neither it nor its backup is needed to resume."""
    with suppress(OSError):
        log.path.with_name(f"{log.path.name}.before").unlink(missing_ok=True)
        _finished_mark(log.path).touch()


def mark_unfinished(log: ResponseLog) -> None:
    """Remove the mark, because queries are sent again."""
    with suppress(OSError):
        _finished_mark(log.path).unlink(missing_ok=True)


def clear_finished(folder: Path, keep: int = FINISHED_LOGS_TO_KEEP) -> tuple[int, int]:
    """Delete finished logs except the newest and those in use; returns the number of logs and bytes deleted."""
    marks = [mark for mark in folder.glob("*.done") if mark.is_file()]
    marks.sort(key=lambda mark: (mark.stat().st_mtime_ns, mark.name), reverse=True)
    n, size = 0, 0
    for mark in marks[keep:]:
        log = mark.with_suffix("")
        with suppress(OSError, AssayError), ResponseLog(log).lock():
            if mark.exists() and log.exists():
                n, size = n + 1, size + log.stat().st_size
                log.unlink()
            mark.unlink(missing_ok=True)
    return n, size


def _finished_mark(log: Path) -> Path:
    return log.with_name(f"{log.name}.done")
