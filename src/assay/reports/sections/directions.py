"""Directions: both directions of an image–caption set side by side, with the sum that cross-modal papers report."""

from __future__ import annotations

from collections.abc import Sequence

from assay.comparison import Figures
from assay.evaluation import Result
from assay.reports.table import Column, Section, Table, number, table_section, words
from assay.text import printable

DIRECTIONS = ("text_to_image", "image_to_text")
SUMMED = "rsum"
"""The metric that is added over the directions."""
TITLE = "Both directions"
COLUMNS = (*(Column(name, kind="text") for name in ("benchmark", "provider")), *map(Column, (*DIRECTIONS, SUMMED)))
LEAD = "rsum is the sum of hit@1, hit@5 and hit@10 of both directions, in per cent. The largest value is 600."


def direction_sections(results: Sequence[Result]) -> tuple[Section, ...]:
    """The rsum of each provider in both directions and their sum; nothing unless a provider has both."""
    by_name: dict[tuple[str, str], dict[str, Result]] = {}
    for result in results:
        name, _, direction = result.benchmark.rpartition(":")
        if direction in DIRECTIONS and SUMMED in result.summary and not result.is_total_failure:
            by_name.setdefault((name, result.name), {})[direction] = result
    rows = []
    for (name, provider), both in by_name.items():
        if len(both) == len(DIRECTIONS):
            values = [both[direction].summary[SUMMED] for direction in DIRECTIONS]
            metric = next(metric for metric in both[DIRECTIONS[0]].metrics if metric.name == SUMMED)
            cells = [number(Figures().value(metric, value), value) for value in (*values, sum(values))]
            rows.append((words(printable(name)), words(printable(provider)), *cells))
    return (table_section(Table(COLUMNS, tuple(rows), TITLE, title=TITLE, notes=(LEAD,))),) if rows else ()
