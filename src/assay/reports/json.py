"""The whole result as JSON: summaries, every query, counts and policy."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from assay.evaluation.saved import SCHEMA
from assay.reports._bands import bands_by_query
from assay.reports._report import Renderer, Report

CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters that JSON allows as they are, but a terminal does not deserve."""


FIGURES = ("summary", "tie_bands", "residuals", "per_query", "per_query_bands")
"""Keys of a result under which there are scores."""


def render_json(report: Report) -> str:
    """Numbers keep all their digits unless fewer are asked for. Later versions add keys; these stay."""
    results = []
    for result in report.results:
        plain = result.to_dict()
        if result.tie_bands or result.residuals:
            plain.setdefault("per_query_bands", bands_by_query(result))
        for key in FIGURES:
            if key in plain:
                plain[key] = _rounded(plain[key], report.digits)
        results.append(plain)
    return written({"schema": SCHEMA, "results": results, **report.more})


def written(content: dict[str, Any]) -> str:
    """The content as JSON that any terminal can show."""
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    return CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text) + "\n"


def _rounded(value: Any, digits: int | None) -> Any:
    """The value, or all values in it, with that many decimals; None where there is no figure."""
    if isinstance(value, dict):
        return {name: _rounded(inner, digits) for name, inner in value.items()}
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else value if digits is None else round(value, digits)


RENDERER = Renderer("json", render_json, "everything, for programs")
