"""Findings of the preflight: codes with advice, cases, and the lines of the cases in files."""

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
from assay.text import counted

Key = tuple[str, ...]
"""A query, or a query and a document."""
QUERY = ("_id", "id", *COLUMN_NAMES["query"])
LINES = (".jsonl", ".ndjson", ".tsv", ".txt", ".qrels", ".qrel", ".trec", "")
"""Extensions of files that may have one record per line."""
ABOUT_DATASET = ("query ", "document ", "judgment ")
"""The start of a place that has no line yet."""


def with_lines(findings: list[Finding], dataset: BenchmarkDataset) -> list[Finding]:
    """The same findings, with `file:line` before each place that has a line in a file."""
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
    """`file:line` of queries and judgments. A query without its own line gets the line of its first judgment."""
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
    """The files of a dataset with queries and judgments line by line, recognised by their names."""
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
    """TREC has query, iteration, document, grade; BEIR has query, document, grade; a file of queries starts with the id."""
    fields = line.decode().rstrip("\r\n").split("\t") if b"\t" in line else line.decode().split()
    if not is_judgment:
        return (fields[0],)
    if len(fields) not in (3, 4):
        return ()
    return fields[0], fields[-2]


MAX_CASES = 20
"""How many cases of a code are kept; the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Case:
    """One place where something is wrong, and what was found there."""

    place: str
    """`file:line` if known, otherwise a description: query q7, document d3, judgment q7/d3, run, query q7."""
    found: str = ""
    query: str | None = None
    document: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Plain values; unknown ones are left out."""
        named = {"place": self.place, "found": self.found, "query": self.query, "document": self.document}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Finding:
    """All cases of one code: what is wrong, how often, the first places, and what to do."""

    code: str
    message: str
    count: int = 1
    cases: tuple[Case, ...] = ()
    """At most the first twenty."""

    @property
    def severity(self) -> str:
        """`error`: scores would be wrong or cannot be computed; `warning`: worth checking."""
        return CODES[self.code].severity

    @property
    def advice(self) -> str:
        """What to do."""
        return CODES[self.code].advice

    @property
    def places(self) -> tuple[str, ...]:
        """The places, at most twenty."""
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
    """Counts the cases of one code, and keeps the first twenty."""

    def __init__(self, code: str) -> None:
        self.code, self.count = code, 0
        self.kept: list[Case] = []

    def __len__(self) -> int:
        return self.count

    def add(self, case: Case) -> None:
        """Add one case."""
        self.count += 1
        if len(self.kept) < MAX_CASES:
            self.kept.append(case)

    def about_query(self, query: str, what: str = "") -> None:
        """Add a case about a query."""
        self.add(Case(f"query {query}", what, query=query))

    def about_document(self, document: str, what: str = "") -> None:
        """Add a case about a document."""
        self.add(Case(f"document {document}", what, document=document))

    def about_judgment(self, query: str, document: str, what: str = "") -> None:
        """Add a case about the ground truth of a query for a document."""
        self.add(Case(f"judgment {query}/{document}", what, query, document))

    def about_run(self, query: str, what: str = "", document: str | None = None) -> None:
        """Add a case about the ranking of a query in a run."""
        self.add(Case(f"run, query {query}", what, query, document))

    def finding(self, message: str) -> list[Finding]:
        """The finding; none if there was no case."""
        return [Finding(self.code, message, self.count, tuple(self.kept))] if self.count else []


def how_many(cases: Cases, noun: str, singular: str, plural: str, *, of: int | None = None) -> str:
    """Count, noun and the verb that fits: `1 query has`, `2 queries have`; with a total `1 of 12 queries has`."""
    subject = counted(cases.count, noun) if of is None else f"{cases.count:,} of {counted(of, noun)}"
    return f"{subject} {singular if cases.count == 1 else plural}"


def finding_without_cases(code: str, message: str, count: int = 1) -> list[Finding]:
    """A finding about the dataset or run as a whole."""
    return [Finding(code, message, count)]


def first_ids(ids: Iterable[str], most: int = 3) -> str:
    """A few ids, in quotes, and an ellipsis if there are more."""
    some = list(islice(ids, most + 1))
    return ", ".join(map(repr, some[:most])) + (" …" if len(some) > most else "")


class Code(NamedTuple):
    """`error`: scores would be wrong or cannot be computed. `warning`: worth checking."""

    severity: str
    advice: str


def _error(advice: str) -> Code:
    return Code("error", advice)


def _warning(advice: str) -> Code:
    return Code("warning", advice)


