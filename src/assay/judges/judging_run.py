"""A judging run: the grades of a judge for a pool as judgments, what is ungraded and why, the ledger, and a dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets import BenchmarkDataset, has_own_documents, load_dataset
from assay.errors import UsageError
from assay.execution import DEFAULT_HOME
from assay.grammar import WrittenName
from assay.judges.asking import AskOptions, Outcomes, ask_judge, known_grades
from assay.judges.catalog.panel import combine_grades
from assay.judges.catalog.python import judge_from_function
from assay.judges.conflicts import conflict_notes, writer_notes
from assay.judges.definition import BoundJudge, Preview, hosts_of
from assay.judges.grades import PairGrade
from assay.judges.ledger import Ledger, Prices, Totals
from assay.judges.pairs import Pair, PairPool, PoolSource, to_pool
from assay.judges.parsing import parse_judge
from assay.providers import revealed
from assay.store import Judgment, digest_of_text
from assay.text import counted

KIND = "model"
"""The kind of the judgments."""
JudgeSource = str | BoundJudge | Callable[..., Any]


class Ungraded(NamedTuple):
    """A pair without a grade."""

    query: str
    document: str
    why: str


@dataclass(frozen=True)
class DryRun:
    """What would be sent: one whole request, where to, how many, and what it costs at most."""

    hosts: tuple[str, ...]
    request: str
    """The first request, with secrets masked; empty if nothing leaves this machine or nothing is left to ask."""
    requests: int
    """Requests without retries."""
    tokens_in: int
    """Estimated."""
    most_tokens_out: int
    most_cost: float | None
    """None if no prices are known."""
    truncated: int
    """Pairs whose document is cut."""

    def __add__(self, more: DryRun) -> DryRun:
        costs = [cost for cost in (self.most_cost, more.most_cost) if cost is not None]
        return DryRun(
            tuple(dict.fromkeys((*self.hosts, *more.hosts))),
            self.request or more.request,
            self.requests + more.requests,
            self.tokens_in + more.tokens_in,
            self.most_tokens_out + more.most_tokens_out,
            sum(costs) if costs else None,
            self.truncated + more.truncated,
        )


@dataclass(frozen=True)
class JudgingRun:
    """The grades of a judge for a pool."""

    judge: str
    """The judge as it was written, without secrets."""
    settings: dict[str, Any]
    """Everything that the grades depend on."""
    judgments: tuple[Judgment, ...]
    """A judgment of the kind `model` for each pair that has a grade."""
    ungraded: tuple[Ungraded, ...]
    """Pairs with an outcome that is not a grade: never 0."""
    n_unasked: int
    """Pairs that were not sent."""
    n_cached: int
    """Outcomes of earlier runs."""
    ledger: Totals
    """The requests of this run."""
    total: Totals
    """The requests of all runs of this judge for this pool."""
    dry_run: DryRun
    notes: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing more was sent, if the service refused all requests or could not be reached; otherwise empty."""

    @property
    def grades(self) -> dict[str, dict[str, float]]:
        """Query → document → grade."""
        by_query: dict[str, dict[str, float]] = {}
        for judgment in self.judgments:
            by_query.setdefault(judgment.query, {})[judgment.document] = judgment.grade
        return by_query

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "judge": self.judge,
            "settings": self.settings,
            "judgments": [judgment.to_dict() for judgment in self.judgments],
            "ungraded": [pair._asdict() for pair in self.ungraded],
            "n_unasked": self.n_unasked,
            "n_cached": self.n_cached,
            "ledger": self.ledger.to_dict(),
            "total": self.total.to_dict(),
            "dry_run": asdict(self.dry_run),
            "notes": list(self.notes),
            "failure": self.failure,
        }


