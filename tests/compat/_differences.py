"""What every test of differences does: meet a difference and see it, and avoid it and see nothing."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.compat.ranx import DifferenceWarning

PAGES = Path(__file__).parents[2] / "docs" / "migration"
Case = tuple[Callable[[], Any], Callable[[], Any]]
"""A call that meets the difference, and one that does not."""


def warnings_of(call: Callable[[], Any]) -> dict[str, str]:
    """Text of each difference that a call meets → the file that is blamed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return {str(each.message): each.filename for each in caught if issubclass(each.category, DifferenceWarning)}


def check_case(differences: Any, name: str, case: Case, file: str) -> None:
    """The first call warns at its own line, or raises the error of the record; the second call does neither."""
    meets, avoids = case
    if errors := differences[name].errors:
        with pytest.raises(errors):
            meets()
    else:
        blamed = [place for text, place in warnings_of(meets).items() if text.startswith(differences.text(name))]
        assert blamed == [file], name
    assert [text for text in warnings_of(avoids) if text.startswith(differences.text(name))] == [], name


def rows_of_page(page: str) -> list[tuple[str, ...]]:
    """The rows of the table of differences: when, the original, assay."""
    section = (PAGES / f"{page}.md").read_text(encoding="utf-8").split("\n## What is different\n")[1].split("\n## ")[0]
    table = section[section.index("| when |") :].split("\n\n")[0]
    rows = [re.split(r"(?<!\\) \| ", line[2:-2]) for line in table.splitlines() if line.startswith("| ")]
    return [tuple(cell.replace("\\|", "|") for cell in row) for row in rows]
