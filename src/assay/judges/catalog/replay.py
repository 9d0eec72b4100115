"""replay: grades that exist already, from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.files import each_record
from assay.grammar import REQUIRED, Param
from assay.judges.definition import Judge
from assay.judges.grades import PairGrade, read_value, ungraded
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.providers import file_digests
from assay.store import digest_of_text


class Replay:
    """Looks up each pair by its ids. If the file says which text was graded, another text has no grade."""

    def __init__(self, file: str) -> None:
        self._records: dict[tuple[str, str], Mapping[str, Any]] = {}
        each_record(Path(file), self._take)

    def _take(self, _place: str, record: Mapping[str, Any]) -> None:
        query, document = record.get("query"), record.get("document")
        if query is None or document is None or "grade" not in record:
            raise DataError("expected query, document and grade")
        if (str(query), str(document)) in self._records:
            raise DataError(f"query {query} and document {document} occur twice")
        self._records[str(query), str(document)] = record

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """The grade in the file for each pair."""
        return [self._grade(pair) for pair in pairs]

    def _grade(self, pair: Pair) -> PairGrade:
        record = self._records.get((pair.query, pair.document))
        if record is None:
            return ungraded("the pair is not in the file")
        if record.get("text_digest") not in (None, "", digest_of_text(pair.document_text)):
            return ungraded("the grade in the file is for another text of this document")
        grade, model = read_value(record["grade"], (), record.get("reason")), record.get("model")
        return PairGrade(grade.grade, grade.why, grade.reason, model if isinstance(model, str) else "")


def settings_of(file: str) -> Mapping[str, Any]:
    """The content of the file."""
    return {"file": sorted(file_digests([Path(file)]).values())}


REPLAY = Judge(
    "replay",
    "grades that exist already, from a file with query, document and grade",
    Replay,
    params=(Param("file", str, REQUIRED, "JSON lines or a table with query, document, grade and optionally reason"),),
    short_for="file",
    batch=1000,
    settings=settings_of,
)
