"""Slices and rankings: values by the tags of queries, how well rankings agree, and which results cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.comparison import UNKNOWN, Figures, rank_agreements
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import Slice
from assay.reports.sections.verdicts import BETTER, WORSE, mark, p_short
from assay.reports.table import Cell, Column, Mark, Notes, Section, Table, cells, columns, table_section
from assay.stats import GroupVariance
from assay.text import counted, cut_off, some_of

if TYPE_CHECKING:
    from assay.comparison import Pair, Part, RankAgreement, SliceComparison, Sliced, WorstSlice, WorstSlices

MACRO, MICRO, VARIANCE, BEYOND, P_EQUAL = "macro mean", "micro mean", "variance", "beyond sampling", "p"
SLICES_MEANING = f"{MACRO}: slices have equal weight; {MICRO}: queries have equal weight; {VARIANCE}: between slices."
MEANING_APART = f"{MACRO}: slices have equal weight, and languages are not mixed; {VARIANCE}: between slices."
SPREAD_MEANING = f"{BEYOND}: what chance does not explain of the variance; {P_EQUAL}: if all slices were equally good."
OF_LANGUAGE = (MACRO, VARIANCE, BEYOND, P_EQUAL)
MORE_DIGITS = 2
"""Extra decimals of a variance."""


def metric_to_slice(results: Sequence[Result], form: str) -> list[BoundMetric] | None:
    """The only metric to slice if systems are side by side in a terminal, where a table per metric would fill pages."""
    asked = [metric for metric in results[0].metrics if metric.name not in results[0].beside] if results else []
    is_wide = form == "table" and len({result.name for result in results}) > 1
    return asked[:1] if is_wide and len(asked) > 1 else None


def sections_by_tags(slices: Sequence[Sliced], only: list[BoundMetric] | None, figures: Figures) -> list[Section]:
    """The tables of all slices, and a note if they have only one of the metrics."""
    sections = [section for sliced in slices for section in slice_sections(sliced, figures)]
    if only and any(len(sliced.parts) > 1 for sliced in slices):
        note = f"Slices are shown for {only[0]} only. To write them for all metrics, add -o slices.md."
        sections.append(Section(parts=(Notes((note,)),)))
    return sections


def slice_sections(sliced: Sliced, figures: Figures) -> list[Section]:
    """One table for one system, with metrics as columns; otherwise one for each metric, with systems as columns.

    If one slice contains every query, there is no table, because its values are those of all queries.
    """
    if len(sliced.parts) == 1:
        return [Section(parts=(Notes((_one_slice(sliced),)),))]
    if len(sliced.systems) == 1:
        of_metrics = [_column(sliced, metric, 0, figures) for metric in sliced.metrics]
        heads, notes = [metric.name for metric in sliced.metrics], _notes(sliced, of_metrics)
        return [table_section(_table(sliced, heads, of_metrics, f"{sliced.systems[0]} by {sliced.head}", notes))]
    sections = []
    for metric in sliced.metrics:
        of_systems = [_column(sliced, metric, place, figures) for place in range(len(sliced.systems))]
        below = _notes(sliced, of_systems) if metric is sliced.metrics[-1] else ()
        table = _table(sliced, list(sliced.systems), of_systems, f"{metric.name} by {sliced.head}", below)
        sections.append(table_section(table))
    return sections


def _one_slice(sliced: Sliced) -> str:
    (part,) = sliced.parts
    where = f"the slice {part.slice.value} contains every query ({part.slice.n:,})"
    return f"by {sliced.head}: {where}, so its values are the same as for all queries."


def _notes(sliced: Sliced, of_columns: list[list[Cell]]) -> tuple[str, ...]:
    """What the last rows mean, and which queries they leave out."""
    meaning = MEANING_APART if sliced.is_multilingual else SLICES_MEANING
    return (*_untagged(sliced), meaning, *([SPREAD_MEANING] if any(column[-1].text for column in of_columns) else []))


def _untagged(sliced: Sliced) -> Iterator[str]:
    n = sum(part.slice.n for part in sliced.parts if not part.slice.is_tagged)
    if n:
        fate = "does not have the tag and is" if n == 1 else "do not have the tag and are"
        yield f"{counted(n, 'query')} {fate} left out of the {MACRO} and the {VARIANCE}."


def _table(sliced: Sliced, heads: list[str], of_columns: list[list[Cell]], title: str, notes: tuple[str, ...]) -> Table:
    total = sum(part.slice.n for part in sliced.parts)
    names = [(part.slice.value, f"{part.slice.n:,}") for part in sliced.parts]
    if sliced.languages:
        names += [(f"{language} {what}", "") for language in sliced.languages for what in OF_LANGUAGE]
    else:
        names += [(MACRO, ""), (MICRO, f"{total:,}"), (VARIANCE, ""), (BEYOND, ""), (P_EQUAL, "")]
    rows = [
        (Cell(name), Cell(n), *(column[place] for column in of_columns))
        for place, (name, n) in enumerate(names)
        if any(column[place].text for column in of_columns)
    ]
    return Table(columns(sliced.head, "queries", *heads), tuple(rows), title=title, notes=notes)


def _column(sliced: Sliced, metric: BoundMetric, place: int, figures: Figures) -> list[Cell]:
    """The values of one system: each slice, then macro mean, micro mean and variance. Totals have no means.

    If a tag is crossed with several languages, each language has its own mean and variance.
    """
    of_slices = [_cell(part, metric, place, figures) for part in sliced.parts]
    if sliced.languages:
        return [
            *of_slices,
            *(cell for language in sliced.languages for cell in _of_language(sliced, metric, place, language, figures)),
        ]
    if metric.metric.aggregation.is_total:
        total = figures.value(metric, sliced.whole[place][metric.name])
        return [*of_slices, Cell(""), Cell(total), *cells("", "", "")]
    system = sliced.systems[place]
    means = [figures.value(metric, of(metric.name, system)) for of in (sliced.macro, sliced.micro)]
    means[1] = "" if sliced.is_multilingual else f"{means[1]}{_resting_on(sliced.whole[place], metric)}"
    variance = variance_text(sliced.variance(metric.name, system), figures)
    return [*of_slices, *cells(*means, variance, *spread_texts(sliced.spread(metric.name, system), figures))]


def _of_language(sliced: Sliced, metric: BoundMetric, place: int, language: str, figures: Figures) -> list[Cell]:
    """The macro mean, the variance within one language and its part beyond sampling; empty for totals."""
    if metric.metric.aggregation.is_total:
        return [*cells("", "", "", "")]
    system = sliced.systems[place]
    mean = figures.value(metric, sliced.macro(metric.name, system, language))
    variance = variance_text(sliced.variance(metric.name, system, language), figures)
    return [*cells(mean, variance, *spread_texts(sliced.spread(metric.name, system, language), figures))]


def variance_text(value: float, figures: Figures) -> str:
    """A variance, with more decimals than a value."""
    digits = (3 if figures.digits is None else figures.digits) + MORE_DIGITS
    return UNKNOWN if math.isnan(value) else f"{value:.{digits}f}"


def spread_texts(spread: GroupVariance, figures: Figures) -> tuple[str, str]:
    """`0.00121 [0.00000, 0.00630]` and `0.04`: the part beyond sampling, and p; empty if they are unknown.

    p has two decimals, because more would differ between seeds.
    """
    if math.isnan(spread.beyond_sampling):
        return "", ""
    ends = "" if math.isnan(spread.low) else f" [{', '.join(variance_text(end, figures) for end in spread[2:4])}]"
    p = "< 0.01" if spread.p < 0.005 else f"{spread.p:.2f}"
    return f"{variance_text(spread.beyond_sampling, figures)}{ends}", p


def _cell(part: Part, metric: BoundMetric, place: int, figures: Figures) -> Cell:
    result = part.results[place]
    interval = result.intervals.get(metric.name)
    text = figures.value(metric, result[metric.name])
    if interval is not None and math.isfinite(interval.low):
        text += f" [{figures.value(metric, interval.low)}, {figures.value(metric, interval.high)}]"
    best = Mark.BEST if place in _best(part.results, metric) else Mark.NONE
    return Cell(f"{text}{_resting_on(result, metric)}", mark=best)


def _resting_on(result: Result, metric: BoundMetric) -> str:
    """How many queries a value is based on, if not all."""
    from assay.comparison import n_counted

    n = n_counted(result, metric) if metric.metric.aggregation.summarise else len(result.query_ids)
    return f" (of {n:,})" if 0 < n < len(result.query_ids) else ""


def _best(results: Sequence[Result], metric: BoundMetric) -> set[int]:
    """The systems with the best value in a slice; none if all are equal."""
    values = {number: result[metric.name] for number, result in enumerate(results)}
    known = {number: value for number, value in values.items() if not math.isnan(value)}
    if len(set(known.values())) < 2 or metric.metric.aggregation.is_total:
        return set()
    target = (max if metric.metric.higher_is_better else min)(known.values())
    return {number for number, value in known.items() if value == target}


def slice_comparison_sections(comparison: SliceComparison, figures: Figures) -> Iterator[Section]:
    """A table for each metric and pair of systems; the verdict is below the last one."""
    if not comparison.parts:
        return
    metrics = comparison.parts[0].metrics
    tables = [(metric, pairs) for metric in metrics for pairs in comparison.by_pair(metric.name)]
    for number, (metric, pairs) in enumerate(tables):
        title = f"{metric.name}: {pairs[0].b} compared with {pairs[0].a}, by slice"
        rows = [_compared_row(part, pair, metric, figures) for part, pair in zip(comparison.slices, pairs, strict=True)]
        heads = _compared_columns(pairs[0].a, pairs[0].b, comparison.how.level)
        notes = (comparison.verdict, *comparison.remarks) if number == len(tables) - 1 else ()
        yield table_section(Table(heads, tuple(rows), title=title, notes=notes))


def _compared_columns(first: str, second: str, level: float) -> tuple[Column, ...]:
    """The columns; narrow terminals leave out the first values, which follow from the difference, then the interval.

    Names of slices are not shortened, because shortened names could look the same.
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
        Cell(p_short(pair.p_corrected, pair.draws)),
    )


