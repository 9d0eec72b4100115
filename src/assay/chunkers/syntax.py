"""Syntax: grammars of languages, named scopes in a syntax tree, and units of source text gathered into pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

from assay.chunkers.chunker import Piece, check_installed, needed
from assay.chunkers.packing import Measured, lines, split_by, words

Scope = tuple[str, ...]
SMALL_SHARE = 8
"""What is smaller than one part in so many of a chunk, such as the head of a class, goes with what comes next."""


class Unit(NamedTuple):
    """A stretch that is not cut: a node, or text between nodes."""

    start: int
    end: int
    scope: Scope
    node: Any = None


class Gathering:
    """Takes units in order. A piece ends where the next unit does not fit, and before and behind what is cut itself."""

    def __init__(self, measured: Measured, size: int) -> None:
        self.measured, self.size = measured, size
        self.pieces: list[Piece] = []
        self._start = 0
        """Where the piece starts that units are added to."""
        self._end = 0
        """Where the last unit ends."""
        self._units: list[Unit] = []
        self._loose: int | None = None
        """Where the comments start that stand right above the next unit."""
        self._line = 0
        """Where the last line starts that a unit starts in."""
        self._must_end = False

    def add(self, unit: Unit) -> None:
        """Put a unit to the others, or start a new piece with it."""
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
        """A stretch that has no parts and does not fit: it is cut into lines, and those that are too large into words."""
        self._end_at(self._place(start))
        first, *others = split_by((lines, words), self.measured, self._start, end, self.size)
        self._units = [Unit(start, first[1], scope)]
        for part_start, part_end in others:
            self._end_at(part_start)
            self._units = [Unit(part_start, part_end, scope)]
        self._end, self._loose = end, None

    def before_large(self, start: int) -> None:
        """Something follows that does not fit and is cut: it starts a piece, with the comments above it."""
        if self.measured.count(self._start, self._end) * SMALL_SHARE > self.size:
            place = self._place(start)
            loose = self._loose if self._loose is not None and not self._is_parted(place) else None
            self._end_at(place if loose is None else loose)

    def behind_large(self) -> None:
        """What follows starts a piece, except for brackets, commas and whatever stands in the same line."""
        self._must_end = True

    def finish(self) -> list[Piece]:
        """All pieces; the last one reaches to the end of the text."""
        self._end_at(len(self.measured))
        return self.pieces

    def fits(self, end: int) -> bool:
        """Whether everything up to there is one piece."""
        return self.measured.count(self._start, end) <= self.size

    def _place(self, start: int) -> int:
        """Where to cut before a unit: where its line starts, if nothing else stands there."""
        return max(self._end, self.measured.text.rfind("\n", self._end, start) + 1) if self._has_line(start) else start

    def _has_line(self, start: int) -> bool:
        return self._end == 0 or self.measured.text[self._end - 1] == "\n" or "\n" in self.measured.text[self._end : start]

    def _is_parted(self, place: int) -> bool:
        """Whether an empty line stands between the last unit and a place."""
        return self.measured.text.count("\n", max(0, self._end - 1), place) > 1

    def _loosen(self, unit: Unit, place: int, begins_line: bool) -> int | None:
        """Where the comments above a unit start, which belong to it, or its own where it is the first of them."""
        is_comment = unit.node is not None and _is_above(unit.node)
        if self._loose is not None and self._is_parted(place):
            self._loose = None
        if is_comment and begins_line and self._loose is None:
            self._loose = place
        above = self._loose
        self._loose = above if is_comment else None
        return above

    def _best_cut(self, end: int, place: int, candidates: tuple[int | None, ...]) -> int:
        """The first of some cuts that makes a new piece which holds all up to `end`; else the place itself."""
        for cut in candidates:
            if cut is not None and cut > self._start and self.measured.count(cut, end) <= self.size:
                return cut
        return place

    def _end_at(self, place: int) -> None:
        """End the piece there, unless it would be empty; units behind that place belong to the next."""
        if place <= self._start or not self.measured.count(self._start, place):
            return
        inside = [unit for unit in self._units if unit.start < place]
        self.pieces.append(Piece(self._start, place, _title(inside)))
        self._units = [unit for unit in self._units if unit.start >= place]
        self._start = place


_ABOVE = frozenset(("attribute_item", "decorator", "inner_attribute_item"))


def _is_above(node: Any) -> bool:
    """Whether a node is about the one below it: a comment, or what some languages write like one."""
    return "comment" in node.type or node.type in _ABOVE


def _title(units: list[Unit]) -> str:
    """The class or function that all units stand in, and which one they are, if there is just one.

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
    check_installed(owner, "tree_sitter", GRAMMARS_EXTRA)
    for name in GRAMMARS if language == "auto" else (language,):
        check_installed(owner, GRAMMARS[name].package, GRAMMARS_EXTRA)


@cache
def _load_grammar(language: str) -> Any:
    grammar = GRAMMARS[language]
    package = needed("syntax_tree", grammar.package, GRAMMARS_EXTRA)
    return needed("syntax_tree", "tree_sitter", GRAMMARS_EXTRA).Language(getattr(package, grammar.function)())


def parse(content: bytes, language: str) -> Any:
    """The syntax tree of a source file; what cannot be understood is a node called ERROR in it."""
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
"""What nodes are called that have a name which their members belong to, in all grammars together."""
WRAPPERS = frozenset(
    {
        *("decorated_definition", "export_statement", "lexical_declaration", "template_declaration", "type_declaration"),
        *("ambient_declaration", "expression_statement", "variable_declaration"),
    }
)
"""Nodes that hold a definition and little else."""
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function", "class"})
LONGEST_TITLE = 80


def scope_name(node: Any) -> str:
    """What a class, function … is called: `Client`, in Go `Client.Retry`; empty for any other node."""
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
    """The name of the definition that a node is or wraps; empty where it is none."""
    for _ in range(len(WRAPPERS)):
        if node.type not in WRAPPERS:
            break
        inside = [child for child in node.named_children if child.type in SCOPES or child.type in WRAPPERS]
        if len(inside) != 1:
            return ""
        node = inside[0]
    return scope_name(node)


def _declared(node: Any) -> Any:
    """The name inside of declarators, as C has it: pointer, reference, function."""
    while node is not None and (inner := node.child_by_field_name("declarator")) is not None:
        node = inner
    return node if node is not None and node.type.endswith("identifier") else None


def _receiver(node: Any) -> str:
    """The type that a method of Go belongs to, and a dot."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    words = _node_text(receiver).strip("() ").replace("*", " ").split()
    return f"{words[-1].partition('[')[0]}." if words else ""


def _node_text(node: Any) -> str:
    """What a node says, on one line, and not too long."""
    text = " ".join(node.text.decode("utf-8", "replace").split()) if node is not None else ""
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"
