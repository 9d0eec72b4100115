"""Stale labels: found, moved where there is one place only, and told otherwise."""

from hypothesis import given
from hypothesis import strategies as st

from assay.model import Document, Span
from assay.relevance import check_label

BODY = "def f(x):\n    if x:\n\n        return 1\n"
TWICE = f"{BODY}# other\n{BODY}"


def documents(**texts):
    return {f"{name}.py": Document(f"{name}.py", text) for name, text in texts.items()}


def lines(start, end, text, file="a.py"):
    return Span(file, start, end, "lines", text)


FITTING = [  # file and label
    (BODY, lines(1, 4, BODY)),
    (BODY.replace("\n", "\r\n"), lines(1, 4, BODY)),
    (BODY.replace("    ", "\t"), lines(1, 4, BODY)),
    (TWICE, lines(6, 9, BODY)),
    (BODY, lines(1, 4, None)),
    (BODY, Span("a.py", 4, 9, "characters", "f(x):")),
]

MOVED = [  # file, label and its new place
    (f"import os\n\n{BODY}", lines(1, 4, BODY), (3, 6)),
    (f"class A:\n    {BODY.replace(chr(10), chr(10) + '    ')}", lines(1, 4, BODY), (2, 5)),
    (BODY.replace("\n\n", "\n"), lines(2, 5, BODY), (1, 3)),
    ("éé new\n" + BODY, Span("a.py", 4, 9, "characters", "f(x):"), (11, 16)),
]


def test_labels_that_fit_and_labels_that_moved():
    for file, span in FITTING:
        label = check_label(span, documents(a=file))
        assert (label.fits, label.fault, label.moved_to) == (True, "", None), (file, span)
    for file, span, place in MOVED:
        label = check_label(span, documents(a=file, b="# nothing"))
        assert not label.fits, span
        assert (label.moved_to.start, label.moved_to.end, label.moved_to.text) == (*place, span.text), span
        assert check_label(label.moved_to, documents(a=file)).fits, span


def test_exact_lines_win_and_other_files_are_looked_at_only_where_the_file_itself_has_nothing():
    file = "  x = 1\n  y = 2\nx = 1\ny = 2\n"
    assert check_label(lines(9, 10, "x = 1\ny = 2"), documents(a=file)).moved_to == lines(3, 4, "x = 1\ny = 2")
    span = lines(1, 4, BODY)
    assert check_label(span, documents(a="# gone\n", b=f"#\n{BODY}")).moved_to == lines(2, 5, BODY, "b.py")
    assert check_label(span, documents(b=BODY)).moved_to == lines(1, 4, BODY, "b.py")
    assert check_label(span, documents(a=f"#\n{BODY}", b=BODY)).moved_to == lines(2, 5, BODY)


def test_labels_that_cannot_be_mended(snapshots):
    faults = []
    for texts in ({"a": "# gone\n"}, {"a": f"#\n{TWICE}"}, {"b": BODY, "c": BODY}, {"a": f"#\n{TWICE}{TWICE}"}, {}):
        label = check_label(lines(1, 4, BODY), documents(**texts))
        assert label.moved_to is None, texts
        faults.append(label.fault)
    snapshots.check("relevance/stale_labels", "\n".join(faults) + "\n")


ROWS = st.lists(st.sampled_from(["a", "b", " b", "c d"]), min_size=1, max_size=8)


@given(ROWS, st.data(), ROWS)
def test_a_label_moves_with_what_is_put_before_it(rows, data, new):
    """It fits where it says, or is moved to a place with its text, or there are several such places."""
    first = data.draw(st.integers(1, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    recorded = "\n".join(rows[first - 1 : last])
    label = check_label(lines(first, last, recorded), documents(a="\n".join([*new, *rows])))
    if label.moved_to is not None:
        now = [*new, *rows][label.moved_to.start - 1 : label.moved_to.end]
        assert [row.strip() for row in now] == [row.strip() for row in rows[first - 1 : last]]
    else:
        assert label.fits or len(label.places) > 1