def judge(
    pool: PoolSource,
    judge: JudgeSource,
    *,
    send: bool = False,
    dataset: BenchmarkDataset | str | Path | None = None,
    benchmark: str = "",
    resume: bool = False,
    prices: tuple[float, float] | None = None,
    most_cost: float | None = None,
    rpm: float | None = None,
    concurrency: int = 4,
    home: str | Path = str(DEFAULT_HOME),
) -> JudgingRun:
    """Let a judge grade the pairs of a pool. Nothing is sent without `send=True`; grades of earlier runs are used.

    The pool is a drawn pool, a file, or tuples of query id, query text, document id and document text; `dataset` has the
    texts if the pool has none. `prices` are for a million input and output tokens. `resume` sends pairs that failed before
    again.
    """
    options = AskOptions(
        send=send,
        resume=resume,
        concurrency=concurrency,
        per_minute=rpm,
        prices=None if prices is None else Prices(*prices),
        most_cost=most_cost,
        home=Path(home),
    )
    pairs = pool_with_texts(to_pool(pool), dataset)
    return run_judge(replace(pairs, benchmark=benchmark or pairs.benchmark), to_judge(judge), options)


def pool_with_texts(pool: PairPool, dataset: BenchmarkDataset | str | Path | None) -> PairPool:
    """The pool with the texts of a dataset; without one, of the benchmark that the pool names, if that is bundled.

    A pool is data, so a path in it is not read.
    """
    if dataset is None:
        is_known = not pool.has_texts and has_own_documents(pool.benchmark)
        return pool.with_texts(load_dataset(pool.benchmark)) if is_known else pool
    return pool.with_texts(dataset if isinstance(dataset, BenchmarkDataset) else load_dataset(dataset))


def to_judge(source: JudgeSource) -> BoundJudge:
    """A judge from its text as the user wrote it, or from a function of query text and document text."""
    if isinstance(source, BoundJudge):
        return source
    return parse_judge(WrittenName(source)) if isinstance(source, str) else judge_from_function(source)


def run_judge(pool: PairPool, bound: BoundJudge, options: AskOptions) -> JudgingRun:
    """Ask the judge, or each judge of a panel, and collect the grades."""
    _check(bound, pool)
    dry_run = plan_requests(pool, bound, options)
    asked = [ask_judge(member, pool, options) for member in bound.members]
    grades, ledgers = dict(_combined(bound, pool, asked)), [part.ledger for part in asked]
    ledger, total = (sum((getattr(each, name) for each in ledgers), Totals()) for name in ("now", "total"))
    return JudgingRun(
        bound.name,
        bound.settings,
        tuple(_judgments(pool, bound, grades)),
        tuple(
            Ungraded(pair.query, pair.document, grade.why)
            for pair, key in zip(pool.pairs, pool.keys, strict=True)
            if (grade := grades.get(key)) is not None and grade.grade is None
        ),
        len(pool.pairs) - len(grades),
        min(part.n_cached for part in asked),
        ledger,
        total,
        dry_run,
        tuple(_notes(pool, bound, grades, ledgers)),
        next((each.failure for each in ledgers if each.failure), ""),
    )


def _check(bound: BoundJudge, pool: PairPool) -> None:
    if not bound.gives_grades:
        names = [member.name for member in bound.members if not member.gives_grades]
        raise UsageError(
            f"{names[0]} only orders pairs: its values are not grades. Use it in assay.judges.score_pairs, and grade with "
            "people or with another judge"
        )
    pool.check_texts()


def _combined(bound: BoundJudge, pool: PairPool, asked: Sequence[Outcomes]) -> Iterable[tuple[str, PairGrade]]:
    """Key → grade. A pair that a judge of a panel was not asked about has no outcome."""
    every = iter(asked)
    return _of_judge(bound, pool, {id(member): next(every) for member in bound.members})


def _of_judge(bound: BoundJudge, pool: PairPool, asked: dict[int, Outcomes]) -> Iterable[tuple[str, PairGrade]]:
    if not bound.parts:
        return asked[id(bound)].grades.items()
    parts = [dict(_of_judge(part, pool, asked)) for part in bound.parts]
    complete = [key for key in pool.keys if all(key in part for part in parts)]
    models = " + ".join(_usual_model(part.values()) for part in parts)
    combined = ((key, combine_grades([part[key] for part in parts], bound.params["vote"])) for key in complete)
    return [(key, replace(grade, model=models)) for key, grade in combined]


