"""The codes of the preflight: how grave each is, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """`error`: numbers would be wrong, or cannot be had. `warning`: worth a look."""

    severity: str
    advice: str


def _error(advice: str) -> Code:
    return Code("error", advice)


def _warning(advice: str) -> Code:
    return Code("warning", advice)


OF_QUERIES = {
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
OF_DOCUMENTS = {
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
OF_JUDGMENTS = {
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
OF_RUN = {
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
CODES: dict[str, Code] = {**OF_QUERIES, **OF_DOCUMENTS, **OF_JUDGMENTS, **OF_RUN}
"""Code → what it means for you, in the order in which findings are told."""
