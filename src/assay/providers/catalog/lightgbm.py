"""lightgbm: the documents of a query by a model of LightGBM in a text file."""

from __future__ import annotations

from functools import partial

from assay.providers.loading import import_package
from assay.providers.provider import Provider
from assay.providers.ranking_models import MODEL, LoadedModel, ModelFile, ModelKind, absent_param, model_record


def _load(content: bytes) -> LoadedModel:
    """The model; LightGBM ignores its training parameters when it predicts."""
    package = import_package("lightgbm", "lightgbm", "pip install lightgbm")
    booster = package.Booster(model_str=content.decode())
    return LoadedModel(int(booster.num_feature()), booster.predict)


KIND = ModelKind(
    "lightgbm",
    "lightgbm",
    "a text model of LightGBM (booster.save_model('model.txt'))",
    lambda content: content.startswith((b"tree\n", b"tree\r\n")),
    _load,
)
PROVIDER = Provider(
    "lightgbm",
    "the documents of a query by a model of LightGBM, from its text file",
    partial(ModelFile, KIND),
    params=(MODEL, absent_param("zero")),
    **model_record(KIND),
)
