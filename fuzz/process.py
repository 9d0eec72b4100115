"""WorkerProcess: a worker seen from its parent, started again after a crash or a hang."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fuzz.worker import read_current

ROOT = Path(__file__).resolve().parents[1]
STUCK = 90.0
"""Seconds of real time after which a worker that is still at the same input is ended."""
LARGEST = 1 << 20
"""Kilobytes of a worker's memory; a larger one is replaced between batches."""


class WorkerProcess:
    """Asked with one batch at a time."""

    def __init__(self) -> None:
        memory = Path("/dev/shm")
        place = memory if os.access(memory, os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-", dir=place))
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer of the worker; what it died of counts as a fault of the input at hand."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        begun = self._count()
        started = time.perf_counter()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
        line = self._line(process)
        if line:
            answer: dict[str, Any] = json.loads(line)
            if self._size(process) > LARGEST:
                self.end()
            return answer
        return self._died(process, begun, time.perf_counter() - started)

    def end(self) -> None:
        """End the worker; the next question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the worker and remove what it wrote."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
                "ASSAY_FUZZ_SCRATCH": str(self.folder),
                "ASSAY_CACHE": str(self.folder / "cache"),
                "HOME": str(self.folder),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            }
            (self.folder / "current").unlink(missing_ok=True)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=self.folder,
                env=environment,
            )
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        """The next line of the worker; nothing where it died or stays at one input."""
        assert process.stdout is not None
        last, since = -1, time.monotonic()
        while True:
            ready, _, _ = select.select([process.stdout], [], [], 1.0)
            if ready:
                return process.stdout.readline()
            count = self._count()
            if count != last:
                last, since = count, time.monotonic()
            elif time.monotonic() - since > STUCK:
                process.kill()
                return b""

    def _count(self) -> int:
        path = self.folder / "current"
        return read_current(path)[0] if path.is_file() else 0

    def _size(self, process: subprocess.Popen[bytes]) -> int:
        """Kilobytes of memory; 0 where the machine does not tell."""
        try:
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError, ValueError):
            return 0
        return pages * (os.sysconf("SC_PAGE_SIZE") >> 10)

    def _died(self, process: subprocess.Popen[bytes], begun: int, seconds: float) -> dict[str, Any]:
        import base64

        code = process.wait()
        path = self.folder / "current"
        count, data = read_current(path) if path.is_file() else (begun, b"")
        self._process = None
        kind = "hang" if code == -9 else "crash"
        fault = {
            "kind": kind,
            "signature": f"{kind}, exit {code}",
            "detail": f"the worker ended with {code}",
            "input": base64.b64encode(data).decode("ascii"),
        }
        n = max(1, count - begun)
        return {"inputs": n, "accepted": 0, "refused": n - 1, "faults": 1, "seconds": seconds, "found": [fault]}
