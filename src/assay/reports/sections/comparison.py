"""A comparison: its tables, and its words and figures as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparison import UNKNOWN, Comparison, Figures, Pair, beaten_by, corrected_for_many, letter, letters_of
from assay.metrics import BoundMetric
from assay.reports.table import Cell, Table
from assay.stats import AVERAGED
from assay.text import counted, display_width, printable, with_minus

MAX_PAIRS = 20
"""Pairs that are shown where there are many; csv and json have all."""
RAISED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyz–,",
    "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖᑫʳˢᵗᵘᵛʷˣʸᶻ⁻˒",
)
"""Small raised letters; Unicode lacks a q that fonts have, so it borrows one that looks the same."""


def has_baseline(comparison: Comparison) -> bool:
    """Whether all systems are compared with one: a baseline, or the first of two."""
    return comparison.how.baseline is not None or len(comparison.names) == 2


def reference_of(comparison: Comparison) -> str:
    """The system that others are held against: the baseline, else the first."""
    return comparison.names[0] if comparison.how.baseline is None else comparison.how.baseline


def baseline_table(comparison: Comparison, figures: Figures) -> Table:
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
    if len(pairs) <= MAX_PAIRS or not best:
        return pairs[:MAX_PAIRS]
    ahead = [pair for pair in pairs if best & {pair.a, pair.b}]
    return sorted(ahead, key=lambda pair: abs(pair.difference))[:MAX_PAIRS]


@dataclass(frozen=True)
class ComparisonReport:
    """Comparisons, one for each benchmark, and how much of them to show."""

    comparisons: Sequence[Comparison]
    worst: int = 0
    """Queries that lost most, to be shown with their rankings."""
    best: int = 0
    digits: int | None = None
    """Decimals; None leaves it to the format (3 where people read, all of them where programs do)."""
    width: int | None = None
    """Columns of the terminal; None for output that nobody watches."""
    colour: bool = False


BETTER, WORSE, CONFIRMED, SPLIT = "▲", "▼", "✓", "◇"
UNITS = {"bootstrap": "resamples"}
"""What a test draws, where it is not permutations."""


def p_short(p: float) -> str:
    """A p in a column."""
    return UNKNOWN if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def effect_text(effect: float) -> str:
    """Cohen's d; without end where the difference is the same on every query."""
    if math.isnan(effect):
        return UNKNOWN
    return with_minus(f"{effect:.2f}" if math.isfinite(effect) else "-∞" if effect < 0 else "∞")


def record_text(pair: Pair) -> str:
    """On how many queries b is better, as good, and worse; a dash where no query has a figure of its own."""
    if pair.n and not pair.wins + pair.ties + pair.losses:
        return UNKNOWN
    return f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}"


def mark(pair: Pair) -> str:
    """What is sure about b: better, worse, or what the test was to show; nothing where nothing is."""
    if pair.claim != "differs":
        return CONFIRMED if pair.is_significant else ""
    if pair.better is None:
        return SPLIT if pair.is_split else ""
    return BETTER if pair.better == pair.b else WORSE


def level_text(comparison: Comparison) -> str:
    """`95 %`."""
    return f"{100 * comparison.how.level:g} %"


def title_of(comparison: Comparison) -> str:
    """The benchmark and its version, and the slice; empty for runs and judgments in files."""
    first = comparison.results[0]
    version = first.provenance.get("dataset", {}).get("version", "")
    parts = [f"{first.benchmark} {version}".strip() if first.benchmark else "", comparison.part]
    return printable(" · ".join(part for part in parts if part))


def head_line(comparison: Comparison) -> str:
    """What the figures rest on: baseline, queries, test, correction, intervals, seed."""
    how = comparison.how
    parts = [f"baseline {how.baseline}"] if how.baseline is not None else []
    parts += [n_queries_text(comparison), test_text(comparison), correction_text(comparison)]
    alone = ", not corrected" if is_corrected(comparison) else ""
    parts += [f"{level_text(comparison)} intervals by {how.interval_method}{alone}", f"seed {how.seed}"]
    return printable(" · ".join(part for part in parts if part))


def n_queries_text(comparison: Comparison) -> str:
    """`54 queries`, or `52 of 54 queries` where some that were judged do not count; and how many nobody failed on."""
    n = len(comparison.query_ids)
    judged = max((result.counts.get("judged", 0) for result in comparison.results), default=0)
    text = counted(n, "query") if comparison.part or judged <= n else f"{n:,} of {counted(judged, 'query')}"
    n_failed = sum(any(query in result.failures for result in comparison.results) for query in comparison.query_ids)
    return f"{text}, {n - n_failed:,} answered by all" if n_failed else text


def test_text(comparison: Comparison) -> str:
    """The test, and how much it drew: all there is, where that is little."""
    test = comparison.how.bound_test
    words = test.test.name.replace("_", " ")
    others = {name: value for name, value in test.params.items() if name != "resamples"}
    changed = [f"{name} {value}" for name, value in others.items() if value != _default(test.test.params, name)]
    if "resamples" in test.params:
        changed.append(f"{_draws_text(comparison)} {UNITS.get(test.test.name, 'permutations')}")
    return ", ".join([f"{words} test", *changed])


def _draws_text(comparison: Comparison) -> str:
    """`100,000`, `all`, or `up to 100,000` where few differences need no more; of what the test itself has looked at."""
    averages = {metric.name for metric in comparison.metrics if metric.metric.aggregation in AVERAGED}
    draws = {pair.draws for pair in comparison.pairs if pair.metric in averages and not math.isnan(pair.p)}
    if draws and not any(draws):
        return "all"
    return f"{'up to ' if 0 in draws else ''}{comparison.how.bound_test.params['resamples']:,}"


def is_corrected(comparison: Comparison) -> bool:
    """Whether p was made up for many comparisons."""
    text = correction_text(comparison)
    return bool(text) and not text.endswith("not corrected")


def _default(params: tuple[object, ...], name: str) -> object:
    return next((getattr(param, "default", None) for param in params if getattr(param, "name", "") == name), None)


def correction_text(comparison: Comparison) -> str:
    """`Holm over 4`; nothing where one comparison needs no correction."""
    n, how = comparison.n_comparisons, comparison.how
    if how.bound_test.test.is_for_many:
        return corrected_for_many(comparison) if n or len(comparison.fields) > 1 else ""
    if n < 2:
        return ""
    return f"{n} comparisons, not corrected" if how.correcting.name == "none" else f"{how.correcting.title} over {n}"


def legend(comparison: Comparison) -> str:
    """What the signs mean, if there are any."""
    marks = {mark(pair) for pair in comparison.pairs} - {""}
    limit = f"p ≤ {comparison.how.alpha:g}{' after correction' if is_corrected(comparison) else ''}"
    if CONFIRMED in marks:
        claims = {"not_worse": "shown to be not worse", "equal": "shown to be practically equal"}
        return f"{CONFIRMED} {claims[comparison.pairs[0].claim]}: {limit}."
    signs = ((BETTER, "better"), (WORSE, "worse"), (SPLIT, "differs, but the test and the mean disagree who is better"))
    words = [f"{sign} {word}" for sign, word in signs if sign in marks]
    return f"{', '.join(words)}: {limit}." if words else ""
