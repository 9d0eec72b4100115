"""conduct: carry out a plan; every part of it, from the queries to the result, with a log to go on from."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.datasets._dataset import PARTS, BenchmarkDataset
from assay.datasets._format import load_dataset
from assay.errors import AssayError, NothingSelected, ProviderError, UsageError
from assay.evaluation.answer_cache import AnswerCache
from assay.evaluation.answers import SCHEMA, Answer, AnswerLog, Appender
from assay.evaluation.asking import Patience, describe
from assay.evaluation.plan import Plan
from assay.evaluation.provenance import differences, now
from assay.evaluation.result import Result
from assay.evaluation.runner import Part, Progress, gather, own_provider, provenance, score_part
from assay.evaluation.selection import Selection
from assay.evaluation.setting import Setting, settings_of
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metrics
from assay.model.policy import Policy
from assay.model.profile import OWN

HOME = Path(".assay")
"""Where logs and caches are kept, below the working folder."""


@dataclass(frozen=True)
class Conduct:
    """How a plan is carried out."""

    resume: bool = False
    home: Path = HOME
    name: str = ""
    """What the plan is known by; by default its content."""
    watch: Callable[[Progress], None] = lambda _: None
    only_failed: Mapping[tuple[str, str], frozenset[str]] | None = None
    """Benchmark and provider → queries, where only those that failed before are asked again."""


def carry_out(plan: Plan, conduct: Conduct) -> list[Result]:
    """One result per benchmark and provider, in the order of the plan; an error where no provider answered anything."""
    datasets = {name: _load(name, plan) for name in plan.benchmarks}
    parts = _parts(datasets.values(), plan, conduct)
    header = _header(plan, datasets, conduct)
    name = f"{conduct.name}{'-retry' if conduct.only_failed is not None else ''}" if conduct.name else _digest(header)
    _keep_out_of_repositories(conduct.home)
    log = AnswerLog(conduct.home / "runs" / f"{name}.log")
    known = _known(log, header, resume=conduct.resume)
    appender = log.appender()
    try:
        results = [
            _result(part, plan, known.get(part.key, {}), appender, conduct, is_only=len(parts) == 1) for part in parts
        ]
    finally:
        appender.close()
    if all(map(is_total_failure, results)):
        raise ProviderError(_total_failure(parts[0], results[0].failures))
    return results


def _keep_out_of_repositories(home: Path) -> None:
    """What is kept here is nobody's to commit, and must not make a clean repository look changed."""
    mark = home / ".gitignore"
    with suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            mark.write_text("*\n", encoding="utf-8")


def is_total_failure(result: Result) -> bool:
    """Whether a provider failed on every query it was asked."""
    return bool(result.failures) and not result.run


def _load(name: str, plan: Plan) -> BenchmarkDataset:
    dataset = load_dataset(name)
    if plan.is_graded:
        return dataset
    binary = {
        query: {doc: float(grade > 0) if grade >= 0 else grade for doc, grade in judged.items()}
        for query, judged in dataset.qrels.items()
    }
    return replace(dataset, qrels=binary, _fingerprints={})


def _header(plan: Plan, datasets: Mapping[str, BenchmarkDataset], conduct: Conduct) -> dict[str, Any]:
    prints = {name: {part: dataset.fingerprint(part) for part in PARTS} for name, dataset in datasets.items()}
    header = {"plan": plan.describe(), "datasets": prints}
    if conduct.only_failed is not None:
        header["only"] = {"/".join(names): sorted(queries) for names, queries in conduct.only_failed.items()}
    return header


def _digest(header: Mapping[str, Any]) -> str:
    content = json.dumps(header, sort_keys=True, default=str)
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _known(log: AnswerLog, header: dict[str, Any], *, resume: bool) -> dict[str, dict[str, Answer]]:
    """Answers of a run that was cut short; none, and a new log, where this one starts afresh."""
    if resume:
        before, answers = log.read()
        if before:
            changed = differences(before, {"schema": SCHEMA, **json.loads(json.dumps(header, default=str))})
            if changed:
                raise UsageError(f"this is not what was begun: {'; '.join(changed[:5])}. Without --resume it starts afresh")
            log.mend()
            return answers
    log.begin(header)
    return {}


