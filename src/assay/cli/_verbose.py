"""-v: what a command took long over and what it decided by itself, on standard error; one argument for all that compute."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.evaluation import Profile, Result


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """The flag."""
    parser.add_argument("-v", "--verbose", action="store_true", help="timings and choices made, on standard error")


def log_verbose(options: argparse.Namespace, words: str) -> None:
    """Say it, if somebody wants to know; a command without the flag is never asked to."""
    if getattr(options, "verbose", False):
        sys.stderr.write(f"{printable(words)}\n")


@contextmanager
def timed(options: argparse.Namespace, words: str) -> Iterator[list[str]]:
    """Tell how long something took; what is put into the list is told with it. Nothing is told of what failed."""
    began, more = time.perf_counter(), list[str]()
    yield more
    log_verbose(options, f"{', '.join([words, *more])} in {time.perf_counter() - began:.2f} s")


def kind_of(source: Any) -> str:
    """What a file was recognised as: `trec`, `trec, gzip`."""
    return ", ".join(filter(None, (source.kind, source.compression)))


def log_policy(options: argparse.Namespace, profile: Profile) -> None:
    """The conventions that figures follow."""
    name = f"{profile.tool}, " if profile.tool else ""
    policy = profile.policy
    level = "level grade > 0" if policy.rel is None else f"level grade ≥ {policy.rel:g}"
    others = {rule: value for rule, value in policy.to_dict().items() if rule != "rel" and value not in (None, False)}
    rules = [rule if value is True else f"{rule} {value}" for rule, value in others.items()]
    log_verbose(options, f"policy: {name}{', '.join([level, *rules])}")


def log_intervals(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """Which method made the intervals of which metrics: `auto` chooses by what the scores are like."""
    chosen: dict[str, dict[str, None]] = {}
    for result in results:
        for metric, one in result.intervals.items():
            chosen.setdefault(one.method, {})[metric] = None
    levels = {one.level for result in results for one in result.intervals.values()}
    said = "; ".join(f"{method} for {', '.join(metrics)}" for method, metrics in chosen.items())
    if said:
        n = max(len(result.query_ids) for result in results)
        log_verbose(options, f"intervals: {said}; {100 * max(levels):g} %, {counted(n, 'query')}")
