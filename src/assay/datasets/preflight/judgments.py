"""Preflight of ground truth: judgments, evidence and spans, against queries and documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import NamedTuple

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.preflight.documents import Corpus, check_stale, stale_sentences
from assay.datasets.preflight.findings import Case, Cases, Finding, finding_without_cases
from assay.files import document_of
from assay.model import FileNames, Query, Span
from assay.text import counted, percent

MAX_SHARE_OF_ONE_QUERY = 0.5
"""Share of all judgments from which on those of one query look wrong."""
MIN_JUDGED, MIN_JUDGMENTS = 3, 20
"""Fewer judged queries or judgments say nothing about shares."""
LARGE_GRADE, WIDE_GAP = 3, 2
"""A grade above the first, further than the second from the next one below, looks like another scale."""


def check_judgments(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    """Everything that ground truth tells. Without documents nothing is said about what is missing among them."""
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
    return cases.finding(f"{counted(len(cases), 'judged query')} not among the {counted(len(dataset.queries), 'query')}")


def _scopes(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    cases = Cases("scope-unknown")
    for key, query in dataset.queries.items():
        if query.scope is not None and query.scope not in corpus.group_sizes:
            cases.about_query(key, f"no document is of group {query.scope!r}")
    return cases.finding(f"{counted(len(cases), 'query')} whose scope has no documents")


def _judged_documents(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    relevant, others = Cases("relevant-not-in-corpus"), Cases("judged-not-in-corpus")
    elsewhere = Cases("judged-not-in-scope")
    for key, judged in dataset.qrels.items():
        if not judged.keys() <= corpus.ids.keys():
            for doc in (doc for doc in judged if doc not in corpus.ids):
                (relevant if judged[doc] > 0 else others).about_judgment(key, doc, f"grade {judged[doc]:g}")
        scope = _scope(dataset.queries.get(key))
        if scope is not None:
            for doc in judged:
                if judged[doc] > 0 and doc in corpus.ids and corpus.group_of.get(doc) != scope:
                    elsewhere.about_judgment(key, doc, _where(corpus, doc, scope))
    n_judged = sum(map(len, dataset.qrels.values()))
    if n_judged and len(relevant) + len(others) == n_judged:
        yield from _no_judged_document(dataset, corpus)
        return
    size = f"of {counted(n_judged, 'judgment')}"
    yield from relevant.finding(f"{len(relevant):,} {size}: the document is relevant, and not in the corpus")
    yield from others.finding(f"{len(others):,} {size}: the document is not in the corpus (and not relevant)")
    yield from elsewhere.finding(f"{len(elsewhere):,} {size}: the document is relevant, but outside the query's scope")


def _no_judged_document(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    """Not one id fits: show one of each side, and how they might fit."""
    strange = [doc for judged in dataset.qrels.values() for doc in judged]
    examples = f"judgments use ids such as {strange[0]!r}, documents such as {next(iter(corpus.ids))!r}"
    if respelling := describe_respelling(strange, corpus.ids):
        examples += f"; {respelling}"
    return finding_without_cases(
        "no-judged-in-corpus", f"not one judged document is in the corpus: {examples}", len(strange)
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
        example = f"such as {absent.kept[0].document!r}"
        yield from finding_without_cases(
            "evidence-unlike-ids", f"no evidence is the id of a document: {example}", n_evidence
        )
        return
    size = f"of {n_evidence:,} pieces of evidence"
    yield from absent.finding(f"{len(absent):,} {size} not in the corpus")
    yield from elsewhere.finding(f"{len(elsewhere):,} {size} outside the query's scope")


def _scope(query: Query | None) -> str | None:
    return None if query is None else query.scope


def _where(corpus: Corpus, doc: str, scope: str) -> str:
    group = corpus.group_of.get(doc)
    return f"the document is of {'no group' if group is None else f'group {group!r}'}, the scope is {scope!r}"


def _spans(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    cases = Cases("span-outside-file")
    files = FileNames(corpus.sizes).match(span.doc_id for spans in dataset.spans.values() for span in spans)
    for key, spans in dataset.spans.items():
        for span in spans:
            if why := _describe_misplaced(span, corpus, files[span.doc_id]):
                cases.about_judgment(key, span.doc_id, why)
    return cases.finding(f"{counted(len(cases), 'span')} of {sum(map(len, dataset.spans.values())):,} outside their file")


def _describe_misplaced(span: Span, corpus: Corpus, file: str | None) -> str:
    """What is wrong with a span of that file; empty for one that is there, or cannot be looked up."""
    is_lines = span.unit == "lines"
    place, lowest = f"{span.unit} {span.start} to {span.end}", int(is_lines)
    if span.start < lowest or span.end < span.start + (not is_lines):
        return f"{place} is no stretch of text"
    if not corpus.ids:
        return ""
    if file is None:
        return "there is no such file"
    size = corpus.sizes[file].get(span.unit)
    return f"{place}, but the file has {size:,}" if size is not None and span.end > size else ""


def _conflicts(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    """Two statements about one text: by judgment and record, by evidence and judgment, or about two copies of it."""
    cases = Cases("conflicting-judgments")
    for (key, doc), judgment in dataset.judgments.items():
        grade = dataset.qrels.get(key, {}).get(doc)
        if grade is not None and grade != judgment.relevance_grade:
            by = f" by {judgment.judge}" if judgment.judge else ""
            cases.about_judgment(key, doc, f"grade {grade:g} in the judgments, {judgment.relevance_grade:g}{by}")
    for key, query in dataset.queries.items():
        for doc in (query.evidence or ()) if key in dataset.qrels else ():
            if dataset.qrels[key].get(doc, 1) <= 0:
                cases.about_judgment(key, doc, f"evidence, but grade {dataset.qrels[key][doc]:g}")
    for key, judged in dataset.qrels.items() if corpus.first_copy else ():
        for doc, other in _unlike_copies(judged, corpus.first_copy):
            cases.about_judgment(key, doc, f"grade {judged[doc]:g}, but its copy {other} has {judged[other]:g}")
    return cases.finding(f"{counted(len(cases), 'judgment')} in conflict with others")


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
    counts = ", ".join(f"{grade:g}: {histogram[grade]:,}" for grade in sorted(histogram)[:MAX_GRADES_LISTED])
    counts += ", …" if len(histogram) > MAX_GRADES_LISTED else ""
    for code, what, odd in (
        ("negative-grades", "negative", {grade for grade in histogram if grade < 0}),
        ("fractional-grades", "no whole number", {grade for grade in histogram if grade % 1}),
        ("mixed-grade-scales", "far above the others", _of_another_scale(histogram)),
    ):
        if odd:
            yield from _odd_grades(dataset, code, odd).finding(
                f"{counted(sum(histogram[grade] for grade in odd), 'grade')} {what} (grade: judgments; {counts})"
            )
    if max(histogram) <= 0 and not _has_other_truth(dataset):
        yield from finding_without_cases(
            "nothing-relevant", f"no grade is above 0 (grade: judgments; {counts})", histogram.total()
        )
    yield from _check_balance(dataset.qrels, histogram.total())


MAX_GRADES_LISTED = 12
"""Bars of the histogram that are shown."""


def _odd_grades(dataset: BenchmarkDataset, code: str, odd: set[float]) -> Cases:
    cases = Cases(code)
    for key, judged in dataset.qrels.items():
        if not odd.isdisjoint(judged.values()):
            for doc, grade in judged.items():
                if grade in odd:
                    cases.about_judgment(key, doc, f"grade {grade:g}")
    return cases


def _of_another_scale(histogram: Mapping[float, int]) -> set[float]:
    """Grades above 3 behind a gap in the scale, where some are 0 or 1: 0 1 5, but not 0 1 2 3 4."""
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
    whole = f"the {n_judgments:,} judgments of {counted(len(qrels), 'query')}"
    return cases.finding(f"one query has {percent(share)} of {whole}")


PLACE = re.compile(r"(?:query|question|case) (?P<name>.+)|(?P<scope>.+), question (?P<number>\d+)", re.DOTALL)
"""How readers name a query in the place of a note."""


def check_repairs(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """A loss is an error where a query has no ground truth left. Stale spans have a finding of their own."""
    mended, lost, bereft = Cases("repaired"), Cases("lost"), Cases("ground-truth-lost")
    stale = stale_sentences(dataset) if any(repair.is_loss for repair in dataset.repairs) else set()
    for repair in dataset.repairs:
        if repair.is_loss and repair.what in stale:
            continue
        query = _query_of(repair, dataset) if repair.is_loss else None
        is_bereft = query is not None and not _has_truth(dataset, query)
        (bereft if is_bereft else lost if repair.is_loss else mended).add(Case(repair.place, repair.what, query))
    n_queries = len({case.query for case in bereft.kept})
    more = " or more" if len(bereft) > len(bereft.kept) else ""
    yield from bereft.finding(f"{counted(n_queries, 'query')}{more} lost all ground truth while the file was read")
    yield from lost.finding(f"{counted(len(lost), 'part')} of the file lost: not used, or not where the file says")
    yield from mended.finding(f"{counted(len(mended), 'part')} of the file mended while it was read")


def _query_of(repair: Repair, dataset: BenchmarkDataset) -> str | None:
    """The query that a note is about, where its place names one."""
    match = PLACE.fullmatch(repair.place)
    if match is None:
        return None
    name = match["name"] or f"{match['scope']}/q{match['number']}"
    return name if name in dataset.queries else None


def _has_truth(dataset: BenchmarkDataset, key: str) -> bool:
    query = dataset.queries[key]
    return bool(dataset.qrels.get(key) or query.evidence or query.expected or dataset.spans.get(key))


MAX_IDS_CHECKED = 1000
"""Ids of one side that are tried."""
RESPELLINGS: dict[str, Callable[[str], str]] = {
    "they are chunks of documents": document_of,
    "blanks are around them": str.strip,
    "they are numbers with .0 behind": lambda doc_id: doc_id.removesuffix(".0"),
    "zeros are in front": lambda doc_id: doc_id.lstrip("0"),
    "they are in capitals": str.lower,
    "they are in small letters": str.upper,
    "folders are in front": lambda doc_id: doc_id.rpartition("/")[2],
    "an ending is behind": lambda doc_id: doc_id.rpartition(".")[0],
}
"""What may be wrong with the ids of one side → how they would be right."""


def describe_respelling(strange: Iterable[str], known: Collection[str]) -> str:
    """What would make some of the strange ids known, with an example; empty where nothing does."""
    ids = list(islice(strange, MAX_IDS_CHECKED))
    for what, respell in RESPELLINGS.items():
        for doc_id in ids:
            if (meant := respell(doc_id)) != doc_id and meant in known:
                return f"{what}: {doc_id!r} is {meant!r} there"
    return ""


class PrefixDifference(NamedTuple):
    """What the ids of either side begin with, and an id that would be known if it began like the others."""

    theirs: str
    ours: str
    example: str

    @property
    def description(self) -> str:
        """The difference in words."""
        meant = self.ours + self.example.removeprefix(self.theirs)
        return f"they begin with {self.theirs!r} instead of {self.ours!r}: {self.example!r} is {meant!r} there"


def find_prefix_difference(strange: Iterable[str], known: Collection[str]) -> PrefixDifference | None:
    """How ids differ that are alike but for the letters all of one side begin with; None where they differ in more.

    Two of them have to fit: one may do so by chance.
    """
    ids, others = list(islice(strange, MAX_IDS_CHECKED)), list(islice(known, MAX_IDS_CHECKED))
    theirs, ours = _common_prefix(ids), _common_prefix(others)
    if theirs == ours:
        return None
    fitting = list(dict.fromkeys(doc_id for doc_id in ids if ours + doc_id.removeprefix(theirs) in known))
    return PrefixDifference(theirs, ours, fitting[0]) if len(fitting) > 1 else None


def _common_prefix(ids: list[str]) -> str:
    """What all of them begin with, short of the digits that count them."""
    first, last = min(ids, default=""), max(ids, default="")
    n_shared = next((at for at, (letter, other) in enumerate(zip(first, last, strict=False)) if letter != other), len(first))
    return first[:n_shared].rstrip("0123456789")
