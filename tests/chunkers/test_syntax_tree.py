"""syntax_tree: definitions stay whole, titles are right, comments stay where they belong."""

import ast
from pathlib import Path

from assay.chunkers import all_chunkers, parse_chunker

from ._texts import PYTHON, assert_sound, chunks_of, solid

SOURCE = Path(__file__).parents[2] / "src" / "assay"
FILES = sorted(SOURCE.rglob("*.py"))
"""Enough of our own sources."""

GO = """package shop

// Add puts a thing in.
func (b *Basket[T]) Add(name string) {
	b.names = append(b.names, name)
}

type Basket[T any] struct {
	names []string
}
"""
RUST = """impl<T> Basket<T> {
    /// Puts a thing in.
    #[inline]
    pub fn add(&mut self, name: String) { self.names.push(name); }

    pub fn total(&self) -> i32 {
        self.names.iter().map(|name| price(name)).sum()
    }
}
"""
TYPESCRIPT = """/** What somebody buys. */
export class Basket {
  add(name: string): void {
    this.names.push(name);
  }

  total(): number {
    return this.names.map((name) => price(name)).reduce((a, b) => a + b, 0);
  }
}

export const greet = (name: string): string => {
  return `Hello and welcome, dear ${name}`;
};
"""
JAVA = """/** What somebody buys. */
public class Basket {
    private final List<String> names = new ArrayList<>();

    @Override
    public int total() {
        return names.stream().mapToInt(Shop::price).sum();
    }
}
"""
CPP = """namespace shop {

// What somebody buys.
template <typename T>
class Basket {
  int total() const { return std::accumulate(items_.begin(), items_.end(), 0); }
};

int* Basket::find(const char* name) { return nullptr; }

}  // namespace shop
"""
C = """static int *counter(void) {
    static int n;
    return &n;
}

int main(int argc, char **argv) { return *counter(); }
"""
JAVASCRIPT = """class Basket {
  add(name) { this.names.push(name); }
}

const total = function (basket) {
  return basket.names.length;
};

function* each(basket) { yield* basket.names; }
"""


def definitions(tree, path=()):
    """Path, first and last line of every class and function, decorators included."""
    for node in ast.iter_child_nodes(tree):
        inner = path
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*path, node.name)
            yield ".".join(inner), min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno
        yield from definitions(node, inner)


def check_definitions_are_whole(file, size):
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    chunks = chunks_of(text, f"syntax_tree(size={size})")
    assert_sound(text, chunks)
    found = list(definitions(ast.parse(text)))
    for _, first, last in found:
        if solid("".join(lines[first - 1 : last])) <= size:
            assert any(chunk.start_line <= first and last <= chunk.end_line for chunk in chunks), (file, first)
    for chunk in (chunk for chunk in chunks if chunk.title):
        spans = [(first, last) for path, first, last in found if path == chunk.title]
        assert any(first <= chunk.end_line and chunk.start_line <= last for first, last in spans), (file, chunk.title)


def test_what_fits_is_whole_as_pythons_own_parser_sees_it():
    for file in FILES[::80]:
        check_definitions_are_whole(file, 200)
        check_definitions_are_whole(file, 1500)


def test_by_hand():
    chunks = chunks_of(PYTHON, "syntax_tree(size=120)", "bank.py")
    assert [(chunk.chunk_id, chunk.title) for chunk in chunks] == [
        ("bank.py:1-5", None),
        ("bank.py:6-13", "Account"),
        ("bank.py:14-19", "Account.deposit"),
        ("bank.py:20-21", "open_account"),
    ]
    assert chunks[1].text.startswith("# Money is counted in cents.\nclass Account:\n")


OTHER_LANGUAGES = [
    ("a.go", GO, 90, [(1, 2, None), (3, 7, "Basket.Add"), (8, 10, "Basket")]),
    ("a.rs", RUST, 90, [(1, 1, "Basket"), (2, 5, "Basket.add"), (6, 9, "Basket.total")]),
    ("a.ts", TYPESCRIPT, 90, [(1, 6, "Basket"), (7, 11, "Basket.total"), (12, 14, "greet")]),
    ("A.java", JAVA, 80, [(1, 2, "Basket"), (3, 4, "Basket"), (5, 9, "Basket.total")]),
    ("a.cpp", CPP, 130, [(1, 2, "shop"), (3, 8, "shop.Basket"), (9, 11, "shop.Basket::find")]),
    ("a.h", CPP, 400, [(1, 11, None)]),
    ("a.c", C, 50, [(1, 5, "counter"), (6, 6, "main")]),
    ("a.js", JAVASCRIPT, 60, [(1, 4, "Basket"), (5, 8, "total"), (9, 9, "each")]),
    ("a.jsx", JAVASCRIPT, 60, [(1, 4, "Basket"), (5, 8, "total"), (9, 9, "each")]),
]


def test_other_languages():
    for name, text, size, wanted in OTHER_LANGUAGES:
        chunks = chunks_of(text, f"syntax_tree(size={size})", name)
        assert_sound(text, chunks)
        assert [(chunk.start_line, chunk.end_line, chunk.title) for chunk in chunks] == wanted, name


def test_comments_stay_with_what_they_are_about_and_in_their_line():
    text = "a = 1\n\n# About f.\n# More.\ndef f():\n    return 'ffffffffff'\n"
    assert [chunk.start_line for chunk in chunks_of(text, "syntax_tree(size=40)")] == [1, 3]
    text = "aaaa = 1  # why\nbbbb = 2  # why not\ncccc = 3\n"
    assert [chunk.chunk_id for chunk in chunks_of(text, "syntax_tree(size=16)")] == [f"file.py:{n}-{n}" for n in (1, 2, 3)]


def test_characters_are_not_bytes():
    text = "# 日本語 😀 é\n" * 3 + "def f():\n    return '日本語日本語日本語'\n" + "def g():\n    return 2\n"
    chunks = chunks_of(text, "syntax_tree(size=30)")
    assert_sound(text, chunks)
    assert chunks[-1].text == "def g():\n    return 2\n"
    assert chunks[-2].text.startswith("def f():")


def test_a_deep_scope_has_no_endless_title():
    text = "".join(f"{' ' * depth}class C{depth}:\n" for depth in range(40)) + " " * 40 + "x = 1\n" * 1
    chunks = chunks_of(text, "syntax_tree(size=20)")
    assert max(chunk.title.count(".") for chunk in chunks if chunk.title) == 16


def test_other_files_are_cut_as_fixed_lines_does():
    text = "word\n" * 900
    by_lines, by_tree = (chunks_of(text, name, "a.txt") for name in ("fixed_lines", "syntax_tree"))
    assert by_lines == by_tree


def test_which_language_a_path_tells_or_is_said():
    assert "Account.deposit" in [chunk.title for chunk in chunks_of(PYTHON, "syntax_tree(size=120, language=python)", "x")]
    for path, is_known in {"a.py": 1, "A.PY": 1, "a\\b.py": 1, "a.b/c": 0, "py": 0, "a.": 0}.items():
        titles = [chunk.title for chunk in chunks_of(PYTHON, "syntax_tree(size=120)", path)]
        assert ("Account.deposit" in titles) == bool(is_known), path


def test_every_grammar_is_there():
    (language,) = (param for param in all_chunkers()["syntax_tree"].params if param.name == "language")
    names = [name for name in language.choices if name != "auto"]
    assert len(names) > 8
    for name in names:
        parse_chunker(f"syntax_tree(language={name})").check()
        assert chunks_of("x\n" * 40, f"syntax_tree(size=9, language={name})"), name
