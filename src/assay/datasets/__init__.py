"""Files, frames and records: how judgments and rankings get in. Importing this teaches Run and Qrels to read them."""

from typing import Any

from assay.datasets import _read_qrels, _read_run  # noqa: F401 (they register themselves as readers)
from assay.datasets._quick import rank_source
from assay.datasets._source import FileSource, as_source

__all__ = ["FileSource", "as_source", "check_dataset", "rank_source"]


def __getattr__(name: str) -> Any:
    """The preflight, which is imported when somebody asks for it."""
    if name != "check_dataset":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from assay.datasets._check import check_dataset

    return check_dataset
