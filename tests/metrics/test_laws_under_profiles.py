"""Laws that hold for every metric under every profile."""

import random
from functools import cache

import numpy as np

import assay
from assay.evaluation import PROFILES, find_profile
from assay.metrics import parse_metric

from ._cases import TOP
from .test_laws import NUMBERS

HOLES = {"beir": {"unjudged"}, "mteb": {"unjudged"}}
"""Metrics that a profile always refuses."""
BINARY = {"lightgbm", "xgboost", "scikit-learn"}
"""Profiles of tools that stop at negative grades, and of which some metrics stop at grades above 1."""
NO_TIES = {"sentence-transformers"}
"""Profiles for which ties are faults."""


def rows(seed, n_scores):
    """Judgments and a run that no tool fails on, as rows: whole grades, numbered queries, each with a 1 and a 0."""
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(30)]
    judged, ranked = [], []
    for query in map(str, range(1, 31)):
        chosen = rng.sample(docs, 12)
        judged += [
            (query, doc, grade) for doc, grade in zip(chosen, [1, 0, *rng.choices(range(-1, TOP + 1), k=10)], strict=True)
        ]
        found = rng.sample(docs, rng.randint(1, 30))
        scores = rng.sample(range(1000), len(found)) if n_scores is None else rng.choices(range(n_scores), k=len(found))
        ranked += [(query, doc, float(score) + 1) for doc, score in zip(found, scores, strict=True)]
    return judged, ranked


def nested(rows):
    by_query = {}
    for query, doc, value in rows:
        by_query.setdefault(query, {})[doc] = value
    return by_query


UNTIED, TIED = rows(1, None), rows(2, 5)


def profile_of(name):
    """The profile on a scale that does not depend on which queries there are."""
    return find_profile(name).adjusted(max_grade=TOP)


@cache
def asked(name):
    return [bound for bound in NUMBERS if bound.metric.name not in HOLES.get(name, ())]


def scored(name, judged, ranked, metrics=None, **flags):
    return assay.evaluate(nested(judged), nested(ranked), metrics or asked(name), profile=profile_of(name), **flags)


together = cache(lambda name, tied: scored(name, *data(name, tied)))


def data(name, tied):
    judged, ranked = TIED if tied and name not in NO_TIES else UNTIED
    if name in BINARY:
        judged = [(query, doc, float(grade > 0)) for query, doc, grade in judged]
    return judged, ranked


def setting_of(result, bound):
    return next(one for one in result.settings if bound.name in (one.asked.name, *one.also_asked))


def test_a_query_scores_the_same_alone_and_in_company():
    for name in PROFILES:
        judged, ranked = data(name, True)
        for query in list(nested(judged))[::15]:
            alone = scored(name, *([row for row in side if row[0] == query] for side in (judged, ranked)))
            for bound in asked(name):
                in_company = together(name, True).scores(bound.name)
                assert alone.scores(bound.name) == {query: in_company[query]}, (name, bound.name)


@cache
def shuffled(name, tied):
    rng = random.Random(9)
    return scored(name, *(rng.sample(side, len(side)) for side in data(name, tied)))


def test_the_order_of_rows_does_not_matter_unless_ties_go_by_it():
    for name in PROFILES:
        for bound in asked(name):
            assert shuffled(name, False).scores(bound.name) == together(name, False).scores(bound.name), (name, bound.name)
            if setting_of(together(name, True), bound).policy.ties not in ("input_order", "ranx"):
                assert shuffled(name, True).scores(bound.name) == together(name, True).scores(bound.name), (name, bound.name)
    for name, metric in (("ranx", "ndcg"), ("beir", "mrr"), ("ir_measures", "accuracy")):  # here they do
        assert shuffled(name, True).scores(metric) != together(name, True).scores(metric)


def test_a_metric_is_found_by_the_name_asked_for_and_the_name_computed():
    for name in PROFILES:
        result = together(name, False)
        assert list(result) == [setting.metric.name for setting in result.settings]
        assert all(parse_metric(setting.metric.name) == setting.metric for setting in result.settings), name
        for bound in asked(name):
            computed = setting_of(result, bound).metric
            assert result[bound.name] == result[bound] == result[computed.name] == result.summary[computed.name]
            assert bound.name in result
            assert computed.name in result


def test_a_metric_scores_what_it_scores_under_its_own_policy_alone():
    """A profile is no more than a policy and parameters for each metric, and a number of digits."""
    for name in PROFILES:
        judged, ranked = data(name, True)
        qrels, run = assay.Qrels(nested(judged)), assay.Run(nested(ranked))
        by_policy = {}
        for setting in together(name, True).settings:
            by_policy.setdefault(setting.policy, []).append(setting)
        for policy, settings in by_policy.items():
            plain = assay.evaluate(qrels, run, [setting.metric for setting in settings], policy=policy)
            for setting in settings:
                scores = plain.array(setting.metric.name)
                wanted = scores if setting.digits is None else np.round(scores, setting.digits)
                found = together(name, True).array(setting.metric.name)
                assert found.tolist() == wanted.tolist(), (name, setting.metric.name)


def test_a_metric_is_noted_exactly_where_the_tool_does_otherwise_or_has_it_not(snapshots):
    told = {}
    for name in PROFILES:
        result, profile = together(name, False), profile_of(name)
        about = told[name] = [note for note in result.notes if " has no " not in note]
        for setting in result.settings:
            is_told = any(f", {setting.asked.name}," in f", {note.partition(': ')[0]}," for note in about)
            changes = setting.policy.changes(profile.policy)
            assert is_told == (bool(changes) or setting.metric != setting.asked), (name, setting.asked.name)
        lacking = [one.metric for one in result.settings if profile.lacks(one.metric)]
        needs_cutoff = [one for one in lacking if "k!" in profile.has.get(one.metric.name, ()) and one.params["k"] is None]
        (note,) = [note for note in result.notes if " has no " in note] or [""]
        assert all(one.name in note for one in lacking if one not in needs_cutoff), name
        assert all(f"{one.metric.name} without a cutoff" in note for one in needs_cutoff), name
    snapshots.check(
        "metrics/notes", "\n".join(f"## {name}\n" + "".join(f"{note}\n" for note in told[name]) for name in told)
    )


def test_bands_hold_under_every_profile():
    for name in PROFILES:
        few = [[row for row in side if int(row[0]) <= 3] for side in data(name, True)]
        result = scored(name, *few, asked(name)[::9], tie_band=True, residuals=True)
        for setting in result.settings:
            metric = setting.metric.name
            scores, band = result.array(metric), {end: one.score for end, one in result.tie_bands[metric].columns.items()}
            assert list(band) == ["min", "mean", "max"]
            assert ((band["min"] - 1e-12 <= band["mean"]) & (band["mean"] <= band["max"] + 1e-12)).all(), (name, metric)
            if setting.metric.metric.is_monotone:
                assert ((band["min"] - 1e-12 <= scores) & (scores <= band["max"] + 1e-12)).all(), (name, metric)
            if residual := result.residuals.get(metric):
                lowest, highest = (residual.columns[end].score for end in ("min", "max"))
                assert ((lowest <= scores) & (scores <= highest)).all(), (name, metric)
