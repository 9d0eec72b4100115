"""The whole result as JSON: summaries, every query, counts and policy."""

from __future__ import annotations

import json
import re
from typing import Any

from assay.evaluation.saved import SCHEMA
from assay.reports._report import Renderer, Report

CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters that JSON allows as they are, but a terminal does not deserve."""


def render_json(report: Report) -> str:
    """Numbers keep all their digits unless fewer are asked for. Later versions add keys; these stay."""
    results = [result.to_dict() for result in report.results]
    if report.digits is not None:
        for result in results:
            result["summary"] = _rounded(result["summary"], report.digits)
            for kind in {"per_query", "tie_bands", "residuals"} & result.keys():
                result[kind] = {name: _rounded(scores, report.digits) for name, scores in result[kind].items()}
    return written({"schema": SCHEMA, "results": results})


def written(content: dict[str, Any]) -> str:
    """The content as JSON that any terminal can show."""
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    return CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text) + "\n"


def _rounded(scores: dict[str, Any], digits: int) -> dict[str, Any]:
    return {name: round(score, digits) if isinstance(score, float) else score for name, score in scores.items()}


RENDERER = Renderer("json", render_json, "everything, for programs")
