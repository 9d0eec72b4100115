"""assay plan check: what `assay eval` would say, without asking anything."""

import json

import pytest

PLAN = "benchmarks: rag-template\nproviders: [bm25, {bm25: {k1: [0.9, 1.2]}}]\nmetrics: [mrr]\nselection: {limit: 3}\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def test_a_plan_that_is_fine(place, assay):
    done = assay("plan", "check", "plan.yaml")
    assert (done.code, done.err) == (0, "")
    assert "plan.yaml is fine: 3 results, k = 100" in done.out
    assert "rag-template (3 queries) × bm25(k1=0.9)" in done.out
    assert "metrics: mrr" in done.out
    assert list(place.iterdir()) == [place / "plan.yaml"]


def test_as_json(place, assay):
    plain = json.loads(assay("plan", "check", "plan.yaml", "-f", "json").out)
    assert plain["queries"] == {"rag-template": 3}
    assert plain["k"] == 100
    assert len(plain["providers"]) == 3


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        (("mrr", "mmr"), 2, "Did you mean mrr"),
        (("limit", "limt"), 2, "plan.yaml: selection is called 'limt'. Did you mean limit?"),
        (("rag-template", "rag-tempalte"), 2, "Did you mean rag-template?"),
        (
            ("limit: 3", "where: {domain: nowhere}"),
            5,
            "no query has the tag domain; there are difficulty, length, query_type",
        ),
        (("metrics: [mrr]", "outputs: [r.xlsx]"), 2, "the ending tells the format"),
        (("metrics: [mrr]", "metrics: [mrr"), 3, "no YAML"),
    ],
)
def test_what_is_wrong_is_told(place, assay, change, code, told):
    (place / "plan.yaml").write_text(PLAN.replace(*change))
    done = assay("plan", "check", "plan.yaml")
    assert (done.code, done.out) == (code, "")
    assert told in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["my plan.yaml"], "did you mean assay plan check 'my plan.yaml'? assay eval 'my plan.yaml' runs the plan"),
        (["chekc", "x.yaml"], "did you mean assay plan check x.yaml? assay eval x.yaml runs the plan"),
        (["check", "x.yaml", "y.yaml"], "one plan is checked at a time: assay plan check x.yaml"),
        (["check"], "write assay plan check plan.yaml"),
        ([], "write assay plan check plan.yaml"),
    ],
)
def test_a_forgotten_or_misspelt_action_is_told_with_the_plan(place, assay, words, told):
    done = assay("plan", *words)
    assert (done.code, done.err) == (2, f"error: {told}\n")


def test_everything_wrong_is_told_at_once(place, assay):
    (place / "plan.yaml").write_text(
        "benchmarks: [rag-tempalte, gone.json, rag-template]\n"
        "providers: [bm25, 'python:no_such_module:search', 'replay:gone.trec']\n"
        "outputs: [a.xlsx, b.json, c]\n"
        "id_map: ids.tsv\n"
    )
    (place / "ids.tsv").write_text("a#1 a\nb#1\n")
    done = assay("plan", "check", "plan.yaml")
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first == "error: plan.yaml: 7 faults"
    for part in ("a.xlsx", "-o c", "no_such_module", "gone.trec", "ids.tsv:2: expected 2", "rag-tempalte", "gone.json"):
        assert any(part in line for line in rest), part


def test_faults_of_the_plan_itself_are_told_at_once(place, assay):
    (place / "plan.yaml").write_text(PLAN.replace("mrr", "mmr").replace("limit", "limt"))
    done = assay("plan", "check", "plan.yaml")
    assert done.code == 2
    assert done.err.startswith("error: plan.yaml: 2 faults\n")


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ("python:no_such_module:search", "no_such_module"),
        ("{hybrid: {providers: [bm25, 'python:no_such_module:search']}}", "no_such_module"),
        ("replay:gone.trec", "gone.trec"),
    ],
)
def test_what_cannot_be_started_is_told(place, assay, provider, told):
    (place / "plan.yaml").write_text(f"benchmarks: rag-template\nproviders:\n  - {provider}\n")
    done = assay("plan", "check", "plan.yaml")
    assert (done.code != 0, done.out) == (True, "")
    assert told in done.err


def test_a_value_no_query_has_is_told_though_others_fit(place, assay):
    (place / "plan.yaml").write_text(PLAN.replace("limit: 3", "where: {difficulty: [hard, hardd]}"))
    done = assay("plan", "check", "plan.yaml")
    assert done.code == 5
    assert "no query has difficulty=hardd; difficulty has " in done.err
    assert "Did you mean hard?" in done.err


def test_notes_and_labels_are_shown(place, assay):
    (place / "plan.yaml").write_text(
        "benchmarks: rag-template\nproviders: ['tuned=bm25(k1=0.9)']\nmetrics: [ndcg@10]\nk: 5\nselection: {range: 5:10}\n"
    )
    done = assay("plan", "check", "plan.yaml")
    assert done.code == 0
    assert done.out.splitlines() == [
        "plan.yaml is fine: 1 result, k = 5",
        "  rag-template (5 queries) × tuned",
        "  metrics: ndcg@10",
        "note: k = 5 is less than the cutoff of ndcg@10: only 5 documents are asked for",
    ]
    plain = json.loads(assay("plan", "check", "plan.yaml", "-f", "json").out)
    assert plain["notes"] == ["k = 5 is less than the cutoff of ndcg@10: only 5 documents are asked for"]
