"""The forms of A/B tests and of interleaving."""

from __future__ import annotations

import msgspec

from assay.experiments import InterleavingOutcome, SampleRatio, Variant, VariantDifference
from assay.schemas.written_form import written_form

DifferenceForm = written_form("VariantDifference", VariantDifference, "draws", is_significant=bool | None, better=str | None)
SampleRatioForm = written_form("SampleRatio", SampleRatio, is_mismatch=bool)
VariantForm = written_form("Variant", Variant)
InterleavingFile = written_form("InterleavingFile", InterleavingOutcome, "wins", schema=str, better=str | None, verdict=str)


class ExperimentSettings(msgspec.Struct):
    """How variants were compared."""

    control: str | None
    split: dict[str, float] | None
    start: str | None
    sequential: bool
    window: float | None
    alpha: float
    correction: str
    correct_metrics: bool


class ExperimentFile(msgspec.Struct):
    """An A/B test."""

    schema: str
    name: str
    control: str
    unit: str
    variants: list[VariantForm]  # type: ignore[valid-type]
    sample_ratio: SampleRatioForm  # type: ignore[valid-type]
    how: ExperimentSettings
    differences: list[DifferenceForm]  # type: ignore[valid-type]
    verdict: str
    withheld: str
    notes: list[str]
