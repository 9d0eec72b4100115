"""assay serve: what it refuses, what visitors get from it, and how it ends at a signal."""

import io
import re
import signal
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from queue import SimpleQueue
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

pytest.importorskip("uvicorn")

import assay as api
from assay.cli import main
from assay.store import Store

TOKEN = "a-rather-long-token"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """The name of a stored result of mine.json; the store is s.db."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    dataset = api.BenchmarkDataset("mine", "1")
    dataset.add_query(api.Query("q1", "what is it"))
    dataset.add_document(api.Document("d1", "words of the first document"))
    dataset.add_judgment(api.RelevanceJudgment("q1", "d1", 1))
    dataset.save_json("mine.json")
    with Store.open("s.db") as opened:
        return opened.save([api.run("mine.json", "bm25", metrics=["ndcg@10"])])


class Output(io.StringIO):
    """Standard output that hands on the address in it."""

    def __init__(self):
        super().__init__()
        self.address = SimpleQueue()

    def flush(self):
        if found := re.search(r"http://\S+", self.getvalue()):
            self.address.put(found[0])


@pytest.fixture
def serve(store, capsys, monkeypatch):
    """A server in this process that ends by a signal after a visit: what the visitor found, exit code, standard error."""

    def call(visit, *words, number=signal.SIGINT):
        output, is_over = Output(), threading.Event()

        def come():
            address = output.address.get()
            try:
                return address and visit(address)
            finally:
                if not is_over.is_set():
                    signal.pthread_kill(threading.main_thread().ident, number)

        with ThreadPoolExecutor(1) as visitors, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", output)
            found = visitors.submit(come)
            code = main(["serve", "--store", "s.db", "--port", "0", *words])
            is_over.set()
            output.address.put("")
        return found.result(), code, capsys.readouterr().err

    return call


def ask(address, path="/", method="GET", body=None, **headers):
    """The status, headers and text of an answer; nobody follows where it leads."""
    connection = HTTPConnection("127.0.0.1", urlsplit(address).port)
    with closing(connection):
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def test_it_answers_and_ends_at_a_signal(serve):
    """A stream of events, which never ends by itself, is told to end; nothing is cut off with a traceback."""

    def visit(address):
        _, headers, page = ask(address)
        assert ("server" in {name.lower() for name in headers}, "bm25" in page) == (False, True)
        return re.sub(r"\d+/", "", address)

    def visit_and_stay(address):
        streams.append(urlopen(f"{address}events"))
        assert streams[0].readline().startswith(b"retry:")
        return visit(address)

    streams = []
    for number, code in ((signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
        come = visit_and_stay if number == signal.SIGINT else visit
        assert serve(come, number=number) == ("http://127.0.0.1:", code, "interrupted\n"), number
    with streams[0] as stream:
        assert b"data:" in stream.read()


def test_a_token_from_a_file_is_needed_and_words_of_given_benchmarks_are_shown(serve, store):
    def visit(address):
        page = f"/result/{store}/0/query?id=q1"
        assert ask(address, page, Authorization="Bearer wrong")[0] == 401
        status, _, text = ask(address, page, Authorization=f"Bearer {token}")
        return status, "words of the first document" in text

    file = Path("token.txt")
    for token, mode, words, notes in (
        (TOKEN, 0o600, ("--datasets", "mine.json"), []),
        ("short", 0o644, (), ["other users can read token.txt", "a token of 5 characters is easy to guess"]),
    ):
        file.write_text(f"{token}\n")
        file.chmod(mode)
        found, code, err = serve(visit, "--token-file", "token.txt", *words)
        assert (found, code, token in err) == ((200, bool(words)), 130, False)
        assert re.findall("note: (.*?)[;.] ", err) == notes


def test_documents_in_a_folder_beside_a_file_of_queries_are_shown(serve):
    """What `assay eval --queries … --documents …` has evaluated can be judged."""
    Path("docs").mkdir()
    Path("docs/d1.md").write_text("horses can doze on their feet")
    Path("queries.jsonl").write_text('{"query_id": "q1", "query": "how do horses doze"}\n')
    source = ("--documents", "docs")
    words = ("--queries", "queries.jsonl", *source, "--providers", "bm25", "--store", "s.db", "--quiet")
    assert main(["eval", *words]) == 0
    with Store.open("s.db") as opened:
        name = opened.list("queries")[0].evaluation

    def visit(address):
        status, _, text = ask(address, f"/result/{name}/0/query?id=q1")
        return status, "horses can doze" in text

    assert serve(visit)[0] == (200, False)
    assert serve(visit, "--datasets", "queries.jsonl", *source)[0] == (200, True)


def test_forwarded_headers_are_believed_from_named_proxies_alone(serve, monkeypatch):
    """The token may come from the environment, which lets other machines in."""

    def visit(address):
        assert (ask(address, "/api/v1/results")[0], urlsplit(address).hostname == "0.0.0.0") == (401, False)
        form = {"Content_Type": "application/x-www-form-urlencoded", "X_Forwarded_Proto": "https"}
        status, headers, _ = ask(address, "/login", "POST", f"token={TOKEN}", **form)
        return status, "secure" in headers["Set-Cookie"].lower()

    monkeypatch.setenv("ASSAY_TOKEN", TOKEN)
    for words, is_believed in ((("--proxy", "127.0.0.1"), True), (("--proxy", "192.0.2.7"), False)):
        assert serve(visit, "--host", "0.0.0.0", *words)[0] == (303, is_believed), words


@pytest.mark.usefixtures("store")
def test_what_is_refused(assay, transcript, monkeypatch):
    Path("bytes.txt").write_bytes(b"\xff\xfe\xfd")
    Path("short.txt").touch(0o600)
    monkeypatch.setenv("ASSAY_TOKEN", "  ")
    transcript("serve/refused")
    for words in (["--token", "canary"], ["--token=canary"], ["--token-file", "canary"], ["--my-token", "canary"]):
        done = assay("serve", "--store", "s.db", *words)
        assert (done.code, "canary" in done.err) == (2, False), words
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = assay("serve", "--store", "s.db", "--port", port)
    assert (done.code, f"cannot listen on 127.0.0.1:{port}" in done.err) == (2, True)
    monkeypatch.setitem(sys.modules, "starlette", None)
    needs = "the web pages need the extra 'web': pip install 'assay-ir[web]'"
    assert assay("serve", "--store", "s.db").err == f"error: {needs}\n"
