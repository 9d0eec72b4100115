"""Sections: the tables and texts about each subject, one file per subject."""
