"""Wanted: which answers to a query are right; or that it has none, and a system should say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.model.records import Query
from assay.model.reply import has_words, said_yes
from assay.text import shortened

REFERENCES = (
    *("references", "reference", "expected_answers", "expected_answer", "expected", "ground_truths", "ground_truth"),
    *("reference_answers", "reference_answer", "gold_answers", "gold_answer", "answers"),
)
"""Names under which the right answers stand, one or several."""
LISTS = ("references", "expected_answers", "ground_truths", "reference_answers", "gold_answers", "answers")
"""Those that tell of several answers, where a query has them beside its expected one."""
ANSWERABLE = ("answerable", "is_answerable")
UNANSWERABLE = ("is_impossible", "unanswerable")


class Wanted(NamedTuple):
    """The answers that are right, any of them; none where the query has no answer."""

    references: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether there is an answer at all."""
        return bool(self.references)


def wanted_by(query: Query) -> Wanted | None:
    """What a query of a benchmark expects; None where nobody says, or in no words."""
    metadata = query.metadata or {}
    if _is_unanswerable(metadata):
        return Wanted()
    several: list[Any] = next((metadata[name] for name in LISTS if isinstance(metadata.get(name), list)), [])
    return _of_texts([query.expected, *several])


def wanted_in(fields: Mapping[str, Any]) -> Wanted | None:
    """What a record says is right; an empty list says that there is no answer. None where it says nothing."""
    if _is_unanswerable(fields):
        return Wanted()
    name = next((name for name in REFERENCES if fields.get(name) is not None), None)
    if name is None:
        return None
    given = fields[name]
    return Wanted() if given == [] else _of_texts(given if isinstance(given, list | tuple) else [given])


def _of_texts(texts: Sequence[Any]) -> Wanted | None:
    """Each answer once, those without a word left out."""
    for one in texts:
        if one is not None and (isinstance(one, bool) or not isinstance(one, str | int | float)):
            raise DataError(f"the right answers are text, not {shortened(one)}")
    written = (str(one) for one in texts if one is not None)
    worded = tuple(dict.fromkeys(text for text in written if has_words(text)))
    return Wanted(worded) if worded else None


def _is_unanswerable(fields: Mapping[str, Any]) -> bool:
    """Whether somebody says that there is no answer."""
    for names, means in ((ANSWERABLE, False), (UNANSWERABLE, True)):
        for name in names:
            if fields.get(name) is not None and said_yes(fields[name], name) is means:
                return True
    return False
