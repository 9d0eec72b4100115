"""The whole result as JSON: summaries, every query, counts and policy."""

from __future__ import annotations

import json
import math
import re
import secrets
from collections.abc import Collection
from typing import Any

from assay.evaluation import SCHEMA
from assay.reports._bands import bands_by_query
from assay.reports._report import Renderer, Report

CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters that JSON allows as they are, but a terminal does not deserve."""


FIGURES = ("summary", "tie_bands", "residuals", "per_query", "per_query_bands")
"""Keys of a result under which there are scores."""
LONG = ("run", "relevant")
"""Keys under which each query has a ranking: a line for each document would be more blanks than content."""


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
    return written({"schema": SCHEMA, "results": results, **report.more}, LONG)


def written(content: dict[str, Any], long: Collection[str] = ()) -> str:
    """The content as JSON that any terminal can show. Of results, what is under the keys in `long` has a line per query."""
    lines: list[str] = []
    mark = secrets.token_hex(16)

    def one_line(value: Any) -> str:
        lines.append(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return f"{mark}{len(lines) - 1}"

    if long:
        shortened = [
            {
                key: {query: one_line(one) for query, one in value.items()} if key in long else value
                for key, value in result.items()
            }
            for result in content["results"]
        ]
        content = {**content, "results": shortened}
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    text = re.sub(rf'"{mark}(\d+)"', lambda found: lines[int(found[1])], text)
    return CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text) + "\n"


def _rounded(value: Any, digits: int | None) -> Any:
    """The value, or all values in it, with that many decimals; None where there is no figure."""
    if isinstance(value, dict):
        return {name: _rounded(inner, digits) for name, inner in value.items()}
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else value if digits is None else round(value, digits)


RENDERER = Renderer("json", render_json, "everything, for programs")
