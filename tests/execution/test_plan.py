"""Plans: what they mean, what YAML and the environment make of them, and what is wrong with them."""

from functools import partial

import pytest
import yaml

from assay import AssayError, BadParameter, UnknownName
from assay.execution import Statistics, WrittenPlan, load_plan, make_plan, read_plan

BASE = {"benchmarks": ["rag-template"], "providers": ["bm25"], "metrics": ["mrr"]}


def plan(**more):
    return make_plan(WrittenPlan({**BASE, **more}))


def providers(given):
    """The providers of a plan that names these."""
    return plan(providers=given).providers


def names(given):
    return [provider.name for provider in providers(given)]


@pytest.fixture
def read(tmp_path):
    """The content of a plan that is written as given."""

    def reading(text):
        (tmp_path / "plan.yaml").write_text(text)
        return read_plan(tmp_path / "plan.yaml")

    return reading


def test_what_is_not_said_is_as_usual():
    usual = plan()
    assert (usual.k, usual.cache, usual.strict, usual.is_graded, usual.batch_size) == (100, True, False, True, None)
    policy = usual.retry_policy
    assert (policy.timeout, policy.retries, policy.concurrency, policy.index_timeout) == (60.0, 2, 8, None)
    assert (usual.relevance.by, usual.selection.to_dict()) == ("auto", {})
    assert (usual.statistics, usual.dataset_format, usual.notes) == (Statistics("auto", "randomization", 0.05), None, ())
    assert make_plan(WrittenPlan({"benchmarks": "rag-template", "providers": "bm25", "metrics": "mrr"})) == usual


def test_everything_a_plan_can_say(tmp_path):
    text = """
benchmarks: [rag-template, ./my-beir]
providers: [bm25, "hybrid(bm25, tfidf_chars)"]
metrics: [ndcg_at_5, recall_at_10]
k: 50
relevance: token(threshold=0.5)
unit: document
profile: ranx
policy: {rel: 2}
selection: {where: {language: de, difficulty: [hard, easy]}, range: 0:500, sample: 200, seed: 7, limit: 10}
concurrency: 4
timeout: 2.5
index_timeout: 30
retries: 0
batch_size: 16
cache: false
strict: true
dataset_format: beir
outputs: [result.json, run.trec]
"""
    (tmp_path / "plan.yaml").write_text(text)
    found = load_plan(tmp_path / "plan.yaml")
    assert [metric.name for metric in found.metrics] == ["ndcg@5", "recall@10"]
    assert [provider.name for provider in found.providers] == ["bm25", "hybrid(bm25, tfidf_chars)"]
    assert (found.k, found.relevance.by, found.relevance.unit) == (50, "token(threshold=0.5)", "document")
    assert (found.profile.name, found.profile.policy.rel, found.dataset_format) == ("ranx", 2, "beir")
    where = {"language": ["de"], "difficulty": ["hard", "easy"]}
    assert found.selection.to_dict() == {"where": where, "range": "0:500", "sample": 200, "seed": 7, "limit": 10}
    policy = found.retry_policy
    assert (policy.concurrency, policy.timeout, policy.retries, policy.index_timeout) == (4, 2.5, 0, 30.0)
    assert (found.batch_size, found.cache, found.strict) == (16, False, True)
    assert found.outputs == ("result.json", "run.trec")