def _parts(datasets: Iterable[BenchmarkDataset], plan: Plan, conduct: Conduct) -> list[Part]:
    parts: list[Part] = []
    for number, (dataset, provider) in enumerate(itertools.product(datasets, plan.providers)):
        chosen = plan.selection.apply(dataset.queries)
        if conduct.only_failed is not None:
            failed = conduct.only_failed.get((dataset.name, provider.name), frozenset())
            if not failed:
                continue
            chosen = Selection(only=failed).apply(chosen)
        cache = str(conduct.home / "embeddings") if plan.cache else ""
        parts.append(Part(dataset, provider, chosen, plan.k, plan.patience, plan.batch_size, number, cache))
    if not parts:
        raise NothingSelected("no query to ask again: none failed there with these benchmarks and providers")
    return parts


def _result(
    part: Part, plan: Plan, known: Mapping[str, Answer], log: Appender, conduct: Conduct, *, is_only: bool
) -> Result:
    """A provider that cannot be started fails on every query, so that the others get their turn."""
    began, start = now(), time.perf_counter()
    progress = Progress(part.name, len(part.queries), watch=conduct.watch)
    cache = AnswerCache(conduct.home / "answers", part) if plan.cache else None
    kept = cache.known() if cache else {}
    try:
        answers = gather(part, {**kept, **known}, log, progress)
    except AssayError as error:
        if is_only:
            raise
        before = {query: answer for query, answer in {**kept, **known}.items() if answer.error is None}
        answers = {query: before.get(query) or Answer(query, error=describe(error)) for query in part.queries}
        progress.add([answer for answer in answers.values() if answer.error is not None])
    if cache:
        cache.keep(answers, kept)
    asked = time.perf_counter()
    settings = [*settings_of(plan.metrics, plan.profile), *_beside(plan)]
    result = score_part(part, answers, settings, plan.profile, plan.relevance)
    seconds = {"asking": asked - start, "scoring": time.perf_counter() - asked}
    return replace(result, provenance={**provenance(part, progress, answers, began, seconds), **_asked_for(plan)})


def _asked_for(plan: Plan) -> dict[str, Any]:
    """What was asked for, as provenance has it."""
    return {
        "metrics": [metric.name for metric in plan.metrics],
        "policy": plan.profile.policy.to_dict(),
        "selection": plan.selection.to_dict(),
        "seed": plan.selection.seed,
    }


def _beside(plan: Plan) -> list[Setting]:
    """What stands beside the metrics asked for: how much was judged, and how long it took."""
    asked = {metric.name for metric in plan.metrics}
    beside = [metric for metric in parse_metrics(["judged@10", "latency_p95"]) if metric.name not in asked]
    return [Setting(metric, metric, plan.profile.policy, is_beside=True) for metric in beside]


def _total_failure(part: Part, failures: Mapping[str, str]) -> str:
    query, reason = next(iter(failures.items()))
    return f"{part.name}: every query failed; {query}: {reason}"


def run(
    dataset: BenchmarkDataset | str,
    retriever: Any,
    metrics: str | Iterable[str | BoundMetric] | None = None,
    *,
    k: int | None = None,
    policy: Policy | None = None,
    name: str = "",
) -> Result:
    """Put a benchmark's queries to a retriever of your own (`index(documents)`, `search(queries, k)`), and score it."""
    wanted = parse_metrics(metrics)
    chosen = load_dataset(dataset)
    depth = k or max([100, *(metric.params.get("k") or 0 for metric in wanted)])
    profile = OWN if policy is None else replace(OWN, policy=policy)
    part = Part(chosen, own_provider(retriever, name), chosen.queries, depth, Patience(timeout=math.inf))
    plan = Plan((chosen.name,), (part.provider,), tuple(wanted), depth, profile=profile)
    began, start = now(), time.perf_counter()
    progress = Progress(part.name, len(part.queries))
    answers = gather(part, {}, None, progress)
    result = score_part(part, answers, settings_of(wanted, profile), profile, plan.relevance)
    if is_total_failure(result):
        raise ProviderError(_total_failure(part, result.failures))
    seconds = {"total": time.perf_counter() - start}
    return replace(result, provenance={**provenance(part, progress, answers, began, seconds), **_asked_for(plan)})
