"""assay metrics: every metric, or one of them in full."""

import json

import pytest

from assay.metrics.registry import all_metrics, all_spellings


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


def test_the_metrics_for_a_question(assay):
    code, out, err = assay("metrics", "--for", "single answer")
    assert (code, err) == (0, "")
    assert out.startswith("Did the one right answer come first? (single-answer)\n")
    assert [line.split("[")[0].strip() for line in out.splitlines() if "[@k]" in line] == ["mrr", "hit", "err", "ndcg"]
    assert out.endswith("\n  To begin with: -m mrr hit@1 hit@5\n")


def test_several_questions_are_all_answered(assay):
    out = assay("metrics", "--for", "answer").out
    assert "(single-answer)\n" in out
    assert "\n\nIs the answer right? (answers)\n" in out


def test_what_a_shell_would_read_is_quoted(assay):
    assert "-m 'rbp(p=0.8)' err@10\n" in assay("metrics", "--for", "reader").out


def test_a_question_as_json(assay):
    code, out, err = assay("metrics", "--for", "order", "--format", "json")
    assert (code, err) == (0, "")
    (question,) = json.loads(out)
    assert (question["question"], question["asks"]) == ("order", "Is the order good?")
    assert question["start"][0] == "ndcg@10"
    assert question["metrics"][0] == json.loads(assay("metrics", "ndcg", "-f", "json").out)


def test_a_question_nobody_asked(assay):
    code, out, err = assay("metrics", "--for", "xyzzy")
    assert (code, out) == (2, "")
    assert err.startswith("error: no question is called 'xyzzy'.")
    assert "single-answer, everything, order" in err


def test_a_metric_and_a_question_at_once(assay):
    code, out, err = assay("metrics", "ndcg", "--for", "order")
    assert (code, out) == (2, "")
    assert "not both" in err


def test_a_misspelt_question_is_told(assay):
    done = assay("metrics", "--for", "singel answer")
    assert (done.code, done.err) == (0, 'note: "singel answer" is read as "single answer"\n')
    assert done.out == assay("metrics", "--for", "single answer").out
    done = assay("metrics", "--for", "singel answer", "-f", "json")
    assert [one["question"] for one in json.loads(done.out)] == ["single-answer"]
    assert done.err.startswith("note: ")
    assert assay("metrics", "--for", "single answer").err == ""
