"""Write the generated pages from the catalogs: `python -m docs.generate`.

With `--check` nothing is written, and the exit code is 1 if a page is out of date.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from assay.datasets import Format, all_formats
from assay.datasets.preflight.codes import (
    CODES,
    DOCUMENT_CODES,
    JUDGMENT_CODES,
    QUERY_CODES,
    RUN_CODES,
    TERM_CODES,
    TIME_CODES,
)
from assay.grammar import show
from assay.metrics.definition import Metric
from assay.metrics.descriptions import describe, written
from assay.metrics.parsing import parse_metrics
from assay.metrics.questions import Question, all_questions
from assay.metrics.registry import DEFAULT_GROUP, GROUPS, all_metrics, all_spellings
from assay.ontology import Similarity, all_similarities
from assay.schemas import generated_schemas, schema_path
from docs.api_reference import api_pages
from docs.shapes import SHAPES, Shape

HERE = Path(__file__).parent

HEAD = """\
# Metrics

All {count} metrics, with formula, edge cases and parameters. In the terminal, `assay metrics` lists them, and
`assay metrics ndcg` explains one. To choose a metric for a question, see
[which metric when](metrics/which-metric-when.md). To write one, see [your own metric](metrics/your-own.md).

This page is generated from the records in `src/assay/metrics` by `make docs`; do not edit it.

