from assay.compat.ranx._compare import compare as compare
from assay.compat.ranx._evaluate import evaluate as evaluate
from assay.compat.ranx._fuse import fuse as fuse
from assay.compat.ranx._optimize_fusion import optimize_fusion as optimize_fusion
from assay.compat.ranx._qrels import Qrels as Qrels
from assay.compat.ranx._run import Run as Run
