"""Diagnosis: one thing that explains many wrong answers at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.conformance.check import AGREES, LONGEST, Answer, Verdict, as_score, judge
from assay.text import counted, printable

MOST = 0.75
"""The share of wrong answers that an explanation must explain to be one."""
PERCENT = 100.0
FINEST, COARSEST = 6, 2
"""Decimals that numbers may be rounded to."""


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with many answers, and which."""

    says: str
    explains: frozenset[str]
    """Names of cases."""


def diagnose(verdicts: Sequence[Verdict], tolerance: float) -> Diagnosis | None:
    """None where each wrong answer is to be looked at by itself."""
    return _fails_alike(verdicts) or _is_scaled(verdicts, tolerance)


def _fails_alike(verdicts: Sequence[Verdict]) -> Diagnosis | None:
    """The same exception in every case."""
    given = [verdict for verdict in verdicts if not verdict.is_skipped]
    kinds = {verdict.answer.error.partition(":")[0] for verdict in given}
    if len(given) < 2 or len(kinds) > 1 or kinds == {""} or not all(verdict.is_wrong for verdict in given):
        return None
    first = printable(given[0].answer.error[:LONGEST])
    call = " It must take (metric, qrels, run)." if kinds == {"TypeError"} and "argument" in first else ""
    says = f"It fails in every case, the first time with {first.rstrip('.')}.{call}"
    return Diagnosis(says, frozenset(verdict.case.name for verdict in given))


@dataclass(frozen=True)
class _Guess:
    """What the numbers may be: so many times too large, or within so much of what they should be."""

    says: str
    factor: float
    slack: float

    def explains(self, verdict: Verdict, score: float) -> bool:
        """Whether the answer would have been right."""
        return judge(verdict.case, Answer(score / self.factor), self.slack).kind == AGREES


def _is_scaled(verdicts: Sequence[Verdict], tolerance: float) -> Diagnosis | None:
    """Percentages, rounded numbers, or both."""
    numbers = [(verdict, score) for verdict in verdicts if (score := _number(verdict)) is not None]
    wrong = [(verdict, score) for verdict, score in numbers if verdict.is_wrong]
    n_wrong = sum(verdict.is_wrong for verdict in verdicts)
    may_be_percent = not any(score for verdict, score in numbers if not verdict.is_wrong)
    for guess in _guesses([score for _, score in numbers], tolerance):
        explained = [verdict.case.name for verdict, score in wrong if guess.explains(verdict, score)]
        if len(explained) < max(2, MOST * len(wrong)) or (guess.factor == PERCENT and not may_be_percent):
            continue
        rest = f" This explains {len(explained)} of {n_wrong} wrong answers." if len(explained) < n_wrong else ""
        return Diagnosis(guess.says + rest, frozenset(explained))
    return None


def _number(verdict: Verdict) -> float | None:
    score = as_score(verdict.answer.value)
    return score if score is not None and math.isfinite(score) else None


def _guesses(scores: Sequence[float], tolerance: float) -> Iterator[_Guess]:
    """Percentages first, then rounding, the finest first."""
    yield _Guess("Your numbers are percentages: divide them by 100.", PERCENT, tolerance)
    for digits in range(FINEST, COARSEST - 1, -1):
        slack = 0.5 * 10.0**-digits
        flag = f"--tolerance {slack:.{digits + 1}f}"
        if slack > tolerance and _are_rounded(scores, digits):
            yield _Guess(f"Your numbers are rounded to {digits} digits: {flag} lets them pass.", 1.0, slack)
        if slack > tolerance and _are_rounded(scores, digits - 2):
            rounded = f"rounded to {counted(digits - 2, 'digit')}"
            says = f"Your numbers are percentages, {rounded}: divide them by 100; {flag} lets them pass then."
            yield _Guess(says, PERCENT, slack)


def _are_rounded(scores: Sequence[float], digits: int) -> bool:
    return all(score == round(score, digits) for score in scores)
