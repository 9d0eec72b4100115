"""The tables of a comparison: others against one, all systems with letters, and pair by pair."""

from __future__ import annotations

import math

from assay.comparison import Comparison, Figures, Pair, beaten_by, letter, letters_of
from assay.metrics import BoundMetric
from assay.reports._cells import Cell, Table
from assay.reports._comparison_words import BETTER, WORSE, effect_text, level_text, mark, p_short, record_text
from assay.text import display_width, printable

MOST_PAIRS = 20
"""Pairs that are shown where there are many; csv and json have all."""
RAISED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyz–,",
    "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖᑫʳˢᵗᵘᵛʷˣʸᶻ⁻˒",
)
"""Small raised letters; Unicode lacks a q that fonts have, so it borrows one that looks the same."""


def is_against_one(comparison: Comparison) -> bool:
    """Whether all systems are compared with one: a baseline, or the first of two."""
    return comparison.how.baseline is not None or len(comparison.names) == 2


def reference_of(comparison: Comparison) -> str:
    """The system that others are held against: the baseline, else the first."""
    return comparison.names[0] if comparison.how.baseline is None else comparison.how.baseline


def against_one(comparison: Comparison, figures: Figures) -> Table:
    """A row for each metric and system, with the figure of the one it is held against."""
    rows = []
    is_two = len(comparison.names) == 2
    reference = printable(reference_of(comparison))
    heads = joined_column(
        [("metric", "system"), *((pair.metric, printable(pair.b)) for pair in comparison.pairs)], both=not is_two
    )
    for label, pair in zip(heads[1:], comparison.pairs, strict=True):
        metric = comparison.metric(pair.metric)
        sign = mark(pair)
        cells = [
            Cell(figures.value(metric, pair.value_a), sign == WORSE),
            Cell(f"{figures.value(metric, pair.value_b)} {sign or ' '}", sign == BETTER),
        ]
        rows.append([Cell(label), *cells, *_measures(pair, metric, figures), *_counts(comparison, pair)])
    names = [reference, f"{printable(comparison.pairs[0].b) if is_two else 'value'}  "]
    return Table([heads[0], *names, *_heads(comparison)], rows)


def joined_column(rows: list[tuple[str, str]], *, both: bool) -> list[str]:
    """Two words of each row as one column, the second ones below each other; or the first words alone."""
    if not both:
        return [first for first, _ in rows]
    width = max(display_width(first) for first, _ in rows)
    return [f"{first}{' ' * (width - display_width(first))}   {second}" for first, second in rows]


def _heads(comparison: Comparison) -> list[str]:
    has_n = _has_own_n(comparison)
    return ["Δ", f"{level_text(comparison)} CI of Δ", "p", "effect", "better/same/worse", *(["queries"] if has_n else [])]


def _measures(pair: Pair, metric: BoundMetric, figures: Figures) -> list[Cell]:
    texts = (
        figures.change(metric, pair.difference),
        figures.interval(metric, pair),
        p_short(pair.p_corrected),
        effect_text(pair.cohens_d),
        record_text(pair),
    )
    return [Cell(text) for text in texts]


def _counts(comparison: Comparison, pair: Pair) -> list[Cell]:
    return [Cell(f"{pair.n:,}")] if _has_own_n(comparison) else []


def _has_own_n(comparison: Comparison) -> bool:
    """Whether some pair rests on fewer queries than there are, because scores are undefined."""
    return any(pair.n != len(comparison.query_ids) for pair in comparison.pairs)


def places(comparison: Comparison, metric: BoundMetric) -> tuple[set[str], set[str]]:
    """The systems with the best figure, and those with the second best; none where all are equal."""
    values = {result.name: result.summary[metric.name] for result in comparison.results}
    known = sorted({value for value in values.values() if not math.isnan(value)}, reverse=metric.metric.higher_is_better)
    if len(known) < 2:
        return set(), set()
    best, second = ({name for name, value in values.items() if value == known[place]} for place in (0, 1))
    return best, second


def raised(numbers: tuple[int, ...], n_systems: int) -> str:
    """The letters of systems, small and raised."""
    return letters_of(numbers, n_systems).translate(RAISED)


def with_letters(comparison: Comparison, figures: Figures) -> Table:
    """Systems × metrics; each figure bears the letters of the systems it is significantly better than."""
    n = len(comparison.names)
    wide = len(letter(n - 1))
    labels = [f"{letter(number):<{wide}} {printable(name)}" for number, name in enumerate(comparison.names)]
    columns, heads = [], []
    for metric in comparison.metrics:
        beaten = beaten_by(comparison, metric.name)
        best, _ = places(comparison, metric)
        letters = {name: raised(beaten[name], n) for name in comparison.names}
        room = max(map(display_width, letters.values()))
        heads.append(f"{metric.name}{' ' * room}")
        columns.append(
            [
                Cell(
                    figures.value(metric, result.summary[metric.name])
                    + letters[result.name]
                    + " " * (room - display_width(letters[result.name])),
                    result.name in best,
                )
                for result in comparison.results
            ]
        )
    rows = [[Cell(label), *(column[number] for column in columns)] for number, label in enumerate(labels)]
    return Table([f"{'':<{wide}} system", *heads], rows)


def pairs_of_first(comparison: Comparison, figures: Figures) -> Table:
    """The pairs on the first metric; where there are many, those of the best system, the closest first."""
    metric = comparison.metrics[0]
    rows = []
    for pair in shown_pairs(comparison):
        label = f"{printable(pair.a)} → {printable(pair.b)}"
        change, *others = _measures(pair, metric, figures)
        sign = mark(pair)
        marked = Cell(f"{change.text} {sign or ' '}", sign == BETTER)
        rows.append([Cell(label), marked, *others, *_counts(comparison, pair)])
    change_head, *heads = _heads(comparison)
    return Table([metric.name, f"{change_head}  ", *heads], rows)


def shown_pairs(comparison: Comparison) -> list[Pair]:
    """All pairs on the first metric, or, of many, those that tell whether the best system is ahead of its followers."""
    metric = comparison.metrics[0]
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    best, _ = places(comparison, metric)
    if len(pairs) <= MOST_PAIRS or not best:
        return pairs[:MOST_PAIRS]
    ahead = [pair for pair in pairs if best & {pair.a, pair.b}]
    return sorted(ahead, key=lambda pair: abs(pair.difference))[:MOST_PAIRS]
