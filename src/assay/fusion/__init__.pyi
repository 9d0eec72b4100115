from assay.fusion.fusion import BoundFusion as BoundFusion
from assay.fusion.fusion import Fusion as Fusion
from assay.fusion.fusion import Trained as Trained
from assay.fusion.fusion import all_fusions as all_fusions
from assay.fusion.fusion import fuse as fuse
from assay.fusion.fusion import fuse_runs as fuse_runs
from assay.fusion.fusion import parse_fusion as parse_fusion
from assay.fusion.fusion import parse_weights as parse_weights
from assay.fusion.fusion import train as train
from assay.fusion.lists import RankedLists as RankedLists
from assay.fusion.normalise import NORMALISATIONS as NORMALISATIONS
from assay.fusion.normalise import parse_norm as parse_norm
from assay.fusion.ordering import argsort_stretches as argsort_stretches

__all__ = ["all_fusions", "fuse", "parse_fusion", "train"]
