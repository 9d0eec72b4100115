"""How public names are called, a line for each: functions, classes with methods and properties, commands with options."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from enum import EnumMeta
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from docs.api_reference import PACKAGES

import assay

ROOT = Path(__file__).parents[1]
DROP_INS = sorted(
    ".".join(("assay", "compat", *file.relative_to(ROOT / "src" / "assay" / "compat").parent.parts))
    for file in (ROOT / "src" / "assay" / "compat").glob("*/__init__.py")
)
MODULES = (*PACKAGES, *DROP_INS)
"""Modules that promise every name of their `__all__`."""
FOR_CONTRIBUTORS = {"architecture.md"}
"""Pages that may import what is not promised."""
IMPORT = re.compile(r"^\s*(?:>>> )?from (assay[\w.]*) import ([\w, ]+)$", re.MULTILINE)
BLOCK_END = r" ;;$(?=\n        \w+\)|\n    esac)"
COMMAND = re.compile(rf"^        (\w+)\)\n(            flags=.*?){BLOCK_END}", re.MULTILINE | re.DOTALL)
UNPACKED = re.compile(r"Unpack\[(\w+)\]")


def names_in_pages() -> dict[str, list[str]]:
    """Module → names that pages for users import from it, without those that `__all__` of a promised module has."""
    found: dict[str, set[str]] = {}
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        if page.name not in FOR_CONTRIBUTORS:
            for module, names in IMPORT.findall(page.read_text(encoding="utf-8")):
                found.setdefault(module, set()).update(name.split(" as ")[0].strip() for name in names.split(","))
    promised = {module: set(importlib.import_module(module).__all__) for module in MODULES}
    left = {module: sorted(names - promised.get(module, set())) for module, names in sorted(found.items())}
    return {module: names for module, names in left.items() if names}


def described_module(module: ModuleType, names: list[str]) -> Iterator[str]:
    """The lines of all names."""
    for name in names:
        yield from described(name, getattr(module, name))


def described(name: str, value: object) -> Iterator[str]:
    """A line for a name, and one for every public method and property of a class."""
    if isinstance(value, EnumMeta):  # its signature differs between versions of Python
        yield f"class {name}: {', '.join(f'{one.name}={one.value!r}' for one in value)}"
        yield from _members(name, value)
    elif inspect.isclass(value):
        yield f"class {name}{_bases(value)}" if issubclass(value, Exception) else f"class {name}{called(value)}"
        yield from _members(name, value)
    elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        yield f"{name}{called(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _bases(value: type) -> str:
    return f"({', '.join(base.__name__ for base in value.__bases__)})"


def _members(name: str, value: type) -> Iterator[str]:
    """Methods with their parameters, and properties; of bases too, if assay wrote them."""
    for member in inspect.classify_class_attrs(value):
        is_own = member.defining_class.__module__.startswith("assay")
        if member.name.startswith("_") or not is_own:
            continue
        if member.kind == "property" or isinstance(member.object, cached_property):
            yield f"{name}.{member.name}: property"
        elif member.kind != "data":
            yield f"{name}.{member.name}{called(getattr(value, member.name))}"


def called(function: object) -> str:
    """How a function is called, without its annotations: `name`, `name=default`, `*` before keywords, `**settings: a, b`."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "(…)"
    bare, keywords = [], ""
    for name, one in signature.parameters.items():
        if one.kind is one.VAR_KEYWORD and (found := UNPACKED.search(str(one.annotation))):
            keywords = f" with {', '.join(sorted(typed_keys()[found[1]]))}"
        if name != "self" and not name.startswith("_"):
            bare.append(one.replace(annotation=inspect.Parameter.empty))
    shown = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", shown) + keywords


@cache
def typed_keys() -> dict[str, set[str]]:
    """Class of typed keywords → its keywords, with those of its bases, as they are in the source."""
    classes: dict[str, ast.ClassDef] = {}
    for file in (ROOT / "src" / "assay").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        found = ast.walk(ast.parse(text)) if "TypedDict" in text or "total=False" in text else ()
        classes |= {node.name: node for node in found if isinstance(node, ast.ClassDef)}

    def keys_of(name: str) -> set[str]:
        node = classes.get(name)
        if node is None:
            return set()
        own = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
        return own.union(*(keys_of(base.id) for base in node.bases if isinstance(base, ast.Name)))

    return {name: keys_of(name) for name in classes}


def described_names() -> str:
    """All promised names of Python."""
    lines = []
    for name in MODULES:
        module = importlib.import_module(name)
        lines += [f"## {name}", *described_module(module, sorted(module.__all__))]
    for name, names in names_in_pages().items():
        lines += [f"## {name}: names in pages", *described_module(importlib.import_module(name), names)]
    result = assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["mrr"], name="mine")
    lines += ["## a result", *(name for name in dir(result) if not name.startswith("_"))]
    return "\n".join(lines) + "\n"


LONG = 12
"""From this number of choices on, a list is printed once, because many commands have it."""


def described_commands(script: str) -> str:
    """Commands, their options and the choices of an option, from the script that completes them in bash."""
    lines, lists = [], set()
    for name, part in re.findall(
        r"^        (\w+)\)\n(            flags=.*?) ;;$(?=\n        \w+\)|\n    esac)", script, re.MULTILINE | re.DOTALL
    ):
        flags, bare = re.findall(r"(?:flags|bare)='(.*?)'", part)[:2]
        choices = {
            flag: words.split()
            for listed, words in re.findall(r"^ +(\S+)\) takes=\w+ words='(.*?)'", part, re.MULTILINE)
            for flag in listed.split("|")
        }
        lines += [f"## {name}", *([f"arguments: {bare}"] if 0 < len(bare.split()) < LONG else [])]
        for flag in (flag for flag in flags.split() if flag.startswith("--")):
            words = choices.get(flag, [])
            lists |= {f"{flag}: {' '.join(words)}"} if len(words) >= LONG else set()
            lines.append(f"{flag}{': ' if 0 < len(words) < LONG else ''}{' '.join(words) if len(words) < LONG else ''}")
    return "\n".join([*lines, "## long lists of choices", *sorted(lists)]) + "\n"
