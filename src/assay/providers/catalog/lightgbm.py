"""lightgbm: the documents of a query by a model of LightGBM in a text file."""

from __future__ import annotations

from functools import partial

from assay.errors import DataError
from assay.providers.loading import import_package
from assay.providers.models.lightgbm_text import TREE, check_text, text_without_sizes
from assay.providers.provider import Provider
from assay.providers.ranking_models import MODEL, LoadedModel, ModelFile, ModelKind, absent_param, model_record
from assay.text import counted


def _load(content: bytes) -> LoadedModel:
    """The model; LightGBM ignores its training parameters when it predicts."""
    package = import_package("lightgbm", "lightgbm", "pip install lightgbm")
    text = text_without_sizes(content)
    try:
        booster = package.Booster(model_str=text)
    except package.basic.LightGBMError as error:
        raise DataError(str(error)) from None
    n_trees = len(TREE.findall(text))
    if booster.num_trees() != n_trees:
        raise DataError(f"expected {counted(n_trees, 'tree')}, but LightGBM reads {booster.num_trees()}")
    return LoadedModel(int(booster.num_feature()), booster.predict)


KIND = ModelKind(
    "lightgbm",
    "lightgbm",
    "a text model of LightGBM (booster.save_model('model.txt'))",
    lambda content: content.startswith((b"tree\n", b"tree\r\n")),
    check_text,
    _load,
)
PROVIDER = Provider(
    "lightgbm",
    "the documents of a query by a model of LightGBM, from its text file",
    partial(ModelFile, KIND),
    params=(MODEL, absent_param("zero")),
    **model_record(KIND),
)
