"""assay serve: what it refuses, and a real server that answers and ends on Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

pytest.importorskip("uvicorn")

import assay
from assay.cli import main
from assay.store import Store


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.db"
    with Store.open(path) as opened:
        opened.save([assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["ndcg@10"], name="bm25")])
    return path


@contextmanager
def served(store, *words):
    """The address of a server in a process of its own, and the process."""
    command = [sys.executable, "-m", "assay", "serve", "--store", str(store), "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, line + process.stderr.read()
            yield found[0], process
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_answers_and_ends_at_a_signal(store, number, code):
    with served(store) as (address, process):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        with urllib.request.urlopen(address) as answer:
            assert "bm25" in answer.read().decode()
            assert "server" not in {name.lower() for name in answer.headers}
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (code, "interrupted\n")


def test_an_open_progress_page_does_not_hold_it_up(store):
    """A stream of events never ends by itself: the server tells it to, and nothing is cut off with a traceback."""
    with served(store) as (address, process), urllib.request.urlopen(f"{address}progress/events") as stream:
        assert stream.readline().startswith(b"retry:")
        os.kill(process.pid, signal.SIGINT)
        assert b"data:" in stream.read()
        _, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (130, "interrupted\n")


def test_the_token_may_come_from_the_environment(store, monkeypatch):
    monkeypatch.setenv("ASSAY_TOKEN", "a-rather-long-token")
    with served(store, "--host", "0.0.0.0") as (address, _):
        assert not address.startswith("http://0.0.0.0")
        port = address.rstrip("/").rpartition(":")[2]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/results")


@pytest.fixture
def token_file(tmp_path):
    """Writes a token where only its owner reads it."""

    def write(text, mode=0o600):
        path = tmp_path / "token.txt"
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    return write


def test_a_token_is_needed_by_others(store, token_file):
    with served(store, "--token-file", token_file("a-rather-long-token\n")) as (address, _):
        request = urllib.request.Request(f"{address}api/v1/results")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(request)
        request.add_header("Authorization", "Bearer a-rather-long-token")
        assert urllib.request.urlopen(request).status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_another_host_needs_a_token(store, capsys, host):
    assert main(["serve", "--store", str(store), "--host", host]) == 2
    error = capsys.readouterr().err
    assert f"--host {host} --token-file FILE" in error
    assert error.count("\n") == 1


def test_a_token_of_spaces_is_none(store, capsys, monkeypatch):
    monkeypatch.setenv("ASSAY_TOKEN", "  ")
    assert main(["serve", "--store", str(store), "--host", "0.0.0.0"]) == 2
    assert "a token is needed" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "found"), [("", "0 lines"), (" \n", "0 lines"), ("canary-one\ncanary-two\n", "2 lines")])
def test_a_file_with_a_token_has_one_line(store, capsys, token_file, text, found):
    assert main(["serve", "--store", str(store), "--token-file", token_file(text)]) == 2
    error = capsys.readouterr().err
    assert f"expected one line, which is the token; found {found}" in error
    assert "canary" not in error


@pytest.mark.parametrize("flag", ["--token", "--token-file", "--my-token"])
def test_a_token_in_the_command_is_refused_and_not_shown(store, capsys, flag):
    assert main(["serve", "--store", str(store), flag, "canary-canary-canary"]) == 2
    assert "canary" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--token", "canary-canary"], ["--token=canary-canary"], ["--token"]])
def test_the_flag_that_is_gone_says_what_to_use(store, capsys, words):
    assert main(["serve", "--store", str(store), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: --token is gone")
    assert "--token-file FILE" in error
    assert "ASSAY_TOKEN" in error
    assert "canary" not in error


def test_a_file_with_a_token_that_is_missing_is_named(store, capsys, tmp_path):
    assert main(["serve", "--store", str(store), "--token-file", str(tmp_path / "none")]) == 2
    assert (
        capsys.readouterr().err
        == f"error: --token-file {tmp_path}/none: there is no such file; it holds the token in one line\n"
    )


def test_a_file_with_a_token_that_cannot_be_read(store, capsys, tmp_path):
    (tmp_path / "token").write_bytes(b"\xff\xfe\xfd")
    for path in (tmp_path / "token", tmp_path):
        assert main(["serve", "--store", str(store), "--token-file", str(path)]) == 2
        assert "the token cannot be read" in capsys.readouterr().err


def test_a_file_with_a_token_that_others_can_read_is_noted(store, token_file):
    with served(store, "--token-file", token_file("a-rather-long-token", 0o644)) as (_, process):
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert errors.startswith("note: other users can read ")
    assert "chmod 600 " in errors
    assert "a-rather-long-token" not in errors


def test_a_short_token_is_refused_where_others_are_let_in(store, capsys, token_file):
    assert main(["serve", "--store", str(store), "--host", "0.0.0.0", "--token-file", token_file("elevenchars")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: a token of 11 letters is easily guessed; 12 or more are needed where other machines")
    assert "secrets.token_urlsafe()" in error
    assert error.count("\n") == 1


def test_the_command_that_makes_a_token_does():
    from assay.cli.commands.serve import MAKE_COMMAND, MIN_TOKEN_LENGTH

    made = subprocess.run(
        MAKE_COMMAND.replace("python", sys.executable, 1), shell=True, capture_output=True, text=True, check=True
    )
    assert len(made.stdout.strip()) >= 3 * MIN_TOKEN_LENGTH


def test_a_short_token_on_this_machine_is_noted(store, token_file):
    with served(store, "--token-file", token_file("short")) as (address, process):
        request = urllib.request.Request(f"{address}api/v1/results", headers={"Authorization": "Bearer short"})
        assert urllib.request.urlopen(request).status == 200
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert errors.startswith("note: a token of 5 letters is easily guessed")


def test_a_benchmark_that_is_given_has_its_words_shown(tmp_path):
    dataset = assay.BenchmarkDataset("mine", "1")
    dataset.add_query(assay.Query("q1", "what is it"))
    dataset.add_document(assay.Document("d1", "the words of the first document"))
    dataset.add_judgment(assay.RelevanceJudgment("q1", "d1", 1))
    dataset.save_json(tmp_path / "mine.json")
    with Store.open(tmp_path / "s.db") as opened:
        name = opened.save([assay.run(str(tmp_path / "mine.json"), "bm25", metrics=["ndcg@10"])])
    for words, is_shown in ((("--datasets", str(tmp_path / "mine.json")), True), ((), False)):
        with served(tmp_path / "s.db", *words) as (address, _):
            page = urllib.request.urlopen(f"{address}result/{name}/0/query?id=q1").read().decode()
            assert ("the words of the first document" in page) is is_shown


def test_a_dataset_that_is_not_there(store, capsys, tmp_path):
    assert main(["serve", "--store", str(store), "--datasets", str(tmp_path / "none.json")]) == 3
    assert "no such file" in capsys.readouterr().err


def test_a_store_that_is_not_there(tmp_path, capsys):
    assert main(["serve", "--store", str(tmp_path / "none.db")]) == 6
    assert "there is no store" in capsys.readouterr().err


def test_a_port_that_is_taken(store, capsys):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--store", str(store), "--port", str(port)]) == 2
    assert f"127.0.0.1:{port} cannot be listened on" in capsys.readouterr().err


def test_a_missing_package_is_told_in_one_line(store, capsys, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "starlette" else real(name))
    assert main(["serve", "--store", str(store)]) == 2
    assert capsys.readouterr().err == "error: the web pages need starlette: pip install 'assay[web]'\n"


def test_a_proxy_lets_others_in_so_it_needs_a_token(store, capsys, monkeypatch):
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    assert main(["serve", "--store", str(store), "--proxy", "127.0.0.1"]) == 2
    assert capsys.readouterr().err.startswith("error: a proxy lets other machines in, so a token is needed")


def test_a_proxy_is_named_by_its_address(store, capsys):
    assert main(["serve", "--store", str(store), "--proxy", "proxy.example.org"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: a proxy is an address or a network such as 192.0.2.7 or 192.0.2.0/24")
    assert error.count("\n") == 1


@pytest.mark.parametrize("is_named", [True, False])
def test_forwarded_headers_are_believed_from_named_proxies_alone(store, monkeypatch, is_named):
    """Else whoever guesses takes a new address each time, and is never throttled."""
    monkeypatch.setenv("ASSAY_TOKEN", "a-rather-long-token")
    words = ("--proxy", "127.0.0.1") if is_named else ()
    with served(store, *words) as (address, _):
        statuses = []
        for number in range(9):
            headers = {"Authorization": "Bearer wrong", "X-Forwarded-For": f"203.0.113.{number}"}
            request = urllib.request.Request(f"{address}api/v1/results", headers=headers)
            with pytest.raises(urllib.error.HTTPError) as told:
                urllib.request.urlopen(request)
            statuses.append(told.value.code)
            told.value.close()
        assert (429 in statuses) is not is_named
