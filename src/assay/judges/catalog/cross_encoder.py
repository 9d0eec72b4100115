"""cross_encoder: a model of sentence-transformers that reads query and document together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import ProviderError
from assay.extras import install_command
from assay.grammar import REQUIRED, Param, cutoff, numbers
from assay.judges.definition import Judge
from assay.judges.grades import PairGrade
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.providers import check_installed, describe_library_error, import_package

INSTALL = install_command("sentence-transformers")
PACKAGE = "sentence_transformers"


def ascending(text: str) -> tuple[float, ...]:
    """Numbers, the smallest first."""
    values = numbers(text)
    if list(values) != sorted(set(values)):
        raise ValueError("numbers, the smallest first, such as [0.2, 0.5, 0.8]")
    return values


class CrossEncoderJudge:
    """The grade is the number of thresholds that the score of the model reaches."""

    def __init__(self, model: str, thresholds: tuple[float, ...], max_chars: int) -> None:
        package = import_package("cross_encoder", PACKAGE, INSTALL)
        try:
            self._model: Any = package.CrossEncoder(model)
        except Exception as error:
            raise ProviderError(f"cross_encoder: cannot load the model {model!r}: {error}") from error
        self._name, self._thresholds, self._max_chars = model, thresholds, max_chars

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """A grade for each pair. Nothing leaves this machine."""
        texts = [(pair.query_text, pair.document_text[: self._max_chars]) for pair in pairs]
        with describe_library_error("cross_encoder"):
            scores = self._model.predict(texts, show_progress_bar=False)
        return [self._graded(float(score)) for score in scores]

    def _graded(self, score: float) -> PairGrade:
        if not math.isfinite(score):
            return PairGrade(None, f"the score is {score}", model=self._name)
        grade = sum(score >= threshold for threshold in self._thresholds)
        return PairGrade(float(grade), reason=f"score {score:.4g}", model=self._name)


def settings_of(model: str, thresholds: tuple[float, ...], max_chars: int) -> Mapping[str, Any]:
    """Everything that a grade depends on."""
    return {"model": model, "thresholds": list(thresholds), "max_chars": max_chars}


CROSS_ENCODER = Judge(
    "cross_encoder",
    "a cross-encoder of sentence-transformers on this machine; thresholds turn its scores into grades",
    CrossEncoderJudge,
    params=(
        Param("model", str, REQUIRED, "name or folder of a sentence-transformers cross-encoder"),
        Param("thresholds", ascending, (0.5,), "scores from which the grades 1, 2, … are given, the smallest first"),
        Param("max_chars", cutoff, 12_000, "characters of a document that the model gets; the rest is cut off"),
    ),
    batch=32,
    settings=settings_of,
    check=lambda model, **_: check_installed(f"cross_encoder(model='{model}')", PACKAGE, INSTALL),
    model=lambda model, **_: str(model),
)
