"""sentence: whole sentences, as many as fit."""

from __future__ import annotations

import re

import numpy as np

from assay.chunkers._chunker import Chunker, Cut
from assay.chunkers._measured import Measured, Places
from assay.chunkers._packing import split_by, words

_CLOSING = "[\"'”’»)\\]]"
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSING}*+\s++(?=[^a-z])"  # not before a small letter: e.g. this
    r"|[。！？｡]++[」』”’）]*+\s*+"
    r"|\n[^\S\n]*+\n\s*+"
)
"""What ends a sentence, with the white space behind it: a mark, one of a script without spaces, or an empty line.

Nothing in it is tried twice, so that it takes a time in proportion to the text.
"""


def sentence_ends(measured: Measured) -> Places:
    """Behind each sentence."""
    return np.fromiter((match.end() for match in _END.finditer(measured.text)), np.int64)


def sentence(text: str, path: str, *, size: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A sentence that is larger than `size` is cut between words. `Dr. Who` counts as an end, `e.g. this` does not."""
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    return Cut.at(split_by((sentence_ends, words), Measured(text), 0, len(text), size))


CHUNKER = Chunker("sentence", "whole sentences, as many as fit", sentence)
