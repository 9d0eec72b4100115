"""Calibration of a model judge: what it gives where people also gave grades, and where it is too generous or too strict."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.judging.layers import MODEL, PEOPLE, choose_judge
from assay.cli.judging.probe_files import kept_probes, outcomes_of, read_probes
from assay.cli.judging.probe_tables import probe_lines
from assay.cli.judging.status import newest_results
from assay.cli.terminal import text_here
from assay.errors import DataError, NothingSelected, UsageError
from assay.serialize import dumps, to_json
from assay.text import counted, percent, with_minus

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.judges import ProbeFigure
    from assay.judging import Bias, Calibration
    from assay.stats import Reliability
    from assay.store import Judgment, Store

    Pair = tuple[str, str]
    Groups = dict[str, list[Bias]]

SCHEMA = "assay.calibration/1"
DEPTH = 10
RANKS = ((1, 3), (4, DEPTH))
FEW = 30
N_LENGTHS = 3


def add_calibration_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `assay judgments calibrate`."""
    parser.add_argument("--by", metavar="TAG", help="calibrate: also show the bias for each value of a tag of the queries")
    parser.add_argument(
        "--again",
        metavar="FILE",
        help="calibrate: grades that the same judge gave again, from assay judge --no-cache --no-store -o FILE",
    )


def calibrate_judge(store: Store, options: argparse.Namespace, judge: str | None) -> str:
    """The grades of a model compared with those of people, as text or JSON."""
    from assay.judging import calibrate
    from assay.store import combined

    if options.format == "csv":
        raise UsageError("calibrate prints a table or JSON: -f table or -f json")
    every = store.judgments.find(options.benchmark)
    models = [judgment for judgment in every if judgment.kind == MODEL]
    own = choose_judge(models, judge, options.benchmark or "")
    benchmarks = sorted({judgment.benchmark for judgment in own})
    if len(benchmarks) > 1:
        raise UsageError(f"the model has graded several benchmarks. Add --benchmark   (choose from {', '.join(benchmarks)})")
    people = [judgment for judgment in every if judgment.kind == PEOPLE and judgment.benchmark == benchmarks[0]]
    shared = calibrate(combined(people), combined(own))
    if not shared.n_pairs:
        raise NothingSelected(
            f"people and {own[0].judge} have no pair in common on {benchmarks[0]}. Let both grade the pairs of one pool"
        )
    groups = _groups(store, options, shared, benchmarks[0])
    repeated = _repeated(own, Path(options.again)) if options.again else None
    figures = _probes(options, own[0].judge, benchmarks[0])
    if options.format == "json":
        return dumps({"schema": SCHEMA, **_json(own[0], shared, groups, repeated, figures)}, indent=2) + "\n"
    return "\n".join(_text(own[0], shared, groups, repeated, figures)) + "\n"


# Groups of pairs


def _groups(store: Store, options: argparse.Namespace, shared: Calibration, benchmark: str) -> Groups:
    """What the pairs are grouped by → the bias in each group; only what the newest results and the data can tell."""
    results = [result for result in newest_results(store, benchmark) if result.run]
    groups: Groups = {}
    if results:
        tops = {result.name: _tops(result) for result in results}
        groups["system"] = [
            shared.bias_of(name, lambda pair, ranks=ranks: pair in ranks)  # type: ignore[misc]
            for name, ranks in tops.items()
        ]
        groups["rank"] = shared.biases(lambda pair: _rank_label(pair, list(tops.values())))
    if lengths := _lengths(shared, options.dataset or benchmark, is_named=bool(options.dataset)):
        groups["length"] = shared.biases(lengths)
    if options.by:
        tags = {query: known.metadata or {} for result in results for query, known in result.queries.items()}
        if not any(options.by in known for known in tags.values()):
            raise DataError(f"no query of the newest results on {benchmark} has the tag {options.by}")
        groups[options.by] = shared.biases(lambda pair: _tag(tags.get(pair[0], {}), options.by))
    return {name: rows for name, rows in groups.items() if rows}


def _tops(result: Result) -> dict[Pair, int]:
    """Query and document → rank, among the first documents."""
    return {(query, doc): rank for query in result.run for rank, doc in enumerate(list(result.run[query])[:DEPTH], 1)}


def _rank_label(pair: Pair, tops: Sequence[dict[Pair, int]]) -> str:
    best = min((ranks[pair] for ranks in tops if pair in ranks), default=0)
    return next((f"{low} to {high}" for low, high in RANKS if low <= best <= high), f"after {DEPTH}")


