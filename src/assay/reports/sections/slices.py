"""Slices and rankings: figures by the tags of queries, how alike systems rank, and which results cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.comparison import (
    UNKNOWN,
    Figures,
    Pair,
    Part,
    RankAgreement,
    SliceComparison,
    Sliced,
    WorstSlice,
    WorstSlices,
    n_counted,
)
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import Slice
from assay.reports.sections.verdicts import BETTER, WORSE, mark, p_short
from assay.reports.table import Cell, Column, Mark, Notes, Section, Table, cells, columns, table_section
from assay.text import some_of

MACRO, MICRO, VARIANCE = "macro mean", "micro mean", "variance"
SLICES_MEANING = f"{MACRO}: every slice counts the same; {MICRO}: every query does; {VARIANCE}: of the slices' figures."
MEANING_APART = f"{MACRO}: every slice counts the same, and languages are not mixed; {VARIANCE}: of the slices' figures."
MORE_DIGITS = 2
"""Decimals that a variance has more than what it is the variance of."""


def slice_sections(sliced: Sliced, figures: Figures) -> list[Section]:
    """One table for one system, its metrics as columns; else one for each metric, the systems as columns.

    One slice that holds every query needs no table: its figures are those that stand above.
    """
    if len(sliced.parts) == 1:
        return [Section(parts=(Notes((_one_slice(sliced),)),))]
    notes = (*_untagged(sliced), MEANING_APART if sliced.is_multilingual else SLICES_MEANING)
    if len(sliced.systems) == 1:
        of_metrics = [_column(sliced, metric, 0, figures) for metric in sliced.metrics]
        heads = [metric.name for metric in sliced.metrics]
        return [table_section(_table(sliced, heads, of_metrics, f"{sliced.systems[0]} by {sliced.head}", notes))]
    sections = []
    for metric in sliced.metrics:
        of_systems = [_column(sliced, metric, place, figures) for place in range(len(sliced.systems))]
        below = notes if metric is sliced.metrics[-1] else ()
        table = _table(sliced, list(sliced.systems), of_systems, f"{metric.name} by {sliced.head}", below)
        sections.append(table_section(table))
    return sections


def _one_slice(sliced: Sliced) -> str:
    (part,) = sliced.parts
    where = f"one slice, {part.slice.value}, holds every query ({part.slice.n:,})"
    return f"by {sliced.head}: {where}, so its figures are those over all queries."


def _untagged(sliced: Sliced) -> Iterator[str]:
    n = sum(part.slice.n for part in sliced.parts if not part.slice.is_tagged)
    if n:
        whose = "lacks" if n == 1 else "lack"
        yield f"{n:,} {'query' if n == 1 else 'queries'} {whose} the tag, and the {MACRO} and the {VARIANCE} leave them out."


def _table(sliced: Sliced, heads: list[str], of_columns: list[list[Cell]], title: str, notes: tuple[str, ...]) -> Table:
    total = sum(part.slice.n for part in sliced.parts)
    names = [(part.slice.value, f"{part.slice.n:,}") for part in sliced.parts]
    if sliced.languages:
        names += [(f"{language} {what}", "") for language in sliced.languages for what in (MACRO, VARIANCE)]
    else:
        names += [(MACRO, ""), (MICRO, f"{total:,}"), (VARIANCE, "")]
    rows = [
        (Cell(name), Cell(n), *(column[place] for column in of_columns))
        for place, (name, n) in enumerate(names)
        if any(column[place].text for column in of_columns)
    ]
    return Table(columns(sliced.head, "queries", *heads), tuple(rows), title=title, notes=notes)


def _column(sliced: Sliced, metric: BoundMetric, place: int, figures: Figures) -> list[Cell]:
    """The figures of one system: a slice each, then macro and micro mean and variance. Totals have no such means.

    Where a tag is crossed with several languages, each language has a mean and a variance of its own.
    """
    of_slices = [_cell(part, metric, place, figures) for part in sliced.parts]
    if sliced.languages:
        return [
            *of_slices,
            *(cell for language in sliced.languages for cell in _of_language(sliced, metric, place, language, figures)),
        ]
    if metric.metric.aggregation.is_total:
        return [*of_slices, Cell(""), Cell(figures.value(metric, sliced.whole[place][metric.name])), Cell("")]
    system = sliced.systems[place]
    means = [figures.value(metric, of(metric.name, system)) for of in (sliced.macro, sliced.micro)]
    means[1] = "" if sliced.is_multilingual else f"{means[1]}{_resting_on(sliced.whole[place], metric)}"
    return [*of_slices, *map(Cell, means), _variance(sliced.variance(metric.name, system), figures)]


def _of_language(sliced: Sliced, metric: BoundMetric, place: int, language: str, figures: Figures) -> list[Cell]:
    """The macro mean and the variance within one language; nothing where figures are totals."""
    if metric.metric.aggregation.is_total:
        return [Cell(""), Cell("")]
    system = sliced.systems[place]
    mean = figures.value(metric, sliced.macro(metric.name, system, language))
    return [Cell(mean), _variance(sliced.variance(metric.name, system, language), figures)]


def _variance(value: float, figures: Figures) -> Cell:
    digits = (3 if figures.digits is None else figures.digits) + MORE_DIGITS
    return Cell(UNKNOWN if math.isnan(value) else f"{value:.{digits}f}")


def _cell(part: Part, metric: BoundMetric, place: int, figures: Figures) -> Cell:
    result = part.results[place]
    interval = result.intervals.get(metric.name)
    text = figures.value(metric, result[metric.name])
    if interval is not None and math.isfinite(interval.low):
        text += f" [{figures.value(metric, interval.low)}, {figures.value(metric, interval.high)}]"
    best = Mark.BEST if place in _best(part.results, metric) else Mark.NONE
    return Cell(f"{text}{_resting_on(result, metric)}", mark=best)


def _resting_on(result: Result, metric: BoundMetric) -> str:
    """How many queries a figure rests on, where those are not all there are."""
    n = n_counted(result, metric) if metric.metric.aggregation.summarise else len(result.query_ids)
    return f" (of {n:,})" if 0 < n < len(result.query_ids) else ""


def _best(results: Sequence[Result], metric: BoundMetric) -> set[int]:
    """The systems with the best figure in a slice; none where all are equal."""
    values = {number: result[metric.name] for number, result in enumerate(results)}
    known = {number: value for number, value in values.items() if not math.isnan(value)}
    if len(set(known.values())) < 2 or metric.metric.aggregation.is_total:
        return set()
    target = (max if metric.metric.higher_is_better else min)(known.values())
    return {number for number, value in known.items() if value == target}


def slice_comparison_sections(comparison: SliceComparison, figures: Figures) -> Iterator[Section]:
    """A table for each metric and pair of systems; the last one says what they come down to."""
    if not comparison.parts:
        return
    metrics = comparison.parts[0].metrics
    tables = [(metric, pairs) for metric in metrics for pairs in comparison.by_pair(metric.name)]
    for number, (metric, pairs) in enumerate(tables):
        title = f"{metric.name}: {pairs[0].b} against {pairs[0].a}, by slice"
        rows = [_compared_row(part, pair, metric, figures) for part, pair in zip(comparison.slices, pairs, strict=True)]
        heads = _compared_columns(pairs[0].a, pairs[0].b, comparison.how.level)
        notes = (comparison.verdict, *comparison.remarks) if number == len(tables) - 1 else ()
        yield table_section(Table(heads, tuple(rows), title=title, notes=notes))


def _compared_columns(first: str, second: str, level: float) -> tuple[Column, ...]:
    """Narrow terminals do without the first figures, which follow from the difference, then without the interval.

    Names of slices are better left whole: only then can they be told apart.
    """
    spare = (Column(first, spare=1), Column(second, kind="verdict"), Column("Δ"))
    return columns("slice", "n", *spare, Column(f"{100 * level:g} % CI of Δ", spare=2), "p")


def _compared_row(part: Slice, pair: Pair, metric: BoundMetric, figures: Figures) -> tuple[Cell, ...]:
    sign = mark(pair)
    return (
        Cell(part.label),
        Cell(f"{pair.n:,}"),
        Cell(figures.value(metric, pair.value_a), mark=Mark.BEST if sign == WORSE else Mark.NONE),
        Cell(figures.value(metric, pair.value_b), mark=Mark.BEST if sign == BETTER else Mark.NONE, sign=sign),
        Cell(figures.change(metric, pair.difference)),
        Cell(figures.interval(metric, pair)),
        Cell(p_short(pair.p_corrected)),
    )


def worst_slices_sections(worst: WorstSlices, figures: Figures) -> Iterator[Section]:
    """A table for each system, the worst slices first; a sign marks those that are shown to be worse."""
    what = f"worse than {worst.against}" if worst.against else "worse than elsewhere"
    heads = _compared_columns(worst.against or "elsewhere", "value", worst.level)
    for system in worst.systems:
        rows = tuple(_worst_row(part, worst.metric, figures) for part in worst.found if part.system == system)
        notes = (worst.verdict,) if system == worst.systems[-1] else ()
        title = f"{system}: slices that are {what} on {worst.metric.name}"
        if rows or notes:
            yield table_section(Table(heads, rows, title=title if rows else "", notes=notes))


def _worst_row(part: WorstSlice, metric: BoundMetric, figures: Figures) -> tuple[Cell, ...]:
    return (
        Cell(part.label),
        Cell(f"{part.n:,}"),
        Cell(figures.value(metric, part.other)),
        Cell(figures.value(metric, part.value), sign=WORSE if part.is_significant else ""),
        Cell(figures.change(metric, part.difference)),
        Cell(f"{figures.change(metric, part.low)} … {figures.change(metric, part.high)}"),
        Cell(p_short(part.p_corrected)),
    )


AGREEMENT_MEANING = (
    "tau, tau_ap: 1 the same order, -1 the reverse, tau_ap with more weight at the top; "
    "rbo, overlap: share of documents in common, rbo with more weight at the top."
)


def agreement_sections(agreements: Sequence[RankAgreement], digits: int | None = None) -> list[Section]:
    """How alike systems rank, mean over queries."""
    return [table_section(_means(agreements, digits))] if agreements else []


def _means(agreements: Sequence[RankAgreement], digits: int | None) -> Table:
    first = agreements[0]
    has_moved = any(agreement.moved is not None for agreement in agreements)
    rows = [
        cells(
            f"{agreement.a} → {agreement.b}",
            *(_figure(value, digits) for value in agreement.means.values()),
            *([_count(agreement.n_gained), _count(agreement.n_lost)] if has_moved else []),
        )
        for agreement in agreements
    ]
    moved = f" gained, lost: relevant documents that came into the first {first.k}, or left them." if has_moved else ""
    heads = columns("rankings", *first.means, *(["gained", "lost"] if has_moved else []))
    notes = (f"{AGREEMENT_MEANING}{moved}", *_least_alike(agreements))
    return Table(heads, tuple(rows), title="agreement of rankings, mean over queries", notes=notes)


def _least_alike(agreements: Sequence[RankAgreement]) -> list[str]:
    if len(agreements) > 1 or len(agreements[0].agreement.query_ids) < 2:
        return []
    return [f"Least alike: {some_of(agreements[0].least(6))}."]


def _figure(value: float, digits: int | None) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.{3 if digits is None else digits}f}"


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def notes_side_by_side(results: Sequence[Result]) -> Iterator[str]:
    """A sentence for each result that cannot be compared with the first one."""
    for other in results[1:]:
        names = f"{results[0].name} and {other.name}"
        if set(other.query_ids) != set(results[0].query_ids):
            yield f"{names} are not about the same queries: their figures cannot be compared."
        elif _truth(other) != _truth(results[0]):
            yield f"{names} are held against different truths: their figures cannot be compared."


def _truth(result: Result) -> str | None:
    return result.fingerprints.get("judgments")