def test_the_block_of_the_seed_decides_where_the_top_says_nothing():
    def block(**performance):
        return plan(retrieval_metrics={"graded_relevance": False, "performance": performance})

    assert block(parallel_processing=False).retry_policy.concurrency == 1
    assert (block(caching_enabled=False).cache, block(batch_size=7).batch_size, block().is_graded) == (False, 7, False)
    assert plan(retrieval_metrics={"enabled_metrics": ["map@10"]}, metrics=None).metrics == plan(metrics="map@10").metrics
    assert plan(batch_size=9, retrieval_metrics={"performance": {"batch_size": 7}}).batch_size == 9
    for given, found in [
        ({"confidence_intervals": True}, Statistics("auto", "randomization", 0.05)),
        ({"confidence_intervals": "bca", "significance_testing": "wilcoxon"}, Statistics("bca", "wilcoxon", 0.05)),
        ({"confidence_intervals": "wilson", "significance_testing": "t"}, Statistics("wilson", "paired_t", 0.05)),
        ({"confidence_intervals": False, "significance_testing": "off", "alpha_level": 0.2}, Statistics(None, None, 0.2)),
    ]:
        assert plan(statistical_analysis=given).statistics == found, given
        assert plan(retrieval_metrics={"statistical_analysis": given}).statistics == found, given
    inner = {"statistical_analysis": {"alpha_level": 0.01, "confidence_intervals": "t"}}
    both = plan(statistical_analysis={"alpha_level": 0.1}, retrieval_metrics=inner)
    assert both.statistics == Statistics("t", "randomization", 0.1)


def test_documents_are_asked_for_as_deep_as_metrics_look():
    for content, k in [
        ({"metrics": ["recall@1000", "mrr"]}, 1000),
        ({"metrics": ["recall@10"]}, 100),
        ({"metrics": ["recall@1000"], "k": 20}, 20),
        ({"metrics": ["span_recall@tokens=2000"], "chunkers": ["fixed_lines"]}, 1000),
        ({"metrics": ["span_recall@tokens=2000"]}, 100),
        ({"metrics": ["mrr"], "chunkers": ["fixed_lines"]}, 100),
    ]:
        assert plan(**content).k == k, content


def test_notes_of_a_plan(snapshots):
    assert plan(metrics=["ndcg@10", "mrr"], k=10).notes == ()
    repeated = plan(benchmarks=["a", "b", "a"], providers=["bm25", "x=bm25", "bm25(k1=1.5)", "bm25", "bm25"])
    assert (repeated.benchmarks, [provider.name for provider in repeated.providers]) == (("a", "b"), ["bm25", "x"])
    shallow = [plan(metrics=["ndcg@10", "mrr"], k=5).notes, plan(metrics=["ndcg@10", "hit@3"], k=1).notes]
    notes = [*repeated.notes, *(note for some in shallow for note in some)]
    snapshots.check("execution/plan_notes", "".join(f"{note}\n" for note in notes))


def test_words_of_a_plan_may_be_text():
    policy = plan(policy={"judged_only": "yes", "rel": "2", "duplicates": "keep-best"}).profile.policy
    assert (policy.judged_only, policy.rel, policy.duplicates) == (True, 2.0, "keep_best")
    assert [plan(cache=value).cache for value in ("yes", "On", "TRUE", "no", "off")] == [True] * 3 + [False] * 2
    assert [plan(k=value).k for value in ("7", "010", 1e3)] == [7, 10, 1000]
    assert plan(timeout="2.5").retry_policy.timeout == 2.5
    for where in (["language=de"], "language=de", {"language": "de"}):
        assert plan(selection={"where": where}).selection.where == {"language": ["de"]}
    assert plan(selection={"where": {"year": 2020}}).selection.where == {"year": ["2020"]}


def test_a_plan_is_described_by_what_decides_about_answers_and_scores():
    usual = plan().describe()
    assert plan(concurrency=1, timeout=9, retries=0, batch_size=5, cache=False, strict=True).describe() == usual
    others = [{"k": 5}, {"metrics": "map"}, {"providers": "bm25(k1=2)"}, {"selection": {"limit": 1}}, {"policy": {"rel": 2}}]
    others += [{"relevance": "token"}, {"unit": "document"}, {"id_map": {"a": "b"}}, {"dataset_format": "beir"}]
    for other in [*others, {"retrieval_metrics": {"graded_relevance": False}}]:
        assert plan(**other).describe() != usual, other
    assert yaml.safe_load(yaml.safe_dump(usual)) == usual


