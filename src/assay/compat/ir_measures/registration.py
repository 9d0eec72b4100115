"""Registration: assay as a provider of ir_measures, and the metric of a measure."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.grammar import mark_written
from assay.metrics import BoundMetric, parse_metric

if TYPE_CHECKING:
    from assay.compat.ir_measures.evaluator import AssayProvider


@cache
def provider() -> AssayProvider:
    """A provider of ir_measures: `provider().calc_aggregate(measures, qrels, run)`, `.iter_calc`, `.calc`, `.evaluator`."""
    try:
        import ir_measures  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("this needs the package ir-measures: pip install ir-measures") from None
    from assay.compat.ir_measures.evaluator import AssayProvider

    return AssayProvider()  # type: ignore[no-untyped-call, unused-ignore]


def register() -> AssayProvider:
    """Make assay the first default provider of ir_measures. A second call changes nothing."""
    ours = provider()
    import ir_measures

    ir_measures.providers.registry[ours.NAME] = ours
    asked = ir_measures.DefaultPipeline.providers
    if ours not in asked:
        asked.insert(0, ours)
    return ours


def metric_of(measure: Any) -> BoundMetric:
    """The metric of a measure object such as `nDCG@10`, or of its name; UnknownName if assay does not have it."""
    return parse_metric(mark_written(measure))
