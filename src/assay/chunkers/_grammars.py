"""Grammars: which language a file is written in, and the tree-sitter package that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.chunkers._extras import check_installed, needed

EXTRA = "chunkers"


@dataclass(frozen=True)
class Grammar:
    """A language: the package with its grammar, the function there that gives it, and the endings of its files."""

    package: str
    endings: tuple[str, ...]
    function: str = "language"


GRAMMARS = {
    "c": Grammar("tree_sitter_c", ("c",)),
    "cpp": Grammar("tree_sitter_cpp", ("cc", "cpp", "cxx", "c++", "cu", "cuh", "h", "hh", "hpp", "hxx", "inl", "ipp")),
    "go": Grammar("tree_sitter_go", ("go",)),
    "java": Grammar("tree_sitter_java", ("java",)),
    "javascript": Grammar("tree_sitter_javascript", ("js", "jsx", "mjs", "cjs")),
    "python": Grammar("tree_sitter_python", ("py", "pyi", "pyw")),
    "rust": Grammar("tree_sitter_rust", ("rs",)),
    "tsx": Grammar("tree_sitter_typescript", ("tsx",), "language_tsx"),
    "typescript": Grammar("tree_sitter_typescript", ("ts", "mts", "cts"), "language_typescript"),
}
"""A header (.h) is read as C++, which nearly all of C is."""
_BY_ENDING = {ending: name for name, grammar in GRAMMARS.items() for ending in grammar.endings}


def ending_of(path: str) -> str:
    """What stands behind the last dot of a file's name, in small letters; empty where there is no dot."""
    _, dot, ending = path.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def language_of(path: str) -> str:
    """The language a file's ending tells; empty where there is no grammar for it."""
    return _BY_ENDING.get(ending_of(path), "")


def unknown_language(path: str) -> str:
    """Why a file is cut by lines."""
    ending = ending_of(path)
    return f"no grammar for {f'.{ending}' if ending else 'files without an ending'}: cut into lines, as fixed_lines does"


def check_grammars(owner: str, language: str) -> None:
    """Raise one line that names the command to install what is missing."""
    check_installed(owner, "tree_sitter", EXTRA)
    for name in GRAMMARS if language == "auto" else (language,):
        check_installed(owner, GRAMMARS[name].package, EXTRA)


@cache
def _loaded(language: str) -> Any:
    grammar = GRAMMARS[language]
    package = needed("syntax_tree", grammar.package, EXTRA)
    return needed("syntax_tree", "tree_sitter", EXTRA).Language(getattr(package, grammar.function)())


def parse(content: bytes, language: str) -> Any:
    """The syntax tree of a source file; what cannot be understood is a node called ERROR in it."""
    return needed("syntax_tree", "tree_sitter", EXTRA).Parser(_loaded(language)).parse(content)
