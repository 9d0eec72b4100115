"""Schemas: what the JSON API gives, in the words of JSON Schema."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
YES_OR_NO: Schema = {"type": "boolean"}
FIGURE: Schema = {"type": ["number", "null"]}
"""A number; null where it is undefined."""
ANY_OBJECT: Schema = {"type": "object"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def thing(**properties: Schema) -> Schema:
    """An object that has all of these, and perhaps more."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def exact(**properties: Schema) -> Schema:
    """An object that has all of these and nothing else."""
    return {**thing(**properties), "additionalProperties": False}


def several(item: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": item}


def by_name(item: Schema) -> Schema:
    """An object whose names are data."""
    return {"type": "object", "additionalProperties": item}


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def paged(name: str, item: Schema) -> Schema:
    """One page of a list: its items, how many there are in all, and where the next page is."""
    return exact(**{name: several(item)}, total=WHOLE, next=maybe(TEXT))


SUMMARY = exact(value=FIGURE, low=FIGURE, high=FIGURE, n=WHOLE)
ENTRY = exact(
    key=TEXT,
    evaluation=TEXT,
    place=WHOLE,
    saved=TEXT,
    started=TEXT,
    benchmark=TEXT,
    provider=TEXT,
    n_queries=WHOLE,
    n_failed=WHOLE,
    dataset=TEXT,
    is_failed=YES_OR_NO,
    figures=by_name(SUMMARY),
    tags=TEXTS,
    baselines=TEXTS,
)
RESULT = thing(
    key=TEXT,
    evaluation=TEXT,
    place=WHOLE,
    name=TEXT,
    benchmark=TEXT,
    summary=by_name(FIGURE),
    counts=by_name(WHOLE),
    policy=ANY_OBJECT,
    missing=TEXTS,
    notes=TEXTS,
    fingerprints=by_name(TEXT),
)
SCORES = by_name({"type": ["number", "string", "null"]})
QUERY_ROW = exact(query=TEXT, text=TEXT, tags=ANY_OBJECT, scores=SCORES, failure=maybe(TEXT))
HIT = exact(rank=WHOLE, document=TEXT, score=FIGURE, grade=FIGURE)
QUERY = thing(
    key=TEXT,
    query=TEXT,
    text=TEXT,
    tags=ANY_OBJECT,
    benchmark=TEXT,
    provider=TEXT,
    failure=maybe(TEXT),
    scores=SCORES,
    ranking=several(HIT),
    not_retrieved=by_name(FIGURE),
    grades_known=YES_OR_NO,
    rankings_kept=YES_OR_NO,
)
CHANGE = exact(before=FIGURE, after=FIGURE)
EFFECT = exact(n_added=WHOLE, n_kept=WHOLE, summary=by_name(CHANGE), queries=by_name(by_name(CHANGE)), left_out=TEXTS)
COMPARISON = thing(
    systems=TEXTS,
    metrics=TEXTS,
    n_queries=WHOLE,
    how=ANY_OBJECT,
    summary=by_name(by_name(FIGURE)),
    pairs=several(
        thing(metric=TEXT, a=TEXT, b=TEXT, difference=FIGURE, low=FIGURE, high=FIGURE, p=FIGURE, p_corrected=FIGURE)
    ),
    verdict=TEXT,
    notes=TEXTS,
)
BOARD_ROW = exact(
    rank=WHOLE,
    key=TEXT,
    provider=TEXT,
    value=FIGURE,
    low=FIGURE,
    high=FIGURE,
    n=WHOLE,
    started=TEXT,
    tied_with=maybe(several(WHOLE)),
)
BOARD = exact(benchmark=TEXT, metric=TEXT, rows=several(BOARD_ROW), verdict=TEXT, notes=TEXTS)
POINT = exact(
    evaluation=TEXT, started=TEXT, value=FIGURE, low=FIGURE, high=FIGURE, n=WHOLE, dataset=TEXT, was_baseline=YES_OR_NO
)
TURN = exact(
    evaluation=TEXT,
    started=TEXT,
    place=WHOLE,
    kind={"enum": ["step", "spike"]},
    before=FIGURE,
    after=FIGURE,
    is_worse=YES_OR_NO,
)
SERIES = exact(benchmark=TEXT, provider=TEXT, metric=TEXT, points=several(POINT), changes=several(TURN))
DATASET = exact(
    name=TEXT, n_results=WHOLE, n_providers=WHOLE, n_versions=WHOLE, n_queries=WHOLE, last_started=TEXT, n_judgments=WHOLE
)
METRIC = thing(name=TEXT, meaning=TEXT, formula=TEXT, range=TEXT, higher_is_better=YES_OR_NO, view=TEXT, aliases=TEXTS)
JUDGMENT = exact(benchmark=TEXT, query=TEXT, document=TEXT, judge=TEXT, grade={"type": "number"}, note=TEXT, judged=TEXT)
AGREEMENT = exact(a=TEXT, b=TEXT, n_pairs=WHOLE, n_same=WHOLE, same={"type": "number"}, kappa=FIGURE, weighted_kappa=FIGURE)
PART = exact(
    name=TEXT, n_asked=WHOLE, n_done=WHOLE, n_failed=WHOLE, n_cached=WHOLE, seconds={"type": "number"}, waiting=TEXT
)
RUNNING = exact(id=TEXT, started=TEXT, n_parts=WHOLE, n_done=WHOLE, parts=several(PART))
ERROR = exact(error=exact(status=WHOLE, message=TEXT))
