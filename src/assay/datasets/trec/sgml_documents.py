"""TREC documents: SGML files with `<DOC><DOCNO> … </DOCNO> … <TEXT> … </TEXT></DOC>`, read when they are needed.

The layout is that of the TREC disks 1 to 5 (Voorhees and Harman 2005, TREC: Experiment and Evaluation, chapter 2) and of the
files that Indri calls trectext and trecweb.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.datasets.corpus import StoredDocuments
from assay.datasets.dataset import Notes
from assay.errors import DataError, Fault, current_leniency, most_faults, raise_faults
from assay.files import FileSource
from assay.model import Document

TITLES = frozenset({"headline", "title", "hl", "ttl", "head", "ti", "doctitle"})
"""Tags for the title: of the Financial Times, Ziff, the Wall Street Journal, patents, AP, FBIS and the Federal Register."""
TEXTS = frozenset({"text", "lp", "leadpara", "summary"})
"""Tags for the text; some collections write the first paragraph or a summary outside `<TEXT>`."""
NEVER_TEXT = frozenset({"docno", "docid", "dochdr", "script", "style"})
"""Tags that identify the document, or hold what a reader of a web page does not see."""
ENTITIES = {"&hyph;": "-", "&blank;": " "}
"""Entities of the Federal Register that HTML does not have."""
DOC = re.compile(rb"<(/?)doc(?:\s[^<>]*)?>", re.IGNORECASE)
DOCNO = re.compile(rb"<docno\s*>([^<]*)", re.IGNORECASE)
TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*)(?![\w.:-])[^<>]*>")
ENTITY = re.compile(r"&#?\w+;")
HEAD_BYTES = 1 << 18
"""Bytes that are read to find out whether a file has such documents."""


def has_documents(file: Path) -> bool:
    """Whether `<DOC>` occurs near the start of a file."""
    with FileSource.at(file).reading() as opened:
        return DOC.search(opened.read(HEAD_BYTES)) is not None


class Block(NamedTuple):
    """The bytes from `<DOC>` to `</DOC>`, and their place in the file."""

    content: bytes
    start: int
    line: int


def each_block(source: FileSource) -> Iterator[Block | Fault]:
    """Every document of a file, and a fault for every tag without its counterpart. Anything between documents is ignored."""
    parts: list[bytes] | None = None
    start = line = end = 0
    with source.reading_lines() as file:
        for number, text in enumerate(file, 1):
            offset, end = end, end + len(text)
            if b"<" not in text or (tags := list(DOC.finditer(text))) == []:
                if parts is not None:
                    parts.append(text)
                continue
            place = 0
            for tag in tags:
                if tag[1] and parts is None:
                    yield Fault("</DOC> without <DOC>", number, source=source.label)
                elif tag[1] and parts is not None:
                    parts.append(text[place : tag.end()])
                    yield Block(b"".join(parts), start, line)
                    parts = None
                else:
                    if parts is not None:
                        yield Fault("this <DOC> is not closed before the next <DOC>", line, source=source.label)
                    parts, start, line = [], offset + tag.start(), number
                place = tag.start() if not tag[1] else tag.end()
            if parts is not None:
                parts.append(text[place:])
    if parts is not None:
        yield Fault("this <DOC> is not closed", line, source=source.label)


class SgmlDocuments(StoredDocuments):
    """Documents of SGML files. Ids and places are in memory; texts are read when they are needed.

    A file that is not UTF-8 is read as Latin-1, as the older collections are; `latin` lists these files.
    """

    def __init__(self, sources: Sequence[FileSource]) -> None:
        super().__init__()
        self._sources = tuple(sources)
        self._numbers: dict[str, int] = {}
        self._file, self._line = array("q"), array("q")
        self._start, self._size = array("q"), array("q")
        self._latin: set[int] = set()
        self._n_left_out = 0
        self._index()

    @property
    def _places(self) -> dict[str, int]:
        return self._numbers

    @property
    def _files(self) -> Iterable[Path]:
        return [source.path for source in self._sources]

    @property
    def latin(self) -> list[str]:
        """The files that are read as Latin-1."""
        return [self._sources[number].label for number in sorted(self._latin)]

    def _index(self) -> None:
        """Find every document. All faults are raised together, unless bad documents may be left out."""
        faults: list[Fault] = []
        leniency = current_leniency()
        for number, source in enumerate(self._sources):
            n_before = len(self._numbers)
            for block in each_block(source):
                fault = block if isinstance(block, Fault) else self._add(number, block)
                faults += [fault] if fault is not None else []
                if len(faults) >= most_faults(leniency):
                    break
            if len(self._numbers) == n_before and not faults:
                faults.append(Fault("expected documents in <DOC> … </DOC>, found none", source=source.label))
        if faults:
            label, is_full = faults[0].source, len(faults) >= most_faults(leniency)
            raise_faults(faults, label, len(self._numbers) + len(faults), leniency, is_full=is_full)
        self._n_left_out = len(faults)

    def _add(self, file: int, block: Block) -> Fault | None:
        """Add the place of a document; a fault if its number is missing or taken."""
        label = self._sources[file].label
        tag = DOCNO.search(block.content)
        doc_id = " ".join(_decoded(tag[1]).split()) if tag else ""
        if not doc_id:
            return Fault("this <DOC> has no <DOCNO>", block.line, source=label)
        if doc_id in self._numbers:
            return Fault(f"document {doc_id} appears twice (first at {self.place_of(doc_id)})", block.line, source=label)
        if not block.content.isascii() and not _is_utf8(block.content):
            self._latin.add(file)
        self._numbers[doc_id] = len(self._file)
        for values, value in (
            (self._file, file),
            (self._line, block.line),
            (self._start, block.start),
            (self._size, len(block.content)),
        ):
            values.append(value)
        return None

    def _read(self, doc_id: str) -> Document:
        number = self._numbers[doc_id]
        source = self._sources[self._file[number]]
        with FileSource(source.plain_path, source.label).reading() as file:
            file.seek(self._start[number])
            return self._document(self._file[number], doc_id, file.read(self._size[number]))

    def _label(self, number: int) -> str:
        return f"{self._sources[self._file[number]].label}:{self._line[number]}"

    def _stored(self) -> Iterator[tuple[str, Document]]:
        places = zip(self._numbers, self._file, self._start, strict=True)
        doc_id, *place = next(places, ("", -1, -1))
        for number, source in enumerate(self._sources):
            n_others = 0
            for block in each_block(source):
                if isinstance(block, Fault) or place != [number, block.start]:
                    n_others += 1
                    if n_others > self._n_left_out:
                        raise DataError("the file changed while it was read; load the dataset again", source=source.label)
                    continue
                yield doc_id, self._document(number, doc_id, block.content)
                doc_id, *place = next(places, ("", -1, -1))

    def _document(self, file: int, doc_id: str, content: bytes) -> Document:
        text = content.decode("latin-1" if file in self._latin else "utf-8")
        return parse_document(doc_id, text)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes) -> str:
    return content.decode("utf-8" if _is_utf8(content) else "latin-1")


def parse_document(doc_id: str, text: str) -> Document:
    """The document in a `<DOC>`. Markup is removed, entities become characters, and the parts of `<TEXT>` are joined.

    The contents of other tags, such as `<DATE>`, become metadata. A document without `<TEXT>`, as in trecweb, consists of
    everything but its title and its number.
    """
    contents: dict[str, list[str]] = {}
    area, end = "", 0
    text = _without_comments(text)
    for tag in TAG.finditer(text):
        contents.setdefault(area, []).append(text[end : tag.start()])
        end, name = tag.end(), tag[2].lower()
        if tag[1]:
            area = "" if name == area else area
        elif name in TITLES | TEXTS | NEVER_TEXT:
            area = name if area not in TEXTS else area
        elif not area and name != "doc":
            area = name
    contents.setdefault(area, []).append(text[end:])
    plain = {name: joined for name, parts in contents.items() if (joined := plain_text(" ".join(parts)))}
    titles = [name for name in plain if name in TITLES]
    body = [name for name in plain if name in TEXTS]
    others = [name for name in plain if name not in TITLES | TEXTS | NEVER_TEXT]
    return Document(
        doc_id,
        "\n".join(plain[name] for name in body or others),
        title=plain[titles[0]] if titles else None,
        metadata={name: plain[name] for name in others if name} or None if body else None,
    )


def _without_comments(text: str) -> str:
    """The text without `<!-- … -->`."""
    first, *rest = text.split("<!--")
    return first + "".join(part.partition("-->")[2] if "-->" in part else part for part in rest)


def plain_text(text: str) -> str:
    """The text on one line; character entities become characters."""
    return " ".join(ENTITY.sub(lambda match: ENTITIES.get(match[0]) or html.unescape(match[0]), text).split())


def read_sgml_documents(files: Sequence[Path], notes: Notes) -> SgmlDocuments:
    """The documents of these files. Files in Latin-1 are noted."""
    documents = SgmlDocuments([FileSource.at(file) for file in files])
    if latin := documents.latin:
        others = f" ({len(latin) - 1:,} more such files)" if len(latin) > 1 else ""
        notes.mend(latin[0], f"is not valid UTF-8 and was read as Latin-1{others}")
    return documents
