"""Plan files: what YAML may do to a plan, and what the environment fills in."""

import pytest

from assay import BadParameter, DataError
from assay.execution.plan import WrittenPlan, make_plan
from assay.execution.plan_file import read_plan


@pytest.fixture
def read(tmp_path):
    """The content of a plan that is written as given."""

    def written(text):
        path = tmp_path / "plan.yaml"
        path.write_text(text)
        return read_plan(path)

    return written


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("5:10", "5:10"),
        ("1:30:00", "1:30:00"),
        ("0:500", "0:500"),
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("007", "007"),
        ("010", "010"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("2020-01-01", "2020-01-01"),
        ("=", "="),
        ("nan", "nan"),
        (".5", 0.5),
        ("1e5", 100000.0),
        ("1E-3", 0.001),
        ("2.5e+3", 2500.0),
        ("-1.5", -1.5),
        ("12", 12),
        ("-3", -3),
        ("0", 0),
        ("1.10", 1.1),
        (".inf", float("inf")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ("ndcg@10", "ndcg@10"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_plain_words_mean_what_they_look_like(read, written, found):
    value = read(f"a: {written}\n")["a"]
    assert value == found
    assert type(value) is type(found)


def test_norway_is_a_language_and_no_is_a_flag(read):
    content = read(
        "benchmarks: b\nproviders: bm25\nselection: {where: {language: no}, range: 5:10}\ncache: no\nstrict: on\n"
    )
    plan = make_plan(WrittenPlan(content))
    assert plan.selection.where == {"language": ["no"]}
    assert plan.selection.range == (5, 10)
    assert (plan.cache, plan.strict) == (False, True)


def test_maps_may_be_shared(read):
    content = read("a: &usual {k: 1, b: 2}\nc: {<<: *usual, k: 3}\nd: *usual\n")
    assert content == {"a": {"k": 1, "b": 2}, "c": {"k": 3, "b": 2}, "d": {"k": 1, "b": 2}}


def test_a_key_given_twice_is_told_with_its_lines(read):
    with pytest.raises(DataError) as caught:
        read("metrics: [mrr]\nselection:\n  limit: 1\n  sample: 2\n  limit: 3\nmetrics: [map]\n")
    assert caught.value.faults[0].endswith("plan.yaml:5: the key 'limit' is in line 3 already; keep one of them")
    assert caught.value.faults[1].endswith("plan.yaml:6: the key 'metrics' is in line 1 already; keep one of them")
    with pytest.raises(DataError, match=r"plan\.yaml:2: the key 'k1' is in line 2 already"):
        read("providers:\n  - bm25: {k1: 1, k1: 2}\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", r"plan\.yaml:\d+: no YAML"),
        ("a:\n\t- b", r"plan\.yaml:2: no YAML: found character '\\t'"),
        ("- a\n- b", "a plan is a map"),
        ("", "a plan is a map"),
        ("# nothing", "a plan is a map"),
        ("just text", "a plan is a map"),
        ("a: !!python/object:os.system x", "tags are not read"),
        ("a: !!int x", "tags are not read"),
        ("a: \x00", "no YAML"),
        ("a: *b", r"plan\.yaml:1: no YAML: found undefined alias"),
        ("a: 1\n---\nb: 2\n", r"plan\.yaml:2: a second document begins"),
        ("a: 1\n---\n", "a second document begins"),
        ("a: &a [*a]\n", r"plan\.yaml:1: alias \*a contains itself"),
        ("a: &a {b: {c: *a}}\n", r"plan\.yaml:1: alias \*a contains itself"),
        ("a: " + "[" * 5000, "nested too deeply"),
    ],
)
def test_files_that_are_no_plan_are_told(read, text, told):
    with pytest.raises(DataError, match=told):
        read(text)


def test_one_document_may_be_marked_as_such(read):
    assert read("---\na: 1\n...\n") == {"a": 1}


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(DataError, match=r"gone\.yaml: no such file$"):
        read_plan(tmp_path / "gone.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"bytes\.yaml: plans are text in UTF-8$"):
        read_plan(tmp_path / "bytes.yaml")


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


def test_keys_are_left_as_they_are(read, monkeypatch):
    monkeypatch.setenv("NAME", "metrics")
    assert read("${NAME}: [mrr]\n") == {"${NAME}": ["mrr"]}


def test_what_the_environment_lacks_is_told_with_its_place(read, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    with pytest.raises(BadParameter, match=r"plan\.yaml: providers: http: url: the environment has no NOT_THERE"):
        read("providers:\n  - http: {url: 'http://x/${NOT_THERE}'}\n")


@pytest.mark.parametrize(
    "provider",
    [
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
    ],
)
def test_secrets_of_services_and_programs_stay_in_the_environment(read, monkeypatch, provider):
    monkeypatch.setenv("TOKEN", "s3cr3t")
    content = read(f"benchmarks: [rag-template]\nproviders:\n  - {provider}\n")
    assert "s3cr3t" not in str(content)
    assert "${TOKEN}" in str(content)
    assert "s3cr3t" not in str(make_plan(WrittenPlan(content)).describe())


def test_what_stands_beside_a_service_is_filled_in(read, monkeypatch):
    monkeypatch.setenv("K1", "0.9")
    monkeypatch.setenv("TOKEN", "s3cr3t")
    text = "hybrid(http(url='http://127.0.0.1:9/${TOKEN}'), bm25(k1=${K1}))"
    assert read(f'providers: "{text}"\n') == {"providers": text.replace("${K1}", "0.9")}
    assert read("id_map: {http: '${K1}', command: '${K1}'}\n") == {"id_map": {"http": "0.9", "command": "0.9"}}


def test_a_default_of_a_service_is_filled_in(read, monkeypatch):
    monkeypatch.delenv("HOST", raising=False)
    content = read("providers: {http: {url: 'http://${HOST:-127.0.0.1}/'}}\n")
    assert content == {"providers": {"http": {"url": "http://127.0.0.1/"}}}
