"""Build the bundled benchmark `code-spans`: questions about the source code of assay at a recorded commit.

    python examples/make_code_spans.py

The sources come from git, so you need a checkout with its history. The questions and their gold lines are in
`code-spans-questions.jsonl`, written by hand, in the layout that the format `code_spans` reads. The same commit and the same
questions always give the same benchmark. A span that is not in its file, or a difficulty that differs from the measured one,
is an error.
"""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assay import BenchmarkDataset, DataError, Span, load_dataset
from assay.text import counted, words_of

HERE = Path(__file__).parent
QUESTIONS = HERE / "code-spans-questions.jsonl"
TARGET = HERE.parent / "src" / "assay" / "datasets" / "bundled" / "code-spans.json.gz"
COMMIT = "b38789bbb2994d2f102f39857697e1ef14206b55"
FOLDER = "src/assay"
"""The folder of the commit whose Python files are the corpus; their ids are the paths relative to it."""
EASY = 0.6
"""A question is easy if its gold lines contain at least this share of its content words."""
_FUNCTION_WORDS = """
    a about after again all almost although am among an and another any anywhere are as at be because become becomes been
    before behind being beside between both but by can could did do does done down during each every few for from get gets
    has have he her here his how i if in inside instead into is it its just many may me merely might more most much must my
    never no nobody nor not of off on once one ones only onto or other our ours ourselves out over own per rather s same
    several she should since so some somebody still than that the their them then there these they this those through to
    together too two under until up us very was we were what when where whether which while who whose why will with without
    would you your"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that say nothing about the topic of a question."""


def main() -> None:
    """Write the benchmark into the package."""
    dataset = build(archived_sources())
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "code-spans.json")
        dataset.save_json(plain)
        TARGET.write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))
    sys.stdout.write(f"{TARGET.name}: {dataset!r}, {TARGET.stat().st_size:,} bytes\n")


def archived_sources(repository: Path = HERE.parent) -> dict[str, str]:
    """Path relative to the folder → text of every Python file of the commit; an error if git does not have the commit."""
    command = ["git", "-C", str(repository), "archive", "--format=tar", COMMIT, FOLDER]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (git, and nothing of a user's)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise DataError(f"{repository}: git has no commit {COMMIT[:7]}. Fetch the whole history ({said})")
    sources: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            file = archive.extractfile(member) if member.name.endswith(".py") else None
            if file is not None:
                sources[member.name.removeprefix(f"{FOLDER}/")] = file.read().decode()
    return sources


def build(sources: Mapping[str, str]) -> BenchmarkDataset:
    """The benchmark from sources and questions. Anything that its reader would repair or drop is an error here."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in sources.items():
            target = folder / "repo" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        (folder / "tasks.jsonl").write_bytes(QUESTIONS.read_bytes())
        dataset = load_dataset(folder, "code_spans")
    if wrong := [f"{one.place}: {one.what}" for one in dataset.repairs] or mislabelled(dataset):
        raise DataError(f"{QUESTIONS.name}: {counted(len(wrong), 'fault')}", wrong)
    dataset.name, dataset.version = "code-spans", "1.0"
    dataset.metadata = {
        "description": "questions about the source code of assay, with the lines that answer them",
        "license": "MIT; the sources are assay's own, the questions were written for this benchmark",
        "commit": COMMIT,
        "folder": FOLDER,
        "difficulty": f"easy: {EASY:.0%} or more of a question's content words stand in its gold lines; hard: none does",
    }
    return dataset


def mislabelled(dataset: BenchmarkDataset) -> list[str]:
    """Questions whose difficulty differs from the one measured by the words that they share with their gold lines."""
    found = []
    for query in dataset.queries.values():
        gold = "\n".join(lines_of(dataset, span) for span in dataset.spans[query.query_id])
        measured = difficulty(query.text, gold)
        if query.difficulty != measured:
            found.append(f"{query.query_id} is {measured}, not {query.difficulty}")
    return found


def lines_of(dataset: BenchmarkDataset, span: Span) -> str:
    """The lines of a span."""
    return "\n".join(dataset.documents[span.doc_id].text.split("\n")[span.start - 1 : span.end])


def difficulty(question: str, gold: str) -> str:
    """`hard` if no content word of the question is in the gold lines, `easy` if most are, else `medium`."""
    asked = content_words(question)
    share = len(asked & content_words(gold)) / max(len(asked), 1)
    return "hard" if share == 0 else "easy" if share >= EASY else "medium"


def content_words(text: str) -> set[str]:
    """The stems of the content words; names in code are split: `tie_band`, `TieBand`."""
    import Stemmer

    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).replace("_", " ")
    return {*Stemmer.Stemmer("english").stemWords([word for word in words_of(apart) if word not in FUNCTION_WORDS])}


if __name__ == "__main__":
    main()
