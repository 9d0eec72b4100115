"""The boundary: names that were read never run code, whoever reads them; a canary module would tell."""

from __future__ import annotations

import importlib
import json
import random
import shlex
import sys

import pytest

import assay
from assay.cli import main
from assay.evaluation import read_results, result_from_dict
from assay.metrics import recorded_metric
from assay.store import Store

METRIC, PROVIDER = "python:evil:worth", "python:evil:search"
VALUES = ("python:evil:x", "evil:x", "command:touch ran")
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6}
"""Exit codes of commands that ended as they should."""
EVIL = """\
from pathlib import Path

Path(__file__).with_name("ran").write_text("imported")

import assay

@assay.metric
def worth(run):
    return run.n_retrieved * 0.0

def search(query, k):
    return []

x = y = worth
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a module that writes a file when it is imported; it is the current one, and on the path."""
    folder = tmp_path_factory.mktemp("boundary")
    (folder / "evil.py").write_text(EVIL, "utf-8")
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(folder)
        changed.setattr(sys, "path", [str(folder), *sys.path])
        importlib.invalidate_caches()
        yield folder


@pytest.fixture(autouse=True)
def canary(place):
    """After each test it is seen that nothing ran in it."""
    sys.modules.pop("evil", None)
    (place / "ran").unlink(missing_ok=True)
    yield place
    assert "evil" not in sys.modules
    assert not (place / "ran").exists()


def renamed(value, names):
    """Plain values with other keys and texts."""
    if isinstance(value, dict):
        return {names.get(key, key): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def evil_result(seed, name=PROVIDER):
    """Plain values of a result in which every name is one that would run something; its metric says that less is better."""
    rng = random.Random(seed)
    qrels = {f"q{number:02}": {"d1": 1, "d2": 2} for number in range(12)}
    run = {query: {f"d{rank}": rng.random() for rank in range(6)} for query in qrels}
    plain = assay.evaluate(qrels, run, ["map", "mrr", "ndcg@10"], name="x").to_dict()
    plain = renamed(plain, {"map": METRIC})
    return {
        **plain,
        "name": name,
        "benchmark": "python:evil:x",
        "notes": [METRIC],
        "own_metrics": {METRIC: {"higher_is_better": False}},
        "relevance": {"strategy_used": "python:evil:x", "strategy_counts": {"python:evil:x": 12}},
        "queries": {query: {"text": "python:evil:x", "tags": {"language": "python:evil:x"}} for query in qrels},
        "run": run,
        "relevant": qrels,
        "provenance": {
            "dataset": {"name": "evil:x", "version": "1", "format": "python:evil:x", "fingerprints": {"queries": "a"}},
            "provider": {"name": name, "configuration": {"provider": "python", "function": "evil:search"}},
            "plan": {"chunkers": ["python:evil:x"], "providers": [PROVIDER], "metrics": [METRIC]},
            "metrics": [METRIC],
            "started": f"2026-10-0{seed}T02:00:00+00:00",
        },
    }


@pytest.fixture(scope="module")
def saved(place):
    """Two files of results."""
    for seed, name in ((1, "a.json"), (2, "b.json")):
        plain = {"schema": "assay.result/1", "results": [evil_result(seed, f"{PROVIDER}{seed}")]}
        (place / name).write_text(json.dumps(plain), "utf-8")
    (place / "gate.yaml").write_text("rules: ['mrr >= 0.01', 'ndcg@10 not worse by 0.9']\n", "utf-8")
    return place


@pytest.fixture(scope="module")
def store(place):
    """A store that took over somebody's export, which the library itself wrote."""
    with Store.open(place / "theirs.db") as theirs:
        for seed in (1, 2, 3):
            results = [result_from_dict(evil_result(seed)), result_from_dict(evil_result(seed + 3, "other"))]
            theirs.save(results, started=f"2026-10-0{seed}T02:00:00+00:00")
        theirs.export(place / "theirs.jsonl.zst")
    with Store.open(place / "ours.db") as ours:
        assert len(ours.import_(place / "theirs.jsonl.zst").new) == 3
    return place / "ours.db"


def test_a_recorded_metric_keeps_its_name_direction_and_scores():
    plain = evil_result(1)
    back = result_from_dict(plain)
    assert list(back.summary) == [METRIC, "mrr", "ndcg@10"]
    assert back.scores(METRIC) == {query: scores[METRIC] for query, scores in plain["per_query"].items()}
    assert back.metrics[0].metric.higher_is_better is False
    assert back.to_dict()["own_metrics"] == plain["own_metrics"]
    with pytest.raises(assay.UnknownName):
        back["python:evil:x"]


def test_recorded_names_are_of_any_length_and_do_not_change_what_names_mean():
    for name in ("_" * 500_000, "a," * 200_000, "ndcg_" * 100_000):
        assert recorded_metric(name).name == name
    assert "top_three" in result_from_dict(renamed(evil_result(1), {METRIC: "top_three"}))
    with pytest.raises(assay.UnknownName):
        assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "top_three")


