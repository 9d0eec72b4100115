"""ndcg_rel: ndcg averaged over the ranks of the relevant documents."""

from typing import Any

import numpy as np

from assay.metrics._gains import gain_function
from assay.metrics._ideal import ideal_dcg_by_rank
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import GAIN
from assay.metrics.dcg import dcg
from assay.metrics.ideal_dcg import ideal_dcg
from assay.model import ratio


def ndcg_rel(run: GradedRun, gain: Any) -> Scores:
    """Ndcg averaged over the ranks of the relevant documents.

    A relevant document that is not retrieved contributes the ndcg of the whole ranking.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value != 0), value[value != 0]
    here = ratio(hits.running_sum(value / np.log2(hits.rank + 1.0)), ideal_dcg_by_rank(run, worth, hits))
    found = hits.where(value > 0)
    total = run.ideal_by(worth)[0].count
    whole = ratio(dcg(run, None, gain, "log2", None), ideal_dcg(run, None, gain, "log2", None))
    return ratio(found.sum(here[value > 0]) + (total - found.count) * whole, total)


METRIC = Metric(
    "ndcg_rel",
    ndcg_rel,
    params=(GAIN,),
    formula="1/R · Σ over relevant documents of ndcg at their rank (at the end where not retrieved)",
    cite="Buckley 2008, trec_eval 9, m_ndcg_rel.c (experimental)",
    trec=("ndcg_rel",),
)
