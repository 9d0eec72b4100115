"""Probing of a judge: changed pairs are sent only with --send, and the outcomes are shown and kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.cli.asking_options import add_limits, ask_options, planned_requests, request_lines, sums_of
from assay.cli.judging.probe_files import NOISE, SCHEMA, SavedProbes, keep_probes, kept_probes, outcomes_of
from assay.cli.judging.probe_tables import probe_lines
from assay.cli.judging.texts import dataset_with_texts
from assay.cli.output_options import add_quiet, open_store
from assay.cli.reading_options import add_documents_argument
from assay.cli.scoring_options import integer_parser
from assay.errors import DataError, NothingSelected, ProviderError, UsageError
from assay.grammar import WrittenName
from assay.masking import mask
from assay.serialize import dumps
from assay.text import printable, some_of

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.judges import BoundJudge, PairPool, ProbeFigure, ProbeRun
    from assay.store import Judgment

EXAMPLE = "assay judgments probe --with 'openai(model=…, url=…)'"
MOST = 1_000_000
FLAGS = {"with": "written_judge", "pairs": "pairs", "seed": "seed", "send": "send", "drift": "drift"}
LIMITS = ("price", "most_cost", "rpm", "resume", "no_cache")
USUAL_PAIRS = 50
EARLY = "the first grades are from today. To find out whether the model has changed since, run this again on another day"
NO_TEXT, OTHER_TEXT = "have no text", "were graded by people with another text"


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """The judge, the pairs, and whether anything is sent."""
    group = parser.add_argument_group("probe")
    group.add_argument(
        "--with",
        dest="written_judge",
        type=WrittenName,
        metavar="JUDGE",
        help="judge, as in assay judge: openai(…), cross_encoder(…), python:module:function, command(…) or panel(a, b, c)",
    )
    group.add_argument("--pairs", type=integer_parser(MOST, 1), metavar="N", help="pairs for each probe (default: 50)")
    group.add_argument("--seed", type=integer_parser(MOST), metavar="SEED", help="seed of the choice (default: 1)")
    group.add_argument("--send", action="store_true", help="send the pairs to the judge; only this option sends anything")
    group.add_argument(
        "--drift", action="store_true", help="send unchanged pairs again, to test whether the model has changed since"
    )
    add_documents_argument(group)
    add_limits(group)
    add_quiet(group)


def check_probe_options(options: argparse.Namespace) -> None:
    """Refuse options that do not fit the action."""
    if options.action != "probe":
        flags = [f"--{name}" for name, dest in FLAGS.items() if getattr(options, dest) not in (None, False)]
        flags += [f"--{name.replace('_', '-')}" for name in LIMITS if getattr(options, name)]
        if flags:
            raise UsageError(f"{' and '.join(flags)}: only probe sends pairs to a judge: {EXAMPLE}")
        return
    if not options.written_judge:
        raise UsageError(f"probe needs the judge with its parameters: {EXAMPLE}")
    if options.judge:
        raise UsageError("probe sends pairs to a judge, so it needs the parameters of the judge. Use --with, not --judge")
    if options.send and options.dry_run:
        raise UsageError("--send and --dry-run exclude each other. Use one of them")
    if options.drift and options.no_cache:
        raise UsageError("--drift always sends all its pairs again. Remove --no-cache")
    if options.format == "csv":
        raise UsageError("probe prints a table or JSON: -f table or -f json")


def probe_from_options(options: argparse.Namespace) -> str:
    """Probe the judge. Everything is checked before the first pair is sent."""
    from assay.judges import probe_judge, to_judge

    judge = to_judge(options.written_judge)
    source = _source(options)
    day = datetime.now(UTC).date().isoformat() if options.drift else ""
    run = probe_judge(
        source.pool,
        judge,
        ask_options(options),
        people=source.people,
        corpus=source.corpus,
        n=options.pairs or USUAL_PAIRS,
        seed=1 if options.seed is None else options.seed,
        drift_day=day,
    )
    kept = kept_probes(run.judge, run.benchmark) if options.drift else []
    figures = _figures(run, kept)
    content = {
        "schema": SCHEMA,
        "is_sent": options.send,
        **run.to_dict(),
        "figures": [figure.to_dict() for figure in figures],
    }
    if options.send and run.outcomes:
        keep_probes(content, run.benchmark, judge.identity, is_drift=options.drift)
    early = [EARLY] if any(saved.probed.startswith(day) for saved in kept if not saved.is_drift) else []
    for note in (*source.notes, *run.notes, *early):
        sys.stderr.write(printable(mask(f"note: {note}")) + "\n")
    if options.send and not run.outcomes:
        why = "; ".join(dict.fromkeys(pair.why for pair in run.run.ungraded[:3]))
        raise ProviderError(mask(f"no changed pair got a grade: {why or 'nothing was sent'}"))
    if options.format == "json":
        return dumps(content, indent=2) + "\n"
    return "\n".join(_sent(run, figures) if options.send else _dry_run(run, judge)) + "\n"


def _figures(run: ProbeRun, kept: Sequence[SavedProbes]) -> list[ProbeFigure]:
    """The figures of a run. A test for drift is compared with the noise of the judge, from the probes that are kept."""
    from assay.judges import probe_figures

    noise = [outcome for outcome in outcomes_of(kept) if outcome.probe == NOISE]
    made = {outcome.probe for outcome in run.outcomes}
    return [figure for figure in probe_figures([*noise, *run.outcomes]) if figure.probe in made]


# Pairs with texts


class _Source(NamedTuple):
    """The pairs that can be changed, who graded them, and the texts of the collection."""

    pool: PairPool
    people: dict[str, dict[str, float]]
    corpus: Sequence[str]
    notes: Sequence[str]


def _source(options: argparse.Namespace) -> _Source:
    """The graded pairs of a benchmark with the texts of its data, or of a pool that has texts."""
    from assay.datasets import load_dataset
    from assay.judges import pool_with_texts, read_pool
    from assay.store import combined, restore_ids

    pool = read_pool(Path(options.file)) if options.file else None
    every = _judgments(options, options.benchmark or (pool.benchmark if pool else ""))
    benchmark = options.benchmark or (pool.benchmark if pool else "") or _only_benchmark(every)
    own = [judgment for judgment in every if judgment.benchmark == benchmark]
    graded = _graded_pairs(own, benchmark) if pool is None else pool
    named = dataset_with_texts(options, benchmark)
    dataset = load_dataset(named) if isinstance(named, str) else named or _bundled(benchmark, is_needed=pool is None)
    pool = graded if dataset is None else pool_with_texts(graded, dataset)
    people = [judgment for judgment in own if judgment.kind == "people"]
    pool, notes = _usable(pool, people)
    known: dict[str, list[str]] = {}
    for pair in pool.pairs:
        known.setdefault(pair.query, []).append(pair.document)
    corpus = [document.content for document in dataset.documents.values()] if dataset is not None else []
    return _Source(pool, restore_ids(combined(people), known), corpus, notes)


def _judgments(options: argparse.Namespace, benchmark: str) -> list[Judgment]:
    """The grades in the store. With a pool, no store is needed."""
    from assay.store import parse_location

    if options.file and not parse_location(options.store).exists:
        return []
    with open_store(options) as store:
        return list(store.judgments.find(benchmark or None))


def _only_benchmark(every: Sequence[Judgment]) -> str:
    names = sorted({judgment.benchmark for judgment in every})
    if len(names) > 1:
        raise UsageError(f"{len(names)} benchmarks have grades. Add --benchmark   (choose from {some_of(names)})")
    return names[0] if names else ""


def _bundled(benchmark: str, *, is_needed: bool) -> BenchmarkDataset | None:
    from assay.datasets import has_own_documents, load_dataset

    if benchmark and has_own_documents(benchmark):
        return load_dataset(benchmark)
    if is_needed and benchmark:
        raise UsageError(
            f"the store has no texts of {benchmark}. Add --dataset with its data and --documents if the documents are "
            "elsewhere, or a pool with texts: assay judgments probe pool.jsonl --with …"
        )
    return None


def _graded_pairs(judgments: Sequence[Judgment], benchmark: str) -> PairPool:
    from assay.judges import Pair, PairPool

    pairs = sorted({(judgment.query, judgment.document) for judgment in judgments if judgment.kind in ("people", "model")})
    if not pairs:
        on = f" on {benchmark}" if benchmark else ""
        raise NothingSelected(
            f"nobody has graded documents{on} yet. To judge documents on a web page: assay serve; to let a model grade: "
            "assay judge"
        )
    return PairPool(tuple(Pair(query, "", document, "") for query, document in pairs), benchmark)


def _usable(pool: PairPool, people: Sequence[Judgment]) -> tuple[PairPool, list[str]]:
    """The pairs whose texts are known and are those that people saw; and what was left out."""
    from assay.judging import about_other_texts

    with_text = [pair for pair in pool.pairs if pair.query_text.strip() and pair.document_text.strip()]
    now = {printable(pair.document): pair.document_text for pair in with_text}
    others = about_other_texts(people, lambda document: (now.get(document, ""),))
    changed = {(judgment.query, judgment.document) for judgment in others}
    kept = [pair for pair in with_text if (printable(pair.query), printable(pair.document)) not in changed]
    if not kept:
        raise DataError("none of the graded pairs has a text. Add --dataset with the data of the benchmark")
    counts = {NO_TEXT: len(pool.pairs) - len(with_text), OTHER_TEXT: len(with_text) - len(kept)}
    notes = [f"pairs that {what} are left out: {n:,}" for what, n in counts.items() if n]
    return replace(pool, pairs=tuple(kept)), notes


# Output


def _dry_run(run: ProbeRun, judge: BoundJudge) -> Iterator[str]:
    from assay.judges import find_probe

    yield from request_lines(run.run.dry_run, judge.name)
    yield f"pairs      {run.n_pairs:,} without a change; {run.run.n_cached:,} outcomes are from earlier runs"
    for name, n in run.planned.items():
        yield f"{name:<10} {n:,}: {find_probe(name).meaning}"
    yield from planned_requests(run.run.dry_run)
    yield "Nothing was sent. To send, add --send."


def _sent(run: ProbeRun, figures: Sequence[ProbeFigure]) -> Iterator[str]:
    yield f"judge      {run.judge}"
    yield f"pairs      {run.n_pairs:,}, seed {run.seed}"
    if run.ungraded:
        yield f"ungraded   {', '.join(f'{name} {n:,}' for name, n in run.ungraded.items())}"
    if run.run.n_unasked:
        yield f"not sent   {run.run.n_unasked:,}"
    yield f"this run   {sums_of(run.run.ledger)}"
    yield f"all runs   {sums_of(run.run.total)}"
    yield ""
    yield from probe_lines(figures)
