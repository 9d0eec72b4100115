"""Checkpoints: the log that an evaluation writes, found again by its plan; the cache of responses; finished logs."""

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
from assay.model import Query
from assay.serialize import to_json

MAX_DIFFERENCES_LISTED = 5
"""Differences that a message shows."""
MAX_LOGS_SEARCHED = 50
"""Logs that are looked at for one that may have been meant."""

EVALUATION = "evaluation"
"""The evaluation that a log or a result is of, in the header of the one and the provenance of the other."""

KnownResponses = dict[str, dict[str, Response]]
"""Part → query → answer."""


@dataclass(frozen=True)
class Checkpoint:
    """Where answers are kept, and what they are answers to."""

    log: ResponseLog
    header: Mapping[str, Any]
    is_named: bool
    """Whether it goes by the name of a plan; else by its content."""

    def begin(self) -> KnownResponses:
        """Start afresh: nothing is known. The header gets a name that no other evaluation has."""
        self.log.begin({**self.header, EVALUATION: secrets.token_hex(8)})
        return {}

    def identity(self) -> str:
        """What this evaluation is known by: the same until something more is asked."""
        with self.log.path.open("rb") as file:
            return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=12)).hexdigest()

    def resume(self, say: Callable[[str], None]) -> KnownResponses:
        """What is known already. What was begun differently is refused; where nothing was begun, it starts."""
        before, answers = self.log.read()
        if not before:
            self._check_no_unfinished_match()
            say("there is nothing to go on from; this evaluation starts afresh")
            return self.begin()
        if {**before, EVALUATION: None} != {**self.header, EVALUATION: None}:
            raise UsageError(f"this is not what was begun: {_describe_mismatch(before, self.header)}")
        self.log.truncate_damage()
        return answers

    def _check_no_unfinished_match(self) -> None:
        """An unfinished evaluation of the same queries by the same providers was probably meant."""
        if self.is_named:
            return
        logs = [path for path in self.log.path.parent.glob("*.log") if not path.name.startswith("plan-")]
        logs.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in logs[:MAX_LOGS_SEARCHED]:
            before, answers = ResponseLog(path).read()
            if _asks_the_same(before, self.header) and not _is_finished(before, answers):
                raise UsageError(
                    f"what was begun and not finished is another one: {_describe_mismatch(before, self.header)}"
                )


