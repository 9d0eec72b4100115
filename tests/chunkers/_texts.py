"""Texts that chunkers stumble over, and what every chunk must be."""

from assay.chunkers import chunk_documents, parse_chunker
from assay.model import Document

PYTHON = '''"""Accounts."""

import os


# Money is counted in cents.
class Account:
    """Holds money."""

    def __init__(self, owner):
        self.owner = owner
        self.cents = 0

    def deposit(self, cents):
        """Put money in."""
        self.cents += cents
        return self.cents


def open_account(owner):
    return Account(owner)
'''
HARD = {
    "empty": "",
    "blank": " \n\t\r\n  \n",
    "one letter": "x",
    "python": PYTHON,
    "crlf": PYTHON.replace("\n", "\r\n"),
    "old mac": PYTHON.replace("\n", "\r"),
    "tabs": PYTHON.replace("    ", "\t"),
    "byte-order mark": "\ufeff" + PYTHON,
    "nul": "a = 1\0\nb = '\0'\n\0\0\n" * 9,
    "no final line feed": PYTHON.rstrip(),
    "syntax errors": "def f(:\n  return ]]] class \n" * 20 + '"""open',
    "unclosed": "class A {\n" + "  int f() { return 1;\n" * 30,
    "lone surrogates": "x = '\ud800'\ny = '\udfff\udfff'\n" * 9,
    "surrogate pairs": "\ud83d\ude00" * 60 + "\n" + "a\ud83d\ude00 b\n" * 20,
    "emoji": "print('👩‍👩‍👧‍👦 e\u0301 ')  # 日本語のテキスト。長い文。\n" * 12,
    "wide spaces": "全\u3000角 a\u00a0b\u2028c\x85d\x1ce\n" * 12,
    "deep brackets": "(" * 10_000 + ")" * 10_000,
    "deep calls": "f(" * 3_000 + ")" * 3_000,
    "long expression": "x = " + " + ".join(["a"] * 3_000),
    "long string": '"""' + "word " * 900 + '"""\n' + "y = 1\n",
    "long comment": "# " + "word" * 900 + "\n",
    "dots": "." * 5_000 + ")" * 5_000 + "! " * 50,
    "line feeds": "\n" * 3_000 + "a" + "\n" * 3_000,
    "spaces": "a" + " " * 5_000 + "b\n" + " " * 5_000 + "\n" + "#" * 3_000,
    "markdown": "# A\n\ntext\n\n## B\n### C\n```py\n# no\n\n\n```\nmore\n\nD\n---\nlast. One! Two?\n" * 9,
    "fences": "```\n~~~\n````\n# x\n" * 40,
}


def chunks_of(text, chunker, doc_id="file.py", **about):
    """The chunks of one document."""
    return chunk_documents(parse_chunker(chunker), [Document(doc_id, text, **about)])


def texts_of(text, chunker, doc_id="file.py"):
    return [chunk.text for chunk in chunks_of(text, chunker, doc_id)]


def solid(text):
    """How many characters are no white space, counted one by one."""
    return sum(not letter.isspace() for letter in text)


def assert_sound(text, chunks):
    """Places are right, in order, and nothing but white space is lost; worked out in the plainest way."""
    covered = bytearray(len(text))
    for number, chunk in enumerate(chunks, 1):
        assert chunk.number == number
        assert 0 <= chunk.start < chunk.end <= len(text)
        assert chunk.text == text[chunk.start : chunk.end]
        assert not chunk.text.isspace()
        assert chunk.start_line == 1 + text[: chunk.start].count("\n")
        assert chunk.end_line == 1 + text[: chunk.end - 1].count("\n")
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
        for place in (chunk.start, chunk.end):
            assert not (0 < place < len(text) and is_pair(text[place - 1 : place + 1]))
    lost = [letter for letter, is_covered in zip(text, covered, strict=True) if not is_covered and not letter.isspace()]
    assert lost == []
    starts = [chunk.start for chunk in chunks]
    assert starts == sorted(starts)
    ids = [chunk.chunk_id for chunk in chunks]
    assert len(set(ids)) == len(ids)


def is_pair(two):
    return "\ud800" <= two[0] <= "\udbff" and "\udc00" <= two[1] <= "\udfff"
