"""Compat: drop-in replacements for other tools. They import only public names, and nothing in assay imports them."""
