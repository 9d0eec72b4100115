"""Plans: what they mean, and what is wrong with them before anything is asked."""

import pytest
import yaml

from assay import AssayError, BadParameter, DataError, UnknownName
from assay.evaluation.plan import expand, make_plan, read_plan

BASE = {"benchmarks": ["rag-template"], "providers": ["bm25"], "metrics": ["mrr"]}
SEED_004 = """\
retrieval_metrics:
  enabled_metrics:
    - hit@1
    - hit@3
    - hit@5
    - hit@10
    - ndcg@5
    - ndcg@10
    - mrr
    - map@10

  graded_relevance: false  # Enable graded relevance scoring

  statistical_analysis:
    confidence_intervals: true
    significance_testing: true
    alpha_level: 0.05

  performance:
    batch_size: 100
    caching_enabled: true
    parallel_processing: true
"""


def plan(**more):
    return make_plan({**BASE, **more})


def written(tmp_path, text):
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    return path


def test_what_is_not_said_is_as_usual():
    usual = plan()
    assert usual.benchmarks == ("rag-template",)
    assert [provider.name for provider in usual.providers] == ["bm25"]
    assert (usual.k, usual.cache, usual.strict, usual.is_graded, usual.batch_size) == (100, True, False, True, None)
    assert (usual.patience.timeout, usual.patience.retries, usual.patience.concurrency) == (60.0, 2, 8)
    assert usual.relevance.by == "auto"
    assert usual.selection.to_dict() == {}


def test_everything_a_plan_can_say(tmp_path):
    text = """
benchmarks: [rag-template, ./my-beir]
providers:
  - bm25
  - hybrid(bm25, tfidf_chars)
metrics: [ndcg_at_5, recall_at_10]
k: 50
relevance: token(threshold=0.5)
unit: document
profile: ranx
policy: {rel: 2}
selection: {where: {language: de, difficulty: [hard, easy]}, range: "0:500", sample: 200, seed: 7, limit: 10}
concurrency: 4
timeout: 2.5
retries: 0
batch_size: 16
cache: false
strict: true
outputs: [result.json, run.trec]
"""
    found = make_plan(read_plan(written(tmp_path, text)))
    assert [metric.name for metric in found.metrics] == ["ndcg@5", "recall@10"]
    assert [provider.name for provider in found.providers] == ["bm25", "hybrid(bm25, tfidf_chars)"]
    assert (found.k, found.relevance.by, found.relevance.unit) == (50, "token(threshold=0.5)", "document")
    assert (found.profile.name, found.profile.policy.rel) == ("ranx", 2)
    assert found.selection.to_dict() == {
        "where": {"language": ["de"], "difficulty": ["hard", "easy"]},
        "range": "0:500",
        "sample": 200,
        "seed": 7,
        "limit": 10,
    }
    assert (found.patience.concurrency, found.patience.timeout, found.patience.retries) == (4, 2.5, 0)
    assert (found.batch_size, found.cache, found.strict) == (16, False, True)
    assert found.outputs == ("result.json", "run.trec")


def test_one_name_need_not_be_a_list():
    assert make_plan({"benchmarks": "rag-template", "providers": "bm25", "metrics": "mrr"}) == plan()


def test_the_block_of_the_seed_as_printed(tmp_path):
    text = "benchmarks: rag-template\nproviders: bm25\n" + SEED_004
    found = make_plan(read_plan(written(tmp_path, text)))
    names = ["hit@1", "hit@3", "hit@5", "hit@10", "ndcg@5", "ndcg@10", "mrr", "map@10"]
    assert [metric.name for metric in found.metrics] == names
    assert (found.is_graded, found.batch_size, found.cache, found.patience.concurrency) == (False, 100, True, 8)
    assert found.statistics == {"confidence_intervals": True, "significance_testing": True, "alpha_level": 0.05}


def test_the_block_has_its_effects():
    def block(**performance):
        return plan(retrieval_metrics={"graded_relevance": True, "performance": performance})

    assert block(parallel_processing=False).patience.concurrency == 1
    assert block(caching_enabled=False).cache is False
    assert block(batch_size=7).batch_size == 7
    assert block().is_graded is True
    assert block(batch_size=7).metrics == plan().metrics
    assert plan(batch_size=9, retrieval_metrics={"performance": {"batch_size": 7}}).batch_size == 9


