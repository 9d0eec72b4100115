"""Reading a run for its preflight: what cannot be read becomes findings, with the lines where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from assay.datasets._check_documents import fault_case
from assay.datasets._finding import Case, Cases, Finding
from assay.datasets._hits import hits_of
from assay.datasets._source import FileSource, as_source
from assay.datasets._trec_lines import trec_fields
from assay.errors import DataError
from assay.model import Rankings, Run, as_rankings, as_score
from assay.text import counted


class CheckedRun(NamedTuple):
    """A run as far as it can be read, and what was found on the way."""

    run: Run | None
    findings: list[Finding]


def read_checked(source: Any) -> CheckedRun:
    """Anything that holds a run. A document ranked twice does not end the check: its better score is taken."""
    try:
        source = as_source(source)
        rankings = _rankings(source, "error")
    except DataError as error:
        findings = _faults(error)
        if {finding.code for finding in findings} != {"run-duplicate-document"}:
            return CheckedRun(None, findings)
        return _read_again(source, findings)
    if bad := _not_numbers(rankings):
        return CheckedRun(None, bad)
    return CheckedRun(Run.borrow(rankings), _contradictions(source))


def _read_again(source: Any, findings: list[Finding]) -> CheckedRun:
    try:
        rankings = _rankings(source, "keep_best")
    except DataError as error:
        return CheckedRun(None, [*findings, *_faults(error)])
    return CheckedRun(Run.borrow(rankings), [*findings, *_contradictions(source)])


def _rankings(source: Any, duplicates: str) -> Rankings:
    """Document → score for each query, be they given as ids or as hits with texts."""
    hits = None if isinstance(source, Run) else hits_of(source)
    if hits is None:
        return as_rankings(source, duplicates)
    pairs = {query: [(hit.doc_id, hit.score) for hit in found] for query, found in hits.items()}
    return as_rankings(pairs, duplicates)


def _faults(error: DataError) -> list[Finding]:
    """The faults of the reader, sorted by what is wrong."""
    numbers, twice, others = Cases("run-score-not-a-number"), Cases("run-duplicate-document"), Cases("run-unreadable")
    for fault in error.faults or (error.message,):
        case = fault_case(fault)
        is_number = "score" in case.found and "number" in case.found
        (numbers if is_number else twice if "appears twice" in case.found else others).add(case)
    return [
        *others.finding("the run cannot be read"),
        *numbers.finding(f"{counted(len(numbers), 'score')} that cannot be ranked"),
        *twice.finding(f"{counted(len(twice), 'document')} ranked twice for a query"),
    ]


def _not_numbers(rankings: Rankings) -> list[Finding]:
    """Scores that are none, in runs that come from memory."""
    try:
        Run.borrow(rankings).scores  # noqa: B018 (validates them all at once)
    except DataError:
        cases = Cases("run-score-not-a-number")
        for query, ranking in rankings.by_query.items():
            for doc, score in ranking.items():
                if as_score(score) is None:
                    cases.about_run(query, f"the score of document {doc} is {score!r}", doc)
        return cases.finding(f"{counted(len(cases), 'score')} that cannot be ranked")
    return []


def _contradictions(source: Any) -> list[Finding]:
    """Ranks in the fourth column of a TREC file that say otherwise than the scores in the fifth."""
    if not isinstance(source, FileSource) or source.kind != "trec":
        return []
    cases = Cases("run-rank-contradicts-score")
    n_queries = 0
    for query, lines in _by_query(source):
        n_queries += 1
        if wrong := _first_contradiction(lines):
            (rank, score, _), (lower, better, number) = wrong
            found = f"rank {lower:g} has score {better:g}, rank {rank:g} has {score:g}"
            cases.add(Case(f"{source.label}:{number}, query {query}", found, query))
    return cases.finding(f"{counted(len(cases), 'query')} of {n_queries:,} where a worse rank has a better score")


Line = tuple[float, float, int]
"""Rank, score, number of the line."""


def _by_query(source: FileSource) -> Iterator[tuple[str, list[Line]]]:
    """Stretches of lines of one query; lines whose rank is no number are passed over."""
    last, lines = b"", list[Line]()
    for number, line in source.lines():
        fields = trec_fields(line, 6)
        if fields[0] != last:
            if lines:
                yield last.decode("utf-8", "replace"), lines
            last, lines = fields[0], []
        try:
            lines.append((float(fields[3]), float(fields[4]), number))
        except (ValueError, IndexError):  # three columns have no score to contradict
            continue
    if lines:
        yield last.decode("utf-8", "replace"), lines


def _first_contradiction(lines: list[Line]) -> tuple[Line, Line] | None:
    """The first line, going down the ranks, that scores better than one at a better rank."""
    if all(one[0] <= other[0] and one[1] >= other[1] for one, other in pairwise(lines)):
        return None
    lowest: Line | None = None
    before: Line | None = None
    for line in sorted(lines, key=lambda line: (line[0], -line[1])):
        if before is not None and line[0] > before[0]:
            lowest = before if lowest is None or before[1] < lowest[1] else lowest
        if lowest is not None and line[1] > lowest[1]:
            return lowest, line
        before = line
    return None
