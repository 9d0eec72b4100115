"""Sections: what people read about each subject; a file per subject."""