def test_a_list_means_try_each():
    given = {"bm25": {"k1": [0.9, 1.2], "b": [0.4, 0.75]}}
    names = [provider.name for provider in expand(given)]
    assert len(names) == 4
    assert len(set(names)) == 4
    assert [dict(one.params)["k1"] for one in expand(given)] == [0.9, 0.9, 1.2, 1.2]
    assert expand({"name": "bm25", "k1": [0.9, 1.2]}) == expand({"bm25": {"k1": [0.9, 1.2]}})
    assert expand({"bm25": None}) == expand("bm25")
    parts = {"hybrid": {"providers": ["bm25", "tfidf_chars"]}}
    assert [one.name for one in expand(parts)] == ["hybrid(bm25, tfidf_chars)"]


def test_the_same_twice_is_once():
    found = plan(providers=["bm25", "bm25", {"bm25": {}}], benchmarks=["rag-template", "rag-template"])
    assert len(found.providers) == len(found.benchmarks) == 1


def test_documents_are_asked_for_as_deep_as_metrics_look():
    assert plan(metrics=["recall@1000", "mrr"]).k == 1000
    assert plan(metrics=["recall@10"]).k == 100
    assert plan(metrics=["recall@1000"], k=20).k == 20


def test_the_environment_fills_in(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_BENCHMARK", "rag-template")
    monkeypatch.setenv("MY_LIMIT", "3")
    monkeypatch.delenv("MY_METRIC", raising=False)
    text = """
benchmarks: ["${MY_BENCHMARK}"]
providers: {bm25: {k1: "${MY_K1:-0.9}"}}
metrics: ["${MY_METRIC:-mrr}"]
selection: {limit: "${MY_LIMIT}"}
strict: ${MY_STRICT:-true}
"""
    found = make_plan(read_plan(written(tmp_path, text)))
    assert found.benchmarks == ("rag-template",)
    assert found.providers[0].params["k1"] == 0.9
    assert [metric.name for metric in found.metrics] == ["mrr"]
    assert (found.selection.limit, found.strict) == (3, True)


def test_what_the_environment_lacks_is_told_with_its_place(tmp_path, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    path = written(tmp_path, "providers:\n  - http: {url: 'http://x/${NOT_THERE}'}\n")
    with pytest.raises(BadParameter, match=r"plan\.yaml: providers: http: url: the environment has no NOT_THERE"):
        read_plan(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"metric": ["mrr"]}, r"no key of plan is called 'metric'\. Did you mean metrics"),
        ({"benchmark": "x"}, r"Did you mean benchmarks\?"),
        ({"selection": {"limt": 3}}, r"no key of plan: selection is called 'limt'\. Did you mean limit\?"),
        ({"policy": {"tie": "x"}}, r"no key of plan: policy is called 'tie'\. Did you mean ties"),
        ({"retrieval_metrics": {"enabled_metric": []}}, r"plan: retrieval_metrics is called .*enabled_metrics\?"),
        ({"retrieval_metrics": {"performance": {"batchsize": 1}}}, r"retrieval_metrics\.performance .*batch_size\?"),
        ({"retrieval_metrics": {"statistical_analysis": {"alpha": 1}}}, r"retrieval_metrics\.statistical_analysis"),
        ({"providers": {"bm25": {"langage": 1}}}, r"bm25 has no parameter 'langage'.*Did you mean language\?"),
        ({"providers": {"bm52": {}}}, r"Did you mean bm25\?"),
        ({"metrics": ["ncdg@10"]}, r"Did you mean ndcg@10"),
        ({"profile": "ranks"}, r"Did you mean ranx\?"),
        ({"relevance": "tokn"}, r"Did you mean token\?"),
    ],
)
def test_names_nobody_knows_come_with_near_ones(content, told):
    with pytest.raises((UnknownName, BadParameter), match=told):
        plan(**content)


