"""Files that were valid before something happened to them."""

from hypothesis import strategies as st

PIECES = [
    *(b"", b" ", b"\t", b"\n", b"\r", b"\0", b"#", b'"', b",", b"{", b"[", b"nan", b"-", b"\xff", b"\xef\xbb\xbf"),
    *(b"null", b"1e999"),
]
"""What is put in: what separates, what ends, and what is no number."""


@st.composite
def mutated(draw, files):
    """One of the files, by name and content, with a few bytes changed, removed, doubled or put in."""
    name, content = draw(st.sampled_from(files))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 6)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=3) | st.just(content[start:end] * 2))
        content = content[:start] + piece + content[end:]
    return name, content