def test_files_that_a_plan_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert plan(outputs=["a.json", "deep/a.json", "a.trec"]).outputs == ("a.json", "deep/a.json", "a.trec")
    for again in ("a.json", "./a.json", "deep/../a.json", str(tmp_path / "a.json")):
        with pytest.raises(BadParameter, match="twice"):
            plan(outputs=["a.json", again])
    with pytest.raises(BadParameter, match=r"ids\.tsv"):
        plan(id_map="ids.tsv")
    (tmp_path / "ids.tsv").write_text("a#1\ta\n")
    assert plan(id_map="ids.tsv").relevance.id_map == "ids.tsv"


PART = {"bm25": {"k1": [0.9, 1.2]}}


def test_a_list_means_try_each():
    given = {"bm25": {"k1": [0.9, 1.2], "b": [0.4, 0.75]}}
    assert [provider.params["k1"] for provider in providers([given])] == [0.9, 0.9, 1.2, 1.2]
    assert providers([{"name": "bm25", "k1": [0.9, 1.2]}]) == providers([PART])
    assert names([{"hybrid": {"providers": [PART, "dense"]}}]) == [
        "hybrid(bm25(k1=0.9), dense)",
        "hybrid(bm25(k1=1.2), dense)",
    ]
    deep = {"rerank": {"providers": [{"hybrid": {"providers": [PART, "dense"]}}], "function": "m:f", "depth": [5, 10]}}
    assert names([deep])[-1] == "rerank(hybrid(bm25(k1=1.2), dense), function='m:f', depth=10)"
    assert len(names([deep])) == 4
    weighted = {"hybrid": {"providers": ["bm25", "dense"], "method": "weighted", "weights": [0.7, 0.3]}}
    (provider,) = providers([weighted])  # what is a list itself is left whole
    assert provider.params["weights"] == (0.7, 0.3)


def test_a_map_of_several_names_means_each_and_the_same_twice_is_once():
    assert names({"bm25": {"k1": [0.9, 1.5]}, "tfidf_chars": None}) == ["bm25(k1=0.9)", "bm25", "tfidf_chars"]
    assert names({"name": "bm25", "k1": 0.9}) == ["bm25(k1=0.9)"]
    assert names(["bm25", {"bm25": {}}, "bm25()"]) == ["bm25"]
    assert names(["a=bm25", "a=bm25", "b=bm25", "bm25"]) == ["a", "b", "bm25"]


def test_a_label_is_the_name():
    plain = providers(["bm25(k1=0.9)"])[0]
    labelled = {"bm25": {"label": "BM25 tuned", "k1": 0.9}}
    for given in ("BM25 tuned=bm25(k1=0.9)", {"name": "bm25", "label": "BM25 tuned", "k1": 0.9}, labelled):
        (provider,) = providers([given])
        assert (provider.name, provider.fingerprint) == ("BM25 tuned", plain.fingerprint), given
        assert provider.configuration == plain.configuration, given
    assert names([" mine = python(function='module:function')"]) == ["mine"]
    assert names([{"name": "bm25", "label": "tuned", "k1": [0.9, 1.2]}]) == ["tuned (k1=0.9)", "tuned (k1=1.2)"]
    assert names([{"hybrid": {"label": "both", "providers": [PART, "dense"]}}]) == ["both (k1=0.9)", "both (k1=1.2)"]


