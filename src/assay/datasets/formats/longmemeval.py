"""longmemeval: questions, each with the chat sessions that it searches; documents are sessions or turns.

Wu et al. 2025, LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory (arXiv 2410.10813).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.evidence import evidence_pack
from assay.datasets.fields import answer_text
from assay.datasets.format import Format
from assay.datasets.haystacks import LAYOUTS, Haystack, Item, Sessions, Units
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import session_time
from assay.errors import DataError
from assay.files import FileSource, decode_file
from assay.model import Query, text_id
from assay.text import counted

NOTHING_TO_FIND = "so there is nothing to find"
UNKNOWN_EVIDENCE = "does not say where its answer is; only its expected answer can decide what is relevant"


def session_evidence(haystack: Haystack, session_ids: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Sessions in `answer_session_ids`; if it is empty, sessions with a turn that is marked `has_answer`.

    If only the user's turns are indexed, a session counts only if one of these turns is marked.
    """
    place = haystack.place
    if not session_ids and haystack.marked:
        notes.mend(place, "answer_session_ids is empty; sessions with turns marked has_answer are used")
        return _documents(haystack, list(haystack.marked))
    if session_ids is None:
        notes.lose(place, UNKNOWN_EVIDENCE)
        return None
    names = [_session_name(haystack, session_id, notes) for session_id in _expected_sessions(haystack, session_ids, notes)]
    if unnamed := [name for name in haystack.marked if name not in names]:
        notes.lose(place, f"turns marked has_answer do not count, because {_unlisted(unnamed)}")
    if haystack.units.user_only:
        for name in names:
            if name not in haystack.marked:
                notes.lose(place, f"session {name} does not count, because none of its user turns is marked has_answer")
        names = [name for name in names if name in haystack.marked]
    if not names:
        notes.lose(place, f"no session is known to contain the answer, {NOTHING_TO_FIND}")
    return _documents(haystack, names)


