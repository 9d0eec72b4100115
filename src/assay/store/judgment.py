"""Judgment: the grade that a judge gave to a document for a query, and everything that is known about how it was given.

The grades of people, of models and of rules are layers: they are never mixed. `combined` is one grade for each pair. A
settled grade ends a disagreement: it counts instead of the grades of single judges, which stay as they are.
`exportable` says which grades can be written as TREC qrels.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import median_low
from typing import Any, NamedTuple

from assay.errors import BadParameter
from assay.files import BadId, why_not_trec
from assay.model import is_finite_number
from assay.store.packing import digest_of, pack_json
from assay.store.timestamps import now, parse_timestamp
from assay.text import counted, cut_off, printable, shortened

LONGEST_JUDGE = 80
LONGEST_REASON = 2000
LONGEST_POOL = 200
PEOPLE = "people"
KINDS = (PEOPLE, "model", "rule")
"""Who gave a grade: a person, a model, or a rule such as "the document contains the answer"."""
DIGEST = re.compile(r"[0-9a-f]{64}")


class Judgment(NamedTuple):
    """A grade that a judge gave to a document for a query of a benchmark."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    reason: str = ""
    judged: str = ""
    """The time; empty: now."""
    kind: str = PEOPLE
    """`people`, `model` or `rule`."""
    text_digest: str = ""
    """`digest_of_text` of the text that the judge saw; empty if no text was shown."""
    pool: str = ""
    """The pool that the document was drawn from, if any."""
    probability: float | None = None
    """The probability with which the document was drawn from its pool; None if it was not drawn."""
    is_settled: bool = False
    """Whether the grade settles a disagreement of judges; then `judge` is who settled it."""

    @property
    def key(self) -> str:
        """The key of the judgment: a judge of a kind has one grade for each pair of query and document.

        A pair has one settled grade, whoever gave it.
        """
        whose = ["", self.kind, "settled"] if self.is_settled else [self.judge, self.kind]
        return digest_of(pack_json([self.benchmark, self.query, self.document, *whose]))

    @property
    def judge_label(self) -> str:
        """The name of the judge, with what is special about the grade: `gpt-5 (model)`, `Ana (settled)`."""
        about = [*([self.kind] if self.kind != PEOPLE else []), *(["settled"] if self.is_settled else [])]
        return f"{self.judge} ({', '.join(about)})" if about else self.judge

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._asdict()


