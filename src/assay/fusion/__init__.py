"""[catalog FUSION] One way to fuse rankings per file; the rankings side by side as flat arrays, and normalisations."""

from assay.fusion._fuse import fuse, train
from assay.fusion._fusion import all_fusions, parse_fusion

__all__ = ["all_fusions", "fuse", "parse_fusion", "train"]
