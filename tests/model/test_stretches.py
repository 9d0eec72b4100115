"""Stretches: what they cover together, against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.views.chunk_locations import union_sizes

STRETCH = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9), st.integers(0, 9))


@given(st.lists(STRETCH, max_size=12), st.booleans())
def test_sizes_are_those_of_sets(rows, is_wide):
    """Query, file and two ends; with ends so far apart that one number cannot hold all of it."""
    factor = 2**40 if is_wide else 1
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    query, file, start, end = columns[0], columns[1], columns[2:].min(axis=0), columns[2:].max(axis=0)
    found = union_sizes((query * 3 + file) * factor, start * factor, end * factor, query, 4)
    letters = [
        {(q, f, at) for q, f, a, b in rows if q == number for at in range(min(a, b), max(a, b))} for number in range(4)
    ]
    assert found.tolist() == [float(len(some) * factor) for some in letters]
