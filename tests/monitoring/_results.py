"""What the monitoring tests share: results made of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests._results import make_result

from assay import Result


def result(scores: Mapping[str, Sequence[float]], name: str = "bm25", **more: Any) -> Result:
    """A result on the benchmark rag."""
    return make_result(scores, name, **{"benchmark": "rag", **more})
