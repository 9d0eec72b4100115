"""Files, frames and records: how judgments and rankings get in."""
def grade_source(*a): return None
