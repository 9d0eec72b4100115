"""Files, frames and records: how judgments and rankings get in. Importing this teaches Run and Qrels to read them."""

from assay.datasets import _read_qrels, _read_run  # noqa: F401 (they register themselves as readers)
from assay.datasets._quick import rank_source
from assay.datasets._source import FileSource, as_source

__all__ = ["FileSource", "as_source", "rank_source"]
