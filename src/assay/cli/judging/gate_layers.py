"""Gates with judgment layers: what a gate does not trust, and what it cannot decide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.cli.judging.layers import LAYERS, MODEL_ALONE, PEOPLE
from assay.errors import DataError, UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.monitoring import GateReport


def refuse_model_alone(results: Iterable[Result]) -> None:
    """Raise if a result was computed with the grades of a model alone, which no gate should trust."""
    for result in results:
        layer = (result.provenance.get("judgments") or {}).get("layer", PEOPLE)
        if layer not in LAYERS:
            raise UsageError(f"{result.name} is computed with the layer {layer}: {MODEL_ALONE}")


def check_decidable(now: Sequence[Result], before: Sequence[Result], metrics: Iterable[str]) -> None:
    """Raise if rankings changed, but no judged document tells an estimate from that of the baseline.

    The estimated difference has no interval then.
    """
    names = list(dict.fromkeys(metrics))
    baseline = {(result.benchmark, result.name): result for result in before}
    for result in now:
        other = baseline.get((result.benchmark, result.name))
        for name in names if other is not None else ():
            if _is_blind(result, other, name):  # type: ignore[arg-type]
                raise DataError(
                    f"too few judged documents tell {result.name} from the baseline on {name}, although the rankings "
                    "differ, so the gate cannot decide. Draw a pool of both systems and judge more pairs"
                )


def check_values(report: GateReport, results: Iterable[Result]) -> None:
    """Raise if a rule needs the value of a system, but the pool allows only the difference of two systems."""
    alone = {
        (result.benchmark, result.name, name)
        for result in results
        for name, column in result.table.columns.items()
        if column.is_difference
    }
    for verdict in report.verdicts:
        metric = verdict.rule.metric.name if verdict.rule.metric else ""
        finding, about = verdict.finding, (verdict.benchmark, verdict.provider, metric)
        if about in alone and math.isnan(finding.value) and math.isnan(finding.difference):
            raise DataError(
                f"`{verdict.rule.text}` needs a value, but the pool was drawn for the difference of two systems, so values "
                f"are unknown. Write a rule about a change with a baseline, such as '{metric} drops <= 0.01', or draw "
                "a pool with spread"
            )


def _is_blind(now: Result, before: Result, name: str) -> bool:
    """Whether rankings differ, but fewer than two queries have judged documents that tell them apart."""
    from assay.stats import estimated_difference

    columns = [result.table.columns.get(name) for result in (now, before)]
    if any(column is None or not column.is_estimate for column in columns):
        return False
    if estimated_difference(*columns).n > 1 or now.table.query_ids != before.table.query_ids:  # type: ignore[arg-type]
        return False
    bound = next(metric for metric in now.metrics if metric.name == name)
    k, kind = bound.params.get("k"), set if bound.metric.name == "precision" else list  # others depend on the order
    tops = [{query: kind(list(result.run[query])[:k]) for query in result.run} for result in (now, before)]
    return tops[0] != tops[1]


def estimate_notes(results: Iterable[Result]) -> tuple[str, ...]:
    """What estimates are based on, each sentence once; a sentence about one system names it."""
    about = [result for result in results if any(column.is_estimate for column in result.table.columns.values())]
    notes = [(result.name, note) for result in about for note in result.notes]
    return tuple(dict.fromkeys(f"{name}: {note}" if "could not be drawn" in note else note for name, note in notes))
