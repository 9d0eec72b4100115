"""Registration: assay among the providers of ir_measures."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.compat.ir_measures._provider import AssayProvider


@cache
def provider() -> AssayProvider:
    """Assay as a provider: `provider().calc_aggregate(measures, qrels, run)`, `.iter_calc`, `.calc`, `.evaluator`."""
    try:
        import ir_measures  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("assay can only be a provider of ir_measures where that is: pip install ir-measures") from None
    from assay.compat.ir_measures._provider import AssayProvider

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
