"""JSON, for programs: it renders results and not sections."""

from __future__ import annotations

import math
from typing import Any

from assay.reports.rendering import Renderer
from assay.reports.report import Report
from assay.reports.sections.scores import bands_by_query

FIGURES = ("summary", "tie_bands", "residuals", "per_query", "per_query_bands")
"""Keys of a result that contain scores."""
LONG = ("run", "relevant")
"""Keys that contain a ranking for each query; a line per document would be mostly white space."""


def render_json(report: Report) -> str:
    """The results as JSON. Numbers have all digits unless fewer are requested. Later versions only add keys."""
    from assay.evaluation import SCHEMA
    from assay.reports.json_output import json_text

    results = []
    for result in report.results:
        plain = result.to_dict()
        if result.tie_bands or result.residuals:
            plain.setdefault("per_query_bands", bands_by_query(result))
        for key in FIGURES:
            if key in plain:
                plain[key] = _rounded(plain[key], report.digits)
        results.append(plain)
    return json_text({"schema": SCHEMA, "results": results, **report.more}, LONG)


def _rounded(value: Any, digits: int | None) -> Any:
    """The value, or all values in it, with this many decimals; None if there is no value."""
    if isinstance(value, dict):
        return {name: _rounded(inner, digits) for name, inner in value.items()}
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else value if digits is None else round(value, digits)


JSON = Renderer("json", None, "everything, for programs")