def _lengths(shared: Calibration, dataset: str, *, is_named: bool) -> Callable[[Pair], str | None] | None:
    """A function that says whether a document is short, medium or long, by words; None without texts."""
    from assay.datasets import has_own_documents, load_dataset

    if not is_named and not has_own_documents(dataset):
        return None
    documents = load_dataset(dataset).documents
    words = {doc: len(documents[doc].content.split()) for _, doc in shared.pairs if doc in documents}
    ordered = sorted(words.values())
    if len(ordered) < N_LENGTHS:
        return None
    short, long = (ordered[len(ordered) * third // N_LENGTHS] for third in (1, 2))

    def label(pair: Pair) -> str | None:
        n = words.get(pair[1])
        if n is None:
            return None
        return f"1: below {short} words" if n < short else f"3: from {long} words" if n >= long else "2: between"

    return label


def _tag(tags: Any, name: str) -> str | None:
    return str(tags[name]) if name in tags else None


def _repeated(own: Sequence[Judgment], path: Path) -> tuple[int, int]:
    """How many pairs the judge graded twice, and how many got the same grade."""
    from assay.files import each_numbered_record

    first = {(judgment.query, judgment.document): judgment.grade for judgment in own}
    again: dict[Pair, Any] = {}

    def take(_number: int, _place: str, row: Any) -> None:
        again[str(row.get("query")), str(row.get("document"))] = row.get("grade")

    each_numbered_record(path, take)
    both = [(first[pair], grade) for pair, grade in again.items() if pair in first and grade is not None]
    return len(both), sum(a == b for a, b in both)


def _probes(options: argparse.Namespace, judge: str, benchmark: str) -> list[ProbeFigure]:
    """The figures of the probes of the judge, of a file or of the last runs in this folder; empty without probes."""
    from assay.judges import probe_figures

    files = [read_probes(Path(options.file))] if options.file else kept_probes(judge, benchmark)
    for saved in files:
        if saved.judge != judge:
            raise DataError(f"the probes are of the judge {saved.judge}, not of {judge}", source=options.file)
    return probe_figures(outcomes_of(files))


# Output


def _text(
    judge: Judgment, shared: Calibration, groups: Groups, repeated: tuple[int, int] | None, figures: Sequence[ProbeFigure]
) -> Iterator[str]:
    yield f"{judge.judge} and people have graded {counted(shared.n_pairs, 'same pair')} on {judge.benchmark}."
    if shared.n_pairs < FEW:
        yield f"This is too little to judge the model: with fewer than {FEW} pairs, all figures can change much."
    yield ""
    confusion = shared.confusion
    model = list(next(iter(confusion.values())))
    head = ["people ↓  model →", *(f"{grade:g}" for grade in model)]
    yield _table(head, [[f"{h:g}", *(f"{row[f]:,}" for f in model)] for h, row in confusion.items()])
    rows = [[name, _ends(value)] for name, value in _kappas(shared).items()]
    yield _table(["agreement", "κ"], rows)
    biases = [["all pairs", *_bias_cells(shared.bias)]]
    biases += [[f"{name} {bias.group}", *_bias_cells(bias)] for name, rows in groups.items() for bias in rows]
    yield _table(["model − people", "pairs", "bias", "95 % interval", ""], biases)
    if repeated is not None:
        n, n_same = repeated
        share = f", {percent(n_same / n)} with the same grade" if n else ""
        yield f"Graded again: {counted(n, 'pair')}{share}.{' This is too little.' if n < FEW else ''}"
    yield "Bias above 0: the model is more generous than people. κ: 1 is full agreement, 0 is agreement by chance."
    yield ""
    if figures:
        yield from probe_lines(figures)
    else:
        yield "To see whether it follows instructions in documents or rewards query words: assay judgments probe --with …"


def _kappas(shared: Calibration) -> dict[str, Reliability]:
    return {
        "grades": shared.kappa(),
        "grades, weighted": shared.kappa("quadratic"),
        "relevant or not": shared.binary_kappa,
    }


def _ends(value: Reliability) -> str:
    if value.value != value.value or value.low != value.low:
        return "–" if value.value != value.value else f"{value.value:.3f}"
    return f"{value.value:.3f} [{value.low:.2f}, {value.high:.2f}]"


def _bias_cells(bias: Bias) -> list[str]:
    if not bias.n_pairs:
        return ["0", "–", "–", "no pair"]
    ends = f"{with_minus(f'{bias.low:+.2f}')} … {with_minus(f'{bias.high:+.2f}')}" if bias.low == bias.low else "–"
    return [f"{bias.n_pairs:,}", with_minus(f"{bias.bias:+.3f}"), ends, "too few" if bias.is_few else ""]


def _table(head: list[str], rows: Sequence[Sequence[str]]) -> str:
    from assay.reports import Column, Table, cells, table_section

    heads = tuple(Column(title, kind="number" if place else "text") for place, title in enumerate(head))
    return text_here([table_section(Table(heads, tuple(cells(*row) for row in rows)))])


def _json(
    judge: Judgment, shared: Calibration, groups: Groups, repeated: tuple[int, int] | None, figures: Sequence[ProbeFigure]
) -> dict[str, Any]:
    names = ("kappa", "weighted_kappa", "binary_kappa")
    return {
        "judge": judge.judge,
        "benchmark": judge.benchmark,
        "n_pairs": shared.n_pairs,
        "is_few": shared.n_pairs < FEW,
        "confusion": [{"people": h, "model": f, "n": n} for h, row in shared.confusion.items() for f, n in row.items()],
        **{name: to_json(value._asdict()) for name, value in zip(names, _kappas(shared).values(), strict=True)},
        "bias": shared.bias.to_dict(),
        "groups": {name: [bias.to_dict() for bias in rows] for name, rows in groups.items()},
        "repeated": None if repeated is None else {"n_pairs": repeated[0], "n_same": repeated[1]},
        "probes": [figure.to_dict() for figure in figures],
    }
