"""The form of what `assay judge` prints."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.judges import DryRun, Totals, Ungraded
from assay.schemas.store_forms import JudgmentForm
from assay.schemas.written_form import written_form

TotalsForm = written_form("Totals", Totals)
DryRunForm = written_form("DryRun", DryRun)
UngradedForm = written_form("Ungraded", Ungraded)


class JudgingFile(msgspec.Struct):
    """The grades of a judge for a pool, the pairs without a grade, the requests, and what would be sent."""

    schema: str
    is_sent: bool
    judge: str
    settings: dict[str, Any]
    judgments: list[JudgmentForm]  # type: ignore[valid-type]
    ungraded: list[UngradedForm]  # type: ignore[valid-type]
    n_unasked: int
    n_cached: int
    ledger: TotalsForm  # type: ignore[valid-type]
    total: TotalsForm  # type: ignore[valid-type]
    dry_run: DryRunForm  # type: ignore[valid-type]
    notes: list[str]
