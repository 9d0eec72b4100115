"""What the tests of span metrics share: files, chunks and gold spans as plain values; a reference over sets of letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from assay.metrics import parse_metric
from assay.model import Document, Policy, Run, Span
from assay.text import words_of
from assay.views import Places, Spans, Truth, count_lines

TEXT = "".join(f"line {number:02}\n" for number in range(1, 21))
"""Twenty lines of eight characters; line n is characters 8 · (n - 1) to 8 · n."""
FILES = {"a.py": TEXT, "b.py": TEXT, "src/c.py": TEXT}


class Stretch(NamedTuple):
    """A chunk: characters of a file."""

    file: str
    start: int
    end: int


def chunk(file: str, start: int, end: int, text: str) -> Document:
    """A chunk as a document, as chunkers hand it on."""
    first = text.count("\n", 0, start) + 1
    last = text.count("\n", 0, max(end - 1, start)) + 1
    place = {"doc_id": file, "start": start, "end": end, "start_line": first, "end_line": last}
    return Document(f"{file}:{start}+{end - start}", text[start:end], metadata=place)


def lines(file: str, first: int, last: int) -> Stretch:
    """Whole lines of a file of eight characters per line."""
    return Stretch(file, 8 * (first - 1), 8 * last)


def spans_view(
    rankings: Mapping[str, Sequence[Any]],
    gold: Mapping[str, Sequence[Span]],
    files: Mapping[str, str] = FILES,
    queries: Sequence[str] | None = None,
) -> Spans:
    """Retrieved stretches, best first; an id stands for itself."""
    documents: dict[str, Document] = {}
    run: dict[str, dict[str, float]] = {}
    for query, ranking in rankings.items():
        run[query] = {}
        for rank, one in enumerate(ranking):
            made = chunk(*one, files[one.file]) if isinstance(one, Stretch) else Document(one)
            if isinstance(one, Stretch):
                documents[made.doc_id] = made
            run[query][made.doc_id] = -float(rank)
    sources = {name: Document(name, text) for name, text in files.items()}
    truth = Truth(gold, Places(documents, sources))
    return Spans.of(tuple(queries or dict.fromkeys([*gold, *run])), Run(run), Policy().rank_rule, truth)


def score(metric: str, ranking: Sequence[Any], gold: Sequence[Span], files: Mapping[str, str] = FILES) -> float:
    """The score of one query."""
    return float(parse_metric(metric).score(spans_view({"q": ranking}, {"q": gold}, files))[0])


# The reference: sets of (file, letter) or (file, line)

ALPHABET = "ab \n"
NAMES = ("a.py", "b.py")


class Case(NamedTuple):
    """One query."""

    files: dict[str, str]
    ranking: list[Stretch]
    gold: list[Span]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small files, chunks that overlap, touch or leave gaps, and gold spans in both units."""
    files = {name: draw(st.text(ALPHABET, min_size=1, max_size=30)) for name in NAMES}

    def stretch() -> Stretch:
        file = draw(st.sampled_from(NAMES))
        start = draw(st.integers(0, len(files[file]) - 1))
        return Stretch(file, start, draw(st.integers(start + 1, len(files[file]))))

    ranking = list(dict.fromkeys(stretch() for _ in range(draw(st.integers(0, 6)))))
    gold = []
    for _ in range(draw(st.integers(0, 4))):
        one = stretch()
        if draw(st.booleans()):
            gold.append(Span(one.file, one.start, one.end))
        else:
            last = draw(st.integers(1, count_lines(files[one.file])))
            gold.append(Span(one.file, draw(st.integers(1, last)), last, "lines"))
    return Case(files, ranking, gold)


def letters(case: Case, one: Stretch | Span) -> set[tuple[str, int]]:
    """The letters of a chunk or a gold span."""
    if isinstance(one, Stretch):
        return {(one.file, place) for place in range(one.start, one.end)}
    if one.unit == "characters":
        return {(one.doc_id, place) for place in range(one.start, one.end)}
    text = case.files[one.doc_id]
    return {(one.doc_id, at) for at in range(len(text)) if one.start <= text.count("\n", 0, at) + 1 <= one.end}


def rows(case: Case, one: Stretch | Span) -> set[tuple[str, int]]:
    """The lines that its letters stand on."""
    return {(file, case.files[file].count("\n", 0, place) + 1) for file, place in letters(case, one)}


def covered(case: Case, k: int, unit: str) -> tuple[set[Any], set[Any]]:
    """What the first k chunks cover, and what is gold."""
    of: Callable[..., set[Any]] = letters if unit == "characters" else rows
    retrieved = set().union(*(of(case, one) for one in case.ranking[:k]))
    return retrieved, set().union(*(of(case, one) for one in case.gold))


def paid(case: Case, tokens: int) -> int:
    """How many chunks a budget pays for."""
    left = tokens
    for number, one in enumerate(case.ranking):
        left -= len(words_of(case.files[one.file][one.start : one.end]))
        if left < 0:
            return number
    return len(case.ranking)


def files_in_order(case: Case, n_chunks: int) -> list[str]:
    """Files, each where its first chunk stands."""
    return list(dict.fromkeys(one.file for one in case.ranking[:n_chunks]))
