"""assay.why: explanations as data that can also be printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

from assay.errors import UsageError
from assay.evaluation import Differences, Explanation, Profile, Result, Start, differences_between
from assay.evaluation import why as explain
from assay.metrics import Given, written_metrics
from assay.model import Policy
from assay.reports._asked import Asked
from assay.reports._differences import render_differences
from assay.reports._layout import Style
from assay.reports._why import render_why
from assay.text import counted


class Explanations(list[Explanation]):
    """One Explanation per metric; printed, what `assay why` prints, with calls in place of commands."""

    def __str__(self) -> str:
        return render_why(self, Asked(), Style()).rstrip("\n")

    def __repr__(self) -> str:
        said = [f"{one.metric.name}={one.ours.value:.4f}" for one in self]
        n_matches = "".join(f"; {len(one.matches)} ways to {one.target.text}" for one in self if one.target)
        return f"Explanations({', '.join(said)}{n_matches})"


class Comparison(Differences):
    """Why two results differ; printed, what `assay why` prints about two result files."""

    def __str__(self) -> str:
        return render_differences(self, Asked(), Style()).rstrip("\n")

    def __repr__(self) -> str:
        n_differing = sum(one.differs for one in self.metrics)
        return f"Comparison({n_differing} of {counted(len(self.metrics), 'shared metric')} differing)"


@overload
def why(qrels: Result, run: Result) -> Comparison:  # noqa: D418 (here all that is public is explained)
    """Why two results differ."""


@overload
def why(  # noqa: D418
    qrels: Any,
    run: Any,
    metrics: Given | Iterable[Given],
    expected: float | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
) -> Explanations:
    """What makes a metric the number it is."""


def why(
    qrels: Any,
    run: Any,
    metrics: Given | Iterable[Given] | None = None,
    expected: float | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
) -> Explanations | Comparison:
    """Explain metrics of a run, and the number somebody got for one; or, given two results, why these differ.

    What the policy sets otherwise than by default holds for every tool that is asked about.
    """
    if isinstance(qrels, Result) and isinstance(run, Result):
        if any(given is not None for given in (metrics, expected, policy, profile)):
            raise UsageError("two results are compared as they were scored; metrics and conventions have no place here")
        found = differences_between(qrels, run)
        return Comparison(**{name: getattr(found, name) for name in Differences.__dataclass_fields__})
    if isinstance(qrels, Result) or isinstance(run, Result):
        raise UsageError("give two results, or judgments and a run; one of these is a result, the other is not")
    if metrics is None:
        raise UsageError("say what to explain: why(qrels, run, 'ndcg@10')")
    return Explanations(explain(qrels, run, written_metrics(metrics) or [], expected, Start.of(policy, profile)))
