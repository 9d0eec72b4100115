"""Questions: what people want to know, the metrics that tell, and how a question is found and answered in words."""

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
    """One question. Its metrics stand in the order in which one would look at them."""

    key: str
    asks: str
    advice: str
    metrics: tuple[str, ...]
    start: tuple[str, ...]
    """What to write to begin with."""
    words: str
    """Other words that people say for it."""
    after: str = ""
    """The question that one of a plug-in follows in lists; empty: it comes last."""

    @property
    def name(self) -> str:
        """Its key, by which catalogs know it."""
        return self.key

    def records(self) -> list[Metric]:
        """The metrics themselves."""
        return [all_metrics()[name] for name in self.metrics]


QUESTIONS = (
    Question(
        "single-answer",
        "Did the one right answer come first?",
        "One document is right, and people take what stands on top. hit@1 counts how often that is it, mrr also how far "
        "down it was otherwise.",
        ("mrr", "hit", "err", "ndcg"),
        ("mrr", "hit@1", "hit@5"),
        "single only known item faq lookup top rank navigational first correct",
    ),
    Question(
        "everything",
        "Did we find everything?",
        "Whatever is missed is lost for good: what a generator or a reranker never gets, it cannot use. Cut where the next "
        "step cuts. With more relevant documents than k, capped_recall says what was possible.",
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
        "Better documents should stand higher. ndcg knows grades; map is for relevant or not; the others differ in how fast "
        "the reader's patience ends.",
        (
            *("ndcg", "map", "err", "q_measure", "rbp", "compatibility", "accuracy", "nerr", "dcg", "ideal_dcg", "sdcg"),
            *("ndcg_rel", "rndcg", "g", "bing"),
        ),
        ("ndcg@10", "map", "err@10"),
        "ranking rank graded grades sorted ordering better higher position relevance web",
    ),
    Question(
        "diversity",
        "Is every meaning of a query served?",
        "People mean different things by the same words, and ten documents about one of them help few. Judgments say what "
        "is relevant to each subtopic; subtopic_recall counts those found, alpha_ndcg gives less for more of the same.",
        (
            *("alpha_ndcg", "subtopic_recall", "err_ia", "nerr_ia", "precision_ia", "map_ia", "nrbp", "nnrbp"),
            "alpha_dcg",
        ),
        ("alpha_ndcg@10", "subtopic_recall@10", "err_ia@10"),
        "diverse diversify diversification novelty novel redundant redundancy subtopic subtopics intent intents aspect "
        "aspects ambiguous facet facets meanings repeat",
    ),
    Question(
        "noise",
        "How much of what we show is of no use?",
        "Space is short, on pages and in prompts. precision@k is the share that is relevant; f1@k weighs it against recall. "
        "The set metrics are for systems that return as many as they see fit.",
        ("precision", "f", "set_precision", "set_f", "set_relative_precision", "utility", "num_nonrel_judged_ret"),
        ("precision@5", "f1@5"),
        "useless junk clean prompt context window irrelevant precise filter share distractors false positives",
    ),
    Question(
        "reader",
        "What does a reader get who stops at some point?",
        "Each of these has a model of a reader in it: rbp goes on with a fixed chance, err stops when satisfied, the others "
        "want a certain amount. Take the one that behaves as your users do.",
        ("rbp", "err", "bpm", "inst", "insq", "nerr8", "nerr9", "nerr10", "nerr11"),
        ("rbp(p=0.8)", "err@10"),
        "user model patience impatient browsing stop satisfied effort cost gain persistence",
    ),
    Question(
        "judgments",
        "Are my judgments complete enough?",
        "Unjudged documents count as not relevant, which is unfair to whoever finds new ones. judged@k says how often "
        "that happens; bpref and infap do without them; rbp_residual says how much they could change.",
        ("judged", "unjudged", "bpref", "infap", "rbp_residual", "gm_bpref"),
        ("judged@10", "bpref", "rbp_residual"),
        "judgements judged unjudged incomplete holes hole pool labels annotation qrels trust missing enough",
    ),
    Question(
        "hard-queries",
        "Are some queries left behind?",
        "A mean hides the query that gets nothing. The geometric mean does not: one query near 0 pulls it down. yaap "
        "spreads the ends of the scale.",
        ("gm_map", "gm_bpref", "yaap", "hit"),
        ("gm_map", "hit@10"),
        "hard worst difficult robust robustness fail failing tail zero left behind fairness",
    ),
    Question(
        "reranker",
        "Does the reranker pay?",
        "It can only move what the first stage found, so look at recall before it, at the order after it, and at the time.",
        ("reranking_improvement", "ndcg", "mrr", "recall", "latency"),
        ("ndcg@10", "mrr", "recall@100", "reranking_improvement"),
        "rerank reranking rerankers cross encoder second stage improvement worth before after",
    ),
    Question(
        "speed",
        "How long does it take?",
        "People remember the slow ones: look at the 95th percentile rather than at the mean.",
        ("latency_p95", "latency_p50", "latency_p99", "latency"),
        ("latency_p50", "latency_p95"),
        "fast slow time latency seconds milliseconds performance quick percentile",
    ),
    Question(
        "spans",
        "Is the passage in what was retrieved?",
        "The truth is a place in a text, and chunks may be cut anywhere. These measure the overlap, so that chunkers can be "
        "compared; @tokens=2000 cuts by what fits a prompt instead of by rank.",
        ("span_recall", "span_precision", "span_iou", "file_recall", "file_mrr"),
        ("span_recall@5", "span_precision@5", "span_recall@tokens=2000"),
        "span chunk chunks chunker chunking passage passages code lines characters overlap file files evidence repository",
    ),
    Question(
        "answers",
        "Is the answer right?",
        "What the system says is compared with what it should say. answer_success asks that the documents are right too.",
        ("answer_f1", "answer_exact", "answer_contains", "answer_success", "rouge", "bleu", "corpus_bleu"),
        ("answer_f1", "answer_exact", "rouge(n=l)", "answer_success@5"),
        "answer generated generation text reply rag response summary words qa question answering",
    ),
    Question(
        "abstention",
        "Does it know when not to answer?",
        "Some questions have no answer here. A system that says so is worth more than one that guesses.",
        ("abstention_accuracy", "aurc"),
        ("abstention_accuracy", "aurc"),
        "abstain unanswerable refuse refusal confidence confident sure certain calibration risk hallucination guess unknown",
    ),
    Question(
        "routing",
        "Did queries go to the right expert, and is retrieval skipped where it may be?",
        "Routing is right or wrong per query. For a gate, look at both sides: what it saves, and what it wrongly denies.",
        (
            *("routing_accuracy", "load_balance", "gate_efficiency", "gate_accuracy", "gate_recall", "wrongly_skipped"),
            *("wasted_retrievals", "retrievals_saved", "gate_cost_saved"),
        ),
        ("routing_accuracy", "gate_efficiency", "wrongly_skipped"),
        "route router routes expert experts moe mixture gate gating skip saved load",
    ),
    Question(
        "what-went-in",
        "What was scored at all?",
        "Before any figure is believed: how many queries, documents and judgments it is about.",
        ("num_q", "num_ret", "num_rel", "num_rel_ret", "runid", "relstring"),
        ("num_q", "num_ret", "num_rel"),
        "count counts how many size sanity check input trec number",
    ),
)


