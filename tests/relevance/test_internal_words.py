"""WordIndex: every count it gives is that of plain sets and loops, block by block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.relevance import by_text, resolve, words
from assay.relevance.words import WordIndex

from ._cases import TEXTS, bag, f1, grades_by_text, grounds

MANY = st.lists(TEXTS | st.text(max_size=6), max_size=8)


@given(texts=MANY.filter(bool), wanted=st.lists(TEXTS | st.text(max_size=6), min_size=1, max_size=6), data=st.data())
def test_shared_of_pairs_block_by_block(texts, wanted, data):
    index = WordIndex(texts)
    pair = st.tuples(st.integers(0, len(wanted) - 1), st.integers(0, len(index) - 1))
    pairs = data.draw(st.lists(pair, max_size=12))
    query, text = (np.array([both[side] for both in pairs], dtype=np.int64) for side in (0, 1))
    for block in (1, 2, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(words, "BLOCK", block)
            shared = index.shared(wanted, query, text).tolist()
        assert shared == [len(bag(wanted[a]) & bag(index.texts[b])) for a, b in pairs], block


@given(made=grounds())
def test_large_scopes_are_compared_block_by_block(made):
    for many in (0, 1, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(by_text, "MANY_PAIRS", many)
            resolved = resolve(made, "token")
        for query in made.queries.values():
            assert resolved.qrels[query.query_id] == grades_by_text(made, query, f1, 0.3), many
