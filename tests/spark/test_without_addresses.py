"""Wrong masters and servers, and a machine without Java: one error within seconds, before Spark is started."""

from __future__ import annotations

import socket
import time

import pytest

import assay
from assay.cli import main
from assay.masking import forget_secrets
from assay.spark import shown_address

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
    shown = address.partition("/;")[0]
    assert capsys.readouterr().err == (
        f"error: {shown}: nothing answers at 127.0.0.1:{closed_port} (Connection refused). "
        "Check the address, and that Spark runs there\n"
    )


@pytest.fixture
def no_secrets():
    """Addresses add their secrets to the register of the process."""
    yield
    forget_secrets()


@pytest.mark.usefixtures("no_secrets")
@pytest.mark.parametrize(
    ("address", "shown"),
    {
        "sc://host": "sc://host",
        "sc://host:443/;token=sEcReT1;use_ssl=true": "sc://host:443",
        "sc://host:443;token=sEcReT1": "sc://host:443",
        "sc://me:sEcReT1@host:443/;user_id=x": "sc://host:443",
        "sc://me:sEc@ReT1@host": "sc://host",
        "sc://me:sEc/ReT1@host": "sc://host",
        "k8s://https://me:sEcReT1@host:443": "k8s://https://host:443",
        "me:sEcReT1@host:7077": "host:7077",
        "local[2]": "local[2]",
        "sc://": "sc://",
    }.items(),
)
def test_addresses_are_shown_without_secrets(address, shown):
    assert shown_address(address) == shown


@pytest.mark.usefixtures("no_secrets", "java")
@pytest.mark.parametrize("end", ["/;token=sEcReT1", "/;token=sEcReT1;user_id=x", ";token=sEcReT1"])
@pytest.mark.parametrize("start", ["sc://127.0.0.1:{}", "sc://127.0.0.1:x", "sc://127.0.0.1:", "sc:/127.0.0.1:{}"])
def test_errors_show_no_secrets(capsys, closed_port, start, end):
    assert main([*SCORE, "--master", start.format(closed_port) + end]) in (2, 4)
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert "sEcReT1" not in error
    assert "127.0.0.1" in error


@pytest.mark.usefixtures("no_secrets")
def test_errors_of_spark_itself_show_no_secrets(capsys, monkeypatch):
    def refused(master):
        raise assay.ProviderError(f"Spark failed: no user for the token sEcReT1 at {master}")

    monkeypatch.setattr("assay.spark.open_session", refused)
    assert main([*SCORE, "--master", "sc://host/;token=sEcReT1"]) == 4
    assert capsys.readouterr().err == "error: Spark failed: no user for the token … at sc://host/;token=…\n"


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("address", "port"),
    {
        "sc://host:x/;user_id=x": "x",
        "sc://host:": "",
        "sc://host:0": "0",
        "sc://host:65536": "65536",
        "sc://host:1:2": "1:2",
        "sc://host:²": "²",
        "spark://one:x,two:7077": "x",
        "spark://one:7077,two:70770": "70770",
    }.items(),
)
@pytest.mark.parametrize("proxy", ["", "http://proxy:3128"])
def test_a_wrong_port(capsys, monkeypatch, address, port, proxy):
    monkeypatch.setenv("https_proxy", proxy)
    assert main([*SCORE, "--master", address]) == 2
    shown = address.partition("/;")[0]
    assert capsys.readouterr().err == f"error: the port in {shown} is {port!r}, not a number from 1 to 65535\n"


def test_an_address_of_version_6(capsys, closed_port):
    assert main([*SCORE, "--master", f"sc://[::1]:{closed_port}"]) == 4
    assert f"nothing answers at ::1:{closed_port} (" in capsys.readouterr().err


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
    assert main([*SCORE, "--master", "sc://me@host:443/;user_id=sEcReT1"]) == 2
    assert capsys.readouterr().err == "note: waiting for sc://host:443 to start the first task …\nerror: no session\n"
