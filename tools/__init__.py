"""Tools for those who change assay."""
