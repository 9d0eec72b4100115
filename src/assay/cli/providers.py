"""assay providers: list providers, explain one, or check that one answers."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from assay.cli._command import Command
from assay.cli._terminal import may_colour, terminal_width
from assay.errors import UsageError

EXAMPLES = """\
  assay providers
  assay providers bm25
  assay providers check "http(url='http://127.0.0.1:8000/search')\""""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A provider to explain or to check, or none for the list."""
    parser.add_argument("words", nargs="*", metavar="provider", help="a provider; after `check`, one with its parameters")
    parser.add_argument("--benchmark", default="rag-template", metavar="BENCHMARK", help="check: where queries come from")
    parser.add_argument("--queries", type=int, default=3, metavar="N", help="check: how many to ask (default: 3)")
    parser.add_argument("-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json")


def run_providers(options: argparse.Namespace) -> int:
    """List, explain or check."""
    if options.words[:1] == ["check"]:
        if len(options.words) != 2:
            raise UsageError("say which provider to check: assay providers check bm25")
        return _check(options, options.words[1])
    if len(options.words) > 1:
        raise UsageError("one provider at a time: assay providers bm25")
    return _describe(options, options.words[0] if options.words else None)


def _describe(options: argparse.Namespace, name: str | None) -> int:
    from assay.providers._provider import all_providers, find_provider
    from assay.reports._layout import Style
    from assay.reports._providers import describe_provider, render_provider, render_providers

    style = Style(terminal_width(), may_colour())
    if options.format == "json":
        found: Any = (
            describe_provider(find_provider(name)) if name else [describe_provider(one) for one in all_providers().values()]
        )
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(render_provider(find_provider(name), style) if name else render_providers(all_providers(), style))
    return 0


def _check(options: argparse.Namespace, text: str) -> int:
    """Ask a few queries and show what comes back."""
    from assay.datasets._format import load_dataset
    from assay.evaluation.asking import Patience
    from assay.evaluation.runner import Part, Progress, gather
    from assay.evaluation.selection import Selection
    from assay.providers._provider import parse_provider
    from assay.reports._layout import Style
    from assay.reports._providers import render_check

    dataset = load_dataset(options.benchmark)
    queries = Selection(limit=max(1, options.queries)).apply(dataset.queries)
    part = Part(dataset, parse_provider(text), queries, 10, Patience(retries=0, timeout=30))
    answers = gather(part, {}, None, Progress(part.name, len(queries)))
    known = set(dataset.documents)
    if options.format == "json":
        plain = {
            query: {"docs": one.docs, "scores": one.scores, "ms": one.ms, "error": one.error}
            for query, one in answers.items()
        }
        sys.stdout.write(json.dumps(plain, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(render_check(part.provider.name, queries, answers, known, Style(terminal_width(), may_colour())))
    return 4 if any(answer.error for answer in answers.values()) else 0


COMMAND = Command("providers", "list, explain or check providers", add_arguments, run_providers, EXAMPLES)
