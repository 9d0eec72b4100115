"""Import of judgments: what the grades of a file would add to a store, before anything is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.files import FoundGrade, JudgmentFile
from assay.store.judgment import PEOPLE, Judgment, checked_judgment
from assay.store.timestamps import now, parse_timestamp
from assay.text import counted, printable, some_of

if TYPE_CHECKING:
    from assay.store.store import Store

MAX_EVALUATIONS = 5
"""How many of the newest evaluations on a benchmark say which queries and documents it has."""


@dataclass(frozen=True)
class BenchmarkIds:
    """The queries and documents of the newest results on a benchmark."""

    queries: Mapping[str, str] = field(default_factory=dict)
    """Query → its text."""
    documents: frozenset[str] = frozenset()
    """Documents that were retrieved or judged."""
    highest: float = 0.0
    """The highest grade of the benchmark's own judgments."""

    @classmethod
    def of(cls, store: Store, benchmark: str) -> BenchmarkIds:
        """What the newest evaluations on a benchmark have."""
        evaluations = dict.fromkeys(entry.evaluation for entry in store.list(benchmark))
        queries: dict[str, str] = {}
        documents: set[str] = set()
        highest = 0.0
        for evaluation in list(evaluations)[:MAX_EVALUATIONS]:
            for result in store.find(evaluation).results:
                if result.benchmark == benchmark:
                    own = {**dict.fromkeys(result.run, ""), **{query: some.text for query, some in result.queries.items()}}
                    queries = {**own, **queries}  # the newest text of a query counts
                    for rankings in (result.run, result.relevant, result.nonrelevant):
                        documents.update(doc for query in rankings for doc in rankings[query])
                    highest = max([highest, *(grade for graded in result.relevant.values() for grade in graded.values())])
        texts = {printable(query): text for query, text in queries.items()}
        return cls(texts, frozenset(map(printable, documents)), highest)

    def query_of(self, written: str) -> str:
        """The id of a query that a file names by its id or by its text; empty if it is unknown or ambiguous."""
        if written in self.queries:
            return written
        same = self._by_text.get(_folded(written), ())
        return same[0] if len(same) == 1 else ""

    @cached_property
    def _by_text(self) -> Mapping[str, Sequence[str]]:
        by_text: defaultdict[str, list[str]] = defaultdict(list)
        for query, text in self.queries.items():
            by_text[_folded(text)].append(query)
        return by_text


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class ImportPlan:
    """What an import stores and what it leaves out."""

    judgments: tuple[Judgment, ...]
    """What is stored: new grades, and newer ones of the same judge."""
    n_new: int
    n_changed: int
    """Pairs with another grade by the same judge, or with one that names no pool or another text. It is replaced."""
    n_same: int
    """Grades that the store has already."""
    n_outdated: int
    """Grades that are older than the grade of the same judge in the store, which stays."""
    n_by_text: int
    """Grades whose query was found by its text."""
    left_out: tuple[str, ...]
    conflicts: tuple[str, ...]
    """Pairs with several grades by one judge in the file, which are left out because none of them is the newest."""
    unknown_queries: tuple[str, ...]
    unknown_documents: tuple[str, ...]
    """Documents that no result has. Their grades are stored: they count as relevant documents that were not found."""
    n_differing: int
    """Pairs for which another judge of the same kind gave another grade."""
    off_scale: tuple[str, ...] = ()
    """Grades outside the scale of the guidelines and of the benchmark. They are stored, because other scales exist."""

    def sentences(self) -> list[str]:
        """Everything but the counts, one sentence each."""
        parts = [
            (self.left_out, "grade", "cannot be read and {is} left out"),
            (self.conflicts, "pair", "{has} several grades by one judge in the file and {is} left out"),
            (self.unknown_queries, "query", "{is} in no result on the benchmark, so {its} grades are left out"),
            (self.unknown_documents, "document", "{is} in no result on the benchmark; {its} grades are stored"),
            (self.off_scale, "grade", OFF_SCALE),
        ]
        sentences = [
            f"{counted(len(which), noun)} {text.format(**(ONE if len(which) == 1 else MANY))} ({_examples(which)})."
            for which, noun, text in parts
            if which
        ]
        if self.n_by_text:
            sentences.append(f"{counted(self.n_by_text, 'grade')} matched a query by its text.")
        if self.n_differing:
            verb = "has" if self.n_differing == 1 else "have"
            sentences.append(f"{counted(self.n_differing, 'pair')} {verb} another grade by another judge of the same kind.")
        return sentences


LOWEST, HIGHEST = 0, 3
"""The scale of the guidelines."""
OFF_SCALE = (
    f"{{is}} outside the scale {LOWEST} to {HIGHEST} of the guidelines and stored unchanged; grades on different scales "
    "cannot be mixed"
)
ONE, MANY = {"is": "is", "has": "has", "its": "its"}, {"is": "are", "has": "have", "its": "their"}
"""Words of a sentence about one thing, and about several."""


