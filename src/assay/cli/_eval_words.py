"""Words of `assay eval` that are not what stands there: told in the words of the command line."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.errors import UsageError

ENDINGS = (".yaml", ".yml")


def refuse_bare_words(options: argparse.Namespace) -> None:
    """`assay eval rag-template bm25`: benchmarks and providers have flags; the one bare word is a plan."""
    words = [word for word in (options.plan, *options.more_words) if word]
    if len(words) == 1:
        options.plan = words[0]
    if not words or (len(words) == 1 and (Path(words[0]).exists() or words[0].lower().endswith(ENDINGS))):
        return
    if any(word.lower().endswith(ENDINGS) for word in words):
        raise UsageError(f"one plan at a time, and all else has a flag; found {shlex.join(words)}")
    first, rest = words[0], words[1:] or ["bm25"]
    way = f"assay eval --benchmarks {shlex.quote(first)} --providers {shlex.join(rest)}"
    raise UsageError(f"{shlex.join(words)}: no such plan; benchmarks and providers have flags:\n  {way}")


def check_flags(options: argparse.Namespace) -> None:
    """Raise for values that a plan would complain about in words of its own."""
    from assay.execution import parse_range, parse_where
    from assay.stats import parse_paired_test

    flags: tuple[tuple[str, Callable[[Any], object], Any], ...] = (
        ("--test", parse_paired_test, options.test if options.test != "none" else None),
        ("--range", parse_range, options.range),
        ("--where", parse_where, options.where),
    )
    for flag, parse, value in flags:
        if value is None:
            continue
        try:
            parse(value)
        except UsageError as error:
            shown = value if isinstance(value, str) else shlex.join(value)
            raise UsageError(f"{flag} {shown}: {error}") from None


def refuse_no_result(path: str) -> None:
    """What `--retry-failed` names is a result; a plan or a run is none."""
    from assay.evaluation import is_saved_result

    if Path(path).is_file() and not is_saved_result(path):
        raise UsageError(f"--retry-failed {path}: that is no result; assay eval … -o result.json writes one")
