"""Masking: the secrets that this process knows, and text without them."""

from assay.masking._environment import add_environment, add_variable, add_variable_name
from assay.masking._names import is_secret_name
from assay.masking._register import (
    MASK,
    SHORTEST,
    add_secret,
    find_secret,
    forget_secrets,
    has_secrets,
    mask,
    mask_bytes,
    mask_nested,
)

__all__ = [
    "MASK",
    "SHORTEST",
    "add_environment",
    "add_secret",
    "add_variable",
    "add_variable_name",
    "find_secret",
    "forget_secrets",
    "has_secrets",
    "is_secret_name",
    "mask",
    "mask_bytes",
    "mask_nested",
]
