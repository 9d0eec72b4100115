"""assay queries: where queries come from: sample them from a search log, or let a model write some for documents."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.asking_options import add_limits, ask_options, print_notes, raise_if_stopped
from assay.cli.output_options import add_quiet
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.cli.terminal import text_here
from assay.errors import ProviderError, UnknownName, UsageError, near_matches
from assay.grammar import WrittenName
from assay.masking import mask
from assay.text import counted, percent, printable

if TYPE_CHECKING:
    from assay.datasets import QuerySample
    from assay.judges import GeneratedQueries

EXAMPLES = """\
  assay queries sample log.csv -n 200 --by intent --seed 1 -o queries.jsonl
  assay queries sample log.parquet -n 100 --by country --allocation equal --text q --count n -o queries.jsonl
  assay queries generate ./docs -n 100 --with "openai(model=llama3.1, url=http://127.0.0.1:11434/v1)" --dry-run
  assay queries generate ./docs -n 100 --with "openai(model=gpt-4o-mini)" --price 0.15 0.6 --most-cost 1 --send -o q.jsonl"""
ACTIONS = ("sample", "generate")
MOST, USUAL_N = 1_000_000, 200
SAMPLE_FLAGS = {"by": None, "allocation": None, "text": None, "count": None}
GENERATE_FLAGS = {"judge": None, "send": False, "dry_run": False, "per_document": None, "no_check": False}
"""Flags of one action alone, and what they are if nobody gave them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, its source, the number of queries, and the file to write."""
    parser.add_argument(
        "action",
        metavar="|".join(ACTIONS),
        help="sample: draw queries from a search log; generate: let a model write queries for documents",
    )
    parser.add_argument(
        "source", nargs="?", metavar="SOURCE", help="sample: a log (CSV, JSON lines, Parquet); generate: documents"
    )
    parser.add_argument("-n", type=integer_parser(MOST, 1), metavar="N", help="number of queries (required)")
    parser.add_argument("--seed", type=integer_parser(MOST), default=1, metavar="SEED", help="seed of the draw (default: 1)")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write, as JSON lines")
    sample = parser.add_argument_group("sample")
    sample.add_argument("--by", metavar="COLUMN", help="draw from each value of this column")
    sample.add_argument(
        "--allocation",
        choices=("proportional", "equal"),
        metavar="HOW",
        help="queries for each value: proportional or equal, and at least one (default: proportional)",
    )
    sample.add_argument("--text", metavar="COLUMN", help="column with the query, if it is not recognised")
    sample.add_argument("--count", metavar="COLUMN", help="column with the number of times, if it is not recognised")
    generate = parser.add_argument_group("generate")
    generate.add_argument(
        "--with", dest="judge", type=WrittenName, metavar="SERVICE", help="service: openai(model=…, url=…)"
    )
    mode = generate.add_mutually_exclusive_group()
    mode.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing (default)")
    mode.add_argument("--send", action="store_true", help="send documents to the service; only this option sends anything")
    generate.add_argument(
        "--per-document", type=integer_parser(100, 1), metavar="N", help="most queries for a document (default: 2)"
    )
    generate.add_argument("--no-check", action="store_true", help="do not ask whether the document answers the query")
    add_limits(parser.add_argument_group("limits of generate"))
    add_quiet(parser)


def run_queries(options: argparse.Namespace) -> int:
    """Run the action; the options are checked before anything is read."""
    _check_action(options)
    _check_flags(options, GENERATE_FLAGS if options.action == "sample" else SAMPLE_FLAGS)
    if options.output and not Path(options.output).absolute().parent.is_dir():
        raise UsageError(f"-o {options.output}: its folder does not exist")
    return _sample(options) if options.action == "sample" else _generate(options)


def _check_action(options: argparse.Namespace) -> None:
    """Raise if the action, its source or the number of queries is missing, with a command that has what the user gave."""
    word = Path(options.action)
    if options.action not in ACTIONS and options.source is None and (word.suffix or word.exists()):
        whole = _whole_command("generate" if word.is_dir() else "sample", options.action, options)
        raise UsageError(f"{options.action} is not an action. Choose {' or '.join(ACTIONS)}: {whole}")
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    missing = [name for name, value in (("SOURCE", options.source), ("-n", options.n)) if value is None]
    if missing:
        source = options.source or ("log.csv" if options.action == "sample" else "./docs")
        raise UsageError(
            f"{options.action} needs {' and '.join(missing)}: {_whole_command(options.action, source, options)}"
        )


def _whole_command(action: str, source: str, options: argparse.Namespace) -> str:
    """A command to start from, which has what the user gave."""
    how = "" if action == "sample" else " --with 'openai(model=…, url=…)' --dry-run"
    output = options.output or ("queries.jsonl" if action == "sample" else "")
    written = f" -o {shlex.quote(output)}" if output else ""
    return f"assay queries {action} {shlex.quote(source)} -n {options.n or USUAL_N}{how}{written}"


def _check_flags(options: argparse.Namespace, foreign: Mapping[str, Any]) -> None:
    words = {"judge": "with"}
    for name, default in foreign.items():
        if getattr(options, name) != default:
            raise UsageError(
                f"--{words.get(name, name).replace('_', '-')} is not an option of assay queries {options.action}"
            )


def _sample(options: argparse.Namespace) -> int:
    from assay.datasets import sample_queries
    from assay.files import write_lines

    if not options.output:
        raise UsageError("sample needs -o: assay queries sample log.csv -n 200 -o queries.jsonl")
    sample = sample_queries(
        options.source,
        options.n,
        options.by or "",
        options.seed,
        allocation=options.allocation or "proportional",
        text=options.text or "",
        count=options.count or "",
    )
    write_lines(Path(options.output), [query.to_record(sample.by) for query in sample.queries])
    if not options.quiet:
        sys.stderr.write("".join(f"note: {printable(sentence)}\n" for sentence in _notes_on(sample, options.n)))
    sys.stdout.write(_sampled(sample, options))
    return 0


def _notes_on(sample: QuerySample, n: int) -> Iterator[str]:
    for why, times in sample.left_out.items():
        what = "without a text" if why == "no text" else f"with what looks like {'an' if why[0] == 'e' else 'a'} {why}"
        yield f"{counted(times, 'line')} {what} {'is' if times == 1 else 'are'} left out."
    if len(sample.queries) < n:
        yield f"the log has only {counted(sample.n_distinct, 'different query')}."


def _sampled(sample: QuerySample, options: argparse.Namespace) -> str:
    of = f"{sample.n_distinct:,} different ones in {counted(sample.n_lines, 'line')}"
    text = (
        printable(f"{counted(len(sample.queries), 'query')} of {of} written to {options.output}, seed {options.seed}") + "\n"
    )
    rows = [[name, f"{size:,}", f"{n:,}", percent(n / size)] for name, (size, n) in sample.strata.items()]
    table = f"{_table([sample.by, 'different queries', 'drawn', 'probability'], rows)}\n" if sample.by else ""
    return f"{table}{text}{_next_step(options.output)}\n"


def _next_step(file: str) -> str:
    """How to go on from a file of queries."""
    return printable(f"To run systems on them: assay eval --queries {shlex.quote(file)} --documents FOLDER --providers bm25")


def _generate(options: argparse.Namespace) -> int:
    from assay.datasets import load_documents
    from assay.files import write_lines
    from assay.judges import generate_queries, to_judge

    if not options.judge:
        raise UsageError("generate needs --with, such as --with 'openai(model=llama3.1, url=http://127.0.0.1:11434/v1)'")
    if options.send and not options.output:
        raise UsageError("--send needs -o, because otherwise the queries are lost")
    made = generate_queries(
        load_documents(options.source),
        options.n,
        to_judge(options.judge),
        ask_options(options),
        per_document=options.per_document or 2,
        seed=options.seed,
        check=not options.no_check,
    )
    print_notes(made.notes, made.failure)
    if not options.send:
        sys.stdout.write("\n".join(_dry_run(made, options)) + "\n")
        return 0
    raise_if_stopped(made.failure, counted(made.n_unsent, "request"), options)
    if not made.queries:
        why = "; ".join(f"{why} ({times:,})" for why, times in made.left_out.items())
        raise ProviderError(mask(f"no query could be kept: {why or 'nothing was sent'}"))
    write_lines(Path(options.output), [query.to_record() for query in made.queries])
    sys.stdout.write("\n".join(_generated(made, options)) + "\n")
    return 0


def _dry_run(made: GeneratedQueries, options: argparse.Namespace) -> Iterator[str]:
    plan = made.dry_run
    if plan.request:
        yield from ("The first request, in full:", "", *plan.request.splitlines(), "")
    cost = "" if plan.most_cost is None else f", at most {plan.most_cost:,.4f}"
    yield f"documents  {made.n_documents:,} drawn, seed {options.seed}"
    yield f"requests   {plan.requests:,} to {', '.join(plan.hosts) or 'nobody'}"
    yield f"tokens     about {plan.tokens_in:,} sent, at most {plan.most_tokens_out:,} received{cost}"
    if not options.no_check:
        most = made.n_documents * (options.per_document or 2)
        yield f"then       at most {most:,} more requests, which check whether documents answer the queries"
    yield "Nothing was sent. To send: --send"


def _generated(made: GeneratedQueries, options: argparse.Namespace) -> Iterator[str]:
    n_documents = len({query.document for query in made.queries})
    yield printable(
        f"{counted(len(made.queries), 'query')} for {counted(n_documents, 'document')} written to {options.output}, "
        "each with origin=synthetic"
    )
    for why, times in made.left_out.items():
        yield printable(f"left out   {times:,}: {why}")
    totals = made.ledger
    cost = "" if totals.cost is None else f", cost {totals.cost:,.4f}"
    tokens = f"{totals.tokens_in:,} tokens sent, {totals.tokens_out:,} received"
    yield f"this run   {counted(totals.requests, 'request')}, {tokens}{cost}"
    yield _next_step(options.output)


def _table(head: list[str], rows: list[list[str]]) -> str:
    from assay.reports import Column, Table, cells, table_section

    heads = tuple(Column(title, kind="number" if place else "text") for place, title in enumerate(head))
    return text_here([table_section(Table(heads, tuple(cells(*row) for row in rows)))])


COMMAND = Command(
    "queries",
    "sample queries from a search log, or let a model write some",
    add_arguments,
    run_queries,
    EXAMPLES,
    group=Group.DATA,
)
