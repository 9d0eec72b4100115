"""Earlier period: what users did before an experiment, used to reduce the variance of its estimates (CUPED)."""

from __future__ import annotations

import math

import numpy as np

from assay.arrays import Floats, Ints
from assay.logs import UserSums
from assay.stats import Ratio


def users_adjustment(current: UserSums, earlier: UserSums, variant: Ints) -> Floats | None:
    """The part of each user's contribution to a ratio that the earlier period predicts; None if that period does not vary.

    Users without searches in the earlier period have sums of 0 there, and are not adjusted. The slope is the regression
    inside the variants, so a difference between them does not change it (Deng, Xu, Kohavi & Walker 2013, Improving the
    Sensitivity of Online Controlled Experiments by Utilizing Pre-Experiment Data, WSDM).
    """
    known = Ratio.of(*earlier).rest
    covariance = spread = 0.0
    for code in np.unique(variant):
        rows = variant == code
        rest = Ratio.of(*current.of(rows)).rest
        inside = known[rows] - known[rows].mean()
        covariance += float(rest @ inside)
        spread += float(inside @ inside)
    if not spread > 0 or not math.isfinite(covariance):
        return None
    return (covariance / spread) * known
