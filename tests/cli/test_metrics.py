"""assay metrics: every metric, or one of them in full."""

import json

import pytest

from assay.metrics._registry import all_metrics, all_spellings


def test_the_list_has_every_metric_on_one_line(assay):
    code, out, err = assay("metrics")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["metric", "parameters", "range", "meaning"]
    rows = {line.split()[0].split("@")[0].rstrip("[") for line in out.splitlines()[1:] if line.strip()}
    titles = {next(iter(metric.titles), name) for name, metric in all_metrics().items()}
    assert titles <= rows
    for metric in all_metrics().values():
        assert metric.meaning in out


def test_the_list_says_how_to_read_on(assay):
    assert assay("metrics").out.endswith("\nOne in full: assay metrics ndcg\n")


@pytest.mark.parametrize("name", all_metrics())
def test_one_in_full(assay, name):
    metric = all_metrics()[name]
    code, out, err = assay("metrics", name)
    assert (code, err) == (0, "")
    for fact in (metric.meaning, metric.formula, metric.edge_cases, metric.cite, *metric.spellings, *metric.trec_names):
        assert fact in out
    for param in metric.params:
        assert f"    {param.name}" in out
        assert param.meaning in out


@pytest.mark.parametrize("name", ["runid", "relstring"])
def test_text_is_neither_higher_nor_lower(assay, name):
    assert "is better" not in assay("metrics", name).out


@pytest.mark.parametrize("name", all_metrics())
def test_one_as_json(assay, name):
    code, out, err = assay("metrics", name, "--format", "json")
    assert (code, err) == (0, "")
    described = json.loads(out)
    assert described["name"] == name
    assert described["meaning"]
    assert [param["name"] for param in described["parameters"]] == [param.name for param in all_metrics()[name].params]


def test_all_as_json(assay):
    code, out, err = assay("metrics", "-f", "json")
    assert (code, err) == (0, "")
    assert [described["name"] for described in json.loads(out)] == list(all_metrics())
    assert {frozenset(described) for described in json.loads(out)} == {frozenset(json.loads(out)[0])}


@pytest.mark.parametrize("spelling", ["ndcg", "NDCG", "nDCG@10", "ndcg_cut_10", "ndcg(gain=exp)@5", "ndcg_cut.5"])
def test_any_spelling_will_do(assay, spelling):
    assert assay("metrics", spelling).out == assay("metrics", "ndcg").out


def test_every_spelling_is_known(assay):
    for spelling, (metric, _) in all_spellings().items():
        assert assay("metrics", spelling).out.splitlines()[0].endswith(metric.meaning), spelling


@pytest.mark.parametrize(
    ("name", "near"), [("ncdg", "ndcg"), ("recal", "recall"), ("mpa", "map"), ("precison@5", "precision@5")]
)
def test_a_name_nobody_knows(assay, name, near):
    code, out, err = assay("metrics", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: no metric is called '{name}'. Did you mean {near}")
    assert f"assay metrics lists all {len(all_metrics())}" in err


def test_a_name_that_is_like_nothing(assay):
    code, out, err = assay("metrics", "\x1b[31m???")
    assert (code, out) == (2, "")
    assert "\x1b" not in err


def test_a_format_nobody_knows(assay):
    code, out, err = assay("metrics", "-f", "xml")
    assert (code, out) == (2, "")
    assert "invalid choice: 'xml'" in err
    assert "assay metrics --help" in err
