"""Bundling: results and the plan they come from, made ready for the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from assay.errors import BadParameter, UsageError
from assay.evaluation import Result
from assay.execution import Plan
from assay.store.moments import now, parse_timestamp
from assay.store.parcel import to_stored
from assay.store.payload import pack_json
from assay.store.writing import EvaluationBundle
from assay.text import shortened


def bundle_of(results: Result | Iterable[Result], plan: Any = None, started: str | None = None) -> EvaluationBundle:
    """An evaluation, everything slow done."""
    every = [results] if isinstance(results, Result) else list(results) if isinstance(results, Iterable) else [results]
    if wrong := [one for one in every if not isinstance(one, Result)]:
        raise BadParameter(f"only results are saved, as assay.run and assay.evaluate give them, not {shortened(wrong[0])}")
    parcels = tuple(map(to_stored, every))
    if not parcels:
        raise UsageError("there is no result to save")
    described = describe_plan(plan)
    if started is not None:
        moment = parse_timestamp(started)
        if moment is None:
            raise BadParameter(f"started is a time such as 2026-11-15T09:30:00+00:00, not {started!r}")
        described["started"] = moment
    bundle = EvaluationBundle(pack_json(described), parcels, now())
    bundle.prepare()
    return bundle


def describe_plan(plan: Any) -> dict[str, Any]:
    """A plan as plain values: what it says about answers and scores, and how they are shown."""
    if plan is None:
        return {}
    if isinstance(plan, Plan):
        return {**plan.describe(), "statistics": asdict(plan.statistics), "by": list(plan.by)}
    if isinstance(plan, Mapping):
        return dict(plan)
    raise BadParameter(f"a plan is a Plan or a mapping, not a {type(plan).__name__}")