def _describe_mismatch(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed, and what can be done."""
    changed = describe_changes(before, now) or ["it was begun by another version of assay"]
    more = len(changed) - MAX_DIFFERENCES_LISTED
    differences = "; ".join([*changed[:MAX_DIFFERENCES_LISTED], *([f"and {more} more"] if more > 0 else [])])
    advice = (
        ", and --retry-failed result.json asks only what failed in that result" if has_changed_files(before, now) else ""
    )
    return f"{differences}. Without --resume it starts afresh{advice}"


def _asks_the_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    old, new = before.get("plan", {}), now["plan"]
    is_same_plan = all(old.get(name) == new.get(name) for name in ("benchmarks", "selection"))
    return is_same_plan and all(before.get(name) == now.get(name) for name in ("providers", "again"))


def _is_finished(header: Mapping[str, Any], answers: KnownResponses) -> bool:
    """Whether every query was answered, or failed."""
    n_queries: Mapping[str, int] = header.get("queries", {})
    return all(len(answers.get(part, {})) >= n for part, n in n_queries.items())


def find_checkpoint(folder: Path, name: str, header: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint of a plan under its name, or by its content where it has none; another one for each selection."""
    own = digest([header["plan"]["selection"], header.get("again")]) if name else digest(header)
    return Checkpoint(ResponseLog(folder / f"{name}-{own}.log" if name else folder / f"{own}.log"), header, bool(name))


def describe_start(plan: Plan, datasets: Mapping[str, BenchmarkDataset], parts: Sequence[Part]) -> dict[str, Any]:
    """All that answers and scores rest on; if any of it changes, they are not to be mixed."""
    machine = describe_machine()
    header: dict[str, Any] = {
        "schema": SCHEMA,
        "plan": plan.describe(),
        "providers": [replace(provider, label="").name for provider in plan.providers],
        "datasets": {name: {kind: dataset.fingerprint(kind) for kind in PARTS} for name, dataset in datasets.items()},
        "files": {name: digest_ for part in parts for name, digest_ in part.provider.sources().items()},
        "versions": {"assay": machine["assay"], "python": machine["python"], **machine["packages"]},
        "queries": {part.key: len(part.queries) for part in parts},
    }
    return dict(to_json(header))


def digest(content: Any, n_bytes: int = 8) -> str:
    """A short hash of a value as JSON, whatever the order of names in it."""
    return hashlib.blake2b(json.dumps(to_json(content), sort_keys=True).encode(), digest_size=n_bytes).hexdigest()


CACHE_PART = "answers"
CACHE_BYTES = 12
"""Of the digests that a cache goes by."""


@dataclass(frozen=True)
class ResponseCache:
    """One file for each provider's configuration, set of documents, depth and version of what computes it."""

    folder: Path
    part: Part

    @cached_property
    def _log(self) -> ResponseLog:
        machine = describe_machine()
        content = {
            "provider": self.part.provider.fingerprint,
            "documents": self.part.dataset.fingerprint("documents"),
            "k": self.part.k,
            "versions": {"assay": machine["assay"], **machine["packages"]},
        }
        return ResponseLog(self.folder / f"{digest(content, CACHE_BYTES)}.log")

    def known(self) -> dict[str, Response]:
        """Query id → the answer that the same words got before."""
        if not self.part.provider.is_repeatable:
            return {}
        try:
            _, parts = self._log.read()
        except OSError:  # a cache costs time, never an answer
            return {}
        by_content = parts.get(CACHE_PART, {})
        cached = {query.query_id: by_content.get(_content_key(query)) for query in self.part.queries.values()}
        return {query: _with_query_id(answer, query) for query, answer in cached.items() if answer is not None}

    def store(self, answers: Mapping[str, Response], known: Mapping[str, Response]) -> None:
        """Add what was answered now; errors are never kept, nor what a result of before says, whose time nobody knows."""
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
    """What decides the answer: the words, and where to look."""
    return digest([query.text, query.scope], CACHE_BYTES)


def _with_query_id(answer: Response, query: str) -> Response:
    own = (answer.docs, answer.scores, answer.ms, answer.error, answer.extra, answer.n_together)
    return Response(query, *own, said=answer.said)


Description = Mapping[str, Any]


def describe_changes(before: Description, now: Description) -> list[str]:
    """A few words for each difference between two descriptions of a start, what people decide themselves first."""
    return [
        *_plan_changes(before.get("plan", {}), now.get("plan", {}), before, now),
        *_file_changes(before.get("files", {}), now.get("files", {})),
        *_dataset_changes(before.get("datasets", {}), now.get("datasets", {})),
        *_value_changes(before.get("versions", {}), now.get("versions", {})),
    ]


def has_changed_files(before: Description, now: Description) -> bool:
    """Whether a file of the user's own has changed."""
    return bool(before.get("files", {}) != now.get("files", {}))


def _plan_changes(old: Description, new: Description, before: Description, now: Description) -> Iterator[str]:
    """What the plan says, providers by their names."""
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
            yield f"{name} is not used any more"
        elif name not in old:
            yield f"{name} was not used before"
        elif old[name] != new[name]:
            yield f"{name} has changed since"


def _dataset_changes(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Parts of benchmarks that were there before."""
    for name, parts in new.items():
        known = old.get(name, parts)
        changed = [part for part in parts if known.get(part) != parts[part]]
        if changed:
            yield f"the {' and '.join(changed)} of {name} have changed since"


def _value_changes(old: Description, new: Description) -> Iterator[str]:
    """Values under their names; those inside a map under their own."""
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        are_maps = isinstance(before, Mapping | None) and isinstance(after, Mapping | None)
        if are_maps and before != after:
            yield from _value_changes(before or {}, after or {})
        elif before != after:
            yield _describe_change(str(name), before, after)


def _describe_change(name: str, before: Any, after: Any) -> str:
    """`k was 100, is 50`, `metrics were mrr and map, are mrr`."""
    was, is_now = ("were", "are") if isinstance(before if before is not None else after, list) else ("was", "is")
    return f"{name} {was} {_format_value(before)}, {is_now} {_format_value(after)}"


def _format_value(value: Any) -> str:
    if value is None or value == []:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(_format_value, value)) if isinstance(value, list) else str(value)


FINISHED_LOGS_TO_KEEP = 3
"""Complete logs that stay, so that --resume of what was just evaluated need not ask again."""


def mark_finished(log: ResponseLog) -> None:
    """Note that nothing is left to ask: the log is no longer needed to go on, nor is the one of before."""
    with suppress(OSError):
        log.path.with_name(f"{log.path.name}.before").unlink(missing_ok=True)
        _finished_mark(log.path).touch()


def mark_unfinished(log: ResponseLog) -> None:
    """Take the note back: something is asked again."""
    with suppress(OSError):
        _finished_mark(log.path).unlink(missing_ok=True)


def clear_finished(folder: Path, keep: int = FINISHED_LOGS_TO_KEEP) -> tuple[int, int]:
    """Delete complete logs but for the newest; how many went, and how many bytes. One that is being written stays."""
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
