"""freshness, staleness and relevant_age, and gains that decay with age."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Query
from assay.metrics import parse_metric

from . import _references as plain
from ._cases import close

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
NAN = math.nan
TOP = 4


def dated(ages, judged):
    """A dataset with one query; documents a, b, c … that are so many days old (None: without a time), and their grades."""
    documents = {
        name: Document(name, time=None if age is None else NOON - timedelta(days=age)) for name, age in named(ages).items()
    }
    qrels = {"q": {doc: grade for doc, grade in named(judged).items() if grade is not None}}
    return BenchmarkDataset("dated", queries={"q": Query("q", time=NOON)}, documents=documents, qrels=qrels)


def named(values):
    return {chr(97 + place): value for place, value in enumerate(values)}


def score(metric, ages, judged):
    """The score of a ranking of all documents in order."""
    return assay.evaluate(dated(ages, judged), {"q": list(named(ages))}, [metric]).summary[metric]


# metric, its score, ages in rank order, grades, and more about the case
WORKED_OUT = [
    ("freshness@4", (1 + 0.5 + 0.25 + 0.125) / 4, [0, 30, 60, 90], [1]),
    ("freshness@2", (1 + 0.5) / 2, [0, 30, 60, 90], [1]),
    ("freshness(half_life=10)@2", (1 + 0.125) / 2, [0, 30], [1]),
    ("freshness(max_age=30)@4", 0.5, [0, 30, 60, 90], [1]),
    ("freshness@3", (1 + 0.5) / 2, [0, None, 30], [1]),  # a document without a time does not count
    ("freshness@2", 1.0, [-5, 0], [1]),  # one from the future counts as new
    ("freshness@1", NAN, [None, 0], [1]),
    ("staleness", 45.0, [0, 30, 60, 90], [1]),
    ("staleness@3", 30.0, [90, 0, 30, 7], [1]),
    ("staleness(stat=mean)@3", 40.0, [90, 0, 30, 7], [1]),
    ("staleness", 1.0, [-3, 2], [1]),  # 0 and 2
    ("staleness(of=relevant)", 30.0, [90, 30, 0], [0, 1, 1]),
    ("staleness(of=relevant)@1", NAN, [90, 30, 0], [0, 1, 1]),
    ("staleness(of=relevant, rel=2)", 0.0, [90, 30, 0], [0, 1, 2]),
    ("relevant_age", 7.0, [90, 30, 7], [1, 2, 2]),  # the younger one of the two best
    ("relevant_age", 30.0, [90, 30, None], [1, 2, 2]),
    ("relevant_age", NAN, [90, 30], [0, 0]),
    ("relevant_age(rel=2)", NAN, [90, 30], [1, 1]),
    # gains 2 · ½ and 1 · 1: the ideal ranking has the new document of the lower grade first as well, because both gain 1
    ("ndcg(half_life=30)@2", 1.0, [30, 0], [2, 1]),
    # gains ¼, 0, 1 at ranks 1, 2, 3; the ideal ranking is 1, ¼
    (
        "ndcg(half_life=30)@3",
        (0.25 + 1 / 2) / (1 + 0.25 / math.log2(3)),
        [60, 5, 0],
        [1, 0, 1],
    ),
    ("dcg(half_life=30, gain=exp)@1", 3.5, [30], [3]),  # (2³ − 1) ÷ 2
    ("dcg(half_life=30, gain={2: 10})@1", 5.0, [30], [2]),
    ("dcg(half_life=30, rel=2)@2", 1 / math.log2(3), [0, 30], [1, 2]),
    ("ideal_dcg(half_life=30)@1", 1.5, [0, 30], [1, 3]),
    ("sdcg(half_life=30, max_grade=4)@1", 0.25, [30], [2]),
    ("err(half_life=30, max_grade=1)@2", 0.25 + 0.75 * 0.5 / 2, [30, 0], [1, 1]),
    ("nerr(half_life=30, max_grade=1)@1", 0.5, [30, 0], [1, 1]),
    ("rbp(p=0.5, half_life=30)", 0.5 * (0.5 + 0.5), [30, 0], [1, 1]),
    ("rbp(p=0.5, gain=scale, half_life=30)", 0.5 * (0.25 + 0.5), [30, 0], [1, 2]),
    ("rbp(p=0.5, gain=query, half_life=30)", 0.5 * (0.25 + 0.5), [30, 0], [1, 2]),
    # one relevant document with gain ½: (1 + ½) ÷ (1 + ½)
    ("q_measure(half_life=30)", 1.0, [30], [1]),
    ("dcg(half_life=30)@2", 1 + 1 / math.log2(3), [None, -9], [1, 1]),  # neither loses anything
    ("dcg(half_life=2w)@1", 0.5, [14], [1]),
    ("dcg(half_life=12h)@1", 0.25, [1], [1]),
]


@pytest.mark.parametrize("row", WORKED_OUT, ids=lambda row: row[0])
def test_worked_out_by_hand(row):
    metric, expected, ages, judged = row
    name = parse_metric(metric).name
    assert score(name, ages, judged) == pytest.approx(expected, nan_ok=True)


def test_an_empty_ranking_is_not_fresh_and_has_no_age():
    dataset = dated([0, 1], [1])
    result = assay.evaluate(dataset, {"q": []}, ["freshness@3", "staleness", "relevant_age"])
    assert result.scores("freshness@3") == {"q": 0.0}
    assert math.isnan(result["staleness"])
    assert result.scores("relevant_age") == {"q": 0.0}


def test_days_are_compared_as_days():
    """The query was asked at noon; a document of the same day is not younger, whatever its hour was."""
    dataset = BenchmarkDataset(
        "days",
        queries={"q": Query("q", time=NOON), "r": Query("r", time="2024-05-01")},
        documents={"same": Document("same", time="2024-05-01"), "late": Document("late", time="2024-05-01T23:00Z")},
        qrels={"q": {"same": 1}, "r": {"late": 1}},
    )
    result = assay.evaluate(dataset, {"q": ["same", "late"], "r": ["late", "same"]}, ["staleness", "freshness(max_age=1)@2"])
    assert result.scores("staleness") == {"q": 0.0, "r": 0.0}
    assert assay.evaluate(dataset, {"q": ["late"]}, ["freshness@1"]).notes[0].startswith("1 document in the first 10")
    assert not any("younger" in note for note in assay.evaluate(dataset, {"r": ["late", "same"]}, ["mrr"]).notes)


def test_where_there_are_no_times_it_is_told():
    undated = BenchmarkDataset("undated", queries={"q": Query("q")}, qrels={"q": {"a": 1}}, documents={"a": Document("a")})
    for ground in ({"q": {"a": 1}}, undated):
        with pytest.raises(assay.UsageError, match=r"freshness@3 needs ages of documents.*times"):
            assay.evaluate(ground, {"q": ["a"]}, "freshness@3")
        with pytest.raises(assay.UsageError, match=r"ndcg\(half_life=30\)@3 needs the ages of documents.*times"):
            assay.evaluate(ground, {"q": ["a"]}, "ndcg(half_life=30)@3")


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("freshness(half_life=3, max_age=4)@5", "half_life and max_age exclude each other"),
        ("ndcg(half_life=0)@5", "a number of days above 0"),
        ("ndcg(half_life=-2)@5", "a number of days above 0"),
        ("ndcg(half_life=soon)@5", "a number of days above 0"),
        ("map(half_life=3)", "map has no parameter 'half_life'"),
    ],
)
def test_wrong_parameters_are_told(metric, words):
    with pytest.raises(assay.UsageError, match=words):
        parse_metric(metric)


# laws

GRADES = st.sampled_from([None, 0, 1, 2, 3, 4])
AGES = st.one_of(st.none(), st.integers(-20, 400))
RANKINGS = st.lists(st.tuples(AGES, GRADES), min_size=1, max_size=12)
HALF_LIVES = st.sampled_from([0.5, 7, 30, 365])
PLAIN = {
    "ndcg({})@5": (plain.ndcg, {"k": 5}),
    "ndcg({}, gain=exp)@5": (plain.ndcg, {"k": 5, "gain": "exp"}),
    "dcg({})@5": (plain.dcg, {"k": 5}),
    "err({}, max_grade=4)@5": (plain.err, {"k": 5, "top": TOP}),
    "nerr({}, max_grade=4)@5": (plain.nerr, {"k": 5, "top": TOP}),
}


LEAST_RECENCY = 1e-3
"""The loop gets exponential gains as grades, and loses digits of gains that are much smaller."""


def recency(age, half_life):
    return 1.0 if age is None or age < 0 else 2 ** (-age / half_life)


def decayed(gain, age, half_life, kind):
    """The grade that has the decayed gain, on the scale that the reference loop reads."""
    if gain is None:
        return None
    if kind == "linear":
        return gain * recency(age, half_life)
    return math.log2(1 + (2**gain - 1) * recency(age, half_life))


@given(RANKINGS, RANKINGS, HALF_LIVES)
def test_gains_decay_as_in_a_plain_loop(rows, missed, half_life):
    every = [*rows, *missed]
    dataset = dated([age for age, _ in every], [grade for _, grade in every])
    run = {"q": list(named(every))[: len(rows)]}
    if not dataset.qrels["q"] or all(age is None for age, _ in every):
        return
    assume(all(recency(age, half_life) > LEAST_RECENCY for age, _ in every))
    names = {parse_metric(spelling.format(f"half_life={half_life}")).name: loop for spelling, loop in PLAIN.items()}
    result = assay.evaluate(dataset, run, list(names))
    for name, (loop, settings) in names.items():
        kind = "exp" if "exp" in name or "err" in name else "linear"
        found, lost = ([decayed(grade, age, half_life, kind) for age, grade in some] for some in (rows, missed))
        assert result[name] == close(loop(found, [grade for grade in lost if grade is not None], **settings)), name


WITH_HALF_LIFE = ("ndcg", "dcg", "ideal_dcg", "sdcg@5", "err", "nerr", "rbp", "q_measure")


@given(RANKINGS)
def test_a_half_life_without_end_changes_nothing(rows):
    dataset = dated([age for age, _ in rows], [grade for _, grade in rows])
    if not dataset.qrels["q"] or all(age is None for age, _ in rows):
        return
    run = {"q": list(named(rows))}
    for metric in WITH_HALF_LIFE:
        name, _, k = metric.partition("@")
        slow = parse_metric(f"{name}(half_life=1e300){'@' + k if k else ''}").name
        result = assay.evaluate(dataset, run, [metric, slow])
        usual = parse_metric(metric).name
        assert result[slow] == close(result[usual]), metric


def test_every_metric_with_a_half_life_is_tested():
    having = {metric.name for metric in assay.metrics.all_metrics().values() if metric.worth is not None}
    assert having == {metric.partition("@")[0] for metric in WITH_HALF_LIFE}


@given(RANKINGS, st.integers(1, 12))
def test_freshness_and_staleness_are_what_a_loop_finds(rows, k):
    dataset = dated([age for age, _ in rows], [1, *[None] * (len(rows) - 1)])
    if all(age is None for age, _ in rows):
        return
    names = [f"freshness@{k}", f"staleness@{k}"]
    result = assay.evaluate(dataset, {"q": list(named(rows))}, names)
    known = [max(age, 0) for age, _ in rows[:k] if age is not None]
    if not known:
        assert all(math.isnan(result[name]) for name in names)
        return
    middle = sorted(known)
    median = (middle[(len(middle) - 1) // 2] + middle[len(middle) // 2]) / 2
    assert result[names[0]] == close(sum(2 ** (-age / 30) for age in known) / len(known))
    assert result[names[1]] == close(median)


@given(RANKINGS, HALF_LIVES)
def test_ties_count_the_orders_of_decayed_gains(rows, half_life):
    """All documents have the same score: the band goes from the worst to the best order of decayed gains."""
    dataset = dated([age for age, _ in rows], [grade for _, grade in rows])
    if not dataset.qrels["q"] or all(age is None for age, _ in rows):
        return
    name = parse_metric(f"dcg(half_life={half_life})@3").name
    run = {"q": dict.fromkeys(named(rows), 1.0)}
    result = assay.evaluate(dataset, run, [name], tie_band=True)
    gains = sorted((grade or 0) * recency(age, half_life) for age, grade in rows)
    band = result.tie_bands[name].summary()
    assert band["min"] == close(plain.discounted(gains[:3]))
    assert band["max"] == close(plain.discounted(gains[::-1][:3]))
