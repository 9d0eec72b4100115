"""Plans: what they mean, and what is wrong with them before anything is asked."""

import pytest
import yaml

from assay import AssayError, BadParameter, UnknownName
from assay.execution.plan import load_plan, make_plan
from assay.execution.plan_parts import Statistics

from ._small_plans import BASE, plan

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


def written(tmp_path, text):
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    return path


def test_what_is_not_said_is_as_usual():
    usual = plan()
    assert usual.benchmarks == ("rag-template",)
    assert [provider.name for provider in usual.providers] == ["bm25"]
    assert (usual.k, usual.cache, usual.strict, usual.is_graded, usual.batch_size) == (100, True, False, True, None)
    assert (usual.retry_policy.timeout, usual.retry_policy.retries, usual.retry_policy.concurrency) == (60.0, 2, 8)
    assert usual.relevance.by == "auto"
    assert usual.selection.to_dict() == {}
    assert (usual.statistics, usual.dataset_format, usual.notes) == (Statistics("auto", "randomization", 0.05), None, ())


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
selection: {where: {language: de, difficulty: [hard, easy]}, range: 0:500, sample: 200, seed: 7, limit: 10}
concurrency: 4
timeout: 2.5
retries: 0
batch_size: 16
cache: false
strict: true
outputs: [result.json, run.trec]
"""
    found = load_plan(written(tmp_path, text))
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
    assert (found.retry_policy.concurrency, found.retry_policy.timeout, found.retry_policy.retries) == (4, 2.5, 0)
    assert (found.batch_size, found.cache, found.strict) == (16, False, True)
    assert found.outputs == ("result.json", "run.trec")


def test_one_name_need_not_be_a_list():
    assert make_plan({"benchmarks": "rag-template", "providers": "bm25", "metrics": "mrr"}) == plan()


def test_the_block_of_the_seed_as_printed(tmp_path):
    text = "benchmarks: rag-template\nproviders: bm25\n" + SEED_004
    found = load_plan(written(tmp_path, text))
    names = ["hit@1", "hit@3", "hit@5", "hit@10", "ndcg@5", "ndcg@10", "mrr", "map@10"]
    assert [metric.name for metric in found.metrics] == names
    assert (found.is_graded, found.batch_size, found.cache, found.retry_policy.concurrency) == (False, 100, True, 8)
    assert found.statistics == Statistics("auto", "randomization", 0.05)


def test_the_block_has_its_effects():
    def block(**performance):
        return plan(retrieval_metrics={"graded_relevance": True, "performance": performance})

    assert block(parallel_processing=False).retry_policy.concurrency == 1
    assert block(caching_enabled=False).cache is False
    assert block(batch_size=7).batch_size == 7
    assert block().is_graded is True
    assert block(batch_size=7).metrics == plan().metrics
    assert plan(batch_size=9, retrieval_metrics={"performance": {"batch_size": 7}}).batch_size == 9


def test_the_same_twice_is_once():
    found = plan(providers=["bm25", "bm25", {"bm25": {}}], benchmarks=["rag-template", "rag-template"])
    assert len(found.providers) == len(found.benchmarks) == 1


def test_documents_are_asked_for_as_deep_as_metrics_look():
    assert plan(metrics=["recall@1000", "mrr"]).k == 1000
    assert plan(metrics=["recall@10"]).k == 100
    assert plan(metrics=["recall@1000"], k=20).k == 20
    assert plan(metrics=["span_recall@tokens=2000"], chunkers=["fixed_lines"]).k == 1000
    assert plan(metrics=["span_recall@tokens=2000"], chunkers=["fixed_lines"], k=20).k == 20
    assert plan(metrics=["span_recall@tokens=2000"]).k == plan(metrics=["mrr"], chunkers=["fixed_lines"]).k == 100


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
        ({"dataset_format": "bier"}, r"no format is called 'bier'\. Did you mean beir\?"),
        ({"format": "beir"}, r"no key of plan is called 'format'\. Did you mean dataset_format\?"),
        (
            {"statistical_analysis": {"alpha": 0.1}},
            r"plan: statistical_analysis is called 'alpha'\. Did you mean alpha_level",
        ),
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
        {"providers": [{"bm25": {}, "dense": {}}]},
        {"providers": {}},
        {"providers": None},
        {"benchmarks": None},
        {"benchmarks": " "},
        {"dataset_format": 3},
        {"concurrency": 1001},
        {"retries": 101},
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
        {"policy": {"judged_only": "maybe"}},
        {"profile": 3},
        {"selection": []},
        {"selection": "x"},
        {"selection": {"limit": 0}},
        {"selection": {"sample": "x"}},
        {"selection": {"range": "5"}},
        {"selection": {"range": [1, 2]}},
        {"selection": {"where": "x"}},
        {"selection": {"where": [3]}},
        {"selection": {"where": {"language": None}}},
        {"selection": {"where": {"language": []}}},
        {"statistical_analysis": []},
        {"statistical_analysis": "bootstrap"},
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
        {"dataset_format": "beir"},
    ):
        assert plan(**other).describe() != usual
    assert yaml.safe_load(yaml.safe_dump(usual)) == usual


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            {"providers": "bm25"},
            "plan: benchmarks are needed; write benchmarks: [rag-template] in the plan, or --benchmarks rag-template on",
        ),
        (
            {"benchmarks": "rag-template"},
            "plan: providers are needed; write providers: [bm25] in the plan, or --providers bm25 on the command line",
        ),
        (
            {},
            "plan: benchmarks and providers are needed; write benchmarks: [rag-template] and providers: [bm25] in the plan",
        ),
        (
            {**BASE, "benchmarks": []},
            "plan: benchmarks is an empty list; give at least one, as in benchmarks: [rag-template]",
        ),
        ({**BASE, "providers": []}, "plan: providers is an empty list; give at least one, as in providers: [bm25]"),
        ({**BASE, "metrics": []}, "plan: metrics is an empty list; give at least one, as in metrics: [ndcg@10]"),
        ({**BASE, "benchmarks": [7]}, "plan: benchmarks are names, as in benchmarks: [rag-template], not 7"),
    ],
)
def test_what_is_missing_or_empty_is_told_with_how_to_give_it(content, told):
    with pytest.raises(BadParameter) as caught:
        make_plan(content)
    assert str(caught.value).startswith(told)


def test_everything_wrong_is_told_at_once():
    with pytest.raises(BadParameter) as caught:
        plan(
            metric=["mrr"],
            metrics=["ndgc@10", "mrr", "recal@5"],
            providers=["bm52", "bm25", {"bm25": {"langage": "de"}}],
            k=0,
            selection={"limt": 3, "sample": -1},
        )
    first, *rest = str(caught.value).split("\n")
    assert first == "plan: 8 faults"
    told = "\n".join(rest)
    for part in ("'metric'", "ndgc@10", "recal@5", "bm52", "langage", "k is a whole", "limt", "sample is a whole"):
        assert part in told
    assert all(line.startswith("  ") for line in rest)


def test_no_more_than_twenty_faults_are_told():
    with pytest.raises(BadParameter) as caught:
        plan(metrics=[f"nothing{n}" for n in range(25)])
    lines = str(caught.value).split("\n")
    assert lines[0] == "plan: 25 faults"
    assert len(lines) == 22
    assert lines[-1] == "  … and 5 more"


def test_each_name_in_a_map_of_providers_is_one():
    found = plan(providers={"bm25": {"k1": [0.9, 1.5]}, "tfidf_chars": None})
    assert [provider.name for provider in found.providers] == ["bm25(k1=0.9)", "bm25", "tfidf_chars"]
    assert [provider.name for provider in plan(providers={"name": "bm25", "k1": 0.9}).providers] == ["bm25(k1=0.9)"]


def test_a_depth_below_a_cutoff_is_noted():
    assert plan(metrics=["ndcg@10", "mrr"], k=10).notes == ()
    assert plan(metrics=["ndcg@10", "mrr"], k=5).notes == (
        "k = 5 is less than the cutoff of ndcg@10: only 5 documents are asked for",
    )
    assert plan(metrics=["ndcg@10", "hit@3"], k=1).notes == (
        "k = 1 is less than the cutoff of ndcg@10, hit@3: only 1 document is asked for",
    )


def test_the_same_output_twice_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert plan(outputs=["a.json", "deep/a.json", "a.trec"]).outputs == ("a.json", "deep/a.json", "a.trec")
    for again in ("a.json", "./a.json", "deep/../a.json", str(tmp_path / "a.json")):
        with pytest.raises(BadParameter, match=r"outputs has .*a\.json twice; leave one out"):
            plan(outputs=["a.json", again])


def test_a_map_of_ids_must_be_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadParameter, match=r"plan: id_map: ids\.tsv: no such file"):
        plan(id_map="ids.tsv")
    (tmp_path / "ids.tsv").write_text("a#1\ta\n")
    assert plan(id_map="ids.tsv").relevance.id_map == "ids.tsv"


def test_flags_numbers_and_words_of_the_policy_may_be_text():
    policy = plan(policy={"judged_only": "yes", "rel": "2", "duplicates": "keep-best"}).profile.policy
    assert (policy.judged_only, policy.rel, policy.duplicates) == (True, 2.0, "keep_best")
    assert plan(cache="no", strict="on").cache is False


def test_whole_numbers_may_be_written_as_floats():
    assert plan(k=1e3).k == 1000


def test_the_format_of_benchmarks():
    assert plan(dataset_format="beir").dataset_format == "beir"


def test_what_is_named_twice_is_noted_and_used_once():
    plan = make_plan({"benchmarks": ["a", "b", "a"], "providers": ["bm25", "x=bm25", "bm25(k1=1.5)", "bm25", "bm25"]})
    assert plan.benchmarks == ("a", "b")
    assert [provider.name for provider in plan.providers] == ["bm25", "x"]
    assert plan.notes == (
        "the benchmark a is named 2 times, and used once",
        "the provider bm25 is named 4 times, and used once",
    )
    assert plan.notes_on_depth == ()


def test_how_long_an_index_may_take():
    assert make_plan({"benchmarks": "a", "providers": "bm25"}).retry_policy.index_timeout is None
    assert make_plan({"benchmarks": "a", "providers": "bm25", "index_timeout": "30"}).retry_policy.index_timeout == 30.0
    with pytest.raises(BadParameter, match="plan: index_timeout is a number above 0, not -1"):
        make_plan({"benchmarks": "a", "providers": "bm25", "index_timeout": -1})
