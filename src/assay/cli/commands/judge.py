"""assay judge: let a model or a program grade the pairs of a pool. Nothing is sent without --send."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.asking_options import add_limits, ask_options, planned_requests, request_lines, sums_of
from assay.cli.judging.texts import dataset_with_texts
from assay.cli.output_options import add_quiet, add_store_argument, add_text_or_json, open_store
from assay.cli.program import Command, Group
from assay.cli.reading_options import add_documents_argument
from assay.errors import ProviderError, UsageError
from assay.grammar import WrittenName
from assay.masking import mask
from assay.serialize import dumps
from assay.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.judges import BoundJudge, JudgingRun, PairPool

EXAMPLES = """\
  assay judge pool.jsonl --with "openai(model=llama3.1, url=http://127.0.0.1:11434/v1)" --dry-run
  assay judge pool.jsonl --dataset queries.jsonl --documents ./corpus --with "openai(model=gpt-4o-mini)" --dry-run
  assay judge pool.jsonl --with "openai(model=gpt-4o-mini, key='\\${OPENAI_API_KEY}')" --price 0.15 0.60
  assay judge pool.jsonl --with "openai(model=gpt-4o-mini)" --price 0.15 0.60 --most-cost 5 --rpm 60 --send
  assay judge pool.jsonl --with "panel(openai(model=a), openai(model=b), python:mine:grade, vote=majority)" --send
  assay judge pool.jsonl --with python:my_module:grade --send --resume -o grades.jsonl"""
SCHEMA = "assay.judging/1"
MAX_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The pool, the judge, limits, and where the grades go."""
    parser.add_argument("pool", metavar="POOL", help="file with the pairs to grade, from assay pool")
    parser.add_argument(
        "--with",
        dest="judge",
        type=WrittenName,
        required=True,
        metavar="JUDGE",
        help="judge: openai(…), cross_encoder(…), python:module:function, command(…), replay(file) or panel(a, b, c)",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing (default)")
    mode.add_argument("--send", action="store_true", help="send the pairs to the judge; only this option sends anything")
    texts = parser.add_argument_group("pairs")
    texts.add_argument(
        "--dataset", metavar="DATASET", help="benchmark with the texts (default: the one that the pool names)"
    )
    add_documents_argument(texts)
    texts.add_argument("--benchmark", metavar="NAME", help="benchmark in the store that gets the grades")
    texts.add_argument("--drawn", action="store_true", help="grade only the pairs that were drawn for people")
    add_limits(parser.add_argument_group("limits"))
    show = parser.add_argument_group("output")
    show.add_argument("-o", "--output", metavar="FILE", help="write the grades as JSON lines, which replay(file) reads")
    add_store_argument(show)
    show.add_argument("--no-store", action="store_true", help="do not save the grades in the store")
    add_text_or_json(parser)
    add_quiet(show)


def run_judge_command(options: argparse.Namespace) -> int:
    """Everything is checked before the first pair is sent: names, texts, prices, and that the grades can be saved."""
    from assay.judges import pool_with_texts, read_pool, run_judge, to_judge

    judge = to_judge(options.judge)
    pool = read_pool(Path(options.pool))
    dataset = dataset_with_texts(options, options.benchmark or pool.benchmark)
    pool = pool_with_texts(pool.drawn if options.drawn else pool, dataset)
    pool = replace(pool, benchmark=options.benchmark or pool.benchmark)
    pool = replace(pool, configurations=_configurations(pool, options))
    if options.send:
        _check_place(pool, options)
    try:
        run = run_judge(pool, judge, ask_options(options))
    except KeyboardInterrupt:
        if options.send and not options.no_cache:
            sys.stderr.write("The outcomes so far are kept. To continue, run the same command again.\n")
        raise
    if options.send:
        _save(run, options)
    sys.stdout.write(_rendered(run, judge, pool, options))
    for note in run.notes:
        sys.stderr.write(printable(mask(f"note: {note}")) + "\n")
    if options.send and not run.judgments:
        raise ProviderError(f"no pair got a grade. {run.notes[0] if run.notes else 'See why above'}")
    return 0


def _configurations(pool: PairPool, options: argparse.Namespace) -> dict[str, str]:
    """System → its configuration in the store, to notice a judge that is also a part of a system. Empty without a store."""
    from assay.store import parse_location

    if not parse_location(options.store).exists:
        return {}
    with open_store(options) as store:
        newest = {
            name: entry
            for name in pool.systems
            for entry in store.list(pool.benchmark, name, limit=1)
            if entry.benchmark and entry.provider
        }
        stored = {name: store.find(f"{entry.evaluation}#{entry.benchmark}/{name}") for name, entry in newest.items()}
    return {
        name: dumps([result.provenance.get("provider") for result in evaluation.results])
        for name, evaluation in stored.items()
    }


def _check_place(pool: PairPool, options: argparse.Namespace) -> None:
    """Raise before anything is sent if the grades cannot be saved."""
    if options.output and not Path(options.output).absolute().parent.is_dir():
        raise UsageError(f"-o {options.output}: its folder does not exist")
    if options.no_store:
        if not options.output:
            raise UsageError("--no-store needs -o, because otherwise the grades are lost")
        return
    if not pool.benchmark:
        raise UsageError("the pool names no benchmark. Add --benchmark, or write the grades with --no-store -o grades.jsonl")
    with open_store(options) as store:
        store.refuse_read_only()
        store.judgments.check_benchmark(pool.benchmark)


def _save(run: JudgingRun, options: argparse.Namespace) -> None:
    if options.output:
        from assay.files import write_lines

        write_lines(Path(options.output), _lines(run))
    if not options.no_store:
        with open_store(options) as store:
            store.judgments.give_all(run.judgments)


def _lines(run: JudgingRun) -> Iterator[dict[str, Any]]:
    """A line for each grade, then for each pair without one, with the reason and without a grade of 0."""
    for judgment in run.judgments:
        yield {name: value for name, value in judgment.to_dict().items() if value not in ("", None)}
    for pair in run.ungraded:
        yield {"query": pair.query, "document": pair.document, "grade": None, "why": pair.why}


def _rendered(run: JudgingRun, judge: BoundJudge, pool: PairPool, options: argparse.Namespace) -> str:
    if options.format == "json":
        return dumps({"schema": SCHEMA, **_json(run, is_sent=options.send)}, indent=2) + "\n"
    return "\n".join(_outcome(run) if options.send else _dry_run(run, judge, pool)) + "\n"


def _json(run: JudgingRun, *, is_sent: bool) -> dict[str, Any]:
    return {"is_sent": is_sent, **run.to_dict()}


def _dry_run(run: JudgingRun, judge: BoundJudge, pool: PairPool) -> Iterator[str]:
    if run.n_cached == len(pool.pairs):
        yield "All pairs have an outcome from earlier runs, so no request would be sent."
    else:
        yield from request_lines(run.dry_run, judge.name)
    n_undrawn = sum(not pair.is_drawn for pair in pool.pairs)
    beyond = f", {n_undrawn:,} of them not drawn for people (--drawn leaves them out)" if n_undrawn else ""
    yield f"pairs      {len(pool.pairs):,}{beyond}; {run.n_cached:,} have an outcome from earlier runs"
    yield from planned_requests(run.dry_run)
    yield "Nothing was sent. To send, add --send."


def _outcome(run: JudgingRun) -> Iterator[str]:
    names = dict.fromkeys(judgment.judge for judgment in run.judgments)
    yield f"judge      {', '.join(names) or run.judge}"
    yield f"graded     {len(run.judgments):,}"
    yield f"ungraded   {len(run.ungraded):,}"
    for pair in run.ungraded[:MAX_SHOWN]:
        yield printable(f"           query {pair.query}, document {pair.document}: {pair.why}")
    if len(run.ungraded) > MAX_SHOWN:
        yield f"           and {len(run.ungraded) - MAX_SHOWN:,} more"
    if run.n_unasked:
        yield f"not sent   {run.n_unasked:,}"
    yield f"cached     {run.n_cached:,}"
    yield f"this run   {sums_of(run.ledger)}"
    yield f"all runs   {sums_of(run.total)}"
    if names:
        yield f"To compare it with people: assay judgments calibrate --judge {shlex.quote(next(iter(names)))}"


COMMAND = Command(
    "judge",
    "let a model or a program grade the pairs of a pool; nothing is sent without --send",
    add_arguments,
    run_judge_command,
    EXAMPLES,
    group=Group.DATA,
)