- [How to write a name](#how-to-write-a-name)
- [Index](#index)
- [Groups](#groups)
- [Spellings](#spellings)

In the formulas, *k* is the cutoff, *i* is a rank, *R* is the number of relevant documents of the query, P@i is the
precision of the first i documents, and gain(i) is the gain of the document at rank i. The [conventions](conventions.md)
say which documents are relevant, and how all metrics handle ties, missing queries and unjudged documents. Together they are
called the *policy*.

## How to write a name

Write `name`, `name@k` or `name(parameter=value)@k`. Case does not matter, and `-` is the same as `_`. Results, tables and
files always show the canonical name.

| you write | it means |
|---|---|
{examples}

You can write several names in one text, separated by commas. assay checks all names, parameters and values before it reads
any data.
"""

EXAMPLES = {
    "ndcg@10": "a cutoff",
    "NDCG@10": "case does not matter",
    "ndcg_at_10": "",
    "ndcg_cut_10": "as trec_eval prints it",
    "ndcg_cut.10": "as trec_eval reads it",
    "P_5": "",
    "recall@5,10,100": "several cutoffs are several metrics",
    "P.5,10": "",
    "ndcg(gain=exp)@10": "a parameter",
    "nDCG(dcg='exp-log2')@10": "as ir_measures writes it",
    "ndcg@10-l2": "as ranx writes it; grades below 2 do not count",
    "P(rel=2)@5": "",
    "ndcg.1=3.5,2=9": "a gain for each grade",
    "set_F.2": "",
    "rbp.95": "as ranx writes it",
    "iprec@0.5": "here @ sets a recall, not a rank",
    "span_recall@tokens=1000,2000": "a budget in words instead of a rank",
}
"""Spellings to show, each with a remark; the parser provides their meaning."""


def metrics_page() -> str:
    """The metric reference."""
    metrics = all_metrics().values()
    parts = [
        HEAD.format(count=len(metrics), examples="\n".join(_row(f"`{text}`", _means(text)) for text in EXAMPLES)),
        "## Index\n\n" + _table(("name", "meaning", "range"), map(_index_row, metrics)),
        *map(_section, metrics),
        _groups(),
        _spellings(),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _means(text: str) -> str:
    names = ", ".join(f"`{metric.name}`" for metric in parse_metrics(text))
    return f"{names} ({EXAMPLES[text]})" if EXAMPLES[text] else names


def _index_row(metric: Metric) -> tuple[str, ...]:
    about = describe(metric)
    return f"[`{written(metric)}`](#{metric.name})", _plain(about["meaning"]), about["range"]


def _section(metric: Metric) -> str:
    about = describe(metric)
    lines = [f"## {metric.name}", "", f"{_sentence(about['meaning'])}", ""]
    lines += [f"- {name}: {text}" for name, text in _facts(metric, about) if text]
    if about["parameters"]:
        lines += ["", _table(("parameter", "default", "meaning", "other names"), map(_param_row, about["parameters"]))]
    return "\n".join(lines)


def _facts(metric: Metric, about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Name", _written(metric)
    yield "Formula", f"`{about['formula']}`"
    yield "Edge cases", _plain(about["edge_cases"])
    if metric.aggregation.summarise:
        yield "Range", f"{about['range']}; {'higher' if about['higher_is_better'] else 'lower'} is better"
        yield "Summary over queries", about["aggregation"]
    else:
        yield "Summary over queries", "none: the value of a query is text"
    yield "Other names", _codes(about["aliases"])
    yield "trec_eval", _codes(about["trec_eval"])
    yield "Citation", _plain(about["citation"])


def _written(metric: Metric) -> str:
    """The name with its cutoff, and what a short name means."""
    titles = (f"; `{title}` is short for `{metric.name}{_preset(preset)}`" for title, preset in metric.titles.items())
    return f"`{written(metric)}`{''.join(titles)}"


def _param_row(param: dict[str, Any]) -> tuple[str, ...]:
    name = f"`{param['name']}` (set by `@`)" if param["set_by_at"] else f"`{param['name']}`"
    return name, param["default"], _plain(param["meaning"]), _codes(param["aliases"])


def _groups() -> str:
    rows = []
    for name, members in GROUPS.items():
        count = len(parse_metrics(name))
        rows.append((f"`{name}`{' (default)' if name == DEFAULT_GROUP else ''}", str(count), _codes(members)))
    said = f"A group name means all metrics of the group. The default is the group `{DEFAULT_GROUP}`."
    return f"## Groups\n\n{said}\n\n{_table(('group', 'metrics', 'members'), rows)}"


def _spellings() -> str:
    rows = [
        (f"`{text}`", f"[`{metric.name}{_preset(preset)}`](#{metric.name})")
        for text, (metric, preset) in sorted(all_spellings().items())
        if text != metric.name
    ]
    said = f"You can also use these {len(rows)} names. Add a cutoff and parameters as usual."
    return f"## Spellings\n\n{said}\n\n{_table(('name', 'means'), rows)}"


def _preset(preset: Any) -> str:
    return f"({', '.join(f'{name}={show(value)}' for name, value in preset.items())})" if preset else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((_row(*head), f"|{'---|' * len(head)}", *(_row(*row) for row in rows)))


def _row(*cells: str) -> str:
    inside = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"| {inside} |".replace("|  |", "| |")


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _plain(text: str) -> str:
    """Text with the characters escaped that Markdown would read as markup."""
    return text.replace("*", "\\*").replace("<", "\\<")


def _sentence(text: str) -> str:
    return _plain(text[0].upper() + text[1:])


FORMATS_HEAD = """\
# Formats

All {count} formats of benchmarks. This page is generated from the records in `src/assay/datasets` by `make docs`; do not
edit it.

`assay.load_dataset(path)` and `assay score --dataset PATH` recognise the format. To set the format yourself, use
`format="beir"` or `--dataset-format beir`. These commands work with datasets:

| command | what it does |
|---|---|
| `assay datasets` | list the formats and the bundled benchmarks |
| `assay datasets formats` | list the formats, and the accepted names of columns |
| `assay datasets show PATH` | show what is in a dataset |
| `assay datasets check PATH` | check a dataset |
| `assay datasets convert SOURCE TARGET --to beir` | write a dataset in another format |

Every format is read into the same parts: queries, documents, judgments and tags. Queries, documents and judgments have
fingerprints. A fingerprint does not depend on order or format, so you can see whether two benchmarks have the same content.
`dataset.repairs` lists what assay corrected while it read the files, and what it could not use. assay corrects only what is
unambiguous, and drops nothing silently. Files may be compressed as `.gz`, `.zst`, `.xz` or `.bz2`.

The decompressed size of a file is limited to 64 MiB, or to 1,000 times the size of the file if that is more. assay stops
reading a file that exceeds the limit, and never has the whole file in memory. Runs usually decompress to 3 to 6 times their
size. The most repetitive run that we could create (ids in sequence, one score, a tag of 105 characters) decompressed to 145
times its size with zstd at level 19, and to 165 times its size with xz. If a valid file exceeds the limit, set the
environment variable `ASSAY_MAX_EXPANSION=100000` to allow more, or `inf` to remove the limit. This works for commands and
from Python (`os.environ`). The limit also applies to exports and stores. In a Parquet file, it limits the number of rows
relative to the size of the file. A line of a file can have at most 128 MiB, unless the file is one JSON document on a
single line.

Runs and plain judgments have their own formats: see [what goes in](tour.md#what-goes-in).
"""


SHAPES_HEAD = """\
## Shapes

Every shape in which a benchmark can come, with a small sample. A path to the file or the folder is enough:
`assay datasets show PATH`. Parquet files have the columns of the JSON lines with the same name. In Python, data frames and
lists of dicts have the columns of a golden list, of ragas and the other tools, or of the three tables ([your
data](your-data.md)).
"""


def _shape_row(shape: Shape) -> tuple[str, ...]:
    """What it is, its format, and its files line by line."""
    lines = [
        line for name, text in shape.files.items() for line in (f"**{_plain(name)}**", *map(_code_line, text.split("\n")))
    ]
    return shape.what, f"[`{shape.format}`](#{shape.format})", "<br>".join(lines)


def _code_line(line: str) -> str:
    shown = line.replace("\t", "<tab>").replace("|", "\\|").strip()
    return f"`{shown}`"


def formats_page() -> str:
    """The format reference."""
    formats = all_formats().values()
    rows = [(f"[`{one.name}`](#{one.name})", "read, write" if one.write else "read", _plain(one.meaning)) for one in formats]
    parts = [
        FORMATS_HEAD.format(count=len(formats)),
        _table(("format", "assay can", "what it is"), rows),
        SHAPES_HEAD,
        _table(("what you have", "format", "sample"), map(_shape_row, SHAPES)),
        *map(_format_section, formats),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _format_section(one: Format) -> str:
    about = " ".join((inspect.getdoc(one.read) or "").split())
    sentences = [f"## {one.name}", "", f"{_sentence(one.meaning)}.", "", _plain(about)]
    return "\n".join([*sentences, "", "```text", one.example, "```"])


CHECKS_HEAD = """\
# Checks

All {count} findings of `assay datasets check`. The command reports errors first, then warnings, each in the order of this
page. An *error* means that scores would be wrong or impossible, and the command exits with code 3. A *warning* is worth
checking. Every finding says how often it occurs, and where.

This page is generated from `src/assay/datasets/preflight/codes.py` by `make docs`; do not edit it.
"""


def checks_page() -> str:
    """The reference of finding codes."""
    parts = [CHECKS_HEAD.format(count=len(CODES))]
    for title, codes in {
        "Dataset and queries": QUERY_CODES,
        "Documents": DOCUMENT_CODES,
        "Judgments": JUDGMENT_CODES,
        "Times": TIME_CODES,
        "Expected terms": TERM_CODES,
        "Runs": RUN_CODES,
    }.items():
        rows = [(f"`{name}`", code.severity, _plain(code.advice)) for name, code in codes.items()]
        parts += [f"## {title}\n", _table(("code", "severity", "what to do"), rows)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


SIMILARITIES = ("<!-- similarities: written by make docs -->\n", "<!-- end of similarities -->\n")
"""The marks around the generated part of the page on ontologies."""


def ontologies_page() -> str:
    """The page on ontologies, with the table of similarities from their records."""
    around = (Path(__file__).parent / "ontologies.md").read_text(encoding="utf-8")
    before, _, rest = around.partition(SIMILARITIES[0])
    _, end, after = rest.partition(SIMILARITIES[1])
    head = ("similarity", "meaning", "similarity 1 for", "source")
    return f"{before}{SIMILARITIES[0]}\n{_table(head, map(_similarity_row, all_similarities().values()))}\n\n{end}{after}"


def _similarity_row(one: Similarity) -> tuple[str, ...]:
    """Name and parameters; meaning and edge cases; which pairs have similarity 1; citation."""
    equal = "a term and itself, and terms that are as informative as their common ancestor"
    whole = "only a term and itself" if one.only_identical else equal
    named = _codes([f"{one.name}({', '.join(param.name for param in one.params)})" if one.params else one.name])
    told = f"{_sentence(one.meaning)} {_plain(one.edge_cases)}"
    return named, told, whole if one.is_normalised else "only the most specific terms", _plain(one.cite)


WHEN = "metrics/which-metric-when.md"
QUESTION_LIST = ("<!-- questions: written by make docs -->\n", "<!-- end of questions -->\n")
"""The marks around the list of questions. Comments with the key of a question are around its metrics."""


def when_page() -> str:
    """The page on which metric when: examples unchanged, questions and metrics from their records."""
    page = (Path(__file__).parent / WHEN).read_text(encoding="utf-8")
    listed = "\n".join(f"- [{question.asks}](#{_slug(question.asks)})" for question in all_questions())
    page = _filled(page, *QUESTION_LIST, listed)
    for question in all_questions():
        page = _filled(page, f"<!-- question: {question.key} -->\n", "<!-- end of question -->\n", _about(question))
    return page


def _filled(page: str, start: str, end: str, text: str) -> str:
    """The page with this text between two marks; a page without the marks is not changed, and a test reports it."""
    before, mark, rest = page.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{text}\n\n{end}{after}" if mark else page


def _about(question: Question) -> str:
    rows = [(f"[`{written(metric)}`](../metrics.md#{metric.name})", _plain(metric.meaning)) for metric in question.records()]
    start = f"Start with {_codes(question.start)}."
    return f"{_plain(question.advice)}\n\n{_table(('metric', 'meaning'), rows)}\n\n{start}"


def _slug(heading: str) -> str:
    """The anchor of a heading on code hosts."""
    return "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_").replace(" ", "-")


ARCHITECTURE = "architecture.md"
SOURCE = HERE.parent / "src" / "assay"


def architecture_page() -> str:
    """The map of the code, with the parts that come from the code: packages, files, and one file as an example."""
    page = (Path(__file__).parent / ARCHITECTURE).read_text(encoding="utf-8")
    for name, text in {
        "packages": _table(("package", "what it is"), [(f"`{part}`", _summary(part)) for part in _parts()]),
        "tree": f"```text\n{_tree()}\n```",
        "example": f"```python\n{_map_alone()}\n```",
    }.items():
        page = _filled(page, f"<!-- {name}: written by make docs -->\n", f"<!-- end of {name} -->\n", text)
    return page


def _map_alone() -> str:
    """The file of average precision, with only its first metric."""
    source = (SOURCE / "metrics" / "catalog" / "average_precision.py").read_text(encoding="utf-8")
    record = re.search(r"^AVERAGE_PRECISION = Metric\(\n.*?^\)\n", source, re.MULTILINE | re.DOTALL)
    return source[: record.end()].rstrip() if record else source


def _parts() -> list[str]:
    """Packages and modules of the package, sorted by name."""
    paths = [path for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    return sorted(path.stem for path in paths if not path.name.startswith("_"))


def _summary(part: str) -> str:
    """The first line of the docstring of a package or a module."""
    package = SOURCE / part / "__init__.py"
    source = package if package.is_file() else SOURCE / f"{part}.py"
    return (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def _tree() -> str:
    """Every folder with its files, without file extensions."""
    files: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        if not file.name.startswith("_"):
            files.setdefault(file.parent.relative_to(SOURCE.parent).as_posix(), []).append(file.stem)
    width = max(map(len, files)) + 3
    return "\n".join(
        line
        for folder, names in sorted(files.items())
        for line in textwrap.wrap(
            " ".join(names), 120, initial_indent=f"{folder}/".ljust(width), subsequent_indent=" " * width
        )
    )


def schema_pages() -> dict[str, Callable[[], str]]:
    """The JSON Schemas, which are in the package: file name, seen from this folder → the function that writes it."""
    source = HERE.parent / "src" / "assay" / "schemas"
    return {
        f"../{(source / schema_path(name).name).relative_to(HERE.parent).as_posix()}": partial(_schema_text, schema)
        for name, schema in generated_schemas().items()
    }


def _schema_text(schema: dict[str, Any]) -> str:
    return f"{json.dumps(schema, ensure_ascii=False, indent=1)}\n"


PAGES: dict[str, Callable[[], str]] = {
    **schema_pages(),
    **api_pages(),
    ARCHITECTURE: architecture_page,
    "checks.md": checks_page,
    "formats.md": formats_page,
    "metrics.md": metrics_page,
    "ontologies.md": ontologies_page,
    WHEN: when_page,
}
"""File name → the function that writes it."""


def stale_pages() -> list[str]:
    """Pages that are missing or out of date."""
    return [name for name, page in PAGES.items() if not (HERE / name).is_file() or _read(name) != page()]


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write every page, or with --check report which are stale."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    stale = stale_pages()
    if parser.parse_args(arguments).check:
        sys.stdout.write("".join(f"docs/{name} is stale: run make docs\n" for name in stale))
        return 1 if stale else 0
    for name in stale:
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(PAGES[name](), encoding="utf-8", newline="\n")
        sys.stdout.write(f"docs/{name} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
