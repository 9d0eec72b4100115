from assay.learning_to_rank.importance import METHODS as METHODS
from assay.learning_to_rank.importance import FeatureImportance as FeatureImportance
from assay.learning_to_rank.importance import Importance as Importance
from assay.learning_to_rank.importance import feature_importance as feature_importance
