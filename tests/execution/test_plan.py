"""Plans: what they mean, what YAML and the environment make of them, and what is wrong with them."""

from functools import partial

import pytest
import yaml

from assay import AssayError, BadParameter, DataError, NothingSelected, ProviderError, UnknownName
from assay.execution import PlanFaults, Statistics, WrittenPlan, load_plan, make_plan, read_plan

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


# --- what a plan says ------------------------------------------------------------------------------------------------


def test_what_is_not_said_is_as_usual():
    usual = plan()
    assert usual.benchmarks == ("rag-template",)
    assert [provider.name for provider in usual.providers] == ["bm25"]
    assert (usual.k, usual.cache, usual.strict, usual.is_graded, usual.batch_size) == (100, True, False, True, None)
    policy = usual.retry_policy
    assert (policy.timeout, policy.retries, policy.concurrency, policy.index_timeout) == (60.0, 2, 8, None)
    assert (usual.relevance.by, usual.selection.to_dict()) == ("auto", {})
    assert (usual.statistics, usual.dataset_format, usual.notes) == (Statistics("auto", "randomization", 0.05), None, ())
    assert make_plan(WrittenPlan({"benchmarks": "rag-template", "providers": "bm25", "metrics": "mrr"})) == usual


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
    assert found.selection.to_dict() == {
        "where": {"language": ["de"], "difficulty": ["hard", "easy"]},
        "range": "0:500",
        "sample": 200,
        "seed": 7,
        "limit": 10,
    }
    policy = found.retry_policy
    assert (policy.concurrency, policy.timeout, policy.retries, policy.index_timeout) == (4, 2.5, 0, 30.0)
    assert (found.batch_size, found.cache, found.strict) == (16, False, True)
    assert found.outputs == ("result.json", "run.trec")


def test_the_block_of_the_seed_as_printed_and_its_effects(tmp_path):
    (tmp_path / "plan.yaml").write_text("benchmarks: rag-template\nproviders: bm25\n" + SEED_004)
    found = load_plan(tmp_path / "plan.yaml")
    metrics = ["hit@1", "hit@3", "hit@5", "hit@10", "ndcg@5", "ndcg@10", "mrr", "map@10"]
    assert [metric.name for metric in found.metrics] == metrics
    assert (found.is_graded, found.batch_size, found.cache, found.retry_policy.concurrency) == (False, 100, True, 8)
    assert found.statistics == Statistics("auto", "randomization", 0.05)

    def block(**performance):
        return plan(retrieval_metrics={"graded_relevance": True, "performance": performance})

    assert block(parallel_processing=False).retry_policy.concurrency == 1
    assert block(caching_enabled=False).cache is False
    assert (block(batch_size=7).batch_size, block().is_graded) == (7, True)
    assert block(batch_size=7).metrics == plan().metrics
    assert plan(batch_size=9, retrieval_metrics={"performance": {"batch_size": 7}}).batch_size == 9


def test_documents_are_asked_for_as_deep_as_metrics_look():
    for content, k in [
        ({"metrics": ["recall@1000", "mrr"]}, 1000),
        ({"metrics": ["recall@10"]}, 100),
        ({"metrics": ["recall@1000"], "k": 20}, 20),
        ({"metrics": ["span_recall@tokens=2000"], "chunkers": ["fixed_lines"]}, 1000),
        ({"metrics": ["span_recall@tokens=2000"], "chunkers": ["fixed_lines"], "k": 20}, 20),
        ({"metrics": ["span_recall@tokens=2000"]}, 100),
        ({"metrics": ["mrr"], "chunkers": ["fixed_lines"]}, 100),
    ]:
        assert plan(**content).k == k, content