FAULTS = {
    "a key": {"metric": ["mrr"]},
    "a key of the selection": {"selection": {"limt": 3}},
    "a parameter": {"providers": {"bm25": {"langage": 1}}},
    "a provider": {"providers": {"bm52": {}}},
    "a metric": {"metrics": ["ncdg@10"]},
    "no benchmarks": {"benchmarks": None},
    "an empty name": {"benchmarks": ["a", " "]},
    "a flag": {"cache": 1},
    "a whole number": {"k": 2.5},
    "too many at once": {"concurrency": 1001},
    "an interval": {"statistical_analysis": {"confidence_intervals": "booststrap"}},
    "a test": {"statistical_analysis": {"significance_testing": "magic"}},
    "a label": {"providers": [{"name": "bm25", "label": "two\nlines"}]},
    "a label of a part": {"providers": [{"hybrid": {"providers": [{"name": "bm25", "label": "x"}, "dense"]}}]},
    "two of one name": {"providers": ["tuned=bm25(k1=0.9)", "tuned=bm25(k1=1.2)"]},
    "parameters that are not indented": {"providers": [{"bm25": None, "k1": 0.9}]},
    "a list in a list": {"providers": [["bm25"]]},
    "everything": {
        "metric": ["mrr"],
        "metrics": ["ndgc@10", "mrr", "recal@5"],
        "providers": ["bm52", "bm25", {"bm25": {"langage": "de"}}],
        "k": 0,
        "selection": {"limt": 3, "sample": -1},
    },
    "more than twenty": {"metrics": [f"nothing{number}" for number in range(25)]},
}
REFUSED = {
    "retrieval_metrics": ({"enabled_metric": []}, [], {"performance": []}, {"performance": {"batchsize": 1}}),
    "k": (0, -1, 2.5, "many", True, "²", float("inf"), float("nan"), "9" * 40),
    "timeout": (0, -1, True, [1], float("nan")),
    "index_timeout": (-1,),
    "retries": (-1, "x", 101),
    "concurrency": (0, "all"),
    "cache": (0, "", "y", []),
    "metrics": ([3], {"a": 1}, []),
    "benchmarks": ([1], " "),
    "providers": ({}, None, [], [{}], [3], "bm25(", {"bm25": {"k1": "high"}}, [{"bm25": {"k1": []}}]),
    "policy": ([], "x", {"tie": "x"}, {"ties": "random"}, {"rel": "high"}, {"judged_only": "maybe"}),
    "selection": ("x", {"limit": 0}, {"sample": "x"}, {"range": [1, 2]}, {"where": [3]}, {"where": {"a": []}}),
    "statistical_analysis": ([], "bootstrap", {"alpha_level": "small"}, {"alpha_level": 1}, {"confidence_intervals": 3}),
    **dict.fromkeys(("strict", "outputs", "relevance", "unit", "id_map", "profile", "dataset_format"), (3,)),
    "seed": ("x",),
    "batch_size": (-5,),
    "format": ("beir",),
    3: (4,),
}


def test_faults_of_a_plan_are_told(snapshots):
    cases = {case: partial(make_plan, WrittenPlan({**BASE, **content})) for case, content in FAULTS.items()}
    cases["nothing"] = partial(make_plan, WrittenPlan({}))
    cases["no providers"] = partial(make_plan, WrittenPlan({"benchmarks": "rag-template"}))
    snapshots.check_errors("execution/plan_faults", cases)


def test_wrong_values_are_told_and_never_a_bug():
    for name, values in REFUSED.items():
        for value in values:
            with pytest.raises(AssayError):
                pytest.fail(f"{name}: {make_plan(WrittenPlan({**BASE, name: value}))}")
    for label in ("", " ", 3, True, ["a"], "\x1b[31m"):
        with pytest.raises(AssayError):
            pytest.fail(repr(providers([{"name": "bm25", "label": label}])))
    with pytest.raises(UnknownName) as error:
        plan(metrics=["ncdg@10"])  # a single fault is raised as it is
    assert error.value.near[0] == "ndcg@10"
    with pytest.raises(BadParameter) as several:
        plan(metrics=["ncdg@10"], providers=["bm52"])
    assert several.value.exit_code == 2


