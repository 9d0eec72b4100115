"""term_list: HPO ids as they are handed over, one by itself or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.errors import DataError
from assay.model import text_id
from assay.text import shortened

Terms = str | Iterable[str]


def term_list(ids: Any, name: str = "expected_ids") -> list[str]:
    """The ids, each once; a text is one id, and never taken letter by letter. None is no id."""
    if ids is None:
        return []
    if isinstance(ids, str):
        return [ids]
    if isinstance(ids, bytes) or not isinstance(ids, Iterable):
        raise DataError(f"{name} is a list of ids, or one id as text; found {shortened(ids)}")
    return list(dict.fromkeys(map(text_id, ids)))