def run_all(place, capsys, commands, *more):
    """Every command ends as it should, and runs nothing that it has read."""
    for words in commands.strip().splitlines():
        assert main([*shlex.split(words), *more]) in DOCUMENTED, words
        assert "Traceback" not in "".join(capsys.readouterr()), words
        assert not (place / "ran").exists(), words


OF_RESULTS = """
compare a.json b.json -m mrr --by language
compare a.json b.json -f json
report a.json -o report.md
plot bars a.json b.json -o bars.vl.json
plot heat_map a.json b.json -o map.vl.json
plot by_k a.json -o by_k.vl.json
plot precision_recall a.json -o curve.vl.json
gate a.json --rules gate.yaml
gate a.json --baseline b.json --rule 'mrr drops <= 1'
why a.json b.json
power a.json b.json
"""


def test_results_that_were_read_run_nothing(saved, capsys):
    run_all(saved, capsys, OF_RESULTS)


@pytest.mark.slow
def test_pages_of_what_was_read_run_nothing(saved, store, capsys):
    run_all(saved, capsys, "report a.json b.json -o report.html")
    run_all(saved, capsys, "report latest -o report.html", "--store", str(store))


def test_what_was_recorded_is_compared_as_it_is(saved, capsys):
    (a,), (b,) = (read_results(saved / name) for name in ("a.json", "b.json"))
    compared = assay.compare(None, {"a": a, "b": b}, METRIC)
    better = "a" if a[METRIC] < b[METRIC] else "b"
    board = assay.BenchmarkComparison.compare_runs({"a": a, "b": b})
    assert (compared.best(METRIC), board.best(METRIC)) == (better, better)
    assert main(["compare", "a.json", "b.json", "-m", METRIC]) == 0
    assert METRIC in capsys.readouterr().out


OF_A_STORE = """
results
results -f json
show latest
show latest --query q03
show latest -f csv
history
history -m mrr
plot history -o history.vl.json
bless latest --as main
gate latest --rule 'mrr >= 0.01' --rule 'ndcg@10 ratchet'
watch
compare latest latest~1
judgments
results export again.jsonl.zst
store check
"""


def test_a_store_that_was_imported_runs_nothing(place, store, capsys):
    run_all(place, capsys, OF_A_STORE, "--store", str(store))


FOREIGN = {"origin": "http://evil.example", "referer": "http://evil.example/"}


def client_of(store):
    """A browser on a store."""
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from assay.web import make_app

    return TestClient(make_app(store), base_url="http://127.0.0.1:8765", follow_redirects=False)


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


