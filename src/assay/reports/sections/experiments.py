"""Experiments: the verdict of an A/B test or of interleaving, the users, and the differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.comparison import UNKNOWN, Figures
from assay.evaluation import Result
from assay.experiments import (
    BETTING,
    CUPED,
    ESTIMATION_METHODS,
    TESTS,
    Experiment,
    InterleavingOutcome,
    VariantDifference,
    outcome_of,
)
from assay.reports.json_output import json_text
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.sections.verdicts import BETTER, WORSE, p_short
from assay.reports.table import (
    Cell,
    Mark,
    Notes,
    Paragraph,
    Section,
    Table,
    cells,
    columns,
    figure,
    number,
    table_from_rows,
    table_section,
)
from assay.text import counted, percent, plural, with_minus


def render_experiment(
    experiment: Experiment, form: str = "table", style: Style | None = None, digits: int | None = None
) -> str:
    """An A/B test in one format. CSV has a row for each difference."""
    if form == "json":
        return json_text(experiment.to_dict())
    if form == "csv":
        rows = [each.to_dict() for each in experiment.differences]
        return render_sections([table_section(table_from_rows(rows, digits=digits))], form, style)
    return render_sections(tuple(experiment_sections(experiment, Figures(digits))), form, style)


def experiment_sections(experiment: Experiment, figures: Figures | None = None) -> Iterator[Section]:
    """The verdict, the variants, the differences, and notes."""
    figures = figures or Figures()
    mark = Mark.FAILED if experiment.withheld else Mark.NONE
    yield Section(title=experiment.name, parts=(Paragraph(experiment.verdict, mark=mark),))
    yield table_section(_variants(experiment))
    yield table_section(_differences(experiment, figures))
    if experiment.notes:
        yield Section(parts=(Notes(experiment.notes),))


def _variants(experiment: Experiment) -> Table:
    """How many users each variant has, and how many it should have."""
    ratio, total = experiment.ratio, sum(variant.users for variant in experiment.variants)
    rows = [
        (
            Cell(variant.name),
            Cell(f"{variant.users:,}", variant.users),
            number(percent(variant.users / total, 1), variant.users / total),
            number(percent(ratio.expected[variant.name], 1), ratio.expected[variant.name]),
            Cell(f"{variant.searches:,}", variant.searches),
        )
        for variant in experiment.variants
    ]
    check = "The numbers of {} {} the expected shares (chi-squared test, p {})."
    fits = "do not fit" if ratio.is_mismatch else "fit"
    note = check.format(plural(experiment.unit), fits, "< 0.001" if ratio.p < 0.001 else f"= {ratio.p:.3f}")
    return Table(columns("variant", plural(experiment.unit), "share", "expected", "searches"), tuple(rows), notes=(note,))


def _differences(experiment: Experiment, figures: Figures) -> Table:
    """One row for each metric and variant."""
    level = f"{100 * experiment.how.level:g} % CI"
    heads = columns("metric", "variant", experiment.control, "value", "difference", level, "change", "p", n_words=2)
    rows = tuple(_row(experiment, each, figures) for each in experiment.differences)
    used = dict.fromkeys(each.method for each in experiment.differences)
    notes = [f"Intervals: {'; '.join(ESTIMATION_METHODS[name] for name in used)}."]
    if len(experiment.deciding) < len(experiment.differences):
        notes.append(f"{experiment.metrics[0].name} decides.")
    signs = [f"{BETTER} better"] * any(each.better == each.b for each in experiment.differences)
    signs += [f"{WORSE} worse"] * any(each.better == each.a for each in experiment.differences)
    if signs:
        corrected = " after correction" if experiment.n_comparisons > 1 else ""
        notes.append(f"{', '.join(signs)}: p ≤ {experiment.how.alpha:g}{corrected}.")
    return Table(heads, rows, notes=(" ".join(notes),))


def _row(experiment: Experiment, each: VariantDifference, figures: Figures) -> tuple[Cell, ...]:
    metric = experiment.metric(each.metric)
    sign = "" if each.better is None else BETTER if each.better == each.b else WORSE
    mark = {BETTER: Mark.BETTER, WORSE: Mark.WORSE}.get(sign, Mark.NONE)
    ends = UNKNOWN if math.isnan(each.low) else f"{figures.change(metric, each.low)} … {figures.change(metric, each.high)}"
    relative = UNKNOWN if math.isnan(each.relative) else with_minus(f"{100 * each.relative:+.1f} %")
    return (
        Cell(each.metric),
        Cell(each.b),
        number(figures.value(metric, each.value_a), each.value_a),
        number(figures.value(metric, each.value_b), each.value_b),
        figure(figures.change(metric, each.difference), each.difference, each.low, each.high, sign=sign, mark=mark),
        Cell(ends),
        number(relative, each.relative),
        number(p_short(each.p_corrected if each.is_in_family else math.nan), each.p_corrected),
    )


def render_interleaving(outcome: InterleavingOutcome, form: str = "table", style: Style | None = None) -> str:
    """The outcome of interleaving in one format."""
    if form == "json":
        return json_text(outcome.to_dict())
    if form == "csv":
        return render_sections([table_section(table_from_rows([outcome.to_dict()]))], form, style)
    return render_sections(tuple(interleaving_sections(outcome)), form, style)


def interleaving_sections(outcome: InterleavingOutcome) -> Iterator[Section]:
    """The verdict, then the searches and users that each ranking won."""
    mark = Mark.FAILED if outcome.withheld else Mark.NONE
    yield Section(title=outcome.name, parts=(Paragraph(outcome.verdict, mark=mark),))
    tied = outcome.clicked_users - outcome.prefer_a - outcome.prefer_b
    rows = (
        cells("searches won", *(_number(value) for value in (outcome.wins_a, outcome.wins_b, outcome.ties))),
        cells(f"{plural(outcome.unit)} who prefer it", *(f"{n:,}" for n in (outcome.prefer_a, outcome.prefer_b, tied))),
    )
    unclicked = outcome.searches - outcome.clicked
    note = (
        f"{counted(outcome.clicked, 'search')} with a click by {counted(outcome.clicked_users, outcome.unit)}; "
        f"{counted(unclicked, 'search')} without a click do not count. Test: {TESTS[outcome.test]}."
    )
    yield table_section(Table(columns("", outcome.a, outcome.b, "tie"), rows, notes=(note,)))


def _number(value: float) -> str:
    """A number of searches; the probabilistic method counts parts of searches."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.1f}"


