"""longmemeval_turns: a LongMemEval file with turns, not sessions, as documents; chosen by name, never detected."""

from __future__ import annotations

from pathlib import Path

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._evidence_pack import evidence_pack
from assay.datasets._format import Format, Probe

EXAMPLE = """\
[{"question_id": "c0ffee01", "question_type": "single-session-user", "question": "What did I call my cat?", "answer": "Miso",
  "haystack_session_ids": ["answer_01"], "answer_session_ids": ["answer_01"],
  "haystack_sessions": [[{"role": "user", "content": "My cat Miso will not eat.", "has_answer": true},
                         {"role": "assistant", "content": "Try warming the food."}]]}]"""


def read_longmemeval_turns(path: Path) -> BenchmarkDataset:
    """A turn is the document `question/session/number`, from 1; those marked `has_answer` are the evidence.

    A question without any marked turn has nothing to find, and that is noted as a loss; `_abs` questions as for sessions.
    """
    from assay.datasets._read_haystacks import read_haystacks

    dataset = read_haystacks(path, by_turn=True)
    dataset.pack = evidence_pack("longmemeval_turns", dataset.documents)
    return dataset


def detect(probe: Probe) -> bool:  # noqa: ARG001 (every format has the same signature)
    """Never: the same file is taken for `longmemeval` unless this format is asked for."""
    return False


FORMAT = Format(
    "longmemeval_turns", "a LongMemEval file; documents are turns", read_longmemeval_turns, detect, example=EXAMPLE
)
