"""A Spark cluster on this machine: a standalone master and workers on the loopback interface, as processes.

Every process is started and ended by its number, and listens on 127.0.0.1 only. The ports are chosen by the system.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = "127.0.0.1"
HOSTS = ("127.0.0.1", "127.0.0.2")
"""The addresses of workers. Spark starts a second attempt of a slow task only on another host."""

SECONDS_TO_START = 90


class NotStarted(RuntimeError):
    """A process of the cluster ended, or did not come up in time; with the end of its log."""


def spark_home() -> Path:
    """The folder of the installed package, which has the jars and `bin/spark-class`."""
    import pyspark

    return Path(pyspark.__file__).parent


def java() -> str | None:
    """The program that runs Spark, if this machine has one."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")


def environment(folder: Path, host: str = LOOPBACK) -> dict[str, str]:
    """Variables of the processes: everything stays on this machine and in the folder of the test."""
    own = {
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": host,
        "SPARK_LOCAL_HOSTNAME": host,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_CONF_DIR": str(folder),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    return {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")} | own


@dataclass
class Process:
    """A process of the cluster, and its log."""

    name: str
    running: subprocess.Popen[bytes]
    log: Path

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The first match in the log; an error if the process ends before, or needs too long."""
        for _ in _moments(SECONDS_TO_START):
            text = self.log.read_text(encoding="utf-8", errors="replace")
            if match := re.search(pattern, text):
                return match
            if self.running.poll() is not None:
                break
        end = "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
        raise NotStarted(f"{self.name}: no /{pattern}/ in its log\n{end}")

    def stop(self) -> None:
        """End the process and everything that it started."""
        members = descendants(self.running.pid)
        for end in (signal.SIGTERM, signal.SIGKILL):
            if self.running.poll() is None:
                self.running.send_signal(end)
                with suppress(subprocess.TimeoutExpired):
                    self.running.wait(15)
        for pid in members:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _moments(seconds: float, step: float = 0.05) -> Iterator[None]:
    """Comes back every few milliseconds until the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(step)


def start(name: str, arguments: list[str], folder: Path, host: str = LOOPBACK) -> Process:
    """Start a class of Spark. `spark-class` turns into the Java process, which so has its number."""
    log = folder / f"{name}.log"
    with log.open("wb") as stream:
        running = subprocess.Popen(
            [str(spark_home() / "bin" / "spark-class"), *arguments],
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment(folder, host),
            cwd=folder,
            start_new_session=True,
        )
    return Process(name, running, log)


@dataclass
class Cluster:
    """A master and its workers."""

    url: str
    folder: Path
    master: Process
    workers: list[Process] = field(default_factory=list)

    def at_work(self) -> dict[int, list[int]]:
        """Executor → its Python workers that compute now; executors without such workers are left out.

        A worker of the cluster starts executors, an executor starts a daemon, and this starts Python workers.
        """
        tree = _children_of_all()
        executors = [pid for worker in self.workers for pid in tree[worker.running.pid]]
        python = {executor: [pid for daemon in tree[executor] for pid in tree[daemon]] for executor in executors}
        before = {pid: cpu_seconds(pid) for pids in python.values() for pid in pids}
        time.sleep(0.05)
        busy = {pid for pid, seconds in before.items() if cpu_seconds(pid) > seconds}
        return {executor: own for executor, pids in python.items() if (own := [pid for pid in pids if pid in busy])}

    def busy_python_workers(self) -> list[int]:
        """The Python processes that compute now."""
        return [pid for pids in self.at_work().values() for pid in pids]

    def busy_executors(self) -> list[int]:
        """The executors that have such a process."""
        return list(self.at_work())


@contextmanager
def running_cluster(folder: Path, cores: int = 2, memory: str = "1g") -> Iterator[Cluster]:
    """A master with two workers, each with so many cores on paper and so much memory for executors."""
    with ExitStack() as stack:
        master = start("master", ["org.apache.spark.deploy.master.Master", *_address(LOOPBACK)], folder)
        stack.callback(master.stop)
        url = master.wait_for(rf"Starting Spark master at (spark://{LOOPBACK}:\d+)")[1]
        master.wait_for("I have been elected leader")
        cluster = Cluster(url, folder, master)
        size = ["--cores", str(cores), "--memory", memory]
        for number, host in enumerate(HOSTS):
            arguments = ["org.apache.spark.deploy.worker.Worker", *_address(host), *size, url]
            worker = start(f"worker-{number}", arguments, folder, host)
            stack.callback(worker.stop)
            cluster.workers.append(worker)
        for worker in cluster.workers:
            worker.wait_for("Successfully registered with master")
        yield cluster


def _address(host: str) -> list[str]:
    return ["--host", host, "--port", "0", "--webui-port", "0"]


# What /proc says about processes
def _stat(pid: int) -> list[int]:
    """The numbers after name and state: the parent first; nothing if the process has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [int(word) for word in stat.rpartition(")")[2].split()[1:]]


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process, and of its children that have ended."""
    return sum(_stat(pid)[10:14]) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid: int) -> float:
    """The most memory that a process had at a time."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def _children_of_all() -> defaultdict[int, list[int]]:
    """Process → the processes that it started, oldest first."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for pid in sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()):
        found[next(iter(_stat(pid)), 0)].append(pid)
    return found


def children(pid: int) -> list[int]:
    """The processes that this one started."""
    return _children_of_all()[pid]


def descendants(pid: int) -> list[int]:
    """Every process that this one started, and what those started, oldest first."""
    tree, found = _children_of_all(), [pid]
    for member in found:
        found += tree[member]
    return found[1:]


def send_when(number: signal.Signals, find: Callable[[], list[int]], is_over: Callable[[], bool]) -> list[int]:
    """Send a signal to the first process that is found, and return it; none if it is over before, or after a minute."""
    for _ in _moments(60):
        if is_over():
            break
        for pid in find():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
                return [pid]
    return []


def let_continue(pids: list[int]) -> None:
    """Let processes continue that were stopped and still exist."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
