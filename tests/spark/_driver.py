"""Drivers: processes with a Spark session, so that a test can watch the processes of a job, and end some, while it runs.

A process can have one session only: a classic one or one of Spark Connect. Each driver is a process of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.spark._cluster import environment

SECONDS = 240
"""The longest time that a job of a test may take."""
SECONDS_TO_END = 60

LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "ERROR",
}

_session: Any = None


def open_session(master: str, remote: str, settings: dict[str, str]) -> Any:
    """A session of this process: on a master, or on a Connect server."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _begin(folder: Path, master: str, remote: str, settings: dict[str, str], variables: dict[str, str]) -> None:
    global _session
    os.chdir(folder)
    for name in [name for name in os.environ if name.startswith("SPARK_")]:
        del os.environ[name]
    os.environ.update(variables)
    _session = open_session(master, remote, settings)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(_session, *arguments)
    except Exception:  # noqa: BLE001
        raise RuntimeError(traceback.format_exc()) from None  # errors of Spark hold locks, and cannot be sent to the test


def _end() -> None:
    _session.stop()


class Driver:
    """A process with a session, which calls functions of the tests with it."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self.pool = pool
        self.pid: int = pool.submit(os.getpid).result(SECONDS)

    def start(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function with the session, and come back at once."""
        return self.pool.submit(_call, function, arguments)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of a function that is called with the session."""
        return self.start(function, *arguments).result(SECONDS)


@contextmanager
def running_driver(folder: Path, master: str = "", remote: str = "", **settings: str) -> Iterator[Driver]:
    """A driver in a folder, with a session on a master or a Connect server. Settings are written with `__` for the dots."""
    own = {} if remote else LOCAL | {"spark.sql.warehouse.dir": str(folder / "warehouse")}
    own |= {name.replace("__", "."): value for name, value in settings.items()}
    context = multiprocessing.get_context("spawn")
    variables = {name: value for name, value in environment(folder).items() if name.startswith(("SPARK_", "PYSPARK_"))}
    with ProcessPoolExecutor(1, context, _begin, (folder, master, remote, own, variables)) as pool:
        driver = Driver(pool)
        try:
            yield driver
        finally:
            try:
                pool.submit(_end).result(SECONDS_TO_END)
            except TimeoutError:  # a job of a failed test never ends
                os.kill(driver.pid, signal.SIGKILL)
