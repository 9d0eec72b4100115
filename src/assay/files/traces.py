"""Traces: the retriever spans of OpenTelemetry, as what was retrieved for each query.

A file has export requests in OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), one per line as
the file exporter writes them (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/), or one span per record.
The attributes are those of OpenInference (https://arize-ai.github.io/openinference/spec/semantic_conventions.html) and of
OpenTelemetry's conventions for generative AI
(https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-spans.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.errors import DataError, Faults
from assay.files.json_text import NESTED, parse_json, read_json
from assay.files.source import NOT_UTF8, FileSource
from assay.model import IDS, as_score, text_id
from assay.text import counted, shortened, some_of

REQUEST = "resourceSpans"
IS_REQUEST = re.compile(rb'"resourceSpans"\s*:')
HAS_ATTRIBUTES = re.compile(rb'"attributes(?:\.[\w.]+)?"\s*:')
HAS_SPAN_ID = re.compile(rb'"(?:context\.)?span_?[iI]d"\s*:')
HEAD = 1 << 16
"""The number of bytes in which a file shows that it has spans."""
KINDS = ("openinference.span.kind", "span_kind")
QUERY_IDS = ("query_id", "query.id", "retrieval.query_id", "metadata.query_id")
QUERY_TEXTS = ("gen_ai.retrieval.query.text", "input.value")
TEXTS_IN_JSON = ("query", "question", "input", "query_str", "str_or_query_bundle", "text")
"""Fields of a query, if the text of the input is a JSON object."""
DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
NUMBERED = re.compile(r"retrieval\.documents\.([0-9]{1,9})\.(?:document\.)?(.+)")
"""`retrieval.documents.0.document.id`: a list, because an attribute cannot be a list of objects."""
FIELDS = ("id", "score", "content", "metadata")
STARTS = ("startTimeUnixNano", "start_time")
SPAN_IDS = ("spanId", "span_id", "context.span_id")
PARENTS = ("parentSpanId", "parent_id", "parent_span_id")
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Retrieval:
    """What one span retrieved for a query."""

    place: int
    query: str
    hits: list[dict[str, Any]]
    """Records with id, score, content and metadata, best first."""
    started: int
    span_id: str
    parent_id: str
    has_documents: bool = True
    """Whether an attribute has documents, if only an empty list; tracers leave it out if nothing was found."""


def holds_traces(source: FileSource) -> bool:
    """Whether a JSON file has spans. Only its start is read."""
    if source.kind not in ("json", "jsonl"):
        return False
    with source.reading() as file:
        head = file.read(HEAD)
    return bool(IS_REQUEST.search(head) or (HAS_ATTRIBUTES.search(head) and HAS_SPAN_ID.search(head)))


def read_traces(source: FileSource) -> list[tuple[int, Record]]:
    """The place, the query and the hits of each retrieval. If a query was asked several times, the latest counts."""
    faults, retrievals, n_spans = Faults(source.label, _unit(source)), list[Retrieval](), 0
    for place, span in _spans(source, faults):
        n_spans += 1
        try:
            retrievals += filter(None, [_retrieval(place, span)])
        except RecursionError:
            faults.add(place, NESTED)
        except ValueError as error:
            faults.add(place, str(error))
        if faults.full:
            break
    with source.left_out_noted():
        faults.raise_if_any(n_spans + len(faults))
    if not retrievals:
        expected = "expected retriever spans (openinference.span.kind is RETRIEVER, or gen_ai.operation.name is retrieval)"
        raise DataError(f"{expected}, found {counted(n_spans, 'other span') if n_spans else 'no span'}", source=source.label)
    _check_documents(retrievals, source)
    kept = _latest(_outermost(retrievals, source), source)
    return [
        (retrieval.place, {"query_id": retrieval.query, "hits": retrieval.hits})
        for retrieval in _with_distances(kept, source)
    ]


def _unit(source: FileSource) -> str:
    return "" if _has_lines(source) else "span"


def _has_lines(source: FileSource) -> bool:
    """Whether each line is a record: the collector also calls such a file `traces.json`."""
    start = source.first_line.strip()
    return source.kind == "jsonl" or (start[:1] == b"{" and start[-1:] == b"}")


def _spans(source: FileSource, faults: Faults) -> Iterator[tuple[int, Record]]:
    """The spans, each with its line, or with its number if the file is one JSON document."""
    if not _has_lines(source):
        content = read_json(source)
        records = content if isinstance(content, list) else [content]
        yield from enumerate((span for record in records for span in _spans_of(record)), 1)
        return
    for number, line in source.lines():
        try:
            yield from [(number, span) for span in _spans_of(parse_json(line))]
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
        except ValueError as error:
            message = getattr(error, "msg", None)
            faults.add(number, str(error) if message is None else f"not JSON: {message}", code="unreadable")
        if faults.full:
            return


def _spans_of(record: Any) -> list[Record]:
    """The spans of an export request, or the record itself, which is a span."""
    if not isinstance(record, Mapping):
        raise DataError(f"expected an export request or a span, found {shortened(record)}")
    if REQUEST not in record:
        return [record]
    scopes = [scope for resource in _list(record, REQUEST) for scope in _list(resource, "scopeSpans")]
    return [span for scope in scopes for span in _list(scope, "spans")]


def _list(record: Any, name: str) -> list[Record]:
    """The objects in a field, which may be absent if there are none."""
    listed = record.get(name) or []
    if not isinstance(listed, list) or not all(isinstance(entry, Mapping) for entry in listed):
        raise DataError(f"{name} must be a list of objects, not {shortened(listed)}")
    return listed


def _retrieval(place: int, span: Record) -> Retrieval | None:
    """What a span retrieved; None if it is not a retriever span."""
    attributes = _attributes(span)
    kinds = [attributes.get(KINDS[0]), span.get(KINDS[1])]
    is_retriever = any(isinstance(kind, str) and kind.upper() == "RETRIEVER" for kind in kinds)
    if not is_retriever and attributes.get("gen_ai.operation.name") != "retrieval":
        return None
    span_id = _first_text(span, SPAN_IDS)
    name = f"the retriever span {span_id}".rstrip()
    query = _query(attributes)
    if not query:
        raise DataError(f"{name} has no query. Expected its text in {' or '.join(QUERY_TEXTS)}")
    hits = _hits(attributes)
    times = _time(_first(span, STARTS)), span_id, _first_text(span, PARENTS)
    return Retrieval(place, query, hits or [], *times, has_documents=hits is not None)


def _check_documents(retrievals: Sequence[Retrieval], source: FileSource) -> None:
    """Note spans without documents, which found nothing; an error if no span has any."""
    empty = [retrieval for retrieval in retrievals if not retrieval.has_documents]
    if len(empty) == len(retrievals):
        expected = "expected retrieval.documents.0.document.id and so on, or gen_ai.retrieval.documents"
        raise DataError(f"no retriever span has documents: {expected}", source=source.label)
    if empty:
        spans, queries = counted(len(empty), "retriever span"), some_of([retrieval.query for retrieval in empty])
        source.note(f"{spans} without documents read as empty rankings ({queries}).")


def _attributes(span: Record) -> dict[str, Any]:
    """Name → value, from a list of keys and values, an object, or columns such as `attributes.input.value`."""
    own = span.get("attributes")
    if isinstance(own, list):
        return _pairs(own)
    columns = {str(name).removeprefix("attributes."): value for name, value in span.items() if name != "attributes"}
    return {**columns, **(_flat(own) if isinstance(own, Mapping) else {})}


def _pairs(pairs: Any) -> dict[str, Any]:
    """The fields of a list of keys and values."""
    if not isinstance(pairs, list) or not all(
        isinstance(pair, Mapping) and isinstance(pair.get("key"), str) for pair in pairs
    ):
        raise DataError(f"attributes must be a list of objects with key and value, not {shortened(pairs)}")
    return {pair["key"]: _plain(pair.get("value")) for pair in pairs}


def _plain(value: Any) -> Any:
    """The value of an attribute without the name of its type, such as stringValue."""
    if not isinstance(value, Mapping) or not value:
        return None if isinstance(value, Mapping) else value
    kind, content = next(iter(value.items()))
    if kind in ("arrayValue", "kvlistValue"):
        values = content.get("values", []) if isinstance(content, Mapping) else content
        if not isinstance(values, list):
            raise DataError(f"{kind} must have a list of values, not {shortened(values)}")
        return [_plain(entry) for entry in values] if kind == "arrayValue" else _pairs(values)
    return int(content) if kind == "intValue" and isinstance(content, str) else content  # OTLP/JSON has integers as text


def _flat(attributes: Mapping[str, Any], start: str = "") -> dict[str, Any]:
    """Attributes by their whole names: `input.value` for {"input": {"value": …}}."""
    flat: dict[str, Any] = {}
    for name, value in attributes.items():
        flat |= _flat(value, f"{start}{name}.") if isinstance(value, Mapping) else {f"{start}{name}": value}
    return flat


def _query(attributes: Record) -> str:
    """The id of the query if an attribute has one, otherwise its text; empty if there is neither."""
    metadata = _object(attributes.get("metadata"))
    named = _first({**attributes, "metadata.query_id": attributes.get(QUERY_IDS[-1], metadata.get("query_id"))}, QUERY_IDS)
    if named is not None:
        return text_id(named)
    text = _first_text(attributes, QUERY_TEXTS)
    inner = (_object(text).get(name) for name in TEXTS_IN_JSON)
    return next((value for value in inner if isinstance(value, str)), text).strip()


def _object(value: Any) -> Record:
    """A JSON object, which attributes have as text; empty for anything else."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = parse_json(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _hits(attributes: Record) -> list[dict[str, Any]] | None:
    """The documents of a span in their order; None if no attribute has documents. Scores count if all have retrieval."""
    listed = _first(attributes, DOCUMENTS)
    if isinstance(listed, str):
        listed = parse_json(listed)
    if listed is None:
        numbered: dict[int, dict[str, Any]] = {}
        for name, value in attributes.items():
            if match := NUMBERED.fullmatch(name):
                numbered.setdefault(int(match[1]), {})[match[2]] = value
        listed = [numbered[number] for number in sorted(numbered)] or None
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise DataError(f"the documents must be a list, not {shortened(listed)}")
    hits = [_hit(entry) for entry in listed]
    are_scored = all("score" in hit for hit in hits)
    return hits if are_scored else [{name: hit[name] for name in hit if name != "score"} for hit in hits]