@cache
def all_questions() -> tuple[Question, ...]:
    """The questions above, and those that plug-ins bring with their metrics."""
    questions = list(QUESTIONS)
    for question in load_entries("", Question, "assay.questions").values():
        keys = [known.key for known in questions]
        questions.insert(keys.index(question.after) + 1 if question.after in keys else len(keys), question)
    return tuple(questions)


def questions_of(metric: str) -> list[Question]:
    """The questions that a metric answers to."""
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
    """A question, the advice, its metrics with their meanings, and what to write, wrapped to the width if there is one."""
    size = max(len(written(metric)) for metric in question.records())
    lines = [hanging("", f"{question.asks} ({question.key})", width), "", hanging("  ", question.advice, width), ""]
    lines += [hanging(f"  {written(metric):<{size}}  ", metric.meaning, width) for metric in question.records()]
    return "\n".join([*lines, "", hanging("  ", f"To begin with: -m {' '.join(map(_quoted, question.start))}", width)])


def _quoted(spelling: str) -> str:
    """A spelling as a shell takes it."""
    return f"'{spelling}'" if "(" in spelling else spelling


SMALL_WORDS = frozenset(
    (
        *("a", "an", "and", "any", "are", "at", "be", "by", "can", "did", "do", "does", "for", "get", "good", "has", "have"),
        *("how", "i", "in", "is", "it", "me", "metric", "metrics", "much", "my", "of", "on", "or", "our", "retrieval"),
        *("search", "some", "system", "that", "the", "this", "to", "was", "we", "what", "which", "with"),
    )
)
"""Words that say nothing about which question is meant."""
ENDINGS = frozenset(
    (
        *("", "s", "es", "d", "ed", "r", "er", "rs", "ers", "ing", "e", "y", "ies", "ment", "ments", "ement", "ements"),
        *("ness", "able", "ly", "al", "ion", "ions", "ation"),
    )
)
WORD_PATTERN = re.compile(r"[^\W_]+")
SHORTEST_STEM = 4
SPELLING_CUTOFF = 0.8
"""How like a word of a question a misspelt one has to be."""


def find_questions(text: str) -> list[Question]:
    """The questions that are meant by some words, the likeliest alone unless several are as likely.

    A metric means the question where it is looked at first. Words need not have the same endings, nor be spelled quite
    well (`read_as` says what was understood); where none of them is a word of a question, the error lists all questions.
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
        raise UnknownName("question", text, (), f"there are {', '.join(known)}; any words of theirs will do")
    return [question for question in all_questions() if question.key in keys]


def read_as(text: str) -> str:
    """The words with misspelt ones mended: those that no question knows, and that are nearly a word of one.

    A question or a metric as it is written stays so.
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
    """The questions that are asked by their key, or word for word."""
    return [question for question in all_questions() if text.strip().lower() in (question.key, question.asks.lower())]


def _of_metric(text: str) -> set[str]:
    """The questions in which a metric of that name stands furthest to the front; none where it is no metric."""
    try:
        name = parse_name(text.strip()).name
    except UsageError:
        return set()
    place = {question.key: question.metrics.index(name) for question in questions_of(name)}
    return {key for key, number in place.items() if number == min(place.values())}


def _best_questions(asked: list[str], known: dict[str, set[str]]) -> set[str]:
    """The questions that know the most of the words; their own key counts more than what else is said for them."""
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
    """Whether words are the same but for their endings: rerank, reranker, reranking; position and positive are not."""
    if first == second:
        return True
    shared = next((place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), None)
    longest = min(len(first), len(second)) if shared is None else shared
    return any(first[cut:] in ENDINGS and second[cut:] in ENDINGS for cut in range(SHORTEST_STEM, longest + 1))