def turn_evidence(haystack: Haystack, session_ids: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Turns that are marked `has_answer`. An answer session without such a turn is noted as lost."""
    place = haystack.place
    if session_ids is None and not haystack.marked:
        notes.lose(place, UNKNOWN_EVIDENCE)
        return None
    expected = _expected_sessions(haystack, session_ids or (), notes)
    for session_id in expected:
        if not any(name in haystack.marked for name in haystack.names[session_id]):
            notes.lose(place, f"no {haystack.units.turn} of session {session_id} is marked has_answer")
    named = {name for session_id in expected for name in haystack.names[session_id]}
    if unnamed := [name for name in haystack.marked if name not in named]:
        notes.mend(place, f"turns marked has_answer count, although {_unlisted(unnamed)}")
    if not haystack.marked:
        notes.lose(place, f"no {haystack.units.turn} is known to contain the answer, {NOTHING_TO_FIND}")
    return _documents(haystack, [f"{name}/{number}" for name, turns in haystack.marked.items() for number in sorted(turns)])


def _unlisted(names: Sequence[str]) -> str:
    return f"answer_session_ids does not contain {', '.join(names)}"


def _documents(haystack: Haystack, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{haystack.question_id}/{name}" for name in names)


def _expected_sessions(haystack: Haystack, session_ids: Sequence[str | int], notes: Notes) -> list[str]:
    """The answer sessions that exist, each once."""
    expected: list[str] = []
    for session_id in map(text_id, session_ids):
        if session_id not in haystack.names:
            notes.lose(haystack.place, f"answer session {session_id} is not in the haystack")
        elif session_id in expected:
            notes.mend(haystack.place, f"answer session {session_id} is listed twice")
        else:
            expected.append(session_id)
    return expected


def _session_name(haystack: Haystack, session_id: str, notes: Notes) -> str:
    """The session with this id; if there are several, the only one with a marked turn, otherwise the first."""
    names = haystack.names[session_id]
    marked = [name for name in names if name in haystack.marked]
    if len(names) > 1 and len(marked) == 1:
        reason = f"because only it has turns marked has_answer: {marked[0]}"
        notes.mend(haystack.place, f"one of {len(names)} sessions with the id {session_id} is the evidence, {reason}")
        return marked[0]
    if len(names) > 1:
        notes.lose(haystack.place, f"{len(names)} sessions have the id {session_id}; the first is used as the evidence")
    return names[0]


ABSTENTION = "_abs"
"""The end of the ids of questions that the haystack does not answer."""


def _read(path: Path, name: str, units: Units) -> BenchmarkDataset:
    """Read questions one after the other; text that several haystacks share is stored once."""
    notes = Notes(str(path))
    reader = _Reader(BenchmarkDataset(FileSource(path.resolve()).name), units, notes)
    for number, raw in enumerate(decode_file(path, list[msgspec.Raw]), 1):
        reader.add(number, raw)
        if notes.full:
            break
    notes.raise_if_any(len(reader.dataset.queries) + notes.n_faults)
    reader.dataset.repairs = notes.repairs
    reader.dataset.pack = evidence_pack(name, reader.dataset.documents)
    return require_queries(reader.dataset, str(path))


class _Reader:
    """Adds questions and their haystacks to a dataset."""

    def __init__(self, dataset: BenchmarkDataset, units: Units, notes: Notes) -> None:
        self.dataset, self._notes = dataset, notes
        self._sessions = Sessions(units)
        self._item = msgspec.json.Decoder(Item).decode
        self._fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

    def add(self, number: int, raw: msgspec.Raw) -> None:
        """Add one question with its haystack. Unknown fields become its metadata. A bad question leaves nothing behind."""
        place = f"question {number}"
        try:
            item, fields = self._item(raw), self._fields(raw)
            others = {name: msgspec.json.decode(value) for name, value in fields.items() if name not in KNOWN_FIELDS}
            question_id = self._question_id(item, number)
            if question_id in self.dataset.queries:
                raise DataError(f"the question_id {question_id} appears twice")
            place = f"question {question_id}"
            haystack = Haystack.of(question_id, item, self._sessions, self._notes)
            documents = {document.doc_id: document for document in haystack.documents()}
            if not self.dataset.documents.keys().isdisjoint(documents):
                raise DataError("a document of another question has the same id; do not use / in ids")
        except ValueError as error:
            self._notes.fault(place, str(error))
            return
        self.dataset.documents.update(documents)
        self.dataset.queries[question_id] = self._query(item, haystack, others)

    def _question_id(self, item: Item, number: int) -> str:
        if item.question_id is None or item.question_id == "":
            self._notes.mend(f"question {number}", f"has no question_id; it gets the id question_{number}")
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
        evidence_of = turn_evidence if haystack.units.by_turn else session_evidence
        return Query(
            haystack.question_id,
            item.question or "",
            query_type=item.question_type,
            metadata={**others, **dated, **named, "answerable": not is_abstention},
            expected=answer_text(item.answer, place, notes),
            evidence=() if is_abstention else evidence_of(haystack, item.answer_session_ids, notes),
            scope=haystack.question_id,
            time=session_time(item.question_date, LAYOUTS),
        )


KNOWN_FIELDS = frozenset(Item.__struct_fields__)


EXAMPLE = """\
[{"question_id": "c0ffee01",
  "question_type": "single-session-user",
  "question": "What did I call my cat?",
  "answer": "Miso",
  "question_date": "2023/05/30 (Tue) 23:40",
  "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:05"],
  "haystack_session_ids": ["answer_01", "filler_77"],
  "haystack_sessions": [
    [{"role": "user", "content": "My cat Miso will not eat.", "has_answer": true},
     {"role": "assistant", "content": "Try warming the food."}],
    [{"role": "user", "content": "How do I prune roses?"}]],
  "answer_session_ids": ["answer_01"]}]"""


def notes_on_questions(dataset: BenchmarkDataset) -> list[str]:
    """A note on questions without evidence: the paper leaves them out of retrieval scores."""
    empty = [query.query_id for query in dataset.queries.values() if query.evidence is not None and not query.evidence]
    if not empty:
        return []
    verb = "has" if len(empty) == 1 else "have"
    which = f"{len(empty):,} of {counted(len(dataset.queries), 'question')} {verb} nothing to find, such as {empty[0]}"
    return [f"{which}. LongMemEval leaves such questions out of retrieval scores, as --no-relevant skip does."]


def detect(probe: Probe) -> bool:
    """A JSON list of questions with haystacks; the published files have no extension."""
    return probe.is_list and "question_id" in probe.keys and any(name.startswith("haystack_") for name in probe.keys)


def detect_never(probe: Probe) -> bool:  # noqa: ARG001 (every format has the same signature)
    """Never: the same file is read as `longmemeval` unless another format is requested by its name."""
    return False


WORDS = {"query_type": "question_type"}
"""The file's own name for the type of a query."""


