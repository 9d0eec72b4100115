"""Syntax: grammars of languages, named scopes in a syntax tree, and units of source text joined into pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

from assay.chunkers.chunker import Piece, check_installed, needed
from assay.chunkers.packing import Measured, lines, split_by, words

Scope = tuple[str, ...]
SMALL_SHARE = 8
"""A piece smaller than 1/8 of a chunk, such as the head of a class, is joined with what follows."""


class Unit(NamedTuple):
    """A span that is not cut: a node, or text between nodes."""

    start: int
    end: int
    scope: Scope
    node: Any = None


class Gathering:
    """Joins units in order. A piece ends if the next unit does not fit, and before and after a node that is cut."""

    def __init__(self, measured: Measured, size: int) -> None:
        self.measured, self.size = measured, size
        self.pieces: list[Piece] = []
        self._start = 0
        """Start of the current piece."""
        self._end = 0
        """End of the last unit."""
        self._units: list[Unit] = []
        self._loose: int | None = None
        """Start of the comments directly above the next unit."""
        self._line = 0
        """Start of the last line in which a unit starts."""
        self._must_end = False

    def add(self, unit: Unit) -> None:
        """Add a unit to the current piece, or start a new piece with it."""
        place = self._place(unit.start)
        begins_line = place == 0 or self.measured.text[place - 1] == "\n"
        is_tail = not begins_line or (unit.node is not None and not unit.node.is_named)
        if self._must_end and not (is_tail and self.fits(unit.end)):
            self._end_at(place)
        self._must_end = False
        above = self._loosen(unit, place, begins_line)
        if self._units and not self.fits(unit.end):
            self._end_at(self._best_cut(unit.end, place, (above, place if begins_line else self._line)))
            if not self.fits(unit.end):
                self._end_at(place)
        if begins_line:
            self._line = place
        self._units.append(unit)
        self._end = unit.end

    def add_large(self, start: int, end: int, scope: Scope) -> None:
        """Add a span that has no parts and does not fit: cut it into lines, and lines that are too large into words."""
        self._end_at(self._place(start))
        first, *others = split_by((lines, words), self.measured, self._start, end, self.size)
        self._units = [Unit(start, first[1], scope)]
        for part_start, part_end in others:
            self._end_at(part_start)
            self._units = [Unit(part_start, part_end, scope)]
        self._end, self._loose = end, None

    def before_large(self, start: int) -> None:
        """Prepare for a node that does not fit and is cut: it starts a piece, with the comments above it."""
        if self.measured.count(self._start, self._end) * SMALL_SHARE > self.size:
            place = self._place(start)
            loose = self._loose if self._loose is not None and not self._is_parted(place) else None
            self._end_at(place if loose is None else loose)

    def behind_large(self) -> None:
        """Start a new piece with the next unit, unless it is a bracket, a comma or on the same line."""
        self._must_end = True

    def finish(self) -> list[Piece]:
        """All pieces; the last one reaches to the end of the text."""
        self._end_at(len(self.measured))
        return self.pieces

    def fits(self, end: int) -> bool:
        """Whether the current piece can be extended to this place."""
        return self.measured.count(self._start, end) <= self.size

    def _place(self, start: int) -> int:
        """Where to cut before a unit: at the start of its line, if nothing else is in that line before it."""
        return max(self._end, self.measured.text.rfind("\n", self._end, start) + 1) if self._has_line(start) else start

    def _has_line(self, start: int) -> bool:
        return self._end == 0 or self.measured.text[self._end - 1] == "\n" or "\n" in self.measured.text[self._end : start]

    def _is_parted(self, place: int) -> bool:
        """Whether there is an empty line between the last unit and a place."""
        return self.measured.text.count("\n", max(0, self._end - 1), place) > 1

    def _loosen(self, unit: Unit, place: int, begins_line: bool) -> int | None:
        """The start of the comments above a unit, which belong to it; None if there are none."""
        is_comment = unit.node is not None and _is_above(unit.node)
        if self._loose is not None and self._is_parted(place):
            self._loose = None
        if is_comment and begins_line and self._loose is None:
            self._loose = place
        above = self._loose
        self._loose = above if is_comment else None
        return above

    def _best_cut(self, end: int, place: int, candidates: tuple[int | None, ...]) -> int:
        """The first candidate after which everything up to `end` fits into a new piece; otherwise the place itself."""
        for cut in candidates:
            if cut is not None and cut > self._start and self.measured.count(cut, end) <= self.size:
                return cut
        return place

    def _end_at(self, place: int) -> None:
        """End the piece there, unless it would be empty; units after that place belong to the next piece."""
        if place <= self._start or not self.measured.count(self._start, place):
            return
        inside = [unit for unit in self._units if unit.start < place]
        self.pieces.append(Piece(self._start, place, _title(inside)))
        self._units = [unit for unit in self._units if unit.start >= place]
        self._start = place


_ABOVE = frozenset(("attribute_item", "decorator", "inner_attribute_item"))


def _is_above(node: Any) -> bool:
    """Whether a node belongs to the node below it: a comment, decorator or attribute."""
    return "comment" in node.type or node.type in _ABOVE


def _title(units: list[Unit]) -> str:
    """The class or function that contains all units, followed by the name of the unit if there is only one.

    Comments and brackets do not count, unless there is nothing else.
    """
    named = [unit for unit in units if unit.node is None or (unit.node.is_named and not _is_above(unit.node))] or units
    if not named:
        return ""
    scope = named[0].scope
    for unit in named[1:]:
        if unit.scope != scope:
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(scope, unit.scope, strict=False))
            scope = tuple(part for part, _ in alike)
    name = definition_name(named[0].node) if len(named) == 1 and named[0].node is not None else ""
    return ".".join((*scope, name) if name else scope)


GRAMMARS_EXTRA = "chunkers"


@dataclass(frozen=True)
class Grammar:
    """A language: the package of its grammar, the function that returns it, and its file extensions."""

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
"""A header (.h) is parsed as C++, because nearly all C is valid C++."""
_BY_ENDING = {ending: name for name, grammar in GRAMMARS.items() for ending in grammar.endings}


def ending_of(path: str) -> str:
    """The file extension in lower case, without the dot; empty if there is none."""
    _, dot, ending = path.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def language_of(path: str) -> str:
    """The language of a file extension; empty if there is no grammar for it."""
    return _BY_ENDING.get(ending_of(path), "")


def no_grammar(path: str) -> str:
    """The start of a remark on a file in an unknown language."""
    ending = ending_of(path)
    return f"no grammar for {f'.{ending} files' if ending else 'files without extension'}"


def unknown_language(path: str) -> str:
    """The remark for a file that is cut into lines."""
    return f"{no_grammar(path)}, so cut into lines as by fixed_lines"


def check_grammars(owner: str, language: str) -> None:
    """Raise an error with the install command if a package is missing."""
    check_installed(owner, "tree_sitter", GRAMMARS_EXTRA)
    for name in GRAMMARS if language == "auto" else (language,):
        check_installed(owner, GRAMMARS[name].package, GRAMMARS_EXTRA)


@cache
def _load_grammar(language: str) -> Any:
    grammar = GRAMMARS[language]
    package = needed("syntax_tree", grammar.package, GRAMMARS_EXTRA)
    return needed("syntax_tree", "tree_sitter", GRAMMARS_EXTRA).Language(getattr(package, grammar.function)())


def parse(content: bytes, language: str) -> Any:
    """The syntax tree of a source file; parts that cannot be parsed are ERROR nodes."""
    return needed("syntax_tree", "tree_sitter", GRAMMARS_EXTRA).Parser(_load_grammar(language)).parse(content)


SCOPES = frozenset(
    {
        *("abstract_class_declaration", "annotation_type_declaration", "class_declaration", "class_definition"),
        *("class_specifier", "constructor_declaration", "enum_declaration", "enum_item", "enum_specifier"),
        *("function_declaration", "function_definition", "function_item", "generator_function_declaration", "impl_item"),
        *("interface_declaration", "internal_module", "method_declaration", "method_definition", "mod_item"),
        *("module_declaration", "namespace_definition", "record_declaration", "struct_item", "struct_specifier"),
        *("trait_item", "type_spec", "union_item", "union_specifier", "variable_declarator"),
    }
)
"""Types of nodes that have a name and members, from all grammars."""
WRAPPERS = frozenset(
    {
        *("decorated_definition", "export_statement", "lexical_declaration", "template_declaration", "type_declaration"),
        *("ambient_declaration", "expression_statement", "variable_declaration"),
    }
)
"""Types of nodes that contain a definition and little else."""
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function", "class"})
LONGEST_TITLE = 80


def scope_name(node: Any) -> str:
    """The name of a class, function …: `Client`, in Go `Client.Retry`; empty for any other node."""
    if node.type not in SCOPES:
        return ""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return ""
    if node.type == "impl_item":
        return _node_text(node.child_by_field_name("type")).partition("<")[0]
    name = node.child_by_field_name("name") or _declared(node)
    return f"{_receiver(node)}{_node_text(name)}"


def definition_name(node: Any) -> str:
    """The name of the definition that a node is or wraps; empty if it is not a definition."""
    for _ in range(len(WRAPPERS)):
        if node.type not in WRAPPERS:
            break
        inside = [child for child in node.named_children if child.type in SCOPES or child.type in WRAPPERS]
        if len(inside) != 1:
            return ""
        node = inside[0]
    return scope_name(node)


def _declared(node: Any) -> Any:
    """The name inside nested C declarators: pointer, reference, function."""
    while node is not None and (inner := node.child_by_field_name("declarator")) is not None:
        node = inner
    return node if node is not None and node.type.endswith("identifier") else None


def _receiver(node: Any) -> str:
    """The type that a Go method belongs to, followed by a dot."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    words = _node_text(receiver).strip("() ").replace("*", " ").split()
    return f"{words[-1].partition('[')[0]}." if words else ""


def _node_text(node: Any) -> str:
    """The text of a node, on one line and shortened."""
    text = " ".join(node.text.decode("utf-8", "replace").split()) if node is not None else ""
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"
