"""A Spark Connect server on this machine, as a process of its own: its clients have neither Java nor a SparkContext."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark._cluster import LOOPBACK, start
from tests.spark._driver import LOCAL

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        return listening.getsockname()[1]


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """The address of a server with two threads."""
    port = free_port()
    settings = LOCAL | {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.log.level": "INFO",
    }
    options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    submit = ["org.apache.spark.deploy.SparkSubmit", "--master", "local[2]", "--class", SERVER, *options, "spark-internal"]
    server = start("connect", submit, folder)
    try:
        server.wait_for("Spark Connect server started at")
        yield f"sc://{LOOPBACK}:{port}"
    finally:
        server.stop()