def test_plain_words_mean_what_they_look_like(read):
    text = "benchmarks: b\nproviders: bm25\nselection: {where: {language: no}, range: 5:10}\ncache: no\nstrict: on\n"
    found = make_plan(WrittenPlan(read(text)))
    assert (found.selection.where, found.selection.range) == ({"language": ["no"]}, (5, 10))
    assert (found.cache, found.strict) == (False, True)
    words = {word: word for word in ("1:30:00", "y", "007", "0x1F", "1_000", "2020-01-01", "=", "nan", "1.2.3")}
    words |= {".5": 0.5, "1E-3": 0.001, "1.10": 1.1, ".inf": float("inf"), "-3": -3, "False": False, "~": None, "'12'": "12"}
    for text, wanted in words.items():
        value = read(f"a: {text}\n")["a"]
        assert (value, type(value)) == (wanted, type(wanted)), text


def test_files_that_are_no_plan_are_told(snapshots, tmp_path, read, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    texts = {
        "open": "a: [",
        "a list": "- a\n- b",
        "nothing": "",
        "two documents": "a: 1\n---\nb: 2\n",
        "keys twice": "metrics: [mrr]\nselection:\n  limit: 1\n  sample: 2\n  limit: 3\nmetrics: [map]\n",
        "no such variable": "providers:\n  - http: {url: 'http://x/${NOT_THERE}'}\n",
    }
    cases = {case: partial(read, text) for case, text in texts.items()}
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    cases["no file"] = partial(read_plan, tmp_path / "gone.yaml")
    cases["not UTF-8"] = partial(read_plan, tmp_path / "bytes.yaml")
    snapshots.check_errors("execution/plan_files", cases)


def test_the_environment_fills_in(read, monkeypatch):
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
    found = make_plan(WrittenPlan(read(text)))
    assert found.benchmarks == ("rag-template",)
    assert found.providers[0].params["k1"] == 0.9
    assert [metric.name for metric in found.metrics] == ["mrr"]
    assert (found.selection.limit, found.strict) == (3, True)
    assert read("${MY_LIMIT}: [mrr]\n") == {"${MY_LIMIT}": ["mrr"]}  # keys are left as they are


SECRETS = [
    '{http: {url: "http://127.0.0.1:9/?key=${TOKEN}", headers: {"X-Tenant": "${TOKEN}"}}}',
    "\"http(url='http://127.0.0.1:9/${TOKEN}')\"",
    '{hybrid: {providers: [bm25, {name: http, url: "http://127.0.0.1:9/${TOKEN}"}]}}',
    "\"hybrid(bm25, http(url='http://127.0.0.1:9/(${TOKEN}'))\"",
    '{command: {command: "./search --key ${TOKEN}"}}',
    '"command:./search --sizes 1,2 --key ${TOKEN}"',
    '"hybrid(bm25, command:./search ${TOKEN}, tfidf_chars)"',
]


def test_secrets_of_services_and_programs_stay_in_the_environment(read, monkeypatch):
    monkeypatch.setenv("TOKEN", "s3cr3t")
    monkeypatch.setenv("K1", "0.9")
    for provider in SECRETS:
        content = read(f"benchmarks: [rag-template]\nproviders:\n  - {provider}\n")
        assert "s3cr3t" not in str(content), provider
        assert "${TOKEN}" in str(content), provider
        assert "s3cr3t" not in str(make_plan(WrittenPlan(content)).describe()), provider
    text = "hybrid(http(url='http://127.0.0.1:9/${TOKEN}'), bm25(k1=${K1}))"  # what stands beside a service is filled in
    assert read(f'providers: "{text}"\n') == {"providers": text.replace("${K1}", "0.9")}
    assert read("id_map: {http: '${K1}', command: '${K1}'}\n") == {"id_map": {"http": "0.9", "command": "0.9"}}
    monkeypatch.delenv("HOST", raising=False)
    content = read("providers: {http: {url: 'http://${HOST:-127.0.0.1}/'}}\n")
    assert content == {"providers": {"http": {"url": "http://127.0.0.1/"}}}
