"""Tasks of the format code_spans: made and refused."""

import json
from pathlib import Path

from ._cases import write

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "code_spans"


def made(folder, tasks, sources, name="tasks.jsonl"):
    """A folder with tasks and sources."""
    lines = "\n".join(map(json.dumps, tasks)) if name.endswith("l") else json.dumps(tasks)
    for path, content in {name: lines, **sources}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write(folder / path, content)
    return folder


def task(file="a.py", start=1, end=1, **more):
    return {"query": "?", "file": file, "start": start, "end": end, **more}