def test_notes_of_a_plan(snapshots):
    assert plan(metrics=["ndcg@10", "mrr"], k=10).notes == ()
    repeated = plan(benchmarks=["a", "b", "a"], providers=["bm25", "x=bm25", "bm25(k1=1.5)", "bm25", "bm25"])
    assert (repeated.benchmarks, [provider.name for provider in repeated.providers]) == (("a", "b"), ["bm25", "x"])
    assert repeated.notes_on_depth == ()
    shallow = [plan(metrics=["ndcg@10", "mrr"], k=5).notes, plan(metrics=["ndcg@10", "hit@3"], k=1).notes]
    notes = [*repeated.notes, *(note for some in shallow for note in some)]
    snapshots.check("execution/plan_notes", "".join(f"{note}\n" for note in notes))


def test_words_of_a_plan_may_be_text():
    policy = plan(policy={"judged_only": "yes", "rel": "2", "duplicates": "keep-best"}).profile.policy
    assert (policy.judged_only, policy.rel, policy.duplicates) == (True, 2.0, "keep_best")
    for value, is_cached in {True: True, "yes": True, "On": True, "TRUE": True, "no": False, "off": False}.items():
        assert plan(cache=value).cache is is_cached, value
    for value, k in {7: 7, "7": 7, "010": 10, 1e3: 1000}.items():
        assert plan(k=value).k == k, value
    for value, seconds in {2: 2.0, "2.5": 2.5, float("inf"): float("inf")}.items():
        assert plan(timeout=value).retry_policy.timeout == seconds, value
    for where in (["language=de"], "language=de", {"language": "de"}):
        assert plan(selection={"where": where}).selection.where == {"language": ["de"]}
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


def test_statistics_stand_at_the_top_or_in_the_block_of_the_seed():
    for given, found in [
        ({}, Statistics("auto", "randomization", 0.05)),
        ({"confidence_intervals": True}, Statistics("auto", "randomization", 0.05)),
        ({"confidence_intervals": "bca", "significance_testing": "wilcoxon"}, Statistics("bca", "wilcoxon", 0.05)),
        ({"confidence_intervals": "t", "significance_testing": "yes"}, Statistics("t", "randomization", 0.05)),
        ({"confidence_intervals": "wilson", "significance_testing": "t"}, Statistics("wilson", "paired_t", 0.05)),
        ({"confidence_intervals": False, "significance_testing": "off", "alpha_level": 0.2}, Statistics(None, None, 0.2)),
    ]:
        assert plan(statistical_analysis=given).statistics == found, given
        assert plan(retrieval_metrics={"statistical_analysis": given}).statistics == found, given
    block = {"statistical_analysis": {"alpha_level": 0.01, "confidence_intervals": "t"}}
    both = plan(statistical_analysis={"alpha_level": 0.1}, retrieval_metrics=block)
    assert both.statistics == Statistics("t", "randomization", 0.1)


# --- providers -------------------------------------------------------------------------------------------------------

PART = {"bm25": {"k1": [0.9, 1.2]}}


def test_a_list_means_try_each():
    given = {"bm25": {"k1": [0.9, 1.2], "b": [0.4, 0.75]}}
    assert len(set(names([given]))) == 4
    assert [provider.params["k1"] for provider in providers([given])] == [0.9, 0.9, 1.2, 1.2]
    assert providers([{"name": "bm25", "k1": [0.9, 1.2]}]) == providers([PART])
    assert providers([{"bm25": None}]) == providers(["bm25"])
    assert names([{"hybrid": {"providers": [PART, "dense"]}}]) == [
        "hybrid(bm25(k1=0.9), dense)",
        "hybrid(bm25(k1=1.2), dense)",
    ]
    assert names([{"hybrid": {"providers": ["bm25", "tfidf_chars"]}}]) == ["hybrid(bm25, tfidf_chars)"]
    assert len(names([{"hybrid": {"providers": [PART, "dense"], "rank_constant": [10, 60]}}])) == 4
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
        assert (provider.name, provider.params["k1"]) == ("BM25 tuned", 0.9)
        assert (provider.fingerprint, provider.configuration) == (plain.fingerprint, plain.configuration)
    for text, name in {
        "mine=python:module:function": "mine",
        " mine = python(function='module:function')": "mine",
        "python(function='module:function')": "python:module:function",
    }.items():
        (provider,) = providers([text])
        assert (provider.name, provider.params["function"]) == (name, "module:function"), text
    assert names([{"name": "bm25", "label": "tuned", "k1": [0.9, 1.2]}]) == ["tuned (k1=0.9)", "tuned (k1=1.2)"]
    assert names([{"hybrid": {"label": "both", "providers": [PART, "dense"]}}]) == ["both (k1=0.9)", "both (k1=1.2)"]
    assert names([{"name": "bm25", "label": "tuned", "k1": [0.9]}]) == ["tuned"]