def test_any_page_of_the_browser_may_ask_and_nothing_runs(place):
    """The store is the user's own; it is the address that means harm."""
    with Store.open(place / "usual.db") as store:
        store.save(assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["mrr"], name="a"))
    browser = client_of(place / "usual.db")
    addresses = {"/history": "metric", "/api/v1/history": "metric", "/api/v1/metrics/python:evil:x": "", "/metrics": "name"}
    for address, key in addresses.items():
        answer = browser.get(address, params={key: VALUES[0]} if key else {}, headers=FOREIGN)
        assert answer.status_code in {400, 404, 409}, address
        assert "python:evil:x" in answer.text, address


def test_the_api_imports_nothing_that_it_is_asked_for(client):
    operations = client.get("/api/v1/openapi.json").json()["paths"]
    assert len(operations) > 10
    for path, operation in operations.items():
        known = operation.get("get", {}).get("parameters", ())
        texts = [param["name"] for param in known if param["in"] == "query" and param["schema"].get("type") == "string"]
        for value in (VALUES[0], METRIC) if "get" in operation and not path.endswith("/progress") else ():
            for usual in ({"evaluation": "latest", "place": "0", "id": "q03", "name": value}, {}):
                places = {param["name"]: usual.get(param["name"], value) for param in known if param["in"] == "path"}
                answer = client.get(path.format(**places), params=dict.fromkeys(texts, value), headers=FOREIGN)
                assert answer.status_code in {200, 400, 404, 409, 422}, (path, answer.text)
                assert answer.status_code < 400 or answer.json()["error"]


def test_an_address_names_a_recorded_metric_as_it_is(client):
    series = client.get("/api/v1/history", params={"metric": METRIC}).json()["series"]
    assert {(one["metric"], one["provider"]) for one in series} == {(METRIC, PROVIDER), (METRIC, "other")}
    board = client.get("/api/v1/leaderboard", params={"benchmark": "python:evil:x", "metric": METRIC}).json()
    values = [row["value"] for row in board["rows"]]
    assert len(values) == 2
    assert values == sorted(values)  # less is better, as it was recorded


DATASET = {
    "name": "python:evil:x",
    "version": "1",
    "metadata": {"relevance": "python:evil:x", "chunker": "python:evil:x", "provider": PROVIDER, "metrics": [METRIC]},
    "queries": [{"query_id": "q1", "text": "one", "metadata": {"provider": PROVIDER}}],
    "corpus": [{"doc_id": "d1", "text": "one"}, {"doc_id": "python:evil:x", "text": "two"}],
    "relevance_judgments": [{"query_id": "q1", "doc_id": "d1", "relevance": 1}],
}


OF_DATA = """
score qrels.txt a.run b.run --per-query
compare qrels.txt a.run b.run
fuse a.run b.run -o fused.run
drift a.run b.run
answers replies.jsonl -m answer_f1 ndcg@10
moe routes.jsonl
datasets check dataset.json
eval --benchmarks dataset.json --providers bm25 --no-store
score dataset.json a.run
"""


def test_data_files_run_nothing(canary, capsys):
    (canary / "qrels.txt").write_text("q1 python:evil:x d1 1\nq2 0 python:evil:x 1\n", "utf-8")
    for name in ("a.run", "b.run"):
        (canary / name).write_text("q1 Q0 d1 1 9 python:evil:search\nq2 Q0 python:evil:x 1 8 python:evil:search\n", "utf-8")
    reply = {"query_id": "q1", "answer": "one", "references": ["one"], "metric": METRIC, "provider": PROVIDER}
    (canary / "replies.jsonl").write_text(json.dumps({**reply, "hits": ["d1"], "model": "python:evil:x"}) + "\n", "utf-8")
    route = {"query_id": "q1", "route": "python:evil:x", "optimal_expert": "python:evil:x", "gated": False, "cost": 1}
    (canary / "routes.jsonl").write_text(json.dumps(route) + "\n", "utf-8")
    (canary / "dataset.json").write_text(json.dumps(DATASET), "utf-8")
    run_all(canary, capsys, OF_DATA)
