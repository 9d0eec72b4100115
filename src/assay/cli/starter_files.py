"""Starter files: a plan, rules for the gate and a GitHub workflow, with comments, for the data of a project."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from assay.cli.output_options import report_file
from assay.cli.starter_columns import columns_to_fill_in, describe_unknown
from assay.extras import DISTRIBUTION
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import FoundBenchmark, FoundData, FoundRun

PLAN, RULES, WORKFLOW = "plan.yaml", "gate.yaml", ".github/workflows/retrieval.yml"
EXAMPLE_BENCHMARK = "rag-template"

PLAN_TEXT = """\
# What to evaluate.
#   assay plan check plan.yaml    checks this file without running it
#   assay eval plan.yaml          runs it and stores the results

# Queries, judgments and documents: a folder, a file, or the name of a bundled benchmark (assay datasets lists them).
$about
benchmarks: [$benchmark]

# How the data is read. Remove the # before a key to use it.
$documents
$columns
# lenient: true                      # leave out bad records, up to 1 % of a file, and list them
# as_of: query                       # leave out documents that are younger than their query; both need times
# missing_documents: drop            # remove judgments of documents that do not exist; by default they count as not found

# The retrievers. "name=..." sets the name in tables and in the history. assay providers lists all retrievers.
providers:
$providers

# The first metric decides which retriever is better. assay metrics lists all metrics.
metrics: [ndcg@10, recall@10, mrr, hit@5]
"""

RULES_TEXT = """\
# What must be true before a change is merged.
#   assay gate --check gate.yaml                           says what these rules can notice with your queries
#   assay gate latest --baseline main --rules gate.yaml    checks the newest results

rules:
  # No query failed.
  - failed = 0
  # A test decides: fails only if ndcg@10 is shown to be worse, and passes only if a drop of 0.05 is ruled out.
  # If there are too few queries to decide, the gate only warns.
  - ndcg@10 not worse than baseline by 0.05 (95%)
  # The observed value decides, so equally good systems break this rule too: with 50 queries, up to a third of them.
  # So it only warns.
  - warn: recall@10 drops <= 0.02
  # More examples. Adapt the numbers before you use them:
  # - ndcg@10 >= 0.70
  # - no query drops from hit to miss in difficulty=easy
  # - latency_p95 <= 200 ms

# Bounds the chance that any of the next 100 equally good versions fails a tested rule:
# guard: 5% over 100 changes
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
OWN_PROVIDERS = """\
  # The benchmark has no documents, so assay has nothing to search. Name your own retriever:
  - "mine=python:my_module:search"      # your function: search(query, k) returns document ids, best first
  # - "mine=http(url='http://127.0.0.1:8000/search')\""""
RUN_PROVIDERS = """\
  # The benchmark has neither documents nor the text of queries. Name run files of your retrievers:
  - {name: replay, label: mine, run: mine.run}"""
NO_DOCUMENTS = """\
# documents: ./corpus.csv            # documents of a benchmark that has none: a table, or a folder of .md or .txt files"""
NO_COLUMNS = """\
# columns: {query: q, text: body}    # columns with other names; assay datasets formats lists the roles"""
CANDIDATES = "# These have documents. Remove the # before the one that belongs to the benchmark:"
REPLAY_COMMENT = "  # These are recorded run files. Create them again before each evaluation.\n"


@dataclass(frozen=True)
class Starter:
    """What the files are about: a benchmark, and what can be evaluated on it."""

    benchmark: str
    about: str
    """A comment about the benchmark."""
    providers: str
    """The list of providers, as YAML."""
    first_step: tuple[str, str] | None = None
    """What to do before the plan can run, if anything."""
    evaluates: str = "runs bm25 and stores the results"
    """What `assay eval` does with the plan."""
    documents: str = NO_DOCUMENTS
    """The key with the documents of the benchmark, as YAML; a comment if there are none elsewhere."""
    columns: str = NO_COLUMNS
    """The key with the columns of tables that assay does not know, as a comment to fill in."""

    @property
    def files(self) -> dict[str, str]:
        """Path → content."""
        values = {
            "benchmark": quoted(self.benchmark),
            "about": self.about,
            "documents": self.documents,
            "columns": self.columns,
            "providers": self.providers,
        }
        return {PLAN: Template(PLAN_TEXT).substitute(values), RULES: RULES_TEXT, WORKFLOW: workflow_text()}


