"""Chonkie: a chunker of the package chonkie, with checked positions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from assay.chunkers.catalog.plain_text import fixed_lines
from assay.chunkers.chunker import Chunker, Cut, check_installed, needed
from assay.chunkers.packing import Spans
from assay.chunkers.syntax import language_of, no_grammar
from assay.grammar import Param, cutoff, one_of

EXTRA = "chonkie"
KINDS = {
    "token": "TokenChunker",
    "sentence": "SentenceChunker",
    "recursive": "RecursiveChunker",
    "code": "CodeChunker",
}
_SURROGATE = re.compile("[\ud800-\udfff]")


def chonkie(text: str, path: str, *, kind: str, size: int) -> Cut:
    """The position of each chunk is checked against the text. Text that chonkie leaves out belongs to the chunk before it.

    `kind=code` supports the same languages as syntax_tree and may create chunks larger than `size`; files in other languages
    are cut with `kind=recursive`. Source code that is nested too deeply for chonkie is cut into lines.
    """
    if not text or text.isspace():
        return Cut([])
    language = language_of(path) if kind == "code" else ""
    remark = ""
    if kind == "code" and not language:
        kind, remark = "recursive", f"{no_grammar(path)}, so cut as by chonkie(kind=recursive)"
    try:
        chunks = _chunker(kind, size, language).chunk(_SURROGATE.sub("\ufffd", text))
    except RecursionError:
        return Cut(fixed_lines(text, path, size=size, overlap=0).pieces, "nested too deeply for chonkie, so cut into lines")
    return Cut.at(without_gaps(text, located(text, chunks)), remark)


def located(text: str, chunks: Iterable[Any]) -> Spans:
    """The positions of chunks in a text: as they say, if their text is there; otherwise where their text is found next.

    This corrects positions that count bytes instead of characters. A chunk whose text is not found is left out.
    """
    plain = _SURROGATE.sub("\ufffd", text)
    spans: Spans = []
    behind = 0
    for chunk in chunks:
        start = chunk.start_index
        if start < behind or not plain.startswith(chunk.text, start):
            start = plain.find(chunk.text, behind)
        if start >= 0 and chunk.text:
            behind = start + len(chunk.text)
            spans.append((start, behind))
    return spans


def without_gaps(text: str, spans: Spans) -> Spans:
    """The same spans, extended so that no characters between them are lost; the whole text if there are no spans."""
    if not spans:
        return [(0, len(text))]
    starts = [0 if text[: spans[0][0]].strip() else spans[0][0], *(start for start, _ in spans[1:]), len(text)]
    ends = [following if text[end:following].strip() else end for (_, end), following in zip(spans, starts[1:], strict=True)]
    return list(zip(starts, ends, strict=False))


@cache
def _chunker(kind: str, size: int, language: str) -> Any:
    package = needed("chonkie", "chonkie", EXTRA)
    settings = {"language": language} if language else {}
    if language:
        check_installed("chonkie(kind=code)", "tree_sitter_language_pack", EXTRA)
    return getattr(package, KINDS[kind])(chunk_size=size, **settings)


def _check(kind: str, **_: Any) -> None:
    check_installed("chonkie", "chonkie", EXTRA)
    if kind == "code":
        check_installed("chonkie(kind=code)", "tree_sitter_language_pack", EXTRA)


CHONKIE = Chunker(
    "chonkie",
    "a chunker from the package chonkie; assay checks its positions",
    chonkie,
    params=(
        Param("kind", one_of(*KINDS), "recursive", "which chunker: token, sentence, recursive or code"),
        Param(
            "size",
            cutoff,
            2048,
            "maximum characters per chunk, including white space; code and sentence may exceed it",
        ),
    ),
    check=_check,
)
