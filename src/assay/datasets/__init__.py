"""Files, frames and records: how judgments and rankings get in. Importing this teaches Run and Qrels to read them."""

from assay.datasets._quick import grade_source
from assay.datasets._read_qrels import ROLES as _QRELS_ROLES  # noqa: F401 (registers the readers)
from assay.datasets._read_run import ROLES as _RUN_ROLES  # noqa: F401
from assay.datasets._source import FileSource, as_source

__all__ = ["FileSource", "as_source", "grade_source"]
