"""xgboost: the documents of a query by a model of XGBoost in a JSON or UBJSON file."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from assay.errors import DataError
from assay.grammar import Param, one_of
from assay.model import Features
from assay.providers.loading import import_package
from assay.providers.models.xgboost_json import check_forest
from assay.providers.provider import Provider
from assay.providers.ranking_models import MODEL, LoadedModel, ModelFile, ModelKind, absent_param, model_record
from assay.text import counted

PLACE = re.compile(r"^\[[\d:]+\] \S+:\d+: ")
"""The time and the place in XGBoost's own source at the start of its errors."""


def _load(content: bytes, trees: str) -> LoadedModel:
    """The model. If its training was stopped early, `best` uses its trees up to the best round."""
    package = import_package("xgboost", "xgboost", "pip install xgboost")
    booster = package.Booster()
    try:
        booster.load_model(bytearray(content))
    except package.core.XGBoostError as error:
        raise DataError(PLACE.sub("", str(error).partition("\n")[0])) from None
    best = booster.attributes().get("best_iteration") if trees == "best" else None
    if best is not None and not (best.isdecimal() and int(best) < booster.num_boosted_rounds()):
        n_rounds = counted(booster.num_boosted_rounds(), "round")
        raise DataError(f"best_iteration is {best}, but the model has {n_rounds}. trees=all uses them all")
    rounds = (0, int(best) + 1) if best is not None else (0, 0)

    def predict(values: Features) -> Any:
        return booster.predict(package.DMatrix(values), validate_features=False, iteration_range=rounds)

    return LoadedModel(int(booster.num_features()), predict)


KIND = ModelKind(
    "xgboost",
    "xgboost",
    "a JSON or UBJSON model of XGBoost (booster.save_model('model.json'))",
    lambda content: content.startswith(b"{") and b"learner" in content[:1000],
    check_forest,
    _load,
)
PROVIDER = Provider(
    "xgboost",
    "the documents of a query by a model of XGBoost, from its JSON file",
    partial(ModelFile, KIND),
    params=(
        MODEL,
        absent_param("missing"),
        Param(
            "trees",
            one_of("best", "all"),
            "best",
            "the trees that are used if training was stopped early: up to the best round, as XGBRanker does, or all, as "
            "Booster.predict does",
        ),
    ),
    **model_record(KIND),
)
