"""Findings of the preflight: codes with advice, cases, and the lines of files where the cases stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets.corpus import FileDocuments
from assay.datasets.dataset import BenchmarkDataset
from assay.errors import AssayError
from assay.files import COLUMN_NAMES, FileSource, suffix_of

Key = tuple[str, ...]
"""A query, or a query and a document."""
QUERY = ("_id", "id", *COLUMN_NAMES["query"])
LINES = (".jsonl", ".ndjson", ".tsv", ".txt", ".qrels", ".qrel", ".trec", "")
"""Endings of files that may have a record per line."""
ABOUT_DATASET = ("query ", "document ", "judgment ")
"""How places begin that are no lines yet."""


def with_lines(findings: list[Finding], dataset: BenchmarkDataset) -> list[Finding]:
    """The same findings with `file:line` before each place that a file has a line for."""
    cases = [case for finding in findings for case in finding.cases if case.place.startswith(ABOUT_DATASET)]
    keys = {key for case in cases if (key := _key(case))}
    places = _places(dataset, keys) if keys and dataset.path else {}
    return [
        replace(finding, cases=tuple(_with_place(case, dataset, places) for case in finding.cases)) for finding in findings
    ]


def _key(case: Case) -> Key:
    if case.query is None:
        return ()
    return (case.query, case.document) if case.document is not None else (case.query,)


def _with_place(case: Case, dataset: BenchmarkDataset, places: dict[Key, str]) -> Case:
    if not case.place.startswith(ABOUT_DATASET):
        return case
    place = places.get(_key(case))
    if case.query is None and case.document is not None and isinstance(dataset.documents, FileDocuments):
        place = dataset.documents.place_of(case.document)
    return replace(case, place=f"{place}, {case.place}") if place else case


def _places(dataset: BenchmarkDataset, keys: set[Key]) -> dict[Key, str]:
    """`file:line` of queries and judgments; a query without a line of its own has that of its first judgment."""
    queries = {key for key in keys if len(key) == 1}
    places: dict[Key, str] = {}
    by_role = _files(dataset)
    for file in by_role["judgments"]:
        for place, key in _rows(file, is_judgment=True):
            if key in keys:
                places.setdefault(key, place)
            if key[:1] in queries:
                places.setdefault(key[:1], place)
            if len(places) == len(keys):
                break
    for file in by_role["queries"] if queries else ():
        places |= {key: place for place, key in _rows(file, is_judgment=False) if key in queries}
    return places


def _files(dataset: BenchmarkDataset) -> dict[str, list[Path]]:
    """The files of a dataset that hold queries and judgments line by line, known by their names."""
    path = dataset.path
    by_role: dict[str, list[Path]] = {"queries": [], "judgments": []}
    if path is None or not path.exists():
        return by_role
    if path.is_file():
        by_role["judgments" if dataset.format == "trec" else "queries"].append(path)
    split = str(dataset.metadata.get("split", ""))
    inner = [file for file in sorted((path / "qrels").glob("*")) if file.name.partition(".")[0] == split]
    for file in [*sorted(path.glob("*")), *inner] if path.is_dir() else ():
        is_judgment = "qrel" in file.name.lower() or file.name.startswith("judgments") or file in inner
        if is_judgment or file.name.startswith(("queries", "topics")):
            by_role["judgments" if is_judgment else "queries"].append(file)
    return {role: [file for file in files if _has_lines(file)] for role, files in by_role.items()}


def _has_lines(file: Path) -> bool:
    return file.is_file() and suffix_of(file.name) in LINES


def _rows(file: Path, *, is_judgment: bool) -> Iterator[tuple[str, Key]]:
    """`file:line` and ids of every line that can be understood."""
    import msgspec

    decode = msgspec.json.Decoder(dict[str, Any]).decode
    source = FileSource(file)
    try:
        for number, line in source.lines():
            try:
                key = _key_of_record(decode(line), is_judgment) if line[:1] == b"{" else _key_of_fields(line, is_judgment)
            except (ValueError, RecursionError):
                continue
            if key:
                yield f"{source.label}:{number}", key
    except AssayError:
        return


def _key_of_record(record: dict[str, Any], is_judgment: bool) -> Key:
    names: Iterable[tuple[str, ...]] = (COLUMN_NAMES["query"], COLUMN_NAMES["document"]) if is_judgment else (QUERY,)
    ids = [next((str(record[name]) for name in group if name in record), "") for group in names]
    return tuple(ids) if all(ids) else ()


def _key_of_fields(line: bytes, is_judgment: bool) -> Key:
    """TREC has query, iteration, document, grade; BEIR query, document, grade; a file of queries starts with the query."""
    fields = line.decode().rstrip("\r\n").split("\t") if b"\t" in line else line.decode().split()
    if not is_judgment:
        return (fields[0],)
    if len(fields) not in (3, 4):
        return ()
    return fields[0], fields[-2]


MAX_CASES = 20
"""So many cases of a code are kept; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Case:
    """One place where something is wrong, and what was found there."""

    place: str
    """`file:line` where known, else words: query q7, document d3, judgment q7/d3, run, query q7."""
    found: str = ""
    query: str | None = None
    document: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Plain values; what is not known is left out."""
        named = {"place": self.place, "found": self.found, "query": self.query, "document": self.document}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Finding:
    """Everything of one code: what is wrong, how often, the first places, and what to do."""

    code: str
    message: str
    count: int = 1
    cases: tuple[Case, ...] = ()
    """At most twenty of them."""

    @property
    def severity(self) -> str:
        """`error`: numbers would be wrong, or cannot be had; `warning`: worth a look."""
        return CODES[self.code].severity

    @property
    def advice(self) -> str:
        """What to do."""
        return CODES[self.code].advice

    @property
    def places(self) -> tuple[str, ...]:
        """Where, at most twenty places."""
        return tuple(case.place for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "cases": [case.to_dict() for case in self.cases],
            "advice": self.advice,
        }


class Cases:
    """Counts cases of one code, and keeps the first twenty."""

    def __init__(self, code: str) -> None:
        self.code, self.count = code, 0
        self.kept: list[Case] = []

    def __len__(self) -> int:
        return self.count

    def add(self, case: Case) -> None:
        """Note one."""
        self.count += 1
        if len(self.kept) < MAX_CASES:
            self.kept.append(case)

    def about_query(self, query: str, what: str = "") -> None:
        """Something is wrong with a query."""
        self.add(Case(f"query {query}", what, query=query))

    def about_document(self, document: str, what: str = "") -> None:
        """Something is wrong with a document."""
        self.add(Case(f"document {document}", what, document=document))

    def about_judgment(self, query: str, document: str, what: str = "") -> None:
        """Something is wrong with what a query's ground truth says of a document."""
        self.add(Case(f"judgment {query}/{document}", what, query, document))

    def about_run(self, query: str, what: str = "", document: str | None = None) -> None:
        """Something is wrong with what a run has for a query."""
        self.add(Case(f"run, query {query}", what, query, document))

    def finding(self, message: str) -> list[Finding]:
        """What was found; nothing if there was no case."""
        return [Finding(self.code, message, self.count, tuple(self.kept))] if self.count else []


