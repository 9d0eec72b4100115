"""Canaries: retrievers that repeat every secret they were given, and a walk over all outputs in search of one."""

import base64
import gzip
import html
import io
import json
import re
import shlex
import sqlite3
import sys
import zlib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard

import assay
from assay.cli import main

from ._service import serving

CANARY = "K4nary"
"""How every secret here begins. No spelling changes letters and digits, so a text that lacks this has no secret."""
KEYS = {"SEARCH_KEY": CANARY + '1"&/+<x', "QUERY_KEY": CANARY + "2/ü=", "OWN_API_KEY": CANARY + "3-of-the-program"}
PASSWORD = CANARY + "4:pass@word"
LITERAL = CANARY + "5-literal"
IN_BASE64 = base64.b64encode(f"me:{CANARY}".encode()).decode()[:10]

MOST_PAGES = 150

PROGRAM = """
import json, os, sys
told = " ".join([*sys.argv, os.environ["OWN_API_KEY"]])
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] != "search":
        continue
    if asked["id"] == "q2":
        print(told, file=sys.stderr)
        print(json.dumps({"id": asked["id"], "error": told}), flush=True)
        continue
    hit = {"id": "d1", "score": 1.0, "text": told, told: told}
    print(json.dumps({"id": asked["id"], "hits": [hit], "answer": told, "route": told}), flush=True)
"""
MODULE = """
import os, sys

def search(query, k):
    key = os.environ["OWN_API_KEY"]
    print("printed", key)
    if "second" in query:
        raise RuntimeError("x" * 280 + key)
    print("warned of", key, file=sys.stderr)
    return [{"id": "d1", "score": 1.0, "text": key, "metadata": {"nested": [{"key": key}, (key, 1)]}}]
"""


