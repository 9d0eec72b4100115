"""Measure names: how ir_measures writes a metric that has a name of its own here."""

from __future__ import annotations

import re

_RELATIVE = re.compile(
    r"""set_?p(?:recision)? \s*
        \( (?P<before>[^()]*?) \b relative \s* = \s* (?P<flag>true|false) \s* (?P<after>[^()]*) \)""",
    re.VERBOSE | re.IGNORECASE,
)


def as_named_here(text: str) -> str:
    """The name with the same meaning: `SetP(relative=True, rel=2)` is `set_relative_precision(rel=2)`."""
    shape = _RELATIVE.fullmatch(text.strip())
    if not shape:
        return text
    others = ", ".join(part.strip() for part in f"{shape['before']},{shape['after']}".split(",") if part.strip())
    name = "set_relative_precision" if shape["flag"].lower() == "true" else "set_precision"
    return f"{name}({others})" if others else name
