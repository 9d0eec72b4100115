"""merge_shards: parts of an evaluation over different queries give the result of the whole; what does not fit is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import BadParameter, Policy
from assay.cli import main
from assay.evaluation import read_results, result_from_dict, with_intervals
from assay.execution import merge_shards

N = 12
QRELS = {f"q{n:02}": {"a": 1 + n % 3, "b": n % 2, f"d{n}": 1} for n in range(N)}
RUN = {f"q{n:02}": {"x": 5.0, "b": 4.0 - n % 5, "a": 3.0, f"d{n}": float(n)} for n in range(N) if n != 4}
METRICS = ["ndcg@10", "mrr", "map", "hit@1", "num_rel", "gm_map", "relstring"]


def scored(queries, metrics=METRICS, method="auto", **policy):
    run = {query: RUN[query] for query in queries if query in RUN}
    result = assay.evaluate({query: QRELS[query] for query in queries}, run, metrics, name="r", policy=Policy(**policy))
    read = result_from_dict(with_intervals(result, method).to_dict())
    return read.with_fields(benchmark="b")


CUTS = st.lists(st.integers(1, N - 1), min_size=1, max_size=4, unique=True).map(sorted)


@settings(max_examples=max(3, settings.default.max_examples // 10))
@given(CUTS, st.sampled_from(["auto", "bootstrap"]), st.randoms())
def test_shards_at_any_cuts_are_the_whole(cuts, method, random):
    queries = list(QRELS)
    shards = [scored(queries[start:end], method=method) for start, end in zip([0, *cuts], [*cuts, N], strict=True)]
    whole = scored(queries, method=method)
    random.shuffle(shards)
    merged = merge_shards(shards)
    assert merged.summary == whole.summary
    assert merged.table.by_id().by_query() == whole.table.by_id().by_query()
    assert merged.intervals.keys() == whole.intervals.keys()
    for name, interval in whole.intervals.items():
        assert merged.intervals[name].to_dict() == interval.to_dict(), name
    assert (merged.counts, sorted(merged.missing)) == (whole.counts, sorted(whole.missing))


REFUSED = {
    "metrics": (scored(["q00"]), scored(["q01"], ["mrr"])),
    "ties": (scored(["q00"]), scored(["q01"], ties="docid_asc")),
    "depth": (scored(["q00"]), scored(["q01"], depth=3)),
    "benchmark": (scored(["q00"]), scored(["q01"]).with_fields(benchmark="other")),
    "provider": (scored(["q00"]), scored(["q01"]).renamed("other")),
    "dataset": (scored(["q00"]), scored(["q01"]).with_fields(provenance={"dataset": {"name": "b"}})),
    "max grade": (scored(["q00"], ["err@10"]), scored(["q02"], ["err@10"])),
    "q01": (scored(["q00", "q01"]), scored(["q01", "q02"])),
    "two": (scored(["q00"]),),
}


@pytest.mark.parametrize("word", REFUSED)
def test_what_does_not_fit_is_refused_and_named(word):
    with pytest.raises(BadParameter, match=word):
        merge_shards(REFUSED[word])


def part(start, end):
    result = scored(list(QRELS)[start:end], ["mrr"])
    return result.with_fields(provenance={"selection": {"range": f"{start}:{'' if end is None else end}", "seed": 1}})


def test_a_gap_between_the_ranges_is_recorded_and_told():
    merged = merge_shards([part(8, None), part(0, 4)])
    assert merged.provenance["selection"] == {"range": "0:4,8:", "seed": 1}
    assert merged.notes == ("the queries at 4:8 of the benchmark are in none of the merged results.",)
    whole = merge_shards([part(4, 8), merged])
    assert (whole.provenance["selection"], whole.notes) == ({"range": "0:", "seed": 1}, ())
    assert len(whole.query_ids) == N


def test_a_selection_that_shards_do_not_share_is_left_out():
    shards = [
        scored([query]).with_fields(provenance={"selection": {"where": word}})
        for query, word in (("q00", "x"), ("q01", "y"))
    ]
    assert merge_shards(shards).provenance["selection"] == {}


def test_ranges_of_an_evaluation_at_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def evaluated(file, *flags):
        words = [
            "--benchmarks",
            "rag-template",
            "--providers",
            "bm25",
            "tfidf_chars",
            "-m",
            "mrr",
            "ndcg@10",
            "--no-store",
            "-q",
        ]
        assert main(["eval", *words, "-o", file, *flags]) == 0

    evaluated("whole.json")
    evaluated("a.json", "--range", "0:30")
    evaluated("b.json", "--range", "30:")
    capsys.readouterr()
    assert main(["results", "merge", "b.json", "a.json", "-o", "all.json"]) == 0
    assert "48 queries from 2 results" in capsys.readouterr().out
    for merged, whole in zip(read_results("all.json"), read_results("whole.json"), strict=True):
        for metric in ("mrr", "ndcg@10"):
            assert merged.scores(metric) == whole.scores(metric)
            assert merged.intervals[metric] == whole.intervals[metric]
        assert (merged.summary["mrr"], merged.counts, merged.relevance) == (
            whole.summary["mrr"],
            whole.counts,
            whole.relevance,
        )
        assert (merged.query_ids, dict(merged.run)) == (whole.query_ids, dict(whole.run))
        assert dict(merged.relevant) == dict(whole.relevant)
        assert merged.provenance["selection"] == {"range": "0:"}
    assert main(["results", "merge", "a.json", "whole.json", "-o", "all.json"]) == 2
    assert "are in several results" in capsys.readouterr().err
    assert main(["results", "merge", "a.json", "b.json"]) == 2
    assert main(["results", "merge", "a.json", "-o", "all.json"]) == 2
    one = json.loads((tmp_path / "a.json").read_text())
    (tmp_path / "one.json").write_text(json.dumps({**one, "results": one["results"][:1]}))
    assert main(["results", "merge", "one.json", "b.json", "-o", "all.json"]) == 2
