"""Planning: tables of how many queries are needed, and of how many system pairs each metric tells apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparison import Discriminations
from assay.reports.json_output import json_text
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.table import Cell, Column, Table, columns, table_from_rows, table_section
from assay.stats import Design
from assay.text import counted, percent, rounded_up

PLAN_SCHEMA, DISCRIMINATION_SCHEMA = "assay.query_plan/1", "assay.discrimination/1"


@dataclass(frozen=True)
class QueryPlan:
    """The designs of an experiment, and whether their spread is a guess."""

    designs: tuple[Design, ...]
    power: float
    alpha: float
    guess: str = ""
    """Where the spread is from, if it was not given."""


def render_plan(plan: QueryPlan, form: str, style: Style) -> str:
    """The plan as a table, or as JSON or CSV."""
    if form == "json":
        plain = {"schema": PLAN_SCHEMA, "power": plan.power, "alpha": plan.alpha, "guess": plan.guess}
        return json_text({**plain, "designs": [design.to_dict() for design in plan.designs]})
    if form == "csv":
        rows = [design.to_dict() for design in plan.designs]
        return render_sections([table_section(table_from_rows(rows))], form, style)
    return render_sections([table_section(_plan_table(plan))], form, style)


def _plan_table(plan: QueryPlan) -> Table:
    first = plan.designs[0]
    heads: list[str | Column] = ["test", "sd"]
    if first.effect is not None:
        heads.append(Column(f"queries to detect {first.effect:g}"))
    if first.queries is not None and first.effect is not None:
        heads.append(Column(f"chance with {first.queries:,}"))
    if first.queries is not None:
        heads.append(Column(f"smallest difference with {first.queries:,}"))
    rows = tuple(tuple(Cell(text) for text in _plan_row(design)) for design in plan.designs)
    notes = [
        f"A difference is detected if p ≤ {plan.alpha:g}. The plan gives this a chance of {percent(plan.power)}.",
        "sd: standard deviation of the difference of two systems on a query.",
        *([plan.guess] if plan.guess else []),
        "The tests assume differences that are about normal. If few rankings change, you may need more queries.",
    ]
    return Table(columns(*heads), rows, notes=tuple(notes))


def _plan_row(design: Design) -> list[str]:
    row = [_design_name(design), f"{design.sd:.3g}"]
    if design.needed is not None:
        row.append(f"about {rounded_up(design.needed):,}")
    if design.chance is not None:
        row.append(percent(design.chance))
    return [*row, f"{design.detectable:.3f}"] if design.detectable is not None else row


def _design_name(design: Design) -> str:
    pairs = design.systems * (design.systems - 1) // 2
    return {
        "paired_t": "2 systems: paired t",
        "anova": f"{design.systems} systems, any difference: ANOVA",
        "paired_t_corrected": f"{design.systems} systems, one pair: paired t, corrected for {counted(pairs, 'pair')}",
    }[design.test]


def render_discrimination(groups: Sequence[Discriminations], form: str, style: Style) -> str:
    """A table for each benchmark, the metric that tells most pairs apart first."""
    if form == "json":
        return json_text({"schema": DISCRIMINATION_SCHEMA, "groups": [group.to_dict() for group in groups]})
    if form == "csv":
        rows = [
            {"metric": metric.metric, "a": pair.a, "b": pair.b, "difference": pair.difference, "p": pair.p}
            for group in groups
            for metric in group.metrics
            for pair in metric.pairs
        ]
        return render_sections([table_section(table_from_rows(rows))], form, style)
    return render_sections([table_section(_discrimination_table(group)) for group in groups], form, style)


def _discrimination_table(group: Discriminations) -> Table:
    rows = tuple(
        (
            Cell(metric.metric),
            Cell(f"{metric.n_apart:,} of {len(metric.pairs):,}"),
            Cell(percent(metric.share)),
            Cell("–" if math.isnan(metric.smallest_difference) else f"{metric.smallest_difference:.3f}"),
            Cell(f"{metric.median_p:.2f}"),
        )
        for metric in group.metrics
    )
    systems = f"{counted(len(group.systems), 'system')}, {counted(group.n_queries, 'query')}"
    notes = [
        f"A metric tells a pair apart if p ≤ {group.alpha:g} ({group.test}).",
        "A metric that tells more pairs apart is more sensitive on these runs. This does not make it the right metric.",
        *([f"Not tested: {', '.join(group.left_out)}."] if group.left_out else []),
    ]
    heads = columns("metric", Column("pairs told apart"), "share", Column("smallest difference"), Column("median p"))
    return Table(heads, rows, title=f"Discriminative power: {systems}", notes=tuple(notes))
