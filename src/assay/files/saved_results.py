"""Recognition of saved results: by the first bytes of a file, before anything is parsed."""

from __future__ import annotations

import re
from pathlib import Path

from assay.errors import DataError

HEAD_BYTES = 65_536
"""A saved result can be recognised by its first bytes, at most this many."""
COUNTS = re.compile(rb'"counts"\s*:\s*\{[^{}]*"(?:judged|scored)"\s*:')
"""What every saved result, and no other file, has near its beginning."""


def is_saved_result(path: str | Path) -> bool:
    """Whether a file looks like saved results: a JSON object with our schema, or one where only the schema is missing."""
    place = Path(split_address(path)[0])
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return looks_saved(file.read(HEAD_BYTES))


def looks_saved(content: bytes) -> bool:
    """Whether the content begins like saved results."""
    return b"assay.result/" in content[:200] or (
        content.lstrip().startswith(b"{") and bool(COUNTS.search(content[:HEAD_BYTES]))
    )


def check_not_empty(path: str | Path) -> None:
    """Raise a DataError if a JSON file is empty or contains only null."""
    place = Path(split_address(path)[0])
    if place.suffix.lower() != ".json" or not place.is_file() or place.stat().st_size > HEAD_BYTES:
        return
    content = place.read_bytes().strip()
    if content in (b"", b"null"):
        what = "contains only null" if content else "is empty"
        raise DataError(f"the file {what}. To write a saved result: assay eval … -o result.json", source=place)


def split_address(path: str | Path) -> tuple[str, str]:
    """The file, and the name after it. Both may contain a #, so the longest path that is a file wins."""
    place, address = str(path), ""
    while "#" in place and not Path(place).is_file():
        place, _, last = place.rpartition("#")
        address = f"{last}#{address}" if address else last
    return place, address
