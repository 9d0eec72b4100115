"""assay serve: what it refuses, what visitors get from it, and how it ends at a signal."""

import importlib.util
import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

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


def status_of(url, **headers):
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code


def test_it_answers_and_ends_at_a_signal(serve):
    """A stream of events, which never ends by itself, is told to end; nothing is cut off with a traceback."""

    def visit(address):
        with urlopen(address) as answer:
            assert "server" not in {name.lower() for name in answer.headers}
            assert "bm25" in answer.read().decode()
        return re.sub(r"\d+/", "", address)

    def visit_and_stay(address):
        streams.append(urlopen(f"{address}progress/events"))
        assert streams[0].readline().startswith(b"retry:")
        return visit(address)

    streams = []
    for number, come, code in (
        (signal.SIGHUP, visit, 129),
        (signal.SIGINT, visit_and_stay, 130),
        (signal.SIGTERM, visit, 143),
    ):
        assert serve(come, number=number) == ("http://127.0.0.1:", code, "interrupted\n"), number
    with streams[0] as stream:
        assert b"data:" in stream.read()


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_process_ends_at_a_signal():
    command = [sys.executable, "-m", "assay", "serve", "--store", "s.db", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert status_of(re.search(r"http://\S+", process.stdout.readline())[0]) == 200
        os.kill(process.pid, signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (143, "interrupted\n")


def test_a_token_from_a_file_is_needed_and_words_of_given_benchmarks_are_shown(serve, store):
    def visit(address):
        page = f"{address}result/{store}/0/query?id=q1"
        assert [status_of(page, Authorization=f"Bearer {token}") for token in ("wrong", token)] == [401, 200]
        with urlopen(Request(page, headers={"Authorization": f"Bearer {token}"})) as answer:
            return "words of the first document" in answer.read().decode()

    file = Path("token.txt")
    for token, mode, words, notes in (
        (TOKEN, 0o600, ("--datasets", "mine.json"), []),
        ("short", 0o644, (), ["other users can read token.txt", "a token of 5 letters is easily guessed"]),
    ):
        file.write_text(f"{token}\n")
        file.chmod(mode)
        is_shown, code, err = serve(visit, "--token-file", "token.txt", *words)
        assert (is_shown, code, re.findall("note: (.*?);", err)) == (bool(words), 130, notes)
        assert token not in err


class Still(HTTPRedirectHandler):
    """Follows nobody."""

    def redirect_request(self, *_):
        return None


def test_forwarded_headers_are_believed_from_named_proxies_alone(serve, monkeypatch):
    """The token may come from the environment, which lets other machines in."""

    def visit(address):
        assert not address.startswith("http://0.0.0.0")
        local = f"http://127.0.0.1:{address.rstrip('/').rpartition(':')[2]}/"
        assert status_of(f"{local}api/v1/results") == 401
        login = Request(f"{local}login", urlencode({"token": TOKEN}).encode(), {"X-Forwarded-Proto": "https"})
        with pytest.raises(HTTPError) as moved:
            build_opener(Still).open(login)
        with moved.value as answer:
            return answer.code, "secure" in answer.headers["Set-Cookie"].lower()

    monkeypatch.setenv("ASSAY_TOKEN", TOKEN)
    for words, is_believed in ((("--proxy", "127.0.0.1"), True), (("--proxy", "192.0.2.7"), False), ((), False)):
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
    assert (done.code, f"127.0.0.1:{port} cannot be listened on" in done.err) == (2, True)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "starlette" else real(name))
    assert assay("serve", "--store", "s.db").err == "error: the web pages need starlette: pip install 'assay[web]'\n"


@pytest.mark.usefixtures("store")
def test_the_command_that_makes_a_token_does(assay):
    Path("short.txt").write_text("short")
    command = assay("serve", "--store", "s.db", "--host", "::", "--token-file", "short.txt").err.rpartition("makes one: ")[2]
    made = subprocess.run([sys.executable, *shlex.split(command)[1:]], capture_output=True, text=True, check=True)
    assert len(made.stdout.strip()) >= 36
