"""A probe run: a judge grades changed pairs, and the grades with and without the change are paired.

The outcomes are not grades of documents: no judgment is made of them, and the pairs have ids of their own in the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from assay.errors import NothingSelected
from assay.judges.asking import AskOptions
from assay.judges.definition import BoundJudge
from assay.judges.judging_run import JudgingRun, run_judge
from assay.judges.pairs import Pair, PairPool
from assay.judges.probe_outcomes import ProbeOutcome
from assay.judges.probe_texts import (
    DRIFT,
    DRIFT_PROBE,
    PROBES,
    REORDERED,
    REPEATED,
    Material,
    Probe,
    hashed,
    reordered,
    sentences_of,
)
from assay.judging import FIRST_RELEVANT
from assay.store import Judgment
from assay.text import counted

Grades = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
USUAL_PAIRS = 50
USUAL_BEST = 3.0
"""The highest grade if the judge does not say which grades it gives."""
NAME = "probes"


@dataclass(frozen=True)
class ProbeRun:
    """The outcomes of the probes of a judge."""

    judge: str
    """The name of the judge in the store; the text of the judge if it has not answered."""
    benchmark: str
    seed: int
    probed: str
    """The time."""
    n_pairs: int
    """Pairs that were chosen."""
    planned: Mapping[str, int]
    """Probe → pairs with the change."""
    outcomes: tuple[ProbeOutcome, ...]
    ungraded: Mapping[str, int]
    """Probe → pairs that have an outcome without a grade."""
    run: JudgingRun
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = self.run.to_dict()
        return {
            "judge": self.judge,
            "benchmark": self.benchmark,
            "seed": self.seed,
            "probed": self.probed,
            "settings": plain["settings"],
            "n_pairs": self.n_pairs,
            "planned": dict(self.planned),
            "outcomes": [outcome._asdict() for outcome in self.outcomes],
            "ungraded": dict(self.ungraded),
            **{name: plain[name] for name in ("n_unasked", "n_cached", "ledger", "total", "dry_run")},
            "notes": list(self.notes),
        }


@dataclass
class _Sent:
    """The pairs to send, each under an id of its own, and which probe of which pair it is."""

    pairs: dict[tuple[str, str], Pair] = field(default_factory=dict)
    unchanged: dict[tuple[str, str], Pair] = field(default_factory=dict)
    changed: dict[tuple[str, str], tuple[str, Pair]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    """Probe → pairs that cannot be changed in this way."""

    def add(self, pair: Pair) -> None:
        """A pair as it is: its grade is that of the cache, if there is one."""
        self.pairs[pair.query, pair.document] = self.unchanged[pair.query, pair.document] = pair

    def add_changed(self, name: str, pair: Pair, text: str, mark: str = "") -> None:
        """A pair with another text, or with the same text to be graded again."""
        sent = pair._replace(document=f"{pair.document} [{mark or name}]", document_text=text, probability=None)
        self.pairs[sent.query, sent.document] = sent
        self.changed[sent.query, sent.document] = (name, pair)


def probe_judge(
    pool: PairPool,
    judge: BoundJudge,
    options: AskOptions,
    *,
    people: Grades | None = None,
    corpus: Iterable[str] = (),
    n: int = USUAL_PAIRS,
    seed: int = 1,
    drift_day: str = "",
) -> ProbeRun:
    """Let a judge grade changed pairs of a pool with texts. Without `options.send`, nothing is sent.

    Pairs that people graded are taken; without such pairs, those that this judge graded in an earlier run. `corpus` has the
    texts that padding is taken from. With `drift_day`, only unchanged pairs are sent: those that the judge graded before.
    """
    own = _own_grades(pool, judge, options)
    graded = [pair for pair in pool.pairs if _grade_of(pair, people or {}) is not None]
    grades = people if people and graded else _as_grades(own)
    chosen = _in_order([pair for pair in graded or pool.pairs if _grade_of(pair, grades or {}) is not None], seed)
    if drift_day:
        chosen = [pair for pair in chosen if (pair.query, pair.document) in own]
    if not chosen:
        raise NothingSelected(_nothing(judge, is_drift=bool(drift_day)))
    sent = _drift_pairs(chosen[:n], drift_day) if drift_day else _probe_pairs(chosen, grades or {}, judge, corpus, n, seed)
    asked = replace(pool, pairs=tuple(sent.pairs.values()), name=NAME, systems=())
    run = run_judge(asked, judge, options)
    return _collected(sent, run, pool, seed)


def _nothing(judge: BoundJudge, *, is_drift: bool) -> str:
    if is_drift:
        return (
            f"{judge.name} has graded none of the pairs before, so there is nothing to compare with. First let it grade "
            "them: assay judge, or assay judgments probe --send without --drift"
        )
    return (
        f"neither people nor {judge.name} have graded a pair. Grade some first: assay serve for people, assay judge for the "
        "judge"
    )


def _own_grades(pool: PairPool, judge: BoundJudge, options: AskOptions) -> dict[tuple[str, str], Judgment]:
    """The grades of the judge in its cache."""
    known = run_judge(pool, judge, replace(options, send=False, is_fresh=False, resume=False))
    return {(judgment.query, judgment.document): judgment for judgment in known.judgments}


def _as_grades(judgments: Mapping[tuple[str, str], Judgment]) -> Grades:
    grades: dict[str, dict[str, float]] = {}
    for (query, document), judgment in judgments.items():
        grades.setdefault(query, {})[document] = judgment.grade
    return grades


def _grade_of(pair: Pair, grades: Grades) -> float | None:
    return grades.get(pair.query, {}).get(pair.document)


def _in_order(pairs: Iterable[Pair], seed: int) -> list[Pair]:
    """The pairs in the order of a hash: the first n are a random sample."""
    return sorted(pairs, key=lambda pair: hashed(str(seed), pair.query, pair.document))


def _probe_pairs(
    chosen: Sequence[Pair], grades: Grades, judge: BoundJudge, corpus: Iterable[str], n: int, seed: int
) -> _Sent:
    """Every pair twice without a change, and then with each change: attacks on documents that are not relevant."""
    targets = {False: chosen[:n], True: [pair for pair in chosen if (_grade_of(pair, grades) or 0.0) < FIRST_RELEVANT][:n]}
    every = list(dict.fromkeys([*targets[False], *targets[True]]))
    material = _material(judge, grades, corpus or [pair.document_text for pair in chosen], seed)
    sent = _Sent()
    for pair in every:
        sent.add(pair)
    for probe in PROBES:
        if probe.name == REORDERED and all(member.judge.is_concurrent for member in judge.members):
            continue  # each pair is a request of its own
        pairs = every if probe.name in (REPEATED, REORDERED) else targets[probe.is_attack]
        _add_probe(sent, probe, reordered(pairs, seed) if probe.name == REORDERED else pairs, material)
    return sent


def _add_probe(sent: _Sent, probe: Probe, pairs: Iterable[Pair], material: Material) -> None:
    for number, pair in enumerate(pairs):
        if text := probe.change(pair, number, material):
            sent.add_changed(probe.name, pair, text)
        else:
            sent.left_out[probe.name] += 1


def _drift_pairs(chosen: Sequence[Pair], day: str) -> _Sent:
    sent = _Sent()
    for pair in chosen:
        sent.add(pair)
    for pair in chosen:
        sent.add_changed(DRIFT_PROBE.name, pair, pair.document_text, f"{DRIFT} {day}")
    return sent


def _material(judge: BoundJudge, grades: Grades, corpus: Iterable[str], seed: int) -> Material:
    scales = [grade for member in judge.members for grade in member.settings.get("grades") or ()]
    known = [grade for documents in grades.values() for grade in documents.values()]
    limits = [most for member in judge.members if isinstance(most := member.params.get("max_chars"), int)]
    best = max(scales or [USUAL_BEST, *known])
    return Material(sentences_of(list(corpus), seed), best, min(limits, default=None), seed)


def _collected(sent: _Sent, run: JudgingRun, pool: PairPool, seed: int) -> ProbeRun:
    judgments = {(judgment.query, judgment.document): judgment for judgment in run.judgments}
    again = {
        (pair.query, pair.document): judgments[key]
        for key, (name, pair) in sent.changed.items()
        if name == REPEATED and key in judgments
    }
    outcomes, notes, n_other = [], list(run.notes), 0
    for key, (name, pair) in sent.changed.items():
        own = (pair.query, pair.document)
        before = judgments.get(own) if name in (REPEATED, DRIFT) else again.get(own)
        if before is None or key not in judgments:
            continue
        if name != DRIFT and before.judge != judgments[key].judge:
            n_other += 1
        else:
            outcomes.append(ProbeOutcome(name, *own, before.grade, judgments[key].grade))
    notes += [f"{name}: {counted(n, 'document')} could not be changed" for name, n in sent.left_out.items()]
    if n_other:
        notes.append(f"{counted(n_other, 'outcome')} left out, because another model answered than for the unchanged pair")
    ungraded = Counter(
        sent.changed[key][0] for query, document, _ in run.ungraded if (key := (query, document)) in sent.changed
    )
    names = Counter(judgment.judge for key, judgment in judgments.items() if key in sent.unchanged)
    return ProbeRun(
        names.most_common(1)[0][0] if names else run.judge,
        pool.benchmark,
        seed,
        datetime.now(UTC).isoformat(timespec="seconds"),
        len(sent.unchanged),
        dict(Counter(name for name, _ in sent.changed.values())),
        tuple(outcomes),
        dict(ungraded),
        run,
        tuple(notes),
    )
