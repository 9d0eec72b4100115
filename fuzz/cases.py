"""Cases: inputs that were faults once, kept as files, so that they are tried again whenever the tests run."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from fuzz.component import all_homes
from fuzz.process import WorkerProcess

FOLDER = Path(__file__).parent / "cases"


def keep_case(component: str, data: bytes, folder: Path = FOLDER) -> Path:
    """Write an input under its component, named by a hash of it."""
    path = folder / component / hashlib.blake2b(data, digest_size=5).hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def kept_cases(folder: Path = FOLDER) -> dict[str, list[Path]]:
    """Component → its cases."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    return {one.name: sorted(path for path in one.iterdir() if path.is_file()) for one in folders}


def replay(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Give every case to its component again; what became of them by component. One of no component is an error."""
    found: dict[str, dict[str, Any]] = {}
    worker = WorkerProcess()
    try:
        for name, paths in kept_cases(folder).items():
            if name not in all_homes():
                raise LookupError(f"{folder / name}: no component is called {name}")
            inputs = [base64.b64encode(path.read_bytes()).decode("ascii") for path in paths]
            found[name] = worker.ask({"component": name, "home": all_homes()[name], "inputs": inputs})
    finally:
        worker.close()
    return found
