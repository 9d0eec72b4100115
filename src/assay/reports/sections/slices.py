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
from assay.reports.markup import Sheet, csv_from_rows, json_text, render_sheets
from assay.reports.sections.comparison import BETTER, WORSE, mark, p_short
from assay.reports.table import Cell, Table
from assay.reports.text_layout import Style, needed_width
from assay.text import printable, some_of

MACRO, MICRO, VARIANCE = "macro mean", "micro mean", "variance"
SLICES_MEANING = f"{MACRO}: every slice counts the same; {MICRO}: every query does; {VARIANCE}: of the slices' figures."
MEANING_APART = f"{MACRO}: every slice counts the same, and languages are not mixed; {VARIANCE}: of the slices' figures."
SPARE, INTERVAL = 2, 5
"""Columns of comparisons that narrow terminals do without."""
MORE_DIGITS = 2
"""Decimals that a variance has more than what it is the variance of."""


def render_slices(results: Sequence[Sliced], form: str, style: Style, digits: int | None = None) -> str:
    """Every system's figures in every slice."""
    if form == "json":
        return json_text({"schema": "assay.slices/1", "slices": [sliced.to_dict() for sliced in results]})
    if form == "csv":
        return csv_from_rows([row for sliced in results for row in sliced.rows()])
    return render_sheets([sheet for sliced in results for sheet in slice_sheets(sliced, Figures(digits))], form, style)


def _fitting(table: Table, width: int | None) -> Table:
    """The table, where it does not fit without the figures that follow from the difference, then without the interval.

    Names of slices are better left whole: only then can they be told apart.
    """
    for spare in (SPARE, INTERVAL - 1):
        if not width or needed_width(table) <= width:
            return table
        columns = [number for number in range(len(table.head)) if number != spare]
        table = Table(
            [table.head[number] for number in columns], [[row[number] for number in columns] for row in table.rows]
        )
    return table


def slice_sheets(sliced: Sliced, figures: Figures) -> list[Sheet]:
    """One table for one system, its metrics as columns; else one for each metric, the systems as columns.

    One slice that holds every query needs no table: its figures are those that stand above.
    """
    if len(sliced.parts) == 1:
        return [Sheet("", Table([], []), (_one_slice(sliced),))]
    notes = (*_untagged(sliced), MEANING_APART if sliced.is_multilingual else SLICES_MEANING)
    if len(sliced.systems) == 1:
        columns = [_column(sliced, metric, 0, figures) for metric in sliced.metrics]
        heads = [metric.name for metric in sliced.metrics]
        return [Sheet(f"{sliced.systems[0]} by {sliced.head}", _table(sliced, heads, columns), notes)]
    sheets = []
    for metric in sliced.metrics:
        columns = [_column(sliced, metric, place, figures) for place in range(len(sliced.systems))]
        table = _table(sliced, list(map(printable, sliced.systems)), columns)
        sheets.append(Sheet(f"{metric.name} by {sliced.head}", table, notes if metric is sliced.metrics[-1] else ()))
    return sheets


def _one_slice(sliced: Sliced) -> str:
    (part,) = sliced.parts
    where = f"one slice, {part.slice.value}, holds every query ({part.slice.n:,})"
    return f"by {sliced.head}: {where}, so its figures are those over all queries."


def _untagged(sliced: Sliced) -> Iterator[str]:
    n = sum(part.slice.n for part in sliced.parts if not part.slice.is_tagged)
    if n:
        whose = "lacks" if n == 1 else "lack"
        yield f"{n:,} {'query' if n == 1 else 'queries'} {whose} the tag, and the {MACRO} and the {VARIANCE} leave them out."


def _table(sliced: Sliced, heads: list[str], columns: list[list[Cell]]) -> Table:
    total = sum(part.slice.n for part in sliced.parts)
    names = [(printable(part.slice.value), f"{part.slice.n:,}") for part in sliced.parts]
    if sliced.languages:
        names += [(f"{language} {what}", "") for language in map(printable, sliced.languages) for what in (MACRO, VARIANCE)]
    else:
        names += [(MACRO, ""), (MICRO, f"{total:,}"), (VARIANCE, "")]
    rows = [
        [Cell(name), Cell(n), *(column[place] for column in columns)]
        for place, (name, n) in enumerate(names)
        if any(column[place].text for column in columns)
    ]
    return Table([printable(sliced.head), "queries", *heads], rows)


def _column(sliced: Sliced, metric: BoundMetric, place: int, figures: Figures) -> list[Cell]:
    """The figures of one system: a slice each, then macro and micro mean and variance. Totals have no such means.

    Where a tag is crossed with several languages, each language has a mean and a variance of its own.
    """
    cells = [_cell(part, metric, place, figures) for part in sliced.parts]
    if sliced.languages:
        return [
            *cells,
            *(cell for language in sliced.languages for cell in _of_language(sliced, metric, place, language, figures)),
        ]
    if metric.metric.aggregation.is_total:
        return [*cells, Cell(""), Cell(figures.value(metric, sliced.whole[place][metric.name])), Cell("")]
    system = sliced.systems[place]
    means = [figures.value(metric, of(metric.name, system)) for of in (sliced.macro, sliced.micro)]
    means[1] = "" if sliced.is_multilingual else f"{means[1]}{_resting_on(sliced.whole[place], metric)}"
    return [*cells, *map(Cell, means), _variance(sliced.variance(metric.name, system), figures)]


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
    return Cell(f"{text}{_resting_on(result, metric)}", place in _best(part.results, metric))


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


