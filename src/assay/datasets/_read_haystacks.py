"""read_haystacks: a LongMemEval file, with sessions or with turns as documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from assay.datasets._answer import answer_text
from assay.datasets._dataset import BenchmarkDataset, require_queries
from assay.datasets._decode import decode_file
from assay.datasets._haystack import Haystack, Item, Sessions
from assay.datasets._haystack_evidence import session_evidence, turn_evidence
from assay.datasets._notes import Notes
from assay.datasets._source import FileSource
from assay.model import Query, text_id

ABSTENTION = "_abs"
"""How the ids of questions end that the haystack does not answer."""


def read_haystacks(path: Path, by_turn: bool) -> BenchmarkDataset:
    """Questions are decoded one after the other; a text that several haystacks share is held once."""
    notes = Notes(str(path))
    reader = _Reader(BenchmarkDataset(FileSource(path.resolve()).name), by_turn, notes)
    for number, raw in enumerate(decode_file(path, list[msgspec.Raw]), 1):
        reader.add(number, raw)
        if notes.full:
            break
    notes.raise_if_any()
    reader.dataset.repairs = notes.repairs
    return require_queries(reader.dataset, str(path))


class _Reader:
    """Adds questions and their haystacks to a dataset."""

    def __init__(self, dataset: BenchmarkDataset, by_turn: bool, notes: Notes) -> None:
        self.dataset, self._by_turn, self._notes = dataset, by_turn, notes
        self._sessions = Sessions(by_turn)
        self._item = msgspec.json.Decoder(Item).decode
        self._fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

    def add(self, number: int, raw: msgspec.Raw) -> None:
        """One question, with all it may search; fields nobody knows go to its metadata."""
        try:
            item, fields = self._item(raw), self._fields(raw)
            others = {name: msgspec.json.decode(value) for name, value in fields.items() if name not in KNOWN}
        except ValueError as error:
            self._notes.fault(f"question {number}", str(error))
            return
        question_id = self._question_id(item, number)
        if question_id in self.dataset.queries:
            self._notes.fault(f"question {number}", f"the question_id {question_id} has been there already")
            return
        haystack = Haystack.of(question_id, item, self._sessions, self._notes)
        n_before, found = len(self.dataset.documents), {one.doc_id: one for one in haystack.documents(self._by_turn)}
        self.dataset.documents.update(found)
        if len(self.dataset.documents) != n_before + len(found):
            self._notes.fault(haystack.place, "its documents have the ids of another question's; leave / out of ids")
        self.dataset.queries[question_id] = self._query(item, haystack, others)

    def _question_id(self, item: Item, number: int) -> str:
        if item.question_id is None or item.question_id == "":
            self._notes.mend(f"question {number}", f"has no question_id; called question_{number}")
            return f"question_{number}"
        return text_id(item.question_id)

    def _query(self, item: Item, haystack: Haystack, others: dict[str, Any]) -> Query:
        place, notes = haystack.place, self._notes
        for name in ("question", "question_type"):
            if not getattr(item, name):
                notes.lose(place, f"has no {name}")
        is_abstention = haystack.question_id.endswith(ABSTENTION)
        named = {"answer_session_ids": item.answer_session_ids} if is_abstention and item.answer_session_ids else {}
        dated = {"question_date": item.question_date} if item.question_date else {}
        evidence_of = turn_evidence if self._by_turn else session_evidence
        return Query(
            haystack.question_id,
            item.question or "",
            query_type=item.question_type,
            metadata={**others, **dated, **named, "answerable": not is_abstention},
            expected=answer_text(item.answer, place, notes),
            evidence=() if is_abstention else evidence_of(haystack, item.answer_session_ids, notes),
            scope=haystack.question_id,
        )


KNOWN = frozenset(Item.__struct_fields__)
