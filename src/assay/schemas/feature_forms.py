"""The form of feature importances."""

from __future__ import annotations

import msgspec

from assay.learning_to_rank import Importance
from assay.schemas.comparison_forms import How
from assay.schemas.written_form import written_form

ImportanceForm = written_form("Importance", Importance)


class FeaturesFile(msgspec.Struct):
    """How much a model depends on each feature."""

    schema: str
    benchmark: str
    model: str
    metric: str
    method: str
    repeats: int
    seed: int
    value: float | None
    n_queries: int
    settings: How
    features: list[ImportanceForm]  # type: ignore[valid-type]
    notes: list[str]
