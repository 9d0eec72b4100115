"""Score files: one score per line in the order of a data file, as programs for learning to rank write their predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError, Faults
from assay.files.rows import is_number, n_columns, trec_rows
from assay.files.source import NOT_UTF8, FileSource
from assay.model import Ranking, Rankings, parse_number
from assay.text import counted

WIDTH = 3
"""Columns of RankLib's scores: query, document or its number in the query, score."""
LAYOUT = "query document score"


def has_row_scores(source: FileSource) -> bool:
    """Whether a file has one number per line and nothing else."""
    return source.kind == "trec" and len(source.first_line.split()) == 1 and is_number(source.first_line.strip())


def has_named_scores(source: FileSource) -> bool:
    """Whether a file has three columns without a header: query, document and score."""
    return source.kind == "trec" and n_columns(source.first_line) == WIDTH


def read_row_scores(source: FileSource) -> Floats:
    """The number on each line. A line that is not a number is a fault; empty lines at the end do not count."""
    faults = Faults(source.label)
    with source.reading() as file:
        content = file.read()
    lines = content.rstrip().splitlines()
    try:
        scores = np.array(lines, dtype=np.float64) if b"_" not in content else None
    except ValueError:
        scores = None
    if scores is not None and not np.isnan(scores).any():
        return scores
    read = np.zeros(len(lines))
    for number, line in enumerate(lines, 1):
        try:
            read[number - 1] = parse_number(line.decode().strip())
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
        except ValueError:
            read[number - 1] = np.nan
        if np.isnan(read[number - 1]):
            faults.add(number, f"the score must be a number, not {line.decode('utf-8', 'replace').strip()!r}", code="score")
        if faults.full:
            break
    faults.raise_if_any()
    return read


def rankings_of_rows(scores: Floats, documents: Mapping[str, Sequence[str]], label: str) -> Rankings:
    """The ranking of each query, if the scores are in the order of the documents. Another number of scores is an error."""
    n_rows = sum(map(len, documents.values()))
    if len(scores) != n_rows:
        message = f"expected {counted(n_rows, 'score')}, one for each document of the data file, found {len(scores):,}"
        raise DataError(message, source=label)
    listed = scores.tolist()
    ends = list(accumulate(map(len, documents.values()), initial=0))
    pairs = zip(documents.items(), ends[:-1], ends[1:], strict=True)
    return Rankings({query: dict(zip(docs, listed[begin:end], strict=True)) for (query, docs), begin, end in pairs})


def read_named_scores(source: FileSource, documents: Mapping[str, Sequence[str]]) -> Rankings:
    """Query, document and score on each line. RankLib numbers the documents of a query from 0 instead of naming them."""
    faults = Faults(source.label)
    by_query: dict[str, Ranking] = {}
    numbered = {query: {str(number): doc for number, doc in enumerate(docs)} for query, docs in documents.items()}
    known = {query: frozenset(docs) for query, docs in documents.items()}
    for number, fields in trec_rows(source, WIDTH, LAYOUT, faults):
        try:
            query, doc, score = (field.decode() for field in fields[:WIDTH])
            value = parse_number(score)
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
            continue
        except ValueError:
            value = np.nan
        if np.isnan(value):
            shown = fields[2].decode("utf-8", "replace")
            faults.add(number, f"the score must be a number, not {shown!r}", code="score")
            continue
        name = doc if doc in known.get(query, ()) else numbered.get(query, {}).get(doc, doc)
        ranking = by_query.setdefault(query, {})
        if name in ranking:
            faults.add(number, f"document {name} appears twice for query {query}", code="duplicate")
        ranking[name] = value
    faults.raise_if_any()
    return Rankings(by_query)
