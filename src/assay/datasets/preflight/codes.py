"""Codes of findings: how serious each is, and what to do."""

from __future__ import annotations

from typing import NamedTuple


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
    "empty-query": _error(
        "add the texts, or remove the queries; assay leaves queries without text out of all scores, unless no query has a "
        "text"
    ),
    "mojibake-query": _warning("save the file as UTF-8 again, from a source that still has the correct characters"),
    "near-duplicate-queries": _warning("keep one of these queries; otherwise both count in every mean and interval"),
    "bad-record-left-out": _warning("correct these records; without --lenient they are errors"),
    "unused-file": _warning("remove these files from the folder, or rename them if they are part of the benchmark"),
    "unused-column": _warning("name the column with --columns if it has the relevant documents; otherwise ignore this"),
    "column-choice": _warning(
        "check how the column is read; if this is wrong, rename it, or name the right column with --columns"
    ),
    "no-documents": _warning("name them with --documents; without documents, only recorded rankings can be scored"),
    "expected-empty": _warning("write the expected answer, or remove `expected`"),
    "no-ground-truth": _error("add judgments, evidence, expected answers or spans; without them nothing can be scored"),
    "query-without-judgments": _warning("add ground truth, or remove these queries; they are not scored"),
    "query-without-relevant": _warning("these queries score 0 for every run; to leave them out, add --no-relevant skip"),
    "unknown-query": _error(
        "add these queries with their texts, or remove their judgments; assay leaves them out of all scores, unless no "
        "query has a text"
    ),
}
DOCUMENT_CODES = {
    "unreadable-documents": _error("fix these lines; nothing else about documents was checked"),
    "empty-corpus": _error("add the documents, or remove the file; without documents, only recorded runs can be scored"),
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
    "missing-media": _warning("add the files, or correct the paths; a path is relative to the folder of the benchmark"),
    "media-outside-folder": _error(
        "move these files into the folder of the benchmark; assay opens no file outside this folder that a benchmark names"
    ),
    "unknown-media-type": _warning("check the file extension; assay knows files of images, sound and video by it"),
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
        "add the documents or remove the judgments; a document that is not in the corpus cannot be found, but it counts in "
        "recall and in the ideal ranking unless you add --missing-documents drop"
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
TIME_CODES = {
    "younger-than-query": _warning(
        "these documents could not be found when the query was asked; add --as-of query to leave them out, with their "
        "judgments, or correct the times"
    ),
    "query-without-time": _warning("add the times; with --as-of query, these queries can find documents of any time"),
    "document-without-time": _warning("add the times; with --as-of, these documents count as older than every query"),
    "no-time-zone": _warning("write times with a zone, such as 2024-05-01T10:30:00Z; without one, they are read as UTC"),
}
TERM_CODES = {
    "term-unknown": _error("correct the id; no document can be this term, so the query cannot find it"),
    "term-obsolete": _error("use the id of a current term"),
    "term-alternative": _warning("write the main id of the term; assay counts both ids as the same term"),
    "term-label": _warning("check the id; the description of the case does not contain the label of the term"),
    "terms-not-checked": _warning("check the expected terms before you rely on the scores"),
}
"""Findings about benchmarks whose documents are terms; a domain that knows the terms finds them."""
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
CODES: dict[str, Code] = {**QUERY_CODES, **DOCUMENT_CODES, **JUDGMENT_CODES, **TIME_CODES, **TERM_CODES, **RUN_CODES}
"""Code → severity and advice, in the order in which findings are reported."""
