"""longmemeval: questions about a long chat history, each with its own haystack; the sessions in it are the documents."""

from __future__ import annotations

from pathlib import Path

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._evidence_pack import evidence_pack
from assay.datasets._format import Format, Probe

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


def read_longmemeval(path: Path) -> BenchmarkDataset:
    """A session is the document `question/session`, a question is a scope; `answer_session_ids` are the evidence.

    A question whose id ends in `_abs` has no answer: its evidence is empty, and `answerable` is False. A session that
    stands twice in a haystack is kept once; answer sessions that are not in the haystack are noted as lost.
    """
    from assay.datasets._read_haystacks import read_haystacks

    dataset = read_haystacks(path, by_turn=False)
    dataset.pack = evidence_pack("longmemeval", dataset.documents)
    return dataset


def detect(probe: Probe) -> bool:
    """A JSON list of questions with haystacks; the published files have no ending."""
    return probe.is_list and "question_id" in probe.keys and any(name.startswith("haystack_") for name in probe.keys)


FORMAT = Format(
    "longmemeval",
    "questions with a haystack of sessions each; documents are sessions",
    read_longmemeval,
    detect,
    example=EXAMPLE,
    rank=20,
)
