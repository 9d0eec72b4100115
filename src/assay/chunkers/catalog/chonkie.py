"""Chonkie: a chunker of the package chonkie, its places checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from assay.chunkers.catalog.plain_text import fixed_lines
from assay.chunkers.chunker import Chunker, Cut, check_installed, needed
from assay.chunkers.packing import Spans
from assay.chunkers.syntax import language_of, unknown_language
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
    """Every piece is looked up in the text, and what chonkie leaves out between two pieces goes with the first.

    `code` needs a language that syntax_tree knows as well, and makes chunks larger than `size` at times; other files are
    cut by chonkie's recursive chunker. Source nested too deeply for chonkie is cut into lines.
    """
    if not text or text.isspace():
        return Cut([])
    language = language_of(path) if kind == "code" else ""
    remark = ""
    if kind == "code" and not language:
        kind, remark = "recursive", f"{unknown_language(path).partition(':')[0]}: cut as chonkie(kind=recursive) does"
    try:
        chunks = _chunker(kind, size, language).chunk(_SURROGATE.sub("\ufffd", text))
    except RecursionError:
        return Cut(fixed_lines(text, path, size=size, overlap=0).pieces, "nested too deeply for chonkie: cut into lines")
    return Cut.at(without_gaps(text, located(text, chunks)), remark)


def located(text: str, chunks: Iterable[Any]) -> Spans:
    """Where chunks stand in a text: where they say, if that is so; else where their text is found next.

    Bytes taken for characters are put right that way. A chunk whose text is nowhere is left out.
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
    """The same stretches, longer where characters between them would be lost; one stretch where there is none."""
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
    "a chunker of the package chonkie, its places checked",
    chonkie,
    params=(
        Param("kind", one_of(*KINDS), "recursive", "which one: token, sentence, recursive or code"),
        Param(
            "size",
            cutoff,
            2048,
            "characters of a chunk at most, white space included; code and sentence exceed it where they cut no further",
        ),
    ),
    check=_check,
)
