"""Questions: what people want to know, and the metrics that tell. Every metric answers to one of them at least."""

from __future__ import annotations

from dataclasses import dataclass

from assay.metrics._metric import Metric
from assay.metrics._registry import all_metrics


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
        "nearly-right",
        "Was it at least nearly right?",
        "A parent or a sibling of the right term is better than something else altogether. An ontology says how near.",
        ("max_ont_sim", "mean_best_similarity"),
        ("max_ont_sim@5", "hit@5"),
        "ontology hpo term terms similar similarity near close partial semantic concept taxonomy almost",
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


def questions_of(metric: str) -> list[Question]:
    """The questions that a metric answers to."""
    return [question for question in QUESTIONS if metric in question.metrics]