def outcome_sections(results: Sequence[Result], form: str = "table") -> tuple[Section, ...]:
    """The outcome of the experiment that results belong to, once; nothing for other results."""
    for result in results:
        outcome = outcome_of(result)
        if isinstance(outcome, Experiment):
            return _anchored(experiment_sections(outcome), form)
        if outcome is not None:
            return _anchored(interleaving_sections(outcome), form)
    return ()


PLAIN_VALUES = {
    CUPED: "These values are not adjusted for the period before the experiment.",
    BETTING: "These are values over all searches. The experiment compares means over users.",
}
"""How the estimates of an experiment were made → why the values of its variants differ from them."""


def with_note_on_plain_values(table: Table, results: Sequence[Result]) -> Table:
    """The table of the values of variants, with a note if the experiment adjusted them."""
    outcome = outcome_of(results[0])
    if not isinstance(outcome, Experiment):
        return table
    methods = dict.fromkeys(each.method for each in outcome.differences)
    return replace(table, notes=(*table.notes, *(PLAIN_VALUES[name] for name in methods if name in PLAIN_VALUES)))


def _anchored(sections: Iterable[Section], form: str) -> tuple[Section, ...]:
    """For a page, one section with a title, without the verdict, which the page begins with; other formats as they are."""
    verdict, *others = sections
    if form != "html":
        return (verdict, *others)
    return (Section("experiment", "Experiment", tuple(part for section in others for part in section.parts)),)
