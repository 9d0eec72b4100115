"""Schemas: the responses of the JSON API as JSON Schema."""

from __future__ import annotations

from typing import Any

from assay.store import KINDS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
"""A number; null if it is undefined."""
ANY_OBJECT: Schema = {"type": "object"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def object_with(**properties: Schema) -> Schema:
    """An object with all of these properties, and perhaps more."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def exact_object(**properties: Schema) -> Schema:
    """An object with exactly these properties."""
    return {**object_with(**properties), "additionalProperties": False}


def array_of(item: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": item}


def mapping_of(item: Schema) -> Schema:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": item}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def paged(name: str, item: Schema) -> Schema:
    """One page of a list: its items, the total number, and the address of the next page."""
    return exact_object(**{name: array_of(item)}, total=INTEGER, next=nullable(TEXT))


SUMMARY = exact_object(value=NUMBER_OR_NULL, low=NUMBER_OR_NULL, high=NUMBER_OR_NULL, n=INTEGER)
ENTRY = exact_object(
    key=TEXT,
    evaluation=TEXT,
    place=INTEGER,
    saved=TEXT,
    started=TEXT,
    benchmark=TEXT,
    provider=TEXT,
    n_queries=INTEGER,
    rows_are=TEXT,
    n_failed=INTEGER,
    dataset=TEXT,
    is_failed=BOOLEAN,
    figures=mapping_of(SUMMARY),
    tags=TEXTS,
    baselines=TEXTS,
)
RESULT = object_with(
    key=TEXT,
    evaluation=TEXT,
    place=INTEGER,
    name=TEXT,
    benchmark=TEXT,
    summary=mapping_of(NUMBER_OR_NULL),
    counts=mapping_of(INTEGER),
    policy=ANY_OBJECT,
    missing=TEXTS,
    notes=TEXTS,
    fingerprints=mapping_of(TEXT),
)
SCORES = mapping_of({"type": ["number", "string", "null"]})
QUERY_ROW = exact_object(query=TEXT, text=TEXT, tags=ANY_OBJECT, scores=SCORES, failure=nullable(TEXT))
HIT = exact_object(rank=INTEGER, document=TEXT, score=NUMBER_OR_NULL, grade=NUMBER_OR_NULL, is_relevant=BOOLEAN)
QUERY = object_with(
    key=TEXT,
    query=TEXT,
    text=TEXT,
    tags=ANY_OBJECT,
    benchmark=TEXT,
    provider=TEXT,
    failure=nullable(TEXT),
    scores=SCORES,
    ranking=array_of(HIT),
    not_retrieved=mapping_of(NUMBER_OR_NULL),
    grades_known=BOOLEAN,
    rankings_kept=BOOLEAN,
)
CHANGE = exact_object(before=NUMBER_OR_NULL, after=NUMBER_OR_NULL)
EFFECT = exact_object(
    n_added=INTEGER,
    n_overruled=INTEGER,
    n_same=INTEGER,
    summary=mapping_of(CHANGE),
    queries=mapping_of(mapping_of(CHANGE)),
    left_out=TEXTS,
)
COMPARISON = object_with(
    systems=TEXTS,
    metrics=TEXTS,
    n_queries=INTEGER,
    how=ANY_OBJECT,
    summary=mapping_of(mapping_of(NUMBER_OR_NULL)),
    pairs=array_of(
        object_with(
            metric=TEXT,
            a=TEXT,
            b=TEXT,
            difference=NUMBER_OR_NULL,
            low=NUMBER_OR_NULL,
            high=NUMBER_OR_NULL,
            p=NUMBER_OR_NULL,
            p_corrected=NUMBER_OR_NULL,
        )
    ),
    verdict=TEXT,
    notes=TEXTS,
)
BOARD_ROW = exact_object(
    rank=INTEGER,
    key=TEXT,
    provider=TEXT,
    value=NUMBER_OR_NULL,
    low=NUMBER_OR_NULL,
    high=NUMBER_OR_NULL,
    n=INTEGER,
    started=TEXT,
    tied_with=nullable(array_of(INTEGER)),
)
BOARD = exact_object(benchmark=TEXT, metric=TEXT, rows=array_of(BOARD_ROW), verdict=TEXT, notes=TEXTS)
POINT = exact_object(
    evaluation=TEXT,
    started=TEXT,
    value=NUMBER_OR_NULL,
    low=NUMBER_OR_NULL,
    high=NUMBER_OR_NULL,
    n=INTEGER,
    dataset=TEXT,
    was_baseline=BOOLEAN,
)
TURN = exact_object(
    evaluation=TEXT,
    started=TEXT,
    place=INTEGER,
    kind={"enum": ["step", "spike", "drift"]},
    compared_with=TEXT,
    before=NUMBER_OR_NULL,
    after=NUMBER_OR_NULL,
    is_worse=BOOLEAN,
    p=NUMBER_OR_NULL,
    is_shown_beyond_queries=nullable(BOOLEAN),
    worse=TEXTS,
    n_worse=INTEGER,
    n_better=INTEGER,
    changed=array_of(exact_object(part=TEXT, text=TEXT)),
)
SERIES = exact_object(
    benchmark=TEXT, provider=TEXT, metric=TEXT, points=array_of(POINT), changes=array_of(TURN), doubt=nullable(TEXT)
)
STANDING = {"enum": ["worse", "failed", "better", "lower", "higher", "same", "new"]}
RUN = exact_object(
    evaluation=TEXT,
    place=INTEGER,
    started=TEXT,
    value=NUMBER_OR_NULL,
    low=NUMBER_OR_NULL,
    high=NUMBER_OR_NULL,
    n=INTEGER,
    n_queries=INTEGER,
    n_failed=INTEGER,
    is_failed=BOOLEAN,
)
SINCE = exact_object(
    **dict.fromkeys(("baseline", "evaluation", "started", "standing", "why_not"), nullable(TEXT)),
    place=nullable(INTEGER),
    **dict.fromkeys(("value_a", "value_b", "difference", "low", "high", "p"), NUMBER_OR_NULL),
    is_significant=nullable(BOOLEAN),
    worse=TEXTS,
    **dict.fromkeys(("n", "n_worse", "n_better"), INTEGER),
)
STATUS = exact_object(
    heading=TEXT,
    counts=mapping_of(INTEGER),
    series=array_of(
        exact_object(
            benchmark=TEXT,
            provider=TEXT,
            data=nullable(TEXT),
            metric=TEXT,
            higher_is_better=BOOLEAN,
            standing=STANDING,
            newest=RUN,
            previous=SINCE,
            baseline=nullable(SINCE),
            error=nullable(TEXT),
            values=array_of(NUMBER_OR_NULL),
            changes=array_of(TURN),
            compare=nullable(TEXTS),
        )
    ),
)
DATASET = exact_object(
    name=TEXT,
    n_results=INTEGER,
    n_providers=INTEGER,
    n_versions=INTEGER,
    n_queries=INTEGER,
    last_started=TEXT,
    n_judgments=INTEGER,
)
METRIC = object_with(name=TEXT, meaning=TEXT, formula=TEXT, range=TEXT, higher_is_better=BOOLEAN, view=TEXT, aliases=TEXTS)
JUDGMENT = exact_object(
    benchmark=TEXT,
    query=TEXT,
    document=TEXT,
    judge=TEXT,
    grade={"type": "number"},
    reason=TEXT,
    judged=TEXT,
    kind={"enum": list(KINDS)},
    text_digest=TEXT,
    pool=TEXT,
    probability=NUMBER_OR_NULL,
    is_settled=BOOLEAN,
)
QUERY_NOTE = exact_object(benchmark=TEXT, query=TEXT, text=TEXT, author=TEXT, kind={"enum": ["note", "tag"]}, written=TEXT)
AGREEMENT = exact_object(
    a=TEXT,
    b=TEXT,
    n_pairs=INTEGER,
    n_same=INTEGER,
    same={"type": "number"},
    kappa=NUMBER_OR_NULL,
    weighted_kappa=NUMBER_OR_NULL,
    kappa_low=NUMBER_OR_NULL,
    kappa_high=NUMBER_OR_NULL,
    weighted_low=NUMBER_OR_NULL,
    weighted_high=NUMBER_OR_NULL,
)
RELIABILITY = exact_object(value=NUMBER_OR_NULL, low=NUMBER_OR_NULL, high=NUMBER_OR_NULL)
PANEL_OR_NULL = {
    "anyOf": [
        exact_object(n_judges=INTEGER, n_pairs=INTEGER, nominal=RELIABILITY, ordinal=RELIABILITY, interval=RELIABILITY),
        {"type": "null"},
    ]
}
PART = exact_object(
    name=TEXT, n_asked=INTEGER, n_done=INTEGER, n_failed=INTEGER, n_cached=INTEGER, seconds={"type": "number"}, waiting=TEXT
)
RUNNING = exact_object(id=TEXT, started=TEXT, n_parts=INTEGER, n_done=INTEGER, parts=array_of(PART))
ERROR = exact_object(error=exact_object(status=INTEGER, message=TEXT))