def repeat(asked, handler):
    """Everything that was sent, in every field of a good answer; errors, redirects and nonsense for other queries."""
    told = f"{asked.path} {json.dumps(asked.headers)} {asked.headers} {json.dumps(asked.body)}"
    query = asked.body["query"]
    if "second" in query:
        return handler.say(500, told.encode("utf-8", "replace"), X_Told=asked.headers["Authorization"])
    if "third" in query:
        return handler.say(302, b"", Location=f"http://elsewhere/?key={asked.headers['X-Key']}")
    if "fourth" in query:
        return {"results": [{"id": asked.headers["X-Key"], "score": 1.0}]}
    hit = {"id": "d1", "score": 1.0, "text": told, "metadata": {"headers": asked.headers, told: told}}
    said = {"answer": told, "abstained": False, "route": asked.headers["X-Key"], "routes": [told], "gated": False}
    body = json.dumps({"results": [hit], **said}).encode()
    return handler.say(200, body, X_Told=asked.headers["X-Key"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A benchmark, a program and a module that repeat their keys, and the keys in the environment."""
    made = tmp_path_factory.mktemp("canaries")
    dataset = assay.BenchmarkDataset("small", "1")
    for number, word in enumerate(("first", "second", "third", "fourth", "fifth"), 1):
        dataset.add_query(assay.Query(f"q{number}", f"the {word} query", expected="words", metadata={"route": "a"}))
        dataset.add_document(assay.Document(f"d{number}", f"the {word} document"))
        dataset.add_judgment(assay.RelevanceJudgment(f"q{number}", f"d{number}", 1))
    dataset.save_json(made / "small.json")
    (made / "program.py").write_text(PROGRAM)
    (made / "repeating.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        patch.setenv("GITHUB_ACTIONS", "true")
        patch.setenv("GITHUB_STEP_SUMMARY", str(made / "summary.md"))
        patch.chdir(made)
        patch.syspath_prepend(str(made))
        yield made
    sys.modules.pop("repeating", None)


def providers(url):
    """One of each kind; of `http` one with variables and one with secrets that are written out."""
    body = """body='{"query": "{query}", "who": "${SEARCH_KEY}"}'"""
    variables = "headers='Authorization: Bearer ${SEARCH_KEY}; X-Key: ${QUERY_KEY}'"
    literal = f"headers='Authorization: Bearer {LITERAL}; X-Key: {LITERAL}'"
    login = url.replace("http://", f"http://me:{PASSWORD.replace(':', '%3A').replace('@', '%40')}@")
    program = f"{shlex.quote(sys.executable)} -S program.py --api-key {LITERAL}"
    return [
        f"service=http(url='{url}?key=${{QUERY_KEY}}', {body}, {variables})",
        f"""literal=http(url='{login}?api_key={LITERAL}', {literal})""",
        f"login=http(url='{login}', headers='X-Key: {LITERAL}')",
        f'program=command(command="{program}", index=false)',
        "own=python:repeating:search",
        "bm25",
    ]


def evaluate(url, *more):
    return main(
        ["eval", "--benchmarks", "small.json", "--providers", *providers(url), "--retries", "0", "--strict", "-v", *more]
    )


def opened(content: bytes) -> bytes:
    """What stands in a file, however it is compressed."""
    for way in (
        gzip.decompress,
        zlib.decompress,
        lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    ):
        try:
            return content + opened(way(content))
        except (OSError, EOFError, zlib.error, zstandard.ZstdError):
            continue
    return content


def rows_of(store: Path) -> bytes:
    """Every cell of every table."""
    with sqlite3.connect(store) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        cells = [cell for table in tables for row in database.execute(f'SELECT * FROM "{table}"') for cell in row]
    database.close()
    return b"\n".join(opened(cell) if isinstance(cell, bytes) else str(cell).encode() for cell in cells)


def assert_no_canary(content: bytes | str, where: object) -> None:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    for sign in (CANARY.encode(), IN_BASE64.encode()):
        place = data.find(sign)
        assert place < 0, f"{where}: …{data[max(place - 60, 0) : place + 40]!r}"


def assert_no_canary_below(folder: Path) -> list[Path]:
    """Look through every file; which they were. The sources that hold canaries by themselves are none."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        assert_no_canary(str(path), path)
        assert_no_canary(opened(path.read_bytes()), path)
        if path.suffix == ".db":
            assert_no_canary(rows_of(path), path)
    return files


class Done(NamedTuple):
    """An evaluation that has every output there is."""

    folder: Path
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def done(folder):
    outputs = [f"result.{ending}" for ending in ("json", "csv", "md", "tex", "trec")]
    out, err = io.StringIO(), io.StringIO()
    with serving(repeat) as service, redirect_stdout(out), redirect_stderr(err):
        code = evaluate(service.url, *(word for name in outputs for word in ("-o", name)))
    return Done(folder, code, out.getvalue(), err.getvalue())


def test_what_an_evaluation_prints_has_no_secret(done):
    assert done.code == 4, done.err
    assert_no_canary(done.out, "stdout")
    assert_no_canary(done.err, "stderr")
    assert "printed …" in done.err
    assert "warned of …" in done.err


def test_no_file_that_an_evaluation_leaves_has_a_secret(done):
    found = {one["name"]: one for one in json.loads((done.folder / "result.json").read_text())["results"]}
    for name in ("service", "literal", "login"):
        assert {"q1", "q5"} <= set(found[name]["run"])
        assert set(found[name]["failures"]) == {"q2", "q3", "q4"}
        assert found[name]["failures"]["q4"].endswith("), so the hits are not stored")
    assert set(found["own"]["failures"]) == set(found["program"]["failures"]) == {"q2"}
    kinds = {path.suffix for path in assert_no_canary_below(done.folder)}
    assert {".json", ".csv", ".md", ".tex", ".trec", ".db", ".log"} <= kinds


COMMANDS = [
    *(["show", "latest", "-f", form] for form in ("table", "csv", "json", "latex", "markdown", "trec")),
    ["show", "latest", "--query", "q1"],
    ["show", "latest", "--query", "q2"],
    ["results", "-f", "json"],
    ["results", "export", "latest", "-o", "exported.jsonl.zst"],
    ["compare", "result.json", "-m", "mrr"],
    ["bless", "latest", "--as", "before"],
    ["gate", "latest", "--rule", "mrr >= 0.99", "-o", "gate.xml", "-o", "gate.json"],
    ["gate", "latest", "--rule", "mrr drops <= 0.1", "--baseline", "before", "-v"],
    ["history", "-m", "mrr"],
    ["report", "latest", "-o", "report.html"],
    ["watch", "--rule", "mrr >= 0.99"],
    ["store", "check"],
]


@pytest.mark.slow
def test_no_command_over_the_store_shows_a_secret(done, capsys):
    for words in COMMANDS:
        code = main(words)
        said = capsys.readouterr()
        assert code in (0, 1), (words, said.err)
        assert_no_canary(said.out + said.err, words)
    assert {path.name for path in assert_no_canary_below(done.folder)} >= {"report.html", "exported.jsonl.zst", "summary.md"}


@pytest.mark.slow
def test_no_page_and_no_endpoint_shows_a_secret(done):
    testclient = pytest.importorskip("starlette.testclient")
    from assay.web import make_app

    client = testclient.TestClient(make_app(done.folder / ".assay" / "assay.db"), base_url="http://127.0.0.1:8765")
    (row, *_) = client.get("/api/v1/results").json()["results"]
    own = {"{evaluation}": row["evaluation"], "{place}": str(row["place"]), "{name}": "mrr"}
    queries = "?query=q1&metric=mrr&results=latest"
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    waiting = ["/", *(_filled(url, own) + queries for url, methods in paths.items() if "get" in methods)]
    seen = set()
    while waiting and len(seen) < MOST_PAGES:
        if (address := waiting.pop(0)) in seen or address.startswith(("/logout", "/events")):
            continue
        seen.add(address)
        answer = client.get(address)
        assert_no_canary(answer.content, address)
        if answer.headers["content-type"].startswith("text/html"):
            waiting += [html.unescape(found) for found in re.findall(r'(?:href|src|action)="(/[^"#]*)', answer.text)]
    assert {one.partition("?")[0] for one in seen} >= {"/", "/compare", "/leaderboard", "/history", "/datasets"}


@pytest.fixture
def holding(folder, tmp_path, monkeypatch):
    """A folder whose benchmark holds a key in the text of a query."""
    monkeypatch.chdir(tmp_path)
    dataset = assay.BenchmarkDataset("holding", "1")
    dataset.add_query(assay.Query("q1", f"what is {KEYS['OWN_API_KEY']}", metadata={"kind": KEYS["OWN_API_KEY"]}))
    dataset.add_document(assay.Document("d1", "what is this"))
    dataset.add_judgment(assay.RelevanceJudgment("q1", "d1", 1))
    (tmp_path / "data").mkdir()
    dataset.save_json(tmp_path / "data" / "holding.json")
    return tmp_path


EVAL = ["eval", "--benchmarks", "data/holding.json", "--providers", "bm25", "--no-cache", "-m", "mrr", "-o", "out/r.json"]


def test_a_secret_in_data_notes_and_tags_is_not_kept(holding, capsys):
    for words in (
        EVAL,
        ["results", "note", "latest", KEYS["OWN_API_KEY"]],
        ["results", "tag", "latest", KEYS["OWN_API_KEY"]],
    ):
        assert main([*words, "--store", "out/s.db"]) == 0, capsys.readouterr().err
    assert main(["results", "export", "-o", "out/all.jsonl.zst", "--store", "out/s.db"]) == 0
    assert {path.name for path in assert_no_canary_below(holding / "out")} == {"r.json", "s.db", "all.jsonl.zst"}


@pytest.mark.slow
def test_a_secret_that_was_stored_before_it_was_known_is_not_shown(holding, monkeypatch, capsys):
    testclient = pytest.importorskip("starlette.testclient")
    from assay.masking import forget_secrets
    from assay.web import make_app

    with monkeypatch.context() as patch:
        patch.delenv("OWN_API_KEY")
        forget_secrets()
        assert main([*EVAL, "--store", "old.db"]) == 0, capsys.readouterr().err
    assert CANARY.encode() in rows_of(holding / "old.db")
    assert main(["report", "latest", "-o", "new/page.html", "-o", "new/r.json", "--store", "old.db"]) == 0
    assert len(assert_no_canary_below(holding / "new")) == 2
    client = testclient.TestClient(make_app(holding / "old.db"), base_url="http://127.0.0.1:8765")
    (row, *_) = client.get("/api/v1/results").json()["results"]
    for page in (
        f"/result/{row['evaluation']}/{row['place']}/query?id=q1",
        f"/api/v1/results/{row['evaluation']}/{row['place']}/query?id=q1",
    ):
        answer = client.get(page)
        assert answer.status_code == 200, (page, answer.text)
        assert "what is …" in answer.text
        assert_no_canary(answer.content, page)


def _filled(url, values):
    for name, value in values.items():
        url = url.replace(name, value)
    return url


def test_a_traceback_has_no_secret(done, capsys, monkeypatch):
    def broken(*_, **__):
        raise KeyError(f"a bug with {KEYS['OWN_API_KEY']} in it")

    monkeypatch.setattr("assay.execution.execute_plan", broken)
    assert main(["eval", "--benchmarks", "small.json", "--providers", "own=python:repeating:search", "--no-store"]) == 70
    error = capsys.readouterr().err
    assert "Traceback" in error
    assert "a bug with … in it" in error
    assert_no_canary(error, "traceback")


def test_a_result_of_the_python_api_has_no_secret(done):
    with serving(repeat) as service:
        result = assay.run("small.json", providers(service.url)[0].partition("=")[2], metrics="mrr", retries=0)
    assert set(result.failures) == {"q2", "q3", "q4"}
    assert_no_canary(json.dumps(result.to_dict()), "a result")
    with pytest.raises(assay.ProviderError) as caught:
        assay.run("small.json", own_failure, metrics="mrr", retries=0)
    assert_no_canary(str(caught.value), "an error")
    assert "refused …" in str(caught.value)


def own_failure(query, k):
    raise ConnectionError(f"refused {KEYS['OWN_API_KEY']}")


MALFORMED = [
    "http(url='http://user:K4nary pass@host')",
    "http(url='https://host:port:K4nary/')",
    "http(url='http://user:K4nary@[::1')",
    "http(url='ftp://user:K4nary@host')",
    "http(url='http://host/?key=${K4nary')",
    "http(url='http://host', headers='Authorization Bearer K4nary')",
    "http(url='http://host', headers='Authorization: Bearer K4nary\nX: y')",
    "http(url='http://host', headers='Authorization: Bearer ${K4nary')",
    "http(url='http://host', headers='{\"Authorization\": K4nary}')",
    "http(url='http://host', headers='Authorization: K4nary', body='{\"key\": K4nary')",
    "http(url='http://host', headers='Authorization: K4nary)",
    "http(timeout=x, headers='Authorization: K4nary', url='http://host')",
    "http(unknown=x, headers='Authorization: K4nary', url='http://host')",
    "http(headers='Authorization: K4nary')",
    "http://user:K4nary@host/search",
    "hybrid(bm25, http(url='http://host', headers='Authorization: K4nary'), method=x)",
    "hybrid(bm25, http(url='http://host', headers='Authorization: K4nary)",
    "qdrant(url='ftp://user:K4nary@host')",
    "pgvector(dsn=K4nary)",
    "command:search --key 'K4nary",
]


def test_what_cannot_be_read_is_not_shown(folder, tmp_path, capsys):
    plan = tmp_path / "plan.yaml"
    for text in MALFORMED:
        assert main(["eval", "--benchmarks", "small.json", "--providers", text, "--no-store"]) == 2, text
        error = capsys.readouterr().err
        assert_no_canary(error, text)
        assert error.startswith("error: "), text
        plan.write_text(json.dumps({"benchmarks": ["small.json"], "providers": [text]}))
        assert main(["eval", str(plan), "--no-store"]) == 2, text
        assert_no_canary(capsys.readouterr().err, text)
    text = "http(url='http://127.0.0.1:9/', headers='Authorization: Bearer K4nary€')"
    assert main(["eval", "--benchmarks", "small.json", "--providers", text, "--no-store", "--retries", "0"]) == 4
    assert_no_canary(capsys.readouterr().err, text)


def test_the_password_of_a_store_is_not_shown(folder, capsys):
    for store in ("postgresql://me:K4nary@127.0.0.1:1/db", "postgres//me:K4nary@host/db", "mysql://me:K4nary@h"):
        assert main(["show", "latest", "--store", store]) in (2, 6)
        error = capsys.readouterr().err
        assert "ASSAY_STORE" in error, store
        assert_no_canary(error, store)