@pytest.mark.parametrize(
    "content",
    [
        {"k": 0},
        {"k": "many"},
        {"k": True},
        {"k": 2.5},
        {"timeout": "soon"},
        {"timeout": 0},
        {"timeout": True},
        {"timeout": [1]},
        {"retries": -1},
        {"retries": "x"},
        {"concurrency": 0},
        {"concurrency": "all"},
        {"batch_size": -5},
        {"seed": "x"},
        {"cache": "maybe"},
        {"strict": 3},
        {"metrics": [3]},
        {"metrics": {"a": 1}},
        {"benchmarks": [1]},
        {"benchmarks": []},
        {"providers": []},
        {"providers": [["bm25"]]},
        {"providers": {"bm25": 3}},
        {"providers": {"bm25": {}, "dense": {}}},
        {"providers": [3]},
        {"providers": "bm25("},
        {"providers": {"bm25": {"k1": "high"}}},
        {"outputs": [3]},
        {"relevance": 3},
        {"unit": "page"},
        {"unit": 3},
        {"id_map": 3},
        {"policy": []},
        {"policy": "x"},
        {"policy": {"ties": "random"}},
        {"policy": {"rel": "high"}},
        {"profile": 3},
        {"selection": []},
        {"selection": "x"},
        {"selection": {"limit": 0}},
        {"selection": {"sample": "x"}},
        {"selection": {"range": "5"}},
        {"selection": {"range": [1, 2]}},
        {"selection": {"where": "x"}},
        {"selection": {"where": [3]}},
        {"retrieval_metrics": []},
        {"retrieval_metrics": {"performance": []}},
        {"retrieval_metrics": {"performance": 3}},
        {"retrieval_metrics": {"graded_relevance": "x"}},
        {"retrieval_metrics": {"enabled_metrics": [1]}, "metrics": None},
        {3: 4},
    ],
    ids=str,
)
def test_wrong_types_are_told_and_never_a_bug(content):
    with pytest.raises(AssayError):
        make_plan({**BASE, **content})


def test_tags_may_be_written_as_on_the_command_line():
    assert plan(selection={"where": ["language=de"]}).selection.where == {"language": ["de"]}
    assert plan(selection={"where": "language=de"}).selection.where == {"language": ["de"]}
    assert plan(selection={"where": {"year": 2020}}).selection.where == {"year": ["2020"]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", r"plan\.yaml:\d+: no YAML"),
        ("- a\n- b", "a plan is a map"),
        ("", "a plan is a map"),
        ("just text", "a plan is a map"),
        ("a: !!python/object:os.system x", "no YAML"),
    ],
)
def test_files_that_are_no_plan_are_told(tmp_path, text, told):
    with pytest.raises(DataError, match=told):
        read_plan(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(DataError, match=r"gone\.yaml: cannot be read"):
        read_plan(tmp_path / "gone.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"bytes\.yaml: cannot be read"):
        read_plan(tmp_path / "bytes.yaml")


def test_a_plan_is_described_by_what_decides_about_answers_and_scores():
    usual = plan().describe()
    assert plan(concurrency=1, timeout=9, retries=0, batch_size=5, cache=False, strict=True).describe() == usual
    for other in (
        {"k": 5},
        {"metrics": "map"},
        {"providers": "bm25(k1=2)"},
        {"selection": {"limit": 1}},
        {"policy": {"rel": 2}},
        {"relevance": "token"},
        {"unit": "document"},
        {"id_map": {"a": "b"}},
        {"retrieval_metrics": {"graded_relevance": False}},
    ):
        assert plan(**other).describe() != usual
    assert yaml.safe_load(yaml.safe_dump(usual)) == usual


def test_secrets_of_a_service_stay_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "s3cr3t")
    text = """
benchmarks: [rag-template]
providers:
  - http: {url: "http://127.0.0.1:9/?key=${TOKEN}", headers: {"X-Tenant": "${TOKEN}"}}
  - "http(url='http://127.0.0.1:9/${TOKEN}')"
  - hybrid: {providers: [bm25, {name: http, url: "http://127.0.0.1:9/${TOKEN}"}]}
"""
    content = read_plan(written(tmp_path, text))
    assert "s3cr3t" not in str(content)
    assert "s3cr3t" not in str(make_plan(content).describe())
