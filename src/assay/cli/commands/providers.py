"""assay providers: list providers, explain one, or check that one works."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser, parse_seconds
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import ProviderError, UsageError, near_matches
from assay.grammar import WrittenName
from assay.serialize import dumps
from assay.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.execution import Part, Response
    from assay.reports import CheckReport

EXAMPLES = """\
  assay providers
  assay providers bm25
  assay providers check bm25
  assay providers check "http(url='http://127.0.0.1:8000/search')" --benchmark ./my-beir --queries 5 --k 20"""

ONE_PROVIDER_MESSAGE = (
    "expected one provider. To explain it: assay providers bm25. To run a few queries on it: assay providers check bm25"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A provider to explain or to check, or none for the list."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="provider",
        help="provider to explain; or the word check, then a provider to check, with its parameters; without arguments, "
        "list all providers",
    )
    _add_check_arguments(parser)
    add_text_or_json(parser)


def _add_check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--benchmark",
        default="rag-template",
        metavar="BENCHMARK",
        help="check: benchmark with the queries to run (default: rag-template)",
    )
    parser.add_argument(
        "--queries",
        type=integer_parser(1_000_000, 1),
        default=3,
        metavar="N",
        help="check: number of queries to run (default: 3)",
    )
    parser.add_argument(
        "--k",
        type=integer_parser(1_000_000, 1),
        default=10,
        metavar="K",
        help="check: number of documents to retrieve per query (default: 10)",
    )
    parser.add_argument(
        "--timeout",
        type=parse_seconds,
        default=10.0,
        metavar="SECONDS",
        help="check: time limit for one query (default: 10)",
    )


def run_providers(options: argparse.Namespace) -> int:
    """List, explain or check."""
    if options.words[:1] == ["check"]:
        if len(options.words) != 2:
            raise UsageError("check needs one provider: assay providers check bm25")
        return _check(options, options.words[1])
    if len(options.words) > 1:
        is_typo = near_matches(options.words[0], ["check"])
        raise UsageError(f"did you mean assay providers check {options.words[1]}?" if is_typo else ONE_PROVIDER_MESSAGE)
    return _describe(options, options.words[0] if options.words else None)


def _describe(options: argparse.Namespace, name: str | None) -> int:
    from assay.providers import all_providers, find_provider
    from assay.reports import describe_provider, provider_list_sections, provider_sections

    if options.format == "json":
        content: Any = (
            describe_provider(find_provider(name))
            if name
            else [describe_provider(provider) for provider in all_providers().values()]
        )
        write_json(content)
    else:
        sections = provider_sections(find_provider(name)) if name else provider_list_sections(all_providers())
        sys.stdout.write(text_here(sections))
    return 0


class ResponseWriter:
    """Writes responses as they arrive, one line each."""

    def __init__(self, report: CheckReport, out: TextIO) -> None:
        self._report, self._out = report, out
        self.write(report.head())

    def append(self, _: str, answers: Sequence[Response], /) -> None:
        """Write responses."""
        for answer in answers:
            self.write(self._report.row(answer) + "\n")

    def write(self, text: str) -> None:
        """Write a text immediately."""
        self._out.write(text)
        self._out.flush()


def _check(options: argparse.Namespace, text: str) -> int:
    """Run a few queries and show the responses. What a provider prints itself goes to standard error."""
    from assay.execution import Progress, collect_responses
    from assay.providers import notes_on_literals
    from assay.reports import CheckReport, Style, describe_check

    out, style = sys.stdout, Style(terminal_width(), use_colour())
    with redirect_stdout(sys.stderr):
        part = _part(options, text)
        for note in notes_on_literals([part.provider]):
            _write_warning(note)
        live_report = ResponseWriter(CheckReport(part, style), out) if options.format == "text" else None
        progress = Progress(part.name, len(part.queries), tell=_write_warning)
        answers = collect_responses(part, {}, live_report, progress)
    if live_report is None:
        out.write(dumps(describe_check(part, answers), indent=2) + "\n")
    else:
        live_report.write(CheckReport(part, style).verdict(answers))
    return ProviderError.exit_code if any(answer.error is not None for answer in answers.values()) else 0


def _write_warning(warning: str) -> None:
    sys.stderr.write(f"warning: {printable(warning)}\n")
    sys.stderr.flush()


def _part(options: argparse.Namespace, text: str) -> Part:
    """The queries to run, without retries, because a check shows what happens."""
    from assay.datasets import load_dataset
    from assay.execution import Part, RetryPolicy, Selection
    from assay.providers import parse_provider

    provider = parse_provider(WrittenName(text))
    provider.check()
    dataset = load_dataset(options.benchmark)
    queries = Selection(limit=options.queries).apply(dataset.queries)
    return Part(dataset, provider, queries, options.k, RetryPolicy(retries=0, timeout=options.timeout))


COMMAND = Command(
    "providers", "list, explain or check providers", add_arguments, run_providers, EXAMPLES, group=Group.LOOK_UP
)
