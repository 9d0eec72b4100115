"""AnswerCache: answers that a provider's configuration alone decides, kept by content for the next evaluation."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.evaluation.answers import Answer, AnswerLog
from assay.evaluation.provenance import describe_machine
from assay.evaluation.runner import Part
from assay.model import Query

PART = "answers"


@dataclass(frozen=True)
class AnswerCache:
    """One file for each provider's configuration, set of documents, depth and version of what computes it."""

    folder: Path
    part: Part

    @cached_property
    def _log(self) -> AnswerLog:
        machine = describe_machine()
        content = {
            "provider": self.part.provider.fingerprint,
            "documents": self.part.dataset.fingerprint("documents"),
            "k": self.part.k,
            "versions": {"assay": machine["assay"], **machine["packages"]},
        }
        return AnswerLog(self.folder / f"{_digest(content)}.log")

    def known(self) -> dict[str, Answer]:
        """Query id → the answer that the same words got before."""
        if not self.part.provider.is_repeatable:
            return {}
        try:
            _, parts = self._log.read()
        except OSError:  # a cache costs time, never an answer
            return {}
        by_content = parts.get(PART, {})
        found = {query.query_id: by_content.get(_content(query)) for query in self.part.queries.values()}
        return {query: _renamed(answer, query) for query, answer in found.items() if answer is not None}

    def keep(self, answers: Mapping[str, Answer], known: Mapping[str, Answer]) -> None:
        """Add what was answered now; errors are never kept, nor what a result of before says, whose time nobody knows."""
        fresh = [answer for query, answer in answers.items() if query not in known and _is_kept(answer)]
        if not fresh or not self.part.provider.is_repeatable:
            return
        with suppress(OSError, DataError), self._log.held(waits=True):
            if not self._log.path.exists():
                self._log.begin({"provider": self.part.provider.configuration})
            self._log.mend()
            appender = self._log.appender()
            try:
                appender.append(PART, [_renamed(one, _content(self.part.queries[one.query])) for one in fresh])
            finally:
                appender.close()


def _is_kept(answer: Answer) -> bool:
    return answer.error is None and not math.isnan(answer.ms)


def _content(query: Query) -> str:
    """What decides the answer: the words, and where to look."""
    return _digest([query.text, query.scope])


def _digest(content: Any) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=12).hexdigest()


def _renamed(answer: Answer, query: str) -> Answer:
    own = (answer.docs, answer.scores, answer.ms, answer.error, answer.extra, answer.n_together)
    return Answer(query, *own, said=answer.said)
