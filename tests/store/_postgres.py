"""A PostgreSQL server of our own, on a free port of this machine, thrown away in the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER, PASSWORD = "tester", "s3cret"
DEBIAN = Path("/usr/lib/postgresql")
"""Where Debian puts the programs, which it keeps off the path."""


def find_programs() -> Path | None:
    """The folder of initdb and pg_ctl; None where PostgreSQL is not installed."""
    found = [Path(program).resolve().parent for name in ("initdb", "pg_ctl") if (program := shutil.which(name))]
    found += sorted(DEBIAN.glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


def _as_postgres(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root; Debian's package makes a user for it."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _run(*command: str) -> None:
    # no pipes: the server would keep them open
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(_as_postgres(list(command)), stdout=said, stderr=said, check=False, cwd=tempfile.gettempdir())
        if done.returncode:
            said.seek(0)
            raise RuntimeError(f"{command[0]} failed: {said.read().decode()}")


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """The URL of a database that nobody else uses; it asks for a password."""
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    if os.geteuid() == 0:
        for path in (folder, secret):
            shutil.chown(path, "postgres", "postgres")
    data = str(folder / "data")
    try:
        who = ("-U", USER, "-A", "scram-sha-256", "--pwfile", str(secret))
        _run(str(programs / "initdb"), "-D", data, *who, "-E", "UTF8")
        port = _start(programs, folder)
        try:
            yield f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            _run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(programs: Path, folder: Path, tries: int = 3) -> int:
    """The port the server listens on; another is taken if somebody was quicker."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    how = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=80 -c shared_buffers=32MB"
    try:
        _run(str(programs / "pg_ctl"), "-D", str(folder / "data"), "-l", str(folder / "log"), "-o", how, "-w", "start")
    except RuntimeError:
        if tries == 1:
            raise
        return _start(programs, folder, tries - 1)
    return port
