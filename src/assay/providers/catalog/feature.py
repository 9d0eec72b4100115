"""feature: the documents of a query by one feature, as a baseline for learning to rank."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError
from assay.grammar import REQUIRED, Param, one_of
from assay.model import Features, FeatureTable
from assay.providers.feature_scores import BY_FEATURES, FeatureScorer
from assay.providers.provider import Provider, whole_number
from assay.providers.retriever import PermanentFailure


class SingleFeature(FeatureScorer):
    """Scores documents by the value of a feature. An absent feature is 0."""

    def __init__(self, number: int, order: str) -> None:
        super().__init__()
        self._number, self._sign, self._column = number, -1.0 if order == "asc" else 1.0, 0

    def set_features(self, features: FeatureTable) -> None:
        """Find the column of the feature; an error if there is none."""
        try:
            self._column = features.column(self._number)
        except DataError as error:
            raise PermanentFailure(f"feature({self._number}): {error.what}") from None
        super().set_features(features)

    def score(self, values: Features) -> Floats:
        """The values of the feature, negated for an ascending order."""
        own = np.nan_to_num(values[:, self._column].astype(np.float64), nan=0.0)
        return own if self._sign > 0 else 0.0 - own


PROVIDER = Provider(
    "feature",
    "the documents of a query by one feature, a baseline for learning to rank",
    SingleFeature,
    params=(
        Param("number", whole_number, REQUIRED, "number of the feature, as in the file"),
        Param("order", one_of("desc", "asc"), "desc", "desc: the highest value first; asc: the lowest value first"),
    ),
    first_value="number",
    **BY_FEATURES,
)