def slice_comparison_sheets(comparison: SliceComparison, figures: Figures, width: int | None = None) -> Iterator[Sheet]:
    """A table for each metric and pair of systems; the last one says what they come down to.

    Where the terminal is narrow, the figures of the first system are left out, which follow from the difference.
    """
    if not comparison.parts:
        return
    metrics = comparison.parts[0].metrics
    tables = [(metric, pairs) for metric in metrics for pairs in comparison.by_pair(metric.name)]
    for number, (metric, pairs) in enumerate(tables):
        title = f"{metric.name}: {pairs[0].b} against {pairs[0].a}, by slice"
        rows = [_compared_row(part, pair, metric, figures) for part, pair in zip(comparison.slices, pairs, strict=True)]
        level = f"{100 * comparison.how.level:g} % CI of Δ"
        heads = ["slice", "n", printable(pairs[0].a), f"{printable(pairs[0].b)}  ", "Δ", level, "p"]
        table = _fitting(Table(heads, rows), width)
        yield Sheet(title, table, (comparison.verdict, *comparison.remarks) if number == len(tables) - 1 else ())


def _compared_row(part: Slice, pair: Pair, metric: BoundMetric, figures: Figures) -> list[Cell]:
    sign = mark(pair)
    return [
        Cell(printable(part.label)),
        Cell(f"{pair.n:,}"),
        Cell(figures.value(metric, pair.value_a), sign == WORSE),
        Cell(f"{figures.value(metric, pair.value_b)} {sign or ' '}", sign == BETTER),
        Cell(figures.change(metric, pair.difference)),
        Cell(figures.interval(metric, pair)),
        Cell(p_short(pair.p_corrected)),
    ]


def worst_slices_sheets(worst: WorstSlices, figures: Figures, width: int | None = None) -> Iterator[Sheet]:
    """A table for each system, the worst slices first; a sign marks those that are shown to be worse."""
    what = f"worse than {worst.against}" if worst.against else "worse than elsewhere"
    heads = ["slice", "n", printable(worst.against) or "elsewhere", "value  ", "Δ", f"{100 * worst.level:g} % CI of Δ", "p"]
    for system in worst.systems:
        rows = [_worst_row(part, worst.metric, figures) for part in worst.found if part.system == system]
        notes = (worst.verdict,) if system == worst.systems[-1] else ()
        title = f"{system}: slices that are {what} on {worst.metric.name}"
        if rows or notes:
            yield Sheet(title if rows else "", _fitting(Table(heads if rows else [], rows), width), notes)


def _worst_row(part: WorstSlice, metric: BoundMetric, figures: Figures) -> list[Cell]:
    return [
        Cell(printable(part.label)),
        Cell(f"{part.n:,}"),
        Cell(figures.value(metric, part.other)),
        Cell(f"{figures.value(metric, part.value)} {WORSE if part.is_significant else ' '}"),
        Cell(figures.change(metric, part.difference)),
        Cell(f"{figures.change(metric, part.low)} … {figures.change(metric, part.high)}"),
        Cell(p_short(part.p_corrected)),
    ]


AGREEMENT_MEANING = (
    "tau, tau_ap: 1 the same order, -1 the reverse, tau_ap with more weight at the top; "
    "rbo, overlap: share of documents in common, rbo with more weight at the top."
)
MAX_QUERIES = 10
"""Queries that are shown where the rankings are least alike."""


def agreement_sheets(
    agreements: Sequence[RankAgreement], digits: int | None = None, *, per_query: bool = False
) -> list[Sheet]:
    """Means first, then queries."""
    sheets = [_means(agreements, digits)] if agreements else []
    return sheets + [_queries(agreement, digits) for agreement in agreements if per_query]


def _means(agreements: Sequence[RankAgreement], digits: int | None) -> Sheet:
    first = agreements[0]
    has_moved = any(agreement.moved is not None for agreement in agreements)
    rows = [
        [
            Cell(f"{printable(agreement.a)} → {printable(agreement.b)}"),
            *(Cell(_figure(value, digits)) for value in agreement.means.values()),
            *([Cell(_count(agreement.n_gained)), Cell(_count(agreement.n_lost))] if has_moved else []),
        ]
        for agreement in agreements
    ]
    moved = f" gained, lost: relevant documents that came into the first {first.k}, or left them." if has_moved else ""
    heads = ["rankings", *first.means, *(["gained", "lost"] if has_moved else [])]
    return Sheet(
        "agreement of rankings, mean over queries",
        Table(heads, rows),
        (f"{AGREEMENT_MEANING}{moved}", *_least_alike(agreements)),
    )


def _least_alike(agreements: Sequence[RankAgreement]) -> list[str]:
    if len(agreements) > 1 or len(agreements[0].agreement.query_ids) < 2:
        return []
    return [f"Least alike: {some_of([printable(query) for query in agreements[0].least(6)])}."]


def _queries(pair: RankAgreement, digits: int | None) -> Sheet:
    figures = pair.agreement.by_query()
    rows = []
    for query in pair.least(MAX_QUERIES):
        moved = pair.moved.get(query) if pair.moved is not None else None
        documents = [Cell(some_of([printable(doc) for doc in docs], 3)) for docs in moved] if moved else []
        cells = [Cell(_figure(value, digits)) for value in figures[query].values()]
        rows.append([Cell(printable(query)), *cells, *(documents or [Cell(""), Cell("")] if pair.moved is not None else [])])
    heads = ["query", *pair.means, *(["gained", "lost"] if pair.moved is not None else [])]
    return Sheet(f"{pair.a} and {pair.b}: the queries ranked least alike", Table(heads, rows))


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
