"""JSON as text that is safe to show in any terminal."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from typing import Any

CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters that JSON allows unescaped, but that could confuse a terminal."""


def json_text(content: dict[str, Any], long: Collection[str] = ()) -> str:
    """The content as JSON that is safe in any terminal. In results, the keys in `long` have one line per query."""
    lines: list[str] = []
    mark = os.urandom(16).hex()

    def one_line(value: Any) -> str:
        lines.append(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return f"{mark}{len(lines) - 1}"

    if long:
        shortened = [
            {
                key: {query: one_line(ranking) for query, ranking in value.items()} if key in long else value
                for key, value in result.items()
            }
            for result in content["results"]
        ]
        content = {**content, "results": shortened}
    text = _indented(content)
    if not lines and text.isascii() and "\x7f" not in text:
        return text
    text = re.sub(rf'"{mark}(\d+)"', lambda match: lines[int(match[1])], text)
    return CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text)


def _indented(content: Any) -> str:
    """The content with an indent of two. msgspec is many times faster; the json module can write more types."""
    import msgspec

    try:
        encoded = msgspec.json.encode(content)
    except (TypeError, ValueError, OverflowError):  # NumPy numbers, half a character, very large integers
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    text = str(msgspec.json.format(encoded, indent=2), "utf-8")
    text += "\n"  # in place, because nothing else holds the text
    return text
