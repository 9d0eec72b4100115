"""Sections: what people read about each subject, before or after it is set in a format."""
