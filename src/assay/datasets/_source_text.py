"""Text of source files, whatever their encoding."""

from __future__ import annotations

import codecs

BOM = "\ufeff"
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""How files of wide characters begin; the mark of UTF-32 begins like one of UTF-16, so it is looked for first."""


def decode_source(content: bytes) -> tuple[str, list[str]]:
    """The text, and what is to be said about it: another encoding than UTF-8, or a byte-order mark that is left out."""
    encoding = _encoding(content)
    text = content.decode(encoding)
    said = [] if encoding == "utf-8" else [f"not valid UTF-8; read as {encoding}"]
    if text.startswith(BOM):
        said.append("its byte-order mark was left out; characters are counted without it")
    return text.removeprefix(BOM), said


def is_binary(content: bytes) -> bool:
    """Whether it holds a zero byte, and is not the text of wide characters that its mark says it is."""
    return b"\0" in content and _encoding(content) not in ("utf-16", "utf-32")


def _encoding(content: bytes) -> str:
    """UTF-16 or UTF-32 by its mark, else UTF-8, cp1252, or Latin-1, which takes every byte."""
    marked = [encoding for mark, encoding in MARKS if content.startswith(mark)]
    for encoding in (*marked, "utf-8", "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"