def worst_slices_sections(worst: WorstSlices, figures: Figures) -> Iterator[Section]:
    """A table for each system with the slices that are shown to be worse, the worst first."""
    other = worst.against or "other queries"
    heads = _compared_columns(other, "value", worst.level)
    for system in worst.systems:
        rows = tuple(_worst_row(part, worst.metric, figures) for part in worst.significant(system))
        notes = (worst.verdict,) if system == worst.systems[-1] else ()
        title = f"{system}: slices with a worse {worst.metric.name} than {other}"
        if rows or notes:
            yield table_section(Table(heads, rows, title=title if rows else "", notes=notes))


def _worst_row(part: WorstSlice, metric: BoundMetric, figures: Figures) -> tuple[Cell, ...]:
    return (
        Cell(part.label),
        Cell(f"{part.n:,}"),
        Cell(figures.value(metric, part.other)),
        Cell(figures.value(metric, part.value), sign=WORSE),
        Cell(figures.change(metric, part.difference)),
        Cell(f"{figures.change(metric, part.low)} … {figures.change(metric, part.high)}"),
        Cell(p_short(part.p_corrected)),
    )


AGREEMENT_MEANING = (
    "tau, tau_ap: 1 is the same order, -1 the reverse order; rbo, overlap: share of documents in common. "
    "tau_ap and rbo give more weight to the top."
)


