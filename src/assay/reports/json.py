"""The whole result as JSON: summaries, every query, counts and policy."""

from __future__ import annotations

import json

from assay.reports._report import Renderer, Report

SCHEMA = "assay.result/1"


def render_json(report: Report) -> str:
    """Numbers keep all their digits. Later versions add keys; these stay."""
    content = {"schema": SCHEMA, "results": [result.to_dict() for result in report.results]}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


RENDERER = Renderer("json", render_json, "everything, for programs")
