"""Starter files: a plan, rules for the gate and a GitHub workflow, with comments, for the data of a project."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from assay.extras import DISTRIBUTION
from assay.grammar import show
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import FoundBenchmark, FoundData, FoundRun

PLAN, RULES, WORKFLOW = "plan.yaml", "gate.yaml", ".github/workflows/retrieval.yml"
PURPOSES = {
    PLAN: "what to evaluate",
    RULES: "what must be true for a change to pass",
    WORKFLOW: "runs the plan and checks the rules on GitHub, for every pull request",
}
EXAMPLE_BENCHMARK = "rag-template"

PLAN_TEXT = """\
# What to evaluate.
#   assay plan check plan.yaml    checks this file without running it
#   assay eval plan.yaml          runs it and stores the results

# Queries, judgments and documents: a folder, a file, or the name of a bundled benchmark (assay datasets lists them).
$about
benchmarks: [$benchmark]

# The retrievers. "name=..." sets the name in tables and in the history. assay providers lists all retrievers.
providers:
$providers

# The first metric decides which retriever is better. assay metrics lists all metrics.
metrics: [ndcg@10, recall@10, mrr, hit@5]
"""

RULES_TEXT = """\
# What must be true before a change is merged.
#   assay gate latest --baseline main --rules gate.yaml

rules:
  # No query failed.
  - failed = 0
  # With 95 % confidence, ndcg@10 drops by less than 0.05. If there are too few queries to decide, the gate only warns.
  - ndcg@10 not worse than baseline by 0.05 (95%)
  # If this rule fails, the gate only warns.
  - warn: recall@10 drops <= 0.02
  # More examples. Adapt the numbers before you use them:
  # - ndcg@10 >= 0.70
  # - no query drops from hit to miss in difficulty=easy
  # - latency_p95 <= 200 ms
"""

WORKFLOW_TEXT = """\
name: retrieval
on:
  push: {branches: [main]}
  pull_request:
  workflow_dispatch:                       # when run by hand on main, its results become the baseline
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - run: pip install $distribution               # if the plan uses the code of your project, also: pip install .
      - uses: actions/cache/restore@v4
        with:
          path: .assay
          key: assay-main-$${{ github.run_id }}
          restore-keys: assay-main-
      - run: assay eval plan.yaml -o new.json
      - if: github.event_name != 'workflow_dispatch'
        run: assay gate new.json --baseline main --rules gate.yaml -o gate.junit.xml -o summary.md
      - if: github.event_name == 'workflow_dispatch' && github.ref == 'refs/heads/main'
        run: assay bless latest --as main
      - if: always() && github.ref == 'refs/heads/main'
        uses: actions/cache/save@v4
        with:
          path: .assay
          key: assay-main-$${{ github.run_id }}
      - if: always()
        uses: actions/upload-artifact@v4
        with: {name: retrieval, path: "gate.junit.xml\\nsummary.md"}
"""

SEARCH_PROVIDERS = """\
  - bm25
  # - dense                             # embeddings from a small model; needs: pip install '$distribution[dense]'
  # - "hybrid(bm25, dense)"
  # - "mine=python:my_module:search"    # your function: search(query, k) returns document ids, best first
  # - "mine=http(url='http://127.0.0.1:8000/search')\""""
REPLAY_COMMENT = "  # These are recorded run files. Create them again before each evaluation.\n"


@dataclass(frozen=True)
class Starter:
    """What the files are about: a benchmark, and run files if the benchmark has no documents to search."""

    benchmark: str
    about: str
    runs: tuple[tuple[str, str], ...] = ()
    """Name and path of each run file."""

    @property
    def files(self) -> dict[str, str]:
        """Path → content."""
        values = {"benchmark": _quoted(self.benchmark), "about": self.about, "providers": self._providers()}
        return {
            PLAN: Template(PLAN_TEXT).substitute(values),
            RULES: RULES_TEXT,
            WORKFLOW: workflow_text(),
        }

    def _providers(self) -> str:
        if not self.runs:
            return Template(SEARCH_PROVIDERS).substitute(distribution=DISTRIBUTION)
        lines = [f"  - {_quoted(f'{name}=replay(run={show(path)})')}" for name, path in self.runs]
        return REPLAY_COMMENT + "\n".join(lines)


def _quoted(text: str) -> str:
    """A text as YAML reads it back: in double quotes unless it is a plain path or name."""
    return text if re.fullmatch(r"[\w./-]+", text) else json.dumps(text, ensure_ascii=False)


def workflow_text() -> str:
    """The GitHub workflow; docs/ci.md shows the same."""
    return Template(WORKFLOW_TEXT).substitute(distribution=DISTRIBUTION)


def make_starter(data: FoundData, folder: Path) -> Starter:
    """Use the first benchmark with documents, else the judgments with the most run files, else the bundled benchmark."""
    searchable = [benchmark for benchmark in data.benchmarks if not benchmark.is_judgments_only]
    if searchable:
        chosen = searchable[0]
        return Starter(_relative(chosen.path, folder), _about(chosen))
    judged = [benchmark for benchmark in data.benchmarks if data.runs_of(benchmark)]
    if judged:
        chosen = max(judged, key=lambda benchmark: len(data.runs_of(benchmark)))
        return Starter(_relative(chosen.path, folder), _about(chosen), _run_names(data.runs_of(chosen), folder))
    return Starter(EXAMPLE_BENCHMARK, "# This is a bundled benchmark. Replace it with the path of your own data.")


def _about(benchmark: FoundBenchmark) -> str:
    return f"# Found here: {describe_benchmark(benchmark)}."


def describe_benchmark(benchmark: FoundBenchmark) -> str:
    """`beir, 300 queries, 5,183 documents`."""
    documents = "no documents" if benchmark.is_judgments_only else counted(benchmark.n_documents, "document")
    return f"{benchmark.format}, {counted(benchmark.n_queries, 'query')}, {documents}"


def _run_names(runs: Sequence[FoundRun], folder: Path) -> tuple[tuple[str, str], ...]:
    """Each run by its file name without the extension; by the whole file name if two would have the same name."""
    stems = [run.path.stem for run in runs]
    names = [stem if stems.count(stem) == 1 else run.path.name for stem, run in zip(stems, runs, strict=True)]
    return tuple((name, _relative(run.path, folder)) for name, run in zip(names, runs, strict=True))


def _relative(path: Path, folder: Path) -> str:
    """The path as the plan has it: from the folder of the plan."""
    relative = path.relative_to(folder).as_posix()
    return "." if relative == "." else f"./{relative}"


def next_commands(starter: Starter, folder: Path) -> tuple[tuple[str, str], ...]:
    """Commands to run next, and what each does."""
    inside = () if folder == Path() else ((f"cd {shlex.quote(str(folder))}", ""),)
    what = "scores the run files" if starter.runs else "runs bm25"
    return (
        *inside,
        ("assay eval plan.yaml", f"{what} and stores the results"),
        ("assay bless latest --as main", "makes these results the baseline"),
        ("assay gate latest --rules gate.yaml", "checks the newest results against the baseline"),
        ("assay report latest -o report.md", "writes a report"),
    )