# --- what is wrong ---------------------------------------------------------------------------------------------------

FAULTS = {
    "a key": {"metric": ["mrr"]},
    "a key of the selection": {"selection": {"limt": 3}},
    "a key of the policy": {"policy": {"tie": "x"}},
    "a key of the seed's block": {"retrieval_metrics": {"enabled_metric": []}},
    "a key of its performance": {"retrieval_metrics": {"performance": {"batchsize": 1}}},
    "a key of its statistics": {"retrieval_metrics": {"statistical_analysis": {"alpha": 1}}},
    "a parameter": {"providers": {"bm25": {"langage": 1}}},
    "a provider": {"providers": {"bm52": {}}},
    "a provider inside": {"providers": [{"hybrid": {"providers": [{"bm52": {"k1": [1, 2]}}, "dense"]}}]},
    "a metric": {"metrics": ["ncdg@10"]},
    "a profile": {"profile": "ranks"},
    "a relevance": {"relevance": "tokn"},
    "a format": {"dataset_format": "bier"},
    "no benchmarks": {"benchmarks": None},
    "an empty list of benchmarks": {"benchmarks": []},
    "an empty list of providers": {"providers": []},
    "an empty list of metrics": {"metrics": []},
    "a name of a benchmark": {"benchmarks": [7]},
    "an empty name": {"benchmarks": ["a", " "]},
    "a flag": {"cache": 1},
    "a whole number": {"k": 2.5},
    "a whole number of many digits": {"k": "9" * 40},
    "a number of seconds": {"timeout": "soon"},
    "an index timeout": {"index_timeout": -1},
    "too many at once": {"concurrency": 1001},
    "too many retries": {"retries": 101},
    "a map": {"selection": [1]},
    "an interval": {"statistical_analysis": {"confidence_intervals": "booststrap"}},
    "an interval that is a number": {"statistical_analysis": {"confidence_intervals": 3}},
    "a test": {"statistical_analysis": {"significance_testing": "magic"}},
    "alpha of 0": {"statistical_analysis": {"alpha_level": 0}},
    "alpha of 1": {"retrieval_metrics": {"statistical_analysis": {"alpha_level": 1}}},
    "a label": {"providers": [{"name": "bm25", "label": "two\nlines"}]},
    "an empty label": {"providers": ["=bm25"]},
    "a label of a part": {"providers": [{"hybrid": {"providers": [{"name": "bm25", "label": "x"}, "dense"]}}]},
    "two of one name": {"providers": ["tuned=bm25(k1=0.9)", "tuned=bm25(k1=1.2)"]},
    "two services of one name": {
        "providers": [{"http": {"url": f"http://127.0.0.1:9/?token={t}"}} for t in ("aaaa", "bbbb")]
    },
    "nothing to try": {"providers": [{"bm25": {"k1": []}}]},
    "parts that are none": {"providers": [{"hybrid": {"providers": []}}]},
    "parameters that are not indented": {"providers": [{"bm25": None, "k1": 0.9}]},
    "an empty map": {"providers": [{}]},
    "parameters that are a number": {"providers": [{"bm25": 3}]},
    "a list in a list": {"providers": [["bm25"]]},
    "a number for a part": {"providers": [{"hybrid": {"providers": [3, "dense"]}}]},
    "everything": {
        "metric": ["mrr"],
        "metrics": ["ndgc@10", "mrr", "recal@5"],
        "providers": ["bm52", "bm25", {"bm25": {"langage": "de"}}],
        "k": 0,
        "selection": {"limt": 3, "sample": -1},
    },
    "more than twenty": {"metrics": [f"nothing{number}" for number in range(25)]},
}
REFUSED = [
    *({"k": value} for value in (0, -1, "many", True, "²", float("inf"), float("nan"))),
    *({"timeout": value} for value in (0, -1, True, [1], float("nan"))),
    *({"retries": value} for value in (-1, "x")),
    *({"concurrency": value} for value in (0, "all")),
    *({"cache": value} for value in (0, "", "y", [])),
    *({"metrics": value} for value in ([3], {"a": 1})),
    *({"benchmarks": value} for value in ([1], " ")),
    *({"providers": value} for value in ({}, None, [3], "bm25(", {"bm25": {"k1": "high"}}, [{"bm25": {}, "dense": {}}])),
    *({"providers": [{"name": "bm25", "label": label}]} for label in ("", " ", 3, True, ["a"], "\x1b[31m")),
    *({"policy": value} for value in ([], "x", {"ties": "random"}, {"rel": "high"}, {"judged_only": "maybe"})),
    *({"selection": value} for value in ("x", {"limit": 0}, {"sample": "x"}, {"range": "5"}, {"range": [1, 2]})),
    *({"selection": {"where": value}} for value in ("x", [3], {"language": None}, {"language": []})),
    *(
        {"statistical_analysis": value}
        for value in ([], "bootstrap", {"alpha_level": "small"}, {"alpha_level": float("nan")})
    ),
    *({"retrieval_metrics": value} for value in ([], {"performance": []}, {"performance": 3}, {"graded_relevance": "x"})),
    {"retrieval_metrics": {"enabled_metrics": [1]}, "metrics": None},
    *({name: 3} for name in ("strict", "outputs", "relevance", "unit", "id_map", "profile", "dataset_format")),
    {"batch_size": -5},
    {"seed": "x"},
    {"unit": "page"},
    {"outputs": [3]},
    {"format": "beir"},
    {3: 4},
]


