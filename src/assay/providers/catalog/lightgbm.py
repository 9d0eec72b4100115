"""lightgbm: the documents of a query by a model of LightGBM in a text file."""

from __future__ import annotations

import re
from functools import partial

from assay.errors import DataError
from assay.providers.loading import import_package
from assay.providers.provider import Provider
from assay.providers.ranking_models import MODEL, LoadedModel, ModelFile, ModelKind, absent_param, model_record
from assay.text import counted

SIZES = re.compile(r"^tree_sizes=(.*)\n", re.MULTILINE)
"""The line with the length of each tree in bytes."""
TREE = re.compile(r"^Tree=\d+$", re.MULTILINE)
END = "\nend of trees\n"


def _load(content: bytes) -> LoadedModel:
    """The model; LightGBM ignores its training parameters when it predicts."""
    package = import_package("lightgbm", "lightgbm", "pip install lightgbm")
    try:
        booster = package.Booster(model_str=_complete_text(content))
    except package.basic.LightGBMError as error:
        raise DataError(str(error)) from None
    return LoadedModel(int(booster.num_feature()), booster.predict)


def _complete_text(content: bytes) -> str:
    """The text of a model without the lengths of its trees; a DataError if trees are missing.

    LightGBM reads the trees in parallel if it has their lengths, and ends the process if a length is wrong, which is so
    in every file with the line ends of Windows. Without lengths, it reads the trees one by one and raises an error.
    """
    text = content.decode().replace("\r\n", "\n")
    sizes, trees = SIZES.search(text), TREE.findall(text)
    if END not in text:
        raise DataError(f"the end of the file is missing (after {counted(len(trees), 'tree')})")
    if sizes and len(sizes[1].split()) != len(trees):
        raise DataError(f"expected {counted(len(sizes[1].split()), 'tree')}, found {len(trees)}")
    return SIZES.sub("", text)


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
