"""Figures: differences as people read them."""

import pytest

from assay.comparison.verdict import Figures
from assay.metrics.parsing import parse_metric


@pytest.mark.parametrize(
    ("value", "said"), [(-2.2e-16, "+0.000"), (2.2e-16, "+0.000"), (0.0, "+0.000"), (-0.123, "−0.123"), (1e-5, "+0.000010")]
)
def test_what_is_left_of_zero_by_rounding_is_zero(value, said):
    assert Figures().change(parse_metric("mrr"), value) == said
