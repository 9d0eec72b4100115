"""assay metrics: every metric, one of them in full, and those for a question."""

import json

from assay.metrics import all_metrics


def test_the_list_has_every_metric_on_one_line(assay):
    done = assay("metrics")
    assert (done.code, done.err) == (0, "")
    rows = {line.split()[0].split("@")[0].rstrip("[") for line in done.out.splitlines()[1:] if line.strip()}
    assert {next(iter(metric.titles), name) for name, metric in all_metrics().items()} <= rows
    assert [metric.name for metric in all_metrics().values() if metric.meaning not in done.out] == []
    assert done.out.endswith("\nTo explain one: assay metrics ndcg\n")


def test_each_in_full_and_as_json(assay):
    described = {one["name"]: one for one in json.loads(assay("metrics", "-f", "json").out)}
    assert list(described) == list(all_metrics())
    assert len({frozenset(one) for one in described.values()}) == 1
    for name, metric in all_metrics().items():
        out = assay("metrics", name).out
        facts = (metric.meaning, metric.formula, metric.edge_cases, metric.cite, *metric.spellings, *metric.trec_names)
        params = [fact for param in metric.params for fact in (f"    {param.name}", param.meaning)]
        assert [fact for fact in (*facts, *params) if fact not in out] == [], name
        assert [param["name"] for param in described[name]["parameters"]] == [param.name for param in metric.params], name
    for spelling in ("NDCG", "nDCG@10", "ndcg_cut_10", "ndcg(gain=exp)@5"):
        assert assay("metrics", spelling).out == assay("metrics", "ndcg").out, spelling
    assert described["ndcg"] == json.loads(assay("metrics", "ndcg", "-f", "json").out)


def test_questions_and_names_nobody_knows(transcript):
    transcript("metrics/asked")


def test_a_misspelt_question_is_noted_in_json_too(assay):
    done = assay("metrics", "--for", "singel answer", "-f", "json")
    assert [one["question"] for one in json.loads(done.out)] == ["single-answer"]
    assert done.err == 'note: "singel answer" is read as "single answer"\n'
