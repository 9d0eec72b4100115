"""The table of ancestors is built in memory for its rows alone, and pairs are worked on a few at a time."""

import numpy as np
import pytest

from assay.ontology import ancestors

from ._small import ontology_of, small


def test_many_pairs_are_worked_on_a_few_at_a_time(monkeypatch):
    ontology = small()
    a, b = (side.ravel() for side in np.meshgrid(np.arange(9), np.arange(9)))
    (whole,) = ontology.ancestors.common(a, b)
    monkeypatch.setattr(ancestors, "MAX_ROWS", 7)
    parts = list(ontology.ancestors.common(a, b))
    assert len(parts) > 20
    assert np.concatenate([part.lowest for part in parts]).tolist() == whole.lowest.tolist()


def test_a_long_chain_takes_memory_for_its_rows_alone():
    """Rows that were moved at every depth made this quadratic; how often the table is made larger tells, no clock need."""
    n_terms, made = 300, []
    parents = {f"{number:04}": (f"{number - 1:04}",) if number else () for number in range(n_terms)}
    extended = ancestors._append_rows

    def counting(table, *rows):
        longer = extended(table, *rows)
        made.append(longer is not table)
        return longer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ancestors, "_append_rows", counting)
        table = ontology_of(parents).ancestors
    assert len(table.ancestor) == n_terms * (n_terms + 1) // 2
    assert table.distance[table.start[-2] :].tolist() == list(range(n_terms - 1, -1, -1))
    assert (len(made), sum(made) <= 20) == (n_terms - 1, True)