def test_faults_of_a_plan_are_told(snapshots):
    cases = {case: partial(make_plan, WrittenPlan({**BASE, **content})) for case, content in FAULTS.items()}
    cases["nothing"] = partial(make_plan, WrittenPlan({}))
    cases["no providers"] = partial(make_plan, WrittenPlan({"benchmarks": "rag-template"}))
    snapshots.check_errors("execution/plan_faults", cases)


def test_wrong_values_are_told_and_never_a_bug():
    for content in REFUSED:
        with pytest.raises(AssayError):
            make_plan(WrittenPlan({**BASE, **content}))
    with pytest.raises(UnknownName) as error:
        plan(metrics=["ncdg@10"])  # a single fault is raised as it is
    assert error.value.near[0] == "ndcg@10"
    with pytest.raises(BadParameter) as error:
        plan(metrics=["ncdg@10"], providers=["bm52"])
    assert error.value.exit_code == 2


def test_several_faults_are_one_with_the_exit_code_of_the_first():
    for first in (UnknownName("metric", "x"), DataError("a"), ProviderError("x"), NothingSelected("x")):
        faults = PlanFaults("plan.yaml")
        faults.add(first)
        faults.add(BadParameter("last"))
        faults.add(BadParameter("last"))  # the same words are told once
        with pytest.raises(AssayError) as error:
            faults.raise_if_any()
        assert (error.value.exit_code, len(faults)) == (first.exit_code, 2), first
        assert isinstance(error.value, BadParameter if isinstance(first, UnknownName) else type(first))
    with pytest.raises(ZeroDivisionError):  # bugs are not hidden
        PlanFaults("plan").attempt(lambda: 1 / 0)


