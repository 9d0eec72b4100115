from assay.schemas.generation import generated_schemas as generated_schemas
from assay.schemas.shipped import schema_names as schema_names
from assay.schemas.shipped import schema_of as schema_of
from assay.schemas.shipped import schema_path as schema_path

__all__ = ["schema_names", "schema_of", "schema_path"]
