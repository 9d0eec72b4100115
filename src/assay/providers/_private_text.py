"""Private text: how a provider was written, as far as an error may show it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.errors import BadParameter
from assay.grammar import split_arguments

if TYPE_CHECKING:
    from assay.providers._provider import Provider


def without_private(text: str, providers: Iterable[Provider]) -> str:
    """How a provider was written; only its name where it, or a part of it, may hold a secret."""
    private = [one.name for one in providers if any(param.may_hold_secret for param in one.params)]
    if not re.search(rf"\b(?:{'|'.join(private)})\b", text):
        return text
    start = re.match(r"\s*([\w-]*)", text)
    return f"{start[1] if start else ''}(…)"


def arguments_of(inside: str, text: str, shown: str) -> list[str]:
    """What stands between commas; where quotes or brackets do not match, the error shows no more than it may."""
    try:
        return split_arguments(inside)
    except BadParameter:
        if shown == text:
            raise
        raise BadParameter(f"{shown}: its brackets or quotes do not match") from None
