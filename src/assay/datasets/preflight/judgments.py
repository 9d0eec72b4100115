"""Preflight of ground truth: check judgments, evidence and spans against queries and documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import NamedTuple

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.preflight.documents import Corpus, check_stale, stale_sentences
from assay.datasets.preflight.findings import Case, Cases, Finding, finding_without_cases, how_many
from assay.files import document_of
from assay.model import IGNORED, FileNames, Query, Span, grade_word
from assay.text import counted, percent

MAX_SHARE_OF_ONE_QUERY = 0.5
"""If one query has more than this share of all judgments, they look wrong."""
MIN_JUDGED, MIN_JUDGMENTS = 3, 20
"""With fewer judged queries or judgments, shares mean nothing."""
LARGE_GRADE, WIDE_GAP = 3, 2
"""A grade above LARGE_GRADE that is more than WIDE_GAP above the next lower grade seems to be from another scale."""


def check_judgments(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    """All findings about ground truth. Without documents, nothing is reported as missing from the corpus."""
    yield from _unknown_queries(dataset)
    if corpus.ids:
        yield from _scopes(dataset, corpus)
        yield from _judged_documents(dataset, corpus)
        yield from _evidence(dataset, corpus)
    yield from _spans(dataset, corpus)
    yield from check_stale(dataset) if corpus.ids else ()
    yield from _conflicts(dataset, corpus)
    yield from _grades(dataset)


def _unknown_queries(dataset: BenchmarkDataset) -> list[Finding]:
    cases = Cases("unknown-query")
    for key in dict.fromkeys((*dataset.qrels, *dataset.spans)):
        if key not in dataset.queries:
            judged = dataset.qrels.get(key, {})
            cases.about_query(key, counted(len(judged), "judgment") if judged else "")
    unknown = how_many(cases, "judged query", "has", "have")
    return cases.finding(f"{unknown} no text and {'is' if len(cases) == 1 else 'are'} not among the queries")


def _scopes(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    cases = Cases("scope-unknown")
    for key, query in dataset.queries.items():
        if query.scope is not None and query.scope not in corpus.group_sizes:
            cases.about_query(key, f"no document has the group {query.scope!r}")
    return cases.finding(f"{how_many(cases, 'query', 'has', 'have')} a scope without documents")


def _judged_documents(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    relevant, others = Cases("relevant-not-in-corpus"), Cases("judged-not-in-corpus")
    elsewhere = Cases("judged-not-in-scope")
    affected: set[str] = set()
    for key, judged in dataset.qrels.items():
        if not judged.keys() <= corpus.ids.keys():
            for doc in (doc for doc in judged if doc not in corpus.ids):
                (relevant if judged[doc] > 0 else others).about_judgment(key, doc, f"grade {grade_word(judged[doc])}")
                affected |= {key} if judged[doc] > 0 else set()
        scope = _scope(dataset.queries.get(key))
        if scope is not None and dataset.features is None:  # a file of features judges the documents of each query
            for doc in judged:
                if judged[doc] > 0 and doc in corpus.ids and corpus.group_of.get(doc) != scope:
                    elsewhere.about_judgment(key, doc, _where(corpus, doc, scope))
    n_judged = sum(map(len, dataset.qrels.values()))
    if n_judged and len(relevant) + len(others) == n_judged:
        yield from _no_judged_document(dataset, corpus)
        return
    yield from relevant.finding(describe_missing(len(relevant), len(affected)))
    kind = "about a non-relevant document that is"
    yield from others.finding(
        f"{how_many(others, 'judgment', f'is {kind}', f'are {kind}', of=n_judged)} not among the documents"
    )
    about = how_many(elsewhere, "judgment", "is about a relevant document", "are about a relevant document", of=n_judged)
    yield from elsewhere.finding(f"{about} outside the query's scope")


def describe_missing(n_documents: int, n_queries: int) -> str:
    """`12 relevant documents of 9 queries are not among the documents`."""
    verb = "is" if n_documents == 1 else "are"
    return f"{counted(n_documents, 'relevant document')} of {counted(n_queries, 'query')} {verb} not among the documents"


def _no_judged_document(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    """None of the ids match: show one of each side, and how they differ."""
    strange = [doc for judged in dataset.qrels.values() for doc in judged]
    examples = f"the judgments have ids such as {strange[0]!r}, the documents have ids such as {next(iter(corpus.ids))!r}"
    if respelling := describe_respelling(strange, corpus.ids):
        examples += f"; {respelling}"
    return finding_without_cases(
        "no-judged-in-corpus", f"none of the judged documents is in the corpus: {examples}", len(strange)
    )


def _evidence(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    absent, elsewhere = Cases("evidence-not-in-corpus"), Cases("evidence-not-in-scope")
    n_evidence = 0
    for key, query in dataset.queries.items():
        for doc in query.evidence or ():
            n_evidence += 1
            if doc not in corpus.ids:
                absent.about_judgment(key, doc)
            elif query.scope is not None and corpus.group_of.get(doc) != query.scope:
                elsewhere.about_judgment(key, doc, _where(corpus, doc, query.scope))
    if n_evidence and len(absent) == n_evidence:
        message = f"none of the evidence is the id of a document: the first is {absent.kept[0].document!r}"
        yield from finding_without_cases("evidence-unlike-ids", message, n_evidence)
        return
    yield from absent.finding(f"{how_many(absent, 'evidence id', 'is', 'are', of=n_evidence)} not in the corpus")
    outside = how_many(elsewhere, "evidence id", "is", "are", of=n_evidence)
    yield from elsewhere.finding(f"{outside} outside the query's scope")


def _scope(query: Query | None) -> str | None:
    return None if query is None else query.scope


def _where(corpus: Corpus, doc: str, scope: str) -> str:
    group = corpus.group_of.get(doc)
    return f"the document has {'no group' if group is None else f'the group {group!r}'}, but the scope is {scope!r}"


def _spans(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    cases = Cases("span-outside-file")
    files = FileNames(corpus.sizes).match(span.doc_id for spans in dataset.spans.values() for span in spans)
    for key, spans in dataset.spans.items():
        for span in spans:
            if why := _describe_misplaced(span, corpus, files[span.doc_id]):
                cases.about_judgment(key, span.doc_id, why)
    n_spans = sum(map(len, dataset.spans.values()))
    return cases.finding(how_many(cases, "span", "is outside its file", "are outside their files", of=n_spans))


def _describe_misplaced(span: Span, corpus: Corpus, file: str | None) -> str:
    """What is wrong with a span of this file; empty if it exists or cannot be checked."""
    is_lines = span.unit == "lines"
    place, lowest = f"{span.unit} {span.start} to {span.end}", int(is_lines)
    if span.start < lowest or span.end < span.start + (not is_lines):
        return f"{place} are not a valid range"
    if not corpus.ids:
        return ""
    if file is None:
        return "the corpus has no such file"
    size = corpus.sizes[file].get(span.unit)
    return f"{place}, but the file has only {size:,}" if size is not None and span.end > size else ""


def _conflicts(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    """Two different statements about one text: in qrels and by a judge, in evidence and qrels, or about two copies."""
    cases = Cases("conflicting-judgments")
    for (key, doc), judgment in dataset.judgments.items():
        grade = dataset.qrels.get(key, {}).get(doc)
        if grade is not None and grade != judgment.relevance_grade:
            by = f"from {judgment.judge or 'the judge'}"
            cases.about_judgment(
                key, doc, f"grade {grade_word(grade)} in the judgments, but {grade_word(judgment.relevance_grade)} {by}"
            )
    for key, query in dataset.queries.items():
        for doc in (query.evidence or ()) if key in dataset.qrels else ():
            if dataset.qrels[key].get(doc, 1) <= 0:
                cases.about_judgment(key, doc, f"is evidence, but has grade {grade_word(dataset.qrels[key][doc])}")
    for key, judged in dataset.qrels.items() if corpus.first_copy else ():
        for doc, other in _unlike_copies(judged, corpus.first_copy):
            cases.about_judgment(
                key, doc, f"grade {grade_word(judged[doc])}, but its copy {other} has grade {grade_word(judged[other])}"
            )
    return cases.finding(f"{how_many(cases, 'judgment', 'conflicts', 'conflict')} with other ground truth")


def _unlike_copies(judged: Mapping[str, float], first_copy: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for doc in (doc for doc in judged if doc in first_copy):
        other = seen.setdefault(first_copy[doc], doc)
        if judged[other] != judged[doc]:
            yield doc, other


def _grades(dataset: BenchmarkDataset) -> Iterator[Finding]:
    histogram: Counter[float] = Counter()
    for judged in dataset.qrels.values():
        histogram.update(judged.values())
    if not histogram:
        return
    counts = ", ".join(f"{grade_word(grade)}: {histogram[grade]:,}" for grade in sorted(histogram)[:MAX_GRADES_LISTED])
    counts += ", …" if len(histogram) > MAX_GRADES_LISTED else ""
    for code, singular, plural, odd in (
        ("negative-grades", "is negative", "are negative", {grade for grade in histogram if IGNORED < grade < 0}),
        ("fractional-grades", "is not a whole number", "are not whole numbers", {grade for grade in histogram if grade % 1}),
        ("mixed-grade-scales", "is far above the others", "are far above the others", _of_another_scale(histogram)),
    ):
        cases = _odd_grades(dataset, code, odd) if odd else Cases(code)
        yield from cases.finding(f"{how_many(cases, 'grade', singular, plural)} (judgments per grade: {counts})")
    if max(histogram) <= 0 and not _has_other_truth(dataset):
        yield from finding_without_cases(
            "nothing-relevant", f"no grade is above 0 (judgments per grade: {counts})", histogram.total()
        )
    yield from _check_balance(dataset.qrels, histogram.total())


MAX_GRADES_LISTED = 12
"""How many grades of the distribution are shown."""


def _odd_grades(dataset: BenchmarkDataset, code: str, odd: set[float]) -> Cases:
    cases = Cases(code)
    for key, judged in dataset.qrels.items():
        if not odd.isdisjoint(judged.values()):
            for doc, grade in judged.items():
                if grade in odd:
                    cases.about_judgment(key, doc, f"grade {grade:g}")
    return cases


def _of_another_scale(histogram: Mapping[float, int]) -> set[float]:
    """Grades above 3 after a gap in the scale, if there are grades of 0 or 1: for 0 1 5, but not for 0 1 2 3 4."""
    grades = sorted(histogram)
    if not {0, 1} & histogram.keys():
        return set()
    gaps = (above for below, above in pairwise(grades) if above > LARGE_GRADE and above - below > WIDE_GAP)
    start = next(gaps, None)
    return set() if start is None else {grade for grade in grades if grade >= start}


def _has_other_truth(dataset: BenchmarkDataset) -> bool:
    unjudged = (query for key, query in dataset.queries.items() if key not in dataset.qrels)
    return any(query.evidence or query.expected for query in unjudged)


def _check_balance(qrels: Mapping[str, Mapping[str, float]], n_judgments: int) -> list[Finding]:
    largest = max(qrels, key=lambda key: len(qrels[key]))
    share = len(qrels[largest]) / n_judgments
    if share <= MAX_SHARE_OF_ONE_QUERY or len(qrels) < MIN_JUDGED or n_judgments < MIN_JUDGMENTS:
        return []
    cases = Cases("lopsided-judgments")
    cases.about_query(largest, counted(len(qrels[largest]), "judgment"))
    return cases.finding(f"one of {len(qrels):,} queries has {percent(share)} of all {n_judgments:,} judgments")


PLACE = re.compile(r"(?:query|question|case) (?P<name>.+)|(?P<scope>.+), question (?P<number>\d+)", re.DOTALL)
"""The forms in which readers name a query as the place of a note."""


def check_repairs(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """A loss is an error if the query has no ground truth left. Stale spans have a separate finding."""
    mended, lost, bereft = Cases("repaired"), Cases("lost"), Cases("ground-truth-lost")
    stale = stale_sentences(dataset) if any(repair.is_loss for repair in dataset.repairs) else set()
    for repair in dataset.repairs:
        if repair.code or (repair.is_loss and repair.what in stale):
            continue
        query = _query_of(repair, dataset) if repair.is_loss else None
        is_bereft = query is not None and not _has_truth(dataset, query)
        (bereft if is_bereft else lost if repair.is_loss else mended).add(Case(repair.place, repair.what, query))
    n_queries = len({case.query for case in bereft.kept})
    least = "at least " if len(bereft) > len(bereft.kept) else ""
    yield from bereft.finding(f"{least}{counted(n_queries, 'query')} lost all ground truth while the file was read")
    yield from lost.finding(f"{counted(len(lost), 'part')} of the file could not be used as written")
    yield from mended.finding(f"{how_many(mended, 'part', 'of the file was', 'of the file were')} repaired during reading")


def _query_of(repair: Repair, dataset: BenchmarkDataset) -> str | None:
    """The query that a note is about; None if its place names no query."""
    match = PLACE.fullmatch(repair.place)
    if match is None:
        return None
    name = match["name"] or f"{match['scope']}/q{match['number']}"
    return name if name in dataset.queries else None


def _has_truth(dataset: BenchmarkDataset, key: str) -> bool:
    query = dataset.queries[key]
    return bool(dataset.qrels.get(key) or query.evidence or query.expected or dataset.spans.get(key))


MAX_IDS_CHECKED = 1000
"""How many ids of one side are tried."""
RESPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("the chunk number", document_of),
    ("surrounding spaces", str.strip),
    ("a trailing .0", lambda doc_id: doc_id.removesuffix(".0")),
    ("leading zeros", lambda doc_id: doc_id.lstrip("0")),
    ("upper and lower case", str.lower),
    ("upper and lower case", str.upper),
    ("the folder", lambda doc_id: doc_id.rpartition("/")[2]),
    ("the file extension", lambda doc_id: doc_id.rpartition(".")[0]),
)
"""How ids may differ from the known ids, and how to convert them."""


def describe_respelling(strange: Iterable[str], known: Collection[str]) -> str:
    """How unknown ids differ from known ids, with an example; empty if no simple difference is found."""
    ids = list(islice(strange, MAX_IDS_CHECKED))
    for what, respell in RESPELLINGS:
        for doc_id in ids:
            if (meant := respell(doc_id)) != doc_id and meant in known:
                return f"they differ only in {what} ({doc_id!r} and {meant!r})"
    return ""


class PrefixDifference(NamedTuple):
    """The prefixes of the ids on both sides, and an id that would be known with the other prefix."""

    theirs: str
    ours: str
    example: str

    @property
    def description(self) -> str:
        """A description of the difference."""
        meant = self.ours + self.example.removeprefix(self.theirs)
        return f"they differ only in the prefix ({self.example!r} and {meant!r})"


def find_prefix_difference(strange: Iterable[str], known: Collection[str]) -> PrefixDifference | None:
    """The difference between ids that differ only in a prefix that all ids of one side share; None if they differ in more.

    At least two ids must fit, because one may fit by chance.
    """
    ids, others = list(islice(strange, MAX_IDS_CHECKED)), list(islice(known, MAX_IDS_CHECKED))
    theirs, ours = _common_prefix(ids), _common_prefix(others)
    if theirs == ours:
        return None
    fitting = list(dict.fromkeys(doc_id for doc_id in ids if ours + doc_id.removeprefix(theirs) in known))
    return PrefixDifference(theirs, ours, fitting[0]) if len(fitting) > 1 else None


def _common_prefix(ids: list[str]) -> str:
    """The common prefix of all ids, without the digits at its end."""
    first, last = min(ids, default=""), max(ids, default="")
    n_shared = next((at for at, (letter, other) in enumerate(zip(first, last, strict=False)) if letter != other), len(first))
    return first[:n_shared].rstrip("0123456789")
