"""Wrong masters and servers, and a machine without Java: one error within seconds, before Spark is started."""

from __future__ import annotations

import socket
import time

import pytest

import assay
from assay.cli import main

SCORE = ["score", "--engine", "spark", "examples/qrels.txt", "examples/bm25.run", "-m", "map"]


@pytest.fixture(autouse=True)
def pyspark(monkeypatch):
    """The commands think that PySpark is installed, but none of them may start it."""
    monkeypatch.setattr("assay.extras.find_spec", lambda name: name)
    monkeypatch.setenv("no_proxy", "*")
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def java(monkeypatch, tmp_path):
    """A machine with a program called java."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))


@pytest.fixture
def closed_port():
    """A port of this machine that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()
    return port[1]


@pytest.mark.parametrize("master", ["lokal[2]", "spark://host", "host:7077", "sc://"])
def test_what_is_not_a_master(capsys, master):
    assert main([*SCORE, "--master", master]) == 2
    assert capsys.readouterr().err == (
        f"error: {master!r} is not a master of Spark. Write one like these: "
        "local[4], spark://host:7077, yarn, k8s://https://host:443, sc://host:15002\n"
    )


@pytest.mark.parametrize("address", ["spark://127.0.0.1:{}", "sc://127.0.0.1:{}", "sc://127.0.0.1:{}/;user_id=x"])
def test_an_address_where_nothing_answers(capsys, java, closed_port, address):
    address = address.format(closed_port)
    assert main([*SCORE, "--master", address]) == assay.ProviderError.exit_code
    assert capsys.readouterr().err == (
        f"error: {address}: nothing answers at 127.0.0.1:{closed_port} (Connection refused). "
        "Check the address, and that Spark runs there\n"
    )


def test_all_masters_of_a_list_are_named(capsys, java, closed_port):
    assert main([*SCORE, "--master", f"spark://127.0.0.1:{closed_port},127.0.0.1:{closed_port}"]) == 4
    assert capsys.readouterr().err.count(f"127.0.0.1:{closed_port} (Connection refused)") == 2


@pytest.mark.parametrize("home", ["", "/nowhere"])
def test_no_java(capsys, monkeypatch, home, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", home)
    assert main([*SCORE, "--master", "local[2]"]) == 2
    where = "JAVA_HOME is /nowhere, but it has no bin/java" if home else "there is no java on the path"
    assert capsys.readouterr().err.startswith(f"error: Spark needs Java 17 or newer, and {where}. On Debian and Ubuntu: ")


def test_a_slow_start_is_noted(capsys, monkeypatch):
    def slow(master):
        time.sleep(0.5)
        raise assay.UsageError("no session")

    monkeypatch.setattr("assay.cli.engines.spark_scoring.SECONDS_TO_START", 0)
    monkeypatch.setattr("assay.spark.open_session", slow)
    assert main([*SCORE, "--master", "yarn"]) == 2
    assert capsys.readouterr().err == "note: waiting for yarn to start the first task …\nerror: no session\n"
