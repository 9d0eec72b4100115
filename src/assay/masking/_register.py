"""The register: values that must not be shown, kept or sent on; one for the whole process, so that nobody can miss it."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.masking._spellings import decoded, pattern_of, unchanging_part

MASK = "…"
SHORTEST = 4
"""Letters. Shorter values occur by chance in other words, which must stay readable."""


@dataclass(frozen=True)
class Secret:
    """A value, and what it is: `the header Authorization`."""

    value: str
    what: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All its spellings."""
        return pattern_of(self.value)

    @cached_property
    def _part(self) -> str:
        part = unchanging_part(self.value)
        return part if len(part) >= SHORTEST else ""

    def is_in(self, text: str) -> bool:
        """Whether it occurs; most texts are done with after one quick look for a part of it."""
        return self._part in text and self.pattern.search(text) is not None


_known: tuple[Secret, ...] = ()
"""Longest first, so that one which is a part of another leaves nothing of that."""
_added: set[str] = set()
"""Values that were added, as they were given."""
_lock = threading.Lock()


def add_secret(value: str, what: str) -> None:
    """From now on the value is masked. One with fewer than four letters is not."""
    global _known  # noqa: PLW0603 (replaced as a whole, so that readers need no lock)
    if value in _added:
        return
    new = {spelling.strip() for spelling in decoded(value.strip())}
    with _lock:
        _added.add(value)
        new -= {secret.value for secret in _known}
        secrets = [Secret(spelling, what) for spelling in new if len(spelling) >= SHORTEST]
        if secrets:
            _known = tuple(sorted((*_known, *secrets), key=lambda secret: len(secret.value), reverse=True))


def forget_secrets() -> None:
    """Know none any more."""
    global _known  # noqa: PLW0603
    with _lock:
        _known = ()
        _added.clear()


def has_secrets() -> bool:
    """Whether any is known; if not, nothing needs to be looked through."""
    return bool(_known)


def find_secret(text: str) -> str:
    """What the secret is that occurs in a text; empty where none does."""
    return next((secret.what for secret in _known if secret.is_in(text)), "")


def mask(text: str) -> str:
    """The text with every known secret replaced, however it is spelled."""
    for secret in _known:
        if secret.is_in(text):
            text = secret.pattern.sub(MASK, text)
    return text


def mask_bytes(data: bytes) -> bytes:
    """The bytes of a text with every known secret replaced; what is no UTF-8 in them is kept."""
    if not _known:
        return data
    return mask(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def mask_nested(value: Any) -> Any:
    """Lists and mappings with every text in them masked. A number is kept unless it is a secret itself, all of it."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(name) if isinstance(name, str) else name: mask_nested(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [mask_nested(inner) for inner in value]
    written, masked = str(value), mask(str(value))
    is_kept = masked != MASK if isinstance(value, int | float) else masked == written
    return value if is_kept else masked