def _hit(entry: Any) -> dict[str, Any]:
    """A document as a hit record. Without an id of its own, it has the id in its metadata."""
    inner = entry.get("document", entry) if isinstance(entry, Mapping) else entry
    if not isinstance(inner, Mapping):
        raise DataError(f"a document must be an object with an id, a score or a content, not {shortened(entry)}")
    fields = {str(name).removeprefix("document."): value for name, value in inner.items() if value is not None}
    hit = {name: fields[name] for name in FIELDS if name in fields}
    metadata = _object(hit.pop("metadata", None))
    if metadata:
        hit = {
            "id": next((metadata[name] for name in IDS if metadata.get(name) is not None), None),
            **hit,
            "metadata": metadata,
        }
    if "score" in hit and (score := as_score(hit["score"])) is None:
        raise DataError(f"the score of document {hit.get('id')} must be a number, not {hit['score']!r}")
    if "score" in hit:
        hit["score"] = score
    if hit.get("id") is None and not isinstance(hit.get("content"), str):
        raise DataError(f"a document must have an id or a content, found {shortened(entry)}")
    return hit


def _first(record: Record, names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _first_text(record: Record, names: Iterable[str]) -> str:
    context = record.get("context")
    return next((value for part in (record, _object(context)) if isinstance(value := _first(part, names), str)), "")


def _time(value: Any) -> int:
    """When a span started, in nanoseconds; 0 if that is unknown."""
    try:
        if isinstance(value, str) and not value.isdecimal():
            return int(datetime.fromisoformat(value).timestamp() * 1e9)
        return int(value)
    except (TypeError, ValueError, OverflowError, OSError):
        return 0


def _outermost(retrievals: list[Retrieval], source: FileSource) -> list[Retrieval]:
    """The spans that are not steps of another retriever span, whose documents are the result of its steps."""
    ids = {retrieval.span_id for retrieval in retrievals if retrieval.span_id}
    outer = [retrieval for retrieval in retrievals if retrieval.parent_id not in ids]
    if n_inner := len(retrievals) - len(outer):
        source.note(f"{counted(n_inner, 'retriever span')} inside another retriever span left out.")
    return outer or retrievals


def _latest(retrievals: list[Retrieval], source: FileSource) -> list[Retrieval]:
    """The latest retrieval of each query; if the times are unknown or equal, the last in the file."""
    latest: dict[str, Retrieval] = {}
    for retrieval in retrievals:
        if retrieval.query not in latest or retrieval.started >= latest[retrieval.query].started:
            latest[retrieval.query] = retrieval
    if n_earlier := len(retrievals) - len(latest):
        source.note(f"some queries were asked several times. {counted(n_earlier, 'earlier retrieval')} left out.")
    return list(latest.values())


def _with_distances(retrievals: list[Retrieval], source: FileSource) -> list[Retrieval]:
    """The retrievals, with distances as negative scores: spans list the best document first, so scores must not rise."""
    scores = [
        [hit["score"] for hit in retrieval.hits]
        for retrieval in retrievals
        if retrieval.hits and "score" in retrieval.hits[0]
    ]
    different = [some for some in scores if some[0] != some[-1]]
    if not different or any(some != sorted(some) for some in different):
        return retrievals
    source.note("the first documents have the lowest scores, so the scores were read as distances.")
    for retrieval in retrievals:
        for hit in retrieval.hits:
            hit |= {"score": -hit["score"]} if "score" in hit else {}
    return retrievals
