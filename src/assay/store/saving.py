"""Saving: how `assay eval` saves its results; if the store fails, they are written to a file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError, StoreError
from assay.evaluation import Result
from assay.store.export import Exported, write_export
from assay.store.location import DEFAULT_PATH
from assay.store.store import Store
from assay.store.writing import SHORTEST_DIGEST, EvaluationBundle, bundle_of

UNSAVED_FOLDER = DEFAULT_PATH.parent / "unsaved"


def keep(results: Sequence[Result], plan: Any = None, url: str | Path | None = None) -> str:
    """Save an evaluation and return its id.

    If the store fails, the results are written to a file that can be imported, and the error names the file.
    """
    try:
        with Store.open(url) as store:
            return store.save(results, plan)
    except StoreError as error:
        bundle = bundle_of(results, plan)
        name = bundle.id_of_length(SHORTEST_DIGEST)
        file = _write_rescue_file(name, bundle)
        saved = f"The results are in {file}. To import them: assay results import {file}"
        raise StoreError(f"{error}. {saved if file else 'The results could not be saved elsewhere'}") from error


def _write_rescue_file(name: str, bundle: EvaluationBundle) -> Path | None:
    """A file with the evaluation, next to the default store or among temporary files; None if neither can be written."""
    for folder in (UNSAVED_FOLDER, Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{name}.jsonl.zst"
            write_export(file, [Exported(name, bundle)])
        except (OSError, DataError):
            continue
        return file
    return None
