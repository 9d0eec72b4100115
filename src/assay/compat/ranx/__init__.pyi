from assay.compat.differences import DifferenceWarning as DifferenceWarning
from assay.compat.ranx.data import Qrels as Qrels
from assay.compat.ranx.data import Run as Run
from assay.compat.ranx.differences import DIFFERENCES as DIFFERENCES
from assay.compat.ranx.fusion import fuse as fuse
from assay.compat.ranx.fusion import optimize_fusion as optimize_fusion
from assay.compat.ranx.report import compare as compare
from assay.compat.ranx.scoring import evaluate as evaluate
