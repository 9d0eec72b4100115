"""Experiment: the variants of an A/B test compared with the control, after a check that they are comparable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import DataError, UnknownName, near_matches
from assay.experiments.log_columns import columns_named
from assay.experiments.options import CONTROL_NAMES, HOUR, ExperimentOptions
from assay.experiments.sample_ratio import SampleRatio, check_ratio, expected_shares
from assay.experiments.variant_difference import Decision, VariantDifference, check_bounded, compare_users, sums_of
from assay.experiments.words import notes_on, verdict_on, withheld_reason
from assay.logs import NO_USERS, Period, VariantUsers, check_between_variants, parse_log_metrics, read_users
from assay.metrics import BoundMetric, Given, find_metrics, recorded_metric, written_metrics
from assay.serialize import read_record, to_json
from assay.stats import correct
from assay.text import counted
from assay.views import needed_counts

SCHEMA = "assay.experiment/1"
DEFAULT_METRIC_NAMES = ("ctr@10", "first_click_mrr", "abandonment", "zero_results", "skip_rate")


@dataclass(frozen=True)
class Variant:
    """One variant: its name, its users, and its searches."""

    name: str
    users: int
    searches: int


@dataclass(frozen=True, repr=False)
class Experiment:
    """An A/B test: who took part, whether the variants are comparable, the differences, and the verdict."""

    name: str
    control: str
    variants: tuple[Variant, ...]
    """The control is the first."""
    ratio: SampleRatio
    metrics: tuple[BoundMetric, ...]
    differences: tuple[VariantDifference, ...]
    """For each metric, each variant compared with the control."""
    how: ExperimentOptions
    withheld: str
    """Why there is no verdict; empty if there is one."""
    notes: tuple[str, ...]
    unit: str
    """What is counted: `user`, `session` or `search`."""
    users: VariantUsers = field(default=NO_USERS, repr=False, compare=False)
    """The counts of each user; none in an outcome that was read."""

    @property
    def level(self) -> float:
        """The confidence level of the intervals."""
        return self.how.level

    @property
    def deciding(self) -> list[VariantDifference]:
        """The differences that the verdict is about."""
        return [each for each in self.differences if each.is_in_family]

    @property
    def n_comparisons(self) -> int:
        """The number of tests that p is corrected for."""
        return sum(not math.isnan(each.p) for each in self.deciding)

    @property
    def verdict(self) -> str:
        """The conclusion in words."""
        return verdict_on(self)

    @property
    def is_worse(self) -> bool:
        """Whether any variant is shown to be worse than the control."""
        return any(each.better == each.a for each in self.deciding)

    def __repr__(self) -> str:
        return f"Experiment({self.verdict})"

    def metric(self, name: str) -> BoundMetric:
        """The metric of that name."""
        return next(metric for metric in self.metrics if metric.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "control": self.control,
            "unit": self.unit,
            "variants": to_json(self.variants),
            "sample_ratio": {**to_json(self.ratio), "is_mismatch": self.ratio.is_mismatch},
            "how": self.how.to_dict(),
            "differences": [each.to_dict() for each in self.differences],
            "verdict": self.verdict,
            "withheld": self.withheld,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Experiment:
        """The outcome that `to_dict` described. A KeyError, TypeError or ValueError if it is something else."""
        variants = tuple(read_record(Variant, variant) for variant in plain["variants"])
        differences = tuple(map(VariantDifference.from_dict, plain["differences"]))
        shares = {name: value for name, value in plain["sample_ratio"].items() if name != "is_mismatch"}
        ratio = read_record(SampleRatio, shares)
        compared = {plain["control"], *(name for each in differences for name in (each.a, each.b))}
        if not compared == set(ratio.users) == set(ratio.expected) == {variant.name for variant in variants}:
            raise ValueError("a part of the experiment is about other variants")
        how = {name: value for name, value in plain["how"].items() if value is not None}
        return cls(
            str(plain["name"]),
            str(plain["control"]),
            variants,
            ratio,
            tuple(recorded_metric(name) for name in dict.fromkeys(each.metric for each in differences)),
            differences,
            ExperimentOptions(**how),
            str(plain["withheld"]),
            tuple(map(str, plain["notes"])),
            str(plain["unit"]),
        )


def compare_variants(
    log: Any,
    metrics: Given | Iterable[Given] | None = None,
    how: ExperimentOptions | None = None,
    *,
    by: str = "",
    name: str = "",
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> Experiment:
    """Compare the variants of an A/B test by what users did, as a search log shows it.

    `log` is as for `evaluate_log`, with a column that has the variant of each search (`by`, or a usual name such as
    `variant`). The first metric decides. Users with several variants are left out.
    """
    how = how or ExperimentOptions()
    asked = parse_log_metrics(written_metrics(metrics))
    chosen = list(asked) if asked is not None else find_metrics(DEFAULT_METRIC_NAMES)
    check_experiment_metrics(chosen, is_sequential=how.sequential)
    period = Period(how.start_time, how.window * HOUR if how.sequential else None)
    counts = needed_counts([metric.score for metric in chosen])
    with columns_named(columns):
        users = read_users(log, counts, by, period, first_rank, most_per_hour)
    return decide_experiment(users, chosen, how, name or "experiment")


def check_experiment_metrics(metrics: Iterable[BoundMetric], *, is_sequential: bool) -> None:
    """Raise for a metric that cannot be compared between variants; a sequential test needs bounds, too."""
    for metric in metrics:
        check_between_variants([metric])
        if is_sequential:
            check_bounded(metric)


def decide_experiment(
    users: VariantUsers, metrics: Sequence[BoundMetric], how: ExperimentOptions, name: str = "experiment"
) -> Experiment:
    """Estimates, intervals, p and the verdict of all variants and metrics: the only place where they are decided."""
    if not users.variants:
        everybody = f"{counted(users.n_several, users.unit)} saw several variants, so none can be counted"
        raise DataError(f"{everybody}. Check the assignment, and the column with the variant")
    control = _control(users.variants, how.control)
    order = [control, *(place for place in range(len(users.variants)) if place != control)]
    sizes = [int((users.variant == place).sum()) for place in order]
    variants = [Variant(users.variants[place], n, int(users.searches[place])) for place, n in zip(order, sizes, strict=True)]
    _check_variants(variants, users.n_without)
    shares = expected_shares([variant.name for variant in variants], how.shares)
    ratio = check_ratio({variant.name: variant.users for variant in variants}, shares)
    withheld = withheld_reason(ratio, users, has_split=how.split is not None)
    decision = Decision(how.alpha, shares if how.sequential else None)
    differences = []
    for metric in metrics:
        sums = sums_of(metric, users)
        differences += [compare_users(metric, sums, users, (control, place), decision) for place in order[1:]]
    decided = _with_corrected_p(differences, metrics[0].name, how, is_withheld=bool(withheld))
    notes = notes_on(users, decided, how)
    return Experiment(
        name,
        users.variants[control],
        tuple(variants),
        ratio,
        tuple(metrics),
        decided,
        how,
        withheld,
        notes,
        users.unit,
        users,
    )


def _control(names: Sequence[str], asked: str | None) -> int:
    """The place of the control."""
    if asked is not None:
        if asked not in names:
            raise UnknownName(
                "variant", asked, near_matches(asked, names), f"choose from {', '.join(names)}", owner="this log"
            )
        return names.index(asked)
    folded = [name.strip().lower() for name in names]
    return next((folded.index(usual) for usual in CONTROL_NAMES if usual in folded), 0)


def _check_variants(variants: Sequence[Variant], n_without: int) -> None:
    if len(variants) < 2:
        empty = f"; {counted(n_without, 'search')} without a variant are left out" if n_without else ""
        advice = ". If these are the control, write its name into the log" if n_without else ""
        raise DataError(f"expected at least 2 variants, found only {variants[0].name}{empty}{advice}")
    if small := [variant.name for variant in variants if variant.users < 2]:
        raise DataError(f"the variant {small[0]} has only 1 user; a comparison needs at least 2 users of each variant")


def _with_corrected_p(
    differences: Sequence[VariantDifference], first: str, how: ExperimentOptions, *, is_withheld: bool
) -> tuple[VariantDifference, ...]:
    """The differences with p corrected over the family. Without a verdict, none is significant."""
    family = [how.correct_metrics or each.metric == first for each in differences]
    raw = [each.p if inside else math.nan for each, inside in zip(differences, family, strict=True)]
    corrected = correct(raw, how.correction).tolist()
    return tuple(
        replace(each, p_corrected=p, is_in_family=inside, is_significant=not is_withheld and p <= how.alpha)
        for each, p, inside in zip(differences, corrected, family, strict=True)
    )
