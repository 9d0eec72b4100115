"""The overview: what got worse, failed or got better in each series, decided as every comparison is decided."""

from datetime import UTC, datetime, timedelta

import pytest
from tests._results import make_result

from assay.comparison import compare_results
from assay.monitoring import OverviewReader
from assay.store import Store

GOOD = [1.0, 0.9, 0.8, 1.0, 0.7, 0.9, 1.0, 0.8, 0.6, 1.0, 0.9, 0.5]
BAD = [value / 4 for value in GOOD]
BEGIN = datetime(2026, 10, 20, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


def run(scores, night, provider="bm25", benchmark="rag", **more):
    """A result of one night."""
    provenance = {"started": (BEGIN + timedelta(days=night)).isoformat(), **more.pop("provenance", {})}
    return make_result(scores, provider, benchmark=benchmark, provenance=provenance, **more)


def nights(store, *values, **more):
    return [store.save([run({"mrr": scores}, night, **more)]) for night, scores in enumerate(values)]


def only(store):
    (line,) = OverviewReader().read(store).series
    return line


def test_a_fall_is_worse_as_the_comparison_says(store):
    nights(store, GOOD, GOOD, BAD)
    line, overview = only(store), OverviewReader().read(store)
    before, now = (store.find(reference).results[0] for reference in ("latest~1", "latest"))
    (pair,) = compare_results([before.renamed("before"), now.renamed("now")]).pairs
    fields = ("difference", "low", "high", "p_corrected", "better", "n", "losses")
    assert [getattr(line.previous.pair, name) for name in fields] == [getattr(pair, name) for name in fields]
    assert (line.standing, line.deciding) == ("worse", line.previous)
    assert (line.previous.moves.n_worse, line.previous.moves.n_better) == (12, 0)
    assert line.previous.moves.worse == ("q1", "q10", "q4", "q7", "q11"), "the largest loss first, then in order of ids"
    assert [run.evaluation for run in line.around] == [store.id_of("latest~1"), store.id_of("latest")]
    assert overview.heading == "1 series got worse since the last run"
    assert line.sentences()[0].startswith("bm25 got worse since the last run on mrr by 0.631 [")


def test_worse_than_the_baseline_only(store):
    first, *_ = nights(store, GOOD, BAD, BAD, BAD)
    store.bless(first, "main")
    line, overview = only(store), OverviewReader().read(store)
    assert (line.standing, line.previous.standing, line.baseline.standing) == ("worse", "same", "worse")
    assert [run.evaluation for run in line.around] == [first, store.id_of("latest")]
    assert overview.heading == "1 series is worse than baseline main"
    store.bless("latest", "main")
    assert only(store).baseline.why_not == "the newest run is the baseline"


def test_one_sentence_if_the_last_run_and_the_baseline_have_the_same_figures(store):
    first, *_ = nights(store, GOOD, GOOD, BAD)
    store.bless(first, "main")
    line = only(store)
    (sentence,) = line.sentences()
    assert sentence.startswith("bm25 got worse since the last run and baseline main on mrr by 0.631 [")
    assert line.distinct_changes == [(line.previous, line.baseline)]
    nights(store, BAD)
    store.save([run({"mrr": BAD}, 9)])
    same, worse = only(store).sentences()
    assert same == "bm25 did not change on any query since the last run: mrr is the same."
    assert worse.startswith("bm25 got worse since baseline main on mrr by 0.631 [")


def test_a_fall_since_the_baseline_comes_before_a_rise_since_the_last_run(store):
    first, *_ = nights(store, GOOD, [0.5, *GOOD[1:]], [0.9, *GOOD[1:]])
    store.bless(first, "main")
    line = only(store)
    assert (line.previous.standing, line.baseline.standing, line.standing) == ("higher", "lower", "lower")


def test_the_newest_of_several_baselines_that_cover_the_series(store):
    first, second, _ = nights(store, GOOD, BAD, BAD)
    other = store.save([run({"mrr": GOOD}, 0, provider="dense")])
    for evaluation, name in ((first, "old"), (second, "new"), (other, "dense")):
        store.bless(evaluation, name)
    line = next(line for line in OverviewReader().read(store).series if line.provider == "bm25")
    assert (line.baseline.name, line.baseline.standing, line.standing) == ("new", "same", "same")


def test_a_step_that_is_over_is_not_worse_now(store):
    nights(store, *[GOOD] * 6, *[BAD] * 3)
    line, overview = only(store), OverviewReader().read(store)
    (step,) = line.changes
    assert (line.standing, step.direction, step.place) == ("same", "worse", 6)
    assert overview.heading == "Nothing got worse since 26 October"
    assert [run.started[:10] for run in line.around] == ["2026-10-25", "2026-10-26"]


def test_a_fall_that_is_not_shown_is_lower(store):
    nights(store, GOOD, [0.9, *GOOD[1:]])
    line, overview = only(store), OverviewReader().read(store)
    assert (line.standing, line.previous.moves.n_worse) == ("lower", 1)
    assert overview.heading == "Nothing got worse since 20 October"
    assert "bm25 is not shown to have changed since the last run on mrr: −0.008 [" in line.sentences()[0]


def test_a_provider_that_failed_has_an_error_and_no_value(store):
    nights(store, GOOD, GOOD)
    errors = {f"q{number}": "TimeoutError: too slow" for number in range(1, 13)}
    store.save([run({"mrr": [0.0] * 12}, 2, failures=errors)])
    line, overview = only(store), OverviewReader().read(store)
    assert (line.standing, line.newest.value, line.error, line.around) == ("failed", None, "TimeoutError: too slow", None)
    assert overview.heading == "1 provider failed on every query"
    store.save([run({"mrr": BAD}, 3)])
    assert only(store).previous.earlier.started.startswith("2026-10-21"), "the last run that has a value"
    assert only(store).standing == "worse"


@pytest.mark.parametrize(
    ("scores", "how", "reason"),
    [
        (None, {}, "this is the only run"),
        (GOOD, {"profile": "trec_eval-9"}, "it has other data or other conventions"),
        (GOOD, {"provenance": {"k": 5}}, "it retrieved up to 10 documents per query, and the newest run up to 5"),
        (GOOD[:6], {"query_ids": list("abcdef")}, "it has other data or other conventions"),
    ],
    ids=["one run", "other conventions", "another depth", "other queries"],
)
def test_why_nothing_is_decided(store, scores, how, reason):
    store.save([run({"mrr": GOOD}, 0, provenance={"k": 10})])
    if scores is not None:
        store.save([run({"mrr": scores}, 1, **{"provenance": {"k": 10}, **how})])
    line = only(store)
    assert (line.previous.why_not, line.standing) == (reason, "new")
    heading = (
        "No series has two runs to compare yet" if scores is None else "No newest run can be compared with an earlier one"
    )
    assert OverviewReader().read(store).heading == heading


def test_each_benchmark_has_its_own_first_metric(store):
    store.save([run({"mrr": GOOD, "ndcg@10": GOOD}, 0), run({"answer_f1": GOOD, "mrr": BAD}, 0, benchmark="answers")])
    store.save([run({"ndcg@10": GOOD}, 1, provider="other")])
    headlines = {(line.benchmark, line.provider): line.metric.name for line in OverviewReader().read(store).series}
    assert headlines == {("answers", "bm25"): "answer_f1", ("rag", "bm25"): "ndcg@10", ("rag", "other"): "ndcg@10"}


def test_for_times_lower_is_better(store):
    for night, factor in enumerate((1, 1, 9)):
        times = [factor * (10.0 + number / 10) for number in range(12)]
        store.save([run({"latency": times}, night, provenance={"latency_ms": {"mean": 10.0, "p50": 10.0}})])
    line = only(store)
    assert (line.standing, line.previous.pair.difference > 0) == ("worse", True)
    store.save([run({"latency": times}, 3, provenance={"latency_ms": {"mean": 10.0}})])
    assert only(store).previous.why_not == "queries were sent in batches, so single queries have no times"


def test_a_new_result_costs_only_its_own_series(store, monkeypatch):
    for provider in ("bm25", "dense"):
        nights(store, GOOD, BAD, provider=provider)
    reader, asked = OverviewReader(), []
    reader.read(store)
    monkeypatch.setattr(store, "query_scores", lambda *about: asked.append(about) or Store.query_scores(store, *about))
    reader.read(store)
    assert asked == []
    store.save([run({"mrr": GOOD}, 2)])
    standings = {line.provider: line.standing for line in reader.read(store).series}
    assert standings == {"bm25": "better", "dense": "worse"}
    assert len(asked) == 2, "one decision and the marks of one series"
    fresh = {line.provider: line.to_dict() for line in OverviewReader().read(store).series}
    assert {line.provider: line.to_dict() for line in reader.read(store).series} == fresh


def test_old_runs_are_not_read(store, monkeypatch):
    nights(store, *[GOOD] * 70)
    line = only(store)
    assert (len(line.runs), len(line.to_dict()["values"])) == (60, 40)


def test_an_empty_store(store):
    overview = OverviewReader().read(store)
    assert (overview.heading, overview.to_dict()["series"]) == ("No results yet", [])
