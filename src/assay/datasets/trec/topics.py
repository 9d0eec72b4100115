"""TREC topics: queries from SGML, XML, JSON, a table, or lines of `id:text`.

Sources of the layouts: `<top>`, Voorhees and Harman 2005, TREC: Experiment and Evaluation; `<topic number="1">`, guidelines
of the TREC web tracks of 2009 to 2014; `id:text`, guidelines of the TREC terabyte and million query tracks; `<TOPIC><NUM>`,
topics of the NTCIR workshops; `<query><qid>`, Luo et al. 2017, Overview of the NTCIR-13 We Want Web Task; topics that name
an article with `<docid>`, Soboroff, Huang and Harman 2018, TREC 2018 News Track Overview.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.datasets.dataset import Notes
from assay.datasets.trec.sgml_documents import plain_text
from assay.errors import DataError, Faults
from assay.files import FileSource, decode_file, suffix_of
from assay.model import Document, Query, text_id
from assay.text import counted, shortened, some_of

TEXT = ("title", "query", "question", "content", "text", "q", "desc", "description")
"""Tags and fields for the text of a query, the most likely first."""
ID = ("num", "number", "identifier", "id", "qid", "query_id", "topic_id", "_id")
ARTICLE = "docid"
"""The tag that names the article whose background is sought."""
TOPIC_FIELDS = {"desc": "description", "narr": "narrative", "dom": "domain", "smry": "summary", "con": "concepts"}
"""Tag → its full name."""
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
"""Labels that repeat the tag before its content."""
HEADERS = [
    [name, text] for name in ("query_id", "qid", "query-id", "topic_id") for text in ("text", "query", "title", "query_text")
]
"""Headers of a TSV."""
TOPIC_TAGS = (("top", "topic"), ("query", "question"))
"""Tags that enclose a topic. A query inside a topic is its text, so the second pair counts only without the first."""
START = re.compile(rb"<(top|topic|query|question)(?=[\s>])", re.IGNORECASE)
"""The start of topics that no other element encloses, as in TREC and in older NTCIR collections."""
ATTRIBUTE = re.compile(r"""\b([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")

Topic = Mapping[str, Any] | DataError
"""The fields of a topic, or its error."""


def read_topics(source: FileSource, notes: Notes) -> dict[str, Query]:
    """Read queries from topics. White space is normalised in SGML and XML; texts in TSV and JSON stay unchanged."""
    queries: dict[str, Query] = {}
    is_json = suffix_of(source.label) == ".json"
    faults = Faults(source.label, "topic" if is_json else "")
    for number, fields in _json(source) if is_json else _topics(source):
        try:
            query = _query(fields, f"{faults.source}{' ' if is_json else ':'}{number}", notes)
            if query.query_id in queries:
                faults.add(number, f"query {query.query_id} appears twice")
            queries.setdefault(query.query_id, query)
        except DataError as error:
            faults.add(number, str(error))
        if faults.full:
            break
    faults.raise_if_any(len(queries) + len(faults))
    return queries


def add_articles(queries: Mapping[str, Query], documents: Mapping[str, Document]) -> dict[str, Query]:
    """The queries; a topic that names a document with `<docid>` gets the title and the text of this document as its text."""
    named = {key: (query.metadata or {}).get(ARTICLE) for key, query in queries.items()}
    return {
        key: replace(query, text=documents[doc_id].content)
        if isinstance(doc_id := named[key], str) and doc_id in documents
        else query
        for key, query in queries.items()
    }


def check_texts(queries: Collection[Query], place: str, notes: Notes) -> None:
    """Note the topics without a text as one loss. It is an error if no topic has a text."""
    empty = [query.query_id for query in queries if not query.text.strip()]
    if not empty:
        return
    articles = [query.query_id for query in queries if not query.text.strip() and ARTICLE in (query.metadata or {})]
    why = ", because the documents do not contain the articles that they name" if articles == empty else ""
    if len(empty) == len(queries):
        expected = (
            f"expected a text in at least one topic ({', '.join(TEXT)}), found {counted(len(empty), 'topic')} without one"
        )
        raise DataError(f"{expected}{why}; add the texts, or remove the file to use the judgments alone", source=place)
    verb = "has" if len(empty) == 1 else "have"
    notes.lose(place, f"{len(empty):,} of {counted(len(queries), 'topic')} {verb} no text{why}: {some_of(empty)}")


def _topics(source: FileSource) -> Iterator[tuple[int, Topic]]:
    """Line and fields of each topic. Elements without an enclosing element are SGML, everything else in tags is XML."""
    content = source.content()
    start = content.lstrip()
    tag = START.match(start) or re.search(rb"<(top)\b", start[:4096], re.IGNORECASE)
    if start.startswith(b"<") and tag is None:
        return _xml(source, content)
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError("not valid UTF-8; save the topics as UTF-8", source=source.label, line=line) from None
    return _sgml(text, tag[1].decode()) if tag is not None and start.startswith(b"<") else _lines(text)


def _query(fields: Topic, place: str, notes: Notes) -> Query:
    """One topic. Without a title, its description is used as text, and this is noted."""
    if isinstance(fields, DataError):
        raise fields
    query_id = text_id(next((fields[name] for name in ID if fields.get(name) not in (None, "")), ""))
    if len(query_id.split()) != 1:
        raise DataError(f"expected one topic number, found {repr(query_id) if query_id else 'none'}")
    source = next((name for name in TEXT if fields.get(name)), None)
    if source in ("desc", "description"):
        notes.mend(place, f"topic {query_id} has no title; its description is used as the query text")
    others = {name: value for name, value in fields.items() if name not in ID and value not in (None, "")}
    text = "" if source is None else others[source] if source.startswith("desc") else others.pop(source)
    if not isinstance(text, str):
        raise DataError(f"expected the {source} of topic {query_id} as text, found {shortened(text)}")
    named = {TOPIC_FIELDS.get(name, name): value for name, value in others.items()}
    tags = {name: str(named.pop(name)) if name in named else None for name in ("domain", "type")}
    return Query(query_id, text, query_type=tags["type"], domain=tags["domain"], metadata=named or None)


def _sgml(text: str, tag: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<top> <num> Number: 301 <title> …`, with or without closing tags, and of other enclosing tags."""
    starts = list(re.finditer(rf"<{tag}\b([^<>]*)>", text, re.IGNORECASE))
    line, before = 1, 0
    for place, start in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        block = re.split(rf"</{tag}\s*>", text[start.end() : end], maxsplit=1, flags=re.IGNORECASE)[0]
        line, before = line + text.count("\n", before, start.start()), start.start()
        own = {} if tag.lower() == "top" else _attributes(start[1])
        fields = _parse_fields(block)
        yield line, {**own, **(fields or {"title": plain_text(block)})}


def _attributes(text: str) -> dict[str, str]:
    """The attributes of a tag. NTCIR-1 writes the number as `<TOPIC q=0001>`."""
    named = {name.lower(): "".join(values) for name, *values in ATTRIBUTE.findall(text)}
    return {"num" if name == "q" else name: plain_text(value) for name, value in named.items()}


def _parse_fields(block: str) -> dict[str, str]:
    """Tag → content, without the label that repeats the tag. The contents of a repeated tag are joined."""
    fields: dict[str, str] = {}
    tags = list(re.finditer(r"<([A-Za-z][\w-]*)\b[^<>]*>", block))
    for place, tag in enumerate(tags):
        end = tags[place + 1].start() if place + 1 < len(tags) else len(block)
        name = re.sub(r"^[a-z]{2}-", "", tag[1].lower())  # CLEF writes <EN-title>
        content = plain_text(re.sub(r"</[A-Za-z][\w-]*\s*>", " ", block[tag.end() : end]))
        content = re.sub(rf"^(?:{LABELS[name]})\s*:\s*", "", content, flags=re.IGNORECASE) if name in LABELS else content
        fields[name] = f"{fields[name]} {content}".strip() if name in fields else content
    return fields


def _xml(source: FileSource, content: bytes) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<topic number="1"><query>…` or `<query><qid>…`. Subtopics are a list."""
    from xml.etree import ElementTree as ET

    if b"<!ENTITY" in content:
        raise DataError("topics that define XML entities are not supported; remove the definitions", source=source.label)
    try:
        root = ET.fromstring(content)  # noqa: S314 (entities are refused above)
    except (ET.ParseError, ValueError, LookupError) as error:
        line = error.position[0] if isinstance(error, ET.ParseError) else None
        raise DataError(f"not XML: {error}", source=source.label, line=line) from None
    known = [(_local_name(element.tag), element) for element in root.iter() if element is not root]
    names = next((names for names in TOPIC_TAGS if any(name in names for name, _ in known)), TOPIC_TAGS[0])
    topics = [element for name, element in known if name in names] or [root]
    starts = re.finditer(rf"<(?:\w+:)?(?:{'|'.join(names)})\b".encode(), content, re.IGNORECASE)
    line, before = 1, 0
    for topic, start in zip(topics, starts, strict=False):
        line, before = line + content.count(b"\n", before, start.start()), start.start()
        yield line, _fields_of(topic)


def _fields_of(topic: Any) -> dict[str, Any]:
    """The attributes of an element, its own text as title, and its children by their tags."""
    fields: dict[str, Any] = {_local_name(name): value for name, value in topic.attrib.items()}
    if own := plain_text(topic.text or ""):
        fields["title"] = own
    for child in topic:
        text, name = plain_text(" ".join(child.itertext())), _local_name(child.tag)
        if name == "subtopic":
            fields.setdefault("subtopics", []).append(text)
        else:
            fields[name] = f"{fields[name]} {text}" if name in fields else text
    return fields


def _local_name(tag: object) -> str:
    """A tag without its namespace, in lower case; empty for a comment."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _json(source: FileSource) -> Iterator[tuple[int, Topic]]:
    """Number and fields of each topic in `[{"id": 301, "title": …}]`, `{"topics": […]}`, `{"301": …}` or `{"301": {…}}`."""
    content: Any = decode_file(source.path, object)
    if isinstance(content, dict) and len(content) == 1 and isinstance(listed := next(iter(content.values())), list):
        content = listed
    if isinstance(content, dict):
        content = [{"id": key, **(value if isinstance(value, dict) else {"title": value})} for key, value in content.items()]
    if not isinstance(content, list):
        message = f"expected a list of topics or an object id → text, found {shortened(content)}"
        raise DataError(message, source=source.label)
    for number, fields in enumerate(content, 1):
        if isinstance(fields, dict):
            yield number, {str(name).lower(): value for name, value in fields.items()}
        else:
            yield number, DataError(f"expected an object with an id and a title, found {shortened(fields)}")


def _lines(text: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `id<tab>text`, or of `id:text` if the first line has no tab; a header is skipped."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    is_table = bool(lines) and "\t" in lines[0][1]
    for number, line in lines:
        cells = line.split("\t") if is_table else [cell.strip() for cell in line.split(":", 1)]
        if number == 1 and [cell.strip().lower() for cell in cells] in HEADERS:
            continue
        if len(cells) == 2:
            yield number, {"id": cells[0].strip(), "query": cells[1]}
        elif is_table:
            yield number, DataError(f"expected 2 columns (id, text) with a tab between them, found {len(cells)}")
        else:
            yield number, DataError("expected an id and a text with a tab or a colon between them, found neither")
