"""Topics: the queries of TREC collections, as SGML, XML or TSV."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.datasets._notes import Notes
from assay.datasets._source import FileSource
from assay.errors import DataError, Faults
from assay.model import Query

TEXT = ("title", "query", "question", "desc", "description")
"""Where the text of a query stands, the likeliest first."""
ID = ("num", "number", "identifier", "id", "qid")
NAMES = {"desc": "description", "narr": "narrative", "dom": "domain", "smry": "summary", "con": "concepts"}
"""Tags that mean one thing, and what we call it."""
LABELS = {
    "num": "Number",
    "title": "Topic|Title",
    "query": "Query",
    "desc": "Description",
    "narr": "Narrative",
    "dom": "Domain",
    "smry": "Summary",
    "con": r"Concept\(s\)|Concepts?",
    "fac": r"Factor\(s\)",
    "def": r"Definition\(s\)",
}
"""Words that stand before the content of a tag and say the same as the tag."""

HEADERS = [
    [name, text] for name in ("query_id", "qid", "query-id", "topic_id") for text in ("text", "query", "title", "query_text")
]
"""First lines of a TSV that name the columns."""

Topic = Mapping[str, Any] | DataError
"""The fields of a topic, or what is wrong with it."""


def read_topics(source: FileSource, notes: Notes) -> dict[str, Query]:
    """Queries out of topics. White space is evened out in SGML and XML; in TSV texts stay as they are."""
    queries: dict[str, Query] = {}
    faults = Faults(source.label)
    for line, found in _topics(source):
        try:
            query = _query(found, f"{source.label}:{line}", notes)
            if query.query_id in queries:
                faults.add(line, f"query {query.query_id} appears twice")
            queries[query.query_id] = query
        except DataError as error:
            faults.add(line, str(error))
        if faults.full:
            break
    faults.raise_if_any()
    return queries


def _topics(source: FileSource) -> Iterator[tuple[int, Topic]]:
    content = source.content()
    start = content.lstrip()[:4096].lower()
    if start.startswith(b"<") and not re.search(rb"<top\b", start):
        return _xml(source, content)
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{source.label}:{line}: not valid UTF-8; save the topics as UTF-8") from None
    return _sgml(text) if start.startswith(b"<") else _tsv(text)


def _query(fields: Topic, place: str, notes: Notes) -> Query:
    """One topic. Where there is no title its description is the text, which is noted."""
    if isinstance(fields, DataError):
        raise fields
    query_id = next((fields[name] for name in ID if fields.get(name)), "")
    if len(query_id.split()) != 1:
        raise DataError(f"expected a topic with a number, found {query_id or 'none'!r}")
    source = next((name for name in TEXT if fields.get(name)), None)
    if source in ("desc", "description"):
        notes.mend(place, f"topic {query_id} has no title; its description is used as text")
    others = {name: value for name, value in fields.items() if name not in ID and value}
    text = "" if source is None else others[source] if source.startswith("desc") else others.pop(source)
    named = {NAMES.get(name, name): value for name, value in others.items()}
    domain, query_type = named.pop("domain", None), named.pop("type", None)
    return Query(query_id, text, query_type=query_type, domain=domain, metadata=named or None)


def _evened(text: str) -> str:
    """The text on one line; character entities become characters."""
    return " ".join(re.sub(r"&#?\w+;", lambda found: html.unescape(found[0]), text).split())


def _sgml(text: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<top> <num> Number: 301 <title> …`, with or without closing tags."""
    starts = list(re.finditer(r"<top\b[^>]*>", text, re.IGNORECASE))
    for place, start in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        block = re.split(r"</top>", text[start.end() : end], maxsplit=1, flags=re.IGNORECASE)[0]
        yield text.count("\n", 0, start.start()) + 1, _tagged(block)


def _tagged(block: str) -> dict[str, str]:
    """Tag → content, without the label that says the tag again. A tag that comes twice adds to what was there."""
    fields: dict[str, str] = {}
    tags = list(re.finditer(r"<([A-Za-z][\w-]*)\b[^<>]*>", block))
    for place, tag in enumerate(tags):
        end = tags[place + 1].start() if place + 1 < len(tags) else len(block)
        name = re.sub(r"^[a-z]{2}-", "", tag[1].lower())  # CLEF writes <EN-title>
        content = _evened(re.sub(r"</[A-Za-z][\w-]*\s*>", " ", block[tag.end() : end]))
        content = re.sub(rf"^(?:{LABELS[name]})\s*:\s*", "", content, flags=re.IGNORECASE) if name in LABELS else content
        fields[name] = f"{fields[name]} {content}" if name in fields else content
    return fields


def _xml(source: FileSource, content: bytes) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<topic number="1"><query>…`. Subtopics are a list."""
    from xml.etree import ElementTree as ET

    if b"<!ENTITY" in content:
        raise DataError(f"{source.label}: topics that define entities are not read")
    try:
        root = ET.fromstring(content)  # noqa: S314 (entities are refused above)
    except ET.ParseError as error:
        raise DataError(f"{source.label}:{error.position[0]}: not XML: {error}") from None
    starts = re.finditer(rb"<topic\b", content)
    for topic, start in zip(root.iter("topic"), starts, strict=False):
        fields: dict[str, Any] = dict(topic.attrib)
        if own := _evened(topic.text or ""):
            fields["title"] = own
        for child in topic:
            said, name = _evened("".join(child.itertext())), child.tag.lower()
            if name == "subtopic":
                fields.setdefault("subtopics", []).append(said)
            else:
                fields[name] = f"{fields[name]} {said}" if name in fields else said
        yield content.count(b"\n", 0, start.start()) + 1, fields


def _tsv(text: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `id<tab>text`; a first line that names the columns is passed over."""
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and [cell.strip().lower() for cell in cells] in HEADERS):
            continue
        if len(cells) == 2:
            yield number, {"id": cells[0].strip(), "query": cells[1]}
        else:
            yield number, DataError(f"expected 2 columns (id, text) with a tab between them, found {len(cells)}")