QUERY_CODES = {
    "dataset-unreadable": _error("fix the file; nothing else was checked"),
    "no-queries": _error("add queries to the dataset"),
    "query-id-mismatch": _error("use the query_id of each query as its key; add_query does this"),
    "similar-query-ids": _warning("check that these are different queries; if not, keep one of them"),
    "empty-query": _error("add the text, or remove the query"),
    "mojibake-query": _warning("save the file as UTF-8 again, from a source that still has the correct characters"),
    "near-duplicate-queries": _warning("keep one of these queries; otherwise both count in every mean and interval"),
    "bad-record-left-out": _warning("correct these records; without --lenient they are errors"),
    "unused-file": _warning("remove these files from the folder, or rename them if they are part of the benchmark"),
    "unused-column": _warning("name the column with --columns if it has the relevant documents; otherwise ignore this"),
    "column-choice": _warning("check the choice; --columns names the other column"),
    "no-documents": _warning("name them with --documents; without documents, only recorded rankings can be scored"),
    "expected-empty": _warning("write the expected answer, or remove `expected`"),
    "no-ground-truth": _error("add judgments, evidence, expected answers or spans; without them nothing can be scored"),
    "query-without-judgments": _warning("add ground truth, or remove these queries; they are not scored"),
    "query-without-relevant": _warning("these queries score 0 for every run; to leave them out, add --no-relevant skip"),
    "unknown-query": _error("add these queries, or remove their judgments; otherwise they count as missing and score 0"),
}
DOCUMENT_CODES = {
    "unreadable-documents": _error("fix these lines; nothing else about documents was checked"),
    "document-id-mismatch": _error("use the doc_id of each document as its key; add_document does this"),
    "similar-document-ids": _warning(
        "check that these are different documents; if not, keep one of them and use its id in the judgments"
    ),
    "empty-document": _warning("add the text or remove the document; without text it can only be found by chance"),
    "mojibake-document": _warning("save the corpus as UTF-8 again, from a source that still has the correct characters"),
    "duplicate-documents": _warning("keep one copy, or judge all copies alike; an unjudged copy counts as not relevant"),
    "query-is-document-id": _warning(
        "score with --drop-self if the query and the document are the same text, because the query would find itself; "
        "otherwise this is harmless"
    ),
    "query-is-document-text": _warning("remove the copy; otherwise a system gets credit for finding the query itself"),
    "scope-unknown": _warning(
        "set the `group` of the query's documents to its scope, or correct the scope; as it is, the query can find nothing"
    ),
    "span-outside-file": _error(
        "correct the span; lines are counted from 1 with the end included, characters from 0 with the end excluded"
    ),
    "stale-span": _error("mark the span again; the file has changed, and now other text counts as the answer"),
}
JUDGMENT_CODES = {
    "repaired": _warning("no action is needed; to avoid this warning, fix the file"),
    "lost": _warning("fix the file if these parts matter; they are not used, except gold spans, which are used as written"),
    "ground-truth-lost": _error("fix the file; these queries have no ground truth left"),
    "relevant-not-in-corpus": _error(
        "add the documents or remove the judgments; a document that is not in the corpus cannot be found"
    ),
    "judged-not-in-corpus": _warning("add the documents, or remove the judgments"),
    "no-judged-in-corpus": _error("use the same ids in the judgments and the documents"),
    "judged-not-in-scope": _error("correct the query's scope, the document's group, or the judgment"),
    "evidence-not-in-corpus": _error(
        "add the documents, or correct the evidence; a document that is not in the corpus cannot be found"
    ),
    "evidence-not-in-scope": _error("correct the query's scope, the document's group, or the evidence"),
    "evidence-unlike-ids": _warning(
        "this is fine if the format of the dataset defines what the evidence means; otherwise use document ids"
    ),
    "conflicting-judgments": _warning("decide which grade is right"),
    "negative-grades": _warning(
        "negative grades count as unjudged, as in trec_eval; to count them as judged and not relevant, "
        "add --negatives nonrelevant"
    ),
    "fractional-grades": _warning("assay uses these grades as they are; other tools round or reject them"),
    "nothing-relevant": _error("check the grades; no document is relevant to any query, so every score is 0"),
    "mixed-grade-scales": _warning("check that all judgments use the same scale; ndcg and err depend on the highest grade"),
    "lopsided-judgments": _warning(
        "check the query id; judgments of several queries may have been given the same id by mistake"
    ),
}
RUN_CODES = {
    "run-unreadable": _error("fix these lines; nothing else about the run was checked"),
    "run-score-not-a-number": _error("give every document a number as its score; nothing else about the run was checked"),
    "run-duplicate-document": _error("rank each document once per query, or score with --duplicates keep-best"),
    "run-rank-contradicts-score": _warning(
        "the scores decide the order, as in trec_eval; if they are distances, negate them"
    ),
    "run-no-query-matches": _error("use the same query ids in the run and the dataset"),
    "run-missing-query": _warning("these queries score 0; retrieve documents for them, or score with --missing skip"),
    "run-unknown-query": _warning("these queries are not scored; check that the run belongs to the dataset"),
    "run-no-id-matches": _error(
        "use the same document ids in the run and the dataset; if the run has chunks, score with --unit document or --id-map"
    ),
    "run-chunk-ids": _warning(
        "score with --unit document, which merges the chunks of each document, or --unit chunk, which credits each document "
        "once; --id-map FILE says which document a chunk belongs to"
    ),
    "run-unknown-document": _warning(
        "check that the run was made with this corpus; such documents take up ranks but cannot be relevant"
    ),
    "run-out-of-scope": _error("search only the documents in the scope of the query; others cannot be relevant"),
    "run-retrieved-query": _warning("score with --drop-self if these documents are the queries themselves"),
    "run-unjudged": _warning(
        "judge more documents, or see how much the unjudged ones could change the scores: "
        "assay score … --residuals -m judged@10 bpref"
    ),
    "run-constant-scores": _warning(
        "give each document a score that falls with its rank; otherwise the tie rule decides the order"
    ),
    "run-ties-at-k": _warning(
        "the tie rule decides which documents are within the cutoff; score with --tie-band to see how much it matters"
    ),
    "run-short": _warning("retrieve at least as many documents as the highest cutoff"),
}
CODES: dict[str, Code] = {**QUERY_CODES, **DOCUMENT_CODES, **JUDGMENT_CODES, **RUN_CODES}
"""Code → severity and advice, in the order in which findings are reported."""
