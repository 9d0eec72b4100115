"""Questions: what users want to know, the metrics that answer it, and how to find a question from words."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.catalog import load_entries
from assay.errors import UnknownName, UsageError
from assay.metrics.definition import Metric
from assay.metrics.descriptions import describe, hanging, written
from assay.metrics.parsing import parse_name
from assay.metrics.registry import all_metrics


@dataclass(frozen=True)
class Question:
    """One question, with its metrics in the order of their usefulness."""

    key: str
    asks: str
    advice: str
    metrics: tuple[str, ...]
    start: tuple[str, ...]
    """Metrics to start with, as you write them."""
    words: str
    """Other words for the question."""
    after: str = ""
    """For questions of plug-ins: the question after which to list it; empty: at the end."""

    @property
    def name(self) -> str:
        """The key, which is its name in catalogs."""
        return self.key

    def records(self) -> list[Metric]:
        """The metrics themselves."""
        return [all_metrics()[name] for name in self.metrics]


QUESTIONS = (
    Question(
        "single-answer",
        "Did the one right answer come first?",
        "Only one document is right, and people read what is at the top. hit@1 is the share of queries with the right "
        "document first. mrr also shows how far down the right document is.",
        ("mrr", "hit", "err", "ndcg"),
        ("mrr", "hit@1", "hit@5"),
        "single only known item faq lookup top rank navigational first correct",
    ),
    Question(
        "everything",
        "Did we find everything?",
        "A generator or a reranker cannot use a document that was not retrieved. Set k to the number of documents that the "
        "next step reads. If queries have more than k relevant documents, use capped_recall, which divides by at most k.",
        (
            "recall",
            "capped_recall",
            "set_recall",
            "map",
            "rprec",
            "rprec_mult",
            "set_map",
            "iprec",
            "11pt_avg",
            "num_rel_ret",
            "mean_rel_ret",
        ),
        ("recall@10", "recall@100", "capped_recall@10"),
        "all complete completeness coverage miss missed lost exhaustive context pool retrieve legal patent review",
    ),
    Question(
        "order",
        "Is the order good?",
        "Better documents should rank higher. ndcg uses grades; map only distinguishes relevant from not relevant. The "
        "others differ in how soon they assume that the reader stops.",
        (
            *("ndcg", "map", "err", "q_measure", "rbp", "compatibility", "accuracy", "nerr", "dcg", "ideal_dcg", "sdcg"),
            *("lrap", "ndcg_rel", "rndcg", "g", "bing"),
        ),
        ("ndcg@10", "map", "err@10"),
        "ranking rank graded grades sorted ordering better higher position relevance web",
    ),
    Question(
        "diversity",
        "Is every meaning of a query covered?",
        "People mean different things by the same words, and ten documents about one meaning help few of them. These "
        "metrics need judgments for each subtopic. subtopic_recall counts the subtopics found; alpha_ndcg gives less "
        "credit for repeating a subtopic.",
        (
            *("alpha_ndcg", "subtopic_recall", "err_ia", "nerr_ia", "precision_ia", "map_ia", "nrbp", "nnrbp"),
            "alpha_dcg",
        ),
        ("alpha_ndcg@10", "subtopic_recall@10", "err_ia@10"),
        "diverse diversify diversification novelty novel redundant redundancy subtopic subtopics intent intents aspect "
        "aspects ambiguous facet facets meanings repeat served",
    ),
    Question(
        "images",
        "Does an image find its caption, or other pictures of the same thing?",
        "Cross-modal benchmarks report hit@1, hit@5 and hit@10 (their R@k), the sum of these three, and the median rank. If "
        "there are several pictures of one person, place or product, map_at_r looks at the first R ranks, and minp at the "
        "last relevant document.",
        ("rsum", "hit", "recall", "median_rank", "mean_rank", "map_at_r", "minp"),
        ("rsum", "hit@1", "median_rank", "map_at_r"),
        "image images picture pictures photo photos caption captions cross-modal multimodal visual instance person "
        "re-identification reid camera embedding metric learning product landmark median",
    ),
    Question(
        "noise",
        "How much of what we show is useless?",
        "Space is limited, on pages and in prompts. precision@k is the share that is relevant; f1@k balances it with "
        "recall. The set metrics are for systems that choose how many documents to return.",
        ("precision", "f", "set_precision", "set_f", "set_relative_precision", "utility", "num_nonrel_judged_ret"),
        ("precision@5", "f1@5"),
        "useless junk clean prompt context window irrelevant precise filter share distractors false positives",
    ),
    Question(
        "reader",
        "What does a reader who stops early get?",
        "Each of these metrics contains a model of a reader. The reader of rbp continues with a fixed probability, and "
        "the reader of err stops when satisfied. The others combine these models, or their reader wants a certain gain. "
        "Choose the model that behaves like your users.",
        ("rbp", "err", "bpm", "inst", "insq", "nerr8", "nerr9", "nerr10", "nerr11"),
        ("rbp(p=0.8)", "err@10"),
        "user model patience impatient browsing stop satisfied effort cost gain persistence",
    ),
    Question(
        "judgments",
        "Are my judgments complete enough?",
        "Unjudged documents count as not relevant, which is unfair to a system that finds new relevant ones. judged@k is "
        "the share of judged documents. bpref and infap are made for incomplete judgments. rbp_residual says how much "
        "the unjudged documents could raise rbp.",
        ("judged", "unjudged", "bpref", "infap", "rbp_residual", "gm_bpref"),
        ("judged@10", "bpref", "rbp_residual"),
        "judgements judged unjudged incomplete holes hole pool labels annotation qrels trust missing enough",
    ),
    Question(
        "hard-queries",
        "Do some queries fail?",
        "A mean hides a query that gets nothing. A geometric mean does not: one query near 0 lowers it a lot. yaap spreads "
        "out values near 0 and 1.",
        ("gm_map", "gm_bpref", "yaap", "hit"),
        ("gm_map", "hit@10"),
        "hard worst difficult robust robustness fail failing tail zero left behind fairness",
    ),
    Question(
        "reranker",
        "Does the reranker help?",
        "A reranker can only reorder what the first stage found. Look at the recall before reranking, at the order after "
        "reranking, and at the time that it takes.",
        ("reranking_improvement", "ndcg", "mrr", "recall", "latency"),
        ("ndcg@10", "mrr", "recall@100", "reranking_improvement"),
        "rerank reranking rerankers cross encoder second stage improvement worth pay before after",
    ),
    Question(
        "speed",
        "How long does a query take?",
        "People remember slow queries, so look at the 95th percentile rather than the mean.",
        ("latency_p95", "latency_p50", "latency_p99", "latency"),
        ("latency_p50", "latency_p95"),
        "fast slow time latency seconds milliseconds performance quick percentile",
    ),
    Question(
        "spans",
        "Do the retrieved chunks contain the passage?",
        "A gold span is a place in a text, and chunks may be cut anywhere. These metrics measure the overlap, so you can "
        "compare chunkers. @tokens=2000 sets a budget in words, as for a prompt, instead of a cutoff.",
        ("span_recall", "span_precision", "span_iou", "file_recall", "file_mrr"),
        ("span_recall@5", "span_precision@5", "span_recall@tokens=2000"),
        "span chunk chunks chunker chunking passage passages code lines characters overlap file files evidence repository",
    ),
    Question(
        "answers",
        "Is the answer right?",
        "These metrics compare the answer with the expected answer. answer_correct is the mark of a judge. answer_success "
        "also needs a relevant document.",
        ("answer_f1", "answer_exact", "answer_contains", "answer_correct", "answer_success", "rouge", "bleu", "corpus_bleu"),
        ("answer_f1", "answer_exact", "rouge(n=l)", "answer_success@5"),
        "answer generated generation text reply rag response summary words qa question answering",
    ),
    Question(
        "judged-answers",
        "Is the answer supported, and is it complete?",
        "A judge decides about single claims and nuggets: a person, or a model that people correct. faithfulness compares "
        "the answer with the retrieved text, correctness with the reference answer. nugget_recall asks which facts the "
        "answer contains. The context metrics ask whether the retrieved text was enough.",
        ("faithfulness", "correctness", "nugget_recall", "context_recall", "context_precision"),
        ("faithfulness", "correctness", "nugget_recall(only=vital)"),
        "faithful grounded hallucinate supported claim claims nugget nuggets complete judge judged ragas context contexts",
    ),
    Question(
        "abstention",
        "Does the system know when not to answer?",
        "Some questions have no answer in the documents. A system that says so is better than one that guesses.",
        ("abstention_accuracy", "aurc"),
        ("abstention_accuracy", "aurc"),
        "abstain unanswerable refuse refusal confidence confident sure certain calibration risk hallucination guess unknown",
    ),
    Question(
        "routing",
        "Do queries go to the right expert, and is unnecessary retrieval skipped?",
        "Routing is right or wrong for each query. For a retrieval gate, look at both sides: the retrievals that it saves, "
        "and those that it wrongly skips.",
        (
            *("routing_accuracy", "load_balance", "gate_efficiency", "gate_accuracy", "gate_recall", "wrongly_skipped"),
            *("wasted_retrievals", "retrievals_saved", "gate_cost_saved"),
        ),
        ("routing_accuracy", "gate_efficiency", "wrongly_skipped"),
        "route router routes expert experts moe mixture gate gating skip saved load",
    ),
    Question(
        "time",
        "Are the results up to date?",
        "freshness@5 is 1 if the first 5 documents are new, staleness is their median age in days. Both read all retrieved "
        "documents, relevant or not. ndcg(half_life=30)@5 counts old relevant documents less than new ones. Queries and "
        "documents need times. Add --as-of query to leave out documents that are younger than their query.",
        ("freshness", "staleness", "relevant_age", "ndcg"),
        ("freshness@5", "staleness@5", "ndcg(half_life=30)@5"),
        "time date age old older new newer newest fresh recent recency stale outdated temporal news latest current",
    ),
    Question(
        "variety",
        "Are the results varied and new?",
        "These metrics need no judgments: they read what was retrieved. A list can be varied and useless, so look at them "
        "next to a metric of relevance. ild, tag_entropy, novelty and near_duplicates are about single lists; "
        "catalogue_coverage, exposure_gini and exposure_entropy are about all lists together.",
        (
            *("ild", "near_duplicates", "novelty", "tag_entropy"),
            *("catalogue_coverage", "exposure_gini", "exposure_entropy"),
        ),
        ("ild@10", "near_duplicates@10", "catalogue_coverage@10"),
        "varied variety diverse different distance novel new unusual surprise popular popularity bias catalogue coverage "
        "exposure fair even gini entropy repeated duplicate duplicates copies redundant same tags categories",
    ),
    Question(
        "behaviour",
        "What do users do with the results?",
        "A log of searches and clicks says what users did, not what is relevant: users click what is at the top. Compare "
        "variants on the same days, and make judgments from clicks with a model that corrects for the ranks.",
        (
            *("ctr", "satisfied_click", "abandonment", "first_click_mrr", "clicked_rank", "zero_results", "reformulation"),
            *("skip_rate", "dwell_p50", "dwell_p10", "dwell_p90", "time_to_click_p50", "time_to_click_p90"),
        ),
        ("ctr@10", "satisfied_click@10", "abandonment", "zero_results"),
        "user users behaviour behavior click clicks log logs dwell abandon abandoned reformulate online traffic session",
    ),
    Question(
        "what-went-in",
        "What was scored?",
        "Before you trust a value, check how many queries, documents and judgments it is based on.",
        ("num_q", "num_ret", "num_rel", "num_rel_ret", "runid", "relstring"),
        ("num_q", "num_ret", "num_rel"),
        "count counts how many size sanity check input trec number",
    ),
)


@cache
def all_questions() -> tuple[Question, ...]:
    """The questions above, and those of plug-ins."""
    questions = list(QUESTIONS)
    for question in load_entries("", Question, "assay.questions").values():
        keys = [known.key for known in questions]
        questions.insert(keys.index(question.after) + 1 if question.after in keys else len(keys), question)
    return tuple(questions)


def questions_of(metric: str) -> list[Question]:
    """The questions that a metric answers."""
    return [question for question in all_questions() if metric in question.metrics]


def describe_question(question: Question) -> dict[str, Any]:
    """A question and its metrics as plain JSON values."""
    return {
        "question": question.key,
        "asks": question.asks,
        "advice": question.advice,
        "start": list(question.start),
        "metrics": [describe(metric) for metric in question.records()],
    }


def explain_question(question: Question, width: int | None = None) -> str:
    """A question as text: advice, metrics with meanings, and metrics to start with; wrapped to a width if one is given."""
    size = max(len(written(metric)) for metric in question.records())
    lines = [hanging("", f"{question.asks} ({question.key})", width), "", hanging("  ", question.advice, width), ""]
    lines += [hanging(f"  {written(metric):<{size}}  ", metric.meaning, width) for metric in question.records()]
    return "\n".join([*lines, "", hanging("  ", f"Start with: -m {' '.join(map(_quoted, question.start))}", width)])


def _quoted(spelling: str) -> str:
    """A spelling, quoted for a shell if necessary."""
    return f"'{spelling}'" if "(" in spelling else spelling


SMALL_WORDS = frozenset(
    (
        *("a", "an", "and", "any", "are", "at", "be", "by", "can", "did", "do", "does", "for", "get", "good", "has", "have"),
        *("how", "i", "in", "is", "it", "me", "metric", "metrics", "much", "my", "of", "on", "or", "our", "retrieval"),
        *("search", "some", "system", "that", "the", "this", "to", "was", "we", "what", "which", "with"),
    )
)
"""Words that do not help to find a question."""
ENDINGS = frozenset(
    (
        *("", "s", "es", "d", "ed", "r", "er", "rs", "ers", "ing", "e", "y", "ies", "ment", "ments", "ement", "ements"),
        *("ness", "able", "ly", "al", "ion", "ions", "ation"),
    )
)
WORD_PATTERN = re.compile(r"[^\W_]+")
SHORTEST_STEM = 4
SPELLING_CUTOFF = 0.8
"""How similar a misspelled word must be to a word of a question."""


def find_questions(text: str) -> list[Question]:
    """The question that some words mean, or several if they match equally well.

    The name of a metric means the question that lists it first. Endings of words may differ, and small spelling mistakes are
    corrected (`read_as` returns the corrected words). If no word belongs to a question, the error lists all questions.
    """
    if exact := _exact_questions(text):
        return exact
    asked = [word for word in _words(read_as(text)) if word not in SMALL_WORDS]
    known = {question.key: _own_words(question) for question in all_questions()}
    keys = (
        _of_metric(text)
        or _best_questions(asked, known)
        or _best_questions(asked, {question.key: _metric_words(question) for question in all_questions()})
    )
    if not keys:
        raise UnknownName("question", text, (), f"choose from {', '.join(known)}; words from a question work too")
    return [question for question in all_questions() if question.key in keys]


def read_as(text: str) -> str:
    """The words with spelling mistakes corrected: an unknown word becomes the word of a question that is very similar.

    The exact name of a question or a metric is not changed.
    """
    if _exact_questions(text) or _of_metric(text):
        return text
    known_words = sorted({word for question in all_questions() for word in _own_words(question)})
    known = {*known_words, *(word for question in all_questions() for word in _metric_words(question))}

    def mended(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word in SMALL_WORDS or any(_alike(word, other) for other in known):
            return match[0]
        return next(iter(difflib.get_close_matches(word, known_words, n=1, cutoff=SPELLING_CUTOFF)), match[0])

    return WORD_PATTERN.sub(mended, text)


def _exact_questions(text: str) -> list[Question]:
    """The questions whose key or exact wording is the text."""
    return [question for question in all_questions() if text.strip().lower() in (question.key, question.asks.lower())]


def _of_metric(text: str) -> set[str]:
    """The questions that list the metric of this name earliest; empty if the text is not a metric."""
    try:
        name = parse_name(text.strip()).name
    except UsageError:
        return set()
    place = {question.key: question.metrics.index(name) for question in questions_of(name)}
    return {key for key, number in place.items() if number == min(place.values())}


def _best_questions(asked: list[str], known: dict[str, set[str]]) -> set[str]:
    """The questions that match most of the words; a word of the key counts twice."""
    counts = {
        key: sum(
            2 * any(_alike(word, other) for other in _words(key)) or any(_alike(word, other) for other in words)
            for word in asked
        )
        for key, words in known.items()
    }
    most = max(counts.values())
    return {key for key, count in counts.items() if count == most} if most else set()


def _own_words(question: Question) -> set[str]:
    return {word for word in _words(f"{question.key} {question.asks} {question.words}") if word not in SMALL_WORDS}


def _metric_words(question: Question) -> set[str]:
    return {word for name in question.metrics for word in _words(name) if word not in SMALL_WORDS}


def _words(text: str) -> list[str]:
    return WORD_PATTERN.findall(text.lower())


def _alike(first: str, second: str) -> bool:
    """Whether words differ only in their endings, such as rerank, reranker, reranking; not position and positive."""
    if first == second:
        return True
    shared = next((place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), None)
    longest = min(len(first), len(second)) if shared is None else shared
    return any(first[cut:] in ENDINGS and second[cut:] in ENDINGS for cut in range(SHORTEST_STEM, longest + 1))
