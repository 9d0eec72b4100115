"""Outputs: results as files, the format told by the ending."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.datasets._write import new_file, write_run
from assay.errors import UsageError
from assay.evaluation.result import Result
from assay.reports._evaluation import render_evaluation

ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
RUNS = (".trec", ".run")
LONGEST = 60
"""Letters of a result's name in the name of a file, which the system bounds in bytes."""


def check_outputs(paths: Iterable[str]) -> None:
    """Refuse endings nobody knows before anything is run."""
    known = (*ENDINGS, *RUNS)
    for path in paths:
        if Path(path).suffix.lower() not in known:
            raise UsageError(f"-o {path}: the ending tells the format; there are {', '.join(known)}")


def write_output(path: Path, results: Sequence[Result]) -> None:
    """Write results, or their rankings where the ending is that of a run; one file for each where there are several."""
    if path.suffix.lower() not in RUNS:
        text = render_evaluation(results, ENDINGS[path.suffix.lower()], None, colour=False)
        with new_file(path) as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        return
    names = _names(results)
    for name, result in zip(names, results, strict=True):
        target = path if len(results) == 1 else path.with_name(f"{path.stem}-{name}{path.suffix}")
        write_run(result.run, target, re.sub(r"\s+", "", result.name))


def _names(results: Sequence[Result]) -> list[str]:
    """Benchmark and provider of each as part of a file's name: short, and no two alike."""
    plain = [re.sub(r"[^\w.-]+", "_", f"{result.benchmark}-{result.name}").strip("_")[:LONGEST] for result in results]
    return [name if plain.count(name) == 1 else f"{name}-{number}" for number, name in enumerate(plain, 1)]