def _examples(which: Sequence[str]) -> str:
    return (
        printable("; ".join(which[:3]) + (" …" if len(which) > 3 else "")) if " " in "".join(which[:3]) else some_of(which)
    )


def plan_import(store: Store, file: JudgmentFile, benchmark: str, judge: str = "", kind: str = PEOPLE) -> ImportPlan:
    """What an import of a file would do; nothing is written. `judge` names the judge of all grades.

    If the file names several judges, each is called after both: `NIST: annotator 3`.
    """
    store.judgments.check_benchmark(benchmark)
    ids, when = BenchmarkIds.of(store, benchmark), now()
    by_pair: defaultdict[tuple[str, str, str], list[FoundGrade]] = defaultdict(list)
    unknown: dict[str, None] = {}
    n_by_text = 0
    for grade in file.grades:
        query = ids.query_of(printable(grade.query))
        if not query:
            unknown.setdefault(grade.query)
            continue
        n_by_text += query != printable(grade.query)
        by_pair[query, printable(grade.document), _judge_of(grade, judge, file)].append(grade)
    judgments, conflicts = _judgments(by_pair, benchmark, kind, when)
    known = {judgment.key: judgment for judgment in store.judgments.find(benchmark, kind=kind)}
    same, changed = _same_and_changed(judgments, known)
    outdated = [judgment for judgment in changed if known[judgment.key].judged >= judgment.judged]
    not_stored = {judgment.key for judgment in (*same, *outdated)}
    kept = [judgment for judgment in judgments if judgment.key not in not_stored]
    return ImportPlan(
        tuple(kept),
        n_new=sum(judgment.key not in known for judgment in judgments),
        n_changed=len(changed) - len(outdated),
        n_same=len(same),
        n_outdated=len(outdated),
        n_by_text=n_by_text,
        left_out=tuple(file.left_out),
        conflicts=tuple(conflicts),
        unknown_queries=tuple(unknown),
        unknown_documents=tuple(
            dict.fromkeys(judgment.document for judgment in judgments if judgment.document not in ids.documents)
        ),
        n_differing=_n_differing(judgments, known.values()),
        off_scale=tuple(_off_scale(judgments, max(HIGHEST, ids.highest))),
    )


def _off_scale(judgments: Iterable[Judgment], highest: float) -> Iterator[str]:
    """The pairs with a grade outside the scale, and their grades."""
    for judgment in judgments:
        if not LOWEST <= judgment.grade <= highest:
            yield f"query {judgment.query}, document {judgment.document}: {judgment.grade:g}"


def _judge_of(grade: FoundGrade, judge: str, file: JudgmentFile) -> str:
    if not judge and not grade.judge:
        raise UsageError("the file does not say who judged. Add --judge NAME")
    if judge and len(file.judges) > 1 and grade.judge:
        return f"{judge}: {grade.judge}"
    return judge or grade.judge


def _judgments(
    by_pair: Mapping[tuple[str, str, str], Sequence[FoundGrade]], benchmark: str, kind: str, when: str
) -> tuple[list[Judgment], list[str]]:
    """One judgment for each pair and judge: the newest, if the file says when; and the pairs with a conflict."""
    judgments, conflicts = [], []
    for (query, document, judge), grades in by_pair.items():
        newest = max(grades, key=lambda grade: parse_timestamp(grade.judged) or "")
        times = {parse_timestamp(grade.judged) for grade in grades}
        if len({grade.grade for grade in grades}) > 1 and (None in times or len(times) < len(grades)):
            conflicts.append(f"{query} {document}")
            continue
        judgment = Judgment(benchmark, query, document, judge, newest.grade, newest.reason[:2000], kind=kind)
        drawn = judgment._replace(text_digest=newest.text_digest, pool=newest.pool, probability=newest.probability)
        judgments.append(checked_judgment(drawn._replace(judged=parse_timestamp(newest.judged) or when)))
    return judgments, conflicts


def _same_and_changed(judgments: Iterable[Judgment], known: Mapping[str, Judgment]) -> tuple[list[Judgment], list[Judgment]]:
    """What the store has already; and what it has with another grade, or without the pool or the text that is known now."""
    same: list[Judgment] = []
    changed: list[Judgment] = []
    for judgment in judgments:
        stored = known.get(judgment.key)
        if stored is not None:
            about = [(getattr(judgment, name), getattr(stored, name)) for name in ("pool", "probability", "text_digest")]
            is_same = judgment.grade == stored.grade and all(new in ("", None, old) for new, old in about)
            (same if is_same else changed).append(judgment)
    return same, changed


def _n_differing(judgments: Iterable[Judgment], known: Iterable[Judgment]) -> int:
    others: defaultdict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for judgment in known:
        if not judgment.is_settled:
            others[judgment.query, judgment.document].append(judgment)
    return sum(
        any(
            other.judge != judgment.judge and other.grade != judgment.grade
            for other in others[judgment.query, judgment.document]
        )
        for judgment in judgments
    )
