from assay.compat.ir_measures._measure import metric_of as metric_of
from assay.compat.ir_measures._registration import provider as provider
from assay.compat.ir_measures._registration import register as register
