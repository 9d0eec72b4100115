from assay.compat.differences import DifferenceWarning as DifferenceWarning
from assay.compat.ir_measures.differences import DIFFERENCES as DIFFERENCES
from assay.compat.ir_measures.registration import metric_of as metric_of
from assay.compat.ir_measures.registration import provider as provider
from assay.compat.ir_measures.registration import register as register
