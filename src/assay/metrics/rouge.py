"""rouge: how many stretches of n words the answer and the expected one share; with n=l their longest common subsequence."""

from functools import partial

from assay.grammar import Param, one_of
from assay.metrics._metric import Metric, Scores
from assay.metrics._overlap import Overlap, common_subsequence, ngrams, overlap
from assay.model import Replies, Words

LONGEST = "l"
N = Param("n", one_of(*"123456789", LONGEST), LONGEST, "words in a stretch; l: the longest common subsequence", shown=True)
MEASURE = Param(
    "measure",
    one_of("f1", "precision", "recall"),
    "f1",
    "f1; precision: of the answer's stretches; recall: of those of the expected answer",
)


def rouge(replies: Replies, n: str, measure: str) -> Scores:
    """How many stretches of n words the answer and the expected one share; with n=l their longest common subsequence.

    Of several expected answers the most alike by F1 counts. Words are not stemmed. Fewer than n words share nothing: a
    right answer of one word scores 0 with n=2. What has no answer scores 1 where none is given.
    """
    return replies.compared(partial(likeness, n=n, measure=measure))


def likeness(answer: Words, references: list[Words], n: str, measure: str) -> float:
    """What is shared with the reference that is most alike."""
    if measure == "f1" and len(references) == 1:
        return _shared(answer, references[0], n).f1
    shared = [_shared(answer, reference, n) for reference in references]
    best = max(shared, key=lambda one: one.f1)
    return float(getattr(best, measure))


def _shared(answer: Words, reference: Words, n: str) -> Overlap:
    if n == LONGEST:
        return Overlap(common_subsequence(answer, reference), len(answer), len(reference))
    return overlap(ngrams(answer, int(n)), ngrams(reference, int(n)))


METRIC = Metric(
    "rouge",
    rouge,
    params=(N, MEASURE),
    presets={"rouge_l": {"n": LONGEST}, "rougel": {"n": LONGEST}}
    | {f"rouge{joint}{n}": {"n": n} for n in "12" for joint in ("", "_")},
    view="answers",
    formula="F1 of the shared stretches of n words, counted as often as both have them; n=l: of the words in common order",
    cite="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, ACL workshop Text Summarization Branches Out",
)