def digest_of_text(text: str) -> str:
    """The SHA-256 of a text as UTF-8; empty for no text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""


def judge_name(text: str) -> str:
    """The name of a judge as it is stored: on one line and without invisible characters, so that one judge has one name."""
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return printable(" ".join(seen.split()))


def checked_judgment(judgment: Judgment) -> Judgment:
    """The judgment as it is stored: every text on one line, the time in UTC; a BadParameter if it is not valid."""
    for name in ("benchmark", "query", "document", "judge", "reason", "kind", "text_digest", "pool"):
        if not isinstance(getattr(judgment, name), str):
            raise BadParameter(f"{name} must be text, not {shortened(getattr(judgment, name))}")
    if not judgment.query or not judgment.document:
        raise BadParameter("a judgment needs a query and a document")
    if not is_finite_number(judgment.grade):
        raise BadParameter(f"a grade must be a finite number, not {shortened(judgment.grade)}")
    if not isinstance(judgment.is_settled, bool):
        raise BadParameter(f"is_settled must be true or false, not {shortened(judgment.is_settled)}")
    benchmark, query, document = (printable(text) for text in (judgment.benchmark, judgment.query, judgment.document))
    return judgment._replace(
        benchmark=benchmark,
        query=query,
        document=document,
        judge=checked_judge(judgment.judge),
        grade=float(judgment.grade),
        reason=_checked_line("a reason", judgment.reason, LONGEST_REASON),
        judged=_checked_time(judgment.judged),
        kind=_checked_kind(judgment.kind),
        text_digest=_checked_digest(judgment.text_digest),
        pool=_checked_line("the id of a pool", judgment.pool, LONGEST_POOL),
        probability=_checked_probability(judgment.probability),
    )


def _checked_time(judged: str) -> str:
    time = parse_timestamp(judged) if judged else now()
    if time is None:
        raise BadParameter(f"judged must be a time such as 2026-11-15T09:30:00+00:00, not {shortened(judged)}")
    return time


def checked_judge(name: str) -> str:
    """The name of a judge as it is stored; a BadParameter if it is empty or too long."""
    judge = judge_name(name)
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(f"the name of a judge must have 1 to {LONGEST_JUDGE} visible characters, not {shortened(name)}")
    return judge


def _checked_line(what: str, text: str, longest: int) -> str:
    line = printable(" ".join(text.split()))
    if len(line) > longest:
        raise BadParameter(f"{what} can have at most {longest:,} characters, found {len(line):,}")
    return line


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise BadParameter(f"the kind of a judgment must be one of {', '.join(KINDS)}, not {shortened(kind)}")
    return kind


def _checked_digest(digest: str) -> str:
    if digest and not DIGEST.fullmatch(digest):
        raise BadParameter(f"text_digest must be the SHA-256 of a text in 64 hexadecimal digits, not {shortened(digest)}")
    return digest


def _checked_probability(probability: float | None) -> float | None:
    if probability is None:
        return None
    if not is_finite_number(probability) or not 0 < probability <= 1:
        raise BadParameter(f"a probability must be above 0 and at most 1, not {shortened(probability)}")
    return float(probability)


def combined(judgments: Iterable[Judgment], kind: str | None = None) -> dict[str, dict[str, float]]:
    """Query → document → one grade: the median over all judges, and the lower one of two in the middle.

    If two judges differ, this is the lower grade. It is always a grade that a judge gave. A settled grade counts instead of
    the median. `kind` chooses a layer: people, model or rule. Without it, all judgments must be of one layer, because layers
    are never mixed.
    """
    every: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    settled: dict[tuple[str, str], Judgment] = {}
    for judgment in of_one_kind(judgments, kind):
        pair = judgment.query, judgment.document
        every[pair].append(judgment.grade)
        if judgment.is_settled and (pair not in settled or settled[pair].judged <= judgment.judged):
            settled[pair] = judgment
    by_query: dict[str, dict[str, float]] = {}
    for (query, document), grades in every.items():
        final = settled.get((query, document))
        by_query.setdefault(query, {})[document] = median_low(grades) if final is None else final.grade
    return by_query


def of_one_kind(judgments: Iterable[Judgment], kind: str | None = None) -> list[Judgment]:
    """The judgments of a layer; without a layer, all of them, which must then be of one layer."""
    if kind is not None:
        chosen = _checked_kind(kind)
        return [judgment for judgment in judgments if judgment.kind == chosen]
    listed = list(judgments)
    if len(kinds := sorted({judgment.kind for judgment in listed})) > 1:
        raise BadParameter(f"these judgments are by {' and '.join(kinds)}, which are never mixed. Choose one kind")
    return listed


def restore_ids(
    grades: Mapping[str, Mapping[str, float]], known: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, float]]:
    """The same grades by the ids in rankings: ids in the store have escaped control characters."""
    queries = {printable(query): query for query in known}
    by_own_id = {}
    for query, graded in grades.items():
        own = queries.get(query, query)
        documents = {printable(doc): doc for doc in known.get(own, ())}
        by_own_id[own] = {documents.get(doc, doc): grade for doc, grade in graded.items()}
    return by_own_id


# Export: grades that can be written as TREC qrels, and the reasons why others cannot

MAX_NAMED = 5
"""The largest number of reasons, and of ids for each reason, to name."""
LONGEST_NAMED = 200
"""The largest number of characters of a reason with one id."""
LONGEST_LISTED = 40
"""The largest number of characters of an id in a list."""


@dataclass(frozen=True)
class Exportable:
    """Grades that can be written as qrels, one for each pair, and why others cannot."""

    grades: Mapping[str, Mapping[str, float]]
    left_out: tuple[BadId | str, ...] = ()
    """The reason, once for each grade: its id, or a sentence about the grade."""

    @property
    def n_pairs(self) -> int:
        """How many pairs have a grade."""
        return sum(map(len, self.grades.values()))

    @property
    def explanation(self) -> str:
        """Which grades cannot be written to TREC files, on one line; empty if all can. Each reason is given once."""
        if not self.left_out:
            return ""
        by_reason: dict[str, dict[BadId | str, None]] = {}
        for each in self.left_out:
            by_reason.setdefault(each.why if isinstance(each, BadId) else each, {})[each] = None
        reasons = [_reason(why, list(each)) for why, each in by_reason.items()]
        more = "; …" if len(reasons) > MAX_NAMED else ""
        which = "; ".join(reasons[:MAX_NAMED]) + more
        return printable(f"{counted(len(self.left_out), 'grade')} cannot be written to TREC files: {which}")


def _reason(why: str, each: Sequence[BadId | str]) -> str:
    if len(each) == 1:
        return cut_off(str(each[0]), LONGEST_NAMED)
    names = ", ".join(cut_off(repr(bad.id), LONGEST_LISTED) for bad in each[:MAX_NAMED] if isinstance(bad, BadId))
    return f"each of {counted(len(each), 'id')} {why} ({names}{', …' if len(each) > MAX_NAMED else ''})"


def exportable(judgments: Iterable[Judgment]) -> Exportable:
    """One grade for each pair, from `combined`. Grades that are not numbers, or have ids with blanks, are left out."""
    usable: list[Judgment] = []
    left_out: list[BadId | str] = []
    for judgment in judgments:
        why: BadId | str | None = why_not_trec(judgment.query, judgment.document)
        if not is_finite_number(judgment.grade):
            pair = f"document {judgment.document} and query {judgment.query}"
            why = f"the grade {judgment.grade!r} by {judgment.judge} for {pair} is not a finite number"
        if why:
            left_out.append(why)
        else:
            usable.append(judgment)
    return Exportable(combined(usable), tuple(left_out))
