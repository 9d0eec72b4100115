"""Registration: assay among the providers of ir_measures, and the metric that a measure stands for."""

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
    """Assay as a provider: `provider().calc_aggregate(measures, qrels, run)`, `.iter_calc`, `.calc`, `.evaluator`."""
    try:
        import ir_measures  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("assay can only be a provider of ir_measures where that is: pip install ir-measures") from None
    from assay.compat.ir_measures.evaluator import AssayProvider

    return AssayProvider()  # type: ignore[no-untyped-call, unused-ignore]


def register() -> AssayProvider:
    """Put assay first among the providers that ir_measures asks by default; a second time changes nothing."""
    ours = provider()
    import ir_measures

    ir_measures.providers.registry[ours.NAME] = ours
    asked = ir_measures.DefaultPipeline.providers
    if ours not in asked:
        asked.insert(0, ours)
    return ours


def metric_of(measure: Any) -> BoundMetric:
    """The metric of a measure object such as `nDCG@10`, or of how it is written; what assay lacks is an UnknownName."""
    return parse_metric(mark_written(measure))
