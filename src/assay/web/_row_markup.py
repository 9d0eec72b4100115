"""Rows of long tables as markup, put together here instead of by a template: a page has hundreds of fields.

Every text is escaped and has its control characters written out, as templates do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.reports import Field
from assay.text import printable
from assay.web._sheet import Sheet


def rows_of(sheet: Sheet) -> Any:
    """The rows of a sheet, each with a box where it may be picked."""
    from markupsafe import Markup, escape

    def safe(text: str) -> str:
        return str(escape(printable(text)))

    kinds = [head.column.kind for head in sheet.heads]
    picks = sheet.picks or [""] * len(sheet.rows)
    rows = [_row(row, kinds, pick, safe) for row, pick in zip(sheet.rows, picks, strict=True)]
    return Markup("\n".join(rows))  # noqa: S704 (every text went through `safe`)


def _row(row: Sequence[Field], kinds: Sequence[str], pick: str, safe: Any) -> str:
    first, *others = (_inside(one, safe) for one in row)
    cells = [f"<th scope=row{_attributes(row[0], kinds[0], safe)}>{first}</th>"]
    cells += [
        f"<td{_attributes(one, kind, safe)}>{inside}</td>"
        for one, kind, inside in zip(row[1:], kinds[1:], others, strict=True)
    ]
    return f"<tr>{_box(row[0], pick, safe)}{''.join(cells)}</tr>"


def _attributes(one: Field, kind: str, safe: Any) -> str:
    tone = f" {safe(one.tone)}" if one.tone else ""
    title = f' title="{safe(one.title)}"' if one.title else ""
    return f' class="{kind}{tone}"{title}'


def _inside(one: Field, safe: Any) -> str:
    text = safe(one.text)
    linked = f'<a href="{safe(one.href)}">{text}</a>' if one.href else text
    return f'{linked} <span class="beside">{safe(one.beside)}</span>' if one.beside else linked


def _box(one: Field, pick: str, safe: Any) -> str:
    if not pick:
        return ""
    label = safe(f"Pick {one.text} {one.beside}".strip())
    return f'<td class="pick"><input type="checkbox" name="r" value="{safe(pick)}" aria-label="{label}"></td>'
