"""Compat: drop-in replacements for other tools. They import front doors only, and nothing in assay imports them."""