MAX_LEAST_ALIKE, LONGEST_TEXT = 5, 40
"""The number of queries that are named, and the characters of their texts."""


def overlap_of(results: Sequence[Result]) -> tuple[RankAgreement, ...]:
    """How similar the rankings of several systems are, if no judgments say which is better; empty otherwise."""
    known = [result for result in results if not result.is_total_failure]
    if len(known) < 2 or not all(result.is_unjudged for result in known):
        return ()
    return rank_agreements(known)


def agreement_sections(agreements: Sequence[RankAgreement], digits: int | None = None) -> list[Section]:
    """How well the rankings of systems agree, as a mean over queries."""
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
    moved = f" gained, lost: relevant documents that entered or left the top {first.k}." if has_moved else ""
    heads = columns("rankings", *first.means, *(["gained", "lost"] if has_moved else []))
    notes = (f"{AGREEMENT_MEANING}{moved}", *_least_alike(agreements))
    return Table(heads, tuple(rows), title="agreement of rankings, mean over queries", notes=notes)


def _least_alike(agreements: Sequence[RankAgreement]) -> list[str]:
    if len(agreements) > 1 or len(agreements[0].agreement.query_ids) < 2:
        return []
    names, texts = agreements[0].least(MAX_LEAST_ALIKE + 1), agreements[0].texts
    if not any(name in texts for name in names):
        return [f"Queries with the least agreement: {some_of(names, MAX_LEAST_ALIKE)}."]
    shown = [f"{name} ({cut_off(texts[name], LONGEST_TEXT)})" if name in texts else name for name in names]
    more = ", …" if len(names) > MAX_LEAST_ALIKE else "."
    return [f"Queries with the least agreement: {', '.join(shown[:MAX_LEAST_ALIKE])}{more}"]


def _figure(value: float, digits: int | None) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.{3 if digits is None else digits}f}"


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def notes_side_by_side(results: Sequence[Result]) -> Iterator[str]:
    """A sentence for each result that cannot be compared with the first one."""
    for other in results[1:]:
        names = f"{results[0].name} and {other.name}"
        if set(other.query_ids) != set(results[0].query_ids):
            yield f"{names} have different queries, so their values cannot be compared."
        elif _truth(other) != _truth(results[0]):
            yield f"{names} have different ground truth, so their values cannot be compared."


def _truth(result: Result) -> str | None:
    return result.fingerprints.get("judgments")
