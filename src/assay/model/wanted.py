"""Wanted: which answers to a query are right; or that it has none, and a system should say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.model.records import Query
from assay.model.reply import has_words, in_words
from assay.model.said import said_under, said_yes

REFERENCES = (
    *("references", "reference", "expected_answers", "expected_answer", "expected", "ground_truths", "ground_truth"),
    *("reference_answers", "reference_answer", "gold_answers", "gold_answer", "answers", "expected_output"),
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
    lists = (_listed(metadata[name]) for name in LISTS if isinstance(metadata.get(name), list | Mapping))
    return _of_texts([query.expected, *next(lists, [])])


def wanted_in(fields: Mapping[str, Any]) -> Wanted | None:
    """What a record says is right; an empty list says that there is no answer. None where it says nothing."""
    if _is_unanswerable(fields):
        return Wanted()
    name, given = said_under(fields, REFERENCES)
    if not name:
        return None
    texts = _listed(given)
    return _of_texts(texts) if texts else Wanted()


def _listed(given: Any) -> Sequence[Any]:
    """The answers one by one; those of SQuAD are objects with a `text`, or one object with a list of them."""
    given = given.get("text", given) if isinstance(given, Mapping) else given
    given = given if isinstance(given, list | tuple) else [given]
    return [one.get("text", one) if isinstance(one, Mapping) else one for one in given]


def _of_texts(texts: Sequence[Any]) -> Wanted | None:
    """Each answer once, those without a word left out."""
    written = [in_words(one, "the right answers are text") for one in texts]
    worded = tuple(dict.fromkeys(text for text in written if text is not None and has_words(text)))
    return Wanted(worded) if worded else None


def _is_unanswerable(fields: Mapping[str, Any]) -> bool:
    """Whether somebody says that there is no answer."""
    return said_yes(fields, ANSWERABLE) is False or said_yes(fields, UNANSWERABLE) is True