def quoted(text: str) -> str:
    """A text as YAML reads it back: in double quotes unless it is a plain path or name."""
    return text if re.fullmatch(r"[A-Za-z_./][\w./-]*", text, re.ASCII) else json.dumps(text)


def purposes(folder: Path) -> dict[str, str]:
    """What each file is for. GitHub reads workflows only in the root of a repository."""
    root = next((parent for parent in folder.resolve().parents if (parent / ".git").exists()), None)
    on_github = "runs the plan and checks the rules on GitHub"
    if root is None or (folder / ".git").exists():
        workflow = f"{on_github}, for every pull request"
    else:
        workflow = f"{on_github}; move it to {root / WORKFLOW}"
    return {PLAN: "what to evaluate", RULES: "what must be true for a change to pass", WORKFLOW: workflow}


def workflow_text() -> str:
    """The GitHub workflow; docs/ci.md shows the same."""
    return Template(WORKFLOW_TEXT).substitute(distribution=DISTRIBUTION)


def make_starter(data: FoundData, folder: Path) -> Starter:
    """Choose a benchmark: one with documents, else judgments with run files, else what there is, else the bundled one."""
    searchable = [benchmark for benchmark in data.benchmarks if not benchmark.is_judgments_only]
    judged = [benchmark for benchmark in data.benchmarks if data.runs_of(benchmark)]
    if searchable:
        return _starter(searchable[0], folder, search_providers(), **_documents_of(searchable[0], folder))
    if judged:
        chosen = max(judged, key=lambda benchmark: (benchmark.is_called_judgments, len(data.runs_of(benchmark))))
        replays = REPLAY_COMMENT + "\n".join(_replays(data.runs_of(chosen), folder))
        return _starter(chosen, folder, replays, evaluates="scores the run files and stores the results")
    if unclear := [benchmark for benchmark in data.benchmarks if benchmark.candidates]:
        return _starter(unclear[0], folder, search_providers(), **_candidates_of(unclear[0], folder))
    if data.benchmarks:
        chosen = max(data.benchmarks, key=lambda benchmark: benchmark.has_texts)
        return _starter_with_unknown(chosen, data, folder) or _starter_without_rankings(chosen, folder)
    if data.unknown:
        return _starter_of_unknown(data, folder)
    bundled = "# This is a bundled benchmark. Replace it with the path of your own data."
    return Starter(EXAMPLE_BENCHMARK, bundled, search_providers())


def search_providers() -> str:
    """The list of providers for a benchmark with documents."""
    return Template(SEARCH_PROVIDERS).substitute(distribution=DISTRIBUTION)


def _documents_of(benchmark: FoundBenchmark, folder: Path) -> dict[str, str]:
    """The documents of a benchmark, if they are elsewhere."""
    if benchmark.documents is None:
        return {}
    return {"documents": f"documents: {quoted(relative(benchmark.documents, folder))}"}


def _candidates_of(benchmark: FoundBenchmark, folder: Path) -> dict[str, Any]:
    """Several places with documents, of which the user chooses one."""
    paths = [relative(path, folder) for path in benchmark.candidates]
    keys = "\n".join([CANDIDATES, *(f"# documents: {quoted(path)}" for path in paths)])
    return {"documents": keys, "first_step": ("edit plan.yaml", f"choose the documents: {' or '.join(paths)}")}


def _starter(benchmark: FoundBenchmark, folder: Path, providers: str, **more: Any) -> Starter:
    about = f"# Found here: {describe_benchmark(benchmark)}."
    return Starter(relative(benchmark.path, folder), about, providers, **more)


