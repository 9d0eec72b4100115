"""Judging form: the drawn pairs as a table for a spreadsheet, and what people filled in.

The table has texts, but no rank, system or probability. A pair is recognised by a key that spreadsheets do not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import DataError
from assay.files import FoundGrade, JudgmentFile
from assay.judging.pools import Pool, PoolPair
from assay.model import Document, Query, fingerprint
from assay.store import Judgment, checked_judgment, digest_of_text
from assay.text import counted, printable, some_of, spreadsheet_cell

FORM_COLUMNS = ("pair", "query_text", "document_text", "grade", "reason", "query", "document", "text_digest")
MAX_CELL = 30_000
"""Characters of a text; a cell of a spreadsheet can have 32,767."""
Texts = Mapping[str, Any]
"""Id → its text, or its record in a dataset."""


def judging_form(pool: Pool, queries: Texts, documents: Texts, earlier: Pool | None = None) -> str:
    """The drawn pairs as CSV, in the order of judging, with an empty grade and reason; without those of an `earlier` pool.

    `queries` and `documents` have texts or the records of a dataset. A pair without a text is an error. Texts above 30,000
    characters are cut. Write the file as `utf-8-sig`, because spreadsheets read other encodings without it.
    """
    rows: list[tuple[str, ...]] = [FORM_COLUMNS]
    known = set() if earlier is None else {pair[:2] for pair in earlier.drawn}
    for pair in (pair for pair in pool.drawn if pair[:2] not in known):
        query, document = _text(queries.get(pair.query)), _text(documents.get(pair.document))
        if not query.strip() or not document.strip():
            missing = f"query {pair.query}" if not query.strip() else f"document {pair.document}"
            raise DataError(f"a form shows texts, but {missing} has none. Name the data with --dataset or --documents")
        shown = (_cell(query), _cell(document), "", "", spreadsheet_cell(pair.query), spreadsheet_cell(pair.document))
        rows.append((pair_key(pool, pair), *shown, digest_of_text(document)))
    return "".join(f"{','.join(map(_quoted, row))}\r\n" for row in rows)


def pair_key(pool: Pool, pair: PoolPair) -> str:
    """A short name of a pair in this pool: letters first, so that no spreadsheet reads it as a number or a date."""
    return f"pair-{fingerprint([(pool.id, pair.query, pair.document)])[:12]}"


def _quoted(cell: str) -> str:
    return '"{}"'.format(cell.replace('"', '""')) if cell else ""


def _text(known: Any) -> str:
    """The text that a judge sees: of a document, title and text together."""
    if isinstance(known, Document):
        return known.content
    return known.text if isinstance(known, Query) else str(known or "")


def _cell(text: str) -> str:
    """A text that no spreadsheet runs as a formula, with its lines."""
    cut = text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
    first, *others = cut.splitlines() or [""]
    return "\n".join((spreadsheet_cell(first), *map(printable, others)))


@dataclass(frozen=True)
class FilledForm:
    """What people filled in: the grades of drawn pairs, and what has no grade."""

    pool: Pool
    file: JudgmentFile
    """The grades of drawn pairs, with pool, probability and digest."""
    n_open: int
    """Drawn pairs without a grade in the file."""
    n_skipped: int
    """Those that come before a pair with a grade, in the order of judging."""
    outside: tuple[str, ...]
    """Pairs with a grade that were not drawn; they are left out."""
    changed: tuple[str, ...]
    """Documents whose text is not the one in the form any more."""

    def judgments(self, judge: str = "") -> list[Judgment]:
        """The grades as judgments by people; `judge` is the name of the judge if the file has none."""
        return [
            checked_judgment(
                Judgment(
                    self.pool.benchmark,
                    grade.query,
                    grade.document,
                    grade.judge or judge,
                    grade.grade,
                    grade.reason,
                    grade.judged,
                    text_digest=grade.text_digest,
                    pool=grade.pool,
                    probability=grade.probability,
                )
            )
            for grade in self.file.grades
        ]

    def sentences(self) -> list[str]:
        """What is open, outside and changed, one sentence each."""
        lines = []
        if self.outside:
            verb = "was not drawn and is" if len(self.outside) == 1 else "were not drawn and are"
            lines.append(f"{counted(len(self.outside), 'pair')} {verb} left out ({printable(some_of(self.outside))}).")
        if self.n_open:
            verb = "has" if self.n_open == 1 else "have"
            lines.append(
                f"{self.n_open:,} of {counted(len(self.pool.drawn), 'drawn pair')} {verb} no grade in the file yet."
            )
        if self.n_skipped:
            lines.append(
                f"{self.n_skipped:,} of these {'comes' if self.n_skipped == 1 else 'come'} before graded pairs. Estimates "
                "are right if pairs are judged in the order of the form, so grade these pairs too."
            )
        if self.changed:
            have, their = ("has", "its") if len(self.changed) == 1 else ("have", "their")
            lines.append(
                f"{counted(len(self.changed), 'document')} {have} another text now than in the form "
                f"({printable(some_of(self.changed))}). The grades belong to {their} old text."
            )
        return lines


def filled_form(pool: Pool, file: JudgmentFile, documents: Texts | None = None, earlier: Pool | None = None) -> FilledForm:
    """The grades of a file for the drawn pairs of a pool. Empty cells are pairs that are not judged yet, and never 0.

    Pairs are found by the key in the column `pair`, else by the ids. With `documents`, changed texts are noticed. Pairs of
    the `earlier` pool that this one extends are not missing, because the form does not have them.
    """
    by_key = {pair_key(pool, pair): pair for pair in pool.drawn}
    by_ids = {(spreadsheet_cell(pair.query), spreadsheet_cell(pair.document)): pair for pair in pool.drawn}
    by_ids |= {(pair.query, pair.document): pair for pair in pool.drawn}
    matches: list[tuple[PoolPair, FoundGrade]] = []
    outside = []
    for grade in file.grades:
        pair = by_key.get(grade.pair) if grade.pair else by_ids.get((grade.query, grade.document))
        if pair is None:
            outside.append(f"{grade.place}: {grade.query} {grade.document}")
        else:
            matches.append((pair, _drawn_grade(grade, pair, pool)))
    if outside and not matches:
        raise DataError(
            f"none of the {counted(len(outside), 'graded pair')} was drawn for the pool {pool.id} "
            f"({printable(outside[0])}). Give the pool that the form was written with"
        )
    judged = {pair for pair, _ in matches}
    elsewhere = set() if earlier is None else {pair[:2] for pair in earlier.drawn}
    is_open = [pair for pair in pool.drawn if pair not in judged and pair[:2] not in elsewhere]
    last = max((pair.place or 0 for pair in judged), default=-1)
    known = {} if documents is None else {pair.document: _text(documents.get(pair.document)) for pair in judged}
    return FilledForm(
        pool,
        replace(
            file, grades=[grade for _, grade in matches], left_out=[why for why in file.left_out if why not in file.empty]
        ),
        n_open=len(is_open),
        n_skipped=sum((pair.place or 0) < last for pair in is_open),
        outside=tuple(outside),
        changed=tuple(dict.fromkeys(grade.document for _, grade in matches if _is_changed(grade, known))),
    )


def _drawn_grade(grade: FoundGrade, pair: PoolPair, pool: Pool) -> FoundGrade:
    return grade._replace(query=pair.query, document=pair.document, pool=pool.id, probability=pair.probability)


def _is_changed(grade: FoundGrade, texts: Mapping[str, str]) -> bool:
    text = texts.get(grade.document, "")
    return bool(text and grade.text_digest) and digest_of_text(text) != grade.text_digest
