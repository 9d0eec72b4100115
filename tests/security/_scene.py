"""A folder with canaries: a module, a private file and a listener that no hostile input may reach."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

AUDIT = Path(__file__).with_name("_audit.py")
SECRET = "canary-0b51c7d2-do-not-read"
LIMIT = 300
"""Seconds a program may take."""
DOCUMENTED = (0, 1, 2, 3, 4, 5, 6)
HARMLESS = {"git", "uname", Path(sys.executable).name}
"""Programs that provenance asks, and the process that draws charts for the web pages; canaries tell what they run."""

MODULE = """
from pathlib import Path
Path({mark!r}).touch()
import assay

def search(query, k):
    return ["d1"]

@assay.metric
def score(run):
    return run.n_relevant(None) * 0.0
"""


class Listener:
    """Counts connections to a port of this machine, and answers none of them."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.n_connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.n_connections += 1
            connection.close()

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


@dataclass
class Touched:
    """What commands touched that the table speaks of."""

    code: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    network: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    """Commands that ended in a way that is not documented."""


class Scene:
    """The folder `work` in which commands run, and the canaries around it."""

    def __init__(self, root: Path) -> None:
        self.root, self.work, self.outside = root, root / "work", root / "outside"
        self.work.mkdir()
        self.outside.mkdir()
        self.private = self.outside / "private.txt"
        self.private.write_text(f"1\tq1\td1\t{SECRET}\n")
        self.mark = self.outside / "module-ran"
        (self.work / "evil.py").write_text(MODULE.format(mark=str(self.mark)))
        self.listener = Listener()
        self.touched = Touched()

    @property
    def url(self) -> str:
        """An address at which somebody listens."""
        return f"http://127.0.0.1:{self.listener.port}/x"

    @property
    def hostile(self) -> list[str]:
        """Texts that would do something if anybody took them for more than text."""
        marked = self.outside / "program-ran"
        return [
            *("python:evil:score", "python:evil:search", "evil:score", "python(function='evil:search')"),
            *(f"command:touch {marked}", f"command(command='touch {marked}')", f"$(touch {marked})", f"; touch {marked}"),
            *(self.url, f"http:{self.url}", f"file://{self.private}", str(self.private), "../outside/private.txt"),
            *(f"{{% include '{self.private}' %}}", "{{ ''.__class__.__mro__ }}", "!!python/name:evil.score"),
            *(f'=HYPERLINK("{self.url}")', f'<img src="{self.url}">', f"[link={self.url}]x[/link]"),
        ]

    def write(self, name: str, content: str | bytes | Any) -> Path:
        """A file in the work folder: text and bytes as they are, anything else as JSON."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def assay(self, *commands: Sequence[str | Path], codes: Sequence[int] = DOCUMENTED, **environment: str) -> None:
        """Run command lines in one process, under audit; each ends with one of these exit codes."""
        lines = json.dumps([list(map(str, command)) for command in commands])
        for event in self.audited("assay", lines, **environment):
            if event["event"] == "code" and event["code"] not in codes:
                self.touched.outcomes.append(f"assay {' '.join(event['command'])} → {event['code']}")

    def audited(self, target: str, *arguments: str, codes: Sequence[int] = (0,), **environment: str) -> list[dict[str, Any]]:
        """Run a program under audit; the events."""
        log = self.root / "events.jsonl"
        log.write_bytes(b"")
        done = subprocess.run(
            [sys.executable, str(AUDIT), str(log), target, *arguments],
            cwd=self.work,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode not in codes or "Traceback" in done.stderr:
            self.touched.outcomes.append(f"{target} → {done.returncode}\n{done.stderr[-3000:]}")
        if SECRET in done.stdout + done.stderr:
            self.touched.files.append("the private file was printed")
        events = [json.loads(line) for line in log.read_text().splitlines()]
        for event in events:
            self._collect(event)
        return events

    def _collect(self, event: Mapping[str, Any]) -> None:
        kind, what = event["event"], event.get("what", "")
        if kind == "file" and event["path"] == str(self.private):
            self.touched.files.append(event["path"])
        elif kind == "network":
            self.touched.network.append(what)
        elif kind == "pickle" or (kind == "program" and Path(what).name not in HARMLESS):
            self.touched.code.append(what)

    def finish(self) -> Touched:
        """What was touched in the end."""
        self.listener.close()
        self.touched.code += [path.name for path in (self.mark, self.outside / "program-ran") if path.exists()]
        if self.listener.n_connections:
            self.touched.network.append("the listener was reached")
        for path in self.work.rglob("*"):
            if (
                path.is_file()
                and not path.is_symlink()
                and self.outside not in path.resolve().parents
                and SECRET.encode() in path.read_bytes()
            ):
                self.touched.files.append(f"the private file is in {path.name}")
        return self.touched


def unchanged(scene: Scene, paths: Sequence[Path], act: Callable[[], object]) -> None:
    """Act, and note which of the inputs have other bytes afterwards."""
    before = {path: _digest(path) for path in paths}
    act()
    scene.touched.written += [str(path) for path, digest in before.items() if _digest(path) != digest]


def _digest(path: Path) -> str:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return sha256(b"".join(one.name.encode() + one.read_bytes() for one in files if one.is_file())).hexdigest()