def _starter_without_rankings(benchmark: FoundBenchmark, folder: Path) -> Starter:
    """For a benchmark without documents and run files: the user names a retriever or run files in the plan first."""
    providers, what = (OWN_PROVIDERS, "your retriever") if benchmark.has_texts else (RUN_PROVIDERS, "your run files")
    first_step = ("edit plan.yaml", f"name {what} under providers")
    return _starter(benchmark, folder, providers, first_step=first_step, evaluates=f"evaluates {what}, stores the results")


def _starter_with_unknown(benchmark: FoundBenchmark, data: FoundData, folder: Path) -> Starter | None:
    """For queries next to a table that may have their documents; None if there is no such table, or no query has a text."""
    from assay.datasets import only_other

    table = only_other(data.unknown, benchmark.path) if benchmark.has_texts else None
    if table is None:
        return None
    step = ("edit plan.yaml", f"say which columns of {table.path.name} have the ids and the texts of documents")
    documents = f"# documents: {quoted(relative(table.path, folder))}"
    return _starter(
        benchmark,
        folder,
        search_providers(),
        first_step=step,
        documents=documents,
        columns=columns_to_fill_in(None, table),
    )


def _starter_of_unknown(data: FoundData, folder: Path) -> Starter:
    """For tables whose columns are not known: the user says in the plan what they mean."""
    from assay.datasets import likeliest_queries, only_other

    queries = likeliest_queries(data.unknown)
    other = only_other(data.unknown, queries.path)
    known = [path for path in data.documents if path.parent == queries.path.parent]
    paths = known or ([other.path] if other else [])
    keys = [f"# documents: {quoted(relative(path, folder))}" for path in paths]
    return Starter(
        relative(queries.path, folder),
        f"# Found here: {describe_unknown(queries)}.",
        search_providers(),
        first_step=("edit plan.yaml", f"say under columns which column of {queries.path.name} has the queries"),
        documents="\n".join(keys) or NO_DOCUMENTS,
        columns=columns_to_fill_in(queries, None if known else other),
    )


def describe_benchmark(benchmark: FoundBenchmark) -> str:
    """`beir, 300 queries, 5,183 documents`; of judgments alone: `judgments for 40 queries`."""
    if benchmark.is_judgments_only and not benchmark.has_texts:
        return f"judgments for {counted(benchmark.n_queries, 'query')}"
    documents = "no documents" if benchmark.is_judgments_only else counted(benchmark.n_documents, "document")
    if benchmark.documents is not None:
        documents += f" in {benchmark.documents.name}"
    return f"{benchmark.format}, {counted(benchmark.n_queries, 'query')}, {documents}"


def _replays(runs: Sequence[FoundRun], folder: Path) -> list[str]:
    """A provider for each run file, as a YAML map: a file name is data, and never part of a provider's name."""
    paths = [relative(run.path, folder) for run in runs]
    stems = [run.path.stem for run in runs]
    labels = [stem if stems.count(stem) == 1 else path.removeprefix("./") for stem, path in zip(stems, paths, strict=True)]
    return [
        f"  - {{name: replay, label: {quoted(label)}, run: {quoted(path)}}}"
        for label, path in zip(labels, paths, strict=True)
    ]


def relative(path: Path, folder: Path) -> str:
    """The path as the plan has it: from the folder of the plan."""
    relative = path.relative_to(folder).as_posix()
    return "." if relative == "." else f"./{relative}"


def next_commands(starter: Starter, folder: Path) -> tuple[tuple[str, str], ...]:
    """Commands to run next, and what each does."""
    inside = () if folder == Path() else ((f"cd {shlex.quote(str(folder))}", ""),)
    return (
        *inside,
        *([starter.first_step] if starter.first_step else []),
        ("assay eval plan.yaml", starter.evaluates),
        ("assay bless latest --as main", "makes these results the baseline"),
        ("assay gate latest --rules gate.yaml", "checks the newest results against the baseline"),
        (f"assay report latest -o {report_file()}", "writes a report"),
        ("git push", "then run the workflow retrieval by hand on main once: its results become the baseline on GitHub"),
    )
