"""sklearn: the documents of a query by a model in Python code with the methods of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.grammar import REQUIRED, Param
from assay.model import Features, FeatureTable
from assay.providers.feature_scores import BY_FEATURES, FeatureScorer
from assay.providers.loading import describe_library_error, files_of, parse_function
from assay.providers.objects import check_object, load_object
from assay.providers.provider import Provider
from assay.providers.ranking_models import FeaturesForModel, absent_param

METHODS = ("predict_proba", "decision_function", "predict")
"""The methods that a model may have; the first one that exists is called."""
WHAT = "model"


class FittedModel(FeatureScorer):
    """Scores documents with an object: by the expected class of a classifier, otherwise by its predictions."""

    def __init__(self, model: str, absent: str) -> None:
        super().__init__()
        self._name = model
        self._model = load_object(model, METHODS, WHAT)
        self._shape, self._n_skipped = FeaturesForModel(f"sklearn:{model}", absent), 0

    def set_features(self, features: FeatureTable) -> None:
        """Set the features; an error if the model was fitted on another number of features."""
        n_needed = getattr(self._model, "n_features_in_", None)
        self._n_skipped = self._shape.n_skipped(features, None if n_needed is None else int(n_needed))
        super().set_features(features)

    def score(self, values: Features) -> Floats:
        """The scores of the model."""
        with describe_library_error(self._name):
            return np.asarray(_predictions(self._model, self._shape.arranged(values, self._n_skipped)), dtype=np.float64)


def _predictions(model: Any, values: Features) -> Any:
    """The expected class if the model has probabilities of numeric classes; otherwise its decisions or predictions."""
    classes = np.asarray(getattr(model, "classes_", ()))
    are_grades = classes.ndim == 1 and len(classes) > 0 and classes.dtype.kind in "fiu"
    if are_grades and callable(getattr(model, "predict_proba", None)):
        return np.asarray(model.predict_proba(values)) @ classes.astype(np.float64)
    if callable(getattr(model, "decision_function", None)):
        return model.decision_function(values)
    return model.predict(values)


PROVIDER = Provider(
    "sklearn",
    "the documents of a query by a model in Python code with predict, such as one of scikit-learn",
    FittedModel,
    params=(
        Param("model", parse_function, REQUIRED, "module:name of a fitted model, or of a function that returns it"),
        absent_param("zero"),
    ),
    short_for="model",
    check=lambda model, **_: check_object(model, METHODS, WHAT),
    sources=lambda model, **_: files_of(model),
    **{**BY_FEATURES, "is_repeatable": False},
)