# --- files -----------------------------------------------------------------------------------------------------------

WORDS = {
    **{word: word for word in ("5:10", "1:30:00", "0:500", "no", "yes", "on", "Off", "y", "007", "010", "0x1F", "1_000")},
    **{word: word for word in ("2020-01-01", "=", "nan", "ndcg@10", "1.2.3")},
    ".5": 0.5,
    "1e5": 100000.0,
    "1E-3": 0.001,
    "2.5e+3": 2500.0,
    "-1.5": -1.5,
    "1.10": 1.1,
    ".inf": float("inf"),
    "12": 12,
    "-3": -3,
    "0": 0,
    "true": True,
    "False": False,
    "null": None,
    "~": None,
    "": None,
    "'12'": "12",
}


def test_plain_words_mean_what_they_look_like(read):
    for text, wanted in WORDS.items():
        value = read(f"a: {text}\n")["a"]
        assert (value, type(value)) == (wanted, type(wanted)), text


def test_norway_is_a_language_and_no_is_a_flag(read):
    text = "benchmarks: b\nproviders: bm25\nselection: {where: {language: no}, range: 5:10}\ncache: no\nstrict: on\n"
    found = make_plan(WrittenPlan(read(text)))
    assert (found.selection.where, found.selection.range) == ({"language": ["no"]}, (5, 10))
    assert (found.cache, found.strict) == (False, True)


def test_maps_may_be_shared_and_one_document_marked(read):
    content = read("a: &usual {k: 1, b: 2}\nc: {<<: *usual, k: 3}\nd: *usual\n")
    assert content == {"a": {"k": 1, "b": 2}, "c": {"k": 3, "b": 2}, "d": {"k": 1, "b": 2}}
    assert read("---\na: 1\n...\n") == {"a": 1}


def test_files_that_are_no_plan_are_told(snapshots, tmp_path, read, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    texts = {
        "open": "a: [",
        "a tab": "a:\n\t- b",
        "a list": "- a\n- b",
        "nothing": "",
        "a comment": "# nothing",
        "text": "just text",
        "an object": "a: !!python/object:os.system x",
        "a tag": "a: !!int x",
        "an alias of nothing": "a: *b",
        "two documents": "a: 1\n---\nb: 2\n",
        "a list in itself": "a: &a [*a]\n",
        "a map in itself": "a: &a {b: {c: *a}}\n",
        "keys twice": "metrics: [mrr]\nselection:\n  limit: 1\n  sample: 2\n  limit: 3\nmetrics: [map]\n",
        "a parameter twice": "providers:\n  - bm25: {k1: 1, k1: 2}\n",
        "no such variable": "providers:\n  - http: {url: 'http://x/${NOT_THERE}'}\n",
    }
    cases = {case: partial(read, text) for case, text in texts.items()}
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    cases["no file"] = partial(read_plan, tmp_path / "gone.yaml")
    cases["not UTF-8"] = partial(read_plan, tmp_path / "bytes.yaml")
    snapshots.check_errors("execution/plan_files", cases)
    for text in ("a: \x00", "a: " + "[" * 5000, "a: 1\n---\n"):
        with pytest.raises(DataError):
            read(text)


# --- the environment -------------------------------------------------------------------------------------------------


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
    "\"mine=http(url='http://127.0.0.1:9/${TOKEN}')\"",
    '{hybrid: {providers: [bm25, {name: http, url: "http://127.0.0.1:9/${TOKEN}"}]}}',
    "\"hybrid(bm25, http(url='http://127.0.0.1:9/(${TOKEN}'))\"",
    '{command: {command: "./search --key ${TOKEN}"}}',
    '{name: command, label: mine, command: "./search --key ${TOKEN}"}',
    '"command:./search --sizes 1,2 --key ${TOKEN}"',
    '"mine=command:./search ${TOKEN}"',
    "\"command(command='./search ${TOKEN}')\"",
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
