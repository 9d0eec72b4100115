"""The reference of public Python names: one page per package, from signatures, types and docstrings."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from types import ModuleType
from typing import Any, ForwardRef

PACKAGES = {
    "assay": "the functions and classes that most users need",
    "assay.metrics": "metrics as values, and your own metrics",
    "assay.datasets": "benchmarks from files, folders and frames",
    "assay.stats": "tests, intervals, effect sizes, power, agreement of rankings and judges",
    "assay.fusion": "fusion of rankings",
    "assay.chunkers": "chunkers",
    "assay.embeddings": "models that turn texts into vectors",
    "assay.judging": "pools of pairs to judge, and estimates from a sample",
    "assay.judged_answers": "verdicts about claims, nuggets and contexts of answers",
    "assay.learning_to_rank": "which features of a ranking model help",
    "assay.monitoring": "rules, the gate, history and drift",
    "assay.store": "the store of results and judgments",
    "assay.charts": "charts as Vega-Lite specifications and images",
    "assay.ontology": "ontologies, and benchmarks of phenotypes",
    "assay.spark": "runs that are tables in Spark",
    "assay.conformance": "a test kit for your own metric code",
    "assay.schemas": "JSON Schemas of everything that assay writes",
}
"""Packages whose public names are meant for users → what they are for."""
ERROR_BASE = Exception
HEAD = "This page is generated from the source by `make docs`; do not edit it."


def api_pages() -> dict[str, Callable[[], str]]:
    """File name, seen from this folder → the function that writes it."""
    return {"api/README.md": _index, **{f"api/{name}.md": partial(package_page, name) for name in PACKAGES}}


def _index() -> str:
    rows = "\n".join(
        f"| [`{name}`]({name}.md) | {about} | {len(_public(importlib.import_module(name)))} |"
        for name, about in PACKAGES.items()
    )
    return (
        "# Python API\n\nThese packages are public. [Releases](../releases.md#what-is-public) says what that promises. The "
        f"[tour](../tour.md#python) has an example of each part.\n\n{HEAD}\n\n"
        f"| package | what it has | names |\n|---|---|---:|\n{rows}\n\n"
        "Every function that reads something accepts dicts, lists, files and frames of pandas, polars and Arrow. Types in "
        "the signatures that end in `Source` mean all of these ([what goes in](../tour.md#what-goes-in)). Errors are "
        "subclasses of `AssayError` ([errors](../tour.md#when-something-is-wrong)).\n"
    )


def _public(module: ModuleType) -> list[str]:
    return [name for name in module.__all__ if not name.startswith("__")]


def package_page(name: str) -> str:
    """All public names of a package: functions, then classes, then errors, then other values."""
    module = importlib.import_module(name)
    values = {each: getattr(module, each) for each in _public(module)}
    groups = {
        "Functions": [each for each, value in values.items() if inspect.isroutine(value) or _is_wrapped(value)],
        "Classes": [each for each, value in values.items() if inspect.isclass(value) and not issubclass(value, ERROR_BASE)],
        "Errors": [each for each, value in values.items() if inspect.isclass(value) and issubclass(value, ERROR_BASE)],
    }
    listed = {each for group in groups.values() for each in group}
    lines = [f"# {name}", "", f"{PACKAGES[name][0].upper()}{PACKAGES[name][1:]}. {HEAD}", ""]
    lines += [f"- [{title}](#{title.lower()}): {_linked(title, names)}" for title, names in groups.items() if names]
    for title, names in groups.items():
        lines += ["", f"## {title}"] * bool(names)
        for each in names:
            lines += ["", f"### {_heading(title, each)}", "", *_described(each, values[each])]
    if others := [each for each in values if each not in listed]:
        lines += ["", "## Other names", "", ", ".join(f"`{each}`" for each in others)]
    return "\n".join(lines) + "\n"


def _is_wrapped(value: Any) -> bool:
    return callable(value) and not inspect.isclass(value) and hasattr(value, "__wrapped__")


def _heading(group: str, name: str) -> str:
    """Classes say that they are classes, because `run` and `Run` would have one anchor."""
    return f"class {name}" if group == "Classes" else name


def _linked(group: str, names: list[str]) -> str:
    return ", ".join(f"[`{name}`](#{_heading(group, name).lower().replace(' ', '-')})" for name in names)


def _described(name: str, value: Any) -> Iterator[str]:
    yield from _code(_signatures(name, value))
    yield from ("", _prose(inspect.getdoc(value) if _has_own_doc(value) else ""))
    if not inspect.isclass(value):
        return
    fields = dict(_fields(value))
    members = [each for each in vars(value) if not each.startswith("_") and each not in fields]
    if fields:
        yield from ("", "| attribute | type | meaning |", "|---|---|---|")
        yield from (f"| `{each}` | {_type(kind)} | {_prose(about)} |" for each, (kind, about) in fields.items())
    rows = [row for each in members if (row := _member(each, inspect.getattr_static(value, each)))]
    if rows:
        yield from ("", "| method or property | meaning |", "|---|---|", *rows)


def _has_own_doc(value: Any) -> bool:
    """Whether somebody wrote the docstring: that of a dataclass without one is its signature."""
    doc = getattr(value, "__doc__", None)
    return bool(doc) and not (inspect.isclass(value) and doc.startswith(f"{value.__name__}("))


def _signatures(name: str, value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, ERROR_BASE):
        bases = [base.__name__ for base in value.__bases__]
        return f"class {name}({', '.join(bases)})"
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [each for each in signature.parameters.values() if not each.name.startswith("_")]
    shown = _wrapped(name, [str(_plain(each)) for each in _with_marker(parameters)])
    returns = signature.return_annotation
    arrow = "" if inspect.isclass(value) or returns is inspect.Signature.empty else f" -> {_text(returns)}"
    return f"{'class ' if inspect.isclass(value) else ''}{shown}{arrow}"


def _with_marker(parameters: list[inspect.Parameter]) -> list[inspect.Parameter | str]:
    """The parameters with `*` before the first one that needs its keyword."""
    kinds = [each.kind for each in parameters]
    if inspect.Parameter.KEYWORD_ONLY not in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return list(parameters)
    first = kinds.index(inspect.Parameter.KEYWORD_ONLY)
    return [*parameters[:first], "*", *parameters[first:]]


def _plain(parameter: inspect.Parameter | str) -> str:
    if isinstance(parameter, str):
        return parameter
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = f"{star}{parameter.name}"
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_text(parameter.annotation)}"
    if parameter.default is inspect.Parameter.empty:
        return text
    default = repr(parameter.default)
    shown = default if len(default) < 40 and " at 0x" not in default and "<" not in default else "…"
    return f"{text} = {shown}" if ":" in text else f"{text}={shown}"


def _text(annotation: Any) -> str:
    """A type as it is written in the source, without the modules of typing."""
    written = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation  # a named tuple before 3.14
    text = written if isinstance(written, str) else inspect.formatannotation(written)
    return re.sub(r"\b(?:typing|collections\.abc|assay(?:\.\w+)*)\.", "", text)


def _wrapped(name: str, parts: list[str]) -> str:
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(parts) + ",\n)"


def _code(text: str) -> list[str]:
    return ["```py", text, "```"]


def _prose(text: str | None) -> str:
    """A docstring as Markdown: paragraphs on one line each, with the characters escaped that would be markup."""
    paragraphs = re.split(r"\n\s*\n", textwrap.dedent(text or "").strip())
    joined = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return "\n\n".join(re.sub(r"(?<!`)([*<|])(?!`)", r"\\\1", line) for line in joined)


def _type(kind: str) -> str:
    return f"`{kind}`".replace("|", "\\|") if kind else ""


def _fields(value: type) -> Iterator[tuple[str, tuple[str, str]]]:
    """Public fields of a dataclass with their types and the texts below them; of its own and of its bases."""
    if not dataclasses.is_dataclass(value):
        return
    texts = {name: text for base in reversed(value.__mro__) for name, text in _field_texts(base).items()}
    for field in dataclasses.fields(value):
        if not field.name.startswith("_"):
            yield field.name, (_text(field.type), " ".join(texts.get(field.name, "").split()))


@cache
def _field_texts(value: type) -> dict[str, str]:
    """Field → the string below it in the source."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for statement, below in pairwise(statements):
        is_field = isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        if is_field and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found[statement.target.id] = str(below.value.value)  # type: ignore[attr-defined]
    return found


def _member(name: str, member: Any) -> str:
    """A row for a method or a property; empty for anything without a docstring."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", None) or member
    about = _prose(inspect.getdoc(function)).partition("\n")[0] if inspect.isfunction(function) else ""
    if not about:
        return ""
    if function is not member and not isinstance(member, classmethod | staticmethod):
        return f"| `{name}` | {about} |"
    parameters = list(inspect.signature(function).parameters.values())
    if not isinstance(member, staticmethod):
        parameters = parameters[1:]
    shown = ", ".join(_brief(each) for each in _with_marker(parameters) if not str(each).startswith("_"))
    return f"| `{name}({shown})` | {about} |"


def _brief(parameter: inspect.Parameter | str) -> str:
    """A parameter without its type."""
    return parameter if isinstance(parameter, str) else _plain(parameter.replace(annotation=inspect.Parameter.empty))
