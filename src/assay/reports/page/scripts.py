"""Scripts and styles of a page: our own files, and Vega from the installed package."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write, cache_folder
from assay.errors import DataError
from assay.extras import check_extra

STATIC = Path(__file__).parent.parent / "static"


@cache
def static_file(name: str) -> str:
    """One of our own files."""
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script; it is cached on disk, because building it takes seconds."""
    check_extra("charts need", "report", "vl_convert")
    import vl_convert

    package: Any = vl_convert
    place = cache_folder() / f"vega-{package.__version__}.js"
    if cached := _read(place):
        return cached
    text = for_script_element(str(package.javascript_bundle()))
    with suppress(OSError, RuntimeError, DataError), atomic_write(place, is_text=False) as file:
        file.write(f"//{_seal(text)}\n{text}".encode())
    return text


def for_script_element(code: str) -> str:
    """JavaScript that cannot end its script element; in strings and patterns the meaning stays the same."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", code, flags=re.IGNORECASE)


def _read(place: Path) -> str:
    """The cached text, if it is complete."""
    try:
        head, _, text = place.read_text(encoding="utf-8").partition("\n")
    except (OSError, RuntimeError, UnicodeDecodeError):
        return ""
    return text if text and head == f"//{_seal(text)}" else ""


def _seal(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