def _usual_model(grades: Iterable[PairGrade]) -> str:
    """The model that answered most often, so that a panel has one name although a judge of it may fail for some pairs."""
    return next((model for model, _ in Counter(grade.model for grade in grades if grade.model).most_common(1)), "")


def _judgments(pool: PairPool, bound: BoundJudge, grades: dict[str, PairGrade]) -> Iterable[Judgment]:
    for pair, key in zip(pool.pairs, pool.keys, strict=True):
        grade = grades.get(key)
        if grade is not None and grade.grade is not None:
            yield Judgment(
                pool.benchmark,
                pair.query,
                pair.document,
                bound.stored_name(grade.model),
                grade.grade,
                grade.reason,
                kind=KIND,
                text_digest=digest_of_text(pair.document_text),
                pool=pool.name,
                probability=pair.probability,
            )


def _notes(pool: PairPool, bound: BoundJudge, grades: dict[str, PairGrade], ledgers: Sequence[Ledger]) -> Iterable[str]:
    models = Counter(grade.model for grade in grades.values() if grade.model and not bound.parts)
    systems = {name: pool.configurations.get(name, "") for name in pool.systems}
    names = [*(member.model for member in bound.members), *models]
    yield from (*conflict_notes(names, systems), *writer_notes(names, pool.writers))
    if len(models) > 1:
        counts = ", ".join(f"{model} ({n:,})" for model, n in models.most_common())
        yield f"{len(models)} models answered under the same name: {counts}. Each is a judge of its own"
    yield from (note for member in bound.members for note in _literal_secrets(member))
    yield from (f"stopped: {ledger.closed}" for ledger in ledgers if ledger.closed)
    if any(each.now.unreached and not each.failure for each in ledgers) and len(grades) < len(pool.pairs):
        yield "some connections failed. To send the pairs that were not sent, run the same command again"
    if failed := sum(grade.is_failure for grade in grades.values()):
        yield f"{counted(failed, 'pair')} failed. To send them again, add --resume"


def _literal_secrets(member: BoundJudge) -> Iterable[str]:
    """A sentence for each parameter that contains a secret instead of the name of a variable."""
    for name, value in member.params.items():
        if isinstance(value, str) and revealed(value) != value:
            yield (
                f"{member.judge.name}: {name} contains a secret, which is visible in process lists and the shell history. "
                "Set a variable in the environment and write ${NAME} in place of the secret"
            )


def plan_requests(pool: PairPool, bound: BoundJudge, options: AskOptions) -> DryRun:
    """What would be sent for the pairs that have no outcome yet. Nothing is sent."""
    previews: list[Preview] = []
    n_cut = 0
    for member in bound.members:
        known = known_grades(member, pool, options)
        left = [pair for pair, key in zip(pool.pairs, pool.keys, strict=True) if key not in known]
        previews += [preview for pair in left if (preview := member.preview(pair)) is not None]
        n_cut += sum(_is_cut(pair, member) for pair in left)
    n_in, n_out = sum(each.n_in for each in previews), sum(each.most_out for each in previews)
    cost = None if options.prices is None else options.prices.cost(n_in, n_out)
    request = previews[0].text if previews else ""
    return DryRun(tuple(hosts_of(previews)), request, len(previews), n_in, n_out, cost, n_cut)


def _is_cut(pair: Pair, member: BoundJudge) -> bool:
    most = member.params.get("max_chars")
    return isinstance(most, int) and len(pair.document_text) > most


def score_pairs(source: JudgeSource, pool: PoolSource) -> dict[tuple[str, str], float]:
    """(query, document) → the value of a judge that runs on this machine, to order pairs or as a covariate."""
    bound, pairs = to_judge(source), to_pool(pool)
    if bound.parts or bound.judge.preview is not None:
        raise UsageError(f"{bound.name} sends pairs to a service. Use assay.judge(pool, judge, send=True)")
    bound.check()
    outcomes = bound.make().grade(pairs.pairs, Ledger())
    return {
        (pair.query, pair.document): outcome.grade
        for pair, outcome in zip(pairs.pairs, outcomes, strict=True)
        if isinstance(outcome, PairGrade) and outcome.grade is not None
    }
