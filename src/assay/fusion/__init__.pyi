from assay.fusion._fuse import fuse as fuse
from assay.fusion._fuse import fuse_runs as fuse_runs
from assay.fusion._fuse import train as train
from assay.fusion._fusion import BoundFusion as BoundFusion
from assay.fusion._fusion import Fusion as Fusion
from assay.fusion._fusion import Trained as Trained
from assay.fusion._fusion import all_fusions as all_fusions
from assay.fusion._fusion import parse_fusion as parse_fusion
from assay.fusion._lists import Lists as Lists
from assay.fusion._normalise import NORMALISATIONS as NORMALISATIONS
from assay.fusion._normalise import parse_norm as parse_norm
from assay.fusion._order import argsort_stretches as argsort_stretches
from assay.fusion._weights import parse_weights as parse_weights

__all__ = ["all_fusions", "fuse", "parse_fusion", "train"]