def finding_without_cases(code: str, message: str, count: int = 1) -> list[Finding]:
    """Something that is wrong as a whole."""
    return [Finding(code, message, count)]


def first_ids(ids: Iterable[str], most: int = 3) -> str:
    """A few ids, in quotes, and an ellipsis if there are more."""
    some = list(islice(ids, most + 1))
    return ", ".join(map(repr, some[:most])) + (" …" if len(some) > most else "")


class Code(NamedTuple):
    """`error`: numbers would be wrong, or cannot be had. `warning`: worth a look."""

    severity: str
    advice: str


def _error(advice: str) -> Code:
    return Code("error", advice)


def _warning(advice: str) -> Code:
    return Code("warning", advice)


QUERY_CODES = {
    "dataset-unreadable": _error("mend the file; nothing else was checked"),
    "no-queries": _error("give the dataset queries"),
    "query-id-mismatch": _error("key each query by its own id; add_query does"),
    "similar-query-ids": _warning("make sure they are different queries; else keep one"),
    "empty-query": _error("write the question down, or leave the query out"),
    "mojibake-query": _warning("save the file again as UTF-8, from a source that still has the right letters"),
    "near-duplicate-queries": _warning("keep one of each, or they count twice in every mean and interval"),
    "expected-empty": _warning("write the answer, or leave `expected` out"),
    "no-ground-truth": _error("add judgments, evidence, expected answers or spans; without them nothing can be scored"),
    "query-without-judgments": _warning("add ground truth, or leave these queries out: they are not scored"),
    "query-without-relevant": _warning("they score 0 whatever is retrieved; --no-relevant skip leaves them out"),
    "unknown-query": _error("add these queries, or remove their judgments: else they count as missing, with 0"),
}
DOCUMENT_CODES = {
    "unreadable-documents": _error("mend the lines; nothing else was checked about documents"),
    "document-id-mismatch": _error("key each document by its own id; add_document does"),
    "similar-document-ids": _warning("make sure they are different documents; else keep one and rename it in the judgments"),
    "empty-document": _warning("fill in the text or leave the document out: it can only be found by chance"),
    "mojibake-document": _warning("save the corpus again as UTF-8, from a source that still has the right letters"),
    "duplicate-documents": _warning("keep one copy, or judge all of them alike: an unjudged copy counts as not relevant"),
    "query-is-document-id": _warning(
        "harmless if both are just numbered; if they are the same texts, score with --drop-self, or a system finds the query"
    ),
    "query-is-document-text": _warning("a system that finds the query itself is rewarded for nothing: leave the copy out"),
    "scope-unknown": _warning("give the scope documents (their `group`), or correct the query's scope: it can find nothing"),
    "span-outside-file": _error("correct it: lines count from 1 with the last included, characters from 0 without the last"),
    "stale-span": _error("mark the stretch anew: the file has changed since, and other lines count as the answer now"),
}
JUDGMENT_CODES = {
    "repaired": _warning("nothing need be done; mend the file to be rid of this"),
    "lost": _warning("mend the file if it matters: such a part is not used, but for gold spans, which count where they say"),
    "ground-truth-lost": _error("mend the file: these queries have no ground truth left"),
    "relevant-not-in-corpus": _error("add the documents or remove the judgments: what is not there cannot be found"),
    "judged-not-in-corpus": _warning("add the documents, or remove the judgments"),
    "no-judged-in-corpus": _error("judgments and documents must use the same ids"),
    "judged-not-in-scope": _error("correct the query's scope, the document's group, or the judgment"),
    "evidence-not-in-corpus": _error("add the documents, or correct the evidence: what is not there cannot be found"),
    "evidence-not-in-scope": _error("correct the query's scope, the document's group, or the evidence"),
    "evidence-unlike-ids": _warning("fine if the dataset's own format knows what the evidence means; else use document ids"),
    "conflicting-judgments": _warning("decide which grade is right"),
    "negative-grades": _warning("they count as unjudged, as in trec_eval; --negatives nonrelevant counts them as judged"),
    "fractional-grades": _warning("fine for gains; other tools round or refuse them"),
    "nothing-relevant": _error("check the grades: no document is relevant to any query, so every score is 0"),
    "mixed-grade-scales": _warning("make sure that all judgments use one scale: ndcg and err depend on the largest grade"),
    "lopsided-judgments": _warning("make sure that the query's id is right; judgments of several may have got one id"),
}
RUN_CODES = {
    "run-unreadable": _error("mend the lines; nothing else was checked about the run"),
    "run-score-not-a-number": _error("give every document a score that can be ranked; nothing else was checked"),
    "run-duplicate-document": _error("rank each document once per query, or score with --duplicates keep-best"),
    "run-rank-contradicts-score": _warning("scores decide, as in trec_eval; if they are distances, negate them"),
    "run-no-query-matches": _error("run and dataset must use the same query ids"),
    "run-missing-query": _warning("they score 0; retrieve for them too, or score with --missing skip"),
    "run-unknown-query": _warning("they are not scored; is it the run for this dataset?"),
    "run-no-id-matches": _error(
        "run and dataset must use the same document ids; score chunks with --unit document or --id-map"
    ),
    "run-chunk-ids": _warning(
        "score with --unit document to roll chunks up, --unit chunk to credit each document once, or --id-map"
    ),
    "run-unknown-document": _warning("is it a run over this corpus? Such documents take places, but cannot be relevant"),
    "run-out-of-scope": _error("search only the query's own documents (its scope): the others cannot be relevant"),
    "run-retrieved-query": _warning("score with --drop-self if these documents are the queries themselves"),
    "run-unjudged": _warning("judge more, or see what it could change: assay score … --residuals; -m judged@10 bpref"),
    "run-constant-scores": _warning("give documents scores by rank: now the tie rule decides about their order"),
    "run-ties-at-k": _warning("the tie rule decides what is within the cutoff; --tie-band shows what that could change"),
    "run-short": _warning("retrieve at least as many documents as the largest cutoff"),
}
CODES: dict[str, Code] = {**QUERY_CODES, **DOCUMENT_CODES, **JUDGMENT_CODES, **RUN_CODES}
"""Code → what it means for you, in the order in which findings are reported."""
