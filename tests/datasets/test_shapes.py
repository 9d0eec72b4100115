"""Every shape that the documentation shows is read from its sample, as the format that the table names."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.shapes import SHAPES, Shape

from assay import load_dataset
from assay.datasets import all_formats

from ._files import put_all

MAX_LINES = 4
WITHOUT_TEXTS = {"TREC judgments alone", "TREC documents as SGML", "LETOR and SVMlight, for learning to rank"}
WITHOUT_FILES = {"ir_datasets", "parquet"}
"""Formats that have no file of text."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.what)
def test_a_sample_is_read_as_the_table_says(tmp_path: Path, shape: Shape) -> None:
    """Recognised by its content, with at least one query; CQADupStack needs a second forum."""
    files = dict(shape.files)
    if shape.format == "cqadupstack":
        files |= {name.replace("android/", "english/"): text for name, text in files.items()}
    folder = put_all(tmp_path / "data", {name: f"{text}\n" for name, text in files.items()})
    path = folder if len(files) > 1 else folder / next(iter(files))
    source = f"{path}:en" if shape.format == "mteb" else path
    dataset = load_dataset(source, shape.format if shape.by_name else None)
    assert dataset.format == shape.format
    assert dataset.queries
    assert any(query.text for query in dataset.queries.values()) or shape.what in WITHOUT_TEXTS
    assert sum(text.count("\n") + 1 for text in shape.files.values()) <= MAX_LINES


def test_every_format_has_a_shape() -> None:
    """Formats of plug-ins excepted."""
    assert {shape.format for shape in SHAPES} | WITHOUT_FILES == set(all_formats()), (
        "docs/shapes.py has a Shape for each format"
    )