def read_longmemeval(path: Path) -> BenchmarkDataset:
    """A session is a document with the id `question/session`. The scope of a question is its own sessions, and
    `answer_session_ids` are the evidence.

    A question whose id ends in `_abs` has no answer: its evidence is empty, and `answerable` is False. It scores 0; add
    `--no-relevant skip` to leave such questions out, as the paper does. A session that appears twice in a haystack is used
    once. Answer sessions that are not in the haystack are noted as lost. `--by question_type` gives scores for each type.
    Questions and sessions have times, read as UTC.
    """
    return _read(path, "longmemeval", Units())


LONGMEMEVAL = Format(
    "longmemeval",
    "questions, each with a haystack of chat sessions; documents are sessions",
    read_longmemeval,
    detect,
    example=EXAMPLE,
    needs="a JSON list of records with question_id and haystack_sessions",
    rank=20,
    words=WORDS,
    notes=notes_on_questions,
)


TURNS_EXAMPLE = """\
[{"question_id": "c0ffee01", "question_type": "single-session-user", "question": "What did I call my cat?", "answer": "Miso",
  "haystack_session_ids": ["answer_01"], "answer_session_ids": ["answer_01"],
  "haystack_sessions": [[{"role": "user", "content": "My cat Miso will not eat.", "has_answer": true},
                         {"role": "assistant", "content": "Try warming the food."}]]}]"""


def read_longmemeval_turns(path: Path) -> BenchmarkDataset:
    """A turn is a document with the id `question/session/number`. Numbers start at 1. Turns marked `has_answer` are the
    evidence.

    A question without a marked turn has nothing to find, which is noted as a loss. `_abs` questions are read as in
    longmemeval.
    """
    return _read(path, "longmemeval_turns", Units(by_turn=True))


LONGMEMEVAL_TURNS = Format(
    "longmemeval_turns",
    "a LongMemEval file; documents are turns",
    read_longmemeval_turns,
    detect_never,
    example=TURNS_EXAMPLE,
    needs="to be chosen by name, because its files look like longmemeval",
    words=WORDS,
    notes=notes_on_questions,
)


def read_longmemeval_user(path: Path) -> BenchmarkDataset:
    """The retrieval protocol of the paper for sessions (Wu et al. 2025, arXiv 2410.10813, and its code): a document is the
    text of the user's turns in a session, joined with spaces. The turns of the assistant are not indexed.

    Sessions in `answer_session_ids` with a user turn that is marked `has_answer` are the evidence. The paper leaves out
    `_abs` questions and questions without such a turn; add `--no-relevant skip` to do the same. Its recall_any@k is `hit@k`,
    and its ndcg_any@k is `ndcg(discount=jk2002)@k`.
    """
    return _read(path, "longmemeval_user", Units(user_only=True))


LONGMEMEVAL_USER = replace(
    LONGMEMEVAL_TURNS,
    name="longmemeval_user",
    meaning="a LongMemEval file as in the paper; documents are the user's turns of a session",
    read=read_longmemeval_user,
)


def read_longmemeval_user_turns(path: Path) -> BenchmarkDataset:
    """The retrieval protocol of the paper for turns: every turn of the user is a document with the id
    `question/session/number`. The number counts the turns of both sides, from 1.

    User turns that are marked `has_answer` are the evidence. Questions without one are read as in longmemeval_user.
    """
    return _read(path, "longmemeval_user_turns", Units(by_turn=True, user_only=True))


LONGMEMEVAL_USER_TURNS = replace(
    LONGMEMEVAL_TURNS,
    name="longmemeval_user_turns",
    meaning="a LongMemEval file as in the paper; documents are the user's turns",
    read=read_longmemeval_user_turns,
)
